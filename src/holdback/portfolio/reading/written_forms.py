"""How the values of a column are probably written: what all of them fit, or why it is not clear."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from holdback.frozen_classes import frozen
from holdback.portfolio.reading.column_mapping import Form
from holdback.portfolio.reading.mapped_values import ISO, plain_value, reader
from holdback.portfolio.reading.undeclared_values import alike
from holdback.rules.types import Fact, Kind
from holdback.rules.values import is_missing

# A form as the keywords of a mapping; empty for the usual one, None where it is not clear.
Said = Mapping[str, str] | None

_DATES: Final = (
    ISO,
    "DD/MM/YYYY",
    "MM/DD/YYYY",
    "DD.MM.YYYY",
    "DD-MM-YYYY",
    "MM-DD-YYYY",
    "YYYY/MM/DD",
    "YYYY.MM.DD",
    "YYYYMMDD",
    "DD MON YYYY",
    "DD-MON-YYYY",
    "MON DD YYYY",
)
# The sign before decimals, and that between thousands.
_MARKS: Final = (
    (".", None),
    (",", None),
    (".", ","),
    (",", "."),
    (".", " "),
    (",", " "),
    (".", "'"),
    (",", "'"),
)
# What nobody has to say, unless other columns have decimal commas.
USUAL: Final = {"decimal_mark": "."}
# Numbers of one shape are read alike.
_SHAPE: Final = str.maketrans("12345678", "99999999")
_FLAGS: Final[Mapping[str, str]] = {
    "yes": "true",
    "y": "true",
    "t": "true",
    "no": "false",
    "n": "false",
    "f": "false",
}


def distinct(values: Iterable[Any]) -> Sequence[Any]:
    """Return the distinct ones of *values* that are not missing, without spaces around texts."""
    values_found: dict[Any, None] = {}
    for value in values:
        text = value.strip() if isinstance(value, str) else value
        try:
            if not is_missing(value) and text != "":
                values_found[text] = None
        except TypeError:  # a list or a dictionary has no hash
            continue
    return tuple(values_found)


def date_form(fact: Fact, values: Sequence[Any]) -> Said:
    """Return how the days in *values* are written."""
    texts = [value for value in values if isinstance(value, str | int)]
    fitting = _fitting(fact, texts, [{"dates": form} for form in _DATES])
    if not texts or (fitting and fitting[0][0] == {"dates": ISO}):
        return {}
    return _clear(fitting)


@frozen
class NumberForms:
    """The forms in which all numbers among the texts of a column can be read, with their values."""

    fitting: Sequence[tuple[Mapping[str, str], list[Any]]]
    has_texts: bool

    @classmethod
    def of(cls, fact: Fact, values: Sequence[Any]) -> NumberForms:
        """The forms of the texts among *values*; of texts of one shape, one is tried."""
        shapes = {value.translate(_SHAPE): value for value in values if isinstance(value, str)}
        forms = [
            {"decimal_mark": mark} | ({} if between is None else {"thousands": between})
            for mark, between in _MARKS
        ]
        return cls(_fitting(fact, list(shapes.values()), forms), bool(shapes))

    @property
    def said(self) -> Said:
        """The form, if the texts show it: empty for whole numbers, which any form fits."""
        if not self.has_texts:
            return {}
        clear = _clear(self.fitting)
        fits_all = {form["decimal_mark"] for form, _ in self.fitting} == {".", ","}
        return {} if clear is not None and fits_all else clear

    def fits(self, form: Mapping[str, str]) -> bool:
        """Whether the texts mean in *form* what they mean at all."""
        return self.said is not None and any(form == fitting for fitting, _ in self.fitting)


def shared_form(columns: Iterable[NumberForms]) -> Mapping[str, str]:
    """Return the form of numbers that may be said once for all *columns*; empty for the usual."""
    texts = [column for column in columns if column.has_texts]
    forms = [column.said or {} for column in texts]
    unusual = [form for form in forms if form not in ({}, USUAL)]
    # One that has thousands fits numbers below a thousand too.
    form = max(unusual, key=len, default={})
    return form if all(column.fits(form) for column in texts) else {}


def _fitting(
    fact: Fact, texts: Sequence[Any], forms: Sequence[Mapping[str, str]]
) -> list[tuple[Mapping[str, str], list[Any]]]:
    """Those of *forms* in which all *texts* can be read, with the values."""
    fitting = []
    for form in forms:
        values = list(_read(reader(fact, Form(**form), {}), texts))
        if len(values) == len(texts):
            fitting.append((form, values))
    return fitting


def _read(read_value: Callable[[Any], Any], texts: Sequence[Any]) -> Iterator[Any]:
    """The values of *texts*, up to the first that cannot be read."""
    for text in texts:
        try:
            yield read_value(text)
        except (ValueError, ArithmeticError):
            return


def _clear(fitting: Sequence[tuple[Mapping[str, str], list[Any]]]) -> Said:
    """The first form if all that fit give the same values; None if they do not, or none fits."""
    if not fitting or any(values != fitting[0][1] for _, values in fitting):
        return None
    return fitting[0][0]


def texts_of(
    fact: Fact, values: Sequence[Any], options: Mapping[str, str]
) -> tuple[Mapping[str, str], Sequence[str]]:
    """
    Return what the texts among *values* mean, and those that are like none of *options*.

    *options* has the meaning of each text that is known; a text that is one already has no entry.
    """
    meanings: dict[str, str] = {}
    unknown = []
    for value in map(plain_value, values):
        if not isinstance(value, str) or value in options.values():
            continue
        if fact.type.kind is Kind.FLAG:
            meaning = _FLAGS.get(value.lower())
            if meaning is None and value.lower() not in {"true", "false", "1", "0"}:
                unknown.append(value)
        else:
            near = alike(value, options)
            meaning = None if near is None else options[near]
            if meaning is None:
                unknown.append(value)
        if meaning is not None:
            meanings[value] = meaning
    return meanings, unknown
