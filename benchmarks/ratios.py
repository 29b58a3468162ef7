"""Timing in turns, and the tables of ratios that every benchmark prints."""

from __future__ import annotations

import gc
import os
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from random import Random
from statistics import median
from time import perf_counter
from typing import Any

from attrs import frozen


@frozen
class Contender:
    """One implementation of a task: *call* does it for *deals* deals."""

    name: str
    call: Callable[[], Any]
    deals: int


@frozen
class Target:
    """The ratio to reach: an upper or a lower bound."""

    bound: str
    ratio: float

    def reached(self, ratio: float) -> bool:
        """Return whether *ratio* is good enough."""
        return ratio <= self.ratio if self.bound == "at most" else ratio >= self.ratio

    def __str__(self) -> str:
        return f"{self.bound} {self.ratio:g}"


def at_most(ratio: float) -> Target:
    """Return the target to be at most *ratio* times as slow."""
    return Target("at most", ratio)


def at_least(ratio: float) -> Target:
    """Return the target that the other is at least *ratio* times as slow."""
    return Target("at least", ratio)


Times = Mapping[str, Sequence[float]]


def in_rounds(
    contenders: Sequence[Contender], *, rounds: int, random: Random, warm_up: int = 3
) -> dict[str, list[float]]:
    """
    Return the seconds per deal of every contender and round.

    In each round the contenders take turns in another order, because each finds the caches as the
    one before left them.
    """
    seconds: dict[str, list[float]] = {each.name: [] for each in contenders}
    gc.collect()
    gc.disable()
    for place in range(rounds + warm_up):
        for each in random.sample(contenders, len(contenders)):
            start = perf_counter()
            kept = each.call()
            taken = (perf_counter() - start) / each.deals
            del kept  # what it made is gone before the next one begins
            if place >= warm_up:
                seconds[each.name].append(taken)
    gc.enable()
    return seconds


def ratio(times: Times, name: str, other: str) -> float:
    """Return the median of the ratios of single rounds, which a busy machine hardly changes."""
    return median(one / two for one, two in zip(times[name], times[other], strict=True))


class Ratios:
    """The ratios of a benchmark, with their targets, and the number of those missed."""

    def __init__(self) -> None:
        self.missed = 0

    def cells(self, value: float, target: Target | None) -> tuple[str, str]:
        """Return a ratio and its target as cells of a table."""
        if target is None:
            return figure(value), ""
        reached = target.reached(value)
        self.missed += not reached
        return figure(value), f"{target}" if reached else f"{target}: **missed**"


def figure(value: float) -> str:
    """Return *value* to about three digits."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def print_markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a Markdown table: the first column to the left, the others to the right."""
    lines = [header, *rows]
    widths = [max(3, *(len(line[place]) for line in lines)) for place in range(len(header))]
    rule = [
        "-" * width if place == 0 else "-" * (width - 1) + ":" for place, width in enumerate(widths)
    ]
    for line in (header, rule, *lines[1:]):
        cells = [
            cell.ljust(width) if place == 0 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        print(f"| {' | '.join(cells)} |")


def is_installed(package: str) -> bool:
    """Return whether *package* is installed."""
    try:
        version(package)
    except PackageNotFoundError:
        return False
    return True


def machine(packages: Iterable[str]) -> str:
    """Return the Python version, the versions of *packages* and the machine."""
    python = f"CPython {platform.python_version()}"
    named = ", ".join([python, *(f"{name} {version(name)}" for name in packages)])
    return (
        f"{named}. {len(os.sched_getaffinity(0))} cores, {platform.system()} {platform.machine()}."
    )


def interleaved(
    contenders: Mapping[str, Callable[[], Any]], *, rounds: int = 31, seconds: float = 0.02
) -> dict[str, float]:
    """
    Return the median seconds of one call of each contender.

    They take turns, so that a slow moment of the machine affects all; a turn takes about *seconds*.
    """
    calls = {}
    for name, call in contenders.items():
        call()
        start, count = perf_counter(), 0
        while perf_counter() - start < seconds:
            call()
            count += 1
        calls[name] = max(1, count)
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, call in contenders.items():
            repeat = range(calls[name])
            start = perf_counter()
            for _ in repeat:
                call()
            times[name].append((perf_counter() - start) / calls[name])
    return {name: median(each) for name, each in times.items()}


def print_table(
    times: Mapping[str, float],
    *,
    base: str,
    reach: Mapping[str, str],
    packages: tuple[str, ...] = (),
) -> None:
    """Print *times* as a Markdown table of ratios to *base*, with the ratios to reach."""
    width = max(len(name) for name in times)
    print(f"| {'what':<{width}} | microseconds | ratio | to reach |")
    print(f"| {'-' * width} | -----------: | ----: | -------- |")
    for name, each in times.items():
        ratio = each / times[base]
        print(f"| {name:<{width}} | {each * 1e6:12.2f} | {ratio:5.2f} | {reach.get(name, '')} |")
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    print(f"\nCPython {platform.python_version()}, {versions}".rstrip(", "))
