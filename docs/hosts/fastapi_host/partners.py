"""
The callers: partners and agents, with their keys and what they may do.

A key is never stored, only its SHA-256. Keys are random (`secrets.token_urlsafe(32)`), so a plain
hash is enough: no dictionary attack can guess them.

A caller may have several keys at once, so that one can be replaced without a gap. The file changes
only when a process starts, so a key can begin and end on its own, at its `from` and `until`.
"""

import base64
import hashlib
import re
import tomllib
from datetime import datetime
from hmac import compare_digest
from pathlib import Path

import httpx
from attrs import field, fields, frozen
from attrs.validators import deep_iterable, instance_of, optional

from fastapi_host.roles import AGENT, BANK_DETAILS, PARTNER, ROLES_OF_AGENTS


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
role_like = like("|".join(ROLES_OF_AGENTS), " or ".join(f"`{role}`" for role in ROLES_OF_AGENTS))
sha256_like = like(r"[0-9a-f]{64}", "64 hex digits")
IN_FILE = {"since": "from"}  # the name in the file of an attribute that Python cannot call so


def instant(_, attribute, value):
    """Refuse what is not an instant, such as a date, or a time without its offset."""
    if not isinstance(value, datetime) or value.utcoffset() is None:
        name = IN_FILE.get(attribute.name, attribute.name)
        raise ValueError(f"{name}: expected an instant, such as 2027-01-01T00:00:00Z")


def flag(_, attribute, value):
    """Refuse what is not true or false."""
    if value is not True and value is not False:
        raise ValueError(f"{attribute.name}: expected true or false")


@frozen(kw_only=True)
class Key:
    """
    One key of a caller, valid from `since` until just before `until`; None is without a limit.

    `name` is for the log, which shows whether a key is still used.
    """

    sha256: str = field(repr=False, validator=sha256_like)
    name: str | None = field(default=None, validator=optional(name_like))
    since: datetime | None = field(default=None, validator=optional(instant))
    until: datetime | None = field(default=None, validator=optional(instant))

    def __attrs_post_init__(self):
        if self.since is not None and self.until is not None and self.since >= self.until:
            raise ValueError("until: expected an instant after `from`")

    def valid(self, at):
        """Return whether the key is valid at this instant."""
        started = self.since is None or self.since <= at
        return started and (self.until is None or at < self.until)


def url_like(_, attribute, value):
    """Refuse what is not a URL, without repeating it: it may contain a password."""
    try:
        url = httpx.URL(value)
    except (TypeError, httpx.InvalidURL):
        url = httpx.URL("")
    if url.scheme not in ("https", "http") or not url.host:
        raise ValueError(f"{attribute.name}: expected an address with https://")


def _as_tuple(secret):
    return tuple(secret) if isinstance(secret, list | tuple) else (secret,)


def secrets_like(_, attribute, values):
    """Refuse a secret that is not what Standard Webhooks asks for; the error repeats none."""
    expected = "expected `whsec_` and 24 to 64 bytes in Base64, or an array of such texts"
    for value in values:
        prefix, _, text = value.partition("_") if isinstance(value, str) else ("", "", "")
        try:
            size = len(base64.b64decode(text, validate=True))
        except ValueError:
            size = 0
        if prefix != "whsec" or not 24 <= size <= 64:
            raise ValueError(f"{attribute.name}: {expected}")
    if not values:
        raise ValueError(f"{attribute.name}: {expected}")


@frozen(kw_only=True)
class Webhook:
    """
    The URL for a partner's notifications, and the secret that signs them.

    While a secret is replaced there are several, and each notification is signed with all of them.
    """

    url: str = field(validator=url_like)
    secret: tuple[str, ...] = field(repr=False, converter=_as_tuple, validator=secrets_like)


@frozen(kw_only=True)
class Caller:
    """A caller with at least one key: `key_sha256` for one without a limit, `keys` for others."""

    name: str = field(validator=name_like)
    key_sha256: str | None = field(default=None, repr=False, validator=optional(sha256_like))
    keys: tuple[Key, ...] = field(default=(), validator=deep_iterable(instance_of(Key)))

    def __attrs_post_init__(self):
        if not self.all_keys:
            raise ValueError("key_sha256: expected this digest of a key, or `keys`")
        names = [key.name for key in self.keys if key.name is not None]
        if len(set(names)) < len(names):
            raise ValueError("keys: two keys have the same name")

    @property
    def all_keys(self):
        """All keys, also those that are not valid now."""
        first = () if self.key_sha256 is None else (Key(sha256=self.key_sha256),)
        return (*first, *self.keys)


@frozen(kw_only=True)
class Partner(Caller):
    """One partner. All of its merchants are in one `jurisdiction`."""

    jurisdiction: str = field(validator=like(".+", "the code of a jurisdiction"))
    webhook: Webhook | None = field(default=None, validator=optional(instance_of(Webhook)))

    @property
    def caller(self):
        """The name under which this caller's idempotency keys are stored."""
        return f"partner:{self.name}"

    @property
    def rights(self):
        """What the caller may do, as `roles` names it."""
        return frozenset({PARTNER})


@frozen(kw_only=True)
class Agent(Caller):
    """
    One of the service's own agents, who fulfil applications (service 1).

    An agent with the `role` of an underwriter also decides referrals. Only one with `bank_details`
    sees those of a merchant.
    """

    role: str = field(default=AGENT, validator=role_like)
    bank_details: bool = field(default=False, validator=flag)

    @property
    def caller(self):
        """The name under which this caller's idempotency keys are stored."""
        return f"agent:{self.name}"

    @property
    def rights(self):
        """What the caller may do, as `roles` names it."""
        return frozenset({self.role, BANK_DETAILS} if self.bank_details else {self.role})


@frozen(kw_only=True)
class Partners:
    """All partners and agents."""

    partners: tuple[Partner, ...] = ()
    agents: tuple[Agent, ...] = ()
    _owners: tuple[tuple[Key, Caller], ...] = field(init=False, repr=False, eq=False)

    def __attrs_post_init__(self):
        callers = (*self.partners, *self.agents)
        if len({caller.caller for caller in callers}) < len(callers):
            raise ValueError("two partners, or two agents, have the same name")
        owners = tuple((key, caller) for caller in callers for key in caller.all_keys)
        if len({key.sha256 for key, _ in owners}) < len(owners):
            raise ValueError("one key is given twice; each caller has keys of its own")
        object.__setattr__(self, "_owners", owners)

    def named(self, name):
        """Return the partner with this name, or None."""
        return next((partner for partner in self.partners if partner.name == name), None)

    def with_key(self, key):
        """Return the `Key` and its owner, or None twice, in constant time; it may have expired."""
        return self.with_digest(sha256(key))

    def with_digest(self, digest):
        """Return the same for the digest of a key."""
        match = (None, None)
        for pair in self._owners:  # no early exit: timing would tell
            if compare_digest(pair[0].sha256, digest):
                match = pair
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
    for place, table in _tables(document, "partners", f"{path}: $."):
        if "webhook" in table:
            table["webhook"] = _read(Webhook, table["webhook"], f"{place}.webhook")
        partners.append(_read_caller(Partner, place, table))
    agents = [
        _read_caller(Agent, place, table)
        for place, table in _tables(document, "agents", f"{path}: $.")
    ]
    if document:
        raise ValueError(f"{path}: expected only [[partners]] and [[agents]]")
    return Partners(partners=tuple(partners), agents=tuple(agents))


def _read_caller(kind, place, table):
    keys = [_read(Key, key, inside) for inside, key in _tables(table, "keys", f"{place}.")]
    return _read(kind, table | {"keys": tuple(keys)}, place)


def _tables(table, name, prefix):
    """Take the array of tables *name* out of *table*, each with its place."""
    tables = table.pop(name, [])
    if not isinstance(tables, list) or not all(isinstance(inside, dict) for inside in tables):
        raise ValueError(f"{prefix}{name}: expected an array of tables")
    return [(f"{prefix}{name}[{number}]", inside) for number, inside in enumerate(tables)]


def _read(kind, table, place):
    names = {
        IN_FILE.get(attribute.name, attribute.name): attribute.name for attribute in fields(kind)
    }
    try:
        return kind(**{names[name]: value for name, value in table.items()})
    except ValueError as error:
        raise ValueError(f"{place}.{error}") from None
    except (AttributeError, KeyError, TypeError):  # not a table, or a key is unknown or missing
        raise ValueError(f"{place}: expected the keys {', '.join(names)}") from None
