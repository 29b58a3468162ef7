"""What a claim found: how serious it is, where it comes from, and a deal that shows it."""

from __future__ import annotations

from datetime import date
from typing import Final, Literal, TypeAlias

from holdback.errors import ErrorDetail
from holdback.frozen_classes import frozen
from holdback.tools.proofs.witness import Witness

ERROR: Final = "error"
WARNING: Final = "warning"
# What is worth knowing and asks for nothing: a finding of days that have passed.
INFORMATION: Final = "information"
# The solver gave no answer in its time. It is never taken for "fine".
NOT_DECIDED: Final = "not_decided"
Severity: TypeAlias = Literal["error", "warning", "information", "not_decided"]


@frozen(kw_only=True)
class Place:
    """A line that a finding comes from, with what is there."""

    file: str
    line: int | None
    text: str


@frozen(kw_only=True)
class Finding:
    """
    One headline about the rules of a jurisdiction, from the day `since` to the day before `until`.

    `claim` names what was claimed, such as `somebody-passes`. `detail` says what is wrong, where,
    and what to do. `places` are all lines that it comes from. `witness` is a deal that shows it.
    `product` is None for the rules of renewals. `reads` are the facts that its rules read, and
    `follows` the claims that do not hold because of it.
    """

    claim: str
    severity: Severity
    jurisdiction: str
    product: str | None = None
    since: date | None = None
    until: date | None = None
    detail: ErrorDetail
    places: tuple[Place, ...] = ()
    follows: tuple[str, ...] = ()
    reads: frozenset[str] = frozenset()
    witness: Witness | None = None
