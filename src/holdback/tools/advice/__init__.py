"""
Advice about a deal: what would help it, and when it would pass.

What would help are the least changes with which its rules are met; `Assessment.what_would_help`
returns them. It is a search over the numbers at which rules change their answers, and needs no
solver (decisions/what-would-help).

When it would pass are the days on which its rules would be met at a stated pace: `windows`. Nothing
is estimated: the deal goes on at the pace that is stated, and every day is assessed by the rules
that are published for it (decisions/what-would-help#windows).
"""

from __future__ import annotations

from holdback.tools.advice.ways import Move, Way, WhatWouldHelp
from holdback.tools.advice.windows import Window, Windows, windows

__all__ = ["Move", "Way", "WhatWouldHelp", "Window", "Windows", "windows"]
