"""The rules as SQL."""
