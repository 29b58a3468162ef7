"""
What one outcome writes: its rows, and the statements for them.

All of it is one transaction, which begins with the compare-and-set of the merchant. On PostgreSQL
it is one statement; on SQLite one after the other, under the write lock.
"""

from functools import cache

from attrs import frozen
from sqlalchemy import bindparam, delete, update
from sqlalchemy.dialects.sqlite import insert

from fastapi_host.open_work import changes
from fastapi_host.tables import EVENTS, MERCHANTS, NAMES, OPEN_WORK, PROFILES, REPLIES
from holdback.lifecycle.events import (
    ApplicationLapsed,
    DealPaused,
    DealResumed,
    DealUnwound,
    PayoutReturned,
    QueuedRenewalReady,
    ReferralDecided,
    RenewalEligibilityChanged,
    TermsChanged,
)

# The partner gets a webhook for each of these; `outbox` says what it has.
PUBLISHED = (
    RenewalEligibilityChanged,
    ReferralDecided,
    ApplicationLapsed,
    QueuedRenewalReady,
    DealPaused,
    DealResumed,
    TermsChanged,
    DealUnwound,
    PayoutReturned,
)


@frozen(kw_only=True)
class Writes:
    """The rows to write, if the merchant still has the `version` of its row."""

    merchant: dict
    profile: bytes | None  # None if the stored one stays
    events: list
    names: list
    done: list  # the keys of work that no longer waits for an agent
    work: list
    reply: dict | None


def writes(  # noqa: PLR0913 - the parts of one transaction
    outcome, documents, *, before, referrals, version, notify, reply
):
    """Return what to write for an outcome with events, and its `documents`."""
    done, work = changes(before, outcome.merchant, referrals)
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
                "due": 0 if notify and _is_published(event, outcome.merchant) else None,
                "tries": 0,
            }
            for event, written in zip(outcome.events, documents.events, strict=True)
        ],
        names=[
            {**key, "kind": kind, "name": name}
            for kind, name in outcome.names
            if before is None or name != before.provider_id
        ],
        done=[key | dict(zip(WORK_KEY, of_work, strict=True)) for of_work in done],
        work=[key | one._asdict() for one in work],
        reply=reply,
    )


def _is_published(event, merchant):
    if isinstance(event, ReferralDecided):
        # Of an accepted application the payout was decided, and no partner learns that it waited.
        return merchant.fulfilment_of(event.decision.application_id) is None
    return isinstance(event, PUBLISHED)


WORK_KEY = ("kind", "application_id", "product")
WORK_VALUES = ("status", "since", "deal_id", "amount")
COMPARED = ("partner", "merchant_id", "version")
MOVE = update(MERCHANTS).values(version=bindparam("after"), state=bindparam("new"))
MOVE = MOVE.where(*(MERCHANTS.c[part] == bindparam(f"the_{part}") for part in COMPARED))
PROFILE = insert(PROFILES)
PROFILE = PROFILE.on_conflict_do_update(set_={"profile": PROFILE.excluded.profile})
DONE = delete(OPEN_WORK).where(
    *(
        OPEN_WORK.c[part] == bindparam(f"the_{part}")
        for part in ("partner", "merchant_id", *WORK_KEY)
    )
)
WORK = insert(OPEN_WORK)
WORK = WORK.on_conflict_do_update(set_={name: WORK.excluded[name] for name in WORK_VALUES})


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
    if wanted.done:
        db.execute(DONE, [{f"the_{part}": of for part, of in row.items()} for row in wanted.done])
    if wanted.work:
        db.execute(WORK, wanted.work)
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
_DONE = """delete from open_work using moved where open_work.partner = moved.partner
    and open_work.merchant_id = moved.merchant_id
    and (open_work.kind, open_work.application_id, open_work.product) in ({rows})"""
_DONE_KEY = "(%(done_kind{n})s, %(done_application_id{n})s, %(done_product{n})s)"
_WORK = """insert into open_work
    (partner, merchant_id, kind, application_id, product, status, since, deal_id, amount)
    select moved.*, new.* from moved, (values {rows}) as new
    on conflict (partner, merchant_id, kind, application_id, product)
    do update set status = excluded.status, since = excluded.since,
    deal_id = excluded.deal_id, amount = excluded.amount"""
_WORK_ROW = """(cast(%(work_kind{n})s as text), cast(%(work_application_id{n})s as text),
    cast(%(work_product{n})s as text), cast(%(work_status{n})s as text),
    cast(%(work_since{n})s as bigint), cast(%(work_deal_id{n})s as text),
    cast(%(work_amount{n})s as text))"""
_REPLY = """insert into replies (caller, key, asked, reply, at)
    select cast(%(caller)s as text), cast(%(key)s as text), cast(%(asked)s as text),
    cast(%(reply)s as bytea), cast(%(at)s as bigint) from moved"""


# The rows of each kind: the prefix of their parameters, and their parts.
_EVENT_ROWS = ("", ("place", "event", "due"))
_NAME_ROWS = ("", ("kind", "name"))
_DONE_ROWS = ("done_", WORK_KEY)
_WORK_ROWS = ("work_", (*WORK_KEY, *WORK_VALUES))


def at_once(wanted):
    """Return the statement for PostgreSQL, which returns rows if it wrote, and its parameters."""
    parameters = wanted.merchant | {"profile": wanted.profile} | (wanted.reply or {})
    of_rows = (
        (wanted.events, _EVENT_ROWS),
        (wanted.names, _NAME_ROWS),
        (wanted.done, _DONE_ROWS),
        (wanted.work, _WORK_ROWS),
    )
    for rows, (prefix, parts) in of_rows:
        for n, row in enumerate(rows):
            parameters |= {f"{prefix}{part}{n}": row[part] for part in parts}
    statement = _statement(
        first=wanted.merchant["version"] == 0,
        profile=wanted.profile is not None,
        events=len(wanted.events),
        names=len(wanted.names),
        done=len(wanted.done),
        work=len(wanted.work),
        replied=wanted.reply is not None,
    )
    return statement, parameters


@cache
def _statement(*, first, profile, events, names, done, work, replied):  # noqa: PLR0913 - its parts
    """Return a statement for these parts, and these numbers of rows."""
    parts = [f"moved as ({_FIRST if first else _NEXT})"]
    parts += [f"p as ({_PROFILE})"] if profile else []
    parts += [f"n as ({_NAMES.format(rows=_rows(_NAME, names))})"] if names else []
    parts += [f"d as ({_DONE.format(rows=_rows(_DONE_KEY, done))})"] if done else []
    parts += [f"w as ({_WORK.format(rows=_rows(_WORK_ROW, work))})"] if work else []
    parts += [f"r as ({_REPLY})"] if replied else []
    return f"with {', '.join(parts)} {_EVENTS.format(rows=_rows(_EVENT, events))}"


def _rows(row, count):
    return ", ".join(row.format(n=n) for n in range(count))
