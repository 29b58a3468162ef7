"""The page for underwriters: HTML from this server alone, without a script."""
