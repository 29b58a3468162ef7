"""The daily look at every active deal: renewal eligibility changes as time passes (service 1), also when nobody asks."""

from attrs import frozen

from fastapi_host.attempts import Ask, again
from fastapi_host.logs import Note, log
from fastapi_host.problems import Problem
from holdback import InvalidDocument, Refusal, wire
from holdback.lifecycle.commands import ReviewRenewal


@frozen
class Reviewed:
    """How many merchants were reviewed, and how many could not be."""

    merchants: int
    failed: int


def review(host, partners):
    """Review every merchant of every partner that has an active deal. One that fails holds up no other."""
    merchants = failed = 0
    for partner in partners.partners:
        for merchant_id in _merchant_ids(host.store, partner):
            note = Note()
            try:
                merchants += _review(host, partner, merchant_id, note)
            except (InvalidDocument, Problem) as error:
                failed += 1
                why = error.kind.code if isinstance(error, Problem) else type(error).__name__
                log("review_failed", request_id=note.request_id, partner=partner.name, why=why)
    log("reviewed", merchants=merchants, failed=failed)
    return Reviewed(merchants, failed)


def _merchant_ids(store, partner):
    """Each merchant of a partner; they are read in parts, so that they need not all be held."""
    after = ""
    while part := again(lambda after=after: store.merchant_ids(partner.name, after), Note()):
        yield from part
        after = part[-1]


def _review(host, partner, merchant_id, note):
    """Whether there was a deal to review."""
    who = {"partner": partner.name, "merchant_id": merchant_id}
    found = again(lambda: host.store.find(**who), note)
    if wire.read_merchant(found.state).active_deal is None:
        return False
    ask = Ask(
        partner=partner,
        caller="review",
        note=note,
        merchant_id=merchant_id,
        command=lambda _: ReviewRenewal(),
    )
    try:
        host.carry_out(ask)
    except Refusal:  # the deal ended just now
        return False
    return True
