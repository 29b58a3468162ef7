"""Commands, the events they cause (`decide`), and the state after them (`evolve`)."""
