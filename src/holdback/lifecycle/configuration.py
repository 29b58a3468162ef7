"""The configuration of an engine: the rules in force and what the host chose."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from json.encoder import encode_basestring
from typing import Final, Protocol, TypeAlias
from urllib.parse import quote as url_quote

import pendulum
from attrs import evolve, field
from pendulum import DateTime

from holdback.errors import ConfigurationError, ErrorDetail, Refusal
from holdback.exact.money import Currency
from holdback.frozen_classes import frozen, frozen_record
from holdback.lifecycle.context import Context
from holdback.lifecycle.input_checks import InputContext
from holdback.merchant.instants import local_date
from holdback.merchant.merchant import Merchant
from holdback.merchant.offer import Offer
from holdback.offers.registry import PriceableProduct, priceable_products, versions
from holdback.rulebooks.rulebook import Rulebook, Rulebooks

# Who knows the namespace can compute the ids of other partners' offers, so an engine that serves
# partners is refused one that everybody knows (decisions/engine).
_TRIAL_NAMESPACE: Final = uuid.NAMESPACE_URL
_PUBLIC_NAMESPACES: Final = frozenset(
    (
        *(_TRIAL_NAMESPACE, uuid.NAMESPACE_DNS, uuid.NAMESPACE_OID, uuid.NAMESPACE_X500),
        *(uuid.UUID(int=0), uuid.UUID(int=2**128 - 1)),
    )
)
# Every acceptance has these (service 2.4).
REQUIRED_LINKS: Final = ("contract_link", "merchant_link")
# For how many days a host can ask again, unless it chooses otherwise. For the first, applications
# and acceptances are remembered, and entries of a deal that has ended; for the second, requests of
# servicing are, and sets of offers are whole after they are closed.
MEMORY_DAYS: Final = 400
RETRY_DAYS: Final = 30
# How far a command may be from the last event of the merchant, unless the host is sure.
CLOCK_DAYS: Final = 400
# A function from a name, in parts, to the id of that name.
IdFactory: TypeAlias = Callable[..., str]
# The digit that holds the variant, for each digit of a hash: its two highest bits are 10.
_VARIANTS: Final = {f"{digit:x}": f"{digit & 3 | 8:x}" for digit in range(16)}


class Links(Protocol):
    """
    The host's function that returns the links of an acceptance (service 2.4).

    All arguments are keywords; a function that does not need all of them ends with `**_: object`.
    It returns at least `contract_link` and `merchant_link`, and may add links of its own. The
    acceptance keeps them, so a retry does not call it again.

    >>> def links(*, application_id: str, provider_id: str, **_: object) -> dict[str, str]:
    ...     return {
    ...         "contract_link": f"https://sign.example/{application_id}",
    ...         "merchant_link": f"https://partners.example/merchants/{provider_id}",
    ...     }
    """

    def __call__(
        self, *, partner: str, merchant_id: str, application_id: str, provider_id: str, offer: Offer
    ) -> Mapping[str, str]:
        """Return the links for this merchant and this accepted *offer*."""


def _trial_links(*, application_id: str, provider_id: str, **_: object) -> Mapping[str, str]:
    """Return links that lead nowhere."""
    return {
        "contract_link": f"https://contracts.invalid/{url_quote(application_id)}",
        "merchant_link": f"https://merchants.invalid/{url_quote(provider_id)}",
    }


def _wrong_namespace(namespace: object) -> Iterator[ErrorDetail]:
    path = "$.namespace"
    if not isinstance(namespace, uuid.UUID):
        message = f"expected a `uuid.UUID`, not {type(namespace).__name__}"
        yield ErrorDetail(code="wrong_type", message=message, path=path)
    elif namespace in _PUBLIC_NAMESPACES:
        yield ErrorDetail(
            code="wrong_value",
            message="this namespace is public, so that anyone can compute the ids",
            path=path,
            hint="make one with `uuid.uuid4()` and keep it secret, or use `Engine.for_trial()`",
        )


def _wrong_links(links: object) -> Iterator[ErrorDetail]:
    if not callable(links):
        message = "expected a function that returns the links of an acceptance"
        yield ErrorDetail(code="wrong_type", message=message, path="$.links")


def _check(errors: list[ErrorDetail]) -> None:
    if errors:
        raise ConfigurationError(errors)


def _frozen_calculators(calculators: Mapping[str, type]) -> Mapping[str, type]:
    return frozen_record(calculators)


def _wrong_numbers(chosen: Mapping[str, object]) -> Iterator[ErrorDetail]:
    for name, value in chosen.items():
        path = f"$.{name}"
        if type(value) is not int:
            message = f"expected a whole number, not {type(value).__name__}"
            yield ErrorDetail(code="wrong_type", message=message, path=path)
        elif value < 1:
            message = "expected at least one day"
            yield ErrorDetail(code="out_of_range", message=message, path=path)


@frozen(kw_only=True)
class Configuration:
    """
    The rules in force, and what the host chose when it built its engine.

    `namespace` is the host's secret from which all ids are made. The digests of `jurisdictions`
    cover the versions of `calculators`, the host's own. `memory_days` and `retry_days`
    are the days for which the state remembers applications and servicing
    (decisions/documents). A command more than `clock_days` from the last event of the merchant is
    refused, unless the context is sure of its instant (decisions/engine#a-far-clock).

    The calculators of all rulebooks are made at once, so that an error in a setting is raised here.
    Only those of the rules that ship are made when they are needed; with calculators of the host,
    which may not suit them, `Rulebooks.with_versions` has read them already.
    """

    jurisdictions: Rulebooks
    namespace: uuid.UUID = field(repr=False)
    links: Links = field(repr=False)
    calculators: Mapping[str, type] = field(converter=_frozen_calculators, repr=False)
    memory_days: int = MEMORY_DAYS
    retry_days: int = RETRY_DAYS
    clock_days: int = CLOCK_DAYS
    # By the code of their rulebook and the day from which it holds. Threads may add the same.
    _products: dict[tuple[str, date], tuple[PriceableProduct, ...]] = field(
        init=False, repr=False, eq=False
    )

    @_products.default
    def _products_to_check(self) -> dict[tuple[str, date], tuple[PriceableProduct, ...]]:
        later = self.jurisdictions.reads_on_demand
        return dict(self._priceable(() if later else self.jurisdictions.rulebooks()))

    def _priceable(
        self, rulebooks: Iterable[Rulebook]
    ) -> Mapping[tuple[str, date], tuple[PriceableProduct, ...]]:
        # A product's id is the same for every merchant of the jurisdiction.
        make_id = id_factory(self.namespace, "product")
        return priceable_products(rulebooks, self.calculators, make_id)

    def products(self, rulebook: Rulebook) -> tuple[PriceableProduct, ...]:
        """Return the products of *rulebook*, one of the `jurisdictions`, ready to quote."""
        key = rulebook.code, rulebook.since
        if key not in self._products:
            self._products.update(self._priceable([rulebook]))
        return self._products[key]

    @classmethod
    def for_service(
        cls,
        jurisdictions: Rulebooks,
        *,
        namespace: uuid.UUID,
        links: Links,
        calculators: Mapping[str, type],
        **chosen: int,
    ) -> Configuration:
        """
        Return the configuration of an engine that serves partners.

        Raises:
            ConfigurationError: as `priceable_products`; or *namespace* is public or no UUID,
                *links* is not a function, or a number is *chosen* that cannot be.
        """
        _check([*_wrong_namespace(namespace), *_wrong_links(links), *_wrong_numbers(chosen)])
        return cls(
            jurisdictions=jurisdictions.with_versions(versions(calculators)),
            namespace=namespace,
            links=links,
            calculators=calculators,
            **chosen,
        )

    @classmethod
    def for_trial(
        cls, jurisdictions: Rulebooks, *, calculators: Mapping[str, type], **chosen: int
    ) -> Configuration:
        """Return the configuration of an engine for trials; it raises as `for_service`."""
        _check(list(_wrong_numbers(chosen)))
        return cls(
            jurisdictions=jurisdictions.with_versions(versions(calculators)),
            namespace=_TRIAL_NAMESPACE,
            links=_trial_links,
            calculators=calculators,
            **chosen,
        )

    @property
    def is_for_trial(self) -> bool:
        """Whether the ids are made from a namespace that everybody knows."""
        return self.namespace == _TRIAL_NAMESPACE

    def with_jurisdictions(self, jurisdictions: Rulebooks) -> Configuration:
        """Return the same choices with other rules; it raises as `priceable_products`."""
        return evolve(self, jurisdictions=jurisdictions.with_versions(versions(self.calculators)))

    def is_loaded(self, merchant: Merchant) -> bool:
        """Return whether the merchant's jurisdiction is loaded."""
        return merchant.jurisdiction in self.jurisdictions.codes

    def local_day(self, merchant: Merchant, at: DateTime) -> date:
        """Return the local date of *at* in the merchant's jurisdiction, loaded or not."""
        if self.is_loaded(merchant):
            return local_date(at, self.jurisdictions.zone(merchant.jurisdiction))
        return local_date(at, pendulum.timezone(merchant.timezone or "UTC"))

    def currency(self, merchant: Merchant) -> Currency:
        """
        Return the currency of the merchant's jurisdiction, loaded or not.

        Raises:
            ConfigurationError: the jurisdiction is not loaded, and the merchant is new.
        """
        if merchant.currency is not None:
            return Currency.of(merchant.currency)
        return self.jurisdictions.currency(merchant.jurisdiction)

    def input_context(self, merchant: Merchant, context: Context) -> InputContext:
        """Return what an input about *merchant* is checked with; it raises as `currency`."""
        at = context.not_before(merchant.last_seen_at).at
        rulebook = self.loaded_rulebook(merchant, at)
        return InputContext(
            currency=self.currency(merchant),
            at=at,
            day=self.local_day(merchant, at),
            deals=merchant.deals,
            suspense=merchant.suspense,
            bank_details=() if rulebook is None else rulebook.bank_details,
        )

    def loaded_rulebook(self, merchant: Merchant, at: DateTime) -> Rulebook | None:
        """
        Return the rulebook of the merchant's jurisdiction on the local date of *at*.

        It is None for a known merchant if none is loaded: nothing is decided by rules then.

        Raises:
            ConfigurationError: the merchant is new, and no rulebook is loaded for it.
        """
        return self.loaded_rulebook_on(merchant, self.local_day(merchant, at))

    def loaded_rulebook_on(self, merchant: Merchant, day: date) -> Rulebook | None:
        """Return the rulebook of the merchant's jurisdiction on *day*, as `loaded_rulebook`."""
        try:
            return self.jurisdictions.resolve(merchant.jurisdiction, on=day)
        except ConfigurationError:
            if merchant.sequence:
                return None
            raise

    def rulebook(self, merchant: Merchant, at: DateTime) -> Rulebook:
        """
        Return the rulebook of the merchant's jurisdiction on the local date of *at*.

        Raises:
            Refusal: `not_possible_now`, no rulebook is loaded for the merchant.
            ConfigurationError: as `loaded_rulebook`.
        """
        rulebook = self.loaded_rulebook(merchant, at)
        if rulebook is None:
            code = merchant.jurisdiction
            raise Refusal("not_possible_now", f"no rules of {code} are loaded for this day")
        return rulebook

    def id_factory(self, merchant: Merchant, request_id: str) -> IdFactory:
        """Return the function that makes the ids issued in this request (decisions/engine)."""
        return id_factory(
            self.namespace, "request", merchant.partner, merchant.merchant_id, request_id
        )

    def provider_id(self, merchant: Merchant) -> str:
        """Return the merchant's provider_id, which depends on partner and merchant alone."""
        make_id = id_factory(self.namespace, "merchant", merchant.partner)
        return merchant.provider_id or make_id(merchant.merchant_id)


# -- The ids that the service issues: version 5 UUIDs, made from the host's secret namespace.


def id_factory(namespace: uuid.UUID, *scope: str) -> IdFactory:
    """
    Return a function from the parts of a name to the `uuid5` of *scope* and those parts.

    Scope and parts are joined as a JSON list, so two different lists never give the same name.

    >>> make_id = id_factory(uuid.NAMESPACE_URL, "a")
    >>> make_id("b", "c") == str(uuid.uuid5(uuid.NAMESPACE_URL, '["a","b","c"]'))
    True
    """
    # What `uuid.uuid5` does, with the part of the hash that all names share made once.
    begun = hashlib.sha1(namespace.bytes, usedforsecurity=False)
    begun.update(f"[{','.join(map(encode_basestring, scope))}".encode())
    first = not scope

    def make_id(*parts: str) -> str:
        names = ",".join(map(encode_basestring, parts))
        sha1 = begun.copy()
        sha1.update(f"{'' if first or not parts else ','}{names}]".encode())
        return _version_5(sha1.digest()[:16].hex())

    return make_id


def _version_5(text: str) -> str:
    """Return 32 hexadecimal digits as a UUID of version 5, in the variant of RFC 9562."""
    variant = _VARIANTS[text[16]]
    return f"{text[:8]}-{text[8:12]}-5{text[13:16]}-{variant}{text[17:20]}-{text[20:]}"
