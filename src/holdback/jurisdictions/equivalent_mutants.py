"""Mutants of a file that no deal can tell from it: `[[survivors]]`, each with the reason why."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from holdback.toml.node import Item


@frozen(kw_only=True)
class Survivor:
    """A change to a file, by the name that `holdback test --mutate` gives it, and why it changes nothing."""

    mutant: str
    reason: str
    file: str
    line: int | None


def read_survivors(item: Item) -> Iterator[Survivor]:
    """The survivors that are listed in *item*."""
    for part in item.items():
        keys = part.keys(("mutant", "reason"))
        mutant, reason = keys["mutant"].text(), keys["reason"].text()
        if mutant is not None and reason is not None:
            yield Survivor(mutant=mutant, reason=reason, file=part.document.file, line=part.line)
