"""Quotes: the calculators of limits, factor rate, split percentage and term, and their results."""
