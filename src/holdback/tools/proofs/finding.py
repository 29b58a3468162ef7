"""What a claim found: how serious it is, where it comes from, and a deal that shows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Final, Literal, TypeAlias

from holdback.errors import ErrorDetail
from holdback.exact.exact_json import Json
from holdback.frozen_classes import frozen
from holdback.rulebooks.rulebook import FUNDING
from holdback.tools.plain_values import plain_values
from holdback.tools.proofs.witness import Witness

ERROR: Final = "error"
WARNING: Final = "warning"
# What is worth knowing and asks for nothing: a finding of days that have passed.
INFORMATION: Final = "information"
# The solver gave no answer in its time. It is never taken for "fine".
NOT_DECIDED: Final = "not_decided"
Severity: TypeAlias = Literal["error", "warning", "information", "not_decided"]
# The severities in the order in which a person reads about them, with the word for each.
SEVERITIES: Final[Mapping[Severity, str]] = {
    ERROR: "error",
    NOT_DECIDED: "not decided",
    WARNING: "warning",
    INFORMATION: "information",
}
# What keeps a build from passing: an error, and what may be one.
FAILURES: Final = (ERROR, NOT_DECIDED)
_DEAL_NOT_FOUND: Final = "no deal that shows it was found in the time; give more with --limit"
_ABOUT: Final = {None: "the rules of renewals", FUNDING: "the rules of fundings"}


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
    and what to do. `places` are all lines that it comes from. `witness` is a deal that shows it;
    with `deal_not_found` the search for one took too long.
    `product` is None for the rules of renewals, and `FUNDING` for those of fundings. `reads` are
    the facts that its rules read, and `follows` the claims that do not hold because of it.
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
    deal_not_found: bool = False

    @property
    def days(self) -> str:
        """The days of which it holds, in words; empty when it holds of all."""
        parts = (("from", self.since), ("until", self.until))
        return " ".join(f"{word} {day}" for word, day in parts if day is not None)

    def plain(self) -> dict[str, Json]:
        """Return it as plain values."""
        witness = self.witness
        return {
            **plain_values(self, "claim", "severity", "jurisdiction", "product", "since", "until"),
            **plain_values(self.detail, "message", "hint", "file", "line", "column"),
            **plain_values(self, "places"),
            "witness": None if witness is None else {**witness.plain(), "example": witness.pasted},
            "deal_not_found": self.deal_not_found,
        }

    def lines(self) -> Iterator[str]:
        """Yield it for people: what is wrong and where, the line marked, what to do, and a deal."""
        place = f"{self.detail.place}: " if self.detail.place else ""
        yield f"{place}{SEVERITIES[self.severity]}: {self.detail.message}"
        hint = (self.detail.hint,) if self.detail.hint else ()
        for line in (*self.detail.marked(), *hint, *self.evidence()):
            yield f"    {line}".rstrip()

    def evidence(self) -> Iterator[str]:
        """Yield what follows the message: of which rules and days, the lines, and the deal."""
        about = _ABOUT.get(self.product, f"the product `{self.product}`")
        yield f"{self.jurisdiction}, {about} {self.days}".rstrip()
        for place in self.places[1:]:  # the first is that of the headline
            position = place.file if place.line is None else f"{place.file}:{place.line}"
            yield f"see {position}: {place.text}"
        if self.deal_not_found:
            yield _DEAL_NOT_FOUND
        if self.witness is not None:
            yield f"for example on {self.witness.on}: {self.witness.words}"
            if self.witness.pasted is not None:
                yield ""
                yield from self.witness.pasted.splitlines()
