"""Answers as one page of HTML that needs nothing else: for a mail, an archive, a printer."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Final

from holdback.errors import printable
from holdback.portfolio.answers.answer_table import AnswerTable, read_answers
from holdback.tools import pictures
from holdback.tools.displays.elements import display, sentence

# Light, dark and printed, as the reader's screen is.
_STYLE: Final = """
:root { color-scheme: light dark; --text: #1b1f24; --soft: #59626b; --line: #d3d9df; }
@media screen and (prefers-color-scheme: dark) {
  :root { --text: #e7e9eb; --soft: #a4acb4; --line: #3b4249; --back: #15181b; } }
* { box-sizing: border-box; }
body { margin: 2rem auto; max-width: 62rem; padding: 0 1rem; color: var(--text);
  background: var(--back, #ffffff); font: 15px/1.5 system-ui, "Segoe UI", "Noto Sans",
  "DejaVu Sans", sans-serif; overflow-wrap: break-word; }
h1 { font-size: 1.8em; line-height: 1.2; margin: 0 0 .5rem; }
h2 { font-size: 1.25em; margin: 2.2rem 0 .6rem; }
nav { color: var(--soft); } nav a { color: inherit; }
.wide { overflow-x: auto; margin: .6rem 0; }
table { border-collapse: collapse; font-size: .9em; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .8rem .25rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; }
.narrow { display: none; }
@media screen and (max-width: 720px) { .narrow { display: block; } .broad { display: none; } }
@page { size: A4; margin: 15mm; }
@media print { body { margin: 0; max-width: none; font-size: 9.5pt; } .wide { overflow: visible; }
  h2 { break-after: avoid; } svg, tr { break-inside: avoid; } nav { display: none; } }
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
    >>> page.startswith("<!doctype html>")
    True

    Raises:
        InvalidDocument: there is no answer, or something else among them.
    """
    parts = read_answers(answers)
    links = " · ".join(
        f'<a href="#answer-{place}">{_text(part.title)}</a>' for place, part in enumerate(parts, 1)
    )
    sections = "\n".join(_section(place, part) for place, part in enumerate(parts, 1))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_text(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{_text(title)}</h1>\n<nav>{links}</nav>\n{sections}\n</main>\n</body>\n</html>\n"
    )


def _section(place: int, answer: AnswerTable) -> str:
    """The section of an *answer*, which other sections link to by its *place*."""
    pairs = (("narrow", _NARROW), ("broad", pictures.WIDTH)) if answer.rows else ()
    what = answer.question, answer.title, answer.records
    drawn = "\n".join(
        f'<div class="{name}">{pictures.drawn(*what, width)}</div>' for name, width in pairs
    )
    # All rows, unlike a display: the reader of a page has no frame to look into.
    shown = display(answer.table.html(), *(sentence(note) for note in answer.notes))
    if len(answer.rows) > _OPEN:
        shown = f"<details><summary>All {len(answer.rows):,} rows</summary>{shown}</details>"
    return (
        f'<section id="answer-{place}">\n<h2>{_text(answer.title)}</h2>\n'
        f'{drawn}\n<div class="wide">{shown}</div>\n</section>'
    )


def _text(text: str) -> str:
    return escape(printable(text))
