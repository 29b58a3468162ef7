"""Scenarios: steps carried out one by one on an engine, with the merchants held in memory.

This is the smallest possible host: load the merchant, carry out the operation, store the merchant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from attrs import field
from pendulum import DateTime

from holdback import wire
from holdback.engine import Engine
from holdback.errors import (
    ConfigurationError,
    ErrorDetail,
    InvalidDocument,
    Refusal,
    did_you_mean,
)
from holdback.exact.exact_json import Json, field_path
from holdback.frozen_classes import frozen
from holdback.lifecycle.context import Context, Evidence
from holdback.lifecycle.operation import Outcome
from holdback.merchant.deal import LookupDeal, MerchantLookup
from holdback.merchant.merchant import Merchant
from holdback.merchant.profile import Profile
from holdback.merchant.receipt import DealReceipt
from holdback.operations import OPERATIONS, LookUp, RequestOffers
from holdback.testing.memory_store import TRIAL_SALT, MemoryStore
from holdback.wire.commands import read_input

SCENARIO_BYTES: Final = 4 * 1024 * 1024

_REQUIRED: Final = ("at", "request_id", "partner", "merchant_id", "jurisdiction", "operation")
_KEYS: Final = (*_REQUIRED, "input", "evidence", "sure", "note")
_PLACE: Final = re.compile("0|[1-9][0-9]{0,8}")


@frozen(kw_only=True)
class Step:
    """A step that was carried out: its reply or its problem, and its events."""

    number: int
    operation: str
    at: str
    who: str
    note: str | None
    reply: Json = None
    problem: Mapping[str, Json] | None = None
    events: tuple[Mapping[str, Json], ...] = ()
    deal: Mapping[str, Any] | None = None  # what a lookup shows of the deal of a receipt
    changed: tuple[LookupDeal, ...] = ()  # the deals that an operation on a deal changed

    def plain(self) -> dict[str, Json]:
        """Return the step as `--json` prints it."""
        answer = {"problem": self.problem} if self.problem is not None else {"reply": self.reply}
        return {
            "step": self.number,
            "operation": self.operation,
            **answer,
            "events": list(self.events),
        }


@frozen
class _Host:
    """The smallest host: load the merchant of a step, carry out the step, store the merchant."""

    engine: Engine
    store: MemoryStore = field(factory=MemoryStore)

    def load(self, step: Mapping[str, Any]) -> Merchant:
        """
        Return the merchant of *step*, a new one if its merchant_id was not seen before.

        A step of which the `input` names a provider_id finds its merchant by it, as a partner does.
        Without an `input` it is about the merchant_id of the step: a newcomer has no provider_id.
        """
        partner, merchant_id = step["partner"], step["merchant_id"]
        if OPERATIONS[step["operation"]].by_provider and "input" in step:
            body = step["input"]
            given = body.get("provider_id") if isinstance(body, Mapping) else None
            if not isinstance(given, str):
                raise InvalidDocument.of(
                    "missing", "expected a provider_id", path="$.input.provider_id"
                )
            merchant_id = self.store.find_by_name(partner, "provider_id", given)
            if merchant_id is None:
                message = "no merchant of this partner has this provider_id"
                raise Refusal("merchant_not_found", message)
        stored = self.store.find(partner, merchant_id)
        if stored is not None:
            return stored[1]
        return Merchant.new(
            partner=partner, merchant_id=merchant_id, jurisdiction=step["jurisdiction"]
        )

    def carry_out(
        self, step: Mapping[str, Any], merchant: Merchant, context: Context
    ) -> Outcome[Any]:
        """Return the outcome of *step* for *merchant*, and store the merchant after it."""
        profile = self.store.profile(merchant)
        body = step.get("input")
        input_context = self.engine.input_context(merchant, context)
        operation = read_input(step["operation"], body, input_context)
        if profile.is_erased and isinstance(operation, RequestOffers):
            profile = Profile.new(salt=TRIAL_SALT)
        outcome = self.engine.carry_out(merchant, operation, context, profile=profile)
        self.store.save(outcome.merchant, outcome.profile)
        self.store.add_names(outcome)
        return outcome

    def look_up(self, outcome: Outcome[Any], context: Context) -> MerchantLookup:
        """Look up the deals if *outcome* is that of an operation on a deal; else there are none."""
        if not isinstance(outcome.reply, DealReceipt):
            return MerchantLookup(deals=())
        return self.engine.carry_out(outcome.merchant, LookUp(), context).reply


def read_scenario(body: bytes) -> Sequence[Mapping[str, Any]]:
    """
    Return the steps of a scenario.

    Raises:
        InvalidDocument: naming everything that is wrong in every step.
    """
    tree = wire.read_json(body, limit=SCENARIO_BYTES)
    if not isinstance(tree, list):
        raise InvalidDocument.of("wrong_type", "expected a list of steps", path="$")
    errors = [
        error for place, step in enumerate(tree) for error in _step_errors(step, f"$[{place}]")
    ]
    if errors:
        raise InvalidDocument(errors)
    return tree


def _step_errors(step: Any, path: str) -> Iterator[ErrorDetail]:
    if not isinstance(step, Mapping):
        yield ErrorDetail(code="wrong_type", message="expected a step, an object", path=path)
        return
    for key in step:
        if key not in _KEYS:
            yield ErrorDetail(
                code="unknown_field",
                message="unknown field",
                path=field_path(path, key),
                hint=did_you_mean(key, _KEYS),
            )
    for key in _REQUIRED:
        if key not in step:
            yield ErrorDetail(code="missing", message="missing field", path=f"{path}.{key}")
    for key in ("request_id", "partner", "merchant_id", "jurisdiction", "note"):
        if key in step and (type(step[key]) is not str or not step[key]):
            code = "missing" if step[key] == "" else "wrong_type"
            message = "expected text that is not empty"
            yield ErrorDetail(code=code, message=message, path=f"{path}.{key}")
    evidence = step.get("evidence", {})
    listed = isinstance(evidence, list) and all(isinstance(item, Mapping) for item in evidence)
    if not isinstance(evidence, Mapping) and not listed:
        message = "expected evidence by fact name, or an array of results of checks"
        yield ErrorDetail(code="wrong_type", message=message, path=f"{path}.evidence")
    operation = step.get("operation")
    if "operation" in step and operation not in OPERATIONS:
        hint = did_you_mean(str(operation), OPERATIONS)
        yield ErrorDetail(
            code="unknown_name", message="unknown operation", path=f"{path}.operation", hint=hint
        )
    yield from _time_errors(step, path)


def _time_errors(step: Mapping[str, Any], path: str) -> Iterator[ErrorDetail]:
    if "at" in step:
        try:
            _instant(step["at"], f"{path}.at")
        except InvalidDocument as error:
            yield from error.errors
    if type(step.get("sure", False)) is not bool:
        message = "expected true or false"
        yield ErrorDetail(code="wrong_type", message=message, path=f"{path}.sure")


def _instant(value: Any, path: str) -> DateTime:
    if type(value) is not str:
        message = "expected an instant such as `2026-07-01T10:00:00Z`"
        raise InvalidDocument.of("wrong_type", message, path=path)
    return wire.read_timestamp(value, path=path)


def run(steps: Sequence[Mapping[str, Any]], engine: Engine) -> Iterator[Step]:
    """Carry out *steps* and yield them in order; after a refusal the next step follows."""
    host = _Host(engine)
    replies: list[Json] = []
    for number, raw in enumerate(steps):
        events: tuple[Mapping[str, Json], ...] = ()
        changed: tuple[LookupDeal, ...] = ()
        reply = problem = deal = None
        try:
            step = _filled(raw, replies)
            context = _context(step)
            before = host.load(step)
            outcome = host.carry_out(step, before, context)
            reply, lookup = wire.to_dict(outcome.reply), host.look_up(outcome, context)
            deal = _deal_of(reply, lookup)
            changed = tuple(item for item in lookup.deals if item.deal not in before.deals)
            events = tuple(wire.event_to_dict(event) for event in outcome.events)
        except (Refusal, InvalidDocument) as error:
            problem = wire.problem(error)
        except ConfigurationError as error:  # the step's evidence, which the author wrote
            problem = wire.problem(InvalidDocument(error.errors))
        replies.append(reply if problem is None else problem)
        yield Step(
            number=number,
            operation=raw["operation"],
            at=str(raw["at"]),
            who=f"{raw['partner']} / {raw['merchant_id']}",
            note=raw.get("note"),
            reply=reply,
            problem=problem,
            events=events,
            deal=deal,
            changed=changed,
        )


def _deal_of(reply: Mapping[str, Json], lookup: MerchantLookup) -> Mapping[str, Any] | None:
    """Return the deal of *lookup* that *reply* is the receipt of; any other reply has none."""
    deals: Any = wire.to_dict(lookup)["deals"]
    return next((deal for deal in deals if deal["id"] == reply["deal_id"]), None)


def _context(step: Mapping[str, Any]) -> Context:
    return Context(
        at=_instant(step["at"], "$.at"),
        request_id=step["request_id"],
        evidence=_evidence(step.get("evidence", {})),
        sure=step.get("sure", False),
    )


def _evidence(tree: Json) -> Evidence:
    """Return the evidence of a step: by fact name, or check by check."""
    return wire.read_check_results(tree) if isinstance(tree, list) else wire.read_evidence(tree)


def _filled(value: Any, replies: Sequence[Json]) -> Any:
    """Return *value* with every `{"from": POINTER}` replaced by the part of *replies* it names."""
    if isinstance(value, Mapping):
        if set(value) == {"from"}:
            return _pointed(value["from"], replies)
        return {key: _filled(item, replies) for key, item in value.items()}
    if isinstance(value, list):
        return [_filled(item, replies) for item in value]
    return value


def _pointed(pointer: Any, replies: Sequence[Json]) -> Json:
    """Return the part of *replies* that *pointer*, a JSON Pointer (RFC 6901), names."""
    if not isinstance(pointer, str) or not pointer.startswith("/"):
        message = "expected a JSON Pointer such as `/0/expiresAt`"
        raise InvalidDocument.of("wrong_value", message, path="$.from")
    here: Any = replies
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(here, list) and _PLACE.fullmatch(key) and int(key) < len(here):
            here = here[int(key)]
        elif isinstance(here, Mapping) and key in here:
            here = here[key]
        else:
            message = f"`{pointer[:100]}` points at nothing in the replies so far"
            raise InvalidDocument.of("unknown_name", message, path="$.from")
    return here
