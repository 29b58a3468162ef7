"""
A hundred files as people have them: each is read right, or refused with the cure.

None is read wrong in silence. The list is `files.toml`.
"""

from __future__ import annotations

import json
import tomllib
import warnings
from datetime import date
from functools import cache
from itertools import zip_longest
from pathlib import Path
from xml.etree.ElementTree import ParseError
from zipfile import BadZipFile

import narwhals.stable.v2 as nw
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from click.testing import CliRunner
from true_table import ROWS, Table, true_answers, true_table
from writing import STEPS, write

from holdback import Jurisdictions, load_jurisdictions
from holdback.cli import portfolio
from holdback.cli.commands import holdback
from holdback.errors import InvalidDocument
from holdback.portfolio import ColumnMapping, SuspectColumns, assess, findings, read

FILES = tomllib.loads((Path(__file__).parent / "files.toml").read_text(encoding="utf-8"))["files"]
MISUSE, FINDINGS = 2, 1


def changed(table, steps) -> Table:
    for name, *values in steps:
        table = STEPS[name](table, *values)
    return table


def run(entry, folder):
    """The command on the file of *entry*: its exit code, its output, and the deals written."""
    table = changed(true_table(entry.get("truth", "AU")), entry.get("steps", ()))
    arguments = ["portfolio", str(write(entry, table, folder)), "--format", "json"]
    arguments += entry.get("arguments", ())
    if "columns" in entry or entry.get("suggested"):
        mapping = folder / "map.toml"
        text = entry.get("columns") or _suggested(arguments)
        mapping.write_text(text, encoding="utf-8")
        arguments += ["--columns", str(mapping)]
    output = folder / "assessed.csv"
    result = CliRunner().invoke(holdback, [*arguments, "--output", str(output)])
    assert not result.exception or isinstance(result.exception, SystemExit), result.exc_info
    return result, output


def _suggested(arguments) -> str:
    """The mapping that the command suggests."""
    result = CliRunner().invoke(holdback, [*arguments, "--suggest"])
    assert result.exit_code == 0, result.output
    return result.stdout


def rows_of(entry, table) -> set[int]:
    """The numbers of the rows that are refused, from 1."""
    rows = entry.get("rows", [])
    if rows == "missing":
        return {number for number, row in enumerate(table.rows, 1) if misses_a_fact(table, row)}
    return set(rows)


def misses_a_fact(table, row) -> bool:
    """Whether *row* has no value of a fact that a rule of its jurisdiction reads on its day."""
    cells = dict(zip(table.heads, row, strict=True))
    rulebook = _shipped().resolve(cells["jurisdiction"], on=date.fromisoformat(cells["on"]))
    read_by_rules = {name for rule in rulebook.renewal.rules for name in rule.checked.names}
    return any(cells.get(name) == "" for name in read_by_rules | {"progress"})


@pytest.fixture(autouse=True)
def _rules_read_once(monkeypatch):
    """The jurisdictions that ship, read once for all files."""
    monkeypatch.setattr(portfolio, "load_all", lambda _: _shipped())


@cache
def _shipped():
    return load_jurisdictions()


@pytest.mark.parametrize("entry", FILES, ids=[entry["name"] for entry in FILES])
def test_a_messy_file_is_read_right_or_refused_with_the_cure(entry, tmp_path):
    """
    Each is read right or refused with the cure; none read wrong in silence.
    """
    code = entry.get("truth", "AU")
    result, output = run(entry, tmp_path)
    shown = result.output

    for text in entry.get("says", ()):
        assert text in shown
    if entry["expect"] == "refused":
        assert result.exit_code == entry.get("exit", FINDINGS), shown
        assert not output.exists()
        assert result.stdout == ""
        return
    assert result.exit_code == 0, shown
    told = json.loads(result.stdout)
    table = changed(true_table(code), entry.get("steps_of_truth", ()))
    assert told["deals"] == len(table.rows)
    if not table.rows:
        return
    found = pl.read_csv(output, infer_schema=False).select("outcome", "codes", "needs").rows()
    found = [tuple(value or "" for value in row) for row in found]
    truth = [row[1:] for row in true_answers(code).rows()]
    other = rows_of(entry, true_table(code))
    outcomes = {"rows refused": "invalid", "rows unknown": "undetermined"}
    for number, (row, true) in enumerate(zip(found, truth, strict=False), 1):
        if number in other:
            assert row[0] == outcomes[entry["expect"]], number
        else:
            assert row == true, number
    assert len(other) == 0 or told["findings"]


def opened(entry, file):
    """The file of *entry* as somebody opens it in pandas."""
    if file.suffix == ".xlsx":
        return in_polars(pd.read_excel(file))
    if file.suffix == ".parquet":
        return in_polars(pd.read_parquet(file))
    encoding = entry.get("encoding", "utf-8-sig")
    heads = file.read_bytes()[:8]
    written = {b"deal_id;": ";", b"deal_id|": "|"}
    separator = entry.get("separator") or written.get(heads, ";" if b";" in heads else ",")
    return in_polars(pd.read_csv(file, sep=separator, encoding=encoding))


def in_polars(frame):
    """What pandas made of a file, in Polars, where hundreds of small frames take seconds."""
    try:
        return pl.from_pandas(frame)
    except (pa.ArrowInvalid, pa.ArrowTypeError):  # objects of several types
        return frame


@pytest.mark.parametrize("entry", FILES, ids=[entry["name"] for entry in FILES])
def test_no_messy_file_is_read_wrong_in_silence_in_pandas(entry, tmp_path):
    """
    None read wrong in silence: opened in pandas, each is right, or a finding or an error says so.
    """
    code = entry.get("truth", "AU")
    table = changed(true_table(code), entry.get("steps", ()))
    file = write(entry, table, tmp_path)
    try:
        frame = opened(entry, file)
    except (ValueError, pd.errors.ParserError, pd.errors.EmptyDataError, BadZipFile, ParseError):
        return  # pandas refuses it
    rules = Jurisdictions([_shipped()[code]])
    try:
        mapping = ColumnMapping.from_toml(entry.get("columns", ""))
        deals = read(frame, mapping, rules=rules)
        found = findings(deals, rules, mapping=mapping)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SuspectColumns)
            assessed = assess(deals, rules, readable=True)
    except InvalidDocument:
        return
    rows = nw.from_native(assessed).select("outcome", "codes", "needs").rows()
    answers = [[value or "" for value in row] for row in rows]
    truth = [[value or "" for value in row[1:]] for row in true_answers(code).rows()]
    if entry.get("lost_in_pandas"):  # a missing value makes no deal eligible
        for answer, true in zip_longest(answers, truth):
            assert answer == true or answer[0] == "undetermined"
    else:
        assert len(found) or answers == truth[: len(answers)] or not answers


def test_the_list_is_long_and_no_name_is_used_twice():
    """
    A hundred messy files.
    """
    names = [entry["name"] for entry in FILES]
    assert len(names) >= 100
    assert len(set(names)) == len(names)
    assert len(true_table("AU").rows) == len(true_table("JP").rows) == ROWS
