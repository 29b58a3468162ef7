"""
The tools that a value of the core calls when somebody asks it: to show itself, to draw, to advise.

The core imports no tool (decisions/layers#the-wall). This is the one place where it reaches
for one: by its name, and when it is used first.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any


def tool_named(name: str) -> Callable[..., Any]:
    """
    Return the function *name* of `holdback.tools`.

    >>> tool_named("displays.elements.short_digest")("2:0123456789abcdef0123")
    '2:0123456789ab'
    """
    module, _, attribute = name.rpartition(".")
    function: Callable[..., Any] = getattr(import_module(f"holdback.tools.{module}"), attribute)
    return function


def shown_by(name: str, *values: object) -> str:
    """Return *values* as the function *name* of `holdback.tools.displays` shows them."""
    shown: str = tool_named(f"displays.{name}")(*values)
    return shown
