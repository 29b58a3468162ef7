"""
Hosts with one classic fault each, which the conformance suite must find.

Each module has its `Host`, a docstring that names the fault, and `BREAKS`: the check that finds it
and the invariant that it breaks.
"""
