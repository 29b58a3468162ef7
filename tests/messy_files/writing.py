"""The ways in which people's files are written: each step changes the true table, by its name."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path
from zipfile import ZipFile

import duckdb
import openpyxl
import pandas as pd
import polars as pl
from attrs import evolve
from true_table import AMOUNTS, DATES, PERCENTAGES, WHOLE, Table

STEPS: dict[str, Callable[..., Table]] = {}


def step(function):
    STEPS[function.__name__.replace("_", " ")] = function
    return function


def _each(table, heads, change):
    for head in heads:
        if head in table.heads:
            table = table.each(head, change)
    return table


def _plain(number: Decimal) -> str:
    return f"{number.normalize():f}"


# -- how numbers are written


@step
def fractions(table, *heads):
    """64.5% as 0.645."""
    return _each(table, heads or PERCENTAGES, lambda text: _plain(Decimal(text) / 100))


@step
def minor_units(table):
    """Cents, without a point."""
    return _each(table, AMOUNTS, lambda text: str(int(Decimal(text) * 100)))


@step
def whole_amounts(table):
    """Without decimals, of a currency that has none."""
    return _each(table, AMOUNTS, lambda text: text.removesuffix(".00"))


@step
def decimal_commas(table):
    return _each(table, (*PERCENTAGES, *AMOUNTS), lambda text: text.replace(".", ","))


@step
def thousands(table, between):
    """A sign between thousands, and the decimals unchanged."""

    def grouped(text):
        whole, point, decimals = text.partition(".")
        return f"{int(whole):,}".replace(",", between) + point + decimals

    return _each(table, AMOUNTS, grouped)


@step
def lakhs(table):
    """12,34,567.89 as in India."""

    def grouped(text):
        whole, point, decimals = text.partition(".")
        thousands, rest = whole[:-3], whole[-3:]
        pairs = [thousands[max(0, end - 2) : end] for end in range(len(thousands), 0, -2)]
        return ",".join([*reversed(pairs), rest]) + point + decimals

    return _each(table, AMOUNTS, grouped)


@step
def thousands_and_commas(table, between):
    """1.234,56 as in Germany."""

    def grouped(text):
        whole, _, decimals = text.partition(".")
        return f"{int(whole):,}".replace(",", between) + f",{decimals}"

    return commas_in_percentages(_each(table, AMOUNTS, grouped))


@step
def german_amounts(table):
    """1.234,56, and percentages with points."""
    marks = str.maketrans(",.", ".,")
    return _each(table, AMOUNTS, lambda text: f"{Decimal(text):,}".translate(marks))


@step
def commas_in_percentages(table):
    return _each(table, PERCENTAGES, lambda text: text.replace(".", ","))


@step
def percent_signs(table, sign="%"):
    return _each(table, PERCENTAGES, lambda text: text + sign)


@step
def before_amounts(table, sign):
    return _each(table, AMOUNTS, lambda text: sign + text)


@step
def after_amounts(table, sign):
    return _each(table, AMOUNTS, lambda text: text + sign)


@step
def whole_numbers_as_floats(table):
    return _each(table, WHOLE, lambda text: f"{text}.0")


@step
def with_days(table):
    return _each(table, ["days_since_funding"], lambda text: f"{text} days")


@step
def as_floats(table):
    """As Python writes the nearest float."""
    return _each(table, (*PERCENTAGES, *AMOUNTS), lambda text: repr(float(text)))


@step
def exponents(table):
    return _each(table, AMOUNTS, lambda text: f"{Decimal(text):E}")


@step
def leading_zeros_left_out(table):
    return _each(table, AMOUNTS, lambda text: text.removeprefix("0") or "0")


# -- texts, days and flags


@step
def text(table, head, before, after):
    return table.each(head, lambda value: after if value == before else value)


@step
def text_of_each(table, head, text):
    return table.each(head, lambda _: text)


@step
def case(table, head, way):
    return table.each(head, lambda value: getattr(value, way)())


@step
def spaces(table):
    """Spaces around every value, as in files of fixed width."""
    return _each(table, table.heads[1:], lambda value: f"  {value} ")


@step
def no_break_spaces(table):
    return _each(table, ["status", "deal_type"], lambda value: f"\u00a0{value}\u00a0")


@step
def days(table, form):
    return _each(table, DATES, lambda value: date.fromisoformat(value).strftime(form))


@step
def days_of_on(table):
    """The day of the assessment in its old form."""
    return table.each("on", lambda value: "-".join(reversed(value.split("/"))))


@step
def midnights(table, after):
    return _each(table, DATES, lambda value: value + after)


@step
def flags(table, true, false):
    heads = ("register_entry_active", "paused")
    return _each(table, heads, lambda value: true if value == "true" else false)


@step
def missing(table, text):
    """Every empty value as *text*."""
    rows = tuple(tuple(value or text for value in row) for row in table.rows)
    return evolve(table, rows=rows)


@step
def cell(table, number, head, value):
    return table.cell(number, head, value)


# -- heads, columns and rows


@step
def rename(table, before, after):
    heads = tuple(after if head == before else head for head in table.heads)
    assert heads != table.heads
    return evolve(table, heads=heads)


@step
def change_heads(table, way):
    heads = {
        "capitals": lambda head: head.upper(),
        "titles": lambda head: head.replace("_", " ").capitalize(),
        "spaces": lambda head: f" {head} ",
    }
    return evolve(table, heads=tuple(map(heads[way], table.heads)))


@step
def drop(table, head):
    place = table.heads.index(head)
    rows = tuple((*row[:place], *row[place + 1 :]) for row in table.rows)
    return Table((*table.heads[:place], *table.heads[place + 1 :]), rows)


@step
def add(table, head, value):
    return Table((*table.heads, head), tuple((*row, value) for row in table.rows))


@step
def copy_column(table, head, name):
    place = table.heads.index(head)
    return Table((*table.heads, name), tuple((*row, row[place]) for row in table.rows))


@step
def index(table, head):
    """The number of each row first, as pandas writes its index."""
    rows = tuple((str(number), *row) for number, row in enumerate(table.rows))
    return Table((head, *table.heads), rows)


@step
def reverse_columns(table):
    return Table(table.heads[::-1], tuple(row[::-1] for row in table.rows))


@step
def no_rows(table):
    return evolve(table, rows=())


@step
def one_row(table):
    return evolve(table, rows=table.rows[:1])


@step
def empty_rows(table, count):
    return evolve(table, rows=(*table.rows, *[("",) * len(table.heads)] * count))


@step
def total_row(table, word):
    total = str(sum(Decimal(value or 0) for value in table.column("balance")))
    place = table.heads.index("balance")
    row = [word, *[""] * (len(table.heads) - 1)]
    row[place] = total
    return evolve(table, rows=(*table.rows, tuple(row)))


@step
def row_of_heads(table, *values):
    """A second row of heads: the same again, or *values*, repeated."""
    row = tuple((values * len(table.heads))[: len(table.heads)]) if values else table.heads
    return evolve(table, rows=(row, *table.rows))


@step
def every(table, number, name):
    """The step *name* in every row of that *number*."""
    changed = STEPS[name](table)
    pairs = enumerate(zip(table.rows, changed.rows, strict=True))
    rows = (after if place % number == 0 else before for place, (before, after) in pairs)
    return evolve(table, rows=tuple(rows))


@step
def as_percentages(table):
    """0.645 as 64.5."""
    return _each(table, PERCENTAGES, lambda text: _plain(Decimal(text) * 100))


@step
def first_rows_again(table, count):
    return evolve(table, rows=(*table.rows, *table.rows[:count]))


# -- files


def write(entry, table: Table, folder: Path) -> Path:
    """Write *table* as *entry* says and return the file."""
    file = folder / entry.get("file", "deals.csv")
    WRITERS[entry.get("writer", "text")](entry, table, file)
    return file


def _text_file(entry, table, file):
    separator = entry.get("separator", ",")
    quoting = csv.QUOTE_ALL if entry.get("quotes") else csv.QUOTE_MINIMAL
    buffer = io.StringIO()
    writer = csv.writer(
        buffer, delimiter=separator, lineterminator=entry.get("newline", "\n"), quoting=quoting
    )
    if table.heads:
        writer.writerow(table.heads)
    if table.heads and entry.get("bare"):
        lines = [separator.join(row) for row in table.rows]
        buffer.write("".join(f"{line}\n" for line in lines))
    else:
        writer.writerows(table.rows)
    content = entry.get("before", "") + buffer.getvalue() + entry.get("after", "")
    for before, after in entry.get("replace", ()):
        assert before in content
        content = content.replace(before, after, 1)
    encoded = content.encode(entry.get("encoding", "utf-8"))
    if file.suffix == ".gz":
        encoded = gzip.compress(encoded)
    file.write_bytes(encoded if not entry.get("empty") else b"")


def typed(table: Table) -> pl.DataFrame:
    """The table in the types that people have: floats, whole numbers, days, Booleans."""
    frame = pl.DataFrame(table.rows, schema=list(table.heads), orient="row", infer_schema_length=1)
    frame = frame.with_columns(pl.when(pl.col(pl.String) != "").then(pl.col(pl.String)).name.keep())
    casts = [
        *(pl.col(head).cast(pl.Float64) for head in (*PERCENTAGES, *AMOUNTS)),
        *(pl.col(head).cast(pl.Int64) for head in WHOLE if head in frame.columns),
        *(pl.col(head).str.to_date() for head in DATES if head in frame.columns),
        *(pl.col(head) == "true" for head in ("register_entry_active", "paused")),
    ]
    return frame.with_columns(*(each for each in casts if each.meta.output_name() in frame.columns))


def pandas_frame(table: Table) -> pd.DataFrame:
    """The same in pandas, where a missing value turns whole numbers into floats."""
    columns = {name: values.to_list() for name, values in typed(table).to_dict().items()}
    frame = pd.DataFrame(columns)
    for head in DATES:
        if head in frame:
            frame[head] = pd.to_datetime(frame[head])
    return frame


def _pandas(entry, table, file):
    options = entry.get("options", {})
    writer = pandas_frame(table)
    (writer.to_excel if file.suffix == ".xlsx" else writer.to_csv)(file, **options)


def _polars(entry, table, file):
    frame = typed(table)
    if file.suffix == ".parquet":
        frame.write_parquet(file)
    else:
        frame.write_csv(file, **entry.get("options", {}))


def _duckdb(entry, table, file):
    frame = typed(table)
    options = entry.get("options", "HEADER")
    connection = duckdb.connect()
    connection.register("frame", frame.to_arrow())
    connection.execute(f"COPY frame TO '{file}' ({options})")


def _excel(entry, table, file):
    """Typed cells; those of percentages as fractions that are shown as percentages, if asked."""
    book = openpyxl.Workbook()
    sheet = book.active
    for row in entry.get("rows_before", ()):
        sheet.append(row)
    sheet.append(list(table.heads))
    forms = entry.get("forms", {})
    for row in table.rows:
        sheet.append(
            [_excel_value(head, value) for head, value in zip(table.heads, row, strict=True)]
        )
        for place, head in enumerate(table.heads, start=1):
            if head in forms:
                sheet.cell(sheet.max_row, place).number_format = forms[head]
    for address, value in entry.get("cells", {}).items():
        sheet[address] = value
    for name in entry.get("more_sheets", ()):
        other = book.create_sheet(name)
        other.append(
            list(table.heads) if entry.get("same_heads") else [entry.get("note", "a note")]
        )
        other.append([*table.rows[0]])
        if entry.get("reversed_heads"):
            for cells in list(other.iter_rows()):
                for cell, value in zip(
                    cells, [cell.value for cell in reversed(cells)], strict=True
                ):
                    cell.value = value
    book.save(file)
    for before, after in entry.get("in_sheet", ()):
        _change_part(file, "xl/worksheets/sheet1.xml", before, after)


def _change_part(file, name, before, after):
    """Write *after* for *before* in the part *name* of an Excel file, as openpyxl cannot."""
    with ZipFile(file) as archive:
        parts = {part: archive.read(part) for part in archive.namelist()}
    changed = parts[name].replace(before.encode(), after.encode())
    assert changed != parts[name]
    with ZipFile(file, "w") as archive:
        for part, content in {**parts, name: changed}.items():
            archive.writestr(part, content)


def _excel_value(head, value):
    if not value:
        return None
    if head in (*PERCENTAGES, *AMOUNTS):
        try:
            return float(value)
        except ValueError:
            return value
    if head in WHOLE and value.isdigit():
        return int(value)
    if head in DATES:
        return date.fromisoformat(value) if value[4] == "-" else value
    return value == "true" if value in ("true", "false") else value


def _excel_texts(entry, table, file):
    book = openpyxl.Workbook()
    for row in (table.heads, *table.rows):
        book.active.append([value or None for value in row])
    book.save(file)


WRITERS = {
    "text": _text_file,
    "pandas": _pandas,
    "polars": _polars,
    "duckdb": _duckdb,
    "excel": _excel,
    "excel texts": _excel_texts,
}
