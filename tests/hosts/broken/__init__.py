"""Hosts with one fault each, all of them classic: what the conformance suite has to find, or it is no use.

Each module has its `Host`, a docstring that says what is wrong, and `BREAKS`: the check that finds it and the
invariant that is broken.
"""
