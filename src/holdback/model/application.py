"""The request for offers and its application block (spec 2.1)."""

from __future__ import annotations

from datetime import date

from attrs import field, frozen

from holdback.canonical import Opaque


@frozen(kw_only=True)
class Application:
    """
    The application block of a request for offers (spec 2.1).

    `provider_id` with a value makes the request a renewal; None makes it an initial application.
    """

    merchant_id: str
    currency: str
    provider_id: str | None = None
    intended_use_of_funds: str | None = field(default=None, repr=False)


@frozen(kw_only=True)
class OffersRequest:
    """
    The body of `POST /offers` (spec 2.1): an initial application with the full profile, or a renewal
    with the application block alone. The profile is kept closed and never shown.
    """

    application: Application
    consents: Opaque | None = field(default=None, repr=False)
    applicants: Opaque | None = field(default=None, repr=False)
    company: Opaque | None = field(default=None, repr=False)

    @property
    def renewal(self) -> bool:
        """Whether this is a renewal: "its presence with a value makes the request a renewal"."""
        return self.application.provider_id is not None


@frozen(kw_only=True)
class Check:
    """
    A check that the host has to carry out before it asks for offers.

    `evidence` names the facts that it has to give. `not_before` is set for a second consumer credit
    check: the day on which an earlier set of offers expired unaccepted (spec 3).
    """

    name: str
    evidence: tuple[str, ...]
    not_before: date | None = None


@frozen(kw_only=True)
class RequiredChecks:
    """The checks that a request for offers needs, in the order of the rules that ask for them."""

    checks: tuple[Check, ...]
