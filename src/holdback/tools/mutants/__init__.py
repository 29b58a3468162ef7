"""Mutants: copies of the rules with one small change each, which some example should notice."""
