"""Exact values: numbers, money, JSON and frozen classes, which never round or change unasked."""
