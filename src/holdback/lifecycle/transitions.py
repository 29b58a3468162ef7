"""The table of states and transitions of offers, applications and deals.

The service specifies two of the transitions; the others are decided here (service 3). The commands
ask the table which state may follow, and the documentation draws its diagrams from it.
"""

from __future__ import annotations

from typing import Final

from holdback.frozen_classes import frozen
from holdback.merchant import deal, merchant, offer

OFFERED: Final = "offered"
EXPIRED: Final = "Expired"
NOT_YET: Final = "none"
# What an application is shown as, besides its statuses in the table: it follows from its set of
# offers, or from the deal that a renewal waits for, and is never stored.
EXPIRED_APPLICATION: Final = "expired"
CLOSED_APPLICATION: Final = "closed"
REFERRED_APPLICATION: Final = "referred"
SHOWN: Final = (EXPIRED_APPLICATION, CLOSED_APPLICATION, REFERRED_APPLICATION, merchant.QUEUED)


@frozen
class Transition:
    """One transition of an offer, an application or a deal, with its operation and its event."""

    subject: str
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
    Transition(
        "offer", offer.ELIGIBLE, "decline_offers", offer.DECLINED, "OffersDeclined", "all of a set"
    ),
    Transition(
        "offer",
        offer.ELIGIBLE,
        "withdraw_offers",
        offer.WITHDRAWN_BY_LENDER,
        "OffersWithdrawn",
        "all of a set",
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
        "complete bank details are supplied",
    ),
    *(
        Transition(
            "application",
            merchant.AWAITING_DETAILS,
            operation,
            merchant.SUBMITTED,
            "ApplicationSubmitted",
            condition,
        )
        for operation, condition in (
            ("change_bank_details", "nothing else is omitted"),
            ("record_signature", "the contract is signed before the submission"),
        )
    ),
    *(
        Transition(
            "application",
            state,
            "time",
            merchant.LAPSED,
            "ApplicationLapsed",
            "at lapses_at, not counting time on hold; recorded by the next command",
        )
        for state in (merchant.AWAITING_DETAILS, merchant.SUBMITTED)
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
        "no deal is active but the base deal of a renewal, and the funding rules are true",
    ),
    *(
        Transition(
            "application",
            merchant.FUNDED_APPLICATION,
            "return_payout",
            state,
            "PayoutReturned",
            f"its payout came back; {why}",
        )
        for state, why in (
            (merchant.AWAITING_DETAILS, "the jurisdiction names bank details"),
            (merchant.SUBMITTED, "it names none"),
        )
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
        "a reversal or an adjustment left something, and no other deal is active",
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
    *(
        Transition(
            "deal",
            state,
            "reinstate_deal",
            deal.FUNDED,
            "DealReinstated",
            "the default was a mistake, nothing is written off, and no other deal is active",
        )
        for state in (deal.DEFAULTED, deal.RECOVERED)
    ),
    Transition(
        "deal",
        deal.DEFAULTED,
        "record_recovery",
        deal.RECOVERED,
        "DealRecovered",
        "nothing is left to pay, and nothing is written off",
    ),
    Transition(
        "deal",
        deal.DEFAULTED,
        "waive_rest",
        deal.SETTLED,
        "DealSettled",
        "what is left is waived",
    ),
    *(
        Transition(
            "deal",
            state,
            "record_remittance",
            deal.DEFAULTED,
            "DealDefaultedAgain",
            "a reversal left something",
        )
        for state in (deal.RECOVERED, deal.SETTLED)
    ),
    *(
        Transition(
            "deal", state, "unwind_deal", deal.UNWOUND, "DealUnwound", "in its cooling-off days"
        )
        for state in (deal.FUNDED, deal.REPAID)
    ),
    Transition(
        "deal",
        deal.FUNDED,
        "return_payout",
        deal.UNWOUND,
        "PayoutReturned",
        "before its first entry",
    ),
    *(
        Transition("deal", deal.RENEWED, trigger, state, event, f"its renewal is undone; {why}")
        for trigger, event in (("unwind_deal", "DealUnwound"), ("return_payout", "PayoutReturned"))
        for state, why in (
            (deal.FUNDED, "it owes something"),
            (deal.REPAID, "it owes nothing"),
        )
    ),
)


def next_states(subject: str, state: str, trigger: str) -> frozenset[str]:
    """
    Return the states that may follow *state* of *subject* on *trigger*; empty if none may.

    >>> sorted(next_states("application", "submitted", "close_application"))
    ['declined', 'withdrawn']
    """
    return frozenset(
        row.next
        for row in TABLE
        if (row.subject, row.state, row.trigger) == (subject, state, trigger)
    )
