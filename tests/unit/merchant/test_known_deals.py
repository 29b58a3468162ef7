"""What is worse with a merchant's deals than when its offers were issued."""

from __future__ import annotations

import attrs

from every_case import for_every
from holdback import Entry
from holdback.lifecycle.offers.since_the_offer import known_since
from holdback.merchant.ledger import WRITE_OFF
from holdback.merchant.merchant import known_deals_of
from journey import Journey


def funded():
    journey = Journey()
    journey.ask()
    journey.accept()
    journey.fund()
    return journey.deal


DEAL = funded()
ENDED = {"closed_on": DEAL.funded_on}
DEFAULTED = attrs.evolve(DEAL, status="Defaulted", **ENDED)
RECOVERED = attrs.evolve(DEAL, status="Recovered", settled=DEAL.repayment_amount, **ENDED)
SETTLED = attrs.evolve(RECOVERED, status="Settled")
REPAID = attrs.evolve(DEAL, status="Repaid", settled=DEAL.repayment_amount)
CANCELLED = attrs.evolve(DEAL, status="Cancelled", **ENDED)
LOSS = Entry(id="w", on=DEAL.funded_on, amount=DEAL.repayment_amount, kind=WRITE_OFF)
LOST = attrs.evolve(DEFAULTED, entries=(LOSS,))

DEFAULT, ACTIVE = "a deal has defaulted", "a deal is active again"
UNPAID, GIVEN_UP = "a deal that has ended is not paid in full", "a part of a deal was written off"


@for_every(
    ("before", "now", "reasons"),
    [
        (DEAL, DEFAULTED, {DEFAULT}),
        (DEAL, RECOVERED, {DEFAULT}),
        (DEAL, SETTLED, {DEFAULT}),
        (DEAL, LOST, {DEFAULT, GIVEN_UP}),
        (DEAL, CANCELLED, {UNPAID}),
        (DEAL, REPAID, set()),
        (DEAL, DEAL, set()),
        (REPAID, DEAL, {ACTIVE}),
        (REPAID, DEFAULTED, {DEFAULT}),
        (REPAID, CANCELLED, {UNPAID}),
        (DEFAULTED, DEAL, {ACTIVE}),
        (DEFAULTED, RECOVERED, set()),
        (DEFAULTED, SETTLED, set()),
        (RECOVERED, DEFAULTED, {DEFAULT}),
        (SETTLED, DEFAULTED, {DEFAULT}),
        (SETTLED, SETTLED, set()),
        (DEFAULTED, LOST, {GIVEN_UP}),
        (LOST, LOST, set()),
        (LOST, DEFAULTED, set()),
        (CANCELLED, CANCELLED, set()),
    ],
)
def test_what_is_worse(before, now, reasons):
    """
    A default, an active deal and more that is lost or unpaid count; what was known does not
    (decisions/offers#since-the-offer).
    """
    assert set(known_since(known_deals_of([before]), [now])) == reasons


def test_a_deal_that_was_settled_is_not_kept():
    """
    Most merchants owe nothing when offers are issued, and their states hold nothing more for it.
    """
    assert known_deals_of([REPAID]) == ()
    assert [deal.deal_id for deal in known_deals_of([DEAL])] == [DEAL.id]
