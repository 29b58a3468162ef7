"""What an input about a merchant is checked for: days, amounts and reversals.

An operation checks its own fields here. The reader of JSON checks those that it could read, when it
has found an error, so that all errors of a document are reported at once
(decisions/errors#all-at-once). A field that could not be read is None, and has its error already.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import Any, Final, TypeAlias

from attrs import field
from pendulum import DateTime

from holdback.errors import ErrorDetail
from holdback.exact.money import Currency, Money
from holdback.frozen_classes import frozen
from holdback.merchant.deal import Deal
from holdback.merchant.ledger import KINDS, RECORDED_KINDS, REVERSAL
from holdback.merchant.plan import MOST_INSTALMENTS, MOST_PLAN_DAYS
from holdback.merchant.suspense import Suspense

# How many days later a funding and the early end of a deal may be recorded, and how many days after
# its cancellation a merchant may give the principal back
# (decisions/money-after-funding#the-day-on-which-it-happened).
DAYS_TO_RECORD: Final = 7
DAYS_TO_GIVE_BACK: Final = 30
# The fees that are stated of an offer when it is disclosed: finance charges, and what is paid to
# others out of the funds.
FEES: Final = ("withheld", "paid_separately", "later_charges", "third_parties")

# An operation, or the fields of one that could be read.
_Input: TypeAlias = Any
# Takings or an entry, or the fields of one that could be read.
_Item: TypeAlias = Any


@frozen(kw_only=True)
class InputContext:
    """
    What an input about a merchant is read and checked with.

    Amounts are in `currency`; `day` is the local date of the instant `at`. `bank_details` are the
    fields that the jurisdiction names for bank details.
    """

    currency: Currency
    at: DateTime
    day: date
    deals: tuple[Deal, ...] = field(repr=False)
    bank_details: tuple[str, ...] = ()
    suspense: Suspense = field(default=Suspense(), repr=False)


def takings_errors(given: _Input, input_context: InputContext) -> Iterator[ErrorDetail]:
    """Yield what is invalid in a statement of takings."""
    yield from _future_day(given.complete_through, input_context, "$.complete_through")
    first_on: dict[date, str] = {}
    for place, takings in enumerate(given.takings or ()):
        path = f"$.takings[{place}]"
        yield from _future_day(takings.on, input_context, f"{path}.on")
        yield from _wrong_currency(takings.amount, input_context.currency, f"{path}.amount")
        if takings.stated_at is not None and takings.stated_at > input_context.at:
            message = "expected an instant up to now"
            yield ErrorDetail(code="future_day", message=message, path=f"{path}.stated_at")
        if takings.on is not None and first_on.setdefault(takings.on, path) != path:
            message = f"expected each day once; `{first_on[takings.on]}` is of this day too"
            yield ErrorDetail(code="duplicate", message=message, path=f"{path}.on")


def remittance_errors(given: _Input, input_context: InputContext) -> Iterator[ErrorDetail]:
    """Yield what is invalid in new entries of a deal."""
    yield from _future_day(given.complete_through, input_context, "$.complete_through")
    # Without a deal of this id the command is refused, or its id could not be read.
    deal = next((deal for deal in input_context.deals if deal.id == given.deal_id), None)
    currency = input_context.currency if deal is None else deal.repayment_amount.currency
    entries: Sequence[_Item] = given.entries or ()
    of_deal = None if deal is None else _EntriesOfDeal(deal, entries)
    for place, entry in enumerate(entries):
        path = f"$.entries[{place}]"
        yield from _future_day(entry.on, input_context, f"{path}.on")
        yield from _wrong_amount(entry.amount, currency, f"{path}.amount")
        yield from _wrong_currency(entry.takings, currency, f"{path}.takings")
        yield from _wrong_kind(entry, f"{path}.kind")
        if of_deal is not None:
            yield from of_deal.errors(entry, path)


def _future_day(day: date | None, input_context: InputContext, path: str) -> Iterator[ErrorDetail]:
    if day is not None and day > input_context.day:
        message = f"expected a day up to today, {input_context.day.isoformat()}"
        yield ErrorDetail(code="future_day", message=message, path=path)


def _wrong_currency(money: Money | None, currency: Currency, path: str) -> Iterator[ErrorDetail]:
    if money is not None and money.currency != currency:
        message = f"expected an amount in {currency}"
        yield ErrorDetail(code="wrong_currency", message=message, path=path)


def _wrong_kind(entry: _Item, path: str) -> Iterator[ErrorDetail]:
    """Yield an error for a kind that an operation of its own records."""
    expected = RECORDED_KINDS if entry.reverses is None else (REVERSAL,)
    if entry.kind is not None and entry.kind not in expected:
        message = f"expected {' or '.join(f'`{kind}`' for kind in expected)}"
        hint = "other movements have operations of their own, such as `refund`"
        yield ErrorDetail(code="not_allowed", message=message, path=path, hint=hint)


def _wrong_amount(money: Money | None, currency: Currency, path: str) -> Iterator[ErrorDetail]:
    yield from _wrong_currency(money, currency, path)
    if money is not None and money.currency == currency:
        hint = "to take a remittance back, record an entry that `reverses` it"
        yield from _below_zero(money, path, hint)


def _below_zero(money: Money | None, path: str, hint: str | None = None) -> Iterator[ErrorDetail]:
    if money is not None and money.minor < 0:
        message = "expected an amount that is not negative"
        yield ErrorDetail(code="out_of_range", message=message, path=path, hint=hint)


class _EntriesOfDeal:
    """A deal with new *entries*, and the reversals of those that have been checked."""

    def __init__(self, deal: Deal, entries: Sequence[_Item]) -> None:
        self.deal = deal
        self.new = {entry.id: entry for entry in entries}
        # How much the reversals that were checked take back, by the id of the entry.
        self.taken_back: dict[str, dict[str, int]] = {}

    def errors(self, entry: _Item, path: str) -> Iterator[ErrorDetail]:
        """Yield what is wrong with *entry* in this deal, and note what it reverses."""
        if entry.on is not None and entry.on < self.deal.funded_on:
            message = f"expected a day on or after the funding, {self.deal.funded_on.isoformat()}"
            yield ErrorDetail(code="out_of_range", message=message, path=f"{path}.on")
        if entry.reverses is not None:
            yield from self._reversal(entry, f"{path}.reverses")

    def _reversal(self, entry: _Item, path: str) -> Iterator[ErrorDetail]:
        target = self.new.get(entry.reverses) or self.deal.entry_of(entry.reverses)
        # An entry whose id could not be read may be the one that is meant.
        if target is None and None not in self.new:
            message = "expected the id of an entry of this deal"
            yield ErrorDetail(code="unknown_name", message=message, path=path)
        elif target is not None:
            yield from self._disagreement(entry, target, path)

    def _reversals_of(self, target_id: str) -> dict[str, int]:
        """Return how much the reversals of an entry take back, by their ids."""
        if target_id not in self.taken_back:
            self.taken_back[target_id] = {
                held.id: held.amount.minor
                for held in self.deal.entries
                if held.reverses == target_id
            }
        return self.taken_back[target_id]

    def _disagreement(self, entry: _Item, target: _Item, path: str) -> Iterator[ErrorDetail]:
        if target.reverses is not None:
            yield ErrorDetail(
                code="not_allowed",
                message="a reversal cannot be reversed",
                path=path,
                hint="record a new entry",
            )
        elif target.kind is not None and not _may_be_reversed(target.kind):
            message = "expected the id of a remittance, a payment or a recovery"
            yield ErrorDetail(code="not_allowed", message=message, path=path)
        elif None not in {target.on, entry.on} and entry.on < target.on:
            message = "a reversal does not come before its entry"
            yield ErrorDetail(code="contradiction", message=message, path=path)
        elif None not in {target.amount, entry.amount}:
            yield from self._too_much(entry, target, path)

    def _too_much(self, entry: _Item, target: _Item, path: str) -> Iterator[ErrorDetail]:
        reversals = self._reversals_of(entry.reverses)
        # INVARIANT: reversals take back at most their entry, with those of this given.
        left = target.amount.minor - sum(
            minor for id_, minor in reversals.items() if id_ != entry.id
        )
        if left <= 0 and reversals.keys() - {entry.id}:
            message = "that entry is reversed already"
            yield ErrorDetail(code="duplicate", message=message, path=path)
        elif entry.amount.minor > left:
            money = Money(left, target.amount.currency)
            message = f"reversals take back at most their entry: {money} is left of it"
            yield ErrorDetail(code="contradiction", message=message, path=path)
        reversals[entry.id] = entry.amount.minor


def _may_be_reversed(kind: str) -> bool:
    return KINDS[kind].remitted and KINDS[kind].sign > 0


def movement_errors(given: _Input, input_context: InputContext) -> Iterator[ErrorDetail]:
    """Yield what is invalid in a command about one movement, or about one day, of deals."""
    yield from _future_day(given.on, input_context, "$.on")
    names = ("deal_id", "from_deal_id", "to_deal_id")
    ids = {getattr(given, name, None) for name in names}
    deals = [deal for deal in input_context.deals if deal.id in ids]
    yield from _before_funding(given.on, deals)
    amount = getattr(given, "amount", None)
    if amount is not None:
        currency = deals[0].repayment_amount.currency if deals else input_context.currency
        yield from _wrong_currency(amount, currency, "$.amount")


def _before_funding(
    on: date | None, deals: Sequence[Deal], path: str = "$.on"
) -> Iterator[ErrorDetail]:
    first = max((deal.funded_on for deal in deals), default=None)
    if on is not None and first is not None and on < first:
        message = f"expected a day on or after the funding, {first.isoformat()}"
        yield ErrorDetail(code="out_of_range", message=message, path=path)


def amount_errors(given: _Input, input_context: InputContext) -> Iterator[ErrorDetail]:
    """Yield what is invalid in a command whose amount is more than nothing."""
    yield from movement_errors(given, input_context)
    yield from _not_above_zero(given.amount, "$.amount")


def _not_above_zero(money: Money | None, path: str) -> Iterator[ErrorDetail]:
    if money is not None and money.minor <= 0:
        message = "expected an amount above zero"
        yield ErrorDetail(code="out_of_range", message=message, path=path)


def suspense_errors(given: _Input, input_context: InputContext) -> Iterator[ErrorDetail]:
    """Yield what is invalid in a movement of cash in suspense."""
    yield from amount_errors(given, input_context)
    receipt = input_context.suspense.entry_of(getattr(given, "suspense_id", None) or given.id or "")
    if receipt is None:
        return
    if given.on is not None and given.on < receipt.on:
        message = f"expected a day on or after that of the cash, {receipt.on.isoformat()}"
        yield ErrorDetail(code="out_of_range", message=message, path="$.on")
    if given.amount is not None:
        yield from _wrong_currency(given.amount, receipt.amount.currency, "$.amount")


def unwinding_errors(given: _Input, input_context: InputContext) -> Iterator[ErrorDetail]:
    """Yield what is invalid in the undoing of a deal."""
    yield from movement_errors(given, input_context)
    yield from _below_zero(given.amount, "$.amount")
    yield from _wrong_cancellation(given, input_context)


def _wrong_cancellation(given: _Input, input_context: InputContext) -> Iterator[ErrorDetail]:
    """Yield what is wrong with the day of a cancellation, before the money of the day `on`."""
    if None in {given.on, given.cancelled_on}:
        return
    deals = [deal for deal in input_context.deals if deal.id == given.deal_id]
    yield from _before_funding(given.cancelled_on, deals, "$.cancelled_on")
    if not 0 <= (given.on - given.cancelled_on).days <= DAYS_TO_GIVE_BACK:
        message = (
            f"expected a day up to that of the money, {given.on.isoformat()}, and at most"
            f" {DAYS_TO_GIVE_BACK} days before it"
        )
        hint = "leave it out where the merchant cancelled on the day of the money"
        yield ErrorDetail(code="out_of_range", message=message, path="$.cancelled_on", hint=hint)


def late_record_errors(given: _Input, input_context: InputContext) -> Iterator[ErrorDetail]:
    """Yield what is invalid in the day on which something happened that is recorded now."""
    yield from _future_day(given.on, input_context, "$.on")
    if given.on is not None and (input_context.day - given.on).days > DAYS_TO_RECORD:
        first = input_context.day - timedelta(days=DAYS_TO_RECORD)
        message = f"expected one of the last {DAYS_TO_RECORD} days, from {first.isoformat()} on"
        hint = "what happened earlier is recorded of the first of these days"
        yield ErrorDetail(code="out_of_range", message=message, path="$.on", hint=hint)


def ending_errors(given: _Input, input_context: InputContext) -> Iterator[ErrorDetail]:
    """Yield what is invalid in the day on which a deal ended early."""
    yield from late_record_errors(given, input_context)
    days = [deal.recorded_until for deal in input_context.deals if deal.id == given.deal_id]
    # While a renewal of it that was undone ran, the deal was over already.
    days += [
        deal.closed_on
        for deal in input_context.deals
        if deal.base_deal_id == given.deal_id and deal.closed_on is not None
    ]
    last = max(days, default=None)
    if None not in {given.on, last} and given.on < last:
        message = f"expected a day on or after the last of which the deal has something, {last}"
        yield ErrorDetail(code="out_of_range", message=message, path="$.on")


def plan_errors(given: _Input, input_context: InputContext) -> Iterator[ErrorDetail]:
    """Yield what is invalid in the instalments of a plan."""
    deals = [deal for deal in input_context.deals if deal.id == given.deal_id]
    currency = deals[0].repayment_amount.currency if deals else input_context.currency
    instalments: Sequence[_Item] = given.instalments or ()
    if len(instalments) > MOST_INSTALMENTS:
        message = f"expected at most {MOST_INSTALMENTS} instalments"
        yield ErrorDetail(code="too_large", message=message, path="$.instalments")
    previous: date | None = None
    for place, instalment in enumerate(instalments):
        path, due_on = f"$.instalments[{place}]", instalment.due_on
        yield from _wrong_currency(instalment.amount, currency, f"{path}.amount")
        yield from _not_above_zero(instalment.amount, f"{path}.amount")
        if due_on is None:
            continue
        if previous is not None and due_on <= previous:
            message = f"expected a day after that of the instalment before, {previous.isoformat()}"
            yield ErrorDetail(code="contradiction", message=message, path=f"{path}.due_on")
        if not 0 <= (due_on - input_context.day).days <= MOST_PLAN_DAYS:
            today = input_context.day.isoformat()
            message = f"expected a day from today, {today}, to {MOST_PLAN_DAYS} days later"
            hint = "a plan is about what is still to be paid"
            path = f"{path}.due_on"
            yield ErrorDetail(code="out_of_range", message=message, path=path, hint=hint)
        previous = due_on


def unwind_quote_errors(given: _Input, input_context: InputContext) -> Iterator[ErrorDetail]:
    """Yield what is invalid in the day on which a deal would be undone; it may still come."""
    deals = [deal for deal in input_context.deals if deal.id == given.deal_id]
    yield from _before_funding(given.on, deals)
    yield from _wrong_cancellation(given, input_context)


def adjustment_errors(given: _Input, input_context: InputContext) -> Iterator[ErrorDetail]:
    """Yield what is invalid in a correction of what is owed."""
    yield from movement_errors(given, input_context)
    if given.amount is not None and not given.amount.minor:
        message = "expected an amount that is not zero"
        yield ErrorDetail(code="out_of_range", message=message, path="$.amount")


def quote_errors(given: _Input, input_context: InputContext) -> Iterator[ErrorDetail]:
    """Yield what is invalid in the day of a settlement."""
    if given.on is not None and given.on < input_context.day:
        message = f"expected a day from today on, {input_context.day.isoformat()}"
        yield ErrorDetail(code="out_of_range", message=message, path="$.on")


def requote_errors(given: _Input, input_context: InputContext) -> Iterator[ErrorDetail]:
    """Yield what is invalid in another amount."""
    yield from _wrong_amount(given.amount, input_context.currency, "$.amount")


def statement_errors(given: _Input, input_context: InputContext) -> Iterator[ErrorDetail]:  # noqa: ARG001 - as the others
    """Yield what is invalid in the period of a statement."""
    if None not in {given.since, given.until} and given.until < given.since:
        message = "expected a day on or after `since`"
        yield ErrorDetail(code="contradiction", message=message, path="$.until")


def terms_errors(given: _Input, input_context: InputContext) -> Iterator[ErrorDetail]:
    """Yield what is invalid in a change of terms."""
    yield from movement_errors(given, input_context)
    if given.split_percentage is None and given.term_days is None:
        message = "expected a split percentage, a term or both"
        yield ErrorDetail(code="missing", message=message, path="$.split_percentage")


def disclosure_errors(given: _Input, input_context: InputContext) -> Iterator[ErrorDetail]:
    """Yield what is invalid in the amounts of a disclosure."""
    yield from _wrong_currency(given.monthly_takings, input_context.currency, "$.monthly_takings")
    yield from _not_above_zero(given.monthly_takings, "$.monthly_takings")
    for name in FEES:
        money, path = getattr(given, name), f"$.{name}"
        yield from _wrong_currency(money, input_context.currency, path)
        yield from _below_zero(money, path)
