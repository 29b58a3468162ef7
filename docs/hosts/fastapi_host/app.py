"""The service as an ASGI application: its endpoints and its configuration."""

import gc
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import partial
from typing import Annotated

from fastapi import Depends, FastAPI, Query, Request
from fastapi.responses import Response
from sqlalchemy.exc import SQLAlchemyError

from fastapi_host import outbox, problems, schemas, webhooks
from fastapi_host.attempts import NOT_FOUND, Host, MerchantRequest
from fastapi_host.client_address import Proxies
from fastapi_host.incoming import Incoming, from_agent, from_partner, question_from_partner
from fastapi_host.logs import note_of
from fastapi_host.outermost import Outermost
from fastapi_host.problems import UNAVAILABLE, Problem
from fastapi_host.store import Store
from holdback import Refusal, wire
from holdback.lifecycle.commands import AcceptOffer

# The operations of agents that read or change the profile.
TAKES_PROFILE = {"supply_details", "erase_profile"}

FromPartner = Annotated[Incoming, Depends(from_partner)]
FromAgent = Annotated[Incoming, Depends(from_agent)]


def now():
    """The current time, unless `create_app` gets another clock."""
    return datetime.now(UTC)


def create_app(  # noqa: PLR0913 - one keyword for each thing that a host decides
    *,
    engine,
    partners,
    checks,
    database_url="sqlite:///holdback.db",
    isolation_level=None,
    clock=now,
    proxies=Proxies(),  # noqa: B008 - it is frozen
    private_webhooks=False,
):
    """
    Return the service as an ASGI application.

    `engine` is a `holdback.Engine`, and `partners` the `Partners` that may call.
    `checks(partner, request, required)` returns the evidence that `required` names, and `clock()`
    the time. `isolation_level` is for PostgreSQL alone. `proxies` are those in front of this host.
    `private_webhooks` allows webhooks to private addresses, and without encryption.
    """
    for partner in partners.partners:
        engine.jurisdictions.zone(partner.jurisdiction)  # fails at the start if it is unknown
    webhooks.check(partners, private=private_webhooks)
    store = Store(database_url, isolation_level)
    host = Host(engine, store, clock, checks)

    @asynccontextmanager
    async def lifespan(_):
        # The rules stay until the end, so the garbage collector need not scan them every time.
        gc.collect()
        gc.freeze()
        with outbox.running(store, partners, private=private_webhooks):
            yield
        store.close()

    app = FastAPI(
        title="Merchant financing",
        version="2",
        lifespan=lifespan,
        redirect_slashes=False,
        redoc_url=None,
    )
    app.state.host, app.state.store, app.state.partners = host, store, partners
    app.add_middleware(Outermost, proxies=proxies)
    problems.install(app, note_of)
    _for_partners(app, host)
    _for_agents(app, host, partners)
    _for_operators(app, store)
    schemas.install(app)
    return app


def _for_partners(app, host):
    """Add the endpoints for partners (service 4)."""
    described = partial(schemas.described, written=host.engine.format)

    @app.post("/v2/offers", **described("request_offers"))
    def request_offers(request: Request, incoming: FromPartner):
        return _json(host.request_offers(_merchant_request(request, incoming), incoming.body))

    @app.post("/v2/offers/{offer_id}/accept", **described("accept_offer"))
    def accept_offer(request: Request, incoming: FromPartner, offer_id: str):
        def command(_, __):
            details = wire.read_accept_request(incoming.body)
            return AcceptOffer(offer_id=offer_id, bank_details=details)

        merchant_request = _merchant_request(
            request, incoming, kind="offer_id", name=offer_id, command=command, takes_profile=True
        )
        return _json(host.carry_out(merchant_request))

    @app.get("/v2/merchant", **described("look_up"))
    def look_up(
        request: Request,
        incoming: Annotated[Incoming, Depends(question_from_partner)],
        provider_id: Annotated[str, Query(min_length=1)],
    ):
        return _json(
            host.look_up(_merchant_request(request, incoming, kind="provider_id", name=provider_id))
        )


def _for_agents(app, host, partners):
    """Add one endpoint for each operation of the service's agents (service 1)."""

    def endpoint(operation):
        def carry_out(request: Request, incoming: FromAgent, partner: str, merchant_id: str):
            owner = partners.named(partner)
            if owner is None:
                raise Refusal("merchant_not_found", NOT_FOUND["merchant_not_found"])

            def command(merchant, context):
                situation = host.engine.situation(merchant, context)
                return wire.read_command(operation, incoming.body or None, situation)

            merchant_request = _merchant_request(
                request,
                incoming,
                partner=owner,
                merchant_id=merchant_id,
                command=command,
                takes_profile=operation in TAKES_PROFILE,
            )
            return _json(host.carry_out(merchant_request))

        return carry_out

    for operation in schemas.FOR_AGENTS:
        # A merchant_id is the partner's own text, and may contain a slash.
        path = f"/v2/agents/{{partner}}/{{merchant_id:path}}/{operation}"
        app.post(path, **schemas.described(operation, host.engine.format))(endpoint(operation))


def _for_operators(app, store):
    @app.get("/health", **schemas.health())
    def health():
        """Report whether the database answers, and how many webhooks are waiting."""
        try:
            return {"status": "ok", "webhooks_to_deliver": store.backlog()}
        except SQLAlchemyError:
            raise Problem(UNAVAILABLE) from None


def _merchant_request(request, incoming, **about):
    caller = incoming.caller
    about = {"partner": caller, **about}
    key = {"key": incoming.key, "fingerprint": incoming.fingerprint}
    return MerchantRequest(caller=caller.caller, note=note_of(request), **key, **about)


def _json(body):
    return Response(body, media_type="application/json")
