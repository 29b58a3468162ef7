"""What a change of rulebooks means: its effect on renewals, and on each product."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from attrs import evolve, field

from holdback.exact.exact_json import Json
from holdback.frozen_classes import frozen
from holdback.jurisdictions.jurisdiction import Jurisdiction
from holdback.rulebooks.rulebook import ProductTerms
from holdback.tools.proofs.claims import Subject, subjects, typical
from holdback.tools.proofs.comparison import RuleComparison, compare
from holdback.tools.proofs.question import moved_to
from holdback.tools.proofs.witness import Change, Witness


@frozen(kw_only=True)
class ChangeEffect:
    """
    The effect of a change on the rules for renewals, or on those of a `product`.

    `own_typical` says whether the file of the rules has typical facts, which its examples start
    from. With `prices_changed`, the offers of the product changed too, which no proof compares.
    """

    comparison: RuleComparison
    prices_changed: bool = False
    own_typical: bool = field(default=True, repr=False)

    @property
    def product(self) -> str | None:
        """The product; None for the rules for renewals."""
        return self.comparison.product

    @property
    def name(self) -> str:
        """Whose rules these are, in words."""
        return "renewal rules" if self.product is None else f"rules of {self.product}"

    @property
    def notes(self) -> tuple[str, ...]:
        """What was not compared."""
        prices = ("its prices changed, and are not compared",) if self.prices_changed else ()
        return (*self.comparison.notes, *prices)

    @property
    def witnesses(self) -> Iterator[tuple[str, Witness]]:
        """The deals that show it, by what they do: `gained`, `lost` or `moved`."""
        for what in ("gained", "lost", "moved"):
            witness: Witness | None = getattr(self.comparison, what)
            if witness is not None:
                yield what, witness

    @property
    def meaning(self) -> object:
        """What it says, to compare with what the effect on another day says."""
        shown = [
            (what, witness.words, *(side.words for side in self.comparison.outcomes(witness)))
            for what, witness in self.witnesses
        ]
        return self.name, self.comparison.relation, self.notes, shown

    def restated(self, witness: Witness) -> Witness:
        """Return the deal *witness* with those of its facts that there are after the change."""
        own = self.comparison.after.catalogue
        kinds = {fact.name: fact.type.kind for fact in own.facts}
        kept = (
            change
            for change in witness.changes
            if kinds.get(change.fact.name) is change.fact.type.kind
        )
        facts = moved_to(own, witness.catalogue, witness.facts)
        return evolve(witness, catalogue=own, facts=facts, changes=tuple(kept))

    def example(self, witness: Witness, expect: dict[str, Json]) -> str:
        """Return the deal *witness* as an example of the rules after the change."""
        before, after = self.comparison.outcomes(witness)
        changed = ", ".join(change.fact.name.replace("_", " ") for change in witness.changes)
        was, now = (side.outcome.replace("_", " ") for side in (before, after))
        shown = self.restated(witness)
        if not self.own_typical:
            shown = evolve(shown, changes=_all_facts(shown))
        return shown.example(f"{changed or 'typical'}: {was} before, {now} now", expect)


def effects(
    before: Jurisdiction, after: Jurisdiction, days: tuple[date, date]
) -> Iterator[ChangeEffect]:
    """
    Yield the effects of the change from the rules *before* to those *after* on two *days*.

    A product that only one of them offers has no rules to compare. Where the files after the change
    have no typical facts, the typical deal is that of before.
    """
    old = {subject.product: subject for subject in subjects(before.rulebook(days[0]))}
    for subject in subjects(after.rulebook(days[1])):
        if subject.product not in old:
            continue
        part = "renewal" if subject.product is None else "products"
        own = bool(after.typical.get(part))
        usual = typical(after if own else before, subject)
        compared = compare(
            old[subject.product].rules, subject.rules, usual, days[1], product=subject.product
        )
        yield ChangeEffect(
            comparison=compared,
            prices_changed=_prices(old[subject.product]) != _prices(subject),
            own_typical=own,
        )


def _prices(subject: Subject) -> object:
    """Return what prices the offers of a product."""
    terms: ProductTerms | None = next(
        (offered for offered in subject.rulebook.products if offered.key == subject.product), None
    )
    return terms and (terms.amounts, terms.calculators, terms.settlement)


def _all_facts(witness: Witness) -> tuple[Change, ...]:
    """Return every known fact of *witness* as a change from a deal of which nothing is known."""
    return tuple(
        Change(fact=fact, typical=None, value=number)
        for fact, number in zip(witness.catalogue.facts, witness.facts, strict=True)
        if number is not None
    )
