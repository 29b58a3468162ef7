"""Records of a host's checks: of each check one, with the instant at which it was made.

What a check does not give is unknown, and supersedes what was known before (decisions/evidence).
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field
from pendulum import DateTime

from holdback.exact.exact_json import Json
from holdback.exact.frozen_values import FrozenMapping, frozen_record
from holdback.frozen_classes import frozen


@frozen
class HeldFact:
    """A result of a host's check, as it was recorded: its `value`, and the kind of its fact."""

    value: Json
    kind: str


def frozen_evidence(evidence: Mapping[str, HeldFact]) -> Mapping[str, HeldFact]:
    """Return *evidence* frozen."""
    return frozen_record(evidence)


@frozen(kw_only=True)
class CheckRecord:
    """
    The result of one check, as it is recorded: each fact with the kind that it had.

    INVARIANT: a merchant's state holds the newest record of each check, its journal all.
    """

    check: str
    made_at: DateTime
    facts: Mapping[str, HeldFact] = field(
        factory=FrozenMapping, converter=frozen_evidence, repr=False
    )
