"""The pytest plugin, which runs the examples of jurisdictions, and the pre-commit hook."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

from small_folders import IRELAND

ROOT = Path(__file__).parents[2]


def pytest_in(folder, *arguments):
    """The result of pytest in *folder*, in a process of its own with the installed plugins."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--rootdir", folder]
    return subprocess.run(
        [*map(str, command), *arguments], cwd=folder, capture_output=True, text=True, check=False
    )


def written(folder, files=IRELAND, code="IE"):
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
    assert "3 passed" in ran.stdout


def test_a_failure_shows_what_came_out(tmp_path):
    """
    A failure shows the expected and the real outcome, the deciding rule and the facts.
    """
    files = {**IRELAND, "renewal.toml": IRELAND["renewal.toml"].replace('"80%" }', '"79%" }')}
    ran = pytest_in(written(tmp_path / "jurisdictions", files))

    assert ran.returncode == 1
    assert "1 failed, 2 passed" in ran.stdout
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

    assert "2 failed, 3 passed" in ran.stdout
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
    assert "3 passed" in pytest_in(everything).stdout
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


def test_the_pre_commit_hook(tmp_path):
    """
    The hook is started by changes to jurisdictions, and fails when one of them is invalid.
    """
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert hook["id"] == "holdback-check"
    assert hook["pass_filenames"] is False
    changed = {"jurisdictions/GB/renewal.toml", "rules/IE/jurisdiction.toml", "a/digests.lock"}
    assert all(re.search(hook["files"], path) for path in changed)
    assert not re.search(hook["files"], "pyproject.toml")

    shutil.copytree(ROOT / "jurisdictions", tmp_path / "jurisdictions")
    name, *command = hook["entry"].split()
    assert name == "holdback"
    program = [sys.executable, "-c", "from holdback.cli import main; main()"]
    for spoil, code in ((False, 0), (True, 1)):
        if spoil:
            file = tmp_path / "jurisdictions" / "JP" / "renewal.toml"
            file.write_text(file.read_text(encoding="utf-8").replace("progress", "progres", 1))
        ran = subprocess.run(
            [*program, *command, *hook["args"]],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == code, ran.stdout


def test_a_host_names_its_own_calculators(tmp_path):
    """
    A host with calculators of its own names them in its `conftest.py`.
    """
    folder = written(
        tmp_path / "jurisdictions",
        {
            **IRELAND,
            "products.toml": IRELAND["products.toml"].replace(
                '{ calculator = "fixed", months = 6 }', '{ calculator = "seasonal", months = 6 }'
            ),
        },
    )
    without = pytest_in(folder)
    (folder / "conftest.py").write_text(
        "from holdback.offers.term import FixedTerm\n\n\n"
        "def pytest_holdback_calculators(config):\n"
        "    return {'term/seasonal': FixedTerm}\n"
    )

    assert "1 failed, 2 passed" in without.stdout
    assert "no calculator `term/seasonal` is registered" in without.stdout
    assert "Traceback" not in without.stdout
    assert "3 passed" in pytest_in(folder).stdout
