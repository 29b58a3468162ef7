"""The reply to a review of a renewal."""

from __future__ import annotations

from holdback.eligibility.assessment import Assessment
from holdback.frozen_classes import frozen
from holdback.merchant.application import Check


@frozen(kw_only=True)
class RenewalReview:
    """
    Whether the merchant is to be invited to renew, what decided it, and what is missing for it.

    `decided_by` is `rules`, `products`, or `service`, which invites nobody in fulfilment or on
    hold. `checks` are those without which alone the rules do not agree: the host carries them out
    and records them.
    """

    assessment: Assessment
    renewal_eligibility: bool
    decided_by: str
    checks: tuple[Check, ...] = ()
