"""Proof that two rulebooks give the same answer for every deal, where few deals suffice for it.

A rule that compares single facts with constants changes its answer only at those constants. So two
such rules are the same when they agree on every combination of the constants, their neighbours and
the ends of the facts' ranges, unknown facts included. About other rules nothing is proved.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import prod
from typing import Final, TypeAlias

from attrs import evolve

from holdback.eligibility.assessment import FLOOR
from holdback.eligibility.ruleset import Rule, RuleSet
from holdback.errors import ConfigurationError
from holdback.exact.exact_numbers import (
    HUNDRED_PERCENT,
    PERCENT_PLACES,
    RATIO_PLACES,
    digits,
    plain_digits,
    scaled,
)
from holdback.jurisdictions.keys import DATED
from holdback.offers.calculator import DAYS_A_YEAR, MONTHS_A_YEAR, TERM_MONTHS
from holdback.offers.registry import BUILT_IN_RATES, PriceableProduct
from holdback.offers.shipped_calculators import (
    Affordability,
    BandedRate,
    ChosenTerm,
    FixedLimits,
    TakingsMultiple,
)
from holdback.rulebooks.product_terms import ProductTerms
from holdback.rulebooks.regime import Condition, Regime
from holdback.rulebooks.rulebook import Rulebook
from holdback.rules import Catalogue, Facts, interpret
from holdback.rules.operators import OPERATORS, OPPOSITES, Role
from holdback.rules.render import in_words
from holdback.rules.tree import Checked, Constant, FactRead, Node, Operation
from holdback.tools.example_run import bound

# Why two sets of rules are the same, above the floor or not; None where it is not proved.
Prove: TypeAlias = Callable[[RuleSet, RuleSet, bool], str | None]
# With more combinations than this, a proof is not attempted.
MAX_DEALS: Final = 2_000
# The comparisons with a constant whose answer changes only at, or one unit beside, the constant.
_CHANGES_AT_CONSTANTS: Final = (*OPPOSITES, "in")


def why_same(first: Rulebook, second: Rulebook, prove: Prove = lambda *_: None) -> str | None:
    """
    Return why every deal provably gets the same outcome and prices from both; None if unknown.

    The reason is empty where nothing is to be said but that no deal gets another answer. *prove*
    is tried for two sets of rules that cannot be shown to be the same here, and returns likewise.
    """
    if first is second:
        return ""
    if any(getattr(first, name) != getattr(second, name) for name in (*DATED, "checks")):
        return None
    if not _due_alike(first.disclosures, second.disclosures):
        return None
    if len(first.products) != len(second.products):
        return None

    def why_rules(before: RuleSet, after: RuleSet, *, above_floor: bool) -> str | None:
        same = _same_rules(before, after, above_floor=above_floor)
        return "" if same else prove(before, after, above_floor)

    reasons = [
        why_rules(first.renewal, second.renewal, above_floor=True),
        why_rules(first.funding, second.funding, above_floor=False),
    ]
    for before, after in zip(first.products, second.products, strict=True):
        if before is after:
            continue
        if before.offer_rules != after.offer_rules:
            return None  # whether an offer is between two bounds, its calculators alone know
        reasons += [
            why_priced_alike(before, after, first, second),
            why_rules(before.rules, after.rules, above_floor=False),
        ]
    return None if None in reasons else next(filter(None, reasons), "")


def _due_alike(first: tuple[Regime, ...], second: tuple[Regime, ...]) -> bool:
    """Return whether both laws are provably the same but for how their conditions are written."""
    if first is second:
        return True
    return len(first) == len(second) and all(
        _same_conditions(before.conditions, after.conditions)
        and _same_conditions(before.exemptions, after.exemptions)
        and evolve(after, conditions=before.conditions, exemptions=before.exemptions) == before
        for before, after in zip(first, second, strict=True)
    )


def _same_conditions(first: tuple[Condition, ...], second: tuple[Condition, ...]) -> bool:
    return len(first) == len(second) and all(
        before is after or _always_equal(before.checked, after.checked, above_floor=False)
        for before, after in zip(first, second, strict=True)
    )


def _same_rules(first: RuleSet, second: RuleSet, *, above_floor: bool) -> bool:
    """Return whether the rules of both sets, pair by pair, provably answer every deal alike."""
    if first is second:
        return True
    return len(first.rules) == len(second.rules) and all(
        _same_rule(before, after, above_floor=above_floor)
        for before, after in zip(first.rules, second.rules, strict=True)
    )


def _same_rule(first: Rule, second: Rule, *, above_floor: bool) -> bool:
    """Return whether both rules provably answer every deal alike, and do the same when false."""
    if first is second:
        return True
    if (first.code, first.otherwise) != (second.code, second.otherwise):
        return False
    return _always_equal(first.checked, second.checked, above_floor=above_floor)


def _always_equal(first: Checked, second: Checked, *, above_floor: bool) -> bool:
    """Return whether both expressions provably have the same value for every deal."""
    deals = distinguishing_deals([first, second], above_floor=above_floor)
    return deals is not None and all(
        interpret(first, facts) == interpret(second, facts) for facts in deals
    )


def distinguishing_deals(rules: list[Checked], *, above_floor: bool) -> list[Facts] | None:
    """
    Return a finite set of deals that exposes any difference between *rules*.

    If two of the rules differ on some deal, they also differ on one of the deals returned. With
    *above_floor*, only deals count whose progress reaches the floor. The result is None when a
    comparison is not of one fact with constants alone, or when there would be more deals than
    `MAX_DEALS`.
    """
    catalogue = rules[0].catalogue
    points: dict[int, set[int | None]] = {}
    for rule in rules:
        if not _collect_points(rule.tree, points):
            return None
    for place, numbers in points.items():
        fact = catalogue.facts[place]
        # Below the floor, and with unknown progress, no rule is evaluated.
        only_above_floor = above_floor and fact.name == "progress"
        low = max(fact.low, FLOOR) if only_above_floor else fact.low
        candidates = numbers | {fact.low, fact.high, low}
        inside = {n for n in candidates if n is not None and low <= n <= fact.high}
        points[place] = {*inside} if only_above_floor else {*inside, None}
    if prod(len(numbers) for numbers in points.values()) > MAX_DEALS:
        return None
    return [
        _facts(catalogue, dict(zip(points, deal, strict=True)))
        for deal in product(*points.values())
    ]


def _facts(catalogue: Catalogue, numbers: dict[int, int | None]) -> Facts:
    return tuple(numbers.get(place) for place in range(len(catalogue.facts)))


def _collect_points(node: Node, points: dict[int, set[int | None]]) -> bool:
    """
    Add to *points*, by the place of the fact, the numbers around which *node* can change.

    Return False, with *points* incomplete, when *node* has a comparison that is not of one fact
    with constants alone.
    """
    match node:
        case Constant():
            return True
        case FactRead():
            points.setdefault(node.place, set()).update((0, 1))  # a flag
            return True
        case Operation(operator=operator, operands=operands) if (
            OPERATORS[operator].role is Role.LOGIC
        ):
            # A list, not a generator: every operand has to add its points.
            collected = [_collect_points(operand, points) for operand in operands]
            return all(collected)
        case Operation(operator=operator, operands=operands):
            if operator not in _CHANGES_AT_CONSTANTS:
                return False
            facts = [operand for operand in operands if isinstance(operand, FactRead)]
            constants = [operand for operand in operands if isinstance(operand, Constant)]
            if len(facts) != 1 or len(constants) != len(operands) - 1:
                return False
            for constant in constants:
                number = constant.number
                points.setdefault(facts[0].place, set()).update((number - 1, number, number + 1))
            return True


# -- Proof by a solver that a mutant gives every deal the same answer, where the extra is there.
#
# The solver is an extra: without it, a mutant that only it could prove equivalent survives.


def why_proved_same(first: Rulebook, second: Rulebook) -> str | None:
    """Return why every possible deal is answered and priced alike; None if it is not proved."""
    try:
        from holdback.tools.proofs.equal_answers import why_equal  # noqa: PLC0415  # imports the solver
    except ModuleNotFoundError:
        return None

    def prove(before: RuleSet, after: RuleSet, above_floor: bool) -> str | None:  # noqa: FBT001
        return why_equal(before, after, floor=above_floor)

    return why_same(first, second, prove)


# -- Proof that a changed figure of a product never decides a price, for calculators that ship.
#
# Both proofs bound what the limits allow, so they hold of every application. About other figures,
# and about calculators of a host, nothing is proved.

_KINDS: Final = ("limits", "split_percentage", "factor_rate", "term", "settlement")


def why_priced_alike(
    before: ProductTerms, after: ProductTerms, first: Rulebook, second: Rulebook
) -> str | None:
    """
    Return why *after* in *second* makes the offers that *before* in *first* makes; None if unknown.

    Terms that are the same need no reason: it is empty.
    """
    changed = [kind for kind in _KINDS if getattr(before, kind) != getattr(after, kind)]
    if before.amounts == after.amounts and not changed:
        return ""
    try:
        old, new = bound(first, before.key), bound(second, after.key)
    except ConfigurationError:  # a calculator of a host
        return None
    if not changed:
        return _shares_below_minimum(old, new)
    if before.amounts != after.amounts:
        return None
    if changed == ["split_percentage"]:
        return _choices_never_needed(old, new)
    return _same_rate_for_every_term(old, new) if changed == ["factor_rate"] else None


def _shares_below_minimum(old: PriceableProduct, new: PriceableProduct) -> str | None:
    """Return the reason where each changed share of the maximum is raised to the minimum."""
    limits = old.limits
    if not isinstance(limits, FixedLimits | TakingsMultiple):
        return None
    pairs = list(zip(old.terms.amounts, new.terms.amounts, strict=False))
    if len(old.terms.amounts) != len(new.terms.amounts):
        return None
    largest = max(share for pair in pairs if pair[0] != pair[1] for share in pair)
    # No merchant's maximum is above the configured one, and no minimum below it.
    if limits.maximum.minor * largest // HUNDRED_PERCENT > limits.minimum.minor:
        return None
    share = digits(largest, PERCENT_PLACES, 0)
    return (
        f"this never decides: {share}% of the largest maximum, {limits.maximum}, is not above the "
        f"minimum of {limits.minimum}, to which either share is raised"
    )


def _same_rate_for_every_term(old: PriceableProduct, new: PriceableProduct) -> str | None:
    """Return the reason where the rate is that of a chosen term, and no term has another one."""
    term, before, after = old.term, old.factor_rate, new.factor_rate
    if not (isinstance(before, BandedRate) and isinstance(after, BandedRate)):
        return None
    if not isinstance(term, ChosenTerm) or {before.on, after.on} != {TERM_MONTHS}:
        return None
    if old.terms.rules.catalogue.fact(TERM_MONTHS) is not None:
        return None
    same = all(before.of(months) == after.of(months) for months in term.months)
    if not same or before.renewal_discount != after.renewal_discount:
        return None
    months = in_words([str(number) for number in term.months], "or")
    return f"this never decides: every term, of {months} months, has the same rate"


def _choices_never_needed(old: PriceableProduct, new: PriceableProduct) -> str | None:
    """Return the reason where a smaller percentage than the changed one always suffices."""
    before, after = old.split_percentage, new.split_percentage
    if not isinstance(before, Affordability) or not isinstance(after, Affordability):
        return None
    if before.choices == after.choices and isinstance(old.term, ChosenTerm):
        most = max(old.term.months)
        if most <= min(before.longest_term_months, after.longest_term_months):
            return f"this never decides: the longest term that is chosen is of {most} months"
    enough = _always_enough(old, before), _always_enough(new, after)
    if None in enough or enough[0] != enough[1]:
        return None
    place = enough[0]
    assert place is not None, "checked above"
    if before.choices[: place + 1] != after.choices[: place + 1]:
        return None
    # With another longest term a smaller choice could do where it did not.
    if place and before.longest_term_months != after.longest_term_months:
        return None
    months = min(before.longest_term_months, after.longest_term_months)
    return (
        "this never decides: the most that is offered is repaid from "
        f"{plain_digits(before.choices[place])}% of the takings within {months} months"
    )


def _always_enough(product: PriceableProduct, split: Affordability) -> int | None:
    """Return the place of the first choice with which every amount is affordable; None for none."""
    limits, rates = product.limits, product.factor_rate
    if not isinstance(limits, TakingsMultiple) or not isinstance(rates, BUILT_IN_RATES):
        return None
    multiple = Fraction(scaled(limits.multiple, RATIO_PLACES), 10**RATIO_PLACES)
    rate = Fraction(scaled(rates.highest, RATIO_PLACES), 10**RATIO_PLACES)
    if limits.minimum.minor <= 1:
        return None
    # In minor units: an offer is at most takings x multiple + 1, by rounding, and what is repaid at
    # most offer x rate + 1. The offer is at least the minimum, so the takings are not small.
    least_takings = (limits.minimum.minor - 1) / multiple
    most = multiple * rate + (rate + 1) / least_takings
    longest = split.longest_term_months
    if isinstance(product.term, ChosenTerm):
        longest = min(longest, *product.term.months)
    for place, choice in enumerate(split.choices):
        share = Fraction(scaled(choice, PERCENT_PLACES), HUNDRED_PERCENT)
        days = -(-most * DAYS_A_YEAR // (MONTHS_A_YEAR * share))  # rounded up
        if days * MONTHS_A_YEAR <= longest * DAYS_A_YEAR:
            return place
    return None
