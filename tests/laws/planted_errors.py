"""Errors planted in the engine, which an independent model has to find."""

from __future__ import annotations

import inspect
import textwrap


def plant(monkeypatch, edits):
    """Make the *edits* in the engine: every caller then runs the changed function."""
    sources = {}
    for function, old, new in edits:
        source = sources.get(function) or textwrap.dedent(inspect.getsource(function))
        assert source.count(old) == 1, f"{function.__name__} has {old!r} {source.count(old)} times"
        sources[function] = source.replace(old, new)
    for function, source in sources.items():
        changed = {}
        exec(source.replace("@property\n", ""), function.__globals__, changed)
        monkeypatch.setattr(function, "__code__", changed[function.__name__].__code__)
