"""Accepting an offer: the optional body of the request, and the reply (service 2.3 and 2.4)."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field

from holdback.frozen_classes import frozen
from holdback.frozen_values import frozen_texts
from holdback.model.offer import Offer
from holdback.model.validators import optional, text


@frozen(kw_only=True)
class BankDetails:
    """Where the funds go (service 2.3). Personal data: never shown, logged or digested."""

    account_number: str | None = field(default=None, repr=False, validator=optional(text))
    bank_name: str | None = field(default=None, repr=False, validator=optional(text))
    account_type: str | None = field(default=None, repr=False, validator=optional(text))
    sort_code: str | None = field(default=None, repr=False, validator=optional(text))


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
