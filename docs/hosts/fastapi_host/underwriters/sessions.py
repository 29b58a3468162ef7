"""
The sessions of underwriters: a random secret in a cookie, of which only the digest is stored.

A session is that of a key. It ends after some hours, when its key ends or is removed, or when the
underwriter signs out, in every process at once.
"""

import hmac
import secrets

from attrs import frozen
from sqlalchemy import delete, select

from fastapi_host.partners import Agent, Key, sha256
from fastapi_host.tables import SESSIONS

SECONDS = 8 * 60 * 60
# A browser sends it to this host alone, over TLS, and not with a request from another site.
COOKIE = "__Host-underwriter"


@frozen
class Session:
    """An underwriter who is signed in; `secret` is what the cookie has."""

    secret: str
    caller: Agent
    key: Key

    @property
    def token(self):
        """What every form of the session has, and no other site can know."""
        return hmac.digest(self.secret.encode(), b"form", "sha256").hex()


@frozen
class Sessions:
    """The sessions in the database, which all processes share."""

    store: object
    partners: object
    clock: object

    def open(self, key):
        """Begin a session of a key, and return its secret; sessions that have ended are deleted."""
        secret, now = secrets.token_urlsafe(32), int(self.clock().timestamp())
        row = {"digest": sha256(secret), "key": key.sha256, "until": now + SECONDS}
        with self.store.engine.begin() as db:
            db.execute(delete(SESSIONS).where(SESSIONS.c.until <= now))
            db.execute(SESSIONS.insert(), row)
        return secret

    def find(self, secret):
        """Return the session with this secret, None if there is none or it has ended."""
        now = self.clock()
        query = select(SESSIONS.c.key).where(
            SESSIONS.c.digest == sha256(secret), SESSIONS.c.until > int(now.timestamp())
        )
        with self.store.reading.connect() as db:
            digest = db.scalar(query)
        key, caller = self.partners.with_digest(digest or "")
        if caller is None or not key.valid(now):
            return None
        return Session(secret, caller, key)

    def close(self, secret):
        """End a session."""
        with self.store.engine.begin() as db:
            db.execute(delete(SESSIONS).where(SESSIONS.c.digest == sha256(secret)))
