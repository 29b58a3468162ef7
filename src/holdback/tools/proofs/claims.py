"""What is claimed of every rulebook, asked of every deal that can exist.

A set of rules that means the same on several days, or in several jurisdictions, is asked about
once. A broken claim has one headline, with the days on which it is one.

Files state claims of their own: that a deal is never, or always, like that; that they tighten. No
deal is let pass because a fact is missing, so a claim that holds of all deals whose facts are known
holds of the others too (decisions/three-ideas).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any, Final

from attrs import define, evolve, field

from holdback.eligibility.facts import NEVER_INITIAL, relations
from holdback.eligibility.ruleset import RuleSet
from holdback.exact.money import Currency
from holdback.frozen_classes import frozen
from holdback.jurisdictions.jurisdiction import Jurisdiction, Jurisdictions
from holdback.jurisdictions.keys import ALWAYS, LOOSEN, NEVER, OVERLAY, TIGHTEN
from holdback.jurisdictions.stated_claims import StatedClaim
from holdback.jurisdictions.timeline import Period
from holdback.jurisdictions.toml import Node
from holdback.rulebooks.rulebook import FUNDING, Rulebook
from holdback.rules import Facts, interpret
from holdback.rules.render import text_of
from holdback.tools.proofs.broken_claim import SAYS_SOMETHING, BrokenClaim, ClaimSpot
from holdback.tools.proofs.child_and_parent import KEEPS_UP, looser_rules
from holdback.tools.proofs.finding import ERROR, INFORMATION, NOT_DECIDED, WARNING, Finding, Place
from holdback.tools.proofs.offer_claims import broken_offer_claim, offers_like
from holdback.tools.proofs.plainest import NotDecidedError, plainest
from holdback.tools.proofs.question import (
    FAILS,
    LIMIT,
    NOT_TRUE,
    PASSES,
    TRUE,
    AnswerIn,
    OutcomeIn,
    Part,
    Question,
    better,
    is_of_offers,
    moved_to,
    rule_meaning,
)
from holdback.tools.proofs.rule_claims import RuleClaims
from holdback.tools.proofs.shared_facts import shared_facts
from holdback.tools.proofs.solver import Budget, Possibility, Solver, whole_budget
from holdback.tools.proofs.unreached import unreached


@frozen(kw_only=True)
class Subject:
    """
    The rules of a jurisdiction, as of a rulebook's first day.

    They are those for renewals, of a `product`, or for fundings: these have the product `FUNDING`.
    """

    rulebook: Rulebook
    rules: RuleSet
    product: str | None = None

    @property
    def meaning(self) -> object:
        """What decides the claims: equal for two sets of rules with the same broken claims."""
        rules = tuple(
            (rule.id, rule.file, rule.line, rule.when, rule_meaning(rule))
            for rule in self.rules.rules
        )
        return self.product is None, rules, self.rules.catalogue.facts


def subjects(rulebook: Rulebook) -> Iterator[Subject]:
    """Yield the sets of rules of *rulebook*: those of renewals, each product and fundings."""
    for product, rules in rulebook.rulesets.items():
        yield Subject(rulebook=rulebook, rules=rules, product=product)


def passed_word(product: str | None) -> str:
    """Return what is said of who passes the rules of *product*, of renewals, or of fundings."""
    return {None: "eligible", FUNDING: "paid out"}.get(product, "accepted")


@define(eq=False)
class Prover:
    """
    Asks what is claimed of *jurisdictions*, each question within *limit* seconds.

    All questions of one jurisdiction, the search for deals that show the answers included, have
    one budget (decisions/proofs#one-budget). `asked` is the number of questions so far.
    """

    jurisdictions: Jurisdictions
    limit: float = LIMIT
    _solver: Solver = field(init=False)
    _broken_claims: dict[object, tuple[BrokenClaim, ...]] = field(factory=dict, init=False)
    _deals: dict[object, tuple[Facts, ...]] = field(factory=dict, init=False)
    _budgets: dict[str, Budget] = field(factory=dict, init=False)
    _parts: dict[object, tuple[BrokenClaim, ...]] = field(factory=dict, init=False)

    @_solver.default
    def _new_solver(self) -> Solver:
        return Solver(self.limit)

    @property
    def asked(self) -> int:
        """The number of questions that the solver was asked so far."""
        return self._solver.asked

    def findings(
        self, jurisdiction: Jurisdiction, on: date | None = None, *, inherited: bool = False
    ) -> list[Finding]:
        """
        Return what is wrong with the rules of *jurisdiction*, a headline for each root cause.

        What was wrong before the day *on* alone is information. What is wrong with the parent's
        rules on the same day is a finding of the parent; it is said again only with *inherited*.
        """
        self._solver.budget = self._budget_of(jurisdiction)
        periods: dict[object, _Period] = {}
        for subject, broken in self._all_broken_claims(jurisdiction):
            since = subject.rulebook.on
            if inherited or _identity(subject, broken) not in self._of_parents(jurisdiction, since):
                key = (subject.product, broken.key)
                periods.setdefault(key, _Period(subject, broken)).days.add(since)
        return [self._finding(jurisdiction, period, on) for period in periods.values()]

    def _of_parents(self, jurisdiction: Jurisdiction, day: date) -> set[object]:
        """Return what is wrong on *day* with the rules that *jurisdiction* inherits from."""
        return {
            _identity(subject, broken)
            for layer in jurisdiction.policy.layers[:-1]
            if layer.code in self.jurisdictions.codes
            for parent in (self.jurisdictions[layer.code],)
            if day >= parent.changes[0]
            for subject in subjects(parent.rulebook(day))
            for broken in self._broken_on(parent, subject)
        }

    def with_gap_shown(self, jurisdiction: Jurisdiction, finding: Finding) -> Finding:
        """Return a *finding* of a gap with a deal that passes in it, not before and after."""
        since, until = finding.since, finding.until
        if since is None or until is None or since <= jurisdiction.changes[0]:
            return finding
        days = (since, since - timedelta(days=1), until)
        subjects_on = [_subject_on(jurisdiction, day, finding.product) for day in days]
        present = [subject for subject in subjects_on if subject is not None]
        if len(present) < len(days):
            return finding
        within, *around = present
        is_renewal = finding.product is None
        question = Question(
            catalogue=within.rules.catalogue,
            parts=(
                OutcomeIn(within.rules, PASSES, is_renewal),
                *(OutcomeIn(beside.rules, FAILS, is_renewal) for beside in around),
            ),
        )
        typical = jurisdiction.typical_deal(finding.product)
        return self._shown(jurisdiction, finding, question, typical, since)

    def _budget_of(self, jurisdiction: Jurisdiction) -> Budget:
        return self._budgets.setdefault(jurisdiction.code, whole_budget(self.limit))

    def _shown(
        self,
        jurisdiction: Jurisdiction,
        finding: Finding,
        question: Question,
        typical: Facts,
        on: date,
    ) -> Finding:
        """
        Return *finding* with the plainest deal that satisfies *question*.

        The search takes as long as one question at most; where that is too short, the finding has
        `deal_not_found`.
        """
        budget = self._budget_of(jurisdiction)
        solver = Solver(self.limit, budget.part(self.limit))
        try:
            shown = plainest(question, typical, on, product=finding.product, solver=solver)
        except NotDecidedError:
            return evolve(finding, deal_not_found=True)
        finally:
            budget.left -= solver.budget.taken
        return evolve(finding, witness=shown)

    def _all_broken_claims(
        self, jurisdiction: Jurisdiction
    ) -> Iterator[tuple[Subject, BrokenClaim]]:
        """Yield what does not hold; what files state comes last: it can take all of the time."""
        own = [subject for rulebook in jurisdiction.slices for subject in subjects(rulebook)]
        family = [
            subject
            for day in self._days(jurisdiction)
            for subject in subjects(jurisdiction.rulebook(day))
        ]
        for broken_claims in (self._broken_claims_of, self._without_product, self._unreached):
            for subject in own:
                for broken in broken_claims(jurisdiction, subject):
                    if not _is_claimed(broken, jurisdiction, subject):
                        yield subject, broken
        yield from self._overtaken(jurisdiction, family)
        yield from self._loosening(jurisdiction, family)
        for asked, about in ((own, self._stated), (family, self._overlays)):
            yield from (
                (subject, broken) for subject in asked for broken in about(jurisdiction, subject)
            )

    def _days(self, jurisdiction: Jurisdiction) -> list[date]:
        """Return the days on which the rules of *jurisdiction* or of its parent change."""
        parent, (first, *_) = self._parent(jurisdiction), jurisdiction.changes
        above = () if parent is None else parent.changes
        return sorted({*jurisdiction.changes, *(day for day in above if day > first)})

    def _overtaken(
        self, jurisdiction: Jurisdiction, family: Sequence[Subject]
    ) -> Iterator[tuple[Subject, BrokenClaim]]:
        """Yield the rules that are looser than the parent's, and were not at first."""
        # By product; None for a rule that was looser from the first day on, or is meant to be.
        looser: dict[str | None, dict[str, BrokenClaim | None]] = {}
        versions: set[object] = set()  # those that are meant, which may come back
        for subject in family:
            parent, product = self._parent_rules(jurisdiction, subject), subject.product
            if parent is None:
                continue
            meant = product not in looser or self._is_meant(jurisdiction, subject)
            before, now = looser.get(product, {}), dict[str, BrokenClaim | None]()
            on = subject.rulebook.on
            for name, broken in looser_rules(subject.rules, parent, product, on):
                assert broken.question is not None, "it is asked about"
                answer = self._solver.answer(broken.question)
                if answer is Possibility.POSSIBLE:
                    (rule,) = broken.rules
                    version = (product, name, rule_meaning(rule))
                    silent = meant or version in versions
                    first = None if silent else before.get(name, broken)
                    now[name] = first
                    versions |= {version} if first is None else set()
                elif answer is Possibility.NOT_DECIDED:
                    yield subject, not_decided(broken, self._solver)
            yield from ((subject, broken) for broken in now.values() if broken is not None)
            looser[product] = now

    def _is_meant(self, jurisdiction: Jurisdiction, subject: Subject) -> bool:
        """Return whether the file claims that it means to loosen the rules of *subject*."""
        return any(
            claim.text == LOOSEN and claim.product == subject.product
            for claim in jurisdiction.policy.claims_in(self._slice(jurisdiction, subject))
            if claim.kind == OVERLAY
        )

    def _slice(self, jurisdiction: Jurisdiction, subject: Subject) -> Period:
        """Return the days from that of *subject* to the next change here or in the parent."""
        return Period(subject.rulebook.on, _end(self._days(jurisdiction), subject.rulebook.on))

    def _broken_on(self, jurisdiction: Jurisdiction, subject: Subject) -> Iterator[BrokenClaim]:
        yield from self._broken_claims_of(jurisdiction, subject)
        yield from self._unreached(jurisdiction, subject)
        yield from self._stated(jurisdiction, subject)

    def _without_product(
        self, _jurisdiction: Jurisdiction, subject: Subject
    ) -> Iterator[BrokenClaim]:
        """Yield that no deal that is eligible is accepted by the rules of a product."""
        rulebook, rules = subject.rulebook, subject.rules
        products = [rulebook.rulesets[product.key] for product in rulebook.products]
        if subject.product is not None or not products:
            return
        renewed = Question(catalogue=rules.catalogue, parts=(OutcomeIn(rules, PASSES),))
        accepted = tuple((OutcomeIn(of_one, PASSES, floor=False),) for of_one in products)
        answer = self._solver.answer(evolve(renewed, alternatives=accepted))
        if answer is Possibility.POSSIBLE:
            return
        nobody = [renewed, evolve(renewed, parts=(), alternatives=accepted)]
        if answer is Possibility.IMPOSSIBLE and any(
            self._solver.answer(question) is Possibility.IMPOSSIBLE for question in nobody
        ):
            return  # that is another finding
        broken = BrokenClaim(
            claim="renewal-has-product",
            severity=ERROR,
            code="contradiction",
            message="nobody can be renewed: no deal that is eligible is accepted by a product",
            hint="correct the rules of renewals, or those of the products",
            spots=(),
        )
        undecided = answer is Possibility.NOT_DECIDED
        yield not_decided(broken, self._solver) if undecided else broken

    def _unreached(self, _jurisdiction: Jurisdiction, subject: Subject) -> tuple[BrokenClaim, ...]:
        """Return the results of checks and the bands of prices that nobody who passes reaches."""
        rulebook, product = subject.rulebook, subject.product
        terms = None if product is None else rulebook.product(product)
        limits = tuple((check.name, check.max_age_days) for check in rulebook.checks.values())
        key: object = (subject.meaning, limits)
        if terms is not None:
            of_deals = terms.factor_rate.settings.get("on") in NEVER_INITIAL
            renewal = Subject(rulebook=rulebook, rules=rulebook.renewal).meaning
            key = (subject.meaning, terms.factor_rate, renewal if of_deals else None)
        if key not in self._parts:
            self._parts[key] = tuple(unreached(rulebook, product, self._solver))
        return self._parts[key]

    def _stated(self, jurisdiction: Jurisdiction, subject: Subject) -> Iterator[BrokenClaim]:
        """Yield the claims of the files about *subject* that do not hold, or are not decided."""
        since = subject.rulebook.on
        days = Period(since, _end(jurisdiction.changes, since))
        for claim in jurisdiction.policy.claims_in(days):
            if claim.product != subject.product or claim.tree is None:
                continue
            terms = subject.rulebook.product(subject.product)
            if terms is not None and claim.is_about_offers(subject.rules.catalogue):
                broken = broken_offer_claim(claim, terms)
            else:
                broken = broken_stated_claim(claim, subject.rules, None)
            if broken.question is None:
                yield broken
                continue
            answer = self._solver.answer(broken.question)
            yield from self._unless_impossible(broken, answer)
            holds = answer is Possibility.IMPOSSIBLE
            if holds and claim.kind == NEVER and self._is_vacuous(claim, subject):
                what = "offer" if is_of_offers(broken.question.catalogue) else "deal"
                yield vacuous_claim(claim, f"no {what} can be like that, by any rules")

    def _is_vacuous(self, claim: StatedClaim, subject: Subject) -> bool:
        """Return whether *claim* says never of what no deal or offer can be, by any rules."""
        said = AnswerIn(claim.checked(subject.rules.catalogue), TRUE)
        question = Question(catalogue=said.catalogue, parts=(said,))
        if is_of_offers(said.catalogue):
            question = offers_like(said)
        return self._solver.answer(question) is Possibility.IMPOSSIBLE

    def _loosening(
        self, jurisdiction: Jurisdiction, family: Sequence[Subject]
    ) -> Iterator[tuple[Subject, BrokenClaim]]:
        """Yield the claims that rules are meant to be looser, of days on which nothing is."""
        for claim in jurisdiction.policy.own.claims:
            if claim.kind != OVERLAY or claim.text != LOOSEN:
                continue
            answers = list[tuple[Subject, Possibility]]()
            for subject in family:
                parent = self._parent_rules(jurisdiction, subject)
                if parent is None or claim.product != subject.product:
                    continue
                if claim.period.overlaps(self._slice(jurisdiction, subject)):
                    catalogue = shared_facts(parent, subject.rules).catalogue
                    better_here = better(subject.rules, parent, claim.product)
                    question = Question(catalogue=catalogue, alternatives=better_here)
                    answers.append((subject, self._solver.answer(question)))
            if {answer for _, answer in answers} == {Possibility.IMPOSSIBLE}:
                broken = vacuous_claim(claim, "no deal is better off than in the parent")
                yield answers[0][0], broken

    def _overlays(self, jurisdiction: Jurisdiction, subject: Subject) -> Iterator[BrokenClaim]:
        """Yield that the rules of *subject* do not tighten those of the parent, as is claimed."""
        parent = self._parent_rules(jurisdiction, subject)
        for claim in jurisdiction.policy.claims_in(self._slice(jurisdiction, subject)):
            if claim.product == subject.product and claim.text == TIGHTEN and claim.tree is None:
                broken = broken_stated_claim(claim, subject.rules, parent)
                assert broken.question is not None, "a claim is asked about"
                yield from self._unless_impossible(broken, self._solver.answer(broken.question))

    def _unless_impossible(self, broken: BrokenClaim, answer: Possibility) -> Iterator[BrokenClaim]:
        if answer is not Possibility.IMPOSSIBLE:
            undecided = answer is Possibility.NOT_DECIDED
            yield not_decided(broken, self._solver) if undecided else broken

    def _parent(self, jurisdiction: Jurisdiction) -> Jurisdiction | None:
        """Return the parent; None without one, or where its folder has errors."""
        layers = jurisdiction.policy.layers
        if len(layers) == 1 or layers[-2].code not in self.jurisdictions.codes:
            return None
        return self.jurisdictions[layers[-2].code]

    def _parent_rules(self, jurisdiction: Jurisdiction, subject: Subject) -> RuleSet | None:
        """Return what the parent has for *subject*; None without a parent, or where it has none."""
        parent, since = self._parent(jurisdiction), subject.rulebook.on
        if parent is None or since < parent.changes[0]:
            return None
        of_parent = subjects(parent.rulebook(since))
        same = (above.rules for above in of_parent if above.product == subject.product)
        return next(same, None)

    def _broken_claims_of(
        self, jurisdiction: Jurisdiction, subject: Subject
    ) -> tuple[BrokenClaim, ...]:
        meaning = subject.meaning
        if meaning not in self._broken_claims:
            deals = self._example_deals(jurisdiction, subject)
            is_renewal = subject.product is None
            asked = RuleClaims(
                subject.rules,
                is_renewal,
                self._solver,
                deals,
                passed=passed_word(subject.product),
            )
            self._broken_claims[meaning] = tuple(asked.broken_claims())
        return self._broken_claims[meaning]

    def _example_deals(self, jurisdiction: Jurisdiction, subject: Subject) -> tuple[Facts, ...]:
        """Return the possible deals of the examples of *jurisdiction* and its parents."""
        catalogue = subject.rulebook.catalogue
        key = (jurisdiction.code, subject.product, catalogue.facts)
        if key not in self._deals:
            prepared = (
                catalogue.prepare(example.given)
                for layer in jurisdiction.policy.layers
                if layer.code in self.jurisdictions.codes
                for example in self.jurisdictions[layer.code].examples
                if example.of_rules and example.product == subject.product
            )
            possible = (facts for facts in prepared if is_possible(facts, catalogue.currency))
            self._deals[key] = tuple(dict.fromkeys(possible))
        return self._deals[key]

    def _finding(self, jurisdiction: Jurisdiction, period: _Period, on: date | None) -> Finding:
        subject, broken = period.subject, period.broken
        against_parent = broken.claim in {KEEPS_UP, f"stated-{OVERLAY}"}
        changes = self._days(jurisdiction) if against_parent else jurisdiction.changes
        since, until = min(period.days), _end(changes, max(period.days))
        passed = until is not None and on is not None and until <= on
        finding = Finding(
            claim=broken.claim,
            # What was not decided is never fine, of no day.
            severity=INFORMATION if passed and broken.severity != NOT_DECIDED else broken.severity,
            jurisdiction=jurisdiction.code,
            product=subject.product,
            since=since,
            until=until,
            detail=broken.detail(_position(jurisdiction, subject, broken)),
            places=(*broken.places, *_values(jurisdiction, broken, since)),
            reads=broken.reads,
        )
        if broken.question is None:
            return finding
        catalogue = subject.rulebook.catalogue
        typical = moved_to(
            broken.question.catalogue, catalogue, jurisdiction.typical_deal(subject.product)
        )
        return self._shown(jurisdiction, finding, broken.question, typical, since)


@define
class _Period:
    """A broken claim, the first rules that have it, and the first days of the rulebooks that do."""

    subject: Subject
    broken: BrokenClaim
    days: set[date] = field(factory=set)


def _identity(subject: Subject, broken: BrokenClaim) -> object:
    """
    Return what is the same of a broken claim in a child and in its parent, on one day.

    The child may have a rule or a value of its own in it; the parent is to be corrected first.
    """
    return subject.product, broken.claim, broken.message


def _is_claimed(broken: BrokenClaim, jurisdiction: Jurisdiction, subject: Subject) -> bool:
    """Return whether the file claims itself, on all days, that no deal passes as in *broken*."""
    if broken.unless_claimed is None:
        return False
    catalogue, since = subject.rules.catalogue, subject.rulebook.on
    said = text_of(broken.unless_claimed.tree)
    return any(
        claim.kind == NEVER
        and claim.product == subject.product
        and text_of(claim.checked(catalogue).tree) == said
        for claim in jurisdiction.policy.claims_in(Period(since, _end(jurisdiction.changes, since)))
    )


def _end(changes: Iterable[date], last: date) -> date | None:
    """Return the first of *changes* after the day *last*; None if there is none."""
    return next((day for day in changes if day > last), None)


def _subject_on(jurisdiction: Jurisdiction, day: date, product: str | None) -> Subject | None:
    """Return the rules of *product*, or of renewals, on *day*; None if it is not offered."""
    on_day = subjects(jurisdiction.rulebook(day))
    return next((subject for subject in on_day if subject.product == product), None)


def _position(
    jurisdiction: Jurisdiction, subject: Subject, broken: BrokenClaim
) -> Mapping[str, Any]:
    """
    Return what is to be corrected: in a child, that is something of its own.

    Rules that are right in the parent are wrong with a value that the child replaces, or without a
    rule that it switches off.
    """
    policy, on = jurisdiction.policy, subject.rulebook.on
    switched_off = [switch_off.node.position() for switch_off in policy.own.switched_off]
    if not broken.spots:
        node = policy.rules_node if subject.product is None else policy.products_node
        return switched_off[0] if switched_off else node.position(key=True)
    values = [value.position() for _, value in _value_nodes(jurisdiction, broken, on)]
    positions = [*(spot.position for spot in broken.spots), *values, *switched_off]
    folder = jurisdiction.details.node.document.file.removesuffix("jurisdiction.toml")
    own = (position for position in positions if str(position["file"]).startswith(folder))
    return next(own, positions[0])


def _value_nodes(
    jurisdiction: Jurisdiction, broken: BrokenClaim, on: date
) -> Iterator[tuple[str, Node]]:
    """Yield the values on the day *on* of the parameters that the rules of *broken* read."""
    names = (name for rule in broken.rules for name in rule.checked.parameters)
    for name in dict.fromkeys(names):
        parameter = jurisdiction.policy.parameters[name]
        entry = parameter.timeline.entry_on(on)
        if entry is not None and entry.node is not None:
            shown = f"{name} = {parameter.type.show(entry.value)}"
            yield shown, entry.node.entries()["value"]


def _values(jurisdiction: Jurisdiction, broken: BrokenClaim, on: date) -> Iterator[Place]:
    for text, node in _value_nodes(jurisdiction, broken, on):
        yield Place(file=node.document.file, line=node.line, text=text)


def not_decided(broken: BrokenClaim, solver: Solver) -> BrokenClaim:
    """Return that it was not decided whether the claim *broken* is broken."""
    return evolve(
        broken,
        severity=NOT_DECIDED,
        code="not_proved",
        message=f"not decided in {solver.times} whether {broken.message}",
        hint="give it more time with --limit, or write the rules in a simpler way",
        question=None,
    )


def is_possible(facts: Facts, currency: Currency) -> bool:
    """Return whether a deal with prepared *facts* can exist; a missing fact contradicts nothing."""
    return all(interpret(relation, facts) is not False for relation in relations(currency))


_MESSAGES: Final = {
    NEVER: "can be {passed} although `{text}`",
    ALWAYS: "can be {passed} without `{text}`",
}


def vacuous_claim(claim: StatedClaim, why: str) -> BrokenClaim:
    """Return that *claim* says nothing of the rules, and *why*."""
    return BrokenClaim(
        claim=SAYS_SOMETHING,
        severity=WARNING,
        code="no_effect",
        message=f"the claim `{claim.name}` says nothing: {why}",
        hint="correct it, or leave it out",
        spots=(ClaimSpot(claim=claim),),
    )


def broken_stated_claim(claim: StatedClaim, rules: RuleSet, parent: RuleSet | None) -> BrokenClaim:
    """
    Return the broken claim that it would be if *claim* did not hold of *rules*.

    Its question asks for a deal of which it does not hold. *parent* has the rules that an `overlay`
    tightens; None where the parent has none, which lets nobody pass.
    """
    is_renewal = claim.product is None
    passes = OutcomeIn(rules, PASSES, floor=is_renewal)
    catalogue = rules.catalogue
    passed = passed_word(claim.product)
    who = "a deal" if is_renewal else "an application"
    parts: tuple[Part, ...]
    alternatives: tuple[tuple[Part, ...], ...] = ()
    if claim.tree is not None:
        wanted = TRUE if claim.kind == NEVER else NOT_TRUE
        parts = (passes, AnswerIn(claim.checked(catalogue), wanted))
        said = _MESSAGES[claim.kind].format(passed=passed, text=claim.text)
        hint = "correct the rules, or the claim"
    elif parent is None:
        parts = (passes,)
        said = f"can be {passed} on days on which the parent has no rules for it"
        hint = (
            "nobody passes there; let the claim begin with the rules of the parent, or correct it"
        )
    else:
        parts, alternatives = (), better(rules, parent, claim.product)
        catalogue = shared_facts(parent, rules).catalogue
        said = f"can have a better answer than under the parent {parent.jurisdiction}"
        hint = (
            "these rules are to tighten those of the parent; correct them, or leave the claim out"
        )
    return BrokenClaim(
        claim=f"stated-{claim.kind}",
        severity=ERROR,
        code="not_proved",
        message=f"{who} {said}",
        hint=hint,
        spots=(ClaimSpot(claim=claim),),
        question=Question(catalogue=catalogue, parts=parts, alternatives=alternatives),
    )
