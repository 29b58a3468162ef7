"""What is found in a file names the rows of the whole file, not of the part that is read."""

from __future__ import annotations

import polars as pl

from holdback.portfolio.files.file_findings import ReportedFindings, with_row_labels
from holdback.portfolio.reading.column_findings import WARNING, ColumnFinding


def test_rows_are_counted_over_the_parts_of_a_file():
    """
    The rows of a part have the numbers that they have in the file, the first of which is 1.
    """
    part = pl.DataFrame({"progress": ["61", "62"]})

    first, second = (with_row_labels(part, before) for before in (0, 2))
    (name,) = set(first.columns) - set(part.columns)

    assert first[name].to_list() == ["row 1", "row 2"]
    assert second[name].to_list() == ["row 3", "row 4"]


def test_a_column_of_ids_names_the_rows():
    """
    A frame with a column of ids keeps it, and needs no numbers.
    """
    part = pl.DataFrame({"deal_id": ["D-1"], "progress": ["61"]})

    assert with_row_labels(part, 0).columns == part.columns


def test_texts_that_are_too_many_to_be_listed_are_said_in_a_whole_line():
    """
    The line that counts the rest says it in words, and has no end that expects nothing.
    """
    message = "7 more texts are not declared, and are unknown in 9 rows"
    rest = ColumnFinding(
        severity=WARNING, code="unknown_name", column="status", message=message, count=9
    )

    assert str(ReportedFindings((rest,))).splitlines()[1:] == [f"  status: {message}"]
