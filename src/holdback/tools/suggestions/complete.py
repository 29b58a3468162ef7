"""The files of a jurisdiction with the examples that they lacked."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from datetime import date
from types import MappingProxyType

from attrs import evolve

from holdback.exact.exact_json import Json
from holdback.frozen_classes import frozen
from holdback.jurisdictions.jurisdiction import Jurisdiction, Jurisdictions
from holdback.jurisdictions.quantity import toml_value
from holdback.jurisdictions.reader import FILES, PRODUCTS, RENEWAL, FolderFiles, read_jurisdiction
from holdback.rules import Fact
from holdback.tools.example_run import ExampleRun, run_examples
from holdback.tools.mutants.mutation import Verdict
from holdback.tools.plain_values import plain_values
from holdback.tools.suggestions.insertion import PLAUSIBLE, inserted
from holdback.tools.suggestions.suggest import Report, suggestions
from holdback.tools.suggestions.typical import missing_typical

_NOTHING: Mapping[str, tuple[str, ...]] = MappingProxyType({})


@frozen(kw_only=True)
class Completion:
    """
    A jurisdiction with what its examples lacked.

    `files` are the bytes of the files that change, by name, and `before` those of all its files.
    `typical` are the lines of the typical facts and `examples` the texts of the examples that each
    file gets. `failing` are the examples that fail, in which case no example is drafted. `left` are
    the mutants that survive all the same.
    """

    jurisdiction: Jurisdiction
    before: Mapping[str, bytes]
    files: Mapping[str, bytes]
    typical: Mapping[str, tuple[str, ...]] = _NOTHING
    examples: Mapping[str, tuple[str, ...]] = _NOTHING
    failing: tuple[ExampleRun, ...] = ()
    left: tuple[Verdict, ...] = ()

    def has_typical(self, name: str) -> bool:
        """Return whether the file *name* has a table of typical facts already."""
        return "typical" in tomllib.loads(self.before.get(name, b"").decode())

    def plain(self) -> dict[str, Json]:
        """Return it as plain values."""
        return {
            "jurisdiction": self.jurisdiction.code,
            **plain_values(self, "typical", "examples", "failing"),
            "left": [verdict.mutant.name for verdict in self.left],
        }


def complete(
    folder: FolderFiles, parents: Mapping[str, Jurisdiction], report: Report = lambda _: None
) -> Completion:
    """
    Return the jurisdiction in *folder* with the typical facts and the examples that it lacks.

    *parents* are those that it may inherit from, by code.

    Raises:
        InvalidDocument: the files have errors, or examples in a form that none can be added to.
        ConfigurationError: a product has a calculator that is not built in.
    """
    before = _read(folder, parents)
    folder_with, typical = _with_typical(folder, before, parents)
    jurisdiction = _read(folder_with, parents)
    failing = _failing(jurisdiction)
    files = {
        name: body for name, body in folder_with.files.items() if body != folder.files.get(name)
    }
    completion = Completion(
        jurisdiction=jurisdiction,
        before=folder.files,
        files=files,
        typical=typical,
        failing=tuple(failing),
    )
    if failing:
        return completion
    suggested = suggestions(jurisdiction, Jurisdictions(parents.values()), report)
    examples = {name: tuple(suggested.texts(name)) for name in FILES if suggested.texts(name)}
    for name, texts in examples.items():
        files[name] = inserted(name, folder_with.files.get(name), (), texts)
    after = _read(evolve(folder, files={**folder.files, **files}), parents)
    assert not _failing(after), "what is drafted passes"
    return evolve(
        completion, jurisdiction=after, files=files, examples=examples, left=suggested.left
    )


def _read(folder: FolderFiles, parents: Mapping[str, Jurisdiction]) -> Jurisdiction:
    return read_jurisdiction(folder.code, folder.files, file_prefix=folder.prefix, parents=parents)


def _failing(jurisdiction: Jurisdiction) -> list[ExampleRun]:
    """Return the runs of the examples that fail."""
    return [run for run in run_examples(jurisdiction) if not run.passed]


def _named(runs: Iterable[ExampleRun]) -> set[tuple[str, str, date]]:
    """Return which examples were run: the file, the name and the day of each."""
    return {(run.example.file, run.example.name, run.example.on) for run in runs}


def _with_typical(
    folder: FolderFiles, before: Jurisdiction, parents: Mapping[str, Jurisdiction]
) -> tuple[FolderFiles, dict[str, tuple[str, ...]]]:
    """Return *folder* with the typical facts that its files lack, and their lines by file."""
    added: dict[str, tuple[str, ...]] = {}
    failing = _named(_failing(before))
    own = before.policy.own
    for name, present in ((RENEWAL, own.rules), (PRODUCTS, own.products or own.funding)):
        if not present:
            continue
        missing = missing_typical(before, of_products=name == PRODUCTS)
        # An example may rest on a fact that is not typical: such a fact stays unknown.
        for facts in (missing, *({fact: number} for fact, number in missing.items())):
            lines = _lines(facts)
            if not lines or set(lines) <= set(added.get(name, ())):
                continue
            changed = _inserted_typical(folder, name, lines)
            now_failing = _named(_failing(_read(changed, parents)))
            if now_failing <= failing:
                folder, failing = changed, now_failing
                added[name] = (*added.get(name, ()), *lines)
    return folder, added


def _lines(facts: Mapping[Fact, int]) -> tuple[str, ...]:
    return tuple(f"{fact.name} = {toml_value(fact.type, number)}" for fact, number in facts.items())


def _inserted_typical(folder: FolderFiles, name: str, lines: tuple[str, ...]) -> FolderFiles:
    body = inserted(name, folder.files.get(name), (PLAUSIBLE, *lines), ())
    return evolve(folder, files={**folder.files, name: body})
