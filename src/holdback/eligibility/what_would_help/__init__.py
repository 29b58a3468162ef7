"""
What would help: the least changes of a deal with which its rules are met.

`Assessment.what_would_help` returns them. It is a search over the numbers at which rules change
their answers, and needs no solver (decisions/what-would-help).
"""

from __future__ import annotations

from holdback.eligibility.what_would_help.ways import Move, Way, WhatWouldHelp

__all__ = ["Move", "Way", "WhatWouldHelp"]
