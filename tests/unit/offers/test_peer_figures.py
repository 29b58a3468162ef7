"""
What peers publish about terms, costs and early settlement, next to what holdback gives.

Their figures are theirs: a comment names the repository, the path and the scenario, or the page.
Where ours differ, the row has both, and `docs/explanation/peers.md` says why. Currencies play no
part in the comparison, so all amounts are in GBP.
"""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor
from pathlib import Path

from test_registry import GB, engine

from every_case import for_every
from holdback import Money
from holdback.exact.money import Currency
from holdback.offers.calculator import SettlementCase
from holdback.offers.shipped_calculators import BandsOfTerm, PercentageOfCost, SettlementBand
from journey import EVIDENCE, Journey

GBP = Currency.of("GBP")
ROOT = Path(__file__).parents[3]

# Apache Fineract, working-capital loans: github.com/apache/fineract. A FEATURE is a scenario in
# fineract-e2e-tests-runner/src/test/resources/features/, by the number behind `@TestRailId:C`:
#   72349, 98194    WorkingCapitalAmortizationSchedule.feature, at 00f9a457
FEATURE = "Fineract C{}".format
# Takings of 100,000 in a year of 360 days: `totalPaymentVolume` and `npvDayCount` of all of these.
VOLUME = Fraction(100_000, 360)


def pounds(amount):
    """An *amount* of pounds, as text or as a whole number."""
    return Money.of(Decimal(amount), GBP)


def priced(funded, rate, split, takings):
    """The offer of GB with this amount, factor rate, split and average takings a day."""
    # The fact is rounded down to a minor unit, as `average_monthly_takings` of a merchant is.
    monthly = Decimal(floor(takings * 100 * 365 / 12)) / 100
    limits = f'minimum = "GBP {funded}", maximum = "GBP {funded}"'
    products = GB["products.toml"]
    for setting, chosen in {
        "amounts": '["100%"]',
        "limits": f'{{ calculator = "fixed", {limits} }}',
        "factor_rate": f'{{ calculator = "flat", rate = "{rate}" }}',
        "split_percentage": f'{{ calculator = "chosen", choices = ["{split}%"] }}',
        "term": '{ calculator = "takings_pace" }',
    }.items():
        products = re.sub(rf"(?m)^{setting} = .*$", f"{setting} = {chosen}", products, count=1)
    journey = Journey(engine(GB["products.toml"], products))
    journey.ask(evidence=EVIDENCE | {"average_monthly_takings": str(monthly)})
    return journey.first_offer()


# The amount, the factor rate, the split, the takings a day; their total and their days; our days.
# A peer that states a fee has the factor rate that gives its total, to six decimals.
SHARES_OF_TAKINGS = [
    (FEATURE(72349), "9000", "1.111111", "18", VOLUME, "10000", 200, 201),
    (FEATURE(98194), "9000", "1.111111", "17", VOLUME, "10000", 212, 212),
    # fineract-working-capital-loan/src/test/java/org/apache/fineract/portfolio/workingcapitalloan/
    # calc/ProjectedAmortizationScheduleCalculatorTest.java, at 00cc394d:
    # testAddDisbursement_term10_discountFee50_netDisbursement450_then430
    ("Fineract, 450 and 50", "450", "1.111111", "18", VOLUME, "500", 10, 11),
    ("Fineract, 430 and 50", "430", "1.116279", "18", VOLUME, "480", 10, 10),
    # finhelp.io/glossary/how-merchant-cash-advance-repayment-schedules-are-calculated, "Example:
    # Putting numbers together", 1
    ("FinHelp, 1,000 a day", "50000", "1.3", "10", Fraction(1_000), "65000", 650, 651),
    ("FinHelp, 2,000 a day", "50000", "1.3", "10", Fraction(2_000), "65000", 325, 326),
]


@for_every(
    ("source", "funded", "rate", "split", "takings", "total", "days", "ours"), SHARES_OF_TAKINGS
)
def test_days_in_which_a_share_of_takings_repays(
    source, funded, rate, split, takings, total, days, ours
):
    """
    The total and the days are theirs; a whole number of days is one more, because the monthly
    takings are rounded down.
    """
    offer = priced(funded, rate, split, takings)
    exact = Fraction(total) / (takings * int(split) / 100)

    assert ceil(exact) == days, "their definition is ours, in exact numbers"
    assert offer.repayment_amount == pounds(total)
    assert offer.term_days == ours
    assert ours - days == (exact == days)


def test_a_year_of_365_days():
    """
    C72349 with its takings read as those of 365 days: the deal would take 203 days.
    """
    assert priced("9000", "1.111111", "18", Fraction(100_000, 365)).term_days == 203


# The amount, the factor rate and their total, of peers that do not state the takings.
TOTALS = [
    # The page squareup.com/help/us/en/article/5978, under "Repayment fee breakdown".
    ("Square", "10000", "1.12", "11", "11200"),
    # clearftservices.com/2022/01/am-i-eligible-for-a-shopify-capital-loan-11, a copy of Shopify's
    # help page: "$5,000 with a borrowing cost of $650"
    ("Shopify", "5000", "1.13", "10", "5650"),
    # paypal.com/au/smarthelp/article/where-will-i-find-my-minimum-repayment-requirement-faq3720
    ("PayPal", "9500", "1.052632", "10", "10000"),
    # fundnode.co/tools/mca-payoff-savings-calculator, "Why MCAs don't reduce when you pay early"
    ("Fundnode", "50000", "1.32", "10", "66000"),
]


@for_every(("source", "funded", "rate", "split", "total"), TOTALS)
def test_total_of_a_fee_or_a_factor(source, funded, rate, split, total):
    """
    A fixed fee is a factor rate: the total is theirs to the minor unit, with six decimals.
    """
    assert priced(funded, rate, split, Fraction(1_000)).repayment_amount == pounds(total)


def repaid_early(calculator, funded, total, balance, *, elapsed=0, term=200):
    """The discount of *calculator* for a deal with this *balance*."""
    case = SettlementCase(
        balance=pounds(balance),
        repayment_amount=pounds(total),
        funded_amount=pounds(funded),
        elapsed_days=elapsed,
        term_days=term,
        currency=GBP,
        rounding="half_even",
    )
    return calculator(case)


def test_a_discount_of_the_fee_that_is_left():
    """
    A quarter off the remaining fee, in their whole dollars: 36,667 less 2,222 is 34,444.

    fundnode.co/tools/mca-payoff-savings-calculator, "with 25% fee discount": 50,000 for 66,000.
    """
    # Theirs is shown as 36,667: five ninths of 66,000.
    balance = pounds("36666.67")
    quarter = PercentageOfCost(percentage=Decimal(25))
    discount = repaid_early(quarter, "50000", "66000", balance.amount)

    assert (discount, balance - discount) == (pounds("2222.22"), pounds("34444.45"))
    assert [round(money.amount) for money in (balance, discount, balance - discount)] == [
        36_667,
        2_222,
        34_444,
    ]


@for_every(
    ("of_balance", "of_cost", "payoff"), [("20", "82.5", "64000"), ("15", "61.875", "68000")]
)
def test_a_discount_of_the_balance(of_balance, of_cost, payoff):
    """
    Theirs is a share of the balance, ours of the cost in it; one gives the other.

    fundnode.co/glossary/mca-prepayment-credit, "The math": 80,000 is left of 132,000 for 100,000,
    and with 15% to 20% off the payoff is 64,000 to 68,000.
    """
    factor = Fraction(132_000, 100_000)
    share = PercentageOfCost(percentage=Decimal(of_cost))

    assert Fraction(of_cost) == Fraction(of_balance) * factor / (factor - 1)
    assert pounds(80_000) - repaid_early(share, "100000", "132000", "80000") == pounds(payoff)


@for_every(("day", "percentage"), [(0, 30), (30, 30), (31, 20), (60, 20), (61, 0)])
def test_a_discount_by_days(day, percentage):
    """
    Theirs is by days since the funding, ours by the elapsed part of the term, of 200 days here.

    libertycapitalgroup.com/mca-early-repayment-discounts-vs-prepayment-penalties, the first
    paragraph: "30% if you pay within 30 days" or "20% within 60", of the uncollected factor amount.
    """
    bands = BandsOfTerm(
        bands=(
            SettlementBand(Decimal("15.5"), Decimal(30)),
            SettlementBand(Decimal("30.5"), Decimal(20)),
            SettlementBand(None, Decimal(0)),
        )
    )

    discount = repaid_early(bands, "9000", "10000", "5000", elapsed=day, term=200)
    assert discount == Money(500_00 * percentage // 100, GBP)


def test_the_page_has_every_source():
    """
    The scenarios and the pages that the tests cite are the sources of `docs/explanation/peers.md`.
    """
    page = (ROOT / "docs" / "explanation" / "peers.md").read_text(encoding="utf-8")
    tests = (Path(__file__), ROOT / "tests" / "unit" / "lifecycle" / "test_peer_deals.py")
    here = "".join(test.read_text(encoding="utf-8") for test in tests)
    scenarios = set(re.findall(r"FEATURE\((\d+)\)", here))
    pages = set(re.findall(r"\b(?:\w+\.)+(?:com|io|co)/[\w/.-]*\w", here))
    files = set(re.findall(r"\b[\w-]+\.(?:feature|adoc|java)\b", here))

    assert len(scenarios) > 5
    assert len(pages) > 5
    assert len(files) > 4
    assert not {number for number in scenarios if number not in page}
    assert not {part for part in pages | files if part not in page}
