"""The pytest plugin, which runs the examples of jurisdictions, and the pre-commit hook."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from small_folders import IRELAND, changed, rule

ROOT = Path(__file__).parents[2]

STATUS = """
[[rules]]
id = "open-or-repaid"
code = "IE-R-03"
require = 'status in ["Funded", "Repaid"]'
reason = "The deal is {status}."
source = "policy"
from = 2025-01-01
"""
# Ireland, with a rule without which a deal that has ended can be renewed.
SOUND = changed(IRELAND, "renewal.toml", "\n[typical]\n", f"{STATUS}\n[typical]\n")


def pytest_in(folder, *arguments):
    """The result of pytest in *folder*, in a process of its own with the installed plugins."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--rootdir", folder]
    return subprocess.run(
        [*map(str, command), *arguments], cwd=folder, capture_output=True, text=True, check=False
    )


def written(folder, files=SOUND, code="IE"):
    for name, text in files.items():
        (folder / code).mkdir(parents=True, exist_ok=True)
        (folder / code / name).write_text(text, encoding="utf-8")
    return folder


def test_examples_are_collected(tmp_path):
    """
    The plugin collects the examples in the folders of jurisdictions as tests.
    """
    ran = pytest_in(written(tmp_path / "jurisdictions"), "-v")

    assert ran.returncode == 0, ran.stdout
    assert re.search(r"IE/jurisdiction\.toml::can be read PASSED", ran.stdout)
    assert re.search(r"IE/renewal\.toml::a good deal PASSED", ran.stdout)
    assert re.search(r"IE/products\.toml::not verified PASSED", ran.stdout)
    assert re.search(r"IE/jurisdiction\.toml::holds what is claimed PASSED", ran.stdout)
    assert "4 passed" in ran.stdout


def test_a_claim_that_does_not_hold_fails(tmp_path):
    """
    Where the extra `proof` is installed, each jurisdiction has a test that fails with the findings.
    """
    ran = pytest_in(written(tmp_path / "jurisdictions", IRELAND))

    assert ran.returncode == 1
    assert "1 failed, 3 passed" in ran.stdout
    assert "error: a deal can be eligible whose status is" in ran.stdout
    assert "for example on 2025-01-01: the typical deal, but " in ran.stdout
    assert "[[examples]]" in ran.stdout
    assert "Traceback" not in ran.stdout


def test_a_warning_fails_nothing(tmp_path):
    """
    A jurisdiction with warnings alone passes.
    """
    superfluous = rule("superfluous", "IE-R-04", "missed_remittances_30d <= 30")
    files = changed(SOUND, "renewal.toml", STATUS, f"{STATUS}\n{superfluous}")
    folder = written(tmp_path / "jurisdictions", files)

    assert "4 passed" in pytest_in(folder).stdout


def test_what_ended_in_the_locked_past_fails_nothing(tmp_path):
    """
    Nobody can correct the past that `digests.lock` has.
    """
    later = STATUS.replace("2025-01-01", "2026-01-01")
    folder = written(tmp_path / "jurisdictions", changed(SOUND, "renewal.toml", STATUS, later))
    (folder / "digests.lock").write_text("through 2026-01-01\n")
    assert "4 passed" in pytest_in(folder).stdout
    (folder / "digests.lock").write_text("through 2025-12-31\n")
    assert "1 failed, 3 passed" in pytest_in(folder).stdout


def test_without_the_solver_nothing_is_proved(tmp_path):
    """
    Without the extra `proof` there is no such test, and examples run as ever.
    """
    folder = written(tmp_path / "jurisdictions", IRELAND)
    (folder / "conftest.py").write_text(
        "from holdback import pytest_plugin\n\npytest_plugin.find_spec = lambda name: None\n"
    )

    assert "3 passed" in pytest_in(folder).stdout


def test_collecting_loads_no_solver(tmp_path):
    """
    Collecting tests imports neither the solver nor what proves: it must not slow other runs.
    """
    folder = written(tmp_path / "jurisdictions")
    (folder / "conftest.py").write_text(
        "import sys\n\n\ndef pytest_collection_finish(session):\n"
        "    assert len(session.items) == 4\n"
        "    tools = {'z3', 'holdback.tools.proofs.claims', 'holdback.tools.workbench'}\n"
        "    assert not tools & set(sys.modules)\n"
    )

    assert pytest_in(folder, "--collect-only").returncode == 0


def test_a_failure_shows_what_came_out(tmp_path):
    """
    A failure shows the expected and the real outcome, the deciding rule and the facts.
    """
    files = {**SOUND, "renewal.toml": SOUND["renewal.toml"].replace('"80%" }', '"79%" }')}
    ran = pytest_in(written(tmp_path / "jurisdictions", files))

    assert ran.returncode == 1
    assert "1 failed, 3 passed" in ran.stdout
    for shown in ("expected  undetermined", "got       ineligible  IE-R-01", "performance = 79%"):
        assert shown in ran.stdout
    assert "IE-R-01   The pace is 79%; at least 80% is needed." in ran.stdout
    assert "Traceback" not in ran.stdout


def test_an_invalid_folder_fails_one_test(tmp_path):
    """
    A folder that cannot be read does not keep the others from being tested.
    """
    folder = written(tmp_path / "jurisdictions")
    broken = {
        **IRELAND,
        "renewal.toml": IRELAND["renewal.toml"].replace("performance >=", "pace >="),
    }
    for code in ("FR", "NL"):
        files = {name: text.replace("IE", code) for name, text in broken.items()}
        written(folder, files if code == "FR" else {**files, "renewal.toml": "half ="}, code)

    ran = pytest_in(folder)

    assert "2 failed, 4 passed" in ran.stdout
    assert "`pace` is not a fact and not a parameter" in ran.stdout
    assert "this is not TOML" in ran.stdout


def test_other_files_are_left_alone(tmp_path):
    """
    A `renewal.toml` in a folder without a jurisdiction's code or file is not collected.
    """
    (tmp_path / "renewal.toml").write_text("x = 1")
    written(tmp_path / "settings", {"renewal.toml": "x = 1"}, "GB")
    written(tmp_path / "settings", IRELAND, "not-a-code")

    assert "no tests ran" in pytest_in(tmp_path).stdout
    everything = written(tmp_path / "jurisdictions")
    assert "4 passed" in pytest_in(everything).stdout
    assert "no tests ran" in pytest_in(everything, "-p", "no:holdback").stdout


def test_a_run_without_jurisdictions_pays_nothing(tmp_path):
    """
    The plugin imports nothing of holdback before it meets the folder of a jurisdiction.
    """
    (tmp_path / "test_host.py").write_text(
        "import sys\n\n\ndef test_host():\n"
        "    loaded = {name for name in sys.modules if name.startswith('holdback')}\n"
        "    assert loaded == {'holdback', 'holdback.pytest_plugin'}, loaded\n"
        "    assert not {'attrs', 'pendulum', 'cattrs', 'click'} & set(sys.modules)\n"
    )
    ran = pytest_in(tmp_path, "-p", "no:hypothesispytest", "-p", "no:xdist")

    assert "1 passed" in ran.stdout, ran.stdout


def test_the_bundled_examples_run_under_pytest():
    """
    The examples of the repository's own jurisdictions pass.
    """
    ran = pytest_in(ROOT, "jurisdictions", "-q")

    assert re.search(r"^[0-9]{3,} passed", ran.stdout, re.MULTILINE), ran.stdout[-2000:]


HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))


def test_the_hooks():
    """
    One hook checks, and one proves, which needs the solver.
    """
    assert [hook["id"] for hook in HOOKS] == ["holdback-check", "holdback-prove"]
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = extras["optional-dependencies"]
    needed = [extras["cli"], [*extras["cli"], *extras["proof"]]]
    assert [hook["additional_dependencies"] for hook in HOOKS] == needed


@pytest.mark.parametrize(
    ("hook", "old", "new", "code"),
    [
        (HOOKS[0], "progress", "progres", 1),
        (HOOKS[1], "progress", "progres", 2),
        (HOOKS[1], '"deals_defaulted < 1"', '"deals_defaulted < 1 and deals_defaulted > 3"', 1),
    ],
    ids=["check", "prove what cannot be read", "prove"],
)
def test_a_pre_commit_hook(tmp_path, hook, old, new, code):
    """
    The hook is started by changes to jurisdictions, and fails when one of them is invalid or a
    claim does not hold.
    """
    assert hook["pass_filenames"] is False
    changed = {"jurisdictions/GB/renewal.toml", "rules/IE/jurisdiction.toml", "a/digests.lock"}
    assert all(re.search(hook["files"], path) for path in changed)
    assert not re.search(hook["files"], "pyproject.toml")

    shutil.copytree(ROOT / "jurisdictions", tmp_path / "jurisdictions")
    name, *command = hook["entry"].split()
    assert name == "holdback"
    program = [sys.executable, "-c", "from holdback.cli import main; main()"]
    for spoil in (False, True):
        if spoil:
            file = tmp_path / "jurisdictions" / "JP" / "renewal.toml"
            text = file.read_text(encoding="utf-8")
            assert old in text
            file.write_text(text.replace(old, new, 1))
        ran = subprocess.run(
            [*program, *command, *hook["args"]],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / "caches")},
            check=False,
        )
        assert ran.returncode == (code if spoil else 0), ran.stdout


def test_a_host_names_its_own_calculators(tmp_path):
    """
    A host with calculators of its own names them in its `conftest.py`.
    """
    folder = written(
        tmp_path / "jurisdictions",
        {
            **SOUND,
            "products.toml": SOUND["products.toml"].replace(
                '{ calculator = "fixed", months = 6 }', '{ calculator = "seasonal", months = 6 }'
            ),
        },
    )
    without = pytest_in(folder)
    (folder / "conftest.py").write_text(
        "from holdback.offers.shipped_calculators import FixedTerm\n\n\n"
        "def pytest_holdback_calculators(config):\n"
        "    return {'term/seasonal': FixedTerm}\n"
    )

    assert "1 failed, 3 passed" in without.stdout
    assert "no calculator `term/seasonal` is registered" in without.stdout
    assert "Traceback" not in without.stdout
    assert "4 passed" in pytest_in(folder).stdout
