"""One run of the suite against one host."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from attrs import define, field

from holdback.frozen_classes import frozen
from holdback.testing.conformance.host import Host, Process, optional_methods
from holdback.testing.conformance.simulated.simulation import Simulation


@frozen(kw_only=True)
class Effort:
    """
    How much a run tries.

    `workers` race for each of `sets` sets of offers, `kills` processes are killed while they work,
    a partner does its worst a number of `times` in each way, and `histories` histories have
    `operations` requests each.
    """

    sets: int = 60
    workers: int = 8
    kills: int = 12
    times: int = 20
    histories: int = 40
    operations: int = 100


@define
class Session:
    """A host under test. A long check calls `progress` with its count so far and its total."""

    host: Host
    seed: int
    effort: Effort = field(factory=Effort)
    progress: Callable[[int, int], None] = lambda _done, _total: None
    optional: frozenset[str] = field(init=False)
    _simulations: int = 0
    _latest: Simulation | None = None

    def __attrs_post_init__(self) -> None:
        self.optional = optional_methods(self.host)

    def simulation(self) -> Simulation:
        """Return a simulation whose merchants and idempotency keys the host has not seen."""
        self._simulations += 1
        self._latest = Simulation(self.host, f"s{self.seed}-{self._simulations}")
        return self._latest

    def transcript(self) -> tuple[str, ...]:
        """Return the exchanges of the latest simulation, one on a line."""
        return () if self._latest is None else self._latest.transcript()

    def random(self, name: str) -> Random:
        """Return the random numbers of the check *name*, the same in every run with this seed."""
        return Random(f"{self.seed} {name}")  # noqa: S311  # reproducible test data, not secrets

    def new_process(self) -> Process:
        """Return the host in another process on the same store."""
        host: Any = self.host
        process: Process = host.new_process()
        return process
