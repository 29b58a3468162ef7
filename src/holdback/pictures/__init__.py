"""
Pictures of what a portfolio's questions answer, in Altair.

A picture is made from plain rows, so this package knows neither rules nor dataframes. Altair is
imported where a picture is drawn: it needs the extra `notebook`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

# A row of a question's answer: its columns by name, with numbers as numbers.
Record = Mapping[str, Any]

# The picture of each question, by the question's name.
PICTURES: Final[Mapping[str, Callable[[str, Sequence[Record]], Any]]] = {}


def draw(question: str, title: str, records: Sequence[Record]) -> Any:
    """Return the Altair chart of the *records* that answer *question*."""
    return PICTURES[question](title, records)
