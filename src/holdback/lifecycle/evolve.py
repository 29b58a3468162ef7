"""Evolve a merchant: the next state after events.

1. No rulebook and no clock is needed: what an event does not carry follows from the state.
2. Nothing is decided: `decide` has decided, and the event has happened.
3. An event that cannot follow is refused: the host has replayed its events wrongly.
4. The cost of n events is that of n, however large the state is: one draft takes them all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final

import attrs
from attrs import define, field

from holdback.errors import HistoryError
from holdback.exact.money import Money
from holdback.lifecycle import events
from holdback.lifecycle.events import Event, event_type
from holdback.lifecycle.transitions import next_states
from holdback.merchant import offer as offer_states
from holdback.merchant.acceptance import DETAILS, ApplicationStatus
from holdback.merchant.application import (
    MOST_RECORDS,
    MOST_SUBJECTS,
    PROFILE,
    GivenConsents,
)
from holdback.merchant.deal import (
    DEFAULTED,
    FUNDED,
    RECOVERED,
    RENEWED,
    REPAID,
    SETTLED,
    UNWOUND,
    Deal,
    later,
)
from holdback.merchant.disclosure import OfferDisclosure
from holdback.merchant.instants import elapsed, plus
from holdback.merchant.ledger import Entry, merged
from holdback.merchant.merchant import (
    AWAITING_DETAILS,
    FUNDED_APPLICATION,
    IN_FULFILMENT,
    LAPSED,
    MOST_CLOSED_OFFERS,
    MOST_ENDED,
    MOST_REPLACED,
    MOST_REQUESTS,
    SUBMITTED,
    ClosedOfferSet,
    CreditCheckDue,
    DisclosedOffer,
    Fulfilment,
    Merchant,
    OfferSet,
    RememberedRequest,
    ReplacedSection,
    Takings,
    ended_at,
    open_offer_ids,
)
from holdback.merchant.product import Product
from holdback.merchant.referral import APPROVE
from holdback.merchant.schedule import Pause


def evolve(merchant: Merchant, event: events.Event) -> Merchant:
    """
    Return the state of *merchant* after *event*.

    Raises:
        HistoryError: *event* is not the next one of this merchant, or cannot follow here.
    """
    return evolve_all(merchant, (event,))


def evolve_all(merchant: Merchant, events: Iterable[events.Event]) -> Merchant:
    """
    Return the state of *merchant* after *events*, applied in order.

    Raises:
        HistoryError: as `evolve`.
    """
    draft: Draft | None = None
    for event in events:
        draft = Draft(merchant) if draft is None else draft
        draft.apply(event, _APPLY[type(event)])
    return merchant if draft is None else draft.finished()


# -- A merchant while events are applied to it.
#
# `evolve` takes many events at once, and a merchant is frozen. The draft holds what the events
# change in dictionaries, so each event costs the same, however much the state holds.


def misplaced(event: Event, why: str) -> HistoryError:
    """Return the error that *event* does not follow, because of *why*."""
    message = f"{event_type(event)} {event.sequence} does not follow here: {why}"
    return HistoryError.of("does_not_follow", message)


@define(eq=False)
class Draft:
    """A merchant while events are applied: what they change is in dictionaries by id."""

    base: Merchant
    changes: dict[str, Any] = field(factory=dict)
    # The collections that an event has changed, by field of the merchant and then by id.
    by_id: dict[str, dict[Any, Any]] = field(factory=dict)
    # The entries of the deals that an event has changed, by deal and entry id.
    entries: dict[str, dict[str, Entry]] = field(factory=dict)
    # The requests that were carried out, after those that are held.
    remembered: dict[str, RememberedRequest] = field(factory=dict)
    # How far the history of those deals is complete, by deal id.
    complete_through: dict[str, date | None] = field(factory=dict)

    def apply(self, event: Event, apply_event: Callable[[Draft, Any], None]) -> None:
        """Apply *event* with the function for its type, and count it."""
        self._check_place(event)
        apply_event(self, event)
        before = self.last("last_seen_at")
        self.changes["last_seen_at"] = event.at if before is None else max(before, event.at)
        self.changes["sequence"] = event.sequence
        if event.carried_out is not None:
            self._remember(event)

    def _remember(self, event: Event) -> None:
        request_id, carried_out = event.request_id, event.carried_out
        if request_id is None or carried_out is None:
            raise misplaced(event, "a request that is remembered has an id")
        held = self.by_id.get("requests")
        earlier = self.base.request_of(request_id) if held is None else held.get(request_id)
        if earlier is not None or request_id in self.remembered:
            raise misplaced(event, "its request was carried out before")
        self.remembered[request_id] = RememberedRequest(
            request_id=request_id, at=event.at, carried_out=carried_out
        )
        if len(self.base.requests if held is None else held) + len(self.remembered) > MOST_REQUESTS:
            # Half of them, so that it is seldom done.
            requests = self.all("requests")
            _keep_newest(requests, requests, MOST_REQUESTS // 2)

    def _check_place(self, event: Event) -> None:
        if (event.partner, event.merchant_id) != (self.base.partner, self.base.merchant_id):
            raise misplaced(event, "it is another merchant's")
        if isinstance(event, events.MayBeFirst) and event.jurisdiction not in {
            None,
            self.base.jurisdiction,
        }:
            raise misplaced(event, "the merchant is of another jurisdiction")
        expected = self.last("sequence") + 1
        if event.sequence != expected:
            raise misplaced(event, f"expected the event with the number {expected}")

    def last(self, name: str) -> Any:
        """Return the field *name* as the events so far left it."""
        return self.changes[name] if name in self.changes else getattr(self.base, name)

    def all(self, name: str) -> dict[Any, Any]:
        """Return the collection *name* by id, to be changed."""
        if name not in self.by_id:
            key = _IDS[name]
            self.by_id[name] = {key(item): item for item in getattr(self.base, name)}
        if name == "requests":
            self.by_id[name] |= self.remembered
            self.remembered.clear()
        return self.by_id[name]

    def one(self, name: str, id_: str, event: Event) -> Any:
        """Return the item *id_* of the collection *name*, which *event* is about."""
        item = self.all(name).get(id_)
        if item is None:
            raise misplaced(event, f"its id is not among the {name.replace('_', ' ')}")
        return item

    def record(self, deal: Deal, entries: Iterable[Entry], through: date | None) -> None:
        """Record *entries* of *deal*, and how far its history is complete."""
        # The deal itself is made anew at the end, so each event costs the same.
        merged(self.entries.setdefault(deal.id, {}), entries)
        self.complete_through[deal.id] = later(self.complete_through.get(deal.id), through)

    def take_entries(self, deal_id: str) -> Deal:
        """Return the deal with the entries that events have recorded, which are then its own."""
        deal: Deal = self.all("deals")[deal_id]
        recorded = self.entries.pop(deal_id, None)
        if recorded is None:
            return deal
        return deal.with_entries(tuple(recorded.values()), self.complete_through.pop(deal_id))

    def finished(self) -> Merchant:
        """Return the merchant after the events."""
        for deal_id in tuple(self.entries):
            self.all("deals")[deal_id] = self.take_entries(deal_id)
        if "takings" in self.by_id:
            takings = self.by_id["takings"]
            self.by_id["takings"] = {on: takings[on] for on in sorted(takings)}
        collections: dict[str, Any] = {
            name: tuple(items.values()) for name, items in self.by_id.items()
        }
        # Requests are added to those that are held, which nobody looks at for it.
        requests: Any = collections.get("requests", self.base.requests)  # a tuple, or rows
        if self.remembered:
            collections["requests"] = requests + tuple(self.remembered.values())
        return attrs.evolve(self.base, **self.changes, **collections)


_IDS: Final[Mapping[str, Callable[[Any], Any]]] = MappingProxyType(
    {
        "offer_sets": lambda offer_set: offer_set.application_id,
        "closed_offer_sets": lambda offer_set: offer_set.application_id,
        "fulfilments": lambda fulfilment: fulfilment.application_id,
        "deals": lambda deal: deal.id,
        "takings": lambda takings: takings.on,
        "requests": lambda request: request.request_id,
        "checks": lambda record: (*record.key, record.made_at),
        "consents": lambda given: given.applicants,
        "referrals": lambda referral: referral.product,
        "referral_decisions": lambda decision: (decision.product, decision.base_deal_id),
        "holds": lambda hold: hold.code,
        "disclosed": lambda disclosed: disclosed.offer_id,
    }
)


# -- What each event changes.


def _offers_issued(draft: Draft, event: events.OffersIssued) -> None:
    sets, issued = draft.all("offer_sets"), event.offer_set
    if issued.application_id in sets or issued.application_id in draft.all("closed_offer_sets"):
        raise misplaced(event, "its request has a set of offers already")
    sets[issued.application_id] = issued
    decided = {product.key for product in issued.products}
    referrals = draft.all("referrals")
    for product in decided & referrals.keys():
        del referrals[product]
    referrals |= {referral.product: referral for referral in event.referrals}
    applicants, section = (issued.sections.get(name) for name in ("applicants", "consents"))
    if applicants is not None:
        names = event.consents or ()
        _keep_consents(draft, GivenConsents(applicants=applicants, names=names, section=section))
    draft.changes["currency"] = event.currency
    if event.timezone is not None:
        draft.changes["timezone"] = event.timezone


def _offer_accepted(draft: Draft, event: events.OfferAccepted) -> None:
    sets = draft.all("offer_sets")
    accepted: OfferSet = draft.one("offer_sets", event.application_id, event)
    fulfilments = draft.all("fulfilments")
    if any(fulfilment.status in IN_FULFILMENT for fulfilment in fulfilments.values()):
        raise misplaced(event, "an application is in fulfilment")
    if not any(offer.offer_id == event.offer.offer_id for offer in accepted.offers):
        raise misplaced(event, "its set has no such offer")
    fulfilments[event.application_id] = Fulfilment(
        application_id=event.application_id,
        status=AWAITING_DETAILS,
        omitted=event.omitted,
        accepted_at=event.at,
        offer=event.offer,
        sections=event.sections,
        base_deal_id=accepted.base_deal_id,
        facts=event.facts,
        earlier_deals=event.earlier_deals,
        lapses_at=event.lapses_at,
        signature_before=event.signature_before,
        product=event.product,
        priced_on=event.priced_on,
        queued=event.queued,
        known_deals=accepted.known_deals,
    )
    ended = [
        application_id
        for application_id, old in fulfilments.items()
        if old.status not in IN_FULFILMENT and old.deal_id is None
    ]
    _keep_newest(fulfilments, ended, MOST_ENDED)
    draft.all("referrals").clear()
    _drop(draft, "disclosed", lambda disclosed: disclosed.offer_id != event.offer.offer_id)
    for application_id, offer_set in sets.items():
        if offer_set.expires_at > event.at:
            sets[application_id] = _close_offers(offer_set, event.offer.offer_id)
    draft.changes["provider_id"] = event.provider_id
    # A renewal has a use of funds of its own; the profile is that of the initial application.
    kept = ("bank_details",) if accepted.renewal else (*PROFILE, *DETAILS)
    held = draft.last("sections") if accepted.renewal else {}
    sections = {name: event.sections[name] for name in kept if name in event.sections}
    draft.changes["sections"] = {**held, **sections}
    draft.changes["last_accepted_at"] = event.at
    draft.changes["credit_check_due"] = None
    if not accepted.renewal:
        draft.changes["profile_erased"] = False
        # What an application says now was not replaced, even if it was corrected once.
        draft.changes["replaced_sections"] = _still_replaced(draft, sections)


def _application_submitted(draft: Draft, event: events.ApplicationSubmitted) -> None:
    _to_status(draft, event, SUBMITTED, "supply_details")


def _application_closed(draft: Draft, event: events.ApplicationClosed) -> None:
    _to_status(draft, event, event.status, "close_application", code=event.code)


def _deal_funded(draft: Draft, event: events.DealFunded) -> None:
    deals, deal = draft.all("deals"), event.deal
    if deal.id in deals or any(deal.status == FUNDED for deal in deals.values()):
        raise misplaced(event, "a deal is active, or this one is known")
    fulfilment: Fulfilment = draft.one("fulfilments", deal.application_id, event)
    if FUNDED_APPLICATION not in next_states("application", fulfilment.status, "fund_deal"):
        raise misplaced(event, f"the application is {fulfilment.status}")
    draft.all("fulfilments")[deal.application_id] = attrs.evolve(
        fulfilment, status=FUNDED_APPLICATION, deal_id=deal.id
    )
    deals[deal.id] = deal


def _deal_repaid(draft: Draft, event: events.DealRepaid) -> None:
    _change_deal(draft, event, REPAID, "record_remittance")  # which stands for any entry


def _deal_reopened(draft: Draft, event: events.DealReopened) -> None:
    _change_deal(draft, event, FUNDED, "record_remittance")
    # A renewal that is queued behind it waits again.
    fulfilments = draft.all("fulfilments")
    for application_id, waiting in fulfilments.items():
        is_behind = waiting.queued and waiting.base_deal_id == event.deal_id
        if waiting.status in IN_FULFILMENT and is_behind:
            fulfilments[application_id] = attrs.evolve(waiting, lapses_at=None)


def _deal_renewed(draft: Draft, event: events.DealRenewed) -> None:
    _change_deal(draft, event, RENEWED, "fund_deal", settled=event.settled, closed_on=event.on)


def _deal_closed(draft: Draft, event: events.DealClosed) -> None:
    _change_deal(draft, event, event.status, "close_deal", closed_on=event.on)
    if event.status == DEFAULTED:  # which voids every approval
        decisions = draft.all("referral_decisions")
        for about in [key for key, decision in decisions.items() if decision.decision == APPROVE]:
            del decisions[about]


def _takings_recorded(draft: Draft, event: events.TakingsRecorded) -> None:
    by_day: dict[Any, Takings] = draft.all("takings")
    since = draft.last("takings_since")
    for takings in event.takings:
        by_day[takings.on] = takings
        since = takings.on if since is None else min(since, takings.on)
    draft.changes["takings_since"] = since
    draft.changes["takings_complete_through"] = later(
        draft.last("takings_complete_through"), event.complete_through
    )


def _remittances_recorded(draft: Draft, event: events.RemittancesRecorded) -> None:
    deal: Deal = draft.one("deals", event.deal_id, event)
    draft.record(deal, event.entries, event.complete_through)


def _eligibility_changed(draft: Draft, event: events.RenewalEligibilityChanged) -> None:
    draft.changes["renewal_eligibility"] = event.renewal_eligibility


def _profile_erased(draft: Draft, event: events.ProfileErased) -> None:
    sets, fulfilments = draft.all("offer_sets"), draft.all("fulfilments")
    for application_id, offer_set in sets.items():
        is_open = offer_set.expires_at > event.at
        closed = _close_offers(offer_set, None) if is_open else offer_set
        sets[application_id] = attrs.evolve(closed, sections={}, facts={})
    for application_id, fulfilment in fulfilments.items():
        fulfilments[application_id] = attrs.evolve(fulfilment, sections={}, facts={})
    decisions = draft.all("referral_decisions")
    for about, decision in decisions.items():
        decisions[about] = attrs.evolve(decision, sections={})
    # What checks found is personal. What deals were stays, and with it what defaulted. The consents
    # were part of the profile: a merchant that comes back has to give them again.
    for personal in ("checks", "consents", "referrals", "disclosed"):
        draft.all(personal).clear()
    draft.changes |= {"sections": {}, "profile_erased": True}
    draft.changes["replaced_sections"] = ()


def _profile_rectified(draft: Draft, event: events.ProfileRectified) -> None:
    before, after = draft.last("sections"), event.sections
    if draft.last("provider_id") is None or draft.last("profile_erased"):
        raise misplaced(event, "the merchant has no profile that was accepted")
    replaced = {name: before[name] for name in after if name in before}
    draft.changes["sections"] = {**before, **after}
    for items in map(draft.all, ("offer_sets", "fulfilments")):
        _give_sections(items, lambda of: {name: after[name] for name in _same(of, replaced)})
    # A person was asked about the sections before the correction.
    _drop(draft, "referrals", lambda referral: any(_same(referral.sections, replaced)))
    held = _still_replaced(draft, after)
    for name, digest in replaced.items():
        held += (ReplacedSection(name=name, digest=digest, replaced_at=event.at),)
        surplus = [old for old in held if old.name == name][:-MOST_REPLACED]
        held = tuple(old for old in held if old not in surplus)
    draft.changes["replaced_sections"] = held
    back = draft.all("consents").get(after.get("applicants"))
    if back is not None:
        _keep_consents(draft, back)


def _give_sections(items: dict[Any, Any], new: Callable[[Any], Mapping[str, str]]) -> None:
    """Give each of *items* the *new* sections for those that it has."""
    for key, item in items.items():
        given = new(item.sections)
        if given:
            items[key] = attrs.evolve(item, sections={**item.sections, **given})


def _same(sections: Mapping[str, str], others: Mapping[str, str]) -> list[str]:
    """Return the names of those *sections* that have the same digest among *others*."""
    return [name for name, digest in sections.items() if others.get(name) == digest]


def _still_replaced(draft: Draft, sections: Mapping[str, str]) -> tuple[ReplacedSection, ...]:
    """Return the sections that were replaced, without those that *sections* names again."""
    held: tuple[ReplacedSection, ...] = draft.last("replaced_sections")
    return tuple(old for old in held if sections.get(old.name) != old.digest)


def _forgotten(draft: Draft, event: events.Forgotten) -> None:
    for application_id in event.closed_offer_sets:
        offer_set = draft.one("offer_sets", application_id, event)
        del draft.all("offer_sets")[application_id]
        draft.all("closed_offer_sets")[application_id] = ClosedOfferSet.of(offer_set)
    if event.closed_offer_sets:
        _forget_closed_sets(draft, _too_many(draft))
    for closed in event.entries_through:
        draft.one("deals", closed.deal_id, event)
        deal = draft.take_entries(closed.deal_id)
        draft.all("deals")[deal.id] = deal.closed_through(closed.through)
    if event.takings_before is not None:
        _drop(draft, "takings", lambda takings: takings.on < event.takings_before)
    if event.suspense_through is not None:
        suspense = draft.last("suspense")
        draft.changes["suspense"] = suspense.closed_through(event.suspense_through)
    _forget_requests(draft, event)
    _forget_disclosures(draft, event)


def _forget_disclosures(draft: Draft, event: Event) -> None:
    """Forget the disclosures of offers that nobody can accept or fund any more."""
    if not draft.all("disclosed"):
        return
    offers = set(open_offer_ids(draft.all("offer_sets").values(), event.at))
    offers |= {fulfilment.offer.offer_id for fulfilment in draft.all("fulfilments").values()}
    _drop(draft, "disclosed", lambda disclosed: disclosed.offer_id not in offers)


def _forget_requests(draft: Draft, event: events.Forgotten) -> None:
    servicing, applications = event.servicing_before, event.applications_before
    if servicing is not None or applications is not None:
        _drop(draft, "requests", lambda request: _is_over(request, servicing, applications))
    if applications is None:
        return
    _drop(
        draft,
        "fulfilments",
        lambda old: old.status not in IN_FULFILMENT and old.accepted_at < applications,
    )
    sets = draft.all("closed_offer_sets")
    _forget_closed_sets(draft, [key for key, old in sets.items() if old.expires_at < applications])


def _too_many(draft: Draft) -> list[str]:
    """
    Return the ids of the closed sets that are too many, of those whose application is not held.

    An application that is held would be replaced if its request was made again.
    """
    held, room, surplus = draft.all("fulfilments"), MOST_CLOSED_OFFERS, []
    for application_id, offer_set in reversed(draft.all("closed_offer_sets").items()):
        room -= 1 + len(offer_set.offers)
        if room < 0 and application_id not in held:
            surplus.append(application_id)
    return surplus


def _forget_closed_sets(draft: Draft, application_ids: Iterable[str]) -> None:
    """Forget closed sets, except since when a second credit check is due."""
    due, accepted = draft.last("credit_check_due"), draft.last("last_accepted_at")
    for application_id in application_ids:
        offer_set = draft.all("closed_offer_sets").pop(application_id)
        ended = ended_at(offer_set)
        if (
            not offer_states.LEFT_TO_EXPIRE.isdisjoint(offer_set.offers.values())
            and (accepted is None or ended > accepted)
            and (due is None or ended >= due.expired_at)
        ):
            due = CreditCheckDue(expired_at=ended)
    draft.changes["credit_check_due"] = due


def _is_over(request: RememberedRequest, servicing: Any, applications: Any) -> bool:
    is_application = isinstance(request.carried_out.receipt, ApplicationStatus)
    before = applications if is_application else servicing
    return before is not None and request.at < before


def _keep_newest(items: dict[Any, Any], keys: Iterable[Any], most: int) -> None:
    """Keep the newest of the items with these *keys*: at most *most*."""
    for key in list(keys)[:-most]:
        del items[key]


def _drop(draft: Draft, name: str, is_old: Callable[[Any], bool]) -> None:
    items = draft.all(name)
    for key in [key for key, item in items.items() if is_old(item)]:
        del items[key]


def _application_lapsed(draft: Draft, event: events.ApplicationLapsed) -> None:
    _to_status(draft, event, LAPSED, "time")


def _signature_recorded(draft: Draft, event: events.SignatureRecorded) -> None:
    fulfilment: Fulfilment = draft.one("fulfilments", event.application_id, event)
    disclosed = draft.all("disclosed").get(fulfilment.offer.offer_id)
    if disclosed is None or disclosed.digest != event.signature.digest:
        _change_fulfilment(draft, event, signature=event.signature)
    else:
        signed = attrs.evolve(disclosed, signature=event.signature)
        draft.all("disclosed")[disclosed.offer_id] = signed


def _details_held(draft: Draft, event: events.DetailsSupplied | events.BankDetailsChanged) -> None:
    # The merchant holds the last details, for its next application.
    draft.changes["sections"] = {**draft.last("sections"), **event.sections}
    if event.application_id is None:
        return
    before: Fulfilment = draft.one("fulfilments", event.application_id, event)
    _change_fulfilment(
        draft,
        event,
        omitted=event.omitted,
        sections={**before.sections, **event.sections},
        accepted_details=_accepted_details(before, event.sections),
    )


def _offers_declined(draft: Draft, event: events.OffersDeclined) -> None:
    declined: OfferSet = draft.one("offer_sets", event.application_id, event)
    draft.all("offer_sets")[event.application_id] = _close_offers(
        declined, None, offer_states.DECLINED
    )


def _offers_withdrawn(draft: Draft, event: events.OffersWithdrawn) -> None:
    withdrawn: OfferSet = draft.one("offer_sets", event.application_id, event)
    if not withdrawn.is_open(event.at):
        raise misplaced(event, "no offer of the application is open")
    draft.all("offer_sets")[event.application_id] = attrs.evolve(
        _close_offers(withdrawn, None, offer_states.WITHDRAWN_BY_LENDER), withdrawn_at=event.at
    )


def _evidence_recorded(draft: Draft, event: events.EvidenceRecorded) -> None:
    checks = draft.all("checks")
    for record in event.records:
        key = record.key
        checks.setdefault((*key, record.made_at), record)
        same = [id_ for id_ in checks if id_[:-1] == key]
        _keep_newest(checks, sorted(same, key=lambda id_: id_[-1]), MOST_RECORDS)
        newest: dict[Any, Any] = {}
        for *subject, made_at in sorted(checks, key=lambda id_: id_[-1]):
            if subject[0] == record.check:
                newest[tuple(subject)] = made_at
        if len(newest) > MOST_SUBJECTS:
            oldest = min(newest, key=lambda subject: newest[subject])
            for id_ in [id_ for id_ in checks if id_[:-1] == oldest]:
                del checks[id_]


def _referral_decided(draft: Draft, event: events.ReferralDecided) -> None:
    decision = event.decision
    draft.all("referrals").pop(decision.product, None)
    decisions = draft.all("referral_decisions")
    # What has ended is in the journal, so the state does not grow with every deal.
    for about in [key for key, earlier in decisions.items() if earlier.until <= event.at]:
        del decisions[about]
    decisions[decision.product, decision.base_deal_id] = decision


def _hold_placed(draft: Draft, event: events.HoldPlaced) -> None:
    draft.all("holds")[event.hold.code] = event.hold


def _hold_lifted(draft: Draft, event: events.HoldLifted) -> None:
    draft.one("holds", event.code, event)
    holds = draft.all("holds")
    since = min(hold.placed_at for hold in holds.values())
    del holds[event.code]
    until = min((hold.placed_at for hold in holds.values()), default=event.at)
    # The time on hold does not count: an application lapses so much later.
    fulfilments = draft.all("fulfilments")
    for application_id, fulfilment in fulfilments.items():
        if fulfilment.status in IN_FULFILMENT and fulfilment.lapses_at is not None:
            lapses_at = plus(fulfilment.lapses_at, elapsed(since, until))
            fulfilments[application_id] = attrs.evolve(fulfilment, lapses_at=lapses_at)


def _consents_recorded(draft: Draft, event: events.ConsentsRecorded) -> None:
    applicants, section = event.applicants, event.sections.get("consents")
    if applicants is not None:
        given = GivenConsents(applicants=applicants, names=event.given, section=section)
        _keep_consents(draft, given)
        return
    # An event of before did not say whose they are: what it does not give, nobody gives any more.
    held, sections = draft.all("consents"), {**draft.last("sections"), **event.sections}
    draft.changes["sections"] = sections
    for whose, said in held.items():
        names = tuple(name for name in said.names if name in event.given)
        accepted = section if whose == sections.get("applicants") else None
        held[whose] = attrs.evolve(said, names=names, section=accepted or said.section)


def _keep_consents(draft: Draft, given: GivenConsents) -> None:
    """
    Keep what applicants said of their consents instead of what they had said.

    The profile has it, if they were accepted, and each application of theirs, for an acceptance.
    What they said is not dropped: a renewal names no consents, and an acceptance none either.
    """
    held, sets, sections = draft.all("consents"), draft.all("offer_sets"), draft.last("sections")
    held.pop(given.applicants, None)
    held[given.applicants] = given
    named = [sections, *(offer_set.sections for offer_set in sets.values())]
    needed = {people.get("applicants") for people in named}
    _keep_newest(held, [others for others in held if others not in needed], MOST_SUBJECTS)
    said = {} if given.section is None else {"consents": given.section}
    if given.applicants == sections.get("applicants"):
        draft.changes["sections"] = {**sections, **said}
    _give_sections(sets, lambda of: said if of.get("applicants") == given.applicants else {})


def _deal_reinstated(draft: Draft, event: events.DealReinstated) -> None:
    deals = draft.all("deals")
    if any(deal.status == FUNDED for deal in deals.values()):
        raise misplaced(event, "a deal is active")
    plan = deals[event.deal_id].plan if event.deal_id in deals else None
    if plan is not None:  # there was no default to plan for
        plan = attrs.evolve(plan, instalments=())
    _change_deal(draft, event, FUNDED, "reinstate_deal", closed_on=None, plan=plan)


def _entries_posted(draft: Draft, event: events.EntriesPosted) -> None:
    for posting in event.postings:
        deal: Deal = draft.one("deals", posting.deal_id, event)
        draft.record(deal, (posting.entry,), None)
    if event.suspense:
        draft.changes["suspense"] = draft.last("suspense").with_entries(event.suspense)


def _deal_recovered(draft: Draft, event: events.DealRecovered) -> None:
    _change_deal(draft, event, RECOVERED, "record_recovery")


def _deal_defaulted_again(draft: Draft, event: events.DealDefaultedAgain) -> None:
    _change_deal(draft, event, DEFAULTED, "record_remittance")


def _deal_settled(draft: Draft, event: events.DealSettled) -> None:
    _change_deal(draft, event, SETTLED, "waive_rest")


def _plan_agreed(draft: Draft, event: events.PlanAgreed) -> None:
    deal: Deal = draft.one("deals", event.deal_id, event)
    if deal.status != DEFAULTED:
        raise misplaced(event, f"the deal is {deal.status}")
    draft.all("deals")[deal.id] = attrs.evolve(deal, plan=event.plan)


def _deal_unwound(draft: Draft, event: events.DealUnwound) -> None:
    _undo(draft, event, "unwind_deal")


def _payout_returned(draft: Draft, event: events.PayoutReturned) -> None:
    _undo(draft, event, "return_payout")
    if event.application_id is not None:
        _to_status(
            draft,
            event,
            AWAITING_DETAILS if "bank_details" in event.omitted else SUBMITTED,
            "return_payout",
            deal_id=None,
            omitted=event.omitted,
            lapses_at=event.lapses_at,
        )


def _undo(draft: Draft, event: events.DealUnwound | events.PayoutReturned, trigger: str) -> None:
    """Undo the deal of *event*; the deal that it had renewed is active again."""
    _change_deal(draft, event, UNWOUND, trigger, closed_on=event.on)
    if event.base_deal_id is None:
        return
    draft.one("deals", event.base_deal_id, event)
    if any(deal.status == FUNDED for deal in draft.all("deals").values()):
        raise misplaced(event, "a deal is active")
    base = draft.take_entries(event.base_deal_id)
    if base.status != RENEWED or base.closed_on is None:
        raise misplaced(event, f"the deal that it renewed is {base.status}")
    active = attrs.evolve(
        base,
        status=FUNDED,
        closed_on=None,
        settled=Money(0, base.repayment_amount.currency),
        pauses=_with_gap(base.pauses, Pause(on=base.closed_on, until=event.on)),
    )
    status = FUNDED if active.outstanding > 0 else REPAID
    draft.all("deals")[base.id] = attrs.evolve(active, status=status)


def _with_gap(pauses: tuple[Pause, ...], gap: Pause) -> tuple[Pause, ...]:
    """
    Return the *pauses* of a deal that was renewed during *gap*: what it expected stood still.

    A deal that was on pause still is: its pause includes the gap.
    """
    return pauses if pauses and pauses[-1].until is None else (*pauses, gap)


def _deal_paused(draft: Draft, event: events.DealPaused) -> None:
    deal = _active(draft, event)
    if deal.paused:
        raise misplaced(event, "the deal is on pause")
    _change(draft, deal, pauses=(*deal.pauses, Pause(on=event.on)))


def _deal_resumed(draft: Draft, event: events.DealResumed) -> None:
    deal = _active(draft, event)
    if not deal.paused:
        raise misplaced(event, "the deal is not on pause")
    last = attrs.evolve(deal.pauses[-1], until=event.on)
    _change(draft, deal, pauses=(*deal.pauses[:-1], last))


def _terms_changed(draft: Draft, event: events.TermsChanged) -> None:
    deal = _active(draft, event)
    _change(draft, deal, terms_changes=(*deal.terms_changes, event.change))


def _active(draft: Draft, event: Any) -> Deal:
    deal: Deal = draft.one("deals", event.deal_id, event)
    if deal.status != FUNDED:
        raise misplaced(event, f"the deal is {deal.status}")
    return deal


def _change(draft: Draft, deal: Deal, **changes: Any) -> None:
    draft.all("deals")[deal.id] = attrs.evolve(deal, **changes)


def _offer_requoted(draft: Draft, event: events.OfferRequoted) -> None:
    offer_set: OfferSet = draft.one("offer_sets", event.application_id, event)
    products = tuple(
        attrs.evolve(product, offers=(*product.offers, *event.offers))
        if product.key == event.product
        else product
        for product in offer_set.products
    )
    if products == offer_set.products:
        raise misplaced(event, "its set has no such product")
    requoted = (*offer_set.requoted, *(offer.offer_id for offer in event.offers))
    draft.all("offer_sets")[event.application_id] = attrs.evolve(
        offer_set, products=products, requoted=requoted
    )


def _offer_disclosed(draft: Draft, event: events.OfferDisclosed) -> None:
    shown, disclosures = event.disclosure, draft.all("disclosed")
    disclosures.pop(shown.offer_id, None)
    disclosures[shown.offer_id] = DisclosedOffer(
        offer_id=shown.offer_id,
        digest=shown.digest,
        on=shown.on,
        due=shown.due,
        sections=event.sections,
        payoff=_paid_off(shown),
    )
    _forget_disclosures(draft, event)


def _paid_off(shown: OfferDisclosure) -> Money | None:
    """Return what of the offer pays off a deal with the same provider, None for nothing."""
    amount = Decimal(str(shown.figures.get("own_payoff", 0)))
    return Money.of(amount, shown.currency) if amount else None


def _queued_renewal_ready(draft: Draft, event: events.QueuedRenewalReady) -> None:
    _change_fulfilment(draft, event, lapses_at=event.lapses_at)


def _close_offers(
    offer_set: OfferSet, accepted_id: str | None, others: str = offer_states.WITHDRAWN
) -> OfferSet:
    """Return *offer_set* with one offer accepted, and its other eligible offers closed."""
    products = tuple(_close_product(product, accepted_id, others) for product in offer_set.products)
    return attrs.evolve(offer_set, products=products)


def _close_product(product: Product, accepted_id: str | None, others: str) -> Product:
    offers = tuple(
        attrs.evolve(
            offer,
            offer_status=offer_states.ACCEPTED if offer.offer_id == accepted_id else others,
        )
        if offer.offer_status == offer_states.ELIGIBLE
        else offer
        for offer in product.offers
    )
    return attrs.evolve(product, offers=offers)


def _to_status(draft: Draft, event: Any, status: str, trigger: str, **changes: Any) -> None:
    """Give the application of *event* the *status*, if it may follow on *trigger*."""
    fulfilment: Fulfilment = draft.one("fulfilments", event.application_id, event)
    if status not in next_states("application", fulfilment.status, trigger):
        raise misplaced(event, f"the application is {fulfilment.status}")
    draft.all("fulfilments")[event.application_id] = attrs.evolve(
        fulfilment, status=status, **changes
    )


def _change_deal(draft: Draft, event: Any, status: str, trigger: str, **changes: Any) -> None:
    """Give the deal of *event* the *status*, if it may follow on *trigger*."""
    deal: Deal = draft.one("deals", event.deal_id, event)
    if status not in next_states("deal", deal.status, trigger):
        raise misplaced(event, f"the deal is {deal.status}")
    draft.all("deals")[deal.id] = attrs.evolve(deal, status=status, **changes)


def _change_fulfilment(draft: Draft, event: Any, **changes: Any) -> None:
    """Change the application of *event*, which is in fulfilment."""
    fulfilment: Fulfilment = draft.one("fulfilments", event.application_id, event)
    if fulfilment.status not in IN_FULFILMENT:
        raise misplaced(event, f"the application is {fulfilment.status}")
    draft.all("fulfilments")[event.application_id] = attrs.evolve(fulfilment, **changes)


def _accepted_details(before: Fulfilment, sections: Mapping[str, str]) -> str | None:
    """Return the digest of the bank details of the acceptance, when *sections* replace them."""
    held = before.sections.get("bank_details")
    replaced = sections.get("bank_details") not in {None, held}
    return before.accepted_details or (held if replaced else None)


_APPLY: Final[Mapping[type, Callable[[Draft, Any], None]]] = MappingProxyType(
    {
        events.OffersIssued: _offers_issued,
        events.OfferAccepted: _offer_accepted,
        events.DetailsSupplied: _details_held,
        events.ApplicationSubmitted: _application_submitted,
        events.ApplicationClosed: _application_closed,
        events.DealFunded: _deal_funded,
        events.DealRepaid: _deal_repaid,
        events.DealReopened: _deal_reopened,
        events.DealRenewed: _deal_renewed,
        events.DealClosed: _deal_closed,
        events.TakingsRecorded: _takings_recorded,
        events.RemittancesRecorded: _remittances_recorded,
        events.RenewalEligibilityChanged: _eligibility_changed,
        events.ProfileErased: _profile_erased,
        events.Forgotten: _forgotten,
        events.EvidenceRecorded: _evidence_recorded,
        events.ReferralDecided: _referral_decided,
        events.HoldPlaced: _hold_placed,
        events.HoldLifted: _hold_lifted,
        events.OffersDeclined: _offers_declined,
        events.OffersWithdrawn: _offers_withdrawn,
        events.ApplicationLapsed: _application_lapsed,
        events.SignatureRecorded: _signature_recorded,
        events.BankDetailsChanged: _details_held,
        events.ConsentsRecorded: _consents_recorded,
        events.DealReinstated: _deal_reinstated,
        events.EntriesPosted: _entries_posted,
        events.DealRecovered: _deal_recovered,
        events.DealDefaultedAgain: _deal_defaulted_again,
        events.DealSettled: _deal_settled,
        events.DealUnwound: _deal_unwound,
        events.DealPaused: _deal_paused,
        events.DealResumed: _deal_resumed,
        events.TermsChanged: _terms_changed,
        events.PlanAgreed: _plan_agreed,
        events.OfferRequoted: _offer_requoted,
        events.OfferDisclosed: _offer_disclosed,
        events.QueuedRenewalReady: _queued_renewal_ready,
        events.PayoutReturned: _payout_returned,
        events.ProfileRectified: _profile_rectified,
    }
)
