"""Requests for offers: who may make one, which checks it needs, and its offers (service 4.1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta

from attrs import evolve
from pendulum import DateTime

from holdback.derived_facts import held_evidence, held_facts
from holdback.errors import ErrorDetail, Refusal
from holdback.exact_json import Json, Opaque
from holdback.facts import BUILT_IN_FACTS, CHECKS
from holdback.frozen_classes import frozen
from holdback.jurisdictions.rulebook import Rulebook
from holdback.lifecycle.commands import RequestOffers, RequireChecks
from holdback.lifecycle.configuration import Configuration
from holdback.lifecycle.context import Context
from holdback.lifecycle.decision import Decision
from holdback.lifecycle.events import OffersIssued
from holdback.lifecycle.fingerprint import fingerprint
from holdback.lifecycle.forgetting import MOST_SETS
from holdback.lifecycle.ids import IdFactory
from holdback.lifecycle.status import (
    RenewalCase,
    base_deal,
    check_evidence,
    renewal_case,
    required_second_check,
    with_valid_credit,
)
from holdback.model import offer as offer_states
from holdback.model.application import Check, OffersRequest, RequiredChecks
from holdback.model.instants import utc
from holdback.model.merchant import Merchant, OfferSet
from holdback.model.product import Offers, Product
from holdback.model.profile import Profile
from holdback.offers.calculator import PricingCase
from holdback.offers.quote import Quote, quote, quote_renewal
from holdback.offers.registry import PriceableProduct
from holdback.rules.types import Facts
from holdback.ruleset import known_facts


def check_may_request(merchant: Merchant, request: OffersRequest, rulebook: Rulebook) -> None:
    """
    Refuse a request for offers that this merchant may not make now.

    Raises:
        Refusal: `merchant_not_found`, `application_in_fulfilment`, `active_deal`,
            `no_deal_to_renew` or `currency_mismatch`.
    """
    application = request.application
    if application.merchant_id != merchant.merchant_id or (
        request.renewal and application.provider_id != merchant.provider_id
    ):
        raise Refusal("merchant_not_found", "the request names another merchant than this one")
    if merchant.in_fulfilment is not None:
        raise Refusal(
            "application_in_fulfilment", "an application of the merchant is in fulfilment"
        )
    if not request.renewal and merchant.active_deal is not None:
        raise Refusal(
            "active_deal", "the merchant has an active deal; ask for a renewal with its provider_id"
        )
    expected = rulebook.currency.code
    base = base_deal(merchant, rulebook, rulebook.on) if request.renewal else None
    if request.renewal and base is None:
        raise Refusal("no_deal_to_renew", "the merchant has no active or recently repaid deal")
    if application.currency != expected or (base is not None and base.currency != expected):
        message = (
            f"offers in {rulebook.code} are made in {expected}; the application, and any deal it "
            f"renews, must be in {expected}"
        )
        path = "$.application.currency"
        error = ErrorDetail(code="wrong_currency", message=message, path=path)
        raise Refusal("currency_mismatch", message, errors=(error,))


def request_offers(
    merchant: Merchant,
    command: RequestOffers,
    context: Context,
    configuration: Configuration,
    profile: Profile,
) -> Decision[Offers]:
    """
    Return the offers on a request; no events if the same request was answered before.

    Raises:
        Refusal: as `check_may_request`, or `request_conflict`, `not_possible_now` or
            `profile_erased`; for a repeated request whose offers are closed, as `accept_offer`.
        ConfigurationError: the evidence is invalid.
    """
    request = command.request
    digest = fingerprint("request_offers", command, profile)
    earlier = _repeated(merchant, context.request_id, digest)
    if earlier is not None:
        return Decision((), lambda _: _offers_as_issued(earlier))
    if request.renewal and merchant.profile_erased:
        raise Refusal("profile_erased", "the profile that would fill the application was erased")
    rulebook = configuration.rulebook(merchant, context.at)
    check_may_request(merchant, request, rulebook)
    if sum(offer_set.is_open(context.at) for offer_set in merchant.offer_sets) >= MOST_SETS:
        raise Refusal("not_possible_now", f"{MOST_SETS} sets of offers are open already")
    evidence = check_evidence(context.evidence, rulebook, known_merchant=request.renewal)
    case = renewal_case(merchant, context, rulebook) if request.renewal else None
    make_id = configuration.id_factory(merchant, context.request_id)
    pricing = _Pricing(merchant, request, context, configuration, rulebook, case, evidence, make_id)
    contents = _sections(request)
    sections = {name: profile.digest(content) for name, content in contents.items()}
    issued = pricing.issued(digest, sections)
    kept = {*merchant.named_sections, *sections.values()}
    after = profile.with_sections(contents.values()).keeping(kept)
    return Decision((issued,), lambda _: _offers_as_issued(issued.offer_set), after)


def _repeated(merchant: Merchant, request_id: str, digest: str) -> OfferSet | None:
    """Return the set that was issued on this request before, None for a new request."""
    earlier = next((s for s in merchant.sets if s.request_id == request_id), None)
    if earlier is None:
        return None
    if earlier.fingerprint != digest:
        message = "this request id was used before, with another body or profile"
        raise Refusal("request_conflict", message)
    if isinstance(earlier, OfferSet):
        return earlier
    # Its products are no longer held, and nobody can accept them any more.
    if offer_states.ACCEPTED in earlier.offers.values():
        raise Refusal("already_accepted", "an offer on this request was accepted")
    raise Refusal("offers_expired", "the offers have expired; a new application must be submitted")


def _sections(request: OffersRequest) -> dict[str, Opaque]:
    """Return the personal data in *request*, by the name of its section."""
    use = request.application.intended_use_of_funds
    contents = {
        "consents": request.consents,
        "applicants": request.applicants,
        "company": request.company,
        "intended_use_of_funds": None if use is None else Opaque.of(use),
    }
    return {name: content for name, content in contents.items() if content is not None}


def _offers_as_issued(offer_set: OfferSet) -> Offers:
    """Return the offers of *offer_set* as first issued, so that a retry gets the same reply."""
    return Offers(
        products=tuple(_as_issued(product) for product in offer_set.products),
        expires_at=offer_set.expires_at,
    )


def _as_issued(product: Product) -> Product:
    # Offers are accepted and withdrawn later. Nearly always none was, and nothing is copied.
    if all(offer.offer_status == offer_states.ELIGIBLE for offer in product.offers):
        return product
    offers = tuple(evolve(offer, offer_status=offer_states.ELIGIBLE) for offer in product.offers)
    return evolve(product, offers=offers)


@frozen
class _Pricing:
    """One request being priced, with everything that pricing depends on."""

    merchant: Merchant
    request: OffersRequest
    context: Context
    configuration: Configuration
    rulebook: Rulebook
    renewal: RenewalCase | None
    evidence: Facts
    make_id: IdFactory

    def issued(self, digest: str, sections: Mapping[str, str]) -> OffersIssued:
        """Return the event, with a decision on every product and an id for every offer."""
        facts = self._facts()
        products, decisions = [], []
        for bound in self.configuration.products(self.rulebook):
            case = PricingCase(
                facts=facts,
                catalogue=bound.terms.rules.catalogue,
                renewal=self.request.renewal,
                currency=self.rulebook.currency,
                rounding=self.rulebook.rounding,
            )
            quoted = self._decided(bound, case)
            products.append(self._product(bound, quoted))
            decisions.append(quoted.record(bound, self.configuration.format))
        at, renewal, written = self.context.at, self.renewal, self.configuration.format
        return OffersIssued(
            at=at,
            jurisdiction=self.rulebook.code,
            timezone=self.rulebook.timezone,
            currency=self.rulebook.currency.code,
            offer_set=OfferSet(
                request_id=self.context.request_id,
                application_id=self.make_id("application"),
                fingerprint=digest,
                renewal=self.request.renewal,
                sections=sections,
                issued_at=at,
                issued_on=self.rulebook.on,
                expires_at=expiry(at, self.rulebook.offers_valid_hours),
                products=tuple(products),
                digest=self.rulebook.renewal.digest_for(written),
                base_deal_id=None if renewal is None else renewal.deal.id,
                evidence=held_evidence(self.context.evidence, self.rulebook.catalogue),
                facts=self._known(facts),
            ),
            assessment=None if renewal is None else renewal.assessment.frozen_record(written),
            decisions=tuple(decisions),
        )

    def _facts(self) -> Facts:
        if self.renewal is not None:
            return self.renewal.facts
        return with_valid_credit(self.merchant, self.evidence, self.rulebook, self.context.at)

    def _known(self, facts: Facts) -> Mapping[str, Json]:
        if self.renewal is not None:
            return self.renewal.assessment.answers.known
        return known_facts(self.rulebook.catalogue, facts)

    def _decided(self, bound: PriceableProduct, case: PricingCase) -> Quote:
        """Return the product's own decision, unless the renewal is not eligible."""
        key = bound.terms.key

        def offer_id(place: int) -> str:
            return self.make_id("offer", key, str(place))

        if self.renewal is None:
            return quote(bound, case, offer_id)
        assessment, settlement = self.renewal.assessment, self.renewal.deal.balance
        return quote_renewal(bound, case, offer_id, assessment, settlement)

    def _product(self, bound: PriceableProduct, quoted: Quote) -> Product:
        terms = bound.terms
        return Product(
            product_id=bound.product_id,
            key=terms.key,
            name=terms.name,
            description=terms.description,
            decision=quoted.decision,
            repayment_mechanism=terms.repayment_mechanism,
            limits=quoted.limits,
            offers=quoted.offers,
        )


def expiry(at: DateTime, valid_hours: int) -> DateTime:
    """Return the instant at which offers issued at *at* expire, in whole seconds (service 8)."""
    whole = datetime(at.year, at.month, at.day, at.hour, at.minute, at.second, tzinfo=UTC)
    return utc(whole + timedelta(hours=valid_hours))


def required_checks(
    merchant: Merchant, question: RequireChecks, context: Context, configuration: Configuration
) -> Decision[RequiredChecks]:
    """
    Return the checks that the host must carry out before it makes this request.

    An initial application needs the takings and all facts that the products' rules read. A renewal
    needs only the facts read by product or renewal rules that the merchant's state lacks.

    Raises:
        Refusal: as `check_may_request`.
        ConfigurationError: the evidence is invalid.
    """
    request = question.request
    rulebook = configuration.rulebook(merchant, context.at)
    check_may_request(merchant, request, rulebook)
    check_evidence(context.evidence, rulebook, known_merchant=request.renewal)
    reply = RequiredChecks(checks=tuple(_checks(merchant, request, context, rulebook)))
    return Decision((), lambda _: reply)


def _checks(
    merchant: Merchant, request: OffersRequest, context: Context, rulebook: Rulebook
) -> Iterator[Check]:
    catalogue = rulebook.catalogue
    rulesets = [product.rules for product in rulebook.products]
    if request.renewal:
        rulesets.append(rulebook.renewal)
    read = {name for ruleset in rulesets for rule in ruleset.rules for name in rule.checked.names}
    held = held_facts(merchant.evidence if request.renewal else {}, catalogue)
    due = required_second_check(merchant, rulebook, context.at)
    # A fact that the jurisdiction declares is a check by its own name: the host alone knows it.
    declared = {fact.name: (fact.name,) for fact in catalogue.facts[BUILT_IN_FACTS:]}
    for name, evidence in {**CHECKS, **declared}.items():
        # Offers that expired unaccepted call for a second consumer credit check (service 3).
        again = name == "consumer_credit" and due is not None
        missing = any(fact in read and held[catalogue.place(fact)] is None for fact in evidence)
        if name == "takings":
            missing = not request.renewal
        if missing or again:
            not_before = due.not_before if again and due is not None else None
            yield Check(name=name, evidence=evidence, not_before=not_before)
