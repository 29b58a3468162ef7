"""Stored names do not change if a class or an attribute is renamed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args, get_type_hints

import attrs

from every_case import for_every
from holdback import Merchant
from holdback.exact.exact_json import Opaque, Verbatim
from holdback.exact.money import Money
from holdback.lifecycle.events import EVENT_TYPES, Event, event_type
from holdback.wire.converter import event_converter, structured

HERE = Path(__file__).parent


def names_stored_in(number):
    """
    The names that hosts have stored in a format, by merchant or type of event.

    The file is never regenerated. A new name is added by hand, with a new format.
    """
    return json.loads((HERE / f"stored_names_{number}.json").read_text(encoding="utf-8"))


FIRST = names_stored_in(1)


def stored_classes(kind):
    """Return the classes whose fields are stored within a value of *kind*, none for plain ones."""
    if isinstance(kind, type) and attrs.has(kind):
        return [] if kind in {Money, Opaque} else [kind]
    return [inner for part in get_args(kind) for inner in stored_classes(part)]


def stored_names(kind):
    """Return the names under which the fields of *kind* are stored, nested, in their order."""
    hints = get_type_hints(kind)
    names = {}
    for attribute in attrs.fields(kind):
        if not attribute.init:
            continue  # derived, not stored
        inner = [stored_names(part) for part in stored_classes(hints[attribute.name])]
        names[attribute.alias] = inner if len(inner) > 1 else inner[0] if inner else None
    return names


@for_every("name", ["merchant", *EVENT_TYPES])
def test_format_1_has_the_names_that_hosts_have_stored(name):
    """
    The fields of a merchant and of every event, with those of all classes in them, in their order.
    Days of takings, entries and held facts are rows of these fields.
    """
    names = stored_names(EVENT_TYPES.get(name, Merchant))

    assert json.dumps(names) == json.dumps(FIRST[name])


def test_every_event_has_a_stored_type():
    """
    The table of stored types names every event once, and lists no type that hosts have not stored.
    """
    assert set(EVENT_TYPES.values()) == set(get_args(Event))
    assert [event_type(kind) for kind in EVENT_TYPES.values()] == list(EVENT_TYPES)
    assert ["merchant", *EVENT_TYPES] == list(FIRST)


def test_a_renamed_attribute_keeps_its_stored_name():
    """
    The alias of an attribute is its stored name, in reading and in writing.
    """

    @attrs.frozen(kw_only=True)
    class Renamed:
        better_name: int = attrs.field(alias="stored_name")

    stored = event_converter().unstructure(Renamed(stored_name=1))

    assert stored == {"stored_name": 1}
    assert structured(event_converter(), {"stored_name": Verbatim("1")}, Renamed) == Renamed(
        stored_name=1
    )
