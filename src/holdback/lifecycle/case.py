"""The case that an operation decides: a merchant, the attempt, and the rules in force."""

from __future__ import annotations

from datetime import date

from attrs import field
from pendulum import DateTime

from holdback.frozen_classes import frozen
from holdback.lifecycle.configuration import Configuration
from holdback.lifecycle.context import Context, IdFactory
from holdback.lifecycle.input_checks import Situation
from holdback.merchant.merchant import Merchant
from holdback.merchant.profile import Profile
from holdback.rulebooks.rulebook import Rulebook


@frozen(kw_only=True)
class Case:
    """
    Everything that the decision of an operation depends on, besides its own fields.

    The context is not before the last event of the merchant. `given_profile` is None where the host
    gave none.
    """

    merchant: Merchant
    context: Context
    configuration: Configuration
    given_profile: Profile | None = field(default=None, repr=False)

    @property
    def profile(self) -> Profile:
        """The merchant's profile, for an operation that takes it."""
        assert self.given_profile is not None, "an operation that takes the profile has it"
        return self.given_profile

    @property
    def at(self) -> DateTime:
        """The instant of the attempt."""
        return self.context.at

    @property
    def day(self) -> date:
        """The local date of that instant in the merchant's jurisdiction."""
        return self.configuration.local_day(self.merchant, self.at)

    @property
    def situation(self) -> Situation:
        """What the operation's fields are checked with."""
        return self.configuration.situation(self.merchant, self.context)

    @property
    def make_id(self) -> IdFactory:
        """The function that makes the ids issued in this attempt."""
        return self.configuration.id_factory(self.merchant, self.context.request_id)

    @property
    def provider_id(self) -> str:
        """The merchant's provider_id, also before its first acceptance."""
        return self.configuration.provider_id(self.merchant)

    def rulebook(self) -> Rulebook:
        """
        Return the rulebook of the merchant's jurisdiction on this day.

        Raises:
            Refusal: `not_possible_now`, no rulebook is loaded for the merchant.
            ConfigurationError: the merchant is new, and its jurisdiction is not loaded.
        """
        return self.configuration.rulebook(self.merchant, self.at)

    def loaded_rulebook(self) -> Rulebook | None:
        """
        Return the same rulebook, None for a known merchant if it is not loaded.

        Raises:
            ConfigurationError: as `rulebook`.
        """
        return self.configuration.loaded_rulebook(self.merchant, self.at)
