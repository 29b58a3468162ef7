"""`read_file`: all deals of a file, as a frame that `assess` and the other questions take."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

from holdback.jurisdictions.jurisdiction import Jurisdictions
from holdback.portfolio.reading.column_mapping import ColumnMapping


def read_file(
    deals: str | Path,
    rules: Jurisdictions,
    *,
    mapping: ColumnMapping | None = None,
    jurisdiction: str = "jurisdiction",
    on: date | str = "on",
) -> Any:
    """
    Return the *deals* of a file, with exact values, as a Polars frame.

    *deals* is what `holdback portfolio` takes: a .csv, .xlsx or .parquet file, several by a
    pattern, or a DuckDB query that starts with `select` or `from`. It is read as the command reads
    it: encoding and separator of a CSV file are found out, a row that is a title, a unit or a total
    is an error, and each cell of a file without types is read by itself. *mapping* says which
    column holds which fact, and how values are written. *jurisdiction* is the column with the code
    of each deal, or the code for all, which becomes a column; *on* is the column with the day of
    each deal, or the day of all.

    It needs the extra `portfolio`. What the columns probably mean otherwise, `findings` says.

    >>> from tempfile import TemporaryDirectory
    >>> from holdback import load_jurisdictions
    >>> from holdback.portfolio import sample, summarise
    >>> rules = load_jurisdictions()
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "deals.csv"
    ...     sample(100, seed=7, backend="polars").write_csv(file)
    ...     deals = read_file(file, rules)
    >>> summarise(deals, rules).deals
    100

    Raises:
        InvalidDocument: if the file cannot be read, if a row is not a deal, or if the mapping does
            not fit the columns.
        ConfigurationError: if *jurisdiction* is the code of none of the *rules*.
    """
    try:
        from holdback.portfolio.files.batch_reader import open_reader  # noqa: PLC0415  # needs an extra
    except ModuleNotFoundError as missing:
        package = missing.name
        message = f"read_file needs {package}: pip install 'holdback[portfolio]'"
        raise ModuleNotFoundError(message, name=package) from None
    opened = open_reader(
        str(deals), rules, jurisdiction=jurisdiction, on=on, mapping=mapping or ColumnMapping()
    )
    with opened as reader:
        return reader.whole()
