"""The task of the benchmarks: ten renewal rules on twelve facts of a deal.

The result is the codes of the failing rules. The rules are here twice, in the language and in
Python; the function in Python defines the right result, and does not handle unknown facts.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from attrs import frozen

from holdback.exact.money import Currency
from holdback.jurisdictions.reader import read_jurisdiction
from holdback.rules import Catalogue, Fact, Kind, Type

GBP = Currency.of("GBP")
PERCENT, MONEY = Type(Kind.PERCENT), Type(Kind.MONEY, GBP)
COUNT, DAYS, FLAG = Type(Kind.COUNT), Type(Kind.DAYS), Type(Kind.FLAG)
STATUS = Type(Kind.TEXT, options=("Funded", "Repaid", "Renewed", "Defaulted", "Cancelled"))

CATALOGUE = Catalogue(
    currency=GBP,
    facts=(
        Fact(name="progress", type=PERCENT, low=0, high=100_0000, rounded_down=True),
        Fact(name="performance", type=PERCENT, low=0, high=10_000_0000, rounded_down=True),
        Fact(name="balance", type=MONEY, low=0, high=10**12),
        Fact(name="status", type=STATUS, low=0, high=4),
        Fact(name="days_since_funding", type=DAYS, low=0, high=36_600),
        Fact(name="days_since_last_remittance", type=DAYS, low=0, high=36_600),
        Fact(name="missed_remittances_30d", type=COUNT, low=0, high=30),
        Fact(name="deals_completed", type=COUNT, low=0, high=10_000),
        Fact(name="deals_defaulted", type=COUNT, low=0, high=10_000),
        Fact(name="average_monthly_takings", type=MONEY, low=0, high=10**12),
        Fact(name="takings_trend", type=PERCENT, low=0, high=10_000_0000, rounded_down=True),
        Fact(name="identity_verified", type=FLAG, low=0, high=1),
    ),
)
RULES = {
    "GB-R-01": "progress >= 50%",
    "GB-R-02": "performance >= 80%",
    "GB-R-03": 'status == "Funded"',
    "GB-R-04": "days_since_funding >= 30 days",
    "GB-R-05": "days_since_last_remittance <= 10 days",
    "GB-R-06": "missed_remittances_30d <= 3",
    "GB-R-07": "deals_defaulted == 0",
    "GB-R-08": "average_monthly_takings >= GBP 2500.00",
    "GB-R-09": "takings_trend >= 85% or deals_completed >= 2 and balance < GBP 5000.00",
    "GB-R-10": "identity_verified",
}
CODES = tuple(RULES)


def codes_by_mask():
    """Return the codes of every mask that ten rules can give."""
    return [
        tuple(code for bit, code in enumerate(CODES) if mask >> bit & 1)
        for mask in range(1 << len(CODES))
    ]


@frozen
class Deal:
    """A deal as a careful programmer would declare it."""

    progress: Decimal
    performance: Decimal
    balance: Decimal
    status: str
    days_since_funding: int
    days_since_last_remittance: int
    missed_remittances_30d: int
    deals_completed: int
    deals_defaulted: int
    average_monthly_takings: Decimal
    takings_trend: Decimal
    identity_verified: bool


def by_hand(facts):
    """The rules by hand, on prepared facts that are all known."""
    (
        progress,
        performance,
        balance,
        status,
        days_since_funding,
        days_since_last_remittance,
        missed_remittances_30d,
        deals_completed,
        deals_defaulted,
        average_monthly_takings,
        takings_trend,
        identity_verified,
    ) = facts
    failing = []
    if progress < 500000:
        failing.append("GB-R-01")
    if performance < 800000:
        failing.append("GB-R-02")
    if status != 0:
        failing.append("GB-R-03")
    if days_since_funding < 30:
        failing.append("GB-R-04")
    if days_since_last_remittance > 10:
        failing.append("GB-R-05")
    if missed_remittances_30d > 3:
        failing.append("GB-R-06")
    if deals_defaulted != 0:
        failing.append("GB-R-07")
    if average_monthly_takings < 250000:
        failing.append("GB-R-08")
    if takings_trend < 850000 and not (deals_completed >= 2 and balance < 500000):
        failing.append("GB-R-09")
    if not identity_verified:
        failing.append("GB-R-10")
    return tuple(failing)


HALF, ON_PACE, STEADY = Decimal(50), Decimal(80), Decimal(85)
LEAST_TAKINGS, SMALL_BALANCE = Decimal(2500), Decimal(5000)


def by_hand_on_decimals(deal):
    """The rules by hand, on an attrs object with Decimals."""
    failing = []
    if deal.progress < HALF:
        failing.append("GB-R-01")
    if deal.performance < ON_PACE:
        failing.append("GB-R-02")
    if deal.status != "Funded":
        failing.append("GB-R-03")
    if deal.days_since_funding < 30:
        failing.append("GB-R-04")
    if deal.days_since_last_remittance > 10:
        failing.append("GB-R-05")
    if deal.missed_remittances_30d > 3:
        failing.append("GB-R-06")
    if deal.deals_defaulted != 0:
        failing.append("GB-R-07")
    if deal.average_monthly_takings < LEAST_TAKINGS:
        failing.append("GB-R-08")
    if deal.takings_trend < STEADY and not (
        deal.deals_completed >= 2 and deal.balance < SMALL_BALANCE
    ):
        failing.append("GB-R-09")
    if not deal.identity_verified:
        failing.append("GB-R-10")
    return tuple(failing)


def random_deals(random, count):
    """Yield *count* deals as dicts of plain values; each rule fails now and then."""
    for _ in range(count):
        yield {
            "progress": Decimal(random.randrange(45_0000, 100_0001)).scaleb(-4),
            "performance": Decimal(random.randrange(70_0000, 120_0000)).scaleb(-4),
            "balance": Decimal(random.randrange(2_000_000)).scaleb(-2),
            "status": "Funded" if random.random() < 0.95 else "Repaid",
            "days_since_funding": random.randrange(20, 300),
            "days_since_last_remittance": random.randrange(12),
            "missed_remittances_30d": random.randrange(5),
            "deals_completed": random.randrange(4),
            "deals_defaulted": int(random.random() < 0.05),
            "average_monthly_takings": Decimal(random.randrange(200_000, 2_000_000)).scaleb(-2),
            "takings_trend": Decimal(random.randrange(80_0000, 130_0000)).scaleb(-4),
            "identity_verified": random.random() < 0.95,
        }


# Percentages that a rule compares with, and how far a trap is from them: by what a six-decimal
# tolerance does not see, and by what a float cannot hold.
THRESHOLDS = {"progress": HALF, "performance": ON_PACE, "takings_trend": STEADY}
NEAR = (Decimal("1E-7"), Decimal("1E-17"))


def trap_deals(random, count):
    """Yield *count* deals with a percentage next to a threshold, such as 49.99999999999999999."""
    for deal in random_deals(random, count):
        name, threshold = random.choice(list(THRESHOLDS.items()))
        deal[name] = threshold + random.choice((-1, 1)) * random.choice(NEAR)
        yield deal


def with_floats(deal):
    """Return *deal* with floats for Decimals, for peers that do not take Decimals."""
    return {
        name: float(value) if isinstance(value, Decimal) else value for name, value in deal.items()
    }


# -- the same rules as a jurisdiction, for what needs a whole rulebook

JURISDICTION = """\
format = 1
code = "GB"
name = "Ten rules"
currency = "GBP"
rounding = "half_up"
timezone = "Europe/London"
owner = "benchmarks"
review_by = 2027-06-30
automated_decisioning = false
offers_valid_hours = [{ from = 2025-01-01, value = 720, source = "made up" }]
recently_active_days = [{ from = 2025-01-01, value = 90, source = "made up" }]
"""

RULE = """
[[rules]]
id = "rule-{number}"
code = "{code}"
require = '{require}'
reason = "Asked for: rule {number}."
source = "made up"
from = 2025-01-01
"""

PRODUCTS = """\
format = 1

[[products]]
key = "flex"
name = "Cash advance"
description = "Repaid from takings."
repayment_mechanism = "terminal_split"
from = 2025-01-01
amounts = ["100%"]
limits = { calculator = "fixed", minimum = "GBP 500", maximum = "GBP 2000" }
split_percentage = { calculator = "chosen", choices = ["10%"] }
factor_rate = { calculator = "flat", rate = "1.2" }
term = { calculator = "fixed", months = 6 }
"""


def rulebook():
    """Return a rulebook of the ten rules, in their order."""
    rules = [
        RULE.format(number=number, code=code, require=require)
        for number, (code, require) in enumerate(RULES.items(), 1)
    ]
    files = {
        "jurisdiction.toml": JURISDICTION,
        "renewal.toml": "format = 1\n" + "".join(rules),
        "products.toml": PRODUCTS,
    }
    contents = {name: text.encode() for name, text in files.items()}
    return read_jurisdiction("GB", contents).rulebook(date(2026, 1, 1))
