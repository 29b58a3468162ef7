"""The service as an ASGI application: its endpoints and its configuration."""

import gc
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from fastapi import FastAPI
from sqlalchemy.exc import SQLAlchemyError

from fastapi_host import for_agents, for_partners, outbox, problems, schemas, webhook_delivery
from fastapi_host.attempts import Host
from fastapi_host.client_address import Proxies
from fastapi_host.logs import note_of
from fastapi_host.outermost import Outermost
from fastapi_host.problems import UNAVAILABLE, Problem
from fastapi_host.store import Store
from fastapi_host.underwriters import endpoints as for_underwriters


def now():
    """The current time, by the clock of this machine."""
    return datetime.now(UTC)


def create_app(  # noqa: PLR0913 - one keyword for each thing that a host decides
    *,
    engine,
    partners,
    checks,
    database_url="sqlite:///holdback.db",
    isolation_level=None,
    clock=None,
    proxies=Proxies(),  # noqa: B008 - it is frozen
    private_webhooks=False,
):
    """
    Return the service as an ASGI application.

    `engine` is a `holdback.Engine`, and `partners` the `Partners` that may call.
    `checks(partner, request, required)` returns the evidence that `required` names: results by fact
    name, or results of checks. `clock()` returns the time, in tests: without it, the host reads
    this machine's clock and compares it with PostgreSQL's. `isolation_level` is for PostgreSQL
    alone. `proxies` are those in front of this host. `private_webhooks` allows webhooks to private
    addresses, and without encryption.
    """
    for partner in partners.partners:
        engine.jurisdictions.zone(partner.jurisdiction)  # fails at the start if it is unknown
    webhook_delivery.check(partners, private=private_webhooks)
    store = Store(database_url, isolation_level)
    host = Host(engine, store, clock or now, checks, compares=clock is None)

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
    for_partners.add(app, host)
    for_agents.add(app, host, partners)
    for_underwriters.add(app, host, partners)
    _for_operators(app, store)
    schemas.install(app)
    return app


def _for_operators(app, store):
    @app.get("/health", **schemas.health())
    def health():
        """Report whether the database answers, and how many webhooks are waiting."""
        try:
            return {"status": "ok", "webhooks_to_deliver": store.backlog()}
        except SQLAlchemyError:
            raise Problem(UNAVAILABLE) from None
