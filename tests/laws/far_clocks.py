"""
A host's clock that is wrong now and then, for histories that the engine and a model receive alike.

What the engine has to do is worked out here, from decisions/engine#a-far-clock alone: a command
more than 400 days before or after the last event is refused, unless the host is sure.
"""

from __future__ import annotations

import random
from datetime import timedelta

CLOCK_DAYS = timedelta(days=400)
MICROSECOND, SECOND = timedelta(microseconds=1), timedelta(seconds=1)
YEARS = timedelta(days=3_653)
IMPLAUSIBLE = "implausible_time"
# How often a command is tried under a wrong clock first, and how often nothing happens for long.
WRONG, SILENT = 0.15, 0.02


class FarClock:
    """The clock of one merchant's host, which knows the instant of the merchant's last event."""

    def __init__(self, seed):
        self.draw = random.Random(f"clock {seed}")
        self.last = None

    def is_far(self, at):
        """Whether a command at this instant needs a host that is sure."""
        return self.last is not None and abs(at - self.last) > CLOCK_DAYS

    def after_silence(self, now):
        """The instant at which the history goes on: now and then, after a long silence."""
        if self.last is None or self.draw.random() > SILENT:
            return now
        after = self.draw.choice((CLOCK_DAYS, CLOCK_DAYS + SECOND, CLOCK_DAYS * 2))
        return max(now, self.last + after)

    def wrong(self, now):
        """The instants at which the next command is to be refused: the host is not sure of them."""
        instants = [now] if self.is_far(now) else []
        if self.last is None or self.draw.random() > WRONG:
            return instants
        off = self.draw.choice((CLOCK_DAYS + MICROSECOND, CLOCK_DAYS + MICROSECOND, YEARS))
        return [*instants, self.last + off, self.last - off]

    def right(self, now):
        """
        The instant and the word of the host with which the next command is carried out as now.

        A clock that is behind is moved to the last event, from far behind by a sure host alone.
        """
        if now != self.last or self.draw.random() > WRONG:
            return now, self.is_far(now) or self.draw.random() < WRONG
        return self.draw.choice(
            ((now - CLOCK_DAYS, False), (now - CLOCK_DAYS - MICROSECOND, True), (now - YEARS, True))
        )
