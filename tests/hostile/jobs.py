"""What a child of the sandbox does with a case, and what it reports: plain values, never an object.

A report has an `error`, the name of the class, when one was raised, and is `typed` when that is the
class which the reader of such a case promises.
"""

from __future__ import annotations

import os
import time
from datetime import date

import corpus

from holdback import InvalidDocument
from holdback.errors import RuleError
from holdback.jurisdictions.reader import read_jurisdiction
from holdback.rules import check, interpret, parse
from holdback.rules.types import Kind
from small_catalogue import CATALOGUE

MOST_REPORTED = 200  # faults; there are never more than a reader of files gives
LATER = date(2027, 1, 1)  # when every rule of the small jurisdiction is in force


def expression(case):
    """Read and check an expression, and have it interpreted, on no facts at all if need be."""
    source = corpus.expression(case)
    try:
        rule = check(parse(source), CATALOGUE, Kind.FLAG)
    except RuleError as error:
        said = [error.message, error.hint or ""]
        return {
            "error": type(error).__name__,
            "typed": type(error) is RuleError,
            "stage": error.stage,
            "messages": said,
            "span": [error.start, error.end],
            "whole": error.underlined(),
            "cause": repr(error.__cause__) if error.__cause__ else None,
        }
    return {"value": interpret(rule, CATALOGUE.prepare(case.get("facts", {})))}


def document(case):
    """Read the files of a jurisdiction."""
    try:
        read = read_jurisdiction("IE", corpus.files(case), file_prefix="IE/")
    except InvalidDocument as error:
        return {
            "error": type(error).__name__,
            "typed": type(error) is InvalidDocument,
            "count": len(error.errors),
            "faults": [_fault(fault) for fault in error.errors[:MOST_REPORTED]],
            "whole": str(error)[:100_000],
            "cause": repr(error.__cause__) if error.__cause__ else None,
        }
    return {
        "code": read.code,
        "rules": [rule.id for rule in read.rulebook(LATER).renewal.rules],
        "examples": len(read.examples),
    }


def _fault(fault):
    return {
        "message": fault.message,
        "hint": fault.hint or "",
        "file": fault.file,
        "line": fault.line,
        "path": fault.path or "",
    }


# -- what the sandbox must notice, to test it


def loop(_):
    """Never come to an end."""
    while True:
        pass


def sleep(_):
    """Wait for what never happens."""
    time.sleep(3600)


def hoard(_):
    """Take more memory than there is."""
    kept = []
    while True:
        kept.append(bytearray(2**20))


def untyped(_):
    """Raise what no reader promises."""
    raise RecursionError("deep")


def vanish(_):
    """Go away without a word."""
    os._exit(0)


JOBS = {
    "expression": expression,
    "document": document,
    **{work.__name__: work for work in (loop, sleep, hoard, untyped, vanish)},
}


def warm_up():
    """Do once what is done on first use, so that no case pays for it."""
    assert "error" not in document({"files": []})
    expression({"expression": "progress >= 50%"})
