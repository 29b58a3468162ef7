"""What a policy document is about, as its pages are given it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from holdback.frozen_classes import frozen
from holdback.jurisdictions.jurisdiction import Jurisdiction
from holdback.rulebooks.rulebook import Rulebook
from holdback.tools.workbench.lock import Approval
from holdback.tools.workbench.proving import ProofReport


@frozen(kw_only=True)
class PolicyPage:
    """
    A jurisdiction on the day `on`, and what changes after it, up to `to`.

    `above` are the jurisdictions above it, the nearest one first. `proved` is what was proved of
    it; None where nothing was. `approvals` are those of its period, of this text or of another.
    """

    jurisdiction: Jurisdiction
    on: date
    to: date | None = None
    above: tuple[Jurisdiction, ...] = ()
    proved: ProofReport | None = None
    approvals: tuple[Approval, ...] = ()

    @property
    def rulebook(self) -> Rulebook:
        """The rules of the day."""
        return self.jurisdiction.rulebook(self.on)

    @property
    def names(self) -> Mapping[str, str]:
        """The names of the jurisdictions above it, by code."""
        return {jurisdiction.code: jurisdiction.name for jurisdiction in self.above}

    @property
    def next_change(self) -> date | None:
        """The first day after it on which something is different."""
        return next((day for day in self.jurisdiction.changes if day > self.on), None)
