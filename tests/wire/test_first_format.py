"""Format 1: written for processes of the first version, and carried over to format 2."""

from __future__ import annotations

import json
from datetime import date

import attrs
import pytest
from regenerate import GOLDEN
from stored_lives import ENVELOPE, FIRST, OTHER_BANK, SALT, SECOND, FirstHost, whole_life

from every_case import for_every
from holdback import (
    BankDetails,
    ConfigurationError,
    Context,
    Entry,
    HistoryError,
    Merchant,
    Money,
    Refusal,
    StateError,
    Takings,
    wire,
)
from holdback.engine import Outcome
from holdback.lifecycle.offers.application import filled_application
from holdback.merchant.profile import Profile
from holdback.merchant.schedule import Pause
from holdback.operations import (
    AcceptOffer,
    CloseApplication,
    EraseProfile,
    FundDeal,
    LookUp,
    RequestOffers,
)
from holdback.wire import first_format
from holdback.wire.first_format import documents
from journey import BANK, Journey

STATE = (GOLDEN / "state_merchant.json").read_bytes()
PERSONAL = {"OffersIssued", "OfferAccepted", "DetailsSupplied"}
LIFE = whole_life()


def event_types(host):
    return {json.loads(event)["type"] for event in host.journal}


def test_a_life_has_every_event_of_format_1():
    """
    The life that is carried over below has every event that the first version wrote.
    """
    assert event_types(LIFE) == set(documents.EVENT_TYPES)


def test_a_state_of_format_1_is_written_again_as_it_was():
    """
    Both versions write the same bytes for the same merchant (how-to/upgrade).
    """
    for state in (STATE, LIFE.state):
        merchant, profile = wire.read_stored(state, None, salt=SALT, sequence=7)

        assert merchant.sequence == 7
        assert first_format.write_state(merchant, profile) == state


def test_a_journal_that_is_carried_over_leads_to_the_state_that_was_stored():
    """
    `engine.rebuild` of a journal that was carried over gives the state of format 1, carried over,
    and both profiles are the same (decisions/formats#from-format-1).
    """
    events, profile = LIFE.upcast()

    assert (SECOND.rebuild(events), profile) == LIFE.read()
    assert [event.sequence for event in events] == list(range(1, len(LIFE.journal) + 1))
    assert {(event.partner, event.merchant_id) for event in events} == {("acme", "m-1")}


def test_a_journal_that_was_continued_in_format_2_leads_to_the_state_that_was_stored():
    """
    The events of format 1 are carried over with the salt of the profile that is stored since.
    """
    salt = bytes(range(100, 116))
    host = Journey(SECOND)
    host.now, host.requests, host.merchant = LIFE.now, 100, LIFE.merchant
    host.merchant, host.profile = LIFE.read(salt=salt)
    host.do(
        CloseApplication(
            application_id=host.merchant.fulfilments[-1].application_id, status="declined"
        )
    )
    host.ask()
    host.accept()
    before, _ = LIFE.upcast(salt=host.profile.salt)

    assert SECOND.rebuild([*before, *host.events]) == host.merchant


def test_events_and_state_that_are_carried_over_have_no_personal_data():
    """
    Events and states hold no personal data: the profile alone has it (decisions/documents).
    """
    events, profile = LIFE.upcast()
    stored = [wire.write_merchant(LIFE.merchant), *map(wire.write_event, events)]
    secrets = [b"12345678", b"87654321", b"A Person", b"A. Person", b"Nine Lives", b"a van"]
    secrets += [b"ovens", b"flour", b"contracts.invalid"]

    assert [text for text in secrets if any(text in document for document in stored)] == []
    assert b"a van" in wire.write_profile(profile)


def test_a_use_of_funds_that_was_replaced_is_not_carried_over():
    """
    States of format 1 held a use of funds that was supplied later only until the next initial
    application, so neither the state nor the journal has it afterwards.
    """
    merchant, profile = LIFE.read()
    uses = [
        None if digest is None else profile.section(digest).value
        for digest in (f.sections.get("intended_use_of_funds") for f in merchant.fulfilments)
    ]

    assert uses == [None, "flour", "a second shop", "a van"]


def test_a_renewal_keeps_the_use_of_funds_of_the_initial_application():
    """
    A renewal has a use of funds of its own, and the merchant that of its initial application.
    """
    host = FirstHost()
    host.ask(intended_use_of_funds="flour")
    host.accept()
    host.fund()
    host.pay_down(60)
    host.ask(renewal=True, intended_use_of_funds="a second shop")
    host.accept(bank_details=None)

    assert json.loads(host.state)["intended_use_of_funds"] == "flour"
    assert (
        filled_application(
            host.acceptance.application_id, host.merchant, host.profile
        ).intended_use_of_funds
        == "a second shop"
    )


def test_a_repeated_request_is_recognised_across_the_upgrade():
    """
    A request for offers that the first version answered gets the same reply from format 2, and
    another request under its id a conflict (decisions/retries).
    """
    host = FirstHost()
    offers = host.ask(request_id="r-x")
    merchant, profile = host.read(salt=bytes(range(50, 66)))
    context = Context(at=host.now, request_id="r-x")
    again = SECOND.carry_out(
        merchant, RequestOffers(request=host.request()), context, profile=profile
    )

    assert (again.reply, again.events) == (offers, ())
    with pytest.raises(Refusal, match="request_conflict"):
        SECOND.carry_out(
            merchant,
            RequestOffers(request=host.request(intended_use_of_funds="x")),
            context,
            profile=profile,
        )


def test_a_repeated_acceptance_is_recognised_across_the_upgrade():
    """
    A retry of an acceptance of the first version gets the same reply from format 2.
    """
    host = FirstHost()
    host.ask()
    host.accept()
    merchant, profile = host.read()
    context = Context(at=host.now, request_id="another")
    offer_id = host.acceptance.offer.offer_id
    again = SECOND.carry_out(
        merchant, AcceptOffer(offer_id=offer_id, bank_details=BANK), context, profile=profile
    )

    assert (again.reply, again.events) == (host.acceptance, ())
    with pytest.raises(Refusal, match="already_accepted"):
        SECOND.carry_out(
            merchant,
            AcceptOffer(offer_id=offer_id, bank_details=OTHER_BANK),
            context,
            profile=profile,
        )


def test_facts_that_only_events_had_are_kept_in_the_events():
    """
    Events of format 1 recorded facts that no state held; they are in `first_format`.
    """
    events, _ = LIFE.upcast()
    issued, accepted = events[0], events[1]
    first_issued, first_accepted = map(json.loads, LIFE.journal[:2])

    assert issued.first_format == {"facts": first_issued["facts"]}
    assert accepted.first_format == {
        "facts": first_accepted["filled"]["facts"],
        "deals": first_accepted["filled"]["deals"],
    }
    assert first_accepted["filled"]["facts"]["credit_score"] == 700
    assert (issued.offer_set.facts, accepted.facts, accepted.earlier_deals) == ({}, {}, ())


def test_a_carried_over_offer_is_accepted_with_its_facts():
    """
    A set of format 1 does not hold its facts, so an acceptance has those of its evidence.
    """
    host = FirstHost()
    host.ask()
    merchant, profile = host.read()
    context = Context(at=host.now, request_id="another")
    outcome = SECOND.carry_out(
        merchant, AcceptOffer(offer_id=host.first_offer().offer_id), context, profile=profile
    )

    assert outcome.events[0].facts["credit_score"] == 700
    assert outcome.merchant.fulfilments[0].facts == outcome.events[0].facts


@for_every("name", sorted(first_format.documents.EVENT_TYPES))
def test_an_event_of_format_1_is_readable_for_ever(name):
    """
    A stored event stays readable: by itself if it never had personal data, else with its journal.
    """
    document = (GOLDEN / f"event_{name}.json").read_bytes()

    assert wire.format_of(document) == 1
    with pytest.raises(StateError) as refused:
        wire.read_event(document)
    assert "upcast_journal" in str(refused.value)
    if name in PERSONAL:
        with pytest.raises(StateError, match="upcast_journal"):
            wire.read_stored_event(document, sequence=4, **ENVELOPE)
        return
    for form in (document, document.decode(), json.loads(document)):
        if name in {"DealFunded", "RenewalEligibilityChanged"} and isinstance(form, dict):
            continue  # their numbers are exact only in the text
        event = wire.read_stored_event(form, sequence=4, **ENVELOPE)
        assert wire.EVENT_TYPES[name] is type(event)
        assert (event.partner, event.merchant_id, event.sequence) == ("acme", "m-1", 4)


def test_an_event_of_format_2_is_a_stored_event_too():
    """
    A reader of single events reads those of every format.
    """
    events, _ = LIFE.upcast()
    for event in events:
        document = wire.write_event(event)
        read = [
            wire.read_stored_event(form, sequence=event.sequence, **ENVELOPE)
            for form in (document, document.decode(), wire.event_to_dict(event))
        ]

        assert read == [event] * 3
        assert wire.format_of(document) == 2


def erased(host):
    host.do(
        CloseApplication(
            application_id=host.merchant.fulfilments[-1].application_id, status="withdrawn"
        )
    )
    host.do(EraseProfile())


def forgotten(host):
    host.do(
        CloseApplication(
            application_id=host.merchant.fulfilments[-1].application_id, status="withdrawn"
        )
    )
    host.pass_time(days=40)
    host.ask()


@for_every(
    ("change", "paths"),
    [
        (erased, {"$.profile_erased", "$.offer_sets[0].sections"}),
        (forgotten, {"$.closed_offer_sets"}),
    ],
)
def test_what_format_1_cannot_say_is_not_written(change, paths):
    """
    A merchant that holds what format 1 cannot say is not written in it: the error names all of it.
    """
    host = Journey(SECOND)
    host.ask()
    host.accept(bank_details=None)
    change(host)
    outcome = SECOND.carry_out(host.merchant, LookUp(), host.context(), profile=host.profile)
    with pytest.raises(ConfigurationError) as refused:
        wire.write_stored(outcome, format=1)

    assert paths <= {error.path for error in refused.value.errors}
    assert all("format 1 cannot say this" in error.message for error in refused.value.errors)


def test_a_merchant_that_remembers_requests_stays_in_format_2():
    """
    What format 2 remembers of requests is never lost by writing format 1.
    """
    host = Journey(SECOND)
    host.ask()
    host.accept()
    host.fund()
    outcome = FIRST.carry_out(host.merchant, LookUp(), host.context(), profile=host.profile)

    with pytest.raises(ConfigurationError) as refused:
        wire.write_stored(outcome)
    assert "$.requests" in {error.path for error in refused.value.errors}


DAY = date(2026, 7, 20)


def with_deal(**changes):
    """A change of the merchant's deal."""

    def change(merchant):
        (deal,) = merchant.deals
        return attrs.evolve(merchant, deals=(attrs.evolve(deal, **changes),))

    return change


def with_entries(*entries):
    return with_deal(entries=entries)


def with_fulfilment(merchant):
    fulfilments = (attrs.evolve(merchant.fulfilments[0], product="flex", queued=True),)
    return attrs.evolve(merchant, fulfilments=fulfilments)


def with_requoted(merchant):
    offer_set = attrs.evolve(merchant.offer_sets[0], requoted=("o-1",))
    return attrs.evolve(merchant, offer_sets=(offer_set,))


def with_takings(merchant):
    takings = (Takings(on=DAY, amount=Money.parse("GBP -1.00")),)
    return attrs.evolve(merchant, takings=takings, takings_since=DAY)


def entry(amount, **fields):
    return Entry(id="e" if "reverses" not in fields else "r", on=DAY, amount=amount, **fields)


POUND, PENNY = Money.parse("GBP 1.00"), Money.parse("GBP 0.01")
ENTRIES = "$.deals[0].entries"


@pytest.mark.parametrize(
    ("change", "path"),
    [
        (with_entries(entry(POUND, kind="payment")), ENTRIES),
        (with_entries(entry(POUND, kind="write_off")), ENTRIES),
        (with_entries(entry(POUND), entry(PENNY, reverses="e")), ENTRIES),
        (with_entries(entry(POUND, takings=Money.parse("GBP -1.00"))), ENTRIES),
        (with_deal(status="Recovered", closed_on=DAY), "$.deals[0]"),
        (with_deal(status="Unwound", closed_on=DAY), "$.deals[0]"),
        (with_deal(pauses=(Pause(on=DAY),)), "$.deals[0]"),
        (with_deal(product="flex", priced_on=DAY), "$.deals[0]"),
        (with_fulfilment, "$.fulfilments[0]"),
        (with_requoted, "$.offer_sets[0]"),
        (with_takings, "$.takings"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_format_1_drops_nothing_of_a_ledger(change, path):
    """
    Format 1 has remittances and whole reversals: what else happened to a deal is refused in it, and
    never written as something else.
    """
    host = Journey(FIRST)
    host.ask()
    host.accept()
    host.fund()
    assert wire.write_stored(Outcome(None, (), host.merchant, host.profile), format=1)
    with pytest.raises(ConfigurationError) as refused:
        wire.write_stored(Outcome(None, (), change(host.merchant), host.profile), format=1)

    assert [error.path for error in refused.value.errors] == [path]


def test_documents_are_written_in_the_format_of_the_engine():
    """
    `write_stored` writes the format that the engine writes, unless the host gives another.
    """
    for engine, number in ((FIRST, 1), (SECOND, 2)):
        host = Journey(engine)
        host.ask()
        outcome = engine.carry_out(host.merchant, LookUp(), host.context(), profile=host.profile)

        assert wire.format_of(wire.write_stored(outcome).state) == number
    outcome = FIRST.carry_out(Merchant.new(**ENVELOPE, jurisdiction="GB"), LookUp(), host.context())

    whole = attrs.evolve(outcome, profile=host.profile)
    assert wire.format_of(wire.write_stored(whole, format=1).state) == 1
    assert wire.format_of(wire.write_stored(whole, format=2).state) == 2


def test_format_1_needs_the_profile():
    """
    A state of format 1 holds the profile, so it cannot be written without it.
    """
    host = FirstHost()
    host.ask()
    host.accept()
    outcome = FIRST.carry_out(
        host.merchant, FundDeal(application_id=host.acceptance.application_id), host.context()
    )

    with pytest.raises(TypeError, match="profile="):
        wire.write_stored(outcome, format=1)
    with pytest.raises(ValueError, match="expected format 1 or 2"):
        wire.write_stored(outcome, format=3)


def test_erasure_waits_until_format_1_is_no_longer_written():
    """
    `erase_profile` is refused while format 1 is written, which has the profile in its events.
    """
    host = FirstHost()
    host.ask()

    with pytest.raises(Refusal, match="not_possible_now"):
        host.do(EraseProfile())


@for_every(
    ("change", "path"),
    [
        (lambda journal: journal[1:], None),
        (lambda journal: [journal[0], *journal], None),
        (lambda journal: [journal[0], b"{}", b"[]"], "$[1].format"),
        (lambda journal: [journal[0], journal[1].replace(b'"at"', b'"art"')], "$[1].at"),
        (lambda journal: [wire.write_event(LIFE.upcast()[0][0]), *journal], "$[0].format"),
    ],
)
def test_a_journal_that_is_not_whole_is_refused(change, path):
    """
    Events that do not follow one another, or cannot be read, are refused with their places.
    """
    journal = change(list(LIFE.journal))
    with pytest.raises(HistoryError if path is None else StateError) as refused:
        wire.upcast_journal(journal, jurisdiction="GB", salt=SALT, **ENVELOPE)

    assert path is None or path in {error.path for error in refused.value.errors}


def test_a_new_merchant_has_no_history():
    """
    The state of a merchant that nothing happened to is read and written, too.
    """
    state = b'{"format":1,"partner":"acme","merchant_id":"m-1","jurisdiction":"GB"}'
    merchant, profile = wire.read_stored(state, None, salt=SALT)
    new = Merchant.new(partner="acme", merchant_id="m-1", jurisdiction="GB")

    assert (merchant, profile) == (new, Profile.new(salt=SALT))
    assert wire.upcast_journal((), jurisdiction="GB", salt=SALT, **ENVELOPE) == ((), profile)


def test_empty_bank_details_are_none():
    """
    Details without a value are the same as none.
    """
    host = FirstHost()
    host.ask()
    host.accept(bank_details=BankDetails())

    assert json.loads(host.state)["bank_details"] is None
