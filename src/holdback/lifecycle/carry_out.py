"""Carry an operation out: its events and its reply, or a refusal that changes nothing.

1. The same merchant, profile, operation, context and configuration give the same events, byte for
   byte.
2. An operation that was carried out before, and is remembered, gives no events: a retry is safe.
3. Renewal eligibility is announced when it has changed, and only then.
4. What no operation can ask for any more is forgotten, in an event of its own.
5. Nothing is changed at an instant that is far from what is known, unless the host is sure of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any, Generic, TypeVar

import attrs
from pendulum import DateTime

from holdback.errors import ConfigurationError, ErrorDetail, Refusal
from holdback.frozen_classes import frozen
from holdback.lifecycle.configuration import Configuration
from holdback.lifecycle.context import Context
from holdback.lifecycle.events import (
    ApplicationLapsed,
    Event,
    RenewalEligibilityChanged,
    numbered,
)
from holdback.lifecycle.evidence.checks import base_deal
from holdback.lifecycle.evidence.recording import evidence_event, evidence_of
from holdback.lifecycle.evolve import evolve_all
from holdback.lifecycle.forgetting import forgotten
from holdback.lifecycle.offers.renewal_eligibility import (
    RenewalEligibility,
    is_barred,
    renewal_eligibility,
)
from holdback.lifecycle.offers.requests import RequestOffers
from holdback.lifecycle.operation import (
    Case,
    Decision,
    Operation,
    Outcome,
    fingerprint,
    repeated_reply,
    without_entries,
)
from holdback.lifecycle.people.rectification import RectifyProfile
from holdback.merchant.application import CheckRecord
from holdback.merchant.instants import elapsed, write_timestamp
from holdback.merchant.merchant import CarriedOut, Merchant
from holdback.merchant.profile import Profile

Reply = TypeVar("Reply")


def carry_out(operation: Operation[Reply], case: Case) -> Outcome[Reply]:
    """
    Return the outcome of *operation* in this *case*; the reply may raise.

    There are no events if it was carried out before, or is a question.

    Raises:
        Refusal: an expected business "no".
        InvalidDocument: a field of the operation is invalid.
        ConfigurationError: the evidence, a calculator or the links of the host are invalid.
        TypeError: *operation* is not one, or it takes the profile, and none was given.
    """
    if not isinstance(operation, Operation):
        raise TypeError(f"expected an operation, not `{type(operation).__name__}`")
    if operation.takes_profile and case.given_profile is None:
        raise TypeError(f"`{operation.name}` takes the merchant's profile: give `profile=`")
    if not operation.is_question:
        _check_instant(case)
    context = case.context.not_before(case.merchant.last_seen_at)
    attempt = _Attempt(operation, attrs.evolve(case, context=context))
    return attempt.repeated() or attempt.outcome()


def _check_instant(case: Case) -> None:
    """Refuse an instant that is far from the last event of the merchant, before or after it."""
    # A wrong clock must not decide what cannot be undone: forgetting, closing and lapsing
    # (decisions/engine#a-far-clock).
    at, seen, days = case.at, case.merchant.last_seen_at, case.configuration.clock_days
    if case.context.sure or seen is None or abs(elapsed(seen, at)) <= timedelta(days=days):
        return
    detail = (
        f"the clock says {write_timestamp(at)}, and the last event of the merchant is of "
        f"{write_timestamp(seen)}, more than {days} days away; nothing has changed, so compare the "
        "clock with another one, and repeat the command with `sure=True` if it is right"
    )
    raise Refusal("implausible_time", detail)


def _lapse(merchant: Merchant, at: DateTime) -> tuple[ApplicationLapsed, ...]:
    """
    Return the lapse of the application in fulfilment, if it was not funded in time.

    Nothing lapses on hold: that time does not count.
    """
    waiting = merchant.in_fulfilment
    if waiting is None or waiting.lapses_at is None or merchant.on_hold or at < waiting.lapses_at:
        return ()
    return (ApplicationLapsed(at=at, application_id=waiting.application_id),)


@frozen
class _Attempt(Generic[Reply]):
    """One operation being carried out, in the case before it."""

    operation: Operation[Reply]
    case: Case

    @property
    def before(self) -> Merchant:
        """The merchant before the operation."""
        return self.case.merchant

    @property
    def context(self) -> Context:
        """The context of the attempt."""
        return self.case.context

    @property
    def configuration(self) -> Configuration:
        """The configuration of the engine."""
        return self.case.configuration

    def repeated(self) -> Outcome[Reply] | None:
        """
        Return the reply to a request that is remembered, None for another and for a question.

        An id that was used for another request is refused.
        """
        if self.operation.is_question:
            return None
        request_id, before = self.context.request_id, self.before
        earlier = before.request_of(request_id)
        if earlier is None and (
            isinstance(self.operation, RequestOffers)  # it knows its own repetition
            or not any(offer_set.request_id == request_id for offer_set in before.sets)
        ):
            return None
        if earlier is None or earlier.carried_out.fingerprint != self._fingerprint():
            raise Refusal("request_conflict", "this request id was used before for another request")
        reply: Any = repeated_reply(earlier.carried_out.receipt, self.operation)
        return Outcome(reply=reply, events=(), merchant=before, profile=self.case.given_profile)

    def outcome(self) -> Outcome[Reply]:
        """Return what the operation decides, with the events that follow from it."""
        first = self._events_before()
        decision = self._decided(evolve_all(self.before, self._numbered(first)))
        own = decision.events
        # What comes first is stored with the operation's own events, or not at all.
        if own or self.operation.always_announces:
            own = (*first, *own)
        events = self._numbered(own)
        after = evolve_all(self.before, events)
        reply = decision.reply(after)
        if decision.events and self.operation.remembered:
            events = (*events[:-1], attrs.evolve(events[-1], carried_out=self._carried_out(reply)))
            after = evolve_all(self.before, events)
        following, errors = self._following(decision, events, after)
        more = numbered(following, after, request_id=self.context.request_id)
        merchant = evolve_all(after, more)
        return Outcome(
            reply=reply,
            events=events + more,
            merchant=merchant,
            profile=self._profile(decision, merchant),
            errors=tuple(dict.fromkeys((*decision.errors, *errors))),
        )

    def _profile(self, decision: Decision[Any], after: Merchant) -> Profile | None:
        """Return the profile to store: without what *after* does not name any more."""
        profile = self.case.given_profile if decision.profile is None else decision.profile
        if profile is None or self.operation.is_question:
            return profile
        return profile.keeping(after.named_sections)

    def _numbered(self, events: Iterable[Event]) -> tuple[Event, ...]:
        return numbered(events, self.before, request_id=self.context.request_id)

    def _events_before(self) -> tuple[Event, ...]:
        """
        Return what comes before the operation: a lapse that is due, and the evidence it brings.

        It is stored with the operation's own events. Where the evidence has errors and the
        operation would be refused without it too, the refusal is raised, and not the errors.
        """
        lapsed = _lapse(self.before, self.context.at)
        try:
            records = self._evidence()
        except ConfigurationError:
            if self.operation.is_question:
                raise
            # Deciding raises the refusal, if there is one: its evidence would not be kept.
            self._decided(evolve_all(self.before, self._numbered(lapsed)))
            raise
        kept = (evidence_event(records, self.before, self.context),) if records else ()
        return (*lapsed, *kept)

    def _evidence(self) -> tuple[CheckRecord, ...]:
        """Return the records of the evidence that comes with the operation."""
        repeated = any(s.request_id == self.context.request_id for s in self.before.sets)
        if not self.context.evidence or repeated:
            return ()  # what a repeated request brings was recorded the first time
        if self.operation.is_question:
            message = "a question takes no evidence: record it first, with `record_evidence`"
            raise ConfigurationError.of("not_allowed", message, path="$.evidence")
        rulebook = self.configuration.loaded_rulebook(self.before, self.context.at)
        if rulebook is None:
            message = "evidence is read by the rules of the jurisdiction, which is not loaded"
            raise ConfigurationError.of("unknown_name", message, path="$.evidence")
        is_initial = isinstance(self.operation, RequestOffers) and not self._is_renewal()
        return evidence_of(
            self.context,
            self.before,
            rulebook,
            self._people_said(),
            renewal=self._is_renewal(),
            deal=None if is_initial else base_deal(self.before, rulebook, rulebook.on),
            with_takings=self._takes_takings(),
        )

    def _people_said(self) -> Mapping[str, str]:
        """Return the sections that the operation says of those whom its evidence is about."""
        said = self.operation
        if isinstance(said, RequestOffers) and not self._is_renewal():
            return self.case.profile.people_of(said.request)
        return self.case.profile.people_of(said) if isinstance(said, RectifyProfile) else {}

    def _is_renewal(self) -> bool:
        return isinstance(self.operation, RequestOffers) and self.operation.request.renewal

    def _takes_takings(self) -> bool:
        """Return whether takings can be evidence: a merchant with a deal has them recorded."""
        if isinstance(self.operation, RequestOffers):
            return not self._is_renewal()
        return self.before.active_deal is None

    def _decided(self, merchant: Merchant) -> Decision[Reply]:
        return self.operation.decide(attrs.evolve(self.case, merchant=merchant))

    def _fingerprint(self) -> str:
        return fingerprint(self.operation, self.case.given_profile)

    def _carried_out(self, reply: Any) -> CarriedOut:
        return CarriedOut(
            operation=self.operation.name,
            fingerprint=self._fingerprint(),
            receipt=without_entries(reply),
        )

    def _following(
        self, decision: Decision[Any], events: tuple[Event, ...], after: Merchant
    ) -> tuple[tuple[Event, ...], tuple[ErrorDetail, ...]]:
        """
        Return the events that follow from the operation's own: what is forgotten, and announced.

        With them are the errors of calculators.
        """
        following: tuple[Event, ...] = ()
        if events:
            following = forgotten(self.before, after, self.context.at, self.configuration)
        if not events and not self.operation.always_announces:
            return following, ()
        eligibility = self._eligibility(decision, after)
        if eligibility is None:
            return following, ()
        if eligibility.eligible != after.renewal_eligibility:
            following = (*following, self._announcement(eligibility))
        return following, eligibility.errors

    def _eligibility(self, decision: Decision[Any], after: Merchant) -> RenewalEligibility | None:
        """Return the renewal eligibility of *after*; None if it was and stays false."""
        at, configuration = self.context.at, self.configuration
        rulebook = configuration.loaded_rulebook(after, at)
        if is_barred(after, at, rulebook):
            if not after.renewal_eligibility:
                return None
        elif decision.eligibility is not None:
            return decision.eligibility
        return renewal_eligibility(after, at, rulebook, configuration)

    def _announcement(self, eligibility: RenewalEligibility) -> RenewalEligibilityChanged:
        """Return the announcement that the renewal eligibility has changed."""
        case, eligible = eligibility.case, eligibility.eligible
        # When eligibility is lost, name the deal that was active before: after it there may be
        # none.
        deal = case.deal if case is not None and eligible else self.before.active_deal
        assessed = case is not None and deal is not None and case.deal.id == deal.id
        record = None
        if eligibility.assessment is not None and assessed:
            record = eligibility.assessment.frozen_record()
        return RenewalEligibilityChanged(
            at=self.context.at,
            deal_id=None if deal is None else deal.id,
            renewal_eligibility=eligible,
            assessment=record,
            decided_by=eligibility.decided_by,
        )
