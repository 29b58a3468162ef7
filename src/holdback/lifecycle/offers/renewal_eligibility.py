"""The `renewal_eligibility` of service 2.5: whether a partner may invite a merchant to renew.

It is true when the rules agree and not every product would be `Declined`, on what is held. So a
request at that instant, without anything new, leads to an offer, or to a person who decides
(decisions/renewal#invitation).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from attrs import field
from pendulum import DateTime

from holdback.eligibility.assessment import Assessment, assess
from holdback.eligibility.derived_facts import renewal_facts
from holdback.eligibility.reasons import missing_facts, reasons
from holdback.eligibility.ruleset import RuleSet, known_facts
from holdback.errors import ConfigurationError, ErrorDetail
from holdback.exact.exact_json import Json
from holdback.exact.money import Money
from holdback.frozen_classes import frozen
from holdback.lifecycle.configuration import Configuration
from holdback.lifecycle.evidence.checks import base_deal, evidence_facts, with_deal
from holdback.lifecycle.forgetting import is_full_of_open_offers
from holdback.merchant.application import PEOPLE
from holdback.merchant.deal import Deal
from holdback.merchant.merchant import Merchant
from holdback.merchant.product import ACCEPTED, DECLINED, Product
from holdback.merchant.referral import DECLINE, Referral, ReferralDecision, ReferredRule
from holdback.offers.calculator import PricingCase
from holdback.offers.quote import Quote, declined, quote, quote_renewal, with_settlement, withheld
from holdback.offers.registry import PriceableProduct
from holdback.rulebooks.digest import rule_digest
from holdback.rulebooks.product_terms import QUEUE
from holdback.rulebooks.rulebook import Rulebook
from holdback.rules.types import Facts

# What decided the eligibility.
RULES: Final = "rules"
PRODUCTS: Final = "products"
SERVICE: Final = "service"


@frozen(kw_only=True)
class RenewalEligibility:
    """
    Whether the active deal may be renewed, and what decided: the rules, the products, the service.

    `assessment` is that of the renewal, with what an approval lifts for the product that decided.
    `declined` are the products, where the rules agree and every one would be declined. `errors` are
    those of calculators, which the host has to repair: with them no deal is eligible.
    """

    eligible: bool
    decided_by: str
    case: RenewalCase | None = None
    assessment: Assessment | None = None
    declined: tuple[Product, ...] = ()
    errors: tuple[ErrorDetail, ...] = ()


def renewal_eligibility(
    merchant: Merchant, at: DateTime, rulebook: Rulebook | None, configuration: Configuration
) -> RenewalEligibility:
    """Return whether *merchant* may renew its active deal at the instant *at*, and what decided."""
    case = renewal_case(merchant, at, rulebook)
    assessment = None if case is None else case.assessment
    if rulebook is None or case is None or is_barred(merchant, at, rulebook):
        return RenewalEligibility(
            eligible=False, decided_by=SERVICE, case=case, assessment=assessment
        )
    if not case.assessment.eligible and not merchant.referral_decisions:
        return RenewalEligibility(
            eligible=False, decided_by=RULES, case=case, assessment=assessment
        )
    products = ProductsCase(
        merchant=merchant,
        rulebook=rulebook,
        at=at,
        facts=case.facts,
        renewal=case,
        consents=merchant.consents_of(merchant.sections),
        sections=merchant.sections,
    )
    try:
        decided = tuple(decided_products(products, configuration, lambda *_: ""))
    except ConfigurationError as error:
        return RenewalEligibility(
            eligible=False,
            decided_by=PRODUCTS,
            case=case,
            assessment=assessment,
            errors=error.errors,
        )
    return products_eligibility(case, decided)


def products_eligibility(
    case: RenewalCase, decided: tuple[DecidedProduct, ...]
) -> RenewalEligibility:
    """Return the eligibility that the decisions on all products of a renewal lead to."""
    agreed = [
        product
        for product in decided
        if product.assessment is not None and product.assessment.eligible
    ]
    worth = [product for product in agreed if product.quote.decision != DECLINED]
    deciding = (*worth, *agreed)
    return RenewalEligibility(
        eligible=bool(worth),
        decided_by=PRODUCTS if agreed else RULES,
        case=case,
        assessment=deciding[0].assessment if deciding else case.assessment,
        declined=tuple(product.product() for product in agreed) if not worth else (),
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
        or is_full_of_open_offers(merchant, at)
    )


# -- The decisions on all products of a jurisdiction for one merchant at one instant.
#
# A request for offers and the renewal eligibility ask here, so that they agree. Three things decide
# besides the rules: a person's decision about the product, a hold, and the consents that an offer
# needs (decisions/applications).

# The id of an offer, from the key of its product and its place among the product's offers.
OfferIds = Callable[[str, int], str]


@frozen(kw_only=True)
class ProductsCase:
    """
    Everything that the decisions on the products depend on.

    `renewal` is None in an initial application. `sections` are those of the application, or of the
    merchant in a renewal.
    """

    merchant: Merchant = field(repr=False)
    rulebook: Rulebook
    at: DateTime
    facts: Facts = field(repr=False)
    renewal: RenewalCase | None
    consents: tuple[str, ...]
    sections: Mapping[str, str] = field(repr=False)

    @property
    def people(self) -> Mapping[str, str]:
        """The applicants and the company that the decisions are about, by their digests."""
        return {name: self.sections[name] for name in PEOPLE if name in self.sections}

    @property
    def base_deal_id(self) -> str | None:
        """The deal that a renewal is based on."""
        return None if self.renewal is None else self.renewal.deal.id

    @property
    def withheld(self) -> tuple[str, ...]:
        """What keeps offers back besides the rules: a hold, and consents that are missing."""
        missing = (name for name in self.rulebook.consents if name not in self.consents)
        hold = ("hold",) if self.merchant.on_hold else ()
        return (*hold, *(f"consents.{name}" for name in missing))


@frozen(kw_only=True)
class DecidedProduct:
    """
    The decision on one product, and what led to it.

    `referral_decision` is what a person decided and is in force, and `assessment` the renewal's
    with what that approval lifts; `lifted` are the codes of those rules. `withheld` names what kept
    back the offers of a product that was accepted.
    """

    bound: PriceableProduct
    quote: Quote
    assessment: Assessment | None
    referral_decision: ReferralDecision | None
    lifted: tuple[str, ...]
    withheld: tuple[str, ...]
    queued: bool = False

    @property
    def key(self) -> str:
        """The product's name in `products.toml`."""
        return self.bound.terms.key

    def product(self) -> Product:
        """Return the product as the merchant is offered it."""
        terms, quoted = self.bound.terms, self.quote
        return Product(
            product_id=self.bound.product_id,
            key=terms.key,
            name=terms.name,
            description=terms.description,
            decision=quoted.decision,
            repayment_mechanism=terms.repayment_mechanism,
            limits=quoted.limits,
            offers=with_settlement(quoted.offers, quoted.settlement),
            codes=tuple(reason.code for reason in quoted.reasons),
            queued=self.queued,
        )

    def record(self) -> Mapping[str, Json]:
        """
        Return the record of the decision for the event.

        What a person decided and what was kept back is in it only where it is there.
        """
        record = dict(self.quote.record(self.bound))
        if self.referral_decision is not None:
            record["referral"] = self.referral_decision.decision
        if self.lifted:
            record["lifted"] = list(self.lifted)
        if self.withheld:
            record["withheld"] = list(self.withheld)
        return record


def decided_products(
    case: ProductsCase, configuration: Configuration, offer_id: OfferIds
) -> Iterator[DecidedProduct]:
    """
    Yield the decision on every product, in the order of the file.

    Raises:
        ConfigurationError: a calculator failed.
    """
    for bound in configuration.products(case.rulebook):
        queued = bound.terms.renewal == QUEUE and case.renewal is not None
        yield _decided(bound, case, offer_id, queued=queued)


def _decided(
    bound: PriceableProduct, case: ProductsCase, offer_id: OfferIds, *, queued: bool
) -> DecidedProduct:
    key, rules = bound.terms.key, bound.terms.rules
    priced = PricingCase(
        facts=case.facts,
        catalogue=rules.catalogue,
        renewal=case.renewal is not None,
        currency=case.rulebook.currency,
        rounding=case.rulebook.rounding,
    )
    decision = decision_in_force(case.merchant, key, case.base_deal_id, case.at)
    approved = frozenset(() if decision is None else approved_rules(decision, case.people))
    lifted = lifted_mask(rules, approved) if approved else 0
    assessment = _assessment(case, approved)
    if decision is not None and decision.decision == DECLINE:
        quoted = declined(bound, priced)
    elif case.renewal is None or assessment is None:
        quoted = quote(bound, priced, lambda place: offer_id(key, place), lifted=lifted)
    else:
        balance = case.renewal.deal.balance
        quoted = quote_renewal(
            bound,
            priced,
            lambda place: offer_id(key, place),
            assessment,
            # A renewal that waits until its base deal is repaid settles nothing of it.
            Money(0, balance.currency) if queued else balance,
            lifted=lifted,
        )
    kept_back = case.withheld if quoted.decision == ACCEPTED else ()
    if kept_back:
        quoted = withheld(bound, priced, quoted)
    return DecidedProduct(
        bound=bound,
        quote=quoted,
        assessment=assessment,
        referral_decision=decision,
        lifted=tuple(rule.code for bit, rule in enumerate(rules.rules) if lifted >> bit & 1)
        + (() if assessment is None else assessment.lifted),
        withheld=kept_back,
        queued=queued,
    )


def _assessment(case: ProductsCase, approved: frozenset[str]) -> Assessment | None:
    """Return the assessment of the renewal, with the rules *approved* lifted."""
    if case.renewal is None:
        return None
    rules = case.rulebook.renewal
    lifted = lifted_mask(rules, approved) if approved else 0
    if not lifted:
        return case.renewal.assessment
    return assess(rules, case.facts, case.rulebook.on, lifted=lifted)


def decision_in_force(
    merchant: Merchant, product: str, base_deal_id: str | None, at: DateTime
) -> ReferralDecision | None:
    """
    Return what a person decided about *product* and still holds at the instant *at*, if any.

    A decline holds whichever deal is renewed, or none: a merchant that is declined one way must not
    get the product another way. An approval is for its own base deal.
    """
    held = [
        decision
        for decision in merchant.referral_decisions
        if decision.product == product and at < decision.until
    ]
    declines = (decision for decision in held if decision.decision == DECLINE)
    own = (decision for decision in held if decision.base_deal_id == base_deal_id)
    return next(declines, None) or next(own, None)


def approved_rules(decision: ReferralDecision, people: Mapping[str, str]) -> tuple[str, ...]:
    """Return the digests of the rules that *decision* lifts for *people*: for no others any."""
    about_them = bool(people) and people.items() <= decision.sections.items()
    return decision.rules if about_them else ()


def lifted_mask(rules: RuleSet, approved: frozenset[str]) -> int:
    """Return the mask of the referring *rules* whose digests are *approved*."""
    return sum(
        1 << bit
        for bit, rule in enumerate(rules.rules)
        if not rules.declining >> bit & 1 and rule_digest(rule) in approved
    )


def referral_of(decided: DecidedProduct, case: ProductsCase, application_id: str) -> Referral:
    """Return what a person has to decide about a product that is `Referred`."""
    rulesets = [decided.bound.terms.rules]
    if case.renewal is not None:
        rulesets.insert(0, case.rulebook.renewal)
    referred = tuple(rule for ruleset in rulesets for rule in referred_rules(ruleset, case.facts))
    read = {
        name
        for ruleset in rulesets
        for rule in ruleset.rules
        if any(lifted.digest == rule_digest(rule) for lifted in referred)
        for name in rule.checked.names
    }
    values = known_facts(case.rulebook.catalogue, case.facts)
    return Referral(
        application_id=application_id,
        product=decided.key,
        referred_at=case.at,
        base_deal_id=case.base_deal_id,
        rules=referred,
        needs=(*decided.quote.needs, *(n for n in decided.withheld if n != "hold")),
        facts={name: values[name] for name in sorted(read) if name in values},
        sections=case.people,
    )


def referred_rules(ruleset: RuleSet, facts: Facts) -> Iterator[ReferredRule]:
    """Yield the referring rules of *ruleset* that are false or unknown, approved or not."""
    answers = ruleset.answer(facts)
    texts = {reason.code: reason.text for reason in reasons(answers, answers.false)}
    for rule in answers.selected((answers.false | answers.unknown) & ~ruleset.declining):
        yield ReferredRule(
            rule=rule.id,
            code=rule.code,
            digest=rule_digest(rule),
            answer=False if rule.code in texts else None,
            text=texts.get(rule.code) or missing_facts(answers, rule),
        )


# -- A merchant on a day: its base deal, and the assessment of a renewal of it.
#
# The lookup, the request for offers and the announcement of a change all ask here, so their answers
# agree (decisions/renewal).


@frozen(kw_only=True)
class RenewalCase:
    """The deal that a renewal would be based on, the facts about it, and the assessment of them."""

    deal: Deal
    facts: Facts
    assessment: Assessment


def renewal_case(merchant: Merchant, at: DateTime, rulebook: Rulebook | None) -> RenewalCase | None:
    """Return the renewal that the merchant could request now, None without rules or base deal."""
    if rulebook is None:
        return None
    deal = base_deal(merchant, rulebook, rulebook.on)
    if deal is None:
        return None
    evidence = evidence_facts(merchant, rulebook, at, with_deal(merchant.sections, deal))
    facts = renewal_facts(merchant, deal, rulebook.catalogue, evidence, rulebook.on)
    return RenewalCase(
        deal=deal, facts=facts, assessment=assess(rulebook.renewal, facts, rulebook.on)
    )
