"""
Jurisdictions are read from a wheel, a wheel built from an sdist, and an editable install.

Each is built and installed, and read in a process of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import holdback
from holdback import load_jurisdictions

REPOSITORY = Path(holdback.__file__).parents[2]
DATA = sorted(
    path.relative_to(REPOSITORY).as_posix()
    for path in (REPOSITORY / "jurisdictions").rglob("*")
    if path.is_file()
)
pytestmark = pytest.mark.skipif(
    not (REPOSITORY / "pyproject.toml").is_file(), reason="needs the sources of the project"
)

READ = """
import json, site, sys
if sys.argv[1:]:
    site.addsitedir(sys.argv[1])  # reads the .pth file of an editable install
import holdback
loaded = holdback.load_jurisdictions()
print(json.dumps({
    "from": holdback.__file__,
    "digests": [[rulebook.code, rulebook.on.isoformat(), rulebook.digest]
        for rulebook in loaded.rulebooks()],
    "examples": [
        [example.file, example.line, example.name]
        for code in loaded.codes
        for example in loaded.examples(code)
    ],
}))
"""


def run(*command, cwd=None, path=()):
    """Run a Python command with *path*, and without the paths of this process."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("PYTHON")
    }
    environment["PYTHONPATH"] = os.pathsep.join(map(str, path))
    done = subprocess.run(
        [sys.executable, *map(str, command)],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def built(kind, source, target):
    """The wheel, sdist or editable wheel of the project in *source*."""
    target.mkdir()
    code = f"import sys, hatchling.build as build; build.build_{kind}(sys.argv[1])"
    run("-c", code, target, cwd=source)
    (artifact,) = target.iterdir()
    return artifact


def installed(wheel, target):
    """Install *wheel* into the folder *target*, and return that."""
    options = ("--no-deps", "--no-index", "--no-compile", "--disable-pip-version-check", "--quiet")
    run("-m", "pip", "install", *options, "--target", target, wheel)
    return target


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return built("wheel", REPOSITORY, tmp_path_factory.mktemp("wheel") / "dist")


@pytest.fixture(scope="module")
def wheel_of_sdist(tmp_path_factory):
    place = tmp_path_factory.mktemp("sdist")
    with tarfile.open(built("sdist", REPOSITORY, place / "dist")) as archive:
        archive.extractall(place / "source", filter="data")
    (source,) = (place / "source").iterdir()
    return built("wheel", source, place / "wheel")


@pytest.fixture(scope="module")
def editable(tmp_path_factory):
    return built("editable", REPOSITORY, tmp_path_factory.mktemp("editable") / "dist")


@pytest.fixture(scope="module")
def read_here():
    """The digests and examples that the sources give."""
    loaded = load_jurisdictions()
    return {
        "digests": [
            [rulebook.code, rulebook.on.isoformat(), rulebook.digest]
            for rulebook in loaded.rulebooks()
        ],
        "examples": [
            [example.file, example.line, example.name]
            for code in loaded.codes
            for example in loaded.examples(code)
        ],
    }


def check(text, read_here, place):
    """Assert that a process that printed *text* read the same, with holdback from *place*."""
    read_there = json.loads(text)
    assert Path(read_there.pop("from")).is_relative_to(place)
    assert read_there == read_here


def test_a_wheel(wheel, read_here, tmp_path):
    """
    The wheel contains the jurisdictions.
    """
    target = installed(wheel, tmp_path / "target")

    check(run("-c", READ, cwd=tmp_path, path=[target]), read_here, target)


def test_a_wheel_of_an_sdist(wheel_of_sdist, read_here, tmp_path):
    """
    The sdist contains everything that the wheel needs.
    """
    target = installed(wheel_of_sdist, tmp_path / "target")

    check(run("-c", READ, cwd=tmp_path, path=[target]), read_here, target)


def test_an_editable_install(editable, read_here, tmp_path):
    """
    An editable install reads the repository's own folder.
    """
    target = installed(editable, tmp_path / "target")

    check(run("-c", READ, target, cwd=tmp_path), read_here, REPOSITORY / "src")


def test_a_wheel_as_an_archive(wheel, read_here, tmp_path):
    """
    A wheel can be read without unpacking it, as in an application that is one archive.
    """
    check(run("-c", READ, cwd=tmp_path, path=[wheel]), read_here, wheel)


@pytest.mark.parametrize("kind", ["wheel", "wheel_of_sdist"])
def test_the_record_has_every_file(kind, request):
    """
    The wheel and its RECORD have every file of the jurisdictions, byte for byte.
    """
    with zipfile.ZipFile(request.getfixturevalue(kind)) as archive:
        (name,) = [path for path in archive.namelist() if path.endswith(".dist-info/RECORD")]
        recorded = {line.split(",")[0] for line in archive.read(name).decode().splitlines()}
        inside = {
            path: path.replace("jurisdictions/", "holdback/jurisdictions/bundled/", 1)
            for path in DATA
        }

        assert set(inside.values()) <= recorded
        for path, packed in inside.items():
            assert archive.read(packed) == (REPOSITORY / path).read_bytes()


def test_a_wheel_is_the_same_each_time_it_is_built(wheel, wheel_of_sdist):
    """
    A wheel built from the sources and one built from the sdist are equal, byte for byte.
    """
    assert wheel.read_bytes() == wheel_of_sdist.read_bytes()


def test_there_is_no_python_among_the_jurisdictions():
    """
    The folders of jurisdictions hold data and no code.
    """
    assert DATA
    assert {Path(path).suffix for path in DATA} <= {".toml", ".md", ".lock", ".json"}
