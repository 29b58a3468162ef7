"""What an operation is: a class, of which everything that is known of the operation is read.

Its fields are the fields of its JSON input: their types say what a field takes, and a field with a
default may be omitted. Its docstring is its documentation, its type argument is its reply, and
`decide` is what it leads to. To add one, follow "Add a command" in `CONTRIBUTING.md`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal
from functools import cache
from typing import Annotated, Any, ClassVar, Final, Generic, TypeAlias, TypeVar, get_args

import attrs

from holdback.errors import ErrorDetail, InvalidDocument
from holdback.exact.exact_json import Json, Opaque, canonical
from holdback.exact.money import Money
from holdback.frozen_classes import frozen
from holdback.lifecycle.case import Case
from holdback.lifecycle.decision import Decision
from holdback.lifecycle.input_checks import Situation
from holdback.merchant.profile import Profile

Reply_co = TypeVar("Reply_co", covariant=True)

# Text of a person's own, with line breaks; every other text is an identifier.
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
    def input_errors(given: Any, situation: Situation) -> Iterator[ErrorDetail]:  # noqa: ARG004 - of those that check
        """
        Yield everything that is invalid in what is *given*, about a merchant in this *situation*.

        That is the operation, or those of its fields that could be read; the others are None.
        """
        return iter(())

    def check(self, situation: Situation) -> None:
        """
        Check the fields, about a merchant in this *situation*.

        Raises:
            InvalidDocument: naming everything that is invalid in them.
        """
        errors = list(self.input_errors(self, situation))
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


# -- The fingerprint of a command: the digest that tells a repetition from another request.
#
# Fingerprints are stored. INVARIANT: a field that is added to a command has a default, and a field
# with its default is left out, so a fingerprint made before stays the same.

# 128 bits: enough that no two requests of one merchant share a fingerprint.
_HEX_DIGITS: Final = 32
# What most fields hold, and JSON has.
_LEAVES: Final = frozenset({str, int, bool, Decimal, type(None)})


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
    if type(value) in _LEAVES:
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
