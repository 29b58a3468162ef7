"""How the pages of a policy write words, days and lists of codes, and their style."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from holdback.eligibility.rule_sentences import FIGURE_END, FIGURE_START
from holdback.tools.displays import page

_MONTHS: Final = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_CODE: Final = re.compile(r"\b[A-Z]{2}(?:-[A-Z0-9]+)+\b")


def text(words: str) -> str:
    """Return *words* as HTML: marked figures in bold, and no line breaks within codes."""
    parts = re.split(f"[{FIGURE_START}{FIGURE_END}]", words)
    escaped = (_CODE.sub(r'<span class="id">\g<0></span>', page.text(part)) for part in parts)
    return "".join(f"<b>{part}</b>" if place % 2 else part for place, part in enumerate(escaped))


def day_text(day: date) -> str:
    """
    Return *day* as people write it.

    >>> day_text(date(2026, 7, 1))
    '1 July 2026'
    """
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def period_text(since: date, until: date | None) -> str:
    """
    Return the days from *since* to the day before *until*.

    >>> period_text(date(2024, 1, 1), date(2026, 11, 24))
    'since 1 January 2024, until 24 November 2026'
    """
    start = f"since {day_text(since)}"
    return start if until is None else f"{start}, until {day_text(until)}"


def capital(words: str) -> str:
    """Return *words* with a capital first letter."""
    return words[:1].upper() + words[1:]


def count(number: int, noun: str) -> str:
    """Return *number* and *noun*: `1 rule`, `2 rules`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


STYLE: Final = """
:root { --deep: #17476b; --bar: #cfe0ee; }
@media screen and (prefers-color-scheme: dark) { :root { --deep: #8cc4ec; --bar: #2c4a61; } }
body { max-width: 50rem; }
header { border-bottom: 3px solid var(--deep); padding-bottom: 1rem; }
.kind { color: var(--deep); font-weight: 600; letter-spacing: .04em; margin: 0; }
h1 { font-size: 2.1em; margin-top: .15rem; }
.lead { font-size: 1.1em; color: var(--soft); margin: 0; }
h2 { color: var(--deep); border-bottom: 1px solid var(--line); padding-bottom: .25rem; }
h3 { font-size: 1.08em; margin: 1.6rem 0 .3rem; }
h4 { font-size: 1em; margin: 0; } p + h4, ul + h4, .wide + h4 { margin-top: .8rem; }
ul, ol { margin: .35rem 0; padding-left: 1.3rem; }
li { margin: .15rem 0; }
a { color: inherit; text-decoration: none; }
nav a:hover, .term a:hover { text-decoration: underline; }
.soft { color: var(--soft); }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr));
  gap: .7rem 1.5rem; margin: 1.1rem 0 0; }
.facts dt { color: var(--soft); font-size: .85em; }
.facts dd { margin: 0; font-weight: 600; }
nav ol { columns: 2; column-gap: 2rem; } nav li { margin: 0 0 .3rem; }
.rule { display: grid; grid-template-columns: 6em 1fr; gap: 0 1em; padding: .55em 0;
  border-top: 1px solid var(--line); }
.rule .code { font-size: .88em; color: var(--soft); font-variant-numeric: tabular-nums;
  padding-top: .1em; }
.rule p { margin: .1em 0; } .rule ul { margin: .1em 0; }
.rule b, .figure, .id { white-space: nowrap; }
.rule .note { font-size: .86em; color: var(--soft); margin: .2em 0 0; }
.otherwise { font-weight: 600; color: var(--bad); }
.otherwise.refer { color: var(--note); }
.quote { font-style: italic; }
.box { background: var(--band); border-left: 4px solid var(--deep); padding: .6rem 1rem;
  margin: .8rem 0; }
.box.bad { border-color: var(--bad); }
.box p:first-child { margin-top: 0; } .box p:last-child { margin-bottom: 0; }
table { width: 100%; margin: .5em 0; }
th { font-size: .92em; }
.money td:not(:nth-child(4)) { white-space: nowrap; }
.data { table-layout: fixed; } .data th { width: 15%; } .sources th:first-child { width: 25%; }
.data th:nth-child(n+2):nth-child(-n+4) { width: 24%; }
dl.terms dt { font-weight: 600; margin-top: .7rem; }
dl.terms dd { margin: .05rem 0 0; }
.change { padding: .45rem 0; border-top: 1px solid var(--line); }
.change h4 .soft { font-weight: 400; }
.change .was { color: var(--soft); text-decoration: line-through; }
.periods col:first-child { width: 22%; }
.periods .bar { background: var(--bar); border-left: 2px solid var(--back); padding-left: .4rem; }
.periods .now { background: var(--band); }
.periods tbody th { color: var(--deep); padding-top: .8rem; }
.digest { font-size: .82em; }
footer { margin-top: 2.5rem; border-top: 1px solid var(--line); padding-top: .6rem;
  color: var(--soft); font-size: .82em; }
@media print {
  :root { --deep: #12395a; --bar: #d4e2ee; }
  h1 { font-size: 22pt; } h2 { font-size: 14pt; margin-top: 1.5em; } h3 { font-size: 11.5pt; }
  section > p { break-after: avoid; } p { break-inside: avoid; }
  .rule, .change, .box, dl.terms div { break-inside: avoid; }
  .periods tbody tr:first-child { break-after: avoid; }
  .box, .bar, .now { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
""".strip()
