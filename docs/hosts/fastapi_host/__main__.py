"""The reference host of holdback; `--help` lists its commands."""

import os
import pkgutil
import signal
import sys
import tempfile
import threading
import time
import uuid
from pathlib import Path

import uvicorn

sys.path[0] = str(Path(__file__).resolve().parents[1])  # the folder that holds the package

from fastapi_host import logs, sample
from fastapi_host.app import create_app, now
from fastapi_host.client_address import Proxies
from fastapi_host.forget import forget
from fastapi_host.migrate import NotMigrated, migrate
from fastapi_host.options import read_options
from fastapi_host.partners import read_partners
from fastapi_host.review import review
from fastapi_host.store import Store
from holdback import ConfigurationError, Engine, load_jurisdictions

TRY = """\
Sample data, {kept}. Keys: {acme} and {west} for partners, {agent} for an agent,
{underwriter} for an underwriter, whose page is {base}/underwriters.
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
    options = read_options()
    options.kept = "in the database of --database"
    logs.log_to(sys.stdout)
    with tempfile.TemporaryDirectory() as folder:
        if options.sample and options.database is None:
            options.database = f"sqlite:///{folder}/holdback.db"
            options.kept = "deleted when this ends"
        try:
            COMMANDS[options.command](options)
        except (NotMigrated, sample.OtherMerchants) as error:
            sys.exit(str(error))


def _serve(options):
    if options.sample:
        migrate(options.database)
    app = _app(options)
    if options.sample:
        ids = sample.ids(app.state.host)
        base = f"http://{options.host}:{options.port}"
        print(TRY.format(base=base, kept=options.kept, **sample.KEYS, **ids), flush=True)
    uvicorn.run(
        app,
        host=options.host,
        port=options.port,
        access_log=False,
        log_level="error",
        proxy_headers=False,  # uvicorn would believe any client that connects from this machine
    )


def _migrate(options):
    _check_database(options)
    before, after = migrate(options.database)
    logs.log("migrated", before=before, after=after)


def _review(options):
    app = _app(options)
    stop = _stop_on_signals()
    failed = review(app.state.host, app.state.partners, options.run, stop=stop.is_set).failed
    if stop.is_set():
        sys.exit("stopped; run it again to go on")
    if failed:  # the log gives the reasons; a scheduler sees the exit status
        sys.exit(f"{failed} merchants could not be reviewed")


def _forget(options):
    _check_database(options)
    if options.keep_days is None:
        sys.exit("expected --keep-days")
    store = Store(options.database, options.isolation_level)
    forget(store, options.keep_days, int(time.time()), stop=_stop_on_signals().is_set)
    store.close()


COMMANDS = {
    "serve": _serve,
    "migrate": _migrate,
    "review": _review,
    "forget": _forget,
}


def _check_database(options):
    if not options.database:
        sys.exit("expected --database or HOLDBACK_DATABASE_URL")


def _stop_on_signals():
    """Return an event that is set when the process is to end, after what it is doing."""
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    return stop


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
    except ValueError:
        sys.exit("HOLDBACK_NAMESPACE: expected a UUID")
    except ConfigurationError as error:
        sys.exit(str(error))


main()
