"""A report on the deals of a file: a page of HTML, or an Excel workbook."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import polars as pl
from attrs import define, field

from holdback.portfolio import (
    AnswerTable,
    SuspectColumns,
    funnel,
    migration,
    near,
    summarise,
    to_excel,
    to_html,
)
from holdback.portfolio.files.batch_reader import BatchReader

# Percentage points, or percent of a threshold, within which a deal is near it.
_NEAR: Final = "2%"
# What writes a file of each ending, of the extra `notebook`.
_WRITERS: Final = {".html": "vl_convert", ".xlsx": "openpyxl"}


def missing_writer(file: Path) -> str | None:
    """Return the package that writes a report like *file*, if it is not installed."""
    name = _WRITERS[file.suffix]
    return None if find_spec(name) else name


@define
class Report:
    """
    The report on the deals of `reader` that are added.

    All deals are kept until it is written, because a question is about all of them.
    """

    file: Path
    reader: BatchReader
    _frames: list[pl.DataFrame] = field(factory=list, init=False)

    def add(self, frame: pl.DataFrame) -> None:
        """Add the deals in *frame*."""
        self._frames.append(frame)

    def write(self, title: str) -> None:
        """Write the report, with *title*; the file appears only when it is complete."""
        deals = pl.concat(self._frames, how="vertical_relaxed")
        with warnings.catch_warnings():
            # What is suspected was reported before, unless the mapping says what it is.
            warnings.simplefilter("ignore", SuspectColumns)
            answers = tuple(self._answers(deals))
        unfinished = self.file.with_name(f".{os.getpid()}.{self.file.name}")
        try:
            if self.file.suffix == ".html":
                unfinished.write_text(to_html(answers, title), encoding="utf-8")
            else:
                to_excel(answers, str(unfinished))
            unfinished.replace(self.file)
        finally:
            unfinished.unlink(missing_ok=True)

    def _answers(self, deals: pl.DataFrame) -> Iterator[AnswerTable]:
        reader = self.reader
        where: dict[str, Any] = {"jurisdiction": reader.jurisdiction, "on": reader.on}
        yield summarise(deals, reader.before, **where).answer_table
        yield funnel(deals, reader.before, **where)
        if reader.after is not None:
            yield migration(deals, reader.before, reader.after, **where)
        yield near(deals, reader.before, within=_NEAR, **where)
