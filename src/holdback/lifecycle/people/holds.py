"""
Holds: for suspected fraud, sanctions or a dispute, an agent stops all that is new.

On hold nothing is offered, accepted or funded; deals are serviced as before. Nothing that a partner
sees tells a hold from another referral (decisions/applications#holds).
"""

from __future__ import annotations

from typing import Final

from attrs import field

from holdback.errors import Refusal
from holdback.frozen_classes import frozen
from holdback.lifecycle.events import Event, HoldLifted, HoldPlaced
from holdback.lifecycle.operation import (
    Case,
    Command,
    Decision,
    FreeText,
    PersonalCommand,
    PersonalQuestion,
    record_receipt,
)
from holdback.lifecycle.people.referrals import noted
from holdback.merchant.profile import Profile
from holdback.merchant.receipt import RecordReceipt
from holdback.merchant.referral import Hold, Holds, NotedHold
from holdback.merchant.validators import optional, text

# The holds of one merchant at a time.
MOST_HOLDS: Final = 20


@frozen(kw_only=True)
class PlaceHold(PersonalCommand[RecordReceipt]):
    """
    Hold the merchant: nothing is offered, accepted or funded until the hold is lifted.

    No partner sees why.

    Raises:
        Refusal: `not_possible_now` with too many holds, or `profile_erased`.
    """

    name = "place_hold"

    code: str = field(validator=text)
    by: str = field(validator=text)
    note: FreeText | None = field(default=None, repr=False, validator=optional(text))

    def decide(self, case: Case) -> Decision[RecordReceipt]:
        if any(hold.code == self.code for hold in case.merchant.holds):
            return Decision((), record_receipt)
        if len(case.merchant.holds) >= MOST_HOLDS:
            raise Refusal("not_possible_now", f"there are {MOST_HOLDS} holds already")
        sections, after = noted(self.note, case.profile)
        hold = Hold(code=self.code, placed_at=case.at, by=self.by, sections=sections)
        return Decision((HoldPlaced(at=case.at, hold=hold),), record_receipt, after)


@frozen(kw_only=True)
class LiftHold(Command[RecordReceipt]):
    """
    Lift the hold with this code.

    The time on hold does not count for an application in fulfilment: it lapses so much later.
    """

    name = "lift_hold"

    code: str = field(validator=text)
    by: str = field(validator=text)

    def decide(self, case: Case) -> Decision[RecordReceipt]:
        events: tuple[Event, ...] = ()
        if any(hold.code == self.code for hold in case.merchant.holds):
            events = (HoldLifted(at=case.at, code=self.code, by=self.by),)
        return Decision(events, record_receipt)


@frozen(kw_only=True)
class AskHolds(PersonalQuestion[Holds]):
    """Ask for the holds of the merchant, with their notes."""

    name = "holds"
    by_provider = True

    def decide(self, case: Case) -> Decision[Holds]:
        holds = tuple(
            NotedHold(
                code=hold.code,
                placed_at=hold.placed_at,
                by=hold.by,
                note=note_of(hold, case.profile),
            )
            for hold in case.merchant.holds
        )
        return Decision((), lambda _: Holds(holds=holds))


def note_of(hold: Hold, profile: Profile) -> str | None:
    """Return the note of *hold*, None without one."""
    section = profile.section(hold.sections.get("note"))
    return None if section is None else str(section.value)
