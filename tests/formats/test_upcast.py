"""What the first version stored is read by this one: it says the same, and answers the same."""

from __future__ import annotations

import json
import re
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import first_version
import pytest
from meaning import meaning_of_format_1, meaning_of_format_2

from counts import count
from holdback import (
    Context,
    Engine,
    InvalidDocument,
    Merchant,
    Refusal,
    load_jurisdictions,
    wire,
)
from holdback.engine import Outcome
from holdback.lifecycle.evolve import evolve_all
from holdback.merchant.profile import Profile
from holdback.testing.conformance.host import PARTNER_OPERATIONS
from holdback.testing.inputs import run_operation
from holdback.tools.replay.replay import SAME, replay, replay_offers
from holdback.tools.workbench.lock import lock_errors, read_lock

SALT = bytes(range(16))
SETTLES = re.compile(", of which [^,]* is paid out(?=, repaid as)")
STEP = len(first_version.documents()) // count("documents of the first version carried over")
DOCUMENTS = first_version.documents()[::STEP]
NAMED = ("partner", "merchant_id", "jurisdiction")
NEW_PROFILE = Profile.new(salt=SALT)
# The field that names the merchant in operations of partners.
BY_NAME = {"accept_offer": "offer_id", "look_up": "provider_id"}
# The first version's own rules: those that ship have changed since.
with TemporaryDirectory() as unpacked:
    RULES_OF_THEN = load_jurisdictions(first_version.rules(Path(unpacked)))
BOTH = {
    "format 1": Engine.for_trial(RULES_OF_THEN, format=1),
    "format 2": Engine.for_trial(RULES_OF_THEN),
}
# The facts that there are since, which are always known.
NEW_FACTS = {
    "days_in_pause",
    "deals_recovered",
    "deals_written_off",
    "paused",
    "refunds_due",
}
# What was decided since the first version, and changes what it answered or recorded.
COUNTED = "the deals that defaulted are known, although no history was declared complete"
REMEMBERED = "the results of checks of earlier requests count"
INVITED = "nobody is invited whom every product would decline"
# The merchants of `exchanges` to which that happened, by jurisdiction and the start of their names.
DECIDED_SINCE = {
    "GB long_and_renewed": COUNTED,
    "GB GB-4-": COUNTED,
    "GB s20260706-17-2": COUNTED,
    "JP JP-8-": COUNTED,
    "US-CA US-CA-4-": COUNTED,
    "US-CA US-CA-11-": COUNTED,
    "US-CA US-CA-13-": COUNTED,
    "JP JP-10-": REMEMBERED,
    "US-CA US-CA-7-": REMEMBERED,
    "US-CA US-CA-10-": REMEMBERED,
    "JP long_and_renewed": INVITED,
    "JP restated_takings": INVITED,
}
# The merchants of `documents` of which an answer is another one, for the same reasons: 19 answers
# of 3,346. Recorded takings, and counts of deals, are known in an initial application too.
ANSWERED_OTHERWISE = {
    ("JP long_and_renewed", "look_up"),
    ("JP restated_takings", "look_up"),
    *(
        (merchant_id, "request_offers")
        for merchant_id in (
            "JP repaid_and_reopened",
            "JP-7-\xa6z\u0101\u012er\u0142c\U00024e70`\xd9",
            "JP renewed_after_repayment",
            "JP-10-!\u0120\u0138\u4a06V?\u0130\xd4\xe0\u0107\xeb\U00010c35",
            "AU-11-:\xc3",
            'IE-10-"!\u196b\xd1\u0119\u0109\u0108',
            "IE-5-\xfd\U0001fb6c",
            "US-NY-6-\u010f\U00028774\u0118\xe6",
            "CA-5-\u0130\xf9L\u0141",
            "CA-QC-11-e)\u011b",
            "US-5-\xd3\u0134C",
        )
    ),
}


def upcast(document):
    """The merchant and the profile of a stored state."""
    sequence = len(document["events"])
    return wire.read_stored(document["state"].encode(), None, salt=SALT, sequence=sequence)


def upcast_journal(document, journal):
    """The events of a *journal* of the merchant, the merchant and the profile after them."""
    named = {name: document[name] for name in NAMED}
    events, profile = wire.upcast_journal(journal, salt=SALT, **named)
    return events, evolve_all(Merchant.new(**named), events), profile


def test_states_say_the_same():
    """
    A state of format 2 with its profile says what the state of format 1 said, to the last digit.
    """
    for document in DOCUMENTS:
        merchant, profile = upcast(document)
        state, stored_profile = wire.write_merchant(merchant), wire.write_profile(profile)
        before = meaning_of_format_1(document["state"])

        assert meaning_of_format_2(state, stored_profile) == before
        assert wire.read_stored(state, stored_profile, salt=b"") == (merchant, profile)


def test_journals_lead_to_the_same_merchants():
    """
    The events of a journal, carried over, lead to the merchant and the profile of its state.
    """
    for document in DOCUMENTS:
        events, *after = upcast_journal(document, document["events"])

        assert (*after,) == upcast(document)
        assert [event.sequence for event in events] == [*range(1, len(events) + 1)]


def test_format_1_is_written_byte_for_byte():
    """
    A state that was read is written in format 1 with the bytes that the first version wrote.
    """
    for document in DOCUMENTS:
        merchant, profile = upcast(document)
        outcome = Outcome(None, (), merchant, profile)

        assert wire.write_stored(outcome, format=1).state.decode() == document["state"]


@pytest.mark.parametrize("engine", BOTH.values(), ids=BOTH)
def test_answers_are_the_same(engine):
    """
    Later questions about a merchant get the bytes with which the first version answered them.
    """
    different = []
    for document in DOCUMENTS:
        merchant, profile = upcast(document)
        for answer in document["answers"]:
            again = answered(engine, merchant, profile, answer)
            before = answer["status"], answer["reply"]
            # The description of a renewal offer says since what of it settles the current deal.
            again = again[0], SETTLES.sub("", again[1])
            if again != before and not is_asked_once(answer["operation"], before, again):
                different.append((document["merchant_id"].partition("/")[0], answer["operation"]))

    assert [one for one in different if one not in ANSWERED_OTHERWISE] == []


def is_asked_once(operation, before, again):
    """Whether the required checks are those of before, without what is remembered."""
    if operation != "required_checks" or before[0] != again[0]:
        return False
    then, now = ({c["name"] for c in json.loads(reply)["checks"]} for _, reply in (before, again))
    return now <= then


def answered(engine, merchant, profile, asked):
    """The status and the reply to a question, asked as it was asked of the first version."""
    try:
        reply = outcome_of(engine, merchant, profile, asked).reply
    except (Refusal, InvalidDocument) as error:
        return wire.problem(error)["status"], wire.write_problem(error).decode()
    return 200, wire.write(reply).decode()


def outcome_of(engine, merchant, profile, asked):
    """The outcome of an operation, carried out again."""
    context = Context(
        at=datetime.fromisoformat(asked["at"]),
        request_id=asked.get("request_id", "golden-answer"),
        evidence=asked["evidence"] if asked["operation"] == "request_offers" else {},
    )
    body = None if asked["operation"] == "look_up" else asked["body"]
    return run_operation(engine, merchant, asked["operation"], body, context, profile=profile)


def test_decisions_are_replayed():
    """
    Every decision that the first version recorded is the same when it is derived again.
    """
    jurisdictions = BOTH["format 2"].jurisdictions
    for document in DOCUMENTS:
        for record in document["records"]:
            assert replay(json.loads(record), jurisdictions).state == SAME
        for event in map(json.loads, document["events"]):
            if event["type"] == "OffersIssued":
                assert replay_offers(event, jurisdictions).state == SAME
            elif event.get("assessment") is not None:
                assert replay(event["assessment"], jurisdictions).state == SAME


def test_the_lock_holds():
    """
    The lock of the first version holds for its jurisdictions, and for those that ship now.
    """
    text = (first_version.FOLDER / "digests.lock").read_text(encoding="utf-8")
    lock, errors = read_lock(text, "digests.lock")

    assert not errors
    assert len(lock.lines) == 50
    assert not list(lock_errors(lock, load_jurisdictions(), "digests.lock"))


def test_the_lock_holds_for_the_jurisdictions_of_then(first_path):
    """
    The digests of the first version are those of its own files, computed by this version.
    """
    folder = Path(first_path[1]) / "holdback" / "jurisdictions" / "bundled"
    text = (first_version.FOLDER / "digests.lock").read_text(encoding="utf-8")
    lock, _ = read_lock(text, "digests.lock")

    assert not list(lock_errors(lock, load_jurisdictions(folder), "digests.lock"))


def with_first_digest(reply):
    """The *reply* with the digest that the first version had for the same rulebook."""
    for rulebook in BOTH["format 1"].jurisdictions.rulebooks():
        reply = reply.replace(
            f'"digest":"{rulebook.digest}"', f'"digest":"{rulebook.first_digest}"'
        )
    return reply


class FirstFormatHost:
    """A host of this version that writes format 1, as during a rolling upgrade, without keys."""

    def __init__(self):
        self.states, self.journals, self.owners = {}, {}, {}

    def answer(self, exchange):
        """Carry out the request of an exchange, and store what it gives."""
        owner = self.owner(exchange)
        if owner in self.states:
            merchant, profile = wire.read_stored(
                self.states[owner], None, salt=SALT, sequence=len(self.journals[owner])
            )
        elif exchange["operation"] == "request_offers":
            merchant, profile = Merchant.new(**dict(zip(NAMED, owner, strict=True))), NEW_PROFILE
        else:
            return 404, None
        try:
            outcome = outcome_of(BOTH["format 1"], merchant, profile, exchange)
        except (Refusal, InvalidDocument) as error:
            return wire.problem(error)["status"], None
        self.keep(owner, outcome)
        return 200, with_first_digest(wire.write(outcome.reply).decode())

    def owner(self, exchange):
        """The merchant that the request is about, None if it is not known."""
        body, partner = json.loads(exchange["body"]), exchange["partner"]
        name = BY_NAME.get(exchange["operation"])
        if name is not None:
            return self.owners.get((partner, body[name]))
        merchant_id = exchange["merchant_id"] or body["application"]["merchant_id"]
        return partner, merchant_id, exchange["jurisdiction"]

    def keep(self, owner, outcome):
        if not outcome.events:
            return
        stored = wire.write_stored(outcome, format=1)
        self.states[owner] = stored.state
        self.journals.setdefault(owner, []).extend(stored.events)
        offer_sets = outcome.merchant.offer_sets
        names = [offer.offer_id for offer_set in offer_sets for offer in offer_set.offers]
        for name in (outcome.merchant.provider_id, *names):
            self.owners[owner[0], name] = owner


def test_format_1_is_lived_byte_for_byte():
    """
    The requests to the first version, made again while format 1 is written, store the same bytes.

    They also get the same replies, but for the digest in a review: it is of the second scheme, and
    what a review says besides. Where something was decided since, the merchant is listed above.
    """
    host, answered, different = FirstFormatHost(), set(), []
    for exchange in first_version.exchanges():
        key = exchange["partner"], exchange["operation"] in PARTNER_OPERATIONS, exchange["key"]
        if key in answered:
            continue  # a host answers from what it keeps for the key
        status, reply = host.answer(exchange)
        if status == 200 and exchange["key"] is not None:
            answered.add(key)
        # The sentences of refusals are for people, and may say more than they did.
        expected = exchange["reply"] if exchange["status"] == 200 else None
        if (status, as_then(exchange, reply)) != (exchange["status"], as_then(exchange, expected)):
            different.append(listed(host.owner(exchange)))
    expected = {
        tuple(document[name] for name in NAMED): document
        for document in first_version.documents()
        if document["events"]
    }

    for owner, state in host.states.items():
        events = [event.decode() for event in host.journals[owner]]
        if [*map(without_counts, events)] != [*map(without_counts, expected[owner]["events"])]:
            different.append(listed(owner))
        elif state.decode() != expected[owner]["state"]:
            different.append(owner)
    assert set(different) == set(DECIDED_SINCE)
    assert len(host.states) > 100


def listed(owner):
    """The name in `DECIDED_SINCE` of a merchant, or what it would be."""
    _, merchant_id, jurisdiction = owner
    name = f"{jurisdiction} {merchant_id.removeprefix(jurisdiction + ' ')}"
    return next((start for start in DECIDED_SINCE if name.startswith(start)), name)


def as_then(exchange, reply):
    """A *reply* of a review without what the first version did not say."""
    if exchange["operation"] != "review_renewal" or reply is None:
        return reply
    # The rules of then are in another folder.
    said = json.loads(reply.replace('"file":"bundled/', '"file":"jurisdictions/'))
    new = {"renewal_eligibility", "decided_by", "checks"}
    return {name: value for name, value in said.items() if name not in new}


def without_counts(event):
    """An event without the facts of deals that are known since, and the places of files."""

    def left(value):
        if isinstance(value, dict):
            gone = {"deals_completed", "deals_defaulted", "file", *NEW_FACTS}
            return {name: left(item) for name, item in value.items() if name not in gone}
        return [left(item) for item in value] if isinstance(value, list) else value

    return left(json.loads(event))
