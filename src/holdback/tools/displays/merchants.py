"""
What a notebook shows of merchants, deals and offers: ids, amounts, days and statuses.

INVARIANT: nothing of a person is shown: no section of a profile, no consent, no evidence, no link,
and no text that a host wrote, such as the note of a hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from holdback.tools.displays.elements import (
    amount,
    counted,
    display,
    facts,
    heading,
    percent,
    section,
    sentence,
    short_digest,
    table,
)

_OFFER_HEADS: Final = (
    "offer",
    "status",
    "funded",
    "to repay",
    "factor rate",
    "split",
    "months",
)
_FIGURES: Final = frozenset(range(2, len(_OFFER_HEADS)))


def offer_repr(offer: Any) -> str:
    """Return an offer on one line."""
    return (
        f"<Offer {offer.offer_id}: {offer.offer_status}, {amount(offer.funded_amount)} for "
        f"{amount(offer.repayment_amount)}, {offer.split_percentage}% of takings, "
        f"{offer.term_length} months>"
    )


def offer_html(offer: Any) -> str:
    """Return an offer as a table of one row."""
    return display(_offer_table("Offer", [offer]))


def _offer_table(title: str, offers: Iterable[Any]) -> str:
    rows = [
        (
            offer.offer_id,
            offer.offer_status,
            amount(offer.funded_amount),
            amount(offer.repayment_amount),
            str(offer.factor_rate),
            f"{offer.split_percentage}%",
            str(offer.term_length),
        )
        for offer in offers
    ]
    return table(title, _OFFER_HEADS, rows, _FIGURES)


def product_repr(product: Any) -> str:
    """Return a product on one line."""
    offers = counted(len(product.offers), "offer")
    return f"<Product {product.key}: {product.decision}, {offers}>"


def product_html(product: Any) -> str:
    """Return a product with its decision and its offers."""
    return display(_product(product))


def _product(product: Any) -> str:
    limits = product.limits
    about = (
        product.decision,
        f"{amount(limits.minimum)} to {amount(limits.maximum)}",
        f"reasons: {', '.join(product.codes)}" if product.codes else "",
        "funded when the deal before it is repaid" if product.queued else "",
    )
    offers = _offer_table("Offers", product.offers) if product.offers else ""
    return heading(product.name, about) + offers


def offers_repr(name: str, offers: Any) -> str:
    """Return a set of offers on one line, with the *name* of its class."""
    products = ", ".join(
        f"{product.key} {product.decision} ({counted(len(product.offers), 'offer')})"
        for product in offers.products
    )
    return f"<{name} until {offers.expires_at.isoformat()}: {products or 'no products'}>"


def offers_html(offers: Any) -> str:
    """Return a set of offers by product, with its expiry."""
    until = sentence(f"The offers expire at {offers.expires_at.isoformat()}.")
    return display(until, *(_product(product) for product in offers.products))


def deal_repr(deal: Any) -> str:
    """Return a deal on one line."""
    return (
        f"<Deal {deal.id}: {deal.status}, {percent(deal.progress)} of "
        f"{amount(deal.repayment_amount)} remitted, balance {amount(deal.balance)}, "
        f"funded on {deal.funded_on}>"
    )


def deal_html(deal: Any) -> str:
    """Return a deal: its terms, and what was paid."""
    ledger = (
        ("to repay", deal.repayment_amount),
        ("remitted", deal.remitted),
        ("paid by a renewal", deal.settled),
        ("written off", deal.written_off),
        ("waived", deal.waived),
        ("overpaid", deal.overpaid),
        ("fees owed", deal.fees_owed),
        ("balance", deal.balance),
    )
    shown = {"to repay", "remitted", "balance"}
    pairs: list[tuple[str, object]] = [
        (name, amount(money)) for name, money in ledger if money.minor or name in shown
    ]
    terms: list[tuple[str, object]] = [
        ("funded", f"{amount(deal.funded_amount)} on {deal.funded_on}"),
        ("split", f"{deal.split_percentage}%"),
        ("factor rate", str(deal.factor_rate)),
        ("term", f"{deal.term_length} months, {counted(deal.term_days, 'day')}"),
        ("product", deal.product),
        ("renews", deal.base_deal_id),
        ("ended on", deal.ended_on),
        ("history complete through", deal.complete_through),
        ("ledger entries held", len(deal.entries)),
    ]
    about = (deal.type, f"{percent(deal.progress)} paid down", "paused" if deal.paused else "")
    return display(
        heading(f"Deal {deal.id}: {deal.status}", about),
        facts("Amounts", pairs),
        section("Terms", facts("Terms", terms)),
    )


def merchant_repr(merchant: Any) -> str:
    """Return a merchant on one line: ids and numbers, and nothing of a person."""
    parts = [
        f"event {merchant.sequence:,}",
        counted(len(merchant.deals), "deal"),
        counted(len(merchant.offer_sets), "set") + " of offers",
    ]
    parts += ["on hold"] if merchant.on_hold else []
    name = f"{merchant.partner}/{merchant.merchant_id}"
    return f"<Merchant {name} in {merchant.jurisdiction}: {', '.join(parts)}>"


def merchant_html(merchant: Any) -> str:
    """Return a merchant: its deals, its applications and its sets of offers."""
    about = (
        f"{merchant.jurisdiction}",
        f"as of event {merchant.sequence:,}",
        "on hold" if merchant.on_hold else "",
        "invited to renew" if merchant.renewal_eligibility else "",
        counted(len(merchant.referrals), "open referral") if merchant.referrals else "",
    )
    return display(
        heading(f"Merchant {merchant.partner}/{merchant.merchant_id}", about),
        _deals(merchant.deals),
        _applications(merchant),
        _offer_sets(merchant.offer_sets),
    )


def _deals(deals: Sequence[Any]) -> str:
    rows = [
        (
            deal.id,
            deal.type,
            deal.status,
            deal.funded_on,
            amount(deal.repayment_amount),
            percent(deal.progress),
            amount(deal.balance),
        )
        for deal in deals
    ]
    heads = ("deal", "type", "status", "funded on", "to repay", "paid down", "balance")
    return table("Deals", heads, rows, {4, 5, 6}) if rows else sentence("There are no deals.")


def _applications(merchant: Any) -> str:
    rows = [
        (
            fulfilment.application_id,
            merchant.shown_status(fulfilment),
            amount(fulfilment.offer.funded_amount),
            fulfilment.accepted_at.isoformat(),
        )
        for fulfilment in merchant.fulfilments
    ]
    heads = ("application", "status", "amount", "accepted at")
    return table("Accepted applications", heads, rows, {2}) if rows else ""


def _offer_sets(offer_sets: Sequence[Any]) -> str:
    rows = [
        (
            offer_set.request_id,
            "renewal" if offer_set.renewal else "first deal",
            offer_set.issued_on,
            offer_set.expires_at.isoformat(),
            len(list(offer_set.offers)),
            short_digest(offer_set.digest),
        )
        for offer_set in offer_sets
    ]
    heads = ("request", "for", "issued on", "expires at", "offers", "rulebook")
    return table("Sets of offers", heads, rows, {4}) if rows else ""
