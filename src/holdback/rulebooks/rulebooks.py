"""The rulebooks that an engine decides by, wherever they were read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Protocol, Self

import pendulum

from holdback.exact.money import Currency
from holdback.rulebooks.rulebook import Rulebook


class Rulebooks(Protocol):
    """
    What an engine needs to know of the rules: the rulebook of a jurisdiction on a day.

    `holdback.Jurisdictions` is one, read from folders.
    """

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of the jurisdictions that there are, in order."""

    @property
    def reads_on_demand(self) -> bool:
        """Whether a rulebook is read only when it is asked for."""

    def resolve(self, code: str, *, on: date) -> Rulebook:
        """
        Return the rulebook of the jurisdiction *code* on the day *on*.

        Raises:
            ConfigurationError: when there is no such jurisdiction, or it has no rules on that day.
        """

    def rulebooks(self) -> Iterator[Rulebook]:
        """Yield every rulebook of every jurisdiction, one for each change date."""

    def with_versions(self, versions: Mapping[str, int]) -> Self:
        """Return them as priced by calculators of a host; see `Rulebook.with_versions`."""

    def currency(self, code: str) -> Currency:
        """
        Return the currency of the jurisdiction *code*.

        Raises:
            ConfigurationError: when there is no such jurisdiction.
        """

    def zone(self, code: str) -> pendulum.Timezone | pendulum.FixedTimezone:
        """
        Return the time zone of the jurisdiction *code*.

        Raises:
            ConfigurationError: when there is no such jurisdiction.
        """
