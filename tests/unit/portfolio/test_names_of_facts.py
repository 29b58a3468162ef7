"""Facts with the names that the work frame uses for its own columns."""

from __future__ import annotations

from datetime import date

import polars as pl
import pytest

from holdback.portfolio import assess, summarise
from small_folders import country, loaded, rule

FACT = '[facts.{name}]\ntype = "count"\nminimum = 0\nmaximum = 9\ndescription = "A count."\n'


def of_two_countries(name):
    """Return two jurisdictions that declare the count *name* and refuse more than 3."""
    folders = {}
    for code in ("NL", "BE"):
        files = country(code, more=FACT.format(name=name))
        files["renewal.toml"] += "\n" + rule("few", f"{code}-R-03", f"{name} <= 3")
        folders[code] = files
    return loaded(**folders)


@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize(
    "name", ["rulebook", "unreadable", "declining", "referring", "missing", "deals", "row"]
)
def test_a_fact_may_have_the_name_of_a_column_of_the_work_frame(name, lazy):
    """
    The outcomes are those of the rules, and the balances are added up, under any name of a fact.
    """
    rows = {"jurisdiction": ["NL", "BE", "BE"], name: [1, 1, 8], "progress": [64, 64, 64]}
    same = {"performance": 97, "missed_remittances_30d": 0, "balance": 100}
    frame = pl.DataFrame(rows).with_columns(
        pl.lit(date(2026, 2, 1)).alias("on"), **{key: pl.lit(value) for key, value in same.items()}
    )
    frame = frame.lazy() if lazy else frame
    jurisdictions = of_two_countries(name)
    outcomes = assess(frame, jurisdictions, readable=True).lazy().collect()
    summary = summarise(frame, jurisdictions)

    assert outcomes["outcome"].to_list() == ["eligible", "eligible", "ineligible"]
    assert outcomes["codes"].to_list() == ["", "", "BE-R-03"]
    assert [line.balance for line in summary.outcomes] == ["EUR 100.00"] * 3
