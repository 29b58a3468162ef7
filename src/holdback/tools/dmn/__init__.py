"""
Rulebooks as documents of DMN, the OMG's notation for decisions, and tables of tiers back from them.

What maps to what, and what does not, is in decisions/dmn.
"""
