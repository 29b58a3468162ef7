"""`suggest`: the mapping that a frame probably needs, for somebody to look at."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from fractions import Fraction
from functools import cached_property
from typing import Any, Final

import narwhals.stable.v2 as nw
from attrs import evolve

from holdback.eligibility.facts import FACTS
from holdback.errors import listed
from holdback.frozen_classes import frozen
from holdback.portfolio.assessing.row_rulebooks import DayOrColumn, Rules, names_read
from holdback.portfolio.reading.column_findings import shown_value
from holdback.portfolio.reading.column_mapping import ColumnMapping, Form
from holdback.portfolio.reading.frames import open_frame
from holdback.portfolio.reading.mapped_frame import (
    facts_to_map,
    needs_reading,
    source_columns,
    unread_counts,
)
from holdback.portfolio.reading.mapped_values import (
    ISO,
    NO_SIGNS,
    plain_value,
    reader,
    units_beside,
)
from holdback.portfolio.reading.named_columns import CURRENCY, JURISDICTION, ON, key_columns
from holdback.portfolio.reading.suspects import are_fractions, are_minor_units, numbers_of
from holdback.portfolio.reading.undeclared_values import matching_name
from holdback.rulebooks.rulebook import Rulebook
from holdback.rules.types import Fact, Kind
from holdback.rules.values import is_missing
from holdback.rules.written import currencies_of, currency_of, flag_readings

# What people call the other columns; a fact has its names in `eligibility.facts`.
_OTHER_COLUMNS: Final[Mapping[str, str]] = {
    "jurisdiction": "country country_code market region territory",
    "on": "as_of as_of_date date day report_date snapshot_date",
    "currency": "ccy currency_code",
    "deal_id": "deal id deal_no deal_number deal_ref contract contract_id reference",
}
_NEAR: Final = Fraction(88, 100)
_MOST_SHOWN: Final = 5


def suggest(
    frame: Any,
    rules: Rules,
    *,
    jurisdiction: str = JURISDICTION,
    on: DayOrColumn | None = None,
) -> ColumnMapping:
    """
    Return the mapping by which `read` probably makes of *frame* what *rules* read.

    Columns are recognised by their names, fractions, dates, signs in numbers and texts by their
    values. What is not clear is left out, and `notes` say so: look at the mapping before you use
    it. In a lazy frame only names are looked at. *jurisdiction* and *on* are those of `assess`.

    >>> import polars as pl
    >>> from holdback import load_jurisdictions
    >>> deals = pl.DataFrame({"Pct paid": [0.1, 0.64, 0.7, 0.9, 1.0], "State": ["funded"] * 5})
    >>> mapping = suggest(deals, load_jurisdictions())
    >>> mapping.columns, mapping.percentages, mapping.texts
    ({'progress': 'Pct paid', 'status': 'State'}, 'fractions', {'status': {'funded': 'Funded'}})
    """
    opened = open_frame(frame)
    facts = facts_to_map(rules)
    keys = key_columns(jurisdiction, on)
    columns, notes = _columns(facts, list(opened.collect_schema()), keys)
    mapping = ColumnMapping(columns=columns)
    sources = source_columns(mapping, opened.columns, facts, keys)
    notes += _not_recognised(_needed(rules, on), sources, opened.columns)
    if not isinstance(opened, nw.DataFrame):
        notes.append("the rows are not in memory, so only the names were looked at")
        return evolve(mapping, notes=tuple(notes))
    values = _Values(opened, facts, sources, rules)
    mapping = evolve(mapping, notes=tuple(notes), **values.said(notes))
    counts = unread_counts(opened, mapping, rules, keys)
    unread = [
        f"{name}: values that cannot be read so: {count:,}"
        for name, count in counts.items()
        if count
    ]
    return evolve(mapping, notes=(*notes, *unread))


def _needed(rules: Rules, on: DayOrColumn | None) -> Iterator[str]:
    """The keys and facts that an assessment by *rules* reads."""
    if isinstance(rules, Rulebook):
        yield from names_read(rules)
        return
    yield JURISDICTION
    if not isinstance(on, date):
        yield ON
    yield from dict.fromkeys(name for item in rules.rulebooks() for name in names_read(item))


def _not_recognised(
    needed: Iterable[str], sources: Mapping[str, str], columns: Collection[str]
) -> Iterator[str]:
    """What has no column although columns are left, which are named: one of them may hold it."""
    missing = [name for name in needed if name not in sources]
    unused = [name for name in columns if name not in sources.values()]
    if missing and unused:
        yield f"no column is recognised for {listed(missing)}; not used are {listed(unused)}"


def _columns(
    facts: Mapping[str, Fact], names: Sequence[str], keys: Mapping[str, str]
) -> tuple[dict[str, str], list[str]]:
    """The column of each fact that has none of its own name, and what is not clear."""
    own = {name: keys.get(name, name) for name in facts}
    free = [name for name in names if name not in own.values()]
    wanted = [name for name in facts if own[name] not in names]
    columns: dict[str, str] = {}
    notes: list[str] = []
    for matches in (_same, _synonym, _near):
        for fact in wanted:
            if fact in columns:
                continue
            candidates = [
                name for name in free if name not in columns.values() and matches(fact, name)
            ]
            if len(candidates) == 1:
                columns[fact] = candidates[0]
            elif candidates:
                shown = ", ".join(f"`{name}`" for name in candidates[:_MOST_SHOWN])
                notes.append(f"{fact}: it may be any of {shown}")
    return {fact: columns[fact] for fact in wanted if fact in columns}, notes


def _letters(name: str) -> str:
    return "".join(sign for sign in name.casefold() if sign.isalnum()).replace("percentage", "pct")


def _same(fact: str, name: str) -> bool:
    return _letters(fact) == _letters(name)


def _synonym(fact: str, name: str) -> bool:
    letters = _letters(name).replace("percent", "pct")
    built_in = FACTS.get(fact)
    names = _OTHER_COLUMNS.get(fact, "") if built_in is None else built_in.in_files
    synonyms = names.split()
    return letters in {_letters(synonym).replace("percent", "pct") for synonym in synonyms}


def _near(fact: str, name: str) -> bool:
    return difflib.SequenceMatcher(None, _letters(fact), _letters(name)).ratio() >= _NEAR


@frozen
class _Values:
    """The values of a frame in memory, from which their forms are seen."""

    frame: nw.DataFrame[Any]
    facts: Mapping[str, Fact]
    sources: Mapping[str, str]
    rules: Rules

    def said(self, notes: list[str]) -> Mapping[str, Any]:
        """What a mapping says of the values; what is not clear is added to *notes*."""
        forms: dict[str, dict[str, str]] = {}
        texts: dict[str, Mapping[str, str]] = {}
        for name in self.sources:
            form, meanings = self._of(name, notes)
            if form:
                forms[name] = form
            if meanings:
                texts[name] = meanings
        if self._currency_signs:
            texts[CURRENCY] = {**texts.get(CURRENCY, {}), **self._currency_signs}
        signs, own = self._signs(notes)
        forms = {name: {**own.get(name, {}), **forms.get(name, {})} for name in (*own, *forms)}
        return {**self._shared(forms), **signs, "texts": texts}

    def _signs(self, notes: list[str]) -> tuple[Mapping[str, str], Mapping[str, Mapping[str, str]]]:
        """The signs in numbers: what holds for all columns, and what is said of single ones."""
        columns = {
            name: NumberForms.of(
                self.facts[name], distinct(self._values(name)), self._currency_signs
            )
            for name in self.sources
            if self.facts[name].type.kind in _NUMBERS
        }
        shared = shared_form(columns.values())
        said = {
            name: _noted(name, forms.said, "which signs its numbers have", notes)
            for name, forms in columns.items()
        }
        has_commas = any(form.get("decimal_mark") == "," for form in said.values())
        is_implied = {
            name: shared or (form == USUAL and not has_commas) for name, form in said.items()
        }
        return shared, {name: form for name, form in said.items() if form and not is_implied[name]}

    @cached_property
    def _currency_signs(self) -> Mapping[str, str]:
        """The signs beside amounts that several countries share, with the one currency in use."""
        rules = self.rules
        rulebooks = [rules] if isinstance(rules, Rulebook) else rules.rulebooks()
        in_use = {rulebook.currency.code for rulebook in rulebooks}
        signs: dict[str, str] = {}
        for name in self._money_columns():
            texts = (value for value in distinct(self._values(name)) if isinstance(value, str))
            for sign in {unit for text in texts for unit in units_beside(text)}:
                codes = in_use.intersection(currencies_of(sign))
                if currency_of(sign) is None and len(codes) == 1:
                    signs[sign] = codes.pop()
        return signs

    def _values(self, name: str) -> Sequence[Any]:
        return self.frame[self.sources[name]].to_list()

    def _of(self, name: str, notes: list[str]) -> tuple[dict[str, str], Mapping[str, str]]:
        fact, kind = self.facts[name], self.facts[name].type.kind
        column = self._values(name)
        values = distinct(column)
        if kind is Kind.TEXT or kind is Kind.FLAG:
            meanings, unknown = texts_of(fact, values, self._options(name))
            if unknown and (fact.type.options != ("-",) or name == JURISDICTION):
                shown = ", ".join(map(shown_value, unknown[:_MOST_SHOWN]))
                notes.append(f"{name}: not known are {shown}")
            return {}, meanings
        if kind is Kind.DATE:
            return _noted(name, date_form(fact, values), "how its days are written", notes), {}
        said: dict[str, str] = {}
        if kind is Kind.PERCENT and are_fractions(numbers_of(column)):
            said["percentages"] = "fractions"
        if kind is Kind.MONEY:
            said |= self._money(name, notes)
        return said, {}

    def _money(self, name: str, notes: list[str]) -> dict[str, str]:
        """Amounts are in minor units if other amounts of the same deals show it."""
        amounts = self._amounts(name)
        exact = [
            numbers
            for numbers in map(self._amounts, self._money_columns())
            if any(number % 1 for number in numbers)
        ]
        if not are_minor_units(amounts, exact, 100):
            return {}
        if exact:
            return {"money": "minor units"}
        notes.append(
            f'{name}: all amounts are whole: say `money = "minor units"` or `"major units"`'
        )
        return {}

    def _amounts(self, name: str) -> Sequence[Any]:
        return numbers_of(self._values(name))

    def _money_columns(self) -> Iterator[str]:
        return (name for name in self.sources if self.facts[name].type.kind is Kind.MONEY)

    def _options(self, name: str) -> Mapping[str, str]:
        """The texts that are known in the column *name*, with what each means."""
        rules = self.rules
        if name == JURISDICTION:
            if isinstance(rules, Rulebook):
                return {rules.code: rules.code, rules.name: rules.code}
            codes = {code: code for code in rules.codes}
            return {item.name: item.code for item in rules} | codes
        rulebooks = [rules] if isinstance(rules, Rulebook) else list(rules.rulebooks())
        facts = (rulebook.catalogue.fact(name) for rulebook in rulebooks)
        return {option: option for fact in facts if fact for option in fact.type.options}

    def _shared(self, forms: Mapping[str, Mapping[str, str]]) -> Mapping[str, Any]:
        """*forms* with what all columns that could have it share said once."""
        shared: dict[str, str] = {}
        for key, kinds in _KINDS.items():
            said = {
                forms.get(name, {}).get(key)
                for name, source in self.sources.items()
                if self.facts[name].type.kind in kinds
                and (key in _NUMERIC or self._is_text(name, source))
            }
            if len(said) == 1 and None not in said:
                shared[key] = str(said.pop())
        own = {
            name: {key: word for key, word in form.items() if key not in shared}
            for name, form in forms.items()
        }
        return {**shared, "forms": {name: form for name, form in own.items() if form}}

    def _is_text(self, name: str, source: str) -> bool:
        form = ColumnMapping().form(name)
        return needs_reading(self.facts[name], form, self.frame.schema[source])


_NUMBERS: Final = (Kind.PERCENT, Kind.MONEY, Kind.RATIO, Kind.COUNT, Kind.DAYS)
# What may be said once for all columns of these kinds.
_KINDS: Final = {
    "percentages": (Kind.PERCENT,),
    "money": (Kind.MONEY,),
    "dates": (Kind.DATE,),
}
_NUMERIC: Final = ("percentages", "money")


def _noted(name: str, said: Said, what: str, notes: list[str]) -> dict[str, str]:
    """*said*; where it is not clear, a note that it is not."""
    if said is None:
        notes.append(f"{name}: it is not clear {what}")
    return dict(said or {})


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
# Letters that stand for a flag in a column of flags, beside the words of `written`.
_FLAGS: Final[Mapping[str, str]] = {"y": "true", "t": "true", "n": "false", "f": "false"}


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
    def of(
        cls, fact: Fact, values: Sequence[Any], signs: Mapping[str, str] = NO_SIGNS
    ) -> NumberForms:
        """
        The forms of the texts among *values*; of texts of one shape, one is tried.

        *signs* are those beside amounts, with what they mean.
        """
        shapes = {value.translate(_SHAPE): value for value in values if isinstance(value, str)}
        forms = [
            {"decimal_mark": mark} | ({} if between is None else {"thousands": between})
            for mark, between in _MARKS
        ]
        return cls(_fitting(fact, list(shapes.values()), forms, signs), bool(shapes))

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
    fact: Fact,
    texts: Sequence[Any],
    forms: Sequence[Mapping[str, str]],
    signs: Mapping[str, str] = NO_SIGNS,
) -> list[tuple[Mapping[str, str], list[Any]]]:
    """Those of *forms* in which all *texts* can be read, with the values."""
    fitting = []
    for form in forms:
        values = list(_read(reader(fact, Form(**form), {}, signs=signs), texts))
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
            if value.lower() in {"true", "false", "1", "0"}:
                continue
            meaning = _FLAGS.get(value.lower()) or next(iter(flag_readings(value)), None)
            if meaning is None:
                unknown.append(value)
        else:
            near = matching_name(value, options)
            meaning = None if near is None else options[near]
            if meaning is None:
                unknown.append(value)
        if meaning is not None:
            meanings[value] = meaning
    return meanings, unknown
