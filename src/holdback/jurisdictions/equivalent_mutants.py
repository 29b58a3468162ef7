"""Mutants that a file lists as equivalent: `[[survivors]]`, each with the reason.

`holdback test --mutate` accepts a listed mutant that survives, because no deal can tell the changed
file from the original.
"""

from __future__ import annotations

from collections.abc import Iterator

from holdback.frozen_classes import frozen
from holdback.jurisdictions.keys import SURVIVOR
from holdback.jurisdictions.toml import Node


@frozen(kw_only=True)
class EquivalentMutant:
    """A mutant by the name that `holdback test --mutate` prints, and why it changes no answer."""

    mutant: str
    reason: str
    file: str
    line: int | None


def read_equivalent_mutants(node: Node) -> Iterator[EquivalentMutant]:
    """Yield the valid entries of `survivors` in *node*."""
    for element in node.elements():
        table = SURVIVOR.table(element)
        mutant, reason = (SURVIVOR.value(table, key) for key in ("mutant", "reason"))
        if mutant is not None and reason is not None:
            yield EquivalentMutant(
                mutant=mutant, reason=reason, file=element.document.file, line=element.line
            )
