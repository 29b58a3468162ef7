"""The engine: carries out the operations of the service, for a host to embed.

It takes the merchant as stored, an operation and the context of the attempt, and returns an
`Outcome` to store and to send. The engine holds no state, so threads and tasks may share one.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, TypeVar, overload

from holdback.exact.money import Currency
from holdback.frozen_classes import frozen
from holdback.lifecycle.carry_out import carry_out
from holdback.lifecycle.configuration import (
    CLOCK_DAYS,
    MEMORY_DAYS,
    RETRY_DAYS,
    Configuration,
    Links,
)
from holdback.lifecycle.context import Context
from holdback.lifecycle.events import Event
from holdback.lifecycle.evolve import evolve_all
from holdback.lifecycle.input_checks import InputContext
from holdback.lifecycle.journal import rebuild, transactions
from holdback.lifecycle.offers.acceptance import acceptance_ids
from holdback.lifecycle.operation import (
    Case,
    Command,
    Operation,
    Outcome,
    PersonalCommand,
    PersonalQuestion,
    Question,
)
from holdback.merchant.acceptance import (
    AcceptanceIds,
)
from holdback.merchant.ledger import Entry
from holdback.merchant.merchant import Merchant
from holdback.merchant.profile import Profile
from holdback.offers.calculator import Calculator
from holdback.rulebooks.rulebook import Rulebooks

_Reply = TypeVar("_Reply")


@frozen(init=False, repr=False)
class Engine:
    """
    Carries out the operations of the service, by the rules of *jurisdictions*.

    An operation is an instance of its class in `holdback.operations`. `carry_out`, `decide` and
    `evolve` take the merchant first.

    Args:
        jurisdictions: The rules to decide by.

        namespace: The host's secret, from which every id is made: a random UUID that never changes.

        links: The host's function that returns the links of an acceptance; see `Links`.

        calculators: The host's own calculators, by names such as `term/seasonal`.

        memory_days: For how many days applications, offers and acceptances are remembered.

        retry_days: For how many days servicing is remembered, and closed sets of offers are whole.

        clock_days: How many days the instant of a command may be from the last event of the
            merchant, unless the `Context` is sure of it.

    Raises:
        ConfigurationError: the namespace is public or no UUID, *links* is not a function, a
            jurisdiction names a calculator that is not registered or a setting that its calculator
            does not take, or a calculator of the host has no version.
    """

    _configuration: Configuration

    def __init__(  # noqa: PLR0913 - what a host decides, once
        self,
        jurisdictions: Rulebooks,
        *,
        namespace: uuid.UUID,
        links: Links,
        calculators: Mapping[str, type[Calculator]] = MappingProxyType({}),
        memory_days: int = MEMORY_DAYS,
        retry_days: int = RETRY_DAYS,
        clock_days: int = CLOCK_DAYS,
    ) -> None:
        configuration = Configuration.for_service(
            jurisdictions,
            namespace=namespace,
            links=links,
            calculators=calculators,
            memory_days=memory_days,
            retry_days=retry_days,
            clock_days=clock_days,
        )
        self.__attrs_init__(configuration)

    @classmethod
    def for_trial(
        cls,
        jurisdictions: Rulebooks | None = None,
        *,
        calculators: Mapping[str, type[Calculator]] = MappingProxyType({}),
    ) -> Engine:
        """
        Return an engine to try things out, by the rules that ship unless *jurisdictions* are given.

        Anyone can compute its ids, and the links of its acceptances lead nowhere, so a service
        cannot use it.

        >>> "GB" in Engine.for_trial().jurisdictions.codes
        True

        Raises:
            ConfigurationError: as `Engine`.
        """
        if jurisdictions is None:
            # Only a trial reads files; a service gives what it has read.
            from holdback.jurisdictions import load_jurisdictions  # noqa: PLC0415  # reads files

            jurisdictions = load_jurisdictions()
        return cls._of(Configuration.for_trial(jurisdictions, calculators=calculators))

    @classmethod
    def _of(cls, configuration: Configuration) -> Engine:
        engine = cls.__new__(cls)
        engine.__attrs_init__(configuration)
        return engine

    def __repr__(self) -> str:
        trial = ".for_trial" if self._configuration.is_for_trial else ""
        return f"Engine{trial}({self.jurisdictions!r})"

    @property
    def jurisdictions(self) -> Rulebooks:
        """The rules to decide by; their digests cover the versions of the calculators."""
        return self._configuration.jurisdictions

    def with_jurisdictions(self, jurisdictions: Rulebooks) -> Engine:
        """
        Return a new engine with other *jurisdictions* and the same calculators, links and ids.

        Raises:
            ConfigurationError: as `Engine`.
        """
        return self._of(self._configuration.with_jurisdictions(jurisdictions))

    def currency(self, merchant: Merchant) -> Currency:
        """
        Return the currency of *merchant*.

        Raises:
            ConfigurationError: the merchant is new, and its jurisdiction is not loaded.
        """
        return self._configuration.currency(merchant)

    def input_context(self, merchant: Merchant, context: Context) -> InputContext:
        """
        Return what `wire.read_command` reads an input about *merchant* with.

        Raises:
            ConfigurationError: as `currency`.
        """
        return self._configuration.input_context(merchant, context)

    @overload
    def carry_out(
        self,
        merchant: Merchant,
        operation: PersonalCommand[_Reply] | PersonalQuestion[_Reply],
        context: Context,
        *,
        profile: Profile,
    ) -> Outcome[_Reply]: ...
    @overload
    def carry_out(
        self,
        merchant: Merchant,
        operation: Command[_Reply] | Question[_Reply],
        context: Context,
        *,
        profile: Profile | None = None,
    ) -> Outcome[_Reply]: ...
    @overload
    def carry_out(
        self,
        merchant: Merchant,
        operation: Operation[_Reply],
        context: Context,
        *,
        profile: Profile | None,
    ) -> Outcome[_Reply]: ...
    def carry_out(
        self,
        merchant: Merchant,
        operation: Operation[_Reply],
        context: Context,
        *,
        profile: Profile | None = None,
    ) -> Outcome[_Reply]:
        """
        Carry out *operation*, such as `operations.FundDeal` or what `wire.read_command` returns.

        A type checker knows the reply of each operation, and which ones take the *profile*; for the
        others it is passed through.

        >>> from holdback import Engine, operations, wire
        >>> merchant = Merchant.new(partner="acme", merchant_id="m-1", jurisdiction="GB")
        >>> context = Context(at=wire.read_timestamp("2026-07-06T09:00:00Z"), request_id="r-1")
        >>> engine = Engine.for_trial()
        >>> engine.carry_out(merchant, operations.LookUp(), context).reply
        MerchantLookup(deals=())
        >>> fund = operations.FundDeal(application_id="a-1")
        >>> engine.carry_out(merchant, fund, context)  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        holdback.errors.Refusal: application_not_found: no accepted application has this ...

        Raises:
            Refusal, InvalidDocument, ConfigurationError: as the operation says; nothing has
                changed.
            TypeError: the operation takes the profile, and none was given.
        """
        case = Case(
            merchant=merchant,
            context=context,
            configuration=self._configuration,
            given_profile=profile,
        )
        return carry_out(operation, case)

    def decide(
        self,
        merchant: Merchant,
        operation: Operation[Any],
        context: Context,
        *,
        profile: Profile | None = None,
    ) -> tuple[Event, ...]:
        """
        Return the events of *operation*, for hosts that store events.

        Raises:
            Refusal, InvalidDocument, ConfigurationError: as `carry_out`; nothing has changed.
        """
        return self.carry_out(merchant, operation, context, profile=profile).events

    def evolve(self, merchant: Merchant, events: Iterable[Event]) -> Merchant:
        """
        Return *merchant* after *events*.

        Raises:
            HistoryError: an event is not the next one, is another merchant's, or cannot follow.
        """
        return evolve_all(merchant, events)

    def rebuild(self, events: Iterable[Event], *, since: Merchant | None = None) -> Merchant:
        """
        Return the merchant after *events*: a whole journal, or what follows the state *since*.

        Raises:
            HistoryError: as `evolve`.
        """
        return rebuild(events, since)

    def transactions(self, events: Iterable[Event]) -> Mapping[str, tuple[Entry, ...]]:
        """
        Return the entries of every deal by its id, from the whole journal of a merchant.

        `look_up` shows those that the state still holds.

        Raises:
            HistoryError: entries are recorded on a deal that was not funded before.
        """
        return transactions(events)

    def acceptance_ids(self, offer_id: str, merchant: Merchant) -> AcceptanceIds:
        """
        Return the ids that the acceptance of an offer has, before it is carried out.

        A host uses them to have the contract made first.

        Raises:
            Refusal: `offer_not_found`.
        """
        return acceptance_ids(merchant, offer_id, self._configuration)
