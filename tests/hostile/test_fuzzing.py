"""Random expressions and files, read while an audit hook watches Python."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import corpus

from counts import count

SCRIPT = Path(__file__).with_name("fuzz.py")
SEED = 20260701
EXPRESSIONS = count("hostile expressions")
DOCUMENTS = count("hostile documents")


def fuzz(expressions, documents, *plant):
    """The summary that the script prints."""
    arguments = [str(SEED), str(expressions), str(documents), *plant]
    ran = subprocess.run(
        [sys.executable, str(SCRIPT), *arguments],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=True,
        text=True,
    )
    return json.loads(ran.stdout)


def test_nothing_but_the_promised_errors_and_no_event():
    """
    Every expression and document is valid, or refused with the error that its reader promises.

    Meanwhile no file is opened, nothing is imported, and no code is compiled or run.
    """
    summary = fuzz(EXPRESSIONS, DOCUMENTS)

    for kind, total, stages in (
        ("expressions", EXPRESSIONS, corpus.EXPRESSION_STAGES),
        ("documents", DOCUMENTS, corpus.DOCUMENT_STAGES),
    ):
        assert summary[kind]["failures"] == []
        met = summary[kind]["stages"]
        assert sum(met.values()) == total
        assert met.keys() == {*stages, "valid"}
        # Every stage has its share, and many cases are valid.
        assert min(met.values()) >= total // 200, met
        assert met["valid"] >= total // 10, met
    assert summary["events"] == {}


def test_an_event_is_noticed():
    """
    An audit event during the reading is found.
    """
    for expressions, documents in ((20, 0), (0, 20)):
        summary = fuzz(expressions, documents, "event")

        assert [event.split()[0] for event in summary["events"]] == ["compile"]
        assert summary["expressions"]["failures"] == summary["documents"]["failures"] == []


def test_an_untyped_error_is_noticed():
    """
    An error that the reader does not promise is a failure, reported with its case.
    """
    summary = fuzz(20, 20, "untyped")

    for kind in ("expressions", "documents"):
        (failure,) = summary[kind]["failures"]
        assert failure["error"] == "KeyError('planted')"
        assert failure["case"]
        assert summary[kind]["stages"]["failed"] == 1
    assert summary["events"] == {}
