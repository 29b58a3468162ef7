"""
The work of a child process of the sandbox on a case, and its report in plain values.

A report has the class name of the `error`, if one was raised. It is `typed` when that is exactly
the class that the reader of such a case promises.
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

MOST_REPORTED = 200  # errors, more than the reader of files returns
LATER = date(2027, 1, 1)  # every rule of the small jurisdiction is in force


def expression(case):
    """Read, check and interpret an expression, without facts unless the case has some."""
    source = corpus.expression(case)
    try:
        rule = check(parse(source), CATALOGUE, Kind.FLAG)
    except RuleError as error:
        return {
            "error": type(error).__name__,
            "typed": type(error) is RuleError,
            "stage": error.stage,
            "messages": [error.message, error.hint or ""],
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
            "errors": [_plain(detail) for detail in error.errors[:MOST_REPORTED]],
            "whole": str(error)[:100_000],
            "cause": repr(error.__cause__) if error.__cause__ else None,
        }
    return {
        "code": read.code,
        "rules": [rule.id for rule in read.rulebook(LATER).renewal.rules],
        "examples": len(read.examples),
    }


def _plain(detail):
    return {
        "message": detail.message,
        "hint": detail.hint or "",
        "file": detail.file,
        "line": detail.line,
        "path": detail.path or "",
    }


# -- work that the sandbox must stop or report, to test it


def loop(_):
    """Use the processor forever."""
    while True:
        pass


def sleep(_):
    """Wait for an hour."""
    time.sleep(3600)


def hoard(_):
    """Take memory until there is none."""
    kept = []
    while True:
        kept.append(bytearray(2**20))


def untyped(_):
    """Raise an error that no reader promises."""
    raise RecursionError("deep")


def vanish(_):
    """End without a report."""
    os._exit(0)


JOBS = {
    "expression": expression,
    "document": document,
    **{work.__name__: work for work in (loop, sleep, hoard, untyped, vanish)},
}


def warm_up():
    """Do what happens on first use, so that no case has to."""
    assert "error" not in document({"files": []})
    expression({"expression": "progress >= 50%"})
