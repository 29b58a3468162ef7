"""The checks of a host, each a script with what has to hold."""
