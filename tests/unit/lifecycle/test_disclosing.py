"""The operation `disclose`, and what waits until an offer is disclosed (decisions/disclosures)."""

from __future__ import annotations

import re
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction

import pytest

from disclosure_regimes import regime, with_disclosures
from holdback import Engine, InvalidDocument, Money, Refusal, wire
from holdback.disclosures.disclosure import Payoff, ProjectionTerms, disclose
from holdback.disclosures.figures import Financing
from holdback.lifecycle.events import OfferDisclosed
from holdback.merchant.merchant import MOST_DISCLOSED
from holdback.operations import (
    Disclose,
    EraseProfile,
    FundDeal,
    PlaceHold,
    RecordSignature,
    Requote,
)
from journey import Journey

TEXTS = {"financer": "Acme of 1 Example Street"}


def pounds(amount):
    return Money.of(Decimal(amount), "GBP")


def pence(minor):
    return pounds(Decimal(minor) / 100)


def journey_with(*regimes):
    journey = Journey(Engine.for_trial(with_disclosures(*regimes)))
    journey.ask()
    return journey


def disclosed(journey, offer=None, **given):
    offer_id = offer or journey.first_offer().offer_id
    return journey.do(Disclose(offer_id=offer_id, **{"texts": TEXTS, **given}))


def refused(code, do, *arguments, **options):
    with pytest.raises(Refusal) as raised:
        do(*arguments, **options)
    assert raised.value.code == code
    return raised.value


def test_an_offer_is_disclosed_with_figures_lines_and_what_they_rest_on():
    """
    "An operation `disclose` of an offer gives the figures, their derivation and the texts."
    """
    journey = journey_with(regime())
    offer = journey.first_offer()
    reply = disclosed(journey)

    split = Fraction(offer.split_percentage) / 100
    takings = pounds(journey.merchant.offer_sets[0].facts["average_monthly_takings"])
    own = disclose(
        regime(),
        Financing(
            purchase_price=offer.funded_amount.minor, purchased_amount=offer.repayment_amount.minor
        ),
        ProjectionTerms(
            consummation=journey.today(),
            frequency="daily",
            split=split,
            monthly_takings=takings.minor,
        ),
        texts=TEXTS,
    )
    assert reply.figures == own.figures
    assert [(line.id, line.value, line.sentences, line.source) for line in reply.lines] == [
        (line.id, line.value, line.sentences, line.source) for line in own.lines
    ]
    assert (reply.title, reply.foot, reply.due) == (own.title, own.foot, True)
    assert reply.title.endswith("Acme of 1 Example Street")
    last = own.payments.payments[-1]
    assert reply.assumptions == {
        "consummation": "2026-07-06",
        "days_of_a_month": "30.4",
        "first_payment": {
            "on": "2026-07-07",
            "amount": pence(own.payments.payments[0].amount).amount,
        },
        "last_payment": {
            "on": last.day.isoformat(),
            "amount": pence(last.amount).amount,
        },
        "facts": {},
    }
    steps = {step["name"]: step for step in reply.derivation}
    assert steps["apr"]["choices"] == ["K1", "K2", "K3", "K4", "K5"]
    assert steps["apr"]["value"] == reply.lines[1].value
    assert re.fullmatch("disclosure:[0-9a-f]{32}", reply.digest)


def test_fees_takings_and_frequency_are_stated():
    """
    "`monthly_takings` (the projection ...), `fees` that belong to a disclosure".
    """
    journey = journey_with(regime())
    fees = {"withheld": pounds(100), "third_parties": pounds(50)}
    reply = disclosed(journey, **fees, monthly_takings=pounds(20_000), frequency="weekly")
    price = pounds(reply.figures["purchase_price"]).minor
    assert pounds(reply.figures["amount_financed"]).minor == price - 100_00
    assert pounds(reply.figures["recipient_funds"]).minor == price - 150_00
    assert reply.figures["projected_monthly_takings"] == "20000.00"
    assert reply.assumptions["first_payment"]["on"] == "2026-07-13"


def test_the_same_input_has_the_same_reply_and_no_event():
    """
    "A repeated request with the same input has the same reply and no event", on a later day too.
    """
    journey = journey_with(regime())
    first = disclosed(journey)
    known = list(journey.events)
    journey.pass_time(hours=20)
    assert disclosed(journey) == first
    assert journey.events == known
    assert disclosed(journey, frequency="weekly") != first
    assert journey.events[-1].disclosure.on == date(2026, 7, 7)


def test_what_was_shown_is_in_the_journal_and_the_texts_in_the_profile():
    """
    "event `OfferDisclosed` that records all that was shown"; free text is in the profile.
    """
    journey = journey_with(regime())
    reply = disclosed(journey)
    (event,) = (event for event in journey.events if isinstance(event, OfferDisclosed))
    assert event.disclosure.title == "Offer summary of {financer}"
    assert event.disclosure.figures == reply.figures
    assert wire.read_event(wire.write_event(event)) == event
    assert wire.read_merchant(wire.write_merchant(journey.merchant)) == journey.merchant
    assert journey.engine.rebuild(journey.events) == journey.merchant
    texts = journey.profile.section(event.sections["texts"])
    assert texts.value == {**TEXTS, "collateral": "N/A"}
    stored = [wire.write_merchant(journey.merchant), *map(wire.write_event, journey.events)]
    assert not any(b"Example Street" in document for document in stored)
    assert b"Example Street" in wire.write(reply)


def test_an_erasure_takes_the_texts():
    """
    Free text of a host is erased with the profile, and nothing names it any more.
    """
    journey = journey_with(regime())
    disclosed(journey)
    journey.do(EraseProfile())
    assert journey.profile.sections == {}
    assert journey.merchant.disclosed == ()


def test_without_a_law_nothing_is_disclosed():
    """
    "Without a regime: a refusal that teaches."
    """
    journey = Journey()
    journey.ask()
    refusal = refused("not_possible_now", disclosed, journey)
    assert "`disclosures.toml`" in refusal.detail
    later = journey_with(regime(since=date(2027, 1, 1)))
    refused("not_possible_now", disclosed, later)
    later.accept()


def test_what_holds_back_an_offer_holds_back_its_disclosure():
    """
    An offer that a person has to look at first is not disclosed, and the docstring says so.
    """
    journey = journey_with(regime())
    journey.do(PlaceHold(code="fraud_suspected", by="a-3"))
    refusal = refused("referred", disclosed, journey)
    assert f"`{refusal.code}`" in Disclose.__doc__


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            {"facts": {"apr": "1%", "deals": 3}, "texts": {"financier": "A"}},
            [
                ("not_allowed", "$.facts.apr"),
                ("unknown_name", "$.facts.deals"),
                ("unknown_name", "$.texts.financier"),
                ("missing", "$.texts.financer"),
            ],
        ),
        (
            {"monthly_takings": pence(-1), "withheld": Money.of(Decimal(1), "USD")},
            [("out_of_range", "$.monthly_takings"), ("wrong_currency", "$.withheld")],
        ),
        ({"monthly_takings": pence(0)}, [("out_of_range", "$.monthly_takings")]),
        ({"withheld": pounds(900_000)}, [("wrong_value", "$")]),
    ],
)
def test_everything_wrong_is_said_at_once(given, expected):
    """
    "Errors teach: what is wrong, where, what was expected, what to do; all at once."
    """
    with pytest.raises(InvalidDocument) as raised:
        disclosed(journey_with(regime()), **given)
    assert [(error.code, error.path) for error in raised.value.errors] == expected


# -- what waits


def test_an_acceptance_waits_for_the_disclosure():
    """
    "`accept_offer` of an offer for which a disclosure is due ... and that was not disclosed is
    refused with an error code of its own".
    """
    journey = journey_with(regime())
    before = journey.merchant
    refusal = refused("not_disclosed", journey.accept)
    assert "The Offers Act" in refusal.detail
    assert journey.merchant == before
    disclosed(journey)
    journey.accept()


def test_an_offer_that_is_known_to_be_exempt_is_accepted():
    """
    "Unknown is not false": what exempts an offer is recorded by its disclosure, and nothing else.
    """
    journey = journey_with(regime())
    reply = disclosed(journey, facts={"deals_in_state_12m": 5})
    assert (reply.due, reply.decided_by) == (False, ("section 7",))
    assert reply.assumptions["facts"] == {"deals_in_state_12m": 5}
    journey.accept()
    journey.fund()  # what is not due is not signed


def test_another_offer_is_disclosed_anew():
    """
    "What was disclosed and then changed ... is disclosed anew by its own id."
    """
    journey = journey_with(regime())
    disclosed(journey)
    offer, limits = journey.first_offer(), journey.offers.products[0].limits
    requoted = journey.do(Requote(offer_id=offer.offer_id, amount=limits.minimum))
    new = requoted.products[0].offers[-1].offer_id
    refused("not_disclosed", journey.accept, new)
    disclosed(journey, new)
    journey.accept(new)
    assert [held.offer_id for held in journey.merchant.disclosed] == [new]


def test_a_funding_waits_for_the_disclosure():
    """
    "`before_funding`: `fund` waits likewise", and an accepted offer can be disclosed.
    """
    journey = journey_with(regime(required="before_funding", signed=False))
    journey.accept()
    refused("not_disclosed", journey.fund)
    disclosed(journey, journey.acceptance.offer.offer_id)
    journey.fund()


def sign(journey, digest):
    signed = RecordSignature(
        application_id=journey.acceptance.application_id, document="d-1", digest=digest
    )
    return journey.do(signed)


def test_a_funding_waits_for_the_signature_of_the_disclosure():
    """
    "the merchant's signature of the disclosure is needed before funding; a signature of the
    contract does not replace it".
    """
    journey = journey_with(regime())
    digest = disclosed(journey).digest
    journey.accept()
    sign(journey, "of the contract")
    assert "not signed" in refused("not_disclosed", journey.fund).detail
    sign(journey, digest)
    known = len(journey.events)
    sign(journey, digest)
    assert len(journey.events) == known
    (fulfilment,) = journey.merchant.fulfilments
    assert fulfilment.signature.digest == "of the contract"
    journey.fund()


def test_a_disclosure_that_was_replaced_cannot_be_signed():
    """
    A disclosure that is not the last of the offer signs neither the offer nor a contract.
    """
    journey = journey_with(regime())
    first = disclosed(journey).digest
    journey.accept()
    second = disclosed(
        journey, journey.acceptance.offer.offer_id, monthly_takings=pounds(9_000)
    ).digest
    refused("not_possible_now", sign, journey, first)
    sign(journey, second)
    journey.fund()


def test_a_renewal_has_its_payoff():
    """
    "A renewal has its own figures (payoff, double dipping, reduction of disbursement)."
    """
    journey = journey_with(regime(required=None))
    journey.accept()
    journey.fund()
    journey.pay_down(60)
    journey.ask(renewal=True)
    reply, deal = disclosed(journey), journey.deal
    payoff = Payoff(
        finance_charge=deal.repayment_amount.minor - deal.funded_amount.minor,
        total_repayment=deal.repayment_amount.minor,
        used=deal.balance.minor,
    )
    figures = {
        name: pounds(reply.figures[name]).minor
        for name in ("own_payoff", "payoffs", "double_dipping", "purchase_price", "recipient_funds")
    }
    assert figures["own_payoff"] == figures["payoffs"] == deal.balance.minor > 0
    assert figures["double_dipping"] == payoff.double_dipping > 0
    assert figures["recipient_funds"] == figures["purchase_price"] - deal.balance.minor
    assert [line.id for line in reply.lines][-1] == "double_dipping"


def test_the_same_disclosure_of_a_renewal_has_the_payoff_of_its_day():
    """
    "The same input has the same reply, on a later day too", though less is left of the old deal.
    """
    journey = journey_with(regime())
    disclosed(journey)
    journey.accept()
    sign(journey, journey.merchant.disclosed[0].digest)
    journey.fund()
    journey.pay_down(60)
    journey.ask(renewal=True)
    offer_id, balance = journey.first_offer().offer_id, journey.deal.balance
    first = disclosed(journey)
    assert journey.merchant.disclosure_of(offer_id).payoff == balance
    assert wire.read_merchant(wire.write_merchant(journey.merchant)) == journey.merchant

    def pay(minor):
        journey.pass_time(days=1)
        journey.remit(journey.entry(minor), complete_through=journey.today())
        known = len(journey.events)
        assert disclosed(journey, offer_id) == first
        assert len(journey.events) == known

    pay(100_00)
    journey.accept()
    pay(100_00)
    pay(journey.deal.balance.minor)
    assert not journey.deal.active
    another = disclosed(journey, offer_id, monthly_takings=pounds(9_000))
    assert another.figures["own_payoff"] == "0.00"
    sign(journey, another.digest)
    journey.fund()


@pytest.mark.parametrize(("days", "is_due"), [(-1, False), (0, True)])
def test_the_law_of_the_day_on_which_the_money_moved_is_asked(days, is_due):
    """
    A funding that is recorded late needs what the law asked on the day on which it was paid out.
    """
    begins = date(2026, 7, 9)
    journey = journey_with(regime(since=begins, required="before_funding", signed=False))
    journey.accept()
    journey.pass_time(days=5)
    application_id = journey.acceptance.application_id
    funding = FundDeal(application_id=application_id, on=begins + timedelta(days=days))
    if is_due:
        refused("not_disclosed", journey.do, funding)
        disclosed(journey, journey.acceptance.offer.offer_id)
    journey.do(funding)


# -- bounds


def offer_ids(journey):
    return [offer.offer_id for product in journey.offers.products for offer in product.offers]


def test_few_open_offers_are_disclosed():
    """
    "The merchant's state keeps only what the gate needs": the disclosures of 20 open offers,
    and the next is refused. None that was made is lost meanwhile.
    """
    journey = journey_with(regime())
    ids = offer_ids(journey)
    while len(ids) <= MOST_DISCLOSED:
        journey.ask()
        ids += offer_ids(journey)
    for offer_id in ids[:MOST_DISCLOSED]:
        disclosed(journey, offer_id)
    one_more = ids[MOST_DISCLOSED]
    refusal = refused("not_possible_now", disclosed, journey, one_more)
    assert refusal.detail == (
        "20 open offers are disclosed, and there can be no more: accept one, withdraw the offers, "
        "or wait until they expire"
    )
    assert len(journey.merchant.disclosed) == MOST_DISCLOSED
    disclosed(journey, ids[0], monthly_takings=pounds(9_000))
    journey.accept(ids[0])
    assert [held.offer_id for held in journey.merchant.disclosed] == [ids[0]]


def test_offers_that_have_expired_do_not_count():
    """
    The disclosure of an offer that nobody can accept any more makes room for that of another.
    """
    journey = journey_with(regime())
    while len(journey.merchant.disclosed) < MOST_DISCLOSED:
        for offer_id in offer_ids(journey)[: MOST_DISCLOSED - len(journey.merchant.disclosed)]:
            disclosed(journey, offer_id)
        journey.ask()
    journey.pass_time(days=60)
    journey.ask()
    disclosed(journey)
    assert [held.offer_id for held in journey.merchant.disclosed] == [
        journey.first_offer().offer_id
    ]
    assert journey.engine.rebuild(journey.events) == journey.merchant
