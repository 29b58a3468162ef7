"""Deals from the funding of an application to their end, and the money that moves on them."""
