"""The ledger of a deal: the kinds of entries, and what each does to the deal's figures.

An amount that is settled lowers what is owed, or raises it, by its kind. INVARIANT (`Deal` holds
it): the signed sum of a deal's ledger is repayment_amount - balance - shortfall - fees_owed +
overpaid.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from types import MappingProxyType
from typing import Annotated, Final, Literal, TypeAlias

from attrs import Factory, field

from holdback.exact.money import Money
from holdback.frozen_classes import FrozenMapping, frozen, frozen_record
from holdback.merchant import validators

EntryKind: TypeAlias = Literal[
    "remittance",
    "payment",
    "reversal",
    "recovery",
    "refund",
    "transfer",
    "settlement",
    "discount",
    "waiver",
    "write_off",
    "adjustment",
    "principal_return",
    "payout_return",
    "charge_cancelled",
    "fee",
    "fee_waiver",
]
REMITTANCE: Final = "remittance"
PAYMENT: Final = "payment"
REVERSAL: Final = "reversal"
RECOVERY: Final = "recovery"
REFUND: Final = "refund"
TRANSFER: Final = "transfer"
SETTLEMENT: Final = "settlement"
DISCOUNT: Final = "discount"
WAIVER: Final = "waiver"
WRITE_OFF: Final = "write_off"
ADJUSTMENT: Final = "adjustment"
PRINCIPAL_RETURN: Final = "principal_return"
PAYOUT_RETURN: Final = "payout_return"
CHARGE_CANCELLED: Final = "charge_cancelled"
FEE: Final = "fee"
FEE_WAIVER: Final = "fee_waiver"
# The kinds of the fees, which are owed beside the repayment amount.
FEES: Final = frozenset({FEE, FEE_WAIVER})

# An amount that may be below zero.
SignedMoney: TypeAlias = Annotated[Money, "signed"]
TransactionStatus: TypeAlias = Literal[
    "Settled", "Unsettled", "PartlyReversed", "Reversed", "Reversal"
]


@frozen
class Effect:
    """
    What an entry of one kind does.

    It lowers what is owed if `sign` is 1, raises it if -1, and with 0 does what its amount's own
    sign says. `cash` is money that moved. What is `remitted` counts to progress and performance.
    """

    sign: int
    cash: bool
    remitted: bool


KINDS: Final[Mapping[str, Effect]] = MappingProxyType(
    {
        REMITTANCE: Effect(sign=1, cash=True, remitted=True),
        PAYMENT: Effect(sign=1, cash=True, remitted=True),
        REVERSAL: Effect(sign=-1, cash=True, remitted=True),
        RECOVERY: Effect(sign=1, cash=True, remitted=True),
        REFUND: Effect(sign=-1, cash=True, remitted=True),
        # Money of the merchant that came in on one deal, and counts on the other.
        TRANSFER: Effect(sign=0, cash=True, remitted=True),
        # The funds of a renewal, which the merchant did not pay.
        SETTLEMENT: Effect(sign=1, cash=False, remitted=False),
        DISCOUNT: Effect(sign=1, cash=False, remitted=False),
        # Below zero these two are taken back: by cash that bounced, and by a later recovery.
        WAIVER: Effect(sign=0, cash=False, remitted=False),
        WRITE_OFF: Effect(sign=0, cash=False, remitted=False),
        ADJUSTMENT: Effect(sign=0, cash=False, remitted=False),
        PRINCIPAL_RETURN: Effect(sign=1, cash=True, remitted=False),
        # A payout that never reached the merchant.
        PAYOUT_RETURN: Effect(sign=1, cash=True, remitted=False),
        CHARGE_CANCELLED: Effect(sign=1, cash=False, remitted=False),
        FEE: Effect(sign=-1, cash=False, remitted=False),
        FEE_WAIVER: Effect(sign=1, cash=False, remitted=False),
    }
)
# The kinds that `record_remittance` takes; a reversal is one that `reverses` another entry.
RECORDED_KINDS: Final = (REMITTANCE, PAYMENT)


def _kind(entry: Entry) -> str:
    return REMITTANCE if entry.reverses is None else REVERSAL


@frozen(kw_only=True)
class Entry:
    """
    One movement of a deal's ledger, by default a remittance.

    `id` is the host's. `takings` are the takings that `amount` was a share of, if known. Only a
    `settled` entry counts. A reversal takes back all or a part of the entry that `reverses` names.
    `counterpart` is the other deal of a transfer or a settlement. `fee` is the key of a fee in the
    terms of the deal, and `about` the reversal that it is charged for.
    """

    id: str = field(validator=validators.text)
    on: date = field(converter=validators.plain_day, validator=validators.day)
    amount: Money = field(validator=validators.amount)
    takings: SignedMoney | None = field(
        default=None, validator=validators.optional(validators.amount)
    )
    settled: bool = field(default=True, validator=validators.flag)
    reverses: str | None = field(default=None, validator=validators.optional(validators.text))
    kind: EntryKind = field(
        default=Factory(_kind, takes_self=True), validator=validators.one_of(*KINDS)
    )
    counterpart: str | None = field(
        default=None,
        validator=validators.optional(validators.text),
        metadata={"input": False},  # the engine's, not the host's
    )
    fee: str | None = field(
        default=None, validator=validators.optional(validators.text), metadata={"input": False}
    )
    about: str | None = field(
        default=None, validator=validators.optional(validators.text), metadata={"input": False}
    )

    @property
    def pays(self) -> bool:
        """Whether the merchant paid something with it."""
        kind = KINDS[self.kind]
        return kind.remitted and kind.sign > 0 and self.amount.minor > 0

    @property
    def signed(self) -> int:
        """By how many minor units the entry lowers what is owed; negative if it raises it."""
        return -self.amount.minor if KINDS[self.kind].sign < 0 else self.amount.minor


@frozen(kw_only=True)
class Posting:
    """An entry of one deal, as an event has it that may be about several deals."""

    deal_id: str
    entry: Entry


@frozen(kw_only=True)
class EntryTotals:
    """
    The totals of a deal's entries up to the day `through`, which the state no longer holds.

    `remitted` is the sum of the remittances that count, and `credits` are those of the kinds that
    are not remitted. `last_on` is the day of the last remittance that was not zero, `repaid_on`
    that of the entry that completed the repayment amount.
    """

    through: date
    remitted: Money
    last_on: date | None = None
    repaid_on: date | None = None
    credits: Mapping[str, Money] = field(factory=FrozenMapping, converter=frozen_record)

    @property
    def paid(self) -> int:
        """By how many minor units these entries lower what is owed."""
        return self.remitted.minor + sum(money.minor for money in self.credits.values())


def taken_back(entries: Iterable[Entry]) -> dict[str, int]:
    """Return how many minor units settled reversals took back, by the id of the entry."""
    totals: dict[str, int] = {}
    for entry in entries:
        if entry.reverses is not None and entry.settled:
            totals[entry.reverses] = totals.get(entry.reverses, 0) + entry.amount.minor
    return totals


def credits_of(entries: Iterable[Entry]) -> dict[str, Money]:
    """Return the sums of the settled *entries* that are not remitted, by kind."""
    sums: dict[str, Money] = {}
    for entry in entries:
        if entry.settled and not KINDS[entry.kind].remitted:
            before, signed = sums.get(entry.kind), Money(entry.signed, entry.amount.currency)
            sums[entry.kind] = signed if before is None else before + signed
    return sums


def added(first: Mapping[str, Money], second: Mapping[str, Money]) -> dict[str, Money]:
    """Return the sums by kind of *first* and *second* together, without those that are zero."""
    sums = dict(first)
    for kind, money in second.items():
        sums[kind] = sums[kind] + money if kind in sums else money
    return {kind: sums[kind] for kind in sorted(sums) if sums[kind].minor}


def merged(held: dict[str, Entry], entries: Iterable[Entry]) -> dict[str, Entry]:
    """
    Return *held*, entries by id, with *entries* added to it.

    New entries are added, and an unsettled entry is replaced by the same entry settled.
    """
    for entry in entries:
        if entry.id not in held or entry.settled:
            held[entry.id] = entry
    return held


def in_order(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Return *entries* sorted by day and id, so that any order of delivery gives the same deal."""
    return tuple(sorted(entries, key=place_of))


def place_of(entry: Entry) -> tuple[date, str]:
    """Return what entries are sorted by."""
    return entry.on, entry.id


def with_new(held: Sequence[Entry], entries: Iterable[Entry]) -> Sequence[Entry]:
    """Return the entries *held*, which are in order, with new *entries* at their places."""
    new = tuple(sorted(entries, key=place_of))
    if not held or (new and place_of(held[-1]) < place_of(new[0])):
        return held + new if held else new  # type: ignore[operator]  # a tuple, or rows
    return in_order((*held, *new))


def transaction_status(
    entry: Entry, back: Mapping[str, int], unsettled: Mapping[str, Entry]
) -> TransactionStatus:
    """
    Return the `status` of *entry* as a transaction in the merchant lookup (service 2.5).

    *back* is what was taken back, by the id of the entry; *unsettled* are the entries that have not
    settled, by id.

    INVARIANT: the transactions that are not `Unsettled` add up to what is paid. So an entry that
    never settled, and its reversals, count for nothing until they cancel each other.
    """
    if entry.reverses is not None:
        target = unsettled.get(entry.reverses)
        counts = entry.settled and (target is None or _is_reversed(target, back))
        return "Reversal" if counts else "Unsettled"
    if _is_reversed(entry, back):
        return "Reversed"
    if not entry.settled:
        return "Unsettled"
    return "PartlyReversed" if entry.id in back else "Settled"


def _is_reversed(entry: Entry, back: Mapping[str, int]) -> bool:
    return entry.id in back and back[entry.id] >= entry.amount.minor
