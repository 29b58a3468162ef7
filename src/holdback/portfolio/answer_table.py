"""The answer to one question about a portfolio: rows of numbers for a frame or a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw
from attrs import field

from holdback import pictures
from holdback.exact_json import Json
from holdback.frozen_classes import frozen
from holdback.notebook.elements import display, sentence
from holdback.portfolio.tables import Table


@frozen(kw_only=True)
class AnswerTable:
    """
    The answer to a `question` about a portfolio: a `title`, the names of columns, and their rows.

    Cells are texts, integers, Decimals, dates, Booleans, or None where nothing is known. Amounts
    are Decimals in major units, with their currency in a column of its own. A share is a Decimal
    between 0 and 1. `notes` are sentences that a reader needs with the numbers, such as what is
    assumed, or that a rulebook is a proposal.

    `backend` names the dataframe library of the deals, and `to_frame` gives a frame of it.
    """

    question: str
    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...] = field(repr=False)
    notes: tuple[str, ...] = ()
    backend: str = field(default="pandas", repr=False)

    @property
    def records(self) -> Sequence[Mapping[str, Any]]:
        """The rows with the names of their columns."""
        return tuple(dict(zip(self.heads, row, strict=True)) for row in self.rows)

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the rows as a frame of *backend*: by default, of the library of the deals."""
        columns = {head: [row[place] for row in self.rows] for place, head in enumerate(self.heads)}
        return nw.from_dict(columns, backend=backend or self.backend).to_native()

    def plot(self, width: int = pictures.WIDTH) -> Any:
        """
        Return the picture of the answer, an Altair chart *width* pixels wide.

        It needs the extra `notebook`.
        """
        return pictures.draw(self.question, self.title, self.records, width)

    def plain(self) -> Mapping[str, Json]:
        """The answer as a document for JSON."""
        return {
            "question": self.question,
            "title": self.title,
            "rows": [dict(record) for record in self.records],
            "notes": list(self.notes),
        }

    @property
    def table(self) -> Table:
        """The rows as a table for reading."""
        return Table(self.title, self.heads, self.rows)

    def __str__(self) -> str:
        return "\n".join([str(self.table), *self.notes])

    def _repr_html_(self) -> str:
        return display(self.table.html(), *(sentence(note) for note in self.notes))
