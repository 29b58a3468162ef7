"""Referrals: what a person has to decide, what was decided, and the holds of agents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from attrs import field
from pendulum import DateTime

from holdback.exact.exact_json import Json
from holdback.frozen_classes import FrozenMapping, frozen, frozen_record, frozen_texts

# The words that decide a referral.
ReferralEnding: TypeAlias = Literal["approve", "decline"]
APPROVE: Final = "approve"
DECLINE: Final = "decline"


@frozen(kw_only=True)
class ReferredRule:
    """
    A referring rule that was false or unknown: what an approval lifts.

    `digest` is that of the rule's meaning, so that an approval does not lift a rule that was
    changed since. `text` is its reason or, where the answer is unknown, which facts are missing.
    """

    rule: str
    code: str
    digest: str
    answer: bool | None
    text: str = ""


@frozen(kw_only=True)
class Referral:
    """
    A product that was `Referred`, and what a person needs to decide about it.

    `product` is its key, `base_deal_id` the deal that a renewal is based on. `rules` are the
    referring rules that were false or unknown, `needs` the facts that were missing, and `facts`
    the figures that the rules read. `sections` name the applicants and the company that it is
    about.
    """

    application_id: str
    product: str
    referred_at: DateTime
    base_deal_id: str | None = None
    rules: tuple[ReferredRule, ...] = ()
    needs: tuple[str, ...] = ()
    facts: Mapping[str, Json] = field(factory=FrozenMapping, converter=frozen_record, repr=False)
    sections: Mapping[str, str] = field(factory=FrozenMapping, converter=frozen_texts, repr=False)


@frozen(kw_only=True)
class ReferralDecision:
    """
    What a person decided about a product: it holds until the instant `until`.

    An approval lifts the rules whose digests are in `rules`, for this product, this base deal, and
    the applicants and company that `sections` name. A decline makes the product `Declined`,
    whichever deal a renewal is based on, for anyone who applies, and in an initial application too.
    `by` is the host's identifier of the person; the note is in the profile.
    """

    application_id: str
    product: str
    decision: str
    decided_at: DateTime
    until: DateTime
    by: str
    base_deal_id: str | None = None
    rules: tuple[str, ...] = ()
    sections: Mapping[str, str] = field(factory=FrozenMapping, converter=frozen_texts, repr=False)


@frozen(kw_only=True)
class Hold:
    """
    A hold of an agent, by its code: while there is one, nothing is offered, accepted or funded.

    No partner is ever told of it. The note is in the profile.
    """

    code: str
    placed_at: DateTime
    by: str
    sections: Mapping[str, str] = field(factory=FrozenMapping, converter=frozen_texts, repr=False)


@frozen(kw_only=True)
class Referrals:
    """What a person has to decide about a merchant, and what was decided and still holds."""

    referrals: tuple[Referral, ...]
    decisions: tuple[ReferralDecision, ...]


@frozen(kw_only=True)
class NotedHold:
    """A hold with its note, which is None without one."""

    code: str
    placed_at: DateTime
    by: str
    note: str | None = field(default=None, repr=False)


@frozen(kw_only=True)
class Holds:
    """The holds of a merchant."""

    holds: tuple[NotedHold, ...]
