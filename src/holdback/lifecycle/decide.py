"""Decide what a command leads to: its events and its reply, or a refusal that changes nothing.

1. The same merchant, command, context and configuration give the same events, byte for byte.
2. A command that was carried out before gives no events, so a retry is safe.
3. Renewal eligibility is announced when it has changed, and only then.
"""

from __future__ import annotations

from typing import Any

from attrs import evolve

from holdback.lifecycle.commands import Command, Question
from holdback.lifecycle.configuration import Configuration
from holdback.lifecycle.context import Context
from holdback.lifecycle.decision import Decision
from holdback.lifecycle.events import RenewalEligibilityChanged
from holdback.lifecycle.evolve import evolve_all
from holdback.lifecycle.operations import operation_of
from holdback.lifecycle.status import check_evidence, renewal_case, renewal_eligibility
from holdback.model.merchant import Merchant


def decide(
    merchant: Merchant, command: Command | Question, context: Context, configuration: Configuration
) -> tuple[Decision[Any], Merchant]:
    """
    Return the decision on *command*, and the merchant after its events.

    There are no events if the command was carried out before, or is a question.

    Raises:
        Refusal: an expected business "no".
        InvalidDocument: the command or the evidence is invalid.
    """
    operation = operation_of(command)
    context = context.not_before(merchant.last_seen_at)
    if context.evidence and not operation.checks_evidence:
        is_known = merchant.provider_id is not None
        check_evidence(
            context.evidence, configuration.rulebook(merchant, context.at), known_merchant=is_known
        )
    decision = operation.handler(merchant, command, context, configuration)
    after = evolve_all(merchant, decision.events)
    due = operation.announces == "always" or (
        operation.announces == "with events" and decision.events
    )
    if not due:
        return decision, after
    announced = _announcement(merchant, after, context, configuration)
    if announced is None:
        return decision, after
    return (
        evolve(decision, events=(*decision.events, announced)),
        evolve_all(after, (announced,)),
    )


def _announcement(
    before: Merchant, after: Merchant, context: Context, configuration: Configuration
) -> RenewalEligibilityChanged | None:
    """Return the announcement of a change of renewal eligibility, None if it has not changed."""
    case = renewal_case(after, context, configuration.rulebook(after, context.at))
    eligible = renewal_eligibility(after, case)
    if eligible == after.renewal_eligibility:
        return None
    # When eligibility is lost, name the deal that was active before: afterwards there may be none.
    deal = case.deal if case is not None and eligible else before.active_deal
    assessed = case is not None and deal is not None and case.deal.id == deal.id
    return RenewalEligibilityChanged(
        at=context.at,
        deal_id=None if deal is None else deal.id,
        renewal_eligibility=eligible,
        assessment=case.assessment.record() if case is not None and assessed else None,
    )
