"""The endpoints for partners (service 4), and those about their merchants' applications."""

from functools import partial
from typing import Annotated

from fastapi import Depends, Query, Request

from fastapi_host import schemas
from fastapi_host.answers import (
    TAKES_PROFILE,
    DealId,
    OnDay,
    SomeDay,
    json_answer,
    merchant_request,
    quoted,
    statement,
)
from fastapi_host.incoming import Incoming, asked, commanded
from holdback import wire
from holdback.operations import AcceptOffer, AskApplications, CloseApplication, QuoteSettlement

Commanded = Annotated[Incoming, Depends(commanded)]
Asked = Annotated[Incoming, Depends(asked)]


def add(app, host):
    """Add the endpoints."""
    _of_the_service(app, host)
    _of_applications(app, host)


def _of_the_service(app, host):

    @app.post("/v2/offers", **schemas.described("request_offers"))
    def request_offers(request: Request, incoming: Commanded):
        return json_answer(host.request_offers(merchant_request(request, incoming), incoming.body))

    @app.post("/v2/offers/{offer_id}/accept", **schemas.described("accept_offer"))
    def accept_offer(request: Request, incoming: Commanded, offer_id: str):
        def command(merchant, context):
            input_context = host.engine.input_context(merchant, context)
            details = wire.read_accept_request(incoming.body, input_context)
            return AcceptOffer(offer_id=offer_id, bank_details=details)

        about = {"kind": "offer_id", "name": offer_id, "command": command, "takes_profile": True}
        return json_answer(host.carry_out(merchant_request(request, incoming, **about)))

    @app.get("/v2/merchant", **schemas.described("look_up"))
    def look_up(
        request: Request, incoming: Asked, provider_id: Annotated[str, Query(min_length=1)]
    ):
        about = {"kind": "provider_id", "name": provider_id}
        return json_answer(host.look_up(merchant_request(request, incoming, **about)))


def _of_applications(app, host):
    """Add the endpoints about applications; a partner names its merchant by its own identifier."""
    # A merchant_id is the partner's own text, and may contain a slash.
    path = "/v2/merchants/{merchant_id:path}"

    @app.get(f"{path}/applications", **schemas.described("partner_applications"))
    def applications(request: Request, incoming: Asked, merchant_id: str):
        of = merchant_request(request, incoming, merchant_id=merchant_id)
        return json_answer(host.ask(of, AskApplications()))

    def read(operation, body, merchant, context):
        return wire.read_command(
            operation, body or None, host.engine.input_context(merchant, context)
        )

    def carried_out(request, incoming, merchant_id, operation, **more):
        about = {
            "command": partial(read, operation, incoming.body),
            "takes_profile": operation in TAKES_PROFILE,
            **more,
        }
        of = merchant_request(request, incoming, merchant_id=merchant_id, **about)
        return json_answer(host.carry_out(of))

    recorded = partial(carried_out, written=_recorded)

    @app.post(f"{path}/decline_offers", **schemas.described("partner_decline_offers"))
    def decline_offers(request: Request, incoming: Commanded, merchant_id: str):
        return recorded(request, incoming, merchant_id, "decline_offers")

    @app.post(f"{path}/record_consents", **schemas.described("partner_record_consents"))
    def record_consents(request: Request, incoming: Commanded, merchant_id: str):
        return recorded(request, incoming, merchant_id, "record_consents")

    @app.post(f"{path}/requote", **schemas.described("partner_requote"))
    def requote(request: Request, incoming: Commanded, merchant_id: str):
        return carried_out(request, incoming, merchant_id, "requote")

    @app.post(f"{path}/disclose", **schemas.described("partner_disclose"))
    def disclose(request: Request, incoming: Commanded, merchant_id: str):
        return carried_out(request, incoming, merchant_id, "disclose")

    @app.get(f"{path}/settlement_quote", **schemas.described("partner_settlement_quote"))
    def quote(request: Request, incoming: Asked, merchant_id: str, deal_id: DealId, on: OnDay):
        of = merchant_request(request, incoming, merchant_id=merchant_id)
        return quoted(host, of, QuoteSettlement, deal_id, on)

    @app.get(f"{path}/statement", **schemas.described("partner_statement"))
    def movements(
        request: Request,
        incoming: Asked,
        merchant_id: str,
        since: SomeDay = None,
        until: SomeDay = None,
    ):
        of = merchant_request(request, incoming, merchant_id=merchant_id)
        return statement(host, of, since, until)

    @app.post(f"{path}/withdraw_application", **schemas.described("withdraw_application"))
    def withdraw_application(request: Request, incoming: Commanded, merchant_id: str):
        def command(merchant, context):
            # Its input is the application alone, as that of `fund_deal`.
            named = read("fund_deal", incoming.body, merchant, context)
            return CloseApplication(application_id=named.application_id, status="withdrawn")

        of = merchant_request(request, incoming, merchant_id=merchant_id, command=command)
        return json_answer(host.carry_out(of))


def _recorded(_):
    """Return the reply to a partner without the number of events, which would count a hold."""
    return b'{"recorded":true}'
