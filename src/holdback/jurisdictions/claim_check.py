"""Stated claims checked: in every slice in which they hold, and against the layers."""

from __future__ import annotations

from collections.abc import Collection

from attrs import define, field

from holdback.errors import RuleError, did_you_mean, excerpt
from holdback.jurisdictions.claims import StatedClaim
from holdback.jurisdictions.expression_errors import error_on
from holdback.jurisdictions.keys import CLAIM, add_rule_error
from holdback.jurisdictions.overlay import Draft
from holdback.jurisdictions.timeline import Period
from holdback.rules import Catalogue


@define(eq=False)
class ClaimCheck:
    """
    Checks the claims of *draft*, adding errors, and keeps those that hold on some day.

    *complete* says whether the folder had no error before: with one, what a claim names may be
    what is wrong.
    """

    draft: Draft
    complete: bool
    claims: dict[StatedClaim, None] = field(factory=dict, init=False)
    _checked: set[object] = field(factory=set, init=False)
    _reported: set[StatedClaim] = field(factory=set, init=False)

    def names(self) -> None:
        """Add an error for a product, a switched-off claim or a name that does not exist."""
        *inherited, own = self.draft.policy.layers
        keys = dict.fromkeys(product.key for product in self.draft.policy.products)
        earlier = list[StatedClaim]()
        for claim in own.claims:
            if self.complete and claim.product is not None and claim.product not in keys:
                claim.table["product"].one_of(keys, "product")
            if any(_is_again(claim, before) for before in earlier):
                claim.table.node.add_error(
                    "duplicate",
                    f"there is a claim `{excerpt(claim.name)}` on these days already",
                    "give it another `name`, or leave it out",
                    key=True,
                )
            earlier.append(claim)
        names = [claim.name for layer in inherited for claim in layer.claims]
        for switch_off in own.switched_off:
            if switch_off.kind == CLAIM and switch_off.name not in names:
                switch_off.node.add_error(
                    "unknown_name",
                    f"there is no claim `{excerpt(switch_off.name)}` to inherit",
                    did_you_mean(switch_off.name, names),
                )

    def slice(self, period: Period, catalogue: Catalogue, offered: Collection[str]) -> None:
        """Check the claims of the days of *period*, on which the products *offered* are offered."""
        for claim in self.draft.policy.claims_in(period):
            self.claims[claim] = None
            absent = claim.product is not None and claim.product not in offered
            if claim.tree is None or absent or claim in self._reported:
                continue
            values = (catalogue.parameters.get(name) for name in claim.tree.names)
            key = (claim, *(None if value is None else value.number for value in values))
            if key in self._checked:
                continue
            self._checked.add(key)
            try:
                claim.checked(catalogue)
            except RuleError as error:
                self._reported.add(claim)
                wrong = error_on(error, self.draft, catalogue, period.start)
                if wrong is not None:
                    self._add(claim, wrong)

    def _add(self, claim: StatedClaim, error: RuleError) -> None:
        """Add *error* of *claim*, to the child's file where it is inherited."""
        if claim.jurisdiction == self.draft.policy.code:
            add_rule_error(claim.table[claim.kind], error)
        elif self.complete:
            place = f"{claim.file}:{claim.line}"
            self.draft.file_node.add_error(
                "invalid_rule",
                f"the inherited claim `{excerpt(claim.name)}` ({place}): {error.message}",
                "state a claim of this name here, or switch it off, as `{ claim, reason }`",
                key=True,
            )


def _is_again(claim: StatedClaim, before: StatedClaim) -> bool:
    """Return whether both have the same name on the same day, about the same product."""
    same = (claim.product, claim.name) == (before.product, before.name)
    return same and claim.period.overlaps(before.period)
