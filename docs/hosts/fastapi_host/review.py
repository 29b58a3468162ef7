"""
The daily review of every active deal: eligibility also changes with time (service 1).

A run has a name, by default the day. It may be stopped and started again, and several processes may
share it: `pages` says who reviews what. A merchant that is reviewed twice, because a process died
before it saved its page, gets no second event.
"""

import time
from datetime import UTC

from attrs import frozen

from fastapi_host.attempts import MerchantRequest, retry
from fastapi_host.documents import read_documents
from fastapi_host.logs import Note, log
from fastapi_host.pages import claim, finish, is_done, pages_of, release, save
from fastapi_host.problems import Problem
from holdback import HoldbackError, Refusal
from holdback.operations import ReviewRenewal

SAVE_EVERY = 10  # seconds
PAUSE = 1  # seconds between two looks at the pages of other processes


@frozen
class Reviewed:
    """The numbers of merchants that were reviewed, and that could not be."""

    merchants: int = 0
    failed: int = 0

    def __add__(self, other):
        return Reviewed(self.merchants + other.merchants, self.failed + other.failed)


def review(  # noqa: PLR0913 - what is reviewed, and the clock and the end of a process
    host, partners, run=None, *, now=time.time, stop=lambda: False, pause=time.sleep
):
    """
    Review what is left of a run: every merchant with an active deal. The run is then complete.

    A failure does not stop the others. With `stop()` it ends after the current merchant, and the
    next process of the run goes on there.
    """
    run = run or host.clock().astimezone(UTC).date().isoformat()
    store, reviewed = host.store, Reviewed()
    for partner in partners.partners:
        of = _again(pages_of, store, partner.name)
        while not stop():
            page = _again(claim, store, run, partner.name, int(now()))
            if page is None and _again(is_done, store, run, partner.name):
                break
            if page is None:  # other processes have the last pages; if one dies, this one goes on
                pause(PAUSE)
                continue
            done = _review_page(host, partner, page, now, stop)
            reviewed += done
            progress = {"page": page.number, "of": max(of, page.number)}
            log("review_page", run=run, partner=partner.name, **progress, **_numbers(done))
    log("reviewed", run=run, **_numbers(reviewed))
    return reviewed


def _again(call, *given):
    """Return what `call` returns, called again after a conflict."""
    return retry(lambda: call(*given), Note())


def _numbers(reviewed):
    return {"merchants": reviewed.merchants, "failed": reviewed.failed}


def _review_page(host, partner, page, now, stop):
    """Review the merchants of a page, until it is done, or another process has it, or `stop()`."""
    store, reviewed, saved = host.store, Reviewed(), now()
    for merchant_id in _again(store.merchant_ids, partner.name, page.reached, page.last):
        if stop():
            _again(release, store, page, int(now()))
            return reviewed
        if now() - saved >= SAVE_EVERY:
            saved = now()
            if not _again(save, store, page, int(saved)):
                log("review_page_lost", run=page.run, partner=partner.name, page=page.number)
                return reviewed
        reviewed += _review_or_log(host, partner, merchant_id)
        page.reached = merchant_id
    _again(finish, store, page, int(now()))
    return reviewed


def _review_or_log(host, partner, merchant_id):
    note = Note()
    try:
        return Reviewed(merchants=int(_review(host, partner, merchant_id, note)))
    except (HoldbackError, Problem) as error:
        why = error.kind.code if isinstance(error, Problem) else type(error).__name__
        log("review_failed", request_id=note.request_id, partner=partner.name, why=why)
        return Reviewed(failed=1)


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
