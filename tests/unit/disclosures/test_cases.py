"""The worked cases of regulators and of an independent solver, each to the digit that it gives."""

from __future__ import annotations

import json
import re
import sys
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from every_case import for_every
from holdback import load_jurisdictions
from holdback.disclosures.annual_rate import AnnualRate
from holdback.disclosures.estimates import (
    LIMITS_OF_AUDITS,
    Audit,
    audit,
    is_accurate,
    is_barred,
    is_within_points,
    may_audit_yearly,
    mean_difference,
    mean_spread,
    mean_takings,
    spread,
)
from holdback.disclosures.figures import Financing, double_dipping, monthly_cost, term_in_words
from holdback.disclosures.projected_payments import (
    UNIT_PERIODS,
    ProjectedPayments,
    payment_days,
    payment_of,
    project,
)
from holdback.disclosures.unit_periods import UnitPeriod, months_from
from holdback.errors import InvalidValue
from holdback.exact.exact_numbers import divide
from holdback.rulebooks.regime import regime_on

CASES = {
    case["id"]: case
    for case in json.loads(Path(__file__).with_name("cases.json").read_text(encoding="utf-8"))[
        "cases"
    ]
}
AT_ONCE = Fraction(0)
JURISDICTIONS = load_jurisdictions()


def of(prefix="", *, having=()):
    """The cases whose id begins with *prefix* and whose inputs have all the names."""
    return {
        name: case
        for name, case in CASES.items()
        if name.startswith(prefix) and set(having) <= case["inputs"].keys()
    }


def cents(text):
    return int(Decimal(text) * 100)


def same_digits(rate, expected, *, percent=True):
    """Whether a rate has each digit that a case gives."""
    places = len(expected.partition(".")[2])
    shown = rate.percent(places) if percent else rate.per_unit_period(places)
    return shown == Decimal(expected)


def check_rate(rate, expected):
    assert str(rate.percent(2)) == expected["apr_percent_2dp"]
    for name in ("apr_percent", "recomputed_apr_percent"):
        if name in expected:
            assert same_digits(rate, expected[name])
    if "unit_period_rate" in expected:
        assert same_digits(rate, expected["unit_period_rate"], percent=False)


def regular(advance, payments, first, per_year):
    """The rate of payments in each unit-period from the *first* on."""
    whole = int(first)
    times = {whole + at: amount for at, amount in enumerate(payments)}
    return AnnualRate({AT_ONCE: {0: advance}}, {first - whole: times}, per_year)


# -- rates


@for_every("name", of(having=["first_payment_t", "unit_periods_per_year"]))
def test_a_rate_of_the_appendix(name):
    """
    "sum A/((1+f i)(1+i)^t) = sum P/((1+f i)(1+i)^t); APR = 100 w i, nominal", in all unit-periods.
    """
    inputs, expected = CASES[name]["inputs"], CASES[name]["expected"]
    first = inputs["first_payment_t"] + Fraction(inputs["first_payment_f"])
    number, amount, said, start = re.fullmatch(
        r"(\d+) x ([\d.]+) (.*) from ([\d-]+)(?:, then .*)?", inputs["schedule"]
    ).groups()
    payments = inputs.get("payments", [[amount, int(number)]])
    amounts = [cents(each) for each, times in payments for _ in range(times)]
    unit = {
        "monthly": UnitPeriod("month"),
        "on the 1st and 16th": UnitPeriod("half_month"),
        "quarterly": UnitPeriod("month", 3),
        "weekly": UnitPeriod("week"),
        "every 2 weeks": UnitPeriod("week", 2),
        "yearly": UnitPeriod("year"),
    }[said]

    assert unit.per_year == inputs["unit_periods_per_year"]
    advance_date = date.fromisoformat(inputs["advance_date"])
    assert unit.between(advance_date, date.fromisoformat(start)) == first
    check_rate(regular(cents(inputs["advance"]), amounts, first, unit.per_year), expected)


@for_every("name", of("appj-mem"))
def test_a_rate_of_one_payment_in_years(name):
    """
    The unit-period is at most a year; the rest of a year is in months where it is whole months.
    """
    inputs, expected = CASES[name]["inputs"], CASES[name]["expected"]
    first, second = map(date.fromisoformat, re.findall(r"\d{4}-\d\d-\d\d", inputs["dates"]))
    time = UnitPeriod("year").between(first, second)
    assert time == inputs["t"] + Fraction(inputs["f"])
    rate = regular(cents(inputs["advance"]), [cents(inputs["payment"])], time, Fraction(1))
    check_rate(rate, expected)


@for_every("name", of(having=["total_of_payments", "consummation_date", "advance"]))
def test_a_rate_of_equal_payments(name):
    """
    Daily and weekday collections have a unit-period of one day, and weekly ones of a week.
    """
    inputs, expected = CASES[name]["inputs"], CASES[name]["expected"]
    start = date.fromisoformat(inputs["consummation_date"])
    days = None
    if "every_days" in inputs:
        first = date.fromisoformat(inputs["first_payment_date"])
        days = (first + timedelta(weeks=week) for week in range(1_000))
    frequency = inputs.get("calendar", "weekly")
    projected = project(
        total=cents(inputs["total_of_payments"]),
        payment=cents(inputs["payment"]),
        consummation=start,
        frequency=frequency,
        days=days,
    )

    last = projected.payments[-1]
    assert len(projected.payments) == expected["payments"]
    assert last.amount == cents(expected["last_payment"])
    assert last.day.isoformat() == expected["last_payment_date"]
    assert projected.term_days == expected["term_days"]
    check_rate(projected.annual_rate(cents(inputs["advance"])), expected)


def dated(case, days, unit, **of):
    inputs, expected = case["inputs"], case["expected"]
    start = date.fromisoformat(inputs["consummation_date"])
    first = unit.between(start, days[0], **of)
    assert first == expected["first_payment_t"] + Fraction(expected["first_payment_f"])
    amounts = [cents(inputs["payment"])] * inputs["payments"]
    check_rate(regular(cents(inputs["advance"]), amounts, first, unit.per_year), expected)


def test_months_are_counted_to_the_end_of_each():
    """
    Payments on the last day of each month are whole months apart.
    """
    days = [months_from(date(2025, 1, 31), month, 31) for month in range(1, 13)]
    dated(CASES["monthly-month-end"], days, UnitPeriod("month"), day=31)


def test_months_are_counted_back_from_the_payment():
    """
    "months counted back from the payment, rest days/30" and "Half month: 30 per full month, /15".
    """
    dated(CASES["monthly-odd-days"], [date(2025, 4, 1)], UnitPeriod("month"))
    dated(CASES["semimonthly-20"], [date(2025, 3, 1)], UnitPeriod("half_month"))


def test_one_payment_within_a_year():
    """
    "One advance, one payment under a year: w = 365/days".
    """
    case = CASES["single-7-days"]
    rate = regular(1000_00, [1050_00], Fraction(1), Fraction(365, case["inputs"]["days"]))
    check_rate(rate, case["expected"])


IRREGULAR = {
    "weekly-two-skipped-balloon": (
        10_000_00,
        {**dict.fromkeys((*range(1, 5), *range(7, 16)), 80000), 16: 2_600_00},
        52,
    ),
    "monthly-minimum": (
        9_000_00,
        {day: 40_00 + (300_00 if day % 30 == 0 else 0) for day in range(1, 241)},
        365,
    ),
    "periodic-platform-fee": (
        10_000_00,
        {day: 90_00 + (25_00 if day % 30 == 0 else 0) for day in range(1, 151)},
        365,
    ),
}


@for_every("name", IRREGULAR)
def test_a_rate_of_irregular_payments(name):
    """
    Weeks without a payment, a monthly minimum and a fee that is a condition count on their days.
    """
    advance, payments, per_year = IRREGULAR[name]
    expected = CASES[name]["expected"]
    rate = AnnualRate({AT_ONCE: {0: advance}}, {AT_ONCE: payments}, Fraction(per_year))
    check_rate(rate, expected)
    if "total_of_payments" in expected:
        assert sum(payments.values()) == cents(expected["total_of_payments"])


def test_a_lump_sum_may_be_replaced():
    """
    "A lump sum may be replaced by the average past payment."
    """
    expected = CASES["retrospective-lump-sum"]["expected"]
    paid = dict.fromkeys(range(1, 61), 150_00)
    advanced = {AT_ONCE: {0: 20_000_00}}
    early = AnnualRate(advanced, {AT_ONCE: {**paid, 61: 17_000_00}}, Fraction(365))
    assert str(early.percent(2)) == expected["with_lump_sum"]
    assert same_digits(early, expected["apr_percent_with"])
    rest = project(
        total=26_000_00, payment=150_00, consummation=date(2025, 1, 1), frequency="daily"
    )
    assert (
        str(rest.annual_rate(20_000_00).percent(2))
        == expected["lump_sum_ignored_average_continued"]
    )
    assert same_digits(rest.annual_rate(20_000_00), expected["apr_percent_ignored"])


def test_a_week_without_a_payment_counts():
    """
    The days that are given count: a skipped week, and not only the number of payments.
    """
    start = date(2025, 5, 1)
    weeks = [*range(1, 5), *range(7, 17)]
    days = (start + timedelta(weeks=week) for week in weeks)
    projected = project(
        total=11_200_00, payment=800_00, consummation=start, frequency="weekly", days=days
    )
    times = dict.fromkeys(weeks, 800_00)
    skipped = AnnualRate({AT_ONCE: {0: 10_000_00}}, {AT_ONCE: times}, Fraction(52))
    assert projected.annual_rate(10_000_00).percent(9) == skipped.percent(9)


NO_DAYS = {
    "too few": [date(2025, 5, 2)],
    "not one after another": [date(2025, 5, 3), date(2025, 5, 2)],
    "one before consummation": [date(2025, 5, 1), date(2025, 5, 2)],
}


@for_every("name", NO_DAYS)
def test_days_on_which_nobody_can_pay(name):
    """
    "Payments sum to TP", each on a day after the one before.
    """
    of = {"total": 200, "payment": 100, "consummation": date(2025, 5, 1), "frequency": "daily"}
    with pytest.raises(InvalidValue, match="days"):
        project(**of, days=iter(NO_DAYS[name]))


# -- whole offers


@for_every("name", of(having=["split_percent", "purchase_price"]))
def test_an_offer(name):
    """
    "AF = F - w - s", "RF = F - w - X - B", "FC = (R - F) + w + s + L", "TP = R + L", K1 to K10.
    """
    inputs, expected = CASES[name]["inputs"], CASES[name]["expected"]
    financing = Financing(
        purchase_price=cents(inputs["purchase_price"]),
        purchased_amount=cents(inputs["purchased_amount"]),
        withheld=cents(inputs["finance_charge_fees_withheld"]),
        paid_separately=cents(inputs["finance_charge_fees_paid_separately"]),
        third_parties=sum(map(cents, inputs["third_party_non_finance_amounts"])),
        payoffs=sum(map(cents, [inputs["payoff_own_account"], *inputs["payoff_others"]])),
    )
    start = date.fromisoformat(inputs["consummation_date"])
    frequency = inputs["calendar"]
    payment = payment_of(
        cents(inputs["projected_monthly_takings"]),
        Fraction(inputs["split_percent"]) / 100,
        frequency,
    )
    holidays = frozenset(map(date.fromisoformat, inputs.get("holidays", ())))
    projected = project(
        total=financing.total_payments,
        payment=payment,
        consummation=start,
        frequency=frequency,
        days=payment_days(start, frequency, holidays=holidays),
    )
    total, number = financing.total_payments, len(projected.payments)

    found = {
        "amount_financed": financing.amount_financed,
        "recipient_funds": financing.recipient_funds,
        "finance_charge": financing.finance_charge,
        "estimated_total_payment_amount": total,
        "projected_payment": payment,
        "estimated_payment_row_average": divide(total, number, "half_up"),
        "last_payment": projected.payments[-1].amount,
        "estimated_monthly_cost": monthly_cost(total, projected.term_days),
        "maximum_non_interest_finance_charge_no_discount": financing.finance_charge,
    }
    if expected["estimated_monthly_cost"] is None:
        assert frequency == "monthly"
        del found["estimated_monthly_cost"]
    assert found == {name: cents(expected[name]) for name in found}
    assert expected["frequency"] == frequency in UNIT_PERIODS
    assert number == expected["number_of_payments"]
    end = projected.payments[-1].day
    assert end.isoformat() == expected["last_payment_date"]
    assert projected.term_days == expected["term_days"]
    assert term_in_words(start, end) == expected["term_text"]
    more = financing.amount_financed > financing.recipient_funds
    assert more == expected["itemization_required"]
    check_rate(projected.annual_rate(financing.amount_financed), expected)
    if "existing" in inputs:
        old = inputs["existing"]
        used = double_dipping(
            finance_charge=cents(old["finance_charge"]),
            total_repayment=cents(old["purchased_amount"]),
            used_for_payoff=cents(old["balance"]),
            forgiven=cents(old["forgiven"]),
        )
        assert used == cents(expected["double_dipping"])
        assert financing.payoffs == cents(expected["disbursement_reduced_by"])


def test_a_charge_that_comes_later():
    """
    "L other finance charges later": they are in the finance charge and the total, and not withheld.
    """
    inputs, expected = (CASES["periodic-platform-fee"][part] for part in ("inputs", "expected"))
    financing = Financing(
        purchase_price=cents(inputs["purchase_price"]),
        purchased_amount=cents(inputs["purchased_amount"]),
        later_charges=125_00,
    )
    for name in ("amount_financed", "finance_charge"):
        assert getattr(financing, name) == cents(expected[name])
    assert financing.total_payments == cents(expected["total_of_payments"])


@for_every("name", [name for name, case in CASES.items() if "lines" in case["inputs"]])
def test_an_itemization(name):
    """
    "Amount Financed (sum minus prepaid)"; California lists a broker's fee that is withheld, and the
    one of New York is paid separately.
    """
    inputs, expected = CASES[name]["inputs"], CASES[name]["expected"]
    lines = {what: cents(amount) for what, amount in inputs["lines"]}
    (prepaid,) = (cents(amount) for _, amount in inputs["prepaid_finance_charges"])
    withheld = sum(amount for what, amount in lines.items() if what.startswith("Brokerage"))
    payoffs = lines["Amount Paid on your Account with Us (#XXXXX)"]
    direct = lines["Amount Given Directly to You"]
    provided = sum(lines.values())
    financing = Financing(
        purchase_price=provided,
        purchased_amount=2 * provided,
        withheld=withheld,
        paid_separately=prepaid - withheld,
        third_parties=provided - direct - payoffs - withheld,
        payoffs=payoffs,
    )
    assert provided == cents(expected["amount_provided_to_you_or_on_your_behalf"])
    assert financing.amount_financed == cents(expected["amount_financed"])
    assert financing.recipient_funds == cents(expected["recipient_funds"])
    more = financing.amount_financed > financing.recipient_funds
    assert more == expected["itemization_required"]


def test_a_payoff_above_the_proceeds_is_refused():
    """
    "RF = F - w - X - B; refuse if negative."
    """
    inputs = CASES["refuse-payoff-over-proceeds"]["inputs"]
    with pytest.raises(InvalidValue, match="less than nothing"):
        Financing(
            purchase_price=cents(inputs["purchase_price"]),
            purchased_amount=30_000_00,
            withheld=cents(inputs["finance_charge_fees_withheld"]),
            payoffs=cents(inputs["payoff_own_account"]),
        )


def test_a_fee_that_is_no_finance_charge_is_not_withheld():
    """
    "disbursement = F - withheld finance charges; total repayment = disbursement + FC."
    """
    inputs, expected = (CASES["va-nonfinance-fee-trap"][part] for part in ("inputs", "expected"))
    right = Financing(
        purchase_price=cents(inputs["total_amount"]),
        purchased_amount=cents(inputs["purchased_amount"]),
        withheld=cents(inputs["finance_charge_fee_withheld"]),
        third_parties=cents(inputs["ucc_filing_fee_withheld_not_finance_charge"]),
    )
    recommended = expected["recommended_ucc_fee_as_paid_on_recipients_behalf"]
    assert right.disbursement == cents(recommended["disbursement_amount"])
    repaid = right.disbursement + right.finance_charge
    assert repaid == cents(recommended["total_repayment_amount"]) == right.total_payments


@for_every("name", ["ct-renewal", "tx-renewal-other-provider"])
def test_a_disbursement_and_its_reduction(name):
    """
    Payoffs are shown as a reduction of the disbursement, and are not subtracted from it.
    """
    inputs, expected = CASES[name]["inputs"], CASES[name]["expected"]
    old = inputs.get("existing") or inputs["required_payoff"]
    financing = Financing(
        purchase_price=cents(inputs["total_amount"]),
        purchased_amount=cents(inputs["purchased_amount"]),
        withheld=cents(inputs["finance_charges_withheld"]),
        payoffs=cents(old.get("payoff") or old["amount"]),
    )
    assert financing.disbursement == cents(expected["disbursement_amount"])
    assert financing.finance_charge == cents(expected["finance_charge"])
    total = financing.disbursement + financing.finance_charge
    assert total == cents(expected["total_repayment_amount"])
    reduced = (
        expected.get("disbursement_reduced_by")
        or expected["reduction_in_disbursement_to_pay_outstanding_balance"]
    )
    assert financing.payoffs == cents(reduced)
    if "existing" in inputs:
        unpaid = double_dipping(
            finance_charge=cents(old["finance_charge"]),
            total_repayment=cents(old["total_repayment"]),
            used_for_payoff=cents(old["payoff"]),
            forgiven=cents(old["forgiven"]),
        )
        assert unpaid == cents(expected["prepayment_charges_payable_to_provider"])


@for_every("name", of("dd-"))
def test_double_dipping(name):
    """
    "DD = max(0, FC0 x U / R0 - G)".
    """
    inputs, expected = CASES[name]["inputs"], CASES[name]["expected"]
    unpaid = double_dipping(
        finance_charge=cents(inputs["original_finance_charge"]),
        total_repayment=cents(inputs["original_total_repayment"]),
        used_for_payoff=cents(inputs["renewal_amount_used_for_payoff"]),
        forgiven=cents(inputs["forgiven"]),
    )
    assert unpaid == cents(expected["amount"])


# -- words and months


@for_every("name", of("term-"))
def test_a_term_in_words(name):
    """
    "up to one calendar year shown in days, longer in years and months, 2 decimals".
    """
    inputs, expected = CASES[name]["inputs"], CASES[name]["expected"]
    start, end = (
        date.fromisoformat(inputs[part]) for part in ("consummation_date", "last_payment_date")
    )
    assert (end - start).days == expected["days"]
    assert term_in_words(start, end) == expected["text"]


@for_every("name", of("monthly-cost"))
def test_a_monthly_cost(name):
    """
    "Monthly cost = TP x 30.4 / days (900(a)(12)); exceeds TP under 30.4 days."
    """
    inputs, expected = CASES[name]["inputs"], CASES[name]["expected"]
    found = monthly_cost(cents(inputs["total"]), inputs["term_days"])
    assert found == cents(expected["estimated_monthly_cost"])


# -- estimates


@for_every("name", of("hist-"))
def test_takings_from_history(name):
    """
    "mean monthly takings through the channel": fixed months, fewer of a younger merchant.
    """
    inputs, expected = CASES[name]["inputs"], CASES[name]["expected"]
    months = [cents(taken) for taken in inputs["oldest_first"]]
    left_out = ()
    if "excluded" in inputs:
        left_out = [months.index(cents(inputs["excluded"].split()[0]))]
    fixed = inputs["fixed_months"]
    if "not_required_or_received" in inputs:
        months = months[-fixed:][inputs["not_required_or_received"] :]
    highest = inputs.get("variant") == "highest"
    mean = mean_takings(months, fixed, left_out=left_out, highest=highest)
    assert mean == 100 * Fraction(expected["exact"])
    assert divide(mean.numerator, mean.denominator, "half_up") == cents(expected["projection"])


@for_every("name", of("audit-median"))
def test_an_audit(name):
    """
    "Spread = 100 (retrospective - disclosed)/disclosed, signed; median per audit".
    """
    inputs, expected = CASES[name]["inputs"], CASES[name]["expected"]
    rates = [
        (Fraction(stated), Fraction(came)) for stated, came in inputs["disclosed_and_retrospective"]
    ]
    spreads = [Fraction(each) for each in expected["apr_spreads_percent"]]
    assert [spread(*pair) for pair in rates] == spreads
    assert audit(rates) == Audit(Fraction(expected["audited_apr_spread_percent"]), len(rates))


@for_every("name", of(having=["audits_oldest_first_spread_and_count"]))
def test_audits_that_bar(name):
    """
    "mean of medians weighted by deals over the last 3, 5, 7 audits. Over 15, 10, 5: barred".
    """
    inputs, expected = CASES[name]["inputs"], CASES[name]["expected"]
    audits = [
        Audit(Fraction(by), deals) for by, deals in inputs["audits_oldest_first_spread_and_count"]
    ]
    for number, limit in LIMITS_OF_AUDITS:
        if len(audits) >= number:
            mean = mean_spread(audits[-number:])
            shown = divide(mean.numerator * 10**6, mean.denominator, "half_up")
            assert shown == int(Decimal(expected[f"last_{number}"]) * 10**6)
            assert (mean > limit) == expected[f"last_{number}_over_limit"]
    assert is_barred(audits) == expected["barred_24_months_unless_history_would_be_higher"]
    assert may_audit_yearly(audits) == expected["california_may_audit_yearly"]


def test_a_tolerance_of_an_eighth():
    """
    A rate is accurate within 1/8 of a point on either side.
    """
    inputs, expected = (CASES["regz-comment-14a2"][part] for part in ("inputs", "expected"))
    exact = Fraction(inputs["exact_percent"])
    stated = [Fraction(each) for each in inputs["stated_percent"]]
    assert [is_within_points(exact, each) for each in stated] == expected["accurate"]


@for_every("name", of("tol-"))
def test_a_tolerance(name):
    """
    California's tolerance is for rates below, New York's for both sides, read as absolute.
    """
    inputs, expected = CASES[name]["inputs"], CASES[name]["expected"]
    found = is_accurate(
        Fraction(inputs["determined"]),
        Fraction(inputs["disclosed"]),
        irregular=inputs["irregular"],
        both_sides=inputs["jurisdiction"] == "NY",
    )
    assert found == expected.get("accurate", expected.get("accurate_recommended"))


def test_a_yearly_report():
    """
    The mean of what came less what was estimated, by deals and by amounts.
    """
    inputs, expected = (CASES["ny-annual-report"][part] for part in ("inputs", "expected"))
    rates = [
        (cents(amount), Fraction(stated), Fraction(came))
        for amount, stated, came in inputs["financing_amount_estimated_actual"]
    ]
    for weighted, name in ((False, "unweighted"), (True, "weighted")):
        found = mean_difference(rates, weighted=weighted)
        assert found == Fraction(expected[f"mean_difference_{name}"])


# -- where a law applies


@for_every("name", of("scope-"))
def test_where_a_law_applies(name):
    """
    A disclosure is due by the amount and the day that the law of each state names.
    """
    inputs, expected = CASES[name]["inputs"], CASES[name]["expected"]
    day = date.fromisoformat(inputs.get("date") or inputs["consummated"])
    price = cents(inputs.get("purchase_price") or inputs["total_amount"])
    financing = Financing(
        purchase_price=price,
        purchased_amount=price,
        withheld=cents(inputs.get("prepaid_finance_charge", "0")),
    )
    if "amount_compared" in expected:
        assert financing.amount_financed == cents(expected["amount_compared"])
    regime = regime_on(JURISDICTIONS[f"US-{inputs['state']}"].disclosures, day)
    if regime is None:
        assert not expected["disclosure_due"]
        return
    given = {"purchase_price": price, "amount_financed": financing.amount_financed}
    money = regime.catalogue.fact("purchase_price").type
    facts = regime.catalogue.prepare({key: money.plain(value) for key, value in given.items()})
    assert (not regime.not_due_by(facts)) == expected["disclosure_due"]
    assert expected.get("enforced_from", "") in regime.law


# -- wrong readings


def _in_a_row(projected, amount_financed):
    """The rate of payments that are counted as if they fell on consecutive days."""
    times = {at: payment.amount for at, payment in enumerate(projected.payments, 1)}
    return AnnualRate({AT_ONCE: {0: amount_financed}}, {AT_ONCE: times}, Fraction(365))


def _paid_part(*, finance_charge, total_repayment, used_for_payoff, forgiven=0):
    paid = total_repayment - used_for_payoff
    exact = Fraction(finance_charge * paid, total_repayment) - forgiven
    return divide(exact.numerator, exact.denominator, "half_up")


# A class or this module, a name in it, what is wrongly read there, and a test that notices it.
WRONG = {
    "252 days a year": (
        UnitPeriod,
        "per_year",
        property(lambda _: Fraction(252)),
        test_a_rate_of_equal_payments,
    ),
    "payments on consecutive days": (
        ProjectedPayments,
        "annual_rate",
        _in_a_row,
        test_a_rate_of_equal_payments,
    ),
    "payoffs are not financed": (
        Financing,
        "amount_financed",
        property(lambda financing: financing.recipient_funds),
        test_an_offer,
    ),
    "payoffs are subtracted from the disbursement": (
        Financing,
        "disbursement",
        property(lambda financing: financing.recipient_funds),
        test_a_disbursement_and_its_reduction,
    ),
    "a fee that is withheld is no charge": (
        Financing,
        "finance_charge",
        property(lambda financing: financing.purchased_amount - financing.purchase_price),
        test_an_offer,
    ),
    "the paid part as double dipping": (
        sys.modules[__name__],
        "double_dipping",
        _paid_part,
        test_double_dipping,
    ),
}


@pytest.mark.parametrize("reading", WRONG)
def test_a_wrong_reading_is_noticed(reading, monkeypatch):
    """
    "The wrong readings of the note are planted and caught."
    """
    scope, name, wrong, test = WRONG[reading]
    monkeypatch.setattr(scope, name, wrong)
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        test()
