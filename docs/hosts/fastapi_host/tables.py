"""The four tables, the same on SQLite and on PostgreSQL."""

from sqlalchemy import (
    BigInteger,
    Column,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

METADATA = MetaData()
NUMBER = BigInteger().with_variant(
    Integer, "sqlite"
)  # SQLite numbers rows only in an INTEGER column

# The version is the number of the merchant's events, so it also gives each event its place.
MERCHANTS = Table(
    "merchants",
    METADATA,
    Column("partner", Text, primary_key=True),
    Column("merchant_id", Text, primary_key=True),
    Column("version", Integer, nullable=False),
    Column("state", LargeBinary, nullable=False),
)
# Names by which a partner finds a merchant besides its merchant_id; `kind` is offer_id or
# provider_id.
NAMES = Table(
    "names",
    METADATA,
    Column("partner", Text, primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("merchant_id", Text, nullable=False),
)
# The reply to each idempotency key; `asked` is the fingerprint of its request.
REPLIES = Table(
    "replies",
    METADATA,
    Column("caller", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("asked", Text, nullable=False),
    Column("reply", LargeBinary, nullable=False),
)
# `due` is when a webhook is to be sent for the event: Unix seconds, 0 for at once, null for never
# or delivered. `tries` counts the deliveries that were begun.
EVENTS = Table(
    "events",
    METADATA,
    Column("number", NUMBER, primary_key=True, autoincrement=True),
    Column("partner", Text, nullable=False),
    Column("merchant_id", Text, nullable=False),
    Column("place", Integer, nullable=False),
    Column("event", LargeBinary, nullable=False),
    Column("due", BigInteger),
    Column("tries", Integer, nullable=False),
    UniqueConstraint("partner", "merchant_id", "place"),
)
_UNDELIVERED = EVENTS.c.due.is_not(None)
Index(
    "events_due",
    EVENTS.c.partner,
    EVENTS.c.due,
    sqlite_where=_UNDELIVERED,
    postgresql_where=_UNDELIVERED,
)
