"""
What the first version itself says about the documents in `first/`, as JSON on standard output.

`test_first_version.py` runs this in a process that imports the first version and no other.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from types import UnionType
from typing import Union, get_args, get_origin, get_type_hints

import attrs
import first_version

import holdback
from holdback import Context, Engine, InvalidDocument, Merchant, Refusal, wire
from holdback.exact.exact_json import Opaque
from holdback.exact.money import Money
from holdback.lifecycle.events import EVENT_TYPES
from holdback.testing.inputs import run_operation
from holdback.tools.replay.replay import replay, replay_offers


def fields(kind, path):
    """Yield the path of every field that can be null, empty or false, with these forms."""
    for field in attrs.fields(kind):
        if not field.init:
            continue  # derived, not stored
        hint = get_type_hints(kind)[field.name]
        yield from _forms(hint, f"{path}.{field.alias}")


def _forms(hint, path):
    if get_origin(hint) in {Union, UnionType}:
        yield path, "null"
        hint = next(part for part in get_args(hint) if part is not type(None))
    if hint is bool:
        yield path, "false"
    elif get_origin(hint) is tuple:
        yield path, "empty"
        yield from _forms(get_args(hint)[0], f"{path}[]")
    elif get_origin(hint) is Mapping or hint is Opaque:
        yield path, "empty"
    elif attrs.has(hint) and hint is not Money:
        yield from fields(hint, path)


def disagreements(engine, document):
    """Yield what the first version reads, writes, replays or answers otherwise than stored."""
    state = document["state"].encode()
    merchant = wire.read_merchant(state)
    if wire.write_merchant(merchant) != state:
        yield "the state is written otherwise"
    events = [wire.read_event(event) for event in document["events"]]
    if [wire.write_event(event).decode() for event in events] != document["events"]:
        yield "an event is written otherwise"
    new = Merchant.new(
        **{name: document[name] for name in ("partner", "merchant_id")},
        jurisdiction=document["jurisdiction"],
    )
    if engine.evolve(new, events) != merchant:
        yield "the events give another state"
    for place, expected in enumerate(document["answers"]):
        if _answer(engine, merchant, expected) != (expected["status"], expected["reply"]):
            yield f"answer {place} is another one"


def _answer(engine, merchant, asked):
    context = Context(
        at=datetime.fromisoformat(asked["at"]),
        request_id="golden-answer",
        evidence=asked["evidence"],
    )
    body = None if asked["operation"] == "look_up" else asked["body"]
    try:
        reply = run_operation(engine, merchant, asked["operation"], body, context).reply
    except (Refusal, InvalidDocument) as error:
        return wire.problem(error)["status"], wire.write_problem(error).decode()
    return 200, wire.write(reply).decode()


def replays(engine, document):
    """Yield the state of the replay of every decision in a document."""
    for record in document["records"]:
        yield replay(json.loads(record), engine.jurisdictions).state
    for event in map(json.loads, document["events"]):
        if event["type"] == "OffersIssued":
            yield replay_offers(event, engine.jurisdictions).state
        elif event.get("assessment") is not None:
            yield replay(event["assessment"], engine.jurisdictions).state


def main(most):
    engine = Engine.bundled()
    wrong, replayed, documents = [], Counter(), first_version.documents()
    step = max(1, len(documents) // int(most))
    for place, document in enumerate(documents[::step]):
        wrong += [f"document {place}: {what}" for what in disagreements(engine, document)]
        replayed.update(replays(engine, document))
    optional = list(fields(Merchant, "state"))
    for name, kind in EVENT_TYPES.items():
        optional += fields(kind, name)
    report = {"from": holdback.__file__, "wrong": wrong, "replays": replayed}
    sys.stdout.write(json.dumps({**report, "optional": optional}))


if __name__ == "__main__":
    main(*sys.argv[1:])
