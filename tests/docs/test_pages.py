"""The pages are complete: the public API, every open question, every row of the code's tables."""

from __future__ import annotations

import html
import importlib.util
import re
import tomllib

from repository import DECISIONS, DOCS, ROOT, SERVICE, anchor, read, sections, words

from holdback import wire
from holdback.eligibility.facts import catalogue
from holdback.errors import REFUSALS
from holdback.exact.money import Currency
from holdback.lifecycle.transitions import TABLE
from holdback.offers.registry import BUILT_IN
from holdback.rules.operators import OPERATORS
from holdback.rules.parser import GRAMMAR

README = ROOT / "README.md"
# The options of pytest in the README, `.ci/run` and the page on the tests.
ON_TWO_CORES = "-n 2 --dist worksteal"


def text_of(page):
    """The text of an HTML page without its tags."""
    return html.unescape(re.sub(r"<[^>]+>", "", page))


def code(page):
    """The texts in code type on an HTML page."""
    return {text_of(part) for part in re.findall(r"<code[^>]*>(.*?)</code>", page, re.DOTALL)}


def test_the_reference_is_complete(built):
    """
    Every refusal, fact, operator, event, calculator and setting of the code is on its page.
    """
    facts = catalogue(Currency.of("GBP")).facts

    assert code(built["reference/refusals.html"]) >= set(REFUSALS)
    assert code(built["reference/facts.html"]) >= {fact.name for fact in facts}
    assert code(built["reference/language.html"]) >= {row.signature for row in OPERATORS.values()}
    assert code(built["reference/events.html"]) >= set(wire.EVENT_TYPES)
    assert code(built["reference/calculators.html"]) >= set(BUILT_IN)
    assert GRAMMAR in text_of(built["reference/language.html"])


PAGES = sorted(DOCS.rglob("*.md"))


def generator():
    """The module that makes the tables, `docs/_ext/generated_tables.py`."""
    spec = importlib.util.spec_from_file_location(
        "tables_of_pages", DOCS / "_ext" / "generated_tables.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_tables_in_the_pages_are_those_of_the_code():
    """
    Generated tables stand in the pages, so that a reader of the Markdown has them too
    (decisions/documentation).
    """
    made = generator()
    named = [name for page in PAGES for name in re.findall(r"generated: (\w+)", page.read_text())]

    assert sorted(named) == sorted(made.TABLES)
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert made.renewed(text) == text, f"{page}: python docs/_ext/generated_tables.py"


def test_the_pictures_show_every_transition(built):
    """
    The diagrams are drawn from the table of transitions, and show all of it.
    """
    page = built["reference/lifecycle.html"]
    pictures = re.findall(r'<svg class="states".*?</svg>', page, re.DOTALL)
    subjects = list(dict.fromkeys(row.subject for row in TABLE))

    assert len(pictures) == len(subjects)
    for subject, picture in zip(subjects, pictures, strict=True):
        rows = [row for row in TABLE if row.subject == subject]
        states = {row.next for row in rows}
        drawn = re.findall(r'<text class="name"[^>]*>([^<]+)<', picture)
        assert sorted(drawn) == sorted(states)
        assert picture.count('class="head"') == len({(row.state, row.next) for row in rows})
        shown = set(re.findall(r'<text class="trigger"[^>]*>([^<]+)<', picture))
        assert shown == {"time passes" if row.trigger == "time" else row.trigger for row in rows}


def test_signatures_read_well(built):
    """
    A signature has no name that only attrs or Sphinx knows.
    """
    page = text_of(built["reference/api.html"])

    assert not re.findall(
        r"NOTHING|attr_dict|TypeAliasForwardRef|MappingProxyType|\*\*kwargs", page
    )


def test_the_page_of_layers_lists_every_module():
    """
    The table of decisions/layers has each module once, from the bottom layer up.
    """
    layers = tomllib.loads(read(ROOT / "tests" / "architecture" / "layers.toml"))["layers"]
    rows = [row for layer in layers for row in layer["rows"]]
    heights = {module: -place for place, row in enumerate(rows) for module in row}
    listed = re.findall(r"^\| `([\w.]+)` \|", read(DECISIONS / "layers.md"), re.MULTILINE)

    assert sorted(listed) == sorted(heights.keys() - {"holdback"})
    assert listed == sorted(listed, key=heights.__getitem__)


def test_every_open_question_has_an_answer():
    """
    Each *Left open* of the service's page has a row in the page that answers them, in its section.
    """
    link = r"\*Left open:\* \[([^\]]+)\]\(\.\./explanation/not-shown\.md#(\S+)\)"
    opened = re.findall(link, read(SERVICE))
    page = read(DOCS / "explanation" / "not-shown.md")
    parts = re.split(r"^## (.+)$", page, flags=re.MULTILINE)
    answers = {
        (anchor(heading), words(quote))
        for heading, text in zip(parts[1::2], parts[2::2], strict=True)
        for question, answer in re.findall(r"^\| (.+?) \| (.+) \|$", text, re.MULTILINE)
        for quote in re.findall(r'"([^"]+)"', question)
        if answer.strip()
    }

    assert len(opened) == read(SERVICE).count("*Left open:*") == 18
    for phrase, section in opened:
        assert (section, words(phrase)) in answers, f"{section}: {phrase}"


def test_questions_quote_the_service():
    """
    A quoted phrase in the page of open questions stands in that section of the service's page.
    """
    page = read(DOCS / "explanation" / "not-shown.md")
    parts = re.split(r"^## (\d(?:\.\d)?)\.? .+$", page, flags=re.MULTILINE)
    held = sections()
    for number, text in zip(parts[1::2], parts[2::2], strict=True):
        # Section 4 is answered in one table, with its subsections.
        section = " ".join(text for key, text in held.items() if key.startswith(number))
        for question in re.findall(r"^\| (.+?) \| .+ \|$", text, re.MULTILINE):
            for quote in re.findall(r'"([^"]+)"', question):
                assert words(quote) in section, f"{number}: {quote}"


def test_readme_commands_are_as_ci_finds_them():
    """
    One command of the README runs `holdback demo` in a fresh environment, and one runs the
    tests on two cores; `.ci/run` runs both.
    """
    lines = README.read_text(encoding="utf-8").splitlines()
    commands = [line for line in lines if line.startswith("python3 -m venv ")]

    assert [line.partition(".venv/bin/holdback ")[2] for line in commands] == ["demo", ""]
    assert [line.partition(".venv/bin/pytest ")[2] for line in commands] == ["", ON_TWO_CORES]
    for path in (".ci/run", "docs/explanation/tests.md"):
        assert f"pytest {ON_TWO_CORES}" in (ROOT / path).read_text(encoding="utf-8").replace(
            '"', ""
        )
