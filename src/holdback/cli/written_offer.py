"""An offer as options state it: amounts, shares, and files of payments and of takings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from fractions import Fraction
from typing import Any, Final

from attrs import evolve

from holdback.cli.takings_history import projected_takings
from holdback.cli.written_facts import read_facts, read_pairs
from holdback.cli.written_table import number_reader, read_table
from holdback.disclosures.derivation import Step
from holdback.disclosures.disclosure import Payoff, ProjectionTerms
from holdback.disclosures.figure_facts import MOST_RATE
from holdback.disclosures.figures import Financing
from holdback.disclosures.projected_payments import (
    Payment,
    ProjectedPayments,
)
from holdback.disclosures.unit_periods import UnitPeriod
from holdback.errors import ErrorDetail, InvalidDocument
from holdback.exact.bounds import most_money
from holdback.exact.exact_numbers import HUNDRED_PERCENT, PERCENT_PLACES
from holdback.exact.money import Currency
from holdback.frozen_classes import frozen
from holdback.merchant.disclosure import Frequency
from holdback.rules.types import Catalogue, Fact, Kind, Type

# Each option that states an amount or a percentage, with its meaning.
AMOUNTS: Final[Mapping[str, str]] = {
    "purchase_price": "What is paid for the takings, or advanced: 50000.",
    "purchased_amount": "The takings that are bought: 65000.",
    "withheld": "Finance charges withheld from the purchase price.",
    "paid_separately": "Finance charges paid separately, up to consummation.",
    "later_charges": "Finance charges that come later.",
    "third_parties": "Paid to others, and not finance charges.",
    "payoff": "What pays off deals with other providers.",
    "own_payoff": "What pays off a deal with the same provider.",
    "old_charge": "The finance charge of the deal that is paid off; of two, of the own one.",
    "old_total": "The total repayment of that deal.",
    "forgiven": "What is forgiven of the charge of that deal.",
    "monthly_takings": "The takings of a month that are projected: 60000.",
    "split": "The share of the takings that is paid: 10%.",
    "disclosed_apr": "A rate that was disclosed: say whether it is accurate.",
}
DISCLOSED: Final = "disclosed_apr"
_SHARE: Final = "split"
_TAKINGS: Final = "monthly_takings"
_OLD_DEAL: Final = ("old_charge", "old_total")
_OF_OLD_DEAL: Final = (*_OLD_DEAL, "forgiven")
_PAYOFFS: Final = ("payoff", "own_payoff")
_OF_HISTORY: Final = ("months", "leave_out", "best_months")
_WITHOUT_HOLIDAYS: Final = ("weekly", "monthly")
# The value of an option that was left out.
_NOT_GIVEN: Final = (None, False, ())
_UNIT: Final = re.compile(r"(?:([1-9][0-9]?) )?(day|week|half-month|month|year)s?")


def option_of(name: str) -> str:
    """Return the option that states the amount *name*."""
    return f"--{name.replace('_', '-')}"


@frozen(kw_only=True)
class WrittenOffer:
    """
    An offer as a person wrote it: scaled amounts by name, and the payments of a file.

    `takings_steps` say how the takings were projected, where that is from their history, and
    `irregular` whether payments were.
    """

    amounts: Mapping[str, int]
    on: date
    frequency: Frequency
    unit: UnitPeriod | None
    holidays: frozenset[date]
    listed: tuple[Payment, ...]
    irregular: bool
    takings_steps: tuple[Step, ...]

    def _amount(self, name: str) -> int:
        return self.amounts.get(name, 0)

    @property
    def disclosed(self) -> Fraction | None:
        """The rate that was disclosed, in percent."""
        rate = self.amounts.get(DISCLOSED)
        return None if rate is None else Fraction(rate, 10**PERCENT_PLACES)

    @property
    def financing(self) -> Financing:
        """What is financed and repaid; where payments are listed, they are all that is repaid."""
        later, bought = self._amount("later_charges"), self._amount("purchased_amount")
        if "purchased_amount" not in self.amounts:
            bought = sum(payment.amount for payment in self.listed) - later
        return Financing(
            purchase_price=self._amount("purchase_price"),
            purchased_amount=bought,
            withheld=self._amount("withheld"),
            paid_separately=self._amount("paid_separately"),
            later_charges=later,
            third_parties=self._amount("third_parties"),
            payoffs=sum(map(self._amount, _PAYOFFS)),
        )

    @property
    def payoff(self) -> Payoff | None:
        """The old deal that is paid off, where its charge is stated."""
        if "old_charge" not in self.amounts:
            return None
        own = "own_payoff" in self.amounts
        return Payoff(
            finance_charge=self._amount("old_charge"),
            total_repayment=self._amount("old_total"),
            used=self._amount("own_payoff" if own else "payoff"),
            forgiven=self._amount("forgiven"),
            own=own,
        )

    @property
    def projection(self) -> ProjectionTerms:
        """How payments are projected; those that are listed are not."""
        payments = None
        if self.listed:
            payments = ProjectedPayments(self.on, self.frequency, self.listed, self.unit)
        return ProjectionTerms(
            consummation=self.on,
            frequency=self.frequency,
            split=Fraction(self._amount(_SHARE), HUNDRED_PERCENT),
            monthly_takings=self._amount(_TAKINGS),
            payments=payments,
            holidays=self.holidays,
        )


def read_offer(
    options: Mapping[str, Any], *, currency: Currency, is_shown: bool = False
) -> WrittenOffer:
    """
    Return the offer that the *options* of the command state, by name.

    One that *is_shown* as a law asks states its split and the takings, with a file as well.

    Raises:
        InvalidDocument: with everything that is missing, means nothing or cannot be read.
    """
    given = {name: value for name, value in options.items() if value not in _NOT_GIVEN}
    errors = [*_missing(given, is_shown=is_shown), *_without_meaning(given)]

    def read(reader: Callable[[], Any], default: Any) -> Any:
        try:
            return reader()
        except InvalidDocument as invalid:
            errors.extend(invalid.errors)
            return default

    on, file = options["on"], options["payments"]
    amounts = read(lambda: _read_amounts(given, currency), {})
    listed = read(lambda: () if file is None else _read_payments(file, currency, on), ())
    period = read(lambda: _read_unit(options["unit_period"]), None)
    steps = list[Step]()
    if {"history", "months"} <= given.keys():
        amounts[_TAKINGS], *steps = read(lambda: projected_takings(options, currency), (0,))
    if errors:
        raise InvalidDocument(errors)
    return WrittenOffer(
        amounts=amounts,
        on=on,
        frequency=options["frequency"],
        unit=period,
        holidays=frozenset(options["holiday"]),
        listed=listed,
        irregular=options["irregular"],
        takings_steps=tuple(steps),
    )


def _missing(given: Mapping[str, Any], *, is_shown: bool) -> Iterator[ErrorDetail]:
    """Yield an error for each option that is missing among those that are *given*."""
    has_file = "payments" in given
    needed = {"purchase_price": ""}
    if not has_file:
        needed["purchased_amount"] = "without --payments it is what is repaid"
    if is_shown or not has_file:
        needed[_SHARE] = "payments are projected from it"
        if "history" not in given:
            needed[_TAKINGS] = "payments are projected from it; --history projects it"
    if "own_payoff" in given or not given.keys().isdisjoint(_OF_OLD_DEAL):
        needed |= dict.fromkeys(_OLD_DEAL, "it is of the deal that is paid off")
    if "history" in given:
        needed["months"] = "the takings are the mean of this number of months"
    for name, why in needed.items():
        if name not in given:
            yield ErrorDetail(
                code="missing", message="it is missing", path=option_of(name), hint=why or None
            )


def _without_meaning(given: Mapping[str, Any]) -> Iterator[ErrorDetail]:
    """Yield an error for each option that says nothing next to the others that are *given*."""
    has_file = "payments" in given
    for names, is_wrong, message, hint in (
        (["unit_period"], not has_file,
         "projected payments have the unit-period of their frequency", "it is for --payments"),
        (["holiday"], has_file or given.get("frequency") in _WITHOUT_HOLIDAYS,
         "it moves daily and weekday payments that are projected", "leave it out"),
        (_OF_HISTORY, "history" not in given, "it chooses months", "it is for --history"),
        ([_TAKINGS], "history" in given, "--history projects the takings", "give one of the two"),
        (["irregular"], DISCLOSED not in given, "it is about a tolerance",
         "it is for --disclosed-apr"),
        (_OF_OLD_DEAL, given.keys().isdisjoint(_PAYOFFS),
         "it is of a deal that is paid off", "give --payoff or --own-payoff as well"),
    ):  # fmt: skip
        for name in names:
            if is_wrong and name in given:
                yield ErrorDetail(
                    code="contradiction", message=message, path=option_of(name), hint=hint
                )


def _read_amounts(given: Mapping[str, Any], currency: Currency) -> dict[str, int]:
    """Return the scaled amounts in *given* by name."""
    share, money = Type(Kind.PERCENT), Type(Kind.MONEY, currency)
    most = {_SHARE: HUNDRED_PERCENT, DISCLOSED: MOST_RATE}
    catalogue = Catalogue(
        facts=tuple(
            Fact(name=name, type=share, low=0, high=most[name])
            if name in most
            else Fact(name=name, type=money, low=0, high=most_money(currency))
            for name in AMOUNTS
        ),
        currency=currency,
    )
    pairs = [f"{name}={given[name]}" for name in AMOUNTS if name in given]
    try:
        facts = catalogue.prepare(read_facts(read_pairs(pairs, catalogue, option_of), catalogue))
    except InvalidDocument as invalid:
        raise InvalidDocument(
            evolve(error, path=option_of((error.path or "").removeprefix("$.")))
            for error in invalid.errors
        ) from None
    numbers = zip(catalogue.facts, facts, strict=True)
    return {fact.name: number for fact, number in numbers if number is not None}


def _read_unit(text: str | None) -> UnitPeriod | None:
    if text is None:
        return None
    match = _UNIT.fullmatch(text.strip())
    if match is None:
        raise InvalidDocument.of(
            "wrong_value",
            "expected a unit-period, such as `half-month`, `2 weeks` or `3 months`",
            path=option_of("unit_period"),
        )
    number, unit = match.groups()
    named: Any = unit.replace("-", "_")
    return UnitPeriod(named, int(number or 1))


def _read_payments(file: Any, currency: Currency, on: date) -> tuple[Payment, ...]:
    """Return the payments in *file*, with a day and an amount in each row, one for each day."""
    after, money = on.toordinal() + 1, Type(Kind.MONEY, currency)
    columns = {
        "day": number_reader(Type(Kind.DATE), after, f"expected a day after {on}"),
        "amount": number_reader(money, 1, "expected an amount above zero"),
    }
    paid = dict[date, int]()
    for row in read_table(file, columns):
        day = date.fromordinal(row.values["day"])
        paid[day] = paid.get(day, 0) + row.values["amount"]
    return tuple(Payment(day, amount) for day, amount in sorted(paid.items()))
