"""The daily look at every active deal: renewal eligibility changes as time passes (spec 1), also when nobody asks."""

from fastapi_host.attempts import Ask
from fastapi_host.logs import log
from holdback import Refusal, wire
from holdback.lifecycle.commands import ReviewRenewal


def review(host, partners):
    """Review every merchant of every partner that has an active deal; gives how many were reviewed."""
    reviewed = 0
    for partner in partners.partners:
        after = ""
        while merchant_ids := host.store.merchant_ids(partner.name, after):
            after = merchant_ids[-1]
            reviewed += sum(_review(host, partner, each) for each in merchant_ids)
    log("reviewed", merchants=reviewed)
    return reviewed


def _review(host, partner, merchant_id):
    found = host.store.find(partner=partner.name, merchant_id=merchant_id)
    if wire.read_merchant(found.state).active_deal is None:
        return False
    who = {"partner": partner, "caller": "review", "merchant_id": merchant_id}
    try:
        host.carry_out(Ask(**who, command=lambda _: ReviewRenewal()))
    except Refusal:  # the deal ended just now
        return False
    return True
