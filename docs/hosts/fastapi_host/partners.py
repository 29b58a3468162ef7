"""
The callers: partners and agents, with their keys.

A key is never stored, only its SHA-256. Keys are random (`secrets.token_urlsafe(32)`), so a plain
hash is enough: no dictionary attack can guess them.
"""

import hashlib
import re
import tomllib
from hmac import compare_digest
from pathlib import Path

from attrs import field, fields, frozen
from attrs.validators import instance_of, optional


def like(pattern, expected):
    """Return a validator whose error never repeats the value, which may be a key by mistake."""
    pattern = re.compile(pattern)

    def check(_, attribute, value):
        if not isinstance(value, str) or pattern.fullmatch(value) is None:
            raise ValueError(f"{attribute.name}: expected {expected}")

    return check


# A name appears in paths, tables and logs.
name_like = like(
    r"[a-z0-9][a-z0-9._-]{0,63}",
    "1 to 64 of a-z, 0-9, `.`, `_` and `-`, starting with a letter or a digit",
)
sha256_like = like(r"[0-9a-f]{64}", "64 hex digits")


@frozen(kw_only=True)
class Webhook:
    """The URL for a partner's notifications, and the secret that signs them."""

    url: str = field(validator=like(r"https?://\S+", "an address with http:// or https://"))
    secret: str = field(
        repr=False, validator=like(r"whsec_[A-Za-z0-9+/]+=*", "`whsec_` and text in Base64")
    )


@frozen(kw_only=True)
class Partner:
    """One partner. All of its merchants are in one `jurisdiction`."""

    name: str = field(validator=name_like)
    key_sha256: str = field(repr=False, validator=sha256_like)
    jurisdiction: str = field(validator=like(".+", "the code of a jurisdiction"))
    webhook: Webhook | None = field(default=None, validator=optional(instance_of(Webhook)))

    @property
    def caller(self):
        """The name under which this caller's idempotency keys are stored."""
        return f"partner:{self.name}"


@frozen(kw_only=True)
class Agent:
    """One of the service's own agents, who fulfil applications (service 1)."""

    name: str = field(validator=name_like)
    key_sha256: str = field(repr=False, validator=sha256_like)

    @property
    def caller(self):
        """The name under which this caller's idempotency keys are stored."""
        return f"agent:{self.name}"


@frozen(kw_only=True)
class Partners:
    """All partners and agents."""

    partners: tuple[Partner, ...] = ()
    agents: tuple[Agent, ...] = ()

    def __attrs_post_init__(self):
        callers = (*self.partners, *self.agents)
        if len({caller.caller for caller in callers}) < len(callers):
            raise ValueError("two partners, or two agents, have the same name")
        if len({caller.key_sha256 for caller in callers}) < len(callers):
            raise ValueError("two partners or agents have the same key")

    def named(self, name):
        """Return the partner with this name, or None."""
        return next((partner for partner in self.partners if partner.name == name), None)

    def with_key(self, key):
        """Return the partner or agent with this key, or None, in constant time."""
        digest, match = sha256(key), None
        for caller in (*self.partners, *self.agents):  # no early exit: timing would tell
            if compare_digest(caller.key_sha256, digest):
                match = caller
        return match


def sha256(key):
    """Return the digest of a key, which is all that is stored."""
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()


def read_partners(path):
    """
    Return the partners and agents of a TOML file; `fastapi.md` shows one.

    Raises:
        ValueError: naming the first wrong place in the file, without the value there.
    """
    document = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    partners = []
    for number, table in enumerate(document.pop("partners", [])):
        place = f"{path}: $.partners[{number}]"
        if "webhook" in table:
            table["webhook"] = _read(Webhook, table["webhook"], f"{place}.webhook")
        partners.append(_read(Partner, table, place))
    agents = [
        _read(Agent, table, f"{path}: $.agents[{number}]")
        for number, table in enumerate(document.pop("agents", []))
    ]
    if document:
        raise ValueError(f"{path}: expected only [[partners]] and [[agents]]")
    return Partners(partners=tuple(partners), agents=tuple(agents))


def _read(kind, table, place):
    try:
        return kind(**table)
    except ValueError as error:
        raise ValueError(f"{place}.{error}") from None
    except TypeError:  # a key is missing or unknown
        keys = ", ".join(attribute.name for attribute in fields(kind))
        raise ValueError(f"{place}: expected the keys {keys}") from None
