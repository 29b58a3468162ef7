"""Tests and comparisons of FEEL as cells of a table of tiers, where a cell can say the same."""

from __future__ import annotations

import json
import re
from typing import Final

from holdback.errors import InvalidValue, did_you_mean, excerpt, listed
from holdback.exact.exact_json import write_json
from holdback.jurisdictions.toml import MAX_TEXT
from holdback.rules.types import Catalogue, Fact, Kind

ANY: Final = "-"
_TOKEN: Final = re.compile(
    r'\s*(?:(?P<date>date\(\s*"[^"]*"\s*\)|@"[^"]*")|(?P<text>"(?:[^"\\]|\\.)*")'
    r"|(?P<number>(?:-\s*)?\d+(?:\.\d+)?)|(?P<word>(?:-\s*)?[A-Za-z_]\w*)"
    r"|(?P<sign><=|>=|!=|\.\.|[<>=()\[\],?]))"
)
_JOINS: Final = frozenset({"and", "in", "not"})
# Shapes of cells, in which `S` is the fact, `V` a value and `N` null.
_OPERATOR: Final = re.compile(r"(<=|>=|!=|<|>|=)V")
_OP: Final = _OPERATOR.pattern
_COMPARED: Final = re.compile(rf"S?{_OP}(andS{_OP})*(andS!=N)?")
_ONE_OF: Final = re.compile(r"V(,V)*|Sin\(V(,V)*\)")
_NONE_OF: Final = re.compile(r"not\(V(,V)*(,N)?\)")
_BAND: Final = re.compile(r"(?:Sin)?([\[(\]])V\.\.V([\])\[])")
_FLAGS: Final = {"S": "true", "not(S)": "false", "V": "{}", "S=V": "{}"}
# `]1..5[` is an older way to write `(1..5)`.
_LOW: Final = {"[": ">=", "(": ">", "]": ">"}
_HIGH: Final = {"]": "<=", ")": "<", "[": "<"}
_ANSWERS: Final = ((Kind.FLAG, "true"), (Kind.FLAG, "false"))
# A text that a cell has without quotes.
_PLAIN_TEXT: Final = re.compile(r"(?!not )[^\W_](?:[\w.]| (?!or |and ))*")
_UNITS: Final = {Kind.PERCENT: "{}%", Kind.DAYS: "{} days", Kind.COUNT: "{}", Kind.RATIO: "{}"}


def cell_text(text: str, fact: Fact, catalogue: Catalogue) -> str:
    """
    Return the cell that asks of *fact* what *text* of FEEL asks.

    Raises:
        InvalidValue: no cell says this; the message says what it cannot say.
    """
    text = " ".join(text.split()).removeprefix(f"if {fact.name} = null then null else ")
    if text in {"", ANY}:
        return ANY
    if len(text) > MAX_TEXT:
        raise InvalidValue("too_large", f"a cell has at most {MAX_TEXT} characters")
    shape, tokens, at = "", list[tuple[str, str]](), 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None or token.lastgroup is None:
            raise _unsayable(text)
        word, at = token[token.lastgroup], token.end()
        if word in {"?", fact.name}:
            shape += "S"
        elif token.lastgroup == "sign" or word in _JOINS:
            shape += word
        else:
            shape += "N" if word == "null" else "V"
            tokens += [] if word == "null" else [(token.lastgroup, word)]
    if re.fullmatch(r"[VN](,[VN])*", shape) and "N" in shape:
        raise InvalidValue("not_allowed", "a cell cannot ask for an unknown fact, as `null` does")
    is_flag = fact.type.kind is Kind.FLAG
    form = _FLAGS.get(shape) if is_flag else _form(shape, len(tokens))
    if form is None:
        raise _unsayable(text)
    return form.format(*(_value(kind, word, fact, catalogue) for kind, word in tokens))


def _unsayable(text: str) -> InvalidValue:
    return InvalidValue("wrong_value", f"a cell cannot say `{excerpt(text)}`")


def _form(shape: str, count: int) -> str | None:
    """Return the cell of this *shape*, with braces for each of the *count* values; None if none."""
    if _ONE_OF.fullmatch(shape):
        return " or ".join(["{}"] * count)
    if _NONE_OF.fullmatch(shape):
        return "not {}" if count == 1 else " and ".join(["!= {}"] * count)
    band = _BAND.fullmatch(shape)
    if band is not None:
        low, high = _LOW[band[1]], _HIGH[band[2]]
        if low == ">=":
            return "{} to {}" if high == "<=" else "{} to below {}"
        return f"{low} {{}} and {high} {{}}"
    if _COMPARED.fullmatch(shape):
        operators = _OPERATOR.findall(shape)
        return " and ".join(f"{'==' if sign == '=' else sign} {{}}" for sign in operators)
    return None


def _value(kind: str, word: str, fact: Fact, catalogue: Catalogue) -> str:
    """Return a value as a cell has it: a word is a parameter, or the answer of a flag."""
    type_, word = fact.type, word.replace(" ", "") if kind in {"number", "word"} else word
    if kind == "number" and type_.kind in _UNITS:
        return _UNITS[type_.kind].format(word)
    if kind == "number" and type_.currency is not None:
        return f"{'-' * word.startswith('-')}{type_.currency} {word.removeprefix('-')}"
    if kind == "date" and type_.kind is Kind.DATE:
        return word.split('"')[1]
    value = feel_string(word) if kind == "text" and type_.kind is Kind.TEXT else None
    if value is not None:
        if value not in type_.ordinals:
            near = did_you_mean(value, type_.options) or f"it is {listed(type_.options)}"
            raise InvalidValue("wrong_value", f"`{excerpt(value)}` is not a {fact.name}; {near}")
        return value if _PLAIN_TEXT.fullmatch(value) else write_json(value)
    if kind != "word":
        message = f"`{excerpt(word)}` is not a value of `{fact.name}`, which is {type_}"
        raise InvalidValue("wrong_type", message)
    name = word.removeprefix("-")
    if catalogue.fact(name) is not None:
        raise InvalidValue("not_allowed", f"a cell compares with a value, and `{name}` is a fact")
    if name not in catalogue.parameters and (type_.kind, word) not in _ANSWERS:
        like = did_you_mean(name, catalogue.parameters)
        message = f"`{excerpt(name)}` is not a parameter of the jurisdiction"
        raise InvalidValue("unknown_name", f"{message}; {like}" if like else message)
    return word


def feel_string(text: str) -> str | None:
    """
    Return the value of a string of FEEL; None when *text* is not one.

    >>> feel_string('"refer"'), feel_string("refer")
    ('refer', None)
    """
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, str) else None
