"""What the checks of a good merchant say."""

from __future__ import annotations

# Of a merchant to which Great Britain offers every product.
GOOD_EVIDENCE = {
    "identity_verified": True,
    "business_verified": True,
    "credit_score": 700,
    "average_monthly_takings": "40000.00",
    "months_trading": 41,
}
