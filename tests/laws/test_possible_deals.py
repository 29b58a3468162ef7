"""
The relations between facts (`facts.RELATIONS`) hold of every deal that a history leads to.

A proof leaves out deals that contradict one, so a relation that a real deal contradicts would hide
what the rules say about that deal.
"""

from __future__ import annotations

from datetime import timedelta
from functools import cache
from random import Random

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st
from ledger_histories import History

from counts import count
from holdback.eligibility import facts
from holdback.eligibility.derived_facts import renewal_facts
from holdback.exact.money import Currency
from holdback.jurisdictions import load_jurisdictions
from holdback.merchant.instants import local_date
from holdback.rules import closure
from holdback.testing.strategies import histories

CHUNKS = 10
HISTORIES = count("histories whose deals are possible") // CHUNKS
WAITS = (0, 1, 5, 31, 200)

# For every relation, one that is a little sharper, and does not hold of every deal.
SHARPER = {
    "performance >= progress": "performance > progress",
    'status != "Funded" or remaining_term_days > 0 or performance == progress'
    " or progress >= 100%": 'status != "Funded" or remaining_term_days > 0',
    'status in ["Funded", "Defaulted"] or balance == {none}': "balance == {none}",
    'status != "Funded" or balance > {none}': "balance > {none}",
    'status != "Defaulted" or deals_defaulted >= 1': "deals_defaulted >= 1",
    'status != "Defaulted" or deals_recovered < deals_defaulted': (
        "deals_recovered < deals_defaulted"
    ),
    'status != "Recovered" or deals_recovered >= 1': "deals_recovered >= 1",
    'status != "Settled" or deals_recovered < deals_defaulted': (
        "deals_recovered < deals_defaulted"
    ),
    "deals_recovered <= deals_defaulted": "deals_recovered < deals_defaulted",
    "days_past_due < 0 or deals_recovered < deals_defaulted": ("deals_recovered < deals_defaulted"),
    "days_since_last_remittance <= days_since_funding": (
        "days_since_last_remittance < days_since_funding"
    ),
    "missed_remittances_30d <= days_since_funding": "missed_remittances_30d < days_since_funding",
    "days_in_pause <= days_since_funding": "days_in_pause < days_since_funding",
    # No product of these histories is free of charge.
    "funded_amount <= repayment_amount": "1.3 * funded_amount <= repayment_amount",
    "12 * days_since_funding >= 365 * months_since_funding": (
        "12 * days_since_funding > 365 * months_since_funding"
    ),
    "12 * days_since_funding < 365 * months_since_funding + 365": (
        "12 * days_since_funding < 365 * months_since_funding + 353"
    ),
    'deal_type != "Renewal" or renewals_in_chain >= 1': "renewals_in_chain >= 1",
    'deal_type != "Initial" or renewals_in_chain == 0': "renewals_in_chain == 0",
    "longest_silence_90d <= days_since_funding": "longest_silence_90d < days_since_funding",
}


@cache
def readers(currency, sharper):
    """The relations, or sharper ones, as functions of prepared facts, by their text."""
    texts = tuple(SHARPER.values()) if sharper else facts.RELATIONS
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(facts, "RELATIONS", texts)
        checked = facts.relations.__wrapped__(Currency.of(currency))
    return dict(zip(texts, map(closure, checked), strict=True))


def contradicted(prepared, currency, *, sharper=False):
    """The relations that the *prepared* facts of a deal contradict."""
    return [text for text, holds in readers(currency, sharper).items() if holds(prepared) is False]


def deals_of(merchant, today, declared):
    """The prepared facts of every deal of *merchant*, whose history may be *declared* complete."""
    known = facts.catalogue(Currency.of(merchant.currency))
    for deal in merchant.deals:
        told = evolve(deal, complete_through=today) if declared else deal
        yield renewal_facts(merchant, told, known, {}, today)


def deals_in_history(seed):
    """The currency and the prepared facts of the deals after every operation of a history."""
    history, draw = History(seed), Random(seed)
    for _ in range(history.steps()):
        history.pass_time()
        history.step()
        today = history.telling.today
        for on in {today, today + timedelta(days=draw.choice(WAITS))}:
            merchant = history.telling.merchant
            for prepared in deals_of(merchant, on, declared=draw.random() < 0.5):
                yield merchant.currency, prepared


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_no_deal_of_a_ledger_contradicts_a_relation(chunk):
    """
    "What holds of every deal that can exist": after payments, reversals, pauses, new terms,
    defaults, recoveries, renewals and their undoing, on the day and later.
    """
    for seed in range(chunk * HISTORIES, (chunk + 1) * HISTORIES):
        for currency, prepared in deals_in_history(seed):
            assert not contradicted(prepared, currency), (seed, prepared)


JURISDICTIONS = load_jurisdictions()


@settings(max_examples=count("histories of operations whose deals are possible"))
@given(histories(through="deal"), st.sampled_from(WAITS), st.booleans())
def test_no_deal_of_a_history_contradicts_a_relation(history, wait, declared):
    """
    Nor after any other operations, in any jurisdiction that ships.
    """
    merchant = history.merchant
    zone = JURISDICTIONS.zone(merchant.jurisdiction)
    today = local_date(merchant.last_seen_at, zone) + timedelta(days=wait)
    for prepared in deals_of(merchant, today, declared):
        assert not contradicted(prepared, merchant.currency)


def test_deals_lie_at_the_border_of_every_relation():
    """
    A relation that is a little sharper is contradicted, so the histories reach the border of each.
    """
    assert tuple(SHARPER) == facts.RELATIONS
    missing = set(SHARPER.values())
    for seed in range(count("histories at the border of every relation")):
        for currency, prepared in deals_in_history(seed):
            missing -= set(contradicted(prepared, currency, sharper=True))
        if not missing:
            return
    assert not missing
