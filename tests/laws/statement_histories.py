"""Merchants of one or two deals in any currency, and histories of what happens to their money."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

import attrs
from hypothesis import strategies as st

from holdback import Context, Entry, InvalidDocument, Money, Refusal
from holdback.exact.money import Currency
from holdback.merchant.statement import DealStatement
from holdback.operations import (
    Adjust,
    CloseDeal,
    FundDeal,
    RecordRecovery,
    RecordRemittance,
    Refund,
    ReturnPayout,
    Transfer,
    UnwindDeal,
    WriteOff,
)
from journey import ENGINE, Journey

CURRENCIES = ("GBP", "JPY", "KWD")


def in_currency(value, currency):
    """*value* with the same numbers of minor units of another *currency*."""
    if isinstance(value, Money):
        return Money(value.minor, currency)
    if attrs.has(type(value)) and not isinstance(value, Currency):
        names = [field.name for field in attrs.fields(type(value)) if field.init]
        return attrs.evolve(
            value, **{name: in_currency(getattr(value, name), currency) for name in names}
        )
    if isinstance(value, tuple):
        return tuple(in_currency(item, currency) for item in value)
    if isinstance(value, Mapping):
        return {key: in_currency(item, currency) for key, item in value.items()}
    return value


def starts():
    """A merchant with its first deal, about to renew it, and with a renewal; with the instants."""
    journey = Journey()
    journey.ask()
    journey.accept()
    journey.fund()
    first = journey.merchant, journey.now
    journey.pay_down(60)
    journey.ask(renewal=True)
    journey.accept()
    accepted = journey.merchant, journey.now
    journey.fund()
    return first, accepted, (journey.merchant, journey.now)


STARTS = starts()


@st.composite
def commands(draw, merchant, day, place):
    """A command about the money of *merchant*; many are refused, which changes nothing."""
    currency = Currency.of(merchant.currency)
    deal = draw(st.sampled_from(merchant.deals))
    on = day - timedelta(days=draw(st.integers(0, 6)))
    owed = abs(deal.outstanding)
    minor = draw(st.sampled_from([owed, owed // 2, owed + 7, 1]) | st.integers(1, 2_000_000))
    amount = Money(minor, currency)
    moved = {"id": f"m-{place}", "on": on, "amount": amount}
    entries = [entry for entry in deal.entries if entry.reverses is None]
    back = None
    if entries and draw(st.booleans()):
        target = draw(st.sampled_from(entries))
        back = target.id
        part = max(1, abs(target.amount.minor) // draw(st.sampled_from([1, 2])))
        moved = {"id": f"m-{place}", "on": max(on, target.on), "amount": Money(part, currency)}
    settled = draw(st.integers(0, 4)) > 0
    entry = Entry(**moved, reverses=back, settled=settled or back is not None)
    waiting = merchant.in_fulfilment
    choices = [
        *[RecordRemittance(deal_id=deal.id, entries=(entry,))] * 4,
        Refund(deal_id=deal.id, **moved),
        RecordRecovery(deal_id=deal.id, **moved),
        WriteOff(deal_id=deal.id, **moved),
        Adjust(deal_id=deal.id, **moved),
        UnwindDeal(deal_id=deal.id, **{**moved, "amount": draw(_principal(merchant, deal))}),
        ReturnPayout(deal_id=deal.id, id=moved["id"], on=moved["on"]),
        Transfer(
            from_deal_id=deal.id, to_deal_id=draw(st.sampled_from(merchant.deals)).id, **moved
        ),
        CloseDeal(deal_id=deal.id, status=draw(st.sampled_from(["defaulted", "cancelled"]))),
    ]
    if deal.overpaid.minor:
        target = draw(st.sampled_from(merchant.deals))
        part = {**moved, "amount": Money(max(1, owed // draw(st.integers(1, 2))), currency)}
        choices += [Refund(deal_id=deal.id, **part)] * 3
        choices += [Transfer(from_deal_id=deal.id, to_deal_id=target.id, **part)] * 6
    choices += [] if waiting is None else [FundDeal(application_id=waiting.application_id)] * 3
    return draw(st.sampled_from(choices))


def _principal(merchant, deal):
    """What has to come back of *deal*, by the design: funded less settled less what came in."""
    base = merchant.deal_of(deal.base_deal_id)
    settled = 0 if base is None else base.settled.minor
    due = max(0, deal.funded_amount.minor - settled - deal.remitted.minor)
    return st.just(Money(due, deal.repayment_amount.currency))


@st.composite
def merchants(draw):
    """A merchant in one of three currencies, after up to ten commands about its money."""
    merchant, now = draw(st.sampled_from(STARTS))
    currency = Currency.of(draw(st.sampled_from(CURRENCIES)))
    merchant = attrs.evolve(in_currency(merchant, currency), currency=currency.code)
    late = draw(st.sampled_from(["transfer", "refund"]))
    for place in range(draw(st.integers(1, 10))):
        now += timedelta(days=draw(st.integers(0, 4)))
        deals = [
            attrs.evolve(deal, cooling_off_days=14, late_remittances=late)
            for deal in merchant.deals
        ]
        merchant = attrs.evolve(merchant, deals=tuple(deals))
        command = draw(commands(merchant, now.date(), place))
        try:
            outcome = ENGINE.carry_out(merchant, command, Context(at=now, request_id=f"s-{place}"))
        except (Refusal, InvalidDocument):
            continue
        merchant = outcome.merchant
    return merchant


def days_of(merchant):
    """A strategy of the days around the movements of *merchant*."""
    first = min(deal.funded_on for deal in merchant.deals) - timedelta(days=2)
    last = merchant.last_seen_at.date() + timedelta(days=2)
    return st.integers(0, (last - first).days).map(lambda number: first + timedelta(days=number))


def of_deal(statement, deal_id):
    """The part of *statement* about a deal, None if it says nothing."""
    parts = [part for part in statement.deals if part.deal_id == deal_id]
    assert len(parts) <= 1
    part = parts[0] if parts else None
    assert part is None or isinstance(part, DealStatement)
    return part
