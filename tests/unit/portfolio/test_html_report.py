"""A self-contained HTML report."""

from __future__ import annotations

import re
from decimal import Decimal
from html.parser import HTMLParser

from holdback.portfolio import to_html
from holdback.portfolio.answers.answer_table import AnswerTable

HEADS = ("jurisdiction", "outcome", "deals", "share", "balance", "currency")


def answer(*rows, **more):
    """An answer to the question of outcomes."""
    return AnswerTable(**{"question": "outcomes", "title": "Deals"} | more, heads=HEADS, rows=rows)


ROW = ("GB", "eligible", 1200, Decimal("0.4"), Decimal("811724.83"), "GBP")


class Addresses(HTMLParser):
    """The addresses that a page loads or links to, and the elements that it runs."""

    def __init__(self, page):
        super().__init__()
        self.addresses, self.tags = [], set()
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        names = ("href", "src", "xlink:href", "action", "data")
        self.addresses += [value for name, value in attrs if name in names]


def test_the_page_needs_nothing_else():
    """
    The page needs no other file and asks the network for nothing.
    """
    page = to_html([answer(ROW)])
    found = Addresses(page)

    assert found.addresses == ["#answer-1"]
    assert not found.tags & {"script", "link", "img", "iframe", "object", "base"}
    assert not re.search(r"@import|url\((?!#)", page)


def test_each_answer_has_a_picture_a_table_and_notes():
    """
    A picture, a table and its sentences for each.
    """
    page = to_html([answer(ROW, notes=("A proposal.",)), answer(title="None")], title="Renewals")

    assert "<title>Renewals</title>" in page
    assert page.count("<section") == 2
    # A broad picture and a narrow one; there is nothing to draw of an answer without rows.
    assert page.count("<svg") == 2
    assert "811,724.83" in page
    assert "A proposal." in page


def test_texts_are_never_markup():
    """
    Texts of files and frames are shown, and never run.
    """
    hostile = "</title><script>alert(1)</script><img src=x onerror=alert(1)>"
    row = (hostile, hostile, *ROW[2:5], "GBP")
    page = to_html([answer(row, title=hostile, notes=(hostile,))], title=hostile)

    assert not Addresses(page).tags & {"script", "img"}


def test_a_page_has_all_rows():
    """
    The table of a page has every row, and is closed where it is long.
    """
    for count in (60, 61):
        rows = [(f"X{number}", *ROW[1:]) for number in range(count)]
        page = to_html(answer(*rows))
        assert all(f">X{number}<" in page for number in range(count))
        assert ("<summary>All 61 rows</summary>" in page) == (count == 61)
        assert "to_frame" not in page
