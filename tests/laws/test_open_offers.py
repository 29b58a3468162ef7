"""
The law of acceptance: what the questions say of an offer, and what `accept_offer` does, agree.

It is the law of funding for the other end of an offer. After any history, and at every instant at
which an answer may change, an offer is accepted exactly if the list of applications shows it open
and nothing stands against it: no hold, no person's decline, and no deal that is worse than it was
when the offer was made. Every other answer follows from the questions too, in the order of the
checks (decisions/offers#acceptance), and in one sentence for each code.
"""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from datetime import timedelta

import pytest
from evidence_histories import Difference, History
from planted_errors import instead, plant, without

from counts import count
from every_case import for_every
from holdback import Context, Refusal
from holdback.lifecycle import evolve
from holdback.lifecycle.offers import (
    acceptance,
    application_views,
    renewal_eligibility,
    requoting,
    since_the_offer,
)
from holdback.lifecycle.people import referrals
from holdback.merchant.instants import as_instant
from holdback.merchant.merchant import IN_FULFILMENT
from holdback.operations import (
    AcceptOffer,
    AskApplications,
    AskHolds,
    AskReferrals,
    FundDeal,
    LookUp,
    RequestOffers,
    RequireChecks,
    Requote,
)

HISTORIES = count("histories whose offers are asked about")
# Among this number of acceptances at least one is answered so, for this reason.
REACHED = {
    "accepted": 15, "accepted again": 12, "referred: hold": 150, "referred: deal": 120,
    "referred: decline": 250, "offers_expired": 4, "offer_withdrawn": 120, "already_accepted": 12,
    "offer_withdrawn: base deal": 2_000,
}  # fmt: skip
# The codes of which a sentence of its own would tell a partner why.
ALIKE = {"referred", "offers_expired", "already_accepted"}
# The statuses of an accepted application that waits for its funding.
WAITING = {*IN_FULFILMENT, "queued"}


class Disagreement(AssertionError):
    """A question and an operation do not agree."""


def agree(seed, at, what, said, done):
    if said != done:
        raise Disagreement(f"{what}: {said} by the questions, and {done}; {seed} at {at}")


def history_with_offers(seed):
    """A history with offers, what happens after them, and up to two further steps."""
    happens = AFTER_OFFERS[seed % len(AFTER_OFFERS)]
    history = History(seed, paid=PAID_BEFORE.get(happens[:1]))
    if seed // len(AFTER_OFFERS) % 2:
        history.prologue()
    history.record_checks(good=True)
    ask_again(history)
    for step in happens:
        history.now += timedelta(minutes=history.draw.choice((0, 1, 60)))
        if step in {ask_again, decline} or history.needs().get(step.__name__, True):
            step(history)
        history.compare()
    for _ in range(seed % 3):
        history.pass_time()
        history.step()
        history.compare()
    return history


def ask_again(history):
    """Ask for a renewal of the active deal, or else as one that applies for the first time."""
    history.ask(renewal=history.model.active() is not None, mapping=None)


def decline(history):
    """Ask with other checks until a product is referred that was offered, and have it declined."""
    for number in range(4):
        history.record_checks()
        # Of a deal that is repaid, as a renewal now and then: a decline holds for both.
        is_renewal = number % 2 == 0 and history.model.base(history.now) is not None
        history.ask(mapping=None, renewal=is_renewal or history.model.active() is not None)
        offered = {product for one in history.model.sets for product in one.offer_ids.values()}
        for referral in list(history.model.referrals):
            if referral.product in offered:
                history.decide(referral)
                return


# What happens to a merchant with open offers.
AFTER_OFFERS = (
    *[()] * 2,
    *[(History.hold,)] * 3,
    (History.hold, History.lift),
    *[(History.reverse,)] * 4,
    (History.reverse, History.default),
    *[(History.default,)] * 4,
    *[(decline,)] * 5,
    (History.decline_offers,),
    (History.withdraw_offers,),
    (ask_again, History.decline_offers, History.accept),
    (ask_again, History.accept, History.close),
    (ask_again, History.accept, History.fund),
)
# How much of a deal is paid, in percent, before offers are made and this happens to it.
PAID_BEFORE = {(History.reverse,): 100, (History.default,): 75, (decline,): 100}


def answer(history, operation, at, known=None):
    """The outcome of an operation on what is *known* at an instant, or its refusal."""
    known = known or history
    context = Context(at=as_instant(at, "$.at"), request_id=operation.name, sure=True)
    try:
        return history.engine.carry_out(known.merchant, operation, context, profile=known.profile)
    except Refusal as refusal:
        return refusal


def code_of(answered):
    """The code of a refusal, None of what was carried out."""
    return answered.code if isinstance(answered, Refusal) else None


class Asked:
    """What the questions say of a merchant at an instant."""

    def __init__(self, history, at):
        self.history, self.at = history, at
        self.views = {
            view.application_id: view
            for view in answer(history, AskApplications(), at).reply.applications
        }
        self.on_hold = bool(answer(history, AskHolds(), at).reply.holds)
        decisions = answer(history, AskReferrals(), at).reply.decisions
        self.declined = {one.product for one in decisions if one.decision == "decline"}
        self.deals = {one.deal.id: one.deal for one in answer(history, LookUp(), at).reply.deals}
        accepted = [view for view in self.views.values() if view.accepted_at is not None]
        # Of two that were accepted at one instant, the one that was asked for later is the last.
        self.last = max(reversed(accepted), key=lambda view: view.accepted_at, default=None)

    def foretell(self, one, offer_id):
        """How an acceptance of an offer in the set *one* is answered, and for which reason."""
        view = self.views[one.application_id]
        if offer_id in {held.offer.offer_id for held in self.history.merchant.fulfilments}:
            return "accepted again"
        not_chosen = view.accepted_at is not None or one.closed == "withdrawn"
        if not_chosen and self.last is not None and self.last.status in {*WAITING, "funded"}:
            return "already_accepted"
        if view.status == "expired" or self.at >= view.expires_at:
            return "offers_expired"
        if view.status != "offered":
            return "offer_withdrawn"
        return self.against(one, one.offer_ids[offer_id])

    def against(self, one, product):
        """Why an open offer of a *product* is refused, or that it is accepted."""
        if self.on_hold:
            return "referred: hold"
        if product in self.declined:
            return "referred: decline"
        # No question tells what was known of the deals when offers were made; the model does.
        if self.history.model.needs_a_person(self.at, one.knew, product):
            return "referred: deal"
        base = None if one.base is None else self.deals[one.base.id]
        if base is not None and base.status not in {"Funded", "Repaid"}:
            return "offer_withdrawn: base deal"
        return "accepted"

    def check_request(self, seed):
        """A request is refused for an application in fulfilment exactly if the list shows one."""
        history = self.history
        history.model.asking = history.model.last_people() or {"applicants": 0, "company": 0}
        waits = self.last is not None and self.last.status in WAITING
        for renewal in {False, history.merchant.provider_id is not None}:
            request = history.body(renewal=renewal)
            asked = [answer(history, operation(request=request), self.at)
                     for operation in (RequireChecks, RequestOffers)]  # fmt: skip
            for code in map(code_of, asked):
                agree(seed, self.at, "a request", waits, code == "application_in_fulfilment")
            if code_of(asked[-1]) is None:
                self.check_new_offers(seed, asked[-1])

    def check_new_offers(self, seed, outcome):
        """What a request offers can be accepted at once; on hold it offers nothing."""
        for product in outcome.reply.products:
            agree(seed, self.at, "an offer on hold", self.on_hold and bool(product.offers), False)
            for offer in product.offers[:1]:
                operation = AcceptOffer(offer_id=offer.offer_id)
                code = code_of(answer(self.history, operation, self.at, outcome))
                agree(seed, self.at, "an acceptance of what a request offers", None, code)


def check_accepted(seed, history, at, outcome):
    """What follows from an acceptance: no other one, no invitation, and a funding that waits."""
    application_id = outcome.reply.application_id
    views = answer(history, AskApplications(), at, outcome).reply.applications
    statuses = {view.application_id: view.status for view in views}
    agree(seed, at, "the status", statuses[application_id] in WAITING, True)
    shown = answer(history, LookUp(), at, outcome).reply.deals
    invited = any(one.performance.renewal_eligibility for one in shown)
    agree(seed, at, "an invitation", invited, False)
    request = RequireChecks(request=history.body(renewal=False))
    code = code_of(answer(history, request, at, outcome))
    agree(seed, at, "the next request", code, "application_in_fulfilment")
    about = {"application_id": application_id}
    needed = answer(history, RequireChecks(**about), at, outcome).reply
    held_back = [why for why in needed.held_back if ":" not in why]
    agree(seed, at, "against the payout, beside its rules", held_back, [])
    if statuses[application_id] == "submitted":
        funded = code_of(answer(history, FundDeal(**about), at, outcome))
        agree(seed, at, "the payout", bool(needed.held_back), funded == "referred")


def check_history(seed, reached, sentences):
    """Ask for the acceptance of an offer of each product, at every instant of a history."""
    history = history_with_offers(seed)
    before = history.merchant
    for at in sorted({history.now, *(i for i in history.instants() if i > history.now)}):
        asked = Asked(history, at)
        asked.check_request(seed)
        for one in history.model.sets:
            for offer_id in {product: name for name, product in one.offer_ids.items()}.values():
                said = asked.foretell(one, offer_id)
                reached[said] += 1
                refusal = check_offer(seed, history, at, offer_id, said)
                if refusal is not None:
                    words = sentences.setdefault(refusal.code, set())
                    words.add((refusal.status, refusal.detail))
    agree(seed, history.now, "the merchant is unchanged", history.merchant is before, True)


def check_offer(seed, history, at, offer_id, said):
    """Ask for the acceptance of an offer, and for a quote in its set; return the refusal."""
    operation = AcceptOffer(offer_id=offer_id, bank_details=history.bank())
    answered = answer(history, operation, at)
    code = code_of(answered)
    agree(seed, at, "an acceptance", re.match("[a-z_]+", said)[0], code or "accepted")
    offers = (offer for held in history.merchant.offer_sets for offer in held.offers)
    amount = next(offer.funded_amount for offer in offers if offer.offer_id == offer_id)
    requoted = code_of(answer(history, Requote(offer_id=offer_id, amount=amount), at))
    agree(seed, at, "a new quote", code == "referred", requoted == "referred")
    if said == "accepted" and code is None:
        check_accepted(seed, history, at, answered)
    elif code is None:
        agree(seed, at, "events of a repeated acceptance", (), answered.events)
    return None if code is None else answered


def hold_the_law(seeds, *, but=()):
    """
    Return how often each answer was foretold and given in the histories of *seeds*.

    A history that ends with an error of a type in *but* is left out.
    """
    reached, sentences = Counter(), {}
    for seed in seeds:
        with suppress(*but):
            check_history(seed, reached, sentences)
        for code in ALIKE & sentences.keys():
            agree(seed, "any instant", f"sentences of {code}", 1, len(sentences[code]))
    return reached


def test_what_is_said_of_an_offer_is_what_happens():
    """
    "After any history, for every instant, what is known + what is derived agree in look-up, review,
    request, acceptance and funding", and a refusal tells nobody of a hold.
    """
    reached = hold_the_law(range(HISTORIES))

    few = {name: reached[name] for name, among in REACHED.items()
           if reached[name] < reached.total() // among // 2}  # fmt: skip
    assert not few, f"of {reached.total()} acceptances: {dict(reached.most_common())}"


# Errors that a lender would pay for, or that a partner would read a hold from.
FAULTS = {
    "an offer is accepted on hold": [
        instead(since_the_offer, "merchant.on_hold", "False"),
    ],
    "what happened to deals since the offer is ignored": [
        instead(since_the_offer, "known_since(application.known_deals, merchant.deals)", "()"),
    ],
    "a default since the offer is ignored": [
        instead(since_the_offer, "now.status in DEFAULTS", "False"),
        instead(since_the_offer, "now.status == DEFAULTED", "False"),
    ],
    "what was known of deals counts against their offers": [
        instead(since_the_offer, "application.known_deals", "()"),
    ],
    "a person's decline leaves the offers that were made": [
        instead(since_the_offer, "decision.decision == DECLINE", "False"),
    ],
    "an approval stands against an offer": [
        instead(since_the_offer, "decision.decision == DECLINE", "True"),
    ],
    "a decline is for its own base deal": [
        instead(
            renewal_eligibility,
            "decision.product == product",
            "decision.product == product and decision.base_deal_id == base_deal_id",
        ),
    ],
    "a decline holds at its end": [
        instead(renewal_eligibility, "at < decision.until", "at <= decision.until"),
    ],
    "a decline that has ended is shown": [
        without(referrals, "case.at < decision.until"),
    ],
    "an offer is accepted at its expiry": [
        instead(acceptance, "case.at >= offer_set.expires_at", "case.at > offer_set.expires_at"),
    ],
    "an offer that has expired is shown as open": [
        instead(application_views, "offer_set.is_open(at)", "True"),
    ],
    "an offer that was declined is accepted": [
        instead(
            acceptance,
            "{offer_states.WITHDRAWN, offer_states.DECLINED}",
            "{offer_states.WITHDRAWN}",
        ),
    ],
    "an offer that the lender withdrew is accepted": [
        instead(acceptance, "status == offer_states.WITHDRAWN_BY_LENDER", "False"),
    ],
    "an acceptance that ended is said to stand": [
        instead(acceptance, "_acceptance_holds(case.merchant)", "True"),
    ],
    "an acceptance declines the other offers": [
        instead(
            evolve,
            "offer_states.ACCEPTED if offer.offer_id == accepted_id else others",
            "offer_states.ACCEPTED if offer.offer_id == accepted_id else offer_states.DECLINED",
        ),
    ],
    "the offer of a deal that was cancelled is accepted": [
        instead(acceptance, "base.status not in {FUNDED, REPAID}", "False"),
    ],
    "a new quote is made on hold": [
        instead(requoting, "check_offer(case, offer_set, product.key)", "None"),
    ],
    "a hold has a sentence of its own": [
        instead(
            since_the_offer,
            "'a person decides first; the offer stays open until it expires'",
            "'the merchant is on hold' if case.merchant.on_hold else 'a person decides first'",
        ),
    ],
}
PLANTED = list(FAULTS)[:: len(FAULTS) // count("errors planted in acceptances")]


@for_every("fault", PLANTED)
def test_an_error_in_acceptances_is_found(fault):
    """Each planted error breaks the law, in a history that the model of evidence lets pass."""
    seeds = range(count("histories among which a planted fault is found"))
    with pytest.MonkeyPatch.context() as monkeypatch:
        plant(monkeypatch, FAULTS[fault])
        with pytest.raises(Disagreement):
            hold_the_law(seeds, but=(Difference,))
