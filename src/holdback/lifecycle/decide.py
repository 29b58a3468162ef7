"""Decide what a command leads to: its events and its reply, or a refusal that changes nothing.

1. The same merchant, profile, command, context and configuration give the same events, byte for
   byte.
2. A command that was carried out before gives no events, so a retry is safe.
3. Renewal eligibility is announced when it has changed, and only then.
4. What no operation can ask for any more is forgotten, in an event of its own.
"""

from __future__ import annotations

from typing import Any

from attrs import evolve

from holdback.errors import ConfigurationError, Refusal
from holdback.frozen_classes import frozen
from holdback.lifecycle.commands import Command, Question, RequestOffers
from holdback.lifecycle.configuration import FIRST_FORMAT, Configuration
from holdback.lifecycle.context import Context
from holdback.lifecycle.decision import Decision, Outcome
from holdback.lifecycle.events import Event, RenewalEligibilityChanged, numbered
from holdback.lifecycle.evolve import evolve_all
from holdback.lifecycle.fingerprint import fingerprint
from holdback.lifecycle.first_format import first_format_reply
from holdback.lifecycle.forgetting import forgotten
from holdback.lifecycle.operations import Operation, operation_of
from holdback.lifecycle.receipts import repeated_reply, without_entries
from holdback.lifecycle.status import check_evidence, renewal_case, renewal_eligibility
from holdback.model.merchant import CarriedOut, Merchant
from holdback.model.profile import Profile


def decide(
    merchant: Merchant,
    profile: Profile | None,
    command: Command | Question,
    context: Context,
    configuration: Configuration,
) -> Outcome[Any]:
    """
    Return what *command* leads to; the reply may raise.

    There are no events if the command was carried out before, or is a question.

    Raises:
        Refusal: an expected business "no".
        InvalidDocument: the command is invalid.
        ConfigurationError: the evidence, a calculator or the links of the host are invalid.
        TypeError: the operation takes the profile, and none was given.
    """
    operation = operation_of(command)
    if operation.takes_profile and profile is None:
        raise TypeError(f"`{operation.name}` takes the merchant's profile: give `profile=`")
    decider = _Decider(
        operation=operation,
        before=merchant,
        profile=profile,
        command=command,
        context=context.not_before(merchant.last_seen_at),
        configuration=configuration,
    )
    return decider.repeated() or decider.decided()


@frozen(kw_only=True)
class _Decider:
    """One command being decided, with everything that its decision depends on."""

    operation: Operation
    before: Merchant
    profile: Profile | None
    command: Any
    context: Context
    configuration: Configuration

    def repeated(self) -> Outcome[Any] | None:
        """Return the reply to a request that is remembered, None for another."""
        if self.operation.is_question:
            return None
        request_id, before = self.context.request_id, self.before
        earlier = before.request_of(request_id)
        if earlier is None and (
            self.operation.input is RequestOffers  # its handler compares with the set
            or not any(offer_set.request_id == request_id for offer_set in before.sets)
        ):
            return None
        if earlier is None or earlier.carried_out.fingerprint != self._fingerprint():
            raise Refusal("request_conflict", "this request id was used before for another request")
        reply = repeated_reply(earlier.carried_out.receipt, self.command)
        return Outcome(
            reply=reply,
            events=(),
            merchant=self.before,
            profile=self.profile,
            format=self.configuration.format,
        )

    def decided(self) -> Outcome[Any]:
        """Return the decision of the operation's handler, with the events that follow from it."""
        self._check_evidence()
        decision = self._handled()
        events = numbered(decision.events, self.before, request_id=self.context.request_id)
        after = evolve_all(self.before, events)
        reply = self._reply(decision, after)
        if decision.events and self.operation.remembered and not self._first_format:
            events = (*events[:-1], evolve(events[-1], carried_out=self._carried_out(reply)))
            after = evolve_all(self.before, events)
        more = numbered(self._following(decision, after), after, request_id=self.context.request_id)
        profile = self.profile if decision.profile is None else decision.profile
        return Outcome(
            reply=reply,
            events=events + more,
            merchant=evolve_all(after, more),
            profile=profile,
            format=self.configuration.format,
        )

    @property
    def _first_format(self) -> bool:
        return self.configuration.format == FIRST_FORMAT

    def _handled(self) -> Decision[Any]:
        arguments = (self.before, self.command, self.context, self.configuration)
        if self.operation.takes_profile:
            arguments += (self.profile,)  # type: ignore[assignment]  # of handlers that take it
        return self.operation.handler(*arguments)

    def _check_evidence(self) -> None:
        if not self.context.evidence or self.operation.checks_evidence:
            return
        rulebook = self.configuration.loaded_rulebook(self.before, self.context.at)
        if rulebook is None:
            message = "evidence is read by the rules of the jurisdiction, which is not loaded"
            raise ConfigurationError.of("unknown_name", message, path="$.evidence")
        is_known = self.before.provider_id is not None
        check_evidence(self.context.evidence, rulebook, known_merchant=is_known)

    def _reply(self, decision: Decision[Any], after: Merchant) -> Any:
        if self._first_format:
            reply = first_format_reply(self.operation.name, self.context, self.configuration)
            if reply is not None:
                return reply(after, decision.reply(after))
        return decision.reply(after)

    def _fingerprint(self) -> str:
        profile = self.profile if self.operation.takes_profile else None
        return fingerprint(self.operation.name, self.command, profile)

    def _carried_out(self, reply: Any) -> CarriedOut:
        return CarriedOut(
            operation=self.operation.name,
            fingerprint=self._fingerprint(),
            receipt=without_entries(reply),
        )

    def _following(self, decision: Decision[Any], after: Merchant) -> tuple[Event, ...]:
        """Return the events that follow from the operation's own: what is forgotten, announced."""
        following: tuple[Event, ...] = ()
        if decision.events and not self._first_format:
            following = forgotten(self.before, after, self.context.at, self.configuration)
        due = self.operation.announces == "always" or (
            self.operation.announces == "with events" and decision.events
        )
        announced = self._announcement(after) if due else None
        return following if announced is None else (*following, announced)

    def _announcement(self, after: Merchant) -> RenewalEligibilityChanged | None:
        """Return the announcement of a change of renewal eligibility, None if there is none."""
        context, configuration = self.context, self.configuration
        case = renewal_case(after, context, configuration.loaded_rulebook(after, context.at))
        eligible = renewal_eligibility(after, case)
        if eligible == after.renewal_eligibility:
            return None
        # When eligibility is lost, name the deal that was active before: after it there may be
        # none.
        deal = case.deal if case is not None and eligible else self.before.active_deal
        assessed = case is not None and deal is not None and case.deal.id == deal.id
        record = None
        if case is not None and assessed:
            record = case.assessment.frozen_record(configuration.format)
        return RenewalEligibilityChanged(
            at=context.at,
            deal_id=None if deal is None else deal.id,
            renewal_eligibility=eligible,
            assessment=record,
        )
