"""
Versions that are wrong on purpose: an upgrade to any of them has to fail.

Each makes the first version's FastAPI host with one error, or migrates its database with one.
"""

from __future__ import annotations

import conforming
from attrs import evolve
from fastapi_host import app, store
from sqlalchemy import create_engine

from holdback import wire
from holdback.lifecycle.events import RemittancesRecorded, TakingsRecorded

LATER = (RemittancesRecorded, TakingsRecorded)
FIELD = b',"mood":"sunny"}'


def writing_a_new_field(*arguments):
    """Write states with a field that the first version does not know."""
    read, write = wire.read_merchant, wire.write_merchant
    wire.write_merchant = lambda merchant: write(merchant)[:-1] + FIELD
    wire.read_merchant = lambda state: read(state.replace(FIELD, b"}"))
    return conforming.fastapi(*arguments)


def keeping_keys_apart(*arguments):
    """Keep the replies to keys where the first version does not look for them."""
    merchant_request = app._merchant_request

    def with_its_own_key(*request, **about):
        asked = merchant_request(*request, **about)
        return evolve(asked, key=asked.key and f"new {asked.key}")

    app._merchant_request = with_its_own_key
    return conforming.fastapi(*arguments)


def writing_later(*arguments):
    """Acknowledge takings and remittances before they are written, and never write them."""
    write = store.Store.write

    def write_later(self, outcome, **options):
        if not any(isinstance(event, LATER) for event in outcome.events):
            write(self, outcome, **options)

    store.Store.write = write_later
    return conforming.fastapi(*arguments)


def taking_a_table_away(url):
    """Migrate to tables that the first version does not find."""
    database = create_engine(url)
    with database.begin() as connection:
        connection.exec_driver_sql("alter table names rename to new_names")
    database.dispose()
