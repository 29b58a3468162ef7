"""Eligibility: the facts there are, and what rules say of them."""
