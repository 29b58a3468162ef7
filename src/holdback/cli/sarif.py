"""Findings as SARIF 2.1.0, the format in which code hosts show what tools report.

Columns count code points. A place is relative to the current folder, which in CI is that of the
repository (decisions/proofs#sarif).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from holdback.cli.sources import Selection
from holdback.errors import ERROR_CODES, ErrorDetail
from holdback.exact.exact_json import Json, digest
from holdback.tools.proofs.claim_meanings import CLAIMS, Meaning
from holdback.tools.proofs.finding import (
    ERROR,
    INFORMATION,
    NOT_DECIDED,
    WARNING,
    Finding,
    Severity,
)

_SCHEMA: Final = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
# What is not decided is never taken for fine: `none`, which SARIF has for it, is not shown.
_LEVELS: Final[Mapping[Severity, str]] = {
    ERROR: "error",
    NOT_DECIDED: "error",
    WARNING: "warning",
    INFORMATION: "note",
}
_ROOT: Final = "%SRCROOT%"
_FINGERPRINT: Final = "holdback/v1"
_CHECKED: Final = "`holdback check` says in each place what was expected and what to do."


def sarif_log(
    command: str, results: Iterable[dict[str, Any]], *, read: bool = True
) -> dict[str, Json]:
    """
    Return the log of a run of `holdback` *command* with *results*, and the rules they name.

    Where not all files could be *read*, the run was not successful.
    """
    every = _with_numbers(results)
    named = list(dict.fromkeys(result["ruleId"] for result in every))
    for result in every:
        result["ruleIndex"] = named.index(result["ruleId"])
    driver: dict[str, Json] = {"name": "holdback", "rules": [_rule(name) for name in named]}
    with suppress(PackageNotFoundError):  # of a source that is not installed
        driver["version"] = version("holdback")
    run = {
        "tool": {"driver": driver},
        "automationDetails": {"id": f"holdback/{command}/"},
        "invocations": [{"executionSuccessful": read}],
        "columnKind": "unicodeCodePoints",
        "results": every,
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def error_result(
    error: ErrorDetail, selection: Selection, severity: Severity = ERROR
) -> dict[str, Any]:
    """Return a finding of `holdback check` as a result."""
    return {
        "ruleId": error.code,
        "level": _LEVELS[severity],
        "message": {"text": _sentences(error.message, error.hint)},
        **_locations(error, selection),
        "partialFingerprints": _fingerprints(error.code, error),
    }


def finding_result(finding: Finding, selection: Selection) -> dict[str, Any]:
    """Return a finding of `holdback prove` as a result, with the lines that it comes from."""
    detail = finding.detail
    related = [
        {
            "id": number,
            "physicalLocation": _physical(place.file, _region(place.line), selection),
            "message": {"text": place.text},
        }
        for number, place in enumerate(finding.places, start=1)
    ]
    text = "\n".join((_sentences(detail.message, detail.hint), "", *finding.evidence())).rstrip()
    about = (finding.claim, finding.jurisdiction, finding.product)
    return {
        "ruleId": finding.claim,
        "level": _LEVELS[finding.severity],
        "message": {"text": text},
        **_locations(detail, selection),
        **({"relatedLocations": related} if related else {}),
        "partialFingerprints": _fingerprints(about, detail),
        "properties": {"severity": finding.severity, "jurisdiction": finding.jurisdiction},
    }


def _sentences(message: str, hint: str | None) -> str:
    return f"{message}; {hint}" if hint else message


def _rule(name: str) -> dict[str, Json]:
    """Return the description of the error code or claim *name*."""
    meaning = CLAIMS.get(name) or Meaning(ERROR_CODES[name], _CHECKED)
    return {
        "id": name,
        "shortDescription": {"text": f"{meaning.sentence}."},
        "help": {"text": f"{meaning.sentence}. {meaning.otherwise}"},
    }


def _locations(error: ErrorDetail, selection: Selection) -> dict[str, Json]:
    """Return the location of *error*, of which an error about no file has none."""
    if error.file is None:
        return {}
    region = _region(error.line, error.column, error.width)
    return {"locations": [{"physicalLocation": _physical(error.file, region, selection)}]}


def _region(line: int | None, column: int | None = None, width: int = 1) -> dict[str, int]:
    if line is None:
        return {}
    if column is None:
        return {"startLine": line}
    return {"startLine": line, "startColumn": column, "endColumn": column + width}


def _physical(file: str, region: dict[str, int], selection: Selection) -> dict[str, Json]:
    location: dict[str, Json] = {"artifactLocation": _artifact(file, selection)}
    return {**location, "region": region} if region else location


def _artifact(file: str, selection: Selection) -> dict[str, str]:
    """Return the place of *file*, named as in messages: relative to the current folder if in it."""
    inside, root = file.removeprefix(f"{selection.name}/"), selection.root
    if inside == file or not isinstance(root, Path):
        return {"uri": quote(file)}
    path = root.resolve() / inside
    try:
        return {"uri": quote(path.relative_to(Path.cwd()).as_posix()), "uriBaseId": _ROOT}
    except ValueError:
        return {"uri": path.as_uri()}


def _fingerprints(about: Json, error: ErrorDetail) -> dict[str, str]:
    """Return what stays the same when lines move: what is said, of which file, about which text."""
    file = "/".join((error.file or "").split("/")[-2:])
    return {_FINGERPRINT: digest([about, file, error.source, error.message])[7:39]}


def _with_numbers(results: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return *results*, those that have the same fingerprint numbered in their order."""
    seen, every = Counter[str](), list(results)
    for result in every:
        (fingerprint,) = result["partialFingerprints"].values()
        seen[fingerprint] += 1
        result["partialFingerprints"] = {_FINGERPRINT: f"{fingerprint}:{seen[fingerprint]}"}
    return every
