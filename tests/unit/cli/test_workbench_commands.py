"""The commands check and test."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest
from invocation import findings, invoke, spoil

from every_case import for_every
from small_folders import changed, country, without_example, write

REVIEWS = "Reviews were not looked at without --on; the first is due by 2027-06-30 (NL).\n"
FAMILIES = "Children were not compared with their parents without --prove: NL-ZH.\n"
DIGEST = r"sha256:[0-9a-f]{64}"


# -- check


def test_check_fine(folder):
    """
    Exit code 0 without findings.
    """
    ran = invoke("check", folder)

    assert (ran.exit_code, ran.output) == (
        0,
        f"2 jurisdictions: no findings.\n{REVIEWS}{FAMILIES}",
    )
    assert json.loads(invoke("check", folder, "--format", "json").output) == {
        "jurisdictions": 2,
        "findings": [],
        "reviews_looked_at": False,
    }
    assert invoke("check", folder, "--format", "github").output == ""
    assert invoke("check", "--jurisdictions", folder).output == ran.output


def test_check_says_that_reviews_were_not_looked_at(folder):
    """
    Without `--on` the report says that no review was looked at, and which is due first.
    """
    spoil(folder, "NL-ZH", "jurisdiction.toml", "2027-06-30", "2026-12-31")
    without, given = invoke("check", folder), invoke("check", folder, "--on", "2026-12-31")

    assert "without --on; the first is due by 2026-12-31 (NL-ZH)." in without.output
    assert "Reviews" not in given.output
    assert json.loads(invoke("check", folder, "--on", "2026-12-31", "--format", "json").output)[
        "reviews_looked_at"
    ]
    assert "Reviews" not in invoke("check", spoil(folder)).output  # nothing could be read


def test_check_names_the_children_that_it_did_not_compare(folder):
    """
    A family is judged by `--prove`, and `check` says so, where there is one.
    """
    assert FAMILIES in invoke("check", folder, "--on", "2026-12-31").output
    assert "Children" not in invoke("check", folder / "NL").output
    pytest.importorskip("z3")
    assert "Children" not in invoke("check", folder, "--prove").output


def test_check_with_an_error(folder):
    """
    A finding has file, line, column, the text underlined and a hint; exit code 1.
    """
    ran = invoke("check", spoil(folder, new="<= 33"))
    lines = ran.output.splitlines()

    assert ran.exit_code == 1
    assert lines[0] == (
        f"{folder.as_posix()}/NL/renewal.toml:21:38 $.rules[1].require: `33` is out of range"
    )
    assert lines[1] == '    require = "missed_remittances_30d <= 33"'
    assert lines[2] == "                                         ^^"
    assert lines[3] == "    `missed_remittances_30d` is 0 to 30"
    assert "the parent `NL` has errors of its own" in ran.output
    assert lines[-1] == "2 findings in 2 files; 0 jurisdictions could be read."


def test_check_for_machines(folder):
    """
    `--format json` and `--format github`.
    """
    spoil(folder, "NL-ZH", "jurisdiction.toml", "owner", "ownr")
    ran = invoke("check", folder, "--format", "json")
    github = invoke("check", folder, "--format", "github")

    assert (ran.exit_code, github.exit_code) == (1, 1)
    file = f"{folder.as_posix()}/NL-ZH/jurisdiction.toml"
    assert findings(ran) == [(file, 5, "unknown key `ownr`")]
    assert github.output == (
        f"::error file={file},line=5,col=1::unknown key `ownr`; did you mean `owner`?\n"
    )


@for_every(
    ("new", "severity", "code"),
    [
        ("until = 2206-01-01\nfrom = 2025-01-01", "warning", 0),
        ('from = 2025-01-01\nsettlement = { calculator = "percentage", percentage = "100%" }',
         "warning", 0),
        ("from = 2025-01-01", None, 0),
    ],
)  # fmt: skip
def test_warnings_alone_pass(tmp_path, new, severity, code):
    """
    Errors and warnings are printed with their severity; warnings alone do not exit with 1.
    """
    flex = changed(country(), "products.toml", "from = 2025-01-01", new)
    root = write(tmp_path / f"{severity}{len(new)}", NL=flex)
    text, machine, github = (
        invoke("check", root, *form) for form in ((), ("--format", "json"), ("--format", "github"))
    )

    assert [ran.exit_code for ran in (text, machine, github)] == [code] * 3
    severities = [each["severity"] for each in json.loads(machine.stdout)["findings"]]
    assert severities == [severity] * (severity is not None)
    assert github.output.count("::warning file=") == (severity == "warning")
    assert text.output.count(": warning: ") == (severity == "warning")
    assert ("1 warning in 1 file; 1 jurisdiction could be read." in text.output) == bool(severity)
    assert ("no findings" in text.output) == (severity is None)


def test_a_fault_of_a_price_is_an_error(tmp_path):
    """
    A price that charges nothing is an error, and fails with the warnings beside it.
    """
    rate = 'calculator = "flat", rate = "1.2"'
    files = changed(country(), "products.toml", rate, f'{rate}, renewal_discount = "0.5"')
    files = changed(files, "products.toml", "from = 2025", "until = 2206-01-01\nfrom = 2025")
    root = write(tmp_path, NL=files)
    ran = invoke("check", root, "--format", "json")

    assert ran.exit_code == 1
    assert [each["severity"] for each in json.loads(ran.stdout)["findings"]] == ["error", "warning"]
    assert "1 finding and 1 warning in 1 file" in invoke("check", root).output


def test_an_annotation_is_escaped(tmp_path):
    """
    A file cannot write workflow commands of GitHub: output is escaped.
    """
    root = write(
        tmp_path / "a,b:c%d",
        NL=changed(country(), "renewal.toml", "[typical]", '"::error::x" = 1\n[typical]'),
    )
    (line,) = invoke("check", root, "--format", "github").output.splitlines()

    properties, _, message = line.removeprefix("::error ").partition("::")
    assert "a%2Cb%3Ac%25d/NL/renewal.toml" in properties
    assert {part.partition("=")[0] for part in properties.split(",")} == {"file", "line", "col"}
    assert message.startswith("unknown key")


@pytest.mark.parametrize(("on", "code"), [("2027-06-30", 0), ("2027-07-01", 1)])
def test_check_on_a_day(folder, on, code):
    """
    With `--on DATE`, a `review_by` that has passed is a finding.
    """
    assert "is not locked yet" in invoke("check", folder, "--on", on).output
    assert invoke("lock", folder, "--on", on).exit_code == 0
    ran = invoke("check", folder, "--on", on)

    assert ran.exit_code == code
    assert ran.output.count("the review was due by 2027-06-30") == 2 * code


@pytest.mark.parametrize("given", ["NL", "NL/", "./NL", "NL/renewal.toml"])
def test_the_folder_of_one(folder, given):
    """
    PATH may be the folder of one jurisdiction, or one of its files.
    """
    assert invoke("check", given, cwd=folder).output == f"1 jurisdiction: no findings.\n{REVIEWS}"
    spoil(folder, "NL-ZH", "jurisdiction.toml", "owner", "ownr")
    assert invoke("check", given, cwd=folder).exit_code == 0
    spoil(folder)
    assert invoke("check", given, cwd=folder).exit_code == 1


def test_the_current_folder(folder):
    """
    The relative path `.`.
    """
    assert (
        invoke("check", ".", cwd=folder / "NL").output == f"1 jurisdiction: no findings.\n{REVIEWS}"
    )
    assert (
        invoke("check", ".", cwd=folder).output
        == f"2 jurisdictions: no findings.\n{REVIEWS}{FAMILIES}"
    )
    spoil(folder)
    for cwd in (folder, folder / "NL"):
        ran = invoke("check", ".", cwd=cwd)
        assert ran.exit_code == 1
        assert "NL/renewal.toml:21:" in ran.output


def test_a_child_alone_knows_its_parent(folder):
    """
    A jurisdiction inherits from the folder next to its own.
    """
    assert invoke("check", folder / "NL-ZH").output == (
        "1 jurisdiction: no findings.\n" + REVIEWS.replace("(NL)", "(NL-ZH)") + FAMILIES
    )
    ran = invoke("check", spoil(folder) / "NL-ZH", "--format", "json")

    assert [each[2] for each in findings(ran)] == ["the parent `NL` has errors of its own"]


@pytest.mark.parametrize("command", ["check", "test"])
def test_a_folder_whose_name_is_not_a_code(tmp_path, command):
    """
    A folder is named by an ISO 3166 code.
    """
    write(tmp_path, Netherlands=country())
    ran = invoke(command, "Netherlands", cwd=tmp_path)

    assert ran.exit_code == (1 if command == "check" else 2)
    assert "`Netherlands` is not the code of a jurisdiction" in ran.output


def test_a_long_path(tmp_path):
    """
    A folder is named by an ISO 3166 code, however long the path to it.
    """
    write(tmp_path / "a-long-name" / ("b" * 80), Netherlands=country())
    ran = invoke("check", tmp_path / "a-long-name" / ("b" * 80) / "Netherlands")

    assert ran.exit_code == 1
    assert "`Netherlands` is not the code of a jurisdiction" in ran.output


@pytest.mark.parametrize(
    "arguments",
    [
        ("chek",),
        ("check", "no-such-folder"),
        ("check", "--jurisdictions", "no-such-folder"),
        ("check", ".", "--jurisdictions", "."),
        ("check", "--format", "xml"),
        ("check", "--fromat", "json"),
        ("check", "--on", "tomorrow"),
        ("check", "--on", "2026-02-30"),
        ("check", ".", "."),
        ("test", "no-such-folder"),
        ("test", "--format", "github"),
        ("test", ".", "--jurisdictions", "."),
        ("test", "--mutat"),
        ("lock",),
        ("lock", "."),
        ("lock", "--on", "2026-07-06"),
        ("lock", "NL", "--on", "2026-07-06"),
        ("lock", ".", "--on", "x"),
    ],
)
def test_misuse(folder, arguments):
    """
    Exit code 2 for misuse.
    """
    ran = invoke(*arguments, cwd=folder)

    assert ran.exit_code == 2
    assert "Usage:" in ran.output
    assert not (folder / "digests.lock").exists()


def test_an_empty_folder(tmp_path):
    """
    A folder without jurisdictions is a mistake.
    """
    assert "there is no jurisdiction in this folder" in invoke("check", tmp_path).output
    assert invoke("check", tmp_path).exit_code == 1
    assert invoke("test", tmp_path).exit_code == 2


def test_without_a_path_those_that_ship():
    """
    Without PATH, the jurisdictions that ship are checked.
    """
    ran = invoke("check")

    assert ran.exit_code == 0, ran.output
    assert re.fullmatch(
        r"\d\d jurisdictions that ship: no findings\.\nReviews .*\nChildren .*\n", ran.output
    )


# -- test


def test_test_fine(folder):
    """
    The examples run, and each rule is counted true, false and unknown.
    """
    ran = invoke("test", folder / "NL")

    assert ran.exit_code == 0, ran.output
    assert ran.output == (
        "NL  14 of 14 examples pass\n"
        "  rule                   true  false  unknown\n"
        "  NL-R-01  on-pace          6      2        1\n"
        "  NL-R-02  few-missed       7      1        1\n"
        "  NL-P-01  identity         1      1        1\n"
    )


def test_a_failure_shows_what_happened(tmp_path):
    """
    A failure shows what was expected, what came out, the deciding rule and the facts.
    """
    text = changed(country(), "renewal.toml", '"79.9999%"', '"79%"')
    text = changed(
        text,
        "renewal.toml",
        'given = { performance = "79%" }\nexpect = { outcome = "ineligible", codes = ["NL-R-01"] }',
        'given = { performance = "79%" }\nexpect = { outcome = "eligible" }',
    )
    ran = invoke("test", write(tmp_path / "x", NL=text))

    assert ran.exit_code == 1
    for line in (
        f"NL: short of the pace, {tmp_path.as_posix()}/x/NL/renewal.toml:50, on 2026-01-01",
        "  expected  eligible",
        "  got       ineligible  NL-R-01",
        "  decided   on-pace",
        "  facts     progress = 64%, performance = 79%, missed_remittances_30d = 0",
        "NL  13 of 14 examples pass",
    ):
        assert line in ran.output.splitlines()


def test_a_rule_that_was_never_unknown(tmp_path):
    """
    A rule that no example makes unknown is marked in the table.
    """
    root = write(tmp_path / "x", NL=without_example(country(), "pace not known"))
    ran = invoke("test", root)

    assert ran.exit_code == 1
    assert "  NL-R-01  on-pace          6      2        0  never unknown" in ran.output


@pytest.mark.parametrize("example", ["pace not known", "short of the pace", "four missed"])
def test_check_and_test_report_the_same_gaps(tmp_path, example):
    """
    A gap of the examples is a finding: the same lines and the same exit code from both commands.
    """
    root = write(tmp_path / "x", NL=without_example(country(), example))
    check, test = invoke("check", root), invoke("test", root)
    plain = findings(invoke("check", root, "--format", "json"))
    (result,) = json.loads(invoke("test", root, "--format", "json").stdout)

    report = check.output.rpartition("\n\n")[0]
    assert (check.exit_code, test.exit_code) == (1, 1)
    assert report
    for line in filter(None, report.splitlines()):
        assert line in test.output.splitlines()
    assert plain == [(gap["file"], gap["line"], gap["message"]) for gap in result["gaps"]]
    assert result["passed"] is False


def test_test_for_machines(tmp_path):
    """
    `--format json` has the failures, the coverage, and the mutants that survive.
    """
    text = without_example(country(), "short of the pace")
    ran = invoke("test", write(tmp_path / "x", NL=text), "--mutate", "--format", "json")
    (found,) = json.loads(ran.stdout)

    assert ran.exit_code == 1
    assert (found["jurisdiction"], found["passed"], found["examples"]) == ("NL", False, 13)
    assert found["failures"] == []
    assert found["mutants"] == {"noticed": 35, "refused": 4, "survived": 1}
    assert [each["mutant"] for each in found["survivors"]] == [
        "minimum_performance from 2026-01-01: 80% to 79.9999%"
    ]
    assert found["stale"] == []
    assert found["coverage"][0] == {
        "code": "NL-R-01",
        "rule": "on-pace",
        "true": 6,
        "false": 1,
        "unknown": 1,
    }


def test_mutants(folder):
    """
    `--mutate` counts the mutants, and reports listed ones that do not exist.
    """
    fine = invoke("test", folder / "NL", "--mutate")
    survivors = country()
    survivors["renewal.toml"] += '\n[[survivors]]\nmutant = "NL-R-01 lft out"\nreason = "x"\n'
    stale = invoke("test", write(folder, NL=survivors) / "NL", "--mutate")

    assert fine.exit_code == 0
    assert (
        "  40 mutants: 36 noticed, 0 listed as equivalent, 0 proved equivalent, "
        "4 refused by the reader, 0 survived" in fine.output
    )
    assert stale.exit_code == 1
    assert "there is no mutant `NL-R-01 lft out`" in stale.output
    assert "did you mean `NL-R-01 left out`?" in stale.output


def test_an_invalid_file_exits_with_2_and_the_others_run(folder):
    """
    Exit code 2 for misuse or a document that cannot be read.
    """
    write(folder, BE=country("BE"))
    ran = invoke("test", spoil(folder), "--format", "json")

    assert ran.exit_code == 2
    assert [each["jurisdiction"] for each in json.loads(ran.stdout)] == ["BE"]
    assert "NL/renewal.toml:21" in ran.stderr


def test_in_a_process_of_its_own(folder):
    """
    In a process of its own: exit codes, output and errors.
    """
    command = [sys.executable, "-c", "from holdback.cli import main; main()"]
    fine = subprocess.run(
        [*command, "check", "."], cwd=folder, capture_output=True, text=True, check=False
    )
    wrong = subprocess.run(
        [*command, "chek"], cwd=folder, capture_output=True, text=True, check=False
    )

    assert (fine.returncode, fine.stdout, fine.stderr) == (
        0,
        f"2 jurisdictions: no findings.\n{REVIEWS}{FAMILIES}",
        "",
    )
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "No such command 'chek'" in wrong.stderr
