"""
Every citation leads somewhere (decisions/documentation).

`service 2.1` cites a section of `docs/reference/service.md`; `decisions/deals` and
`decisions/deals#balance` cite a page of `docs/decisions` or one of its headings.
"""

from __future__ import annotations

import ast
import re

import pytest
from repository import (
    DECISIONS,
    FILES,
    PAGES,
    ROOT,
    SERVICE,
    anchors,
    line_of,
    read,
    sections,
    words,
)

HERE = "tests/docs/test_citations.py"
SECTIONS = sections()

# A citation may continue on the next line of a comment.
_GAP = r"\s+(?:#\s*)?"
_NUMBERS = rf"\d(?:\.\d)?(?:(?:,|{_GAP}and){_GAP}\d(?:\.\d)?)*"
CITED_SECTIONS = re.compile(rf"\bservice{_GAP}({_NUMBERS})(?![\d%]|,\d)")
CITED_DECISIONS = re.compile(r"(?<![\w-])decisions/([a-z][a-z-]*)(?:\.md)?(?:#([\w-]+))?")
LINKS = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")
QUOTED = re.compile(r'"([^"]+)"')
QUOTED_SECTION = re.compile(rf'"([^"\n]{{8,}})"{_GAP}\(service{_GAP}(\d(?:\.\d)?)\b')

# Citations of documents that are not in the repository.
UNAVAILABLE = {
    r"\bdesign \d": "cite a page of docs/decisions, such as decisions/deals",
    r"\bdesign's\b": "cite a page of docs/decisions",
    r"\bspec \d": "cite a section of docs/reference/service.md, such as service 2.1",
    r"\(issue\b": "describe the requirement, or cite a page",
    r"\bissue \d": "describe the requirement, or cite a page",
    r"\bhazards\b": "describe the risk, or cite a page of docs/decisions",
    r"\bnotes/\w": "cite a page of docs/decisions",
    r"\b(?:the|first|see) notes\b": "cite a page of docs/decisions",
}


def numbers(match):
    """The section numbers of a citation, which may name several."""
    return re.findall(r"\d(?:\.\d)?", match[1])


def cases_in(path):
    """The test functions of *path* that have a docstring, each with that docstring."""
    for node in ast.walk(ast.parse(read(path))):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield node.name, ast.get_docstring(node) or ""


@pytest.fixture(scope="module")
def texts():
    return {name: read(path) for name, path in FILES.items() if name != HERE}


def test_cited_sections_exist(texts):
    """
    Every `service N` names a section of the service's page.
    """
    wrong = [
        f"{name}:{line_of(text, match.start())}: service {number}"
        for name, text in texts.items()
        for match in CITED_SECTIONS.finditer(text)
        for number in numbers(match)
        if number not in SECTIONS
    ]

    assert not wrong, "\n".join(wrong)


def test_cited_decisions_exist(texts):
    """
    Every `decisions/NAME` names a page, and `#anchor` one of its headings.
    """
    wrong = []
    for name, text in texts.items():
        for match in CITED_DECISIONS.finditer(text):
            page = DECISIONS / f"{match[1]}.md"
            if not page.exists() or (match[2] and match[2] not in anchors(page)):
                wrong.append(f"{name}:{line_of(text, match.start())}: {match[0]}")

    assert not wrong, "\n".join(wrong)


def test_unavailable_documents_are_not_cited(texts):
    """
    A reader has the repository alone, so nothing else is cited.
    """
    wrong = [
        f"{name}:{line_of(text, match.start())}: {match[0]}: {instead}"
        for pattern, instead in UNAVAILABLE.items()
        for name, text in texts.items()
        for match in re.finditer(pattern, text, re.IGNORECASE)
    ]

    assert not wrong, "\n".join(wrong)


def test_quotes_are_in_the_cited_section():
    """
    A quote in a test of the service is a phrase of a section that the test cites.
    """
    wrong = []
    for path in sorted((ROOT / "tests" / "service").glob("test_*.py")):
        for name, docstring in cases_in(path):
            cited = [n for match in CITED_SECTIONS.finditer(docstring) for n in numbers(match)]
            wrong += [
                f"{path.name}: {name}: {quote}"
                for quote in QUOTED.findall(docstring)
                if not any(words(quote) in SECTIONS[number] for number in cited)
            ]

    assert not wrong, "\n".join(wrong)


def test_quotes_elsewhere_are_in_the_cited_section(texts):
    """
    Anywhere, a quote directly in front of `(service N)` is a phrase of that section.
    """
    wrong = [
        f"{name}:{line_of(text, match.start())}: {match[0]}"
        for name, text in texts.items()
        for match in QUOTED_SECTION.finditer(text)
        if words(match[1]) not in SECTIONS[match[2]]
    ]

    assert not wrong, "\n".join(wrong)


def test_every_test_of_the_service_cites_what_it_holds():
    """
    A test of the service cites a section or a decision.
    """
    without = [
        f"{path.name}: {name}"
        for path in sorted((ROOT / "tests" / "service").glob("test_*.py"))
        for name, docstring in cases_in(path)
        if not (CITED_SECTIONS.search(docstring) or CITED_DECISIONS.search(docstring))
    ]

    assert not without, "\n".join(without)


def test_every_section_is_held_by_a_test():
    """
    Each section of the service's page is cited by a test.
    """
    cited = {
        number
        for name, path in FILES.items()
        if name.startswith("tests/") and name.endswith(".py")
        for _, docstring in cases_in(path)
        for match in CITED_SECTIONS.finditer(docstring)
        for number in numbers(match)
    }

    assert SECTIONS.keys() - cited == set()


def test_the_sections_are_numbered_in_order():
    """
    The numbers of the sections are fixed, because citations depend on them.
    """
    assert list(SECTIONS) == [
        *("1", "2", "2.1", "2.2", "2.3", "2.4", "2.5"),
        *("3", "4", "4.1", "4.2", "4.3"),
        *("5", "6", "7", "8", "9"),
    ]


def test_the_index_of_decisions_is_complete():
    """
    The tables of the index have one row for each page.
    """
    index = read(DECISIONS / "index.md")
    rows = re.findall(r"^\| \[[^\]]+\]\(([a-z-]+)\.md\) \| .+ \|$", index, re.MULTILINE)

    assert sorted(rows) == sorted(
        page.stem for page in DECISIONS.glob("*.md") if page.stem != "index"
    )


def leads_somewhere(page, link, target):
    """Whether *link* in *page* leads to a file, and to the anchor *target* if it is a page."""
    path = page.parent / link if link else page
    return path.exists() and (not target or path.suffix != ".md" or target in anchors(path))


def test_links_lead_somewhere():
    """
    A link to a file leads to a file of the repository, and to an anchor that the page has.
    """
    wrong = [
        f"{name}: {link}#{target}"
        for name, page in PAGES.items()
        for link, target in LINKS.findall(read(page))
        if not re.match(r"[a-z]+:", link) and not leads_somewhere(page, link, target)
    ]

    assert not wrong, "\n".join(wrong)


def test_the_search_finds_a_wrong_citation():
    """
    The patterns match what they are for, also across the lines of a comment.
    """
    text = "# as in service\n# 9.9 and 2.1, or decisions/no-such#part"

    assert [numbers(match) for match in CITED_SECTIONS.finditer(text)] == [["9.9", "2.1"]]
    assert CITED_DECISIONS.findall(text) == [("no-such", "part")]
    assert SERVICE.exists()
