"""What was decided about an invitation to renew."""

from __future__ import annotations

from typing import Final

from holdback.eligibility.assessment import Assessment
from holdback.errors import ErrorDetail
from holdback.frozen_classes import frozen
from holdback.lifecycle.status import RenewalCase

# What decided the eligibility.
RULES: Final = "rules"
PRODUCTS: Final = "products"
SERVICE: Final = "service"


@frozen(kw_only=True)
class Invitation:
    """
    Whether the active deal may be renewed, and what decided: the rules, the products, the service.

    `assessment` is that of the renewal, with what an approval lifts for the product that decided.
    `errors` are those of calculators, which the host has to repair: nobody is invited with them.
    """

    eligible: bool
    decided_by: str
    case: RenewalCase | None = None
    assessment: Assessment | None = None
    errors: tuple[ErrorDetail, ...] = ()
