"""Drafts of the examples that a jurisdiction lacks, for a person to read.

What is missing comes from where `check` and `test` find it: answers of rules, sides of thresholds,
and mutants that no example notices. For each of them the plainest deal is searched near a typical
one, and what it expects is what the rules answer (decisions/suggestions).
"""
