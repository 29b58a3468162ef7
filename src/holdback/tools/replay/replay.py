"""Recorded decisions and offers derived again, years later, from their digest, day and facts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from itertools import zip_longest
from types import MappingProxyType
from typing import Any, Final

from attrs import evolve

from holdback.eligibility.assessment import Assessment, assess
from holdback.eligibility.reasons import SERVICE_REASONS
from holdback.errors import ConfigurationError, InvalidDocument, excerpt
from holdback.exact.exact_json import Json
from holdback.exact.exact_numbers import plain, without_zeros
from holdback.exact.money import Money
from holdback.frozen_classes import frozen
from holdback.jurisdictions.jurisdiction import Jurisdictions
from holdback.merchant.offer import ELIGIBLE
from holdback.merchant.product import ACCEPTED
from holdback.merchant.referral import DECLINE
from holdback.offers.calculator import PricingCase
from holdback.offers.quote import Quote, declined, quote, quote_renewal, withheld
from holdback.offers.registry import PriceableProduct, bind, registered
from holdback.rulebooks.digest import VERSIONS, Versions, rulebook_digest
from holdback.rulebooks.product_terms import ProductTerms
from holdback.rulebooks.rulebook import Rulebook
from holdback.tools.plain_values import plain_values
from holdback.tools.replay.decision_records import (
    RecordedOffers,
    codes,
    plain_facts,
    read_offers_issued,
    read_payout,
    read_record,
    record_differences,
    versions_in,
    wording_differences,
)

SAME: Final = "the same"
DIFFERENT: Final = "different"
UNDERIVABLE: Final = "cannot be derived"
# The value is part of the JSON output.
NOT_AVAILABLE: Final = "not available"


@frozen(kw_only=True)
class Replay:
    """
    The result of deriving a record again.

    `state` is `SAME`; `DIFFERENT`; `UNDERIVABLE` when a calculator that priced is not present in
    the version that it had, and nothing else differs; or `NOT_AVAILABLE` when no loaded rulebook
    has the recorded digest, and `loaded_digest` is then that of the rulebook loaded for the same
    day. `differences` are in the answer, `wording` is in sentences only, and `missing` names what
    could not be derived, with the versions.
    """

    state: str
    digest: str
    differences: tuple[str, ...] = ()
    wording: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    rulebook: Rulebook | None = None
    loaded_digest: str | None = None

    def plain(self) -> dict[str, Json]:
        """Return the result as plain values."""
        names = ("state", "digest", "differences", "wording", "missing", "loaded_digest")
        return plain_values(self, *names)


def replay(record: Json, jurisdictions: Jurisdictions) -> Replay:
    """
    Return the replay of *record*, a decision record as plain values, with *jurisdictions*.

    The rules alone decide an assessment, so it is derived without any calculator.

    Raises:
        InvalidDocument: when it is not a decision record, with everything that is wrong with it.
    """
    document = read_record(record)
    located = _located(document, jurisdictions)
    rulebook = located.rulebook
    if rulebook is None:
        return located
    # A fact that no rule reads decides nothing, and the jurisdiction may not declare it any more.
    read = {"progress", *(name for rule in rulebook.renewal.rules for name in rule.checked.names)}
    facts = {name: value for name, value in document["facts"].items() if name in read}
    recorded = {**document, "facts": facts}
    derived = _assessed(rulebook, facts, document).record()
    wording = (*wording_differences(recorded, derived), *_undeclared(document["facts"], rulebook))
    return _result(located, record_differences(recorded, derived), wording)


def _lifted_codes(record: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the codes of the rules that *record* says were lifted."""
    listed = record.get("lifted")
    return tuple(map(str, listed)) if isinstance(listed, list) else ()


def _assessed(
    rulebook: Rulebook, facts: Mapping[str, Any], document: Mapping[str, Any]
) -> Assessment:
    """Return the assessment of *facts*, with the rules lifted that *document* says were."""
    lifted = rulebook.renewal.referring(_lifted_codes(document))
    return assess(rulebook.renewal, rulebook.catalogue.prepare(facts), rulebook.on, lifted=lifted)


def replay_offers(
    event: Json,
    jurisdictions: Jurisdictions,
    calculators: Mapping[str, type] = MappingProxyType({}),
) -> Replay:
    """
    Return the replay of *event*, an `OffersIssued` as plain values, with *jurisdictions*.

    The assessment of a renewal, the decision on each product and every offer are derived again, to
    the minor unit. *calculators* are the host's own, as for `Engine`.

    Raises:
        InvalidDocument: when it is not such an event, with everything that is wrong with it.
        ConfigurationError: a calculator of the host has no version.
    """
    recorded, registry = read_offers_issued(event), registered(calculators)
    digest = recorded.digest
    located = _loaded(
        jurisdictions, recorded.jurisdiction, ("issued_on", recorded.on), digest, recorded.versions
    )
    rulebook = located.rulebook
    if rulebook is None:
        return located
    differences = list(_place_differences(recorded, rulebook))
    wording = list(_undeclared(recorded.facts, rulebook))
    if recorded.assessment is not None:
        replayed = replay(recorded.assessment, jurisdictions)
        differences += (f"assessment: {difference}" for difference in replayed.differences)
        wording += replayed.wording
        if replayed.digest != digest:
            differences.append(f"assessment: recorded digest {replayed.digest}, not {digest}")
    if recorded.renewal != (recorded.assessment is not None):
        kind = "a renewal" if recorded.renewal else "an initial application"
        state = "without" if recorded.renewal else "with"
        differences.append(f"renewal: recorded {kind} {state} an assessment")
    different, reworded, missing = repriced(recorded, rulebook, registry)
    return _result(located, (*differences, *different), (*wording, *reworded), missing)


def replay_funding(event: Json, jurisdictions: Jurisdictions) -> Replay:
    """
    Return the replay of *event*, a `DealFunded` as plain values, with *jurisdictions*.

    The funding rules are read again on the recorded facts: but for what was lifted, all are true.

    Raises:
        InvalidDocument: no funding rules decided it, or their record is invalid.
    """
    record = read_payout(event)
    located = _located(record, jurisdictions)
    rulebook = located.rulebook
    if rulebook is None:
        return located
    read = {name for rule in rulebook.funding.rules for name in rule.checked.names}
    facts = {name: value for name, value in record["facts"].items() if name in read}
    lifted = rulebook.funding.referring(_lifted_codes(record))
    answers = rulebook.funding.answer(rulebook.catalogue.prepare(facts), lifted=lifted)
    differences = (
        f"{rule.code}: recorded a payout, derived that it waits"
        for rule in answers.selected(answers.false | answers.unknown)
    )
    return _result(located, differences, _undeclared(record["facts"], rulebook))


def _result(
    located: Replay, differences: Iterable[str], wording: Iterable[str], missing: Iterable[str] = ()
) -> Replay:
    """Return *located* with all that differs, and with what could not be derived."""
    every = tuple(dict.fromkeys((*located.differences, *differences)))
    without = tuple(missing)
    state = DIFFERENT if every else UNDERIVABLE if without else SAME
    said = tuple(dict.fromkeys(wording))
    return evolve(located, state=state, differences=every, wording=said, missing=without)


def _located(record: Mapping[str, Any], jurisdictions: Jurisdictions) -> Replay:
    """Return the rulebook of a decision *record*, as a replay that derived nothing yet."""
    on, versions = date.fromisoformat(record["on"]), versions_in(record)
    return _loaded(jurisdictions, record["jurisdiction"], ("on", on), record["digest"], versions)


def _loaded(
    jurisdictions: Jurisdictions, code: str, when: tuple[str, date], digest: str, versions: Versions
) -> Replay:
    """
    Return the rulebook of *code* with *digest*, as a replay that derived nothing yet.

    It is that of the day *when*, which the record has under a name, or of any other. That other
    rules were in force on the day, or that the digest covers other *versions*, is a difference.
    """
    name, on = when
    slices = jurisdictions[code].slices if code in jurisdictions.codes else ()
    # Versions that were edited in the record must not hide the rulebook.
    matching = [rulebook for rulebook in slices if digest in _digests(versions, rulebook)]
    begun = [rulebook for rulebook in slices if rulebook.since <= on]
    current = begun[-1] if begun else None
    in_force = None
    if current is not None:
        in_force = digest if current in matching else current.digest
    # On another day the same digest still derives the recorded answer.
    chosen = [rulebook for rulebook in begun if rulebook in matching][-1:] or matching[:1]
    if not chosen:
        return Replay(state=NOT_AVAILABLE, digest=digest, loaded_digest=in_force)
    (rulebook,) = chosen
    differences = []
    if in_force != digest:
        loaded = in_force or "none"
        differences.append(f"{name}: recorded {on}, when other rules were in force: {loaded}")
    if rulebook_digest(rulebook.rules_digest, versions) != digest:
        covered = dict(rulebook.versions)
        differences.append(f"versions: recorded {dict(versions)}, derived {covered}")
    return Replay(
        state=SAME, digest=digest, differences=tuple(differences), rulebook=evolve(rulebook, on=on)
    )


def _digests(versions: Versions, rulebook: Rulebook) -> set[str]:
    """Return the digests of *rulebook* with the recorded *versions*, and with its own."""
    recorded = {rulebook_digest(rulebook.rules_digest, versions)} if versions else set[str]()
    return {rulebook.digest, *recorded}


def _place_differences(recorded: RecordedOffers, rulebook: Rulebook) -> Iterator[str]:
    """Yield differences in what the event says of the jurisdiction."""
    derived = {"currency": rulebook.currency.code, "timezone": rulebook.timezone}
    for name, value in recorded.places.items():
        if value != derived[name]:
            yield f"{name}: recorded {value}, derived {derived[name]}"
    facts = None if recorded.assessment is None else recorded.assessment.get("facts")
    if isinstance(facts, Mapping) and plain_facts(facts) != plain_facts(recorded.facts):
        yield "facts: those of the assessment and those of the offers differ"


def _undeclared(facts: Mapping[str, Any], rulebook: Rulebook) -> Iterator[str]:
    for name in facts:
        if rulebook.catalogue.fact(name) is None:
            yield f"`{name}` is not a fact here, and no rule reads it"


# -- The products of a recorded set of offers, decided and priced again, to the minor unit.

# What a product and an offer say apart from their ids and sentences.
_TERMS: Final = ("decision", "repayment_mechanism", "codes")
_FIGURES: Final = (
    "offer_status",
    "funded_amount",
    "repayment_amount",
    "factor_rate",
    "split_percentage",
    "term_length",
    "term_days",
)
_DECIMAL: Final = re.compile(r"-?[0-9]+\.[0-9]+")
# What the sentence of a renewal offer says is settled and paid out.
_SETTLED: Final = re.compile(r", of which .* is paid out(?=, repaid as )")
_ABSENT: Final[Mapping[str, Any]] = {}


def repriced(
    recorded: RecordedOffers, rulebook: Rulebook, registry: Mapping[str, type]
) -> tuple[list[str], list[str], list[str]]:
    """
    Return what comes out when the products of *recorded* are priced again by *rulebook*.

    That is what differs in decisions and figures, what differs in sentences only, and the
    calculators without which a product cannot be priced, with their versions. The calculators of
    the rulebook are those in *registry*.

    Raises:
        InvalidDocument: a recorded fact that the rulebook has cannot be read.
    """
    differences, wording = list(_order_differences(recorded, rulebook)), list[str]()
    missing = list[str]()
    pricing = _Pricing.of(recorded, rulebook, registry)
    decisions, products = _by("product", recorded.decisions), _by("key", recorded.products)
    every_terms = {terms.key: terms for terms in rulebook.products}
    for key in dict.fromkeys([*decisions, *products, *every_terms]):
        name = f"product {excerpt(key)}"
        decision, product = decisions.get(key, _ABSENT), products.get(key, _ABSENT)
        try:
            derived = pricing.derive(every_terms.get(key), decision)
        except _UnderivableError as error:
            missing += (f"{name}: {sentence}" for sentence in error.sentences)
            continue
        differences += (f"{name}: {difference}" for difference in derived.differences)
        if _is_without_reason(decision, derived.decision):
            wording += _unrecorded(name, derived.decision)
            derived = derived.without_reasons(decision)
        differences += _decision_differences(name, decision, derived.decision)
        differences += _product_differences(name, product, derived.product)
        wording += _wording(name, (decision, derived.decision), (product, derived.product))
    return differences, wording, missing


def _by(name: str, entries: tuple[Mapping[str, Any], ...]) -> dict[str, Mapping[str, Any]]:
    return {str(entry.get(name)): entry for entry in entries}


def _order_differences(recorded: RecordedOffers, rulebook: Rulebook) -> Iterator[str]:
    """Yield a difference where the products are not those derived, once each and in order."""
    derived = [terms.key for terms in rulebook.products]
    for name, entries, key in (
        ("decisions", recorded.decisions, "product"),
        ("products", recorded.products, "key"),
    ):
        keys = [excerpt(str(entry.get(key))) for entry in entries]
        if keys != derived:
            yield f"{name}: recorded those of {keys}, derived those of {derived}"


@frozen(kw_only=True)
class _Derived:
    """The decision on a product and the product, as plain values; differences in the settlement.

    The plain values are empty for a product that the rulebook does not have.
    """

    decision: Mapping[str, Any] = _ABSENT
    product: Mapping[str, Any] = _ABSENT
    differences: tuple[str, ...] = ()

    def without_reasons(self, recorded: Mapping[str, Any]) -> _Derived:
        """Return it without reasons, and with the needs *recorded* where there are none."""
        needs = self.decision["needs"] if recorded.get("needs") else []
        return evolve(
            self,
            decision={**self.decision, "reasons": [], "needs": needs},
            product={**self.product, "codes": []},
        )


class _UnderivableError(Exception):
    """A product cannot be priced now; `sentences` say why."""

    def __init__(self, sentences: Iterable[str]) -> None:
        super().__init__()
        self.sentences = tuple(sentences)


@frozen
class _Pricing:
    """The case of a recorded set of offers, by a rulebook and the calculators of a registry."""

    digest: str
    rulebook: Rulebook
    registry: Mapping[str, type]
    case: PricingCase
    assessment: Assessment | None

    @classmethod
    def of(
        cls, recorded: RecordedOffers, rulebook: Rulebook, registry: Mapping[str, type]
    ) -> _Pricing:
        declared = {
            name: value for name, value in recorded.facts.items() if rulebook.catalogue.fact(name)
        }
        facts = rulebook.catalogue.prepare(declared)
        case = PricingCase(
            facts=facts,
            catalogue=rulebook.catalogue,
            renewal=recorded.renewal,
            currency=rulebook.currency,
            rounding=rulebook.rounding,
        )
        assessment = rulebook.assess_prepared(facts) if recorded.renewal else None
        return cls(recorded.digest, rulebook, registry, case, assessment)

    def derive(self, terms: ProductTerms | None, decision: Mapping[str, Any]) -> _Derived:
        """
        Return what is derived for a product, whose recorded *decision* says what priced it.

        Raises:
            _UnderivableError: a calculator is not present, or not in the version of then, or it no
                longer takes its settings, or returns what no offer can have.
        """
        if terms is None:
            return _Derived()
        sentences = list(self._versions_missing(terms, decision))
        if sentences:
            raise _UnderivableError(sentences)
        try:
            (product,) = bind(
                self.rulebook.altered(products=(terms,)), self.registry, "{}/{}".format
            )
            quoted, difference = self._quoted(product, decision)
            if _texts(decision, "withheld") and quoted.decision == ACCEPTED:
                quoted = withheld(product, self.case, quoted)
            return _derived(product, quoted, difference)
        except (InvalidDocument, ConfigurationError) as error:
            raise _UnderivableError(detail.message for detail in error.errors) from None

    def _quoted(
        self, product: PriceableProduct, decision: Mapping[str, Any]
    ) -> tuple[Quote, str | None]:
        """Return the decision on *product*, with what a person decided about it."""
        settlement, difference = None, None
        if self.assessment is not None:
            settlement, difference = self._settlement(decision)
        if decision.get("referral") == DECLINE:
            return declined(product, self.case), difference
        approved = _texts(decision, "lifted")
        lifted = product.terms.rules.referring(approved)
        if self.assessment is None or settlement is None:
            return quote(product, self.case, str, lifted=lifted), difference
        renewal = self.rulebook.renewal
        assessment = assess(
            renewal, self.case.facts, self.rulebook.on, lifted=renewal.referring(approved)
        )
        quoted = quote_renewal(product, self.case, str, assessment, settlement, lifted=lifted)
        return quoted, difference

    def _versions_missing(self, terms: ProductTerms, decision: Mapping[str, Any]) -> Iterator[str]:
        """Yield what priced the product and is not present now in the version of then."""
        recorded, registry = dict(versions_in(decision)), self.registry
        present = {"pricing": VERSIONS["pricing"]} | {
            choice.full_name: getattr(registry.get(choice.full_name), "version", None)
            for choice in terms.calculators
        }
        for name, version in present.items():
            before = recorded.get(name)
            then = "" if before is None else f"`{name}` had version {before}; "
            if version is None:
                yield f"{then}a calculator `{name}` is not present"
            elif before not in (None, version):
                yield f"{then}version {version} is present"

    def _settlement(self, decision: Mapping[str, Any]) -> tuple[Money, str | None]:
        """Return what the renewal settles, and a difference where the record contradicts itself."""
        number, recorded = self.case.number("balance"), decision.get("settlement")
        balance = Money(number or 0, self.rulebook.currency)
        if recorded is None:
            return balance, None
        difference = f"settlement: recorded {excerpt(str(recorded))}, derived {balance}"
        try:
            settlement = Money.parse(str(recorded))
        except ValueError:
            return balance, difference
        # A balance beyond the range of its fact is not among the facts.
        fact = self.rulebook.catalogue.facts[self.rulebook.catalogue.place("balance")]
        expected = settlement.minor if settlement.minor <= fact.high else None
        if settlement.currency != balance.currency or number != expected:
            return balance, difference
        return settlement, None


def _texts(decision: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Return the texts that *decision* lists under *name*."""
    listed = decision.get(name)
    return tuple(map(str, listed)) if isinstance(listed, list | tuple) else ()


def _derived(product: PriceableProduct, quoted: Quote, difference: str | None = None) -> _Derived:
    return _Derived(
        decision=quoted.record(product),
        product=_plain_product(product.terms, quoted),
        differences=() if difference is None else (difference,),
    )


def _plain_product(terms: ProductTerms, quoted: Quote) -> Mapping[str, Any]:
    """Return a derived product as plain values, as an event has it."""
    return {
        "name": terms.name,
        "description": terms.description,
        "decision": quoted.decision,
        "repayment_mechanism": terms.repayment_mechanism,
        "limits": {
            "minimum": str(quoted.limits.minimum),
            "maximum": str(quoted.limits.maximum),
        },
        "codes": [reason.code for reason in quoted.reasons],
        "offers": [
            {
                "offer_status": ELIGIBLE,
                "description": offer.description,
                "funded_amount": str(offer.funded_amount),
                "repayment_amount": str(offer.repayment_amount),
                "factor_rate": plain(offer.factor_rate),
                "split_percentage": plain(offer.split_percentage),
                "term_length": plain(offer.term_length),
                "term_days": offer.term_days,
            }
            for offer in quoted.offers
        ],
    }


def _is_without_reason(recorded: Mapping[str, Any], derived: Mapping[str, Any]) -> bool:
    """Return whether *recorded* is of before the service gave reasons of its own, as *derived*."""
    added = codes(derived)
    return bool(recorded and added) and not codes(recorded) and SERVICE_REASONS.keys() >= {*added}


def _unrecorded(name: str, derived: Mapping[str, Any]) -> Iterator[str]:
    for reason in _reasons(derived):
        yield f"{name}: no reason is recorded; it is now {_shown(reason['text'])}"


def _decision_differences(
    name: str, recorded: Mapping[str, Any], derived: Mapping[str, Any]
) -> Iterator[str]:
    before, after = _decision(recorded), _decision(derived)
    if before != after:
        yield f"{name}: recorded {before}, derived {after}"


def _decision(decision: Mapping[str, Any]) -> str:
    if not decision:
        return "nothing"
    needs = decision.get("needs")
    why = [*codes(decision), *(needs if isinstance(needs, list) else [])]
    return f"{excerpt(str(decision.get('decision')))}{f' ({why})' if why else ''}"


def _product_differences(
    name: str, recorded: Mapping[str, Any], derived: Mapping[str, Any]
) -> Iterator[str]:
    """Yield the differences between a product of the recorded set and the derived one."""
    if not recorded or not derived:
        return  # the keys of the products differ, and that is reported with their order
    # An event leaves out the codes of a product without any.
    yield from _compared(name, _TERMS, {"codes": [], **recorded}, derived)
    limits = recorded.get("limits")
    before = limits if isinstance(limits, Mapping) else _ABSENT
    yield from _compared(f"{name}, limits", ("minimum", "maximum"), before, derived["limits"])
    offers = zip_longest(_offers(recorded), derived["offers"], fillvalue=_ABSENT)
    for number, (offer, derived_offer) in enumerate(offers, start=1):
        place = f"{name}, offer {number}"
        if offer and derived_offer:
            yield from _compared(place, _FIGURES, offer, derived_offer)
        else:
            yield f"{place}: recorded {_offer(offer)}, derived {_offer(derived_offer)}"


def _offers(product: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    offers = product.get("offers")
    listed = offers if isinstance(offers, list | tuple) else []
    return [offer if isinstance(offer, Mapping) else {"offer": offer} for offer in listed]


def _offer(offer: Mapping[str, Any]) -> str:
    return _shown(offer.get("description")) if offer else "nothing"


def _compared(
    place: str, names: tuple[str, ...], recorded: Mapping[str, Any], derived: Mapping[str, Any]
) -> Iterator[str]:
    for name in names:
        before, after = _shown(recorded.get(name)), _shown(derived.get(name))
        if before != after:
            yield f"{place}, {name}: recorded {before}, derived {after}"


def _shown(value: Json) -> str:
    # JSON has been read with its numbers as text, and trailing zeros do not change a number.
    text = str(value)
    text = without_zeros(text) if _DECIMAL.fullmatch(text) else text
    return "nothing" if value is None else excerpt(text)


def _wording(
    name: str,
    decisions: tuple[Mapping[str, Any], Mapping[str, Any]],
    products: tuple[Mapping[str, Any], Mapping[str, Any]],
) -> Iterator[str]:
    """Yield the sentences that differ, in the reasons, the product and its offers."""
    before, after = (
        [reason.get("text") for reason in _reasons(decision)] for decision in decisions
    )
    for recorded, derived in zip(before, after, strict=False):
        if recorded != derived:
            yield f"{name}: {_shown(recorded)} is now {_shown(derived)}"
    recorded_product, derived_product = products
    if not recorded_product or not derived_product:
        return
    yield from _compared(name, ("name", "description"), recorded_product, derived_product)
    offers = zip(_offers(recorded_product), derived_product["offers"], strict=False)
    for number, (offer, derived_offer) in enumerate(offers, start=1):
        # What is settled is in the record too, where it is compared.
        described = {"description": _SETTLED.sub("", str(offer.get("description")))}
        yield from _compared(f"{name}, offer {number}", ("description",), described, derived_offer)


def _reasons(decision: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    reasons = decision.get("reasons")
    listed = reasons if isinstance(reasons, list | tuple) else []
    return [reason for reason in listed if isinstance(reason, Mapping)]
