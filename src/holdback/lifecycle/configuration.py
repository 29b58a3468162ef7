"""The configuration of an engine: the rules in force and what the host chose."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from datetime import date
from typing import Final, TypeAlias

from attrs import field, frozen
from pendulum import DateTime

from holdback.jurisdictions.jurisdiction import Jurisdictions
from holdback.jurisdictions.rulebook import Rulebook
from holdback.lifecycle.ids import IdFactory, id_factory
from holdback.lifecycle.instants import local_date
from holdback.model.merchant import Merchant
from holdback.offers.registry import PriceableProduct

# A function from application_id and provider_id to the links of an acceptance.
Links: TypeAlias = Callable[[str, str], Mapping[str, str]]
# Every acceptance has these (service 2.4).
REQUIRED_LINKS: Final = ("contract_link", "merchant_link")


@frozen(kw_only=True)
class Configuration:
    """
    The rules in force, and what the host chose when it built its engine.

    `products` are keyed by the code of their rulebook and the day from which it holds. `namespace`
    is the host's secret from which all ids are made.
    """

    jurisdictions: Jurisdictions
    products: Mapping[tuple[str, date], tuple[PriceableProduct, ...]] = field(repr=False)
    links: Links = field(repr=False)
    namespace: uuid.UUID = field(repr=False)

    def local_day(self, merchant: Merchant, at: DateTime) -> date:
        """Return the local date of *at* in the merchant's jurisdiction."""
        return local_date(at, self.jurisdictions.zone(merchant.jurisdiction))

    def rulebook(self, merchant: Merchant, at: DateTime) -> Rulebook:
        """Return the rulebook of the merchant's jurisdiction on the local date of *at*."""
        return self.jurisdictions.resolve(merchant.jurisdiction, on=self.local_day(merchant, at))

    def id_factory(self, merchant: Merchant, request_id: str) -> IdFactory:
        """Return the function that makes the ids issued in this request (decisions/ids)."""
        return id_factory(
            self.namespace, "request", merchant.partner, merchant.merchant_id, request_id
        )

    def provider_id(self, merchant: Merchant) -> str:
        """Return the merchant's provider_id, which depends on partner and merchant alone."""
        make_id = id_factory(self.namespace, "merchant", merchant.partner)
        return merchant.provider_id or make_id(merchant.merchant_id)
