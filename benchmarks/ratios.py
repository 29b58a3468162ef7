"""Timing side by side, and the table of ratios that every benchmark here prints."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping
from importlib.metadata import version
from statistics import median
from time import perf_counter
from typing import Any


def interleaved(
    contenders: Mapping[str, Callable[[], Any]], *, rounds: int = 31, seconds: float = 0.02
) -> dict[str, float]:
    """
    The median seconds of one call of each contender. They take turns, so that a slow moment of the
    machine falls on all of them; each turn runs for about *seconds*.
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
    """Print *times* as a Markdown table of ratios to *base*, with what was to be reached."""
    width = max(len(name) for name in times)
    print(f"| {'what':<{width}} | microseconds | ratio | to reach |")
    print(f"| {'-' * width} | -----------: | ----: | -------- |")
    for name, each in times.items():
        ratio = each / times[base]
        print(f"| {name:<{width}} | {each * 1e6:12.2f} | {ratio:5.2f} | {reach.get(name, '')} |")
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    print(f"\nCPython {platform.python_version()}, {versions}".rstrip(", "))
