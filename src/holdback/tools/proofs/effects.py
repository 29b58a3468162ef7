"""What a change of rulebooks means, for renewals, for each product and for fundings."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from itertools import permutations
from typing import Final, Literal, TypeAlias

from attrs import define, evolve, field

from holdback.eligibility.assessment import (
    INELIGIBLE,
    REFERRED,
    UNDETERMINED,
)
from holdback.eligibility.ruleset import RuleSet
from holdback.exact.exact_json import Json
from holdback.frozen_classes import frozen
from holdback.jurisdictions.jurisdiction import Jurisdiction
from holdback.rulebooks.rulebook import FUNDING
from holdback.rules import Facts
from holdback.rules.tree import Node
from holdback.tools.proofs.claims import Subject, subjects
from holdback.tools.proofs.plainest import NotDecidedError, plainest
from holdback.tools.proofs.question import (
    CLASSES,
    DECLINES,
    FAILS,
    LIMIT,
    PASSES,
    REFERS,
    OutcomeIn,
    Question,
    moved_to,
    rule_meaning,
)
from holdback.tools.proofs.rule_outcome import RuleOutcome
from holdback.tools.proofs.shared_facts import SharedFacts, shared_facts
from holdback.tools.proofs.solver import Possibility, Solver
from holdback.tools.proofs.witness import Change, Witness


def effects(
    before: Jurisdiction, after: Jurisdiction, days: tuple[date, date]
) -> Iterator[RuleComparison]:
    """
    Yield the effects of the change from the rules *before* to those *after* on two *days*.

    A product that only one of them offers has no rules to compare. Where the files after the change
    have no typical facts, the typical deal is that of before.
    """
    old = {subject.product: subject for subject in subjects(before.rulebook(days[0]))}
    for subject in subjects(after.rulebook(days[1])):
        if subject.product not in old:
            continue
        if not (old[subject.product].rules.rules or subject.rules.rules):
            continue  # there are no funding rules
        own = any(number is not None for number in after.typical_deal(subject.product))
        typical = (after if own else before).typical_deal(subject.product)
        compared = compare(
            old[subject.product].rules, subject.rules, typical, days[1], product=subject.product
        )
        repriced = _prices(old[subject.product]) != _prices(subject)
        rebound = _bounds(old[subject.product]) != _bounds(subject)
        prices = ("its prices changed, and are not compared",) if repriced else ()
        bounds = ("its rules for each offer changed, and are not compared",) if rebound else ()
        notes = (*compared.notes, *prices, *bounds)
        yield evolve(compared, notes=notes, own_typical=own)


def _prices(subject: Subject) -> object:
    """Return what prices the offers of a product."""
    terms = subject.rulebook.product(subject.product)
    return terms and (terms.amounts, terms.calculators, terms.settlement)


def _bounds(subject: Subject) -> object:
    """Return what the rules for each offer of a product mean."""
    terms = subject.rulebook.product(subject.product)
    return terms and [rule_meaning(rule) for rule in terms.offer_rules]


def _all_facts(witness: Witness) -> tuple[Change, ...]:
    """Return every known fact of *witness* as a change from a deal of which nothing is known."""
    return tuple(
        Change(fact=fact, typical=None, value=number)
        for fact, number in zip(witness.catalogue.facts, witness.facts, strict=True)
        if number is not None
    )


# -- Whether two sets of rules accept, refer and decline the same deals, and the plainest that show
# it.
# `RuleOutcome` is what a set of rules answers about one such deal.

Relation: TypeAlias = Literal["equivalent", "stricter", "looser", "incomparable", "not decided"]

# Those that rules give to deals that do not pass, the most serious first.
_NOT_PASSING: Final = (INELIGIBLE, UNDETERMINED, REFERRED)
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

    They are `stricter` if no deal has a better answer than before, and some have a worse one: who
    passes is better off than who is referred, or waits for a fact, and who is declined is worst.
    `gained` is the plainest deal that passes now and did not, `lost` the plainest that no longer
    does. Without the one, `eased` was declined and is referred now, and without the other
    `tightened` was referred and is declined now. Where all have the same class, `moved` is the
    plainest whose outcome is another one, if there is one.

    `moves` are the classes that some deal had before and has after the change, where they differ.
    `notes` say what was not compared, and why it is not decided. `own_typical` says whether the
    file of the rules has typical facts, which its examples start from.
    """

    relation: Relation
    before: RuleSet = field(repr=False)
    after: RuleSet = field(repr=False)
    product: str | None = None
    gained: Witness | None = None
    lost: Witness | None = None
    eased: Witness | None = None
    tightened: Witness | None = None
    moved: Witness | None = None
    moves: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    own_typical: bool = field(default=True, repr=False)

    @property
    def name(self) -> str:
        """Whose rules these are, in words."""
        if self.product is None:
            return "renewal rules"
        return "funding rules" if self.product == FUNDING else f"rules of {self.product}"

    @property
    def witnesses(self) -> Iterator[tuple[str, Witness]]:
        """The deals that show it, by what they do: `gained`, `lost` and so on."""
        for what in ("gained", "lost", "eased", "tightened", "moved"):
            witness: Witness | None = getattr(self, what)
            if witness is not None:
                yield what, witness

    @property
    def meaning(self) -> object:
        """What it says, to compare with what the effect on another day says."""
        shown = [
            (what, witness.words, *(side.words for side in self.outcomes(witness)))
            for what, witness in self.witnesses
        ]
        return self.name, self.relation, self.moves, self.notes, shown

    def restated(self, witness: Witness) -> Witness:
        """Return the deal *witness* with those of its facts that there are after the change."""
        own = self.after.catalogue
        kinds = {fact.name: fact.type.kind for fact in own.facts}
        kept = (
            change
            for change in witness.changes
            if kinds.get(change.fact.name) is change.fact.type.kind
        )
        facts = moved_to(own, witness.catalogue, witness.facts)
        return evolve(witness, catalogue=own, facts=facts, changes=tuple(kept))

    def example(self, witness: Witness, expect: dict[str, Json]) -> str:
        """Return the deal *witness* as an example of the rules after the change."""
        before, after = self.outcomes(witness)
        changed = ", ".join(change.fact.name.replace("_", " ") for change in witness.changes)
        was, now = (side.outcome.replace("_", " ") for side in (before, after))
        shown = self.restated(witness)
        if not self.own_typical:
            shown = evolve(shown, changes=_all_facts(shown))
        return shown.example(f"{changed or 'typical'}: {was} before, {now} now", expect)

    def outcomes(self, witness: Witness) -> tuple[RuleOutcome, RuleOutcome]:
        """Return the outcomes of the deal *witness* by the rules before and after."""
        return self._outcome(self.before, witness), self._outcome(self.after, witness)

    def _outcome(self, rules: RuleSet, witness: Witness) -> RuleOutcome:
        facts = moved_to(rules.catalogue, witness.catalogue, witness.facts)
        return RuleOutcome.of(rules, facts, self.product)


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

    The rules of a *product* know no floor. *typical* is prepared by the catalogue of *after*. *on*
    is the day of a witness when it is shown; it decides nothing. Each question is given *limit*
    seconds, and what takes longer is not decided.
    """
    if _meaning(before) == _meaning(after):
        return RuleComparison(relation="equivalent", before=before, after=after, product=product)
    shared = shared_facts(before, after)
    if shared.why_not_comparable:
        return RuleComparison(
            relation="not decided",
            before=before,
            after=after,
            product=product,
            notes=shared.why_not_comparable,
        )
    typical = moved_to(shared.catalogue, after.catalogue, typical)
    return _ChangeQuestions(before, after, shared, typical, on, product, Solver(limit)).compared()


def _meaning(rules: RuleSet) -> frozenset[tuple[str, Node]]:
    """Return what decides the outcomes of *rules*: their order does not."""
    return frozenset((rule.otherwise, rule.checked.tree) for rule in rules.rules)


@define(eq=False)
class _ChangeQuestions:
    """
    The questions about a change of rules, asked in the same order in every process.

    The witness of a later question depends on those before it. `undecided` are the questions that
    got no answer in time, in words.
    """

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
        eased = tightened = None
        if gained is None and not self.undecided and self.product != FUNDING:
            eased = self.plainest("a declined deal is referred", (DECLINES, REFERS))
        if lost is None and not self.undecided and self.product != FUNDING:
            tightened = self.plainest("a referred deal is declined", (REFERS, DECLINES))
        relation = _RELATIONS[bool(gained or eased), bool(lost or tightened)]
        if self.undecided:
            relation = "not decided"
        moved = None
        if relation == "equivalent":
            # So only the outcome of one that does not pass can be another, within its class.
            changed = ((frozenset({name}), FAILS - {name}) for name in _NOT_PASSING)
            moved = self.plainest("another outcome changes", *changed)
        decided = relation not in {"equivalent", "not decided"}
        moves = tuple(self.moves()) if decided else ()
        return RuleComparison(
            relation=relation,
            before=self.before,
            after=self.after,
            product=self.product,
            gained=gained,
            lost=lost,
            eased=eased,
            tightened=tightened,
            moved=moved,
            moves=moves,
            notes=(*self.shared.notes, *self.undecided),
        )

    def moves(self) -> Iterator[tuple[str, str]]:
        """Yield the classes that a deal had before and has after, where they differ."""
        if self.product == FUNDING:
            return
        for (was, before), (now, after) in permutations(CLASSES.items(), 2):
            answer = self.solver.answer(self.question((before, after)))
            if answer is Possibility.POSSIBLE:
                yield was, now
            elif answer is Possibility.NOT_DECIDED:
                self.undecided.append(f"whether a deal moves from {was} to {now} was not decided")

    def question(self, *outcomes: tuple[frozenset[str], frozenset[str]]) -> Question:
        """Return the question for a deal with one of the pairs of *outcomes*, before and after."""
        floor = self.product is None
        return Question(
            catalogue=self.shared.catalogue,
            alternatives=tuple(
                (OutcomeIn(self.before, before, floor), OutcomeIn(self.after, after, floor))
                for before, after in outcomes
            ),
        )

    def plainest(
        self, what: str, *outcomes: tuple[frozenset[str], frozenset[str]]
    ) -> Witness | None:
        """
        Return the plainest deal with one of the pairs of *outcomes*, before and after.

        None where there is none. Where that is not decided, it is noted that *what* is not.
        """
        try:
            asked = self.question(*outcomes)
            return plainest(asked, self.typical, self.on, product=self.product, solver=self.solver)
        except NotDecidedError:
            self.undecided.append(f"whether {what} was not decided in {self.solver.limit:g} s")
        return None
