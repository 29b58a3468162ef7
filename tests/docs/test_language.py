"""
Phrases that the project has dropped do not come back (decisions/documentation).

The list, with what to write instead, is `phrases.toml` next to this file.
"""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest
from repository import FILES, ROOT, line_of, read

LIST = Path(__file__).with_name("phrases.toml")
DOCUMENT = tomllib.loads(read(LIST))
PHRASES = DOCUMENT["phrases"]
NAMES = DOCUMENT["names"]
UNSEARCHED = DOCUMENT["unsearched"]


def matching(pattern):
    """The compiled *pattern*, in which a space also matches a line break within a paragraph."""
    gap = r"(?:[ \t]+|[ \t]*\n[ \t]*(?:#:?[ \t]*)?)"
    return re.compile(pattern.replace(" ", gap), re.IGNORECASE)


def docstrings(source):
    """*source* with everything but docstrings and comments blanked, line for line."""
    lines = source.splitlines()
    kept = [line[line.index("#") :] if line.lstrip().startswith("#") else "" for line in lines]
    for node in ast.walk(ast.parse(source)):
        kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
        if isinstance(node, kinds) and ast.get_docstring(node) is not None:
            text = node.body[0]
            kept[text.lineno - 1 : text.end_lineno] = lines[text.lineno - 1 : text.end_lineno]
    return "\n".join(kept)


def prose(name, path):
    """The prose of a file: of tests their docstrings and comments, of anything else the whole."""
    is_test = name.startswith("tests/") and path.suffix == ".py"
    return docstrings(read(path)) if is_test else read(path)


def searched(name, path):
    """Whether the file is searched; the list and the data of tests are not."""
    if path == LIST or name in UNSEARCHED:
        return False
    return not name.startswith("tests/") or path.suffix == ".py"


def excepted(name, phrase):
    """Whether the list allows the phrase in the file, by its name or that of a folder."""
    return any(
        name == place or (place.endswith("/") and name.startswith(place))
        for place in phrase.get("except", {})
    )


@pytest.fixture(scope="module")
def texts():
    return {name: prose(name, path) for name, path in FILES.items() if searched(name, path)}


def test_dropped_phrases_do_not_come_back(texts):
    """
    No file has one of the phrases, except those that the list names with a reason.
    """
    uses = [
        f"{name}:{line_of(text, match.start())}: {' '.join(match[0].split())}; "
        f"write instead: {phrase['instead']}"
        for phrase in PHRASES
        for name, text in texts.items()
        if not excepted(name, phrase)
        for match in matching(phrase["pattern"]).finditer(text)
    ]

    assert not uses, "\n".join(uses)


def test_exceptions_are_needed(texts):
    """
    A place that the list excepts has the phrase, and the exception has a reason.
    """
    for phrase in PHRASES:
        for place, reason in phrase.get("except", {}).items():
            uses = [
                name
                for name, text in texts.items()
                if name.startswith(place) and matching(phrase["pattern"]).search(text)
            ]
            assert uses, f"{phrase['pattern']}: {place} does not need it"
            assert reason, f"{phrase['pattern']}: {place} has no reason"


def variables(tree):
    """
    The names that *tree* gives to variables and parameters, with their lines.

    The second operand of a special method is called `other`, as in Python's own reference.
    """
    operands = {
        argument
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.name.startswith("__")
        for argument in node.args.args
        if argument.arg == "other"
    }
    for node in ast.walk(tree):
        if node in operands:
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno


def test_variables_are_named_for_what_they_hold():
    """
    No variable of the package has a name that says nothing.
    """
    uses = [
        f"{path.relative_to(ROOT)}:{line}: `{name}`; write instead: {NAMES[name]}"
        for path in sorted((ROOT / "src").rglob("*.py"))
        for name, line in variables(ast.parse(read(path)))
        if name in NAMES
    ]

    assert not uses, "\n".join(uses)


def test_the_search_finds_a_phrase():
    """
    A phrase is found in a docstring and in a comment, also across two lines; not in a test's data.
    """
    source = '"""It is at\nfault."""\n\n# not at\n# fault\nx = "at fault"\n'
    hits = [match.start() for match in matching(r"\bat fault\b").finditer(docstrings(source))]

    assert len(hits) == 2
