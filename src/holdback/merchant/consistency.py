"""What must hold within a merchant: its parts may not contradict one another.

The engine relies on it. A merchant that the engine returned always holds it; a state that was
edited, or written by hand, is refused where it is read, and not years later in an operation.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import pairwise
from typing import Any, get_args

import pendulum

from holdback.errors import ErrorDetail
from holdback.exact.bounds import TOO_MUCH
from holdback.exact.money import MINOR_UNITS, Currency, Money
from holdback.merchant import deal as deals
from holdback.merchant import merchant as applications
from holdback.merchant import offer as offers
from holdback.merchant import product as products
from holdback.merchant.deal import Deal
from holdback.merchant.instants import END_YEAR, FIRST_YEAR
from holdback.merchant.ledger import KINDS, REVERSAL, Entry, in_order
from holdback.merchant.merchant import SIGNATURES, Fulfilment, Merchant, OfferSet
from holdback.merchant.plan import MOST_INSTALMENTS, MOST_REPLACED_PLANS, Plan
from holdback.merchant.referral import ReferralEnding
from holdback.merchant.schedule import elapsed_days
from holdback.merchant.suspense import SUSPENSE, SUSPENSE_APPLIED

_OFFER_STATUSES = (
    offers.ELIGIBLE,
    offers.ACCEPTED,
    offers.WITHDRAWN,
    offers.DECLINED,
    offers.WITHDRAWN_BY_LENDER,
)
_DECISIONS = (products.ACCEPTED, products.REFERRED, products.DECLINED)
_APPLICATION_STATUSES = (
    *sorted(applications.IN_FULFILMENT),
    applications.FUNDED_APPLICATION,
    applications.DECLINED_APPLICATION,
    applications.WITHDRAWN_APPLICATION,
    applications.LAPSED,
)


def merchant_errors(merchant: Merchant, *, rows: bool = True) -> tuple[ErrorDetail, ...]:
    """
    Return everything in *merchant* that contradicts itself, with the JSON path of each.

    Without *rows* the long lists are passed over: entries, days of takings and requests.
    """
    return tuple(_errors(merchant, rows=rows))


def _errors(merchant: Merchant, *, rows: bool) -> Iterator[ErrorDetail]:
    yield from _head(merchant)
    for place, offer_set in enumerate(merchant.offer_sets):
        yield from _offer_set(offer_set, merchant, f"$.offer_sets[{place}]")
    for place, fulfilment in enumerate(merchant.fulfilments):
        yield from _fulfilment(fulfilment, merchant, f"$.fulfilments[{place}]")
    for place, deal in enumerate(merchant.deals):
        yield from _deal(deal, f"$.deals[{place}]")
        if rows:
            yield from _entries(deal, f"$.deals[{place}]")
    if rows:
        yield from _takings(merchant)
        yield from _unique(merchant.requests, lambda request: request.request_id, "$.requests")
    yield from _ids(merchant)
    yield from _at_most_one(merchant)
    yield from _people(merchant)
    yield from _suspense(merchant)


def _contradiction(message: str, path: str) -> ErrorDetail:
    return ErrorDetail(code="contradiction", message=message, path=path)


def _one_of(value: object, words: Iterable[str], path: str) -> Iterator[ErrorDetail]:
    listed = tuple(words)
    if value not in listed:
        expected = ", ".join(f"`{word}`" for word in listed)
        yield ErrorDetail(code="wrong_value", message=f"expected one of {expected}", path=path)


def _at_least(value: int, least: int, path: str) -> Iterator[ErrorDetail]:
    if value < least:
        message = f"expected at least {least}"
        yield ErrorDetail(code="out_of_range", message=message, path=path)


def _amount(
    money: Money, currency: Currency, path: str, *, least: int = 0, signed: bool = False
) -> Iterator[ErrorDetail]:
    if money.currency != currency:
        message = f"expected an amount in {currency}"
        yield ErrorDetail(code="wrong_currency", message=message, path=path)
    if signed:
        least = 1 - TOO_MUCH
    if not least <= money.minor < TOO_MUCH:
        message = f"expected at least {least} minor units, and below 10**18"
        yield ErrorDetail(code="out_of_range", message=message, path=path)


def _head(merchant: Merchant) -> Iterator[ErrorDetail]:
    yield from _at_least(merchant.sequence, 0, "$.sequence")
    if merchant.currency is not None and merchant.currency not in MINOR_UNITS:
        message = "expected an ISO 4217 currency code"
        yield ErrorDetail(code="wrong_value", message=message, path="$.currency")
    if merchant.timezone is not None and not _is_timezone(merchant.timezone):
        message = "expected the name of a time zone"
        yield ErrorDetail(code="wrong_value", message=message, path="$.timezone")
    if merchant.provider_id is None and (merchant.fulfilments or merchant.deals):
        yield _contradiction("a merchant with an acceptance has a provider_id", "$.provider_id")
    yield from _last_seen(merchant)


def _last_seen(merchant: Merchant) -> Iterator[ErrorDetail]:
    """Yield an error unless everything happened up to the instant when the merchant was seen."""
    instants = [offer_set.issued_at for offer_set in merchant.offer_sets]
    instants += [s.withdrawn_at for s in merchant.sets if s.withdrawn_at is not None]
    instants += [fulfilment.accepted_at for fulfilment in merchant.fulfilments]
    instants += [] if merchant.last_accepted_at is None else [merchant.last_accepted_at]
    instants += [record.made_at for record in merchant.checks]
    instants += [hold.placed_at for hold in merchant.holds]
    instants += [decision.decided_at for decision in merchant.referral_decisions]
    instants += [section.replaced_at for section in merchant.replaced_sections]
    seen, path = merchant.last_seen_at, "$.last_seen_at"
    if seen is None:
        if instants or merchant.deals:
            message = "a merchant with offers or checks has been seen at an instant"
            yield _contradiction(message, path)
    elif not FIRST_YEAR <= seen.year < END_YEAR:
        message = f"expected an instant from {FIRST_YEAR} on and before {END_YEAR}"
        yield ErrorDetail(code="out_of_range", message=message, path=path)
    elif any(instant > seen for instant in instants) or any(
        # The local day is a later one than in UTC where the clocks are ahead.
        (deal.funded_on - seen.date()).days > 1
        for deal in merchant.deals
    ):
        yield _contradiction("nothing happened after the merchant was last seen", path)


def _is_timezone(name: str) -> bool:
    try:
        pendulum.timezone(name)
    except (ValueError, OSError):
        return False
    return True


def _offer_set(offer_set: OfferSet, merchant: Merchant, path: str) -> Iterator[ErrorDetail]:
    base = offer_set.base_deal_id
    if offer_set.renewal != (base is not None):
        message = "a renewal names the deal that it is based on, and no other set does"
        yield _contradiction(message, f"{path}.base_deal_id")
    elif base is not None and merchant.deal_of(base) is None:
        yield _contradiction("there is no such deal", f"{path}.base_deal_id")
    if offer_set.expires_at < offer_set.issued_at:
        yield _contradiction("offers do not expire before they are issued", f"{path}.expires_at")
    withdrawn = any(o.offer_status == offers.WITHDRAWN_BY_LENDER for o in offer_set.offers)
    at = offer_set.withdrawn_at
    if withdrawn != (at is not None) or (
        at is not None and not offer_set.issued_at <= at < offer_set.expires_at
    ):
        message = "offers are withdrawn by the lender at an instant while they are open"
        yield _contradiction(message, f"{path}.withdrawn_at")
    for number, product in enumerate(offer_set.products):
        place = f"{path}.products[{number}]"
        yield from _one_of(product.decision, _DECISIONS, f"{place}.decision")
        for position, offer in enumerate(product.offers):
            yield from _offer(offer, f"{place}.offers[{position}]")


def _offer(offer: offers.Offer, path: str) -> Iterator[ErrorDetail]:
    currency = offer.funded_amount.currency
    yield from _one_of(offer.offer_status, _OFFER_STATUSES, f"{path}.offer_status")
    yield from _amount(offer.funded_amount, currency, f"{path}.funded_amount", least=1)
    yield from _amount(offer.repayment_amount, currency, f"{path}.repayment_amount", least=1)
    yield from _at_least(offer.term_days, 1, f"{path}.term_days")


def _fulfilment(fulfilment: Fulfilment, merchant: Merchant, path: str) -> Iterator[ErrorDetail]:
    yield from _one_of(fulfilment.status, _APPLICATION_STATUSES, f"{path}.status")
    yield from _offer(fulfilment.offer, f"{path}.offer")
    funded = fulfilment.status == applications.FUNDED_APPLICATION
    if funded != (merchant.deal_of(fulfilment.deal_id) is not None):
        message = "a funded application names its deal, and no other does"
        yield _contradiction(message, f"{path}.deal_id")
    if fulfilment.base_deal_id is not None and merchant.deal_of(fulfilment.base_deal_id) is None:
        yield _contradiction("there is no such deal", f"{path}.base_deal_id")


def _deal(deal: Deal, path: str) -> Iterator[ErrorDetail]:
    currency = deal.repayment_amount.currency
    yield from _one_of(deal.status, deals.STATUSES, f"{path}.status")
    yield from _one_of(deal.type, deals.TYPES, f"{path}.type")
    yield from _amount(deal.repayment_amount, currency, f"{path}.repayment_amount", least=1)
    yield from _amount(deal.funded_amount, currency, f"{path}.funded_amount", least=1)
    yield from _amount(deal.settled, currency, f"{path}.settled")
    if deal.settled.minor and deal.status != deals.RENEWED:
        yield _contradiction("only a renewed deal was settled", f"{path}.settled")
    yield from _at_least(deal.term_days, 1, f"{path}.term_days")
    ended = deal.status not in {deals.FUNDED, deals.REPAID}
    if ended != (deal.closed_on is not None):
        yield _contradiction("a deal that ended early has the day, and no other has one", path)
    # A day's difference is possible: the zone of a jurisdiction may have changed.
    if deal.closed_on is not None and (deal.funded_on - deal.closed_on).days > 1:
        yield _contradiction("a deal does not end before it was funded", f"{path}.closed_on")
    if deal.closed_entries is not None:
        place = f"{path}.closed_entries.remitted"
        yield from _amount(deal.closed_entries.remitted, currency, place, signed=True)
    yield from _schedule(deal, path)
    if deal.plan is not None:
        yield from _plan(deal.plan, currency, f"{path}.plan")


def _plan(plan: Plan, currency: Currency, path: str) -> Iterator[ErrorDetail]:
    yield from _amount(plan.remitted_before, currency, f"{path}.remitted_before", signed=True)
    for place, instalment in enumerate(plan.instalments):
        where = f"{path}.instalments[{place}].amount"
        yield from _amount(instalment.amount, currency, where, least=1)
    if any(earlier.due_on >= later.due_on for earlier, later in pairwise(plan.instalments)):
        yield _contradiction("instalments are in the order of their days", f"{path}.instalments")
    most = {"instalments": MOST_INSTALMENTS, "replaced": MOST_REPLACED_PLANS}
    for name, number in most.items():
        if len(getattr(plan, name)) > number:
            message = f"expected at most {number} items"
            yield ErrorDetail(code="too_large", message=message, path=f"{path}.{name}")


def _schedule(deal: Deal, path: str) -> Iterator[ErrorDetail]:
    """Yield what contradicts itself in the pauses and the changes of terms of *deal*."""
    pauses, changes = deal.pauses, deal.terms_changes
    if any(pause.until is not None and pause.until < pause.on for pause in pauses) or any(
        earlier.until is None or earlier.until > later.on for earlier, later in pairwise(pauses)
    ):
        yield _contradiction("pauses follow one another, and each ends", f"{path}.pauses")
    days = [change.on for change in changes]
    if days != sorted(days) or any(
        change.term_days <= elapsed_days(pauses, deal.funded_on, change.on) for change in changes
    ):
        message = "changes of terms are in order, and end after they begin"
        yield _contradiction(message, f"{path}.terms_changes")


def _entries(deal: Deal, path: str) -> Iterator[ErrorDetail]:
    by_id = {entry.id: entry for entry in deal.entries}
    if len(by_id) < len(deal.entries) or in_order(deal.entries) != tuple(deal.entries):
        message = "entries are in the order of their days and ids, and each id occurs once"
        yield _contradiction(message, f"{path}.entries")
    for number, entry in enumerate(deal.entries):
        place = f"{path}.entries[{number}]"
        currency, signed = deal.repayment_amount.currency, KINDS[entry.kind].sign == 0
        yield from _amount(entry.amount, currency, f"{place}.amount", signed=signed)
        if entry.takings is not None:
            yield from _amount(entry.takings, currency, f"{place}.takings", signed=True)
        if (entry.reverses is None) == (entry.kind == REVERSAL):
            yield _contradiction("a reversal names what it reverses", f"{place}.kind")
        if entry.reverses is not None:
            yield from _reversal(by_id.get(entry.reverses), f"{place}.reverses")
    reversed_amounts: dict[str, int] = {}
    for entry in deal.entries:
        if entry.reverses is not None:
            before = reversed_amounts.get(entry.reverses, 0)
            reversed_amounts[entry.reverses] = before + entry.amount.minor
    if any(
        by_id[target].amount.minor < minor
        for target, minor in reversed_amounts.items()
        if target in by_id
    ):
        message = "reversals take back at most what was remitted"
        yield _contradiction(message, f"{path}.entries")


def _reversal(target: Entry | None, path: str) -> Iterator[ErrorDetail]:
    if target is None or target.reverses is not None or not KINDS[target.kind].remitted:
        yield _contradiction("a reversal takes back a remittance, a payment or a recovery", path)


def _takings(merchant: Merchant) -> Iterator[ErrorDetail]:
    days = [takings.on for takings in merchant.takings]
    if days != sorted(set(days)):
        yield _contradiction("days of takings are in order, each once", "$.takings")
    if days and (merchant.takings_since is None or merchant.takings_since > days[0]):
        message = "takings were recorded from the first day that is held, or an earlier one"
        yield _contradiction(message, "$.takings_since")
    currencies = {takings.amount.currency for takings in merchant.takings}
    if len(currencies) > 1:
        message = "takings are in one currency"
        yield ErrorDetail(code="wrong_currency", message=message, path="$.takings")
    for place, takings in enumerate(merchant.takings):
        path = f"$.takings[{place}].amount"
        yield from _amount(takings.amount, takings.amount.currency, path, signed=True)


def _suspense(merchant: Merchant) -> Iterator[ErrorDetail]:
    """Yield what contradicts itself in the suspense account."""
    suspense, path = merchant.suspense, "$.suspense"
    currency, closed = suspense.currency, suspense.closed
    used = {} if closed is None else closed.used
    amounts = [*(entry.amount for entry in suspense.entries), *used.values()]
    for money in amounts if closed is None else (*amounts, *closed.sums.values()):
        errors = [] if currency is None else [*_amount(money, currency, path, least=1)]
        if errors:  # `held` below adds only amounts that are valid
            yield from errors
            return
    receipts = {entry.id for entry in suspense.entries if entry.receipt is None}
    yield from _unique(suspense.entries, lambda entry: entry.id, f"{path}.entries")
    if list(suspense.entries) != sorted(suspense.entries, key=lambda entry: (entry.on, entry.id)):
        yield _contradiction("entries are in the order of their days and ids", f"{path}.entries")
    for place, entry in enumerate(suspense.entries):
        where = f"{path}.entries[{place}]"
        if (entry.kind == SUSPENSE) != (entry.receipt is None):
            yield _contradiction("a receipt takes no cash, and every other entry does", where)
        if (entry.deal_id is None) == (entry.kind == SUSPENSE_APPLIED):
            yield _contradiction("cash that was applied names its deal", where)
        if entry.deal_id is not None and merchant.deal_of(entry.deal_id) is None:
            yield _contradiction("there is no such deal", f"{where}.deal_id")
    taken_from = {entry.receipt for entry in suspense.entries if entry.receipt is not None}
    if not taken_from | used.keys() <= receipts:
        yield _contradiction("cash is taken of a receipt that is held", path)
    elif any(left.minor < 0 for left in suspense.held.values()):
        yield _contradiction("no more is taken of a receipt than came in", path)


def _unique(
    items: Iterable[Any], key: Callable[[Any], Hashable], path: str
) -> Iterator[ErrorDetail]:
    keys = [key(item) for item in items]
    if len(set(keys)) < len(keys):
        yield ErrorDetail(code="duplicate", message="expected each id once", path=path)


def _ids(merchant: Merchant) -> Iterator[ErrorDetail]:
    sets = (*merchant.offer_sets, *merchant.closed_offer_sets)
    yield from _unique(sets, lambda offer_set: offer_set.application_id, "$.offer_sets")
    yield from _unique(sets, lambda offer_set: offer_set.request_id, "$.offer_sets")
    held = (offer for offer_set in merchant.offer_sets for offer in offer_set.offers)
    yield from _unique(held, lambda offer: offer.offer_id, "$.offer_sets")
    yield from _unique(
        merchant.fulfilments, lambda fulfilment: fulfilment.application_id, "$.fulfilments"
    )
    yield from _unique(merchant.deals, lambda deal: deal.id, "$.deals")


def _at_most_one(merchant: Merchant) -> Iterator[ErrorDetail]:
    if sum(deal.active for deal in merchant.deals) > 1:
        yield _contradiction("at most one deal is active", "$.deals")
    fulfilments = merchant.fulfilments
    if sum(f.status in applications.IN_FULFILMENT for f in fulfilments) > 1:
        yield _contradiction("at most one application is in fulfilment", "$.fulfilments")


def _people(merchant: Merchant) -> Iterator[ErrorDetail]:
    """Yield what contradicts itself in the records of checks and in what people decided."""
    yield from _unique(merchant.checks, lambda record: (*record.key, record.made_at), "$.checks")
    yield from _unique(merchant.consents, lambda given: given.applicants, "$.consents")
    for given in merchant.consents:
        yield from _unique(given.names, lambda name: name, "$.consents")
    yield from _unique(merchant.referrals, lambda referral: referral.product, "$.referrals")
    yield from _unique(
        merchant.referral_decisions,
        lambda decision: (decision.product, decision.base_deal_id),
        "$.referral_decisions",
    )
    yield from _unique(merchant.holds, lambda hold: hold.code, "$.holds")
    replaced, path = merchant.replaced_sections, "$.replaced_sections"
    yield from _unique(replaced, lambda section: (section.name, section.digest), path)
    if any(merchant.sections.get(section.name) == section.digest for section in replaced):
        yield _contradiction("a section that was replaced is not the current one", path)
    for place, record in enumerate(merchant.checks):
        if not FIRST_YEAR <= record.made_at.year < END_YEAR:
            message = f"expected an instant from {FIRST_YEAR} on and before {END_YEAR}"
            path = f"$.checks[{place}].made_at"
            yield ErrorDetail(code="out_of_range", message=message, path=path)
    for place, decision in enumerate(merchant.referral_decisions):
        path = f"$.referral_decisions[{place}]"
        yield from _one_of(decision.decision, get_args(ReferralEnding), f"{path}.decision")
        if decision.until <= decision.decided_at:
            yield _contradiction("a decision holds for some time", f"{path}.until")
    for place, fulfilment in enumerate(merchant.fulfilments):
        if fulfilment.signature_before is not None:
            path = f"$.fulfilments[{place}].signature_before"
            yield from _one_of(fulfilment.signature_before, SIGNATURES, path)
