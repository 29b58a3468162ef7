"""
What can be configured can be offered, and what is offered can be stored, read back and replayed.

Both ends of every bound, in currencies of large and small units and of other numbers of decimals:
at an end a merchant goes the whole way, from the setting to replayed records; one step further the
file is refused where the setting is written.
"""

from __future__ import annotations

import json
from datetime import timedelta
from decimal import Decimal

import pytest
from attrs import evolve, frozen
from hypothesis import given, settings
from hypothesis import strategies as st

from counts import count
from every_case import for_every
from holdback import Engine, InvalidDocument, Jurisdictions, Merchant, Money, Takings, wire
from holdback.eligibility.facts import MOST_DAYS
from holdback.errors import ConfigurationError
from holdback.exact.bounds import (
    MOST_OFFERS,
    MOST_TERM_DAYS,
    MOST_TERM_MONTHS,
    TOO_MUCH,
    most_money,
)
from holdback.exact.money import Currency
from holdback.jurisdictions.resolver import MAX_PRODUCTS
from holdback.lifecycle.forgetting import MOST_SETS
from holdback.merchant.consistency import merchant_errors
from holdback.operations import AssessRenewal, LookUp, RecordTakings
from holdback.tools.replay.replay import SAME, replay, replay_offers
from holdback.wire.strict_json import STATE_LIMIT
from journey import Journey
from small_folders import FLEX, IRELAND, OF_A_COUNTRY, PACE, changed, parameter, read, rule

CURRENCIES = tuple(Currency.of(code) for code in ("GBP", "JPY", "KWD", "LBP"))
CODE = "XX"


# -- a small jurisdiction


# Settings in `jurisdiction.toml`; those with a name are optional.
_OF_THE_COUNTRY = {
    "hours": None,
    "days": None,
    "kept": "retain_profile_days",
    "approved": "approval_days",
    "accepted": "acceptance_days",
    "old": "checks.identity.max_age_days",
}


def folder(currency, **settings):
    """The files of a jurisdiction in *currency*, with a product of these *settings*, as texts."""
    most = Money(most_money(currency), currency)
    product = {
        "amounts": '["50%", "100%"]',
        "minimum": f'"{Money(1, currency)}"',
        "maximum": f'"{Money(10**8, currency)}"',
        "limits": '{{ calculator = "fixed", minimum = {minimum}, maximum = {maximum} }}',
        "split_percentage": '{ calculator = "chosen", choices = ["10%"] }',
        "factor_rate": '{ calculator = "flat", rate = "1.2" }',
        "term": '{ calculator = "fixed", months = 6 }',
    } | {name: value for name, value in settings.items() if name not in _OF_THE_COUNTRY}
    limits = product.pop("limits").format(**{e: product.pop(e) for e in ("minimum", "maximum")})
    lines = FLEX.replace("NL-", f"{CODE}-").splitlines()
    rewritten = {**product, "limits": limits}
    written = [
        f"{name} = {rewritten[name]}" if (name := line.partition(" = ")[0]) in rewritten else line
        for line in lines
    ]
    ruled = rule("affordable", f"{CODE}-R-02", f"balance <= {most}") + rule(
        "enough", f"{CODE}-R-03", "balance <= average_monthly_takings * 100.0"
    )
    country = OF_A_COUNTRY.replace("EUR", currency.code)
    country = country.replace("value = 720", f"value = {settings.get('hours', 720)}")
    country = country.replace("value = 90", f"value = {settings.get('days', 90)}")
    for setting, name in _OF_THE_COUNTRY.items():
        if name is not None and setting in settings:
            entry = f'{{ from = 2025-01-01, value = {settings[setting]}, source = "law" }}'
            country += f"{name} = [{entry}]\n"
    return {
        "jurisdiction.toml": f'format = 1\ncode = "{CODE}"\nname = "X"\nowner = "x"\n'
        f"review_by = 2027-06-30\n{country}",
        "renewal.toml": PACE.replace("NL-", f"{CODE}-") + "\n" + ruled,
        "products.toml": "\n".join(written) + "\n",
    }


def engine_of(files):
    return Engine.for_trial(Jurisdictions([read(files, CODE)]))


def errors_of(files):
    """Everything that is said of *files*, by the reader and by an engine that is to use them."""
    try:
        engine_of(files)
    except (InvalidDocument, ConfigurationError) as error:
        return error.errors
    return ()


# -- the whole way


class Way(Journey):
    """A merchant of the small jurisdiction, whose host stores and reads back everything."""

    def __init__(self, files, currency, takings=None):
        super().__init__(engine_of(files))
        self.sure = True  # a term may be a hundred years
        self.currency = currency
        self.takings = most_money(currency) if takings is None else takings
        self.merchant = Merchant.new(partner="acme", merchant_id="m-1", jurisdiction=CODE)

    def request(self, **changed):
        return super().request(**{"currency": self.currency.code, **changed})

    def keep(self, outcome):
        reply = super().keep(outcome)
        state = wire.read_merchant(wire.write_merchant(self.merchant))
        assert state == self.merchant
        assert merchant_errors(state) == ()
        for event in outcome.events:
            assert wire.read_event(wire.write_event(event)) == event
        json.loads(wire.write(reply))
        return reply

    def asked(self, *, renewal=False):
        """The offers, whose event is replayed as it was stored."""
        evidence = {
            "identity_verified": True,
            "average_monthly_takings": Money(self.takings, self.currency),
            "months_trading": 12_000,
        }
        # Where a check counts for its own day alone, a renewal brings it again.
        again = {"identity_verified": True}
        offers = self.ask(renewal=renewal, evidence=again if renewal else evidence)
        event = json.loads(wire.write_event(self.events[-1]))
        replayed = replay_offers(event, self.engine.jurisdictions)
        assert (replayed.state, replayed.differences) == (SAME, ())
        return offers.products[0]

    def assessed(self):
        """The assessment of the renewal; its record is replayed as it was stored."""
        assessment = self.do(AssessRenewal())
        if assessment is None:
            return None
        rulebook = self.engine.jurisdictions.resolve(CODE, on=self.today())
        for fact, number in zip(rulebook.catalogue.facts, assessment.answers.facts, strict=True):
            assert number is None or fact.low <= number <= fact.high, fact.name
        record = json.loads(json.dumps(assessment.record(), default=str))
        replayed = replay(record, self.engine.jurisdictions)
        assert (replayed.state, replayed.differences) == (SAME, ())
        return assessment

    def funded(self, product):
        """The deal of the largest offer of *product*."""
        self.accept(product.offers[-1].offer_id)
        self.fund()
        self.assessed()
        return self.deal

    def whole(self):
        """From the request through a deal and its renewal to the end; the product first offered."""
        product = self.asked()
        assert product.decision == "Accepted"
        self.funded(product)
        self.pay_down(60)
        self.assessed()
        if self.do(LookUp()).deals[0].deal.active:
            self.asked(renewal=True)
        rest = self.entry(max(0, self.deal.outstanding), on=self.today())
        self.remit(rest, complete_through=self.today())
        assert self.deal.status == "Repaid"
        assert self.assessed().eligible
        renewed = self.asked(renewal=True)
        assert renewed.decision == "Accepted"
        self.funded(renewed)
        return product


# -- the bounds of settings


def money(minor, currency):
    return f'"{Money(minor, currency)}"'


def flat(rate, discount="0"):
    return f'{{ calculator = "flat", rate = "{rate}", renewal_discount = "{discount}" }}'


def banded(rate, bands=1):
    below = "".join(f'{{ up_to = "{place + 1}%", rate = "1" }}, ' for place in range(bands - 1))
    return (
        f'{{ calculator = "banded", on = "performance", bands = [{below}{{ rate = "{rate}" }}] }}'
    )


def chosen(*choices):
    return f'{{ calculator = "chosen", choices = {json.dumps(choices)} }}'


def percentages(number):
    return [f"{place / 100:.2f}%" for place in range(1, number + 1)]


def affordable(months):
    return (
        '{ calculator = "affordability", choices = ["0.0001%", "100%"], '
        f"longest_term_months = {months} }}"
    )


def multiple(value):
    return (
        '{{ calculator = "takings_multiple", minimum = {minimum}, maximum = {maximum}, '
        f'multiple = "{value}" }}}}'
    )


def stepped(step):
    return (
        '{{ calculator = "fixed", minimum = {minimum}, maximum = {maximum}, '
        f"step = {step} }}}}"
    )


@frozen
class Bound:
    """Settings at the least and the most of a bound, one step beyond, and what is said of these."""

    least: object
    most: object
    below: object = None
    above: object = None
    said: tuple = ("", "")


def bound(name, currency):
    """The bound *name* in *currency*."""
    most = most_money(currency)
    too_much = f"expected at most {Money(most, currency)}, the largest amount of a deal"
    free = flat(1)
    return {
        "the maximum": Bound(
            {"maximum": money(1, currency), "factor_rate": free},
            {"maximum": money(most, currency), "factor_rate": free},
            {"maximum": money(0, currency)},
            {"maximum": money(most + 1, currency), "factor_rate": free},
            ("`minimum` is above `maximum`", too_much),
        ),
        "the minimum": Bound(
            {"minimum": money(1, currency)},
            {
                "minimum": money(most, currency),
                "maximum": money(most, currency),
                "factor_rate": free,
            },
            {"minimum": money(0, currency)},
            {"minimum": money(most + 1, currency), "maximum": money(most, currency)},
            ("`minimum` must be above zero", too_much),
        ),
        "the step": Bound(
            {"limits": stepped(money(1, currency))},
            {
                "limits": stepped(money(most, currency)),
                "maximum": money(most, currency),
                "factor_rate": free,
            },
            {"limits": stepped(money(0, currency))},
            {"limits": stepped(money(most + 1, currency))},
            ("`step` must be above zero", too_much),
        ),
        "the rate": Bound(
            {"factor_rate": flat(1)},
            {"factor_rate": flat(100), "maximum": money(most // 100, currency)},
            {"factor_rate": flat("0.999999")},
            {"factor_rate": flat("100.000001")},
            ("a factor rate is at least 1 and at most 100",) * 2,
        ),
        "the rate of a band": Bound(
            {"factor_rate": banded(1)},
            {"factor_rate": banded(100), "maximum": money(most // 100, currency)},
            {"factor_rate": banded("0.999999")},
            {"factor_rate": banded("100.000001")},
            ("a factor rate is at least 1 and at most 100",) * 2,
        ),
        "the bands": Bound(
            {"factor_rate": banded("1.2", 1)},
            {"factor_rate": banded("1.2", MOST_OFFERS)},
            None,
            {"factor_rate": banded("1.2", MOST_OFFERS + 1)},
            ("", "expected at most 100 bands"),
        ),
        "the discount": Bound(
            {"factor_rate": flat("1.2", "0")},
            {"factor_rate": flat("1.2", "100")},
            {"factor_rate": flat("1.2", "-0.000001")},
            {"factor_rate": flat("1.2", "100.000001")},
            ("a renewal discount is not negative, and at most 100",) * 2,
        ),
        "the amount of a deal": Bound(
            {"maximum": money(1, currency), "factor_rate": flat("1.000001")},
            {"maximum": money(most // 2, currency), "factor_rate": flat("2")},
            None,
            {"maximum": money(most // 2, currency), "factor_rate": flat("2.000001")},
            (
                "",
                f"at the highest factor rate, 2.000001, more than {Money(most, currency)}",
            ),
        ),
        "the multiple of takings": Bound(
            {"limits": multiple("0.000001")},
            {"limits": multiple("100")},
            {"limits": multiple("0")},
            {"limits": multiple("100.000001")},
            ("`multiple` must be above zero, and at most 100",) * 2,
        ),
        "the split": Bound(
            {"split_percentage": chosen("0.0001%")},
            {"split_percentage": chosen("100%")},
            {"split_percentage": chosen("0%")},
            {"split_percentage": chosen("100.0001%")},
            ("expected percentages above 0% and up to 100%",) * 2,
        ),
        "the splits": Bound(
            {"split_percentage": chosen("1%")},
            {"split_percentage": chosen(*percentages(MOST_OFFERS)), "amounts": '["100%"]'},
            {"split_percentage": chosen()},
            {"split_percentage": chosen(*percentages(MOST_OFFERS + 1)), "amounts": '["100%"]'},
            ("expected at least one percentage", "expected at most 100 percentages"),
        ),
        "the amounts": Bound(
            {"amounts": '["0.0001%"]'},
            {"amounts": json.dumps(percentages(MOST_OFFERS))},
            {"amounts": "[]"},
            {"amounts": json.dumps(percentages(MOST_OFFERS + 1))},
            ("expected percentages above 0%", "expected at most 100 percentages"),
        ),
        "the offers": Bound(
            {"amounts": '["100%"]', "split_percentage": chosen("1%")},
            {
                "amounts": json.dumps(percentages(10)),
                "split_percentage": chosen(*percentages(10)),
            },
            None,
            {
                "amounts": json.dumps(percentages(10)),
                "split_percentage": chosen(*percentages(11)),
            },
            ("", "10 `amounts` and 11 `choices` make more than 100 offers"),
        ),
        "the months": Bound(
            {"term": '{ calculator = "fixed", months = 1 }'},
            {"term": '{ calculator = "fixed", months = 1200 }'},
            {"term": '{ calculator = "fixed", months = 0 }'},
            {"term": '{ calculator = "fixed", months = 1201 }'},
            ("expected at least one month, and at most 1200",) * 2,
        ),
        "the longest term": Bound(
            {"split_percentage": affordable(1)},
            {"split_percentage": affordable(1200)},
            {"split_percentage": affordable(0)},
            {"split_percentage": affordable(1201)},
            ("expected at least one month, and at most 1200",) * 2,
        ),
        "the validity of offers": Bound(
            {"hours": 1},
            {"hours": 24 * 366},
            {"hours": 0},
            {"hours": 24 * 366 + 1},
            ("expected 1 to 8784",) * 2,
        ),
        "recently active": Bound(
            {"days": 0},
            {"days": 3_660},
            {"days": -1},
            {"days": 3_661},
            ("expected 0 to 3660",) * 2,
        ),
        "the keeping of profiles": Bound(
            {"kept": 0},
            {"kept": 36_500},
            {"kept": -1},
            {"kept": 36_501},
            ("expected 0 to 36500",) * 2,
        ),
        "the life of an approval": Bound(
            {"approved": 1},
            {"approved": 3_660},
            {"approved": 0},
            {"approved": 3_661},
            ("expected 1 to 3660",) * 2,
        ),
        "the life of an acceptance": Bound(
            {"accepted": 1},
            {"accepted": 3_660},
            {"accepted": 0},
            {"accepted": 3_661},
            ("expected 1 to 3660",) * 2,
        ),
        "the greatest age of a check": Bound(
            {"old": 0},
            {"old": MOST_DAYS},
            {"old": -1},
            {"old": MOST_DAYS + 1},
            (f"expected 0 to {MOST_DAYS}",) * 2,
        ),
    }[name]


NAMES = (
    *("the maximum", "the minimum", "the step", "the amount of a deal"),
    *("the rate", "the rate of a band", "the bands", "the discount", "the multiple of takings"),
    *("the split", "the splits", "the amounts", "the offers"),
    *("the months", "the longest term", "the validity of offers", "recently active"),
    *("the keeping of profiles", "the life of an approval", "the life of an acceptance"),
    "the greatest age of a check",
)


# In the plain lane each currency is at every fourth bound.
AT_EACH = [
    (name, CURRENCIES[(place + step) % len(CURRENCIES)])
    for place, name in enumerate(NAMES)
    for step in range(count("currencies at each bound"))
]


@pytest.mark.parametrize("end", ["least", "most"])
@for_every("name, currency", AT_EACH)
def test_at_a_bound_a_merchant_goes_the_whole_way(name, currency, end):
    """
    Offered, accepted, funded, remitted, renewed; stored and read back; replayed as the same.
    """
    files = folder(currency, **getattr(bound(name, currency), end))

    assert errors_of(files) == ()
    Way(files, currency).whole()


@pytest.mark.parametrize("end", ["below", "above"])
@for_every("name, currency", [(name, currency) for name in NAMES for currency in CURRENCIES])
def test_beyond_a_bound_the_file_is_refused(name, currency, end):
    """
    One step further the file is refused, at the setting, with what was expected.
    """
    row = bound(name, currency)
    settings = getattr(row, end)
    if settings is None:
        return
    said = row.said[end == "above"]
    errors = errors_of(folder(currency, **settings))

    assert any(said in error.message for error in errors), [str(error) for error in errors]
    assert all(error.file.startswith(f"{CODE}/") and error.line for error in errors)


@for_every("currency", CURRENCIES)
def test_an_amount_in_another_currency_is_refused(currency):
    """
    Money in a setting is in the jurisdiction's currency, wherever a setting holds money.
    """
    banded_by_balance = (
        '{ calculator = "banded", on = "balance", '
        'bands = [{ up_to = "USD 5", rate = "1.2" }, { rate = "1.1" }] }'
    )
    for written, place in (
        ({"minimum": '"USD 1"'}, ""),
        ({"maximum": '"USD 1000"'}, ""),
        ({"limits": stepped('"USD 1"')}, ""),
        ({"factor_rate": banded_by_balance}, "in place 1: "),  # which of the bands
    ):
        (error,) = errors_of(folder(currency, **written))
        assert error.message == f"{place}expected an amount in {currency}, not in USD"
        assert (error.code, error.file) == ("wrong_currency", f"{CODE}/products.toml")


# -- facts in their range


def facts_of(way):
    """The facts of the renewal today, by name."""
    assessment = way.assessed()
    return {} if assessment is None else assessment.record()["facts"]


@for_every("currency", CURRENCIES)
def test_the_largest_deal_has_every_fact(currency):
    """
    A fact's range covers every deal that can be configured: none of its facts is unknown.
    """
    most = most_money(currency)
    largest = {"maximum": money(most, currency), "factor_rate": flat(1)}
    longest = {"term": '{ calculator = "fixed", months = 1200 }'}
    way = Way(folder(currency, **largest, **longest), currency)
    deal = way.funded(way.asked())
    way.pay_down(0)

    assert deal.repayment_amount == Money(most, currency)
    assert (deal.term_days, deal.term_length) == (MOST_TERM_DAYS, MOST_TERM_MONTHS)
    assessment = way.assessed()
    facts = dict(zip(names(way), assessment.answers.facts, strict=True))
    assert facts["balance"] == facts["average_monthly_takings"] == most
    assert facts["remaining_term_days"] == MOST_TERM_DAYS


def names(way):
    rulebook = way.engine.jurisdictions.resolve(CODE, on=way.today())
    return [fact.name for fact in rulebook.catalogue.facts]


def test_a_large_deal_of_a_small_unit():
    """
    A deal of 18 thousand million pounds of Lebanon, some 200,000 dollars, is an ordinary one.
    """
    lbp = Currency.of("LBP")
    files = folder(lbp, maximum='"LBP 18000000000"', amounts='["100%"]')
    way = Way(files, lbp, takings=5 * 10**11)
    way.whole()

    assert way.merchant.deals[0].repayment_amount == Money.parse("LBP 21600000000.00")


@for_every(
    "currency, least",
    [(currency, least) for currency in CURRENCIES for least in (True, False)],
)
def test_takings_as_evidence(currency, least):
    """
    Takings up to the largest amount are evidence; more are an error of the host that gives them.
    """
    takings = 1 if least else most_money(currency)
    Way(folder(currency), currency, takings).whole()
    with pytest.raises(ConfigurationError, match="expected"):
        Way(folder(currency), currency, -1 if least else takings + 1).asked()


@for_every("currency", CURRENCIES)
def test_a_pace_of_a_hundred_years_and_of_more(currency):
    """
    A term at the pace of the takings is at most a hundred years; beyond, the product is referred.
    """
    # A deal of 36,500 x 12 x split units, at takings of 365 units, takes 36,500 days.
    repayment = MOST_TERM_DAYS * 12
    settings = {
        "minimum": money(1, currency),
        "maximum": money(repayment + 1, currency),
        "amounts": '["50%", "100%"]',
        "split_percentage": chosen("100%"),
        "factor_rate": flat(1),
        "term": '{ calculator = "takings_pace" }',
    }
    beyond = Way(folder(currency, **settings), currency, takings=365).asked()
    at = {**settings, "maximum": money(repayment, currency)}
    product = Way(folder(currency, **at), currency, takings=365).whole()

    assert (beyond.decision, beyond.offers) == ("Referred", ())
    assert product.offers[-1].term_days == MOST_TERM_DAYS
    assert product.offers[-1].term_length == MOST_TERM_MONTHS


@for_every("currency", CURRENCIES)
def test_a_fact_beyond_its_range_is_unknown(currency):
    """
    A deal stored by an earlier version may be larger and longer: what a range cannot hold is
    unknown, and the record of the decision is replayed as the same.
    """
    way = Way(folder(currency), currency)
    deal = way.funded(way.asked())
    huge = Money(TOO_MUCH - 1, currency)
    stored = evolve(deal, funded_amount=huge, repayment_amount=huge, term_days=10**12)
    way.merchant = evolve(way.merchant, deals=(stored,))
    way.pass_time(days=1)
    way.remit(way.entry(huge.minor * 6 // 10), complete_through=way.today())
    assessment = way.assessed()
    facts = dict(zip(names(way), assessment.answers.facts, strict=True))

    assert (facts["balance"], facts["remaining_term_days"]) == (None, None)
    assert facts["progress"] == 599_999
    assert (assessment.outcome, assessment.needs) == ("undetermined", ("balance",))
    way.pass_time(days=366 * 200)
    assessment = way.assessed()
    facts = dict(zip(names(way), assessment.answers.facts, strict=True))
    assert (facts["days_since_funding"], facts["months_trading"]) == (None, None)


@for_every("currency", CURRENCIES)
def test_takings_beyond_the_range(currency):
    """
    Days of takings that add up to more than the range can hold leave their average unknown.
    """
    for daily, known in ((most_money(currency) * 12 // 365, True), (TOO_MUCH - 1, False)):
        way = Way(folder(currency), currency)
        way.funded(way.asked())
        way.pass_time(days=100)
        days = [way.today() - timedelta(days=place) for place in range(1, 92)]
        takings = [Takings(on=day, amount=Money(daily, currency)) for day in reversed(days)]
        way.do(RecordTakings(takings=tuple(takings), complete_through=days[0]))
        facts = dict(zip(names(way), way.assessed().answers.facts, strict=True))

        assert (facts["average_monthly_takings"] is not None) == known
        assert facts["takings_trend"] == 1_000_000


@for_every("currency", CURRENCIES)
def test_the_largest_remittance(currency):
    """
    A remittance may be more than the deal, and is stored and read back up to its own bound.
    """
    way = Way(folder(currency), currency)
    way.funded(way.asked())
    way.pass_time(days=1)
    way.remit(way.entry(TOO_MUCH - 1), complete_through=way.today())
    way.remit(way.entry(TOO_MUCH - 1), complete_through=way.today())
    way.assessed()

    assert way.deal.status == "Repaid"
    assert way.deal.overpaid.minor == 2 * (TOO_MUCH - 1) - way.deal.repayment_amount.minor
    with pytest.raises(InvalidDocument, match="below 10"):
        way.entry(TOO_MUCH)


@for_every("currency", CURRENCIES)
def test_parameters_and_settlements(currency):
    """
    A parameter fits the calculations of the rule language, and an example settles a possible deal.
    """
    largest, most = 2**62, most_money(currency)
    for minor in (largest, -largest, largest + 1, -largest - 1):
        files = folder(currency)
        value = parameter("p", "money", ("2025-01-01", money(minor, currency)))
        files["renewal.toml"] += value
        errors = errors_of(files)
        assert bool(errors) == (abs(minor) > largest)
        assert all("no rule can read this: it is more than 2**62" in e.message for e in errors)
    for settled in (0, most, most + 1, -1):
        files = folder(currency)
        files["products.toml"] += (
            '[[examples]]\nname = "x"\non = 2026-02-01\nproduct = "flex"\n'
            f'settles = {money(settled, currency)}\nexpect = {{ decision = "Declined" }}\n'
        )
        errors = errors_of(files)
        assert bool(errors) == (not 0 <= settled <= most)
        span = f"expected {Money(0, currency)} to {Money(most, currency)}"
        assert all(error.message == span for error in errors)


# -- what is offered can be stored


def test_the_largest_sets_of_offers_can_be_stored():
    """
    As many open sets as a merchant may have, of as many offers as can be configured, are a state.
    """
    lbp = Currency.of("LBP")
    files = folder(
        lbp,
        amounts=json.dumps(percentages(10)),
        split_percentage=chosen(*percentages(10)),
        maximum=money(most_money(lbp) // 100, lbp),
        factor_rate=flat(100),
    )
    head, product = files["products.toml"].split("[[products]]")
    products = [
        product.replace('"flex"', f'"p{place:059}"').replace("-P-01", f"-P-{place:02}")
        for place in range(MAX_PRODUCTS)
    ]
    files["products.toml"] = "[[products]]".join([head, *products])
    way = Way(files, lbp)
    way.asked()
    issued = [len(product.offers) for product in way.offers.products]
    size = len(wire.write_merchant(way.merchant))

    assert issued == [MOST_OFFERS] * MAX_PRODUCTS
    assert size * MOST_SETS < STATE_LIMIT


# -- digests


def test_a_wider_range_changes_no_digest():
    """
    The digests of rules that were written before the range of some currencies was widened.
    """
    rules = "performance >= minimum_performance"
    files = {name: text.replace("EUR", "LBP") for name, text in IRELAND.items()}
    asked = f"{rules} and balance <= average_monthly_takings * 1.5"
    jurisdiction = read(changed(files, "renewal.toml", rules, asked))

    digests = [
        getattr(rulebook.renewal, "rules_digest", rulebook.digest)
        for rulebook in jurisdiction.slices
    ]
    assert digests == [
        "sha256:db3402209c8b6632addeca19af48f928a4bc0c54a072013286e77116c74ee0cb",
        "sha256:dab046d6a2978a016b9c82ef56b05635335b8763da1bc99a5b06cb00242a7275",
        "sha256:6065e5032ca53cf243fb885e3ae28bee90c3a755e69f31ac70823bce0d3dda79",
    ]
    assert jurisdiction.policy.catalogue.fact("balance").high == 10**15


# -- everything between the ends


@st.composite
def any_settings(draw, currency):
    """Settings at the ends of their bounds, near them, or anywhere between."""

    def near(least, most):
        ends = st.sampled_from([least, least + 1, most - 1, most])
        return draw(ends | st.integers(least, most))

    most = most_money(currency)
    maximum = near(1, most)
    rate = Decimal(near(10**6, 100 * 10**6)).scaleb(-6)
    return {
        "maximum": money(maximum, currency),
        "minimum": money(min(maximum, near(1, most)), currency),
        "factor_rate": flat(f"{rate:f}", draw(st.sampled_from(["0", "0.000001", "100"]))),
        "split_percentage": chosen(f"{Decimal(near(1, 10**6)).scaleb(-4):f}%"),
        "term": draw(
            st.sampled_from(['{ calculator = "takings_pace" }'])
            | st.integers(1, MOST_TERM_MONTHS).map(
                lambda months: f'{{ calculator = "fixed", months = {months} }}'
            )
        ),
    }


@settings(max_examples=count("settings within the bounds"))
@given(data=st.data())
def test_between_the_ends(data):
    """
    Settings within the bounds are refused together, or lead through: no error comes later.
    """
    currency = data.draw(st.sampled_from(CURRENCIES))
    files = folder(currency, **data.draw(any_settings(currency)))
    errors = errors_of(files)
    if errors:
        assert [error.message.partition(",")[0] for error in errors] == [
            "at the highest factor rate"
        ]
        return
    way = Way(files, currency, takings=data.draw(st.integers(1, most_money(currency))))
    product = way.asked()
    if not product.offers:
        return
    way.funded(product)
    way.pay_down(data.draw(st.integers(0, 120)))
    way.assessed()
    way.asked(renewal=True)
