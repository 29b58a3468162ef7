"""The page for underwriters over HTTP: sessions, forms, and what it shows."""

from __future__ import annotations

import html
import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from urllib.parse import urlencode

import fastapi_calls as fixtures
import pytest
from fastapi_calls import BANK, PARTNERS, START, Merchant, service_on
from fastapi_host.partners import Agent, Key, Partners, sha256
from fastapi_host.tables import SESSIONS
from fastapi_host.underwriters.sessions import COOKIE, SECONDS
from sqlalchemy import select

place, service, merchant = fixtures.place, fixtures.service, fixtures.merchant
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
HOSTILE = "<script>alert(1)</script>\"'&"


class Browser:
    """An underwriter with a cookie, and the forms of the last page."""

    def __init__(self, service, key="underwriter-key"):
        self.service, self.cookie, self.page = service, None, None
        self.signed_in = self.post("/sign-in", key=key)

    def headers(self):
        return {} if self.cookie is None else {"Cookie": f"{COOKIE}={self.cookie}"}

    def get(self, path="", **query):
        url = f"/underwriters{path}"
        more = {"params": query} if query else {}
        reply = self.service.call("GET", url, key=None, headers=self.headers(), **more)
        self.page = reply.text
        return reply

    def post(self, path, headers=None, **fields):
        headers = FORM | self.headers() | (headers or {})
        content = urlencode(fields).encode()
        url = f"/underwriters{path}"
        reply = self.service.call("POST", url, key=None, headers=headers, content=content)
        sent = reply.headers.get("set-cookie", "")
        if sent.startswith(f"{COOKIE}="):
            self.cookie = sent.partition("=")[2].partition(";")[0]
        return reply

    def merchant(self, merchant_id="m-1"):
        return self.get("/merchant", partner="acme", merchant_id=merchant_id)

    def form(self, path, number=0):
        """Return the hidden fields of a form on the last page."""
        forms = re.findall(rf'<form[^>]*action="/underwriters{path}".*?</form>', self.page)
        pairs = re.findall(r'type="hidden" name="([^"]*)" value="([^"]*)"', forms[number])
        return {name: html.unescape(value) for name, value in pairs}

    def text(self):
        """Return the text of the last page."""
        return " ".join(html.unescape(re.sub("<[^>]*>", " ", self.page)).split())


@pytest.fixture
def browser(service):
    return Browser(service)


# ------------------------------------------------------------------------------- sessions


def test_an_underwriter_signs_in_and_out(browser, service):
    """
    The cookie is for this host alone, not for scripts, and not sent from other sites.
    """
    assert browser.signed_in.status_code == 303
    flags = browser.signed_in.headers["set-cookie"].split("; ")[1:]
    assert {flag.lower() for flag in flags} == {
        "httponly",
        "secure",
        "samesite=strict",
        "path=/",
        f"max-age={SECONDS}",
    }
    assert browser.get().status_code == 200
    assert browser.post("/sign-out", **browser.form("/sign-out")).status_code == 303
    assert browser.get().headers["location"] == "/underwriters/sign-in"


@pytest.mark.parametrize(
    ("key", "status"), [("agent-key", 403), ("acme-key", 403), ("nobody", 401), ("", 401)]
)
def test_only_an_underwriters_key_signs_in(service, key, status):
    """
    The page says why; no session begins.
    """
    browser = Browser(service, key)
    assert browser.signed_in.status_code == status
    assert browser.cookie is None
    assert browser.get().status_code == 303


def test_the_key_and_the_secret_are_not_stored(browser, service):
    """
    The table has digests, from which nobody can sign in.
    """
    with service.store.reading.connect() as db:
        (row,) = db.execute(select(SESSIONS)).all()

    assert row.digest == sha256(browser.cookie)
    assert "underwriter-key" not in str(row)
    assert browser.cookie not in str(row)


def test_a_session_ends_after_some_hours(browser, service):
    """
    At its last instant it is gone, and the next one to sign in removes it.
    """
    service.now += timedelta(seconds=SECONDS - 1)
    assert browser.get().status_code == 200
    service.now += timedelta(seconds=1)
    assert browser.get().status_code == 303
    Browser(service)
    with service.store.reading.connect() as db:
        assert len(db.execute(select(SESSIONS)).all()) == 1


def test_a_session_ends_with_its_key(tmp_path):
    """
    A key that has ended, or was removed, opens nothing any more.
    """
    key = Key(sha256=sha256("k"), until=START + timedelta(hours=1))
    agents = (Agent(name="u", keys=(key,), role="underwriter"),)
    partners = Partners(partners=PARTNERS.partners, agents=agents)
    with service_on("sqlite", tmp_path, partners=partners) as service:
        browser = Browser(service, "k")
        assert browser.get().status_code == 200
        service.now += timedelta(hours=1)
        assert browser.get().status_code == 303


# ---------------------------------------------------------------------------------- forms


def test_a_referral_is_approved_and_gone(browser, service, merchant):
    """
    "Shows a merchant, its referrals with reasons and figures, and decides them."
    """
    merchant.referred()
    assert "m-1" in browser.get().text
    browser.merchant()
    text = browser.text()
    assert "The credit score is 617" in text
    assert "Credit score 617" in text
    form = browser.form("/decide") | {"note": "fine", "until": "2026-07-31"}
    reply = browser.post("/decide", decision="approve", **form)
    assert reply.status_code == 303
    assert (
        browser.get("/merchant?" + reply.headers["location"].partition("?")[2]).status_code == 200
    )

    assert "The product is approved." in browser.text()
    assert "No referral is open." in browser.get().text
    (decision,) = merchant.agent_asks("referrals").json()["decisions"]
    assert decision["by"] == "underwriter"
    assert decision["until"] == "2026-07-31T23:00:00Z"  # the end of the day in London


def test_a_form_that_is_sent_twice_is_carried_out_once(browser, service, merchant):
    """
    Both lead to the same page.
    """
    merchant.referred()
    browser.merchant()
    form = browser.form("/decide")
    replies = [browser.post("/decide", decision="decline", **form) for _ in range(2)]

    assert [reply.status_code for reply in replies] == [303, 303]
    assert service.events().count("ReferralDecided") == 1


def test_a_form_that_is_refused_is_shown_again(browser, service, merchant):
    """
    With what was wrong in sentences, and with what was entered.
    """
    merchant.referred()
    browser.merchant()
    form = browser.form("/decide") | {"note": "my <note>", "until": "2026-07-01"}
    reply = browser.post("/decide", decision="approve", **form)

    assert reply.status_code == 422
    assert "Nothing was changed." in reply.text
    assert "Until: expected an instant after now." in reply.text
    assert "my &lt;note&gt;</textarea>" in reply.text
    assert 'value="2026-07-01"' in reply.text
    assert service.events()[-1] == "OffersIssued"
    for wrong in ({"decision": "maybe"}, {"decision": "approve", "until": "soon"}):
        browser.merchant()
        assert browser.post("/decide", **browser.form("/decide") | wrong).status_code == 422


def test_a_hold_is_placed_and_lifted(browser, service, merchant):
    """
    The page shows the hold with its note and by whom, and has a form to lift each.
    """
    merchant.ask()
    browser.merchant()
    form = browser.form("/hold") | {"code": "dispute", "note": "line 1\r\nline 2"}
    assert browser.post("/hold", **form).status_code == 303
    (hold,) = merchant.agent_asks("holds").json()["holds"]
    assert (hold["by"], hold["note"]) == ("underwriter", "line 1\nline 2")
    browser.merchant()
    assert "On hold" in browser.text()
    assert browser.post("/lift", **browser.form("/lift")).status_code == 303

    assert merchant.agent_asks("holds").json() == {"holds": []}


def test_what_no_rule_refers_is_not_approved(browser, service, merchant):
    """
    A product that waits for a check can be declined; there is nothing that an approval would lift.
    """
    service.evidence = {"business_verified": None}
    merchant.ask()
    browser.merchant()

    assert "No rule refers it. It waits for what is missing." in browser.text()
    assert "What is missing Business verified" in browser.text()
    assert 'value="decline"' in browser.page
    assert 'value="approve"' not in browser.page
    reply = browser.post("/decide", decision="approve", **browser.form("/decide"))
    assert reply.status_code == 409
    assert "No rule refers it; it needs business_verified." in reply.text


@pytest.mark.parametrize("path", ["/decide", "/hold", "/lift", "/sign-out"])
def test_a_form_of_another_site_changes_nothing(browser, service, merchant, path):
    """
    Without the token of the session, with that of another one, or as browsers say, from elsewhere.
    """
    merchant.referred()
    browser.merchant()
    form = {**browser.form("/decide"), "code": "x", "decision": "approve"}
    other = Browser(service)
    other.merchant()
    before = service.events()
    attempts = [
        browser.post(path, **{**form, "token": ""}),
        browser.post(path, **{name: of for name, of in form.items() if name != "token"}),
        browser.post(path, **{**form, "token": other.form("/decide")["token"]}),
        browser.post(path, headers={"Sec-Fetch-Site": "cross-site"}, **form),
        browser.post(path, headers={"Sec-Fetch-Site": "same-site"}, **form),
    ]

    assert [reply.status_code for reply in attempts] == [403] * 5
    assert service.events() == before
    assert browser.get().status_code == 200


@pytest.mark.parametrize(
    ("headers", "content", "status"),
    [
        ({"Content-Type": "application/json"}, b"{}", 415),
        ({}, b"token=%FF", 422),
        ({}, b"a=1&" * 30, 422),
        ({}, b"token=" + b"x" * 70_000, 413),
    ],
)
def test_a_body_that_is_no_form_is_refused(browser, service, headers, content, status):
    """
    Another type, text that is not UTF-8, too many fields, too many bytes.
    """
    headers = FORM | browser.headers() | headers
    reply = service.call("POST", "/underwriters/hold", key=None, headers=headers, content=content)

    assert reply.status_code == status


# ------------------------------------------------------------------------------- about whom

OTHERS = {
    "applicants": [{"name": "Bob <Other>", "born": "1970-03-04", "director": True}],
    "company": {"name": "Six Dogs Ltd", "share": Decimal("0.10"), "offices": [], "vat": None},
}


def ask_for(merchant, **changed):
    """Ask for offers with another profile."""
    assert merchant.ask(merchant.initial() | changed).status_code == 200


def payout_waits(merchant, check="business"):
    """Accept an offer, and fail a check an hour later, so that the payout waits for a person."""
    service = merchant.service
    service.now = datetime(2026, 12, 1, 9, tzinfo=UTC)  # there are rules for payouts
    merchant.ask()
    merchant.accept()
    service.now += timedelta(hours=1)
    made_at, facts = service.now.isoformat(), {f"{check}_verified": False}
    result = {"check": check, "made_at": made_at, "facts": facts}
    assert merchant.agent("record_evidence", {"records": [result]}).status_code == 200


def test_a_referral_says_whom_it_is_about(browser, service, merchant):
    """
    "The page for underwriters shows whom a referral is about": the sections that the referral
    names, as the partner sent them.
    """
    service.evidence = {"credit_score": 617}
    ask_for(merchant, **OTHERS)
    browser.merchant()
    text = browser.text()

    assert "Applicants Name Bob <Other> Born 1970-03-04 Director Yes" in text
    assert "Company Name Six Dogs Ltd Share 0.10 Offices - Vat -" in text
    assert "An offer" in text
    assert "accepted last" not in text
    assert "Bob" not in browser.get().text  # the list has no personal data


def test_a_referral_about_others_than_those_accepted_says_so(browser, service, merchant):
    """
    After an application of one company was accepted, the referral of another one says so.
    """
    merchant.ask()
    merchant.accept()
    closing = {"application_id": merchant.known["application_id"]}
    merchant.partner_does("withdraw_application", closing)
    service.now += timedelta(hours=1)
    service.evidence = {"credit_score": 617}
    ask_for(merchant, **OTHERS)
    browser.merchant()
    text = browser.text()

    assert "This is not the company of the application that was accepted last." in text
    assert "These are not the applicants of the application that was accepted last." in text
    assert "Six Dogs Ltd" in text
    assert "Nine Lives" not in text


def test_a_payout_that_waits_says_so_and_whom_it_is_about(service, merchant):
    """
    Not an offer: since when, why, what to check again, and for whom.
    """
    payout_waits(merchant)
    browser = Browser(service)
    browser.merchant()
    text = browser.text()

    assert "The payout of an accepted offer" in text
    assert "Accepted 1 Dec 2026, 09:00 GMT" in text
    assert "GB-F-02: The business is not verified any more; a person looks at it." in text
    assert "What to check again Business" in text
    assert "Ada Person" in text
    assert "accepted last" not in text
    form = browser.form("/decide")
    assert browser.post("/decide", decision="approve", **form).status_code == 303
    assert merchant.fund().status_code == 200


def test_a_payout_that_nobody_can_approve_says_so(service, merchant):
    """
    A rule that declines: a newer result lets the money out, and no underwriter.
    """
    payout_waits(merchant, "identity")
    browser = Browser(service)
    browser.merchant()
    text = browser.text()

    assert "GB-F-01: The identity of the applicants is not verified any more." in text
    assert "No approval lets this money out" in text
    assert "No rule refers it" not in text
    assert 'value="approve"' not in browser.page


def test_a_payout_whose_time_has_run_out_waits_no_more(service, merchant):
    """
    The application lapses by its time, also while no event says so yet: its payout does not wait.
    """
    payout_waits(merchant)
    service.now += timedelta(days=400)
    browser = Browser(service)

    assert browser.merchant().status_code == 200
    assert "The payout of an accepted offer" not in browser.text()


# ---------------------------------------------------------------------------- what it shows


def test_every_value_is_escaped(browser, service):
    """
    A partner's text, an agent's note and an underwriter's own are shown as text.
    """
    merchant = Merchant(service, HOSTILE)
    merchant.ask(merchant.initial(merchant_id=HOSTILE))
    browser.merchant(HOSTILE)
    form = browser.form("/hold") | {"code": HOSTILE, "note": HOSTILE}
    assert browser.post("/hold", **form).status_code == 303
    browser.merchant(HOSTILE)

    assert browser.page.count(html.escape(HOSTILE)) > 5
    assert "<script" not in browser.page
    assert browser.form("/lift")["code"] == HOSTILE


def test_a_merchants_page_shows_what_is_known(service, merchant):
    """
    Deals, applications, what was omitted, checks with ages, and no bank details.
    """
    merchant.renewable()
    merchant.ask(merchant.renewal())
    merchant.accept(bank_details=None)
    service.now += timedelta(days=3)
    browser = Browser(service)
    browser.merchant()
    text = browser.text()

    for shown in (
        "GBP 4904.00",
        "Business verified: Yes",
        "123 Yes",  # days
        "Lapses",
        "Partner acme Jurisdiction GB",
        "6 Jul 2026, 10:00 BST",
    ):
        assert shown in text, shown
    assert BANK["account_number"] not in browser.page
    waiting = Merchant(service, "m-2")
    waiting.ask()
    waiting.accept(bank_details=None)
    browser.merchant("m-2")
    assert re.search(r"Awaiting details .* Bank details", browser.text())
    assert "Nine Lives" not in browser.page


def test_a_merchants_page_shows_when_offers_were_withdrawn(browser, service, merchant):
    """
    An agent reads why offers that have not expired cannot be accepted; its partner does not.
    """
    merchant.ask()
    assert "Offers withdrawn" not in browser.merchant().text
    (application,) = merchant.partner_does("applications").json()["applications"]
    body = {"application_id": application["application_id"], "code": "fraud", "by": "a-3"}
    merchant.agent("withdraw_offers", body)

    assert "Offers withdrawn" in browser.merchant().text
    assert "ithdrawn" not in merchant.partner_does("applications").text


def test_a_merchants_page_shows_what_has_to_be_put_right(service, merchant):
    """
    Of a deal that ended with too much paid, the refund that is due; of another one, nothing.
    """
    merchant.funded()
    browser = Browser(service)
    browser.merchant()
    assert "Refund due" not in browser.text()
    merchant.remit("20000.00")
    browser.merchant()

    assert "GBP 0.00 Refund due: GBP 8096.00" in browser.text()


@pytest.mark.parametrize(
    "query",
    [{}, {"partner": "nobody", "merchant_id": "m-1"}, {"partner": "bolt", "merchant_id": "m-1"}],
)
def test_an_unknown_merchant_is_one_page(browser, service, merchant, query):
    """
    404, and the same bytes for an unknown partner and another partner's merchant.
    """
    merchant.ask()
    expected = browser.merchant("m-9")
    reply = browser.get("/merchant", **query)

    assert (reply.status_code, reply.text) == (404, expected.text)


def test_a_page_needs_nothing_from_elsewhere(browser, service, merchant):
    """
    No script, no frame, no other server; never stored, never sniffed.
    """
    merchant.referred()
    for reply in (browser.get(), browser.merchant(), browser.get("/sign-in"), browser.get("/no")):
        if reply.status_code == 404:
            continue
        policy = dict(
            part.split(" ", 1) for part in reply.headers["content-security-policy"].split("; ")
        )
        assert policy["default-src"] == "'none'"
        assert policy["style-src"] == policy["form-action"] == "'self'"
        assert "script-src" not in policy
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert reply.headers["cache-control"] == "no-store"
        assert not re.search(r"https?:|<style|style=|<script|onclick", reply.text)


def test_the_list_has_pages(browser, service, monkeypatch):
    """
    A link leads to the next one; a place that no page gave is refused.
    """
    monkeypatch.setattr("fastapi_host.open_work.read_page.__defaults__", (None, 2))
    for number in range(3):
        Merchant(service, f"m-{number}").referred()
    assert "m-1" in browser.get().text
    assert "m-2" not in browser.page
    (after,) = re.findall(r'href="/underwriters\?after=([^"]*)"', browser.page)
    assert "m-2" in browser.get("?after=" + after).text

    assert browser.get(after="x").status_code == 422


def test_no_line_of_the_log_has_what_was_entered(browser, service, merchant, monkeypatch):
    """
    A request of the page is logged as any other: who, where, and the status.
    """
    lines = []
    monkeypatch.setattr("fastapi_host.outermost.log", lambda event, **fields: lines.append(fields))
    merchant.ask()
    browser.merchant()
    browser.post("/hold", **browser.form("/hold") | {"code": "dispute", "note": "a secret"})

    assert lines[-1]["caller"] == "agent:underwriter"
    assert lines[-1]["route"] == "/underwriters/hold"
    assert "secret" not in str(lines)
    assert "m-1" not in str(lines)
