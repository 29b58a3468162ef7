"""Parts of a rulebook that nobody who passes can reach: a result of a check, a band of a price."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from holdback.eligibility.facts import NEVER_INITIAL, relations
from holdback.eligibility.ruleset import Rule
from holdback.frozen_classes import frozen
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
    elif terms is not None:
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
    """Yield the bands and the rows of prices of *terms* in which nobody is who is accepted."""
    for band in _bands(rulebook, terms):
        of_deal = not band.facts.isdisjoint(NEVER_INITIAL)
        passes = [OutcomeIn(terms.rules, PASSES, floor=False)]
        passes += [OutcomeIn(rulebook.renewal, PASSES)] if of_deal else []
        rules = [*terms.rules.rules, *(rulebook.renewal.rules if of_deal else ())]
        tied = set(band.facts).union(
            *(
                relation.names
                for relation in relations(rulebook.currency)
                if not band.facts.isdisjoint(relation.names)
            )
        )
        if not any(tied & {*rule.checked.names} for rule in rules):
            continue  # no rule says anything of it
        core = _kept_out(solver, rules, (*passes, *(_flag(rulebook, text) for text in band.texts)))
        if core:
            names = in_words([f"`{rule.id}`" for rule in core])
            yield BrokenClaim(
                claim=BAND_REACHED,
                severity=WARNING,
                code="no_effect",
                message=f"nobody who gets `{terms.key}` is in its {band.what} with "
                f"{in_words([f'`{text}`' for text in band.texts])}, because of {names}",
                hint="correct the band or the rule, or leave the band out",
                spots=tuple(Spot(rule=rule) for rule in core),
            )


@frozen
class _Band:
    """A band or a row: what it is called, the facts that it is about, and what it asks of them."""

    what: str
    facts: frozenset[str]
    texts: tuple[str, ...]


def _bands(rulebook: Rulebook, terms: ProductTerms) -> Iterator[_Band]:
    """Yield the bands of the factor rate of *terms*, and the rows of tables that price it."""
    settings = terms.factor_rate.settings
    fact, bands = rulebook.catalogue.fact(settings.get("on")), settings.get("bands")
    if terms.factor_rate.name == "banded" and fact is not None and isinstance(bands, list | tuple):
        low = None
        for band in bands:
            high = _bound(fact, band)
            texts = [f"{fact.name} >= {low}"] * (low is not None)
            texts += [f"{fact.name} < {high}"] * (high is not None)
            yield _Band("band", frozenset({fact.name}), tuple(texts))
            low = high
    tables = [choice.table for choice in terms.calculators if choice.table is not None]
    # A table that gives both a rate and a limit is asked about once.
    for table in {table["id"]: table for table in tables}.values():
        for name, row in table["rows"].items():
            # Rules say nothing of the term that is chosen.
            asked = {
                fact: text for fact, text in row["when"].items() if rulebook.catalogue.fact(fact)
            }
            if asked:
                what = f"row `{name}` of the table `{table['id']}`"
                yield _Band(what, frozenset(asked), tuple(asked.values()))


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
