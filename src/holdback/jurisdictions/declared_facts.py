"""Facts that a jurisdiction declares: `[facts.name]` in `jurisdiction.toml`.

They hold what only the host knows there, such as a licence or an entry in a register. They are
typed and checked like the built-in facts, and their values arrive as evidence. A child inherits
those of its parent.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from holdback.eligibility.facts import EVIDENCE, catalogue
from holdback.exact.money import Currency
from holdback.jurisdictions.keys import DECLARED_FACT
from holdback.jurisdictions.quantity import read_quantity
from holdback.jurisdictions.source_rules import invalid_name
from holdback.jurisdictions.toml import Node, TomlTable
from holdback.rules import Fact, Kind, Type
from holdback.rules.check import MAX_MAGNITUDE

# INVARIANT: a catalogue has at most 61 facts, 23 built in and these, inherited ones included: the
# masks of a portfolio have a bit for each, below their other bits (decisions/portfolios).
MAX_FACTS: Final = 38
MIN_OPTIONS: Final = 2
MAX_OPTIONS: Final = 200
_OPTION: Final = r"[A-Za-z0-9][A-Za-z0-9 ._/-]{0,59}"


def read_facts(node: Node, currency: Currency, inherited: Iterable[Fact]) -> tuple[Fact, ...]:
    """Return the valid facts in *node*, a table by name, which come after those *inherited*."""
    built_in = {fact.name for fact in catalogue(currency).facts}
    inherited_names = {fact.name for fact in inherited}
    entries = node.entries()
    if len(entries.keys() | inherited_names) > MAX_FACTS:
        hint = f"{len(inherited_names)} of them are inherited" if inherited_names else None
        node.add_error("too_large", f"there are more than {MAX_FACTS} facts", hint, key=True)
        return ()
    facts = []
    # Sorted, so that the order of keys in a file never reaches the digest.
    for name, entry in sorted(entries.items()):
        invalid = invalid_name(name, "licence_valid")
        if invalid is not None:
            entry.add_error(*invalid, key=True)
        elif name in built_in:
            entry.add_error(
                "duplicate",
                f"`{name}` is a built-in fact",
                "rules can read it without a declaration",
                key=True,
            )
        elif name in inherited_names:
            entry.add_error(
                "duplicate", f"the parent has a fact `{name}` already", "it is inherited", key=True
            )
        else:
            facts.append(_fact(name, entry, currency))
    return tuple(fact for fact in facts if fact is not None)


def _fact(name: str, node: Node, currency: Currency) -> Fact | None:
    table = DECLARED_FACT.table(node)
    label, description, word = (
        DECLARED_FACT.value(table, key) for key in ("label", "description", "type")
    )
    if word is None:
        return None
    kind = Kind(word)
    moves = _moves(table, kind)
    options = _options(table, kind)
    if options is None:
        return None
    type_ = Type(kind, currency if kind is Kind.MONEY else None, options)
    if kind is Kind.FLAG or kind is Kind.TEXT:
        _reject_range(table, kind)
        low, high = 0, max(1, len(options) - 1)
    else:
        ends = _range(table, type_)
        if ends is None:
            return None
        low, high = ends
    if description is None:
        return None
    return Fact(
        name=name,
        type=type_,
        low=low,
        high=high,
        description=description,
        origin=EVIDENCE,
        label=label,
        moves=moves,
    )


def _moves(table: TomlTable, kind: Kind) -> str | None:
    """Return the direction in which a merchant can move the fact; a text has none."""
    if kind is not Kind.TEXT or table["moves"].absent:
        moves: str | None = DECLARED_FACT.value(table, "moves")
        return moves
    table["moves"].add_error(
        "not_allowed",
        "a text has no order, so it moves neither up nor down",
        "leave `moves` out",
        key=True,
    )
    return None


def _options(table: TomlTable, kind: Kind) -> tuple[str, ...] | None:
    """Return the options of a text; none for another kind; None when they are invalid."""
    node = table["options"]
    if kind is not Kind.TEXT:
        if not node.absent:
            node.add_error(
                "not_allowed", f"a {kind.value} has no options", "they are for `text`", key=True
            )
        return ()
    if node.absent:
        table.node.add_error(
            "missing", "`options` is missing", 'as `options = ["A", "B"]`', key=True
        )
        return None
    elements = node.elements()
    texts = [element.text(_OPTION, "a short text of letters and digits") for element in elements]
    options = tuple(text for text in texts if text is not None)
    if len(options) < len(elements) or not isinstance(node.value, list):
        return None
    if not MIN_OPTIONS <= len(set(options)) == len(options) <= MAX_OPTIONS:
        node.add_error("wrong_value", f"expected {MIN_OPTIONS} to {MAX_OPTIONS} options, each once")
        return None
    return options


def _reject_range(table: TomlTable, kind: Kind) -> None:
    for key in ("minimum", "maximum"):
        if not table[key].absent:
            table[key].add_error("not_allowed", f"a {kind.value} has no `{key}`", key=True)


def _range(table: TomlTable, type_: Type) -> tuple[int, int] | None:
    """Return the range of a number or a date, both ends included."""
    for key in ("minimum", "maximum"):
        if table[key].absent:
            table.node.add_error(
                "missing", f"`{key}` is missing", "rules are checked against the range", key=True
            )
    low = read_quantity(table["minimum"], type_)
    high = read_quantity(table["maximum"], type_)
    if low is None or high is None:
        return None
    if low >= high:
        table["maximum"].add_error("contradiction", "expected more than the minimum")
        return None
    # Generated code computes in 64-bit integers: see `rules.check` for the bound.
    if max(abs(low), abs(high)) > MAX_MAGNITUDE:
        table["maximum"].add_error(
            "out_of_range",
            "the range is too large to calculate exactly: more than 2**62 in the smallest unit "
            f"of {type_}",
        )
        return None
    return low, high
