"""The tables, the same on SQLite and on PostgreSQL; `migrations` makes them."""

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
    text,
)

METADATA = MetaData()
NUMBER = BigInteger().with_variant(
    Integer, "sqlite"
)  # SQLite numbers rows only in an INTEGER column

# The version of a merchant changes with every write. In format 1 it is the number of the events.
MERCHANTS = Table(
    "merchants",
    METADATA,
    Column("partner", Text, primary_key=True),
    Column("merchant_id", Text, primary_key=True),
    Column("version", Integer, nullable=False),
    Column("state", LargeBinary, nullable=False),
)
# The personal data of a merchant (decisions/documents), in one row, so that it can be erased.
PROFILES = Table(
    "profiles",
    METADATA,
    Column("partner", Text, primary_key=True),
    Column("merchant_id", Text, primary_key=True),
    Column("profile", LargeBinary, nullable=False),
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
# The reply to each idempotency key; `asked` is the fingerprint of its request, and `at` the Unix
# second at which it was written, 0 if the version before wrote it.
REPLIES = Table(
    "replies",
    METADATA,
    Column("caller", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("asked", Text, nullable=False),
    Column("reply", LargeBinary, nullable=False),
    Column("at", BigInteger, nullable=False, server_default=text("0")),
)
# `place` is the number of an event in the merchant's journal, from 1 without gaps. `due` is when a
# webhook is to be sent for the event: Unix seconds, 0 for at once, null for never or delivered.
# `tries` counts the deliveries that were begun.
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
# The pages of a run of the review: the merchants up to `last`, of which those up to `reached` were
# reviewed. `due` is when another process may go on with the page, null when it is done; `at` is
# when it was saved. Both are Unix seconds.
REVIEW_PAGES = Table(
    "review_pages",
    METADATA,
    Column("run", Text, primary_key=True),
    Column("partner", Text, primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("last", Text, nullable=False),
    Column("reached", Text, nullable=False),
    Column("due", BigInteger),
    Column("at", BigInteger, nullable=False),
)
