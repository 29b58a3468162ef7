"""Deals that a solver finds where the search near the typical deal gives up."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Final

from holdback.rules import Facts
from holdback.tools.proofs.question import Question
from holdback.tools.suggestions.nearby import Test

# Seconds for one question.
_LIMIT: Final = 2


def solved(
    questions: Iterable[Question], typical: Facts, on: date, product: str | None, test: Test
) -> Facts | None:
    """
    Return the plainest deal that satisfies one of *questions* and passes *test*; None for none.

    Without the extra `proof` nothing is found.
    """
    try:
        from holdback.tools.proofs.plainest import (  # noqa: PLC0415  # imports the solver
            NotDecidedError,
            plainest,
        )
    except ModuleNotFoundError:
        return None
    for question in questions:
        try:
            witness = plainest(question, typical, on, product=product, limit=_LIMIT)
        except NotDecidedError:
            continue
        if witness is not None and test(witness.facts):
            return witness.facts
    return None
