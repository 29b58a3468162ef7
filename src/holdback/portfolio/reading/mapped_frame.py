"""`read`: somebody's frame, as a mapping describes it, with columns named and written as facts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Final

import narwhals.stable.v2 as nw
from attrs import evolve

from holdback.eligibility.facts import catalogue
from holdback.errors import ErrorDetail, InvalidDocument, InvalidValue, did_you_mean, listed
from holdback.exact.exact_json import shown_path
from holdback.exact.money import MINOR_UNITS, Currency
from holdback.frozen_classes import frozen
from holdback.portfolio.assessing.row_rulebooks import DayOrColumn, Rules
from holdback.portfolio.reading.column_mapping import ColumnMapping, Form
from holdback.portfolio.reading.frames import Frame, open_frame
from holdback.portfolio.reading.mapped_values import (
    FRACTIONS,
    MINOR,
    in_major_units,
    reader_by,
    unread,
)
from holdback.portfolio.reading.named_columns import (
    CURRENCY,
    DEAL_ID,
    JURISDICTION,
    LEDGER_COLUMNS,
    ON,
    key_columns,
)
from holdback.rulebooks.rulebook import Rulebook
from holdback.rules.types import Fact, Kind, Type

_TEXT: Final = Type(Kind.TEXT, options=("-",))
# Columns other than facts that a mapping names like facts.
KEYS: Final = {
    JURISDICTION: Fact(name=JURISDICTION, type=_TEXT, low=0, high=0),
    ON: Fact(name=ON, type=Type(Kind.DATE), low=1, high=date.max.toordinal()),
    CURRENCY: Fact(name=CURRENCY, type=_TEXT, low=0, high=0),
    DEAL_ID: Fact(name=DEAL_ID, type=_TEXT, low=0, high=0),
}
_NUMBERS: Final = (Kind.PERCENT, Kind.MONEY, Kind.RATIO)
_MOST_DIGITS: Final = 18
_COLLECT: Final = "its values are not in memory: collect it, or read it in parts"


def read(  # noqa: PLR0913  # public; all but the frame have a default
    frame: Any,
    mapping: ColumnMapping | None = None,
    *,
    rules: Rules | None = None,
    jurisdiction: str = JURISDICTION,
    on: DayOrColumn | None = None,
    columns: Mapping[str, str] | None = None,
    percentages: str | None = None,
    money: str | None = None,
    texts: Mapping[str, Mapping[str, str]] | None = None,
    decimal_mark: str | None = None,
    thousands: str | None = None,
    dates: str | None = None,
    forms: Mapping[str, Mapping[str, str]] | None = None,
) -> Any:
    """
    Return *frame* with its columns named and written as facts, as *mapping* describes them.

    What is given by name, as for `ColumnMapping`, takes the place of what *mapping* says. *rules*
    know the facts that jurisdictions declare, and the currency of each row, which amounts in minor
    units need unless there is a column `currency`. *jurisdiction* and *on* are
    what `assess` receives: a mapping speaks of these columns as `jurisdiction` and `on`.

    The result is a frame of the same kind. Columns that are neither facts nor keys are unchanged,
    and so are facts in types that need no reading. Numbers become decimals, in pandas the floats
    that stand for them. Spaces around a text are dropped, and an empty text is missing. A value
    that cannot be read stays, in a column of texts, and `check_frame` reports it. So
    does an amount in minor units in a row without a known currency.

    >>> import polars as pl
    >>> deals = pl.DataFrame({"pct_paid": [0.29, 0.64], "status": ["Active ", "Repaid"]})
    >>> read(deals, columns={"progress": "pct_paid"}, percentages="fractions",
    ...      texts={"status": {"Active": "Funded"}}).rows()
    [(Decimal('29.0000'), 'Funded'), (Decimal('64.0000'), 'Repaid')]

    Raises:
        InvalidDocument: naming everything that is wrong in the mapping, or does not fit the frame.
    """
    given = {
        "columns": columns,
        "percentages": percentages,
        "money": money,
        "texts": texts,
        "decimal_mark": decimal_mark,
        "thousands": thousands,
        "dates": dates,
        "forms": forms,
    }
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    mapping = evolve(mapping or ColumnMapping(), **changes)
    return _read(open_frame(frame), mapping, rules, key_columns(jurisdiction, on))


def _read(
    opened: Frame, mapping: ColumnMapping, rules: Rules | None, keys: Mapping[str, str]
) -> Any:
    """The frame *opened*, read by *mapping*; *keys* has the columns of the keys."""
    facts = facts_to_map(rules)
    sources = source_columns(mapping, opened.collect_schema(), facts, keys)
    errors = mapping_errors(
        mapping, opened.collect_schema(), facts, sources, keys, with_rules=rules is not None
    )
    if errors:
        raise InvalidDocument(errors)
    names = {source: keys.get(name, name) for name, source in sources.items()}
    renamed = {source: name for source, name in names.items() if source != name}
    if isinstance(opened, nw.DataFrame):
        columns_read = _MappedColumns(opened, mapping, facts, sources, rules).read()
        return _with_columns(opened, columns_read, renamed)
    return _lazily(opened, mapping, facts, sources).rename(renamed).to_native()


def facts_to_map(rules: Rules | None) -> Mapping[str, Fact]:
    """
    Return what a column can be mapped to, by name: facts, totals of ledgers and keys.

    The facts that *rules* declare are among them.

    A fact that jurisdictions declare with different kinds of values is left out: a column is read
    as one kind. Only names and kinds are used, so the currency and the range here mean nothing.
    """
    money = Type(Kind.MONEY, currency=Currency.of("GBP"))
    ledger = (Fact(name=name, type=money, low=0, high=0) for name in LEDGER_COLUMNS)
    by_name: dict[str, Fact] = {fact.name: fact for fact in ledger} | KEYS
    mixed = set()
    rulebooks = () if rules is None else (rules,) if isinstance(rules, Rulebook) else rules
    catalogues = [catalogue(Currency.of("GBP"))]
    for item in rulebooks:
        slices = (item,) if isinstance(item, Rulebook) else item.slices
        catalogues += [rulebook.catalogue for rulebook in slices]
    for facts in dict.fromkeys(item.facts for item in catalogues):
        for fact in facts:
            earlier = by_name.setdefault(fact.name, fact)
            if earlier.type.kind is not fact.type.kind:
                mixed.add(fact.name)
    return {name: fact for name, fact in by_name.items() if name not in mixed}


def source_columns(
    mapping: ColumnMapping,
    columns: Collection[str],
    facts: Mapping[str, Fact],
    keys: Mapping[str, str],
) -> Mapping[str, str]:
    """
    Return the column of each fact and key in the frame: a named one, or one of its name.

    *keys* has the columns of the keys that may have another name.
    """
    names = {name: name for name in facts if name not in keys}
    names |= {column: key for key, column in keys.items()}
    sources = dict(mapping.columns)
    taken = set(sources.values())
    sources |= {
        names[column]: column
        for column in columns
        if column in names and names[column] not in sources and column not in taken
    }
    return sources


def unread_counts(
    frame: nw.DataFrame[Any], mapping: ColumnMapping, rules: Rules, keys: Mapping[str, str]
) -> Mapping[str, int]:
    """Return how many values of each column of *frame* cannot be read by *mapping*."""
    facts = facts_to_map(rules)
    sources = source_columns(mapping, frame.columns, facts, keys)
    counts = {}
    for name, source in sources.items():
        fact = facts[name]
        if needs_reading(fact, mapping.form(name), frame.schema[source]):
            counts[name] = _read_all(frame[source].to_list(), reader_by(mapping, fact), fact)[1]
    return counts


@frozen
class _MappedColumns:
    """The columns of a frame in memory that a mapping changes."""

    frame: nw.DataFrame[Any]
    mapping: ColumnMapping
    facts: Mapping[str, Fact]
    sources: Mapping[str, str]
    rules: Rules | None

    def read(self) -> Mapping[str, _Column]:
        """The columns to replace, by their names in the frame."""
        names = [name for name in self.sources if self._is_read(name)]
        minor = [name for name in names if self._is_minor(name)]
        currencies = self._currencies(minor) if minor else []
        return {
            self.sources[name]: self._column(name, currencies if name in minor else None)
            for name in names
        }

    def _is_minor(self, name: str) -> bool:
        is_money = self.facts[name].type.kind is Kind.MONEY
        return is_money and self.mapping.form(name).money == MINOR

    def _is_read(self, name: str) -> bool:
        return needs_reading(
            self.facts[name], self.mapping.form(name), self.frame.schema[self.sources[name]]
        )

    def _column(self, name: str, currencies: Sequence[Currency | None] | None) -> _Column:
        fact = self.facts[name]
        read_value = reader_by(self.mapping, fact)
        values, _ = _read_all(self.frame[self.sources[name]].to_list(), read_value, fact)
        if currencies is not None:
            values = [
                _in_major_units(value, currency)
                for value, currency in zip(values, currencies, strict=True)
            ]
        return _Column(fact.type.kind, values)

    def _currencies(self, minor: Sequence[str]) -> Sequence[Currency | None]:
        """The currency of each row, None where it is not known."""
        if isinstance(self.rules, Rulebook):
            return [self.rules.currency] * len(self.frame)
        if self.rules is not None and JURISDICTION in self.sources:
            rules = self.rules
            by_code = {code: rules[code].currency for code in rules.codes}
            return [by_code.get(code) for code in self._texts(JURISDICTION)]
        if CURRENCY in self.sources:
            by_currency = {code: Currency.of(code) for code in MINOR_UNITS}
            return [by_currency.get(code) for code in self._texts(CURRENCY)]
        hint = "pass the rules as `rules=`, or have a column `currency`"
        if self.rules is not None:
            hint = "say which column has the jurisdictions, or have a column `currency`"
        message = "the decimals of minor units depend on the currency, which is not known"
        raise InvalidDocument(
            [
                ErrorDetail(code="missing", message=message, path=shown_path("$", name), hint=hint)
                for name in minor
            ]
        )

    def _texts(self, name: str) -> Sequence[Any]:
        fact, values = self.facts[name], self.frame[self.sources[name]].to_list()
        return _read_all(values, reader_by(self.mapping, fact), fact)[0]


def needs_reading(fact: Fact, form: Form, dtype: Any) -> bool:
    """Return whether a column of *dtype* has to be read to have the values of *fact*."""
    if isinstance(dtype, nw.String | nw.Categorical | nw.Enum | nw.Object | nw.Unknown):
        return True
    kind = fact.type.kind
    if kind is Kind.PERCENT:
        return form.percentages == FRACTIONS and dtype.is_numeric()
    if kind is Kind.MONEY:
        return form.money == MINOR and dtype.is_numeric()
    return bool(dtype.is_numeric()) if kind is Kind.FLAG or kind is Kind.DATE else False


def _read_all(values: Sequence[Any], read_value: Any, fact: Fact) -> tuple[list[Any], int]:
    """The *values* read, each distinct one once, and how many could not be read."""
    results_by_value: dict[tuple[type, Any], Any] = {}
    results, count = [], 0
    for value in values:
        key = (type(value), value)
        try:
            result = results_by_value[key]
        except KeyError:
            result = results_by_value[key] = _read_one(value, read_value, fact)
        except TypeError:  # a list or a dictionary has no hash
            result = _Unread(unread(value, fact.type.kind))
        if type(result) is _Unread:
            result = result.text
            count += 1
        results.append(result)
    return results, count


@frozen
class _Unread:
    """A value that could not be read, as text."""

    text: str


def _read_one(value: Any, read_value: Any, fact: Fact) -> Any:
    try:
        return read_value(value)
    except (InvalidValue, ValueError, ArithmeticError):
        return _Unread(unread(value, fact.type.kind))


def _in_major_units(value: Any, currency: Currency | None) -> Any:
    if not isinstance(value, Decimal):
        return value
    return unread(value, Kind.MONEY) if currency is None else in_major_units(value, currency)


@frozen
class _Column:
    """Values of one kind, or their texts if some could not be read."""

    kind: Kind
    values: list[Any]

    @property
    def is_text(self) -> bool:
        """Whether some of the values are texts."""
        return any(isinstance(value, str) for value in self.values)

    def series(self, name: str, backend: Any) -> Any:
        """The column as a narwhals series with a type that does not depend on the values."""
        return nw.new_series(name, self._plain(), self._dtype(), backend=backend)

    def _plain(self) -> list[Any]:
        if not self.is_text:
            return self.values
        return [None if value is None else _cell_text(value) for value in self.values]

    def _dtype(self) -> Any:
        if self.is_text or self.kind is Kind.TEXT:
            return nw.String()
        if self.kind in _NUMBERS:
            numbers = [value for value in self.values if value is not None]
            places = max((-value.as_tuple().exponent for value in numbers), default=0)
            digits = max((value.adjusted() for value in numbers), default=0) + 1 + places
            return nw.Decimal(_MOST_DIGITS if digits <= _MOST_DIGITS else 38, places)
        if self.kind is Kind.FLAG:
            return nw.Boolean()
        return nw.Date() if self.kind is Kind.DATE else nw.Int64()

    def pandas_array(self, pandas: Any) -> Any:
        """The column as an array of pandas, in the types that people use there."""
        values = self._plain()
        if self.is_text or self.kind is Kind.TEXT:
            return pandas.array(values, dtype=object)
        if self.kind in _NUMBERS:
            floats = [None if value is None else float(value) for value in values]
            return pandas.array(floats, dtype="float64")
        if self.kind is Kind.DATE:
            return pandas.array(values, dtype="datetime64[s]")
        return pandas.array(values, dtype="boolean" if self.kind is Kind.FLAG else "Int64")


def _cell_text(value: Any) -> str:
    """A value that was read, as a text of its column."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _with_columns(
    frame: nw.DataFrame[Any], columns: Mapping[str, _Column], renamed: Mapping[str, str]
) -> Any:
    """The user's own frame with *columns* replaced, and some *renamed*."""
    if frame.implementation.is_pandas_like():
        native, pandas = frame.to_native(), nw.get_native_namespace(frame)
        read = native.copy(deep=False)
        for name, column in columns.items():  # `assign` takes no column called `self`
            read[name] = column.pandas_array(pandas)
        return read.rename(columns=dict(renamed))
    series = [column.series(name, frame.implementation) for name, column in columns.items()]
    return frame.with_columns(*series).rename(dict(renamed)).to_native()


def _lazily(
    frame: Frame, mapping: ColumnMapping, facts: Mapping[str, Fact], sources: Mapping[str, str]
) -> Any:
    """A lazy *frame* with its texts mapped; it can have no values that need to be read."""
    schema = frame.collect_schema()
    changed, errors = {}, []
    for name, source in sources.items():
        if not needs_reading(facts[name], mapping.form(name), schema[source]):
            continue
        if facts[name].type.kind is Kind.TEXT:
            changed[source] = _mapped_text(source, mapping.texts.get(name, {}))
        else:
            path = shown_path("$", source)
            message = f"a mapping does not read `{name}` in a lazy frame"
            errors.append(ErrorDetail(code="wrong_type", message=message, path=path, hint=_COLLECT))
    if errors:
        raise InvalidDocument(errors)
    return frame.with_columns(**changed) if changed else frame


def _mapped_text(source: str, texts: Mapping[str, str]) -> Any:
    text = nw.col(source).cast(nw.String()).str.strip_chars()
    chosen: Any = nw.when(text != "").then(text)  # an empty text is missing
    for written, meaning in texts.items():
        chosen = nw.when(text == written).then(nw.lit(meaning)).otherwise(chosen)
    return chosen


_WITH_TEXTS: Final = (Kind.TEXT, Kind.FLAG)


def mapping_errors(  # noqa: PLR0913  # what a mapping speaks of has five parts
    mapping: ColumnMapping,
    columns: Collection[str],
    facts: Mapping[str, Fact],
    sources: Collection[str],
    keys: Mapping[str, str],
    *,
    with_rules: bool,
) -> Sequence[ErrorDetail]:
    """
    Return what *mapping* says that does not fit the *columns* of a frame or the *facts*.

    *sources* are the facts and keys that have a column, and *keys* the columns of keys.
    """
    return [
        *_unknown_facts(mapping, facts, with_rules=with_rules),
        *_missing_columns(mapping, columns, keys),
        *_without_column(mapping, facts, sources),
    ]


def _unknown_facts(
    mapping: ColumnMapping, facts: Mapping[str, Fact], *, with_rules: bool
) -> Iterator[ErrorDetail]:
    """What *mapping* says that does not fit the *facts*."""
    for table in ("columns", "texts", "forms"):
        for name in getattr(mapping, table):
            if name not in facts:
                hint = did_you_mean(name, facts) or f"the facts are {listed(facts, name)}"
                if not with_rules:
                    hint += "; facts that a jurisdiction declares are known with `rules=`"
                path = shown_path(f"$.{table}", name)
                yield ErrorDetail(code="unknown_name", message="unknown fact", path=path, hint=hint)
            elif table == "texts" and not _has_texts(facts[name]):
                kind = facts[name].type.kind.value
                yield ErrorDetail(
                    code="not_allowed",
                    message=f"`{name}` holds {kind}",
                    path=shown_path("$.texts", name),
                    hint="say in `forms` how its values are written",
                )


def _has_texts(fact: Fact) -> bool:
    return fact.type.kind in _WITH_TEXTS


def _missing_columns(
    mapping: ColumnMapping, columns: Collection[str], keys: Mapping[str, str]
) -> Iterator[ErrorDetail]:
    """The columns that *mapping* names and that are not among *columns*, or are there twice."""
    for name, source in mapping.columns.items():
        own = keys.get(name, name)
        path = shown_path("$.columns", name)
        if source not in columns:
            hint = did_you_mean(source, columns) or f"the columns are {listed(columns, source)}"
            message = f"there is no column `{source}`"
            yield ErrorDetail(code="missing", message=message, path=path, hint=hint)
        elif own not in {name, source}:
            message = f"the column for `{name}` is `{source}` here, and `{own}` where it is given"
            hint = "leave out one of the two"
            yield ErrorDetail(code="duplicate", message=message, path=path, hint=hint)
        elif own != source and own in columns and own not in mapping.columns.values():
            message = f"there is also a column `{own}`"
            hint = "drop or rename it, or leave this line out"
            yield ErrorDetail(code="duplicate", message=message, path=path, hint=hint)


def _without_column(
    mapping: ColumnMapping, facts: Mapping[str, Fact], sources: Collection[str]
) -> Iterator[ErrorDetail]:
    """What *mapping* says of the values of *facts* that no column holds."""
    for table in ("texts", "forms"):
        for name in getattr(mapping, table):
            is_wrong = table == "texts" and name in facts and not _has_texts(facts[name])
            is_wrong |= table == "texts" and name == CURRENCY  # signs beside amounts
            if name in facts and name not in {*sources, *mapping.columns} and not is_wrong:
                message = f"there is no column `{name}`"
                hint = "say under `columns` which column holds it, or leave this out"
                path = shown_path(f"$.{table}", name)
                yield ErrorDetail(code="missing", message=message, path=path, hint=hint)
