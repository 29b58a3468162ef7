"""The figures of an offer as options state them: amounts, shares, and a file of payments."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from datetime import date
from fractions import Fraction
from typing import Any, Final

from attrs import evolve

from holdback.cli.written_facts import read_facts, read_pairs
from holdback.disclosures.disclosure import Payoff, ProjectionTerms
from holdback.disclosures.figures import Financing
from holdback.disclosures.projected_payments import (
    Payment,
    ProjectedPayments,
)
from holdback.disclosures.unit_periods import UnitPeriod
from holdback.errors import ErrorDetail, InvalidDocument, InvalidValue
from holdback.exact.bounds import most_money
from holdback.exact.exact_numbers import HUNDRED_PERCENT
from holdback.exact.money import Currency
from holdback.frozen_classes import frozen
from holdback.merchant.disclosure import Frequency
from holdback.rules.types import Catalogue, Fact, Kind, Type

# Each option that states an amount or a share, with its meaning.
AMOUNTS: Final[Mapping[str, str]] = {
    "purchase_price": "What is paid for the takings, or advanced: 50000.",
    "purchased_amount": "The takings that are bought: 65000.",
    "withheld": "Finance charges withheld from the purchase price.",
    "paid_separately": "Finance charges paid separately, up to consummation.",
    "later_charges": "Finance charges that come later.",
    "third_parties": "Paid to others, and not finance charges.",
    "payoff": "What pays off deals with other providers.",
    "own_payoff": "What pays off a deal with the same provider.",
    "old_charge": "The finance charge of that deal.",
    "old_total": "The total repayment of that deal.",
    "forgiven": "What is forgiven of the charge of that deal.",
    "monthly_takings": "The takings of a month that are projected: 60000.",
    "split": "The share of the takings that is paid: 10%.",
}
_SHARE: Final = "split"
_PROJECTED: Final = ("monthly_takings", _SHARE)
_OLD_DEAL: Final = ("old_charge", "old_total")
_MOST_BYTES: Final = 4 * 1024 * 1024
_HEADS: Final = ["day", "amount"]
_UNIT: Final = re.compile(r"(?:([1-9][0-9]?) )?(day|week|half-month|month|year)s?")


def option_of(name: str) -> str:
    """Return the option that states the amount *name*."""
    return f"--{name.replace('_', '-')}"


@frozen(kw_only=True)
class WrittenOffer:
    """An offer as a person wrote it: scaled amounts by name, and the payments of a file."""

    amounts: Mapping[str, int]
    on: date
    frequency: Frequency
    unit: UnitPeriod | None
    holidays: frozenset[date]
    listed: tuple[Payment, ...]

    def _amount(self, name: str) -> int:
        return self.amounts.get(name, 0)

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
            payoffs=self._amount("payoff") + self._amount("own_payoff"),
        )

    @property
    def payoff(self) -> Payoff | None:
        """The old deal with the same provider that is paid off."""
        if "own_payoff" not in self.amounts:
            return None
        return Payoff(
            finance_charge=self._amount("old_charge"),
            total_repayment=self._amount("old_total"),
            used=self._amount("own_payoff"),
            forgiven=self._amount("forgiven"),
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
            monthly_takings=self._amount("monthly_takings"),
            payments=payments,
            holidays=self.holidays,
        )


def read_offer(  # noqa: PLR0913 - what the options of a command state
    texts: Mapping[str, str | None],
    *,
    currency: Currency,
    on: date,
    frequency: Frequency,
    unit: str | None = None,
    holidays: tuple[date, ...] = (),
    file: Any = None,
    is_shown: bool = False,
) -> WrittenOffer:
    """
    Return the offer that *texts* state, the text of each option or None, and a *file* of payments.

    One that *is_shown* as a law asks states its split and the takings, with a file as well.

    Raises:
        InvalidDocument: with everything that is missing or cannot be read.
    """
    given = {name: text for name, text in texts.items() if text is not None}
    errors = list(_missing(given, unit, has_file=file is not None, is_shown=is_shown))
    amounts, listed = dict[str, int](), tuple[Payment, ...]()
    try:
        amounts = _read_amounts(given, currency)
    except InvalidDocument as error:
        errors += error.errors
    try:
        listed = () if file is None else _read_payments(file, currency, on)
    except InvalidDocument as error:
        errors += error.errors
    try:
        period = _read_unit(unit)
    except InvalidValue as error:
        errors.append(
            ErrorDetail(code=error.code, message=str(error), path=option_of("unit_period"))
        )
    if errors:
        raise InvalidDocument(errors)
    return WrittenOffer(
        amounts=amounts,
        on=on,
        frequency=frequency,
        unit=period,
        holidays=frozenset(holidays),
        listed=listed,
    )


def _missing(
    given: Mapping[str, str], unit: str | None, *, has_file: bool, is_shown: bool
) -> Iterator[ErrorDetail]:
    """Yield an error for each option that is missing among those that are *given*."""
    needed = {"purchase_price": ""}
    if not has_file:
        needed["purchased_amount"] = "without --payments it is what is repaid"
    if is_shown or not has_file:
        needed |= dict.fromkeys(_PROJECTED, "payments are projected from it")
    if "own_payoff" in given:
        needed |= dict.fromkeys(_OLD_DEAL, "--own-payoff pays off a deal with a charge of its own")
    if unit is not None and not has_file:
        yield ErrorDetail(
            code="contradiction",
            message="projected payments have the unit-period of their frequency",
            path=option_of("unit_period"),
            hint="it is for --payments",
        )
    for name, why in needed.items():
        if name not in given:
            yield ErrorDetail(
                code="missing", message="it is missing", path=option_of(name), hint=why or None
            )


def _read_amounts(given: Mapping[str, str], currency: Currency) -> dict[str, int]:
    """Return the scaled amounts in *given* by name."""
    share, money = Type(Kind.PERCENT), Type(Kind.MONEY, currency)
    catalogue = Catalogue(
        facts=tuple(
            Fact(name=name, type=share, low=0, high=HUNDRED_PERCENT)
            if name == _SHARE
            else Fact(name=name, type=money, low=0, high=most_money(currency))
            for name in AMOUNTS
        ),
        currency=currency,
    )
    pairs = [f"{name}={text}" for name, text in given.items()]
    try:
        facts = catalogue.prepare(read_facts(read_pairs(pairs, catalogue), catalogue))
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
        message = "expected a unit-period, such as `half-month`, `2 weeks` or `3 months`"
        raise InvalidValue("wrong_value", message)
    number, unit = match.groups()
    named: Any = unit.replace("-", "_")
    return UnitPeriod(named, int(number or 1))


def _read_payments(file: Any, currency: Currency, on: date) -> tuple[Payment, ...]:
    """Return the payments in *file*, CSV with a day and an amount in each row, one for each day."""
    name = getattr(file, "name", "the payments")
    body = file.read(_MOST_BYTES + 1)
    if len(body) > _MOST_BYTES:
        raise InvalidDocument.of("too_large", f"{name}: expected at most 4 MiB")
    try:
        heads, *rows = csv.reader(body.decode("utf-8-sig", "replace").splitlines() or [""])
    except csv.Error as error:
        raise InvalidDocument.of("wrong_value", f"{name}: {error}") from None
    if [head.strip().lower() for head in heads] != _HEADS:
        message = f"{name}:1: expected the columns day,amount"
        raise InvalidDocument.of("wrong_value", message)
    paid, errors = dict[date, int](), list[ErrorDetail]()
    for place, row in enumerate(rows, start=2):
        try:
            day, amount = _read_payment(row, currency, on)
            paid[day] = paid.get(day, 0) + amount
        except InvalidValue as error:
            errors.append(ErrorDetail(code=error.code, message=str(error), file=name, line=place))
    if not paid and not errors:
        errors.append(ErrorDetail(code="missing", message="expected payments", file=name))
    if errors:
        raise InvalidDocument(errors)
    return tuple(Payment(day, amount) for day, amount in sorted(paid.items()))


def _read_payment(row: list[str], currency: Currency, start: date) -> tuple[date, int]:
    """Return the day, after *start*, and the amount in a *row* of the file."""
    if len(row) != len(_HEADS):
        raise InvalidValue("wrong_value", "expected a day and an amount")
    day = Type(Kind.DATE).read(row[0].strip())
    amount = Type(Kind.MONEY, currency).read(row[1].strip())
    if day is None or amount is None or amount <= 0:
        raise InvalidValue("wrong_value", "expected a day and an amount above zero")
    if day <= start.toordinal():
        raise InvalidValue("out_of_range", f"expected a day after {start}")
    return date.fromordinal(day), amount
