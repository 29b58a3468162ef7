"""The glossary and the code use the same words, and each word for one meaning."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "holdback"
PAGE = (ROOT / "docs" / "reference" / "glossary.md").read_text(encoding="utf-8")
TERMS, SHARED, NOT_USED = re.split("^## (?:Names that|Words that) .*$", PAGE, flags=re.MULTILINE)
ROWS = re.findall(r"^\| ([^|]+?) \| ([^|]+?) \|(?: ([^|]+?) \|)?$", TERMS, re.MULTILINE)
ENTRIES = [row for row in ROWS if row[0] not in {"Term", "---"}]
ONLY_IN = {
    term: re.findall(r"`([^`]+)`", places)
    for term, _, places in ENTRIES
    if places.startswith("only in ")
}


def words(name):
    """The words of a name: `OfferSet`, `offer_set` and `test-offer` alike."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)]


def singular(word):
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


@cache
def code_names():
    """Pairs of a module and a name in it: of the module, a class, a public function or method."""
    names = []
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        module = ".".join(part for part in parts if part != "__init__")
        names += [(module, part) for part in parts]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) or (
                isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
            ):
                names.append((module, node.name))
    return names


@cache
def file_names():
    """The names of all other files and folders with code or prose."""
    folders = [ROOT / name for name in ("tests", "docs", "benchmarks")]
    return [
        (path.relative_to(ROOT).as_posix(), part)
        for folder in folders
        for path in sorted(folder.rglob("*"))
        if path.suffix in {".py", ".md"} and "__pycache__" not in path.parts
        for part in path.relative_to(ROOT).with_suffix("").parts
    ]


def not_used():
    return {
        word.strip()
        for row in re.findall(r"^\| ([^|]+?) \| [^|]+ \|$", NOT_USED, re.MULTILINE)
        if row not in {"Not used", "---"}
        for word in row.split(",")
    }


def test_every_term_has_one_entry_in_the_order_of_the_alphabet():
    """
    One word, one meaning: no term has two entries, and each section can be searched by eye.
    """
    terms = [term for term, _, _ in ENTRIES]

    assert len(terms) == len(set(terms))
    for section in re.split(r"^## ", TERMS, flags=re.MULTILINE)[1:]:
        listed = [term for term, _, _ in ENTRIES if f"\n| {term} |" in section]
        assert listed == sorted(listed)


def test_a_term_has_a_meaning_and_a_place():
    """
    A meaning is a sentence, and the place in the code exists.
    """
    for term, meaning, places in ENTRIES:
        assert meaning.endswith("."), term
        assert meaning[0].isupper() or meaning.startswith("`"), term
        named = re.findall(r"`([^`]+)`", places)
        assert named, term
        for place in named:
            path = ROOT / place if "/" in place else SOURCE / place.replace(".", "/")
            assert path.exists() or path.with_suffix(".py").exists(), f"{term}: {place}"


def test_no_name_has_a_word_that_is_not_used():
    """
    Words that the glossary retires occur in no name of a file, class, function or method.
    """
    retired = not_used()
    wrong = {
        f"{where}: {name}"
        for where, name in [*code_names(), *file_names()]
        if retired & {singular(word) for word in words(name)}
    }

    assert not wrong, "\n".join(sorted(wrong))


def test_a_word_of_one_place_stays_there():
    """
    A word that the glossary gives one place is in no name elsewhere.
    """
    wrong = {
        f"{term}: {where}: {name}"
        for term, places in ONLY_IN.items()
        for where, name in [*code_names(), *(file_names() if in_tests(places) else [])]
        if carries(name, term) and not any(within(where, place) for place in places)
    }

    assert not wrong, "\n".join(sorted(wrong))


def test_a_class_has_a_name_of_its_own():
    """
    Two public classes have one name only where the glossary says so, and why.
    """
    shared = re.findall(r"^\| `(\w+)` \|", SHARED, re.MULTILINE)
    classes = Counter(name for _, name in public_classes())

    assert sorted(name for name, count in classes.items() if count > 1) == sorted(shared)


def public_classes():
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                yield path, node.name


def in_tests(places):
    return any(place.startswith("tests/") for place in places)


def carries(name, term):
    """Whether the words of *term* stand next to each other in *name*, in any number."""
    wanted = words(term)
    given = [singular(word) for word in words(name)]
    return any(given[at : at + len(wanted)] == wanted for at in range(len(given)))


def within(where, place):
    """Whether a module or a file is the *place* or lies in it."""
    return re.match(rf"{re.escape(place)}(\W|$)", where) is not None
