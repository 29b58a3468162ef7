"""pytest runs the examples of jurisdictions: `pytest jurisdictions` beside a host's own tests.

A folder named by a code with a `jurisdiction.toml` in it gives a test that its files can be read,
and one for each of its examples. Nothing of holdback is imported until such a folder is met. `-p
no:holdback` turns it off.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from holdback.errors import ErrorDetail
    from holdback.jurisdictions.jurisdiction import Jurisdiction, Jurisdictions
    from holdback.jurisdictions.rulebook import Example

_WHO: Final = "jurisdiction.toml"
_FILES: Final = (_WHO, "renewal.toml", "products.toml")


class Hooks:
    """What a host may say in its `conftest.py`."""

    @staticmethod
    @pytest.hookspec(firstresult=True)
    def pytest_holdback_calculators(config: pytest.Config) -> Mapping[str, type] | None:
        """The host's own calculators, by a name such as `term/seasonal`, as for `Engine`."""


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Tell pytest of the hook that a host may use."""
    pluginmanager.add_hookspecs(Hooks)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """The file as a collector of tests, when it is one of a jurisdiction's."""
    if file_path.name not in _FILES or not file_path.with_name(_WHO).is_file():
        return None
    from holdback.jurisdictions.folder import CODE  # noqa: PLC0415  # a run without any pays nothing

    if CODE.fullmatch(file_path.parent.name) is None:
        return None
    found: pytest.Collector = JurisdictionFile.from_parent(parent, path=file_path)
    return found


def _survey(config: pytest.Config, root: Path) -> tuple[Jurisdictions, tuple[ErrorDetail, ...]]:
    """The jurisdictions beside each other in *root*, read once in a run."""
    from holdback.jurisdictions.folder import survey  # noqa: PLC0415  # a run without any pays nothing

    known: dict[Path, Any] = config.stash.setdefault(_SURVEYED, {})
    if root not in known:
        known[root] = survey(root, root.name)
    found: tuple[Jurisdictions, tuple[ErrorDetail, ...]] = known[root]
    return found


_SURVEYED: Final = pytest.StashKey[dict["Path", Any]]()


class JurisdictionFile(pytest.File):
    """One file of a jurisdiction: that the folder can be read, or the examples in the file."""

    def collect(self) -> Iterable[pytest.Item]:
        """The tests."""
        folder = self.path.parent
        jurisdictions, faults = _survey(self.config, folder.parent)
        mine = [each for each in faults if f"/{folder.name}/" in f"/{each.file}"]
        if self.path.name == _WHO:
            yield ReadItem.from_parent(self, name="can be read", faults=mine)
        if folder.name in jurisdictions.codes:
            yield from self._examples(jurisdictions[folder.name])

    def _examples(self, jurisdiction: Jurisdiction) -> Iterator[pytest.Item]:
        examples = [
            each for each in jurisdiction.examples if each.file.endswith(f"/{self.path.name}")
        ]
        lines = [each.line for each in examples]
        for example in examples:
            several = lines.count(example.line) > 1
            name = f"{example.name} ({example.on})" if several else example.name
            yield ExampleItem.from_parent(
                self, name=name, jurisdiction=jurisdiction, example=example
            )


class ReadItem(pytest.Item):
    """The test that the files of a jurisdiction can be read."""

    def __init__(self, *, faults: list[ErrorDetail], **arguments: Any) -> None:
        super().__init__(**arguments)
        self.faults = faults

    def runtest(self) -> None:
        """Fail with every fault."""
        if self.faults:
            pytest.fail("\n".join(each.underlined() for each in self.faults), pytrace=False)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where the test stands."""
        return self.path, 0, f"{self.path.parent.name}: {self.name}"


class ExampleItem(pytest.Item):
    """An example of a jurisdiction as a test."""

    def __init__(self, *, jurisdiction: Jurisdiction, example: Example, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.jurisdiction = jurisdiction
        self.example = example

    def runtest(self) -> None:
        """Run the example; a failure shows expected, got, the deciding rule and the facts."""
        from holdback.errors import InvalidDocument  # noqa: PLC0415  # a run without any pays nothing
        from holdback.offers.registry import BUILT_IN  # noqa: PLC0415  # a run without any pays nothing
        from holdback.workbench.example_run import run  # noqa: PLC0415  # a run without any pays nothing

        hosts = self.config.hook.pytest_holdback_calculators(config=self.config) or {}
        rulebook = self.jurisdiction.rulebook(self.example.on)
        try:
            trial = run(self.example, rulebook, {**BUILT_IN, **hosts})
        except InvalidDocument as error:
            pytest.fail("\n".join(each.underlined() for each in error.errors), pytrace=False)
        if not trial.passed:
            pytest.fail("\n".join(trial.lines()), pytrace=False)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where the example stands."""
        line = None if self.example.line is None else self.example.line - 1
        return self.path, line, f"{self.jurisdiction.code}: {self.name}"
