"""A mutant tried: the tests that reach it, run in a process of its own until one fails."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import re
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
PORTIONS = ((12, 3), (60, 8), (300, 15))  # at most so many tests, of so many files
CPU_SECONDS = 12  # of the tests of a portion; and of a process, besides those of its tests
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
    """
    Return the tests that enter the mutant's function.

    A function that has moved since is found by its name, and what runs on import is reached by the
    tests of its file or, where there are none, of its package.
    """
    tests, file = list(tests), mutant.file.removeprefix("src/")
    name = mutant.function.removesuffix("()")
    if name != mutant.function:
        wanted = [lambda each: each == f"{file}:{name}", lambda each: each.endswith(f":{name}")]
    else:
        package = package_of(mutant.file)
        wanted = [
            lambda each: each.startswith(f"{file}:"),
            lambda each: package_of(f"src/{each.partition(':')[0]}") == package,
        ]
    for want in wanted:
        if near := [test for test in tests if any(map(want, test.functions))]:
            return near
    return []


def words(path: str) -> set[str]:
    """Return the words in the path of a module or of its tests."""
    return set(re.split(r"[/_.]", path))


def portions(tests: list[Test], mutant: Mutant) -> Iterator[list[Test]]:
    """Yield *tests* in portions, those first whose file is named most like that of the mutant."""
    module = words(mutant.file)
    likely = {test.file: -len(words(test.file) & module) for test in tests}
    left = sorted(tests, key=lambda test: (likely[test.file], test.seconds))
    for most, files in PORTIONS:
        named = set(list(dict.fromkeys(test.file for test in left))[:files])
        portion, seconds = [], 0.0
        for test in left:
            seconds += test.seconds
            if test.file in named and len(portion) < most and seconds < CPU_SECONDS:
                portion.append(test)
        if portion:
            yield portion
        left = [test for test in left if test not in portion]


@define(eq=False)
class Chosen:
    """A plugin of pytest that runs only *names*, in their order, and keeps what failed."""

    names: list[str]
    failed: list[str] = Factory(list)

    def pytest_collection_modifyitems(self, items):
        """Keep the chosen tests."""
        places = {name: place for place, name in enumerate(self.names)}
        items[:] = sorted(
            (item for item in items if item.nodeid in places),
            key=lambda item: places[item.nodeid],
        )

    def pytest_collectreport(self, report):
        """Keep a file that cannot be imported."""
        if report.failed:
            self.failed.append(f"import of {report.nodeid}")

    def pytest_runtest_logreport(self, report):
        """Keep the test that failed."""
        if report.failed:
            self.failed.append(report.nodeid)


def forked(work: Callable[[], list[str]], seconds: float) -> list[str]:
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
            os.write(writing, json.dumps(work()).encode())
            os.close(writing)
            os._exit(0)
        os._exit(1)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        answer = pipe.read()
    _, status = os.waitpid(child, 0)
    return json.loads(answer) if status == 0 else ["a process that did not end"]


@frozen
class Tree:
    """A copy of the project, in which mutants are planted one at a time."""

    folder: Path

    def prepare(self) -> None:
        """Make the processes to come import the package from this copy."""
        source = str(self.folder / "src")
        os.environ["PYTHONPATH"] = source
        sys.dont_write_bytecode = False  # or each process compiles the whole package again
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.chdir(self.folder)
        sys.path.insert(0, source)
        for name in IMPORTED_BEFORE:
            importlib.import_module(name)
        assert "holdback" not in sys.modules

    def failing(self, tests: list[Test], *options: str) -> list[str]:
        """Return those of *tests* that fail, or another word for what happened."""
        plugin = Chosen([test.name for test in tests])
        files = dict.fromkeys(test.file for test in tests if (self.folder / test.file).exists())
        imported = "ignore::pytest.PytestAssertRewriteWarning"  # `IMPORTED_BEFORE`
        always = ["-q", "-p", "no:cacheprovider", "--tb=no", "-W", imported]

        def run() -> list[str]:
            code = pytest.main([*always, *options, *files], plugins=[plugin])
            ended = code in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}
            return plugin.failed or ([] if ended else ["pytest itself, which could not begin"])

        return forked(run, 3 * sum(test.seconds for test in tests)) if files else []

    def catching(self, mutant: Mutant, tests: list[Test], *lane: str) -> str:
        """Return the first of *tests* that fails where *mutant* is planted, or nothing."""
        path = self.folder / mutant.file
        text = path.read_text(encoding="utf-8")
        for portion in portions(tests, mutant):
            try:
                self.write(path, mutant.planted(text))
                failed = self.failing(portion, "-x", *lane)
            finally:
                self.write(path, text)
            if failed:
                return failed[0]
        return ""

    @staticmethod
    def write(path: Path, text: str) -> None:
        """Write a module so that its bytecode is made again."""
        path.write_text(text, encoding="utf-8")
        when = next(TIMES)
        os.utime(path, (when, when))
