"""
What one outcome writes: its rows, and the statements for them.

All of it is one transaction, which begins with the compare-and-set of the merchant. On PostgreSQL
it is one statement; on SQLite one after the other, under the write lock.
"""

from functools import cache

from attrs import frozen
from sqlalchemy import bindparam, update
from sqlalchemy.dialects.sqlite import insert

from fastapi_host.tables import EVENTS, MERCHANTS, NAMES, PROFILES, REPLIES
from holdback.lifecycle.events import OfferAccepted, OffersIssued, RenewalEligibilityChanged


@frozen(kw_only=True)
class Writes:
    """The rows to write, if the merchant still has the `version` of its row."""

    merchant: dict
    profile: bytes | None  # None if the stored one stays
    events: list
    names: list
    reply: dict | None


def writes(  # noqa: PLR0913 - the parts of one transaction
    outcome, documents, *, version, provider_id, notify, reply
):
    """Return what to write for an outcome with events, and its `documents`."""
    key = {"partner": outcome.merchant.partner, "merchant_id": outcome.merchant.merchant_id}
    numbers = {"version": version, "after": version + len(outcome.events)}
    return Writes(
        merchant={**key, **numbers, "state": documents.state},
        profile=documents.profile,
        events=[
            {
                **key,
                "place": event.sequence,
                "event": written,
                "due": _due(event, notify),
                "tries": 0,
            }
            for event, written in zip(outcome.events, documents.events, strict=True)
        ],
        names=[key | name for event in outcome.events for name in _names(event, provider_id)],
        reply=reply,
    )


def _due(event, notify):
    return 0 if notify and isinstance(event, RenewalEligibilityChanged) else None


def _names(event, provider_id):
    """Yield the names by which the partner can find the merchant from now on."""
    if isinstance(event, OffersIssued):
        for product in event.offer_set.products:
            for offer in product.offers:
                yield {"kind": "offer_id", "name": offer.offer_id}
    elif isinstance(event, OfferAccepted) and provider_id is None:
        yield {"kind": "provider_id", "name": event.provider_id}


COMPARED = ("partner", "merchant_id", "version")
MOVE = update(MERCHANTS).values(version=bindparam("after"), state=bindparam("new"))
MOVE = MOVE.where(*(MERCHANTS.c[part] == bindparam(f"the_{part}") for part in COMPARED))
PROFILE = insert(PROFILES)
PROFILE = PROFILE.on_conflict_do_update(set_={"profile": PROFILE.excluded.profile})


def write_one_by_one(db, wanted):
    """Compare and set; return whether it wrote. A first write inserts, which works only once."""
    merchant = wanted.merchant
    key = {"partner": merchant["partner"], "merchant_id": merchant["merchant_id"]}
    if merchant["version"] == 0:
        row = {**key, "version": merchant["after"], "state": merchant["state"]}
        db.execute(MERCHANTS.insert(), row)
    else:
        parameters = {f"the_{part}": merchant[part] for part in COMPARED}
        parameters |= {"after": merchant["after"], "new": merchant["state"]}
        if db.execute(MOVE, parameters).rowcount != 1:
            return False
    if wanted.profile is not None:
        db.execute(PROFILE, key | {"profile": wanted.profile})
    db.execute(EVENTS.insert(), wanted.events)
    if wanted.names:
        db.execute(NAMES.insert(), wanted.names)
    if wanted.reply is not None:
        db.execute(REPLIES.insert(), wanted.reply)
    return True


# The same in one statement, which is one transaction and one round trip. An acceptance spends most
# of its time on round trips, not on the decision. The text is in the driver's own form, so that
# nothing translates it.
_FIRST = """insert into merchants (partner, merchant_id, version, state)
    values (%(partner)s, %(merchant_id)s, %(after)s, %(state)s) returning partner, merchant_id"""
_NEXT = """update merchants set version = %(after)s, state = %(state)s
    where partner = %(partner)s and merchant_id = %(merchant_id)s and version = %(version)s
    returning partner, merchant_id"""
_PROFILE = """insert into profiles (partner, merchant_id, profile)
    select moved.*, cast(%(profile)s as bytea) from moved
    on conflict (partner, merchant_id) do update set profile = excluded.profile"""
_EVENTS = """insert into events (partner, merchant_id, place, event, due, tries)
    select moved.*, new.*, 0 from moved, (values {rows}) as new returning place"""
_EVENT = "(cast(%(place{n})s as int), cast(%(event{n})s as bytea), cast(%(due{n})s as bigint))"
_NAMES = """insert into names (partner, merchant_id, kind, name)
    select moved.*, new.* from moved, (values {rows}) as new"""
_NAME = "(cast(%(kind{n})s as text), cast(%(name{n})s as text))"
_REPLY = """insert into replies (caller, key, asked, reply, at)
    select cast(%(caller)s as text), cast(%(key)s as text), cast(%(asked)s as text),
    cast(%(reply)s as bytea), cast(%(at)s as bigint) from moved"""


def at_once(wanted):
    """Return the statement for PostgreSQL, which returns rows if it wrote, and its parameters."""
    parameters = wanted.merchant | {"profile": wanted.profile} | (wanted.reply or {})
    for rows, parts in ((wanted.events, ("place", "event", "due")), (wanted.names, _NAME_PARTS)):
        for n, row in enumerate(rows):
            parameters |= {f"{part}{n}": row[part] for part in parts}
    statement = _statement(
        first=wanted.merchant["version"] == 0,
        profile=wanted.profile is not None,
        events=len(wanted.events),
        names=len(wanted.names),
        replied=wanted.reply is not None,
    )
    return statement, parameters


_NAME_PARTS = ("kind", "name")


@cache
def _statement(*, first, profile, events, names, replied):
    """Return a statement for these parts, and these numbers of events and names."""
    parts = [f"moved as ({_FIRST if first else _NEXT})"]
    parts += [f"p as ({_PROFILE})"] if profile else []
    parts += [f"n as ({_NAMES.format(rows=_rows(_NAME, names))})"] if names else []
    parts += [f"r as ({_REPLY})"] if replied else []
    return f"with {', '.join(parts)} {_EVENTS.format(rows=_rows(_EVENT, events))}"


def _rows(row, count):
    return ", ".join(row.format(n=n) for n in range(count))
