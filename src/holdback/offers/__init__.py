"""The calculators and the quote: limits, factor rate, split percentage and term, put together."""
