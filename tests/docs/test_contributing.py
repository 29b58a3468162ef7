"""The recipes and the map of `CONTRIBUTING.md` lead to files that exist, and to all of them."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import attrs

from every_case import for_every
from holdback.eligibility.facts import EVIDENCE_FACTS, catalogue
from holdback.exact.money import Currency
from holdback.jurisdictions.keys import DATED
from holdback.jurisdictions.reader import ALL_FILES
from holdback.lifecycle.events import EVENT_TYPES
from holdback.merchant.offer import Offer
from holdback.offers.registry import BUILT_IN
from holdback.operations import OPERATIONS
from holdback.rules.operators import OPERATORS
from holdback.testing.conformance import INVARIANTS

ROOT = Path(__file__).parents[2]
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
TEXT = CONTRIBUTING.read_text(encoding="utf-8")
RECIPES = dict(
    re.findall(
        r"^### (.+?)\n(.*?)(?=^##|\Z)", TEXT.split("## Recipes")[1], re.MULTILINE | re.DOTALL
    )
)
FOLLOWED = {
    name: re.findall("`(.+?)`", re.search("^Follow: (.+)$", text, re.MULTILINE)[1])
    for name, text in RECIPES.items()
}

# A recipe names every file here that mentions its example; tests and pages may use it anywhere.
SEARCHED = (
    "src",
    "pyproject.toml",
    ".ci",
    "docs/_ext",
    "docs/hosts/fastapi_host",
    "jurisdictions/schema",
)
PATH = re.compile(
    r"`((?:src|tests|docs|benchmarks|jurisdictions|\.ci)/[\w./-]*|[\w.]+\.(?:md|toml))`"
)


def files_with(example):
    """The files under `SEARCHED` that mention *example*, as a whole word or with its quotes."""
    pattern = re.compile(example if '"' in example else rf"\b{example}\b")
    for name in SEARCHED:
        top = ROOT / name
        for path in [top] if top.is_file() else sorted(top.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                text = path.read_text(encoding="utf-8", errors="replace")
                if pattern.search(text):
                    yield path.relative_to(ROOT).as_posix()


def test_there_is_a_recipe_for_every_usual_change():
    """
    Facts, operators, fields, calculators, commands, kinds of entries, engines, jurisdictions,
    findings, invariants.
    """
    assert list(RECIPES) == [
        "Add a fact",
        "Add an operator",
        "Add a field of the merchant lookup",
        "Add a field of an offer",
        "Add a calculator",
        "Add an operation",
        "Add a kind of ledger entry",
        "Add a dataframe engine",
        "Add a jurisdiction",
        "Add a setting of a jurisdiction",
        "Add a finding of `holdback check`",
        "Add an invariant of the conformance suite",
    ]


def test_files_that_are_named_exist():
    """
    The map, the table of test folders and the recipes name nothing that is not there.
    """
    for path in PATH.findall(TEXT):
        here = ROOT / path
        outside = path in {*ALL_FILES}
        assert here.exists() or outside, path


def test_links_lead_somewhere():
    """
    Links in the files of the top folder that the documentation includes lead to files.
    """
    for page in (CONTRIBUTING, ROOT / "SECURITY.md"):
        for link in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (ROOT / link).exists(), f"{page.name}: {link}"


def test_the_map_has_every_package():
    """
    Every package of the source has a line in the map.
    """
    packages = {path.parent.name for path in (ROOT / "src/holdback").glob("*/__init__.py")}

    assert packages <= set(re.findall(r"`src/holdback/(\w+)/`", TEXT))


def test_the_table_of_tests_has_every_folder():
    """
    Every folder of tests has a line in the table.
    """
    folders = {path.name for path in (ROOT / "tests").iterdir() if any(path.glob("**/*.py"))}

    assert folders - {"__pycache__"} <= set(re.findall(r"`tests/(\w+)/`", TEXT)) | {"broken"}


@for_every("recipe", RECIPES)
def test_a_recipe_names_every_file(recipe):
    """
    Every file of the code that mentions the example of a recipe is named in it.
    """
    named = set(PATH.findall(RECIPES[recipe]))
    mentioned = {file for example in FOLLOWED[recipe] for file in files_with(example)}

    assert mentioned, FOLLOWED[recipe]
    assert mentioned <= named, sorted(mentioned - named)


def test_the_examples_are_there():
    """
    The examples to follow are what the recipes say: a derived fact, evidence, an operation ...
    """
    facts = {fact.name for fact in catalogue(Currency.of("GBP")).facts}
    derived, evidence = FOLLOWED["Add a fact"]
    command, event, reply, operation = FOLLOWED["Add an operation"]
    row = OPERATIONS[operation]

    assert derived in facts
    assert evidence in EVIDENCE_FACTS
    assert FOLLOWED["Add a field of an offer"][0] in attrs.fields_dict(Offer)
    assert (command, reply) == (row.__name__, row.reply.__name__)
    assert event in EVENT_TYPES
    assert FOLLOWED["Add a setting of a jurisdiction"][0] in DATED
    assert FOLLOWED["Add an invariant of the conformance suite"][0].strip('"') in INVARIANTS
    assert FOLLOWED["Add an operator"][0].strip('"') == list(OPERATORS)[-1]
    assert FOLLOWED["Add a calculator"][0] == list(BUILT_IN.values())[-1].__name__
    assert (ROOT / "jurisdictions" / FOLLOWED["Add a jurisdiction"][0].strip('"')).is_dir()


def test_the_source_distribution_has_these_files():
    """
    Someone who has the source distribution alone finds out how to go on, and how to report.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    included = project["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]

    assert {"CONTRIBUTING.md", "SECURITY.md"} <= set(included)


def test_the_set_up_is_the_readmes():
    """
    One command sets up: the one with which the README's test command begins.
    """
    setup = next(line for line in TEXT.splitlines() if line.startswith("python3 -m venv"))
    readme = (ROOT / "README.md").read_text(encoding="utf-8")

    assert f"\n{setup} && .venv/bin/pytest" in readme
    subprocess.run(["bash", "-n", "-c", setup], check=True)
