"""The simulated world: what a history asks of a host, and what the host should answer."""
