"""What a jurisdiction's folder means on a day: its rulebook, with the products; and its examples."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any, Protocol

import pendulum
from attrs import field, frozen

from holdback.eligibility import Assessment, assess
from holdback.exact_json import Json
from holdback.money import Currency
from holdback.rules.types import Catalogue, Facts, Parameter
from holdback.ruleset import RuleSet


class Placed(Protocol):
    """Something that knows where it stands in a file, and its parts."""

    def position(self, *, key: bool = False) -> Mapping[str, Any]:
        """Where its value stands, or its *key*."""

    def pairs(self) -> Mapping[str, Placed]:
        """Its parts by key."""


@frozen(kw_only=True)
class CalculatorChoice:
    """
    The calculator that a product names, and its settings as they stand in the file.

    `kind` is `limits`, `split_percentage`, `factor_rate` or `term`. Whoever binds the name to a
    calculator reads the settings; `place` says where to point when one is wrong.
    """

    kind: str
    name: str
    settings: Mapping[str, Json]
    _written: Placed | None = field(default=None, eq=False, repr=False, alias="written")

    @property
    def file(self) -> str | None:
        """The file in which it is named."""
        return self.place().get("file")

    def place(self, key: str | None = None) -> Mapping[str, Any]:
        """Where the setting *key* stands, or the whole choice, as the keywords of a `ErrorDetail`."""
        if self._written is None:
            return {}
        part = None if key is None else self._written.pairs().get(key)
        if part is None:
            return self._written.position()
        return part.position(key=key != "calculator")


@frozen(kw_only=True)
class ProductTerms:
    """
    A financing product: who may have it, and by which calculators it is priced.

    `amounts` are the shares of the merchant's maximum that are offered, in ten-thousandths of a percent.
    """

    key: str
    name: str
    description: str
    repayment_mechanism: str
    amounts: tuple[int, ...]
    rules: RuleSet
    limits: CalculatorChoice
    split_percentage: CalculatorChoice
    factor_rate: CalculatorChoice
    term: CalculatorChoice


@frozen(kw_only=True)
class Example:
    """
    What must come out on a day for the facts `given`: of the renewal rules, or of a `product`. One that
    expects `settings` says what they are on that day.

    `given` is whole: what is typical, with what the example says and without what it leaves out. With
    `settles`, the balance of a deal in minor units, a product is asked for by a renewal of that deal.
    """

    name: str
    on: date
    product: str | None
    given: Mapping[str, Json]
    settles: int | None = None
    expect: Mapping[str, Json]
    file: str
    line: int | None

    @property
    def of_settings(self) -> bool:
        """Whether it is about the settings of the jurisdiction."""
        return not {"outcome", "decision"} & self.expect.keys()


@frozen(kw_only=True)
class Rulebook:
    """
    One jurisdiction's rules, parameters and products on the day `on`; it never changes.

    Everything in it holds from the day `since` on, until the next change. `digest` identifies what they mean: two rulebooks with one digest decide alike, on every day.
    """

    code: str
    on: date
    digest: str
    since: date = field(eq=False, repr=False)
    name: str = field(eq=False, repr=False)
    currency: Currency = field(eq=False, repr=False)
    rounding: str = field(eq=False, repr=False)
    timezone: str = field(eq=False, repr=False)
    zone: pendulum.Timezone | pendulum.FixedTimezone = field(eq=False, repr=False)
    owner: str = field(eq=False, repr=False)
    review_by: date = field(eq=False, repr=False)
    automated_decisioning: bool = field(eq=False, repr=False)
    offers_valid_hours: int = field(eq=False, repr=False)
    recently_active_days: int = field(eq=False, repr=False)
    parameters: Mapping[str, Parameter] = field(eq=False, repr=False)
    catalogue: Catalogue = field(eq=False, repr=False)
    renewal: RuleSet = field(eq=False, repr=False)
    products: tuple[ProductTerms, ...] = field(eq=False, repr=False)

    def assess(self, facts: Mapping[str, object]) -> Assessment:
        """
        The assessment of a deal with plain *facts*, those of the day `on`; absent is unknown.

        Raises:
            InvalidDocument: with every fact that is unknown by name, of the wrong type or out of range.
        """
        return assess(self.renewal, self.catalogue.prepare(facts), self.on)

    def assess_prepared(self, facts: Facts) -> Assessment:
        """The assessment of a deal with prepared *facts*."""
        return assess(self.renewal, facts, self.on)
