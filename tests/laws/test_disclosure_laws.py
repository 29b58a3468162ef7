"""Laws of the figures of disclosures, on drawn offers."""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from itertools import pairwise

from hypothesis import assume, given
from hypothesis import strategies as st

from holdback.disclosures.estimates import is_accurate
from holdback.disclosures.figures import Financing, double_dipping, monthly_cost
from holdback.disclosures.projected_payments import UNIT_PERIODS, payment_days, project

AMOUNTS = st.integers(0, 10**9)


@st.composite
def financings(draw, paid_separately=AMOUNTS):
    """What is financed and repaid: something is, and at least as much is repaid as is advanced."""
    price = draw(st.integers(1, 10**9))
    withheld = draw(st.integers(0, price - 1))
    separately = min(draw(paid_separately), price - withheld - 1)
    third_parties = draw(st.integers(0, price - withheld))
    return Financing(
        purchase_price=price,
        purchased_amount=price + draw(AMOUNTS),
        withheld=withheld,
        paid_separately=separately,
        later_charges=draw(AMOUNTS),
        third_parties=third_parties,
        payoffs=draw(st.integers(0, price - withheld - third_parties)),
    )


@given(financings())
def test_what_is_financed_and_its_charge_are_what_is_paid(financing):
    """
    "AF + FC = TP."
    """
    assert financing.amount_financed + financing.finance_charge == financing.total_payments


@given(financings(paid_separately=st.just(0)))
def test_a_merchant_receives_at_most_what_is_financed(financing):
    """
    "AF >= RF", where nothing is paid separately; they differ exactly where there is an itemization.
    """
    assert financing.amount_financed >= financing.recipient_funds
    more = financing.amount_financed > financing.recipient_funds
    assert more == bool(financing.third_parties + financing.payoffs)
    assert financing.disbursement == financing.amount_financed


@st.composite
def projections(draw):
    """The total, the payments that are projected of it, and one of them."""
    total = draw(st.integers(1, 10**9))
    payment = draw(st.integers(-(-total // 400), max(total, 1)))
    start = draw(st.dates(date(2023, 1, 1), date(2030, 12, 31)))
    frequency = draw(st.sampled_from(sorted(UNIT_PERIODS)))
    holidays = frozenset(
        draw(st.lists(st.dates(date(2023, 1, 1), date(2031, 12, 31)), max_size=20))
    )
    days = payment_days(start, frequency, holidays=holidays)
    of = {"total": total, "payment": payment, "consummation": start}
    return total, payment, project(**of, frequency=frequency, days=days)


@given(projections())
def test_payments_add_up(projection):
    """
    "Payments sum to TP": equal ones and a last that is at most as large, each after the one before.
    """
    total, payment, projected = projection
    *equal, last = (one.amount for one in projected.payments)
    assert projected.total == total
    assert {*equal} <= {payment}
    assert 0 < last <= payment
    days = [projected.consummation, *(one.day for one in projected.payments)]
    assert all(before < after for before, after in pairwise(days))


@given(projections(), st.integers(1, 10**6))
def test_a_rate_rises_with_the_charge(projection, more):
    """
    "APR rises with the charge": less is financed, and the same is paid.
    """
    total, _, projected = projection
    assume(more < total)
    less, all_of_it = projected.annual_rate(total - more), projected.annual_rate(total)
    assert all_of_it.percent(2) == 0
    assert less.side(Fraction(0)) == 1
    assert less.percent(4) >= 0
    assert less.percent(2, "down") <= less.percent(2) <= less.percent(2, "up")


@given(st.integers(0, 10**9), st.integers(1, 10**9), st.fractions(0, 1), AMOUNTS)
def test_double_dipping_is_at_most_the_unpaid_charge(charge, total, part, forgiven):
    """
    "Double dipping never above the unpaid charge", and nothing where all of it is forgiven.
    """
    used = int(total * part)
    dipped = double_dipping(
        finance_charge=charge, total_repayment=total, used_for_payoff=used, forgiven=forgiven
    )
    unpaid = Fraction(charge * used, total)
    assert 0 <= dipped <= max(unpaid - forgiven + Fraction(1, 2), 0)
    assert dipped <= charge


@given(st.fractions(1, 500), st.fractions(-3, 3), st.booleans())
def test_a_tolerance_has_the_sides_of_the_law(determined, by, irregular):
    """
    "Tolerance symmetric where the law is": within the points on both sides in New York, and any
    rate above is accurate in California.
    """
    points = Fraction(1, 4) if irregular else Fraction(1, 8)
    disclosed = determined - by
    assume(disclosed > 0)
    both = is_accurate(determined, disclosed, irregular=irregular, both_sides=True)
    below = is_accurate(determined, disclosed, irregular=irregular, both_sides=False)
    assert both == (abs(by) <= max(points, disclosed * Fraction("0.025")))
    assert below == (both or by < 0)


@given(st.integers(1, 10**9), st.integers(1, 4_000))
def test_a_monthly_cost_is_above_the_total_in_short_terms_alone(total, days):
    """
    "Monthly cost = TP x 30.4 / days; exceeds TP under 30.4 days."
    """
    cost = monthly_cost(total, days)
    assert (cost >= total) if days <= 30 else (cost <= total)
