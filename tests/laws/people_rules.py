"""
What people and checks do to a merchant, as rules of a state machine, and a model of it.

The model is written from the design alone: records of checks, approvals, declines and holds, each
folded from the JSON of the events.
"""

from __future__ import annotations

import json
from collections import Counter
from datetime import datetime, timedelta
from typing import ClassVar

import attrs
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from holdback import BankDetails, Engine, Refusal, wire
from holdback.exact.exact_json import Opaque
from holdback.jurisdictions.folder import bundled_path
from holdback.jurisdictions.jurisdiction import Jurisdictions
from holdback.jurisdictions.reader import FILES, read_jurisdiction
from holdback.lifecycle.context import CheckResult
from holdback.lifecycle.events import event_type
from holdback.operations import (
    AcceptOffer,
    AskApplications,
    AskEvidence,
    AskHolds,
    AskReferrals,
    ChangeBankDetails,
    DecideReferral,
    DeclineOffers,
    EraseProfile,
    LiftHold,
    LookUp,
    PlaceHold,
    RecordConsents,
    RecordEvidence,
    RecordSignature,
    RectifyProfile,
    ReinstateDeal,
    RequestOffers,
    WithdrawOffers,
)

HOLDS = ("watchlist-7", "dispute-8")
NOTE = "Asked the bank about it."
CORRECTED = {
    "applicants": Opaque('[{"name":"A. Person","address":"2 New Street"}]'),
    "company": Opaque('{"name":"Nine Lives Ltd","address":"2 New Street"}'),
}
FACTS = {
    "identity": {"identity_verified": True},
    "business": {"business_verified": True},
    "consumer_credit": {"credit_score": 700},
}
BAD = {
    "identity": {"identity_verified": False},
    "business": {},
    "consumer_credit": {"credit_score": 600},
}
# A deal can be undone from the first day on, and what comes in late is refunded.
AFTER_THE_FUNDING = (
    (
        "jurisdiction.toml",
        '{ from = 2024-01-01, value = 0, source = "reference policy" },',
        '{ from = 2024-01-01, value = 20, source = "reference policy" },',
    ),
    ("jurisdiction.toml", 'late_remittances = "transfer"', 'late_remittances = "refund"'),
)
# A renewal waits until the deal before it is repaid.
QUEUED = (
    (
        "products.toml",
        'repayment_mechanism = "terminal_split"',
        'repayment_mechanism = "terminal_split"\nrenewal = "queue"',
    ),
)
# A fee for each payment that bounces, up to three of them, and one for a default.
FEES = tuple(
    (
        "products.toml",
        before,
        f"""\
{before}
[[products.fees]]
key = "bounced"
after = "reversal"
amount = "GBP 10.00"
at_most = "GBP 30.00"
source = "reference policy"

[[products.fees]]
key = "default"
after = "default"
amount = "GBP 25.00"
at_most = "GBP 25.00"
source = "reference policy"
""",
    )
    for before in (
        'term = { calculator = "takings_pace" }\n',
        'term = { calculator = "fixed", months = 10 }\n\n',
        'settlement = { calculator = "percentage", percentage = "50%" }\n',
    )
)
# A jurisdiction that asks for all there is: a signature, a consent, checks that are not too old.
STRICTER = (
    (
        "jurisdiction.toml",
        'bank_details = ["account_number", "sort_code"]',
        """\
bank_details = ["account_number", "sort_code"]
signature = "before_funding"
consents = ["terms"]""",
    ),
    ("jurisdiction.toml", "from = 2026-11-22, value = 90", "from = 2024-01-01, value = 90"),
)


def edited_rules(edits):
    folder = bundled_path().joinpath("GB")
    files = {name: folder.joinpath(name).read_text(encoding="utf-8") for name in FILES}
    for name, before, after in edits:
        assert before in files[name]
        files[name] = files[name].replace(before, after)
    given = {name: text.encode() for name, text in files.items()}
    return Jurisdictions([read_jurisdiction("GB", given)])


ENGINES = {
    "as shipped": Engine.for_trial(),
    "stricter": Engine.for_trial(edited_rules(STRICTER + AFTER_THE_FUNDING + FEES)),
    "queued": Engine.for_trial(edited_rules(AFTER_THE_FUNDING + QUEUED + FEES)),
}


@attrs.define
class People:
    """What the journal says of records, decisions and holds."""

    newest: dict = attrs.field(factory=dict)
    journal: set = attrs.field(factory=set)
    decisions: dict = attrs.field(factory=dict)
    holds: set = attrs.field(factory=set)

    def apply(self, stored):
        event = json.loads(stored)
        kind = event["type"]
        if kind == "EvidenceRecorded":
            for record in event["records"]:
                self._record(record)
        elif kind == "ReferralDecided":
            decision = event["decision"]
            self.decisions[decision["product"], decision.get("base_deal_id")] = decision
        elif kind == "DealClosed" and event["status"] == "Defaulted":
            # "a default voids it", and voids no decline
            declined = self.decisions.items()
            self.decisions = {key: one for key, one in declined if one["decision"] == "decline"}
        elif kind == "ProfileErased":
            # "With it go the results of checks": the journal alone has them still.
            self.newest = {}
            approved = self.decisions.items()
            self.decisions = {key: one for key, one in approved if one["decision"] == "decline"}
        elif kind == "HoldPlaced":
            self.holds.add(event["hold"]["code"])
        elif kind == "HoldLifted":
            self.holds.remove(event["code"])

    def _record(self, record):
        made_at = datetime.fromisoformat(record["made_at"])
        subject = subject_of(record["check"], record["about"])
        self.journal.add((subject, made_at))
        earlier = self.newest.get(subject)
        if earlier is None or made_at > earlier[0]:
            facts = {name: value for name, (value, _) in record["facts"].items()}
            self.newest[subject] = (made_at, facts)

    def in_force(self, product, base_deal_id, at):
        """What was decided: a decline of the product in any application, an approval in its own."""
        held = {
            about: decision
            for about, decision in self.decisions.items()
            if about[0] == product and at < datetime.fromisoformat(decision["until"])
        }
        declined = (one for one in held.values() if one["decision"] == "decline")
        return next(declined, held.get((product, base_deal_id)))


def subject_of(check, about):
    """A check, and whom a result is about."""
    return check, tuple(sorted(about.items()))


class PeopleRules:
    """The operations of checks and people; a state machine has the merchant and `attempt`."""

    seen: ClassVar = Counter()

    @rule(
        check=st.sampled_from(sorted(FACTS)),
        good=st.sampled_from([True, True, False]),
        days=st.sampled_from([0, 0, 0, 1, 40, 100]),
    )
    def record_a_check(self, check, good, days):
        self.tick()
        made_at = self.now - timedelta(days=days)
        result = CheckResult(check=check, made_at=made_at, facts=(FACTS if good else BAD)[check])
        if self.attempt(RecordEvidence(records=[result])) is not None:
            kept = {made_at for (kind, _), made_at in self.people.journal if kind == check}
            later = sum(
                one.check == check and one.made_at > made_at for one in self.merchant.checks
            )
            assert made_at in kept or later >= 4

    @rule(data=st.data(), decision=st.sampled_from(["approve", "approve", "decline"]))
    def decide_a_referral(self, data, decision):
        asked = [(one.application_id, one.product) for one in self.merchant.referrals]
        asked = data.draw(st.sampled_from(asked)) if asked else ("none", "flex")
        until = data.draw(st.sampled_from([None, self.now + timedelta(days=3)]))
        application_id, product = asked
        self.attempt(
            DecideReferral(
                application_id=application_id,
                product=product,
                decision=decision,
                by="u-1",
                note=NOTE,
                until=until,
            )
        )

    @rule(decision=st.sampled_from(["approve", "decline"]))
    def decide_and_ask_again(self, decision):
        """Without it few decisions would be in force when the merchant asks again."""
        self.lift_every_hold()
        self.ask_to_be_reviewed()
        referral = next((one for one in self.merchant.referrals if one.rules), None)
        if referral is None:
            return
        self.attempt(
            DecideReferral(
                application_id=referral.application_id,
                product=referral.product,
                decision=decision,
                by="u-2",
            )
        )
        self.ask_again()

    # A hold before the first request leaves little to happen; the evidence model has it.
    @precondition(lambda self: self.merchant.currency)
    @rule(code=st.sampled_from(HOLDS), suspected=st.sampled_from([False, True]))
    def place_a_hold(self, code, suspected):
        if suspected:
            self.attempt(PlaceHold(code=code, by="u-1", note=NOTE))

    @precondition(lambda self: self.merchant.sequence)
    @rule(days=st.sampled_from([0, 20, 60]))
    def on_hold_for_a_while(self, days):
        """A hold, under which everything new is tried; `record` sees that nothing happens."""
        self.place_a_hold(HOLDS[0], True)
        self.ask_again()
        self.attempt(AcceptOffer(offer_id=self.offer_ids[-1]))
        self.fund_the_last_application()
        self.laws_of_checks_and_people()
        self.now += timedelta(days=days)
        self.lift_every_hold()

    @precondition(lambda self: self.merchant.holds)
    @rule(code=st.sampled_from(HOLDS))
    def lift_a_hold(self, code):
        self.attempt(LiftHold(code=code, by="u-1"))

    @precondition(lambda self: self.merchant.holds)
    @rule()
    def lift_every_hold(self):
        for hold in self.merchant.holds:
            self.attempt(LiftHold(code=hold.code, by="u-1"))

    @rule(sure=st.sampled_from([False, False, True]))
    def erase_the_profile(self, sure):
        if sure:
            self.attempt(EraseProfile())

    @precondition(lambda self: self.merchant.offer_sets)
    @rule(data=st.data())
    def decline_offers(self, data):
        ids = [offer_set.application_id for offer_set in self.merchant.offer_sets]
        self.attempt(DeclineOffers(application_id=data.draw(st.sampled_from(ids[-3:]))))

    @precondition(lambda self: self.merchant.offer_sets)
    @rule(data=st.data(), code=st.sampled_from(["fraud", "rules_changed"]))
    def withdraw_offers(self, data, code):
        ids = [offer_set.application_id for offer_set in self.merchant.offer_sets]
        application_id = data.draw(st.sampled_from(ids[-3:]))
        self.attempt(WithdrawOffers(application_id=application_id, code=code, by="u-1"))

    @rule(data=st.data(), document=st.sampled_from(["contract-1", "contract-2"]))
    def sign_an_application(self, data, document):
        application_id = data.draw(st.sampled_from(self.applications()))
        self.attempt(
            RecordSignature(application_id=application_id, document=document, digest="d-1")
        )

    @rule(sort_code=st.sampled_from(["10-20-30", "10-20-31", None]))
    def change_bank_details(self, sort_code):
        details = BankDetails(account_number="11111111", sort_code=sort_code)
        changed = self.attempt(ChangeBankDetails(bank_details=details))
        assert changed is None or sort_code is not None

    @precondition(lambda self: self.merchant.provider_id)
    @rule(section=st.sampled_from(sorted(CORRECTED)), times=st.sampled_from([0, 0, 0, 1, 2]))
    def rectify_the_profile(self, section, times):
        """
        "A corrected section is another subject": the old one is nowhere in the profile. The checks
        come with the correction, so that renewals go on; the evidence model has it without.
        """
        old = self.merchant.sections.get(section)
        checked = {**FACTS["identity"], **FACTS["business"], **FACTS["consumer_credit"]}
        for _ in range(times):
            command = RectifyProfile(**{section: CORRECTED[section]})
            outcome = self.attempt(command, self.context(**checked))
            if outcome is not None and self.merchant.sections[section] != old:
                assert old not in self.merchant.named_sections

    @precondition(lambda self: self.merchant.currency)
    @rule(given=st.sampled_from([True, True, False]))
    def record_consents(self, given):
        self.attempt(RecordConsents(consents={"terms": given}))

    @precondition(lambda self: any(deal.status == "Defaulted" for deal in self.merchant.deals))
    @rule()
    def reinstate_a_deal(self):
        defaulted = [deal.id for deal in self.merchant.deals if deal.status == "Defaulted"]
        self.attempt(ReinstateDeal(deal_id=defaulted[-1]))

    @rule(
        question=st.sampled_from([AskApplications, AskReferrals, AskHolds, AskEvidence, LookUp]),
        with_evidence=st.booleans(),
    )
    def ask_a_question(self, question, with_evidence):
        """ "Questions take no evidence", and change nothing."""
        evidence = {"credit_score": 700} if with_evidence else {}
        asked = self.attempt(question(), context=self.context_of_now(**evidence))
        assert asked is None if with_evidence else not asked.events

    # ------------------------------------------------------------------------ the laws

    def check_records(self):
        """
        The newest record of each check decides and the journal has them all.
        """
        held = {
            subject_of(record.check, record.about): (
                record.made_at,
                {name: f.value for name, f in record.facts.items()},
            )
            for record in sorted(self.merchant.checks, key=lambda one: one.made_at)
        }
        assert held == self.people.newest
        answered = self.engine.carry_out(
            self.merchant, AskEvidence(), self.context_of_now()
        ).reply.checks
        assert {subject_of(one.check, one.about): one.made_at for one in answered} == {
            subject: made_at for subject, (made_at, _) in self.people.newest.items()
        }

    def check_issued(self, issued):
        """
        An approval lifts nothing else than what a person approved; "never a declining rule, false
        or unknown, nor the floor". A decline makes the product `Declined`.
        """
        offer_set = issued.offer_set
        rulebook = self.engine.jurisdictions.resolve("GB", on=offer_set.issued_on)
        facts = rulebook.catalogue.prepare(dict(offer_set.facts))
        terms = {product.key: product for product in rulebook.products}
        for product, record in zip(offer_set.products, issued.decisions, strict=True):
            # Who is declined or referred has a reason to read (decisions/offers#reasons).
            texts = [reason["text"] for reason in record["reasons"]]
            assert all(texts)
            assert bool(texts) == bool(product.codes) == (product.decision != "Accepted")
            decision = self.people.in_force(product.key, offer_set.base_deal_id, issued.at)
            if decision is not None and decision["decision"] == "decline":
                assert product.decision == "Declined"
            approved = decision is not None and decision["decision"] == "approve"
            assert approved or not record.get("lifted")
            rulesets = [terms[product.key].rules, *([rulebook.renewal] * offer_set.renewal)]
            for ruleset in rulesets if product.offers else ():
                false, unknown = ruleset.masks(facts)
                assert not (false | unknown) & ruleset.declining
                self.seen["lifted"] += bool(false | unknown)
                assert approved or not false | unknown
            if product.offers and offer_set.renewal:
                assert facts[rulebook.renewal.progress] >= 50 * 10**4
            if self.people.holds:
                assert not product.offers
                assert product.decision != "Accepted"

    def check_look_up_equals_request(self):
        """
        `renewal_eligibility` is true exactly when a request at that instant without evidence is not
        refused and some product is not `Declined` although the rules agree, and the merchant is not
        on hold.
        """
        context = self.context_of_now()
        looked_up = self.engine.carry_out(self.merchant, LookUp(), context)
        assert not looked_up.events
        shown = [deal for deal in looked_up.reply.deals if deal.performance.renewal_eligibility]
        assert all(deal.deal.active for deal in shown)
        self.seen["eligible"] += bool(shown)
        assert bool(shown) == self.worth_an_invitation(context)

    def worth_an_invitation(self, context):
        if self.merchant.active_deal is None or self.merchant.holds:
            return False
        try:
            asked = self.engine.carry_out(
                self.merchant,
                RequestOffers(request=self.renewal_request()),
                context,
                profile=self.profile,
            )
        except Refusal:
            return False
        (issued,) = (one for one in asked.events if event_type(one) == "OffersIssued")
        self.check_issued(issued)
        rulebook = self.engine.jurisdictions.resolve("GB", on=issued.offer_set.issued_on)
        codes = {rule.id: rule.code for rule in rulebook.renewal.rules}
        return any(
            product.decision != "Declined" and rules_agree(issued.assessment, record, codes)
            for product, record in zip(issued.offer_set.products, issued.decisions, strict=True)
        )

    def check_a_hold_is_unseen(self):
        """
        "Nothing on a partner's wire tells a hold from another referral."

        Beside a twin without the hold: what would be accepted is shown as one that is referred
        because nothing was checked, and nothing else differs but the eligibility.
        """
        if not self.merchant.holds:
            return
        self.seen["held"] += 1
        context, twin = self.context_of_now(), attrs.evolve(self.merchant, holds=())
        waiting = twin.in_fulfilment
        lapses = waiting is not None and waiting.lapses_at is not None
        if not (lapses and max(self.now, self.merchant.last_seen_at) >= waiting.lapses_at):
            views = [
                wire.write(self.engine.carry_out(one, AskApplications(), context).reply)
                for one in (self.merchant, twin)
            ]
            assert views[0] == views[1]
        said = [wire.write(self.engine.carry_out(self.merchant, LookUp(), context).reply)]
        assert b'"renewal_eligibility":true' not in said[0]
        # Without any check all is referred for another reason, with the limits of a referral.
        unchecked = attrs.evolve(twin, checks=())
        asked = [self.asked_by_partner(one, context) for one in (self.merchant, twin, unchecked)]
        held = asked[0]
        for product, free, referred in zip(*asked, strict=False):
            if free["decision"] != "Accepted":
                assert product == free
            elif referred["decision"] == "Referred":
                assert product == referred
            assert product["decision"] != "Accepted"
        said += [json.dumps(held).encode(), *self.refused_acceptances(context)]
        for text in said:
            assert not any(code.encode() in text for code in (*HOLDS, NOTE))

    def asked_by_partner(self, merchant, context):
        """The products of the reply to a request for offers, as the partner sees them."""
        renewal = merchant.active_deal is not None
        request = self.renewal_request() if renewal else self.initial_request()
        try:
            asked = self.engine.carry_out(
                merchant, RequestOffers(request=request), context, profile=self.profile
            )
        except Refusal:
            return []
        return json.loads(wire.write(asked.reply))["products"]

    def refused_acceptances(self, context):
        for offer_id in self.offer_ids[-3:]:
            try:
                self.engine.carry_out(
                    self.merchant, AcceptOffer(offer_id=offer_id), context, profile=self.profile
                )
            except Refusal as refusal:
                problem = wire.write_problem(refusal)
                assert b"hold" not in problem.replace(b"urn:holdback", b"")
                yield problem


def rules_agree(assessment, record, codes):
    """Whether the renewal rules agree, with those lifted that a person approved for the product."""
    if assessment["outcome"] == "eligible":
        return True
    if assessment["outcome"] not in {"referred", "undetermined"} or not assessment["trace"]:
        return False
    trace = assessment["trace"]
    lacking = {codes[line["rule"]] for line in trace if line["answer"] is not True}
    return lacking <= set(record.get("lifted", ()))
