"""`holdback table`, and a table in `holdback show` and on the policy page."""

from __future__ import annotations

import json

import pytest
from invocation import invoke
from openpyxl import Workbook, load_workbook

from holdback.errors import InvalidDocument
from holdback.tools.workbench.table_files import read_csv
from small_folders import changed, child, read, write
from small_tables import COLUMNS, GRID, OTHERS, PRICED, ROWS, grid, land, priced, table

CSV = f"""\
row,funded_amount,status,require performance,answer,reason
small,< EUR 100000,-,>= 70%,,
middle,EUR 100000 to EUR 500000,Funded,>= 80%,refer,-
over,EUR 100000 to EUR 500000,Repaid or Settled,-,decline,It is {{status}}.
large,> EUR 500000,-,-,refer,It is {{funded_amount}}.
rest,EUR 100000 to EUR 500000,{OTHERS},-,pass,-
"""


@pytest.fixture
def root(tmp_path):
    return write(tmp_path / "rules", NL=land(table()), NL_ZH=child())


def table_command(root, *arguments):
    return invoke("table", "NL", "size", "--jurisdictions", root, *arguments)


def test_a_table_is_printed_as_csv(root):
    ran = table_command(root)
    assert (ran.exit_code, ran.output) == (0, CSV)
    inherited = invoke("table", "NL-ZH", "size", "--jurisdictions", root)
    assert inherited.output == CSV


def test_csv_comes_back_as_toml(root, tmp_path):
    file = tmp_path / "size.csv"
    file.write_text(CSV.replace(">= 80%", ">= 85%"), encoding="utf-8")
    ran = table_command(root, "--from", file)
    assert ran.exit_code == 0
    assert '">= 85%"' in ran.output
    assert ran.output.startswith('columns = ["row",')
    assert '">= 85%"' not in (root / "NL" / "renewal.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_csv_is_written_into_the_file(root, tmp_path, separator):
    """Nothing else in the file changes; a spreadsheet may have saved it in its own way."""
    file, path = tmp_path / "size.csv", root / "NL" / "renewal.toml"
    text = CSV.replace(">= 80%", ">= 85%").replace(",", separator).replace("\n", "\r\n")
    file.write_bytes(b"\xef\xbb\xbf" + text.encode())
    before = path.read_text(encoding="utf-8")
    ran = table_command(root, "--from", file, "--write")
    assert (ran.exit_code, ran.output) == (0, f"{path.as_posix()}: 5 rows of the table `size`\n")
    after = path.read_text(encoding="utf-8")
    assert after.split("columns = ")[0] == before.split("columns = ")[0]
    assert table_command(root).output == CSV.replace(">= 80%", ">= 85%")


def test_excel_and_back(root, tmp_path):
    """A cell of Excel is read as Excel shows it: a number with its percent sign."""
    file = tmp_path / "size.xlsx"
    assert table_command(root, "--to", file).output == ""
    workbook = load_workbook(file)
    assert [[cell.value for cell in row] for row in workbook["size"]][:2] == [
        COLUMNS, ["small", "< EUR 100000", "-", ">= 70%", None, None]
    ]  # fmt: skip
    sheet = workbook["size"]
    sheet["D2"].value, sheet["D2"].number_format = 0.75, "0%"
    sheet["C3"].value = "Repaid"
    workbook.save(file)
    ran = table_command(root, "--from", file)
    assert ran.exit_code == 2
    assert "not exact" in ran.output  # the pace is rounded down, and never just 75%
    sheet["D2"].value = ">= 75%"
    workbook.save(file)
    assert table_command(root, "--from", file, "--write").exit_code == 0
    changed = CSV.replace(">= 70%", ">= 75%").replace("500000,Funded", "500000,Repaid")
    assert table_command(root).output == changed


def test_a_file_of_csv_is_written(root, tmp_path):
    file = tmp_path / "size.csv"
    assert table_command(root, "--to", file).output == ""
    assert file.read_text(encoding="utf-8") == CSV
    assert table_command(root, "--to", file, "--from", file).exit_code == 2


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"row,paused"])
def test_a_workbook_that_cannot_be_read(root, tmp_path, content):
    file = tmp_path / "size.xlsx"
    file.write_bytes(content)
    ran = table_command(root, "--from", file)
    assert ran.exit_code == 2
    assert "cannot be opened as an Excel file" in ran.output


def test_a_larger_sheet_is_refused_and_not_cut(root, tmp_path):
    file, workbook = tmp_path / "size.xlsx", Workbook()
    for row in [COLUMNS, *([f"r{place}", "-", "-", ">= 75%", "", ""] for place in range(90))]:
        workbook.active.append(row)
    workbook.save(file)
    assert "at most 60 rows" in table_command(root, "--from", file).output


def test_a_table_with_an_error_is_not_written(root, tmp_path):
    file, path = tmp_path / "size.csv", root / "NL" / "renewal.toml"
    file.write_text(CSV.replace("< EUR 100000", "< EUR 100.000"), encoding="utf-8")
    before = path.read_bytes()
    ran = table_command(root, "--from", file, "--write")
    assert ran.exit_code == 2
    assert "more than one reading" in ran.output
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("NL", "sise"), "did you mean `size`?"),
        (("NL", "size", "--on", "2024-01-01"), "there is no table `size` on 2024-01-01"),
        (("NL", "other"), "there are `size`"),
        (("NO", "size"), "NO"),
        (("NL", "size", "--write"), "--write needs --from"),
    ],
)
def test_what_is_not_there(root, arguments, said):
    ran = invoke("table", *arguments, "--jurisdictions", root)
    assert ran.exit_code == 2
    assert said in ran.output


def test_an_inherited_table_is_not_written(root, tmp_path):
    file = tmp_path / "size.csv"
    file.write_text(CSV, encoding="utf-8")
    ran = invoke("table", "NL-ZH", "size", "--jurisdictions", root, "--from", file, "--write")
    assert ran.exit_code == 2
    assert "name the jurisdiction `NL`" in ran.output


@pytest.mark.parametrize("text", ["", "a,b\n1,2\n", 'row,"paused\n', "row\n" * 200_001])
def test_csv_that_is_no_table(text):
    if len(text) > 100:
        text = text * 2
    with pytest.raises(InvalidDocument):
        read_csv(text)


def test_a_file_that_is_not_utf_8(root, tmp_path):
    file = tmp_path / "size.csv"
    file.write_bytes(CSV.encode("utf-16"))
    ran = table_command(root, "--from", file)
    assert ran.exit_code == 2
    assert "save it as CSV in UTF-8" in ran.output


def test_show_prints_a_table_as_a_table(root):
    shown = invoke("show", "NL", "--on", "2026-03-01", "--jurisdictions", root).output
    lines = [" ".join(line.split()) for line in shown.splitlines()]
    assert "code row funded_amount status require performance answer reason" in lines
    assert "NL-R-10-SMALL small < EUR 100000 - >= 70% - -" in lines
    assert f"- rest EUR 100000 to EUR 500000 {OTHERS} - pass -" in lines
    markdown = invoke(
        "show", "NL", "--on", "2026-03-01", "--jurisdictions", root, "--format", "markdown"
    ).output
    assert (
        "| NL-R-10-LARGE | large | > EUR 500000 | - | - | refer | It is {funded_amount}. |"
        in markdown
    )
    plain = invoke(
        "show", "NL", "--on", "2026-03-01", "--jurisdictions", root, "--format", "json"
    ).output
    (listed,) = json.loads(plain)["tables"]
    assert (listed["columns"], listed["rows"]) == (COLUMNS, ROWS)


def test_the_policy_page_has_the_table(root):
    page = invoke(
        "show", "NL", "--on", "2026-03-01", "--jurisdictions", root, "--format", "html"
    ).output
    assert "<th>Funded amount</th>" in page
    assert "<th>Performance that is required</th>" in page
    assert "<td>&gt;= 80%</td>" in page


def test_a_table_of_a_product_is_shown_with_it(tmp_path):
    rows = [["new", "< 6", "decline"], ["old", ">= 6", "pass"]]
    text = table(rows, ["row", "months_trading", "answer"], reason='"No."')
    root = write(tmp_path / "rules", NL=land(text, file="products.toml"))
    for form, head in (("text", "months_trading  answer"), ("markdown", "| months_trading | a")):
        shown = invoke(
            "show", "NL", "--on", "2026-03-01", "--jurisdictions", root, "--format", form
        ).output
        assert shown.index("Cash advance") < shown.index(head)


# -- a table of prices


def prices(rows=GRID):
    files = priced(grid(rows))
    typical = '[typical]\ncredit_score = 700\naverage_monthly_takings = "EUR 20000"\n'
    return changed(files, "products.toml", "[typical]\n", typical)


@pytest.mark.parametrize("name", ["pricing.csv", "pricing.xlsx"])
def test_a_grid_of_prices_to_a_spreadsheet_and_back(tmp_path, name):
    """ "To and from .xlsx and CSV without loss." """
    root, file = write(tmp_path / "rules", NL=prices()), tmp_path / name
    assert invoke("table", "NL", "pricing", "--jurisdictions", root, "--to", file).exit_code == 0
    ran = invoke("table", "NL", "pricing", "--jurisdictions", root, "--from", file, "--write")
    assert (ran.exit_code, ran.output.strip()[-28:]) == (0, "4 rows of the table `pricing`"[-28:])
    written = (root / "NL" / "products.toml").read_text(encoding="utf-8")
    back = read({**prices(), "products.toml": written}, "NL")
    assert back.policy.own.tables[0].rows[1].cells == tuple(GRID[1])
    assert back.slices[-1].digest == read(prices(), "NL").slices[-1].digest


def test_a_price_with_a_comma_does_not_come_back_from_a_spreadsheet(tmp_path):
    root, file = write(tmp_path / "rules", NL=prices()), tmp_path / "pricing.csv"
    rows = [";".join(row) for row in [PRICED, *GRID]]
    file.write_text("\n".join(rows).replace("1.24", "1,24"), encoding="utf-8")
    ran = invoke("table", "NL", "pricing", "--jurisdictions", root, "--from", file, "--write")
    assert ran.exit_code == 2
    assert 'write `"1.24"`' in ran.stderr


def test_a_table_of_prices_is_in_show_and_on_the_page(tmp_path):
    root = write(tmp_path / "rules", NL=prices())
    show = ("show", "NL", "--on", "2026-03-01", "--jurisdictions", root)
    shown = invoke(*show).output
    assert "small-high" in shown
    assert "factor_rate: table (table pricing, renewal_discount 0.05)" in shown
    page = invoke(*show, "--format", "html").output
    assert "is in the table “pricing”" in page
    assert "<td>1.24</td>" in page
    assert "The same as a table" not in page
