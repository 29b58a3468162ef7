"""Section 5 of the specification: authentication is not shown, and is the host's."""

from __future__ import annotations

from journey import Journey


def test_partners_do_not_share_anything():
    """
    "Authentication: not shown." Who a partner is, the host says; merchants of two partners with the same
    merchant_id have nothing in common, not even an id.
    """
    ours, theirs = Journey(partner="acme"), Journey(partner="other")
    for each in (ours, theirs):
        each.ask()
        each.accept()

    assert ours.merchant.provider_id != theirs.merchant.provider_id
    assert ours.acceptance.offer.offer_id != theirs.acceptance.offer.offer_id
    assert ours.acceptance.application_id != theirs.acceptance.application_id
