"""A product as it is offered to one merchant, and the set of products issued together (service 2.2)."""

from __future__ import annotations

from typing import Final

from attrs import frozen
from pendulum import DateTime

from holdback.model.offer import Offer
from holdback.money import Money

# The values of `decision`: the specification shows `Accepted`, the others are holdback's.
ACCEPTED: Final = "Accepted"
REFERRED: Final = "Referred"
DECLINED: Final = "Declined"


@frozen(kw_only=True)
class Limits:
    """The bounds of a product's amount (service 2.2); both belong to the range."""

    minimum: Money
    maximum: Money


@frozen(kw_only=True)
class Product:
    """
    A financing product with the decision on it and its offers (service 2.2). Only `Accepted` has offers.

    `key` is the product's name in `products.toml`; it is not written on the wire.
    """

    product_id: str
    key: str
    name: str
    description: str
    decision: str
    repayment_mechanism: str
    limits: Limits
    offers: tuple[Offer, ...] = ()


@frozen(kw_only=True)
class Offers:
    """
    The answer to a request for offers (service 2.2): one product per financing product, and the instant
    at which the set of offers expires, in UTC and whole seconds.
    """

    products: tuple[Product, ...]
    expires_at: DateTime
