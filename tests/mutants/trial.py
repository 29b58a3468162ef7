"""A mutant tried: the tests that reach it, run in a process of its own until one fails."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import resource
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count
from pathlib import Path

import pytest
from attrs import Factory, define, frozen
from planting import Mutant, package_of

# What most tests import besides the package: imported once, before the processes fork.
IMPORTED_BEFORE = (
    "hypothesis",
    "pendulum",
    "cattrs",
    "click",
    "fastapi",
    "sqlalchemy",
    "jsonschema",
)
FIRST_TESTS, FIRST_FILES = 30, 8
CPU_SECONDS = 60  # of tests, for one mutant; and of a process, besides those of its tests
MEMORY = 4 << 30
TIMES = count(1_500_000_000, 10)  # of changed files, so that no bytecode of an earlier text is used


@frozen
class Test:
    """A test, with the functions that it enters, as `file:function`, and its seconds."""

    name: str
    functions: frozenset[str]
    seconds: float

    @property
    def file(self) -> str:
        """Return the file of the test."""
        return self.name.partition("::")[0]


def tests_in(folder: Path) -> list[Test]:
    """Return the tests that `reach.py` wrote about in *folder*, the fastest first."""
    rows: dict[str, Mapping] = {}
    for file in folder.glob("*.json"):
        rows |= json.loads(file.read_text(encoding="utf-8"))
    shared: dict[str, set[str]] = {}
    for name, row in rows.items():
        shared.setdefault(name.partition("::")[0], set()).update(row["set up"])
    found = [
        Test(name, frozenset(row["called"]) | shared[name.partition("::")[0]], row["seconds"])
        for name, row in rows.items()
    ]
    return sorted(found, key=lambda test: test.seconds)


def reaching(tests: Iterable[Test], mutant: Mutant) -> list[Test]:
    """Return the tests that enter the mutant's function or, of what runs on import, its file."""
    tests, file = list(tests), mutant.file.removeprefix("src/")
    if mutant.function.endswith("()"):
        name = f"{file}:{mutant.function.removesuffix('()')}"
        return [test for test in tests if name in test.functions]
    return [
        test for test in tests if any(each.startswith(f"{file}:") for each in test.functions)
    ] or [
        test
        for test in tests
        if any(
            package_of(f"src/{each.partition(':')[0]}") == package_of(mutant.file)
            for each in test.functions
        )
    ]


def portions(tests: list[Test]) -> Iterator[list[Test]]:
    """Yield *tests* in two portions: a few of few files, and what the seconds allow of the rest."""
    files = list(dict.fromkeys(test.file for test in tests[:FIRST_TESTS]))[:FIRST_FILES]
    first = [test for test in tests[:FIRST_TESTS] if test.file in files]
    rest, seconds = [], 0.0
    for test in tests:
        if test not in first:
            seconds += test.seconds
            if seconds > CPU_SECONDS:
                break
            rest.append(test)
    yield from (portion for portion in (first, rest) if portion)


@define(eq=False)
class Chosen:
    """A plugin of pytest that runs only *names*, in their order, and keeps what failed."""

    names: list[str]
    failed: str | None = None

    def pytest_collection_modifyitems(self, items):
        """Keep the chosen tests."""
        places = {name: place for place, name in enumerate(self.names)}
        items[:] = sorted(
            (item for item in items if item.nodeid in places),
            key=lambda item: places[item.nodeid],
        )

    def pytest_collectreport(self, report):
        """Keep a file that cannot be imported."""
        if report.failed and self.failed is None:
            self.failed = f"import of {report.nodeid}"

    def pytest_runtest_logreport(self, report):
        """Keep the test that failed."""
        if report.failed and self.failed is None:
            self.failed = report.nodeid


def forked(work: Callable[[], str], seconds: float) -> str:
    """Return what *work* returns in a process of its own, or that the process did not end well."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        with contextlib.suppress(BaseException):
            os.close(reading)
            quiet = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(quiet, stream)
            limit = int(seconds) + CPU_SECONDS
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
            signal.alarm(4 * limit)  # of a process that only waits
            resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
            os.write(writing, work().encode())
            os.close(writing)
            os._exit(0)
        os._exit(1)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        answer = pipe.read().decode()
    _, status = os.waitpid(child, 0)
    return answer if status == 0 else "a process that did not end"


@define
class Tree:
    """A copy of the project, in which mutants are planted one at a time."""

    folder: Path
    sound: dict[tuple[str, bool], bool] = Factory(dict)

    def prepare(self) -> None:
        """Make the processes to come import the package from this copy."""
        source = str(self.folder / "src")
        os.environ["PYTHONPATH"] = source
        os.chdir(self.folder)
        sys.path.insert(0, source)
        for name in IMPORTED_BEFORE:
            importlib.import_module(name)
        assert "holdback" not in sys.modules

    def failing(self, tests: list[Test], *, everyday: bool) -> str:
        """Return the first of *tests* that fails, or nothing."""
        plugin = Chosen([test.name for test in tests])
        files = list(
            dict.fromkeys(test.file for test in tests if (self.folder / test.file).exists())
        )
        lane = ["--everyday"] if everyday else []
        imported = "ignore::pytest.PytestAssertRewriteWarning"  # `IMPORTED_BEFORE`
        options = ["-x", "-q", "-p", "no:cacheprovider", "--tb=no", "-W", imported, *lane]

        def run() -> str:
            code = pytest.main([*options, *files], plugins=[plugin])
            ended = code in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}
            return plugin.failed or ("" if ended else "pytest itself, which could not begin")

        return forked(run, 3 * sum(test.seconds for test in tests)) if files else ""

    def catching(self, mutant: Mutant, tests: list[Test], *, everyday: bool) -> str:
        """Return the test that fails of *tests* where *mutant* is planted, or nothing."""
        path = self.folder / mutant.file
        text = path.read_text(encoding="utf-8")
        for portion in portions(tests):
            try:
                self.write(path, mutant.planted(text))
                failed = self.failing(portion, everyday=everyday)
            finally:
                self.write(path, text)
            if failed and self.is_sound(failed, portion, everyday=everyday):
                return failed
            if failed:
                left = [test for test in tests if test.name != failed]
                return self.catching(mutant, left, everyday=everyday)
        return ""

    def is_sound(self, failed: str, tests: list[Test], *, everyday: bool) -> bool:
        """Return whether *failed*, if it is one of *tests*, passes without a mutant."""
        key = (failed, everyday)
        if key not in self.sound:
            alone = [test for test in tests if test.name == failed]
            self.sound[key] = not alone or not self.failing(alone, everyday=everyday)
        return self.sound[key]

    @staticmethod
    def write(path: Path, text: str) -> None:
        """Write a module so that its bytecode is made again."""
        path.write_text(text, encoding="utf-8")
        when = next(TIMES)
        os.utime(path, (when, when))
