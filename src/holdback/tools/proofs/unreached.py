"""Parts of a rulebook that nobody who passes can reach: a result of a check, a band of a price."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from holdback.eligibility.facts import NEVER_INITIAL, relations
from holdback.eligibility.ruleset import Rule
from holdback.rulebooks.product_terms import ProductTerms
from holdback.rulebooks.rulebook import CheckTerms, Rulebook, age_name
from holdback.rules import Fact, Kind, check, parse
from holdback.rules.render import in_words
from holdback.tools.proofs.broken_claim import BrokenClaim, Spot
from holdback.tools.proofs.finding import WARNING
from holdback.tools.proofs.question import (
    PASSES,
    TRUE,
    AnswerIn,
    OutcomeIn,
    Part,
    Question,
    reaches_floor,
)
from holdback.tools.proofs.rule_claims import contradicting
from holdback.tools.proofs.solver import Possibility, Solver

CHECK_LASTS: Final = "check-lasts"
BAND_REACHED: Final = "band-reached"


def unreached(rulebook: Rulebook, product: str | None, solver: Solver) -> Iterator[BrokenClaim]:
    """Yield what nobody reaches who passes the rules of *rulebook* for renewals, or a *product*."""
    terms = rulebook.product(product) if product is not None else None
    if product is None:
        for limited in rulebook.checks.values():
            yield from _stale(rulebook, limited, solver)
    elif terms is not None and terms.factor_rate.name == "banded":
        yield from _empty_bands(rulebook, terms, solver)


def _stale(rulebook: Rulebook, limited: CheckTerms, solver: Solver) -> Iterator[BrokenClaim]:
    """Yield that a result of a check from before the funding has always run out at a renewal."""
    rules, days = rulebook.renewal, limited.max_age_days
    reading = [rule for rule in rules.rules if {*limited.facts} & {*rule.checked.names}]
    # A rule that reads how old the result is, or its day, speaks of a new check.
    kinds = {fact.name: fact.type.kind for fact in rules.catalogue.facts}
    ages = {age_name(limited.name), *(name for name in limited.facts if kinds[name] is Kind.DATE)}
    if days is None or not reading or any(ages & {*rule.checked.names} for rule in rules.rules):
        return
    young = f"days_since_funding <= {days} days"
    parts = (OutcomeIn(rules, PASSES), _flag(rulebook, young))
    core = _kept_out(solver, list(rules.rules), parts)
    if core:
        names = in_words([f"`{rule.id}`" for rule in core])
        yield BrokenClaim(
            claim=CHECK_LASTS,
            severity=WARNING,
            code="misleading",
            message=f"a result of `{limited.name}` is good for {days} days, and nobody can renew "
            f"sooner after the funding, because of {names}: what `{reading[0].id}` reads has run "
            "out by then",
            hint=f"let the result be good for longer, or, if each renewal has a check of its own, "
            f"read `{age_name(limited.name)}`",
            spots=tuple(Spot(rule=rule) for rule in dict.fromkeys((reading[0], *core))),
        )


def _empty_bands(rulebook: Rulebook, terms: ProductTerms, solver: Solver) -> Iterator[BrokenClaim]:
    """Yield the bands of the factor rate of *terms* in which nobody is who is accepted."""
    fact = rulebook.catalogue.fact(str(terms.factor_rate.settings.get("on")))
    bands = terms.factor_rate.settings.get("bands")
    if fact is None or not isinstance(bands, list | tuple):
        return
    of_deal = fact.name in NEVER_INITIAL
    passes = [OutcomeIn(terms.rules, PASSES, floor=False)]
    passes += [OutcomeIn(rulebook.renewal, PASSES)] if of_deal else []
    rules = [*terms.rules.rules, *(rulebook.renewal.rules if of_deal else ())]
    tied = {
        name
        for relation in relations(rulebook.currency)
        for name in relation.names
        if fact.name in relation.names
    } | {fact.name}
    if not any(tied & {*rule.checked.names} for rule in rules):
        return  # no rule says anything of it
    low = None
    for band in bands:
        high = _bound(fact, band)
        bounds = [f"{fact.name} >= {low}"] * (low is not None)
        bounds += [f"{fact.name} < {high}"] * (high is not None)
        core = _kept_out(solver, rules, (*passes, *(_flag(rulebook, text) for text in bounds)))
        if core:
            names = in_words([f"`{rule.id}`" for rule in core])
            yield BrokenClaim(
                claim=BAND_REACHED,
                severity=WARNING,
                code="no_effect",
                message=f"nobody who gets `{terms.key}` is in its band with "
                f"{in_words([f'`{text}`' for text in bounds])}, because of {names}",
                hint="correct the band or the rule, or leave the band out",
                spots=tuple(Spot(rule=rule) for rule in core),
            )
        low = high


def _bound(fact: Fact, band: object) -> str | None:
    """Return where *band* ends, as an expression has it; None without an end or a valid one."""
    up_to = band.get("up_to") if isinstance(band, Mapping) else None
    try:
        number = None if up_to is None else fact.type.read(up_to)
    except ValueError:
        return None
    return None if number is None else fact.type.literal(number)


def _flag(rulebook: Rulebook, text: str) -> AnswerIn:
    return AnswerIn(check(parse(text), rulebook.catalogue, Kind.FLAG), TRUE)


def _kept_out(solver: Solver, rules: list[Rule], parts: tuple[Part, ...]) -> list[Rule]:
    """Return the fewest *rules* because of which no deal satisfies *parts*; none if one does."""
    catalogue = parts[0].catalogue
    if solver.answer(Question(catalogue=catalogue, parts=parts)) is not Possibility.IMPOSSIBLE:
        return []
    passes = tuple(part for part in parts if isinstance(part, OutcomeIn))
    if solver.answer(Question(catalogue=catalogue, parts=passes)) is not Possibility.POSSIBLE:
        return []  # nobody passes: that is another finding
    bounds = [part for part in parts if isinstance(part, AnswerIn)]
    bounds += [reaches_floor(catalogue)] * any(part.floor for part in passes)
    return contradicting(solver, rules, *bounds)
