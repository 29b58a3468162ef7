"""Requests for offers, decisions on products, renewals, and the acceptance of an offer."""
