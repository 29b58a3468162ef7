"""
A disclosure on paper and in a terminal, in the order and with the labels of the law.

Its Itemization of Amount Financed is a document of its own, which is attached: it begins with the
line `given-directly`, and is on the next page (10 CCR 956, 23 NYCRR 600.17).
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Final, TypeAlias

from holdback.disclosures.derivation import Step
from holdback.disclosures.disclosure import Disclosure
from holdback.errors import printable
from holdback.merchant.disclosure import DisclosedLine, OfferDisclosure
from holdback.tools.displays.page import page_lines, text

__all__ = ["disclosure_page"]

# What was computed from figures by hand, and the reply of the operation `disclose`.
Shown: TypeAlias = Disclosure | OfferDisclosure
_Lines: TypeAlias = Sequence[DisclosedLine]

ITEMIZATION: Final = "Itemization of Amount Financed"
DERIVATION: Final = "How each figure is computed"
_FIRST_ITEMIZED: Final = "given-directly"
_SIGNED: Final = ("Recipient Signature", "Date")
_WIDTH: Final = 96
_LABEL: Final = 50
# A longer value is a text, which is not in bold.
_FIGURE: Final = 40

_STYLE: Final = """
body { max-width: 52rem; }
h1 { font-size: 1.35em; } h2 { font-size: 1.2em; margin: 2.5rem 0 .4rem; }
table { width: 100%; border: 1px solid var(--text); font-size: .95em; }
tbody th, td { padding: .35rem .6rem; border: 1px solid var(--text); }
thead th { padding: 0; border: 0; line-height: 0; }
tbody th { color: var(--text); width: 26%; }
td.figure, td.words { width: 20%; }
td.figure { font-weight: 600; }
td p { margin: 0; } td p + p { margin-top: .4rem; }
.amounts tbody th { width: auto; font-weight: 400; }
.amounts td { width: 30%; text-align: right; white-space: nowrap; }
.foot { margin: .9rem 0 0; }
.sign { display: grid; grid-template-columns: 2fr 1fr; gap: 0 2rem; margin: 2.2rem 0 0; }
.sign p { border-top: 1px solid var(--text); padding-top: .2rem; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
@page { size: auto; margin: 10mm 13mm; }
@media print {
  body { font-size: 10pt; line-height: 1.22; padding: 0 1px; }
  h1 { font-size: 13pt; } h2 { font-size: 12pt; margin-top: 0; }
  tbody th, td { padding: .7mm 1.6mm; }
  .attached { break-before: page; }
  .sign { margin-top: 9mm; }
}
"""


def disclosure_page(disclosure: Shown, *, signed: bool) -> Iterator[str]:
    """
    Yield the lines of the page: the disclosure, and on the next one what is attached to it.

    One that is *signed* has lines for the signature and its date.
    """
    return page_lines(disclosure.title, _parts(disclosure, signed=signed), _STYLE)


def _parts(disclosure: Shown, *, signed: bool) -> Iterator[str]:
    shown, itemized = split_lines(disclosure)
    yield f"<h1>{text(disclosure.title)}</h1>"
    yield from _table(disclosure.title, shown)
    yield from (f'<p class="foot">{text(words)}</p>' for words in disclosure.foot)
    if signed:
        lines = "".join(f"<p>{text(words)}</p>" for words in _SIGNED)
        yield f'<div class="sign">{lines}</div>'
    if itemized:
        yield f'<section class="attached"><h2>{text(ITEMIZATION)}</h2>'
        yield from _table(ITEMIZATION, itemized, ' class="amounts"')
        yield "</section>"


def _table(title: str, lines: _Lines, look: str = "") -> Iterator[str]:
    """A table of *lines*, with a third column where there are sentences."""
    has_sentences = any(line.sentences for line in lines)
    heads = ("Item", "Figure", "Explanation")[: 3 if has_sentences else 2]
    cells = "".join(f'<th scope="col"><span class="unseen">{head}</span></th>' for head in heads)
    yield f'<table{look}><caption class="unseen">{text(title)}</caption>'
    yield f"<thead><tr>{cells}</tr></thead><tbody>"
    for line in lines:
        said = "".join(f"<p>{text(sentence)}</p>" for sentence in line.sentences)
        # A value without sentences has their place as well.
        wide = ' colspan="2"' if has_sentences and not said else ""
        kind = "figure" if len(line.value) <= _FIGURE else "words"
        value = f'<td class="{kind}"{wide}>{text(line.value)}</td>'
        label = f'<th scope="row">{text(line.label)}</th>'
        yield f"<tr>{label}{value}{f'<td>{said}</td>' if said else ''}</tr>"
    yield "</tbody></table>"


def split_lines(disclosure: Shown) -> tuple[_Lines, _Lines]:
    """Return the lines of the *disclosure* itself, and those of the itemization."""
    ids = [line.id for line in disclosure.lines]
    end = ids.index(_FIRST_ITEMIZED) if _FIRST_ITEMIZED in ids else len(ids)
    return disclosure.lines[:end], disclosure.lines[end:]


def disclosure_lines(disclosure: Shown, *, signed: bool) -> Iterator[str]:
    """Yield the lines of the *disclosure* in a terminal, with one to sign where it is *signed*."""
    shown, itemized = split_lines(disclosure)
    yield printable(disclosure.title)
    yield ""
    for line in shown:
        yield from _row(line)
    for words in disclosure.foot:
        yield ""
        yield from _wrapped(words)
    if signed:
        yield ""
        yield f"{_SIGNED[0]} {'_' * 40}  {_SIGNED[1]} {'_' * 20}"
    if itemized:
        yield from ("", ITEMIZATION, "")
        for line in itemized:
            yield from _row(line)


def _row(line: DisclosedLine) -> Iterator[str]:
    labels = textwrap.wrap(printable(line.label), _LABEL)
    values = textwrap.wrap(printable(line.value), _WIDTH - _LABEL - 2)
    for label, value in zip_longest(labels, values, fillvalue=""):
        yield f"{label:<{_LABEL}}  {value}".rstrip()
    for sentence in line.sentences:
        yield from _wrapped(sentence, "    ")


def _wrapped(words: str, margin: str = "") -> list[str]:
    return textwrap.wrap(printable(words), _WIDTH, initial_indent=margin, subsequent_indent=margin)


def derivation_lines(steps: Iterable[Step]) -> Iterator[str]:
    """Yield how each figure is computed, for a terminal."""
    for step in steps:
        yield f"{step.name} {step.value:>{38 - len(step.name)}}  = {step.formula}"
        choices = f" ({', '.join(step.choices)})" if step.choices else ""
        yield f"{'':<39}  = {step.numbers}"
        yield f"{'':<41}  {step.source}{choices}"
