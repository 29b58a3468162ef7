"""The laws of statements: they balance, agree with the ledger, and follow one another."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from itertools import pairwise

import attrs
from hypothesis import given, settings
from hypothesis import strategies as st
from statement_histories import days_of, merchants, of_deal

from counts import count
from holdback import Context, wire
from holdback.lifecycle.deals.statement import statement_of
from holdback.merchant.ledger import KINDS, SETTLEMENT
from holdback.merchant.statement import REMITTED
from holdback.operations import AskStatement, LookUp
from journey import ENGINE

ONE_DAY = timedelta(days=1)
FUNDING = {"disbursement", "charge"}


def sums(totals, *, folded=False):
    """The minor units of *totals* by kind; what counts as remitted together if *folded*."""
    added = Counter()
    for total in totals:
        remitted = total.kind in KINDS and KINDS[total.kind].remitted
        added[REMITTED if folded and remitted else total.kind] += total.amount.minor
    return {kind: minor for kind, minor in added.items() if minor}


def a_statement_balances(data, merchant):
    """
    It balances or says so loudly; and what the engine did to a merchant balances.

    The merchant's entries and disbursements account for every minor unit.
    """
    whole = statement_of(merchant)
    since, until = sorted([data.draw(days_of(merchant)), data.draw(days_of(merchant))])
    part = statement_of(merchant, since, until)

    assert (whole.differences, part.differences) == ((), ())
    assert whole.balances
    assert part.balances
    owed = [d.balance + d.shortfall + d.fees_owed - d.overpaid for d in merchant.deals]
    assert whole.closing.minor == sum(money.minor for money in owed)
    assert whole.opening.minor == 0
    assert part.opening.minor - sum(sums(part.totals).values()) == part.closing.minor
    credit = sum(deal.credits[kind].minor for deal in merchant.deals for kind in deal.credits)
    principal = sums(whole.totals).get("principal_return", 0)
    assert whole.received.minor == principal + sum(d.remitted.minor for d in merchant.deals)
    # What was settled left one deal and came to another: in all it is nothing.
    settled = sum(deal.settled.minor for deal in merchant.deals)
    back = sum(
        deal.credits[SETTLEMENT].minor for deal in merchant.deals if SETTLEMENT in deal.credits
    )
    assert SETTLEMENT not in sums(whole.totals)
    funded = sum(deal.funded_amount.minor for deal in merchant.deals)
    returned = sums(whole.totals).get("payout_return", 0)
    assert whole.paid_out.minor == funded - settled - back - returned
    repayment = sum(deal.repayment_amount.minor for deal in merchant.deals)
    paid = sum(deal.remitted.minor for deal in merchant.deals) + settled + credit
    assert whole.closing.minor == repayment - paid


def a_statement_is_the_ledger_and_the_transactions(_data, merchant):
    """
    The lines, without those of the funding, are the deal's ledger, and its `transactions`.

    A settlement that was undone again is shown besides, on the deal that is active again.
    """
    context = Context(at=merchant.last_seen_at, request_id="look-up")
    looked_up = wire.to_dict(ENGINE.carry_out(merchant, LookUp(), context).reply)
    statement = wire.to_dict(ENGINE.carry_out(merchant, AskStatement(), context).reply)
    for deal, shown in zip(merchant.deals, looked_up["deals"], strict=True):
        part = next(part for part in statement["deals"] if part["deal_id"] == deal.id)
        lines = [
            line
            for line in [*part["lines"], *part["unsettled"]]
            if line["kind"] not in FUNDING
            and not (line["kind"] == SETTLEMENT and line["id"] == SETTLEMENT)
        ]
        fields = ("id", "kind", "amount")
        wire_lines = Counter(
            (line["date"], *(line[name] for name in fields))
            for line in shown["transactions"]
            if line["id"] != SETTLEMENT
        )
        assert wire_lines == Counter(
            (line["on"], *(line[name] for name in fields)) for line in lines
        )
        ledger = Counter((entry.on.isoformat(), entry.id, entry.kind) for entry in deal.ledger)
        assert {key for key in ledger if key[1] != SETTLEMENT} == {
            (line["on"], line["id"], line["kind"]) for line in lines
        }
        assert part["closing"] == deal.balance.amount + deal.shortfall.amount - deal.overpaid.amount
        if deal.type == "Initial":  # which has no settlement of its own funding
            by_renewals = [line["amount"] for line in part["lines"] if line["id"] == SETTLEMENT]
            assert sum(by_renewals) == deal.settled.amount


def statements_follow_one_another(data, merchant):
    """
    The closing balance of a statement is the opening balance of the next.

    However the time is divided, the lines are those of the whole and the totals add up to it.
    """
    cuts = sorted(data.draw(st.lists(days_of(merchant), max_size=4, unique=True)))
    starts, ends = [None, *(day + ONE_DAY for day in cuts)], [*cuts, None]
    parts = [
        statement_of(merchant, since, until) for since, until in zip(starts, ends, strict=True)
    ]
    whole = statement_of(merchant)

    for earlier, later in pairwise(parts):
        assert earlier.closing == later.opening
        for deal in merchant.deals:
            before, after = of_deal(earlier, deal.id), of_deal(later, deal.id)
            closing = 0 if before is None else before.closing.minor
            assert closing == (0 if after is None else after.opening.minor)
    assert sums(total for part in parts for total in part.totals) == sums(whole.totals)
    assert sum(part.received.minor for part in parts) == whole.received.minor
    assert sum(part.paid_out.minor for part in parts) == whole.paid_out.minor
    for deal in merchant.deals:
        shown = [part for part in (of_deal(s, deal.id) for s in parts) if part is not None]
        assert [line for part in shown for line in part.lines] == list(
            of_deal(whole, deal.id).lines
        )
        assert [line for part in shown for line in part.unsettled] == list(
            of_deal(whole, deal.id).unsettled
        )


def a_figure_without_the_closed_entries_is_the_same_or_unknown(data, merchant):
    """
    A statement from a time of which entries are no longer held never has a wrong figure.

    Each figure is that of the statement with all entries, or None.
    """
    closed = tuple(
        deal.closed_through(data.draw(days_of(merchant))) if data.draw(st.booleans()) else deal
        for deal in merchant.deals
    )
    forgetful = attrs.evolve(merchant, deals=closed)
    since = data.draw(st.none() | days_of(merchant))
    until = data.draw(st.none() | days_of(merchant))
    if since is not None and until is not None and until < since:
        since, until = until, since
    full, told = statement_of(merchant, since, until), statement_of(forgetful, since, until)

    assert told.differences == ()
    for name in ("opening", "closing", "received", "paid_out"):
        assert getattr(told, name) in {None, getattr(full, name)}
    assert told.totals is None or sums(told.totals, folded=True) == sums(full.totals, folded=True)
    for deal in closed:
        part, expected = of_deal(told, deal.id), of_deal(full, deal.id)
        if part is None:
            # What says nothing with the entries may be left out; nothing else may.
            assert expected is None
            continue
        if part.closed_through is None:
            assert part == expected
            continue
        through = part.closed_through
        assert part.closing in {None, expected.closing if expected else part.closing}
        assert (part.closing is None) == (until is not None and until < through)
        whole = of_deal(statement_of(merchant, None, through), deal.id)
        if part.closing is not None and whole is not None:
            assert sums(part.carried_forward, folded=True) == sums(whole.totals, folded=True)
        lines = [] if expected is None else expected.lines
        assert [(line.id, line.amount, line.balance) for line in part.lines] == [
            (line.id, line.amount, line.balance)
            for line in lines
            if line.on > through and part.closing is not None
        ]


LAWS = (
    a_statement_balances,
    a_statement_is_the_ledger_and_the_transactions,
    statements_follow_one_another,
    a_figure_without_the_closed_entries_is_the_same_or_unknown,
)


@settings(max_examples=count("histories with a statement"))
@given(data=st.data(), merchant=merchants())
def test_every_law_of_statements_holds(data, merchant):
    """
    Each history is held against all of the laws: to draw it takes longer than most of them.
    """
    for law in LAWS:
        law(data, merchant)
