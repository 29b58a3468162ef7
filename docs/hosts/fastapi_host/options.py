"""The options of the command line."""

import argparse
import os
import sys

from fastapi_host.client_address import HEADERS
from fastapi_host.database import ISOLATION_LEVELS

COMMANDS = {
    "serve": "answer requests and deliver webhooks (the default)",
    "migrate": "bring the tables of the database to the revision that this version needs",
    "review": "review every active deal, which you do daily; several processes share the work",
    "forget": "delete stored replies of more than --keep-days ago",
}


def read_options():
    """Return the options, or exit with what is wrong with them."""
    options = _parser().parse_args()
    url = os.environ.get("HOLDBACK_DATABASE_URL")
    if options.sample and url and options.database is None:
        # The variable names a service's own database, which sample data must not get into.
        sys.exit(
            "--sample does not write to the database of HOLDBACK_DATABASE_URL; "
            "unset the variable, or name a database with --database"
        )
    options.database = options.database or url
    return options


def _parser():
    parser = argparse.ArgumentParser(
        prog="fastapi_host",
        description="The reference host of holdback.",
        epilog="Commands: " + "; ".join(f"`{name}`: {does}" for name, does in COMMANDS.items()),
    )
    parser.add_argument("command", nargs="?", choices=COMMANDS, default="serve")
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
    parser.add_argument(
        "--private-webhooks",
        action="store_true",
        help="for development: allow webhooks with http:// and to private addresses",
    )
    parser.add_argument(
        "--run", help="the run of the review to go on with; by default that of the current day"
    )
    parser.add_argument("--keep-days", type=_days, help="for how many days replies are kept")
    return parser


def _days(text):
    days = int(text)
    if days < 1:
        raise argparse.ArgumentTypeError("expected at least 1 day")
    return days
