"""Products as offered to one merchant, and the set issued together (service 2.2)."""

from __future__ import annotations

from typing import Final

from pendulum import DateTime

from holdback.exact.money import Money
from holdback.frozen_classes import frozen
from holdback.merchant.offer import Offer
from holdback.tool_named import shown_by

# The values of `decision`. The service specifies `Accepted` (service 2.2).
ACCEPTED: Final = "Accepted"
REFERRED: Final = "Referred"
DECLINED: Final = "Declined"


@frozen(kw_only=True)
class Limits:
    """The bounds of a product's amount, both inclusive (service 2.2)."""

    minimum: Money
    maximum: Money


@frozen(kw_only=True)
class Product:
    """
    A financing product with its decision and its offers, which only `Accepted` has (service 2.2).

    `key` is the product's name in `products.toml`, and `codes` are those of the reasons for another
    decision than `Accepted`. A renewal that is `queued` is funded when its base deal is repaid. The
    offers response shows none of these.
    """

    product_id: str
    key: str
    name: str
    description: str
    decision: str
    repayment_mechanism: str
    limits: Limits
    offers: tuple[Offer, ...] = ()
    codes: tuple[str, ...] = ()
    queued: bool = False

    def __repr__(self) -> str:
        return shown_by("merchants.product_repr", self)

    def _repr_html_(self) -> str:
        return shown_by("merchants.product_html", self)


@frozen(kw_only=True)
class Offers:
    """
    The reply to a request for offers: the products, and when the offers expire (service 2.2).

    The expiry is in UTC and in whole seconds.
    """

    products: tuple[Product, ...]
    expires_at: DateTime

    def __repr__(self) -> str:
        return shown_by("merchants.offers_repr", "Offers", self)

    def _repr_html_(self) -> str:
        return shown_by("merchants.offers_html", self)
