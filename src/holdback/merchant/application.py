"""The request for offers and its application block (service 2.1)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Annotated, Final, TypeAlias

from attrs import field
from pendulum import DateTime

from holdback.errors import ErrorDetail, InvalidDocument
from holdback.exact.exact_json import Json, Opaque
from holdback.frozen_classes import FrozenMapping, frozen, frozen_record, frozen_texts
from holdback.merchant.product import Product
from holdback.merchant.validators import instance_of, optional, text


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


# The sections of the profile that say who a merchant is.
PEOPLE: Final = ("applicants", "company")
# All its sections: in an initial application each of them, in a renewal none (service 2.1).
PROFILE: Final = ("consents", *PEOPLE)
# Those who apply, each an object; every other closed document is one object.
Applicants: TypeAlias = Annotated[Opaque, "an array of objects"]
CLOSED = optional(instance_of(Opaque, "a closed document, `Opaque`"))


@frozen(kw_only=True)
class OffersRequest:
    """
    The body of `POST /offers` (service 2.1).

    An initial application has the full profile; a renewal has the application block alone. The
    profile is never interpreted and never shown.
    """

    application: Application = field(validator=instance_of(Application, "an application"))
    consents: Opaque | None = field(default=None, repr=False, validator=CLOSED)
    applicants: Applicants | None = field(default=None, repr=False, validator=CLOSED)
    company: Opaque | None = field(default=None, repr=False, validator=CLOSED)

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
    A check that the host must carry out before it asks for offers, or funds an application.

    `evidence` names the facts that it gives. `why` says why it is required: what is held of it is
    `missing` or `too_old`, a funding rule is false with it (`failed`), or the check is `due_again`
    because offers expired unaccepted (service 3); it must then be made at `not_before` or later.
    `consent` names the consent that the check needs and that its applicants have not given yet.
    """

    name: str
    evidence: tuple[str, ...]
    why: str
    not_before: DateTime | None = None
    consent: str | None = None


@frozen(kw_only=True)
class ProductDecision:
    """The decision on one product, with the codes of the reasons for another than `Accepted`."""

    product_id: str
    name: str
    decision: str
    codes: tuple[str, ...] = ()

    @classmethod
    def of(cls, product: Product) -> ProductDecision:
        """Return the decision on *product*."""
        return cls(
            product_id=product.product_id,
            name=product.name,
            decision=product.decision,
            codes=product.codes,
        )


@frozen(kw_only=True)
class RequiredChecks:
    """
    The checks that a request for offers needs, or the funding of an accepted application.

    `declined` are the products that a request would find `Declined` on what is held. `held_back`
    says in words what holds back a funding now; it is None of a request for offers. Both are for
    the service's agents alone.
    """

    checks: tuple[Check, ...]
    held_back: tuple[str, ...] | None = None
    declined: tuple[ProductDecision, ...] = ()


@frozen(kw_only=True)
class HeldCheck:
    """
    The newest record of a check, its age in days, and the facts that it gave.

    `about` is as in `CheckRecord`. `why` says why it does not count: it is `about_others` than the
    newest application, about a section that was `corrected` since, `too_old`, or `due_again`; None
    while it counts.
    """

    check: str
    made_at: DateTime
    age_days: int | None
    facts: Mapping[str, Json] = field(converter=frozen_record, repr=False)
    why: str | None = None
    about: Mapping[str, str] = field(factory=FrozenMapping, converter=frozen_texts, repr=False)


@frozen(kw_only=True)
class HeldEvidence:
    """What is held of the checks of a merchant."""

    checks: tuple[HeldCheck, ...]


@frozen(kw_only=True)
class ApplicationView:
    """
    An application as its partner may see it.

    `status` is `offered`, `expired`, `closed` (its offers were declined, or withdrawn), `referred`
    or `declined` before an acceptance, and then as in `ApplicationStatus`; a renewal that was
    submitted is `queued` while it waits for the deal that it follows to be repaid. `omitted` names
    what is still to be supplied. The products are listed as long as the set of offers is held, and
    `codes` are those of the reason for which it was declined after an acceptance.
    """

    application_id: str
    type: str
    status: str
    requested_at: DateTime | None = None
    expires_at: DateTime | None = None
    accepted_at: DateTime | None = None
    omitted: tuple[str, ...] = ()
    signature_required: bool = False
    products: tuple[ProductDecision, ...] = ()
    codes: tuple[str, ...] = ()


@frozen(kw_only=True)
class Applications:
    """The applications of a merchant that the service still holds, oldest first."""

    applications: tuple[ApplicationView, ...]


# -- Records of a host's checks: of each check one, with the instant at which it was made.
#
# What a check does not give is unknown, and supersedes what was known before (decisions/evidence).

# Of how many applicants or companies the records of a check are held, and how many of each. The
# newest counts; the others are held so that they are recognised when they come again.
MOST_SUBJECTS: Final = 4
MOST_RECORDS: Final = 4


@frozen
class HeldFact:
    """A result of a host's check, as it was recorded: its `value`, and the kind of its fact."""

    value: Json
    kind: str


def frozen_evidence(evidence: Mapping[str, HeldFact]) -> Mapping[str, HeldFact]:
    """Return *evidence* frozen."""
    return frozen_record(evidence)


@frozen(kw_only=True)
class GivenConsents:
    """
    What the applicants with a digest said of their consents; it counts for nobody else.

    `names` are the consents given, of those that the jurisdiction names. `section` names all that
    they said, in the closed profile; None where an event did not say it.

    INVARIANT: a merchant's state holds those of the accepted applicants, of the applications whose
    offers it holds, and of the `MOST_SUBJECTS` others who were last heard.
    """

    applicants: str
    names: tuple[str, ...]
    section: str | None = None


@frozen(kw_only=True)
class CheckRecord:
    """
    The result of one check, as it is recorded: each fact with the kind that it had.

    `about` names the sections of the profile that it is about, `applicants` or `company` or both,
    by their digests: it counts for nobody else.

    INVARIANT: a merchant's state holds the newest `MOST_RECORDS` of each check and of whom it is
    about, for the `MOST_SUBJECTS` whose records are newest. Its journal has all that were new.
    """

    check: str
    made_at: DateTime
    about: Mapping[str, str] = field(factory=FrozenMapping, converter=frozen_texts, repr=False)
    facts: Mapping[str, HeldFact] = field(
        factory=FrozenMapping, converter=frozen_evidence, repr=False
    )

    @property
    def key(self) -> tuple[str, ...]:
        """The check and whom it is about, of which the newest record counts."""
        return (self.check, *chain.from_iterable(sorted(self.about.items())))
