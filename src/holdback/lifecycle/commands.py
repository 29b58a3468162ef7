"""The inputs of the operations: one class for each command and each question.

A class declares the operation's JSON input too: its attributes are the fields, their types say what
a field takes, and an attribute with a default may be omitted. `holdback.wire` reads inputs, and
`holdback.testing` draws them, from this declaration.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal, TypeAlias, TypedDict, get_args

from attrs import converters, field
from pendulum import DateTime

from holdback.errors import ErrorDetail, InvalidDocument, did_you_mean
from holdback.exact.exact_json import field_path
from holdback.exact.frozen_values import frozen_record
from holdback.frozen_classes import frozen
from holdback.lifecycle.check_results import CheckResult
from holdback.lifecycle.money_commands import (
    Adjust,
    AskStatement,
    ChangeTerms,
    MoneyCommand,
    MoneyQuestion,
    PauseDeal,
    QuoteSettlement,
    RecordRecovery,
    Refund,
    Requote,
    ResumeDeal,
    SettleEarly,
    Transfer,
    UnwindDeal,
    WriteOff,
)
from holdback.merchant.acceptance import BankDetails
from holdback.merchant.application import OffersRequest
from holdback.merchant.deal import CANCELLED, DEFAULTED
from holdback.merchant.instants import as_instant
from holdback.merchant.ledger import Entry
from holdback.merchant.merchant import Takings
from holdback.merchant.referral import ReferralEnding
from holdback.merchant.validators import (
    day,
    instance_of,
    one_of,
    optional,
    plain_day,
    text,
    tuple_of,
)

__all__ = [
    "AcceptOffer",
    "Adjust",
    "AskApplications",
    "AskEvidence",
    "AskHolds",
    "AskReferrals",
    "AskStatement",
    "AssessRenewal",
    "ChangeBankDetails",
    "ChangeTerms",
    "CloseApplication",
    "CloseDeal",
    "Command",
    "DecideReferral",
    "DeclineOffers",
    "Details",
    "EraseProfile",
    "FundDeal",
    "LiftHold",
    "LookUp",
    "PauseDeal",
    "PlaceHold",
    "Question",
    "QuoteSettlement",
    "RecordConsents",
    "RecordEvidence",
    "RecordRecovery",
    "RecordRemittance",
    "RecordSignature",
    "RecordTakings",
    "Refund",
    "ReinstateDeal",
    "RequestOffers",
    "RequireChecks",
    "Requote",
    "ResumeDeal",
    "ReviewRenewal",
    "SettleEarly",
    "SupplyDetails",
    "Transfer",
    "UnwindDeal",
    "WriteOff",
]

# Text of a person's own, with line breaks; every other text is an identifier.
FreeText: TypeAlias = Annotated[str, "free text"]
# The words that end an application and a deal early. An application takes the word as its status.
ApplicationEnding: TypeAlias = Literal["declined", "withdrawn"]
DealEnding: TypeAlias = Literal["defaulted", "cancelled"]
# The status that a deal takes by each word.
DEAL_ENDINGS: Final[Mapping[str, str]] = MappingProxyType(
    {"defaulted": DEFAULTED, "cancelled": CANCELLED}
)


class Details(TypedDict, total=False):
    """What a request for offers may omit, and `supply_details` supplies, by name."""

    bank_details: BankDetails | None
    intended_use_of_funds: str | None


def _until(value: datetime) -> DateTime:
    return as_instant(value, "$.until")


def _flags_by_name(_: object, attribute: Any, value: Any) -> None:
    if not isinstance(value, Mapping) or not all(
        type(name) is str and name and type(given) is bool for name, given in value.items()
    ):
        message = "expected true or false by the name of a consent"
        raise InvalidDocument.of("wrong_type", message, path=f"$.{attribute.name}")


DETAILS: Final = tuple(Details.__annotations__)
_BANK_DETAILS = optional(instance_of(BankDetails, "bank details, `BankDetails`"))


@frozen(kw_only=True)
class RequestOffers:
    """Price offers for an application, initial or renewal (service 4.1)."""

    request: OffersRequest = field(validator=instance_of(OffersRequest, "a request for offers"))


@frozen(kw_only=True)
class AcceptOffer:
    """Accept one offer on the merchant's behalf (service 4.2)."""

    offer_id: str = field(validator=text)
    bank_details: BankDetails | None = field(default=None, repr=False, validator=_BANK_DETAILS)


@frozen(kw_only=True)
class SupplyDetails:
    """Supply details that the application omitted, so that it can be submitted."""

    application_id: str = field(validator=text)
    bank_details: BankDetails | None = field(default=None, repr=False, validator=_BANK_DETAILS)
    intended_use_of_funds: FreeText | None = field(
        default=None, repr=False, validator=optional(text)
    )

    @classmethod
    def of(cls, application_id: str, details: Details) -> SupplyDetails:
        """
        Return the command that supplies *details*, which are given by name.

        Raises:
            InvalidDocument: a name is not in `DETAILS`, or a value is invalid.
        """
        _check_names(details)
        return cls(application_id=application_id, **details)


def _check_names(details: object) -> None:
    if not isinstance(details, Mapping):
        raise InvalidDocument.of("wrong_type", "expected details by name", path="$.details")
    errors = [
        ErrorDetail(
            code="unknown_field",
            message="unknown detail",
            path=field_path("$.details", name),
            hint=did_you_mean(str(name), DETAILS),
        )
        for name in details
        if name not in DETAILS
    ]
    if errors:
        raise InvalidDocument(errors)


@frozen(kw_only=True)
class CloseApplication:
    """End an application in fulfilment without a deal."""

    application_id: str = field(validator=text)
    status: ApplicationEnding = field(validator=one_of(*get_args(ApplicationEnding)))


@frozen(kw_only=True)
class FundDeal:
    """Fund a submitted application: its deal begins, and a renewal settles its base deal."""

    application_id: str = field(validator=text)


@frozen(kw_only=True)
class RecordTakings:
    """Record days of takings, complete up to `complete_through` where it is given."""

    takings: tuple[Takings, ...] = field(
        validator=tuple_of(instance_of(Takings, "days of takings"))
    )
    complete_through: date | None = field(
        default=None, converter=converters.optional(plain_day), validator=optional(day)
    )


@frozen(kw_only=True)
class RecordRemittance:
    """Record entries of a deal, complete up to `complete_through` where it is given."""

    deal_id: str = field(validator=text)
    entries: tuple[Entry, ...] = field(validator=tuple_of(instance_of(Entry, "entries")))
    complete_through: date | None = field(
        default=None, converter=converters.optional(plain_day), validator=optional(day)
    )


@frozen(kw_only=True)
class CloseDeal:
    """End the active deal early."""

    deal_id: str = field(validator=text)
    status: DealEnding = field(validator=one_of(*get_args(DealEnding)))


@frozen(kw_only=True)
class EraseProfile:
    """Erase the merchant's personal data, and withdraw its open offers."""


@frozen(kw_only=True)
class ReviewRenewal:
    """Assess the renewal again, and announce a change of eligibility."""


@frozen(kw_only=True)
class ReinstateDeal:
    """Undo a default that was recorded by mistake."""

    deal_id: str = field(validator=text)


@frozen(kw_only=True)
class RecordEvidence:
    """Record results of checks, whenever they were made."""

    records: tuple[CheckResult, ...] = field(
        validator=tuple_of(instance_of(CheckResult, "results of checks, `CheckResult`"))
    )


@frozen(kw_only=True)
class DecideReferral:
    """
    Decide a referral: approve the product, or decline it, until the instant `until`.

    `by` is the host's identifier of the person, not a name. The note is kept in the profile.
    """

    application_id: str = field(validator=text)
    product: str = field(validator=text)
    decision: ReferralEnding = field(validator=one_of(*get_args(ReferralEnding)))
    by: str = field(validator=text)
    note: FreeText | None = field(default=None, repr=False, validator=optional(text))
    until: DateTime | None = field(default=None, converter=converters.optional(_until))


@frozen(kw_only=True)
class PlaceHold:
    """Hold the merchant: nothing is offered, accepted or funded until the hold is lifted."""

    code: str = field(validator=text)
    by: str = field(validator=text)
    note: FreeText | None = field(default=None, repr=False, validator=optional(text))


@frozen(kw_only=True)
class LiftHold:
    """Lift the hold with this code."""

    code: str = field(validator=text)
    by: str = field(validator=text)


@frozen(kw_only=True)
class DeclineOffers:
    """Decline the open offers of an application, on the merchant's behalf."""

    application_id: str = field(validator=text)


@frozen(kw_only=True)
class RecordSignature:
    """Record that the merchant signed: the host's name of the document, and its digest."""

    application_id: str = field(validator=text)
    document: str = field(validator=text)
    digest: str = field(validator=text)


@frozen(kw_only=True)
class ChangeBankDetails:
    """Correct the bank details of the application in fulfilment, or change those that are held."""

    bank_details: BankDetails = field(
        repr=False, validator=instance_of(BankDetails, "bank details, `BankDetails`")
    )


@frozen(kw_only=True)
class RecordConsents:
    """Record consents that the merchant gave or withdrew, by name."""

    consents: Mapping[str, bool] = field(
        converter=frozen_record, repr=False, validator=_flags_by_name
    )


# The input of an operation that may change the merchant.
Command: TypeAlias = (
    MoneyCommand
    | RequestOffers
    | AcceptOffer
    | SupplyDetails
    | CloseApplication
    | FundDeal
    | RecordTakings
    | RecordRemittance
    | CloseDeal
    | EraseProfile
    | ReviewRenewal
    | ReinstateDeal
    | RecordEvidence
    | DecideReferral
    | PlaceHold
    | LiftHold
    | DeclineOffers
    | RecordSignature
    | ChangeBankDetails
    | RecordConsents
)


@frozen(kw_only=True)
class LookUp:
    """Ask for the merchant's deals (service 4.3)."""


@frozen(kw_only=True)
class AssessRenewal:
    """Ask for the assessment of the deal that a renewal would be based on."""


@frozen(kw_only=True)
class RequireChecks:
    """Ask which checks are required before this request for offers."""

    request: OffersRequest = field(validator=instance_of(OffersRequest, "a request for offers"))


@frozen(kw_only=True)
class AskApplications:
    """Ask for the merchant's applications, as its partner may see them."""


@frozen(kw_only=True)
class AskReferrals:
    """Ask what a person has to decide about the merchant, and what was decided."""


@frozen(kw_only=True)
class AskHolds:
    """Ask for the holds of the merchant, with their notes."""


@frozen(kw_only=True)
class AskEvidence:
    """Ask for the newest record of each check, and whether it counts."""


# A question: the input of an operation that changes nothing and has no events.
Question: TypeAlias = (
    MoneyQuestion
    | LookUp
    | AssessRenewal
    | RequireChecks
    | AskApplications
    | AskReferrals
    | AskHolds
    | AskEvidence
)
