"""What may happen to a merchant, and what then is: commands, events, `decide` and `evolve`."""
