"""Proof by a solver that a mutant gives every deal the same answer, where the extra is there.

The solver is an extra: without it, a mutant that only it could prove equivalent survives.
"""

from __future__ import annotations

from holdback.eligibility.ruleset import RuleSet
from holdback.rulebooks.rulebook import Rulebook
from holdback.tools.mutants.equivalence import why_same


def why_proved_same(first: Rulebook, second: Rulebook) -> str | None:
    """Return why every possible deal is answered and priced alike; None if it is not proved."""
    try:
        from holdback.tools.proofs.alike import why_alike  # noqa: PLC0415  # imports the solver
    except ModuleNotFoundError:
        return None

    def prove(before: RuleSet, after: RuleSet, above_floor: bool) -> str | None:  # noqa: FBT001
        return why_alike(before, after, floor=above_floor)

    return why_same(first, second, prove)
