"""What a notebook shows of rulebooks, deals, offers and merchants: short, escaped, and readable."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest

from display_samples import shown
from holdback.testing import payloads
from holdback.tools.displays import elements
from journey import BANK

HOSTILE = '</script><img src="x" onerror="alert(1)">&'
NAMES = sorted(shown())
MOST_BYTES = 60_000
# What a partner sends about a person.
PERSON = json.loads(json.dumps(payloads.PROFILE, default=dict))
MOST_LETTERS = 300


class Tags(HTMLParser):
    """The tags, the attributes and the text of some HTML."""

    def __init__(self, html):
        super().__init__()
        self.open, self.tags, self.attributes, self.text = [], [], [], ""
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


@pytest.mark.parametrize("name", NAMES)
def test_a_display_is_small_and_well_formed(name):
    """
    A display is less than 60 KB, closes what it opens, and loads nothing: neither scripts, images
    nor links.
    """
    html = shown()[name]._repr_html_()
    tags = Tags(html)

    assert len(html.encode()) < MOST_BYTES
    assert tags.open == []
    assert not {"script", "img", "link", "style", "a", "iframe"} & set(tags.tags)
    assert "url(" not in html


@pytest.mark.parametrize("name", NAMES)
def test_a_display_takes_the_colours_of_the_page(name):
    """
    A display has no colours of its own, so that it can be read in a light and in a dark notebook:
    its lines are half transparent, and nothing else is coloured.
    """
    styles = [value for _, kind, value in Tags(shown()[name]._repr_html_()).attributes]

    assert not any(re.search(r"(^|;)\s*(color|background)", str(style)) for style in styles)


@pytest.mark.parametrize("name", NAMES)
def test_every_table_has_a_title_and_heads(name):
    """
    Each table has a caption, and each head says whether it is of a column or of a row.
    """
    tags = Tags(shown()[name]._repr_html_())
    scopes = [value for tag, kind, value in tags.attributes if (tag, kind) == ("th", "scope")]

    assert tags.tags.count("caption") == tags.tags.count("table")
    assert len(scopes) == tags.tags.count("th")
    assert set(scopes) <= {"col", "row"}


@pytest.mark.parametrize("name", NAMES)
def test_a_repr_is_one_short_line(name):
    """
    The `repr` of each is one line that fits a screen.
    """
    line = repr(shown()[name])

    assert "\n" not in line
    assert len(line) < MOST_LETTERS


@pytest.mark.parametrize("name", ["merchant", "deal", "offers", "offer-set", "offer", "product"])
def test_nothing_of_a_person_is_shown(name):
    """
    Neither a display nor a `repr` has a name, an address, bank details, consents or the digests of
    the profile's sections.
    """
    thing = shown()[name]
    seen = thing._repr_html_() + repr(thing)
    private = [*texts(PERSON), BANK.account_number, BANK.bank_name, BANK.sort_code]
    private += [str(value) for value in getattr(thing, "sections", {}).values()]

    assert len(private) >= 7
    assert [text for text in private if len(text) > 3 and text in seen] == []


def texts(value):
    """Every text in a document."""
    if isinstance(value, dict):
        return [text for inner in value.values() for text in texts(inner)]
    if isinstance(value, list):
        return [text for inner in value for text in texts(inner)]
    return [value] if isinstance(value, str) else []


def test_a_rulebook_shows_its_rules_in_words_and_its_thresholds():
    """
    A rulebook has every rule in words with its code, source and day, and every threshold with its
    value, its source and the rules that read it.
    """
    rulebook = shown()["rulebook"]
    text = Tags(rulebook._repr_html_()).text

    assert all(rule.code in text and rule.source in text for rule in rulebook.renewal.rules)
    assert "The performance must be at least the minimum performance of 80%." in text
    assert all(parameter.source in text for parameter in rulebook.parameters.values())
    assert repr(rulebook) == (
        f"<Rulebook GB on 2026-07-01: {len(rulebook.renewal.rules)} rules, 2 products, "
        f"digest {elements.short_digest(rulebook.digest)}>"
    )


def test_a_proposal_says_so():
    """
    A proposal is called one, with what it changes; its own figures have no source but that.
    """
    proposal = shown()["proposal"]
    text = Tags(proposal._repr_html_()).text

    assert "a proposal" in text
    assert all(sentence in text for sentence in proposal.proposal)
    assert "85%read" not in text
    assert re.search(r"85%.*proposed", text)
    assert "minimum_performance is 85% instead of 80%" in repr(proposal)


def test_a_jurisdiction_shows_what_changes_when():
    """
    A jurisdiction has a line for each day on which something changes; the jurisdictions have a line
    for each of them.
    """
    loaded, british = shown()["jurisdictions"], shown()["jurisdiction"]
    text = Tags(british._repr_html_()).text

    assert all(str(day) in text for day in british.changes)
    assert all(code in Tags(loaded._repr_html_()).text for code in loaded.codes)


def test_an_assessment_shows_values_against_thresholds():
    """
    A reason has the value and what was required; the trace has every rule in words.
    """
    assessment = shown()["assessment"]
    text = Tags(assessment._repr_html_()).text

    assert "76%" in text
    assert "at least 80%" in text
    assert all(rule.code in text for rule in assessment.ruleset.rules)
    assert repr(assessment).startswith("<Assessment ineligible, GB-R-02: GB on 2026-07-01, ")
    assert "missing performance" in repr(shown()["undetermined"])


def test_a_summary_shows_totals_shares_and_rules():
    """
    A summary has its totals, the share of each outcome, thousands, and each rule in words.
    """
    summary = shown()["summary"]
    text = Tags(summary._repr_html_()).text
    eligible = sum(line.deals for line in summary.outcomes if line.what == "eligible")

    assert f"{summary.deals} deals{eligible} eligible (" in text
    assert re.search(r"GBP \d{1,3},\d{3}", text)
    assert "The performance must be at least the minimum performance of 80%." in text
    assert repr(summary).startswith(f"<Summary of {summary.deals} deals: {eligible} eligible, ")


def test_a_comparison_shows_what_changes():
    """
    A comparison says how many of the deals change, and which rules decide otherwise.
    """
    comparison = shown()["comparison"]
    text = Tags(comparison._repr_html_()).text

    assert f"{comparison.changes} of {comparison.deals} deals change" in text
    assert repr(comparison) == (
        f"<Comparison of {comparison.deals} deals: {comparison.changes} change>"
    )


def test_hostile_texts_are_escaped():
    """
    Every text is escaped, in titles and attributes too.
    """
    html = elements.display(
        elements.heading(HOSTILE, [HOSTILE]),
        elements.table(HOSTILE, [HOSTILE], [[HOSTILE]]),
        elements.section(HOSTILE, elements.sentences(HOSTILE, [HOSTILE])),
        elements.facts(HOSTILE, [(HOSTILE, HOSTILE)]),
    )
    tags = Tags(html)

    assert not {"img", "script"} & set(tags.tags)
    assert HOSTILE in tags.text
    assert ("div", "aria-label", HOSTILE) in tags.attributes


def test_a_long_table_is_cut():
    """
    A table shows its first 100 rows, and says how many more there are.
    """
    html = elements.table("Rows", ["row"], [[row] for row in range(1203)])

    assert html.count("<tr") == elements.MOST_ROWS + 1
    assert "And 1,103 more rows." in html
