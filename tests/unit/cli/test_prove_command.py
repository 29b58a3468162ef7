"""The command prove, and the findings of proofs in check."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from datetime import date
from importlib import import_module
from pathlib import Path

import pytest
from invocation import invoke

import holdback.tools.proofs
import holdback.tools.sanity
from every_case import for_every
from holdback.cli import output, prove
from holdback.errors import ErrorDetail
from holdback.jurisdictions.keys import CLAIM_KINDS
from holdback.tools.proofs import claims, solver
from holdback.tools.proofs.claim_meanings import CLAIMS
from holdback.tools.proofs.finding import ERROR, INFORMATION, NOT_DECIDED, WARNING, Finding, Place
from small_folders import child, sound_country, write

ENDED = "a deal can be eligible whose status is"


@pytest.fixture
def correct(tmp_path):
    """A country of which all claims hold, and its child."""
    files = sound_country()
    return write(tmp_path / "correct", NL=files, NL_ZH=child())


class Asked:
    """Proves without a solver: the findings that it is given, and how often it was asked."""

    def __init__(self, *findings):
        self.given, self.proved, self.limits, self.days = findings, [], [], []
        self.asked = 0

    def __call__(self, jurisdictions, limit):
        self.jurisdictions = jurisdictions
        self.limits.append(limit)
        return self

    def findings(self, jurisdiction, on, *, inherited=False):
        self.asked += 7
        self.proved.append(jurisdiction.code)
        self.days.append(on)
        return [finding for finding in self.given if finding.jurisdiction == jurisdiction.code]


def finding(severity, *, code="NL", message="it does not hold", line=16, **more):
    """A finding about the line of a rule."""
    detail = ErrorDetail(
        code="not_proved",
        message=message,
        file=f"shelf/{code}/renewal.toml",
        line=line,
        column=1,
        source='require = "performance >= minimum_performance"',
        width=7,
        hint="correct it",
    )
    return Finding(
        claim="rule-decides", severity=severity, jurisdiction=code, detail=detail, **more
    )


@pytest.fixture
def proving(monkeypatch):
    """Returns a function that sets the findings and returns what counts the questions."""

    def given(*findings):
        asked = Asked(*findings)
        monkeypatch.setattr(claims, "Prover", asked)
        return asked

    return given


# -- with the solver


def test_claims_that_hold(correct):
    """
    Exit code 0, and a line that counts what was proved.
    """
    ran = invoke("prove", correct)

    assert ran.exit_code == 0, ran.output
    assert re.fullmatch(
        "2 jurisdictions: 0 errors, 0 warnings, 0 not decided; [1-9][0-9]+ questions.\n", ran.output
    )
    assert json.loads(invoke("prove", correct, "--format", "json").output)["findings"] == []


def test_a_claim_that_does_not_hold(folder):
    """
    A finding has its place, what to do, the days, a deal in words, and an example to paste.
    """
    ran = invoke("prove", folder / "NL")
    (shown,) = json.loads(invoke("prove", folder / "NL", "--format", "json").output)["findings"]

    assert ran.exit_code == 1
    assert f"error: {ENDED}" in ran.output
    assert "NL, the rules of renewals from 2025-01-01" in ran.output
    assert "for example on 2025-01-01: the typical deal, but " in ran.output
    assert "\n1 jurisdiction: 1 error, 0 warnings, 0 not decided; " in ran.output
    assert (shown["claim"], shown["severity"]) == ("ended-fails", "error")
    assert shown["witness"]["facts"]["status"] not in {"Funded", "Repaid"}


def test_the_example_can_be_pasted(folder):
    """
    Every counterexample is an `[[examples]]` block to paste: it expects what the rules answer now.
    """
    (shown,) = json.loads(invoke("prove", folder / "NL", "--format", "json").output)["findings"]
    example = shown["witness"]["example"]
    assert 'expect = { outcome = "eligible" }' in example
    file = folder / "NL" / "renewal.toml"
    file.write_text(f"{file.read_text()}\n{example}", encoding="utf-8")
    tested = json.loads(invoke("test", folder / "NL", "--format", "json").output)

    assert [failure for result in tested for failure in result["failures"]] == []


# -- exit codes


@for_every(
    ("severities", "strict", "code"),
    [
        ([], False, 0),
        ([INFORMATION], True, 0),
        ([WARNING], False, 0),
        ([WARNING], True, 1),
        ([NOT_DECIDED], False, 1),
        ([ERROR], False, 1),
        ([INFORMATION, WARNING, ERROR], False, 1),
    ],
)
def test_exit_codes(folder, proving, severities, strict, code):
    """
    0 for fine or warnings alone; 1 for errors, not decided or, with `--strict`, warnings.
    """
    proving(*(finding(severity) for severity in severities))
    strictly = ["--strict"] if strict else []

    for form in ("text", "json", "sarif"):
        ran = invoke("prove", folder, "--format", form, *strictly)
        assert ran.exit_code == code, (form, ran.output)


@for_every(
    "arguments",
    [
        ["prove", "--format", "github"],
        ["prove", "--limit", "0"],
        ["prove", "--limit", "1.5"],
        ["prove", "--on", "today"],
        ["prove", "--strickt"],
        ["prove", "nowhere"],
        ["prove", ".", "--jurisdictions", "."],
    ],
)
def test_misuse(folder, proving, arguments):
    """
    2 for misuse: nothing is proved.
    """
    asked = proving()

    assert invoke(*arguments, cwd=folder).exit_code == 2
    assert asked.proved == []


def test_files_that_cannot_be_read(folder, proving):
    """
    2 for unreadable files; the jurisdictions that can be read are proved all the same.
    """
    file = folder / "NL-ZH" / "jurisdiction.toml"
    file.write_text(file.read_text().replace("owner", "ownr"))
    asked = proving()
    ran = invoke("prove", folder)

    assert (ran.exit_code, asked.proved) == (2, ["NL"])
    assert "unknown key `ownr`" in ran.stderr


def test_a_jurisdiction_that_is_not_there(tmp_path, proving):
    """
    2 for a folder without a jurisdiction.
    """
    proving()
    (tmp_path / "empty").mkdir()
    ran = invoke("prove", tmp_path / "empty")

    assert ran.exit_code == 2
    assert "there is no jurisdiction" in ran.stderr


def in_a_process(program, *arguments, **variables):
    """The finished command `holdback` with *arguments*, after *program*, in a process."""
    code = f"{program}\nfrom holdback.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, **variables},
        check=False,
    )


@pytest.mark.parametrize("command", [["prove"], ["check", "--prove"]])
def test_without_the_solver(folder, command):
    """
    2 when z3 is missing, saying what to install.
    """
    blocked = "import sys; sys.modules['z3'] = None"
    ran = in_a_process(blocked, *command, folder)

    assert ran.returncode == 2
    assert ran.stdout == ""
    assert ran.stderr == "Error: The command needs z3: pip install 'holdback[proof]'\n"


# -- text


def test_findings_in_order(folder, proving):
    """
    By jurisdiction, the worst first; what is past comes last, each on a line; then the counts.
    """
    proving(
        finding(WARNING, message="w"),
        finding(INFORMATION, message="past", until=date(2025, 7, 1)),
        finding(NOT_DECIDED, message="n"),
        finding(ERROR, message="e", product="flex", since=date(2026, 1, 1)),
        finding(WARNING, code="NL-ZH", message="child"),
    )
    lines = invoke("prove", folder).output.splitlines()
    place = "shelf/NL/renewal.toml:16:1"

    assert lines[:6] == [
        "NL",
        f"{place}: error: e",
        '    require = "performance >= minimum_performance"',
        "    ^^^^^^^",
        "    correct it",
        "    NL, the product `flex` from 2026-01-01",
    ]
    shown = [line for line in lines if line.startswith("shelf")]
    assert shown[1:] == [
        f"{place}: not decided: n",
        f"{place}: warning: w",
        f"{place.replace('NL', 'NL-ZH')}: warning: child",
    ]
    assert lines[-2:] == [
        "information: NL until 2025-07-01: past (shelf/NL/renewal.toml:16)",
        "2 jurisdictions: 1 error, 2 warnings, 1 not decided, 1 of past days; 14 questions.",
    ]


def test_all_lines_that_it_comes_from(folder, proving):
    """
    A finding shows all lines that it comes from, that of the headline once.
    """
    places = [
        Place(file="shelf/NL/renewal.toml", line=line, text=f"rule {line}") for line in (16, 3)
    ]
    proving(finding(ERROR, places=tuple(places)))
    output = invoke("prove", folder).output

    assert "    see shelf/NL/renewal.toml:3: rule 3\n" in output
    assert "rule 16" not in output


def test_nothing_commands_the_terminal(folder, proving):
    """
    What a file says is shown without escapes.
    """
    proving(
        finding(ERROR, message="\x1b[2J"),
        finding(INFORMATION, message="\x1b[2J"),
        finding(WARNING, places=(Place(file="\x1b", line=None, text="\x1b"),)),
    )

    assert "\x1b" not in invoke("prove", folder).output


def test_options_reach_the_proof(folder, proving):
    """
    `--on`, and `--limit`, the seconds for a question.
    """
    asked = proving()
    invoke("prove", folder / "NL", "--on", "2026-02-01", "--limit", "60")
    invoke("prove", folder / "NL")

    assert asked.limits == [60, prove.LIMIT]
    assert asked.days == [date(2026, 2, 1), None]
    assert solver.LIMIT == prove.LIMIT


@pytest.mark.parametrize("command", [["prove"], ["check", "--prove"]])
def test_the_locked_past(folder, proving, command):
    """
    Without `--on`, what ended in the locked past is information: nobody can correct it.
    """
    asked = proving()
    assert invoke("lock", folder, "--on", "2026-03-01").exit_code == 0
    invoke(*command, folder / "NL")
    invoke(*command, folder / "NL", "--on", "2025-01-01")

    assert asked.days == [date(2026, 3, 1), date(2025, 1, 1)]


def test_what_needs_no_solver(folder, proving):
    """
    `prove` reports what is wrong and needs no solver, too; `check` reports it once.
    """
    proving()
    file = folder / "NL" / "renewal.toml"
    file.write_text(file.read_text().replace('value = "80%"', 'value = "7%"'))
    (shown,) = json.loads(invoke("prove", folder, "--format", "json").output)["findings"]
    output = invoke("check", folder, "--prove").output

    assert (shown["claim"], shown["severity"], shown["witness"]) == ("jump", "warning", None)
    assert output.count(shown["message"]) == 1


# -- progress


def test_progress_on_a_terminal(folder, proving, monkeypatch):
    """
    A terminal shows which jurisdiction is proved; nothing is shown elsewhere.
    """
    proving()
    assert invoke("prove", folder).stderr == ""
    monkeypatch.setattr(output, "on_terminal", lambda: True)
    ran = invoke("prove", folder)

    assert ran.stderr == "\rproving NL, 1 of 2\rproving NL-ZH, 2 of 2\r"


# -- check --prove


def test_check_with_proofs(folder, proving):
    """
    `check --prove` adds the findings of prove; with warnings alone it passes.
    """
    proving(finding(WARNING))
    ran = invoke("check", folder, "--prove")
    assert ran.exit_code == 0
    assert ran.output.splitlines()[0] == "NL"
    assert "\n2 jurisdictions: no other findings.\n" in ran.output
    assert "renewal.toml:16:1: warning: it does not hold" in ran.output
    assert ran.output.endswith("0 errors, 1 warning, 0 not decided; 14 questions.\n")

    proving(finding(ERROR))
    ran = invoke("check", folder, "--prove", "--on", "2020-01-01", "--format", "json")
    document = json.loads(ran.output)
    assert ran.exit_code == 1
    assert document["findings"] == []
    assert [shown["severity"] for shown in document["proofs"]["findings"]] == ["error"]
    assert "proofs" not in json.loads(invoke("check", folder, "--format", "json").output)


def test_check_with_proofs_on_github(folder, proving):
    """
    Workflow commands have the level of the severity.
    """
    severities = (ERROR, NOT_DECIDED, WARNING, INFORMATION)
    proving(*(finding(severity) for severity in severities))
    lines = invoke("check", folder, "--prove", "--format", "github").output.splitlines()

    levels = [line.partition(" ")[0] for line in lines]
    assert levels == ["::error", "::error", "::warning", "::notice"]
    assert lines[0].endswith(
        ",line=16,col=1::it does not hold; correct it%0ANL, the rules of renewals"
    )


# -- what claims there are


def test_every_claim_has_a_meaning():
    """
    The name of each claim in the code has a sentence and what it means when it does not hold.
    """
    named = {
        name
        for package in (holdback.tools.proofs, holdback.tools.sanity)
        for path in Path(package.__file__).parent.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.keyword) and node.arg == "claim"
        for name in names_of(node.value, f"{package.__name__}.{path.stem}")
    }

    assert named == set(CLAIMS)


def names_of(value, module):
    """The names that an expression for a claim can have; none where it passes one on."""
    if isinstance(value, ast.Constant):
        return {value.value}
    if isinstance(value, ast.Name) and value.id.isupper():
        return {getattr(import_module(module), value.id)}
    if not isinstance(value, ast.JoinedStr):
        return set()
    head = value.values[0].value
    if head == "more-":
        return {f"more-{name}-helps" for name in ("progress", "performance")}
    assert head == "stated-"
    return {f"stated-{kind}" for kind in CLAIM_KINDS}
