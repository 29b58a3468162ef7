"""Likely next steps of a host with a given merchant: operations, inputs and evidence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from types import MappingProxyType
from typing import Any, Final

from hypothesis import strategies as st

from holdback.exact.exact_json import Json
from holdback.exact.money import Money
from holdback.merchant.application import PEOPLE
from holdback.merchant.deal import DEFAULTED, Deal
from holdback.merchant.instants import utc, write_timestamp
from holdback.merchant.ledger import PAYMENT, RECORDED_KINDS, REMITTANCE, REVERSAL
from holdback.merchant.merchant import AWAITING_DETAILS, Fulfilment
from holdback.operations import OPERATIONS
from holdback.rulebooks.regime import regime_on
from holdback.testing import payloads
from holdback.testing.inputs import newest_offer_id
from holdback.testing.strategies.json_inputs import Input, json_fields
from holdback.testing.strategies.likely_money import MONEY_INPUTS, sensible_money
from holdback.testing.strategies.moment import UNKNOWN_ID, Moment
from holdback.testing.strategies.rules import evidence, named_facts
from holdback.testing.strategies.values import days_up_to

_PROFILES: Final[tuple[Mapping[str, Json], ...]] = (
    {
        "consents": {"credit_check": True},
        "applicants": [{"name": "A. Person"}],
        "company": {"name": "Nine Lives Ltd"},
    },
    {**payloads.BLANK_PROFILE, "applicants": [{}, {"share": 50}]},
)
_HOLD_CODES: Final = ("dispute", "fraud", "sanctions")


def sensible(moment: Moment) -> list[str]:
    """Return the operations that make sense now, the more promising ones several times."""
    merchant = moment.merchant
    names = ["request_offers", "record_takings", "record_evidence"]
    if newest_offer_id(merchant) is not None:
        unexpired = any(offer_set.expires_at > moment.at for offer_set in merchant.offer_sets)
        names += ["accept_offer"] * (3 if unexpired else 1) + ["decline_offers"]
        in_force = regime_on(moment.rulebook.disclosures, moment.day)
        names += ["withdraw_offers"] + ["disclose"] * (in_force is not None)
    if merchant.in_fulfilment is not None:
        names += _steps_of_fulfilment(merchant.in_fulfilment)
    if merchant.deals:
        names += ["record_remittance"] * 2 + ["rectify_profile"]
    if merchant.active_deal is not None:
        names += ["record_remittance", "request_offers", "review_renewal", "close_deal"]
    if any(deal.status == DEFAULTED for deal in merchant.deals):
        names += ["reinstate_deal"]
    names += ["decide_referral"] * (6 if merchant.referrals else 0)
    return names + sensible_money(merchant) + ["lift_hold"] * (3 if merchant.holds else 0)


def input_of(moment: Moment, operation: str) -> st.SearchStrategy[Input]:
    """Return inputs of *operation* with the merchant's own ids, and sometimes unknown ones."""
    if operation in _OTHER_INPUTS:
        return _OTHER_INPUTS[operation](moment)
    return _declared_input(moment, operation)


def evidence_of(moment: Moment, operation: str, body: Input) -> st.SearchStrategy[Input]:
    """Return evidence for *operation*, most often that of a good application."""
    if operation != "request_offers":
        return st.just({})
    application: Any = body["application"]
    renewal = application["provider_id"] is not None
    good = st.sampled_from(moment.good_evidence(renewal=renewal))
    if renewal:
        return good | st.just({})
    return st.one_of(good, good, evidence(moment.rulebook))


def _steps_of_fulfilment(fulfilment: Fulfilment) -> list[str]:
    """Return the operations that make sense for an application in fulfilment."""
    names = ["close_application", "change_bank_details", "rectify_profile"]
    if fulfilment.signature_before is not None and fulfilment.signature is None:
        names += ["record_signature"] * 3
    waits = fulfilment.status == AWAITING_DETAILS
    return names + ["supply_details" if waits else "fund_deal"] * 3


def request(moment: Moment, *, renewal: bool, profile: Mapping[str, Json] = _PROFILES[0]) -> Input:
    """Return the body of a request for offers of this merchant, with all consents given."""
    given = {**dict(profile["consents"]), **dict.fromkeys(moment.consents, True)}
    return payloads.offers_request(
        moment.merchant.merchant_id,
        moment.merchant.provider_id if renewal else None,
        currency=moment.rulebook.currency.code,
        profile={**profile, "consents": given},
    )


def steady_takings(moment: Moment, *, days: int) -> Input:
    """Return the same takings for each of the last *days* days, declared complete."""
    amount = _amount(moment, 700 * 10**moment.rulebook.currency.places)
    on = [moment.day - timedelta(days=ago) for ago in range(days)]
    return {
        "takings": [{"on": day.isoformat(), "amount": amount} for day in on],
        "complete_through": moment.day.isoformat(),
    }


@st.composite
def _request_offers(draw: st.DrawFn, moment: Moment) -> Input:
    merchant = moment.merchant
    renewal = bool(merchant.deals) and (merchant.active_deal is not None or draw(st.booleans()))
    return request(moment, renewal=renewal, profile=draw(st.sampled_from(_PROFILES)))


def _ids(ids: list[str]) -> st.SearchStrategy[str]:
    """Return *ids*, the first of them most often, and an unknown id."""
    return st.sampled_from([*(ids[:1] * 4), *ids, UNKNOWN_ID])


def _likely_ids(moment: Moment) -> dict[str, st.SearchStrategy[Any]]:
    """Return strategies for the fields of an input that name something of the merchant or a day."""
    merchant = moment.merchant
    newest = newest_offer_id(merchant)
    offers = [
        offer.offer_id
        for offer_set in reversed(merchant.offer_sets)
        for product in offer_set.products
        for offer in product.offers
    ]
    return {
        "offer_id": _ids(([newest] if newest else []) + offers),
        "application_id": _ids([f.application_id for f in reversed(merchant.fulfilments)]),
        "deal_id": _ids([deal.id for deal in reversed(merchant.deals)]),
        "bank_details": _bank_details(moment),
        # Of what is recorded on the day, or a few days later.
        "on": st.sampled_from([0, 0, 1, 3]).map(lambda days: _days_ago(moment, days)),
        "code": st.sampled_from([*(hold.code for hold in merchant.holds), *_HOLD_CODES]),
        "by": st.sampled_from(["u-1", "u-2"]),
        "applicants": st.sampled_from([profile["applicants"] for profile in _PROFILES]),
        "consents": st.dictionaries(
            st.sampled_from([*moment.consents, "marketing"]), st.booleans(), min_size=1
        ),
    }


def _days_ago(moment: Moment, days: int) -> str:
    return (moment.day - timedelta(days=days)).isoformat()


def _bank_details(moment: Moment) -> st.SearchStrategy[Input]:
    """Return bank details of two accounts, sometimes incomplete."""
    complete: list[Input] = [dict(moment.bank_details(account=account)) for account in (0, 1)]
    return st.sampled_from([*complete, *complete, {"bank_name": "A Bank"}])


def _declared_input(moment: Moment, operation: str) -> st.SearchStrategy[Input]:
    """Return inputs with one field for each attribute of the command, and likely ids."""
    fields = json_fields(OPERATIONS[operation], moment.rulebook.currency)
    likely = _likely_ids(moment)
    values = {name: likely.get(name, value) for name, (value, _) in fields.items()}
    return st.fixed_dictionaries(
        {name: value for name, value in values.items() if fields[name][1]},
        optional={name: value for name, value in values.items() if not fields[name][1]},
    )


def _supply_details(moment: Moment) -> st.SearchStrategy[Input]:
    details = st.fixed_dictionaries({"bank_details": _bank_details(moment)})
    application_ids = _likely_ids(moment)["application_id"]
    return st.fixed_dictionaries({"application_id": application_ids, "details": details})


def _decline_offers(moment: Moment) -> st.SearchStrategy[Input]:
    sets = [offer_set.application_id for offer_set in reversed(moment.merchant.offer_sets)]
    return st.fixed_dictionaries({"application_id": _ids(sets)})


def _withdraw_offers(moment: Moment) -> st.SearchStrategy[Input]:
    reasons = st.fixed_dictionaries({"code": st.sampled_from(_HOLD_CODES), "by": st.just("u-1")})
    return st.tuples(_decline_offers(moment), reasons).map(lambda parts: {**parts[0], **parts[1]})


def _rectify_profile(_: Moment) -> st.SearchStrategy[Input]:
    said = st.sampled_from(_PROFILES)
    names = st.sampled_from([PEOPLE[:1], PEOPLE[1:], PEOPLE])
    return st.tuples(said, names).map(lambda parts: {name: parts[0][name] for name in parts[1]})


@st.composite
def _decide_referral(draw: st.DrawFn, moment: Moment) -> Input:
    """Draw a decision about an open referral, sometimes with a note and an end."""
    referrals = moment.merchant.referrals
    application_id, product = UNKNOWN_ID, "flex"
    if referrals:
        referral = draw(st.sampled_from(referrals))
        application_id, product = referral.application_id, referral.product
    body: Input = {
        "application_id": application_id,
        "product": product,
        "decision": draw(st.sampled_from(["approve", "approve", "decline"])),
        "by": "u-1",
    }
    days = draw(st.sampled_from([None, None, 1, 90]))
    if days is not None:
        body |= {
            "note": "As agreed.",
            "until": write_timestamp(utc(moment.at + timedelta(days=days))),
        }
    return body


@st.composite
def _record_evidence(draw: st.DrawFn, moment: Moment) -> Input:
    """Draw results of one or two checks, made now or some days ago."""
    names = [name for name in moment.rulebook.checks if name != "takings"]
    # The takings of a merchant with a deal follow from its history, and a check of them is refused.
    if moment.merchant.active_deal is None:
        names.append("takings")
    checks = draw(st.lists(st.sampled_from(names), min_size=1, max_size=2, unique=True))
    records = []
    for check in checks:
        days = draw(st.sampled_from([0, 0, 1, 30, 100, 400]))
        # The day of a credit check is that of `made_at`, and another one is refused.
        facts = [f for f in moment.rulebook.checks[check].facts if f != "credit_checked_on"]
        records.append(
            {
                "check": check,
                "made_at": write_timestamp(utc(moment.at - timedelta(days=days))),
                "facts": draw(named_facts(facts, moment.rulebook)),
            }
        )
    return {"records": records}


@st.composite
def _record_takings(draw: st.DrawFn, moment: Moment) -> Input:
    days = draw(st.lists(days_up_to(moment.day, most=100), min_size=1, max_size=4, unique=True))
    most = 10**4 * 10**moment.rulebook.currency.places
    # On a day with more refunds than sales the takings are below zero.
    amounts = [draw(st.integers(0, most) | st.integers(-most // 100, 0)) for _ in days]
    body: Input = {
        "takings": [
            {"on": day.isoformat(), "amount": _amount(moment, minor)}
            for day, minor in zip(days, amounts, strict=True)
        ]
    }
    return body | draw(_declared(moment))


def _declared(moment: Moment) -> st.SearchStrategy[Input]:
    """Return a declaration that the history is complete up to today, or none."""
    return st.sampled_from([{}, {"complete_through": moment.day.isoformat()}])


def _amount(moment: Moment, minor: int) -> str:
    return str(Money(minor, moment.rulebook.currency).amount)


@st.composite
def _record_remittance(draw: st.DrawFn, moment: Moment) -> Input:
    deals = list(moment.merchant.deals)
    if not deals:
        entry = {"id": "e-0", "on": moment.day.isoformat(), "amount": 1}
        return {"deal_id": UNKNOWN_ID, "entries": [entry]}
    deal = moment.merchant.active_deal or deals[-1]
    deal = draw(st.sampled_from([deal, deal, *deals]))
    entry = draw(_new_entry(moment, deal) | _old_entry(deal))
    return {"deal_id": deal.id, "entries": [entry]} | draw(_declared(moment))


@st.composite
def _new_entry(draw: st.DrawFn, moment: Moment, deal: Deal) -> Input:
    """Draw a remittance of a part of the repayment amount, up to a little more than all of it."""
    percent = draw(st.integers(0, 110))
    amount = Money(deal.repayment_amount.minor * percent // 100, deal.repayment_amount.currency)
    day = moment.day - timedelta(days=draw(st.integers(0, 3)))
    return {
        "id": f"e-{len(deal.entries)}",
        "on": max(day, deal.funded_on).isoformat(),
        "amount": str(amount.amount),
        "settled": draw(st.sampled_from([True, True, True, False])),
        "kind": draw(st.sampled_from([REMITTANCE, REMITTANCE, PAYMENT])),
    }


@st.composite
def _old_entry(draw: st.DrawFn, deal: Deal) -> Input:
    """Draw a recorded entry again as settled, or reversed, if in part; or an entry of nothing."""
    recorded = [entry for entry in deal.entries if entry.kind in {*RECORDED_KINDS, REVERSAL}]
    if not recorded:
        return {"id": "e-0", "on": deal.funded_on.isoformat(), "amount": 0}
    entry = draw(st.sampled_from(recorded))
    again: Input = {
        "id": entry.id,
        "on": entry.on.isoformat(),
        "amount": str(entry.amount.amount),
        "reverses": entry.reverses,
    }
    if entry.kind == PAYMENT:
        again["kind"] = PAYMENT
    if draw(st.booleans()) and entry.reverses is None:
        part = draw(st.sampled_from([1, 1, 3]))
        minor = entry.amount.minor // part
        return {
            "id": f"reversal-of-{entry.id}-{part}",
            "on": entry.on.isoformat(),
            "amount": str(Money(minor, entry.amount.currency).amount),
            "reverses": entry.id,
        }
    return again


# Inputs that a declaration does not describe, or that would hardly ever be valid if drawn by it.
_OTHER_INPUTS: Final[Mapping[str, Callable[[Moment], st.SearchStrategy[Input]]]] = MappingProxyType(
    {
        "request_offers": _request_offers,
        "supply_details": _supply_details,
        "decline_offers": _decline_offers,
        "withdraw_offers": _withdraw_offers,
        "rectify_profile": _rectify_profile,
        "decide_referral": _decide_referral,
        "record_evidence": _record_evidence,
        "record_takings": _record_takings,
        "record_remittance": _record_remittance,
        **MONEY_INPUTS,
    }
)
