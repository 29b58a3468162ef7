"""
Holds: for suspected fraud, sanctions or a dispute, an agent stops all that is new.

On hold nothing is offered, accepted or funded; deals are serviced as before. Nothing that a partner
sees tells a hold from another referral (decisions/referrals#holds).
"""

from __future__ import annotations

from typing import Final

from holdback.errors import Refusal
from holdback.lifecycle.commands import AskHolds, LiftHold, PlaceHold
from holdback.lifecycle.configuration import Configuration
from holdback.lifecycle.context import Context
from holdback.lifecycle.decision import Decision
from holdback.lifecycle.events import Event, HoldLifted, HoldPlaced
from holdback.lifecycle.receipts import record_receipt
from holdback.lifecycle.referrals import noted
from holdback.merchant.merchant import Merchant
from holdback.merchant.profile import Profile
from holdback.merchant.receipt import RecordReceipt
from holdback.merchant.referral import Hold, Holds, NotedHold

# The holds of one merchant at a time.
MOST_HOLDS: Final = 20


def place_hold(
    merchant: Merchant, command: PlaceHold, context: Context, _: Configuration, profile: Profile
) -> Decision[RecordReceipt]:
    """
    Return the placing of a hold; no events if there is one with this code.

    Raises:
        Refusal: `merchant_not_found` before anything is known of the merchant, `not_possible_now`
            with too many holds, or `profile_erased`.
    """
    if not merchant.sequence:
        raise Refusal("merchant_not_found", "nothing is known of this merchant")
    if any(hold.code == command.code for hold in merchant.holds):
        return Decision((), record_receipt)
    if len(merchant.holds) >= MOST_HOLDS:
        raise Refusal("not_possible_now", f"there are {MOST_HOLDS} holds already")
    sections, after = noted(command.note, merchant, profile)
    hold = Hold(code=command.code, placed_at=context.at, by=command.by, sections=sections)
    events: tuple[Event, ...] = (HoldPlaced(at=context.at, hold=hold),)
    return Decision(events, record_receipt, after)


def lift_hold(
    merchant: Merchant, command: LiftHold, context: Context, _: Configuration
) -> Decision[RecordReceipt]:
    """
    Return the lifting of a hold; no events if there is none with this code.

    The time on hold does not count for an application in fulfilment: it lapses so much later.
    """
    events: tuple[Event, ...] = ()
    if any(hold.code == command.code for hold in merchant.holds):
        events = (HoldLifted(at=context.at, code=command.code, by=command.by),)
    return Decision(events, record_receipt)


def ask_holds(
    merchant: Merchant, _: AskHolds, __: Context, ___: Configuration, profile: Profile
) -> Decision[Holds]:
    """Return the holds of the merchant with their notes, for agents."""
    holds = tuple(
        NotedHold(code=hold.code, placed_at=hold.placed_at, by=hold.by, note=note_of(hold, profile))
        for hold in merchant.holds
    )
    return Decision((), lambda _: Holds(holds=holds))


def note_of(hold: Hold, profile: Profile) -> str | None:
    """Return the note of *hold*, None without one."""
    section = profile.section(hold.sections.get("note"))
    return None if section is None else str(section.value)
