"""The same script on every engine: one line differs, and nothing that it prints."""

from __future__ import annotations

import difflib

import pytest

from portfolio_script import first_lines, make_files, printed, script, variant

# PySpark needs Java and an environment of its own: `tests/parity/test_spark_script.py`.
ELSEWHERE = "PySpark"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("portfolio")
    make_files(made)
    return made


@pytest.mark.parametrize("engine", [each for each in first_lines() if each != ELSEWHERE])
def test_the_script_prints_the_same(folder, monkeypatch, engine):
    """
    "The same script runs on pandas, DuckDB and PySpark with one line changed, shown in the docs and run in CI."
    """
    monkeypatch.chdir(folder)
    _, shown = script()

    assert printed(engine) == shown


@pytest.mark.parametrize("engine", [each for each in first_lines() if each != "pandas"])
def test_one_line_differs(engine):
    """
    "with one line changed"
    """
    source, _ = script()
    changes = difflib.ndiff(source.splitlines(), variant(engine).splitlines())
    changes = [each for each in changes if each.startswith(("-", "+"))]

    assert [each[0] for each in changes] == ["-", "+"]


def test_the_engines_are_there():
    """
    "pandas, DuckDB and PySpark"
    """
    assert {"pandas", "DuckDB", ELSEWHERE} <= first_lines().keys()
