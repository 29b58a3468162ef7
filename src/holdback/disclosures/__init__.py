"""
Disclosures: the figures that a law defines for an offer of financing from a merchant's takings.

Nothing here decides anything, and nothing here is advice: the figures are computed as the cited
sections say, and what they leave open is a choice that is named (decisions/disclosures).
"""
