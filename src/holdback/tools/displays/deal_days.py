"""A deal day by day, for its picture: what was remitted, and what was expected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from typing import Any, Final

from holdback.errors import InvalidDocument, code_of, readings_of, write_instead
from holdback.exact.exact_numbers import HUNDRED_PERCENT, unscaled
from holdback.merchant.ledger import KINDS
from holdback.merchant.schedule import expected_share, paused_days
from holdback.rules import Kind, Type
from holdback.tools import pictures
from holdback.tools.displays.elements import percent

# A picture has room for so few days; of a longer deal it shows every second, or every third.
_MOST_DAYS: Final = 400
_PERCENT: Final = Type(Kind.PERCENT)


def repayment_days(deal: Any, on: date) -> Iterator[Mapping[str, Any]]:
    """
    Yield the days of *deal* until its term ends, or the later day *on*, as records of a picture.

    Each has the `day`, what was `remitted` and what was `expected` up to and with it, in major
    units, and the `currency`. What was remitted is None after the day *on*, and before the first
    entry that the deal still holds.
    """
    currency = deal.repayment_amount.currency
    term = deal.terms_changes[-1].term_days if deal.terms_changes else deal.term_days
    pause = paused_days(deal.pauses, deal.funded_on, max(on, deal.funded_on))
    end = max(deal.funded_on + timedelta(days=term + pause), on)
    length = (end - deal.funded_on).days
    step = -(-length // _MOST_DAYS) or 1
    days = {deal.funded_on + timedelta(days=day) for day in range(0, length + 1, step)}
    for day in sorted(days | {min(max(on, deal.funded_on), end), end}):
        share = expected_share(deal.term_days, deal.terms_changes, deal.pauses, deal.funded_on, day)
        expected = deal.repayment_amount.minor * share.numerator // share.denominator
        remitted = None if day > on else _remitted(deal, day)
        yield {
            "day": day,
            "remitted": None if remitted is None else unscaled(remitted, currency.places),
            "expected": unscaled(expected, currency.places),
            "currency": currency.code,
        }


def _remitted(deal: Any, day: date) -> int | None:
    """Return what was remitted on *deal* up to and with *day*; None before the entries it holds."""
    before = 0
    if deal.closed_entries is not None:
        if day < deal.closed_entries.through:
            return None
        before = deal.closed_entries.remitted.minor
    counted: Iterator[int] = (
        net for entry, net in deal.counted if KINDS[entry.kind].remitted and entry.on <= day
    )
    return sum(counted, before)


def deal_picture(deal: Any, on: date, renewal_from: str, width: int | None) -> Any:
    """
    Return the picture of *deal* on the day *on*, with the amount from which it may be renewed.

    Raises:
        InvalidDocument: *renewal_from* is not a percentage such as `60%`.
    """
    try:
        share = _PERCENT.read(renewal_from)
    except ValueError as error:
        expected = "expected a percentage such as `60%`"
        hint = write_instead(readings_of(error))
        path = "$.renewal_from"
        raise InvalidDocument.of(code_of(error), expected, path=path, hint=hint) from None
    assert share is not None, "only a missing value is unknown"
    minor = deal.repayment_amount.minor * share // HUNDRED_PERCENT
    line = {
        "amount": unscaled(minor, deal.repayment_amount.currency.places),
        "label": f"{renewal_from}: a renewal is assessed",
    }
    title = f"Deal {deal.id} is {percent(deal.progress)} paid down on {on}"
    days = [*repayment_days(deal, on)]
    return pictures.repayment(title, days, [line], width or pictures.WIDTH)
