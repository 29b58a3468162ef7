"""Findings as SARIF 2.1.0."""

from __future__ import annotations

import json
from urllib.parse import unquote

import jsonschema
import pytest
from invocation import invoke, spoil
from sarif_schema import SCHEMA
from test_prove_command import finding, proving

from holdback.errors import ERROR_CODES
from holdback.tools.proofs.finding import ERROR, INFORMATION, NOT_DECIDED, WARNING, Place
from small_folders import changed, country, write

__all__ = ["proving"]


def run_of(*arguments, cwd=None):
    """The run in the log that a command writes, which is as the schema says."""
    ran = invoke(*arguments, "--format", "sarif", cwd=cwd)
    log = json.loads(ran.stdout)
    jsonschema.validate(log, SCHEMA)
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    for result in run["results"]:
        rule = rules[result["ruleIndex"]]
        assert rule["id"] == result["ruleId"]
        assert rule["help"]["text"].startswith(rule["shortDescription"]["text"])
    return run


def test_a_run_without_findings(folder):
    """
    A log without results is one that says that nothing is wrong.
    """
    run = run_of("check", folder)

    assert run["results"] == run["tool"]["driver"]["rules"] == []
    assert run["tool"]["driver"]["name"] == "holdback"
    assert run["automationDetails"]["id"] == "holdback/check/"


def test_a_finding_of_check(folder):
    """
    A result has the code, the level, the text, and the region, relative to the current folder.
    """
    spoil(folder, "NL", "renewal.toml", "<= 3", "<= 33")
    first, _ = run_of("check", folder.name, cwd=folder.parent)["results"]
    (location,) = first["locations"]

    assert (first["ruleId"], first["level"]) == ("invalid_rule", "error")
    assert first["message"]["text"] == ("`33` is out of range; `missed_remittances_30d` is 0 to 30")
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "shelf/NL/renewal.toml", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 21, "startColumn": 38, "endColumn": 40},
    }


def uris(run):
    return {
        location["physicalLocation"]["artifactLocation"]["uri"]
        for result in run["results"]
        for location in (*result["locations"], *result.get("relatedLocations", ()))
    }


def test_places_are_relative_to_the_current_folder(folder):
    """
    A code host finds the files of its repository: their places are relative, however PATH is given.
    """
    spoil(folder)
    expected = {"shelf/NL/renewal.toml", "shelf/NL-ZH/jurisdiction.toml"}

    assert uris(run_of("check", folder, cwd=folder.parent)) == expected
    assert uris(run_of("check", "shelf", cwd=folder.parent)) == expected
    assert uris(run_of("check", "shelf/NL", cwd=folder.parent)) == {"shelf/NL/renewal.toml"}
    assert uris(run_of("check", ".", cwd=folder)) == {"NL/renewal.toml", "NL-ZH/jurisdiction.toml"}
    assert uris(run_of("check", ".", cwd=folder / "NL")) == {"renewal.toml"}
    assert uris(run_of("check", "../NL", cwd=folder / "NL-ZH")) == {
        (folder / "NL" / "renewal.toml").as_uri()
    }


def test_a_place_is_a_valid_reference(tmp_path):
    """
    Characters that a URI does not have are escaped.
    """
    files = changed(country(), "renewal.toml", "<= 3", "<= three")
    root = write(tmp_path / "a b#c%d", NL=files)
    (uri,) = uris(run_of("check", root, cwd=tmp_path))

    assert uri == "a%20b%23c%25d/NL/renewal.toml"
    assert unquote(uri) == "a b#c%d/NL/renewal.toml"


def test_levels(folder, proving):
    """
    The levels are error, warning and note; what is not decided is an error, never fine.
    """
    severities = (ERROR, NOT_DECIDED, WARNING, INFORMATION)
    proving(*(finding(severity) for severity in severities))
    results = run_of("prove", folder)["results"]

    assert [result["level"] for result in results] == ["error", "error", "warning", "note"]
    assert [result["properties"]["severity"] for result in results] == list(severities)


def test_a_finding_of_prove(folder):
    """
    A result has the deal that shows it, and the example to paste.
    """
    (result,) = run_of("prove", folder / "NL")["results"]

    assert result["ruleId"] == "ended-fails"
    assert "for example on 2025-01-01: the typical deal" in result["message"]["text"]
    assert "[[examples]]" in result["message"]["text"]


def test_lines_that_it_comes_from(folder, proving):
    """
    All lines that a finding comes from are related locations.
    """
    name = f"{folder.as_posix()}/NL/renewal.toml"
    places = (Place(file=name, line=3, text="first"), Place(file=name, line=None, text="second"))
    proving(finding(ERROR, places=places))
    (result,) = run_of("prove", folder, cwd=folder)["results"]

    where = [related["physicalLocation"] for related in result["relatedLocations"]]
    assert [place["artifactLocation"]["uri"] for place in where] == ["NL/renewal.toml"] * 2
    assert [place.get("region") for place in where] == [{"startLine": 3}, None]
    assert [related["message"]["text"] for related in result["relatedLocations"]] == [
        "first",
        "second",
    ]


def test_fingerprints(folder, proving):
    """
    The fingerprint of a result stays when lines move, and is its own.
    """
    proving(*(finding(ERROR, line=line) for line in (16, 20)), finding(ERROR, message="other"))
    before = [result["partialFingerprints"] for result in run_of("prove", folder)["results"]]
    proving(*(finding(ERROR, line=line) for line in (17, 21)), finding(ERROR, message="other"))
    after = run_of("prove", folder)["results"]

    assert [result["partialFingerprints"] for result in after] == before
    assert len({json.dumps(fingerprints) for fingerprints in before}) == 3


def test_check_with_proofs(folder, proving):
    """
    `check --prove` writes one run with both.
    """
    proving(finding(WARNING))
    spoil(folder, "NL-ZH", "jurisdiction.toml", "owner", "ownr")
    run = run_of("check", folder, "--prove")

    assert [result["ruleId"] for result in run["results"]] == ["rule-decides", "unknown_field"]
    meanings = [rule["shortDescription"]["text"] for rule in run["tool"]["driver"]["rules"]]
    assert meanings[1] == f"{ERROR_CODES['unknown_field']}."


def test_the_schema_is_strict():
    """
    The schema of these tests refuses what SARIF does not have.
    """
    result = {"message": {"text": "a"}, "partialFingerprints": {"a": 1}}
    log = {"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "a"}}, "results": [result]}]}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(log, SCHEMA)
    result["partialFingerprints"] = {"a": "1"}
    jsonschema.validate(log, SCHEMA)
    result["severity"] = "error"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(log, SCHEMA)
