"""The service over HTTP: its endpoints, and what an embedding host gives it."""

import gc
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Annotated

from fastapi import Depends, FastAPI, Query, Request
from fastapi.responses import Response
from sqlalchemy.exc import SQLAlchemyError

from fastapi_host import outbox, problems, schemas
from fastapi_host.arrivals import Arrival, from_agent, from_partner, question_of_partner
from fastapi_host.attempts import NOT_FOUND, Ask, Host
from fastapi_host.logs import RequestLog, note_of
from fastapi_host.problems import UNAVAILABLE, Problem
from fastapi_host.store import Store
from holdback import Refusal, wire
from holdback.lifecycle.commands import AcceptOffer

FromPartner = Annotated[Arrival, Depends(from_partner)]
FromAgent = Annotated[Arrival, Depends(from_agent)]


def now():
    """The time, where nobody gives another clock."""
    return datetime.now(UTC)


def create_app(
    *,
    engine,
    partners,
    checks,
    database_url="sqlite:///holdback.db",
    isolation_level=None,
    clock=now,
):
    """
    The service as an ASGI application.

    `engine` is a `holdback.Engine`, `partners` the `Partners` that may call, `checks(partner, request, required)`
    gives the evidence that `required` names, `clock()` the time. `isolation_level` is PostgreSQL's.
    """
    for each in partners.partners:
        engine.jurisdictions.zone(each.jurisdiction)  # an unknown one is refused here, at the start
    store = Store(database_url, isolation_level)
    host = Host(engine, store, clock, checks)

    @asynccontextmanager
    async def lifespan(_):
        # What was read at the start stays: the collector need not look at it again and again.
        gc.collect()
        gc.freeze()
        with outbox.running(store, partners):
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
    app.add_middleware(RequestLog)
    problems.install(app, note_of)
    _for_partners(app, host)
    _for_agents(app, host, partners)
    _for_operators(app, store)
    schemas.install(app)
    return app


def _for_partners(app, host):
    """Service 4, the endpoints for partners."""

    @app.post("/v2/offers", **schemas.described("request_offers"))
    def request_offers(request: Request, arrival: FromPartner):
        return _json(host.request_offers(_ask(request, arrival), arrival.body))

    @app.post("/v2/offers/{offer_id}/accept", **schemas.described("accept_offer"))
    def accept_offer(request: Request, arrival: FromPartner, offer_id: str):
        def command(_):
            details = wire.read_accept_request(arrival.body)
            return AcceptOffer(offer_id=offer_id, bank_details=details)

        ask = _ask(request, arrival, kind="offer_id", name=offer_id, command=command)
        return _json(host.carry_out(ask))

    @app.get("/v2/merchant", **schemas.described("look_up"))
    def look_up(
        request: Request,
        arrival: Annotated[Arrival, Depends(question_of_partner)],
        provider_id: Annotated[str, Query(min_length=1)],
    ):
        return _json(host.look_up(_ask(request, arrival, kind="provider_id", name=provider_id)))


def _for_agents(app, host, partners):
    """What the service's agents do in fulfilment (service 1): one endpoint for each of the engine's operations."""

    def endpoint(operation):
        def carry_out(request: Request, arrival: FromAgent, partner: str, merchant_id: str):
            owner = partners.named(partner)
            if owner is None:
                raise Refusal("merchant_not_found", NOT_FOUND["merchant_not_found"])

            def command(merchant):
                currency = host.engine.jurisdictions.currency(merchant.jurisdiction)
                return wire.read_command(operation, arrival.body or None, currency)

            ask = _ask(request, arrival, partner=owner, merchant_id=merchant_id, command=command)
            return _json(host.carry_out(ask))

        return carry_out

    for operation in schemas.FOR_AGENTS:
        # A partner's own identifier may hold anything, a slash too.
        path = f"/v2/agents/{{partner}}/{{merchant_id:path}}/{operation}"
        app.post(path, **schemas.described(operation))(endpoint(operation))


def _for_operators(app, store):
    @app.get("/health", **schemas.health())
    def health():
        """Whether the database answers, and how many webhooks are still to be delivered."""
        try:
            return {"status": "ok", "webhooks_to_deliver": store.backlog()}
        except SQLAlchemyError:
            raise Problem(UNAVAILABLE) from None


def _ask(request, arrival, **about):
    caller = arrival.caller
    about = {"partner": caller, **about}
    key = {"key": arrival.key, "asked": arrival.asked}
    return Ask(caller=caller.caller, note=note_of(request), **key, **about)


def _json(body):
    return Response(body, media_type="application/json")
