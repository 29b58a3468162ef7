"""A deal that shows what a claim found: as few facts as possible differ from a typical deal."""

from __future__ import annotations

from datetime import date

from attrs import field

from holdback.eligibility.ruleset import known_facts
from holdback.exact.exact_json import Json
from holdback.frozen_classes import frozen
from holdback.jurisdictions.quantity import toml_text
from holdback.rules.types import Catalogue, Fact, Facts
from holdback.tools.example_run import example_text
from holdback.tools.plain_values import plain_values
from holdback.tools.proofs.question import is_of_offers


@frozen(kw_only=True)
class Change:
    """
    A fact of a witness that is not as in the typical deal; None is unknown.

    Between `low` and `high`, both included, the answer stays the same while nothing else changes.
    """

    fact: Fact
    typical: int | None
    value: int | None
    low: int | None = None
    high: int | None = None

    @property
    def words(self) -> str:
        """The change in words, such as `performance 79% (75% to 79.9999%)`."""
        name = self.fact.name.replace("_", " ")
        if self.value is None:
            return f"{name} unknown"
        show = self.fact.type.show
        if self.low is None or self.high is None or self.low == self.high:
            return f"{name} {show(self.value)}"
        return f"{name} {show(self.value)} ({show(self.low)} to {show(self.high)})"


@frozen(kw_only=True)
class Witness:
    """
    A possible deal with prepared `facts` on the day `on`, and its `changes` from the typical one.

    `after` is the same deal once more, where a claim is about two of them. `pasted` is the deal as
    an example of a rule file; None where it cannot be priced, because a calculator is a host's own.
    """

    catalogue: Catalogue = field(repr=False)
    facts: Facts = field(repr=False)
    changes: tuple[Change, ...]
    on: date
    product: str | None = None
    after: Facts | None = field(default=None, repr=False)
    pasted: str | None = field(default=None, repr=False)

    @property
    def words(self) -> str:
        """The deal in words: what differs from the typical one."""
        changed = ", ".join(change.words for change in self.changes)
        if changed and self._is_all_changed:
            return f"{'an offer' if self.is_offer else 'a deal'} with {changed}"
        return f"the typical deal, but {changed}" if changed else "the typical deal"

    @property
    def is_offer(self) -> bool:
        """Whether it is an offer, with its figures, and not a deal."""
        return is_of_offers(self.catalogue)

    @property
    def _is_all_changed(self) -> bool:
        """Whether nothing in it is typical, as where a file says nothing of typical deals."""
        new = sum(change.typical is None for change in self.changes)
        return new == len(self.changes) == len(self.known)

    @property
    def known(self) -> dict[str, Json]:
        """Its facts that are known, by name, as plain values."""
        return known_facts(self.catalogue, self.facts)

    def example(self, name: str, expect: dict[str, Json]) -> str:
        """Return it as an example of a rule file, with what it is to *expect*."""
        differing = ((change.fact, change.value) for change in self.changes)
        return example_text(name, self.on, self.product, differing, toml_text(expect))

    def plain(self) -> dict[str, Json]:
        """Return it as plain values."""
        return {**plain_values(self, "on", "product", "words"), "facts": self.known}
