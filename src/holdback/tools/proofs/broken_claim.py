"""A broken claim of one set of rules, before it is known on which days and where it is one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from holdback.eligibility.ruleset import Rule
from holdback.errors import ErrorDetail
from holdback.frozen_classes import frozen
from holdback.jurisdictions.stated_claims import StatedClaim
from holdback.rules import Checked
from holdback.rules.tree import Node as RuleNode
from holdback.tools.proofs.finding import Place, Severity
from holdback.tools.proofs.question import (
    AnswerIn,
    Question,
    is_of_offers,
    reaches_floor,
)

SAYS_SOMETHING: Final = "claim-says-something"


@frozen(kw_only=True)
class Spot:
    """A place in a rule: the whole of it, or the part `node` of the expression under `key`."""

    rule: Rule
    key: str = "require"
    node: RuleNode | None = None

    @property
    def place(self) -> Place:
        """The line, with what is there."""
        position = self.position
        return Place(
            file=position.get("file") or self.rule.file or "",
            line=position.get("line") or self.rule.line,
            text=f"{self.rule.id}: {self.rule.require}",
        )

    @property
    def position(self) -> dict[str, Any]:
        """Where it is, as an error detail has it."""
        if self.rule.origin is None:
            return {"file": self.rule.file, "line": self.rule.line}
        table = self.rule.origin.table
        if self.node is None:
            return dict(table["id"].position())
        return dict(table[self.key].position_of_part((self.node.start, self.node.end)))


@frozen(kw_only=True)
class ClaimSpot:
    """A claim that a file states."""

    claim: StatedClaim

    @property
    def place(self) -> Place:
        """The line, with what is claimed there."""
        return Place(file=self.claim.file, line=self.claim.line, text=self.claim.name)

    @property
    def position(self) -> dict[str, Any]:
        """Where it is, as an error detail has it."""
        return dict(self.claim.table[self.claim.kind].position())


@frozen(kw_only=True)
class BrokenClaim:
    """
    What is wrong with a set of rules, and the question whose answer shows it on a deal.

    `spots` are where it comes from; without any it is all the rules.
    `question` is None where no deal can show it, because there is none. It is not broken where the
    file claims that no deal like `unless_claimed` passes.
    """

    claim: str
    severity: Severity
    code: str
    message: str
    hint: str
    spots: tuple[Spot | ClaimSpot, ...]
    question: Question | None = None
    unless_claimed: Checked | None = None

    @property
    def key(self) -> object:
        """What makes it the same broken claim on another day, or in a child."""
        return self.claim, self.places, self.message

    @property
    def places(self) -> tuple[Place, ...]:
        """The lines that it comes from."""
        return tuple(spot.place for spot in self.spots)

    @property
    def reads(self) -> frozenset[str]:
        """The facts that it is about: those of its rules, and of the deals that it asks for."""
        names = {name for rule in self.rules for name in rule.checked.names}
        if self.question is not None:
            asked = {part for part in self.question.parts if isinstance(part, AnswerIn)}
            if not is_of_offers(self.question.catalogue):
                asked -= {reaches_floor(self.question.catalogue)}  # which every deal is asked for
            names |= {name for part in asked for name in part.names}
        return frozenset(names)

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules that it comes from."""
        return tuple(spot.rule for spot in self.spots if isinstance(spot, Spot))

    def detail(self, position: Mapping[str, Any]) -> ErrorDetail:
        """Return what is wrong and what to do, at the *position*."""
        return ErrorDetail(code=self.code, message=self.message, hint=self.hint, **position)
