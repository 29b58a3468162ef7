"""A drafted example: a deal on a day, what the rules answer, and its text for the file."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Final

from attrs import evolve, field

from holdback.exact.exact_json import Json
from holdback.exact.money import Money
from holdback.frozen_classes import frozen
from holdback.jurisdictions.jurisdiction import Example
from holdback.jurisdictions.quantity import toml_text, value_with_unit
from holdback.jurisdictions.reader import JURISDICTION, PRODUCTS, RENEWAL
from holdback.rulebooks.rulebook import Rulebook
from holdback.rules import Catalogue, Facts
from holdback.tools.example_run import Answer, ExampleRun, example_text, run_example

# What an example lists of an offer; the term only where nothing else tells two offers apart.
SHORT_OFFER: Final = ("funded_amount", "repayment_amount", "split_percentage", "factor_rate")
LONG_OFFER: Final = (*SHORT_OFFER, "term_days")
_LONG_LINE: Final = 110


@frozen(kw_only=True)
class DraftedExample:
    """
    An example to be written: of renewals, of a `product`, or of settings, on the day `on`.

    `typical` are the typical facts of its file, prepared, and `facts` those of the deal. With
    `offers`, it expects the limits and, of each offer, these fields. With `settlement`, it is
    about the discount for repaying a deal early. `settings` are those that it states.
    """

    name: str
    on: date
    product: str | None = None
    catalogue: Catalogue = field(repr=False)
    typical: Facts = field(default=(), repr=False)
    facts: Facts = field(default=(), repr=False)
    settles: Money | None = None
    offers: tuple[str, ...] = ()
    settlement: Mapping[str, Json] | None = None
    settings: Mapping[str, Json] | None = None

    @property
    def file(self) -> str:
        """The name of the file that it belongs into."""
        if self.settings is not None:
            return JURISDICTION
        return RENEWAL if self.product is None else PRODUCTS

    def example(self, rulebook: Rulebook) -> Example:
        """Return it as an example that expects what *rulebook*, of its day, answers."""
        asked = Example(
            name=self.name,
            on=self.on,
            product=self.product,
            given={
                fact.name: value_with_unit(fact.type, number)
                for fact, number in zip(self.catalogue.facts, self.facts, strict=False)
                if number is not None
            },
            settles=None if self.settles is None else self.settles.minor,
            settlement=self.settlement,
            expect=self._question(rulebook),
            file=self.file,
            line=None,
        )
        if self.settings is not None:
            return asked
        return evolve(asked, expect=self._expected(run_example(asked, rulebook)))

    def _question(self, rulebook: Rulebook) -> Mapping[str, Json]:
        """Return an expectation of the right form, to ask for the answer."""
        if self.settings is not None:
            return self.settings
        if self.settlement is not None:
            return {"discount": str(Money(0, rulebook.currency))}
        return Answer("to be answered").expected(self.product)

    def _expected(self, run: ExampleRun) -> dict[str, Json]:
        got = run.got
        if self.settlement is not None:
            return {"discount": got.outcome.removeprefix("discount ")}
        expect = got.expected(self.product)
        if self.offers and got.limits is not None:
            expect["limits"] = dict(got.limits)
        if self.offers and got.offers:
            expect["offers"] = [{name: offer[name] for name in self.offers} for offer in got.offers]
        return expect

    def text(self, rulebook: Rulebook) -> str:
        """Return it as the file has it, from `[[examples]]` on."""
        facts = zip(self.catalogue.facts, self.typical, self.facts, strict=False)
        return example_text(
            self.name,
            self.on,
            self.product,
            ((fact, number) for fact, typical, number in facts if number != typical),
            _expectation(self.example(rulebook).expect),
            settles=None if self.settles is None else str(self.settles),
            settlement=None if self.settlement is None else dict(self.settlement),
        )

    def plain(self, rulebook: Rulebook) -> dict[str, Json]:
        """Return it as plain values."""
        return {"name": self.name, "file": self.file, "text": self.text(rulebook)}


def _expectation(expect: Mapping[str, Json]) -> str:
    """Return what an example expects: each offer on a line of its own, where one line is long."""
    short = toml_text(expect)
    offers = expect.get("offers")
    if len(short) <= _LONG_LINE or not isinstance(offers, list | tuple):
        return short
    rest = toml_text({name: value for name, value in expect.items() if name != "offers"})
    lines = [f"  {toml_text(offer)}," for offer in offers]
    return "\n".join([f"{rest.removesuffix(' }')}, offers = [", *lines, "] }"])
