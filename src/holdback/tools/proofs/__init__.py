"""What holds of every deal that can exist: claims about rules, differences, and plain witnesses.

A question is asked of a solver (the extra `proof`), and its answer is a deal that the reference
interpreter is asked about again. Nothing here decides about a deal.
"""
