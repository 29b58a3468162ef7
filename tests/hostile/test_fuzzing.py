"""Fuzzing: random expressions and files, and what Python says of them meanwhile."""

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
    """The summary of a run of the script."""
    arguments = [str(SEED), str(expressions), str(documents), *plant]
    ran = subprocess.run(
        [sys.executable, str(SCRIPT), *arguments],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        timeout=600,
        check=True,
        text=True,
    )
    return json.loads(ran.stdout)


def test_nothing_but_the_promised_errors_and_no_event():
    """
    Of 200,000 expressions and 20,000 documents each is valid or refused with its typed error, and
    "`sys.addaudithook` sees zero events" but the declared ones: no file is opened, nothing is
    imported, and no code is compiled or run.
    """
    summary = fuzz(EXPRESSIONS, DOCUMENTS)

    for kind, total, stages in (
        ("expressions", EXPRESSIONS, corpus.EXPRESSION_STAGES),
        ("documents", DOCUMENTS, corpus.DOCUMENT_STAGES),
    ):
        found = summary[kind]
        assert found["failures"] == []
        assert sum(found["stages"].values()) == total
        assert found["stages"].keys() == {*stages, "valid"}
        # Not all of one kind: every stage has its share, and much is valid.
        assert min(found["stages"].values()) >= total // 200, found["stages"]
        assert found["stages"]["valid"] >= total // 10, found["stages"]
    assert summary["events"] == {}


def test_an_event_is_noticed():
    """
    "`sys.addaudithook` sees zero events": had there been one, it would have been seen.
    """
    for expressions, documents in ((20, 0), (0, 20)):
        summary = fuzz(expressions, documents, "event")

        assert [event.split()[0] for event in summary["events"]] == ["compile"]
        assert summary["expressions"]["failures"] == summary["documents"]["failures"] == []


def test_an_untyped_error_is_noticed():
    """
    Any other error is a failure, and comes with the case that raised it.
    """
    summary = fuzz(20, 20, "untyped")

    for kind in ("expressions", "documents"):
        (failure,) = summary[kind]["failures"]
        assert failure["error"] == "KeyError('planted')"
        assert failure["case"]
        assert summary[kind]["stages"]["failed"] == 1
    assert summary["events"] == {}
