"""The daily review of every active deal: eligibility also changes with time (service 1)."""

from attrs import frozen

from fastapi_host.attempts import MerchantRequest, retry
from fastapi_host.documents import read_documents
from fastapi_host.logs import Note, log
from fastapi_host.problems import Problem
from holdback import HoldbackError, Refusal
from holdback.lifecycle.commands import ReviewRenewal


@frozen
class Reviewed:
    """The numbers of merchants that were reviewed, and that could not be."""

    merchants: int
    failed: int


def review(host, partners):
    """Review every merchant with an active deal; a failure does not stop the others."""
    merchants = failed = 0
    for partner in partners.partners:
        for merchant_id in _merchant_ids(host.store, partner):
            note = Note()
            try:
                merchants += _review(host, partner, merchant_id, note)
            except (HoldbackError, Problem) as error:
                failed += 1
                why = error.kind.code if isinstance(error, Problem) else type(error).__name__
                log("review_failed", request_id=note.request_id, partner=partner.name, why=why)
    log("reviewed", merchants=merchants, failed=failed)
    return Reviewed(merchants, failed)


def _merchant_ids(store, partner):
    """Yield the merchants of a partner, read in pages to keep memory small."""
    after = ""
    while page := retry(lambda after=after: store.merchant_ids(partner.name, after), Note()):
        yield from page
        after = page[-1]


def _review(host, partner, merchant_id, note):
    """Review one merchant, and return whether it had a deal to review."""
    key = {"partner": partner.name, "merchant_id": merchant_id}
    stored = retry(lambda: host.store.find(**key), note)
    if read_documents(stored).merchant.active_deal is None:
        return False
    merchant_request = MerchantRequest(
        partner=partner,
        caller="review",
        note=note,
        merchant_id=merchant_id,
        command=lambda *_: ReviewRenewal(),
    )
    try:
        host.carry_out(merchant_request)
    except Refusal:  # the deal ended after it was read
        return False
    return True
