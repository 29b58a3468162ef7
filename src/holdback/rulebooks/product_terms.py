"""A product on a day: who may have it, the calculators that price it, and the fees it allows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from attrs import field

from holdback.eligibility.ruleset import Rule, RuleSet
from holdback.exact.exact_json import Json
from holdback.exact.exact_numbers import HUNDRED_PERCENT, PERCENT_PLACES, trimmed
from holdback.exact.money import Money
from holdback.frozen_classes import frozen, frozen_record
from holdback.merchant.fee_terms import FeeReason, FeeTerms

# The calculators that price an offer, which every product names; and all kinds.
CALCULATORS: Final = ("limits", "split_percentage", "factor_rate", "term")
SETTLEMENT: Final = "settlement"
CALCULATOR_KINDS: Final = (*CALCULATORS, SETTLEMENT)
# The fees of a product on one day.
MOST_FEE_KINDS: Final = 12
# What funding a renewal does to the deal before it: it pays it off, or waits until it is repaid.
SETTLE: Final = "settle"
QUEUE: Final = "queue"
RENEWALS: Final = (SETTLE, QUEUE)


@frozen(kw_only=True)
class CalculatorChoice:
    """
    The calculator that a product names, and its settings as in the file.

    `kind` is `limits`, `split_percentage`, `factor_rate`, `term` or `settlement`. The
    settings are read when the name is bound to a calculator. `places` returns where in a file each
    of them is, and under `""` the whole choice, for errors that are found then: it is called only
    for those, because finding the places takes as long as reading the file.
    """

    kind: str
    name: str
    settings: Mapping[str, Json] = field(converter=frozen_record)
    places: Callable[[], Mapping[str, Mapping[str, Any]]] = field(
        default=dict, eq=False, repr=False
    )

    @property
    def full_name(self) -> str:
        """Its name with its kind, by which an engine knows it: `term/fixed`."""
        return f"{self.kind}/{self.name}"

    @property
    def table(self) -> Mapping[str, Any] | None:
        """The table of prices that it reads, as `SourceTable.price` writes it; None without one."""
        table = self.settings.get("table") if self.name == "table" else None
        return table if isinstance(table, Mapping) else None

    @property
    def texts(self) -> Iterator[str]:
        """The texts in its settings, among which are the names of the facts that it reads."""
        yield from (value for value in self.settings.values() if isinstance(value, str))
        yield from () if self.table is None else self.table["on"]

    @property
    def file(self) -> str | None:
        """The file in which it is named."""
        return self.place().get("file")

    def place(self, key: str | None = None) -> Mapping[str, Any]:
        """Return where the setting *key* is, or the whole choice, as `ErrorDetail` keywords."""
        places = self.places()
        whole: Mapping[str, Any] = places.get("", {})
        return whole if key is None else places.get(key, whole)


@frozen(kw_only=True)
class AllowedFee:
    """
    A fee that a product allows: an `amount`, or interest at a `yearly_rate`.

    The rate and the share are in ten-thousandths of a percent. It is capped by an amount, by a
    share of the repayment amount, or by the lower of both.
    """

    key: str
    after: FeeReason
    amount: Money | None
    yearly_rate: int | None
    at_most: Money | None
    at_most_share: int | None

    def terms(self, repayment_amount: Money) -> FeeTerms:
        """Return the fee as an offer of *repayment_amount* has it; a share is rounded down."""
        caps = [] if self.at_most is None else [self.at_most.minor]
        if self.at_most_share is not None:
            caps.append(repayment_amount.minor * self.at_most_share // HUNDRED_PERCENT)
        rate = self.yearly_rate
        return FeeTerms(
            key=self.key,
            after=self.after,
            amount=self.amount,
            yearly_rate=None if rate is None else trimmed(rate, PERCENT_PLACES),
            at_most=Money(min(caps), repayment_amount.currency),
        )


@frozen(kw_only=True)
class ProductTerms:
    """
    A financing product: the rules for who may have it, and the calculators that price it.

    `amounts` are the shares of the merchant's maximum to offer, in ten-thousandths of a percent.
    `settlement` is the calculator of the discount for repaying early, None where there is none.
    `renewal` is what funding a renewal does to the deal before it: `"settle"` pays it off, and
    `"queue"` waits until it is repaid. `fees` are those that it allows. `offer_rules` are of each
    offer: their facts are its figures, and what one does not allow is left out.
    `origin` is the product as its file has it, for tools: nothing that decides reads it.
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
    settlement: CalculatorChoice | None = None
    renewal: str = SETTLE
    fees: tuple[AllowedFee, ...] = ()
    offer_rules: tuple[Rule, ...] = ()
    origin: Any = field(default=None, eq=False, repr=False)

    @property
    def calculators(self) -> tuple[CalculatorChoice, ...]:
        """The calculators that price its offers."""
        return self.limits, self.split_percentage, self.factor_rate, self.term

    @property
    def choices(self) -> tuple[CalculatorChoice, ...]:
        """All its calculators: those that price its offers, and that of its settlements."""
        return self.calculators if self.settlement is None else (*self.calculators, self.settlement)


def undigested(products: tuple[ProductTerms, ...]) -> tuple[tuple[str, str, Any], ...]:
    """Return what is in no digest: what renewals by each of *products* do, and its fees."""
    return tuple((terms.key, terms.renewal, terms.fees) for terms in products)
