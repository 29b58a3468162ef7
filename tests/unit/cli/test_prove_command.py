"""The command prove, the findings of proofs in check, and the cache of what was proved."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from datetime import date
from importlib import import_module
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest
from invocation import invoke

import holdback.tools.proofs
import holdback.tools.sanity
from every_case import for_every
from holdback.cli import proof_cache, prove
from holdback.cli.proof_cache import MOST_ENTRIES, cache_folder
from holdback.errors import ErrorDetail
from holdback.jurisdictions.keys import CLAIM_KINDS
from holdback.tools.proofs import claims, solver
from holdback.tools.proofs.claim_meanings import CLAIMS
from holdback.tools.proofs.finding import ERROR, INFORMATION, NOT_DECIDED, WARNING, Finding, Place
from small_folders import changed, child, country, write

ENDED = "a deal can be eligible whose status is"
RULE = """
[[rules]]
id = "open-or-repaid"
code = "NL-R-09"
require = 'status in ["Funded", "Repaid"]'
reason = "The deal is {status}."
source = "policy"
from = 2025-01-01

[typical]
status = "Funded"
"""


@pytest.fixture(autouse=True)
def caches(tmp_path, monkeypatch):
    """An empty folder of caches."""
    folder = tmp_path / "caches"
    monkeypatch.setattr(proof_cache, "cache_folder", lambda: folder)
    return folder


@pytest.fixture
def correct(tmp_path):
    """A country of which all claims hold, and its child."""
    files = changed(country(), "renewal.toml", "\n[typical]\n", RULE)
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


def test_the_same_answer_from_the_cache(folder):
    """
    What was proved before is shown once more in the same words, in every format.
    """
    for form in ("text", "json", "sarif"):
        first, *others = (
            invoke("prove", folder, "--format", form, *more).output
            for more in (["--no-cache"], [], [])
        )
        assert others == [first, first]


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
        ran = invoke("prove", folder, "--no-cache", "--format", form, *strictly)
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
def test_without_the_solver(folder, monkeypatch, tmp_path, command):
    """
    2 when z3 is missing, saying what to install.
    """
    blocked = "import sys; sys.modules['z3'] = None"
    ran = in_a_process(blocked, *command, folder, XDG_CACHE_HOME=str(tmp_path / "other"))

    assert ran.returncode == 2
    assert ran.stdout == ""
    assert ran.stderr == "Error: The command needs z3: pip install 'holdback[proof]'\n"

    def no_version(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(prove, "version", no_version)
    assert "pip install 'holdback[proof]'" in invoke(*command, folder).stderr


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
    A terminal shows which jurisdiction is proved; nothing is shown elsewhere, nor for a hit.
    """
    proving()
    assert invoke("prove", folder, "--no-cache").stderr == ""
    monkeypatch.setattr(prove, "_shows_progress", lambda: True)
    ran = invoke("prove", folder)

    assert ran.stderr == "\rproving NL, 1 of 2\rproving NL-ZH, 2 of 2\r"
    assert invoke("prove", folder).stderr == ""


# -- the cache


def proved_again(asked, *arguments):
    """The jurisdictions that a run of prove does not find in the cache."""
    before = len(asked.proved)
    assert invoke("prove", *arguments).exit_code in {0, 1}
    return asked.proved[before:]


def test_what_was_proved_is_not_proved_again(folder, proving):
    """
    The cache is by digest of what was asked: the files of a jurisdiction and of its parents.
    """
    asked = proving(finding(ERROR), finding(WARNING, code="NL-ZH"))
    both = ["NL", "NL-ZH"]
    assert proved_again(asked, folder) == both
    assert proved_again(asked, folder) == []
    assert proved_again(asked, folder, "--no-cache") == both
    assert proved_again(asked, folder, "--on", "2026-01-01") == both
    assert proved_again(asked, folder / "NL") == []

    own = folder / "NL-ZH" / "jurisdiction.toml"
    own.write_text(f"# a comment moves every line\n{own.read_text()}")
    assert proved_again(asked, folder) == ["NL-ZH"]
    parent = folder / "NL" / "products.toml"
    parent.write_text(f"# a comment moves every line\n{parent.read_text()}")
    assert proved_again(asked, folder) == both
    assert proved_again(asked, folder) == []


@for_every(
    ("place", "value"),
    [("_code_digest", lambda: "another"), ("cache_folder", lambda: None)],
    ids=["other code", "no folder of caches"],
)
def test_other_code_is_asked_again(folder, proving, place, value):
    """
    Another version of holdback proves again.
    """
    asked = proving()
    proved_again(asked, folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(proof_cache, place, value)
        assert proved_again(asked, folder) == ["NL", "NL-ZH"]
    assert proved_again(asked, folder) == []


def test_another_solver_is_asked_again(folder, proving, monkeypatch):
    """
    Another version of the solver proves again.
    """
    asked = proving()
    proved_again(asked, folder)
    monkeypatch.setattr(prove, "version", lambda _name: "0")

    assert proved_again(asked, folder) == ["NL", "NL-ZH"]


def test_the_digest_of_the_code_is_that_of_its_files():
    """
    It follows from the code itself, so that no number has to be raised with a change of a claim.
    """
    package = Path(holdback.__file__).parent
    read = proof_cache._digest_of_code(package)

    assert read == proof_cache._code_digest()
    assert proof_cache._digest_of_code(package / "proofs") != read
    assert proof_cache._digest_of_code(package / "absent") is None


def spoilt(text):
    """Ways in which an entry of the cache can be damaged or of somebody else."""
    entry = json.loads(text)
    foreign = {**entry, "proved": {**entry["proved"], "findings": []}}
    yield "empty", ""
    yield "cut", text[: len(text) // 2]
    yield "not JSON", "\x00" * 100
    yield "not an object", "[]"
    yield "another object", "{}"
    yield "changed", text.replace("it does not hold", "all is well")
    yield "foreign", json.dumps(foreign)
    yield "deep", "[" * 100_000
    yield "long", f"{text}{'x' * 5_000_000}"


def test_a_damaged_entry_is_ignored(folder, proving, caches):
    """
    A corrupt or foreign cache is ignored, and written again.
    """
    asked = proving(finding(ERROR))
    first = invoke("prove", folder / "NL").output
    (entry,) = caches.iterdir()
    text = entry.read_text(encoding="utf-8")
    for name, damaged in spoilt(text):
        entry.write_text(damaged, encoding="utf-8")
        assert proved_again(asked, folder / "NL") == ["NL"], name
        assert entry.read_text(encoding="utf-8") == text, name
        assert invoke("prove", folder / "NL").output == first


def test_an_entry_of_another_question_is_ignored(folder, proving, caches):
    """
    An entry under the name of another one is not taken for it.
    """
    asked = proving(finding(ERROR))
    proved_again(asked, folder)
    first, second = caches.iterdir()
    first.write_bytes(second.read_bytes())

    assert len(proved_again(asked, folder)) == 1


def test_what_is_not_decided_is_not_kept(folder, proving, caches):
    """
    A "not decided" is never cached.
    """
    asked = proving(finding(NOT_DECIDED))

    assert proved_again(asked, folder / "NL") == ["NL"]
    assert proved_again(asked, folder / "NL") == ["NL"]
    assert not caches.exists()


def test_a_folder_that_cannot_be_written(folder, proving, caches):
    """
    A cache that cannot be written or read does not keep anything from being proved.
    """
    caches.write_text("a file in the place of the folder")
    asked = proving(finding(WARNING))

    assert proved_again(asked, folder / "NL") == ["NL"]
    caches.unlink()
    proved_again(asked, folder / "NL")
    (entry,) = caches.iterdir()
    entry.unlink()
    entry.mkdir()
    ran = invoke("prove", folder / "NL")
    assert ran.exit_code == 0
    assert [name.name for name in caches.iterdir()] == [entry.name]


def test_files_that_change_while_they_are_proved(folder, proving, caches):
    """
    What was proved of a file while somebody changed it is not kept.
    """
    asked = proving()
    file = folder / "NL" / "renewal.toml"

    class Edited(Asked):
        def findings(self, jurisdiction, on, *, inherited=False):
            file.write_text(f"{file.read_text()}# edited\n")
            return super().findings(jurisdiction, on)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(claims, "Prover", Edited())
        invoke("prove", folder / "NL")
    assert not caches.exists()
    assert proved_again(asked, folder / "NL") == ["NL"]


def test_the_cache_stays_small(folder, proving, caches):
    """
    The oldest entries go.
    """
    caches.mkdir()
    for number in range(MOST_ENTRIES):
        (caches / f"{number}").touch()
        os.utime(caches / f"{number}", (number, number))
    proving()
    invoke("prove", folder / "NL")
    names = {entry.name for entry in caches.iterdir()}

    assert len(names) == MOST_ENTRIES
    assert "0" not in names
    assert "1" in names


@for_every(
    ("platform", "variables", "expected"),
    [
        ("linux", {"HOME": "/h"}, "/h/.cache/holdback/proofs"),
        ("linux", {"HOME": "/h", "XDG_CACHE_HOME": "/x"}, "/x/holdback/proofs"),
        ("linux", {"HOME": "/h", "XDG_CACHE_HOME": "x"}, "/h/.cache/holdback/proofs"),
        ("darwin", {"HOME": "/h"}, "/h/Library/Caches/holdback/proofs"),
        ("win32", {"LOCALAPPDATA": "/l"}, "/l/holdback/proofs"),
        ("win32", {}, None),
    ],
)
def test_the_folder_of_caches(platform, variables, expected):
    """
    Entries are under the platform's folder of caches.
    """
    with pytest.MonkeyPatch.context() as patch:
        for name in ("HOME", "XDG_CACHE_HOME", "LOCALAPPDATA"):
            patch.delenv(name, raising=False)
        for name, value in variables.items():
            patch.setenv(name, value)
        patch.setattr(sys, "platform", platform)
        assert cache_folder() == (expected and Path(expected))


def test_a_hit_does_not_load_the_solver(folder, tmp_path):
    """
    What is in the cache is shown without z3, which takes a third of a second to import.
    """
    program = "import atexit, sys; atexit.register(lambda: print('z3' in sys.modules))"
    arguments = ("prove", folder / "NL")
    first, second = (
        in_a_process(program, *arguments, XDG_CACHE_HOME=str(tmp_path / "other")) for _ in range(2)
    )

    assert first.stdout.splitlines()[:-1] == second.stdout.splitlines()[:-1]
    assert [ran.stdout.splitlines()[-1] for ran in (first, second)] == ["True", "False"]


# -- check --prove


def test_check_with_proofs(folder, proving):
    """
    `check --prove` adds the findings of prove; with warnings alone it passes.
    """
    proving(finding(WARNING))
    ran = invoke("check", folder, "--prove")
    assert ran.exit_code == 0
    assert ran.output.splitlines()[0] == "2 jurisdictions: no findings."
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
    assert lines[0].endswith(",line=16,col=1::it does not hold; correct it")


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
