"""Claims about one set of rules: somebody can pass, every rule decides, and more is never worse.

Each has one headline: what follows from another broken claim of the same rules is not said again.
A rule has clauses, and each is asked whether it ever decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from attrs import define, evolve, field

from holdback.eligibility.assessment import (
    ELIGIBLE,
    FLOOR,
    FLOOR_PERCENT,
    INELIGIBLE,
    OUTCOMES,
    REFERRED,
)
from holdback.eligibility.ruleset import DECLINE, Rule, RuleSet
from holdback.frozen_classes import frozen
from holdback.merchant.deal import FUNDED, INITIAL, RENEWAL, REPAID, STATUSES
from holdback.rules import Checked, Facts, Kind, check, parse
from holdback.rules.render import in_words, text_of
from holdback.rules.tree import Constant, FactRead, Node, Operation, leaves
from holdback.tools.proofs.broken_claim import BrokenClaim, Spot
from holdback.tools.proofs.finding import ERROR, NOT_DECIDED, WARNING
from holdback.tools.proofs.question import (
    FAILS,
    FALSE,
    NOT_FALSE,
    NOT_TRUE,
    PASSES,
    TRUE,
    UNKNOWN,
    AnswerIn,
    OutcomeIn,
    Part,
    Question,
    reaches_floor,
)
from holdback.tools.proofs.solver import Possibility, Solver

_NOT_DECLINED: Final = frozenset(OUTCOMES) - {INELIGIBLE}
_WITHOUT_DECLINE: Final = frozenset({ELIGIBLE, REFERRED})
# The deals that can be renewed: the active one, or one that was repaid (service 2.5).
_RENEWABLE: Final = (FUNDED, REPAID)
_ENDED: Final = tuple(status for status in STATUSES if status not in _RENEWABLE)
# The parts of the deals that can be renewed. A rule that is the wrong way round may leave out one.
_PARTS: Final = (
    *(f'status == "{status}"' for status in _RENEWABLE),
    *(f'deal_type == "{type_}"' for type_ in (INITIAL, RENEWAL)),
)
# More of these is better for everybody, so more of them must not cost anybody the renewal.
_NEVER_HURT: Final = ("progress", "performance")


@define(eq=False)
class RuleClaims:
    """The claims about `rules`; those of a product know no `floor`."""

    rules: RuleSet
    floor: bool
    solver: Solver
    # Possible deals, such as those of examples. What one of them shows need not be searched for.
    deals: tuple[Facts, ...] = ()
    passed: str = "eligible"
    _shown: list[tuple[int, int]] = field(init=False)
    # Rules of which a claim does not hold already: what else is wrong with them follows from that.
    _reported: set[str] = field(factory=set, init=False)
    _undecided: set[str] = field(factory=set, init=False)

    @_shown.default
    def _masks(self) -> list[tuple[int, int]]:
        """Return the masks of the false and the unknown rules on the deals that are assessed."""
        return [self.rules.masks(facts) for facts in self._assessed]

    @property
    def _assessed(self) -> list[Facts]:
        """The deals that are assessed."""
        progress = self.rules.progress
        return [facts for facts in self.deals if not self.floor or (facts[progress] or 0) >= FLOOR]

    def broken_claims(self) -> Iterator[BrokenClaim]:
        """Yield what is wrong with the rules, one broken claim for each root cause."""
        for bit, rule in enumerate(self.rules.rules):
            of_rule = list(self._of_one_rule(bit, rule))
            if of_rule:
                self._reported.add(rule.id)
            yield from of_rule
        nobody = list(self._nobody_passes())
        yield from nobody
        # Where nobody passes, no other rule decides who does.
        if not nobody and not any(map(self._passes_nobody, self.rules.rules)):
            if self.floor:
                yield from self._part_passes()
                yield from self._ended_can_pass()
            yield from self._redundant()
            if self.floor:
                yield from self._more_hurts()
        for claim in sorted(self._undecided):
            yield self._not_decided(claim)

    @property
    def who(self) -> str:
        """What the rules are about."""
        return "deal that is assessed" if self.floor else "application"

    def question(self, *parts: Part) -> Question:
        """Return the question for a deal that is assessed and satisfies *parts*."""
        assessed = (reaches_floor(self.rules.catalogue),) if self.floor else ()
        return Question(catalogue=self.rules.catalogue, parts=(*assessed, *parts))

    def outcome(self, outcomes: frozenset[str], rules: RuleSet | None = None) -> OutcomeIn:
        """Return the part that the outcome of *rules*, by default all, is one of *outcomes*."""
        return OutcomeIn(rules or self.rules, outcomes, self.floor)

    def impossible(self, question: Question, claim: str) -> bool:
        """Return whether it is proved that no deal satisfies *question*, about *claim*."""
        return self._asked(question, claim) is Possibility.IMPOSSIBLE

    def _asked(self, question: Question, claim: str) -> Possibility:
        """Return the answer to *question*, about *claim*; "not decided" is noted."""
        answer = self.solver.answer(question)
        if answer is Possibility.NOT_DECIDED:
            self._undecided.add(claim)
        return answer

    # About one rule

    def _of_one_rule(self, bit: int, rule: Rule) -> Iterator[BrokenClaim]:
        """Yield the first broken claim of *rule* by itself, which is at *bit* of the masks."""
        constant = list(self._constant(bit, rule))
        yield from constant
        if constant:
            return
        for clause in clauses(rule):
            if self.impossible(self.question(*clause.differs), "clause-decides"):
                yield BrokenClaim(
                    claim="clause-decides",
                    severity=WARNING,
                    code="no_effect",
                    message=f"in the rule `{rule.id}`, `{text_of(clause.node)}` never decides",
                    hint=f"leave it out, or correct it: {clause.reason}",
                    spots=(Spot(rule=rule, key=clause.key, node=clause.node),),
                )
                return

    def _constant(self, bit: int, rule: Rule) -> Iterator[BrokenClaim]:
        """Yield the broken claim of a rule that has one answer for every deal."""
        if {True, False} <= self._answers(bit):
            return  # `when` is true of a deal of which the rule is false
        when = _when(rule)
        if when is not None and self.impossible(
            self.question(AnswerIn(when, TRUE)), "when-applies"
        ):
            yield BrokenClaim(
                claim="when-applies",
                severity=WARNING,
                code="no_effect",
                message=f"`when` of the rule `{rule.id}` is true of no {self.who}",
                hint="the rule decides nothing; correct `when`, or leave the rule out",
                spots=(Spot(rule=rule, key="when", node=when.tree),),
            )
        elif self.impossible(self.question(AnswerIn(rule.checked, TRUE)), "rule-passes"):
            yield BrokenClaim(
                claim="rule-passes",
                severity=ERROR,
                code="contradiction",
                message=f"the rule `{rule.id}` is met by no {self.who}",
                hint="nobody can pass; correct what it requires",
                spots=(Spot(rule=rule, node=rule.required[0]),),
            )
        elif self.impossible(self.question(AnswerIn(rule.checked, FALSE)), "rule-fails"):
            yield BrokenClaim(
                claim="rule-fails",
                severity=WARNING,
                code="no_effect",
                message=f"the rule `{rule.id}` is never false of a {self.who}",
                hint=_why_true(rule)
                + (f"; below {FLOOR_PERCENT}% paid down no deal is assessed" if self.floor else ""),
                spots=(Spot(rule=rule, node=rule.required[0]),),
            )

    def _answers(self, bit: int) -> set[bool | None]:
        """Return the answers of the rule at *bit* that the deals show."""
        return {
            None if unknown >> bit & 1 else not false >> bit & 1 for false, unknown in self._shown
        }

    # About all rules together

    def _nobody_passes(self) -> Iterator[BrokenClaim]:
        """Yield the broken claim that nobody can pass, with the fewest rules that nobody meets."""
        if (0, 0) in self._shown:
            return
        if not self.impossible(self.question(self.outcome(PASSES)), "somebody-passes"):
            return
        if any(self._passes_nobody(rule) for rule in self.rules.rules):
            return  # that rule is the cause, and is reported
        core = self._contradicting()
        names = in_words([f"`{rule.id}`" for rule in core])
        yield BrokenClaim(
            claim="somebody-passes",
            severity=ERROR,
            code="contradiction",
            message=f"nobody can be {self.passed}: no {self.who} meets {names} together",
            hint="correct one of them",
            spots=tuple(map(_whole, core)),
        )

    def _contradicting(self, *others: AnswerIn) -> list[Rule]:
        """Return the fewest rules that no deal meets together with *others*."""
        assessed = (reaches_floor(self.rules.catalogue),) if self.floor else ()
        return contradicting(self.solver, self.rules.rules, *assessed, *others)

    def _passes_nobody(self, rule: Rule) -> bool:
        question = self.question(AnswerIn(rule.checked, TRUE))
        return rule.id in self._reported and self.impossible(question, "rule-passes")

    def _part_passes(self) -> Iterator[BrokenClaim]:
        """Yield the deals that can be renewed by what they are, and of which none passes."""
        for text in _PARTS:
            part = AnswerIn(check(parse(text), self.rules.catalogue, Kind.FLAG), TRUE)
            if any(
                masks == (0, 0) and part.holds(facts)
                for masks, facts in zip(self._shown, self._assessed, strict=True)
            ):
                continue
            if not self.impossible(self.question(part, self.outcome(PASSES)), "part-passes"):
                continue
            yield BrokenClaim(
                claim="part-passes",
                severity=WARNING,
                code="contradiction",
                message=f"no deal with `{text}` can be {self.passed}",
                hint=f"correct the rules; if it is meant, claim it: `never = '{text}'`",
                spots=tuple(map(_whole, self._contradicting(part))),
                unless_claimed=part.checked,
            )

    def _ended_can_pass(self) -> Iterator[BrokenClaim]:
        """Yield that a deal can be renewed after it has ended otherwise than repaid."""
        question = self._with_status(_ENDED)
        if self._asked(question, "ended-fails") is not Possibility.POSSIBLE:
            return
        names = [
            f"`{status}`"
            for status in _ENDED
            if self.solver.answer(self._with_status((status,))) is not Possibility.IMPOSSIBLE
        ]
        wanted = ", ".join(f'"{status}"' for status in _RENEWABLE)
        yield BrokenClaim(
            claim="ended-fails",
            severity=ERROR,
            code="not_proved",
            message=f"a deal can be eligible whose status is {in_words(names, 'or')}",
            hint=f"require `status in [{wanted}]`",
            spots=tuple(_whole(rule) for rule in self.rules.rules if _requires(rule, "status")),
            question=question,
        )

    def _with_status(self, statuses: Sequence[str]) -> Question:
        options = ", ".join(f'"{status}"' for status in statuses)
        catalogue = self.rules.catalogue
        status = check(parse(f"status in [{options}]"), catalogue, Kind.FLAG)
        return self.question(AnswerIn(status, TRUE), self.outcome(PASSES))

    def _redundant(self) -> Iterator[BrokenClaim]:
        """Yield the rules without which every deal has the same outcome, once for each cause."""
        left, by_cause = self.rules, dict[object, tuple[list[Rule], tuple[Rule, ...]]]()
        # From the last one on: of two that say the same the first stays.
        for bit, rule in reversed([*enumerate(self.rules.rules)]):
            others = tuple(kept for kept in left.rules if kept is not rule)
            if rule.id in self._reported or not others or self._is_shown_to_decide(bit):
                continue
            fewer = left.altered(rules=others)
            if self._decides(rule, fewer):
                continue
            left = fewer
            implying = self._implying(rule, fewer)
            cause = tuple(cause.id for cause in implying) or rule
            by_cause.setdefault(cause, ([], implying))[0].insert(0, rule)
        for rules, implying in by_cause.values():
            yield self._superfluous(rules, implying)

    def _superfluous(self, rules: Sequence[Rule], implying: Sequence[Rule]) -> BrokenClaim:
        """Return that *rules* never decide, because of those *implying* them."""
        names = in_words([f"`{rule.id}`" for rule in rules])
        never, them = (
            (f"the rule {names} never decides", "it")
            if len(rules) == 1
            else (f"the rules {names} never decide", "them")
        )
        more = f" with {in_words([f'`{cause.id}`' for cause in implying])}" if implying else ""
        return BrokenClaim(
            claim="rule-decides",
            severity=WARNING,
            code="no_effect",
            message=f"{never}: without {them} every {self.who} has the same outcome{more}",
            hint=f"leave {them} out, or correct {them}",
            spots=tuple(map(_whole, (*rules, *implying))),
        )

    def _is_shown_to_decide(self, bit: int) -> bool:
        """Return whether the rule at *bit* alone keeps one of the deals from passing."""
        return any((false | unknown) == 1 << bit for false, unknown in self._shown)

    def _decides(self, rule: Rule, others: RuleSet) -> bool:
        """Return whether some deal has another outcome with *rule* than by the *others* alone."""
        declines = rule.otherwise == DECLINE
        cases = (
            (FALSE, _NOT_DECLINED if declines else PASSES),
            (UNKNOWN, _WITHOUT_DECLINE),
        )
        return not all(
            self.impossible(
                self.question(AnswerIn(rule.checked, answers), self.outcome(outcomes, others)),
                "rule-decides",
            )
            for answers, outcomes in cases
        )

    def _implying(self, rule: Rule, others: RuleSet) -> tuple[Rule, ...]:
        """Return the one rule of *others* that suffices to make *rule* superfluous, if there is."""
        for single in others.rules:
            alone = others.altered(rules=(single,))
            if not self._decides(rule, alone):
                return (single,)
        return ()

    def _more_hurts(self) -> Iterator[BrokenClaim]:
        """Yield the broken claim that a deal would be eligible with less of what is good."""
        for name in _NEVER_HURT:
            question = evolve(
                self.question(self.outcome(PASSES)),
                moved=name,
                after=(self.outcome(FAILS),),
            )
            if self._asked(question, f"more-{name}-helps") is not Possibility.POSSIBLE:
                continue
            reading = [rule for rule in self.rules.rules if name in rule.checked.names]
            guilty = [rule for rule in reading if self._hurts(rule, name)]
            if guilty and self._reported.issuperset(rule.id for rule in guilty):
                continue
            yield BrokenClaim(
                claim=f"more-{name}-helps",
                severity=WARNING,
                code="not_proved",
                message=f"more {name} can cost a deal its eligibility",
                hint="correct the rule that is met by less and not by more",
                spots=tuple(map(_whole, guilty or reading)),
                question=question,
            )

    def _hurts(self, rule: Rule, name: str) -> bool:
        """Return whether *rule* alone is met with less of the fact *name*, and not with more."""
        question = evolve(
            self.question(AnswerIn(rule.checked, TRUE)),
            moved=name,
            after=(AnswerIn(rule.checked, NOT_TRUE),),
        )
        return self.solver.answer(question) is Possibility.POSSIBLE

    def _not_decided(self, claim: str) -> BrokenClaim:
        return BrokenClaim(
            claim=claim,
            severity=NOT_DECIDED,
            code="not_proved",
            message=f"`{claim}` was not decided in {self.solver.times}",
            hint="give more time with --limit, or write the rules in a simpler way",
            spots=(),
        )


def contradicting(solver: Solver, rules: Sequence[Rule], *others: AnswerIn) -> list[Rule]:
    """Return the fewest of *rules* that no deal meets together with *others*; all if one does."""
    core = list(rules)
    for rule in rules:
        fewer = [left for left in core if left is not rule]
        parts = (*others, *(AnswerIn(left.checked, TRUE) for left in fewer))
        if not parts:
            continue
        question = Question(catalogue=parts[0].catalogue, parts=parts)
        if solver.answer(question) is Possibility.IMPOSSIBLE:
            core = fewer
    return core


def _why_true(rule: Rule) -> str:
    """Return why *rule* is never false, and what to do: it reads facts, or parameters alone."""
    if rule.checked.names:
        names = in_words([f"`{name}`" for name in rule.checked.names])
        return f"it only asks that {names} is known; correct it, or leave it out"
    reads = "no fact"
    if rule.checked.parameters:
        names = in_words([f"`{name}`" for name in rule.checked.parameters])
        reads = f"{names} and no fact"
    return f"it reads {reads}, so it decides alike about all; leave it out, or let it read a fact"


def _whole(rule: Rule) -> Spot:
    return Spot(rule=rule)


def _requires(rule: Rule, name: str) -> bool:
    """Return whether what *rule* requires reads the fact *name*."""
    every = (leaf for part in rule.required for leaf in leaves(part))
    return any(isinstance(leaf, FactRead) and leaf.name == name for leaf in every)


def _when(rule: Rule) -> Checked | None:
    """Return `when` of *rule* as an expression of its own."""
    if rule.when is None:
        return None
    tree = rule.checked.tree
    assert isinstance(tree, Operation), "`not when or require`"
    denied = tree.operands[0]
    assert isinstance(denied, Operation), "`not when`"
    return evolve(rule.checked, tree=denied.operands[0])


@frozen(kw_only=True)
class Clause:
    """
    An operand of an `and` or an `or` in a rule, under `key` in its file.

    `path` leads to it from the root of the rule, by the places of operands.
    """

    rule: Rule
    key: str
    path: tuple[int, ...]
    node: Node
    operator: str
    # Whether the rule becomes true when its `and` or `or` does, and not false.
    upright: bool

    @property
    def differs(self) -> tuple[AnswerIn, AnswerIn]:
        """
        The parts that a deal satisfies of which the clause decides.

        A clause of an `or` decides when the whole is true only with it, one of an `and` when it is
        false only with it. Under a `not` the rule's own answer is the opposite.
        """
        neutral = Constant(type=self.node.type, number=int(self.operator == "and"), start=0, end=0)
        tree = _replaced(self.rule.checked.tree, self.path, neutral)
        without = evolve(self.rule.checked, tree=tree)
        if (self.operator == "or") is self.upright:
            return AnswerIn(self.rule.checked, TRUE), AnswerIn(without, NOT_TRUE)
        return AnswerIn(self.rule.checked, FALSE), AnswerIn(without, NOT_FALSE)

    @property
    def reason(self) -> str:
        """Why it never decides, in words."""
        if self.operator == "or":
            return "all that it lets pass, the other parts let pass too"
        return "all that it refuses, the other parts refuse too"


def clauses(rule: Rule) -> Iterator[Clause]:
    """Yield the clauses of *rule*, outer ones first; `when` as a whole is none."""
    when = _when(rule)
    if when is None:
        yield from _within(rule, "require", (), rule.checked.tree, upright=True)
        return
    yield from _within(rule, "when", (0, 0), when.tree, upright=False)
    for place, node in enumerate(rule.required, start=1):
        if len(rule.required) > 1:
            yield Clause(
                rule=rule, key="require", path=(place,), node=node, operator="or", upright=True
            )
        yield from _within(rule, "require", (place,), node, upright=True)


def _within(
    rule: Rule, key: str, path: tuple[int, ...], node: Node, *, upright: bool
) -> Iterator[Clause]:
    if not isinstance(node, Operation) or node.operator not in {"and", "or", "not"}:
        return
    if node.operator == "not":
        yield from _within(rule, key, (*path, 0), node.operands[0], upright=not upright)
        return
    for place, operand in enumerate(node.operands):
        inner = (*path, place)
        yield Clause(
            rule=rule,
            key=key,
            path=inner,
            node=operand,
            operator=node.operator,
            upright=upright,
        )
        yield from _within(rule, key, inner, operand, upright=upright)


def _replaced(node: Node, path: tuple[int, ...], new: Node) -> Node:
    """Return *node* with the part at *path* replaced by the *new* one."""
    if not path:
        return new
    assert isinstance(node, Operation), "a path leads through operations"
    place, *rest = path
    operands = list(node.operands)
    operands[place] = _replaced(operands[place], tuple(rest), new)
    return evolve(node, operands=tuple(operands))
