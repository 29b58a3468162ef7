"""The plan of a default: what was agreed to be paid by which day, and what of it is past due.

Why is in decisions/money-after-funding#plans-after-a-default.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Final

from attrs import field

from holdback.exact.money import Money
from holdback.frozen_classes import frozen
from holdback.merchant.validators import amount, day, plain_day, text, tuple_of

# Sixty monthly instalments, and the days that they take.
MOST_INSTALMENTS: Final = 60
MOST_PLAN_DAYS: Final = 1_830
# How many ids of earlier plans a deal keeps, so that one which arrives again is recognised.
MOST_REPLACED_PLANS: Final = 20


@frozen(kw_only=True)
class Instalment:
    """What is to be paid by the end of the day `due_on`."""

    due_on: date = field(converter=plain_day, validator=day)
    amount: Money = field(validator=amount)


@frozen(kw_only=True)
class PlannedInstalment:
    """An instalment of a plan, and what of it is `paid`."""

    due_on: date
    amount: Money
    paid: Money


@frozen(kw_only=True)
class Plan:
    """
    The plan of a deal that is in default; one without instalments ended the plan before it.

    `id` is the host's, and `replaced` are the ids of the newest earlier plans. `remitted_before` is
    what the deal had remitted when the plan was agreed: what it remitted since pays the
    instalments, the earliest first.
    """

    id: str
    instalments: tuple[Instalment, ...]
    remitted_before: Money
    replaced: tuple[str, ...] = field(default=(), validator=tuple_of(text))

    def paid(self, remitted: Money) -> Iterator[PlannedInstalment]:
        """
        Yield the instalments, each with what of it is paid when *remitted* was remitted in all.

        >>> plan = Plan(
        ...     id="p-1", remitted_before=Money.parse("GBP 40.00"), instalments=(
        ...         Instalment(due_on=date(2026, 8, 1), amount=Money.parse("GBP 100.00")),
        ...         Instalment(due_on=date(2026, 9, 1), amount=Money.parse("GBP 100.00"))))
        >>> [str(each.paid) for each in plan.paid(Money.parse("GBP 190.00"))]
        ['GBP 100.00', 'GBP 50.00']
        """
        left = max(0, remitted.minor - self.remitted_before.minor)
        for instalment in self.instalments:
            paid = min(left, instalment.amount.minor)
            left -= paid
            yield PlannedInstalment(
                due_on=instalment.due_on,
                amount=instalment.amount,
                paid=Money(paid, instalment.amount.currency),
            )
