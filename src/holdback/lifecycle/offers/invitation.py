"""Whether a renewal is worth an invitation: the `renewal_eligibility` of service 2.5.

It is true when the rules agree and not every product would be `Declined`, on what is held. So a
request at that instant, without anything new, leads to an offer, or to a person who decides
(decisions/renewal#invitation).
"""

from __future__ import annotations

from typing import Final

from pendulum import DateTime

from holdback.eligibility.assessment import Assessment
from holdback.errors import ConfigurationError, ErrorDetail
from holdback.frozen_classes import frozen
from holdback.lifecycle.configuration import Configuration
from holdback.lifecycle.forgetting import MOST_SETS
from holdback.lifecycle.offers.product_decisions import (
    DecidedProduct,
    ProductsCase,
    decided_products,
)
from holdback.lifecycle.offers.status import RenewalCase, renewal_case
from holdback.merchant.merchant import Merchant
from holdback.merchant.product import DECLINED
from holdback.rulebooks.rulebook import Rulebook

# What decided the eligibility.
RULES: Final = "rules"
PRODUCTS: Final = "products"
SERVICE: Final = "service"


@frozen(kw_only=True)
class Invitation:
    """
    Whether the active deal may be renewed, and what decided: the rules, the products, the service.

    `assessment` is that of the renewal, with what an approval lifts for the product that decided.
    `errors` are those of calculators, which the host has to repair: nobody is invited with them.
    """

    eligible: bool
    decided_by: str
    case: RenewalCase | None = None
    assessment: Assessment | None = None
    errors: tuple[ErrorDetail, ...] = ()


def invitation(
    merchant: Merchant, at: DateTime, rulebook: Rulebook | None, configuration: Configuration
) -> Invitation:
    """Return whether *merchant* is to be invited to renew its active deal at the instant *at*."""
    case = renewal_case(merchant, at, rulebook)
    assessment = None if case is None else case.assessment
    if rulebook is None or case is None or is_barred(merchant, at, rulebook):
        return Invitation(eligible=False, decided_by=SERVICE, case=case, assessment=assessment)
    if not case.assessment.eligible and not merchant.referral_decisions:
        return Invitation(eligible=False, decided_by=RULES, case=case, assessment=assessment)
    products = ProductsCase(
        merchant=merchant,
        rulebook=rulebook,
        at=at,
        facts=case.facts,
        renewal=case,
        consents=merchant.consents,
    )
    try:
        decided = tuple(decided_products(products, configuration, lambda *_: ""))
    except ConfigurationError as error:
        return Invitation(
            eligible=False,
            decided_by=PRODUCTS,
            case=case,
            assessment=assessment,
            errors=error.errors,
        )
    return decided_invitation(case, decided)


def decided_invitation(case: RenewalCase, decided: tuple[DecidedProduct, ...]) -> Invitation:
    """Return the invitation that the decisions on all products of a renewal lead to."""
    agreed = [
        product
        for product in decided
        if product.assessment is not None and product.assessment.eligible
    ]
    worth = [product for product in agreed if product.quote.decision != DECLINED]
    told = (*worth, *agreed)
    return Invitation(
        eligible=bool(worth),
        decided_by=PRODUCTS if agreed else RULES,
        case=case,
        assessment=told[0].assessment if told else case.assessment,
    )


def is_barred(merchant: Merchant, at: DateTime, rulebook: Rulebook | None) -> bool:
    """Return whether a request would be refused, or referred by a hold, before any rule is read."""
    deal = merchant.active_deal
    return (
        deal is None
        or rulebook is None
        # The application could not be filled (service 1).
        or merchant.profile_erased
        or merchant.on_hold
        # A merchant with an application in fulfilment cannot request another (decisions/renewal).
        or merchant.in_fulfilment is not None
        or deal.currency != rulebook.currency.code
        or sum(offer_set.is_open(at) for offer_set in merchant.offer_sets) >= MOST_SETS
    )
