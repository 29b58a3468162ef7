"""
A merchant who is declined or referred has a reason to read, which never tells of a hold.

It is so for every decision of a request for offers, by each way that leads there: a rule, a
calculator of the host, the deal to be settled, a person, a hold, a consent or a fact that is
missing (decisions/offers#reasons). The model of evidence holds its histories to it as well
(`evidence_histories`), and so does the machine of the lifecycle.
"""

from __future__ import annotations

import re

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from counts import count
from every_case import for_every
from holdback import Engine, Jurisdictions, Refusal, load_jurisdictions, wire
from holdback.eligibility.reasons import SERVICE_REASONS
from holdback.jurisdictions.folder import bundled_path
from holdback.jurisdictions.reader import FILES, read_jurisdiction
from holdback.lifecycle.events import ApplicationClosed, OffersIssued
from holdback.offers import quote as pricing
from holdback.offers.registry import BUILT_IN
from holdback.operations import OPERATIONS, AskApplications, PlaceHold
from holdback.portfolio import quote, sample
from holdback.testing.strategies import histories
from journey import ENGINE, EVIDENCE, Journey

HISTORIES = count("histories whose decisions have reasons")


# The refusals of each operation by its docstring; a clock that is far off refuses all of them.
NAMED = {
    name: {*re.findall(r"`(\w+)`", operation.__doc__), "implausible_time"}
    for name, operation in OPERATIONS.items()
}


def with_gb(name, old, new):
    """An engine for GB, in whose file of a *name* the first *old* is *new*."""
    files = {file: (bundled_path() / "GB" / file).read_text("utf-8") for file in FILES}
    files[name] = files[name].replace(old, new, 1)
    encoded = {file: text.encode() for file, text in files.items()}
    return Engine.for_trial(Jurisdictions([read_jurisdiction("GB", encoded)]))


def unexplained(event):
    """Yield each decision of a set of offers that lacks a reason, or has one too many."""
    for decision, product in zip(event.decisions, event.offer_set.products, strict=True):
        texts = [reason["text"] for reason in decision["reasons"]]
        codes = [reason["code"] for reason in decision["reasons"]]
        accepted = decision["decision"] == "Accepted"
        if accepted == bool(texts) or not all(texts) or codes != list(product.codes):
            yield decision


def unexplained_in(events):
    """The decisions in *events* that lack a reason, or have one too many."""
    issued = [event for event in events if isinstance(event, OffersIssued)]
    return [decision for event in issued for decision in unexplained(event)]


@settings(max_examples=HISTORIES)
@given(data=st.data())
def test_every_decision_in_a_history(data):
    """
    A merchant who is declined or referred is always given a reason, in the event and as a code; one
    whose application is declined after its acceptance, too. A refusal is one that the docstring of
    the operation names.
    """
    for step in data.draw(histories()).steps:
        assert unexplained_in(step.events) == []
        if isinstance(step.refused, Refusal):
            assert step.refused.code in NAMED[step.operation], step
        for event in step.events:
            if isinstance(event, ApplicationClosed):
                assert (event.code in SERVICE_REASONS) == (event.status == "declined")


RATE = """
[[products.offer_rules]]
id = "rate-cap"
code = "GB-P-90"
require = "apr <= {bound}%"
reason = "The annual rate would be {{apr}}."
source = "policy"
"""


def with_offer_rules(bound):
    """An engine for GB, whose first product has a rule for each of its offers."""
    return with_gb(
        "products.toml", "[[products.rules]]", f"{RATE.format(bound=bound)}\n[[products.rules]]"
    )


# Of what is offered in GB, they allow nothing, a part and all.
WITH_OFFER_RULES = {bound: with_offer_rules(bound) for bound in (1, 45, 9_999)}


@settings(max_examples=HISTORIES)
@given(data=st.data())
def test_every_decision_by_rules_for_each_offer(data):
    """
    A product whose rules leave no offer is declined with a reason, and so is another amount.
    """
    engine = WITH_OFFER_RULES[data.draw(st.sampled_from(sorted(WITH_OFFER_RULES)))]
    for step in data.draw(histories(engine)).steps:
        assert unexplained_in(step.events) == []
        if isinstance(step.refused, Refusal) and step.refused.code == "amount_not_possible":
            assert step.refused.detail


def test_rules_for_each_offer_decide_in_these_histories():
    """
    One of these bounds leaves out every offer, one some of them, and one none, with its own reason.
    """
    left = {}
    for bound, engine in WITH_OFFER_RULES.items():
        product = Journey(engine).ask().products[0]
        left[bound] = (len(product.offers), product.codes)
    (none, of_none), (some, of_some), (every, of_every) = left.values()
    assert (none, of_none, of_some, of_every) == (0, ("GB-P-90",), (), ())
    assert 0 < some < every


def test_every_row_of_a_portfolio():
    """
    A deal whose renewal leads to no offer has a code in the frame of quotes, and only such a deal.
    """
    rows = quote(sample(2_000, seed=25), load_jurisdictions()).to_pylist()
    decided = {(row["decision"], bool(row["codes"]), row["funded_amount"] is None) for row in rows}

    assert decided == {
        ("Accepted", False, False),
        ("Declined", True, True),
        ("Referred", True, True),
    }


# -- a host's calculators without an answer


def of_the_host(kind, answer):
    """The engine of a host whose calculators of a *kind* have one *answer*."""
    body = {"version": 2, "__call__": lambda self, *asked: answer}
    names = [name for name in BUILT_IN if name.startswith(f"{kind}/")]
    return Engine.for_trial(
        calculators={name: type("Own", (BUILT_IN[name],), body) for name in names}
    )


@for_every(
    ("kind", "answer", "code"),
    [
        *((kind, None, "REVIEW") for kind in ("limits", "factor_rate", "split_percentage", "term")),
        ("split_percentage", (), "AFFORDABILITY"),
    ],
)
def test_a_calculator_without_an_answer(kind, answer, code):
    """
    A calculator that returns None refers, and one that finds nothing affordable declines: with a
    reason, for each product that the rules accept.
    """
    journey = Journey(of_the_host(kind, answer))
    products = journey.ask().products

    assert unexplained_in(journey.events) == []
    assert {product.codes for product in products} == {(code,)}


# -- what a partner can tell


def with_consent():
    """An engine for GB that needs a consent that nobody has given."""
    consent = 'consents = ["credit_file"]\nautomated_decisioning'
    return with_gb("jurisdiction.toml", "automated_decisioning", consent)


def as_read_by_the_partner(*, engine=ENGINE, hold=False, without=()):
    """The products of a request for offers and its application, as a partner reads both."""
    journey = Journey(engine)
    evidence = EVIDENCE | {"credit_checked_on": journey.now.date().isoformat()}
    if hold:
        journey.do(PlaceHold(code="fraud_suspected", by="a-3"))
    offers = journey.ask(evidence={n: v for n, v in evidence.items() if n not in without})
    (application,) = journey.do(AskApplications()).applications
    assert unexplained_in(journey.events) == []
    return wire.to_dict(offers)["products"], application.status, application.products


def test_no_partner_can_tell_a_hold():
    """
    A hold, a consent and a fact that is missing read the same to a partner, in both replies.

    "Nothing that a partner sees tells a hold from another referral" (decisions/applications#holds).
    """
    on_hold = as_read_by_the_partner(hold=True)

    assert {product.codes for product in on_hold[2]} == {("REVIEW",)}
    assert as_read_by_the_partner(engine=with_consent()) == on_hold
    assert as_read_by_the_partner(without=("credit_score",)) == on_hold
    assert as_read_by_the_partner(hold=True, without=("credit_score",)) == on_hold
    assert as_read_by_the_partner() != on_hold


# -- planted


@pytest.mark.parametrize(("answer", "code"), [(None, "REVIEW"), ((), "AFFORDABILITY")])
def test_a_reason_that_is_left_out_is_noticed(answer, code, monkeypatch):
    """
    Planted: where a reason has no sentence, or is not given, the law finds the decision.
    """
    found = pricing.service_reason

    def silent(rules, given_code, *figures, **more):
        reason = found(rules, given_code, *figures, **more)
        return evolve(reason, text="") if given_code == code else reason

    monkeypatch.setattr(pricing, "service_reason", silent)
    journey = Journey(of_the_host("split_percentage", answer))
    journey.ask()

    assert unexplained_in(journey.events)
