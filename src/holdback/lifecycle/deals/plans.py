"""The command that agrees on a plan for a default."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import field

from holdback.errors import Refusal
from holdback.exact.money import Money
from holdback.frozen_classes import frozen
from holdback.lifecycle.deals.ledger_operations import check_at_most
from holdback.lifecycle.deals.lookup import find_deal
from holdback.lifecycle.events import Event, PlanAgreed
from holdback.lifecycle.input_checks import plan_errors
from holdback.lifecycle.operation import Case, Command, Decision, deal_receipt
from holdback.merchant.deal import DEFAULTED, Deal
from holdback.merchant.plan import MOST_REPLACED_PLANS, Instalment, Plan
from holdback.merchant.receipt import DealReceipt
from holdback.merchant.validators import as_tuple, instance_of, text, tuple_of


def _as_instalments(given: Iterable[Instalment]) -> tuple[Instalment, ...]:
    return as_tuple(given)


@frozen(kw_only=True)
class AgreePlan(Command[DealReceipt]):
    """
    Agree by which days a default is paid: a plan of dated `instalments`, in place of any before.

    They are in the order of their days, from today on, and come to at most what is left to pay,
    what was written off included. Without instalments the plan before it ends. What the deal remits
    from now on pays them, the earliest first.

    Raises:
        Refusal: `deal_not_found`, `not_possible_now`, `amount_not_possible`, or `request_conflict`
            if a plan of this id was agreed with another content, or was replaced.
        InvalidDocument: naming everything that is invalid in every instalment.
    """

    name = "agree_plan"
    input_errors = staticmethod(plan_errors)

    deal_id: str = field(validator=text)
    plan_id: str = field(validator=text)
    instalments: tuple[Instalment, ...] = field(
        converter=_as_instalments, validator=tuple_of(instance_of(Instalment, "instalments"))
    )

    def decide(self, case: Case) -> Decision[DealReceipt]:
        deal = find_deal(case.merchant, self.deal_id)
        events: tuple[Event, ...] = ()
        # The same plan is a retry for as long as it is the last, also when its days have passed.
        if not _is_agreed(deal, self):
            self.check(case.input_context)
            _check_possible(deal, self.instalments)
            events = (PlanAgreed(at=case.at, deal_id=deal.id, plan=_plan(deal, self)),)
        return Decision(events, deal_receipt(deal.id, self))


def _is_agreed(deal: Deal, command: AgreePlan) -> bool:
    """Return whether the plan of *command* is the last of *deal*; refuse another of its id."""
    last = deal.plan
    if last is None or command.plan_id not in {last.id, *last.replaced}:
        return False
    if command.plan_id != last.id or command.instalments != last.instalments:
        message = f"plan `{command.plan_id}` was agreed with another content, or has ended"
        raise Refusal("request_conflict", message)
    return True


def _check_possible(deal: Deal, instalments: tuple[Instalment, ...]) -> None:
    if deal.status != DEFAULTED:
        message = f"a plan follows a default: the deal is {deal.status.lower()}"
        raise Refusal("not_possible_now", message)
    if not instalments and not deal.planned:
        raise Refusal("not_possible_now", "the deal has no plan that could end")
    owed = deal.balance + deal.written_off
    planned = Money(sum(instalment.amount.minor for instalment in instalments), owed.currency)
    check_at_most(planned, owed, "planned: that is left to pay")


def _plan(deal: Deal, command: AgreePlan) -> Plan:
    earlier = () if deal.plan is None else (*deal.plan.replaced, deal.plan.id)
    return Plan(
        id=command.plan_id,
        instalments=command.instalments,
        remitted_before=deal.remitted,
        replaced=earlier[-MOST_REPLACED_PLANS:],
    )
