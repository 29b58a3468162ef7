"""
Pictures of portfolios, rulebooks and deals, in Altair.

A picture is made from plain rows, so this package knows neither rules nor dataframes. Altair is
imported where a picture is drawn: it needs the extra `notebook`. Every picture has a `width` in
pixels, and can be read in print: nothing is said by colour alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from holdback.tools.pictures.balances import money_at_stake
from holdback.tools.pictures.deal_repayment import repayment
from holdback.tools.pictures.layout import WIDTH, Record, Spec, chart
from holdback.tools.pictures.near_misses import near
from holdback.tools.pictures.outcome_migration import migration
from holdback.tools.pictures.outcome_shares import cohorts, outcomes
from holdback.tools.pictures.rule_funnel import funnel
from holdback.tools.pictures.self_contained import dark, html, svg, svg_of
from holdback.tools.pictures.value_steps import projection, sensitivity, sweep
from holdback.tools.pictures.what_holds_when import timeline

__all__ = [
    "PICTURES",
    "WIDTH",
    "dark",
    "draw",
    "drawn",
    "html",
    "money_at_stake",
    "repayment",
    "sensitivity",
    "svg",
    "timeline",
]

# The document of the picture of each question, by the question's name.
PICTURES: Final[Mapping[str, Callable[[str, Sequence[Record], int], Spec]]] = MappingProxyType(
    {
        "outcomes": outcomes,
        "funnel": funnel,
        "sweep": sweep,
        "migration": migration,
        "projection": projection,
        "cohorts": cohorts,
        "near": near,
    }
)


def draw(question: str, title: str, records: Sequence[Record], width: int = WIDTH) -> Any:
    """Return the Altair chart of the *records* that answer *question*, *width* pixels wide."""
    return chart(PICTURES[question](title, records, width))


def drawn(question: str, title: str, records: Sequence[Record], width: int = WIDTH) -> str:
    """
    Return the same picture as SVG that follows the reader's screen.

    It needs no chart, which takes Altair several times as long to check as the picture to draw.
    """
    return svg_of(PICTURES[question](title, records, width))
