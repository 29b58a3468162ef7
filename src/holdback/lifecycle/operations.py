"""The table of operations: for each its name, its input, its handler and its reply.

Everything that needs to know the operations reads this table: `decide` and `Engine` carry them out,
`holdback.wire` reads their inputs and writes their replies, `holdback run` and `holdback.testing`
call them by name. To add an operation, follow "Add a command" in `CONTRIBUTING.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias, get_args

from holdback.eligibility import Assessment
from holdback.frozen_classes import frozen
from holdback.lifecycle import commands
from holdback.lifecycle.acceptance import accept_offer
from holdback.lifecycle.commands import Command, Question
from holdback.lifecycle.decision import Decision
from holdback.lifecycle.erasure import erase_profile
from holdback.lifecycle.fulfilment import close_application, fund_deal, supply_details
from holdback.lifecycle.lookup import assess_renewal, look_up
from holdback.lifecycle.offers import request_offers, required_checks
from holdback.lifecycle.remittances import close_deal, record_remittance, record_takings
from holdback.model.acceptance import Acceptance, ApplicationStatus
from holdback.model.application import Check, RequiredChecks
from holdback.model.deal import LookupDeal, MerchantLookup, Performance
from holdback.model.product import Offers
from holdback.model.receipt import DealReceipt, ProfileStatus, TakingsReceipt

__all__ = [
    "COMMANDS",
    "ApplicationStatus",
    "Check",
    "DealReceipt",
    "LookupDeal",
    "MerchantLookup",
    "Offers",
    "Performance",
    "ProfileStatus",
    "Reply",
    "RequiredChecks",
    "TakingsReceipt",
]

# A handler takes the merchant, the input, the context and the configuration; then the profile, if
# its operation does.
Handler: TypeAlias = Callable[..., Decision[Any]]

# What an operation replies with, which `wire.write` writes as JSON.
Reply: TypeAlias = (
    Offers
    | Acceptance
    | MerchantLookup
    | ApplicationStatus
    | DealReceipt
    | TakingsReceipt
    | ProfileStatus
    | RequiredChecks
    | Assessment
)


@frozen(kw_only=True)
class Operation:
    """
    One operation of the service.

    `input` is the class of the command or question, whose attributes are the fields of the JSON
    input. With `by_provider` the input is the merchant's provider_id alone. A handler that
    `checks_evidence` itself does so because the evidence allowed depends on its request. An
    operation that `takes_profile` reads the merchant's profile and gives it back changed. One that
    is `remembered` replies to a repetition by its request id; offers and acceptances are recognised
    by their own ids. `announces` says when a change of renewal eligibility is announced: with the
    events of the operation, never, or always, even without events.
    """

    name: str
    input: type[Command | Question]
    handler: Handler
    reply: type[Reply]
    by_provider: bool = False
    checks_evidence: bool = False
    announces: Literal["never", "with events", "always"] = "with events"
    takes_profile: bool = False
    remembered: bool = False

    @property
    def is_question(self) -> bool:
        """Whether the operation changes nothing."""
        return self.input in get_args(Question)


_OPERATIONS: Final = (
    Operation(
        name="request_offers",
        input=commands.RequestOffers,
        handler=request_offers,
        reply=Offers,
        takes_profile=True,
        checks_evidence=True,
        # Offers change nothing that eligibility depends on, and this is the busiest operation.
        announces="never",
    ),
    Operation(
        name="accept_offer",
        input=commands.AcceptOffer,
        handler=accept_offer,
        reply=Acceptance,
        takes_profile=True,
    ),
    Operation(
        name="supply_details",
        input=commands.SupplyDetails,
        handler=supply_details,
        reply=ApplicationStatus,
        takes_profile=True,
        remembered=True,
    ),
    Operation(
        name="close_application",
        input=commands.CloseApplication,
        handler=close_application,
        reply=ApplicationStatus,
        remembered=True,
    ),
    Operation(
        name="fund_deal",
        input=commands.FundDeal,
        handler=fund_deal,
        reply=DealReceipt,
        remembered=True,
    ),
    Operation(
        name="record_takings",
        input=commands.RecordTakings,
        handler=record_takings,
        reply=TakingsReceipt,
        remembered=True,
    ),
    Operation(
        name="record_remittance",
        input=commands.RecordRemittance,
        handler=record_remittance,
        reply=DealReceipt,
        remembered=True,
    ),
    Operation(
        name="close_deal",
        input=commands.CloseDeal,
        handler=close_deal,
        reply=DealReceipt,
        remembered=True,
    ),
    Operation(
        name="erase_profile",
        input=commands.EraseProfile,
        handler=erase_profile,
        reply=ProfileStatus,
        takes_profile=True,
    ),
    Operation(
        name="review_renewal",
        input=commands.ReviewRenewal,
        handler=assess_renewal,
        reply=Assessment,
        by_provider=True,
        announces="always",
    ),
    Operation(
        name="look_up",
        input=commands.LookUp,
        handler=look_up,
        reply=MerchantLookup,
        by_provider=True,
    ),
    Operation(
        name="assess_renewal",
        input=commands.AssessRenewal,
        handler=assess_renewal,
        reply=Assessment,
        by_provider=True,
    ),
    Operation(
        name="required_checks",
        input=commands.RequireChecks,
        handler=required_checks,
        reply=RequiredChecks,
        checks_evidence=True,
    ),
)

OPERATIONS: Final[Mapping[str, Operation]] = MappingProxyType(
    {operation.name: operation for operation in _OPERATIONS}
)
"""The operations by name."""

# The names of the operations that may change a merchant.
COMMANDS: Final = tuple(name for name, operation in OPERATIONS.items() if not operation.is_question)

_BY_INPUT: Final[Mapping[type, Operation]] = MappingProxyType(
    {operation.input: operation for operation in _OPERATIONS}
)


def operation_of(command: Command | Question) -> Operation:
    """
    Return the operation that carries out *command*.

    Raises:
        TypeError: *command* is not an instance of a class in the table.
    """
    operation = _BY_INPUT.get(type(command))
    if operation is None:
        raise TypeError(f"expected a command or a question, not `{type(command).__name__}`")
    return operation
