"""The reference host of holdback: serve, or review every active deal, which you do daily."""

import argparse
import os
import pkgutil
import sys
import tempfile
import uuid
from pathlib import Path

import uvicorn

sys.path[0] = str(Path(__file__).resolve().parents[1])  # the folder that holds the package

from fastapi_host import logs, sample
from fastapi_host.app import create_app, now
from fastapi_host.client_address import HEADERS, Proxies
from fastapi_host.partners import read_partners
from fastapi_host.review import review
from fastapi_host.store import ISOLATION_LEVELS
from holdback import Engine, load_jurisdictions

TRY = """\
Sample data, {kept}. Keys: {acme} and {west} for partners, {agent} for an agent.
Only for trials: anyone can compute the ids, and the links of an acceptance lead nowhere.
The endpoints are described at {base}/docs. Three things to try:

# 1. Look up a merchant: book-shop has paid down more than half, and can renew.
curl -s -H 'Authorization: Bearer {acme}' '{base}/v2/merchant?provider_id={provider_id}'

# 2. Ask for its renewal offers.
curl -s -H 'Authorization: Bearer {acme}' -H 'Content-Type: application/json' \\
  -d '{{"application":
    {{"merchant_id": "book-shop", "provider_id": "{provider_id}", "currency": "GBP"}}}}' \\
  {base}/v2/offers

# 3. Accept an offer of corner-cafe. The same key again gets the same answer.
curl -s -X POST -H 'Authorization: Bearer {acme}' -H 'Idempotency-Key: try-1' \\
  {base}/v2/offers/{offer_id}/accept
"""


def main():
    options = _options()
    with tempfile.TemporaryDirectory() as folder:
        kept = "in the database of --database"
        if options.sample and options.database is None:
            options.database = f"sqlite:///{folder}/holdback.db"
            kept = "deleted when this ends"
        app = _app(options)
        logs.log_to(sys.stdout)
        if options.command == "review":
            failed = review(app.state.host, app.state.partners).failed
            if failed:  # the log gives the reasons; a scheduler sees the exit status
                sys.exit(f"{failed} merchants could not be reviewed")
            return
        if options.sample:
            ids = sample.fill(app.state.host)
            base = f"http://{options.host}:{options.port}"
            print(TRY.format(base=base, kept=kept, **sample.KEYS, **ids), flush=True)
        uvicorn.run(
            app,
            host=options.host,
            port=options.port,
            access_log=False,
            log_level="error",
            proxy_headers=False,  # uvicorn would believe any client that connects from this machine
        )


def _options():
    parser = argparse.ArgumentParser(prog="fastapi_host", description=__doc__)
    parser.add_argument("command", nargs="?", choices=("serve", "review"), default="serve")
    parser.add_argument(
        "--sample",
        action="store_true",
        help="for trials: sample data, keys, checks and ids, all public",
    )
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--partners", help="the TOML file of partners and agents")
    parser.add_argument("--checks", help="your checks, as MODULE:NAME")
    parser.add_argument("--links", help="your function for the links, as MODULE:NAME")
    parser.add_argument(
        "--private-webhooks",
        action="store_true",
        help="for development: allow webhooks with http:// and to private addresses",
    )
    url = os.environ.get("HOLDBACK_DATABASE_URL")
    parser.add_argument("--database", help="URL; default HOLDBACK_DATABASE_URL")
    parser.add_argument("--isolation-level", choices=ISOLATION_LEVELS, help="for PostgreSQL")
    parser.add_argument(
        "--trusted-proxies", type=int, default=0, help="the number of proxies in front of this host"
    )
    parser.add_argument(
        "--forwarded-header",
        choices=HEADERS,
        default=HEADERS[0],
        help="the header to which they add the client's address",
    )
    options = parser.parse_args()
    if options.sample and url and options.database is None:
        # The variable names a service's own database, which sample data must not get into.
        sys.exit(
            "--sample does not write to the database of HOLDBACK_DATABASE_URL; "
            "unset the variable, or name a database with --database"
        )
    options.database = options.database or url
    return options


def _app(options):
    namespace = os.environ.get("HOLDBACK_NAMESPACE")
    required = (options.database, options.partners, options.links, namespace)
    checks_given = options.checks or options.command == "review"
    if not options.sample and not (all(required) and checks_given):
        sys.exit(
            "expected --sample; or --database, --partners, --checks, --links and HOLDBACK_NAMESPACE"
        )
    if options.sample:
        engine = Engine.for_trial()
        partners, checks = sample.PARTNERS, sample.SampleChecks(engine, now)
    else:
        engine = _engine(namespace, pkgutil.resolve_name(options.links))
        partners = read_partners(options.partners)
        checks = pkgutil.resolve_name(options.checks) if options.checks else None
    return create_app(
        engine=engine,
        partners=partners,
        checks=checks,
        database_url=options.database,
        isolation_level=options.isolation_level,
        proxies=Proxies(options.trusted_proxies, options.forwarded_header),
        private_webhooks=options.private_webhooks,
    )


def _engine(namespace, links):
    jurisdictions = load_jurisdictions()
    try:
        return Engine(jurisdictions, namespace=uuid.UUID(namespace), links=links)
    except ValueError as error:  # not a UUID, or one that everybody knows
        sys.exit(f"HOLDBACK_NAMESPACE: {error}")


main()
