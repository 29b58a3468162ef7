"""The rule language: small typed expressions with one meaning and several readers.

`parse` reads text, `check` verifies it against a catalogue of facts, and the checked tree is read
by the reference interpreter (`interpret`, `trace`), by the closure (`closure`) and by the renderer
(`text`, `words`). The language knows numbers, money and dates; it does not know merchants.

>>> from holdback.exact.money import Currency
>>> from holdback.rules import interpret, parse
>>> percent = Type(Kind.PERCENT)
>>> progress = Fact(name="progress", type=percent, low=0, high=1_000_000, rounded_down=True)
>>> catalogue = Catalogue(facts=(progress,), currency=Currency.of("GBP"))
>>> rule = check(parse("progress >= 50%"), catalogue)
>>> facts = catalogue.prepare({"progress": "64%"})
>>> interpret(rule, facts), closure(rule)(facts), words(rule)
(True, True, 'progress is at least 50%')
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdback.rules.check import check
from holdback.rules.closure import closure
from holdback.rules.render import text, words
from holdback.rules.tree import Checked, Tree
from holdback.rules.types import Catalogue, Fact, Facts, Kind, Parameter, Type
from holdback.rules.values import FactValue

if TYPE_CHECKING:
    from holdback.rules.interpreter import Trace, interpret, trace
    from holdback.rules.parser import parse

__all__ = [
    "Catalogue",
    "Checked",
    "Fact",
    "FactValue",
    "Facts",
    "Kind",
    "Parameter",
    "Trace",
    "Tree",
    "Type",
    "check",
    "closure",
    "interpret",
    "parse",
    "text",
    "trace",
    "words",
]


def __getattr__(name: str) -> Any:
    # A service answers by the closure. It needs neither the parser, before files are read, nor the
    # interpreter with its fractions.
    if name == "parse":
        from holdback.rules.parser import parse  # noqa: PLC0415  # only where it is needed

        return parse
    if name not in {"Trace", "interpret", "trace"}:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from holdback.rules import interpreter  # noqa: PLC0415  # only where it is needed

    return getattr(interpreter, name)
