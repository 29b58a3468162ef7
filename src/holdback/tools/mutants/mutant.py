"""A mutant: a small change to a file, and where in time it has an effect."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from attrs import field

from holdback.frozen_classes import frozen
from holdback.rulebooks.rulebook import Rulebook

RulebookChange: TypeAlias = Callable[[Rulebook], Rulebook]


@frozen(kw_only=True)
class Mutant:
    """A small change to a file: its name, its place, and how it changes a rulebook."""

    name: str
    file: str
    line: int | None
    change: RulebookChange = field(repr=False)
