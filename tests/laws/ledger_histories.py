"""Random histories of one merchant's deals, told to the engine and to the bookkeeper alike."""

from __future__ import annotations

import random
from collections import Counter
from datetime import timedelta

from bookkeeper import PAID_IN
from bookkeeper_operations import DAY
from ledger_comparison import SHAPES, begin
from ledger_folders import WORLDS

HOURS = (0, 0, 0, 1, 12, 24, 24, 24 * 3, 24 * 9, 24 * 40)
FLOOR = 500_000
ENDED = ("Repaid", "Renewed", "Defaulted", "Recovered", "Cancelled", "Unwound", "Settled")
STEPS = {
    "remit": 10, "pay_all": 3, "settle": 2, "reverse": 6, "refund": 4, "transfer": 7,
    "recover": 8, "waive": 5, "write_off": 4, "adjust": 2, "default": 3, "cancel": 1,
    "reinstate": 0.7, "settle_early": 2, "unwind": 3, "pause": 2, "resume": 3,
    "change_terms": 2, "renew": 1, "repeat": 4, "return_payout": 2, "charge": 3, "waive_fee": 2,
    "plan": 3, "take_cash": 1.5, "apply_cash": 2.5, "return_cash": 1,
}  # fmt: skip


class History:
    """Some random operations on the deals that one of the beginnings has."""

    def __init__(self, seed, favoured=()):
        self.draw = draw = random.Random(seed)
        self.favoured = favoured
        self.telling = begin(draw.choice(WORLDS), draw.choice([*SHAPES]), seed)
        self.carried_out = []

    def run(self, steps):
        """Carry out some operations, and compare after every one; return what was done."""
        self.telling.compare()
        for _ in range(steps):
            self.pass_time()
            self.step()
            self.telling.compare()
        if self.draw.random() < 0.2:
            first = self.draw.choice([*self.keeper.deals.values()])
            self.telling.compare_stored()
            self.telling.compare_statement(first.funded_on + self.draw.randint(0, 60) * DAY)
        return self.telling.done + Counter(deal.status for deal in self.keeper.deals.values())

    def steps(self):
        """How many operations the history has: now and then many, oftener if some are favoured."""
        many = 0.5 if self.favoured else 0.08
        return self.draw.randint(8, 40) if self.draw.random() < many else self.draw.randint(5, 7)

    def pass_time(self):
        self.telling.now = self.telling.clock.after_silence(self.telling.now)
        self.telling.now += timedelta(hours=self.draw.choice(HOURS))

    def step(self):
        weights = STEPS | dict.fromkeys(self.favoured, 25)
        getattr(self, self.draw.choices([*weights], [*weights.values()])[0])()

    def tell(self, operation, **content):
        """Tell both, and remember what was asked, for a repetition."""
        request_id = self.telling.number("r")
        if self.telling.tell(operation, request_id, **content):
            self.carried_out.append((operation, request_id, content))
            return True
        return False

    # What is drawn

    @property
    def keeper(self):
        return self.telling.keeper

    def deal(self, *statuses):
        """One of the deals, most likely of these *statuses*, and one with something to do."""
        deals = [*self.keeper.deals.values()]
        likely = [deal for deal in deals if deal.status in statuses]
        return self.draw.choice(likely if likely and self.draw.random() < 0.85 else deals)

    def on(self, deal):
        """A local day since the funding; now and then, one that is not possible."""
        today = self.telling.today
        days = (today - deal.funded_on).days
        if self.draw.random() < 0.01:
            return self.draw.choice((today + DAY, deal.funded_on - DAY))
        if self.draw.random() < 0.6:
            return today - DAY * min(days, self.draw.choice((0, 0, 1)))
        return today - DAY * self.draw.randint(0, days)

    def amount(self, *near, high=False):
        """An amount above zero: one of those that matter, next to one of them, or any."""
        near = [amount for amount in near if amount > 0]
        if near and self.draw.random() < 0.6:
            return max(1, self.draw.choice(near) + self.draw.choice((0, 0, 0, 0, 1, -1)))
        most = max([*near, 1 if near else 9_000])
        return self.draw.randint(1, most * 2 if high else most)

    def movement(self, deal, amount, **more):
        return {
            "deal_id": deal.id, "entry_id": self.telling.number("e"), "on": self.on(deal),
            "amount": amount,
        } | more  # fmt: skip

    # The steps

    def remit(self):
        deal = self.deal("Funded", "Funded", *ENDED)
        entries = [self.remitted(deal) for _ in range(self.draw.choice((1, 1, 1, 2)))]
        self.tell("record_remittance", deal_id=deal.id, entries=entries)

    def remitted(self, deal):
        entry = {"id": self.telling.number("e"), "on": self.on(deal)}
        if self.draw.random() < 0.05:
            return entry | {"amount": 0, "takings": self.draw.choice((0, 100))}
        part = deal.repayment // self.draw.choice((2, 5, 20))
        entry["amount"] = self.amount(deal.owed, part)
        if self.draw.random() < 0.2:
            entry["settled"] = False
        if self.draw.random() < 0.15:
            entry["kind"] = "payment"
        return entry

    def pay_all(self):
        deal = self.deal("Funded", "Defaulted", "Renewed")
        amount = max(1, deal.owed + self.draw.choice((0, 0, 500)))
        entry = {"id": self.telling.number("e"), "on": self.on(deal), "amount": amount}
        self.tell("record_remittance", deal_id=deal.id, entries=[entry])

    def settle(self):
        """Deliver an unsettled entry again, as settled."""
        for deal in self.keeper.deals.values():
            waiting = [one for one in deal.movements.values() if not one.settled]
            if waiting:
                chosen = self.draw.choice(waiting)
                entry = {"id": chosen.id, "on": chosen.on, "amount": chosen.amount,
                         "kind": chosen.kind, "reverses": chosen.reverses}  # fmt: skip
                self.tell("record_remittance", deal_id=deal.id, entries=[entry])
                return

    def reverse(self):
        """Take back a remittance, a payment or a recovery, whole or in part."""
        deal = self.deal("Funded", "Repaid", "Renewed", "Recovered", "Defaulted", "Settled")
        paid = [one for one in deal.movements.values() if one.kind in PAID_IN]
        if not paid:
            return
        chosen = self.draw.choice(paid)
        left = deal.left_of(chosen.id)
        amount = self.amount(left, left, left // 2)
        entry = {
            "id": self.telling.number("e"), "amount": amount, "reverses": chosen.id,
            "on": max(chosen.on - (self.draw.random() < 0.02) * DAY, self.on(deal)),
        }  # fmt: skip
        if self.draw.random() < 0.1:
            entry["settled"] = False
        self.tell("record_remittance", deal_id=deal.id, entries=[entry])

    def refund(self):
        deal = self.with_overpaid()
        self.tell("refund", **self.movement(deal, self.amount(deal.overpaid, deal.overpaid // 2)))

    def with_overpaid(self):
        deals = [deal for deal in self.keeper.deals.values() if deal.overpaid]
        return self.draw.choice(deals) if deals else self.deal("Repaid")

    def with_owed(self):
        deals = [deal for deal in self.keeper.deals.values() if deal.owed]
        return self.draw.choice(deals) if deals else self.deal()

    def transfer(self):
        giver, taker = self.with_overpaid(), self.with_owed()
        if giver is taker:
            return
        content = self.movement(
            max(giver, taker, key=lambda deal: deal.funded_on),
            self.amount(giver.overpaid, taker.owed, min(giver.overpaid, taker.owed)),
            from_deal_id=giver.id, to_deal_id=taker.id,
        )  # fmt: skip
        del content["deal_id"]
        self.tell("transfer", **content)

    def recover(self):
        deal = self.deal("Defaulted", "Recovered", "Settled")
        amount = self.amount(deal.owed, deal.owed + deal.written_off, deal.written_off, high=True)
        self.tell("record_recovery", **self.movement(deal, amount))

    def take_cash(self):
        """Cash comes in without a deal, on a day that may be before every funding."""
        on = self.telling.today - self.draw.choice((-1, *[0] * 30, 1, 5, 40)) * DAY
        near = [deal.owed for deal in self.keeper.deals.values()]
        content = {"entry_id": self.telling.number("c"), "on": on}
        self.tell("record_suspense", amount=self.amount(*near, 5_000), **content)

    def charge(self):
        """A fee of the terms, most likely one that can be charged; now and then an unknown one."""
        fees = ("returned", "returned", "returned", "late", "interest", "interest")
        fee = self.draw.choice(fees) if self.draw.random() < 0.95 else "another"
        deal = self.deal("Defaulted") if fee in {"late", "interest"} else self.deal("Funded")
        if fee == "returned" and self.draw.random() < 0.6:
            self.bounce(deal)
        kinds = {"reversal"} if self.draw.random() < 0.95 else PAID_IN
        charged = {one.about for one in deal.fees_of(fee)} if self.draw.random() < 0.8 else set()
        back = [
            one for one in deal.movements.values() if one.kind in kinds and one.id not in charged
        ]
        content = self.movement(deal, self.amount(300, 500), fee=fee)
        if self.draw.random() < 0.7:
            content["on"] = self.telling.today
        if fee == "returned" and back:
            content["about"] = self.draw.choice(back).id
        elif self.draw.random() < 0.05:
            content["about"] = "no such entry"
        if fee == "interest" or self.draw.random() < 0.5:
            content["amount"] = None
        self.tell("charge_fee", **content)

    def bounce(self, deal):
        """A payment comes in and is taken back on the same day."""
        paid = {"id": self.telling.number("e"), "on": self.telling.today, "amount": 100}
        back = paid | {"id": self.telling.number("e"), "reverses": paid["id"]}
        self.tell("record_remittance", deal_id=deal.id, entries=[paid, back])

    def waive_fee(self):
        if not any(deal.fees_owed for deal in self.keeper.deals.values()):
            self.charge()
        owing = [deal for deal in self.keeper.deals.values() if deal.fees_owed]
        deal = self.draw.choice(owing) if owing else self.deal()
        self.tell("waive_fee", **self.movement(deal, self.amount(deal.fees_owed)))

    def cash(self):
        """The id of a receipt, and what is left of it: most likely something."""
        receipts = self.keeper.suspense.receipts
        left = [name for name, one in receipts.items() if one.left]
        known = left if left and self.draw.random() < 0.95 else [*receipts, "no such cash"]
        chosen = self.draw.choice(known)
        return chosen, receipts[chosen].left if chosen in receipts else 1

    def apply_cash(self):
        if not self.keeper.suspense.held:
            self.take_cash()
        suspense_id, left = self.cash()
        deal = self.with_owed() if self.draw.random() < 0.8 else self.deal("Defaulted")
        owed = deal.owed + deal.written_off
        most = min(left, owed)
        amount = self.amount(most, most, most, left, owed)
        self.tell("apply_suspense", **self.movement(deal, amount, suspense_id=suspense_id))

    def return_cash(self):
        if not self.keeper.suspense.held:
            self.take_cash()
        suspense_id, left = self.cash()
        deal = self.deal()
        content = self.movement(deal, self.amount(left, left, left // 2), suspense_id=suspense_id)
        del content["deal_id"]
        kind = self.draw.choice(("refund", "reversal", "transfer"))
        self.tell("return_suspense", kind=kind, **content)

    def write_off(self):
        deal = self.deal("Defaulted", "Renewed", "Repaid", "Cancelled")
        self.tell("write_off", **self.movement(deal, self.amount(deal.owed, deal.owed // 2)))

    def adjust(self):
        deal = self.deal("Funded", *ENDED)
        amount = self.amount(deal.owed, deal.repayment // 10) * self.draw.choice((1, 1, -1))
        self.tell("adjust", **self.movement(deal, amount))

    def waive(self):
        """Waive the rest of a default; now and then another amount."""
        deal = self.deal("Defaulted")
        amount = max(1, deal.owed + deal.written_off + self.draw.choice((0, 0, 0, 0, 1, -1)))
        self.tell("waive_rest", **self.movement(deal, amount))

    def plan(self):
        """Plan what is left of a default in a few parts, on days from today on, most likely."""
        deal, number = self.deal("Defaulted"), self.draw.choice((1, 2, 2, 3, 0))
        left = deal.owed + deal.written_off
        whole = max(number, self.amount(left, left, left // 2))
        parts = [whole // max(1, number)] * (number - 1)
        amounts = [*parts, whole - sum(parts)][:number]
        first = self.telling.today + self.draw.choice((*[0, 1, 3, 20] * 5, -1)) * DAY
        between = self.draw.choice((*[1, 7, 20] * 10, 0)) * DAY
        instalments = [(first + between * place, part) for place, part in enumerate(amounts)]
        plan_id = self.telling.number("p")
        self.tell("agree_plan", deal_id=deal.id, plan_id=plan_id, instalments=instalments)

    def default(self):
        self.close("defaulted")

    def cancel(self):
        self.close("cancelled")

    def close(self, status):
        deal = self.deal("Funded", "Funded", "Defaulted")
        ends = [one.closed_on for one in self.keeper.deals.values() if one.closed_on is not None]
        day = self.happened(deal.last_known, deal.last_known, *ends)
        self.tell("close_deal", deal_id=deal.id, status=status, **day)

    def happened(self, *near):
        """The day of what is recorded now, next to one that matters; often none: today."""
        if self.draw.random() < 0.5:
            return {}
        today = self.telling.today
        chosen = self.draw.choice((today, today - 7 * DAY, today - 2 * DAY, *near))
        return {"on": chosen + self.draw.choice((0, 0, 0, 1, -1)) * DAY}

    def reinstate(self):
        self.tell("reinstate_deal", deal_id=self.deal("Defaulted").id)

    def settle_early(self):
        deal = self.deal("Funded")
        quote = deal.owed - deal.discount()
        if deal.status == "Funded":
            self.telling.compare_quote(deal)
        self.tell("settle_early", **self.movement(deal, self.amount(quote, quote)))

    def unwind(self):
        deal = self.deal("Funded")
        due = self.keeper.due_at_unwinding(deal)
        amount = max(0, due + self.draw.choice((0, 0, 0, 0, 1, -1)))
        content = self.movement(deal, amount, on=self.telling.today)
        if self.draw.random() < 0.6:
            content["cancelled_on"] = self.cancelled_on(deal)
        self.tell("unwind_deal", **content)

    def cancelled_on(self, deal):
        """A day next to one that matters, most often the last of the cooling-off days."""
        last = deal.funded_on + deal.cooling_off_days * DAY
        near = self.draw.choice((last, last, last, self.telling.today - 30 * DAY, deal.funded_on))
        return near + self.draw.choice((0, 0, 1, -1)) * DAY

    def return_payout(self):
        """Record that a payout came back; fund the same application again, at once or later."""
        deals = [deal for deal in self.keeper.deals.values() if not deal.movements]
        deal = self.draw.choice(deals) if deals else self.deal("Funded")
        content = {"deal_id": deal.id, "entry_id": self.telling.number("e"), "on": self.on(deal)}
        if not self.tell("return_payout", **content):
            return
        request_id, funding, waiting = self.telling.fundings[deal.id]
        self.telling.wait_for(*waiting)
        if self.draw.random() < 0.3:
            self.telling.tell("fund_deal", request_id, **funding)
        if self.draw.random() < 0.5:
            self.fund()

    def pause(self):
        deal = self.deal("Funded")
        self.tell("pause_deal", deal_id=deal.id, on=self.on(deal))

    def resume(self):
        deal = self.deal("Funded")
        self.tell("resume_deal", deal_id=deal.id, on=self.on(deal))

    def change_terms(self):
        deal = self.deal("Funded")
        days = self.draw.choice((deal.term_days // 2, deal.term_days + 30, 400))
        self.tell("change_terms", deal_id=deal.id, on=self.on(deal), term_days=days)

    def renew(self):
        """Go all the way of a renewal, or fund the one that waits."""
        telling, soon = self.telling, 0.8
        if telling.waiting is None:
            soon = 0.5  # so that something happens to the deal in between
            base = self.keeper.base
            if base is None or base.progress < FLOOR or not self.is_recent(base):
                return
            if not telling.accept(renewal=True):
                return
        if self.draw.random() < soon:
            self.fund()

    def fund(self):
        """Fund the application that waits, on a day of the last; now and then again, on another."""
        telling, deals = self.telling, self.keeper.deals.values()
        application_id, *_, knew, accepted_on = telling.waiting
        ends = [deal.ended_on for deal in deals if deal.ended_on is not None]
        active = [] if self.keeper.active is None else [self.keeper.active.last_known]
        if telling.fund(**self.happened(accepted_on, *ends, *active)) and self.draw.random() < 0.2:
            paid = self.keeper.paid_out[application_id]
            again = {"deal": paid, "knew": knew} | self.happened(paid.funded_on)
            telling.tell("fund_deal", application_id=application_id, **again)

    def is_recent(self, base):
        """Whether a deal was repaid lately enough to be renewed."""
        if base.status == "Funded":
            return True
        return base.ended_on is not None and self.telling.today - base.ended_on < 300 * DAY

    def repeat(self):
        """Ask again for what was carried out: with its request id, or with another."""
        if not self.carried_out:
            return
        operation, request_id, content = self.draw.choice(self.carried_out)
        way = self.draw.random()
        if way < 0.4:
            self.telling.tell(operation, request_id, **content)
        elif not content.keys().isdisjoint({"entry_id", "entries", "plan_id"}):
            if way < 0.6 and operation != "return_payout":
                content = changed(content)
            self.telling.tell(operation, **content)


def changed(content):
    """The *content* of an operation with another amount, which is not zero."""
    if "entries" in content:
        first, *others = content["entries"]
        return content | {"entries": [first | {"amount": first["amount"] + 1}, *others]}
    if "instalments" in content:
        return content | {"instalments": [(day, due + 1) for day, due in content["instalments"]]}
    return content | {"amount": (content["amount"] or 0) + 1 or 2}
