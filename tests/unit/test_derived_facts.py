"""The facts that are counted from the entries of a deal, beside their plain definitions."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from itertools import groupby

from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from every_case import for_every
from holdback import Deal, Entry, Money
from holdback.eligibility.derived_facts import deal_facts
from holdback.exact.money import Currency

GBP = Currency.of("GBP")
TODAY = date(2026, 7, 1)
DEAL = Deal(
    id="d-1",
    application_id="a-1",
    type="Initial",
    funded_on=TODAY - timedelta(days=60),
    funded_amount=Money(1_000_000, GBP),
    repayment_amount=Money(1_180_000, GBP),
    factor_rate=Decimal("1.18"),
    split_percentage=Decimal("12.5"),
    term_length=Decimal(6),
    term_days=183,
    settled=Money(0, GBP),
    complete_through=TODAY,
)


@st.composite
def deals(draw):
    """A deal with entries up to today, of which some are nothing, unsettled or taken back."""
    entries = []
    for place in range(draw(st.integers(0, 8))):
        ago = draw(st.sampled_from([0, 1, 2, 29, 30, 31, 45, 60, 89, 90, 91]))
        entry = Entry(
            id=f"e-{place}",
            on=TODAY - timedelta(days=ago),
            amount=Money(draw(st.sampled_from([0, 100])), GBP),
            takings=draw(st.none() | st.sampled_from([Money(0, GBP), Money(700, GBP)])),
            settled=draw(st.booleans()),
        )
        entries.append(entry)
        if draw(st.booleans()):
            back = entry.on + timedelta(days=draw(st.integers(0, ago)))
            settled = draw(st.booleans())
            taken_back = {"reverses": entry.id, "kind": "reversal", "settled": settled}
            entries.append(evolve(entry, id=f"b-{place}", on=back, **taken_back))
    funded_on = TODAY - timedelta(days=draw(st.sampled_from([0, 1, 60, 91, 200])))
    return evolve(
        DEAL,
        funded_on=funded_on,
        entries=tuple(sorted(entries, key=lambda entry: (entry.on, entry.id))),
    )


def counts(deal, entry):
    """Whether *entry* is a remittance that counts, and is not zero."""
    return (
        entry.settled
        and entry.reverses is None
        and entry.id not in deal.taken_back
        and entry.amount.minor > 0
    )


def is_missed(deal, day):
    """Whether the remittance of *day* was taken back, or nothing although there were takings."""
    of_day = [entry for entry in deal.entries if entry.on == day and entry.reverses is None]
    missed = any(
        entry.id in deal.taken_back
        or (entry.amount.minor == 0 and entry.takings is not None and entry.takings.minor > 0)
        for entry in of_day
    )
    return missed and not any(counts(deal, entry) for entry in of_day)


def silences(deal):
    """The lengths of all runs of days without a remittance that counts, among the last 90."""
    days = [TODAY - timedelta(days=ago) for ago in range(90, 0, -1)]
    paid = {entry.on for entry in deal.entries if counts(deal, entry)}
    silent = [day >= deal.funded_on and day not in paid for day in days]
    return [len(list(run)) for is_silent, run in groupby(silent) if is_silent]


@given(deals())
def test_what_is_counted_from_entries(deal):
    """
    Missed remittances are counted over the last 30 days without today, the last remittance is
    the last that counts, or the funding, and the longest silence is one of the last 90 days.
    """
    facts = deal_facts(deal, TODAY)
    last = max((e.on for e in deal.entries if counts(deal, e)), default=deal.funded_on)
    days = [TODAY - timedelta(days=ago) for ago in range(1, 31)]

    assert facts["days_since_last_remittance"] == (TODAY - last).days
    assert facts["missed_remittances_30d"] == sum(is_missed(deal, day) for day in days)
    assert facts["longest_silence_90d"] == max(silences(deal), default=0)


@for_every(
    ("through", "missed", "silence"),
    [(92, 1, 1), (91, 1, 1), (90, 1, None), (31, 1, None), (30, None, None), (1, None, None)],
)
def test_what_is_counted_among_closed_entries_is_unknown(through, missed, silence):
    """
    "Unknown where entries of these days are closed": they no longer say on which days they were,
    and none that was missed is forgotten.
    """
    entries = [
        Entry(
            id=f"e-{ago}",
            on=TODAY - timedelta(days=ago),
            amount=Money(0 if ago == 30 else 100, GBP),
            takings=Money(700, GBP),
        )
        for ago in range(100, 0, -1)
    ]
    deal = evolve(DEAL, funded_on=TODAY - timedelta(days=120), entries=tuple(entries))
    closed = deal.closed_through(TODAY - timedelta(days=through))

    def counted(deal):
        facts = deal_facts(deal, TODAY)
        return facts["missed_remittances_30d"], facts["longest_silence_90d"]

    assert counted(deal) == (1, 1)
    assert counted(closed) == (missed, silence)
