"""The check of a partner at its worst: the largest bodies, about other people each time."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from http import HTTPStatus
from typing import Any, Final

from holdback import wire
from holdback.testing import payloads
from holdback.testing.conformance.invariants import expect
from holdback.testing.conformance.session import Session
from holdback.testing.conformance.simulated.exchanges import OK, Exchange, SimulatedMerchant
from holdback.testing.conformance.simulated.requests import new_offers
from holdback.testing.conformance.simulated.simulation import Simulation
from holdback.wire.strict_json import REQUEST_LIMIT

# decisions/bounds#a-partner-at-its-worst
MOST_STATE: Final = 8 * 1024 * 1024
MOST_PROFILE: Final = 16 * 1024 * 1024
# The rounds after which the documents are read back: they become long, and reading them slow.
_ROUNDS_READ_BACK: Final = 8
# A set takes 60 of them, and 50 sets are open at most.
_REQUOTES: Final = 25


def worst_partner(session: Session) -> None:
    """Do each operation many times with other people: what is kept is small, new and readable."""
    worst = (_ask, _withdraw, _decline, _requote, _record_consents)
    for number, do_its_worst in enumerate(worst):
        simulation = session.simulation()
        merchant = simulation.merchant(name=f"worst-{number}")
        new_offers(simulation, merchant)
        for round_number in range(session.effort.times):
            do_its_worst(simulation, merchant, round_number)
            simulation.pass_time(seconds=1)
        _read_all(simulation, merchant)


def _send(
    simulation: Simulation,
    merchant: SimulatedMerchant,
    operation: str,
    body: Mapping[str, Any] | bytes,
) -> Exchange:
    """
    Make a request that is carried out, or refused at a bound.

    The events are read at the end: a history that is read after each request takes too long.
    """
    evidence = payloads.evidence(simulation.at.date()) if operation == "request_offers" else None
    request = simulation.input_for(operation, merchant, body, evidence)
    exchange = simulation.send(simulation.host, operation, request, simulation.new_key())
    message = f"{operation} got {exchange.status}, with the largest body"
    expect(exchange.status < HTTPStatus.INTERNAL_SERVER_ERROR, "sound-replies", message)
    return exchange


def _ask(
    simulation: Simulation, merchant: SimulatedMerchant, round_number: int
) -> list[dict[str, Any]]:
    """
    Ask for offers for other people in each round, and return the products that have offers.

    In the first rounds the documents are read back: they name the people of the newest request.
    """
    body = payloads.largest_request(merchant.merchant_id, round_number)
    asked = _send(simulation, merchant, "request_offers", body)
    if asked.status == OK and round_number < _ROUNDS_READ_BACK:
        _newest_is_kept(simulation, merchant, round_number)
    return [product for product in asked.reply.get("products", []) if product["offers"]]


def _newest_is_kept(simulation: Simulation, merchant: SimulatedMerchant, round_number: int) -> None:
    documents = simulation.documents(merchant)
    message = "a request was answered, and the applicants that it named are not kept"
    kept = any(f"{round_number:08}x".encode() in document for document in documents if document)
    expect(kept, "acknowledged-kept", message)


def _withdraw(simulation: Simulation, merchant: SimulatedMerchant, round_number: int) -> None:
    """Accept an offer with other bank details than before, and withdraw the application."""
    offers = _ask(simulation, merchant, round_number)[0]["offers"]
    acceptance = payloads.acceptance(
        offers[0]["offer_id"], payloads.longest_bank_details(round_number)
    )
    accepted = _send(simulation, merchant, "accept_offer", acceptance)
    expect(accepted.status == OK, "acknowledged-kept", "an open offer cannot be accepted")
    body = {"application_id": accepted.reply["application_id"], "status": "withdrawn"}
    _send(simulation, merchant, "close_application", body)


def _decline(simulation: Simulation, merchant: SimulatedMerchant, round_number: int) -> None:
    """Ask for offers for other people than before, and decline them."""
    _ask(simulation, merchant, round_number)
    state, _ = simulation.documents(merchant)
    application_id = wire.read_merchant(state).offer_sets[-1].application_id
    _send(simulation, merchant, "decline_offers", {"application_id": application_id})


def _requote(simulation: Simulation, merchant: SimulatedMerchant, round_number: int) -> None:
    """Ask for another amount of the newest set of offers, which is a new one now and then."""
    if round_number % _REQUOTES == 0:
        _ask(simulation, merchant, round_number)
    asked = next(
        exchange
        for exchange in reversed(simulation.exchanges)
        if exchange.operation == "request_offers" and exchange.status == OK
    )
    product = asked.reply["products"][0]
    amount = product["limits"]["minimum"] + Decimal(100 * (1 + round_number % _REQUOTES))
    _send(
        simulation,
        merchant,
        "requote",
        {"offer_id": product["offers"][0]["offer_id"], "amount": amount},
    )


def _record_consents(
    simulation: Simulation, merchant: SimulatedMerchant, round_number: int
) -> None:
    """Record hundreds of consents that nobody named before, of the same people."""
    consents = payloads.many_consents(round_number)
    body = {"consents": consents, "applicants": payloads.PROFILE["applicants"]}
    _send(simulation, merchant, "record_consents", body)


def _read_all(simulation: Simulation, merchant: SimulatedMerchant) -> None:
    """Read all that the host keeps of the merchant, and erase it: it is small enough for both."""
    state, stored_profile = simulation.documents(merchant)
    message = f"the state has {len(state)} bytes"
    expect(len(state) <= MOST_STATE, "small-documents", message)
    message = f"the profile has {len(stored_profile or b'')} bytes"
    expect(len(stored_profile or b"") <= MOST_PROFILE, "small-documents", message)
    _, profile = wire.read_stored(state, stored_profile)
    if profile is not None:
        size = max(len(section.canonical()) for section in profile.sections.values())
        message = f"a section of the profile has {size} bytes, more than a request may have"
        expect(size <= REQUEST_LIMIT, "small-documents", message)
    merchant.read_new_events(simulation.host)
    for event in merchant.events:
        wire.read_event(event)
    erased = simulation.ask("erase_profile", merchant, {}, key=simulation.new_key())
    message = "a merchant without an application in fulfilment cannot be erased"
    expect(erased.status == OK, "small-documents", message)
