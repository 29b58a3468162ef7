"""The tables, the same on SQLite and on PostgreSQL; `migrations` makes them."""

import re

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

# Text that no table can contain: PostgreSQL stores no NUL, an index limits the length of its keys,
# and `wire` allows neither in an identifier.
UNSTORABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]|.{201}", re.DOTALL)
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
# What waits for an agent: applications in fulfilment, open referrals and deals to put right, which
# `kind` tells apart. Only a referral has a `product`, and only a deal a `deal_id` and an `amount`
# with its currency; else they are empty. `since` is a Unix second.
OPEN_WORK = Table(
    "open_work",
    METADATA,
    Column("partner", Text, primary_key=True),
    Column("merchant_id", Text, primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("application_id", Text, primary_key=True),
    Column("product", Text, primary_key=True),
    Column("status", Text, nullable=False),
    Column("since", BigInteger, nullable=False),
    Column("deal_id", Text, nullable=False, server_default=""),
    Column("amount", Text, nullable=False, server_default=""),
    Index(
        "open_work_queue", "kind", "since", "partner", "merchant_id", "application_id", "product"
    ),
)
# Underwriters who are signed in to the page. `digest` is the SHA-256 of the secret in the cookie,
# `key` that of the key with which they signed in; the session ends at `until`, a Unix second.
SESSIONS = Table(
    "sessions",
    METADATA,
    Column("digest", Text, primary_key=True),
    Column("key", Text, nullable=False),
    Column("until", BigInteger, nullable=False),
)
