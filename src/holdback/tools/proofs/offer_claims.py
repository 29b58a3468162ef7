"""Claims of files about the figures of the offers that are made: what rules for each offer allow.

Nobody calculates an offer here. Which figures an offer can have is what its product's rules for
each offer allow, and what holds of the figures of every offer.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from holdback.eligibility.ruleset import Rule, RuleSet
from holdback.jurisdictions.keys import NEVER
from holdback.jurisdictions.stated_claims import StatedClaim
from holdback.rulebooks.product_terms import ProductTerms
from holdback.rules import Catalogue, Checked, Kind, check, parse
from holdback.rules.operators import OPPOSITES
from holdback.rules.tree import Expression
from holdback.tools.proofs.broken_claim import BrokenClaim, ClaimSpot, Spot
from holdback.tools.proofs.finding import ERROR
from holdback.tools.proofs.question import NOT_TRUE, PASSES, TRUE, AnswerIn, OutcomeIn, Question

# What holds of the figures of an offer, which has no fees.
_RELATION: Final = "finance_charge == purchased_amount - purchase_price"
# One figure may be any number: only of two or three does it say something.
_RELATED: Final = 2


@lru_cache(maxsize=1024)
def _holds(text: str, figures: Catalogue) -> AnswerIn:
    return AnswerIn(check(parse(text), figures, Kind.FLAG), TRUE)


def offers_like(*asked: AnswerIn | OutcomeIn) -> Question:
    """Return the question for an offer that there can be, of which all that is *asked* is true."""
    figures = asked[0].catalogue
    read = dict.fromkeys(name for part in asked for name in part.names)
    holds = [_holds(f"{name} == {name}", figures) for name in read]  # none is ever unknown
    relation = _holds(_RELATION, figures)
    if len(read.keys() & {*relation.names}) >= _RELATED:
        holds.append(relation)
    return Question(catalogue=figures, parts=(*asked, *holds))


def broken_offer_claim(claim: StatedClaim, terms: ProductTerms) -> BrokenClaim:
    """
    Return the broken claim that it would be if *claim* did not hold of the offers of *terms*.

    Its question asks for an offer that is made and of which it does not hold. A product without
    rules for each offer has no question: nothing is known of its figures.
    """
    checked = claim.checked(terms.rules.catalogue)
    rules = terms.rules.altered(rules=terms.offer_rules, catalogue=checked.catalogue)
    about = tuple(_about(rules, checked))
    needed = _needed(claim)
    is_never = claim.kind == NEVER
    said = f"the rules for each offer allow one {'with' if is_never else 'without'} `{claim.text}`"
    hint = f'add a rule to `[[products.offer_rules]]` with `require = "{needed}"`'
    if about:
        hint = f"let `{about[0].id}` require `{needed}`{', without `when`' * bool(about[0].when)}"
    elif not rules.rules:
        nothing = "nothing keeps one from" if is_never else "nothing asks each for"
        said = f"`{terms.key}` has no rules for each offer, so {nothing} `{claim.text}`"
    wanted = TRUE if is_never else NOT_TRUE
    made = OutcomeIn(rules, PASSES, floor=False)
    return BrokenClaim(
        claim=f"stated-{claim.kind}",
        severity=ERROR,
        code="not_proved",
        message=said,
        hint=f"{hint}, or correct the claim",
        spots=(ClaimSpot(claim=claim), *(Spot(rule=rule) for rule in about)),
        question=offers_like(made, AnswerIn(checked, wanted)) if rules.rules else None,
    )


def _about(rules: RuleSet, checked: Checked) -> Iterator[Rule]:
    """Yield those of *rules* that read a figure that *checked* reads."""
    for rule in rules.rules:
        if not {*checked.names}.isdisjoint(rule.checked.names):
            yield rule


def _needed(claim: StatedClaim) -> str:
    """Return what a rule has to require for *claim* to hold."""
    if claim.kind != NEVER:
        return claim.text
    assert claim.tree is not None, "a claim about figures has an expression"
    match claim.tree.root:
        case Expression(operator=operator, operands=(left, right)) if operator in OPPOSITES:
            first, second = (claim.text[side.start : side.end] for side in (left, right))
            return f"{first} {OPPOSITES[operator]} {second}"
        case _:
            return f"not ({claim.text})"
