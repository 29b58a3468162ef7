"""Scenarios: steps carried out one by one on an engine, with the merchants held in memory.

This is the smallest possible host: load the merchant, carry out the operation, store the merchant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any, Final

from attrs import field

from holdback import wire
from holdback.cli.written_facts import read_facts
from holdback.engine import Engine
from holdback.errors import (
    ConfigurationError,
    InvalidDocument,
    Refusal,
    did_you_mean,
)
from holdback.exact.exact_json import Json
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
from holdback.wire.fields import (
    Errors,
    add_error,
    flag,
    free_text,
    identifier,
    instant,
    object_of,
)

SCENARIO_BYTES: Final = 4 * 1024 * 1024

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
        self._check_facts(step, merchant, input_context.day)
        operation = read_input(step["operation"], body, input_context)
        if profile.is_erased and isinstance(operation, RequestOffers):
            profile = Profile.new(salt=TRIAL_SALT)
        outcome = self.engine.carry_out(merchant, operation, context, profile=profile)
        self.store.save(outcome.merchant, outcome.profile)
        self.store.add_names(outcome)
        return outcome

    def _check_facts(self, step: Mapping[str, Any], merchant: Merchant, day: date) -> None:
        """
        Check the evidence of *step*, which a person wrote, before the engine reads it as a host's.

        Raises:
            InvalidDocument: naming every value that is invalid or has several readings.
        """
        if merchant.jurisdiction not in self.engine.jurisdictions.codes:
            return
        catalogue = self.engine.jurisdictions.resolve(merchant.jurisdiction, on=day).catalogue
        for path, facts in _facts_of(step):
            named = {name: value for name, value in facts.items() if catalogue.fact(name)}
            read_facts(named, catalogue, path=path)

    def look_up(self, outcome: Outcome[Any], context: Context) -> MerchantLookup:
        """Look up the deals if *outcome* is that of an operation on a deal; else there are none."""
        if not isinstance(outcome.reply, DealReceipt):
            return MerchantLookup(deals=())
        return self.engine.carry_out(outcome.merchant, LookUp(), context).reply


def _facts_of(step: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Json]]]:
    """Yield the facts by name that *step* has as evidence or records, each with its path."""
    evidence, body = step.get("evidence"), step.get("input")
    records = body.get("records") if isinstance(body, Mapping) else None
    for path, given in (("$.evidence", evidence), ("$.input.records", records)):
        if isinstance(given, Mapping):
            yield path, given
        for place, result in enumerate(given if isinstance(given, list) else ()):
            facts = result.get("facts") if isinstance(result, Mapping) else None
            if isinstance(facts, Mapping):
                yield f"{path}[{place}].facts", facts


def read_scenario(body: bytes) -> Sequence[Mapping[str, Any]]:
    """
    Return the steps of a scenario.

    Raises:
        InvalidDocument: naming everything that is wrong in every step.
    """
    tree = wire.read_json(body, limit=SCENARIO_BYTES)
    if not isinstance(tree, list):
        raise InvalidDocument.of("wrong_type", "expected a list of steps", path="$")
    errors = Errors()
    for place, step in enumerate(tree):
        _STEP(step, f"$[{place}]", errors)
    if errors:
        raise InvalidDocument(errors)
    return tree


def _operation(value: Json, path: str, errors: Errors) -> None:
    if not isinstance(value, str) or value not in OPERATIONS:
        hint = did_you_mean(str(value), OPERATIONS)
        add_error("unknown_name", "unknown operation", path, errors, hint)


def _evidence_shape(value: Json, path: str, errors: Errors) -> None:
    listed = isinstance(value, list) and all(isinstance(item, Mapping) for item in value)
    if not isinstance(value, Mapping) and not listed:
        message = "expected evidence by fact name, or an array of results of checks"
        add_error("wrong_type", message, path, errors)


# The input of a step is read when it is carried out: it may point at a reply before it.
_STEP: Final = object_of(
    {
        "at": instant,
        "request_id": identifier,
        "partner": identifier,
        "merchant_id": identifier,
        "jurisdiction": identifier,
        "operation": _operation,
        "input": lambda value, _path, _errors: value,
        "evidence": _evidence_shape,
        "sure": flag,
        "note": free_text,
    },
    required=("at", "request_id", "partner", "merchant_id", "jurisdiction", "operation"),
)


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
        at=wire.read_timestamp(step["at"]),
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
