"""
The scenarios of `docs/scenarios`: what `holdback run` prints for them, and what they show.

`python tests/docs/scenario_outputs.py` writes the outputs again.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections import defaultdict

import pytest
from repository import read
from scenario_outputs import NAMES, SCENARIOS, ran

from every_case import for_every
from holdback import wire
from holdback.cli.scenario import read_scenario, run
from holdback.engine import Engine
from holdback.exact.exact_json import write_json
from holdback.testing import given
from holdback.testing.memory_store import MemoryStore
from own_rules import with_own_rules

ENGINE = Engine.for_trial()
# From this day on every reference policy declines a merchant with a default, and checks age.
REVIEWED = dt.date(2026, 11, 22)


@pytest.fixture(scope="module")
def steps():
    """The steps of every scenario as `--json` prints them, by its name."""
    return {name: json.loads(ran(name, "--json").output) for name in NAMES}


def replies(steps, operation):
    return [step["reply"] for step in steps if step["operation"] == operation and "reply" in step]


def refused(steps):
    return [(step["operation"], step["problem"]["code"]) for step in steps if "problem" in step]


def events(steps, kind):
    return [event for step in steps for event in step["events"] if event["type"] == kind]


def decisions(step):
    """The decision on every product of a request, by its key, with the codes of reasons."""
    (issued,) = (event for event in step["events"] if event["type"] == "OffersIssued")
    return {
        decision["product"]: (
            decision["decision"],
            [reason["code"] for reason in decision["reasons"]],
        )
        for decision in issued["decisions"]
    }


def eligibility(steps):
    """What each look-up says of the active deal."""
    return [
        deal["performance"]["renewal_eligibility"]
        for reply in replies(steps, "look_up")
        for deal in reply["deals"]
        if deal["active"]
    ]


@for_every("name", NAMES)
def test_a_scenario_prints_what_its_file_holds(name):
    """`holdback run docs/scenarios/NAME.json` prints `NAME.txt`, and refuses steps as intended."""
    output = ran(name)

    assert output.output == read(SCENARIOS / f"{name}.txt")
    assert output.exit_code == (1 if "refused: " in output.output else 0)


@for_every("name", NAMES)
def test_every_journal_rebuilds(name):
    """
    What is carried out rebuilds: the events of each merchant give its stored state.
    """
    kept, journals = {}, defaultdict(list)

    def save(store, merchant, profile, version=0):
        kept[f"{merchant.partner} / {merchant.merchant_id}"] = merchant
        return stored(store, merchant, profile, version)

    stored = MemoryStore.save
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MemoryStore, "save", save)
        for step in run(read_scenario(read(SCENARIOS / f"{name}.json").encode()), ENGINE):
            journals[step.who] += [wire.read_event(write_json(event)) for event in step.events]

    assert {who: ENGINE.rebuild(journal) for who, journal in journals.items() if journal} == {
        who: merchant for who, merchant in kept.items() if merchant.sequence
    }


def test_a_first_contact_counts_in_the_first_request(steps):
    """
    "A hold or consent can be recorded of a merchant nobody has asked for yet", and takings and an
    erasure: the hold refers the first request, the consent is held, a new profile is not erased.
    """
    told = steps["first-contact"]
    requests = [step for step in told if step["operation"] == "request_offers"]
    body = json.loads(read(SCENARIOS / "first-contact.json"))
    for step in body:
        if step["operation"] == "record_consents":
            step["input"]["consents"] = {"credit_reporting": False}
    (without,) = (
        step.reply
        for step in run(read_scenario(json.dumps(body).encode()), ENGINE)
        if step.operation == "required_checks"
    )

    def asked(reply):
        return [check["consent"] for check in reply["checks"] if check["consent"]]

    assert refused(told) == []
    assert [decisions(step)["flex"][0] for step in requests] == ["Referred", "Accepted", "Accepted"]
    assert asked(without) == ["credit_reporting"]
    assert [asked(reply) for reply in replies(told, "required_checks")] == [[]]


def test_the_page_lists_every_scenario():
    """The page has a row for each scenario, and there is an output for each."""
    page = read(SCENARIOS / "index.md")

    assert sorted(re.findall(r"^\| `([\w-]+)` \|", page, re.MULTILINE)) == NAMES
    assert sorted(path.stem for path in SCENARIOS.glob("*.txt")) == NAMES


@for_every("name", NAMES)
def test_every_step_says_what_it_shows(name):
    """Each step has a note, and happens while the rules of the last review hold."""
    for step in json.loads(read(SCENARIOS / f"{name}.json")):
        assert step["note"].endswith(".")
        assert dt.date.fromisoformat(step["at"][:10]) >= REVIEWED


def test_withdrawn_offers_are_refused_as_expired_ones(steps):
    """The lender withdraws offers: the partner sees an expiry, and a second check is due."""
    told = steps["offers-withdrawn"]
    (required,) = replies(told, "required_checks")
    (withdrawn,) = events(told, "OffersWithdrawn")

    assert refused(told) == [
        ("accept_offer", "offers_expired"),
        ("decline_offers", "offers_expired"),
        ("withdraw_offers", "already_accepted"),
    ]
    assert (withdrawn["code"], withdrawn["by"]) == ("fraud_suspected", "agent-3")
    assert [listed["applications"][0]["status"] for listed in replies(told, "applications")] == [
        "offered",
        "expired",
    ]
    assert [(check["why"], check["not_before"]) for check in required["checks"]] == [
        ("due_again", withdrawn["at"])
    ]


def test_fees_are_what_the_offer_said_and_beside_the_balance(steps):
    """
    A payment that bounces and a default are charged as the offer said; fees are beside the balance,
    paid after it, and waived by name.
    """
    told = steps["fees"]
    (offers,) = replies(told, "request_offers")
    seasonal, counter = (product["offers"] for product in offers["products"])
    recovered = [reply["balance"] for reply in replies(told, "record_recovery")]
    (statement,) = replies(told, "statement")
    totals = {total["kind"]: total["amount"] for total in statement["totals"]}

    assert {fee["key"] for offer in seasonal for fee in offer["fees"]} == {
        "returned_payment",
        "default_interest",
    }
    assert not any("fees" in offer for offer in counter)
    assert refused(told) == [("charge_fee", "fee_not_allowed")] * 3
    assert [
        posting["entry"]["amount"]
        for event in events(told, "EntriesPosted")
        for posting in event["postings"]
        if posting["entry"].get("kind") == "fee"
    ] == ["EUR 10.00", "EUR 69.23", "EUR 38.66"]
    assert recovered == [5530, 0, 0]
    assert (totals["fee"], totals["fee_waiver"]) == (-117.89, 17.89)
    assert (statement["balances"], statement["closing"]) == (True, 0)


def test_a_defaulter_is_declined_as_a_newcomer(steps):
    """A merchant that defaulted owing money applies as a newcomer, and is declined with a code."""
    told = steps["defaulter"]
    (closed,) = replies(told, "close_deal")

    assert closed["balance"] == 11904
    assert decisions(told[5]) == {
        "flex": ("Declined", ["GB-P-07"]),
        "starter": ("Declined", ["GB-P-16"]),
    }


# What a merchant has to be in each jurisdiction so that every product is accepted.
NEWCOMERS = {
    "AU": {
        "average_monthly_takings": "24000",
        "register_entry_active": True,
        "register_defaults": 0,
    },
    "CA": {"average_monthly_takings": "24000"},
    "CA-QC": {"average_monthly_takings": "24000"},
    "DE": {"average_monthly_takings": "22000", "register_entries": 0},
    "GB": {"average_monthly_takings": "20000"},
    "IE": {"average_monthly_takings": "16000"},
    "JP": {"average_monthly_takings": "900000"},
    "US": {"average_monthly_takings": "40000"},
    "US-CA": {"average_monthly_takings": "40000"},
    "US-NY": {"average_monthly_takings": "40000", "other_advances": 0},
}


def evidence_of(code):
    return {
        "identity_verified": True,
        "business_verified": True,
        "credit_score": 720,
        "months_trading": 52,
        **NEWCOMERS[code],
    }


def test_the_cases_are_all_jurisdictions():
    """A jurisdiction that ships with rules of its own is tried below."""
    assert sorted(NEWCOMERS) == sorted(with_own_rules(ENGINE.jurisdictions).codes)


@for_every("code", sorted(NEWCOMERS))
def test_a_defaulter_is_declined_in_every_jurisdiction(code):
    """
    Every bundled jurisdiction refuses a merchant with a default, with a code: every product, for
    this reason alone.
    """
    rulebook = ENGINE.jurisdictions[code].rulebook(REVIEWED)
    codes = {
        product.key: [rule.code for rule in product.rules.rules if rule.id == "no-default"]
        for product in rulebook.products
    }
    story = given(
        ENGINE, jurisdiction=code, at="2026-11-23T12:00:00Z", evidence=evidence_of(code)
    ).after("request_offers")
    accepted = (
        story.knowing(**dict.fromkeys(evidence_of(code)))
        .after("accept_offer", {"bank_details": dict.fromkeys(rulebook.bank_details, "12-34-56")})
        .after("record_signature", {"document": "contract-1", "digest": "sha256:00"})
        .after("fund_deal")
    )
    defaulted = accepted.later(days=60).after("close_deal", {"status": "defaulted"})
    again = defaulted.later(days=7).after(
        "request_offers", {"application": {"provider_id": None}}, evidence=evidence_of(code)
    )
    (issued,) = (event for event in again.journal[-3:] if hasattr(event, "offer_set"))

    assert {product.decision for product in story.journal[-1].offer_set.products} == {"Accepted"}
    assert all(len(of_product) == 1 for of_product in codes.values())
    assert {
        product.key: list(product.codes)
        for product in issued.offer_set.products
        if product.decision == "Declined"
    } == codes


def test_bad_news_decides_until_newer_news(steps):
    """
    A failed check still decides in the next request, recorded or brought by a request that nobody
    followed. An older one that arrives late changes nothing; a newer one takes its place.
    """
    told = steps["bad-news"]
    declined = {"flex": ("Declined", ["GB-P-03"]), "starter": ("Declined", ["GB-P-13"])}
    accepted = {"flex": ("Accepted", []), "starter": ("Accepted", [])}
    requests = [step for step in told if step["operation"] == "request_offers"]

    assert [decisions(step) for step in requests] == [
        accepted, declined, declined, accepted, declined, declined
    ]  # fmt: skip
    assert refused(told) == [("record_evidence", "request_conflict")]
    (required,) = replies(told, "required_checks")
    assert required["checks"] == []
    # No check helps: the host learns that every product is declined on what is held.
    assert [each["codes"] for each in required["declined"]] == [["GB-P-03"], ["GB-P-13"]]


@for_every(
    ("name", "check"),
    [
        ("renewal-california", "disclosure_acknowledged"),
        ("renewal-quebec", "register_status"),
    ],
)
def test_a_partner_that_follows_the_nine_steps_renews(steps, name, check):
    """
    The nine steps of the renewal flow (service 1): `renewal_eligibility` is true before the first
    renewal, after the host recorded the check that alone was missing, and the renewal is funded.
    """
    told = steps[name]
    (review,) = replies(told, "review_renewal")
    operations = [step["operation"] for step in told]

    assert [missing["name"] for missing in review["checks"]] == [check]
    assert not review["renewal_eligibility"]
    assert refused(told) == []
    assert eligibility(told) == [True, False]
    assert operations[-6:] == [
        "look_up", "required_checks", "request_offers", "accept_offer", "fund_deal", "look_up"
    ]  # fmt: skip
    assert [deal["type"] for deal in told[-1]["reply"]["deals"]] == ["Initial", "Renewal"]


def test_a_referral_is_a_task(steps):
    """
    A person approves, and the product is accepted when the partner asks again; a rule that declines
    is not lifted. A person declines, and it is declined.
    """
    told = steps["referral"]
    requests = [step for step in told if step["operation"] == "request_offers"]

    assert [decisions(step)["flex"] for step in requests] == [
        ("Referred", ["GB-P-04"]),
        ("Accepted", []),
        ("Declined", ["GB-P-03"]),
        ("Referred", ["GB-P-04"]),
        ("Declined", ["PERSON"]),
    ]
    assert refused(told) == [("decide_referral", "referral_not_found")]


def test_a_hold_stops_what_is_new(steps):
    """
    On hold a request is referred, nothing is accepted or funded, and eligibility is false;
    servicing goes on. No partner reads the hold's code.
    """
    told = steps["hold"]
    partners = ("request_offers", "accept_offer", "look_up")
    seen = [step for step in told if step["operation"] in partners]

    assert decisions(told[2]) == dict.fromkeys(("flex", "starter"), ("Referred", ["REVIEW"]))
    assert refused(told) == [
        ("accept_offer", "referred"),
        ("fund_deal", "referred"),
    ]
    assert eligibility(told) == [False, True]
    assert len(replies(told, "record_remittance")) == 2
    for step in seen:
        text = str(step.get("reply") or step["problem"])
        assert not re.search(r"\b(hold|fraud\w*|sanctions\w*|dispute)\b", text)


def test_a_payout_waits_for_a_check_that_failed(steps):
    """
    A check that failed after the acceptance holds the payout back: a person approves the rule that
    refers, and nobody the one that declines. The partner sees a submitted application.
    """
    told = steps["payout-waits"]
    (seen,) = replies(told, "applications")

    assert refused(told) == [
        ("fund_deal", "referred"),
        ("fund_deal", "referred"),
        ("decide_referral", "not_possible_now"),
    ]
    assert [one["status"] for one in seen["applications"]] == ["submitted"]
    assert len(replies(told, "fund_deal")) == 1
    assert replies(told, "close_application")[0]["status"] == "declined"


def test_what_is_known_since_the_offer_refuses_its_acceptance(steps):
    """
    A deal that bounces after new offers, and its default, refuse the acceptance in one sentence.
    """
    told = steps["bounced-payment"]

    assert refused(told) == [("accept_offer", "referred")] * 3
    problems = [step["problem"] for step in told if step.get("problem")]
    assert problems == problems[:1] * 3
    assert events(told, "OfferAccepted") == events(told[:2], "OfferAccepted")


def test_a_check_counts_for_those_who_were_checked(steps):
    """
    Another applicant of another company needs all checks; a new director needs only their own. A
    consent counts for those who gave it.
    """
    told = steps["another-applicant"]
    others, joined, *of_consents = replies(told, "required_checks")

    assert [check["name"] for check in others["checks"]] == [
        "identity", "business", "consumer_credit", "takings"
    ]  # fmt: skip
    assert [check["name"] for check in joined["checks"]] == ["identity", "consumer_credit"]
    requests = [step for step in told if step["operation"] == "request_offers"]
    assert [decisions(step)["flex"][0] for step in requests[:3]] == [
        "Accepted", "Referred", "Accepted"
    ]  # fmt: skip
    lacking = [{check["consent"] for check in reply["checks"]} - {None} for reply in of_consents]
    assert lacking == [{"credit_reporting"}, set(), set()]
    assert not refused(told)


def test_offers_that_were_declined_have_not_expired(steps):
    """No second credit check follows from offers that were declined; one does from an expiry."""
    told = steps["offers-declined"]
    declined, expired = replies(told, "required_checks")

    assert declined == {"checks": []}
    assert [(check["name"], check["why"]) for check in expired["checks"]] == [
        ("consumer_credit", "due_again")
    ]
    assert refused(told) == [("accept_offer", "offer_withdrawn")]


def test_an_application_lapses(steps):
    """An application that was not funded in time lapses, and the merchant may apply again."""
    told = steps["lapse"]

    assert len(events(told, "ApplicationLapsed")) == 1
    assert replies(told, "applications")[0]["applications"][0]["status"] == "lapsed"
    assert refused(told) == [
        ("request_offers", "application_in_fulfilment"), ("supply_details", "not_possible_now")
    ]  # fmt: skip
    assert decisions(told[-1])["flex"] == ("Accepted", [])


def test_a_wrong_clock_changes_nothing(steps):
    """
    A command of a far clock is refused; at the right time it is carried out, and after years of
    silence a host says that it is sure. What is closed then stays closed.
    """
    told = steps["wrong-clock"]

    assert refused(told) == [
        ("record_remittance", "implausible_time"),
        ("record_recovery", "implausible_time"),
        ("record_remittance", "deal_closed_to_entries"),
    ]
    assert told[4]["events"] == []
    assert replies(told, "record_remittance")[0]["entry_ids"] == ["r-1"]
    assert [event["type"] for event in told[8]["events"]] == ["EntriesPosted", "Forgotten"]
    assert [reply["entry_ids"] for reply in replies(told, "record_recovery")] == [["c-1"], ["c-2"]]


def test_an_offer_is_disclosed_as_a_law_asks(steps):
    """
    What is wrong is said at once; then `OfferDisclosed` has the lines, and texts as names.
    """
    _, wrong, disclosed = steps["disclosure"]
    assert len(wrong["problem"]["errors"]) == 4
    assert disclosed["reply"]["due"] is True
    assert disclosed["reply"]["lines"][0]["label"] == "Funding Provided"


def test_a_contract_is_signed_before_the_funding(steps):
    """Where a signature is required before the funding, the funding waits for it."""
    told = steps["signature"]

    assert [step["operation"] for step in told[-3:]] == [
        "fund_deal",
        "record_signature",
        "fund_deal",
    ]
    assert refused(told) == [("fund_deal", "not_possible_now")]


def test_bank_details_are_complete_before_they_submit(steps):
    """Details that lack a field do not submit; an agent corrects them, and they do."""
    told = steps["bank-details"]

    assert [event["omitted"] for event in events(told, "OfferAccepted")] == [["bank_details"]]
    assert [event["type"] for event in told[4]["events"]] == [
        "BankDetailsChanged", "ApplicationSubmitted"
    ]  # fmt: skip
    assert refused(told) == [
        ("fund_deal", "not_possible_now"), ("change_bank_details", "invalid_request")
    ]  # fmt: skip


def test_the_floor_holds_at_the_funding(steps):
    """A renewal whose remittances were reversed after the offer is not funded below the floor."""
    told = steps["reversed"]
    funded = [step for step in told if step["operation"] == "fund_deal"]

    assert ["reply" in step for step in funded] == [True, False, True]
    assert "50 percent" in funded[1]["problem"]["detail"]


def figures(lookup):
    """The status, balance, progress and performance of every deal that a lookup shows."""
    return [
        (
            deal["status"],
            deal["balance"],
            deal["performance"]["progress"],
            deal["performance"]["performance"],
        )
        for deal in lookup["deals"]
    ]


def movements(lookup, place=0):
    """The kinds and signed amounts of what is not a remittance on a deal that a lookup shows."""
    return [
        (line["kind"], line["amount"])
        for line in lookup["deals"][place]["transactions"]
        if line["kind"] != "remittance"
    ]


def paid(lookup, place=0):
    """What the settled transactions of a deal that a lookup shows add up to."""
    lines = lookup["deals"][place]["transactions"]
    return sum(line["amount"] for line in lines if line["status"] != "Unsettled")


def test_a_chargeback_takes_back_a_part(steps):
    """Several reversals may take parts of a remittance, and not more than all of it."""
    told = steps["partial-chargeback"]
    balances = [reply["balance"] for reply in replies(told, "record_remittance")]
    (lookup,) = replies(told, "look_up")

    assert balances == [1500, 1600, 1750]
    assert refused(told) == [("record_remittance", "invalid_request")]
    assert [line["status"] for line in lookup["deals"][0]["transactions"]][2:] == [
        "Reversed", "Settled", "Reversal", "Reversal"
    ]  # fmt: skip
    assert paid(lookup) == 750 == 2500 - lookup["deals"][0]["balance"]


def test_a_double_payment_is_refunded_once(steps):
    """At most what was overpaid is refunded, and the same refund again changes nothing."""
    told = steps["double-payment-refunded"]
    first, again = (step for step in told if step["operation"] == "refund" and "reply" in step)
    (lookup,) = replies(told, "look_up")

    assert refused(told) == [("refund", "amount_not_possible")]
    assert (first["reply"], again["events"]) == (again["reply"], [])
    assert movements(lookup) == [("payment", 250), ("refund", -250)]
    assert paid(lookup) == 2500


def test_a_late_remittance_is_transferred_or_refunded(steps):
    """Where the file says so it goes to the active deal, whole; elsewhere a refund is due."""
    told = steps["late-remittance"]
    (lookup,) = replies(told, "look_up")
    posted = [event["postings"] for event in events(told, "EntriesPosted")]

    assert refused(told) == []
    assert movements(lookup) == [("settlement", 4544), ("transfer", -736)]
    assert movements(lookup, 1) == [("transfer", 736)]
    assert [[posting["entry"]["kind"] for posting in postings] for postings in posted] == [
        ["transfer", "transfer"],
        ["refund"],
    ]


def test_a_renewal_is_undone_within_its_days(steps):
    """
    Within `cooling_off_days` the principal comes back, the charge is cancelled and the base deal is
    active again, unchanged; the days are counted to that on which the money came back.
    """
    told = steps["unwind"]
    (lookup,) = replies(told, "look_up")

    assert refused(told) == [
        ("close_deal", "not_possible_now"),
        ("unwind_deal", "amount_not_possible"),
        ("unwind_deal", "not_possible_now"),
    ]
    assert figures(lookup) == [
        ("Funded", 4544, 61.8279, 98.8376), ("Unwound", 0, 3.6814, 140.2641)
    ]  # fmt: skip
    assert movements(lookup, 1) == [
        ("settlement", 4544), ("principal_return", 11520), ("charge_cancelled", 3192)
    ]  # fmt: skip
    assert paid(lookup, 1) == 19992


def test_what_is_recorded_later_is_of_its_own_day(steps):
    """
    A funding and a default are recorded up to a week later, a cancellation up to 30 days before the
    money; each counts from the day on which it happened.
    """
    told = steps["recorded-later"]
    (lookup,), (statement,) = replies(told, "look_up"), replies(told, "statement")
    (unwound,) = events(told, "DealUnwound")

    assert refused(told) == [
        ("fund_deal", "invalid_request"),
        ("fund_deal", "request_conflict"),
        ("close_deal", "invalid_request"),
    ]
    assert [event["deal"]["funded_on"] for event in events(told, "DealFunded")] == [
        "2026-12-03", "2026-12-03"
    ]  # fmt: skip
    assert (unwound["on"], unwound["cancelled_on"]) == ("2026-12-22", "2026-12-17")
    assert {line["on"] for line in statement["deals"][0]["lines"]} == {"2026-12-03", "2026-12-22"}
    assert figures(lookup) == [("Defaulted", 2380, 4.8, 21.8507)]


def test_a_payout_that_comes_back_is_paid_out_again(steps):
    """
    A payout comes back on any day before the first entry: money out and back are in the statement,
    a base deal is active again, and the same application is funded as another deal.
    """
    told = steps["payout-returned"]
    (lookup,), (statement,) = replies(told, "look_up"), replies(told, "statement")

    assert refused(told) == [
        ("fund_deal", "not_possible_now"), ("return_payout", "not_possible_now")
    ]  # fmt: skip
    assert figures(lookup) == [
        ("Unwound", 0, 0, 0), ("Funded", 4544, 61.8279, 98.8376), ("Unwound", 0, 0, 0)
    ]  # fmt: skip
    assert sorted(movements(lookup, 2)) == [
        ("charge_cancelled", 3192), ("payout_return", 12256), ("settlement", 4544)
    ]  # fmt: skip
    assert (statement["paid_out"], statement["received"], statement["closing"]) == (9600, 0, 11904)
    ids = [reply["deal_id"] for reply in replies(told, "fund_deal")]
    assert len(ids) == len(set(ids)) == 4


def test_a_default_is_cured(steps):
    """A default that is paid in full is `Recovered`; what is taken back makes it one again."""
    told = steps["cure-of-a-default"]
    (lookup,) = replies(told, "look_up")
    changes = [
        event["type"]
        for step in told
        for event in step["events"]
        if event["type"] in {"DealRecovered", "DealDefaultedAgain"}
    ]

    assert changes == ["DealRecovered", "DealDefaultedAgain", "DealRecovered"]
    assert [deal["status"] for deal in lookup["deals"]] == ["Recovered"]
    assert paid(lookup) == 2500


def test_a_default_is_settled_for_less(steps):
    """
    What is left of a default is waived as a whole; a payment that bounces takes the waiver back,
    and what comes in later is refunded.
    """
    told = steps["settled-for-less"]
    (lookup,), (statement,) = replies(told, "look_up"), replies(told, "statement")
    changes = [
        event["type"]
        for step in told
        for event in step["events"]
        if event["type"] in {"DealSettled", "DealDefaultedAgain"}
    ]

    assert refused(told) == [("waive_rest", "amount_not_possible")]
    assert changes == ["DealSettled", "DealDefaultedAgain", "DealSettled"]
    assert [deal["status"] for deal in lookup["deals"]] == ["Settled"]
    assert [line for line in movements(lookup) if line[0] == "waiver"] == [
        ("waiver", 600), ("waiver", -600), ("waiver", 600)
    ]  # fmt: skip
    assert paid(lookup) == 2500
    assert (statement["received"], statement["closing"]) == (1900, 0)


def test_a_default_is_paid_by_a_plan(steps):
    """
    "a plan of dated instalments whose breaches are facts (`days_past_due`)": what is paid on its
    day is not past due, another plan begins anew, and a default that is paid has none.
    """
    told = steps["plan"]
    shown = [lookup["deals"][0].get("plan") for lookup in replies(told, "look_up")]
    (statement,) = replies(told, "statement")

    assert refused(told) == [
        ("agree_plan", "amount_not_possible"), ("agree_plan", "request_conflict")
    ]  # fmt: skip
    assert [
        plan and (plan["days_past_due"], plan["past_due"], plan["next_due_on"]) for plan in shown
    ] == [
        (0, 0, "2027-09-30"), (12, 300, "2027-10-31"), (1, 200, "2027-12-31"), None
    ]  # fmt: skip
    assert [event["plan"]["replaced"] for event in events(told, "PlanAgreed")] == [[], ["plan-a"]]
    assert [each["paid"] for each in statement["deals"][0]["planned"]] == [300, 0, 0]
    assert (statement["balances"], statement["closing"]) == (True, 400)
    assert [event["on"] for event in events(told, "DealRecovered")] == ["2027-12-06"]


def test_a_write_off_gives_way_to_a_recovery(steps):
    """At most what is left of an ended deal is written off; a later recovery takes it back."""
    told = steps["write-off"]
    (lookup,) = replies(told, "look_up")

    assert refused(told) == [
        ("write_off", "not_possible_now"), ("write_off", "amount_not_possible")
    ]  # fmt: skip
    assert movements(lookup) == [("write_off", 1500), ("write_off", -200), ("recovery", 200)]
    assert paid(lookup) == 2500


def test_nothing_is_expected_in_a_pause(steps):
    """The expectation is flat in a pause, and goes on after it."""
    before, during, after = replies(steps["hardship-pause"], "look_up")

    assert figures(before) == figures(during) == [("Funded", 1060, 57.6, 97.0607)]
    assert figures(after) == [("Funded", 820, 67.2, 97.1374)]
    assert eligibility(steps["hardship-pause"]) == [True, False, True]


def test_a_pause_ends_with_its_deal(steps):
    """A deal that is repaid during a pause is not on pause, and its figures stay."""
    told = steps["repaid-during-a-pause"]
    (assessed,), (later,) = replies(told, "assess_renewal"), replies(told, "look_up")

    assert assessed["eligible"]
    assert figures(later) == [("Repaid", 0, 100, 168.5082)]
    assert refused(told) == [("resume", "not_possible_now")]


def test_terms_change_from_a_day_on(steps):
    """What was expected so far stays expected, and the rest is expected until the new end."""
    told = steps["other-terms"]
    before, after = replies(told, "look_up")
    expected = 91 / 305 + (1 - 91 / 305) * 90 / (600 - 91)

    assert refused(told) == [("change_terms", "not_possible_now")]
    assert figures(before) == [("Funded", 2125, 15, 50.2747)]
    assert figures(after)[0][:3] == ("Funded", 1825, 27)
    assert figures(after)[0][3] == pytest.approx(27 / expected, abs=0.0001)


def test_a_deal_is_settled_early(steps):
    """The quote is the balance less the discount; less is refused, and the deal is `Repaid`."""
    told = steps["early-settlement"]
    (quote,) = replies(told, "settlement_quote")
    (lookup,) = replies(told, "look_up")

    assert (quote["balance"], quote["discount"], quote["amount"]) == (1875, 187.5, 1687.5)
    assert refused(told) == [
        ("settle_early", "amount_not_possible"), ("settlement_quote", "not_possible_now")
    ]  # fmt: skip
    assert [deal["status"] for deal in lookup["deals"]] == ["Repaid"]
    assert sorted(movements(lookup)) == [("discount", 187.5), ("payment", 1687.5)]


def test_an_amount_is_chosen_between_the_limits(steps):
    """Any amount in the product's steps and limits is priced; what is offered is not added."""
    told = steps["requote"]
    quoted = [step for step in told if step["operation"] == "requote"]

    assert [len(step["events"]) for step in quoted] == [1, 0, 0, 0, 0, 1, 0]
    assert refused(told) == [
        *[("requote", "amount_not_possible")] * 3, ("requote", "already_accepted")
    ]  # fmt: skip
    assert replies(told, "accept_offer")[0]["offer"]["funded_amount"] == 12500


def test_a_queued_renewal_waits_for_its_base_deal(steps):
    """It is funded once that is repaid, nothing is deducted, and a default of it ends it."""
    told = steps["queued-renewal"]
    (ready,) = events(told, "QueuedRenewalReady")
    *_, waiting = replies(told, "applications")[0]["applications"]

    assert refused(told) == [("fund_deal", "not_possible_now")]
    assert ready["lapses_at"] == "2027-06-05T20:00:00Z"
    assert events(told, "DealRenewed") == []
    assert waiting["status"] == "declined"


def test_cash_without_a_deal_is_accounted_for(steps):
    """Cash that no ledger takes is held, applied up to what is owed, and its rest goes back."""
    told = steps["suspense"]
    (statement,) = replies(told, "statement")
    suspense = statement["suspense"]

    assert refused(told) == [
        ("record_remittance", "deal_closed_to_entries"),
        ("apply_suspense", "amount_not_possible"),
        ("erase_profile", "erasure_not_possible"),
    ]
    assert "record_suspense" in told[7]["problem"]["detail"]
    assert (statement["balances"], statement["received"]) == (True, 400)
    assert [(cash["suspense_id"], cash["left"]) for cash in suspense["held"]] == [("p-2", 100)]
    assert [(line["kind"], line["amount"]) for line in suspense["lines"]] == [
        ("suspense", 400), ("suspense_applied", -300)
    ]  # fmt: skip
