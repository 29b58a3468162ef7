"""
Who asks for a page, and what a form has.

An underwriter signs in with the key, which is then no longer sent. Every form has the token of the
session, so that no other site can send one.
"""

import hmac
from typing import Annotated
from urllib.parse import parse_qsl

from attrs import frozen
from fastapi import Depends, Request
from fastapi.responses import RedirectResponse

from fastapi_host.incoming import read_body
from fastapi_host.logs import note_of
from fastapi_host.roles import may
from fastapi_host.underwriters.layout import alert, document, link
from fastapi_host.underwriters.markup import tag
from fastapi_host.underwriters.sessions import COOKIE, Session

FORM = "application/x-www-form-urlencoded"
MOST_FIELDS = 20
FORBIDDEN = "This key is of a caller who may not do this."
OLD_FORM = "This form is not of your session. Open the page again and repeat what you entered."
NOT_A_FORM = "This is not a form of this page."


class NotSignedIn(Exception):
    """Nobody is signed in."""


class PageError(Exception):
    """An error that is shown as a page, with its status and a sentence."""

    def __init__(self, status, sentence, session=None):
        self.status, self.sentence, self.session = status, sentence, session
        super().__init__(sentence)


@frozen
class Form:
    """What a form of a session has, by the names of its fields."""

    session: Session
    fields: dict

    def text(self, name):
        """Return a field without the blanks around it, empty without one."""
        return self.fields.get(name, "").replace("\r\n", "\n").strip()


def install(app):
    """Let `app` show these errors as pages."""

    @app.exception_handler(NotSignedIn)
    async def _(_request, _error):
        return RedirectResponse(link("/sign-in"), 303)

    @app.exception_handler(PageError)
    async def _(request, error):
        note_of(request).code = f"page_{error.status}"
        shown = alert(tag("p", error.sentence))
        return document("Not possible", shown, session=error.session, status=error.status)


def signed_in(request: Request):
    """Return the session of the request, if its key may do this."""
    secret = request.cookies.get(COOKIE)
    session = None if secret is None else request.app.state.sessions.find(secret)
    if session is None:
        raise NotSignedIn
    note = note_of(request)
    note.caller, note.key_name = session.caller.caller, session.key.name
    if not may(session.caller.rights, request.scope["route"].operation_id):
        raise PageError(403, FORBIDDEN)
    return session


async def fields_of(request: Request):
    """Return the fields of a form of this page."""
    # Browsers say where a form comes from; one of another site is refused without a look at it.
    if request.headers.get("sec-fetch-site", "same-origin") != "same-origin":
        raise PageError(403, NOT_A_FORM)
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != FORM:
        raise PageError(415, NOT_A_FORM)
    body = await read_body(request)
    try:
        pairs = parse_qsl(
            body.decode(), keep_blank_values=True, max_num_fields=MOST_FIELDS, errors="strict"
        )
    except ValueError:
        raise PageError(422, NOT_A_FORM) from None
    return dict(pairs)


Fields = Annotated[dict, Depends(fields_of)]
SignedIn = Annotated[Session, Depends(signed_in)]


def form_of(session: SignedIn, fields: Fields):
    """Return a form of the session."""
    sent = fields.get("token", "").encode("utf-8", "surrogatepass")
    if not hmac.compare_digest(sent, session.token.encode()):
        raise PageError(403, OLD_FORM, session)
    return Form(session, fields)


Sent = Annotated[Form, Depends(form_of)]
