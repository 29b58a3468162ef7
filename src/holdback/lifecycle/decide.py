"""May it happen, and what then: a command gives events, or is refused and changes nothing.

Rule 1: the same merchant, command, context and configuration give the same events, byte for byte.
Rule 2: a command that was carried out before gives no events, so a retry is safe.
Rule 3: whether a deal may be renewed is announced when it changes, and only then.
"""

from __future__ import annotations

from typing import assert_never

from holdback.lifecycle.commands import (
    AcceptOffer,
    CloseApplication,
    CloseDeal,
    Command,
    FundDeal,
    RecordRemittance,
    RecordTakings,
    RequestOffers,
    ReviewRenewal,
    SupplyDetails,
)
from holdback.lifecycle.context import Configuration, Context
from holdback.lifecycle.events import Event, RenewalEligibilityChanged
from holdback.lifecycle.evolve import evolve_all
from holdback.lifecycle.fulfilment import accept, close_application, fund, supply_details
from holdback.lifecycle.offers import issue_offers
from holdback.lifecycle.remittances import close_deal, record_remittance, record_takings
from holdback.lifecycle.status import check_evidence, renewal_case, renewal_eligibility
from holdback.model.merchant import Merchant


def decide(
    merchant: Merchant, command: Command, context: Context, configuration: Configuration
) -> tuple[tuple[Event, ...], Merchant]:
    """
    The events of carrying out *command*, in order, and the merchant after them; no events when it was
    carried out before.

    Raises:
        Refusal: an expected business "no".
        InvalidDocument: the command, or the evidence, is not valid.
    """
    context = context.not_before(merchant.last_seen_at)
    if context.evidence and not isinstance(command, RequestOffers):
        known = merchant.provider_id is not None
        check_evidence(
            context.evidence, configuration.rulebook(merchant, context.at), renewal=known
        )
    events = _events(merchant, command, context, configuration)
    after = evolve_all(merchant, events)
    # Requests for offers change nothing that eligibility depends on, and are the hot path.
    if isinstance(command, RequestOffers) or not (events or isinstance(command, ReviewRenewal)):
        return events, after
    announced = _announcement(merchant, after, context, configuration)
    return (*events, *announced), evolve_all(after, announced)


def _events(
    merchant: Merchant, command: Command, context: Context, configuration: Configuration
) -> tuple[Event, ...]:
    match command:
        case RequestOffers():
            return issue_offers(merchant, command, context, configuration)
        case AcceptOffer():
            return accept(merchant, command, context, configuration)
        case SupplyDetails():
            return supply_details(merchant, command, context)
        case CloseApplication():
            return close_application(merchant, command, context)
        case FundDeal():
            return fund(merchant, command, context, configuration)
        case RecordTakings():
            return record_takings(merchant, command, context, configuration)
        case RecordRemittance():
            return record_remittance(merchant, command, context, configuration)
        case CloseDeal():
            return close_deal(merchant, command, context, configuration)
        case ReviewRenewal():
            return ()
    assert_never(command)


def _announcement(
    before: Merchant, merchant: Merchant, context: Context, configuration: Configuration
) -> tuple[RenewalEligibilityChanged, ...]:
    case = renewal_case(merchant, context, configuration.rulebook(merchant, context.at))
    eligible = renewal_eligibility(merchant, case)
    if eligible == merchant.renewal_eligibility:
        return ()
    # What was announced of a deal is taken back of that deal: it was the active one until now.
    deal = case.deal if case is not None and eligible else before.active_deal
    about = case is not None and deal is not None and case.deal.id == deal.id
    return (
        RenewalEligibilityChanged(
            at=context.at,
            deal_id=None if deal is None else deal.id,
            renewal_eligibility=eligible,
            assessment=case.assessment.record() if case is not None and about else None,
        ),
    )
