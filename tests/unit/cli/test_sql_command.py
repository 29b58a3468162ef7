"""`holdback sql`: the rules as a query, which the database answers as `assess` does."""

from __future__ import annotations

import sys
from datetime import date

import duckdb
import pytest
from invocation import invoke

from holdback import Jurisdictions, load_jurisdictions, portfolio
from holdback.rules.sql import DIALECTS, TRANSLATED

SHIPPED = load_jurisdictions()
DAY = date(2026, 7, 1)
GB = SHIPPED.resolve("GB", on=DAY)
DEALS = portfolio.sample(300, seed=5, backend="polars")


def printed(*arguments, code=0):
    """What `holdback sql` prints; it exits with *code*."""
    ran = invoke("sql", *arguments)
    assert ran.exit_code == code, ran.output
    return ran.output


@pytest.mark.parametrize("dialect", [*DIALECTS, *TRANSLATED])
def test_a_rulebook_on_a_day(dialect):
    """
    One jurisdiction on a day is one rulebook for all rows.
    """
    query = printed("GB", "--on", "2026-07-01", "--dialect", dialect)
    assert query == portfolio.sql(GB, dialect)


@pytest.mark.parametrize(
    ("arguments", "rules", "options"),
    [
        (("--on", "on"), SHIPPED, {"on": "on"}),
        (("--on", "2026-07-01"), SHIPPED, {"on": DAY}),
        (
            ("GB", "IE", "--on", "as_of", "--jurisdiction", "country"),
            Jurisdictions([SHIPPED["GB"], SHIPPED["IE"]]),
            {"on": "as_of", "jurisdiction": "country"},
        ),
        (
            ("GB", "--on", "2026-07-01", "--jurisdiction", "country"),
            Jurisdictions([SHIPPED["GB"]]),
            {"on": DAY, "jurisdiction": "country"},
        ),
        (
            (
                "GB",
                "--on",
                "2026-07-01",
                "--prepared",
                "--invalid",
                "mask",
                "--table",
                "lending.deals",
            ),
            GB,
            {"prepared": True, "invalid": "mask", "table": "lending.deals"},
        ),
    ],
    ids=["all", "all on a day", "several", "its own rows", "prepared"],
)
def test_the_options_are_those_of_the_function(arguments, rules, options):
    """
    Without a jurisdiction, all of them; a row has the rules that its columns name.
    """
    assert printed(*arguments, "--dialect", "duckdb") == portfolio.sql(rules, "duckdb", **options)


def test_a_database_runs_what_is_printed():
    """
    The query gives all columns of the table and each deal's outcome.
    """
    query = printed("--on", "on", "--dialect", "duckdb", "--readable")
    with duckdb.connect() as database:
        database.register("deals", DEALS.to_arrow())
        found = database.sql(query).pl()
    assert found.equals(portfolio.assess(DEALS, SHIPPED, readable=True))


def test_jurisdictions_of_another_folder(folder):
    """
    `--jurisdictions` reads another folder than the one that ships.
    """
    query = printed("NL", "--on", "2026-07-01", "--dialect", "sqlite", "--jurisdictions", folder)
    rulebook = load_jurisdictions(folder).resolve("NL", on=DAY)
    assert query == portfolio.sql(rulebook, "sqlite")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("GB", "--on", "2026-07-01", "--dialect", "mysql"), "'mysql' is not one of 'duckdb'"),
        (("GB", "--on", "1999-01-01", "--dialect", "duckdb"), "no rules before 2024-01-01"),
        (("GB", "IE", "--on", "1999-01-01", "--dialect", "duckdb"), "none has rules on 1999-01-01"),
        (("UK", "--on", "2026-07-01", "--dialect", "duckdb"), "unknown jurisdiction `UK`"),
        (("GB", "--dialect", "duckdb"), "Missing option '--on'"),
        (("GB", "--on", "2026-07-01"), "Missing option '--dialect'"),
        (
            ("GB", "--on", "2026-07-01", "--dialect", "duckdb", "--invalid", "mask"),
            "--invalid is for columns that are --prepared",
        ),
    ],
)
def test_a_mistake_is_explained(arguments, message):
    """
    What is wrong, and what was expected; never a stack trace.
    """
    assert message in printed(*arguments, code=2)


def test_sqlglot_that_is_not_installed(monkeypatch):
    """
    Another dialect says what to install; the tested ones need nothing more.
    """
    monkeypatch.setitem(sys.modules, "sqlglot", None)
    printed("GB", "--on", "2026-07-01", "--dialect", "spark")
    message = printed("GB", "--on", "2026-07-01", "--dialect", "snowflake", code=1)
    assert "pip install 'holdback[sql]'" in message
