"""The laws of the lifecycle hold for any operations of a host, in any order."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import ClassVar

import attrs
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from money_rules import MoneyRules
from people_rules import ENGINES, FACTS, People, PeopleRules

from counts import count
from holdback import (
    Application,
    BankDetails,
    Context,
    Entry,
    InvalidDocument,
    Merchant,
    Money,
    OffersRequest,
    Refusal,
    Takings,
    wire,
)
from holdback.errors import ConfigurationError
from holdback.exact.exact_json import Opaque
from holdback.lifecycle.configuration import MEMORY_DAYS
from holdback.lifecycle.events import event_type
from holdback.lifecycle.evolve import evolve_all
from holdback.merchant.merchant import ClosedOfferSet
from holdback.merchant.profile import Profile
from holdback.operations import (
    AcceptOffer,
    CloseApplication,
    CloseDeal,
    FundDeal,
    RecordRemittance,
    RecordSignature,
    RecordTakings,
    RequestOffers,
    ReviewRenewal,
    SupplyDetails,
)
from holdback.testing.conformance.simulated.projection import Projection

SEQUENCES = count("sequences of commands to one merchant")
CLOCK_DAYS = timedelta(days=400)
MONEY_SEQUENCES = count("sequences of commands about one merchant's money")
START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
BANKS = (
    None,
    BankDetails(account_number="11111111", sort_code="10-20-30"),
    BankDetails(account_number="22222222", sort_code="10-20-30"),
)
PROFILE = {
    "consents": Opaque('{"credit_check": true, "terms": true}'),
    "applicants": Opaque('[{"name": "A"}]'),
    "company": Opaque('{"name": "Nine Lives Ltd", "share": 0.10}'),
}
GOOD = {
    "identity_verified": True,
    "business_verified": True,
    "credit_score": 700,
    "average_monthly_takings": "20000.00",
    "months_trading": 36,
}


CHECKED = {name: GOOD[name] for name in ("identity_verified", "business_verified")}


class Lifecycle(PeopleRules, RuleBasedStateMachine):
    """One merchant, and a host that carries out random operations on it."""

    sequences = 0
    funded = 0
    renewed = 0

    def __init__(self):
        super().__init__()
        type(self).sequences += 1
        self.now = START
        self.requests = 0
        self.merchant = self.first = Merchant.new(
            partner="acme", merchant_id="m-1", jurisdiction="GB"
        )
        self.stored = wire.write_merchant(self.merchant)
        self.profile = Profile.new(salt=bytes(range(16)))
        self.engine = ENGINES["as shipped"]
        self.people = People()
        self.events = []
        self.offer_ids = ["00000000-0000-0000-0000-000000000000"]
        self.accepted = {}
        self.accepted_at = {}
        self.provider_ids = set()
        # What renewals paid of the deals that they were funded on top of, in minor units.
        self.kept_back = 0

    @initialize(
        rules=st.sampled_from(["as shipped", "stricter"]),
        begin=st.sampled_from(["as drawn", "a deal", "a renewal", "approve", "approve", "decline"]),
    )
    def load_rules(self, rules, begin):
        """Load rules; some histories begin with what rules that are drawn reach only by chance."""
        self.engine = ENGINES[rules]
        if begin == "a deal":
            self.an_ordinary_application(BANKS[1])
        elif begin == "a renewal":
            self.an_ordinary_renewal(BANKS[1])
        elif begin != "as drawn":
            self.decide_and_ask_again(begin)

    def tick(self):
        """A check of one instant has one result, so that each is made at an instant of its own."""
        self.now += timedelta(seconds=1)

    def context(self, **evidence):
        self.tick()
        return self.context_of_now(**evidence)

    def context_of_now(self, **evidence):
        self.requests += 1
        return Context(
            at=self.now,
            request_id=f"r-{self.requests}",
            evidence=evidence,
            sure=self.is_far(self.now),
        )

    def is_far(self, at):
        """Whether a command at this instant needs a host that is sure."""
        last = self.merchant.last_seen_at
        return last is not None and abs(at - last) > CLOCK_DAYS

    def try_wrong_clocks(self, operation, context):
        """
        "A command more than `clock_days` after the merchant's last event is refused": at the first
        instant that is too far, ahead and behind, and at the right one without a host that is sure.
        """
        last = self.merchant.last_seen_at
        if operation.is_question or last is None:
            return
        off = CLOCK_DAYS + timedelta(microseconds=1)
        for at in {last + off, last - off, self.now if self.is_far(self.now) else last + off}:
            with pytest.raises(Refusal, match="implausible_time"):
                self.engine.carry_out(
                    self.merchant,
                    operation,
                    attrs.evolve(context, at=at, sure=False),
                    profile=self.profile,
                )

    def attempt(self, operation, context=None):
        """Carry out *operation* on the merchant; a refusal leaves the stored bytes unchanged."""
        profile = wire.write_profile(self.profile)
        held = bool(self.merchant.holds)
        context = context or self.context()
        self.try_wrong_clocks(operation, context)
        try:
            outcome = self.engine.carry_out(self.merchant, operation, context, profile=self.profile)
        except (Refusal, InvalidDocument, ConfigurationError):
            assert wire.write_merchant(self.merchant) == self.stored
            assert wire.write_profile(self.profile) == profile
            return None
        self.record(outcome.events, held)
        stored = wire.write_merchant(outcome.merchant)
        if outcome.events:
            # The next step starts from the stored state, as it does in a host.
            self.merchant, self.stored = wire.read_merchant(stored), stored
        else:
            assert stored == self.stored
        assert self.merchant == outcome.merchant
        if outcome.profile is not None:
            self.profile = wire.read_profile(wire.write_profile(outcome.profile))
            assert self.profile == outcome.profile
            # Personal data that the state does not name any more is not kept.
            assert set(self.profile.sections) == set(self.merchant.named_sections)
        if self.merchant.provider_id is not None:
            self.provider_ids.add(self.merchant.provider_id)
        return outcome

    def record(self, events, held):
        """
        "On hold: requests are `Referred`, no acceptance, no funding."
        """
        for event in events:
            stored = wire.write_event(event)
            kind = event_type(event)
            if kind == "OffersIssued":
                self.check_issued(event)
            self.events.append(stored)
            self.people.apply(stored)
            self.kept_back += event.settled.minor if kind == "DealRenewed" else 0
            self.seen[kind] += 1
            if kind == "ReferralDecided":
                self.seen[event.decision.decision] += 1
            assert not (held and kind in {"OfferAccepted", "DealFunded"})

    def offers(self, request, context):
        outcome = self.attempt(RequestOffers(request=request), context=context)
        if outcome is None:
            return None
        for product in outcome.reply.products:
            assert (product.decision == "Accepted") == bool(product.offers)
            for offer in product.offers:
                assert product.limits.minimum <= offer.funded_amount <= product.limits.maximum
                assert offer.repayment_amount >= offer.funded_amount
                self.offer_ids.append(offer.offer_id)
        again = self.engine.carry_out(
            self.merchant, RequestOffers(request=request), context, profile=self.profile
        )
        assert wire.write(again.reply) == wire.write(outcome.reply)
        assert not again.events
        return outcome

    @rule(
        days=st.sampled_from([0, 0, 1, 1, 2, 2, 20, 31, 60, 120, 120, 500]),
        minutes=st.integers(-90, 90),
    )
    def time_passes(self, days, minutes):
        self.now += timedelta(days=days, minutes=minutes)

    @rule(
        missing=st.sampled_from([None, None, None, None, *GOOD]),
        score=st.sampled_from([700, 700, 600, 100]),
    )
    def ask_for_initial_offers(self, missing, score):
        evidence = {
            **GOOD,
            "credit_score": score,
            "credit_checked_on": self.now.date().isoformat(),
        }
        evidence.pop(missing, None)
        self.offers(self.initial_request(), self.context(**evidence))

    def initial_request(self):
        return OffersRequest(
            application=Application(
                merchant_id="m-1", currency="GBP", intended_use_of_funds="stock"
            ),
            **PROFILE,
        )

    def ask_to_be_reviewed(self):
        """A request with a score that a person has to decide about."""
        if self.merchant.active_deal is not None:
            self.ask_for_a_renewal(600)
        else:
            self.ask_for_initial_offers(None, 600)

    def ask_again(self):
        """The request that the merchant may make, without evidence."""
        renewal = self.merchant.active_deal is not None
        self.offers(self.renewal_request() if renewal else self.initial_request(), self.context())

    def renewal_request(self):
        return OffersRequest(
            application=Application(
                merchant_id="m-1", currency="GBP", provider_id=self.merchant.provider_id
            )
        )

    @precondition(lambda self: self.merchant.provider_id)
    @rule(checked=st.sampled_from([None, None, 700, 600, 100]), stray=st.booleans())
    def ask_for_a_renewal(self, checked=None, stray=False):
        evidence = {} if checked is None else {**CHECKED, "credit_score": checked}
        if checked is not None:
            evidence["credit_checked_on"] = self.now.date().isoformat()
        if stray:
            evidence["average_monthly_takings"] = "1.00"
        outcome = self.offers(self.renewal_request(), self.context(**evidence))
        assert outcome is None or not stray

    @rule(data=st.data(), bank=st.sampled_from(BANKS))
    def accept_an_offer(self, data, bank):
        offer_id = data.draw(st.sampled_from(self.offer_ids[-8:]))
        reply_before = self.accepted.get(offer_id)
        outcome = self.attempt(AcceptOffer(offer_id=offer_id, bank_details=bank))
        if outcome is not None:
            reply = wire.write(outcome.reply)
            assert reply_before is None or reply == reply_before
            self.accepted[offer_id] = reply
            accepted = (f for f in self.merchant.fulfilments if f.offer.offer_id == offer_id)
            self.accepted_at[offer_id] = next(accepted).accepted_at
        for accepted_id, reply in self.accepted.items():
            self.accept_again(accepted_id, reply)

    def accept_again(self, offer_id, reply):
        """An acceptance gets its reply again for as long as it is remembered, and no event."""
        again = refused = None
        try:
            again = self.engine.carry_out(
                self.merchant, AcceptOffer(offer_id=offer_id), self.context(), profile=self.profile
            )
        except Refusal as refusal:
            refused = refusal.code
        if again is None:
            assert refused in {"already_accepted", "offer_not_found"}
            age = self.merchant.last_seen_at - self.accepted_at[offer_id]
            assert age > timedelta(days=MEMORY_DAYS)
            return
        assert wire.write(again.reply) == reply
        assert not again.events

    @precondition(lambda self: self.merchant.in_fulfilment is None)
    @rule(bank=st.sampled_from(BANKS))
    def an_ordinary_application(self, bank):
        """An application as most merchants make it, without which few histories reach a deal."""
        self.lift_every_hold()
        if self.merchant.active_deal is not None:
            self.ask_for_a_renewal(700)
        else:
            self.ask_for_initial_offers(None, 700)
        self.attempt(AcceptOffer(offer_id=self.offer_ids[-1], bank_details=bank))
        if bank is None:
            details = {"bank_details": BANKS[1]}
            self.attempt(SupplyDetails(application_id=self.applications()[-1], **details))
        self.attempt(
            RecordSignature(
                application_id=self.applications()[-1], document="contract-1", digest="d-1"
            )
        )
        self.fund_the_last_application()

    @precondition(lambda self: self.merchant.in_fulfilment is None)
    @rule(bank=st.sampled_from(BANKS))
    def an_ordinary_renewal(self, bank):
        """A deal paid down on pace by more than half, and renewed."""
        if self.merchant.active_deal is None:
            self.an_ordinary_application(bank or BANKS[1])
        if self.merchant.active_deal is None:
            return
        self.an_invitation()
        self.laws_of_checks_and_people()
        self.an_ordinary_application(bank or BANKS[1])

    def applications(self):
        return [fulfilment.application_id for fulfilment in self.merchant.fulfilments] or ["none"]

    @rule(data=st.data(), bank=st.sampled_from(BANKS))
    def supply_details(self, data, bank):
        application_id = data.draw(st.sampled_from(self.applications()))
        self.attempt(SupplyDetails(application_id=application_id, bank_details=bank))

    @rule(data=st.data(), status=st.sampled_from(["declined", "withdrawn", "funded", ""]))
    def close_an_application(self, data, status):
        application_id = data.draw(st.sampled_from(self.applications()))
        if status in {"declined", "withdrawn"}:
            self.attempt(CloseApplication(application_id=application_id, status=status))
        else:
            with pytest.raises(InvalidDocument):
                CloseApplication(application_id=application_id, status=status)

    @rule()
    def fund_the_last_application(self):
        outcome = self.attempt(FundDeal(application_id=self.applications()[-1]))
        if outcome is not None and outcome.events:
            type(self).funded += 1
            type(self).renewed += self.merchant.active_deal.type == "Renewal"

    @precondition(lambda self: self.merchant.deals)
    @rule(
        data=st.data(),
        percent=st.integers(0, 120),
        settled=st.sampled_from([True, True, True, False]),
        complete=st.booleans(),
    )
    def record_a_remittance(self, data, percent, settled, complete):
        deal = data.draw(st.sampled_from(self.merchant.deals))
        day = self.now.date() - timedelta(days=data.draw(st.integers(0, 3)))
        amount = Money(deal.repayment_amount.minor * percent // 100, deal.repayment_amount.currency)
        entry = Entry(
            id=f"e-{self.requests}", on=day, amount=amount, takings=amount, settled=settled
        )
        self.remit(deal, [entry], complete)

    @precondition(lambda self: any(deal.entries for deal in self.merchant.deals))
    @rule(data=st.data(), reverse=st.booleans(), conflicting=st.booleans())
    def record_about_an_earlier_entry(self, data, reverse, conflicting):
        deal = data.draw(st.sampled_from([deal for deal in self.merchant.deals if deal.entries]))
        earlier = data.draw(st.sampled_from(deal.entries))
        entry = Entry(id=earlier.id, on=earlier.on, amount=earlier.amount, takings=earlier.takings)
        if reverse:
            reverses = "nothing" if conflicting else earlier.id
            entry = Entry(
                id=f"back-{earlier.id}",
                on=self.now.date(),
                amount=earlier.amount,
                reverses=reverses,
            )
        elif conflicting:
            more = earlier.amount + Money(1, earlier.amount.currency)
            entry = Entry(id=earlier.id, on=earlier.on, amount=more)
        outcome = self.remit(deal, [entry], False)
        assert outcome is None or not conflicting

    def remit(self, deal, entries, complete):
        return self.attempt(
            RecordRemittance(
                deal_id=deal.id,
                entries=entries,
                complete_through=self.now.date() if complete else None,
            )
        )

    @precondition(lambda self: self.merchant.deals)
    @rule(data=st.data())
    def declare_a_history_complete(self, data):
        deal = data.draw(st.sampled_from(self.merchant.deals))
        outcome = self.remit(deal, [], True)
        assert outcome is None or self.merchant.deal_of(deal.id).status == deal.status

    @precondition(lambda self: self.merchant.active_deal)
    @rule()
    def an_invitation(self):
        """A deal that is paid down on pace, and every check made anew."""
        self.lift_every_hold()
        self.pay_down_on_pace(60)
        for check in sorted(FACTS):
            self.record_a_check(check, True, 0)

    @precondition(lambda self: self.merchant.active_deal)
    @rule(percent=st.sampled_from([50, 60, 80]))
    def pay_down_on_pace(self, percent):
        """Remittances that keep pace with the deal's term."""
        deal = self.merchant.active_deal
        self.now += timedelta(days=deal.term_days * percent // 100)
        due = deal.repayment_amount.minor * percent // 100 - deal.remitted.minor
        if due > 0:
            amount = Money(due, deal.repayment_amount.currency)
            day = self.now.date() - timedelta(days=1)
            entry = Entry(id=f"e-{self.requests}", on=day, amount=amount, takings=amount)
            self.remit(deal, [entry], True)

    @precondition(lambda self: self.merchant.active_deal)
    @rule(reverse=st.sampled_from([False, True]))
    def pay_off(self, reverse):
        """The last remittance of a deal, which may come back: the deal is open again."""
        deal_id = self.merchant.active_deal.id
        self.pay_down_on_pace(100)
        deal = self.merchant.deal_of(deal_id)
        if reverse and deal.entries:
            last = deal.entries[-1]
            back = Entry(
                id=f"return-of-{last.id}", on=self.now.date(), amount=last.amount, reverses=last.id
            )
            self.remit(deal, [back], False)

    @rule(amount=st.integers(0, 10**7), complete=st.booleans())
    def record_takings(self, amount, complete):
        day = self.now.date()
        self.attempt(
            RecordTakings(
                takings=[Takings(on=day, amount=Money.of(Decimal(amount), "GBP"))],
                complete_through=day if complete else None,
            )
        )

    @precondition(lambda self: self.merchant.deals)
    @rule(data=st.data(), status=st.sampled_from(["defaulted", "cancelled"]))
    def close_a_deal(self, data, status):
        deal = data.draw(st.sampled_from(self.merchant.deals))
        self.attempt(CloseDeal(deal_id=deal.id, status=status))

    @precondition(lambda self: self.merchant.provider_id)
    @rule()
    def review_the_renewal(self):
        outcome = self.attempt(ReviewRenewal())
        again = self.attempt(ReviewRenewal())
        assert outcome is None or not again.events

    @invariant()
    def at_most_one_deal_is_active(self):
        """
        A merchant never has two active deals (service 1).
        """
        assert sum(deal.active for deal in self.merchant.deals) <= 1

    @invariant()
    def provider_id_never_changes(self):
        """
        A merchant keeps its provider_id for life (service 1).
        """
        assert len(self.provider_ids) <= 1

    @invariant()
    def money_in_equals_money_out(self):
        for deal in self.merchant.deals:
            paid = deal.remitted.minor + deal.settled.minor + deal.credited
            left = deal.balance.minor + deal.shortfall.minor + deal.fees_owed.minor
            owed = deal.repayment_amount.minor + deal.fees
            assert owed + deal.overpaid.minor == paid + left
            assert deal.balance.minor >= 0

    @invariant()
    def laws_of_checks_and_people(self):
        """
        The laws of `PeopleRules`, each at every instant.
        """
        self.check_records()
        self.check_look_up_equals_request()
        self.check_a_hold_is_unseen()
        assert {hold.code for hold in self.merchant.holds} == self.people.holds

    def teardown(self):
        """The events, read from their JSON, give the same state, and that of another projection."""
        replayed = evolve_all(self.first, (wire.read_event(event) for event in self.events))
        assert wire.write_merchant(replayed) == wire.write_merchant(self.merchant)
        model = Projection()
        for event in self.events:
            model.apply(event)
        assert model.provider_id == self.merchant.provider_id
        assert model.eligible == self.merchant.renewal_eligibility
        applications = {one.application_id: one.status for one in self.merchant.fulfilments}
        assert applications.items() <= model.applications.items()
        offers = {
            offer_id: status
            for offer_set in map(ClosedOfferSet.of, self.merchant.offer_sets)
            for offer_id, status in offer_set.offers.items()
        }
        for closed in self.merchant.closed_offer_sets:
            offers |= closed.offers
        statuses = {name: offer.status for name, offer in model.offers.items()}
        assert offers.items() <= statuses.items()
        # What the state does not hold any more is older than it has to remember.
        for offer_id in statuses.keys() - offers.keys():
            age = self.merchant.last_seen_at - model.offers[offer_id].expires_at
            assert age > timedelta(days=MEMORY_DAYS)
        assert {
            deal.id: (
                deal.status,
                deal.remitted.amount,
                deal.balance.amount,
                deal.shortfall.amount,
                deal.overpaid.amount,
                deal.paused,
            )
            for deal in self.merchant.deals
        } == {
            deal_id: (
                deal.status,
                deal.remitted,
                deal.balance,
                deal.shortfall,
                deal.overpaid,
                deal.paused,
            )
            for deal_id, deal in model.deals.items()
        }


class LifecycleOfMoney(MoneyRules, Lifecycle):
    """The same merchant, with all that can happen to its money after a funding."""

    sequences = 0
    funded = 0
    renewed = 0
    seen: ClassVar = Counter()

    @initialize(rules=st.sampled_from(sorted(ENGINES)))
    def load_rules(self, rules):
        self.engine = ENGINES[rules]


# The events of a deal's money, of which the first machine brings hardly any about.
OF_MONEY = {
    "EntriesPosted",
    "DealRecovered",
    "DealSettled",
    "PlanAgreed",
    "DealDefaultedAgain",
    "DealUnwound",
    "PayoutReturned",
    "DealPaused",
    "DealResumed",
    "TermsChanged",
    "OfferRequoted",
    "QueuedRenewalReady",
}
# What no rules of the machines ask for; its tests are in `tests/unit/lifecycle/test_disclosing.py`.
OF_A_LAW = {"OfferDisclosed"}


def test_the_laws_hold_in_many_histories_that_go_far():
    """
    No history breaks a law; half of them reach a funded deal, and a tenth a funded renewal.
    """
    run_state_machine_as_test(
        Lifecycle,
        settings=settings(
            max_examples=SEQUENCES,
            stateful_step_count=25,
            derandomize=True,
            phases=(Phase.explicit, Phase.generate, Phase.shrink),
            suppress_health_check=list(HealthCheck),
        ),
    )

    assert Lifecycle.sequences >= SEQUENCES
    assert Lifecycle.funded >= SEQUENCES // 2
    assert Lifecycle.renewed >= SEQUENCES // 10
    for often in ("eligible", "held", "lifted"):
        assert Lifecycle.seen[often] >= SEQUENCES // 10, Lifecycle.seen
    assert Lifecycle.seen["ReferralDecided"] >= SEQUENCES // 10, Lifecycle.seen
    for decision in ("approve", "decline"):
        assert Lifecycle.seen[decision] >= SEQUENCES // 50, Lifecycle.seen
    for kind in wire.EVENT_TYPES.keys() - OF_MONEY - OF_A_LAW:
        assert Lifecycle.seen[kind] >= SEQUENCES // 400, Lifecycle.seen


def test_the_laws_hold_whatever_happens_to_a_deals_money():
    """
    No history with refunds, transfers, recoveries, unwindings and changed terms breaks a law.
    """
    run_state_machine_as_test(
        LifecycleOfMoney,
        settings=settings(
            max_examples=MONEY_SEQUENCES,
            stateful_step_count=50,
            derandomize=True,
            phases=(Phase.explicit, Phase.generate, Phase.shrink),
            suppress_health_check=list(HealthCheck),
        ),
    )

    seen = LifecycleOfMoney.seen
    assert LifecycleOfMoney.sequences >= MONEY_SEQUENCES
    assert LifecycleOfMoney.funded >= MONEY_SEQUENCES // 2
    assert LifecycleOfMoney.renewed >= MONEY_SEQUENCES // 10
    assert seen["EntriesPosted"] >= MONEY_SEQUENCES // 2, seen
    for kind in (*OF_MONEY, "fees", "fees waived"):
        assert seen[kind] >= MONEY_SEQUENCES // 160, seen
