"""Tests of a lifecycle: given a past, when an operation is carried out, then this happens.

Every step returns a new story, so one story can be continued in several ways.

>>> from datetime import date
>>> from holdback import Engine
>>> from holdback.testing.payloads import evidence
>>> checked = evidence(date(2026, 7, 6))
>>> story = given(
...     Engine.for_trial(), jurisdiction="GB", at="2026-07-06T09:00:00Z", evidence=checked
... )
>>> offered = story.after("request_offers")
>>> offered.when("accept_offer").events("OfferAccepted").merchant.deals
()
>>> late = offered.later(days=60).when("accept_offer").refused("offers_expired")
>>> late.merchant == offered.merchant
True
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, TypeAlias

import attrs
from pendulum import DateTime

from holdback import wire
from holdback.engine import Engine
from holdback.errors import ConfigurationError, InvalidDocument, Refusal
from holdback.exact.exact_json import Json, Opaque
from holdback.frozen_classes import FrozenMapping, frozen, frozen_record
from holdback.lifecycle.context import CheckResult, Context, Evidence, FactValues
from holdback.lifecycle.events import Event, numbered
from holdback.merchant.instants import as_instant
from holdback.merchant.merchant import Merchant
from holdback.merchant.profile import Profile
from holdback.operations import Operation, RecordEvidence
from holdback.rules.values import FactValue
from holdback.testing.inputs import (
    Body,
    fitting_evidence,
    known_operation,
    new_request_id,
    people_of_first_request,
    remittance_up_to,
    run_operation,
    with_newest_ids,
)
from holdback.testing.memory_store import TRIAL_SALT
from holdback.testing.then import Then

Instant: TypeAlias = datetime | str


def given(  # noqa: PLR0913  # every argument but the engine is a keyword
    engine: Engine,
    *,
    at: Instant,
    jurisdiction: str | None = None,
    partner: str = "partner",
    merchant_id: str = "m-1",
    merchant: Merchant | None = None,
    profile: Profile | None = None,
    evidence: FactValues = FrozenMapping(),
) -> Story:
    """
    Return a story that begins at the instant *at*. No clock is read.

    The story is about a new merchant, or about the stored *merchant* with its *profile*. `evidence`
    holds the results of the host's checks from now on, which it hands in with every request for
    offers and every review. For a merchant that the service knows, facts that follow from its state
    are left out, as a host would do.

    Raises:
        InvalidDocument, ConfigurationError: there is no such instant, or no such jurisdiction.
    """
    if merchant is None:
        if jurisdiction is None:
            raise ValueError("given which merchant? name a jurisdiction, or hand in a merchant")
        merchant = Merchant.new(partner=partner, merchant_id=merchant_id, jurisdiction=jurisdiction)
    engine.jurisdictions.currency(merchant.jurisdiction)  # raises if there is none
    return Story(
        engine=engine,
        merchant=merchant,
        profile=Profile.new(salt=TRIAL_SALT) if profile is None else profile,
        at=_instant(at),
        evidence=evidence,
    )


def _instant(at: Instant) -> DateTime:
    return wire.read_timestamp(at, path="$.at") if isinstance(at, str) else as_instant(at)


@frozen(kw_only=True)
class Story:
    """
    A merchant at an instant, after the events of its `journal`.

    `replies` are those of the steps so far, as `wire.to_dict` returns them. `steps` counts the
    steps. The third has the request id `r-3`, unless it is given another, or the merchant has
    already seen `r-3`. `sure` is whether the host is sure of the instant, as `Context` says: a
    command that is far from the merchant's last event needs it.
    """

    engine: Engine = attrs.field(repr=False)
    merchant: Merchant = attrs.field(repr=False)
    profile: Profile = attrs.field(repr=False)
    at: DateTime
    evidence: Mapping[str, Json] = attrs.field(converter=frozen_record, repr=False)
    journal: tuple[Event, ...] = attrs.field(default=(), repr=False)
    replies: tuple[Mapping[str, Json], ...] = attrs.field(default=(), repr=False)
    steps: int = 0
    sure: bool = False

    def _repr_pretty_(self, printer: Any, _: object) -> None:
        printer.text(repr(self))  # Hypothesis would show the engine with all its rules

    @property
    def reply(self) -> Mapping[str, Any]:
        """
        The reply of the last step that was carried out.

        Raises:
            AssertionError: no step was carried out.
        """
        if not self.replies:
            raise AssertionError("nothing was carried out yet")
        return self.replies[-1]

    def after(
        self,
        what: str | Operation[Any],
        body: Body | Callable[[Story], Body] = None,
        *,
        at: Instant | None = None,
        evidence: Evidence | None = None,
        request_id: str | None = None,
    ) -> Story:
        """
        Return the story after *what* was carried out; the arguments are those of `when`.

        Raises:
            AssertionError: it was refused.
        """
        __tracebackhide__ = True
        then = self.when(what, body, at=at, evidence=evidence, request_id=request_id)
        if then.error is not None:
            raise AssertionError(then.failure("what is given happens")) from then.error
        return then.story

    def events(self, *events: Event | Mapping[str, Json]) -> Story:
        """
        Return the story after *events*, which may be plain values of `wire.event_to_dict`.

        No rule is evaluated. The instant moves only to a later event. Events without numbers are
        the merchant's next.

        Raises:
            StateError: an event cannot be read.
            HistoryError: an event cannot follow from the merchant's state.
        """
        read = [wire.event_from_dict(e) if isinstance(e, Mapping) else e for e in events]
        if not all(event.sequence for event in read):
            read = [*numbered(read, self.merchant)]
        return attrs.evolve(
            self,
            merchant=self.engine.evolve(self.merchant, read),
            journal=(*self.journal, *read),
            at=max([self.at, *(event.at for event in read)]),
        )

    def later(self, *, sure: bool = False, **of: int) -> Story:
        """Return the story after some time, such as `days=30`: the arguments of `timedelta`."""
        return self.on(self.at + timedelta(**of), sure=sure)

    def on(self, at: Instant, *, sure: bool = False) -> Story:
        """Return the story at the instant *at*, which may be earlier, as if a clock went back."""
        return attrs.evolve(self, at=_instant(at), sure=sure)

    def checked(self, check: str, *, made_at: Instant | None = None, **facts: FactValue) -> Story:
        """
        Return the story after the result of a *check* was recorded, made now or at *made_at*.

        It is about those of the applications so far. Before the first it is about those of a
        request that does not say who they are.

        Raises:
            AssertionError: it was refused.
        """
        __tracebackhide__ = True
        at = self.at if made_at is None else _instant(made_at)
        result = CheckResult(check=check, made_at=at, facts=facts)
        people = people_of_first_request(self.merchant).items()
        closed = {name: Opaque.of(content) for name, content in people}
        return self.after(RecordEvidence(records=(result,), **closed))

    def knowing(self, **evidence: FactValue) -> Story:
        """
        Return the story with other *evidence* from now on; None removes a fact.

        Nothing is recorded yet: it is handed in with the next request, and `checked` records.
        """
        merged = {**self.evidence, **evidence}.items()
        return attrs.evolve(self, evidence={name: it for name, it in merged if it is not None})

    def paid_down(self, percent: int) -> Story:
        """
        Return the story after the active deal was paid down to *percent* of its repayment amount.

        The payment is on pace: on the day on which the term expects it, or today if it is late.
        The deal's history is declared complete.

        Raises:
            AssertionError: there is no active deal.
        """
        __tracebackhide__ = True
        deal = self.merchant.active_deal
        if deal is None:
            raise AssertionError(f"given a deal that is paid down to {percent}%: none is active")
        due_on = deal.funded_on + timedelta(days=-(-deal.term_days * percent // 100))
        zone = self.engine.jurisdictions.zone(self.merchant.jurisdiction)
        days = max(0, (due_on - self.at.astimezone(zone).date()).days)
        waited = self.later(days=days, sure=self.sure)
        today = waited.at.astimezone(zone).date().isoformat()
        body = remittance_up_to(deal, percent, today, f"paid-down-{waited.steps + 1}")
        return waited.after("record_remittance", body)

    def when(
        self,
        what: str | Operation[Any],
        body: Body | Callable[[Story], Body] = None,
        *,
        at: Instant | None = None,
        evidence: Evidence | None = None,
        request_id: str | None = None,
    ) -> Then[Story]:
        """
        Carry out *what*, and return what happened, for expectations about it.

        Args:
            what: The name of an operation, such as `accept_offer`, or a command.

            body: The operation's input: an object, JSON text, or a function of the story. An object
                may omit the merchant's own ids. They are then those of the first offer of the
                newest set, of the application accepted last, of the active or last deal, and of the
                newest open referral for `decide_referral`. A refund is of the newest deal that is
                overpaid, a recovery of one in default, a write-off of one that owes something
                after its end; a transfer goes from the first of these to the active deal. A
                request for offers is a renewal once there is a deal; before that its profile is
                empty.

            at: The instant of this attempt and of the story after it; by default the story's.

            evidence: The evidence of this attempt alone, instead of the story's: by fact name, or
                as `CheckResult`s, with an instant each.

            request_id: The host's id of the attempt. That of an earlier step makes it a retry.

        Raises:
            ValueError: *what* is not the name of an operation.
        """
        story = self if at is None else self.on(at)
        given = body(story) if callable(body) else body
        if isinstance(what, str):
            given = with_newest_ids(story.engine, story.merchant, known_operation(what), given)
        if evidence is None:
            evidence = fitting_evidence(story.merchant, what, given, story.evidence)
        named = request_id or new_request_id(story.merchant, story.steps + 1)
        context = Context(at=story.at, request_id=named, evidence=evidence, sure=story.sure)
        then = Then(
            asked=f"`{what}`" if isinstance(what, str) else type(what).__name__,
            request_id=context.request_id,
            story=attrs.evolve(story, steps=story.steps + 1),
        )
        return story._carried_out(what, given, context, then)  # noqa: SLF001 - another story

    def _carried_out(
        self, what: str | Operation[Any], given: Body, context: Context, then: Then[Story]
    ) -> Then[Story]:
        """Return *then* with what happened, and the story after it."""
        try:
            outcome = run_operation(self.engine, self.merchant, what, given, context, self.profile)
        except (Refusal, InvalidDocument, ConfigurationError) as error:
            return attrs.evolve(then, error=error)
        assert outcome.profile is not None, "it was given"
        return attrs.evolve(
            then,
            carried_out=outcome,
            story=attrs.evolve(
                then.story,
                merchant=outcome.merchant,
                profile=outcome.profile,
                journal=(*self.journal, *outcome.events),
                replies=(*self.replies, frozen_record(wire.to_dict(outcome.reply))),
            ),
        )
