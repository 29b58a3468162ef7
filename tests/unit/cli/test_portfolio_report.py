"""`holdback portfolio --report`: the answers of one run as a page, or as a workbook."""

from __future__ import annotations

import re
import shutil
import warnings
from html import unescape
from importlib.util import find_spec
from pathlib import Path

import openpyxl
import polars as pl
import pytest
from click.testing import CliRunner
from invocation import invoke

from holdback import load_jurisdictions
from holdback.cli.commands import holdback
from holdback.portfolio import SuspectColumns, funnel, near, sample, summarise
from holdback.portfolio.files import deal_files, report_file

SHIPPED = Path(__file__).parents[3] / "jurisdictions"
DEALS = sample(300, 3, backend="polars")


@pytest.fixture
def folder(tmp_path):
    DEALS.write_csv(tmp_path / "deals.csv")
    return tmp_path


def cells(sheet):
    """The rows of a *sheet* below its title and heads, up to the first empty one."""
    rows = list(sheet.iter_rows(min_row=3, values_only=True))
    return rows[: next((place for place, row in enumerate(rows) if not any(row)), len(rows))]


def test_a_workbook_has_a_sheet_for_each_question(folder, monkeypatch):
    """
    The report answers for all deals, however large the batches are.
    """
    monkeypatch.setattr(deal_files, "BATCH", 100)
    ran = invoke("portfolio", "deals.csv", "--report", "report.xlsx", cwd=folder)
    assert ran.exit_code == 0, ran.output

    workbook = openpyxl.load_workbook(folder / "report.xlsx")
    rules = load_jurisdictions()
    answers = (
        summarise(DEALS, rules).answer_table,
        funnel(DEALS, rules),
        near(DEALS, rules, within="2%"),
    )
    assert workbook.sheetnames == [answer.question for answer in answers]
    for sheet, answer in zip(workbook, answers, strict=True):
        assert sheet["A1"].value == answer.title
        deals = answer.heads.index("deals") if "deals" in answer.heads else 0
        assert [row[deals] for row in cells(sheet)] == [row[deals] for row in answer.rows]


def test_a_page_has_a_section_for_each_question(folder):
    """
    `--report FILE.html` is one self-contained page; with `--compare`, what would change is on it.
    """
    shutil.copytree(SHIPPED, folder / "proposal")
    file = folder / "proposal/GB/renewal.toml"
    file.write_text(file.read_text().replace("80%", "90%"))
    named = ("--report", "report.html", "--compare", "proposal")
    ran = invoke("portfolio", "deals.csv", *named, cwd=folder)
    assert ran.exit_code == 0, ran.output

    page = unescape((folder / "report.html").read_text(encoding="utf-8"))
    assert "<h1>Renewals in deals.csv</h1>" in page
    rules = load_jurisdictions()
    for answer in (summarise(DEALS, rules).answer_table, funnel(DEALS, rules)):
        assert f"<h2>{answer.title}</h2>" in page
    assert page.count("<section") == 4
    named = ("http://www.w3.org/", "http-equiv")  # a namespace, and an attribute
    assert "http" not in re.sub("|".join(map(re.escape, named)), "", page)
    assert sorted(path.name for path in folder.iterdir()) == [
        "deals.csv",
        "proposal",
        "report.html",
    ]


def test_a_mapping_that_says_what_columns_are_ends_the_suspicion(folder):
    """
    Who said what a column holds is not warned of it, in any answer.
    """
    deals = DEALS.filter(jurisdiction="GB").with_columns(pl.col("performance") / 100)
    deals.write_csv(folder / "small.csv")
    (folder / "map.toml").write_text('percentages = "percent"\n')
    named = ("--columns", "map.toml", "--report", "report.html")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ran = invoke("portfolio", "small.csv", *named, cwd=folder)
    assert ran.exit_code == 0, ran.output
    assert [each for each in caught if each.category is SuspectColumns] == []
    assert (folder / "report.html").exists()


@pytest.mark.parametrize(
    ("file", "says"),
    [
        ("report.pdf", "expected a file that ends in .html or .xlsx"),
        ("reports/today.html", "there is no folder reports"),
    ],
)
def test_what_cannot_be_written_is_said_first(folder, file, says):
    """
    A wrong file is refused before any deal is assessed.
    """
    ran = invoke("portfolio", "deals.csv", "--report", file, cwd=folder)
    assert ran.exit_code == 2
    assert says in ran.output
    assert "eligible" not in ran.output


@pytest.mark.parametrize(
    ("file", "package"), [("report.html", "vl_convert"), ("report.xlsx", "openpyxl")]
)
def test_a_missing_extra_is_said_first(folder, file, package, monkeypatch):
    """
    What to install is said before any deal is assessed.
    """
    monkeypatch.setattr(
        report_file, "find_spec", lambda name: None if name == package else find_spec(name)
    )
    ran = invoke("portfolio", "deals.csv", "--report", file, cwd=folder)
    assert ran.exit_code == 1
    assert f"--report needs {package}: pip install 'holdback[notebook]'" in ran.output
    assert "eligible" not in ran.output


def test_a_report_that_fails_leaves_the_earlier_one(folder, monkeypatch):
    """
    Nothing is half-done: the file appears only when it is complete.
    """
    (folder / "report.xlsx").write_text("yesterday's")

    def full(answers, path):
        Path(path).write_text("half of")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(report_file, "to_excel", full)
    deals, report = str(folder / "deals.csv"), str(folder / "report.xlsx")
    ran = CliRunner().invoke(holdback, ["portfolio", deals, "--report", report])
    assert isinstance(ran.exception, OSError)  # which the process says in one line
    assert (folder / "report.xlsx").read_text() == "yesterday's"
    assert len(list(folder.iterdir())) == 2
