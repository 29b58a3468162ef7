"""`holdback test --suggest`: what is drafted, printed and written."""

from __future__ import annotations

import json
import tomllib

import pytest
from invocation import invoke
from ten_rules import RULES, type_it, typed_lines

from small_folders import country, without_example, write

FILES = ("jurisdiction.toml", "renewal.toml", "products.toml")


@pytest.fixture(scope="module")
def drafted(tmp_path_factory):
    """The folder of a country of ten rules, with the examples that were drafted for it."""
    root = tmp_path_factory.mktemp("drafted")
    assert invoke("new", "NO", cwd=root).exit_code == 0
    type_it(root / "jurisdictions" / "NO")
    ran = invoke("test", "jurisdictions", "--suggest", "--write", cwd=root)
    assert ran.exit_code == 0, ran.output
    return root, ran


def test_a_country_of_ten_rules(drafted):
    """
    `holdback new` and `test --suggest --write` make a country of ten rules, both sides of every
    threshold and no survivor, in at most 150 lines typed by a person (decisions/suggestions).
    """
    root, _ = drafted
    assert RULES.count("[[rules]]") == 10
    assert len(typed_lines()) <= 150

    checked = invoke("check", "jurisdictions", cwd=root)
    assert (checked.exit_code, checked.stdout.splitlines()[0]) == (
        0,
        "1 jurisdiction: no findings.",
    )

    tested = invoke("test", "jurisdictions", "--mutate", "--format", "json", cwd=root)
    (result,) = json.loads(tested.stdout)
    assert (tested.exit_code, result["passed"], result["failures"]) == (0, True, [])
    assert "survived" not in result["mutants"]
    assert "gaps" not in result


def test_a_second_run_suggests_nothing(drafted):
    """
    `--write` is idempotent: the files stay the same, byte for byte.
    """
    root, _ = drafted
    folder = root / "jurisdictions" / "NO"
    before = {name: (folder / name).read_bytes() for name in FILES}

    again = invoke("test", "jurisdictions", "--suggest", "--write", cwd=root)

    assert (again.exit_code, again.stdout) == (0, "NO: no example is missing\n")
    assert {name: (folder / name).read_bytes() for name in FILES} == before


def test_what_is_written_is_marked_for_a_person(drafted):
    """
    Each block says that it was drafted, and what each example shows is its name.
    """
    root, ran = drafted
    text = (root / "jurisdictions" / "NO" / "renewal.toml").read_text(encoding="utf-8")

    assert "jurisdictions/NO/renewal.toml: " in ran.stdout
    assert "read what each expects, then delete this line" in text
    names = [example["name"] for example in tomllib.loads(text)["examples"]]
    assert len(names) == len(set(names))
    for name in (
        "time since the last remittance exactly the longest silence of 21 days",
        "time since the last remittance a day above the longest silence of 21 days",
        "time since the last remittance a day above the longest silence of 14 days, on 2026-10-01",
        "payment remarks not known",
        "paused",
    ):
        assert name in names


def test_printed_it_is_toml_to_paste(tmp_path):
    """
    Without `--write` the files stay, and what is printed is TOML; something is missing, so it is 1.
    """
    folder = write(tmp_path / "shelf", NL=without_example(country(), "short of the pace"))
    before = (folder / "NL" / "renewal.toml").read_bytes()

    ran = invoke("test", folder, "--suggest")

    assert ran.exit_code == 1
    assert (folder / "NL" / "renewal.toml").read_bytes() == before
    (example,) = tomllib.loads(ran.stdout)["examples"]
    assert example["given"] == {"performance": "79.9999%"}
    assert example["expect"] == {"outcome": "ineligible", "codes": ["NL-R-01"]}


def test_as_json(tmp_path):
    """
    `--format json` has the same, by file.
    """
    folder = write(tmp_path / "shelf", NL=without_example(country(), "pace not known"))

    ran = invoke("test", folder, "--suggest", "--format", "json")

    (result,) = json.loads(ran.stdout)
    ((file, (text,)),) = result["examples"].items()
    assert (result["jurisdiction"], file) == ("NL", "renewal.toml")
    assert tomllib.loads(text)["examples"][0]["without"] == ["performance"]


def test_nothing_is_drafted_while_an_example_fails(tmp_path):
    """
    What the rules answer is a draft only where what people expect holds.
    """
    files = country()
    files["renewal.toml"] = files["renewal.toml"].replace(
        'name = "four missed"\non = 2026-01-01', 'name = "four missed"\non = 2025-12-01'
    )
    files["renewal.toml"] = files["renewal.toml"].replace(
        'given = { missed_remittances_30d = 4 }\nexpect = { outcome = "referred"',
        'given = { missed_remittances_30d = 4 }\nexpect = { outcome = "ineligible"',
    )
    folder = write(tmp_path / "shelf", NL=files)
    before = (folder / "NL" / "renewal.toml").read_bytes()

    ran = invoke("test", folder, "--suggest", "--write")

    assert ran.exit_code == 1
    assert "NL: 1 example failed; no example is drafted until they pass" in ran.stdout
    assert "expected  ineligible" in ran.stdout
    assert (folder / "NL" / "renewal.toml").read_bytes() == before


def test_files_with_errors_are_left_alone(tmp_path):
    """
    A file that cannot be read is reported, and nothing is written into it.
    """
    files = without_example(country(), "pace not known")
    files["renewal.toml"] = files["renewal.toml"].replace("<= 3", "<= three", 1)
    folder = write(tmp_path / "shelf", NL=files)
    before = (folder / "NL" / "renewal.toml").read_bytes()

    ran = invoke("test", folder, "--suggest", "--write")

    assert ran.exit_code == 2
    assert "`three` is not a fact and not a parameter" in ran.output
    assert (folder / "NL" / "renewal.toml").read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--write",), "--write belongs to --suggest"),
        (("--suggest", "--write"), "--write needs the PATH of the files to write"),
        (("--suggest", "--mutate"), "--suggest looks for survivors anyway: leave --mutate out"),
    ],
)
def test_misuse(arguments, message):
    """
    What ships is not written to, and an option without an effect is refused.
    """
    ran = invoke("test", *arguments)

    assert ran.exit_code == 2
    assert message in ran.output
