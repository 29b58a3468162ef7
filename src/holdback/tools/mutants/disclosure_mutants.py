"""Mutants of `disclosures.toml`: each condition and exemption changed, or left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import date
from functools import partial

from attrs import evolve

from holdback.jurisdictions.jurisdiction import Jurisdiction
from holdback.rulebooks.regime import Condition, Regime
from holdback.rulebooks.rulebook import Rulebook
from holdback.rules import Kind, check, parse
from holdback.tools.mutants.expression_mutants import expression_mutants
from holdback.tools.mutants.mutant import Mutant


def disclosure_mutants(jurisdiction: Jurisdiction) -> Iterator[Mutant]:
    """Yield the mutants of the conditions and exemptions in *jurisdiction*'s own file."""
    own: dict[Condition, date] = {}
    for condition, since in _own_conditions(jurisdiction):
        own.setdefault(condition, since)
    ids = Counter(condition.id for condition in own)
    for condition, since in own.items():
        version = f" from {since}" if ids[condition.id] > 1 else ""
        for text in (None, *expression_mutants(condition.checked)):
            name = "left out" if text is None else text
            yield Mutant(
                name=f"disclosure {condition.id}{version}: {name}",
                file=condition.file,
                line=condition.line,
                change=partial(_with_condition, condition=condition, text=text),
            )


def _own_conditions(jurisdiction: Jurisdiction) -> Iterator[tuple[Condition, date]]:
    """Yield the conditions that are not inherited, each once for every regime that has it."""
    folder = _folder(jurisdiction.details.node.document.file)
    for regime in jurisdiction.disclosures:
        for condition in (*regime.conditions, *regime.exemptions):
            if _folder(condition.file) == folder:
                yield condition, regime.since


def _folder(file: str) -> str:
    return file.rpartition("/")[0]


def _with_condition(rulebook: Rulebook, *, condition: Condition, text: str | None) -> Rulebook:
    """Return *rulebook* with another *text* of a *condition*; without it where there is none."""

    def changed(regime: Regime, rows: tuple[Condition, ...]) -> tuple[Condition, ...]:
        if text is None:
            return tuple(row for row in rows if row is not condition)
        return tuple(
            evolve(row, checked=check(parse(text), regime.catalogue, Kind.FLAG))
            if row is condition
            else row
            for row in rows
        )

    disclosures = tuple(
        evolve(
            regime,
            conditions=changed(regime, regime.conditions),
            exemptions=changed(regime, regime.exemptions),
        )
        for regime in rulebook.disclosures
    )
    return rulebook.altered(disclosures=disclosures)
