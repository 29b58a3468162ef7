"""
The engine and an independent model of evidence and eligibility give the same answers.

The model (`evidence_model.py`) was written from the decisions alone. Both get the same random
histories (`evidence_histories.py`) of checks, requests, deals, people's decisions and days, and are
compared after every step: the facts that decide, the decisions on products, the eligibility in the
lookup and the review, the checks that are required, and every refusal.
"""

from __future__ import annotations

import time
from collections import Counter

import pytest
from evidence_histories import Difference, History
from planted_errors import instead, plant, without

from counts import count
from every_case import for_every
from holdback.eligibility import assessment as eligibility
from holdback.eligibility import derived_facts
from holdback.eligibility.ruleset import RuleSet
from holdback.lifecycle import carry_out, evolve
from holdback.lifecycle.context import Context
from holdback.lifecycle.deals import fulfilment
from holdback.lifecycle.evidence import checks as evidence
from holdback.lifecycle.evidence import recording
from holdback.lifecycle.offers import (
    acceptance,
    application_views,
    funding_rules,
    renewal_eligibility,
    since_the_offer,
)
from holdback.lifecycle.offers import requests as offers
from holdback.lifecycle.people import consents, rectification
from holdback.merchant.merchant import Merchant
from holdback.rulebooks.rulebook import CheckTerms

ALL = count("histories compared with the model of evidence")
# In a campaign a chunk has enough histories for the rarest situation to be reached twice or more.
CHUNKS = 20 if ALL < 5_000 else ALL // 5_000
HISTORIES = ALL // CHUNKS
# Among this number of histories of a chunk at least one reaches each of these.
REACHED = {
    "Accepted": 3, "Referred": 3, "Declined": 5, "initial": 2, "renewal": 6, "refused": 6,
    "recorded": 2, "too_old": 6, "due_again": 60, "approved": 15, "declined by a person": 40,
    "held": 15, "takings": 25, "funded": 4, "funded renewal": 100, "defaulted": 60,
    "cancelled": 100, "reinstated": 1_000, "declined offers": 200, "withdrawn offers": 200,
    "erased": 100, "eligible True": 12, "eligible False": 6, "payout waits": 60,
    "approved payout": 600, "corrected": 30, "consent": 60,
}  # fmt: skip


def compared(seeds, favoured=(), **of):
    """Compare the histories of *seeds*; return in how many of them each situation was reached."""
    reached, begun = Counter(), time.monotonic()
    for number, seed in enumerate(seeds, 1):
        history = History(seed, favoured, **of)
        try:
            reached.update(history.run(history.draw.randint(3, 7)))
        except Exception as error:
            error.add_note(f"This is the history of the seed {seed}.")
            raise
        if number % 1_000 == 0:
            rate = number / (time.monotonic() - begun)
            print(f"{number} histories, {rate:.0f} a second", flush=True)  # noqa: T201  # progress
    return reached


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_engine_and_model_agree_on_every_history(chunk):
    """
    No answer differs in any history, and histories reach every situation that the decisions name.
    """
    reached = compared(range(chunk * HISTORIES, (chunk + 1) * HISTORIES))

    few = {name: reached[name] for name, among in REACHED.items()
           if reached[name] < HISTORIES // among // 2}  # fmt: skip
    assert not few


# Errors that a lender would pay for, each by edits of the engine.
FAULTS = {
    "the newest record is the one that arrived last": [
        instead(evidence, "max(earlier, record, key=lambda held: held.made_at)", "record"),
    ],
    "a fact that a newer record does not give stays known": [
        instead(
            evidence,
            "newest[key] = max(earlier, record, key=lambda held: held.made_at)",
            "newest[key] = evolve(record, facts={**earlier.facts, **record.facts})",
        ),
    ],
    "a result may be a day older": [
        instead(evidence, "age > terms.max_age_days", "age > terms.max_age_days + 1"),
    ],
    "a result may be a day less old": [
        instead(evidence, "age > terms.max_age_days", "age >= terms.max_age_days"),
    ],
    "the age of a check is counted in days of UTC": [
        instead(evidence, "local_date(record.made_at, rulebook.zone)", "record.made_at.date()"),
    ],
    "a result that is too old counts": [
        instead(evidence, "state.why is None", 'state.why != "due_again"'),
    ],
    "the second credit check is compared by days": [
        instead(evidence, "record.made_at < due", "record.made_at.date() < due.date()"),
    ],
    "the second credit check is never due": [
        instead(evidence, "expired is None", "True"),
    ],
    "declined offers count as expired": [
        instead(evidence, "not LEFT_TO_EXPIRE.isdisjoint(closed.offers.values())", "closed.offers"),
    ],
    "an acceptance does not end what was due": [
        instead(evidence, "since = merchant.last_accepted_at", "since = None"),
        instead(evolve, 'draft.changes["credit_check_due"] = None', "pass"),
    ],
    "an approval lifts a declining rule": [
        without(renewal_eligibility, "not rules.declining >> bit & 1"),
        instead(
            renewal_eligibility,
            "(answers.false | answers.unknown) & ~ruleset.declining",
            "answers.false | answers.unknown",
        ),
        instead(RuleSet, "lifted &= ~self.declining", "pass"),
        instead(eligibility, "(false | unknown) & ~rules.declining", "false | unknown"),
    ],
    "an approval lifts the floor": [
        instead(eligibility, "progress < FLOOR", "progress < FLOOR and not lifted"),
    ],
    "an approval is for every base deal": [
        without(renewal_eligibility, "decision.base_deal_id == base_deal_id"),
    ],
    "a decision holds at its end": [
        instead(renewal_eligibility, "at < decision.until", "at <= decision.until"),
    ],
    "a default leaves approvals in force": [
        instead(evolve, "event.status == DEFAULTED", "False"),
    ],
    "a default is forgotten": [
        instead(derived_facts, "deal.status in DEFAULTS", "False"),
    ],
    "a hold is ignored at look-up": [
        without(renewal_eligibility, "merchant.on_hold"),
    ],
    "a hold is ignored in a request": [
        instead(renewal_eligibility, "self.merchant.on_hold", "False"),
    ],
    "a hold is ignored at acceptance and funding": [
        instead(since_the_offer, "merchant.on_hold", "False"),
    ],
    "the floor is ignored at funding": [
        instead(fulfilment, "base.progress < FLOOR", "False"),
    ],
    "the time on hold counts for a lapse": [
        instead(evolve, "elapsed(since, until)", "elapsed(since, since)"),
    ],
    "an application lapses after its last instant": [
        instead(carry_out, "at < waiting.lapses_at", "at <= waiting.lapses_at"),
    ],
    "an invitation leads to products that are all declined": [
        without(renewal_eligibility, "product.quote.decision != DECLINED"),
    ],
    "a check that is too old is not required": [
        instead(offers, 'state.why == "too_old"', "False"),
    ],
    "consents are not asked for": [
        instead(renewal_eligibility, "name not in self.consents", "False"),
    ],
    "a result counts for others": [
        without(evidence, "record.about == about"),
    ],
    "a declared check is about applicants alone": [
        instead(CheckTerms, "PEOPLE", "PEOPLE[:1]"),
    ],
    "a result is about those who applied first": [
        instead(evidence, "len(digests) == 1", "digests"),
        instead(recording, "{**since, **said}", "{**said, **since}"),
    ],
    "an approval is for all who apply": [
        instead(
            renewal_eligibility,
            "bool(people) and people.items() <= decision.sections.items()",
            "True",
        ),
    ],
    "recorded takings are those of any company": [
        instead(
            evidence, "merchant.sections.get(COMPANY) in {None, sections.get(COMPANY)}", "True"
        ),
    ],
    "an erasure leaves results": [
        instead(
            evolve,
            '("checks", "consents", "referrals", "disclosed")',
            '("consents", "referrals", "disclosed")',
        ),
    ],
    "a funding rule that is false is ignored": [
        instead(
            funding_rules, "self.answers.false | self.answers.unknown", "self.answers.unknown"
        ),
    ],
    "what is unknown lets a payout go": [
        instead(funding_rules, "self.answers.false | self.answers.unknown", "self.answers.false"),
    ],
    "a funding looks at no rule": [
        instead(fulfilment, "funding_held_back(case, fulfilment, answered)",
                "funding_held_back(case, fulfilment, None)"),
    ],
    "a person's approval of a payout is ignored": [
        instead(funding_rules, "lifted_mask(case.rulebook().funding, approved)", "0"),
    ],
    "a check that failed is not made again": [
        instead(funding_rules, 'evolve(check, why="failed")', "check"),
    ],
    "a payout that waits is in nobody's list": [
        instead(funding_rules, "not answered.waiting", "True"),
    ],
    "an offer that the lender withdrew is accepted": [
        instead(acceptance, "status == offer_states.WITHDRAWN_BY_LENDER", "False"),
    ],
    "a withdrawal is refused in words of its own": [
        instead(acceptance, "status == offer_states.WITHDRAWN_BY_LENDER", "False"),
        instead(
            acceptance,
            "{offer_states.WITHDRAWN, offer_states.DECLINED}",
            "{offer_states.WITHDRAWN, offer_states.DECLINED, offer_states.WITHDRAWN_BY_LENDER}",
        ),
    ],
    "a withdrawal is no expiry for the credit check": [
        instead(
            evidence,
            "not LEFT_TO_EXPIRE.isdisjoint(closed.offers.values())",
            "'Eligible' in closed.offers.values()",
        ),
    ],
    "the credit check is due at the expiry of what was withdrawn": [
        instead(evidence, "ended_at(offer_set)", "offer_set.expires_at"),
        instead(evidence, "ended_at(closed)", "closed.expires_at"),
    ],
    "offers that are withdrawn again are withdrawn later": [
        instead(application_views, "offer_set.is_open(case.at)", "offer_set.expires_at > case.at"),
        instead(evolve, "withdrawn.is_open(event.at)", "True"),
    ],
    "offers of an accepted application are withdrawn": [
        instead(
            application_views,
            "case.merchant.fulfilment_of(application_id) is not None",
            "False",
        ),
    ],
    "offers that expired are withdrawn": [
        instead(application_views, "closed not in statuses", "False"),
    ],
    "a withdrawal is forgotten": [
        instead(evolve, "offer_states.WITHDRAWN_BY_LENDER", "offer_states.ELIGIBLE"),
    ],
    "the consents of others count": [
        instead(Merchant, "given.applicants == applicants", "True"),
    ],
    "a consent counts for what corrected its applicants": [
        instead(
            Merchant,
            "given.applicants == applicants",
            "given.applicants in {applicants, *(old.digest for old in self.replaced_sections)}",
        ),
    ],
    "a renewal has no consents": [
        instead(offers, "merchant.consents_of(sections)", "()"),
    ],
    "the funding has no consents": [
        instead(funding_rules, "merchant.consents_of(application.sections)", "()"),
    ],
    "an erasure leaves consents": [
        instead(
            evolve,
            '("checks", "consents", "referrals", "disclosed")',
            '("checks", "referrals", "disclosed")',
        ),
        instead(consents, "case.profile.section(sections.get(applicants))", "None"),
    ],
    "the consents of the last applicants replace those before": [
        instead(
            evolve,
            "_keep_newest(held, [others for others in held if others not in needed], "
            "MOST_SUBJECTS)",
            "_keep_newest(held, held, 1)",
        ),
    ],
    "a consent that was withdrawn stays": [
        instead(
            consents,
            "said.get(name, name in held) is True",
            "said.get(name) is True or name in held",
        ),
    ],
    "a consent that is recorded is nobody's": [
        instead(evolve, "event.applicants", "None"),
    ],
    "the consents of a request are nobody's": [
        instead(
            evolve,
            "_keep_consents(draft, GivenConsents(applicants=applicants, names=names, "
            "section=section))",
            "pass",
        ),
    ],
    "nobody need say whose a consent is": [
        instead(
            consents,
            "only_people(merchant) | case.profile.people_of(self)",
            "{'applicants': ''} | only_people(merchant) | case.profile.people_of(self)",
        ),
    ],
    "a correction leaves the merchant as it was": [
        instead(evolve, 'draft.changes["sections"] = {**before, **after}', "pass"),
    ],
    "an application in fulfilment keeps what was corrected": [
        instead(evolve, '("offer_sets", "fulfilments")', '("offer_sets",)'),
    ],
    "open offers keep what was corrected": [
        instead(evolve, '("offer_sets", "fulfilments")', '("fulfilments",)'),
    ],
    "a correction changes what others said": [
        instead(evolve, "others.get(name) == digest", "name in others"),
    ],
    "a referral about what was corrected stays": [
        instead(
            evolve,
            '_drop(draft, "referrals", lambda referral: any(_same(referral.sections, replaced)))',
            "pass",
        ),
    ],
    "what was corrected is about others": [
        instead(recording, "replaced.isdisjoint(record.about.items())", "True"),
    ],
    "a result from before a correction counts for it": [
        instead(recording, "record.made_at < old.replaced_at", "False"),
    ],
    "a result of the instant of a correction has to say whom it is about": [
        instead(recording, "record.made_at < old.replaced_at", "record.made_at <= old.replaced_at"),
    ],
    "what is corrected back was replaced": [
        instead(evolve, "sections.get(old.name) != old.digest", "True"),
    ],
    "what an application says again was replaced": [
        instead(
            evolve,
            'draft.changes["replaced_sections"] = _still_replaced(draft, sections)',
            "pass",
        ),
    ],
    "an erasure leaves what was replaced": [
        instead(evolve, 'draft.changes["replaced_sections"] = ()', "pass"),
    ],
    "a correction that is repeated happens again": [
        instead(rectification, "merchant.sections.get(name) != digest", "True"),
    ],
    "the results of a correction are about what it corrects": [
        instead(carry_out, "isinstance(said, RectifyProfile)", "False"),
    ],
    "an erased profile is corrected": [
        instead(rectification, "merchant.profile_erased", "False"),
        without(evolve, 'draft.last("profile_erased")'),
    ],
    "what nobody accepted is corrected": [
        instead(rectification, "merchant.provider_id is None", "False"),
        without(evolve, 'draft.last("provider_id") is None'),
    ],
    "a clock that is far ahead is taken": [
        instead(carry_out, "abs(elapsed(seen, at))", "elapsed(at, seen)"),
    ],
    "a clock that is far behind is taken": [
        instead(carry_out, "abs(elapsed(seen, at))", "elapsed(seen, at)"),
    ],
    "a clock may be a day further off": [
        instead(carry_out, "timedelta(days=days)", "timedelta(days=days + 1)"),
    ],
    "the last instant that is near enough is too far": [
        instead(
            carry_out,
            "abs(elapsed(seen, at)) <= timedelta(days=days)",
            "abs(elapsed(seen, at)) < timedelta(days=days)",
        ),
    ],
    "a question is refused on a far clock": [
        instead(carry_out.carry_out, "not operation.is_question", "True"),
    ],
    "a host that is sure is refused": [
        without(carry_out, "case.context.sure"),
    ],
    "a host that is sure goes back in time": [
        instead(Context, "self.at >= last_seen_at", "self.at >= last_seen_at or self.sure"),
    ],
}  # fmt: skip


# The steps after which the rarer errors show, and how much of the first deal is paid for it.
FAVOURED = {
    "an acceptance does not end what was due": (("ask_initial", "accept"), None),
    "an approval lifts the floor": (("decide", "reverse", "ask_renewal"), 50),
    "an approval is for every base deal": (("decide", "ask_renewal", "ask_initial"), 100),
    "a default leaves approvals in force": (("decide", "mistake", "ask_renewal"), None),
    "the floor is ignored at funding": (("remit", "renew_less_paid"), 50),
    "the time on hold counts for a lapse": (("ask_initial", "ask_renewal", "wait_on_hold"), None),
    "an application lapses after its last instant": (("ask_initial", "accept"), None),
    "a decision holds at its end": (("decide",), None),
    "an approval is for all who apply": (("decide", "ask_initial"), None),
    **dict.fromkeys(
        (
            "an offer that the lender withdrew is accepted",
            "a withdrawal is refused in words of its own",
            "a withdrawal is no expiry for the credit check",
            "the credit check is due at the expiry of what was withdrawn",
            "offers that are withdrawn again are withdrawn later",
            "offers of an accepted application are withdrawn",
            "offers that expired are withdrawn",
            "a withdrawal is forgotten",
        ),
        (("ask_initial", "withdraw_offers", "accept"), None),
    ),
    **dict.fromkeys(
        (
            "a correction leaves the merchant as it was",
            "a correction changes what others said",
            "open offers keep what was corrected",
            "a referral about what was corrected stays",
            "what is corrected back was replaced",
            "what was corrected is about others",
            "what an application says again was replaced",
            "a correction that is repeated happens again",
            "the results of a correction are about what it corrects",
            "what nobody accepted is corrected",
            "a result from before a correction counts for it",
            "a result of the instant of a correction has to say whom it is about",
        ),
        (("ask_initial", "accept", "rectify", "record_checks"), 100),
    ),
    "an application in fulfilment keeps what was corrected": (
        ("ask_initial", "accept", "rectify", "record_checks", "fund"), None
    ),
    **dict.fromkeys(
        ("an erasure leaves what was replaced", "an erased profile is corrected"),
        (("ask_initial", "accept", "rectify", "close", "erase"), None),
    ),
    **dict.fromkeys(
        (
            "the consents of others count",
            "the consents of the last applicants replace those before",
            "a consent that was withdrawn stays",
            "a consent that is recorded is nobody's",
            "the consents of a request are nobody's",
            "nobody need say whose a consent is",
        ),
        (("consent", "ask_initial"), None),
    ),
    "a renewal has no consents": (("record_checks", "renew_with_consent"), 100),
    "the funding has no consents": (("ask_initial", "accept", "consent", "rectify"), None),
    "a consent counts for what corrected its applicants": (
        ("ask_initial", "accept", "consent", "rectify", "ask_renewal"), 100
    ),
    "an erasure leaves consents": (("consent", "erase", "ask_initial"), None),
    "recorded takings are those of any company": (("sell", "ask_initial", "accept"), None),
    "an erasure leaves results": (("erase", "ask_initial"), None),
    "a person's approval of a payout is ignored": (
        ("ask_initial", "accept", "record_checks", "decide_funding"), None
    ),
    **dict.fromkeys(
        (
            "a funding rule that is false is ignored",
            "what is unknown lets a payout go",
            "a funding looks at no rule",
            "a check that failed is not made again",
            "a payout that waits is in nobody's list",
        ),
        (("ask_initial", "accept", "record_checks", "fund"), None),
    ),
}  # fmt: skip


PLANTED = list(FAULTS)[:: len(FAULTS) // count("errors planted in what is remembered")]


@for_every("fault", PLANTED)
def test_a_wrong_engine_is_found(fault):
    """Each planted fault makes a difference to the model within some histories."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        plant(monkeypatch, FAULTS[fault])
        seeds = range(count("histories among which a planted fault is found"))
        favoured, paid = FAVOURED.get(fault, ((), None))
        with pytest.raises(Difference):
            compared(seeds, favoured, paid=paid)
