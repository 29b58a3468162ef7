"""Stored names do not change if a class or an attribute is renamed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args, get_type_hints

import attrs

from every_case import for_every
from holdback import Merchant
from holdback.exact_json import Opaque, Verbatim
from holdback.lifecycle.events import EVENT_TYPES, Event, event_type
from holdback.money import Money
from holdback.wire.converter import CONVERTER, structured

# Never regenerated, because hosts have stored these names. A new name is added by hand.
STORED_NAMES = json.loads((Path(__file__).parent / "stored_names.json").read_text(encoding="utf-8"))


def stored_class(kind):
    """Return the class whose fields are stored within a value of *kind*, None for a plain value."""
    for inner in (kind, *(part for arg in get_args(kind) for part in (arg, *get_args(arg)))):
        if isinstance(inner, type) and attrs.has(inner) and inner not in {Money, Opaque}:
            return inner
    return None


def stored_names(kind):
    """Return the names under which the fields of *kind* are stored, nested, in their order."""
    hints = get_type_hints(kind)
    inner = {a.alias: stored_class(hints[a.name]) for a in attrs.fields(kind) if a.init}
    return {name: stored_names(field) if field else None for name, field in inner.items()}


@for_every("name", ["merchant", *EVENT_TYPES])
def test_stored_names_are_those_that_hosts_have_stored(name):
    """
    The fields of a merchant and of every event, with those of all classes in them, in their order.
    """
    names = stored_names(EVENT_TYPES.get(name, Merchant))

    assert json.dumps(names) == json.dumps(STORED_NAMES[name])


def test_every_event_has_a_stored_type():
    """
    The table of stored types names every event once, and lists no type that hosts have not stored.
    """
    assert set(EVENT_TYPES.values()) == set(get_args(Event))
    assert [event_type(kind) for kind in EVENT_TYPES.values()] == list(EVENT_TYPES)
    assert ["merchant", *EVENT_TYPES] == list(STORED_NAMES)


def test_a_renamed_attribute_keeps_its_stored_name():
    """
    The alias of an attribute is its stored name, in reading and in writing.
    """

    @attrs.frozen(kw_only=True)
    class Renamed:
        better_name: int = attrs.field(alias="stored_name")

    stored = CONVERTER.unstructure(Renamed(stored_name=1))

    assert stored == {"stored_name": 1}
    assert structured({"stored_name": Verbatim("1")}, Renamed) == Renamed(stored_name=1)
