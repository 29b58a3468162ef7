"""The events of checks, of people's decisions, and of applications that wait for them."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field

from holdback.exact.frozen_values import FrozenMapping, frozen_texts
from holdback.frozen_classes import frozen
from holdback.lifecycle.envelope import Envelope
from holdback.merchant.evidence import CheckRecord
from holdback.merchant.merchant import Signature
from holdback.merchant.referral import Hold, ReferralDecision


@frozen(kw_only=True)
class EvidenceRecorded(Envelope):
    """
    Results of checks were recorded, in whichever order they were made.

    `jurisdiction` is the merchant's: this may be its first event.
    """

    jurisdiction: str
    records: tuple[CheckRecord, ...]


@frozen(kw_only=True)
class ReferralDecided(Envelope):
    """A person decided a referral, so the partner may ask again; `sections` name the note."""

    decision: ReferralDecision


@frozen(kw_only=True)
class HoldPlaced(Envelope):
    """An agent holds the merchant."""

    hold: Hold


@frozen(kw_only=True)
class HoldLifted(Envelope):
    """The hold with this code was lifted, by the person whose identifier is `by`."""

    code: str
    by: str


@frozen(kw_only=True)
class OffersDeclined(Envelope):
    """The open offers of an application were declined on the merchant's behalf."""

    application_id: str


@frozen(kw_only=True)
class ApplicationLapsed(Envelope):
    """The application was not funded in time."""

    application_id: str


@frozen(kw_only=True)
class SignatureRecorded(Envelope):
    """The merchant signed the contract of the application."""

    application_id: str
    signature: Signature


@frozen(kw_only=True)
class BankDetailsChanged(Envelope):
    """
    The bank details were changed: those held, and those of the application in fulfilment, if any.

    `omitted` names what that application still lacks. `sections` names the details in the profile.
    """

    application_id: str | None = None
    omitted: tuple[str, ...] = ()
    sections: Mapping[str, str] = field(factory=FrozenMapping, converter=frozen_texts, repr=False)


@frozen(kw_only=True)
class ConsentsRecorded(Envelope):
    """
    Consents were given or withdrawn; `sections` names all of them in the profile.

    `given` are those given, of those that the jurisdiction names.
    """

    given: tuple[str, ...]
    sections: Mapping[str, str] = field(factory=FrozenMapping, converter=frozen_texts, repr=False)


@frozen(kw_only=True)
class DealReinstated(Envelope):
    """The default of the deal had been recorded by mistake; the deal is active again."""

    deal_id: str
