"""The rules for each offer of a product: which offers they allow, and why not the others.

Only a product that has such rules loads this module, and with it `holdback.disclosures`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from holdback.disclosures.figure_facts import offer_catalogue
from holdback.disclosures.figures_from_takings import offer_figures
from holdback.eligibility.reasons import AFFORDABILITY, Reason, reasons, service_reason
from holdback.eligibility.ruleset import Answers, Rule
from holdback.merchant.offer import Offer
from holdback.rulebooks.product_terms import ProductTerms
from holdback.rules.closure import mask_function
from holdback.rules.types import Facts


@lru_cache(maxsize=64)
def _masks(rules: tuple[Rule, ...]) -> Callable[[Facts], tuple[int, int]]:
    return mask_function([rule.checked for rule in rules])


def allowed_offers(
    terms: ProductTerms, offers: Iterable[Offer], monthly_takings: int | None
) -> tuple[tuple[Offer, ...], tuple[Reason, ...]] | None:
    """
    Return the *offers* that the rules of *terms* allow, and why not the others.

    Each rule that refuses some has one reason, with the figures of the first of them. Offers that
    the takings never repay are not affordable, and no rule is asked about them. None where the
    takings are unknown: that allows nothing.
    """
    if monthly_takings is None:
        return None
    kept: list[Offer] = []
    refused: dict[str, Reason] = {}
    for offer in offers:
        figures = offer_figures(offer, monthly_takings)
        if figures is None:
            never = service_reason(terms.rules, AFFORDABILITY)
            refused.setdefault(never.rule, never)
            continue
        catalogue = offer_catalogue(offer.funded_amount.currency)
        facts = tuple(figures[fact.name] for fact in catalogue.facts)
        false, unknown = _masks(terms.offer_rules)(facts)
        if unknown:
            return None
        if not false:
            kept.append(offer)
            continue
        rules = terms.rules.altered(rules=terms.offer_rules, catalogue=catalogue)
        for reason in reasons(Answers(rules, facts, false, 0), false):
            refused.setdefault(reason.rule, reason)
    return tuple(kept), tuple(refused.values())
