"""The files of the repository that people read, for the tests of its prose and its citations."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
SERVICE = DOCS / "reference" / "service.md"
DECISIONS = DOCS / "decisions"

# Where somebody wrote prose, and the kinds of file that hold it.
FOLDERS = ("src", "tests", "docs", "benchmarks", "jurisdictions/schema", ".ci")
SUFFIXES = {".py", ".md", ".toml", ".json", ".yaml", ".yml", ".txt", ".html", ""}
NOT_PROSE = {"_build", "__pycache__", "golden", "bundled"}


def _is_prose(path: Path) -> bool:
    return path.is_file() and path.suffix in SUFFIXES and NOT_PROSE.isdisjoint(path.parts)


FILES = {
    path.relative_to(ROOT).as_posix(): path
    for path in sorted(
        [
            *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if _is_prose(path)),
            *ROOT.glob("*.md"),
            ROOT / "pyproject.toml",
        ]
    )
}
PAGES = {
    name: path
    for name, path in FILES.items()
    if path.suffix == ".md" and (path.is_relative_to(DOCS) or path.parent == ROOT)
}

_FENCED = re.compile(r"^(```+).*?^\1$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#{1,6} +(.+?)\s*$", re.MULTILINE)
_TARGET = re.compile(r"^\(([\w-]+)\)=$", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")


def read(path: Path) -> str:
    """The text of *path*."""
    return path.read_text(encoding="utf-8")


def line_of(text: str, position: int) -> int:
    """The number of the line in which *position* is."""
    return text.count("\n", 0, position) + 1


def anchor(heading: str) -> str:
    """
    The anchor of *heading*, as GitHub and MyST make it.

    >>> anchor("4.2 POST /offers/{offer_id}/accept")
    '42-post-offersoffer_idaccept'
    """
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors(path: Path) -> set[str]:
    """The anchors of the page *path*: of its headings, and those that are written out."""
    text = _FENCED.sub("", read(path))
    return {anchor(heading) for heading in _HEADING.findall(text)} | set(_TARGET.findall(text))


def words(text: str) -> str:
    """
    *text* without the markup of Markdown, with single spaces.

    >>> words("*Left open:* [the `limits`](x.md)")
    'Left open: the limits'
    """
    return " ".join(re.sub(r"[`*]", "", _LINK.sub(r"\1", text)).split())


def sections() -> dict[str, str]:
    """The sections of the service's page: their words by number, each without its subsections."""
    parts = re.split(r"^#{2,3} (\d(?:\.\d)?)\.? [^\n]*$", read(SERVICE), flags=re.MULTILINE)
    return {number: words(text) for number, text in zip(parts[1::2], parts[2::2], strict=True)}
