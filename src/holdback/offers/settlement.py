"""What repaying a deal early costs less, by the calculator of its product."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from holdback.errors import ConfigurationError, ErrorDetail
from holdback.exact.money import Money
from holdback.offers.calculator import SettlementCase
from holdback.offers.registry import bind, registered
from holdback.rulebooks.product_terms import CalculatorChoice
from holdback.rulebooks.rulebook import Rulebook

_ALL = Decimal(100)


def settlement_discount(
    rulebook: Rulebook, product_key: str, calculators: Mapping[str, type], case: SettlementCase
) -> Money:
    """
    Return what is taken off the balance of a deal that is repaid early, as in *case*.

    The product with *product_key* in *rulebook* names the calculator; *calculators* are the host's
    own, by name. The discount is zero where the product has none, or is no longer there.

    Raises:
        ConfigurationError: when the calculator fails, or returns anything but `Money` from zero to
            the remaining cost, rounded up; when it is not registered, or its settings are invalid.
    """
    offered = tuple(terms for terms in rulebook.products if terms.key == product_key)
    if not offered or offered[0].settlement is None:
        return Money(0, case.currency)
    choice = offered[0].settlement
    only = rulebook.altered(products=offered)
    (product,) = bind(only, registered(calculators), lambda _, key: key)
    named = f"the calculator `{choice.full_name}` of the product `{product_key}` of {rulebook.code}"
    assert product.settlement is not None, "the product names one"
    try:
        discount: Any = product.settlement(case)
    except Exception as error:
        # What it says is in the cause: it may follow from a merchant's figures.
        message = f"{named} failed with `{type(error).__name__}`"
        raise _wrong_result(choice, message) from error
    most = case.of_remaining_cost(_ALL, "up")
    if (
        type(discount) is not Money
        or discount.currency != case.currency
        or not 0 <= discount.minor <= most.minor
    ):
        expected = f"`Money` in {case.currency}, from zero to the remaining cost"
        raise _wrong_result(choice, f"{named} returned something else than {expected}")
    return discount


def _wrong_result(choice: CalculatorChoice, message: str) -> ConfigurationError:
    error = ErrorDetail(code="wrong_result", message=message, **choice.place())
    return ConfigurationError([error])
