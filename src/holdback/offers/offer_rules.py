"""The rules for each offer of a product: which offers they allow, and why not the others.

Only a product that has such rules loads this module, and with it `holdback.disclosures`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from holdback.disclosures.figure_facts import offer_catalogue
from holdback.disclosures.offer_figures import offer_figures
from holdback.eligibility.reasons import Reason, reasons
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

    Each rule that refuses some has one reason, with the figures of the first of them. None where
    an offer has no figures, because the takings are unknown or never repay it: that allows nothing.
    """
    kept: list[Offer] = []
    refused: dict[str, Reason] = {}
    for offer in offers:
        figures = offer_figures(offer, monthly_takings)
        if figures is None:
            return None
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
