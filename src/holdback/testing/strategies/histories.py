"""Histories and merchants that an engine produced by carrying out drawn operations.

INVARIANT: `engine.evolve(history.first, history.events) == history.merchant`
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime, time, timedelta
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias

import attrs
from attrs import field
from hypothesis import assume
from hypothesis import strategies as st
from pendulum import DateTime

from holdback.engine import Engine
from holdback.errors import ConfigurationError, HoldbackError, InvalidDocument, Refusal
from holdback.exact.exact_json import Json
from holdback.frozen_classes import FrozenMapping, frozen, frozen_record
from holdback.lifecycle.context import Context
from holdback.lifecycle.events import Event, event_type
from holdback.merchant.deal import DEFAULTED, FUNDED, RENEWED, REPAID, Deal
from holdback.merchant.fee_terms import REVERSED
from holdback.merchant.instants import utc
from holdback.merchant.merchant import Merchant
from holdback.merchant.profile import Profile
from holdback.operations import COMMANDS, OPERATIONS
from holdback.testing.inputs import newest_offer_id, remittance_up_to, run_operation
from holdback.testing.memory_store import TRIAL_SALT
from holdback.testing.strategies.json_inputs import Input
from holdback.testing.strategies.likely_inputs import (
    evidence_of,
    input_of,
    request,
    sensible,
    steady_takings,
)
from holdback.testing.strategies.likely_money import (
    moved,
    new_entry_id,
    owed,
    planned,
    principal_due,
    settling,
)
from holdback.testing.strategies.moment import Moment
from holdback.testing.strategies.rules import shipped_engine
from holdback.wire import write_timestamp

# What a merchant signs.
SIGNATURE: Final[Mapping[str, Json]] = MappingProxyType({"document": "contract-1", "digest": "d-1"})
# The stages that a history can be required to pass before anything else is drawn.
Stage: TypeAlias = Literal["offers", "fulfilment", "deal", "renewal"]
STAGES: Final[tuple[Stage, ...]] = ("offers", "fulfilment", "deal", "renewal")

# Characters of an input that are shown.
_LONGEST: Final = 200
_WAITS: Final = st.sampled_from([0, 0, 0, 1, 2, 20, 31, 60, 120])
# How many days the clock of a step is wrong by.
_WRONG_BY: Final = st.sampled_from([0] * 20 + [401, -401, 3_653, -3_653])
# How many steps are drawn one by one for each way, on average.
_STEPS_BETWEEN_WAYS: Final = 4
# Percentages paid down at which a renewal is tried: jurisdictions ask for different ones.
_PAID_DOWN: Final = (60, 80, 95)
# The facts compare the last 30 days with the 30 before.
_TREND_DAYS: Final = 60


def _told(error: HoldbackError | None) -> object:
    """Return by what two errors are equal: exceptions themselves are compared by identity."""
    return None if error is None else (type(error), str(error))


@frozen(kw_only=True)
class Step:
    """
    One attempt of a host: an operation with its input and evidence, and its result.

    The host is `sure` of its clock, unless that is years off and nobody noticed. `events` are empty
    if it was refused or was carried out before. `refused` is the refusal or the invalid document,
    None without one.
    """

    at: DateTime
    request_id: str
    operation: str
    input: Mapping[str, Json] = field(converter=frozen_record)
    evidence: Mapping[str, Json] = field(factory=FrozenMapping, converter=frozen_record)
    sure: bool = False
    events: tuple[Event, ...] = ()
    refused: Refusal | InvalidDocument | ConfigurationError | None = field(default=None, eq=_told)

    def __repr__(self) -> str:
        """
        Return the step on one line.

        >>> at = utc(datetime(2026, 7, 6, 9, tzinfo=UTC))
        >>> Step(at=at, request_id="r-1", operation="review_renewal", input={})
        2026-07-06T09:00:00Z review_renewal {} nothing
        """
        result = ", ".join(event_type(event) for event in self.events) or "nothing"
        if isinstance(self.refused, Refusal):
            result = f"refused {self.refused.code}"
        elif self.refused is not None:
            result = "invalid"
        given = str(dict(self.input))
        given = given if len(given) <= _LONGEST else f"{given[:_LONGEST]}..."
        return f"{write_timestamp(self.at)} {self.operation} {given} {result}"

    def _repr_pretty_(self, printer: Any, _: object) -> None:
        printer.text(repr(self))


@frozen(kw_only=True)
class History:
    """
    The history of one merchant: at `first`, its `steps`, their `events`, and `merchant` after them.

    `scenario` returns the steps as `holdback run` reads them, so that a failing history can be
    carried out by hand.
    """

    first: Merchant
    steps: tuple[Step, ...]
    merchant: Merchant
    profile: Profile = field(repr=False)
    events: tuple[Event, ...] = field(init=False, eq=False)

    @events.default
    def _events_of_steps(self) -> tuple[Event, ...]:
        return tuple(event for step in self.steps for event in step.events)

    def __repr__(self) -> str:
        """The jurisdiction, and every step on a line of its own."""
        return "\n    ".join([f"History of {self.first.jurisdiction}:", *map(repr, self.steps)])

    def _repr_pretty_(self, printer: Any, _: object) -> None:
        printer.text(repr(self))  # Hypothesis would show every field of the merchant

    def scenario(self) -> list[dict[str, Json]]:
        """Return the steps as a scenario, in plain values that `json.dumps` takes."""
        return [
            {
                "at": write_timestamp(step.at),
                "request_id": step.request_id,
                "partner": self.first.partner,
                "merchant_id": self.first.merchant_id,
                "jurisdiction": self.first.jurisdiction,
                "operation": step.operation,
                "input": self._named(step),
                "evidence": dict(step.evidence),
                **({"sure": True} if step.sure else {}),
            }
            for step in self.steps
        ]

    def _named(self, step: Step) -> Mapping[str, Json]:
        if OPERATIONS[step.operation].by_provider:
            return {"provider_id": self.merchant.provider_id or "nobody"}
        return step.input


@attrs.define
class _Host:
    """A host while its history is drawn: its merchant, its clock, and its steps so far."""

    engine: Engine
    first: Merchant
    at: DateTime
    merchant: Merchant
    profile: Profile
    steps: list[Step] = field(factory=list)

    @property
    def moment(self) -> Moment:
        return Moment(engine=self.engine, merchant=self.merchant, at=self.at)

    def wait(self, **of: int) -> None:
        self.at = utc(self.at + timedelta(**of))

    def attempt(
        self, operation: str, body: Input, evidence: Mapping[str, Json], *, wrong_by: int = 0
    ) -> bool:
        """
        Carry out *operation* and record the step; return whether it was carried out.

        The clock of the step may be wrong by some days; the host does not know it.
        """
        request_id, at = f"r-{len(self.steps) + 1}", utc(self.at + timedelta(days=wrong_by))
        sure = not wrong_by
        context = Context(at=at, request_id=request_id, evidence=evidence, sure=sure)
        events: tuple[Event, ...] = ()
        refused: Refusal | InvalidDocument | ConfigurationError | None = None
        try:
            outcome = run_operation(
                self.engine, self.merchant, operation, body, context, self.profile
            )
        except (Refusal, InvalidDocument, ConfigurationError) as error:
            refused = error.with_traceback(None)  # the frames would keep every draw alive
        else:
            self.merchant, events = outcome.merchant, outcome.events
            assert outcome.profile is not None, "it was given"
            self.profile = outcome.profile
        self.steps.append(
            Step(
                at=at,
                request_id=context.request_id,
                operation=operation,
                input=body,
                evidence=evidence,
                sure=sure,
                events=events,
                refused=refused,
            )
        )
        return refused is None

    def request_until_offered(self, *, renewal: bool) -> bool:
        """Ask for offers with the evidence of good examples in turn, until there is an offer."""
        body = request(self.moment, renewal=renewal)
        before, profile, steps = self.merchant, self.profile, list(self.steps)
        for evidence in self.moment.good_evidence(renewal=renewal):
            self.merchant, self.profile, self.steps = before, profile, list(steps)
            if self.attempt("request_offers", body, evidence) and self._offered():
                return True
        self.merchant, self.profile, self.steps = before, profile, steps
        return False

    def _offered(self) -> bool:
        return any(product.offers for product in self.merchant.offer_sets[-1].products)

    def accept_first_offer(self) -> bool:
        """Accept the first offer with bank details."""
        details = self.moment.bank_details()
        body = {"offer_id": newest_offer_id(self.merchant), "bank_details": details}
        return self.attempt("accept_offer", body, {})

    def fund(self) -> bool:
        """Fund the application in fulfilment, signed where it has to be."""
        accepted = self.merchant.fulfilments[-1]
        body: Input = {"application_id": accepted.application_id}
        if accepted.signature_before is not None:
            self.attempt("record_signature", {**body, **SIGNATURE}, {})
        return self.attempt("fund_deal", body, {})

    def pay_down(self, percent: int) -> bool:
        """Wait until a deal on pace is *percent* paid down, and record the remittance."""
        deal = self.merchant.active_deal
        assert deal is not None, "there is a deal to pay down"
        days = deal.funded_on.toordinal() + deal.term_days * percent // 100
        self.wait(days=max(0, days - self.moment.day.toordinal()))
        today, entry_id = self.moment.day.isoformat(), f"e-{len(deal.entries)}"
        body = {"deal_id": deal.id, **remittance_up_to(deal, percent, today, entry_id)}
        return self.attempt("record_remittance", body, {})

    def renew(self) -> bool:
        """Pay the deal down until an offer to renew it is made, and renew it."""
        for percent in _PAID_DOWN:
            self.pay_down(percent)
            if self.request_until_offered(renewal=True) or (
                self.record_takings() and self.request_until_offered(renewal=True)
            ):
                return self.accept_first_offer() and self.fund()
        return False

    def record_takings(self) -> bool:
        """Record the days of takings that any rule looks back to."""
        return self.attempt("record_takings", steady_takings(self.moment, days=_TREND_DAYS), {})

    def advance_to(self, stage: Stage) -> bool:
        """Do what an ordinary merchant does up to *stage*; return whether it succeeded."""
        ways = {
            "offers": lambda: self.request_until_offered(renewal=False),
            "fulfilment": self.accept_first_offer,
            "deal": self.fund,
            "renewal": self.renew,
        }
        return all(ways[passed]() for passed in STAGES[: STAGES.index(stage) + 1])


def histories(
    engine: Engine | None = None,
    *,
    jurisdictions: Iterable[str] | None = None,
    through: Stage | None = None,
    most_steps: int = 8,  # more are rarely worth their time: a deal takes three
) -> st.SearchStrategy[History]:
    """
    Return a strategy for histories of drawn operations, most of them sensible, some refused.

    Args:
        engine: The engine that carries them out; by default `Engine.for_trial()`.

        jurisdictions: The codes of the merchants' jurisdictions; by default all.

        through: A stage that every history has passed, by default any or none: `offers`,
            `fulfilment` (an offer was accepted), `deal` (it was funded) or `renewal` (the deal was
            renewed). The evidence for it comes from the examples in the jurisdiction's own files.

        most_steps: The largest number of operations drawn after that stage.

    >>> from hypothesis import find, settings
    >>> history = find(
    ...     histories(jurisdictions=["GB"], through="deal"),
    ...     lambda history: True,
    ...     settings=settings(database=None),
    ... )
    >>> [step.operation for step in history.steps]
    ['request_offers', 'accept_offer', 'fund_deal']
    """
    codes = None if jurisdictions is None else tuple(jurisdictions)

    def history(draw: st.DrawFn) -> History:
        host = draw(_hosts(engine or shipped_engine(), codes))
        stage = draw(st.sampled_from([None, *STAGES])) if through is None else through
        assume(stage is None or host.advance_to(stage) or through is None)
        for _ in range(draw(st.integers(0, most_steps))):
            ways = ways_of(host.merchant)
            if ways and draw(st.sampled_from([False] * _STEPS_BETWEEN_WAYS + [True])):
                _pass_through(draw, host, draw(st.sampled_from(ways)))
            else:
                _next_step(draw, host)
        return History(
            first=host.first, steps=tuple(host.steps), merchant=host.merchant, profile=host.profile
        )

    return st.composite(history)()


@st.composite
def _hosts(draw: st.DrawFn, engine: Engine, codes: tuple[str, ...] | None) -> _Host:
    """Draw a host with a new merchant."""
    code = draw(st.sampled_from(engine.jurisdictions.codes if codes is None else codes))
    first = Merchant.new(partner="acme", merchant_id="m-1", jurisdiction=code)
    return _Host(
        engine=engine,
        first=first,
        at=draw(_starts(engine, code)),
        merchant=first,
        profile=Profile.new(salt=TRIAL_SALT),
    )


def _next_step(draw: st.DrawFn, host: _Host) -> None:
    """Let some time pass, and attempt an operation, in most cases a sensible one."""
    host.wait(days=draw(_WAITS), minutes=draw(st.integers(-5, 60)))
    moment = host.moment
    operation = draw(st.sampled_from(sensible(moment) * 6 + list(COMMANDS)))
    body = draw(input_of(moment, operation))
    # A newcomer has nothing that its clock could be compared with.
    wrong_by = draw(_WRONG_BY) if host.merchant.sequence else 0
    evidence = draw(evidence_of(moment, operation, body))
    host.attempt(operation, body, evidence, wrong_by=wrong_by)


def _pass_through(draw: st.DrawFn, host: _Host, way: str) -> None:
    """Attempt the operations of a way, with some days between them."""
    for operation, body in WAYS[way](lambda: host.moment):
        host.attempt(operation, body, {})
        host.wait(days=draw(st.sampled_from([0, 0, 1, 5])))


def _starts(engine: Engine, code: str) -> st.SearchStrategy[DateTime]:
    """Return instants from the second day of the rules to two years after their last change."""
    changes = [
        rulebook.on for rulebook in engine.jurisdictions.rulebooks() if rulebook.code == code
    ]
    earliest = datetime.combine(changes[0], time(12), UTC) + timedelta(days=1)
    to_newest = (changes[-1] - changes[0]).days * 24 * 60
    minutes = to_newest + 730 * 24 * 60
    # Half of them come by the newest rules.
    drawn = st.integers(0, minutes) | st.integers(to_newest, minutes)
    return drawn.map(lambda after: utc(earliest + timedelta(minutes=after)))


def merchants(engine: Engine | None = None, **options: Any) -> st.SearchStrategy[Merchant]:
    """
    Return a strategy for the merchants of `histories`, whose arguments it takes.

    >>> from hypothesis import find
    >>> find(merchants(), lambda merchant: merchant.jurisdiction == "GB").deals
    ()
    """
    return histories(engine, **options).map(lambda history: history.merchant)


def deals(engine: Engine | None = None, **options: Any) -> st.SearchStrategy[Deal]:
    """Return a strategy for deals of funded merchants; the arguments are those of `histories`."""
    funded = merchants(engine, **{"through": "deal", **options})
    return funded.flatmap(lambda merchant: st.sampled_from(merchant.deals))


# -- What may happen to a deal after its funding, a few steps each: drawn histories pass through it.
#
# Steps drawn one by one would hardly ever get so far. A way yields the next operation with its
# input, and sees the merchant as the step before has left it.

Way: TypeAlias = Callable[[Callable[[], Moment]], Iterator[tuple[str, Input]]]


def _default(now: Callable[[], Moment]) -> Iterator[tuple[str, Input]]:
    """A default, of which a third is recovered, the rest written off, and then recovered too."""
    yield "close_deal", {"deal_id": _active(now).id, "status": "defaulted"}
    for deal in _again(now, [d.id for d in now().merchant.deals if d.status == DEFAULTED]):
        yield _movement("record_recovery", now(), deal, owed(deal) // 3)
    for deal in _again(now, [d.id for d in now().merchant.deals if d.status == DEFAULTED]):
        yield _movement("write_off", now(), deal, owed(deal))
    for deal in _again(now, [d.id for d in now().merchant.deals if d.written_off.minor]):
        yield _movement("record_recovery", now(), deal, deal.written_off.minor)


def _recovery(now: Callable[[], Moment]) -> Iterator[tuple[str, Input]]:
    """A default that is paid in full; a part of the payment comes back."""
    active = _active(now)
    yield "close_deal", {"deal_id": active.id, "status": "defaulted"}
    for deal in _again(now, [active.id]):
        yield _movement("record_recovery", now(), deal, owed(deal))
    yield from _taken_back(now, active.id, 2)


def _settlement(now: Callable[[], Moment]) -> Iterator[tuple[str, Input]]:
    """A default of which a half comes in and the rest is waived, and then the half bounces."""
    active = _active(now)
    yield "close_deal", {"deal_id": active.id, "status": "defaulted"}
    for deal in _again(now, [active.id]):
        yield _movement("record_recovery", now(), deal, (owed(deal) + 1) // 2)
    for deal in _again(now, [active.id]):
        yield _movement("waive_rest", now(), deal, owed(deal))
    yield from _taken_back(now, active.id, 1)


def _plan(now: Callable[[], Moment]) -> Iterator[tuple[str, Input]]:
    """A default whose rest is planned in two parts, of which one comes in; then it is one part."""
    active = _active(now)
    yield "close_deal", {"deal_id": active.id, "status": "defaulted"}
    for deal in _again(now, [active.id]):
        half = owed(deal) // 2
        yield "agree_plan", planned(now(), deal, [half, owed(deal) - half])
        yield _movement("record_recovery", now(), deal, max(1, half))
    for deal in _again(now, [active.id]):
        yield "agree_plan", planned(now(), deal, [owed(deal)])


def _overpayment(now: Callable[[], Moment]) -> Iterator[tuple[str, Input]]:
    """A payment of more than is owed, of which a half is refunded, and then the rest."""
    active = _active(now)
    yield _payment(now(), active, active.balance.minor * 11 // 10)
    for deal in _again(now, [active.id]):
        yield _movement("refund", now(), deal, deal.overpaid.minor // 2)
    for deal in _again(now, [active.id]):
        yield _movement("refund", now(), deal, deal.overpaid.minor)


def _late_remittance(now: Callable[[], Moment]) -> Iterator[tuple[str, Input]]:
    """A remittance on a deal that was renewed, which is transferred to the renewal."""
    renewed = [deal.id for deal in now().merchant.deals if deal.status == RENEWED]
    for deal in _again(now, renewed[-1:]):
        yield _payment(now(), deal, max(1, deal.repayment_amount.minor // 20))
    active = now().merchant.active_deal
    for deal in _again(now, renewed[-1:]):
        if active is not None and deal.overpaid.minor:
            ids: Input = {"from_deal_id": deal.id, "to_deal_id": active.id}
            minor = min(deal.overpaid.minor, owed(active))
            yield "transfer", {**ids, **moved(now(), minor, now().day)}


def _cash_without_a_deal(now: Callable[[], Moment]) -> Iterator[tuple[str, Input]]:
    """Cash in suspense, of which a part is applied to a deal, and the rest refunded."""
    yield "record_suspense", moved(now(), 20_000, now().day)
    held = now().merchant.suspense.held
    owing = [deal for deal in now().merchant.deals if owed(deal)]
    for suspense_id in list(held)[-1:]:
        of_cash: Input = {"suspense_id": suspense_id}
        for deal in owing[-1:]:
            minor = max(1, min(held[suspense_id].minor // 2, owed(deal)))
            applied: Input = {"deal_id": deal.id, **moved(now(), minor, now().day)}
            yield "apply_suspense", {**of_cash, **applied}
        left = now().merchant.suspense.held.get(suspense_id)
        if left is not None:
            refunded: Input = {"kind": "refund", **moved(now(), left.minor, now().day)}
            yield "return_suspense", {**of_cash, **refunded}


def _unwinding(now: Callable[[], Moment]) -> Iterator[tuple[str, Input]]:
    """A deal that is undone, if its cooling-off days are not over."""
    for deal in now().merchant.deals[-1:]:
        due = principal_due(now().merchant, deal)
        yield "unwind_deal", {"deal_id": deal.id, **moved(now(), due, now().day)}


def _returned_payout(now: Callable[[], Moment]) -> Iterator[tuple[str, Input]]:
    """A payout that comes back, after which the application is funded again, to another account."""
    active = _active(now)
    moment = now()
    moved_back = {"id": new_entry_id(moment.merchant), "on": moment.day.isoformat()}
    yield "return_payout", {"deal_id": active.id, **moved_back}
    yield "change_bank_details", {"bank_details": now().bank_details(account=1)}
    waiting = now().merchant.in_fulfilment
    if waiting is not None:
        yield "fund_deal", {"application_id": waiting.application_id}


def _hardship(now: Callable[[], Moment]) -> Iterator[tuple[str, Input]]:
    """A pause, after which the merchant has more time."""
    active = _active(now)
    for operation in ("pause", "resume"):
        yield operation, {"deal_id": active.id, "on": now().day.isoformat()}
    changed: Input = {"split_percentage": 5, "term_days": active.term_days + 90}
    yield "change_terms", {"deal_id": active.id, "on": now().day.isoformat(), **changed}


def _fee(now: Callable[[], Moment]) -> Iterator[tuple[str, Input]]:
    """A payment that bounces, the fee for it, and a part of that fee given up."""
    active = _active(now)
    fees = [terms for terms in active.fee_terms if terms.after == REVERSED]
    if not fees:
        return
    operation, paid = _payment(now(), active, max(1, active.balance.minor // 20))
    yield operation, paid
    (entry,) = paid["entries"]
    back = {**moved(now(), 1, now().day), "amount": entry["amount"], "reverses": entry["id"]}
    yield operation, {"deal_id": active.id, "entries": [back]}
    charge: Input = {"fee": fees[0].key, "about": back["id"], **moved(now(), 1, now().day)}
    yield "charge_fee", {"deal_id": active.id, **charge, "amount": None}
    for deal in _again(now, [active.id]):
        yield _movement("waive_fee", now(), deal, max(1, deal.fees_owed.minor // 2))


def _early_settlement(now: Callable[[], Moment]) -> Iterator[tuple[str, Input]]:
    """A payment that settles the deal before its term ends."""
    active = _active(now)
    yield _movement("settle_early", now(), active, settling(now(), active))


def _another_amount(now: Callable[[], Moment]) -> Iterator[tuple[str, Input]]:
    """The smallest amount of an open offer's product is asked for."""
    newest = newest_offer_id(now().merchant)
    for offer_set in now().merchant.offer_sets[-1:]:
        for product in offer_set.products:
            if any(offer.offer_id == newest for offer in product.offers):
                least = product.limits.minimum.amount
                yield "requote", {"offer_id": newest, "amount": str(least)}


def _active(now: Callable[[], Moment]) -> Deal:
    active = now().merchant.active_deal
    assert active is not None, "ways of an active deal are those of a merchant who has one"
    return active


def _taken_back(now: Callable[[], Moment], deal_id: str, part: int) -> Iterator[tuple[str, Input]]:
    """Yield what takes the first recovery of a deal back, or the *part*th part of it."""
    for deal in _again(now, [deal_id]):
        for recovered in [entry for entry in deal.entries if entry.kind == "recovery"][:1]:
            entry = moved(now(), recovered.amount.minor // part, now().day)
            back = {**entry, "reverses": recovered.id}
            yield "record_remittance", {"deal_id": deal.id, "entries": [back]}


def _again(now: Callable[[], Moment], ids: list[str]) -> Iterator[Deal]:
    """Yield the current deals with these *ids*."""
    for deal_id in ids:
        deal = now().merchant.deal_of(deal_id)
        if deal is not None:
            yield deal


def _movement(operation: str, moment: Moment, deal: Deal, minor: int) -> tuple[str, Input]:
    return operation, {"deal_id": deal.id, **moved(moment, minor, moment.day)}


def _payment(moment: Moment, deal: Deal, minor: int) -> tuple[str, Input]:
    entry = {**moved(moment, minor, moment.day), "kind": "payment"}
    return "record_remittance", {"deal_id": deal.id, "entries": [entry]}


def ways_of(merchant: Merchant) -> list[str]:
    """Return the ways that fit *merchant* now, the rarer ones several times."""
    names: list[str] = []
    if merchant.active_deal is not None:
        names += ["default", "recovery", "overpayment", "hardship", "early settlement"]
        names += ["plan", "settlement", "settlement"]
        names += ["returned payout"] * 4 * (not merchant.active_deal.entries)
        names += ["fee"] * 20 * bool(merchant.active_deal.fee_terms)
    if any(deal.status == RENEWED for deal in merchant.deals):
        names += ["late remittance"] * 20
    if any(deal.cooling_off_days and deal.status in {FUNDED, REPAID} for deal in merchant.deals):
        names += ["unwinding"] * 4
    names += ["cash without a deal"] * bool(merchant.deals)
    return names + (["another amount"] if newest_offer_id(merchant) is not None else [])


WAYS: Final[Mapping[str, Way]] = MappingProxyType(
    {
        "default": _default,
        "recovery": _recovery,
        "settlement": _settlement,
        "plan": _plan,
        "overpayment": _overpayment,
        "late remittance": _late_remittance,
        "cash without a deal": _cash_without_a_deal,
        "unwinding": _unwinding,
        "returned payout": _returned_payout,
        "hardship": _hardship,
        "fee": _fee,
        "early settlement": _early_settlement,
        "another amount": _another_amount,
    }
)
