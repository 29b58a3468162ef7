"""How each figure of an offer is computed: a formula with its numbers, the section, the choices."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Final, TypeAlias

from attrs import evolve

from holdback.disclosures.annual_rate import AnnualRate
from holdback.disclosures.disclosure import Disclosure, Payoff, ProjectionTerms
from holdback.disclosures.effective_rate import EffectiveRate
from holdback.disclosures.figures import Financing, monthly_cost, term_in_words
from holdback.disclosures.projected_payments import ProjectedPayments, per_month
from holdback.disclosures.unit_periods import AVERAGE_MONTH
from holdback.exact.exact_numbers import (
    PERCENT_PLACES,
    RATIO_PLACES,
    digits,
    divide,
    unscaled,
)
from holdback.exact.money import Currency
from holdback.frozen_classes import frozen
from holdback.rulebooks.regime import Regime

_ROOT_PLACES: Final = 12  # of a root in a formula
_RATE_PLACES: Final = 2  # of an annual rate (K5)
_PROJECTED: Final = "10 CCR 942; 23 NYCRR 600.7"
# Where a figure of a projection is not shown, the figures whose section is that of the projection.
_OF_PAYMENTS: Final = ("payment", "average_payment", "number_of_payments", "term")
_COUNTED: Final = ("payment", "number_of_payments", "last_payment")
_APPENDIX: Final = "12 CFR 1026, Appendix J"
_DIRECTIVE: Final = "Directive 2008/48/EC, Annex I"
# What is stated, with its letter or what it is.
_STATED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "purchase_price": "F",
        "purchased_amount": "R",
        "withheld": "w",
        "paid_separately": "s",
        "later_charges": "L",
        "third_parties": "X",
        "payoffs": "B",
        "own_payoff": "B of deals with the same provider",
        "frequency": "as stated",
        "payments_are_listed": "as stated",
        "split": "as stated",
        "projected_monthly_takings": "as stated",
    }
)
# The figures alone, under no law: those that are computed.
_ALONE: Final = frozenset(
    {
        *("amount_financed", "recipient_funds", "disbursement", "finance_charge"),
        *("total_payments", "apr", "term", "average_payment", "average_monthly_cost"),
        *("prepayment_charge", *_COUNTED),
    }
)

_Money: TypeAlias = Callable[[int], str]


@frozen
class Step:
    """
    A figure and how it is computed: the `formula`, and the same with `numbers`.

    `choices` are those on which the figure rests where a law leaves it open: K1 to K10, and E1 and
    E2 (decisions/disclosures).
    """

    name: str
    value: str
    formula: str
    numbers: str
    source: str
    choices: tuple[str, ...] = ()


def derivation(  # noqa: PLR0913 - what the figures are computed from, and the currency
    financing: Financing,
    projection: ProjectionTerms,
    payments: ProjectedPayments,
    rate: AnnualRate | EffectiveRate | None,
    *,
    currency: Currency,
    month: Fraction = AVERAGE_MONTH,
    payoff: Payoff | None = None,
) -> tuple[Step, ...]:
    """
    Return the figures of a *financing* that are computed, in the order in which they are.

    Under no law, they have the sections of California and New York that define them.
    """
    steps = _steps(financing, projection, payments, rate, currency, month, payoff)
    names = _ALONE | (set() if payoff is None else {"double_dipping"})
    if projection.payments is not None:
        names -= set(_COUNTED)
    return tuple(step for step in steps if step.name in names)


def derivation_by_law(
    regime: Regime,
    shown: Disclosure,
    financing: Financing,
    projection: ProjectionTerms,
    payoff: Payoff | None = None,
) -> tuple[Step, ...]:
    """
    Return the figures that *shown* shows, each with the section of the line that shows it.

    The payments that are projected, and what is financed at a rate, are among them.
    """
    currency = regime.catalogue.currency
    assert currency is not None, "figures are amounts of a currency"
    steps = _steps(
        financing, projection, shown.payments, shown.rate, currency, regime.month, payoff
    )
    named = shown.sections.keys() | ({"amount_financed"} if shown.rate else set())
    named |= set(_COUNTED) if projection.payments is None else set()
    return tuple(_of_law(step, shown) for step in steps if step.name in named)


def _steps(  # noqa: PLR0913, PLR0917 - as of `derivation`
    financing: Financing,
    projection: ProjectionTerms,
    payments: ProjectedPayments,
    rate: AnnualRate | EffectiveRate | None,
    currency: Currency,
    month: Fraction,
    payoff: Payoff | None,
) -> Iterator[Step]:
    """Every figure in the order in which they are computed."""

    def money(minor: int) -> str:
        return f"{unscaled(minor, currency.places):,}"

    rests_on = ("K1", "K2", "K3") if projection.payments is None else ()
    yield from _stated(financing, projection, payoff, money)
    yield from _amounts(financing, 0 if payoff is None or not payoff.own else payoff.used, money)
    yield from _counted(projection, payments, month, money)
    yield from _rate(rate, rests_on)
    yield from _timed(financing, payments, money, rests_on)
    yield from _unpaid(payoff, money)


def _of_law(step: Step, shown: Disclosure) -> Step:
    """Return *step* with the section of the law that shows its figure."""
    also = _OF_PAYMENTS if step.name in _COUNTED else ()
    sections = (shown.sections.get(name) for name in (step.name, *also))
    source = next((section for section in sections if section is not None), shown.law)
    for method in (_APPENDIX, _DIRECTIVE):
        if step.name == "apr" and method in step.source and method not in source:
            source = f"{source}; {method}"
    return evolve(step, source=source)


def _stated(
    financing: Financing, projection: ProjectionTerms, payoff: Payoff | None, money: _Money
) -> Iterator[Step]:
    """What is stated of an offer."""
    stated = {
        "own_payoff": money(payoff.used if payoff is not None and payoff.own else 0),
        "frequency": projection.frequency,
        "payments_are_listed": "no" if projection.payments is None else "yes",
        "split": f"{_short(100 * projection.split)}%",
        "projected_monthly_takings": money(projection.monthly_takings),
    }
    for name, formula in _STATED.items():
        value = stated[name] if name in stated else money(getattr(financing, name))
        yield Step(name, value, formula, value, "")


def _amounts(deal: Financing, own_payoff: int, money: _Money) -> Iterator[Step]:
    """The amounts, which rest on no choice."""
    price, bought = money(deal.purchase_price), money(deal.purchased_amount)
    withheld, separately = money(deal.withheld), money(deal.paid_separately)
    others, payoffs, later = map(money, (deal.third_parties, deal.payoffs, deal.later_charges))
    for name, formula, numbers, source in (
        ("amount_financed", "F - w - s", f"{price} - {withheld} - {separately}",
         "10 CCR 900(a)(1)(A); 23 NYCRR 600.1(a)"),
        ("recipient_funds", "F - w - X - B", f"{price} - {withheld} - {others} - {payoffs}",
         "10 CCR 900(a)(26)"),
        ("disbursement", "F - w", f"{price} - {withheld}", "Va. Code 6.2-2231"),
        ("finance_charge", "(R - F) + w + s + L",
         f"({bought} - {price}) + {withheld} + {separately} + {later}", "12 CFR 1026.4"),
        ("total_payments", "R + L", f"{bought} + {later}", "10 CCR 914; 23 NYCRR 600.6"),
    ):  # fmt: skip
        yield Step(name, money(getattr(deal, name)), formula, numbers, source)
    total, charge = deal.total_payments, deal.finance_charge
    per_unit = -(-charge * 10**RATIO_PLACES // deal.amount_financed)
    for name, value, formula, numbers in (
        ("prepaid_charges", money(deal.withheld + deal.paid_separately), "w + s",
         f"{withheld} + {separately}"),
        ("paid_to_others", money(deal.third_parties + deal.payoffs - own_payoff),
         "X + B, without the payoff of a deal with the same provider",
         f"{others} + {payoffs} - {money(own_payoff)}"),
        ("total_cost", money(max(total - deal.purchase_price, 0)), "total payments - F",
         f"{money(total)} - {price}"),
        ("total_cost_with_fees", money(max(total - deal.disbursement, 0)),
         "total payments - F + w", f"{money(total)} - {price} + {withheld}"),
        ("cost_per_unit", str(unscaled(per_unit, RATIO_PLACES)), "finance charge / AF, up",
         f"{money(charge)} / {money(deal.amount_financed)}"),
    ):  # fmt: skip
        yield Step(name, value, formula, numbers, "")


def _counted(
    projection: ProjectionTerms, payments: ProjectedPayments, month: Fraction, money: _Money
) -> Iterator[Step]:
    """How large payments are and how many: projected from takings, or counted where listed."""
    number, payment = len(payments.payments), money(payments.payments[0].amount)
    total, takings = money(payments.total), money(projection.monthly_takings)
    last = money(payments.payments[-1].amount)
    if projection.payments is not None:
        for name, value in zip(_COUNTED, (payment, str(number), last), strict=True):
            yield Step(name, value, "of the payments that are listed", value, "")
        return
    split, days = f"{_short(100 * projection.split)}%", per_month(projection.frequency, month)
    for name, value, formula, numbers, choices in (
        ("payment", payment, "split x takings of a month / payments of a month, half up",
         f"{split} x {takings} / {_short(days)}", ("K1",)),
        ("number_of_payments", str(number), "total payments / payment, up",
         f"{total} / {payment}", ("K1", "K2")),
        ("last_payment", last, "total payments - (n - 1) x payment",
         f"{total} - {number - 1} x {payment}", ("K1", "K2")),
    ):  # fmt: skip
        yield Step(name, value, formula, numbers, _PROJECTED, choices)


def _rate(rate: AnnualRate | EffectiveRate | None, projected: tuple[str, ...]) -> Iterator[Step]:
    """The annual *rate*, which rests on the choices of *projected* payments."""
    if isinstance(rate, EffectiveRate):
        value, root = f"{rate.percent(_RATE_PLACES):,}%", rate.percent(_ROOT_PLACES)
        formula = "X, where the payments, each divided by (1 + X)^years, are worth AF"
        yield Step("apr", value, formula, f"{root}%", _DIRECTIVE, (*projected, "E1", "E2"))
    elif rate is not None:
        period = rate.per_unit_period(_ROOT_PLACES)
        yield Step(
            "apr",
            f"{rate.percent(_RATE_PLACES):,}%",
            "100 x w x i, where the payments are worth AF",
            f"100 x {_short(rate.unit_periods_per_year)} x {period}",
            f"{_APPENDIX}; 10 CCR 940; 23 NYCRR 600.3",
            (*projected, "K4", "K5"),
        )


def _timed(
    financing: Financing, payments: ProjectedPayments, money: _Money, projected: tuple[str, ...]
) -> Iterator[Step]:
    """The term and the means, which rest on the choices of *projected* payments."""
    days, last, number = payments.term_days, payments.payments[-1].day, len(payments.payments)
    total, charge = financing.total_payments, money(financing.finance_charge)
    for name, value, formula, numbers, source, choices in (
        ("term", term_in_words(payments.consummation, last), "last payment - consummation",
         f"{last} - {payments.consummation} = {days} days",
         "10 CCR 901(a)(4); 23 NYCRR 600.5(c)", (*projected, "K6", "K7")),
        ("average_payment", money(divide(total, number, "half_up")),
         "total payments / n, half up", f"{money(total)} / {number}",
         "10 CCR 900(b)", (*projected[:2], "K9")),
        ("average_monthly_cost", money(monthly_cost(total, days)),
         "total payments x 30.4 / days, half up", f"{money(total)} x 30.4 / {days}",
         "10 CCR 900(a)(12); 23 NYCRR 600.1(p)", (*projected, "K6", "K8")),
        ("prepayment_charge", charge, "finance charge - the smallest discount of any day",
         f"{charge} - {money(0)}", "10 CCR 914; 23 NYCRR 600.6", ("K10",)),
    ):  # fmt: skip
        yield Step(name, value, formula, numbers, source, choices)


def _unpaid(payoff: Payoff | None, money: _Money) -> Iterator[Step]:
    """The unpaid charge of an old deal; that of a deal whose charge is not stated is not shown."""
    numbers = "nothing is paid off"
    if payoff is not None:
        charge, total, used, forgiven = map(
            money, (payoff.finance_charge, payoff.total_repayment, payoff.used, payoff.forgiven)
        )
        numbers = f"{charge} x {used} / {total} - {forgiven}"
    is_own = payoff is not None and payoff.own
    formula = "old charge x payoff / old total - forgiven, at least 0, half up"
    of_own = "nothing is paid off of the same provider" if payoff and not is_own else numbers
    unpaid = money(0 if payoff is None else payoff.double_dipping)
    source = "FSL 808(a); Conn. Gen. Stat. 36a-864(1)"
    yield Step("double_dipping", unpaid if is_own else money(0), formula, of_own, source)
    yield Step("unpaid_charge", unpaid, formula, numbers, source)


def _short(number: Fraction) -> str:
    """Return *number* in digits where four decimals suffice, else as a fraction in brackets."""
    parts = number * 10**PERCENT_PLACES
    return f"({number})" if parts.denominator > 1 else digits(parts.numerator, PERCENT_PLACES, 0)
