"""Requests for offers: who may make one, which checks it needs, and its offers (service 4.1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta

from attrs import evolve, field
from pendulum import DateTime

from holdback.eligibility.derived_facts import initial_facts
from holdback.eligibility.facts import DEAL
from holdback.eligibility.ruleset import known_facts
from holdback.errors import ErrorDetail, InvalidDocument, Refusal
from holdback.exact.exact_json import Json, Opaque
from holdback.frozen_classes import frozen
from holdback.lifecycle.configuration import Configuration, IdFactory
from holdback.lifecycle.context import Context
from holdback.lifecycle.events import OffersIssued
from holdback.lifecycle.evidence.checks import (
    TAKINGS,
    base_deal,
    check_states,
    evidence_facts,
    required_check,
    with_deal,
)
from holdback.lifecycle.forgetting import MOST_SETS, is_full_of_open_offers
from holdback.lifecycle.offers.funding_rules import required_for_funding
from holdback.lifecycle.offers.renewal_eligibility import (
    DecidedProduct,
    ProductsCase,
    decided_products,
    products_eligibility,
    referral_of,
    renewal_case,
)
from holdback.lifecycle.operation import (
    Case,
    Decision,
    PersonalCommand,
    PersonalQuestion,
    fingerprint,
)
from holdback.lifecycle.people.consents import all_consents, given_consents
from holdback.merchant import offer as offer_states
from holdback.merchant.application import (
    PROFILE,
    Check,
    OffersRequest,
    ProductDecision,
    RequiredChecks,
)
from holdback.merchant.instants import utc
from holdback.merchant.merchant import IN_FULFILMENT, Fulfilment, Merchant, OfferSet, known_deals_of
from holdback.merchant.product import DECLINED, REFERRED, Offers, Product
from holdback.merchant.referral import Referral
from holdback.merchant.validators import instance_of, optional, text
from holdback.rulebooks.rulebook import Rulebook, age_name


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


@frozen(kw_only=True)
class RequestOffers(PersonalCommand[Offers]):
    """
    Price offers for an application, initial or renewal (service 4.1).

    Raises:
        Refusal: `merchant_not_found`, `no_deal_to_renew`, `active_deal`, `currency_mismatch`,
            `application_in_fulfilment`, `request_conflict`, `not_possible_now` or `profile_erased`;
            for a repeated request whose offers are closed, as `AcceptOffer`.
        ConfigurationError: the evidence is invalid, or a calculator failed.
    """

    name = "request_offers"
    remembered = False

    request: OffersRequest = field(validator=instance_of(OffersRequest, "a request for offers"))

    def decide(self, case: Case) -> Decision[Offers]:
        request = self.request
        digest = fingerprint(self, case.profile)
        earlier = _repeated(case.merchant, case.context.request_id, digest)
        if earlier is not None:
            return Decision((), lambda _: _offers_as_issued(earlier))
        if request.renewal and case.merchant.profile_erased:
            raise Refusal(
                "profile_erased", "the profile that would fill the application was erased"
            )
        rulebook = case.rulebook()
        check_may_request(case.merchant, request, rulebook)
        if is_full_of_open_offers(case.merchant, case.at):
            raise Refusal("not_possible_now", f"{MOST_SETS} sets of offers are open already")
        contents = _sections(request)
        if request.consents is not None:
            applicants = case.profile.people_of(request)["applicants"]
            contents["consents"] = all_consents(case, applicants, request.consents)
        sections = {name: case.profile.digest(content) for name, content in contents.items()}
        priced = _Request(
            request=request,
            context=case.context,
            configuration=case.configuration,
            products_case=_case(case, request, rulebook, sections),
            make_id=case.make_id,
        )
        decided = tuple(decided_products(priced.products_case, case.configuration, priced.offer_id))
        issued = priced.issued(digest, sections, decided)
        renewal = priced.products_case.renewal
        return Decision(
            (issued,),
            lambda _: _offers_as_issued(issued.offer_set),
            case.profile.with_sections(contents.values()),
            eligibility=None if renewal is None else products_eligibility(renewal, decided),
        )


def _case(
    case: Case, request: OffersRequest, rulebook: Rulebook, sections: Mapping[str, str]
) -> ProductsCase:
    """Return what the decisions on the products depend on."""
    merchant = case.merchant
    renewal = renewal_case(merchant, case.at, rulebook) if request.renewal else None
    if renewal is None:
        evidence = evidence_facts(merchant, rulebook, case.at, sections)
        facts = initial_facts(merchant, rulebook.catalogue, evidence, rulebook.on)
        consents = given_consents(merchant, request.consents, rulebook, sections)
    else:
        facts, sections = renewal.facts, merchant.sections
        consents = merchant.consents_of(sections)
    return ProductsCase(
        merchant=merchant,
        rulebook=rulebook,
        at=case.at,
        facts=facts,
        renewal=renewal,
        consents=consents,
        sections=sections,
    )


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
    raise offers_expired()


def offers_expired() -> Refusal:
    """Return the refusal of what is asked of offers that have expired (service 7)."""
    message = "the offers have expired; a new application must be submitted"
    return Refusal("offers_expired", message)


def _sections(request: OffersRequest) -> dict[str, Opaque]:
    """Return the personal data in *request*, by the name of its section."""
    use = request.application.intended_use_of_funds
    contents = {name: getattr(request, name) for name in PROFILE}
    contents["intended_use_of_funds"] = None if use is None else Opaque.of(use)
    return {name: content for name, content in contents.items() if content is not None}


def _offers_as_issued(offer_set: OfferSet) -> Offers:
    """Return the offers of *offer_set* as first issued, so that a retry gets the same reply."""
    return Offers(
        products=tuple(_as_issued(product, offer_set.requoted) for product in offer_set.products),
        expires_at=offer_set.expires_at,
    )


def _as_issued(product: Product, requoted: tuple[str, ...]) -> Product:
    # Offers are accepted, withdrawn and added later. Nearly always none was: nothing is copied.
    if not requoted and all(o.offer_status == offer_states.ELIGIBLE for o in product.offers):
        return product
    offers = tuple(
        evolve(offer, offer_status=offer_states.ELIGIBLE)
        for offer in product.offers
        if offer.offer_id not in requoted
    )
    return evolve(product, offers=offers)


@frozen(kw_only=True)
class _Request:
    """One request being priced, with everything that its offers depend on."""

    request: OffersRequest
    context: Context
    configuration: Configuration
    products_case: ProductsCase
    make_id: IdFactory

    def issued(
        self, digest: str, sections: Mapping[str, str], decided: tuple[DecidedProduct, ...]
    ) -> OffersIssued:
        """Return the event, with a decision on every product."""
        at, case = self.context.at, self.products_case
        rulebook, application_id = case.rulebook, self.make_id("application")
        return OffersIssued(
            at=at,
            jurisdiction=rulebook.code,
            timezone=rulebook.timezone,
            currency=rulebook.currency.code,
            offer_set=OfferSet(
                request_id=self.context.request_id,
                application_id=application_id,
                fingerprint=digest,
                renewal=self.request.renewal,
                sections=sections,
                issued_at=at,
                issued_on=rulebook.on,
                expires_at=expiry(at, rulebook.offers_valid_hours),
                products=tuple(product.product() for product in decided),
                digest=rulebook.digest,
                base_deal_id=case.base_deal_id,
                facts=self._known(),
                known_deals=known_deals_of(case.merchant.deals),
            ),
            assessment=None if case.renewal is None else case.renewal.assessment.frozen_record(),
            decisions=tuple(product.record() for product in decided),
            referrals=tuple(self._referrals(decided, application_id)),
            consents=None if self.request.renewal else case.consents,
        )

    def _referrals(
        self, decided: Iterable[DecidedProduct], application_id: str
    ) -> Iterator[Referral]:
        for product in decided:
            if product.quote.decision == REFERRED:
                referral = referral_of(product, self.products_case, application_id)
                # A hold is ended by a person, who has nothing to decide about the product.
                if referral.rules or referral.needs or not product.withheld:
                    yield referral

    def _known(self) -> Mapping[str, Json]:
        if self.products_case.renewal is not None:
            return self.products_case.renewal.assessment.answers.known
        return known_facts(self.products_case.rulebook.catalogue, self.products_case.facts)

    def offer_id(self, key: str, place: int) -> str:
        """Return the id of an offer of the product *key*."""
        return self.make_id("offer", key, str(place))


def expiry(at: DateTime, valid_hours: int) -> DateTime:
    """Return the instant at which offers issued at *at* expire, in whole seconds (service 8)."""
    whole = datetime(at.year, at.month, at.day, at.hour, at.minute, at.second, tzinfo=UTC)
    return utc(whole + timedelta(hours=valid_hours))


@frozen(kw_only=True)
class RequireChecks(PersonalQuestion[RequiredChecks]):
    """
    Ask which checks are required before this request for offers, or before a funding.

    With an `application_id` it asks about the funding of that accepted application: which checks
    give what the funding rules lack or found false, and what holds it back.

    These are the checks of which a fact that the rules read is missing or too old, and a second
    credit check after offers expired unaccepted. An initial application needs the takings too.
    What is held of other applicants, or of another company, is missing for these. A product that is
    declined on what is held is named, with why: for it alone no check has to be made.

    Raises:
        ConfigurationError: a calculator failed.
        Refusal: as `RequestOffers`; `application_not_found`, or `not_possible_now` for an
            application that is not in fulfilment.
        InvalidDocument: neither a request nor an application is given, or both are.
    """

    name = "required_checks"

    request: OffersRequest | None = field(
        default=None, validator=optional(instance_of(OffersRequest, "a request for offers"))
    )
    application_id: str | None = field(default=None, validator=optional(text))

    def __attrs_post_init__(self) -> None:
        if (self.request is None) == (self.application_id is None):
            message = "expected a request for offers, or the application_id of one to be funded"
            raise InvalidDocument.of("missing", message, path="$.application_id")

    def decide(self, case: Case) -> Decision[RequiredChecks]:
        request = self.request
        if request is None:
            needed = required_for_funding(case, _in_fulfilment(case.merchant, self.application_id))
            return Decision((), lambda _: needed)
        rulebook = case.rulebook()
        check_may_request(case.merchant, request, rulebook)
        reply = RequiredChecks(
            checks=tuple(_checks(case, request, rulebook)),
            declined=tuple(_declined(case, request, rulebook)),
        )
        return Decision((), lambda _: reply)


def _declined(case: Case, request: OffersRequest, rulebook: Rulebook) -> Iterator[ProductDecision]:
    """Yield the products that a request would find declined on what is held."""
    sections = case.merchant.sections if request.renewal else case.profile.people_of(request)
    products = _case(case, request, rulebook, sections)
    for decided in decided_products(products, case.configuration, lambda *_: ""):
        if decided.quote.decision == DECLINED:
            yield ProductDecision.of(decided.product())


def _in_fulfilment(merchant: Merchant, application_id: str | None) -> Fulfilment:
    application = merchant.fulfilment_of(application_id or "")
    if application is None:
        raise Refusal("application_not_found", "no accepted application has this application_id")
    if application.status not in IN_FULFILMENT:
        raise Refusal("not_possible_now", "the application is not in fulfilment")
    return application


def _checks(case: Case, request: OffersRequest, rulebook: Rulebook) -> Iterator[Check]:
    merchant, at = case.merchant, case.at
    sections: Mapping[str, str] = case.profile.people_of(request)
    if request.renewal:
        sections = with_deal(merchant.sections, base_deal(merchant, rulebook, rulebook.on))
    rulesets = [product.rules for product in rulebook.products]
    if request.renewal:
        rulesets.append(rulebook.renewal)
    read = {name for ruleset in rulesets for rule in ruleset.rules for name in rule.checked.names}
    given = given_consents(merchant, request.consents, rulebook, sections)
    facts = evidence_facts(merchant, rulebook, at, sections)
    for state in check_states(merchant, rulebook, at, sections):
        terms = state.terms
        if terms.of_deal and DEAL not in sections:
            continue  # there is no deal yet that it could be about
        of_rules = {*terms.facts, age_name(terms.name)} & read
        if terms.name == TAKINGS:
            # A renewal takes the takings from the merchant's history; calculators need them too.
            of_rules = set() if request.renewal else set(terms.facts)
        lacking = any(facts.get(name) is None for name in of_rules)
        # The age of a check is known when its result is too old, so it is not what is lacking.
        too_old = state.why == "too_old" and of_rules and terms.name != TAKINGS
        if lacking or too_old or state.why == "due_again":
            yield required_check(state, given)
