"""
A pytest plugin that runs the examples of jurisdictions: `pytest jurisdictions`.

A folder that is named by a code and has a `jurisdiction.toml` gives one test that its files can be
read, one for each of its examples and, where the extra `proof` is installed, one that what is
claimed of its rules holds of every deal (`holdback prove`). Nothing of holdback is imported before
such a folder is met, so a run without any is not slowed down. `-p no:holdback` turns the plugin
off.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from datetime import date
    from pathlib import Path

    from holdback.errors import ErrorDetail
    from holdback.jurisdictions.jurisdiction import Example, Jurisdiction, Jurisdictions
    from holdback.tools.proofs.claims import Prover

_JURISDICTION: Final = "jurisdiction.toml"
_HOLDS: Final = "holds what is claimed"
_FILES: Final = (_JURISDICTION, "renewal.toml", "products.toml", "disclosures.toml")


class Hooks:
    """The hooks that a host can implement in its `conftest.py`."""

    @staticmethod
    @pytest.hookspec(firstresult=True)
    def pytest_holdback_calculators(config: pytest.Config) -> Mapping[str, type] | None:
        """Return the host's own calculators, by a name such as `term/seasonal`, as for `Engine`."""


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Register the hooks."""
    pluginmanager.add_hookspecs(Hooks)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Return a collector for a file of a jurisdiction, and None for any other."""
    if file_path.name not in _FILES or not file_path.with_name(_JURISDICTION).is_file():
        return None
    from holdback.jurisdictions.folder import CODE  # noqa: PLC0415  # only where it is needed

    if CODE.fullmatch(file_path.parent.name) is None:
        return None
    collector: pytest.Collector = JurisdictionFile.from_parent(parent, path=file_path)
    return collector


def _survey(config: pytest.Config, root: Path) -> tuple[Jurisdictions, tuple[ErrorDetail, ...]]:
    """Return the valid jurisdictions in *root* and the errors of the others, read once in a run."""
    from holdback.jurisdictions.folder import load_valid_and_errors  # noqa: PLC0415  # only where it is needed

    surveys: dict[Path, Any] = config.stash.setdefault(_SURVEYS, {})
    if root not in surveys:
        surveys[root] = load_valid_and_errors(root, root.name)
    result: tuple[Jurisdictions, tuple[ErrorDetail, ...]] = surveys[root]
    return result


_SURVEYS: Final = pytest.StashKey[dict["Path", Any]]()


def _prover(config: pytest.Config, root: Path) -> Prover:
    """Return what proves the jurisdictions in *root*: what they share is proved once in a run."""
    from holdback.tools.proofs.claims import Prover  # noqa: PLC0415  # imports the solver

    provers: dict[Path, Prover] = config.stash.setdefault(_PROVERS, {})
    if root not in provers:
        provers[root] = Prover(_survey(config, root)[0])
    return provers[root]


_PROVERS: Final = pytest.StashKey[dict["Path", Any]]()


def _locked_through(root: Path) -> date | None:
    """Return the day up to which the past in *root* is locked; nobody can correct it any more."""
    from holdback.tools.workbench.lock import LOCK, read_lock  # noqa: PLC0415  # only where it is needed

    try:
        text = root.joinpath(LOCK).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    lock, _ = read_lock(text, LOCK)
    return lock.through


class JurisdictionFile(pytest.File):
    """One file of a jurisdiction, with a test for each of its examples."""

    def collect(self) -> Iterable[pytest.Item]:
        """Return the tests; `jurisdiction.toml` has the one that all files can be read."""
        folder = self.path.parent
        jurisdictions, errors = _survey(self.config, folder.parent)
        if self.path.name == _JURISDICTION:
            own_errors = [error for error in errors if f"/{folder.name}/" in f"/{error.file}"]
            yield ReadItem.from_parent(self, name="can be read", errors=own_errors)
        if folder.name in jurisdictions.codes:
            yield from self._examples(jurisdictions[folder.name])
            if self.path.name == _JURISDICTION and find_spec("z3") is not None:
                jurisdiction = jurisdictions[folder.name]
                yield ProofItem.from_parent(self, name=_HOLDS, jurisdiction=jurisdiction)

    def _examples(self, jurisdiction: Jurisdiction) -> Iterator[pytest.Item]:
        examples = [
            example
            for example in jurisdiction.examples
            if example.file.endswith(f"/{self.path.name}")
        ]
        lines = [example.line for example in examples]
        for example in examples:
            # An example with several days has one test for each.
            several = lines.count(example.line) > 1
            name = f"{example.name} ({example.on})" if several else example.name
            yield ExampleItem.from_parent(
                self, name=name, jurisdiction=jurisdiction, example=example
            )


class ReadItem(pytest.Item):
    """The test that the files of a jurisdiction can be read."""

    def __init__(self, *, errors: list[ErrorDetail], **arguments: Any) -> None:
        super().__init__(**arguments)
        self.errors = errors

    def runtest(self) -> None:
        """Fail with every error."""
        if self.errors:
            pytest.fail("\n".join(error.underlined() for error in self.errors), pytrace=False)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return the file, the line and the title of the test."""
        return self.path, 0, f"{self.path.parent.name}: {self.name}"


class ExampleItem(pytest.Item):
    """The test of one example."""

    def __init__(self, *, jurisdiction: Jurisdiction, example: Example, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.jurisdiction = jurisdiction
        self.example = example

    def runtest(self) -> None:
        """Run the example; a failure shows what was expected, what came out, the rule and facts."""
        from holdback.errors import ConfigurationError, InvalidDocument  # noqa: PLC0415  # only where it is needed
        from holdback.offers.registry import registered  # noqa: PLC0415  # only where it is needed
        from holdback.tools.example_run import run_example  # noqa: PLC0415  # only where it is needed

        hosts = self.config.hook.pytest_holdback_calculators(config=self.config) or {}
        rulebook = self.jurisdiction.rulebook_for(self.example)
        try:
            result = run_example(self.example, rulebook, registered(hosts))
        except (InvalidDocument, ConfigurationError) as error:
            pytest.fail("\n".join(detail.underlined() for detail in error.errors), pytrace=False)
        if not result.passed:
            pytest.fail("\n".join(result.lines()), pytrace=False)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return the file, the line and the title of the test."""
        line = None if self.example.line is None else self.example.line - 1
        return self.path, line, f"{self.jurisdiction.code}: {self.name}"


class ProofItem(pytest.Item):
    """The test that what is claimed of the rules of a jurisdiction holds of every deal."""

    def __init__(self, *, jurisdiction: Jurisdiction, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.jurisdiction = jurisdiction

    def runtest(self) -> None:
        """Fail with every error, and with what could not be decided; warnings fail nothing."""
        from holdback.tools.proofs.finding import FAILURES  # noqa: PLC0415  # only where it is needed
        from holdback.tools.workbench.proving import prove  # noqa: PLC0415  # so is this

        root = self.path.parent.parent
        proved = prove(_prover(self.config, root), self.jurisdiction, _locked_through(root))
        failures = [finding for finding in proved.findings if finding.severity in FAILURES]
        if failures:
            shown = ("\n".join(finding.lines()) for finding in failures)
            pytest.fail("\n\n".join(shown), pytrace=False)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return the file, the line and the title of the test."""
        return self.path, 0, f"{self.jurisdiction.code}: {self.name}"
