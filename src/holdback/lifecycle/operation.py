"""What an operation is: a class, of which everything that is known of the operation is read.

Its fields are the fields of its JSON input: their types say what a field takes, and a field with a
default may be omitted. Its docstring is its documentation, its type argument is its reply, and
`decide` is what it leads to. To add one, follow "Add an operation" in `CONTRIBUTING.md`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from functools import cache
from typing import Annotated, Any, ClassVar, Final, Generic, Literal, TypeAlias, TypeVar, get_args

import attrs
from attrs import evolve, field
from pendulum import DateTime

from holdback.errors import ErrorDetail, InvalidDocument
from holdback.exact.exact_json import Json, Opaque, canonical
from holdback.exact.money import Money
from holdback.frozen_classes import PLAIN, frozen
from holdback.lifecycle.configuration import Configuration, IdFactory
from holdback.lifecycle.context import Context
from holdback.lifecycle.events import Event, OfferAccepted, OfferRequoted, OffersIssued
from holdback.lifecycle.input_checks import InputContext
from holdback.lifecycle.offers.renewal_eligibility import RenewalEligibility
from holdback.merchant.merchant import Merchant
from holdback.merchant.profile import Profile
from holdback.merchant.receipt import (
    DealReceipt,
    Receipt,
    RecordReceipt,
    SuspenseReceipt,
    TakingsReceipt,
)
from holdback.rulebooks.rulebook import Rulebook

Reply_co = TypeVar("Reply_co", covariant=True)
_R = TypeVar("_R")
# Text of a person's own, with line breaks; every other text is an identifier. How long they may be
# is in `wire.fields`.
FreeText: TypeAlias = Annotated[str, "free text"]


@frozen
class Operation(Generic[Reply_co]):
    """
    What a host asks of an engine about one merchant, generic in its reply.

    `Engine.carry_out` carries it out. A command may change the merchant; a question changes nothing
    and takes no evidence. The personal ones take the merchant's profile.
    """

    name: ClassVar[str]
    """The name by which hosts, scenarios and journals know it."""
    reply: ClassVar[type]
    """The class of its reply."""
    is_question: ClassVar[bool] = False
    """Whether it changes nothing."""
    takes_profile: ClassVar[bool] = False
    """Whether it reads the merchant's profile, which may be another afterwards."""
    remembered: ClassVar[bool] = True
    """
    Whether a repetition is known by its request id.

    Offers and acceptances are recognised by their own ids.
    """
    always_announces: ClassVar[bool] = False
    """Whether a change of renewal eligibility is announced when it has no events of its own too."""
    by_provider: ClassVar[bool] = False
    """Whether its input is the merchant's provider_id alone."""

    def __init_subclass__(cls) -> None:
        """Read the class of the reply from the base, such as `Command[DealReceipt]`."""
        super().__init_subclass__()
        (cls.reply,) = get_args(cls.__orig_bases__[0])  # type: ignore[attr-defined]  # typing sets it

    @staticmethod
    def input_errors(given: Any, input_context: InputContext) -> Iterator[ErrorDetail]:  # noqa: ARG004 - of those that check
        """
        Yield everything that is invalid in what is *given*, read with this *input_context*.

        That is the operation, or those of its fields that could be read; the others are None.
        """
        return iter(())

    def check(self, input_context: InputContext) -> None:
        """
        Check the fields with this *input_context*.

        Raises:
            InvalidDocument: naming everything that is invalid in them.
        """
        errors = list(self.input_errors(self, input_context))
        if errors:
            raise InvalidDocument(errors)

    def decide(self, case: Case) -> Decision[Reply_co]:
        """
        Return what the operation leads to: its events, and its reply.

        Decided again after these events, it has no more events and the same reply.
        """
        raise NotImplementedError  # abstract: each operation has its own


class Command(Operation[Reply_co]):
    """An operation that may change the merchant."""

    __slots__ = ()


class PersonalCommand(Operation[Reply_co]):
    """A command that takes the merchant's profile."""

    __slots__ = ()

    takes_profile = True


class Question(Operation[Reply_co]):
    """An operation that changes nothing and has no events."""

    __slots__ = ()

    is_question = True
    remembered = False


class PersonalQuestion(Operation[Reply_co]):
    """A question that takes the merchant's profile."""

    __slots__ = ()

    is_question = True
    remembered = False
    takes_profile = True


# -- The case that an operation decides: a merchant, the attempt, and the rules in force.


@frozen(kw_only=True)
class Case:
    """
    Everything that the decision of an operation depends on, besides its own fields.

    The context is not before the last event of the merchant. `given_profile` is None where the host
    gave none.
    """

    merchant: Merchant
    context: Context
    configuration: Configuration
    given_profile: Profile | None = field(default=None, repr=False)

    @property
    def profile(self) -> Profile:
        """The merchant's profile, for an operation that takes it."""
        assert self.given_profile is not None, "an operation that takes the profile has it"
        return self.given_profile

    @property
    def at(self) -> DateTime:
        """The instant of the attempt."""
        return self.context.at

    @property
    def day(self) -> date:
        """The local date of that instant in the merchant's jurisdiction."""
        return self.configuration.local_day(self.merchant, self.at)

    @property
    def input_context(self) -> InputContext:
        """What the operation's fields are checked with."""
        return self.configuration.input_context(self.merchant, self.context)

    @property
    def make_id(self) -> IdFactory:
        """The function that makes the ids issued in this attempt."""
        return self.configuration.id_factory(self.merchant, self.context.request_id)

    @property
    def provider_id(self) -> str:
        """The merchant's provider_id, also before its first acceptance."""
        return self.configuration.provider_id(self.merchant)

    def rulebook(self) -> Rulebook:
        """
        Return the rulebook of the merchant's jurisdiction on this day.

        Raises:
            Refusal: `not_possible_now`, no rulebook is loaded for the merchant.
            ConfigurationError: the merchant is new, and its jurisdiction is not loaded.
        """
        return self.configuration.rulebook(self.merchant, self.at)

    def loaded_rulebook(self) -> Rulebook | None:
        """
        Return the same rulebook, None for a known merchant if it is not loaded.

        Raises:
            ConfigurationError: as `rulebook`.
        """
        return self.configuration.loaded_rulebook(self.merchant, self.at)


# -- What an operation decides, and the outcome when it is carried out.

# What a partner can find a merchant by, besides its own merchant_id.
NameKind: TypeAlias = Literal["offer_id", "provider_id"]


@frozen
class Decision(Generic[Reply_co]):
    """
    The events of a command, and its reply as a function of the merchant after them.

    The reply is a function because some replies show the state after the events. `profile` is None
    where it does not change. `errors` are those of the host's calculators that made a renewal
    ineligible. `eligibility` is what the decisions on all products of a renewal lead to, so that
    they are not made twice.
    """

    events: tuple[Event, ...]
    reply: Callable[[Merchant], Reply_co]
    profile: Profile | None = None
    errors: tuple[ErrorDetail, ...] = ()
    eligibility: RenewalEligibility | None = None


@frozen
class Outcome(Generic[Reply_co]):
    """
    The outcome of an operation: the reply to send, the events, and the documents to store.

    Without events nothing has changed: the operation is a question or was carried out before.
    `profile` is the one to store: the one that was given, changed or not; None if none was given.
    `errors` are those of the host's calculators that kept a renewal from being eligible: the host
    repairs them, and no partner sees them.
    """

    reply: Reply_co
    events: tuple[Event, ...]
    merchant: Merchant
    profile: Profile | None = field(default=None, repr=False)
    errors: tuple[ErrorDetail, ...] = ()

    @property
    def names(self) -> tuple[tuple[NameKind, str], ...]:
        """
        The names by which the partner can find the merchant from now on, each with its kind.

        A host that finds merchants by them stores them beside the merchant. A partner's merchant
        keeps its provider_id, so that one may be stored already.
        """
        return tuple(name for event in self.events for name in _names_in(event))


def _names_in(event: Event) -> Iterator[tuple[NameKind, str]]:
    if isinstance(event, OffersIssued):
        for product in event.offer_set.products:
            for offer in product.offers:
                yield "offer_id", offer.offer_id
    elif isinstance(event, OfferRequoted):
        for offer in event.offers:
            yield "offer_id", offer.offer_id
    elif isinstance(event, OfferAccepted):
        yield "provider_id", event.provider_id


# -- The receipts of servicing operations, and the replies to requests that are repeated.


def deal_receipt(deal_id: str, command: Any) -> Callable[[Merchant], DealReceipt]:
    """The reply of *command*, about one deal, as a function of the merchant after it."""

    def reply(after: Merchant) -> DealReceipt:
        deal = after.deal_of(deal_id)
        assert deal is not None, "the operation was about this deal"
        return DealReceipt(
            deal_id=deal_id,
            entry_ids=_entry_ids(command),
            sequence=after.sequence,
            balance=deal.balance,
        )

    return reply


def takings_receipt(days: int) -> Callable[[Merchant], TakingsReceipt]:
    """The reply of a command that recorded *days* of takings, as `deal_receipt` returns it."""

    def reply(after: Merchant) -> TakingsReceipt:
        return TakingsReceipt(
            days=days, complete_through=after.takings_complete_through, sequence=after.sequence
        )

    return reply


def suspense_receipt(suspense_id: str) -> Callable[[Merchant], SuspenseReceipt]:
    """The reply of a command about cash in suspense, as `deal_receipt` returns it."""

    def reply(after: Merchant) -> SuspenseReceipt:
        left = after.suspense.left_of(suspense_id)
        assert left is not None, "the operation was about this cash"
        return SuspenseReceipt(suspense_id=suspense_id, sequence=after.sequence, left=left)

    return reply


def record_receipt(after: Merchant) -> RecordReceipt:
    """Return the reply of a command that recorded something about the merchant."""
    return RecordReceipt(sequence=after.sequence)


def without_entries(receipt: _R) -> _R:
    """Return *receipt* as it is remembered: a repeated command has its entries again."""
    return evolve(receipt, entry_ids=()) if isinstance(receipt, DealReceipt) else receipt


def repeated_reply(receipt: Receipt, command: Any) -> Receipt:
    """Return the reply to *command*, which was carried out before with this *receipt*."""
    if isinstance(receipt, DealReceipt):
        return evolve(receipt, entry_ids=_entry_ids(command))
    return receipt


def _entry_ids(command: Any) -> tuple[str, ...]:
    entries = getattr(command, "entries", ())
    movement = getattr(command, "id", None)  # of a command about one movement
    return tuple(entry.id for entry in entries) + (() if movement is None else (movement,))


# -- The fingerprint of a command: the digest that tells a repetition from another request.
#
# Fingerprints are stored. INVARIANT: a field that is added to a command has a default, and a field
# with its default is left out, so a fingerprint made before stays the same.

# 128 bits: enough that no two requests of one merchant share a fingerprint.
_HEX_DIGITS: Final = 32


def fingerprint(operation: Operation[Any], profile: Profile | None) -> str:
    """
    Return the fingerprint of *operation*, by its name and its fields.

    The digest of a command with personal data is keyed by the *profile*'s salt.
    """
    profile = profile if operation.takes_profile else None
    content = {"operation": operation.name, **_fields(operation, profile)}
    if profile is not None:
        return profile.digest(content)
    return hashlib.sha256(canonical(content)).hexdigest()[:_HEX_DIGITS]


def _fields(value: Any, profile: Profile | None) -> dict[str, Json]:
    return {
        alias: _plain(content, profile)
        for alias, name, default in _names(type(value))  # type: ignore[arg-type]  # a class is hashable
        if (content := getattr(value, name)) != _default_in(value, default)
    }


@cache
def _names(kind: type) -> tuple[tuple[str, str, Any], ...]:
    """Return, for each field of *kind*, its name in a fingerprint, its own, and its default."""
    return tuple(
        (attribute.alias or attribute.name, attribute.name, _default(attribute.default))
        for attribute in attrs.fields(kind)
    )


def _default(default: Any) -> Any:
    if isinstance(default, attrs.Factory) and not default.takes_self:  # type: ignore[arg-type]  # a class
        return default.factory()
    return default


def _default_in(value: Any, default: Any) -> Any:
    """Return the *default* of a field of *value*, which may depend on its other fields."""
    return default.factory(value) if isinstance(default, attrs.Factory) else default  # type: ignore[arg-type]  # a class


def _plain(value: Any, profile: Profile | None) -> Json:
    if type(value) in PLAIN:
        return value
    if isinstance(value, Money):
        return str(value)
    if isinstance(value, date):  # a `datetime` too
        return value.isoformat()
    if isinstance(value, Opaque):
        assert profile is not None, "an operation with personal data takes the profile"
        return profile.digest(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, tuple):
        return [_plain(item, profile) for item in value]
    return _fields(value, profile) if attrs.has(type(value)) else value
