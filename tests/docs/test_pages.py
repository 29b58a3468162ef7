"""What the pages promise: the whole front door, every "not shown", and every row of the code's tables."""

from __future__ import annotations

import html
import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

import holdback
from holdback import portfolio, wire
from holdback.errors import REFUSALS
from holdback.facts import catalogue
from holdback.lifecycle.transitions import TABLE
from holdback.money import Currency
from holdback.offers.registry import BUILT_IN
from holdback.rules import GRAMMAR, OPERATORS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
README = ROOT / "README.md"

# Every sentence of the specification that says that something is not shown, or to be determined, by section.
NOT_SHOWN = (
    ("1.", "a renewal eligibility webhook, which is marked as to be determined"),
    ("2.1", "Fields of consents, applicants, company: not shown."),
    ("2.2", "exact format: not shown."),
    ("2.2", "Units of monetary amounts and of term_length: not shown."),
    ("2.4", "Fields of the offer object in the accept response: not shown."),
    ("2.4", "Other keys of links: not shown."),
    ("2.5", "Fields of pricing and transactions: not shown."),
    (
        "2.5",
        (
            "Complete sets of values for decision, offer_status, repayment_mechanism, deal status, "
            "deal type and account_type: not shown beyond those listed."
        ),
    ),
    ("3.", "Transitions among deal statuses, offer statuses and decisions: not shown."),
    ("4.", "Method and path of the merchant endpoint: not shown."),
    ("4.", "Passing of provider_id to it: not shown."),
    ("4.", "Success status codes of all endpoints: not shown."),
    ("5.", "Authentication: not shown."),
    ("6.", "Its name, payload and delivery: not shown."),
    ("6.", "No other events are shown."),
    ("7.", "Error body format and other error codes: not shown."),
    ("8.", "Rate limits and size limits: not shown."),
    ("9.", "Versions other than v2 and any deprecation policy: not shown."),
)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The text of each built page, by its name; the build has no warning."""
    out = tmp_path_factory.mktemp("html")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html"]
    done = subprocess.run(
        [*command, "-d", str(out / "doctrees"), str(DOCS), str(out)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return {
        path.relative_to(out).as_posix(): path.read_text(encoding="utf-8")
        for path in out.rglob("*.html")
    }


def words(page):
    """The text of an HTML page without its tags."""
    return html.unescape(re.sub(r"<[^>]+>", "", page))


def code(page):
    """What stands in code type on an HTML page."""
    found = re.findall(r"<code[^>]*>(.*?)</code>", page, re.DOTALL)
    return {words(each) for each in found}


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
    assert GRAMMAR in words(built["reference/language.html"])


PAGES = sorted(DOCS.rglob("*.md"))


def generator():
    """The module that makes the tables, which lies beside the pages."""
    spec = importlib.util.spec_from_file_location(
        "tables_of_pages", DOCS / "_ext" / "generated_tables.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_tables_in_the_pages_are_those_of_the_code():
    """
    "reference (generated where it can be)" (design 3), and there for whoever reads the pages as Markdown.
    """
    made = generator()
    named = [name for page in PAGES for name in re.findall(r"generated: (\w+)", page.read_text())]

    assert sorted(named) == sorted(made.TABLES)
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert made.renewed(text) == text, f"{page}: python docs/_ext/generated_tables.py"


def test_the_pictures_show_every_transition(built):
    """
    "one literal table from which the docs draw a diagram" (issue 2, item 6)
    """
    page = built["reference/lifecycle.html"]
    pictures = re.findall(r'<svg class="states".*?</svg>', page, re.DOTALL)
    things = list(dict.fromkeys(row.subject for row in TABLE))

    assert len(pictures) == len(things)
    for thing, picture in zip(things, pictures, strict=True):
        rows = [row for row in TABLE if row.subject == thing]
        states = {row.next for row in rows}
        drawn = re.findall(r'<text class="name"[^>]*>([^<]+)<', picture)
        assert sorted(drawn) == sorted(states)
        assert picture.count('class="head"') == len({(row.state, row.next) for row in rows})
        shown = set(re.findall(r'<text class="trigger"[^>]*>([^<]+)<', picture))
        assert shown == {"time passes" if row.trigger == "time" else row.trigger for row in rows}


def test_the_front_door_is_documented_exactly(built):
    """
    "docs == `__all__`": each name of the front door has an entry, and nothing else of `holdback` has.
    """
    page = built["reference/api.html"]
    entries = set(re.findall(r'<dt[^>]* id="holdback\.([A-Za-z_]+)"', page))

    assert entries | {"wire"} == set(holdback.__all__)
    assert 'id="module-holdback.wire"' in page


def test_the_portfolio_is_documented_exactly(built):
    """
    "docs == `__all__`", for the module that an analyst imports.
    """
    page = built["reference/portfolio.html"]
    entries = re.findall(r'<dt[^>]* id="holdback\.portfolio\.([A-Za-z_]+)"', page)

    assert sorted(entries) == sorted(portfolio.__all__)


@pytest.mark.parametrize("name", ["api", "portfolio"])
def test_signatures_read_well(built, name):
    """
    No name that only attrs or Sphinx knows stands in a signature.
    """
    page = words(built[f"reference/{name}.html"])

    assert not re.findall(
        r"NOTHING|attr_dict|TypeAliasForwardRef|MappingProxyType|\*\*kwargs", page
    )


def test_every_not_shown_has_an_answer():
    """
    "`not-shown.md` with every "not shown" of the specification and what holdback does about it"
    """
    page = (DOCS / "explanation" / "not-shown.md").read_text(encoding="utf-8")
    sections = dict(
        re.findall(r"^## (\S+) [^\n]*\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    )
    rows = {
        (number, each): answer.strip()
        for number, text in sections.items()
        for quoted, answer in re.findall(r"^\| (.+?) \| (.+) \|$", text, re.MULTILINE)
        for each in re.findall(r'"([^"]+)"', quoted)
    }

    for number, phrase in NOT_SHOWN:
        assert rows.get((number, phrase)), f"{number} {phrase}"


def test_readme_commands_are_as_ci_finds_them():
    """
    "one command that installs and runs `holdback demo` in a fresh virtual environment, [...] one that
    installs and passes the tests" (issue 2, item 8)
    """
    lines = README.read_text(encoding="utf-8").splitlines()
    commands = [line for line in lines if line.startswith("python3 -m venv ")]

    assert [line.split()[-1].rpartition("/")[2] for line in commands] == ["demo", "pytest"]


@pytest.mark.parametrize(
    "page",
    [README, *sorted(DOCS.rglob("*.md"))],
    ids=lambda path: path.relative_to(ROOT).as_posix(),
)
def test_links_lead_somewhere(page):
    """
    A link to a file leads to a file of the project.
    """
    text = page.read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text)
    for link in links:
        if not re.match(r"[a-z]+:", link):
            assert (page.parent / link).exists(), link
