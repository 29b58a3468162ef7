"""Studies: questions about a whole portfolio."""
