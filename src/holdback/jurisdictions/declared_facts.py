"""The facts that a jurisdiction adds: `[facts.name]` in `jurisdiction.toml`.

They are what only the host knows there, a licence or an entry in a register. They are typed and checked
like the built-in ones, and their values come as evidence. A child has those of its parent too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from holdback.facts import EVIDENCE, catalogue
from holdback.jurisdictions.source_rules import NAME
from holdback.money import Currency
from holdback.rules import Fact, Kind, Type
from holdback.rules.check import MAX_MAGNITUDE
from holdback.rules.tokens import KEYWORDS
from holdback.toml.document import excerpt
from holdback.toml.node import Item, Keys

# What a jurisdiction may add: more would be a questionnaire.
MOST_FACTS: Final = 40
MOST_OPTIONS: Final = 200
_OPTION: Final = r"[A-Za-z0-9][A-Za-z0-9 ._/-]{0,59}"


def read_facts(item: Item, currency: Currency, inherited: Iterable[Fact]) -> tuple[Fact, ...]:
    """The facts in *item*, a table by name, that can be read."""
    built_in = {fact.name for fact in catalogue(currency).facts}
    taken = {fact.name for fact in inherited}
    parts = item.pairs()
    if len(parts) > MOST_FACTS:
        item.fault(f"there are more than {MOST_FACTS} facts", key=True)
        return ()
    found = []
    for name, part in sorted(parts.items()):  # the order of keys means nothing
        if re.fullmatch(NAME, name) is None or name in KEYWORDS:
            part.fault(
                f"`{excerpt(name)}` cannot be a name", "a name is like `licence_valid`", key=True
            )
        elif name in built_in:
            part.fault(f"`{name}` is a built-in fact", "rules can read it as it is", key=True)
        elif name in taken:
            part.fault(f"the parent has a fact `{name}` already", "it is inherited", key=True)
        else:
            found.append(_fact(name, part, currency))
    return tuple(fact for fact in found if fact is not None)


def _fact(name: str, item: Item, currency: Currency) -> Fact | None:
    keys = item.keys(("type", "description"), ("minimum", "maximum", "options"))
    description = keys["description"].text()
    word = keys["type"].one_of([kind.value for kind in Kind], "type")
    if word is None:
        return None
    kind = Kind(word)
    options = _options(keys, kind)
    if options is None:
        return None
    type_ = Type(kind, currency if kind is Kind.MONEY else None, options)
    if kind is Kind.FLAG or kind is Kind.TEXT:
        _no_range(keys, kind)
        low, high = 0, max(1, len(options) - 1)
    else:
        ends = _range(keys, type_)
        if ends is None:
            return None
        low, high = ends
    if description is None:
        return None
    return Fact(name=name, type=type_, low=low, high=high, description=description, origin=EVIDENCE)


def _options(keys: Keys, kind: Kind) -> tuple[str, ...] | None:
    """The declared set of a text; nothing for another kind; None when it is at fault."""
    item = keys["options"]
    if kind is not Kind.TEXT:
        if not item.absent:
            item.fault(f"a {kind.value} has no options", "they are for `text`", key=True)
        return ()
    if item.absent:
        keys.item.fault("`options` is missing", 'as `options = ["A", "B"]`', key=True)
        return None
    parts = item.items()
    found = [part.text(_OPTION, "a short text of letters and digits") for part in parts]
    options = tuple(option for option in found if option is not None)
    if len(options) < len(parts) or not isinstance(item.value, list):
        return None
    if not 2 <= len(set(options)) == len(options) <= MOST_OPTIONS:
        item.fault(f"expected 2 to {MOST_OPTIONS} options, each once")
        return None
    return options


def _no_range(keys: Keys, kind: Kind) -> None:
    for key in ("minimum", "maximum"):
        if not keys[key].absent:
            keys[key].fault(f"a {kind.value} has no `{key}`", key=True)


def _range(keys: Keys, type_: Type) -> tuple[int, int] | None:
    """The range of a number or a date, both ends included."""
    for key in ("minimum", "maximum"):
        if keys[key].absent:
            keys.item.fault(f"`{key}` is missing", "rules are checked against the range", key=True)
    low, high = keys["minimum"].quantity(type_), keys["maximum"].quantity(type_)
    if low is None or high is None:
        return None
    if low >= high:
        keys["maximum"].fault("expected more than the minimum")
        return None
    if max(abs(low), abs(high)) > MAX_MAGNITUDE:
        keys["maximum"].fault(f"this could pass 2**62 in the smallest unit of {type_}")
        return None
    return low, high
