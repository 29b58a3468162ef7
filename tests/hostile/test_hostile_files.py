"""Hostile files, kept as data, are refused as declared and at little cost; controls are read."""

from __future__ import annotations

import re
from collections import Counter

import corpus
import pytest
from sandbox import LIMITED, MEMORY, SECONDS, Sandbox

from every_case import for_every

pytestmark = pytest.mark.skipif(
    not LIMITED,
    reason="HOSTILE FILES ARE NOT TESTED HERE: this system has no fork or no limits of resources",
)

EXPRESSIONS = corpus.cases(corpus.EXPRESSIONS)
DOCUMENTS = corpus.cases(corpus.DOCUMENTS)
CONTROLS = corpus.cases(corpus.CONTROLS)

# Longer messages are not read, and a file must not fill a log.
LONGEST = 500
# The only error that is in no file, because it is about all of them.
STOPPED = "reading stopped after 100 errors; there may be more"


@pytest.fixture(scope="module")
def sandbox():
    """A server that runs cases within limits."""
    server = Sandbox()
    yield server
    server.close()


def named(cases):
    return for_every("case", cases, ids=[case["name"] for case in cases])


def limits_broken(report):
    """Why a *report* is wrong for any case, or None."""
    if "killed" in report:
        return f"no answer within {SECONDS} s and {MEMORY >> 20} MB: {report['killed']}"
    if "error" in report and not report["typed"]:
        return f"not a typed error: {report['error']}, {report.get('shown')}"
    if report.get("cause"):
        return f"the error has a cause: {report['cause']}"
    if re.search(r'Traceback|File ".*line \d', report.get("whole", "")):
        return "the error shows a stack trace"
    return None


def unfit_for_people(message):
    if len(message) > LONGEST:
        return f"a message of {len(message)} characters: {message[:80]}..."
    return None if message.isprintable() else f"not printable: {message!r}"


def wrong_with_expression(case, report):
    """Why the *report* on a hostile expression is not as the *case* declares, or None."""
    wrong = limits_broken(report)
    if wrong is not None:
        return wrong
    if "error" not in report:
        return f"accepted: {report}"
    if report["stage"] != case["stage"]:
        return f"refused at the stage {report['stage']}, not {case['stage']}: {report['messages']}"
    if not 0 <= report["span"][0] < report["span"][1]:
        return f"points at nothing: {report['span']}"
    if not report["whole"].isascii():
        return "shows characters beyond ASCII"
    return next(filter(None, map(unfit_for_people, report["messages"])), None)


def wrong_with_document(case, report):
    """Why the *report* on a hostile document is not as the *case* declares, or None."""
    wrong = limits_broken(report)
    if wrong is not None:
        return wrong
    if "error" not in report:
        return f"accepted: {report}"
    errors = [error for error in report["errors"] if error["message"] != STOPPED]
    for error in errors:
        texts = (error["message"], error["hint"], error["path"])
        unfit = next(filter(None, map(unfit_for_people, texts)), None)
        if unfit is not None:
            return unfit
        if error["file"] not in {f"IE/{name}" for name in corpus.IRELAND}:
            return f"an error in no file: {error}"
    expected = [error for error in errors if case["expect"] in error["message"]]
    if not expected:
        return f"nothing says {case['expect']!r}: {errors[:3]}"
    stages = [corpus.stage_of(error["message"], error["path"]) for error in expected]
    if case["stage"] not in stages:
        return f"found at the stage {stages[0]}, not {case['stage']}: {expected[0]}"
    same_file = [error for error in errors if error["file"] == expected[0]["file"]]
    if case["stage"] in ("bytes", "cost", "toml") and len(same_file) > 1:
        return f"read on after an error that ends the reading: {same_file}"
    return None


def wrong_with_control(case, report):
    """Why the *report* on a control does not say that it works, or None."""
    wrong = limits_broken(report)
    if wrong is not None:
        return wrong
    if "error" in report:
        return f"refused: {report['whole']}"
    if "expression" in case:
        value = report["value"]
        return None if value == case["value"] else f"the value is {value}, not {case['value']}"
    return None if report["examples"] == 2 else f"examples are missing: {report}"


@named(EXPRESSIONS)
def test_a_hostile_expression_is_refused_at_its_stage(case, sandbox):
    """
    A hostile expression is refused with a typed error, in a process with limited time and memory.
    """
    wrong = wrong_with_expression(case, sandbox.run("expression", case))
    assert wrong is None, f"{case['name']}: {wrong}"


@named(DOCUMENTS)
def test_a_hostile_document_is_refused_at_its_stage(case, sandbox):
    """
    A hostile document is refused with a typed error, in a process with limited time and memory.
    """
    wrong = wrong_with_document(case, sandbox.run("document", case))
    assert wrong is None, f"{case['name']}: {wrong}"


@named(CONTROLS)
def test_a_control_works(case, sandbox):
    """
    A control, which looks hostile and is valid, is read.
    """
    kind = "expression" if "expression" in case else "document"
    wrong = wrong_with_control(case, sandbox.run(kind, case))
    assert wrong is None, f"{case['name']}: {wrong}"


# -- the data and the sandbox themselves


def test_the_cases_are_many_and_their_files_hide_nothing():
    """
    There are many cases of every stage, and no hidden character in the files that hold them.
    """
    assert len(EXPRESSIONS) >= 150
    assert len(DOCUMENTS) >= 150
    assert len(CONTROLS) >= 40
    for cases, stages in (
        (EXPRESSIONS, corpus.EXPRESSION_STAGES),
        (DOCUMENTS, corpus.DOCUMENT_STAGES),
    ):
        by_stage = Counter(case["stage"] for case in cases)
        assert set(by_stage) == set(stages)
        assert min(by_stage.values()) >= 20
    for path in (corpus.EXPRESSIONS, corpus.DOCUMENTS, corpus.CONTROLS):
        cases = corpus.cases(path)  # reads ASCII only, in which a hidden character is an escape
        assert len({case["name"] for case in cases}) == len(cases)
        assert all(case["why"] for case in cases)


def test_the_notation_of_the_cases_means_what_it_says():
    """
    The notation for long texts and for bytes gives the texts and bytes that it describes.
    """
    text = [
        "a",
        {"repeat": "@n@,", "times": 3},
        {"repeat": ["(", {"repeat": "b", "times": 2}], "times": 2},
    ]
    days = {"repeat": "@day@ ", "times": 2}
    content = ["é", {"hex": "00ff"}]

    assert corpus.expression({"expression": text}) == "a0,1,2,(bb(bb"
    assert corpus.expression({"expression": days}) == "2000-01-01 2000-01-02 "
    contents = corpus.files({"file": "renewal.toml", "content": content, "encoding": "latin-1"})
    assert contents["renewal.toml"] == b"\xe9\0\xff"
    with pytest.raises(AssertionError, match="0 times"):
        corpus.files({"file": "renewal.toml", "edit": [["not there", ""]]})


@pytest.mark.parametrize(
    ("kind", "reported"),
    [
        ("loop", "SIGXCPU"),
        ("sleep", "SIGALRM"),
        ("hoard", "not a typed error: MemoryError"),
        ("untyped", "not a typed error: RecursionError"),
        ("vanish", "no report, and exit status 0"),
    ],
)
def test_the_sandbox_notices(kind, reported, sandbox):
    """
    A case that breaks a limit or ends without a report fails, and the next case runs as usual.
    """
    report = sandbox.run(kind, {"wall_seconds": 1} if kind == "sleep" else {})
    assert reported in wrong_with_expression(EXPRESSIONS[0], report)
    assert reported in wrong_with_document(DOCUMENTS[0], report)
    assert reported in wrong_with_control(CONTROLS[0], report)
    assert wrong_with_expression(EXPRESSIONS[0], sandbox.run("expression", EXPRESSIONS[0])) is None


def test_a_wrong_answer_is_noticed(sandbox):
    """
    A refusal at another stage, an acceptance and a wrong value are found.
    """
    syntax = {"expression": "1 +", "stage": "types"}
    good = {"expression": "verified", "stage": "types", "value": 1}
    toml = {"file": "renewal.toml", "content": "=", "stage": "shape", "expect": "this is not TOML"}
    other = {**toml, "stage": "toml", "expect": "missing"}
    whole = {"files": [], "stage": "toml", "expect": "missing"}

    assert "at the stage syntax" in wrong_with_expression(syntax, sandbox.run("expression", syntax))
    assert "accepted" in wrong_with_expression(good, sandbox.run("expression", good))
    assert "the value is None" in wrong_with_control(good, sandbox.run("expression", good))
    assert "refused" in wrong_with_control(syntax, sandbox.run("expression", syntax))
    assert "at the stage toml" in wrong_with_document(toml, sandbox.run("document", toml))
    assert "nothing says" in wrong_with_document(other, sandbox.run("document", other))
    assert "accepted" in wrong_with_document(whole, sandbox.run("document", whole))
