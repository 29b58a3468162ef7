"""
The frame of every page: one file of HTML without scripts that loads nothing, for screen and paper.

A page follows the reader's light or dark screen. What only one page needs, it adds to the style.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from typing import Final

from holdback.errors import printable

# Nothing is loaded, and nothing runs.
_LOADS: Final = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE: Final = """
:root { color-scheme: light dark; --text: #1b1f24; --soft: #59626b; --line: #d3d9df;
  --back: #ffffff; --band: #f2f5f8; --good: #146c2e; --bad: #a3231b; --note: #7a5200; }
@media screen and (prefers-color-scheme: dark) { :root { --text: #e7e9eb; --soft: #a4acb4;
  --line: #3b4249; --back: #15181b; --band: #1f2429; --good: #7bd88f; --bad: #ff8a80;
  --note: #f0c674; } }
* { box-sizing: border-box; }
body { margin: 2rem auto; max-width: 58rem; padding: 0 1rem; background: var(--back);
  color: var(--text); font: 15px/1.5 system-ui, "Segoe UI", "Noto Sans", "DejaVu Sans",
  sans-serif; overflow-wrap: break-word; }
h1 { font-size: 1.7em; line-height: 1.2; margin: 0 0 .4rem; }
h2 { font-size: 1.25em; margin: 2.2rem 0 .5rem; }
p { margin: .35rem 0; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .92em; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .8rem .3rem 0; border-bottom: 1px solid var(--line); text-align: left;
  vertical-align: top; }
th { color: var(--soft); font-weight: 600; }
@page { size: A4; margin: 17mm 16mm; }
@media print {
  :root { --text: #000000; --soft: #444444; --line: #b4b4b4; --band: #eef1f4; --good: #0f5223;
    --bad: #8f1a13; --note: #6b4700; }
  body { margin: 0; max-width: none; padding: 0; font-size: 9.5pt; line-height: 1.4; }
  h2, h3, h4 { break-after: avoid; }
  tr, svg { break-inside: avoid; }
  thead { display: table-header-group; }
  .wide { overflow: visible; }
  p, li { orphans: 3; widows: 3; }
}
""".strip()


def text(words: str) -> str:
    """Return *words* as the text of an element."""
    return escape(printable(words), quote=False)


def page_lines(title: str, parts: Iterable[str], style: str = "") -> Iterator[str]:
    """Yield the lines of a page: its *title*, its *parts* as HTML, and a *style* of its own."""
    yield "<!DOCTYPE html>"
    yield '<html lang="en">'
    yield "<head>"
    yield '<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{escape(_LOADS)}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{text(title)}</title>"
    yield f"<style>\n{_STYLE}\n{style.strip()}\n</style>"
    yield "</head>"
    yield "<body>"
    yield "<main>"
    yield from parts
    yield "</main>"
    yield "</body>"
    yield "</html>"
