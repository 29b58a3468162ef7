"""
Hosts with one classic defect each, which the conformance suite must find.

Each module has its `Host`, a docstring that names the defect, and `BREAKS`: the check that finds it
and the invariant that it breaks.
"""
