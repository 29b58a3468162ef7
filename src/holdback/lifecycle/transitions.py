"""Every state and every transition, as one table.

The specification's section 3 names two of the transitions and leaves the rest open; these are they.
`decide` asks this table what may follow for applications and deals, and the documentation draws its
diagrams from it; of offers it says what `accept_offer` and time do.
"""

from __future__ import annotations

from typing import Final

from attrs import frozen

from holdback.model import deal, merchant, offer

OFFERED: Final = "offered"
EXPIRED: Final = "Expired"
NOT_YET: Final = "none"


@frozen
class Transition:
    """One thing going from one state to the next: by which operation, when, and with which event."""

    thing: str
    state: str
    trigger: str
    next: str
    event: str
    condition: str = ""


TABLE: Final = (
    Transition(
        "offer", NOT_YET, "request_offers", offer.ELIGIBLE, "OffersIssued", "the rules accept"
    ),
    Transition(
        "offer",
        offer.ELIGIBLE,
        "accept_offer",
        offer.ACCEPTED,
        "OfferAccepted",
        "this offer, before its set expires",
    ),
    Transition(
        "offer", offer.ELIGIBLE, "accept_offer", offer.WITHDRAWN, "OfferAccepted", "another offer"
    ),
    Transition(
        "offer", offer.ELIGIBLE, "time", EXPIRED, "", "at expiresAt; never stored, always compared"
    ),
    Transition("application", NOT_YET, "request_offers", OFFERED, "OffersIssued"),
    Transition(
        "application",
        OFFERED,
        "accept_offer",
        merchant.AWAITING_DETAILS,
        "OfferAccepted",
        "before the set expires",
    ),
    Transition(
        "application",
        merchant.AWAITING_DETAILS,
        "accept_offer",
        merchant.SUBMITTED,
        "ApplicationSubmitted",
        "in the same batch, when bank details are given or held",
    ),
    Transition(
        "application",
        merchant.AWAITING_DETAILS,
        "supply_details",
        merchant.SUBMITTED,
        "ApplicationSubmitted",
        "bank details are supplied",
    ),
    *(
        Transition("application", state, "close_application", end, "ApplicationClosed")
        for state in (merchant.AWAITING_DETAILS, merchant.SUBMITTED)
        for end in (merchant.DECLINED_APPLICATION, merchant.WITHDRAWN_APPLICATION)
    ),
    Transition(
        "application",
        merchant.SUBMITTED,
        "fund_deal",
        merchant.FUNDED_APPLICATION,
        "DealFunded",
        "no deal is active but the base deal of a renewal",
    ),
    Transition("deal", NOT_YET, "fund_deal", deal.FUNDED, "DealFunded"),
    Transition(
        "deal",
        deal.FUNDED,
        "record_remittance",
        deal.REPAID,
        "DealRepaid",
        "nothing is left to remit",
    ),
    Transition(
        "deal",
        deal.REPAID,
        "record_remittance",
        deal.FUNDED,
        "DealReopened",
        "a reversal left something, and no other deal is active",
    ),
    Transition(
        "deal",
        deal.FUNDED,
        "fund_deal",
        deal.RENEWED,
        "DealRenewed",
        "a renewal based on it is funded",
    ),
    Transition("deal", deal.FUNDED, "close_deal", deal.DEFAULTED, "DealClosed", "`defaulted`"),
    Transition("deal", deal.FUNDED, "close_deal", deal.CANCELLED, "DealClosed", "`cancelled`"),
)


def follows(thing: str, state: str, trigger: str) -> frozenset[str]:
    """
    The states that may follow *state* of *thing* on *trigger*; none when the table has no such row.

    >>> sorted(follows("application", "submitted", "close_application"))
    ['declined', 'withdrawn']
    """
    return frozenset(
        row.next for row in TABLE if (row.thing, row.state, row.trigger) == (thing, state, trigger)
    )
