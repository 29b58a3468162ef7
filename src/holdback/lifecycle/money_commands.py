"""The inputs of the operations on a deal's ledger, its schedule and its end.

An `id` is the host's for the movement of money; `on` is a local day up to today. `commands` has the
inputs of the other operations, and says how inputs are declared.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import TypeAlias

from attrs import converters, field

from holdback.exact.money import Money
from holdback.frozen_classes import frozen
from holdback.merchant.ledger import SignedMoney
from holdback.merchant.validators import (
    amount,
    day,
    optional,
    percentage,
    plain_day,
    term_days,
    text,
)


@frozen(kw_only=True)
class Refund:
    """Record that money was given back to the merchant: at most what was overpaid."""

    deal_id: str = field(validator=text)
    id: str = field(validator=text)
    on: date = field(converter=plain_day, validator=day)
    amount: Money = field(validator=amount)


@frozen(kw_only=True)
class Transfer:
    """Move what was overpaid on one deal to another deal of the merchant, which owes as much."""

    from_deal_id: str = field(validator=text)
    to_deal_id: str = field(validator=text)
    id: str = field(validator=text)
    on: date = field(converter=plain_day, validator=day)
    amount: Money = field(validator=amount)


@frozen(kw_only=True)
class RecordRecovery:
    """Record money that came in after a default."""

    deal_id: str = field(validator=text)
    id: str = field(validator=text)
    on: date = field(converter=plain_day, validator=day)
    amount: Money = field(validator=amount)


@frozen(kw_only=True)
class WriteOff:
    """Give up what is left to pay on a deal that has ended, or a part of it."""

    deal_id: str = field(validator=text)
    id: str = field(validator=text)
    on: date = field(converter=plain_day, validator=day)
    amount: Money = field(validator=amount)


@frozen(kw_only=True)
class Adjust:
    """Correct what is owed without money: a positive amount lowers it, a negative one raises it."""

    deal_id: str = field(validator=text)
    id: str = field(validator=text)
    on: date = field(converter=plain_day, validator=day)
    amount: SignedMoney = field(validator=amount)


@frozen(kw_only=True)
class UnwindDeal:
    """Undo a deal within its cooling-off days; `amount` is the principal that came back."""

    deal_id: str = field(validator=text)
    id: str = field(validator=text)
    on: date = field(converter=plain_day, validator=day)
    amount: Money = field(validator=amount)


@frozen(kw_only=True)
class PauseDeal:
    """Expect no remittances of the active deal from the day `on`."""

    deal_id: str = field(validator=text)
    on: date = field(converter=plain_day, validator=day)


@frozen(kw_only=True)
class ResumeDeal:
    """Expect remittances of the active deal again from the day `on`."""

    deal_id: str = field(validator=text)
    on: date = field(converter=plain_day, validator=day)


@frozen(kw_only=True)
class ChangeTerms:
    """
    Change the split percentage or the term of the active deal from the day `on`.

    `term_days` is the whole new term: the days from the funding, without those on pause.
    """

    deal_id: str = field(validator=text)
    on: date = field(converter=plain_day, validator=day)
    split_percentage: Decimal | None = field(default=None, validator=optional(percentage))
    term_days: int | None = field(default=None, validator=optional(term_days))


@frozen(kw_only=True)
class SettleEarly:
    """Record a payment that settles the active deal, less the discount of its product."""

    deal_id: str = field(validator=text)
    id: str = field(validator=text)
    on: date = field(converter=plain_day, validator=day)
    amount: Money = field(validator=amount)


@frozen(kw_only=True)
class Requote:
    """Price another amount in the set of an open offer, within its product's steps and limits."""

    offer_id: str = field(validator=text)
    amount: Money = field(validator=amount)


@frozen(kw_only=True)
class QuoteSettlement:
    """Ask what settles a deal early, when it is paid up to the end of the day `on`."""

    deal_id: str = field(validator=text)
    on: date = field(converter=plain_day, validator=day)


@frozen(kw_only=True)
class AskStatement:
    """Ask for every movement of the merchant's deals from the day `since` to the day `until`."""

    since: date | None = field(
        default=None, converter=converters.optional(plain_day), validator=optional(day)
    )
    until: date | None = field(
        default=None, converter=converters.optional(plain_day), validator=optional(day)
    )


# The commands of this module, and its questions.
MoneyCommand: TypeAlias = (
    Refund
    | Transfer
    | RecordRecovery
    | WriteOff
    | Adjust
    | UnwindDeal
    | PauseDeal
    | ResumeDeal
    | ChangeTerms
    | SettleEarly
    | Requote
)
MoneyQuestion: TypeAlias = QuoteSettlement | AskStatement
