"""Tables of prices in the tools: findings, mutants, drafts, proofs, `show`, `diff` and the page."""

from __future__ import annotations

from datetime import date

import pytest

from holdback.tools.lint.lint import findings
from holdback.tools.mutants.mutation import NOTICED, SURVIVED, verdicts
from holdback.tools.proofs.claims import Prover
from holdback.tools.sanity.sanity import sanity
from holdback.tools.suggestions.suggest import suggestions
from holdback.tools.workbench.differences import differences
from holdback.tools.workbench.history import histories
from holdback.tools.workbench.overview import overview
from small_folders import changed, loaded
from small_tables import GRID, grid, priced

DAY = date(2026, 3, 1)
TYPICAL = 'credit_score = 700\naverage_monthly_takings = "EUR 20000"\n'
OF_A_SCORE = 'require = "credit_score >= 650", reason = "No.", source = "policy" }'


def files_with(*tables, rows=GRID):
    """A country whose typical merchant is in the last row of a grid, with its prices."""
    files = priced(*(tables or [grid(rows)]))
    files = changed(files, "products.toml", "[typical]\n", f"[typical]\n{TYPICAL}")
    for before, after in (('"1.2"', '"1.18"'), ("EUR 1200", "EUR 1180"), ("EUR 2400", "EUR 2360")):
        files["products.toml"] = files["products.toml"].replace(before, after)
    return files


def found(files):
    return [error.message for error in findings(loaded(NL=files))]


def with_cell(row, cell, text):
    rows = [list(cells) for cells in GRID]
    rows[row][cell] = text
    return rows


def test_a_grid_without_a_gap_has_no_finding():
    assert found(files_with()) == []


def test_a_hole_an_overlap_and_a_row_without_a_deal_are_findings():
    """ "Holes, overlaps and unreachable rows are errors with the missing deal shown." """
    deal = "with `average_monthly_takings` EUR 10000.00 and `credit_score` 650"
    assert found(files_with(rows=with_cell(3, 2, "> 650"))) == [
        f"no row of the table `pricing` takes a deal {deal}"
    ]
    (overlap,) = found(files_with(rows=with_cell(3, 2, ">= 649")))
    assert overlap == (
        "the rows `large-low` and `large-high` answer a deal differently: "
        "`average_monthly_takings` EUR 10000.00 and `credit_score` 649"
    )
    assert found(files_with(rows=[*GRID, ["more", ">= EUR 10000", "> 800", "1.18"]])) == [
        "the row `more` takes no deal that no other row takes"
    ]


def test_holes_among_the_terms_that_are_chosen():
    rows = [["short", "<= 6", "1.18"], ["long", "> 12", "1.2"]]
    assert found(files_with(grid(rows, ["row", "term_months", "factor_rate"])))[0].endswith(
        "`term` is `fixed`"
    )
    hole = "no row of the table `pricing` takes a deal with `term_months` 7"
    assert hole in found(files_with(grid(rows, ["row", "term_months", "factor_rate"])))


def test_a_table_that_no_product_reads():
    assert found(files_with(grid(), grid(name="other"))) == [
        "no product reads the column `factor_rate` of the table `other`"
    ]


def test_every_price_and_every_end_of_a_row_is_a_mutant_and_a_draft_notices_it():
    """ "Every mutant works row by row": a price alone, an end in all rows that have it."""
    jurisdictions = loaded(NL=files_with())
    reached = {
        verdict.mutant.name: verdict for verdict in verdicts(jurisdictions["NL"], jurisdictions)
    }
    ours = {name: verdict.state for name, verdict in reached.items() if name.startswith("pricing")}
    assert "pricing large-high factor_rate: 1.18 to 1.180001" in ours
    assert "pricing credit_score: 650 to 651" in ours
    assert "pricing average_monthly_takings: EUR 10000.00 to EUR 9999.99" in ours
    assert len(ours) == 2 * (len(GRID) + 2)
    assert set(ours.values()) == {NOTICED, SURVIVED}
    assert suggestions(jurisdictions["NL"], jurisdictions).left == ()


def test_a_row_that_nobody_who_passes_is_in():
    """The proof `band-reached` asks of each row, as of each band."""
    score = '{ id = "score", code = "NL-P-02", ' + OF_A_SCORE
    files = changed(files_with(), "products.toml", "rules = [\n", f"rules = [\n  {score},\n")
    jurisdictions = loaded(NL=files)
    said = [
        each.detail.message.partition(" with ")[0]
        for each in Prover(jurisdictions).findings(jurisdictions["NL"])
        if each.claim == "band-reached"
    ]
    assert said == [
        f"nobody who gets `flex` is in its row `{row[0]}` of the table `pricing`"
        for row in GRID
        if row[2] == "< 650"
    ]


@pytest.mark.parametrize(("rate", "claim"), [("1", "free-money"), ("12.4", "implausible-price")])
def test_a_rate_that_nobody_means(rate, claim):
    """The sanity of rates looks at each row."""
    assert [each.claim for each in sanity(loaded(NL=files_with(rows=with_cell(1, 3, rate))))] == [
        claim
    ]


def test_a_change_is_shown_cell_by_cell():
    before = overview(loaded(NL=files_with())["NL"], DAY)
    after = overview(loaded(NL=files_with(rows=with_cell(1, 3, "1.25")))["NL"], DAY)
    assert [(each.kind, each.name, each.details) for each in differences(before, after)] == [
        ("table", "pricing", ("small-high, factor_rate: 1.24 to 1.25",))
    ]
    assert before["products"][0]["calculators"]["factor_rate"] == {
        "calculator": "table",
        "table": "pricing",
        "renewal_discount": "0.05",
    }
    assert before["tables"][0]["codes"] == ["", "", "", ""]


def test_a_product_has_another_version_where_its_table_changes():
    first, later = grid(until="2026-01-01"), grid(with_cell(1, 3, "1.25"), since="2026-01-01")
    folder = loaded(NL=files_with(first, later))
    (history,) = histories(folder, folder["NL"], "flex")
    before, after = history.versions
    assert (before.until, after.since) == (date(2026, 1, 1), date(2026, 1, 1))
    where = "average_monthly_takings < EUR 10000.00 and credit_score >= 650"
    assert set(after.details) - set(before.details) == {
        f"factor_rate of small-high: 1.25 where {where}"
    }
