"""Likely inputs about a deal's money after its funding: amounts around what is possible."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, timedelta
from itertools import count
from types import MappingProxyType
from typing import Final, get_args

from hypothesis import strategies as st

from holdback.errors import ConfigurationError, Refusal
from holdback.exact.money import Money
from holdback.lifecycle.context import Context
from holdback.merchant.deal import DEFAULTED, DEFAULTS, FUNDED, RENEWED, REPAID, Deal
from holdback.merchant.disclosure import Frequency
from holdback.merchant.merchant import Merchant
from holdback.merchant.offer import ELIGIBLE
from holdback.operations import QuoteSettlement
from holdback.rulebooks.regime import regime_on
from holdback.rules import Kind
from holdback.testing.strategies.json_inputs import Input
from holdback.testing.strategies.moment import UNKNOWN_ID, Moment


def sensible_money(merchant: Merchant) -> list[str]:
    """Return the operations on the merchant's deals that make sense now."""
    names: list[str] = []
    deals = merchant.deals
    if any(deal.overpaid.minor for deal in deals):
        names += ["refund"] * 2
    if _pairs(merchant):
        names += ["transfer"] * 4
    if any(deal.status in DEFAULTS for deal in deals):
        names += ["record_recovery"] * 2
    if any(deal.status == DEFAULTED for deal in deals):
        names += ["waive_rest", *["agree_plan"] * 2]
    if any(not deal.active and owed(deal) for deal in deals):
        names += ["write_off"] * 2
    if any(deal.status in {FUNDED, REPAID} and deal.cooling_off_days for deal in deals[-1:]):
        names += ["unwind_deal"] * 3
    if any(deal.fee_terms for deal in deals):
        names += ["charge_fee"]
    if any(deal.fees_owed.minor for deal in deals):
        names += ["waive_fee"] * 2
    active = merchant.active_deal
    if active is not None:
        names += ["settle_early", "change_terms"] + ["adjust"] * 3
        names += ["resume"] * 2 if active.paused else ["pause"]
        names += ["return_payout"] * (not active.entries)
    if any(_open_amounts(merchant)):
        names += ["requote"]
    names += ["record_suspense"] if len(deals) > 1 or not deals else []
    if merchant.suspense.held:
        names += ["return_suspense", *["apply_suspense"] * (2 if deals else 0)]
    return names


def owed(deal: Deal) -> int:
    """Return what is left to pay of *deal*, in minor units."""
    return max(deal.balance.minor, deal.shortfall.minor)


def _pairs(merchant: Merchant) -> list[tuple[Deal, Deal]]:
    """Return the deals that are overpaid, each with one that owes something."""
    return [
        (source, target)
        for source in merchant.deals
        for target in merchant.deals
        if source.overpaid.minor and owed(target)
    ]


def principal_due(merchant: Merchant, deal: Deal) -> int:
    """Return the principal, in minor units, that is to come back if *deal* is undone."""
    base = merchant.deal_of(deal.base_deal_id)
    settled = base.settled.minor if base is not None and base.status == RENEWED else 0
    charge = deal.repayment_amount.minor - deal.funded_amount.minor
    return max(0, deal.outstanding - charge - settled)


def new_entry_id(merchant: Merchant) -> str:
    """Return an id that no entry of the merchant has."""
    held = {entry.id for deal in merchant.deals for entry in deal.entries}
    held |= {entry.id for entry in merchant.suspense.entries}
    return next(name for n in count(len(held)) if (name := f"m-{n}") not in held)


def _around(most: int) -> st.SearchStrategy[int]:
    """Return amounts in minor units: *most*, a part of it, and one more."""
    return st.sampled_from([most, most, max(1, most // 3), max(1, most - 1), most + 1])


@st.composite
def _movement(
    draw: st.DrawFn, moment: Moment, deals: list[Deal], most: Callable[[Deal], int]
) -> Input:
    """Draw a movement of one of *deals*, of an amount around the *most* that is possible."""
    candidates = [deal for deal in deals if most(deal)] or deals or list(moment.merchant.deals)
    if not candidates:
        return {"deal_id": UNKNOWN_ID, **moved(moment, 1, moment.day)}
    deal = draw(st.sampled_from(candidates))
    minor = draw(_around(most(deal)))
    return {"deal_id": deal.id, **moved(moment, minor, _day(draw, moment, deal))}


def moved(moment: Moment, minor: int, on: date) -> Input:
    """Return the fields of a movement with a new id, of *minor* units on the day *on*."""
    return {
        "id": new_entry_id(moment.merchant),
        "on": on.isoformat(),
        "amount": str(Money(minor, moment.rulebook.currency).amount),
    }


def _day(draw: st.DrawFn, moment: Moment, deal: Deal) -> date:
    """Draw today or a day before it, not before the funding."""
    return max(deal.funded_on, moment.day - timedelta(days=draw(st.sampled_from([0, 0, 0, 1, 3]))))


def _refund(moment: Moment) -> st.SearchStrategy[Input]:
    overpaid = [deal for deal in moment.merchant.deals if deal.overpaid.minor]
    return _movement(moment, overpaid, lambda deal: deal.overpaid.minor)


@st.composite
def _transfer(draw: st.DrawFn, moment: Moment) -> Input:
    pairs = _pairs(moment.merchant)
    if not pairs:
        ids = {"from_deal_id": UNKNOWN_ID, "to_deal_id": UNKNOWN_ID}
        return {**ids, **moved(moment, 1, moment.day)}
    source, target = draw(st.sampled_from(pairs))
    minor = draw(_around(min(source.overpaid.minor, owed(target))))
    day = _day(draw, moment, max(source, target, key=lambda deal: deal.funded_on))
    return {"from_deal_id": source.id, "to_deal_id": target.id, **moved(moment, minor, day)}


@st.composite
def _record_suspense(draw: st.DrawFn, moment: Moment) -> Input:
    minor = draw(st.sampled_from([1, 5_000, 250_000]))
    return moved(moment, minor, moment.day - timedelta(days=draw(st.sampled_from([0, 0, 2]))))


@st.composite
def _apply_suspense(draw: st.DrawFn, moment: Moment) -> Input:
    """Draw cash in suspense for a deal, as much as is left of it or as is owed."""
    suspense_id, left = draw(_cash(moment))
    deals = [d for d in moment.merchant.deals if owed(d)] or list(moment.merchant.deals)
    if not deals:
        return {"suspense_id": suspense_id, "deal_id": UNKNOWN_ID, **moved(moment, 1, moment.day)}
    deal = draw(st.sampled_from(deals))
    minor = draw(_around(max(1, min(left, owed(deal) + deal.written_off.minor))))
    return {"suspense_id": suspense_id, "deal_id": deal.id, **moved(moment, minor, moment.day)}


@st.composite
def _return_suspense(draw: st.DrawFn, moment: Moment) -> Input:
    suspense_id, left = draw(_cash(moment))
    kind = draw(st.sampled_from(["refund", "reversal", "transfer"]))
    moved_on = moved(moment, draw(_around(left)), moment.day)
    return {"suspense_id": suspense_id, "kind": kind, **moved_on}


def _cash(moment: Moment) -> st.SearchStrategy[tuple[str, int]]:
    """Return the receipts in suspense, each with what is left of it; an unknown one without any."""
    held = [(id_, money.minor) for id_, money in moment.merchant.suspense.held.items()]
    return st.sampled_from(held or [(UNKNOWN_ID, 1)])


@st.composite
def _charge_fee(draw: st.DrawFn, moment: Moment) -> Input:
    deals = [deal for deal in moment.merchant.deals if deal.fee_terms]
    moving = draw(_movement(moment, deals, _highest_cap))
    deal = moment.merchant.deal_of(moving["deal_id"])
    allowed = () if deal is None else deal.fee_terms
    fee = draw(st.sampled_from([terms.key for terms in allowed] or ["late"]))
    back = [] if deal is None else [entry.id for entry in deal.entries if entry.reverses]
    about = draw(st.sampled_from([{}, *({"about": id_} for id_ in back)]))
    if draw(st.booleans()):
        del moving["amount"]
    return {**moving, "fee": fee, **about}


def _highest_cap(deal: Deal) -> int:
    return max((terms.at_most.minor for terms in deal.fee_terms), default=1)


def _waive_fee(moment: Moment) -> st.SearchStrategy[Input]:
    owing = [deal for deal in moment.merchant.deals if deal.fees_owed.minor]
    return _movement(moment, owing, lambda deal: deal.fees_owed.minor)


def _record_recovery(moment: Moment) -> st.SearchStrategy[Input]:
    deals = [d for d in moment.merchant.deals if d.status in DEFAULTS]
    return _movement(moment, deals, lambda deal: owed(deal) + deal.written_off.minor)


def _write_off(moment: Moment) -> st.SearchStrategy[Input]:
    return _movement(moment, [d for d in moment.merchant.deals if not d.active], owed)


def _waive_rest(moment: Moment) -> st.SearchStrategy[Input]:
    deals = [d for d in moment.merchant.deals if d.status == DEFAULTED]
    return _movement(moment, deals, lambda deal: owed(deal) + deal.written_off.minor)


@st.composite
def _agree_plan(draw: st.DrawFn, moment: Moment) -> Input:
    """Draw a plan of what is left of a default in a few parts; one of no part ends another."""
    deals = [deal for deal in moment.merchant.deals if deal.status == DEFAULTED]
    deals = deals or list(moment.merchant.deals)
    if not deals:
        return {"deal_id": UNKNOWN_ID, "plan_id": "plan-1", "instalments": []}
    deal = draw(st.sampled_from(deals))
    whole = draw(_around(max(1, owed(deal) + deal.written_off.minor)))
    number = draw(st.sampled_from([1, 2, 3, 3, 0]))
    parts = [whole // 3] * (number - 1) + [whole - whole // 3 * (number - 1)]
    return planned(moment, deal, parts[:number], first=draw(st.sampled_from([0, 0, 5, 30])))


def planned(moment: Moment, deal: Deal, parts: list[int], *, first: int = 0) -> Input:
    """Return a new plan of *parts* in minor units, those above zero, the first in *first* days."""
    earlier = () if deal.plan is None else (deal.plan.id, *deal.plan.replaced)
    new = next(name for n in count(len(earlier)) if (name := f"plan-{n}") not in earlier)
    return {
        "deal_id": deal.id,
        "plan_id": new,
        "instalments": [
            {
                "due_on": (moment.day + timedelta(days=first + 30 * place)).isoformat(),
                "amount": str(Money(part, deal.repayment_amount.currency).amount),
            }
            for place, part in enumerate(parts)
            if part > 0
        ],
    }


def _settle_early(moment: Moment) -> st.SearchStrategy[Input]:
    active = moment.merchant.active_deal
    return _movement(
        moment, [] if active is None else [active], lambda deal: settling(moment, deal)
    )


def settling(moment: Moment, deal: Deal) -> int:
    """Return what settles *deal* today, in minor units."""
    context = Context(at=moment.at, request_id="q-1")
    try:
        question = QuoteSettlement(deal_id=deal.id, on=moment.day)
        quote = moment.engine.carry_out(moment.merchant, question, context).reply
    except (Refusal, ConfigurationError):
        return deal.balance.minor
    return quote.amount.minor


@st.composite
def _adjust(draw: st.DrawFn, moment: Moment) -> Input:
    """Draw a correction that lowers what is owed, or raises it again."""
    body: Input = draw(_movement(moment, list(moment.merchant.deals), owed))
    return body if draw(st.booleans()) else {**body, "amount": f"-{body['amount']}"}


@st.composite
def _unwind_deal(draw: st.DrawFn, moment: Moment) -> Input:
    """Draw the undoing of the newest deal, most often with the principal that is due."""
    deals = list(moment.merchant.deals)[-1:]
    if not deals:
        return {"deal_id": UNKNOWN_ID, **moved(moment, 1, moment.day)}
    due = principal_due(moment.merchant, deals[0])
    minor = draw(st.sampled_from([due, due, due, due + 1]))
    on = draw(st.sampled_from([moment.day, deals[0].funded_on]))
    body: Input = {"deal_id": deals[0].id, **moved(moment, minor, on)}
    if draw(st.booleans()):
        body["cancelled_on"] = deals[0].funded_on.isoformat()
    return body


def _return_payout(moment: Moment) -> st.SearchStrategy[Input]:
    """Return the strategy of a payout that comes back, most often of the active deal."""
    named = st.just({"id": new_entry_id(moment.merchant)})
    return st.builds(lambda body, id_: {**body, **id_}, _of_day(moment), named)


@st.composite
def _of_day(draw: st.DrawFn, moment: Moment) -> Input:
    deal = moment.merchant.active_deal or next(reversed(moment.merchant.deals), None)
    if deal is None:
        return {"deal_id": UNKNOWN_ID, "on": moment.day.isoformat()}
    return {"deal_id": deal.id, "on": _day(draw, moment, deal).isoformat()}


@st.composite
def _change_terms(draw: st.DrawFn, moment: Moment) -> Input:
    """Draw more time, another split, or both."""
    deal = moment.merchant.active_deal
    days = 100 if deal is None else deal.term_days
    changes: list[Input] = [
        {"term_days": days + draw(st.integers(1, 400))},
        {"split_percentage": draw(st.integers(1, 100))},
    ]
    body: Input = draw(_of_day(moment))
    changed: Input = draw(st.sampled_from([changes[0], changes[1], changes[0] | changes[1]]))
    return {**body, **changed}


def _open_amounts(merchant: Merchant) -> list[tuple[str, Money, Money]]:
    """Return the open offers, each with the limits of its product."""
    return [
        (offer.offer_id, product.limits.minimum, product.limits.maximum)
        for offer_set in merchant.offer_sets[-1:]
        for product in offer_set.products
        for offer in product.offers[:1]
        if offer.offer_status == ELIGIBLE
    ]


@st.composite
def _requote(draw: st.DrawFn, moment: Moment) -> Input:
    """Draw an amount at a limit of the product, in its steps, or just outside."""
    offered = _open_amounts(moment.merchant)
    if not offered:
        return {"offer_id": UNKNOWN_ID, "amount": 1}
    offer_id, least, most = draw(st.sampled_from(offered))
    whole = 100 * 10**least.currency.places
    between = (least.minor + most.minor) // 2 // whole * whole
    amounts = [least.minor, most.minor, most.minor // whole * whole, between, most.minor + 1]
    minor = draw(st.sampled_from(amounts))
    return {"offer_id": offer_id, "amount": str(Money(minor, least.currency).amount)}


@st.composite
def _disclose(draw: st.DrawFn, moment: Moment) -> Input:
    """Draw an offer and how often it is paid, with what its regime asks for: texts and fees."""
    offered = _open_amounts(moment.merchant)
    regime = regime_on(moment.rulebook.disclosures, moment.day)
    texts = dict.fromkeys(() if regime is None else regime.texts, "As agreed.")
    stated = () if regime is None else regime.catalogue.facts
    fees = (fact for fact in stated if fact.type.kind is Kind.MONEY and fact.origin != "offer")
    return {
        "offer_id": draw(st.sampled_from(offered))[0] if offered else UNKNOWN_ID,
        "frequency": draw(st.sampled_from(get_args(Frequency))),
        "texts": texts,
        "facts": {fact.name: fact.type.plain(fact.low) for fact in fees},
    }


MONEY_INPUTS: Final[Mapping[str, Callable[[Moment], st.SearchStrategy[Input]]]] = MappingProxyType(
    {
        "refund": _refund,
        "transfer": _transfer,
        "record_recovery": _record_recovery,
        "write_off": _write_off,
        "waive_rest": _waive_rest,
        "agree_plan": _agree_plan,
        "settle_early": _settle_early,
        "adjust": _adjust,
        "unwind_deal": _unwind_deal,
        "return_payout": _return_payout,
        "record_suspense": _record_suspense,
        "apply_suspense": _apply_suspense,
        "return_suspense": _return_suspense,
        "charge_fee": _charge_fee,
        "waive_fee": _waive_fee,
        "pause": _of_day,
        "resume": _of_day,
        "change_terms": _change_terms,
        "requote": _requote,
        "disclose": _disclose,
    }
)
