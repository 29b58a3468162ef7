"""A synthetic portfolio to try things with."""
