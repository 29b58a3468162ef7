"""What `holdback check` finds among the rows of a table."""

from __future__ import annotations

import json

import pytest

from holdback.tools.lint import table_gaps
from holdback.tools.lint.lint import findings
from holdback.tools.lint.table_gaps import table_findings
from small_folders import child, loaded, parameter, read
from small_tables import ROWS, land, table

COLUMNS = ["row", "missed_remittances_30d", "paused", "answer"]


def found(*rows, more="", columns=COLUMNS):
    """The messages about a table with these rows."""
    files = land(table([list(row) for row in rows], columns, reason='"No."'), more)
    return [error.message for error in table_findings(read(files, "NL"))]


def test_a_table_that_takes_every_deal_once_has_no_finding():
    assert list(table_findings(read(land(table()), "NL"))) == []
    assert found(("few", "<= 3", "-", "pass"), ("many", "> 3", "-", "refer")) == []


def test_a_hole_is_shown_as_a_deal():
    """ "The missing deal shown": with the facts that matter, and no others."""
    rows = (("few", "< 3", "-", "pass"), ("many", "> 3", "true", "refer"))
    assert found(*rows) == [
        "no row of the table `size` takes a deal with `missed_remittances_30d` 3",
        "no row of the table `size` takes a deal with `missed_remittances_30d` 4 and `paused` no",
    ]


def test_each_hole_is_found_and_at_most_three_are_shown():
    """ "Every hole": a stretch of values is one, however many others have no row either."""
    rows = [(f"r{number}", str(2 * number), "-", "pass") for number in range(9)]
    numbers = [message.rpartition(" ")[2] for message in found(*rows)]
    assert numbers == ["1", "3", "5"]
    rows = [(f"r{number}", "-", "true", "pass", str(2 * number)) for number in range(9)]
    columns = ["row", "deals_completed", "paused", "answer", "missed_remittances_30d"]
    assert len(found(*rows, columns=columns)) == 3


def test_rows_that_answer_a_deal_differently():
    rows = (("few", "0 to 3", "-", "pass"), ("many", ">= 3", "-", "refer"))
    assert found(*rows) == [
        "the rows `few` and `many` answer a deal differently: `missed_remittances_30d` 3"
    ]


def test_rows_that_answer_alike_may_take_the_same_deal():
    few, many = ("few", "<= 3", "-", "pass"), ("many", "> 3", "-", "refer")
    assert found(few, ("calm", "< 5", "true", "pass"), ("late", "> 3", "false", "refer"),
                 ("most", ">= 5", "-", "refer")) == []  # fmt: skip
    idle = ["the row `more` takes no deal that no other row takes"]
    assert found(few, many, ("more", ">= 4", "-", "refer")) == idle
    assert found(few, many, ("more", "> 3", "true", "refer")) == idle


def test_a_row_that_takes_no_deal():
    rows = (("all", "-", "-", "pass"), ("none", "9 to 3", "-", "refer"))
    assert found(*rows) == ["the row `none` takes no deal that no other row takes"]


def test_a_value_that_changes_can_open_a_hole():
    """With the parameters of each day, and the day from which it is so."""
    most = parameter("most", "count", ("2025-01-01", 3), ("2026-01-01", 4))
    rows = (("few", "<= 3", "-", "pass"), ("many", "> most", "-", "refer"))
    assert found(*rows, more=most) == [
        "no row of the table `size` takes a deal from 2026-01-01 on with `missed_remittances_30d` 4"
    ]


def test_a_child_is_told_of_the_hole_that_its_value_opens():
    most = parameter("most", "count", ("2025-01-01", 3))
    rows = [["few", "<= 3", "-", "pass"], ["many", "> most", "-", "refer"]]
    above = land(table(rows, COLUMNS, reason='"No."'), most)
    folder = loaded(
        NL=above,
        NL_ZH=child(renewal=most.replace("= 3", "= 5")),
        NL_UT=child("NL-UT"),
    )
    told = {code: list(table_findings(folder[code])) for code in folder.codes}
    assert {code: len(errors) for code, errors in told.items()} == {"NL": 0, "NL-UT": 0, "NL-ZH": 1}


def test_a_row_that_asks_nothing_is_checked_too():
    rows = (("few", "<= 3 days", "-", "pass"), ("many", "> 3", "-", "refer"))
    (message,) = found(*rows)
    assert "`3 days` is a number of days" in message


def test_a_finding_is_where_the_row_is():
    rows = [*ROWS[:4], ["rest", "EUR 100000 to EUR 500000", "not Funded", "-", "refer", "No."]]
    errors = list(table_findings(read(land(table(rows)), "NL")))
    (error,) = [error for error in errors if "`rest`" in error.message]
    assert json.loads(error.source.strip().rstrip(",")) == rows[4]
    assert error in list(findings(loaded(NL=land(table(rows)))))


def test_a_search_that_does_not_end_is_given_up(monkeypatch):
    monkeypatch.setattr(table_gaps, "MOST_SETS", 3)
    (message,) = found(("few", "<= 3", "-", "pass"), ("many", "> 3", "true", "refer"))
    assert message == "the rows of the table `size` overlap in too many ways"


@pytest.mark.parametrize("product", [True, False])
def test_tables_of_products_are_looked_at(product):
    rows = [["new", "< 6", "decline"]]
    text = table(rows, ["row", "months_trading", "answer"], reason='"No."')
    jurisdiction = read(land(text, file="products.toml" if product else "renewal.toml"), "NL")
    (error,) = table_findings(jurisdiction)
    assert error.message.endswith("takes a deal with `months_trading` 6")
