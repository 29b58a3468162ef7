"""TOML documents, read with the line and column of every value.

This package knows TOML and nothing of jurisdictions.
"""
