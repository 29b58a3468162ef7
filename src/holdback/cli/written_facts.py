"""Facts as people write them for one deal, where nothing is read in silence.

What a host hands in may be unknown to the rules of a day. What a person writes for one deal is
meant: a word that no rule can know is an error, and so is a number with several readings, although
JSON reads it. Only its author reads the hint, which names what was probably meant
(decisions/rule-language#numbers-as-people-write-them).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable

import click

from holdback import wire
from holdback.errors import (
    ErrorDetail,
    InvalidDocument,
    InvalidValue,
    code_of,
    did_you_mean,
    listed,
    printable,
    write_instead,
)
from holdback.exact.exact_json import Json, Verbatim, shown_path
from holdback.exact.exact_numbers import scaled
from holdback.rules.types import Catalogue, Fact, Kind
from holdback.rules.values import FactValue
from holdback.rules.written import FRACTIONS_BELOW


def read_facts(tree: Json, catalogue: Catalogue, *, path: str = "$") -> dict[str, FactValue]:
    """
    Return the facts in *tree*, JSON as a person wrote it, as exact values by name.

    Raises:
        InvalidDocument: naming everything that is invalid, unknown or has several readings.
    """
    given = wire.read_evidence(tree, path=path)
    errors = list[ErrorDetail]()
    for name, value in given.items():
        fact, at = catalogue.fact(name), shown_path(path, name)
        try:
            if fact is None:
                catalogue.prepare({name: value})
            elif value is not None:
                _check(fact, value, tree[name])
        except InvalidDocument as error:
            errors += (
                ErrorDetail(code=detail.code, message=detail.message, path=at, hint=detail.hint)
                for detail in error.errors
            )
        except ValueError as error:
            hint = None if fact is None else _hint(fact, tree[name])
            errors.append(ErrorDetail(code=code_of(error), message=str(error), path=at, hint=hint))
    if errors:
        raise InvalidDocument(errors)
    return given


def _check(fact: Fact, value: FactValue, written: Json) -> None:
    """Raise `ValueError` unless *value*, which is *written* so, is known and has one reading."""
    number = fact.read(value)
    if number is None:
        raise InvalidValue("wrong_value", f"expected one of {listed(fact.type.options)}")
    meanings = _meanings(fact, written) if isinstance(written, Verbatim) else ()
    if len(meanings) > 1:
        raise fact.type.several(meanings)
    if fact.rounded_down and 0 < number < scaled(FRACTIONS_BELOW, fact.type.places):
        show = fact.type.show
        message = (
            f"{fact.name} is read as {show(number)}; write {show(100 * number)} if that is meant"
        )
        click.echo(message, err=True)


def _hint(fact: Fact, written: Json) -> str | None:
    """Return what to write instead: a value that is read, and never the one that was refused."""
    if not isinstance(written, str):
        return None
    if fact.type.kind is Kind.TEXT:
        return did_you_mean(written.strip(), fact.type.options)
    meanings = _meanings(fact, written)
    return write_instead(text for text in meanings if _is_read(fact, json.loads(text)))


def _meanings(fact: Fact, written: str) -> tuple[str, ...]:
    return fact.type.readings(written, down=fact.rounded_down)


def _is_read(fact: Fact, value: FactValue) -> bool:
    try:
        fact.read(value)
    except ValueError:
        return False
    return True


def read_pairs(
    pairs: Iterable[str], catalogue: Catalogue, call: Callable[[str], str] = str
) -> dict[str, Json]:
    """
    Return the facts in *pairs*, each `NAME=VALUE`, as a document has them.

    A value with one reading is read in any form, and another form than that of a document is shown,
    with what the author *call* has for its name.

    Raises:
        BadParameter: one of them is not a pair.
    """
    tree: dict[str, Json] = {}
    for pair in pairs:
        name, sign, text = pair.partition("=")
        if not sign:
            raise click.BadParameter(
                f"expected NAME=VALUE, such as progress=64%: {printable(pair)}"
            )
        fact = catalogue.fact(name)
        tree[name] = text
        if fact is None or fact.type.kind is Kind.TEXT:
            continue
        meanings = _meanings(fact, text)
        if len(meanings) == 1 and not _is_read(fact, text):
            tree[name] = json.loads(meanings[0])
            shown = meanings[0].strip('"')
            if text != shown.removesuffix("s").removesuffix(" day"):
                click.echo(f"{call(name)} is read as {shown}", err=True)
    return tree
