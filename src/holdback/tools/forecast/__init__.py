"""
When a deal would pass: the days on which its rules would be met at a stated pace.

Nothing is estimated: the deal goes on at the pace that is stated, and every day is assessed by the
rules that are published for it (decisions/what-would-help#windows).
"""

from __future__ import annotations

from holdback.tools.forecast.windows import Window, Windows, windows

__all__ = ["Window", "Windows", "windows"]
