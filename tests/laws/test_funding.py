"""
The law of funding: what the question says of a payout, and what `fund_deal` does, agree.

It is the law of look-up for the other end of an application. After any history, and at every
instant at which an answer may change, `required_checks` says that something holds the payout back
exactly where `fund_deal` is refused for it; the list for people has the application exactly where
rules are not true; and asking changes nothing (decisions/offers#funding-rules).
"""

from __future__ import annotations

from evidence_histories import History

from counts import count
from holdback import Context, Refusal
from holdback.merchant.instants import as_instant
from holdback.operations import AskReferrals, FundDeal, RequireChecks

HISTORIES = count("histories whose payouts are asked about")


def history_with_a_payout(seed):
    """A history with an application, if it can be accepted, and up to two steps after it."""
    history = History(seed)
    is_renewal = seed % 2 == 1
    if is_renewal:
        history.prologue()
    history.record_checks(good=True)
    history.ask(renewal=is_renewal and history.merchant.provider_id is not None, mapping=None)
    history.accept()
    for _ in range(seed % 3):
        history.pass_time()
        history.step()
        history.compare()
    return history


def asked(history, operation, at):
    """The reply to an operation at an instant of the history, or the code of its refusal."""
    context = Context(at=as_instant(at, "$.at"), request_id="law")
    try:
        outcome = history.engine.carry_out(
            history.merchant, operation, context, profile=history.profile
        )
    except Refusal as refusal:
        return refusal.code
    return outcome.reply


def test_what_is_said_of_a_payout_is_what_happens():
    """
    "For any history at any instant, what the question says of a funding and what `fund_deal` does
    agree."
    """
    seen = set()
    for seed in range(HISTORIES):
        history = history_with_a_payout(seed)
        waiting = history.merchant.in_fulfilment
        if waiting is None or waiting.status != "submitted":
            continue
        before = history.merchant
        about = {"application_id": waiting.application_id}
        for at in sorted({history.now, *(i for i in history.instants() if i > history.now)}):
            needed = asked(history, RequireChecks(**about), at)
            funded = asked(history, FundDeal(**about), at)
            if waiting.lapses_at is not None and at >= waiting.lapses_at:
                continue  # it has lapsed, or waits on hold
            assert (funded == "referred") == bool(needed.held_back), (seed, at)
            assert bool(needed.checks) <= bool(needed.held_back), (seed, at)
            listed = {one.application_id for one in asked(history, AskReferrals(), at).referrals}
            by_rules = any(":" in why for why in needed.held_back)
            assert (waiting.application_id in listed) == by_rules, (seed, at)
            seen.add(bool(needed.held_back))
        assert history.merchant == before
    assert seen == {False, True}
