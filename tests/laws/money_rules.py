"""
What happens to a deal's money after its funding, as rules of a state machine, and its laws.

Every movement that was recorded is asked for again at once, by another request: nothing happens.
"""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule

from holdback import BankDetails, Entry, Money
from holdback.lifecycle.configuration import MEMORY_DAYS
from holdback.merchant.deal import CANCELLED, DEFAULTED, RENEWED, SETTLED, UNWOUND
from holdback.merchant.fee_terms import REVERSED
from holdback.merchant.ledger import RECOVERY, SETTLEMENT, TRANSFER
from holdback.merchant.plan import Instalment
from holdback.operations import (
    Adjust,
    AgreePlan,
    ApplySuspense,
    ChangeBankDetails,
    ChangeTerms,
    ChargeFee,
    CloseDeal,
    FundDeal,
    PauseDeal,
    QuoteSettlement,
    RecordRecovery,
    RecordRemittance,
    RecordSuspense,
    Refund,
    Requote,
    ResumeDeal,
    ReturnPayout,
    ReturnSuspense,
    SettleEarly,
    Transfer,
    UnwindDeal,
    WaiveFee,
    WaiveRest,
    WriteOff,
)

# Of what is possible: all of it, a part, a minor unit too much, and any other amount.
PARTS = st.sampled_from(["whole", "whole", "part", "too much"])


def part_of(minor, part):
    """An amount in minor units at, below or above what is possible."""
    return {"whole": minor, "part": max(1, minor // 3), "too much": minor + 1}[part]


def owed(deal):
    return max(deal.balance, deal.shortfall).minor


class MoneyRules:
    """The operations on a deal's money; a state machine has the merchant and `attempt`."""

    def moved(self, minor, back=0):
        """A new movement of *minor* units, some days back."""
        currency = self.merchant.deals[0].repayment_amount.currency
        on = self.now.date() - timedelta(days=back)
        return {"id": f"m-{self.requests}", "on": on, "amount": Money(minor, currency)}

    def move(self, kind, *, minor, back=0, **deals):
        """Carry out a movement, and ask for it again."""
        operation = kind(**deals, **self.moved(minor, back))
        outcome = self.attempt(operation)
        if outcome is not None:
            again = self.engine.carry_out(self.merchant, operation, self.context())
            assert not again.events
            assert again.reply.balance == outcome.reply.balance
            assert again.reply.entry_ids == outcome.reply.entry_ids == (operation.id,)
        return outcome

    def any_deal(self, data, fits):
        """A deal that fits, most often."""
        fitting = [deal for deal in self.merchant.deals if fits(deal)]
        return data.draw(st.sampled_from(fitting or self.merchant.deals))

    @precondition(lambda self: any(deal.overpaid.minor for deal in self.merchant.deals))
    @rule(data=st.data(), part=PARTS, back=st.integers(0, 2))
    def refund(self, data, part, back):
        deal = self.any_deal(data, lambda deal: deal.overpaid.minor)
        most = deal.overpaid.minor
        outcome = self.move(Refund, deal_id=deal.id, minor=part_of(most, part), back=back)
        assert outcome is None or self.merchant.deal_of(deal.id).overpaid.minor < most
        assert outcome is None or part != "too much"

    @precondition(lambda self: any(deal.overpaid.minor for deal in self.merchant.deals))
    @rule(data=st.data(), part=PARTS)
    def transfer(self, data, part):
        source = self.any_deal(data, lambda deal: deal.overpaid.minor)
        target = self.any_deal(data, owed)
        most = min(source.overpaid.minor, owed(target))
        before = self.total()
        ids = {"from_deal_id": source.id, "to_deal_id": target.id}
        outcome = self.move(Transfer, **ids, minor=part_of(most, part))
        assert self.total() == before
        assert outcome is None or part != "too much"

    def total(self):
        """What the merchant owes in all, fees included, less what it overpaid."""
        return sum(
            owed(deal) + deal.fees_owed.minor - deal.overpaid.minor for deal in self.merchant.deals
        )

    def claimed(self):
        """What the merchant owes in all, and what was given up of it: a payment takes it back."""
        return self.total() + sum(deal.written_off.minor for deal in self.merchant.deals)

    @precondition(lambda self: any(deal.status == DEFAULTED for deal in self.merchant.deals))
    @rule(data=st.data(), part=PARTS)
    def record_a_recovery(self, data, part):
        deal = self.any_deal(data, lambda deal: deal.status == DEFAULTED)
        most = owed(deal) + deal.written_off.minor
        self.move(RecordRecovery, deal_id=deal.id, minor=part_of(most, part))

    @precondition(lambda self: any(not d.active and owed(d) for d in self.merchant.deals))
    @rule(data=st.data(), part=PARTS)
    def write_off(self, data, part):
        deal = self.any_deal(data, lambda deal: not deal.active and owed(deal))
        minor = part_of(owed(deal), part)
        outcome = self.move(WriteOff, deal_id=deal.id, minor=minor)
        assert outcome is None or self.merchant.deal_of(deal.id).written_off.minor >= minor
        assert outcome is None or part != "too much"

    @precondition(lambda self: any(deal.status == DEFAULTED for deal in self.merchant.deals))
    @rule(data=st.data(), part=PARTS)
    def waive_the_rest(self, data, part):
        """All that is left of a default, written off or not, or another amount: refused."""
        deal = self.any_deal(data, lambda deal: deal.status == DEFAULTED)
        left = owed(deal) + deal.written_off.minor
        outcome = self.move(WaiveRest, deal_id=deal.id, minor=part_of(max(1, left), part))
        if outcome is not None:
            settled = self.merchant.deal_of(deal.id)
            assert settled.status == SETTLED
            assert (owed(settled), settled.written_off.minor) == (0, 0)
            assert settled.waived.minor == left

    @precondition(lambda self: any(deal.status == DEFAULTED for deal in self.merchant.deals))
    @rule(data=st.data(), part=PARTS, number=st.integers(0, 3))
    def agree_on_a_plan(self, data, part, number):
        """A plan of a default in a few parts, of more than is left: refused; or its end."""
        deal = self.any_deal(data, lambda deal: deal.status == DEFAULTED)
        left = owed(deal) + deal.written_off.minor
        whole = max(number, part_of(max(1, left), part))
        minors = [whole // max(1, number)] * (number - 1)
        minors = [*minors, whole - sum(minors)][:number]
        today = self.now.date()
        days = [today + timedelta(days=1 + 10 * place) for place in range(number)]
        instalments = [
            Instalment(due_on=day, amount=Money(minor, deal.balance.currency))
            for day, minor in zip(days, minors, strict=True)
        ]
        name = f"p-{self.requests}"
        outcome = self.attempt(AgreePlan(deal_id=deal.id, plan_id=name, instalments=instalments))
        if outcome is not None:
            planned = self.merchant.deal_of(deal.id)
            assert sum(minors) <= left
            assert [each.amount.minor for each in planned.planned] == minors
            assert planned.days_past_due(today) == (0 if minors else None)
            assert planned.balance == deal.balance

    @precondition(lambda self: any(deal.fee_terms for deal in self.merchant.deals))
    @rule(data=st.data(), waived=st.sampled_from([None, "part", "whole"]))
    def charge_fees(self, data, waived):
        """The fees for a payment that bounces, and for a default: beside the balance, capped."""
        deal = self.any_deal(data, lambda deal: deal.status != RENEWED)
        today, name = self.now.date(), f"paid-{self.requests}"
        paid = Entry(id=name, on=today, amount=Money(100, deal.repayment_amount.currency))
        self.attempt(RecordRemittance(deal_id=deal.id, entries=[paid]))
        self.reverse(paid, deal.id, part=1)
        deal = self.merchant.deal_of(deal.id)
        back = next((entry.id for entry in reversed(deal.entries) if entry.reverses), None)
        for terms in deal.fee_terms:
            about, name = back if terms.after == REVERSED else None, f"fee-{self.requests}"
            fee = {"id": name, "fee": terms.key, "about": about, "on": today}
            outcome = self.attempt(ChargeFee(deal_id=deal.id, **fee))
            before, deal = deal, self.merchant.deal_of(deal.id)
            if outcome is not None:
                self.seen["fees"] += 1
                assert deal.balance == before.balance
                grown = deal.fees_owed.minor - before.fees_owed.minor
                assert 0 < grown == deal.entry_of(name).amount.minor
                charged = [entry.amount.minor for entry in deal.entries if entry.fee == terms.key]
                assert sum(charged) <= terms.at_most.minor
        if waived and deal.fees_owed.minor:
            self.waive_a_fee(data, waived)

    @precondition(lambda self: any(deal.fees_owed.minor for deal in self.merchant.deals))
    @rule(data=st.data(), part=PARTS)
    def waive_a_fee(self, data, part):
        deal = self.any_deal(data, lambda deal: deal.fees_owed.minor)
        minor = part_of(max(1, deal.fees_owed.minor), part)
        outcome = self.move(WaiveFee, deal_id=deal.id, minor=minor)
        if outcome is not None:
            assert part != "too much"
            self.seen["fees waived"] += 1
            left = self.merchant.deal_of(deal.id)
            assert left.fees_owed.minor == deal.fees_owed.minor - minor
            assert (left.balance, left.status) == (deal.balance, deal.status)

    @precondition(lambda self: any(deal.status == SETTLED for deal in self.merchant.deals))
    @rule(data=st.data(), part=st.sampled_from([1, 2, 5]))
    def what_settled_a_default_bounces(self, data, part):
        """A part of what came in is taken back, and with it the waiver, as soon as that is owed."""
        deal = self.any_deal(data, lambda deal: deal.status == SETTLED)
        cash = [entry for entry in deal.entries if entry.kind == RECOVERY]
        if deal.status == SETTLED and cash:
            self.reverse(data.draw(st.sampled_from(cash)), deal.id, part)
            deal = self.merchant.deal_of(deal.id)
            assert (deal.status == SETTLED) == (owed(deal) == 0) == (deal.waived.minor > 0)

    @precondition(lambda self: self.merchant.active_deal)
    @rule(part=PARTS)
    def a_default_that_is_recovered(self, part):
        """A default of which something comes in, which may come back again."""
        deal_id = self.merchant.active_deal.id
        self.attempt(CloseDeal(deal_id=deal_id, status="defaulted"))
        deal = self.merchant.deal_of(deal_id)
        minor = part_of(owed(deal), part)
        recovered = self.move(RecordRecovery, deal_id=deal_id, minor=minor)
        if recovered is not None and part == "whole":
            assert self.merchant.deal_of(deal_id).status == "Recovered"
            self.reverse(self.merchant.deal_of(deal_id).entries[-1], deal_id, part=2)

    def reverse(self, entry, deal_id, part):
        back = Entry(
            id=f"back-{self.requests}",
            on=self.now.date(),
            amount=Money(max(1, entry.amount.minor // part), entry.amount.currency),
            reverses=entry.id,
        )
        self.attempt(RecordRemittance(deal_id=deal_id, entries=[back]))

    @precondition(lambda self: any(d.entries for d in self.merchant.deals))
    @rule(data=st.data(), part=st.sampled_from([1, 2, 5]))
    def reverse_a_part(self, data, part):
        deal = self.any_deal(data, lambda deal: deal.entries)
        if deal.entries:
            self.reverse(data.draw(st.sampled_from(deal.entries)), deal.id, part)

    @precondition(lambda self: self.merchant.active_deal)
    @rule(percent=st.sampled_from([101, 130]))
    def pay_too_much(self, percent):
        """A direct payment of more than is owed, on a day with more refunds than sales."""
        deal = self.merchant.active_deal
        currency = deal.repayment_amount.currency
        entry = Entry(
            id=f"p-{self.requests}",
            on=self.now.date(),
            amount=Money(deal.balance.minor * percent // 100, currency),
            takings=Money(-100, currency),
            kind="payment",
        )
        self.remit(deal, [entry], False)

    @precondition(lambda self: any(d.status == RENEWED for d in self.merchant.deals))
    @rule(data=st.data(), percent=st.sampled_from([1, 10, 100]))
    def remit_late(self, data, percent):
        """A remittance on a deal that was renewed: transferred, or to be refunded."""
        deal = self.any_deal(data, lambda deal: deal.status == RENEWED)
        minor = max(1, deal.repayment_amount.minor * percent // 100)
        before, amount = self.claimed(), Money(minor, deal.repayment_amount.currency)
        entry = Entry(id=f"late-{self.requests}", on=self.now.date(), amount=amount)
        outcome = self.remit(deal, [entry], False)
        assert outcome is None or self.claimed() == before - minor

    @precondition(lambda self: self.merchant.deals)
    @rule(data=st.data(), minor=st.integers(-5000, 5000).filter(bool))
    def adjust(self, data, minor):
        deal = self.any_deal(data, lambda deal: deal.active)
        self.move(Adjust, deal_id=deal.id, minor=minor)

    @precondition(lambda self: self.merchant.deals)
    @rule(exact=st.sampled_from([True, True, False]))
    def unwind(self, exact):
        deal = self.merchant.deals[-1]
        base = self.merchant.deal_of(deal.base_deal_id)
        settled = 0 if base is None or base.status != RENEWED else base.settled.minor
        # What is left of the principal, by the design: the charge is cancelled.
        charge = deal.repayment_amount.minor - deal.funded_amount.minor
        due = max(0, deal.outstanding - charge - settled) + (not exact)
        owed_before = None if base is None else base.outstanding + settled
        outcome = self.move(UnwindDeal, deal_id=deal.id, minor=due)
        if outcome is not None and outcome.events:
            assert exact
            assert self.merchant.deal_of(deal.id).balance.minor == 0
            if settled:
                revived = self.merchant.deal_of(base.id)
                assert revived.status in {"Funded", "Repaid"}
                assert revived.outstanding == owed_before

    @precondition(lambda self: self.merchant.active_deal)
    @rule(again=st.booleans())
    def a_payout_comes_back(self, again):
        """A funding without entries is undone, and the same application funded as another deal."""
        deal = self.merchant.active_deal
        base = self.merchant.deal_of(deal.base_deal_id)
        settled = 0 if base is None or base.status != RENEWED else base.settled.minor
        owed_before = None if base is None else base.outstanding + settled
        operation = ReturnPayout(deal_id=deal.id, id=f"back-{self.requests}", on=self.now.date())
        outcome = self.attempt(operation)
        if outcome is None:
            return
        assert not deal.entries
        undone, waiting = self.merchant.deal_of(deal.id), self.merchant.in_fulfilment
        assert (undone.status, undone.balance.minor, undone.overpaid.minor) == ("Unwound", 0, 0)
        # One whose payout comes back after years may be forgotten, like its details.
        forgotten = self.merchant.fulfilment_of(deal.application_id) is None
        assert not forgotten or (self.now.date() - deal.priced_on).days >= MEMORY_DAYS
        assert forgotten or waiting.application_id == deal.application_id
        if settled:
            assert self.merchant.deal_of(base.id).outstanding == owed_before
        if again and not forgotten:
            details = BankDetails(account_number="11111111", sort_code="10-20-30")
            self.attempt(ChangeBankDetails(bank_details=details))
            self.fund_the_last_application()
            new = self.merchant.active_deal
            assert new is None or new.id != deal.id

    @precondition(lambda self: self.merchant.deals)
    @rule(
        data=st.data(),
        part=PARTS,
        leaves_as=st.sampled_from(["applied", "applied", "refund", "reversal", "transfer"]),
    )
    def cash_in_suspense(self, data, part, leaves_as):
        """Cash without a deal is held, and a part of it goes on: every unit is somewhere."""
        deal = self.any_deal(data, lambda deal: owed(deal) + deal.fees_owed.minor)
        minor = max(1, min(owed(deal) + deal.fees_owed.minor, 50_000))
        received = RecordSuspense(**self.moved(minor))
        if self.attempt(received) is None:
            return
        owed_before, held = self.total(), self.held_in_suspense()
        taken = {"suspense_id": received.id, **self.moved(part_of(minor, part))}
        taken["id"] = f"{received.id}-on"
        operation = (
            ApplySuspense(deal_id=deal.id, **taken)
            if leaves_as == "applied"
            else ReturnSuspense(kind=leaves_as, **taken)
        )
        outcome = self.attempt(operation)
        assert outcome is None or part != "too much"
        if outcome is not None:
            again = self.engine.carry_out(self.merchant, operation, self.context())
            assert not again.events
        gone = 0 if outcome is None else taken["amount"].minor
        assert held - self.held_in_suspense() == gone
        if leaves_as == "applied" and deal.written_off.minor == 0:
            assert owed_before - self.total() == gone

    def held_in_suspense(self):
        return sum(money.minor for money in self.merchant.suspense.held.values())

    @precondition(lambda self: self.merchant.active_deal)
    @rule(ending=st.sampled_from(["repaid", "repaid", "defaulted"]))
    def a_renewal_that_waits(self, ending):
        """A renewal that is funded when the deal before it is repaid, if the product says so."""
        if self.merchant.in_fulfilment is None:
            self.an_ordinary_renewal(None)
        waiting, base = self.merchant.in_fulfilment, self.merchant.active_deal
        if waiting is None or not waiting.queued or base is None:
            return
        assert self.attempt(FundDeal(application_id=waiting.application_id)) is None
        if ending == "defaulted":
            self.attempt(CloseDeal(deal_id=base.id, status="defaulted"))
            assert self.merchant.in_fulfilment is None
        else:
            self.pay_off(False)
            self.fund_the_last_application()

    @precondition(lambda self: self.merchant.active_deal)
    @rule()
    def pause_and_resume(self):
        deal = self.merchant.active_deal
        kind = ResumeDeal if deal.paused else PauseDeal
        operation = kind(deal_id=deal.id, on=self.now.date())
        outcome = self.attempt(operation)
        if outcome is not None:
            assert self.merchant.active_deal.paused is not deal.paused
            again = self.engine.carry_out(self.merchant, operation, self.context())
            assert not again.events

    @precondition(lambda self: self.merchant.active_deal)
    @rule(days=st.integers(-100, 300))
    def change_the_term(self, days):
        deal = self.merchant.active_deal
        term_days = max(1, deal.term_days + days)
        self.attempt(ChangeTerms(deal_id=deal.id, on=self.now.date(), term_days=term_days))

    @precondition(lambda self: self.merchant.active_deal)
    @rule(part=PARTS)
    def settle_early(self, part):
        deal, day = self.merchant.active_deal, self.now.date()
        quote = self.engine.carry_out(
            self.merchant, QuoteSettlement(deal_id=deal.id, on=day), self.context()
        ).reply
        assert quote.amount + quote.discount == quote.balance == deal.balance
        minor = part_of(quote.amount.minor, part)
        if part == "part" and minor >= quote.amount.minor:
            return
        outcome = self.move(SettleEarly, deal_id=deal.id, minor=minor)
        assert (outcome is None) == (part == "part")
        if outcome is not None:
            assert self.merchant.deal_of(deal.id).status == "Repaid"
            # What is paid beyond the repayment amount pays fees first.
            beyond = (part == "too much") and not deal.fees_owed.minor
            assert self.merchant.deal_of(deal.id).overpaid.minor == beyond

    @precondition(lambda self: self.merchant.offer_sets)
    @rule(data=st.data(), minor=st.sampled_from([-10000, -20000, -1, 10000]))
    def requote(self, data, minor):
        products = [p for p in self.merchant.offer_sets[-1].products if p.offers]
        if not products:
            return
        product = data.draw(st.sampled_from(products))
        offer = data.draw(st.sampled_from(product.offers))
        amount = Money(max(1, offer.funded_amount.minor + minor), offer.funded_amount.currency)
        outcome = self.attempt(Requote(offer_id=offer.offer_id, amount=amount))
        if outcome is not None:
            assert product.limits.minimum <= amount <= product.limits.maximum
            again = self.engine.carry_out(
                self.merchant, Requote(offer_id=offer.offer_id, amount=amount), self.context()
            )
            assert not again.events
            self.offer_ids += [
                made.offer_id
                for held in outcome.reply.products
                for made in held.offers
                if made.funded_amount == amount
            ]

    @invariant()
    def ledgers_add_up(self):
        """
        "signed sum = repayment_amount - balance - shortfall + overpaid".
        """
        for deal in self.merchant.deals:
            unsettled = {entry.id for entry in deal.entries if not entry.settled}
            paid = sum(
                line.signed
                for line in deal.ledger
                if line.settled and line.reverses not in unsettled
            )
            closed = deal.closed_entries
            if closed is not None:
                paid += closed.remitted.minor
                paid += sum(money.minor for money in closed.credits.values())
            left = deal.balance.minor + deal.shortfall.minor + deal.fees_owed.minor
            assert paid == deal.repayment_amount.minor - left + deal.overpaid.minor

    @invariant()
    def fees_add_up(self):
        """
        What is owed in fees was charged, and not waived; "nothing is owed after a settlement".
        """
        for deal in self.merchant.deals:
            assert 0 <= deal.fees_owed.minor <= max(0, deal.fees)
            if deal.status in {SETTLED, CANCELLED, UNWOUND}:
                assert deal.fees_owed.minor == 0

    @invariant()
    def no_movement_is_without_its_counterpart(self):
        """
        "no movement without a counterpart", as long as no half is forgotten.
        """
        deals = self.merchant.deals
        if any(deal.closed_entries is not None for deal in deals):
            return
        halves = Counter()
        for deal in deals:
            for entry in deal.entries:
                if entry.kind == TRANSFER:
                    halves[entry.id] += entry.amount.minor
        assert set(halves.values()) <= {0}
        settled = sum(
            line.signed for deal in deals for line in deal.ledger if line.kind == SETTLEMENT
        )
        assert settled == self.kept_back
