"""
A merchant on a day: its base deal, and the assessment of a renewal of it.

The lookup, the request for offers and the announcement of a change all ask here, so their answers
agree (decisions/renewal).
"""

from __future__ import annotations

from datetime import date

from pendulum import DateTime

from holdback.eligibility.assessment import Assessment, assess
from holdback.eligibility.derived_facts import renewal_facts
from holdback.frozen_classes import frozen
from holdback.lifecycle.evidence.checks import evidence_facts
from holdback.merchant.deal import REPAID, Deal
from holdback.merchant.merchant import Merchant
from holdback.rulebooks.rulebook import Rulebook
from holdback.rules.types import Facts


def base_deal(merchant: Merchant, rulebook: Rulebook, today: date) -> Deal | None:
    """
    Return the deal that a renewal would be based on (service 1), None without one.

    It is the active deal, or else the deal repaid last, within `recently_active_days`.
    """
    if merchant.active_deal is not None:
        return merchant.active_deal
    repaid = [
        (deal.repaid_on, deal)
        for deal in merchant.deals
        if deal.status == REPAID and deal.repaid_on is not None
    ]
    if not repaid:
        return None
    on, deal = max(repaid, key=lambda day_and_deal: day_and_deal[0])
    return deal if (today - on).days <= rulebook.recently_active_days else None


@frozen(kw_only=True)
class RenewalCase:
    """The deal that a renewal would be based on, the facts about it, and the assessment of them."""

    deal: Deal
    facts: Facts
    assessment: Assessment


def renewal_case(merchant: Merchant, at: DateTime, rulebook: Rulebook | None) -> RenewalCase | None:
    """Return the renewal that the merchant could request now, None without rules or base deal."""
    if rulebook is None:
        return None
    deal = base_deal(merchant, rulebook, rulebook.on)
    if deal is None:
        return None
    evidence = evidence_facts(merchant, rulebook, at)
    facts = renewal_facts(merchant, deal, rulebook.catalogue, evidence, rulebook.on)
    return RenewalCase(
        deal=deal, facts=facts, assessment=assess(rulebook.renewal, facts, rulebook.on)
    )
