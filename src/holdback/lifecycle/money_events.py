"""The events of a deal's ledger, its schedule and its end, and of amounts that were quoted anew."""

from __future__ import annotations

from datetime import date

from pendulum import DateTime

from holdback.frozen_classes import frozen
from holdback.lifecycle.envelope import Envelope
from holdback.merchant.ledger import Posting
from holdback.merchant.offer import Offer
from holdback.merchant.schedule import TermsChange


@frozen(kw_only=True)
class EntriesPosted(Envelope):
    """
    Entries of one deal, or of several, were recorded by one operation.

    They are in one event, so that no half of a movement between deals can be lost.
    """

    postings: tuple[Posting, ...]


@frozen(kw_only=True)
class DealRecovered(Envelope):
    """A deal that had defaulted was paid in full, on the day `on`."""

    deal_id: str
    on: date


@frozen(kw_only=True)
class DealDefaultedAgain(Envelope):
    """What was taken back left a recovered deal with a balance."""

    deal_id: str


@frozen(kw_only=True)
class DealUnwound(Envelope):
    """
    The deal was undone on the day `on`; the deal that it had renewed is active again.

    `base_deal_id` is that deal, None if its funding settled none. The time in between counts as a
    pause of it.
    """

    deal_id: str
    on: date
    base_deal_id: str | None = None


@frozen(kw_only=True)
class DealPaused(Envelope):
    """No remittances of the deal are expected from the day `on`."""

    deal_id: str
    on: date


@frozen(kw_only=True)
class DealResumed(Envelope):
    """Remittances of the deal are expected again from the day `on`."""

    deal_id: str
    on: date


@frozen(kw_only=True)
class TermsChanged(Envelope):
    """The split percentage or the term of the deal changed."""

    deal_id: str
    change: TermsChange


@frozen(kw_only=True)
class OfferRequoted(Envelope):
    """Offers of another amount were priced, and are now among those of the `product`."""

    application_id: str
    product: str
    offers: tuple[Offer, ...]


@frozen(kw_only=True)
class QueuedRenewalReady(Envelope):
    """The base deal of a queued renewal was repaid: it can be funded, and lapses at `lapses_at`."""

    application_id: str
    lapses_at: DateTime | None = None
