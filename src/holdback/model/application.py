"""The request for offers and its application block (service 2.1)."""

from __future__ import annotations

from datetime import date
from typing import Final

from attrs import field

from holdback.errors import ErrorDetail, InvalidDocument
from holdback.exact_json import Opaque
from holdback.frozen_classes import frozen
from holdback.model.validators import instance_of, optional, text


@frozen(kw_only=True)
class Application:
    """
    The application block of a request for offers (service 2.1).

    `provider_id` with a value makes the request a renewal; None makes it an initial application.
    """

    merchant_id: str = field(validator=text)
    currency: str = field(validator=text)
    provider_id: str | None = field(default=None, validator=optional(text))
    intended_use_of_funds: str | None = field(default=None, repr=False, validator=optional(text))


# The sections of the profile: all in an initial application, none in a renewal (service 2.1).
PROFILE: Final = ("consents", "applicants", "company")
_CLOSED = optional(instance_of(Opaque, "a closed document, `Opaque`"))


@frozen(kw_only=True)
class OffersRequest:
    """
    The body of `POST /offers` (service 2.1).

    An initial application has the full profile; a renewal has the application block alone. The
    profile is never interpreted and never shown.
    """

    application: Application = field(validator=instance_of(Application, "an application"))
    consents: Opaque | None = field(default=None, repr=False, validator=_CLOSED)
    applicants: Opaque | None = field(default=None, repr=False, validator=_CLOSED)
    company: Opaque | None = field(default=None, repr=False, validator=_CLOSED)

    def __attrs_post_init__(self) -> None:
        sections = {name: getattr(self, name) for name in PROFILE}
        if self.renewal:
            code, message = "not_allowed", "a renewal carries the application block alone"
            wrong = [name for name, section in sections.items() if section is not None]
        else:
            code, message = "missing", "an initial application carries the full profile"
            wrong = [name for name, section in sections.items() if section is None]
        if wrong:
            raise InvalidDocument(
                ErrorDetail(code=code, message=message, path=f"$.{name}") for name in wrong
            )

    @property
    def renewal(self) -> bool:
        """Whether this is a renewal: a request with a provider_id (service 2.1)."""
        return self.application.provider_id is not None


@frozen(kw_only=True)
class Check:
    """
    A check that the host must carry out before it asks for offers.

    `evidence` names the facts that it must give. `not_before` is set for a second consumer credit
    check: the day on which an earlier set of offers expired unaccepted (service 3).
    """

    name: str
    evidence: tuple[str, ...]
    not_before: date | None = None


@frozen(kw_only=True)
class RequiredChecks:
    """The checks that a request for offers needs."""

    checks: tuple[Check, ...]
