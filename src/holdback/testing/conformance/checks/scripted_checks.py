"""Scripted checks for one kind of error each, such as in repeated requests or after an expiry."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import permutations
from types import MappingProxyType
from typing import Any, Final

from holdback.testing import payloads
from holdback.testing.conformance.invariants import BrokenInvariantError, expect
from holdback.testing.conformance.session import Session
from holdback.testing.conformance.simulated.agent_operation import UNKNOWN
from holdback.testing.conformance.simulated.exchanges import OK, Exchange, SimulatedMerchant
from holdback.testing.conformance.simulated.requests import (
    accept,
    ask_everything,
    close_as_defaulted,
    deliver,
    first_deal,
    fund,
    look_up,
    new_offers,
    pay,
    pay_until_renewable,
    request_offers,
    review,
)
from holdback.testing.conformance.simulated.rule_changes import (
    CHANGES,
    DROPPED,
    GRADE,
    graded_rules,
    graded_rules_after,
    rules,
)
from holdback.testing.conformance.simulated.simulation import Simulation

# What is refused after a change: without the rules of a jurisdiction, or in another currency.
_REFUSED_AFTER: Final[Mapping[str, str]] = MappingProxyType(
    {
        "renamed jurisdiction": "not_possible_now",
        "retyped jurisdiction": "currency_mismatch",
        DROPPED: "not_possible_now",
    }
)
_MICROSECOND: Final = timedelta(microseconds=1)
_TEN_YEARS: Final = timedelta(days=3_653)
# Offers made at these instants expire around the days on which clocks change in many places.
_SEASONS: Final = (
    datetime(2026, 3, 2, 0, 30, tzinfo=UTC),
    datetime(2026, 3, 28, 1, 30, tzinfo=UTC),
    datetime(2026, 10, 3, 23, 30, tzinfo=UTC),
    datetime(2027, 9, 25, 0, 59, 59, 999999, tzinfo=UTC),
)
_TAKINGS: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "takings": [{"on": "2026-03-01", "amount": Decimal("10.10")}],
        "complete_through": "2026-03-01",
    }
)


def partner_flow(session: Session) -> None:
    """Take the nine steps of a partner (service 1), renewal included, and check every reply."""
    simulation = session.simulation()
    merchant = simulation.merchant()
    deal_id = first_deal(simulation, merchant)
    look_up(simulation, merchant)
    pay_until_renewable(simulation, merchant, deal_id)
    review(simulation, merchant)
    deal = look_up(simulation, merchant).reply["deals"][0]
    expect(
        deal["performance"]["renewal_eligibility"],
        "lookup-agrees",
        "a well-performing deal at 60 percent is not eligible",
    )
    accept(simulation, merchant, new_offers(simulation, merchant)[0])
    fund(simulation, merchant)
    look_up(simulation, merchant)
    if "documents" not in simulation.optional:
        return  # numbers of the profile are in no event
    documents = simulation.documents(merchant)
    kept = b"".join(merchant.events) + (documents[1] or b"")
    for number in payloads.EXACT_NUMBERS:
        message = f"{number.decode()} was sent, and neither profile nor history has it"
        expect(number in kept, "exact-numbers", message)


def same_key(session: Session) -> None:
    """Repeat every operation with its key: at once, after the merchant moved on, a year later."""
    simulation = session.simulation()
    merchant = simulation.merchant()
    deal_id = first_deal(simulation, merchant)
    simulation.ask("record_takings", merchant, _TAKINGS, key=simulation.new_key())
    pay_until_renewable(simulation, merchant, deal_id)
    review(simulation, merchant)
    _ask_everything(simulation)
    _repeat_everything(simulation)
    offer_ids = new_offers(simulation, merchant, key=simulation.new_key())
    accept(simulation, merchant, offer_ids[0], key=simulation.new_key())
    application_id = merchant.projection.in_fulfilment[0]
    body = {"application_id": application_id, "status": "withdrawn"}
    simulation.ask("close_application", merchant, body, key=simulation.new_key())
    close_as_defaulted(simulation, merchant, deal_id)
    _repeat_everything(simulation)
    simulation.pass_time(days=365)
    _repeat_everything(simulation)


def _ask_everything(simulation: Simulation) -> None:
    """Ask for every operation about a new merchant that is referred, and about one with a deal."""
    referred, funded = simulation.merchant(name="referred"), simulation.merchant(name="funded")
    request_offers(simulation, referred, credit_score=600)
    first_deal(simulation, funded)
    for variant, merchant in ((1, referred), (0, funded)):
        ask_everything(simulation, merchant, variant, simulation.new_key)


def _repeat_everything(simulation: Simulation) -> None:
    for merchant, earlier in list(simulation.answered.values()):
        simulation.ask_again(merchant, earlier)


def retry_after_expiry(session: Session) -> None:
    """Repeat a successful acceptance after the offers expired, with its key and without it."""
    simulation = session.simulation()
    merchant = simulation.merchant()
    offer_id = new_offers(simulation, merchant)[0]
    first = accept(simulation, merchant, offer_id, key=simulation.new_key())
    simulation.at = merchant.projection.offers[offer_id].expires_at + timedelta(days=1)
    accept(simulation, merchant, offer_id, key=first.key)
    retry = accept(simulation, merchant, offer_id)
    message = f"an acceptance repeated without its key got {retry.status}"
    expect(retry.status == OK, "replay-after-expiry", message)
    expect(retry.body == first.body, "replay-equal", "without its key, the retry got other bytes")


def key_of_another_request(session: Session) -> None:
    """Use a key again with another body, with another operation, and from another partner."""
    simulation = session.simulation()
    merchant, foreign = simulation.merchant(), simulation.merchant("bolt")
    offer_ids = new_offers(simulation, merchant, key=simulation.new_key())
    new_offers(simulation, merchant)
    for _, exchange in list(simulation.answered.values()):
        body = payloads.offers_request(merchant.merchant_id, use="something else")
        evidence = payloads.evidence(simulation.at.date())
        simulation.ask("request_offers", merchant, body, key=exchange.key, evidence=evidence)
        accept(simulation, merchant, offer_ids[0], key=exchange.key)
        # A key belongs to its partner: the same text from another partner is another key.
        new_offers(simulation, foreign, key=exchange.key)
    _same_key_for_two_merchants(simulation)


def _same_key_for_two_merchants(simulation: Simulation) -> None:
    """Send the same body for another merchant, which makes it another request."""
    merchants = [simulation.merchant(name="one"), simulation.merchant(name="two")]
    for merchant in merchants:
        new_offers(simulation, merchant)
    key = simulation.new_key()
    for merchant in merchants:
        simulation.ask("record_takings", merchant, _TAKINGS, key=key)


def expiry(session: Session) -> None:
    """Accept offers at expiresAt, and a microsecond and an hour to either side of it."""
    shifts = (-_MICROSECOND, timedelta(0), _MICROSECOND, timedelta(hours=-1), timedelta(hours=1))
    for start in _SEASONS:
        simulation = session.simulation()
        for number, shift in enumerate(shifts):
            simulation.at = start
            merchant = simulation.merchant(name=str(number))
            offer_id = new_offers(simulation, merchant)[number % 2]
            simulation.at = merchant.projection.offers[offer_id].expires_at + shift
            accept(simulation, merchant, offer_id, key=simulation.new_key())


def clock_back(session: Session) -> None:
    """Turn the clock back over an expiry: the offer stays expired, no event is dated earlier."""
    simulation = session.simulation()
    merchant = simulation.merchant()
    expired = new_offers(simulation, merchant)
    simulation.at = merchant.projection.offers[expired[0]].expires_at + timedelta(minutes=1)
    open_offers = new_offers(simulation, merchant)
    simulation.pass_time(minutes=-10)
    accept(simulation, merchant, expired[0])
    accept(simulation, merchant, open_offers[0])
    simulation.pass_time(days=-3)
    fund(simulation, merchant)
    look_up(simulation, merchant)


def wrong_clock(session: Session) -> None:
    """Make requests on a clock ten years ahead or behind, and again when it is right."""
    for off in (_TEN_YEARS, -_TEN_YEARS):
        simulation = session.simulation()
        ended, offered = simulation.merchant(name="ended"), simulation.merchant(name="offered")
        deal_id = first_deal(simulation, ended)
        close_as_defaulted(simulation, ended, deal_id)
        offer_id = new_offers(simulation, offered)[0]
        right = simulation.at
        entry = ended.remittance(deal_id, 10, right.date())
        simulation.at = right + off
        body = {"deal_id": deal_id, "entries": [entry]}
        tried = [
            (ended, simulation.ask("record_remittance", ended, body, key=simulation.new_key())),
            (offered, accept(simulation, offered, offer_id, key=simulation.new_key())),
        ]
        review(simulation, ended)
        request_offers(simulation, offered, as_new=True, key=simulation.new_key())
        look_up(simulation, ended)
        simulation.at = right
        for merchant, refused in tried:
            again = simulation.ask_again(merchant, refused)
            message = f"{again.operation} got {again.status} when the clock was right again"
            expect(again.status == OK, "far-clock", message)


def two_applications(session: Session) -> None:
    """Accept an offer of each of a merchant's two open sets: the second is refused."""
    simulation = session.simulation()
    merchant = simulation.merchant()
    first_set, second_set = new_offers(simulation, merchant), new_offers(simulation, merchant)
    accept(simulation, merchant, first_set[0], key=simulation.new_key())
    accept(simulation, merchant, second_set[0], key=simulation.new_key())
    accept(simulation, merchant, first_set[1], key=simulation.new_key())
    request_offers(simulation, merchant, as_new=True, key=simulation.new_key())
    fund(simulation, merchant)
    application_id = next(iter(merchant.projection.applications))
    body = {"application_id": application_id}
    simulation.ask("fund_deal", merchant, body, key=simulation.new_key())
    accept(simulation, merchant, second_set[0])


def changed_rules(session: Session) -> None:
    """Change facts, products and jurisdictions under open offers and active deals."""
    for change in CHANGES:
        simulation = session.simulation()
        try:
            _change_rules(simulation, change)
        except BrokenInvariantError as broken:
            message = f"after the change `{change}`: {broken.observed}"
            raise BrokenInvariantError(broken.invariant, message) from broken
        finally:
            simulation.use_rules(rules(changed=False))


def _change_rules(simulation: Simulation, change: str) -> None:
    """Make an initial and a renewal offer, serve both after a *change*, and take it back."""
    simulation.use_rules(graded_rules())
    renewing, new = simulation.merchant(name="renewing"), simulation.merchant(name="new")
    deal_id = first_deal(simulation, renewing, grade=GRADE)
    pay_until_renewable(simulation, renewing, deal_id)
    offer_ids = {renewing: new_offers(simulation, renewing)[0]}
    offer_ids[new] = new_offers(simulation, new, grade=GRADE)[0]
    simulation.use_rules(graded_rules_after(change))
    simulation.pass_time(days=20)
    refused = _REFUSED_AFTER.get(change)
    _ask_by_the_rules_of_today(simulation, renewing, refused)
    for merchant, offer_id in offer_ids.items():
        _expect_served(accept(simulation, merchant, offer_id, key=simulation.new_key()))
        deal_id = fund(simulation, merchant)
        simulation.pass_time(days=2)
        _expect_served(pay(simulation, merchant, deal_id, 10))
        _ask_by_the_rules_of_today(simulation, merchant, refused)
    # Under the earlier rules, what was checked for the first offers counts for the next ones too.
    simulation.use_rules(graded_rules())
    simulation.pass_time(days=110)
    for merchant in offer_ids:
        pay(simulation, merchant, merchant.projection.active[0], 60)
        asked = request_offers(simulation, merchant, key=simulation.new_key())
        _expect_served(asked)
        made = any(product["offers"] for product in asked.reply["products"])
        message = "what was checked before the change does not count after it was taken back"
        expect(made, "still-served", message)


def _ask_by_the_rules_of_today(
    simulation: Simulation, merchant: SimulatedMerchant, refused: str | None
) -> None:
    """Ask for a review and for new offers, which may be *refused*, and look up, which is not."""
    _expect_served(review(simulation, merchant), refused)
    _expect_served(request_offers(simulation, merchant, key=simulation.new_key()), refused)
    look_up(simulation, merchant)


def _expect_served(exchange: Exchange, refused: str | None = None) -> None:
    """Expect that the answer is a reply, or a refusal with the code *refused*."""
    status, code = exchange.status, exchange.reply.get("code")
    message = f"{exchange.operation} got {status} {code}"
    expect(status == OK or (refused is not None and code == refused), "still-served", message)


def tenancy(session: Session) -> None:
    """Ask for what belongs to another partner: the answer is that of an id that never existed."""
    simulation = session.simulation()
    own, foreign = simulation.merchant("acme"), simulation.merchant("bolt", "other")
    first_deal(simulation, own)
    offer_id = new_offers(simulation, foreign)[0]
    accept(simulation, foreign, offer_id)
    provider_id = foreign.projection.provider_id or UNKNOWN
    for operation, name, foreign_id in (
        ("accept_offer", "offer_id", offer_id),
        ("look_up", "provider_id", provider_id),
    ):
        unknown_answer = simulation.ask(operation, own, {name: UNKNOWN})
        _check_as_unknown(unknown_answer, simulation.ask(operation, own, {name: foreign_id}))
    # The merchant's own offer_id is refused too where a provider_id is expected.
    own_offer_id = next(iter(own.projection.offers))
    simulation.ask("look_up", own, {"provider_id": own_offer_id})
    _renew_with_foreign_provider_id(simulation, provider_id)
    for partner in ("acme", "bolt"):
        twin = simulation.merchant(partner, "twin")
        events = twin.read_new_events(simulation.host)
        expect(not events, "tenancy", "a merchant without any request has a history")
        first_deal(simulation, twin)
        look_up(simulation, twin)


def _renew_with_foreign_provider_id(simulation: Simulation, foreign_id: str) -> None:
    merchant = simulation.merchant("acme", "new")
    unknown_answer, foreign_answer = (
        simulation.ask(
            "request_offers", merchant, payloads.offers_request(merchant.merchant_id, provider_id)
        )
        for provider_id in (UNKNOWN, foreign_id)
    )
    _check_as_unknown(unknown_answer, foreign_answer)


def _check_as_unknown(unknown: Exchange, foreign: Exchange) -> None:
    message = (
        f"{foreign.operation} got {foreign.status} for another partner's id, "
        f"and {unknown.status} for one that never existed"
    )
    same = (foreign.status, foreign.body) == (unknown.status, unknown.body)
    expect(same, "tenancy", message)


def deliveries(session: Session) -> None:
    """Deliver the same entries in several orders, some twice: the deal is always the same."""
    outcomes: set[str] = set()
    for number, order in enumerate(permutations(range(4))):
        if number % 3 == 0:  # eight of the 24 orders
            outcomes.add(_deal_after(session.simulation(), order))
    expect(len(outcomes) == 1, "any-order", f"the orders gave {len(outcomes)} different deals")


def _deal_after(simulation: Simulation, order: tuple[int, ...]) -> str:
    """Return the looked-up deal, without ids, after its entries were delivered in *order*."""
    merchant = simulation.merchant()
    deal_id = first_deal(simulation, merchant)
    entries = _entries(simulation.day_of(merchant))
    simulation.pass_time(days=30)
    for count, number in enumerate(order, start=1):
        deliver(simulation, merchant, deal_id, entries[number])
        deliver(simulation, merchant, deal_id, entries[order[0]])
        stored = len(merchant.projection.deals[deal_id].entries)
        message = f"{count} entries were delivered, one of them again, and {stored} are stored"
        expect(stored == count, "delivered-once", message)
    deal = look_up(simulation, merchant).reply["deals"][0]
    transactions = sorted(deal["transactions"], key=lambda transaction: transaction["id"])
    without_ids = {**deal, "id": "", "application_id": "", "transactions": transactions}
    return json.dumps(without_ids, default=str, sort_keys=True)


def _entries(funded_on: date) -> list[dict[str, Any]]:
    return [
        payloads.entry("e-1", funded_on + timedelta(days=1), Decimal("100.10")),
        payloads.entry("e-2", funded_on + timedelta(days=2), Decimal("7000.05")),
        payloads.entry("e-3", funded_on + timedelta(days=3), Decimal("0.01"), settled=False),
        payloads.entry("e-4", funded_on + timedelta(days=4), Decimal("55.00")),
    ]


def restart(session: Session) -> None:
    """Ask a new process on the same store: it gives every earlier reply again, and carries on."""
    simulation = session.simulation()
    merchant = simulation.merchant()
    deal_id = first_deal(simulation, merchant)
    pay_until_renewable(simulation, merchant, deal_id)
    before = look_up(simulation, merchant)
    process = session.new_process()
    try:
        for asked_about, earlier in list(simulation.answered.values()):
            operation = earlier.operation
            again = simulation.send(process, operation, earlier.input, earlier.key)
            message = f"the reply to {operation} has other bytes"
            expect(again.body == earlier.body, "restart", message)
            events = asked_about.read_new_events(simulation.host)
            expect(not events, "restart", f"{operation} happened again")
        after = simulation.send(process, "look_up", before.input, None)
        expect(after.body == before.body, "restart", "the lookup has other bytes")
        provider_id = merchant.projection.provider_id or UNKNOWN
        body = payloads.offers_request(merchant.merchant_id, provider_id)
        simulation.ask("request_offers", merchant, body, key=simulation.new_key(), by=process)
    finally:
        process.close()
