"""
The endpoints of the page: signing in, the list, a merchant, and the forms on its page.

A form has an id, so that one that is sent twice is carried out once. The underwriter's name is the
`by` of what they do.
"""

import hashlib
import secrets
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Annotated

import pendulum
from fastapi import Query, Request
from fastapi.responses import RedirectResponse, Response

from fastapi_host import open_work
from fastapi_host.attempts import MerchantRequest, retry
from fastapi_host.for_agents import owner
from fastapi_host.incoming import VISIBLE_ASCII
from fastapi_host.logs import note_of
from fastapi_host.roles import may
from fastapi_host.underwriters import requests, views
from fastapi_host.underwriters.layout import HEADERS, HOME, link
from fastapi_host.underwriters.requests import NOT_A_FORM, Fields, PageError, Sent, SignedIn
from fastapi_host.underwriters.sessions import COOKIE, SECONDS, Sessions
from holdback import InvalidDocument, Refusal, wire
from holdback.operations import (
    AskApplications,
    AskEvidence,
    AskHolds,
    AskReferrals,
    LookUp,
    RequireChecks,
)

STYLE = Path(__file__).with_name("style.css").read_bytes()
COOKIE_FLAGS = {"httponly": True, "secure": True, "samesite": "strict", "path": "/"}
UNKNOWN_KEY = "This key is not valid, or has ended."
NOT_AN_UNDERWRITER = "This key is not an underwriter's."
DAY_EXPECTED = "expected a day such as 2026-12-31"


def add(app, host, partners):
    """Add the endpoints."""
    app.state.sessions = Sessions(host.store, partners, host.clock)
    requests.install(app)
    _sessions(app, host, partners)
    _reading(app, host, partners)
    _forms(app, host, partners)


def _page(name):
    """Return the arguments of an endpoint of the page, which the API does not have."""
    return {"operation_id": name, "include_in_schema": False}


def _sessions(app, host, partners):
    sessions = app.state.sessions

    @app.get(link("/style.css"), **_page("page_style"))
    def style():
        return Response(STYLE, headers=HEADERS, media_type="text/css")

    @app.get(link("/sign-in"), **_page("page_sign_in_form"))
    def sign_in_form():
        return views.sign_in()

    @app.post(link("/sign-in"), **_page("page_sign_in"))
    def sign_in(request: Request, fields: Fields):
        key, caller = partners.with_key(fields.get("key", "").strip())
        if caller is None or not key.valid(host.clock()):
            return views.sign_in(UNKNOWN_KEY, 401)
        note = note_of(request)
        note.caller, note.key_name = caller.caller, key.name
        if not may(caller.rights, "page_referrals"):
            return views.sign_in(NOT_AN_UNDERWRITER, 403)
        answer = RedirectResponse(HOME, 303)
        secret = retry(lambda: sessions.open(key), note)
        answer.set_cookie(COOKIE, secret, max_age=SECONDS, **COOKIE_FLAGS)
        return answer

    @app.post(link("/sign-out"), **_page("page_sign_out"))
    def sign_out(sent: Sent):
        sessions.close(sent.session.secret)
        answer = RedirectResponse(link("/sign-in"), 303)
        answer.delete_cookie(COOKIE, **COOKIE_FLAGS)
        return answer


def _reading(app, host, partners):
    @app.get(HOME, **_page("page_referrals"))
    def referrals(
        request: Request,
        session: SignedIn,
        after: Annotated[str | None, Query(max_length=2000)] = None,
    ):
        try:
            place = None if after is None else open_work.read_place(after)
        except InvalidDocument:
            raise PageError(422, "There is no such page of the list.", session) from None
        page = retry(
            lambda: open_work.read_page(host.store, open_work.REFERRAL, place), note_of(request)
        )
        following = None if page.after is None else open_work.write_place(page.after)
        return views.referrals(session, page, partners.partners, following)

    @app.get(link("/merchant"), **_page("page_merchant"))
    def merchant(
        request: Request,
        session: SignedIn,
        partner: str = "",
        merchant_id: str = "",
        done: str | None = None,
    ):
        about = {"partner": partner, "merchant_id": merchant_id.strip()}
        view = _view(host, partners, request, session, about)
        return views.merchant(session, view, done=done)


def _forms(app, host, partners):
    @app.post(link("/decide"), **_page("page_decide"))
    def decide(request: Request, sent: Sent):
        def written(merchant):
            names = ("application_id", "product", "decision", "note")
            until = _end_of(sent.text("until"), merchant.timezone)
            return {**_given(sent, *names), "until": until}

        done = sent.text("decision")
        return _carried_out(host, partners, request, sent, ("decide_referral", written, done))

    @app.post(link("/hold"), **_page("page_place_hold"))
    def place_hold(request: Request, sent: Sent):
        def written(_):
            return _given(sent, "code", "note")

        return _carried_out(host, partners, request, sent, ("place_hold", written, "hold"))

    @app.post(link("/lift"), **_page("page_lift_hold"))
    def lift_hold(request: Request, sent: Sent):
        def written(_):
            return _given(sent, "code")

        return _carried_out(host, partners, request, sent, ("lift_hold", written, "lift"))


def _given(sent, *names):
    """Return the input of an operation: what the form has, and by whom."""
    given = {name: sent.text(name) for name in names if sent.text(name)}
    return given | {"by": sent.session.caller.name}


def _end_of(text, zone):
    """Return the end of a day in the merchant's time zone, None without a day."""
    if not text:
        return None
    try:
        following = date.fromisoformat(text) + timedelta(days=1)
    except (ValueError, OverflowError):
        raise InvalidDocument.of("wrong_value", DAY_EXPECTED, path="$.until") from None
    return wire.write_timestamp(
        datetime.combine(following, time(), tzinfo=pendulum.timezone(zone or "UTC"))
    )


def _carried_out(host, partners, request, sent, what):
    """
    Carry out a form, and return its merchant's page, with what was wrong if something was.

    `what` is the operation, a function that returns its input, and what the page says afterwards.
    """
    operation, written, done = what

    def command(merchant, context):
        input_context = host.engine.input_context(merchant, context)
        return wire.read_command(operation, written(merchant), input_context)

    form_id, session = sent.text("form_id"), sent.session
    if VISIBLE_ASCII.fullmatch(form_id) is None:
        raise PageError(422, NOT_A_FORM, session)
    about = {name: sent.text(name) for name in ("partner", "merchant_id")}
    content = repr((request.scope["path"], sorted(sent.fields.items())))
    try:
        of = _merchant_request(
            partners,
            request,
            session,
            about,
            command=command,
            takes_profile=True,
            key=form_id,
            fingerprint=hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest(),
        )
        host.carry_out(of)
    except (Refusal, InvalidDocument) as error:
        view = _view(host, partners, request, session, about)
        return views.merchant(session, view, refused=_refused(error, sent.fields))
    return RedirectResponse(link("/merchant", **about, done=done), 303)


def _refused(error, fields):
    """Return why a form was refused, in sentences."""
    if isinstance(error, Refusal):
        errors, status = (error.detail,), error.status
    else:
        errors = [f"{_field(detail.path)}: {detail.message}" for detail in error.errors]
        status = 422
    return views.Refused(errors=tuple(map(_sentence, errors)), fields=fields, status=status)


def _field(path):
    return (path or "$").removeprefix("$.")


def _sentence(text):
    return f"{text[:1].upper()}{text[1:]}."


def _merchant_request(partners, request, session, about, **more):
    return MerchantRequest(
        partner=owner(partners, about["partner"]),
        caller=session.caller.caller,
        note=note_of(request),
        merchant_id=about["merchant_id"],
        **more,
    )


def _view(host, partners, request, session, about):
    """Return what an underwriter sees of a merchant."""

    def answer(documents, context):
        def ask(question):
            more = {"profile": documents.profile}
            return host.engine.carry_out(documents.merchant, question, context, **more).reply

        try:
            checks = ask(AskEvidence()).checks
        except Refusal:  # the rules of the jurisdiction are not loaded
            checks = None
        accepted, for_funding = documents.merchant.in_fulfilment, None
        if accepted is not None and checks is not None:
            with suppress(Refusal):  # its time has run out since: nothing waits any more
                for_funding = ask(RequireChecks(application_id=accepted.application_id))
        return views.MerchantView(
            partner=about["partner"],
            merchant=documents.merchant,
            profile=documents.profile,
            for_funding=for_funding,
            referrals=ask(AskReferrals()),
            holds=ask(AskHolds()),
            applications=ask(AskApplications()),
            deals=ask(LookUp()),
            checks=checks,
            form_id=secrets.token_urlsafe(16),
        )

    try:
        of = _merchant_request(partners, request, session, about, takes_profile=True)
        return host.read(of, answer)
    except Refusal as error:
        raise PageError(error.status, "There is no such merchant.", session) from None
