"""An assessment as HTML for a notebook."""

from __future__ import annotations

from datetime import date
from html.parser import HTMLParser

import attrs

from holdback.eligibility.assessment import assess
from journey import ENGINE

HOSTILE = '<script>alert("x")</script>&{performance}'
RULEBOOK = ENGINE.jurisdictions.resolve("GB", on=date(2026, 7, 1))


class Tags(HTMLParser):
    """The tags and the text of some HTML."""

    def __init__(self):
        super().__init__()
        self.tags, self.text = set(), ""

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)

    def handle_data(self, data):
        self.text += data


def read(html):
    tags = Tags()
    tags.feed(html)
    return tags


def test_outcome_reasons_needs_and_trace():
    """
    The HTML has the outcome, the reasons with their figures, the missing facts and the trace.
    """
    good = {"progress": "64%", "performance": "79.9999%", "status": "Funded"}
    ineligible = read(RULEBOOK.assess(good)._repr_html_())
    undetermined = read(RULEBOOK.assess({"progress": "64%"})._repr_html_())

    assert "ineligible" in ineligible.text
    assert "79.9999%" in ineligible.text
    assert "on-pace" in ineligible.text
    assert "Missing: performance" in undetermined.text
    assert f"{RULEBOOK.digest[:19]}" in ineligible.text
    assert RULEBOOK.digest not in ineligible.text


def test_text_from_files_is_escaped():
    """
    A rule's reason, id and code are escaped.
    """
    rules = RULEBOOK.renewal
    spoilt = rules.altered(
        jurisdiction=HOSTILE,
        rules=tuple(attrs.evolve(r, id=HOSTILE, code=HOSTILE, reason=HOSTILE) for r in rules.rules),
    )
    facts = RULEBOOK.catalogue.prepare({"progress": "64%", "performance": "10%"})
    shown = read(assess(spoilt, facts, RULEBOOK.on)._repr_html_())

    assert "script" not in shown.tags
    assert '<script>alert("x")</script>&10%' in shown.text
