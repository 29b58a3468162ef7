"""What a decision is made with: the host's word for this attempt, and the rules in force."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from json.encoder import encode_basestring
from typing import Final, TypeAlias

import pendulum
from attrs import evolve, field, frozen
from pendulum import DateTime

from holdback.errors import ErrorDetail, InvalidDocument
from holdback.exact_json import Json
from holdback.jurisdictions.jurisdiction import Jurisdictions
from holdback.jurisdictions.rulebook import Rulebook
from holdback.model.merchant import Merchant
from holdback.model.validators import text
from holdback.money import Money
from holdback.offers.registry import BoundProduct
from holdback.rules.values import is_missing

# (application_id, provider_id) -> links with at least the two keys of service 2.4.
Links: TypeAlias = Callable[[str, str], Mapping[str, str]]
REQUIRED_LINKS: Final = ("contract_link", "merchant_link")

# Far enough from the ends of the calendar that no term and no validity leads beyond them.
_YEARS: Final = (1970, 3000)


def _instant(value: object) -> DateTime:
    """*value* as an instant in UTC; a naive one is refused, because nobody can tell when it is."""
    if not isinstance(value, datetime) or value.utcoffset() is None:
        raise InvalidDocument.of("expected an instant with a time zone", path="$.at")
    if not _YEARS[0] <= value.year < _YEARS[1]:
        message = f"expected an instant from {_YEARS[0]} on and before {_YEARS[1]}"
        raise InvalidDocument.of(message, path="$.at")
    if isinstance(value, DateTime) and value.tzinfo is pendulum.UTC:
        return value
    return utc(value.astimezone(UTC))


def utc(value: datetime) -> DateTime:
    """The instant of *value*, a datetime in UTC, as pendulum has it."""
    return DateTime(
        value.year,
        value.month,
        value.day,
        value.hour,
        value.minute,
        value.second,
        value.microsecond,
        tzinfo=pendulum.UTC,
    )


def _evidence(given: Mapping[str, object]) -> Mapping[str, Json]:
    """*given* as plain values that can be stored: exact, and unknown left out."""
    if not isinstance(given, Mapping):
        raise InvalidDocument.of("expected evidence by fact name", path="$.evidence")
    faults = []
    plain: dict[str, Json] = {}
    for name, value in given.items():
        if is_missing(value):
            continue
        if isinstance(value, Money):
            plain[name] = str(value)
        elif isinstance(value, date) and not isinstance(value, datetime):
            plain[name] = value.isoformat()
        elif type(value) in {str, bool, int, Decimal}:
            plain[name] = value
        else:
            message = f"expected a plain exact value, not {type(value).__name__}"
            faults.append(ErrorDetail(message=message, path=f"$.evidence.{str(name)[:60]}"))
    if faults:
        raise InvalidDocument(faults)
    return plain


@frozen(kw_only=True)
class Context:
    """
    What the host says with each attempt.

    `at` is the instant of the attempt, taken once. `request_id` is the host's own: random, never used
    twice, the same on a retry. `evidence` is what the host's checks gave, by fact name.

    >>> Context(at=pendulum.datetime(2026, 7, 1), request_id="r-1").at.isoformat()
    '2026-07-01T00:00:00+00:00'
    """

    at: DateTime = field(converter=_instant)
    request_id: str = field(validator=text)
    evidence: Mapping[str, Json] = field(factory=dict, converter=_evidence, repr=False)

    def not_before(self, last_seen_at: DateTime | None) -> Context:
        """This context, at *last_seen_at* should the clock have gone back (design 6)."""
        if last_seen_at is None or self.at >= last_seen_at:
            return self
        return evolve(self, at=last_seen_at)


@frozen(kw_only=True)
class Configuration:
    """
    The rules in force and what the host chose when it built its engine.

    `products` are the bound products by the code of their rulebook and the day that it holds from. `namespace` is the host's secret
    from which all ids are made.
    """

    jurisdictions: Jurisdictions
    products: Mapping[tuple[str, date], tuple[BoundProduct, ...]] = field(repr=False)
    links: Links = field(repr=False)
    namespace: uuid.UUID = field(repr=False)

    def local_day(self, merchant: Merchant, at: DateTime) -> date:
        """The local date of *at* in the merchant's jurisdiction."""
        return local_date(at, self.jurisdictions.zone(merchant.jurisdiction))

    def rulebook(self, merchant: Merchant, at: DateTime) -> Rulebook:
        """The rulebook of the merchant's jurisdiction at *at*, by its local date."""
        return self.jurisdictions.resolve(merchant.jurisdiction, on=self.local_day(merchant, at))

    def identities(self, merchant: Merchant, request_id: str) -> Callable[..., str]:
        """A function from a name, in parts, to the id that it has in this request (design 6)."""
        return identities(
            self.namespace, "request", merchant.partner, merchant.merchant_id, request_id
        )

    def provider_id(self, merchant: Merchant) -> str:
        """The merchant's provider_id: it depends on partner and merchant alone."""
        named = identities(self.namespace, "merchant", merchant.partner)
        return merchant.provider_id or named(merchant.merchant_id)


_VARIANTS: Final = "89ab"


def identities(namespace: uuid.UUID, *scope: str) -> Callable[..., str]:
    """
    A function from a name, in parts, to its `uuid5` under *namespace*: that of *scope* and the parts
    together, written as JSON, so that no two lists of them give the same name.

    The ids are put together by hand, because `uuid.UUID` costs more than the rest of an offer.

    >>> named = identities(uuid.NAMESPACE_URL, "a")
    >>> named("b", "c") == str(uuid.uuid5(uuid.NAMESPACE_URL, '["a","b","c"]'))
    True
    """
    start = "".join(f"{encode_basestring(part)}," for part in scope)
    begun = hashlib.sha1(namespace.bytes + f"[{start}".encode(), usedforsecurity=False)

    def named(*parts: str) -> str:
        whole = begun.copy()
        whole.update(f"{','.join(map(encode_basestring, parts))}]".encode())
        code = whole.hexdigest()
        variant = _VARIANTS[int(code[16], 16) & 3]
        return f"{code[:8]}-{code[8:12]}-5{code[13:16]}-{variant}{code[17:20]}-{code[20:32]}"

    return named


def local_date(at: DateTime, zone: pendulum.Timezone | pendulum.FixedTimezone) -> date:
    """The date of *at* in *zone*, as a plain date: pendulum's own arithmetic is slow."""
    moment = datetime(at.year, at.month, at.day, at.hour, at.minute, at.second, tzinfo=UTC)
    return moment.astimezone(zone).date()
