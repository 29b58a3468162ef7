"""What hosts that write the first format, or read it, still need of the first version's decisions.

1. Replies, in which servicing operations showed the whole deal. While a host writes format 1, its
   processes of the version before still answer so, and the answers of both have one form.
2. The facts of an acceptance, because sets of offers of the first format do not hold theirs.

How-to/upgrade says when a host is past both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from holdback.eligibility.derived_facts import (
    held_facts,
    months_between,
    recorded_over,
    takings_facts,
    with_newer_evidence,
)
from holdback.eligibility.ruleset import known_facts
from holdback.errors import Refusal
from holdback.exact.exact_json import Json
from holdback.frozen_classes import frozen
from holdback.lifecycle.configuration import Configuration
from holdback.lifecycle.context import Context
from holdback.lifecycle.deals.lookup import deal_reply
from holdback.merchant.deal import LookupDeal
from holdback.merchant.merchant import Merchant, OfferSet
from holdback.merchant.receipt import DealReceipt

# The operations that a host can carry out while it writes format 1, besides questions.
IN_FIRST_FORMAT: Final = frozenset(
    (
        "request_offers",
        "accept_offer",
        "supply_details",
        "close_application",
        "fund_deal",
        "record_takings",
        "record_remittance",
        "close_deal",
        "erase_profile",
        "review_renewal",
    )
)


def first_format_refusal() -> Refusal:
    """Return the refusal of what format 1, which is written during the upgrade, cannot say."""
    message = "format 1, which is written during the upgrade, cannot say this"
    return Refusal("not_possible_now", message)


@frozen(kw_only=True)
class TakingsHeld:
    """The reply of the first format about takings: the days held, and how far they are complete."""

    days: int
    complete_through: date | None


_Reply: TypeAlias = Callable[[Merchant, Any], Any]


def _deal(
    context: Context, configuration: Configuration
) -> Callable[[Merchant, DealReceipt], LookupDeal]:
    def reply(after: Merchant, receipt: DealReceipt) -> LookupDeal:
        return deal_reply(receipt.deal_id, context, configuration)(after)

    return reply


def _takings(_: Context, __: Configuration) -> Callable[[Merchant, Any], TakingsHeld]:
    def reply(after: Merchant, _: Any) -> TakingsHeld:
        return TakingsHeld(days=len(after.takings), complete_through=after.takings_complete_through)

    return reply


_REPLIES: Final[Mapping[str, Callable[[Context, Configuration], _Reply]]] = MappingProxyType(
    {
        "fund_deal": _deal,
        "record_remittance": _deal,
        "close_deal": _deal,
        "record_takings": _takings,
    }
)


def first_format_reply(
    operation: str, context: Context, configuration: Configuration
) -> _Reply | None:
    """Return the function of merchant and receipt that replies in the first format, or None."""
    reply = _REPLIES.get(operation)
    return None if reply is None else reply(context, configuration)


def facts_at_acceptance(
    merchant: Merchant, offer_set: OfferSet, context: Context, configuration: Configuration
) -> Mapping[str, Json]:
    """
    Return the facts about the merchant when an offer of *offer_set*, which holds none, is accepted.

    They inform the service's agents and decide nothing. What cannot be read now is left out.
    """
    rulebook = configuration.loaded_rulebook(merchant, context.at)
    if rulebook is None:
        return {}
    catalogue = rulebook.catalogue
    if not offer_set.renewal:
        return known_facts(catalogue, held_facts(offer_set.evidence, catalogue))
    held = with_newer_evidence(merchant.evidence, offer_set.evidence)
    facts = dict(zip((f.name for f in catalogue.facts), held_facts(held, catalogue), strict=True))
    months, since = facts["months_trading"], merchant.evidence_on
    if months is not None and since is not None:
        facts["months_trading"] = months + max(0, months_between(since, rulebook.on))
        if recorded_over(merchant, since):
            facts["average_monthly_takings"] = None
    facts |= takings_facts(merchant, rulebook.on)
    return known_facts(catalogue, tuple(facts[fact.name] for fact in catalogue.facts))
