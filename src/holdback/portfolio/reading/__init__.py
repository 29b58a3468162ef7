"""Reading: the columns of a table of deals as facts."""
