"""The figures of a product's calculators, each changed by one unit: what it may ask and what it costs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, Final

from attrs import evolve, frozen

from holdback.exact_json import Json
from holdback.jurisdictions.rulebook import CalculatorChoice, ProductTerms
from holdback.jurisdictions.source_rules import CALCULATORS, WrittenProduct
from holdback.money import PERCENT_PLACES, RATIO_PLACES, Currency, scaled, short

_FIGURE: Final = re.compile(r"(?:([A-Z]{3}) )?([0-9]+(?:\.[0-9]+)?)(%?)")
# What is rounded to whole steps afterwards: a smallest unit might change no amount, so these are moved by
# one in the last digit that is written.
_COARSE: Final = ("multiple", "step")

_Path = tuple[str | int, ...]


@frozen(kw_only=True)
class Changed:
    """A figure of a product changed: `kind` is the calculator's, or None for the shares offered."""

    name: str
    line: int | None
    kind: str | None
    value: Json

    def terms(self, terms: ProductTerms) -> ProductTerms:
        """*terms* with the figure changed."""
        if self.kind is None:
            return evolve(terms, amounts=self.value)
        choice: CalculatorChoice = getattr(terms, self.kind)
        changed: dict[str, Any] = {self.kind: evolve(choice, settings=self.value)}
        return evolve(terms, **changed)


def changed_settings(product: WrittenProduct) -> Iterator[Changed]:
    """Every figure of *product*, up and down."""
    for kind in CALCULATORS:
        choice = product.calculators[kind]
        for path, figure in _figures(choice.settings):
            line = choice.place(str(path[0])).get("line")
            for moved in _moved(figure, coarse=path[0] in _COARSE):
                yield Changed(
                    name=f"{kind} {_shown(path)}: {figure} to {moved}",
                    line=line,
                    kind=kind,
                    value=_put(choice.settings, path, moved),
                )
    for place, share in enumerate(product.amounts):
        for moved in (share + 10**PERCENT_PLACES, share - 10**PERCENT_PLACES):
            shares = (*product.amounts[:place], moved, *product.amounts[place + 1 :])
            if list(shares) == sorted(set(shares)) and 0 < shares[0] <= shares[-1] <= _WHOLE:
                before, after = (short(each, PERCENT_PLACES) for each in (share, moved))
                yield Changed(
                    name=f"amounts[{place}]: {before}% to {after}%",
                    line=product.keys["amounts"].line,
                    kind=None,
                    value=shares,
                )


_WHOLE: Final = 100 * 10**PERCENT_PLACES


def _figures(value: Json, path: _Path = ()) -> Iterator[tuple[_Path, str | int]]:
    """Every number in *value*, with or without a unit, and its path."""
    if isinstance(value, Mapping):
        for key, part in value.items():
            if key not in ("calculator", "on"):
                yield from _figures(part, (*path, key))
    elif isinstance(value, list):
        for place, part in enumerate(value):
            yield from _figures(part, (*path, place))
    elif type(value) is int or (isinstance(value, str) and _FIGURE.fullmatch(value)):
        yield path, value


def _moved(figure: str | int, *, coarse: bool) -> Iterator[str | int]:
    """*figure* one smallest unit up and down; a *coarse* one, one in its last written digit."""
    if isinstance(figure, int):
        yield figure + 1
        yield figure - 1
        return
    match = _FIGURE.fullmatch(figure)
    assert match is not None
    currency, number, percent = match.groups()
    written = len(number.partition(".")[2])
    if coarse:
        places = written
    elif currency:
        places = Currency.of(currency).places
    else:
        places = PERCENT_PLACES if percent else RATIO_PLACES
    value = scaled(Decimal(number), max(places, written))
    unit = 10 ** (max(places, written) - places)
    for moved in (value + unit, value - unit):
        if moved >= 0:
            shown = short(moved, max(places, written))
            yield f"{currency} {shown}" if currency else f"{shown}{percent}"


def _put(value: Json, path: _Path, figure: str | int) -> Json:
    """*value* with *figure* at *path*."""
    if not path:
        return figure
    first, *rest = path
    if isinstance(value, Mapping):
        return {**value, str(first): _put(value[first], tuple(rest), figure)}
    return [
        _put(part, tuple(rest), figure) if place == first else part
        for place, part in enumerate(value)
    ]


def _shown(path: _Path) -> str:
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return "".join(parts).removeprefix(".")
