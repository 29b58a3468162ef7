"""`read_file`: a file of deals as a frame, as the command reads it."""

from __future__ import annotations

import polars as pl
import pytest

from holdback import InvalidDocument, load_jurisdictions
from holdback.portfolio import ColumnMapping, read_file, sample, summarise

RULES = load_jurisdictions()
DEALS = sample(300, seed=7, backend="polars")


def answers(deals):
    return summarise(deals, RULES).plain()


@pytest.mark.parametrize("ending", ["csv", "parquet", "xlsx"])
def test_a_file_means_what_its_frame_means(tmp_path, ending):
    """
    The deals of a CSV, Parquet or Excel file have the outcomes of the frame that was written.
    """
    file = tmp_path / f"deals.{ending}"
    if ending == "csv":
        DEALS.write_csv(file)
    elif ending == "parquet":
        DEALS.write_parquet(file)
    else:
        openpyxl = pytest.importorskip("openpyxl")
        workbook = openpyxl.Workbook()
        for row in (DEALS.columns, *DEALS.rows()):
            workbook.active.append(row)
        workbook.save(file)

    assert answers(read_file(file, RULES)) == answers(DEALS)


def test_one_jurisdiction_for_all_deals(tmp_path):
    """
    The code of a jurisdiction becomes the column of a file that has none.
    """
    of_gb = DEALS.filter(jurisdiction="GB")
    of_gb.drop("jurisdiction").write_csv(tmp_path / "deals.csv")

    deals = read_file(tmp_path / "deals.csv", RULES, jurisdiction="GB")

    assert deals["jurisdiction"].unique().to_list() == ["GB"]
    assert answers(deals) == answers(of_gb)


def test_a_mapping_says_how_values_are_written(tmp_path):
    """
    A file in Windows-1252 with decimal commas is read as its mapping says.
    """
    texts = DEALS.with_columns(
        pl.col(pl.Decimal).cast(pl.String).str.replace(".", ",", literal=True)
    )
    text = texts.write_csv(separator=";").replace("progress", "Fortschritt in \N{EURO SIGN}", 1)
    (tmp_path / "deals.csv").write_bytes(text.encode("windows-1252"))
    mapping = ColumnMapping(decimal_mark=",", columns={"progress": "Fortschritt in \N{EURO SIGN}"})

    assert answers(read_file(tmp_path / "deals.csv", RULES, mapping=mapping)) == answers(DEALS)


def test_a_row_that_is_no_deal_is_an_error(tmp_path):
    """
    Units below the heads, and a file that is not there, are errors, as for the command.
    """
    heads, deals = DEALS.write_csv().split("\n", maxsplit=1)
    units = ",".join("%" for _ in DEALS.columns)
    (tmp_path / "deals.csv").write_text(f"{heads}\n{units}\n{deals}")

    with pytest.raises(InvalidDocument, match="the first row below the heads is not a deal"):
        read_file(tmp_path / "deals.csv", RULES)
    with pytest.raises(InvalidDocument, match="No files found"):
        read_file(tmp_path / "nothing.csv", RULES)
