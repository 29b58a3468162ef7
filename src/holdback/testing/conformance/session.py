"""One run of the suite against one host: its seed, how much is tried, and names that nobody has used."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from attrs import define, field, frozen

from holdback.testing.conformance.host import Host, Process, abilities
from holdback.testing.conformance.simulation import World


@frozen(kw_only=True)
class Effort:
    """
    How much is tried: `sets` of offers raced for by `workers` at once, `kills` of a process in the middle
    of its work, `histories` of `operations` each.
    """

    sets: int = 60
    workers: int = 8
    kills: int = 12
    histories: int = 40
    operations: int = 100


@define
class Session:
    """
    A host under test. `progress` is told how far a long check has come.
    """

    host: Host
    seed: int
    effort: Effort = field(factory=Effort)
    progress: Callable[[int, int], None] = lambda _done, _all: None
    able: frozenset[str] = field(init=False)
    _worlds: int = 0
    _last: World | None = None

    def __attrs_post_init__(self) -> None:
        self.able = abilities(self.host)

    def world(self) -> World:
        """A world of its own: its merchants and keys are new to the host."""
        self._worlds += 1
        self._last = World(self.host, f"s{self.seed}-{self._worlds}")
        return self._last

    @property
    def told(self) -> tuple[str, ...]:
        """The exchanges of the last world."""
        return () if self._last is None else self._last.told()

    def random(self, name: str) -> Random:
        """The chances of the check *name*, the same at every run with this seed."""
        return Random(f"{self.seed} {name}")  # noqa: S311  # chances to be had again, not secrets

    def new_process(self) -> Process:
        """The host on the same store in another process."""
        host: Any = self.host
        process: Process = host.new_process()
        return process
