"""Service 5: authentication, which is the host's."""

from __future__ import annotations

from journey import Journey


def test_partners_do_not_share_anything():
    """
    The interface leaves "authentication" open (service 5). The host says who the partner is;
    merchants of two partners with the same `merchant_id` share nothing, not even an id.
    """
    ours, theirs = Journey(partner="acme"), Journey(partner="other")
    for journey in (ours, theirs):
        journey.ask()
        journey.accept()

    assert ours.merchant.provider_id != theirs.merchant.provider_id
    assert ours.acceptance.offer.offer_id != theirs.acceptance.offer.offer_id
    assert ours.acceptance.application_id != theirs.acceptance.application_id
