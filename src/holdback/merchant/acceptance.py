"""Accepting an offer: the optional body of the request, and the reply (service 2.3 and 2.4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from attrs import field

from holdback.frozen_classes import FrozenMapping, frozen, frozen_texts
from holdback.merchant.offer import Offer
from holdback.merchant.validators import optional, text

# The fields of bank details that the service specifies (service 2.3).
SPECIFIED_DETAILS: Final = ("account_number", "bank_name", "account_type", "sort_code")


def _texts(_: object, attribute: Any, value: Any) -> None:
    for name, content in value.items():
        text(_, attribute, name)
        text(_, attribute, content)


# What a request for offers may omit, and `SupplyDetails` supplies.
DETAILS: Final = ("bank_details", "intended_use_of_funds")


@frozen(kw_only=True)
class BankDetails:
    """
    Where the funds go (service 2.3). Personal data: never shown, logged or digested.

    `more` has the fields that a jurisdiction names besides the specified ones, such as `iban`.
    """

    account_number: str | None = field(default=None, repr=False, validator=optional(text))
    bank_name: str | None = field(default=None, repr=False, validator=optional(text))
    account_type: str | None = field(default=None, repr=False, validator=optional(text))
    sort_code: str | None = field(default=None, repr=False, validator=optional(text))
    more: Mapping[str, str] = field(
        factory=FrozenMapping, converter=frozen_texts, repr=False, validator=_texts
    )

    @classmethod
    def of(cls, fields: Mapping[str, str]) -> BankDetails:
        """Return the bank details with *fields*, specified ones and others, by name."""
        specified = {name: fields[name] for name in SPECIFIED_DETAILS if name in fields}
        more = {name: content for name, content in fields.items() if name not in specified}
        return cls(**specified, more=more)

    @property
    def given(self) -> dict[str, str]:
        """The fields that are given, by name."""
        specified = {name: getattr(self, name) for name in SPECIFIED_DETAILS}
        return {n: content for n, content in {**specified, **self.more}.items() if content}

    def lacks(self, needed: Iterable[str]) -> tuple[str, ...]:
        """Return those of the fields *needed* that are not given."""
        given = self.given
        return tuple(name for name in needed if name not in given)


@frozen(kw_only=True)
class Acceptance:
    """
    The reply to an accepted offer (service 2.4).

    `links` holds at least `contract_link` and `merchant_link`. They are personal to the merchant
    and are not shown.
    """

    application_id: str
    provider_id: str
    offer: Offer
    links: Mapping[str, str] = field(converter=frozen_texts, repr=False)


@frozen(kw_only=True)
class AcceptanceIds:
    """The ids that the acceptance of an offer has, known before it is carried out."""

    application_id: str
    provider_id: str


@frozen(kw_only=True)
class ApplicationStatus:
    """The status of an accepted application, and the details that are still to be supplied."""

    application_id: str
    status: str
    omitted: tuple[str, ...] = ()
