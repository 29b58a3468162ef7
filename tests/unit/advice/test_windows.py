"""The windows in which a deal would pass, at a stated pace."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from math import floor

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from every_case import for_every
from holdback import Deal, Entry, InvalidDocument, Money, load_jurisdictions
from holdback.eligibility.derived_facts import deal_facts
from holdback.exact.money import Currency
from holdback.merchant.deal import REPAID
from holdback.tools.advice import windows
from holdback.tools.advice.pace import Pace
from holdback.tools.advice.windows import Course

GBP = Currency.of("GBP")
ON = date(2026, 5, 1)
JURISDICTIONS = load_jurisdictions()
GB = JURISDICTIONS["GB"]
CATALOGUE = GB.rulebook(ON).catalogue
TYPICAL = dict(GB.typical["renewal"])


def remitted(deal, on, amount, reference):
    entry = Entry(id=reference, on=on, amount=Money(amount, GBP), takings=None, settled=True)
    return evolve(deal, entries=(*deal.entries, entry))


@st.composite
def funded_deals(draw):
    """A deal on which something was remitted some days after its funding."""
    repayment = draw(st.integers(50_000, 5_000_000))
    ago = draw(st.integers(1, 250))
    deal = Deal(
        id="d-1",
        application_id="a-1",
        type="Initial",
        funded_on=ON - timedelta(days=ago),
        funded_amount=Money(repayment * 4 // 5, GBP),
        repayment_amount=Money(repayment, GBP),
        factor_rate=Decimal("1.25"),
        split_percentage=Decimal("12.5"),
        term_length=Decimal(6),
        term_days=draw(st.integers(30, 300)),
        settled=Money(0, GBP),
        complete_through=ON,
    )
    paid = draw(st.integers(0, repayment - 1))
    return remitted(deal, ON - timedelta(days=1), paid, "first") if paid else deal


def prepared(facts):
    return tuple(facts.get(fact.name) for fact in CATALOGUE.facts)


@given(funded_deals(), st.data())
def test_a_course_is_that_of_the_deal_itself(deal, data):
    """
    Facts that follow from the pace are those that the deal has when just that is remitted on every
    day: progress, balance, status, performance, and what is counted in days.
    """
    before = deal_facts(deal, ON)
    amount = data.draw(st.integers(1, deal.balance.minor), label="a day")
    course = Course(CATALOGUE, prepared(before), ON, Pace(amount=amount))
    repayment = deal.repayment_amount.minor
    assert course.repayment == repayment
    # Progress is rounded down, so more than one repayment amount fits.
    implied = prepared(before | {"repayment_amount": None})
    assert Course(CATALOGUE, implied, ON, Pace(amount=amount)).repayment <= repayment

    for number in range(1, data.draw(st.integers(1, 40), label="days") + 1):
        day = ON + timedelta(days=number - 1)
        left = deal.balance.minor
        if left:
            deal = remitted(deal, day, min(left, amount), f"r-{number}")
            if amount >= left:
                deal = evolve(deal, status=REPAID)
        after = deal_facts(evolve(deal, complete_through=day), day + timedelta(days=1))
        names = (fact.name for fact in CATALOGUE.facts)
        facts = dict(zip(names, course.after(number, {}), strict=True))
        # On which days the deal was silent is not known: it is the most that it can be.
        assert facts.pop("longest_silence_90d") >= after.pop("longest_silence_90d")
        assert {name: facts[name] for name in after} == after


@for_every("remits", [True, False])
def test_a_silence_counts_for_ninety_days_and_grows_while_nothing_is_remitted(remits):
    """
    While a deal pays every day its longest silence counts for 90 days more, and then it has none;
    while it pays nothing, its silence grows by the day.
    """
    known = {"progress": 500_000, "balance": 600_000, "status": 0, "days_since_funding": 200}
    counted = {"days_since_last_remittance": 3, "longest_silence_90d": 10}
    pace = Pace(amount=1) if remits else Pace()
    course = Course(CATALOGUE, prepared(known | counted), ON, pace)
    place = CATALOGUE.place("longest_silence_90d")
    found = [course.after(days, {})[place] for days in (0, 1, 8, 9, 89, 90)]

    # Of three days since the last remittance two were silent.
    assert found == ([10, 10, 10, 10, 10, 0] if remits else [10, 10, 10, 11, 90, 90])


@for_every("share", [1, 4_000, 333_333])
def test_a_share_is_of_the_repayment_amount(share):
    """
    A pace may be a share of the repayment amount: progress rises by it on every day.
    """
    facts = prepared({"progress": 500_000, "balance": 600_000, "status": 0})
    course = Course(CATALOGUE, facts, ON, Pace(share=share))

    assert course.repayment == 1_200_000
    for days in (1, 2, 30):
        after = course.after(days, {})
        expected = min(1_000_000, 500_000 + days * share)
        assert after[CATALOGUE.place("progress")] in {expected, expected - 1}
        exact = max(0, 600_000 - 1_200_000 * share * days // 1_000_000)
        assert after[CATALOGUE.place("balance")] == exact


def test_performance_goes_on_from_what_is_stated():
    """
    Performance follows from pace and term. Where terms were changed, progress and days do not imply
    it: then it goes on from what is stated, and the rest is expected evenly.
    """
    stated = {"progress": 640_000, "performance": 760_000, "status": 0}
    days = {"days_since_funding": 150, "remaining_term_days": 77}
    course = Course(CATALOGUE, prepared(stated | days), ON, Pace(share=4_000))
    place = CATALOGUE.place("performance")

    assert course.after(0, {})[place] == 760_000
    # 64 of 76 was expected, and 12 of 76 are left for 77 days.
    expected = Fraction(64, 76) + Fraction(12, 76) / 77
    assert course.after(1, {})[place] == floor(644_000 / expected)
    assert course.after(77, {})[place] == 640_000 + 77 * 4_000


def test_what_is_unknown_stays_unknown():
    """
    Unknown is not false: nothing is made up of what is missing.
    """
    course = Course(CATALOGUE, prepared({"progress": 500_000}), ON, Pace(share=4_000))
    known = {
        fact.name: number
        for fact, number in zip(CATALOGUE.facts, course.after(3, {}), strict=True)
        if number is not None
    }

    assert known == {"progress": 512_000}


def test_every_day_is_assessed_by_its_own_rules():
    """
    The answers are windows, exact day by day, with the rules already published for later dates.
    """
    facts = TYPICAL | {"progress": "49%", "performance": "76%"}
    found = windows(GB, facts, on=ON, pace="0.5%", days=300)
    rulebook = GB.rulebook(ON)
    prepared_facts = rulebook.catalogue.prepare(facts)
    course = Course(rulebook.catalogue, prepared_facts, ON, Pace(share=5_000))
    passing = set()
    for number in range(301):
        day = ON + timedelta(days=number)
        rulebook = GB.rulebook(day)
        names = (fact.name for fact in rulebook.catalogue.facts)
        numbers = zip(names, course.after(number, rulebook.checks), strict=True)
        plain = {
            name: rulebook.catalogue.fact(name).type.plain(value)
            for name, value in numbers
            if value is not None
        }
        repaid = course.repaid_for(number)
        if rulebook.assess(plain).eligible and (repaid is None or repaid <= 90):
            passing.add(day)
    inside = {
        window.first + timedelta(days=days)
        for window in found.windows
        for days in range((window.last - window.first).days + 1)
    }

    assert inside == passing
    # From July on the pace has to be 80%, not 75%.
    assert [window.plain() for window in found.windows] == [
        {"first": "2026-05-04", "last": "2026-07-16"},
        {"first": "2026-07-22", "last": "2026-11-08"},
    ]
    assert found.words.startswith("From 04/05/2026 to 16/07/2026, then from 22/07/2026 to ")


def test_the_windows_say_what_they_assume():
    """
    Assumptions are stated: the pace, what moves, what stays, and which rules hold.
    """
    found = windows(GB, TYPICAL, on=ON, pace="GBP 52.44")

    assert found.assumptions[0] == (
        "£52.44 is remitted on every day; the repayment amount is £11,904.00, as progress and "
        "balance imply"
    )
    assert found.assumptions[-2:] == (
        "a deal that is repaid can be renewed for 90 days more",
        "the rules are those published so far",
    )
    assert windows(GB, TYPICAL, on=ON).assumptions[0] == "nothing is remitted"


def test_a_deal_that_passes_on_no_day():
    """
    Where there is no window, the answer says so.
    """
    found = windows(GB, TYPICAL | {"deals_defaulted": 1}, on=ON, pace="1%", days=30)

    assert found.windows == ()
    assert found.words == "On no day until 31/05/2026."


def test_not_known_is_not_never():
    """
    Where facts are missing, the answer is that it is not known, and names them.
    """
    missing = {name: value for name, value in TYPICAL.items() if name != "deals_defaulted"}
    found = windows(GB, missing, on=ON, pace="GBP 52.44", days=30)

    assert (found.windows, found.needs) == ((), ("deals_defaulted",))
    assert found.words == (
        "It is not known whether it would pass from 01/05/2026 on, until 31/05/2026 at least: the "
        "number of defaulted deals would have to be known."
    )
    assert [window.plain() for window in found.not_known] == [
        {"first": "2026-05-01", "last": "2026-05-31"}
    ]
    assert found.plain()["needs"] == ["deals_defaulted"]
    # Where a rule declines all the same, no fact would help.
    never = windows(GB, missing | {"status": "Cancelled"}, on=ON, pace="GBP 52.44", days=30)
    assert (never.not_known, never.needs) == ((), ())
    assert never.words == "On no day until 31/05/2026."


def test_what_becomes_unknown_later_is_named():
    """
    A result that grows too old is what is missing from then on.
    """
    facts = dict(GB.typical["products"]) | {"consumer_credit_age_days": 80}
    found = windows(GB, facts, on=date(2026, 11, 24), days=60, product="flex")

    assert found.needs == ("credit_score",)
    assert found.words.startswith("From 24/11/2026 to 04/12/2026. It is not known whether it")


def test_the_result_of_a_check_grows_too_old():
    """
    The ages of checks move by themselves, and a result that is too old is unknown.
    """
    on = date(2026, 11, 24)
    typical = dict(GB.typical["products"])
    facts = typical | {"consumer_credit_age_days": 80}
    found = windows(GB, facts, on=on, days=60, product="flex")

    assert [window.plain() for window in found.windows] == [
        {"first": "2026-11-24", "last": "2026-12-04"}
    ]


def test_no_day_is_after_the_last_one_of_the_calendar():
    """
    A forecast from a late day ends with the calendar, even on its last day.
    """
    last = date(9999, 12, 31)
    for on in (date(9999, 12, 20), last):
        stays = windows(GB, TYPICAL, on=on)
        assert (stays.on, stays.until) == (on, last)
        assert [(window.first, window.last) for window in stays.windows] == [(on, last)]


@for_every(
    ("asked", "message"),
    [
        ({"pace": "GBP -1"}, "$.pace: expected GBP 0.00 or more; a pace is what is remitted"),
        ({"pace": float("nan")}, "$.pace: expected an amount with its currency, or a percentage"),
        ({"pace": "0.4"}, "$.pace: expected an amount with its currency, or a percentage"),
        ({"pace": 5}, "$.pace: expected an amount with its currency, or a percentage"),
        ({"pace": Decimal("0.4")}, "a pace is what is remitted on a day: `GBP 52.44`, or `0.4%`"),
        ({"pace": "101%"}, "$.pace: expected 0% to 100%"),
        ({"pace": "fast"}, "a pace is what is remitted on a day: `GBP 52.44`, or `0.4%`"),
        ({"pace": "EUR 5"}, "expected an amount in GBP, not in EUR"),
        ({"days": 0}, "$.days: expected a number of days from 1 to 3660"),
        ({"days": 3_661}, "$.days: expected a number of days from 1 to 3660"),
        (
            {"product": "flx"},
            "$.product: there is no such product on that day; did you mean `flex`",
        ),
    ],
)
def test_misuse_is_explained(asked, message):
    """
    Errors say what is wrong, where, and what was expected.
    """
    with pytest.raises(InvalidDocument) as raised:
        windows(GB, TYPICAL, on=ON, **asked)

    assert message in str(raised.value)


def test_statuses_are_those_of_the_deal():
    """
    A deal that is not being repaid does not move: no remittance is expected.
    """
    course = Course(CATALOGUE, prepared({"status": 3, "progress": 400_000}), ON, Pace(share=4_000))

    assert not course.repays
    assert course.after(9, {})[CATALOGUE.place("progress")] == 400_000
