"""The cost of reading a folder, bounded before the work is done.

Every rule may mean something else on every date of change, and an example may run on all of them.
The bounds are on counts, not on seconds, so a folder that is accepted here is accepted everywhere
(decisions/bounds).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from datetime import date
from typing import Final

from holdback.errors import excerpt
from holdback.jurisdictions.claims import StatedClaim
from holdback.jurisdictions.overlay import Policy
from holdback.jurisdictions.source_rules import SourceRule
from holdback.jurisdictions.timeline import Period

# More dates of change than a policy has in decades.
MAX_CHANGES: Final = 400
# Rules, parameters, switch-offs and claims, times dates of change.
MAX_DEFINITIONS: Final = 8_000
# Parts of rules and claims, times the dates of change on which they hold.
MAX_PARTS: Final = 60_000
# Examples, times the days on which they run.
MAX_EXAMPLE_DAYS: Final = 20_000


def within_cost(policy: Policy, changes: Sequence[date], invalid_parameters: int) -> bool:
    """
    Return whether *policy* may be resolved on its dates of *changes*, adding an error if not.

    The dates are in order. *invalid_parameters* are in the folder and not in the policy.
    """
    if len(changes) > MAX_CHANGES:
        policy.rules_node.add_error(
            "too_large", f"there are more than {MAX_CHANGES} dates of change", key=True
        )
        return False
    return _few_definitions(policy, len(changes), invalid_parameters) and _small_rules(
        policy, changes
    )


def _few_definitions(policy: Policy, changes: int, invalid_parameters: int) -> bool:
    layers = policy.layers
    counts = {
        "rules": sum(len(layer.all_rules) for layer in layers),
        "parameters": len(policy.parameters) + invalid_parameters,
        "switch-offs": sum(len(layer.switched_off) for layer in layers),
        "claims": sum(len(layer.claims) for layer in layers),
    }
    if sum(counts.values()) * changes <= MAX_DEFINITIONS:
        return True
    listed = ", ".join(f"{number} {name}" for name, number in counts.items() if number)
    policy.rules_node.add_error(
        "too_large",
        f"{listed}, looked up on each of {changes} dates of change, are more than "
        f"{MAX_DEFINITIONS} in all",
        "merge dates of change, or split the folder",
        key=True,
    )
    return False


def _small_rules(policy: Policy, changes: Sequence[date]) -> bool:
    parts: list[SourceRule | StatedClaim] = []
    for layer in policy.layers:
        parts += [*layer.all_rules, *layer.claims]
    costs = {part: part.parts * _days_in_force(part.period, changes) for part in parts}
    total = sum(costs.values())
    if total <= MAX_PARTS:
        return True
    dearest = max(costs, key=lambda part: costs[part])
    name = dearest.id if isinstance(dearest, SourceRule) else dearest.name
    policy.rules_node.add_error(
        "too_large",
        f"the parts of the rules, checked on each of {len(changes)} dates of change, are {total}",
        f"at most {MAX_PARTS}: merge dates of change, or shorten `{excerpt(name)}`, which has "
        f"{dearest.parts} parts on {_days_in_force(dearest.period, changes)} dates",
        key=True,
    )
    return False


def _days_in_force(period: Period, changes: Sequence[date]) -> int:
    """Return the number of *changes*, which are in order, in *period*."""
    end = len(changes) if period.end is None else bisect_left(changes, period.end)
    return max(0, end - bisect_left(changes, period.start))
