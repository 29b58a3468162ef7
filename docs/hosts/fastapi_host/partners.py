"""Who may call: partners and agents, their keys and their settings.

A key itself is never kept, only its SHA-256. Keys are random (`secrets.token_urlsafe(32)`), so a plain
hash is enough: there is no dictionary to try against it.
"""

import hashlib
import re
import tomllib
from hmac import compare_digest
from pathlib import Path

from attrs import field, frozen
from attrs.validators import instance_of, matches_re, optional

# Names stand in paths, in tables and in logs.
name_like = matches_re(re.compile(r"[a-z0-9][a-z0-9._-]{0,63}"))
sha256_like = matches_re(re.compile(r"[0-9a-f]{64}"))


@frozen(kw_only=True)
class Webhook:
    """Where a partner is told that a merchant's renewal eligibility changed, and the secret that signs it."""

    url: str = field(validator=matches_re(re.compile(r"https?://\S+")))
    secret: str = field(repr=False, validator=matches_re(re.compile(r"whsec_[A-Za-z0-9+/]+=*")))


@frozen(kw_only=True)
class Partner:
    """One partner. All its merchants are of one `jurisdiction`."""

    name: str = field(validator=name_like)
    key_sha256: str = field(repr=False, validator=sha256_like)
    jurisdiction: str = field(validator=instance_of(str))
    webhook: Webhook | None = field(default=None, validator=optional(instance_of(Webhook)))

    @property
    def caller(self):
        """Whose idempotency keys these are."""
        return f"partner:{self.name}"


@frozen(kw_only=True)
class Agent:
    """One of the service's own agents, who fulfil applications (service 1)."""

    name: str = field(validator=name_like)
    key_sha256: str = field(repr=False, validator=sha256_like)

    @property
    def caller(self):
        """Whose idempotency keys these are."""
        return f"agent:{self.name}"


@frozen(kw_only=True)
class Partners:
    """Everybody who may call."""

    partners: tuple[Partner, ...] = ()
    agents: tuple[Agent, ...] = ()

    def __attrs_post_init__(self):
        everybody = (*self.partners, *self.agents)
        if len({each.caller for each in everybody}) < len(everybody):
            raise ValueError("a name is given to one partner, and to one agent")
        if len({each.key_sha256 for each in everybody}) < len(everybody):
            raise ValueError("a key belongs to one partner or agent")

    def named(self, name):
        """The partner of this name, or None."""
        return next((each for each in self.partners if each.name == name), None)

    def whose(self, key):
        """The partner or agent with this key, or None; every hash is compared, in constant time."""
        given, found = sha256(key), None
        for each in (*self.partners, *self.agents):
            if compare_digest(each.key_sha256, given):
                found = each
        return found


def sha256(key):
    """A key as it is kept."""
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()


def read_partners(path):
    """The partners and agents of a TOML file; `fastapi.md` shows one."""
    document = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    partners = [
        Partner(**{**each, "webhook": Webhook(**each["webhook"]) if "webhook" in each else None})
        for each in document.pop("partners", [])
    ]
    agents = [Agent(**each) for each in document.pop("agents", [])]
    if document:
        raise ValueError(f"{path}: expected [[partners]] and [[agents]] alone")
    return Partners(partners=tuple(partners), agents=tuple(agents))
