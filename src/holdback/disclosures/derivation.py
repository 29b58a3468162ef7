"""How each figure of an offer is computed: a formula with its numbers, the section, the choices."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Final, TypeAlias

from holdback.disclosures.disclosure import Payoff, ProjectionTerms
from holdback.disclosures.figures import Financing, monthly_cost, term_in_words
from holdback.disclosures.projected_payments import ProjectedPayments, per_month
from holdback.disclosures.unit_periods import AVERAGE_MONTH
from holdback.exact.exact_numbers import PERCENT_PLACES, digits, divide, unscaled
from holdback.exact.money import Currency
from holdback.frozen_classes import frozen
from holdback.rulebooks.regime import ACTUARIAL, EFFECTIVE, RateMethod

_ROOT_PLACES: Final = 12  # of a root in a formula
_RATE_PLACES: Final = 2  # of an annual rate (K5)
_PROJECTED: Final = "10 CCR 942; 23 NYCRR 600.7"

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


def derivation(  # noqa: PLR0913 - what `disclose` has, and the currency
    financing: Financing,
    projection: ProjectionTerms,
    payments: ProjectedPayments,
    *,
    currency: Currency,
    month: Fraction = AVERAGE_MONTH,
    payoff: Payoff | None = None,
    method: RateMethod = ACTUARIAL,
) -> tuple[Step, ...]:
    """
    Return the figures of a *financing* in the order in which they are computed.

    The annual rate is by *method*.
    """

    def money(minor: int) -> str:
        return f"{unscaled(minor, currency.places):,}"

    is_projected = projection.payments is None
    rests_on = ("K1", "K2", "K3") if is_projected else ()
    return (
        *_amounts(financing, money),
        *(_projected(projection, payments, month, money) if is_projected else ()),
        _rate(payments, financing.amount_financed, method, rests_on),
        *_timed(financing, payments, money, rests_on),
        *(() if payoff is None else _unpaid(payoff, money)),
    )


def _amounts(deal: Financing, money: _Money) -> Iterator[Step]:
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


def _projected(
    projection: ProjectionTerms, payments: ProjectedPayments, month: Fraction, money: _Money
) -> Iterator[Step]:
    """How large payments are and how many, where takings are projected."""
    number, payment = len(payments.payments), money(payments.payments[0].amount)
    total, takings = money(payments.total), money(projection.monthly_takings)
    split, days = f"{_short(100 * projection.split)}%", per_month(projection.frequency, month)
    for name, value, formula, numbers, choices in (
        ("payment", payment, "split x takings of a month / payments of a month, half up",
         f"{split} x {takings} / {_short(days)}", ("K1",)),
        ("number_of_payments", str(number), "total payments / payment, up",
         f"{total} / {payment}", ("K1", "K2")),
        ("last_payment", money(payments.payments[-1].amount),
         "total payments - (n - 1) x payment", f"{total} - {number - 1} x {payment}",
         ("K1", "K2")),
    ):  # fmt: skip
        yield Step(name, value, formula, numbers, _PROJECTED, choices)


def _rate(
    payments: ProjectedPayments, financed: int, method: RateMethod, projected: tuple[str, ...]
) -> Step:
    """The annual rate by *method*, which rests on the choices of *projected* payments."""
    if method == EFFECTIVE:
        effective = payments.effective_rate(financed)
        value, root = f"{effective.percent(_RATE_PLACES):,}%", effective.percent(_ROOT_PLACES)
        formula = "X, where the payments, each divided by (1 + X)^years, are worth AF"
        source = "Directive 2008/48/EC, Annex I"
        return Step("apr", value, formula, f"{root}%", source, (*projected, "E1", "E2"))
    rate = payments.annual_rate(financed)
    period = rate.per_unit_period(_ROOT_PLACES)
    return Step(
        "apr",
        f"{rate.percent(_RATE_PLACES):,}%",
        "100 x w x i, where the payments are worth AF",
        f"100 x {_short(rate.unit_periods_per_year)} x {period}",
        "12 CFR 1026, Appendix J; 10 CCR 940; 23 NYCRR 600.3",
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


def _unpaid(payoff: Payoff, money: _Money) -> Iterator[Step]:
    """The unpaid charge of an old deal."""
    charge, total, used, forgiven = map(
        money, (payoff.finance_charge, payoff.total_repayment, payoff.used, payoff.forgiven)
    )
    yield Step(
        "double_dipping",
        money(payoff.double_dipping),
        "old charge x payoff / old total - forgiven, at least 0, half up",
        f"{charge} x {used} / {total} - {forgiven}",
        "FSL 808(a); Conn. Gen. Stat. 36a-864(1)",
    )


def _short(number: Fraction) -> str:
    """Return *number* in digits where four decimals suffice, else as a fraction in brackets."""
    parts = number * 10**PERCENT_PLACES
    return f"({number})" if parts.denominator > 1 else digits(parts.numerator, PERCENT_PLACES, 0)
