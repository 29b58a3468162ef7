"""Whether two sets of rules let the same deals pass, and the plainest deals that show it."""

from __future__ import annotations

from datetime import date
from typing import Final, Literal, TypeAlias

from attrs import define, field

from holdback.eligibility.assessment import (
    INELIGIBLE,
    REFERRED,
    UNDETERMINED,
    assess,
)
from holdback.eligibility.ruleset import RuleSet
from holdback.frozen_classes import frozen
from holdback.rules import Facts
from holdback.rules.tree import Node
from holdback.tools.proofs.outcome import RuleOutcome
from holdback.tools.proofs.plainest import NotDecidedError, plainest
from holdback.tools.proofs.question import FAILS, LIMIT, PASSES, OutcomeIn, Question, moved_to
from holdback.tools.proofs.shared_facts import SharedFacts, shared_facts
from holdback.tools.proofs.solver import Solver
from holdback.tools.proofs.witness import Witness

Relation: TypeAlias = Literal["equivalent", "stricter", "looser", "incomparable", "not decided"]

# Those that rules give to deals that do not pass, the most serious first.
_OTHERS: Final = (INELIGIBLE, UNDETERMINED, REFERRED)
# By whether somebody gains and whether somebody loses.
_RELATIONS: Final[dict[tuple[bool, bool], Relation]] = {
    (False, False): "equivalent",
    (False, True): "stricter",
    (True, False): "looser",
    (True, True): "incomparable",
}


@frozen(kw_only=True)
class RuleComparison:
    """
    How the rules `after` a change relate to those `before` it, over all deals that can exist.

    They are `stricter` if every deal that passes them passed before, and some do not now. `gained`
    is the plainest deal that passes now and did not, `lost` the plainest that no longer does. Where
    the same deals pass, `moved` is the plainest whose outcome is another one, if there is one.

    `notes` say what was not compared, and why it is not decided.
    """

    relation: Relation
    before: RuleSet = field(repr=False)
    after: RuleSet = field(repr=False)
    product: str | None = None
    gained: Witness | None = None
    lost: Witness | None = None
    moved: Witness | None = None
    notes: tuple[str, ...] = ()

    def outcomes(self, witness: Witness) -> tuple[RuleOutcome, RuleOutcome]:
        """Return the outcomes of the deal *witness* by the rules before and after."""
        return self._outcome(self.before, witness), self._outcome(self.after, witness)

    def _outcome(self, rules: RuleSet, witness: Witness) -> RuleOutcome:
        facts = moved_to(rules.catalogue, witness.catalogue, witness.facts)
        if self.product is None:
            return RuleOutcome.of_renewal(assess(rules, facts, witness.on))
        return RuleOutcome.of_product(rules.answer(facts))


def compare(  # noqa: PLR0913 - two rule sets, and how they are read
    before: RuleSet,
    after: RuleSet,
    typical: Facts,
    on: date,
    *,
    product: str | None = None,
    limit: float = LIMIT,
) -> RuleComparison:
    """
    Return how the rules *after* relate to those *before*, with a witness each way.

    The rules of a *product* know no floor. *typical* is prepared by the catalogue of *after*. Each
    question is given *limit* seconds, and what takes longer is not decided.
    """
    if _meaning(before) == _meaning(after):
        return RuleComparison(relation="equivalent", before=before, after=after, product=product)
    shared = shared_facts(before, after)
    if shared.apart:
        return RuleComparison(
            relation="not decided",
            before=before,
            after=after,
            product=product,
            notes=shared.apart,
        )
    usual = moved_to(shared.catalogue, after.catalogue, typical)
    return _Change(before, after, shared, usual, on, product, Solver(limit)).compared()


def _meaning(rules: RuleSet) -> frozenset[tuple[str, Node]]:
    """Return what decides the outcomes of *rules*: their order does not."""
    return frozenset((rule.otherwise, rule.checked.tree) for rule in rules.rules)


@define(eq=False)
class _Change:
    """The questions about a change of rules, asked in the same order in every process."""

    before: RuleSet
    after: RuleSet
    shared: SharedFacts
    typical: Facts
    on: date
    product: str | None
    solver: Solver
    undecided: list[str] = field(factory=list)

    def compared(self) -> RuleComparison:
        """Return how the rules relate, and who shows it."""
        gained = self.plainest("a deal gains", (FAILS, PASSES))
        lost = self.plainest("a deal loses", (PASSES, FAILS))
        relation = _RELATIONS[gained is not None, lost is not None]
        if self.undecided:
            relation = "not decided"
        moved = None
        if relation == "equivalent":
            others = ((frozenset({name}), FAILS - {name}) for name in _OTHERS)
            moved = self.plainest("another outcome changes", *others)
        return RuleComparison(
            relation=relation,
            before=self.before,
            after=self.after,
            product=self.product,
            gained=gained,
            lost=lost,
            moved=moved,
            notes=(*self.shared.notes, *self.undecided),
        )

    def plainest(
        self, what: str, *outcomes: tuple[frozenset[str], frozenset[str]]
    ) -> Witness | None:
        """Return the plainest deal with one of the pairs of *outcomes*, before and after."""
        floor = self.product is None
        question = Question(
            catalogue=self.shared.catalogue,
            alternatives=tuple(
                (OutcomeIn(self.before, before, floor), OutcomeIn(self.after, after, floor))
                for before, after in outcomes
            ),
        )
        try:
            return plainest(
                question, self.typical, self.on, product=self.product, solver=self.solver
            )
        except NotDecidedError:
            self.undecided.append(f"whether {what} was not decided in {self.solver.limit:g} s")
        return None
