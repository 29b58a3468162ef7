"""The codes of errors: one closed table, and no error without a code from it."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from holdback import ConfigurationError, HistoryError, InvalidDocument, StateError
from holdback.errors import ERROR_CODES, REFUSALS, ErrorDetail

ROOT = Path(__file__).parents[2]
FILES = [*sorted((ROOT / "src").rglob("*.py")), *sorted((ROOT / "docs" / "hosts").rglob("*.py"))]


@cache
def trees():
    """Return the files as syntax trees: read by the first test that asks, not by every import."""
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in FILES}


LISTED = {kind.__name__ for kind in (ConfigurationError, HistoryError, InvalidDocument, StateError)}
# These take the code first, all but `add_error_at_part`, which takes it second.
TAKE_A_CODE_BY_NAME = ("ErrorDetail", "Headline", "BrokenClaim")
TAKE_A_CODE = {"InvalidValue": 0, "add_error": 0, "add_error_at_part": 1}


def calls():
    """Every call in the code, with its file and the name that is called."""
    for path, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                yield path, node, ast.unparse(node.func)


def literals(node):
    """The texts that an expression may be: both of a conditional one."""
    if isinstance(node, ast.IfExp):
        return literals(node.body) | literals(node.orelse)
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return {node.value} if is_text else set()


@cache
def given_codes():
    """The codes that are written where a code is expected."""
    return [*codes_in_calls()]


def codes_in_calls():
    for path, call, name in calls():
        last = name.rpartition(".")[2]
        found = set()
        if last in TAKE_A_CODE_BY_NAME:
            found |= {
                text
                for word in call.keywords
                if word.arg == "code"
                for text in literals(word.value)
            }
        elif name.endswith(".of") and name.split(".")[-2] in LISTED and call.args:
            found |= literals(call.args[0])
        elif last in TAKE_A_CODE and len(call.args) > TAKE_A_CODE[last]:
            found |= literals(call.args[TAKE_A_CODE[last]])
        yield from ((path, call.lineno, code) for code in found)


def test_every_code_that_is_written_is_in_the_table():
    """
    Every error in a list has a code from one closed table (decisions/errors#codes).
    """
    unknown = [
        f"{path.name}:{line}: {code}"
        for path, line, code in given_codes()
        if code not in ERROR_CODES
    ]

    assert unknown == []


def test_every_code_of_the_table_is_used():
    """
    The table has no code that no error has.
    """
    assert set(ERROR_CODES) - {code for _, _, code in given_codes()} == set()


@pytest.mark.parametrize("code", ["mising", "", None])
def test_an_error_with_another_word_cannot_be_made(code):
    """
    An error with a word that is not in the table fails when it is made (decisions/errors#codes).
    """
    with pytest.raises(ValueError, match="code"):
        ErrorDetail(code=code, message="a field is missing")
    with pytest.raises(TypeError, match="code"):
        ErrorDetail(message="a field is missing")
    with pytest.raises(TypeError, match="message"):
        InvalidDocument.of("missing")


def test_a_code_is_a_short_word_with_a_meaning():
    """
    Codes are plain words, and none is also the code of a refusal.
    """
    assert all(re.fullmatch("[a-z]+(_[a-z]+){0,2}", code) for code in ERROR_CODES)
    assert all(meaning[0].isupper() and meaning[-1] != "." for meaning in ERROR_CODES.values())
    assert not set(ERROR_CODES) & set(REFUSALS)


def test_every_path_is_a_json_path():
    """
    Paths have one dialect everywhere: `$.rules[2].require` (decisions/errors#paths).
    """
    wrong = [
        f"{path.name}:{call.lineno}: {text}"
        for path, call, name in calls()
        if name.rpartition(".")[2] in {"ErrorDetail", "of"}
        for word in call.keywords
        if word.arg == "path"
        for text in _beginning(word.value)
        if not text.startswith("$")
    ]

    assert wrong == []


def _beginning(node):
    """The text with which a path begins, where it is written here."""
    if isinstance(node, ast.JoinedStr) and node.values:
        return literals(node.values[0])
    return literals(node)
