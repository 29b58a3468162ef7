"""What a policy document is about, as its pages are given it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from attrs import field

from holdback.frozen_classes import FrozenMapping, frozen, frozen_record
from holdback.jurisdictions.jurisdiction import Jurisdiction
from holdback.rulebooks.rulebook import Rulebook
from holdback.tools.workbench.lock import Approval
from holdback.tools.workbench.proving import ProofReport


@frozen(kw_only=True)
class PolicyPage:
    """
    A jurisdiction on the day `on`, and what changes after it, up to `to`.

    `names` are those of the jurisdictions above it, by code, the nearest one first. `proved` is
    what was proved of it; None where nothing was. `approvals` are those of its period, of this text
    or of another.
    """

    jurisdiction: Jurisdiction
    on: date
    to: date | None = None
    names: Mapping[str, str] = field(factory=FrozenMapping, converter=frozen_record)
    proved: ProofReport | None = None
    approvals: tuple[Approval, ...] = ()

    @property
    def rulebook(self) -> Rulebook:
        """The rules of the day."""
        return self.jurisdiction.rulebook(self.on)

    @property
    def next_change(self) -> date | None:
        """The first day after it on which something is different."""
        return next((day for day in self.jurisdiction.changes if day > self.on), None)
