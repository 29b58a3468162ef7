"""What a change of rulebooks means: its effect on renewals, and on each product."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Final, Literal, TypeAlias

from attrs import define, evolve, field

from holdback.eligibility.assessment import (
    ELIGIBLE,
    INELIGIBLE,
    NOT_ASSESSED,
    REFERRED,
    UNDETERMINED,
    Assessment,
    assess,
)
from holdback.eligibility.ruleset import Answers, RuleSet
from holdback.exact.exact_json import Json
from holdback.frozen_classes import frozen
from holdback.jurisdictions.jurisdiction import Jurisdiction
from holdback.merchant.product import ACCEPTED, DECLINED
from holdback.merchant.product import REFERRED as PRODUCT_REFERRED
from holdback.rulebooks.rulebook import ProductTerms
from holdback.rules import Facts
from holdback.rules.tree import Node
from holdback.tools.proofs.claims import Subject, subjects, typical
from holdback.tools.proofs.plainest import NotDecidedError, plainest
from holdback.tools.proofs.question import (
    FAILS,
    LIMIT,
    PASSES,
    OutcomeIn,
    Question,
    moved_to,
    outcome_of,
)
from holdback.tools.proofs.shared_facts import SharedFacts, shared_facts
from holdback.tools.proofs.solver import Solver
from holdback.tools.proofs.witness import Change, Witness


@frozen(kw_only=True)
class ChangeEffect:
    """
    The effect of a change on the rules for renewals, or on those of a `product`.

    `own_typical` says whether the file of the rules has typical facts, which its examples start
    from. With `prices_changed`, the offers of the product changed too, which no proof compares.
    """

    comparison: RuleComparison
    prices_changed: bool = False
    own_typical: bool = field(default=True, repr=False)

    @property
    def product(self) -> str | None:
        """The product; None for the rules for renewals."""
        return self.comparison.product

    @property
    def name(self) -> str:
        """Whose rules these are, in words."""
        return "renewal rules" if self.product is None else f"rules of {self.product}"

    @property
    def notes(self) -> tuple[str, ...]:
        """What was not compared."""
        prices = ("its prices changed, and are not compared",) if self.prices_changed else ()
        return (*self.comparison.notes, *prices)

    @property
    def witnesses(self) -> Iterator[tuple[str, Witness]]:
        """The deals that show it, by what they do: `gained`, `lost` or `moved`."""
        for what in ("gained", "lost", "moved"):
            witness: Witness | None = getattr(self.comparison, what)
            if witness is not None:
                yield what, witness

    @property
    def meaning(self) -> object:
        """What it says, to compare with what the effect on another day says."""
        shown = [
            (what, witness.words, *(side.words for side in self.comparison.outcomes(witness)))
            for what, witness in self.witnesses
        ]
        return self.name, self.comparison.relation, self.notes, shown

    def restated(self, witness: Witness) -> Witness:
        """Return the deal *witness* with those of its facts that there are after the change."""
        own = self.comparison.after.catalogue
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
        before, after = self.comparison.outcomes(witness)
        changed = ", ".join(change.fact.name.replace("_", " ") for change in witness.changes)
        was, now = (side.outcome.replace("_", " ") for side in (before, after))
        shown = self.restated(witness)
        if not self.own_typical:
            shown = evolve(shown, changes=_all_facts(shown))
        return shown.example(f"{changed or 'typical'}: {was} before, {now} now", expect)


def effects(
    before: Jurisdiction, after: Jurisdiction, days: tuple[date, date]
) -> Iterator[ChangeEffect]:
    """
    Yield the effects of the change from the rules *before* to those *after* on two *days*.

    A product that only one of them offers has no rules to compare. Where the files after the change
    have no typical facts, the typical deal is that of before.
    """
    old = {subject.product: subject for subject in subjects(before.rulebook(days[0]))}
    for subject in subjects(after.rulebook(days[1])):
        if subject.product not in old:
            continue
        part = "renewal" if subject.product is None else "products"
        own = bool(after.typical.get(part))
        usual = typical(after if own else before, subject)
        compared = compare(
            old[subject.product].rules, subject.rules, usual, days[1], product=subject.product
        )
        yield ChangeEffect(
            comparison=compared,
            prices_changed=_prices(old[subject.product]) != _prices(subject),
            own_typical=own,
        )


def _prices(subject: Subject) -> object:
    """Return what prices the offers of a product."""
    terms: ProductTerms | None = next(
        (offered for offered in subject.rulebook.products if offered.key == subject.product), None
    )
    return terms and (terms.amounts, terms.calculators, terms.settlement)


def _all_facts(witness: Witness) -> tuple[Change, ...]:
    """Return every known fact of *witness* as a change from a deal of which nothing is known."""
    return tuple(
        Change(fact=fact, typical=None, value=number)
        for fact, number in zip(witness.catalogue.facts, witness.facts, strict=True)
        if number is not None
    )


# -- Whether two sets of rules let the same deals pass, and the plainest deals that show it.
#
# `RuleOutcome` is what a set of rules answers about one such deal, in words and as an example
# expects it.

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


# A product whose rules cannot be answered is referred, as in a quote.
_DECISIONS: Final[Mapping[str, str]] = {
    ELIGIBLE: ACCEPTED,
    REFERRED: PRODUCT_REFERRED,
    UNDETERMINED: PRODUCT_REFERRED,
    INELIGIBLE: DECLINED,
}


@frozen
class RuleOutcome:
    """The outcome of rules on a deal, with the codes of its reasons and the facts it lacks."""

    outcome: str
    codes: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()

    @classmethod
    def of_renewal(cls, assessment: Assessment) -> RuleOutcome:
        """Return the outcome of an assessment of a renewal."""
        return cls(assessment.outcome, assessment.codes, assessment.needs)

    @classmethod
    def of_product(cls, answers: Answers) -> RuleOutcome:
        """Return the outcome of the rules of a product, which know no floor."""
        rules = answers.ruleset
        outcome = outcome_of(answers.false, answers.unknown, rules.declining)
        if outcome == UNDETERMINED:
            return cls(outcome, needs=answers.needs)
        deciding = answers.false & rules.declining if outcome == INELIGIBLE else answers.false
        return cls(outcome, tuple(rule.code for rule in answers.selected(deciding)))

    @property
    def words(self) -> str:
        """
        The outcome in words.

        >>> RuleOutcome("ineligible", codes=("GB-R-02",)).words
        'ineligible (GB-R-02)'
        >>> RuleOutcome("undetermined", needs=("credit_score",)).words
        'undetermined (credit score is unknown)'
        """
        name = self.outcome.replace("_", " ")
        because = list(self.codes)
        if self.needs:
            are = "is" if len(self.needs) == 1 else "are"
            because = [f"{', '.join(self.needs).replace('_', ' ')} {are} unknown"]
        return f"{name} ({', '.join(because)})" if because else name

    def expected(self, product: str | None) -> dict[str, Json]:
        """Return what an example expects, of renewal rules or those of a *product*."""
        key, name = "outcome", self.outcome
        if product is not None:
            assert self.outcome != NOT_ASSESSED, "the rules of a product know no floor"
            key, name = "decision", _DECISIONS[self.outcome]
        more = {"codes": list(self.codes), "needs": list(self.needs)}
        return {key: name, **{which: names for which, names in more.items() if names}}
