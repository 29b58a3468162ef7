"""A clock that is years off ruins no merchant, and one that was silent for years is served."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import fastapi_calls as fixtures
import pytest
from fastapi_calls import START, Merchant, Service, code, database
from fastapi_host.attempts import MOST_APART
from fastapi_host.review import Reviewed, review

place, service, merchant = fixtures.place, fixtures.service, fixtures.merchant

TEN_YEARS = timedelta(days=3_653)
CONSENTS = {"consents": {"credit_check": True}}
IMPLAUSIBLE = (503, "implausible_time")


@pytest.mark.parametrize("off", [TEN_YEARS, -TEN_YEARS])
def test_a_wrong_clock_ruins_nothing(merchant, off):
    """
    While the clock is years off, commands of partners and agents get 503 and change nothing, and
    questions are answered. When it is right again, the same request with the same key is carried
    out.
    """
    service = merchant.funded().service
    before, asked = service.events(), len(service.asked_checks)
    right = service.now
    service.now = right + off

    assert code(merchant.partner_does("record_consents", CONSENTS)) == IMPLAUSIBLE
    assert code(merchant.ask(merchant.renewal())) == IMPLAUSIBLE
    assert code(merchant.agent("review_renewal")) == IMPLAUSIBLE
    body = {"deal_id": merchant.known["deal_id"], "entries": []}
    body["entries"].append({"id": "e-1", "on": right.date().isoformat(), "amount": "10.00"})
    assert code(merchant.agent("record_remittance", body, idempotency="k-1")) == IMPLAUSIBLE
    assert merchant.look_up().status_code == 200
    assert service.events() == before

    service.now = right
    assert merchant.agent("record_remittance", body, idempotency="k-1").status_code == 200
    assert service.events() == [*before, "RemittancesRecorded"]
    assert len(service.asked_checks) >= asked


def test_the_answer_does_not_say_when_the_last_event_was(merchant):
    """It may be that of a hold, which no partner sees; the client is asked to try again."""
    service = merchant.funded().service
    service.now = START + TEN_YEARS
    reply = merchant.partner_does("record_consents", CONSENTS)

    assert code(reply) == IMPLAUSIBLE
    assert reply.headers["retry-after"] == "1"
    assert not any(str(year) in reply.text for year in (START.year, service.now.year))


def test_an_agent_can_be_sure_and_no_partner(merchant):
    """
    Where nothing can be compared, an agent records a new check and says that the clock was
    compared, and the merchant is served as ever; a partner cannot say it.
    """
    service = merchant.funded().service
    service.now = START + timedelta(days=730)
    made_at = service.now.isoformat()
    record = {"check": "business", "made_at": made_at, "facts": {"business_verified": True}}
    checked = {"records": [record]}
    sure = {"headers": {"Clock-Compared": "true"}}

    assert code(merchant.partner_does("record_consents", CONSENTS, **sure)) == IMPLAUSIBLE
    assert code(merchant.agent("record_evidence", checked)) == IMPLAUSIBLE
    unclear = merchant.agent("record_evidence", checked, headers={"Clock-Compared": "?"})
    assert code(unclear) == (422, "invalid_request")
    assert merchant.agent("record_evidence", checked, **sure).status_code == 200
    assert merchant.partner_does("record_consents", CONSENTS).status_code == 200


def test_a_review_that_cannot_be_made_is_counted(merchant):
    """A merchant of which the clock is in doubt is not passed over in silence."""
    service = merchant.funded().service
    service.now = START + timedelta(days=730)
    failed = review(service.host, fixtures.PARTNERS, pause=lambda _: None)

    assert failed == Reviewed(failed=1)


def compare(service, *, compares):
    """Let the host compare its clock, as one does whose clock is not a test's."""
    object.__setattr__(service.host, "compares", compares)


@pytest.fixture
def compared(request, tmp_path):
    """A service on PostgreSQL that compares its clock, which a test moves, with the database's."""

    class Compared(Service):
        def __init__(self, *options):
            super().__init__(*options)
            self.now = datetime.now(UTC)
            compare(self, compares=True)

    service = Compared(*database("READ COMMITTED", tmp_path, request))
    yield service
    service.store.close()


def test_a_merchant_comes_back_after_two_years(compared):
    """
    A merchant that was silent for two years is an ordinary one: the host compared its clock with
    the database's, and is sure.
    """
    merchant = Merchant(compared)
    compare(compared, compares=False)
    today = compared.now
    compared.now = today - timedelta(days=730)
    merchant.funded()
    compare(compared, compares=True)
    compared.now = today

    assert merchant.partner_does("record_consents", CONSENTS).status_code == 200
    assert merchant.ask(merchant.renewal()).status_code == 200


@pytest.mark.parametrize("seconds", [MOST_APART + 30, -MOST_APART - 30, 10**8])
def test_clocks_that_are_apart(compared, seconds):
    """
    While the host's clock and the database's differ, every command is refused, a newcomer's too,
    and before any check is paid for; questions are answered.
    """
    merchant = Merchant(compared).funded()
    events, asked = compared.events(), len(compared.asked_checks)
    compared.now += timedelta(seconds=seconds)

    assert code(merchant.partner_does("record_consents", CONSENTS)) == IMPLAUSIBLE
    assert code(merchant.agent("review_renewal", headers={"Clock-Compared": "true"})) == IMPLAUSIBLE
    assert code(Merchant(compared, "m-2").ask()) == IMPLAUSIBLE
    assert merchant.look_up().status_code == 200
    assert (compared.events(), compared.events("m-2")) == (events, [])
    assert len(compared.asked_checks) == asked

    compared.now = datetime.now(UTC) + timedelta(seconds=MOST_APART // 2)
    assert merchant.partner_does("record_consents", CONSENTS).status_code == 200
