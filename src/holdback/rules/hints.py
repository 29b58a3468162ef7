"""Hints for expressions that do not check: what the author probably meant."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from holdback.errors import did_you_mean, listed
from holdback.exact.exact_numbers import RATIO_PLACES
from holdback.rules.tree import Literal, Node, Syntax
from holdback.rules.types import Catalogue, Kind, Type
from holdback.rules.values import written

_LENGTH_OF_A_CURRENCY: Final = 3

_WITH_ARTICLE: Final[Mapping[Kind, str]] = MappingProxyType(
    {
        Kind.FLAG: "a flag",
        Kind.COUNT: "a count",
        Kind.PERCENT: "a percentage",
        Kind.RATIO: "a ratio",
        Kind.DAYS: "a number of days",
        Kind.DATE: "a date",
        Kind.TEXT: "a text",
    }
)


def with_article(type_: Type) -> str:
    """Return *type_* as a sentence has it, with its article."""
    return _WITH_ARTICLE.get(type_.kind) or str(type_)


def unlike(sides: tuple[Node, Node], texts: tuple[str, str]) -> str:
    """Return the message for two *sides* of different types, written as *texts*."""
    left, right = (side.type for side in sides)
    if left.kind is right.kind is Kind.TEXT:
        return f"`{texts[0]}` and `{texts[1]}` are texts of different sets"
    return f"`{texts[0]}` is {with_article(left)} and `{texts[1]}` is {with_article(right)}"


def rewritten(type_: Type, tree: Syntax) -> str | None:
    """Return how to write *tree*, a literal of another kind, as a value of *type_*."""
    if not isinstance(tree, Literal):
        return None
    value = tree.value
    match type_.kind, tree.kind:
        case Kind.PERCENT, Kind.RATIO if (hundredfold := written(value, RATIO_PLACES)) is not None:
            # A ratio has two decimals more than a percentage, so its scaled number, read as a
            # percentage, is a hundred times as much: `0.5` may mean 0.5% or 50%.
            return f"write `{value}%` or `{type_.literal(hundredfold)}`"
        case Kind.PERCENT, Kind.RATIO | Kind.COUNT:
            return f"write `{value}%`"
        case Kind.MONEY, Kind.RATIO | Kind.COUNT:
            return f"write `{type_.currency} {value}`"
        case Kind.DAYS, Kind.COUNT:
            return f"write `{value} day{'s' * (value != '1')}`"
        case Kind.RATIO, Kind.COUNT:
            return f"write `{value}.0`"
        case Kind.DATE, Kind.TEXT:
            return f"write `{value}` without quotes"
        case Kind.COUNT, Kind.PERCENT | Kind.DAYS if "." not in value:
            return f"write `{value}`"
        case _:
            return None


def flag_comparison(operator: str, texts: tuple[str, str]) -> str:
    """Return what to write instead of comparing two flags, written as *texts*."""
    left, right = texts
    for flag, literal in ((left, right), (right, left)):
        if literal in ("true", "false"):
            is_plain = (literal == "true") == (operator == "==")
            return f"write `{flag}`" if is_plain else f"write `not {flag}`"
    if operator == "==":
        return f"write `{left} and {right} or not {left} and not {right}`"
    return f"write `{left} and not {right} or not {left} and {right}`"


def unknown_name(name: str, catalogue: Catalogue) -> str:
    """Return what *name*, neither a fact nor a parameter, probably means, or which names exist."""
    names = [*catalogue.parameters, *(fact.name for fact in catalogue.facts)]
    # A mistyped name is likelier than a text without quotes, so it is looked for first.
    near = did_you_mean(name, names)
    if near:
        return near
    options = {option for fact in catalogue.facts for option in fact.type.options}
    if name in options:
        return f'write the text in double quotes, as "{name}"'
    if len(name) == _LENGTH_OF_A_CURRENCY and name.isupper():
        return f"money is written `{name} 5000.00`, with its sign in front"
    return f"there are {listed(names, name)}"
