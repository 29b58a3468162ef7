"""What was disclosed of an offer: what a law asks to be shown of it, with its figures."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Final, Literal, TypeAlias

from attrs import field

from holdback.exact.exact_json import Json
from holdback.frozen_classes import frozen, frozen_record, frozen_records

# The digest of a disclosure begins with it, and that of a contract never does.
DIGEST_PREFIX: Final = "disclosure:"

# How often payments are made.
Frequency: TypeAlias = Literal["daily", "weekday", "weekly", "monthly"]


@frozen(kw_only=True)
class DisclosedLine:
    """A line of a disclosure: its label and value, the sentences beside it, the law's section."""

    id: str
    label: str
    value: str
    sentences: tuple[str, ...]
    source: str


@frozen(kw_only=True)
class OfferDisclosure:
    """
    What the law of a jurisdiction asks to be shown of an offer, as of the day `on`.

    `decided_by` are the sections by which it is not `due`, and empty where it is. `figures` are all
    those of the offer, by name, and `assumptions` what they rest on: the day on which the merchant
    is bound, the days of a month, the payments, and the facts that the host stated. `derivation`
    says how figures are computed, and on which of the law's open questions each of them rests
    (decisions/disclosures). The merchant signs the disclosure by its `digest`.
    """

    offer_id: str
    on: date
    digest: str
    jurisdiction: str
    currency: str
    since: date
    law: str
    due: bool
    decided_by: tuple[str, ...]
    title: str
    lines: tuple[DisclosedLine, ...]
    foot: tuple[str, ...]
    figures: Mapping[str, Json] = field(converter=frozen_record)
    assumptions: Mapping[str, Json] = field(converter=frozen_record)
    derivation: tuple[Mapping[str, Json], ...] = field(converter=frozen_records)
