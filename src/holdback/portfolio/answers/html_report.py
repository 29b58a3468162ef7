"""Answers as one page of HTML that needs nothing else: for a mail, an archive, a printer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from holdback.portfolio.answers.answer_table import AnswerTable, read_answers
from holdback.tools import pictures
from holdback.tools.displays.elements import display, sentence
from holdback.tools.displays.page import page_lines, text

_STYLE: Final = """
nav { color: var(--soft); } nav a { color: inherit; }
.wide { margin: .6rem 0; }
.narrow { display: none; }
@media screen and (max-width: 720px) { .narrow { display: block; } .broad { display: none; } }
@media print { nav { display: none; } }
"""
# A table of more rows is closed, until somebody opens it.
_OPEN: Final = 60
# The width of a picture on a telephone: made smaller, a broad one could not be read.
_NARROW: Final = 360


def to_html(answers: AnswerTable | Iterable[AnswerTable], title: str = "Deals") -> str:
    """
    Return *answers*, one or several, as a page of HTML: for each a picture, a table and sentences.

    The page needs no other file and asks the network for nothing. It follows the reader's light or
    dark screen, and can be printed. It needs the extra `notebook`.

    >>> from holdback import load_jurisdictions, portfolio
    >>> deals = portfolio.sample(1000, seed=7)
    >>> page = to_html([portfolio.funnel(deals, load_jurisdictions())])
    >>> page.startswith("<!DOCTYPE html>")
    True

    Raises:
        InvalidDocument: there is no answer, or something else among them.
    """
    parts = read_answers(answers)
    links = " · ".join(
        f'<a href="#answer-{place}">{text(part.title)}</a>' for place, part in enumerate(parts, 1)
    )
    sections = (_section(place, part) for place, part in enumerate(parts, 1))
    body = (f"<h1>{text(title)}</h1>", f"<nav>{links}</nav>", *sections)
    return "\n".join((*page_lines(title, body, _STYLE), ""))


def _section(place: int, answer: AnswerTable) -> str:
    """The section of an *answer*; the links at the head of the page lead to it by its *place*."""
    widths = (("narrow", _NARROW), ("broad", pictures.WIDTH)) if answer.rows else ()
    what = answer.question, answer.title, answer.records
    drawn = "\n".join(
        f'<div class="{name}">{pictures.drawn(*what, width)}</div>' for name, width in widths
    )
    # All rows, unlike a display: the reader of a page has no frame to look into.
    shown = display(answer.table.html(), *(sentence(note) for note in answer.notes))
    if len(answer.rows) > _OPEN:
        shown = f"<details><summary>All {len(answer.rows):,} rows</summary>{shown}</details>"
    return (
        f'<section id="answer-{place}">\n<h2>{text(answer.title)}</h2>\n'
        f'{drawn}\n<div class="wide">{shown}</div>\n</section>'
    )
