"""One portfolio script on every engine: a single line differs, and the output is the same."""

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


@pytest.mark.parametrize("engine", [name for name in first_lines() if name != ELSEWHERE])
def test_the_script_prints_the_same(folder, monkeypatch, engine):
    """
    The script of the page prints the same on every engine.
    """
    monkeypatch.chdir(folder)
    _, shown = script()

    assert printed(engine) == shown


@pytest.mark.parametrize("engine", [name for name in first_lines() if name != "pandas"])
def test_one_line_differs(engine):
    """
    Two engines differ in one line of the script.
    """
    source, _ = script()
    changes = difflib.ndiff(source.splitlines(), variant(engine).splitlines())
    changes = [line for line in changes if line.startswith(("-", "+"))]

    assert [line[0] for line in changes] == ["-", "+"]


def test_the_engines_are_there():
    """
    The page shows pandas, DuckDB and PySpark.
    """
    assert {"pandas", "DuckDB", ELSEWHERE} <= first_lines().keys()
