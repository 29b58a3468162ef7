"""A small catalogue of facts and parameters for the tests of the rule language.

It has facts of every kind, some with a range below zero, so that rules can use all of the
language. A change of the shipped catalogue cannot break a test that uses this one.
"""

from __future__ import annotations

from datetime import date

from holdback.exact.money import Currency
from holdback.rules import Catalogue, Fact, Kind, Parameter, Type, check, parse

GBP = Currency.of("GBP")
FLAG, COUNT, DAYS, DATE = Type(Kind.FLAG), Type(Kind.COUNT), Type(Kind.DAYS), Type(Kind.DATE)
PERCENT, RATIO, MONEY = Type(Kind.PERCENT), Type(Kind.RATIO), Type(Kind.MONEY, GBP)
STATUS = Type(Kind.TEXT, options=("Funded", "Repaid", "Renewed", "Defaulted", "Cancelled"))
GRADE = Type(Kind.TEXT, options=("A", "B", "C"))

FACTS = (
    Fact(name="progress", type=PERCENT, low=0, high=100_0000, rounded_down=True),
    Fact(name="performance", type=PERCENT, low=0, high=1000_0000, rounded_down=True),
    Fact(name="split", type=PERCENT, low=0, high=100_0000),
    Fact(name="growth", type=PERCENT, low=-100_0000, high=400_0000),
    Fact(name="factor_rate", type=RATIO, low=1_000000, high=2_000000),
    Fact(name="earlier_rate", type=RATIO, low=0, high=3_000000),
    Fact(name="balance", type=MONEY, low=0, high=10**12),
    Fact(name="takings", type=MONEY, low=0, high=10**12),
    Fact(name="profit", type=MONEY, low=-(10**9), high=10**9),
    Fact(name="missed", type=COUNT, low=0, high=30),
    Fact(name="completed", type=COUNT, low=0, high=10_000),
    Fact(name="age", type=DAYS, low=0, high=36_600),
    Fact(name="slack", type=DAYS, low=-400, high=400),
    Fact(name="checked_on", type=DATE, low=700_000, high=800_000),
    Fact(name="opened_on", type=DATE, low=700_000, high=800_000),
    Fact(name="status", type=STATUS, low=0, high=4),
    Fact(name="earlier_status", type=STATUS, low=0, high=4),
    Fact(name="grade", type=GRADE, low=0, high=2),
    Fact(name="verified", type=FLAG, low=0, high=1),
    Fact(name="disputed", type=FLAG, low=0, high=1),
)
PARAMETERS = {
    parameter.name: parameter
    for parameter in (
        Parameter(name="minimum_performance", type=PERCENT, number=80_0000),
        Parameter(name="least_growth", type=PERCENT, number=-5_2500),
        Parameter(name="highest_rate", type=RATIO, number=1_350000),
        Parameter(name="largest_balance", type=MONEY, number=2_500_000),
        Parameter(name="most_missed", type=COUNT, number=3),
        Parameter(name="shortest_age", type=DAYS, number=30),
        Parameter(name="launched_on", type=DATE, number=date(2024, 1, 1).toordinal()),
        Parameter(name="wanted_status", type=STATUS, number=0),
        Parameter(name="open_for_renewals", type=FLAG, number=1),
    )
}
CATALOGUE = Catalogue(facts=FACTS, parameters=PARAMETERS, currency=GBP)


def checked(source, expect=None):
    """*source* read and checked against the small catalogue."""
    return check(parse(source), CATALOGUE, expect)


def facts(**plain):
    """Prepared facts of the small catalogue; those not named are unknown."""
    return CATALOGUE.prepare(plain)
