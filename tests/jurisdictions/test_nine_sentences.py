"""A policy of nine sentences is typed in a hundred lines; everything else is drafted."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from holdback.jurisdictions.folder import read_folder
from holdback.jurisdictions.jurisdiction import Jurisdictions
from holdback.jurisdictions.reader import FolderFiles
from holdback.tools.lint.lint import findings
from holdback.tools.mutants.mutation import SURVIVED, verdicts
from holdback.tools.proofs.claims import Prover
from holdback.tools.suggestions.complete import complete
from holdback.tools.workbench.proving import all_findings

HERE = Path(__file__).parent / "nine_sentences"
MOST_LINES = 120


def written():
    """The text of every file, as it was typed."""
    return [path.read_text(encoding="utf-8") for path in sorted(HERE.glob("*/*.toml"))]


@cache
def completed():
    """The country and its part, with the examples that are drafted for them."""
    read = {}
    for code in ("NO", "NO-21"):
        folder, _ = read_folder(HERE / code, f"{code}/")
        drafted = complete(FolderFiles(code, folder.files, folder.prefix), read)
        assert drafted.left == ()
        read[code] = drafted.jurisdiction
    return Jurisdictions(read.values())


def test_it_is_typed_in_at_most_120_lines():
    """
    Nine sentences - size tiers, silence, a chain, a factor by term, a part of the country - are at
    most 120 lines, comments with the sentences themselves included.
    """
    assert sum(len(text.splitlines()) for text in written()) <= MOST_LINES
    sentences = [int(number) for text in written() for number in re.findall(r"(?m)^# (\d)\.", text)]
    assert sorted(sentences) == list(range(1, 10))


def test_no_rule_is_copied():
    """
    Each requirement is written once, in the country and in its part.
    """
    policy = completed()["NO-21"].policy
    rules = [rule for layer in policy.layers for rule in layer.all_rules]
    required = [
        (rule.require.source, None if rule.when is None else rule.when.source) for rule in rules
    ]

    assert len(set(required)) == len(required) >= 9
    shared = [rule.id for layer in policy.layers for rule in layer.shared]
    assert shared == ["verified", "no-default", "takings"]


def test_its_examples_are_drafted_and_nothing_is_left():
    """
    With the drafted examples there is no finding, and every mutant is noticed or proved.
    """
    jurisdictions = completed()

    assert [str(finding) for finding in findings(jurisdictions)] == []
    assert [
        each.mutant.name
        for jurisdiction in jurisdictions
        for each in verdicts(jurisdiction, jurisdictions)
        if each.state == SURVIVED
    ] == []


def test_it_is_proved():
    """
    The proofs find nothing wrong with it.
    """
    jurisdictions = completed()
    prover = Prover(jurisdictions)

    found = [all_findings(prover, jurisdiction, None) for jurisdiction in jurisdictions]
    assert [finding.detail.message for each in found for finding in each] == []
