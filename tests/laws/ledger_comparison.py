"""What the engine and the bookkeeper receive alike, and how they are compared."""

from __future__ import annotations

import copy
from collections import Counter
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from functools import cache
from zoneinfo import ZoneInfo

import pendulum
from attrs import evolve
from bookkeeper import RAISES, Deal
from bookkeeper_operations import DAY, Bookkeeper
from far_clocks import IMPLAUSIBLE, FarClock
from ledger_folders import ZONES, engine_of

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
    wire,
)
from holdback.eligibility.derived_facts import days_past_due, deal_counts, deal_facts
from holdback.exact.exact_json import Opaque
from holdback.merchant.plan import Instalment
from holdback.merchant.profile import Profile
from holdback.operations import (
    AcceptOffer,
    Adjust,
    AgreePlan,
    ApplySuspense,
    AskStatement,
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
    ReinstateDeal,
    RequestOffers,
    ResumeDeal,
    ReturnPayout,
    ReturnSuspense,
    SettleEarly,
    SuspenseReceipt,
    Transfer,
    UnwindDeal,
    WaiveFee,
    WaiveRest,
    WriteOff,
)

START = datetime(2026, 7, 6, 9, 0, tzinfo=UTC)
EVIDENCE = {"average_monthly_takings": "20000", "months_trading": 36}
NOTHING_PERSONAL = {
    "consents": Opaque("{}"), "applicants": Opaque("[{}]"), "company": Opaque("{}"),
}  # fmt: skip
BANK = BankDetails.of({"account_number": "10-20-30"})
# How a history begins: the deals that there are, and how far they are paid down, in percent.
SHAPES = {
    "one deal": ("initial",),
    "paid in part": ("initial", 70),
    "a renewal": ("initial", 60, "renewal"),
    "a renewal that waits": ("initial", 75, "accepted"),
    "a second deal": ("initial", 100, "initial"),
    "two renewals": ("initial", 55, "renewal", 80, "renewal"),
    "a renewal of a repaid deal": ("initial", 100, "renewal"),
}


# What is for the bookkeeper alone, or has another form for the engine.
UNSPOKEN = {"deal", "knew", "entries"}
COMMANDS = {
    "fund_deal": FundDeal, "record_remittance": RecordRemittance, "close_deal": CloseDeal,
    "reinstate_deal": ReinstateDeal, "record_recovery": RecordRecovery, "refund": Refund,
    "transfer": Transfer, "write_off": WriteOff,
    "waive_rest": WaiveRest, "adjust": Adjust, "unwind_deal": UnwindDeal,
    "settle_early": SettleEarly, "pause_deal": PauseDeal, "resume_deal": ResumeDeal,
    "change_terms": ChangeTerms, "return_payout": ReturnPayout,
    "record_suspense": RecordSuspense,
    "charge_fee": ChargeFee, "waive_fee": WaiveFee, "agree_plan": AgreePlan,
    "apply_suspense": ApplySuspense, "return_suspense": ReturnSuspense,
}  # fmt: skip


class Difference(AssertionError):
    """The engine and the bookkeeper do not agree."""


class Telling:
    """One merchant of a world, and how both receive the same operations."""

    def __init__(self, world):
        self.clock = FarClock(0)
        self.world, self.engine = world, engine_of(world)
        self.zone = ZoneInfo(ZONES[world.currency])
        self.merchant = Merchant.new(partner="p", merchant_id="m", jurisdiction="NL")
        self.profile = Profile.new(salt=bytes(16))
        self.keeper = Bookkeeper()
        self.now = START
        self.numbers = 0
        self.waiting = None
        self.fundings = {}
        self.told = []
        self.receipts = {}
        self.events = ()
        self.audited = {}
        self.done = Counter()
        self.currency = self.engine.jurisdictions.resolve("NL", on=START.date()).currency

    @property
    def today(self):
        return self.now.astimezone(self.zone).date()

    def number(self, prefix):
        self.numbers += 1
        return f"{prefix}{self.numbers}"

    def context(self, evidence=(), request_id=None, clock=None):
        at, sure = clock or (self.now, self.clock.is_far(self.now))
        return Context(
            at=pendulum.instance(at),
            request_id=request_id or self.number("r"),
            evidence=evidence,
            sure=sure,
        )

    def keep(self, outcome):
        self.merchant = outcome.merchant
        self.clock.last = self.now if outcome.events else self.clock.last
        self.events = (*self.events, *outcome.events)
        self.profile = outcome.profile or self.profile
        return outcome

    def differ(self, what, engine, keeper):
        raise Difference(
            f"{what}: the engine says {engine}, the bookkeeper {keeper}, on {self.today}\n"
            + "\n".join(map(str, self.told))
        )

    def agree(self, what, engine, keeper):
        if engine != keeper:
            self.differ(what, engine, keeper)

    def tell(self, operation, request_id=None, **content):
        """Tell both the same; return whether it was carried out. Amounts are in minor units."""
        request_id = request_id or self.number("r")
        before = self.merchant.sequence
        self.told.append((str(self.now), operation, content, request_id))
        code, outcome = self.told_engine(operation, request_id, content)
        if operation == "fund_deal" and outcome is not None and outcome.events:
            content["deal"].id = outcome.merchant.deals[-1].id
        expected = self.told_keeper(operation, request_id, content)
        self.told.append(code or "done")
        self.done[code or operation] += 1
        if (code is None) != (not expected) or (code is not None and code not in expected):
            self.differ(operation, code or "done", sorted(expected) or "done")
        if outcome is None:
            return False
        if self.keeper.is_retry and outcome.events:
            self.differ("events of a retry", outcome.events, "none")
        self.keep(outcome)
        self.compare_receipt(request_id, outcome.reply)
        self.agree("numbers", self.merchant.sequence, before + len(outcome.events))
        return True

    def compare_receipt(self, request_id, receipt):
        """A retry has the receipt of before; another request that of the deal as it now is."""
        if request_id in self.receipts:
            self.agree("the receipt of a retry", receipt, self.receipts[request_id])
            return
        if isinstance(receipt, SuspenseReceipt):
            left = self.keeper.suspense.receipts[receipt.suspense_id].left
            self.agree("what the receipt leaves", receipt.left.minor, left)
            if not self.keeper.is_retry:
                self.receipts[request_id] = receipt
            return
        deal = self.keeper.deals[receipt.deal_id]
        self.agree("the receipt's balance", receipt.balance.minor, deal.balance)
        if not self.keeper.is_retry:
            self.receipts[request_id] = receipt

    def told_keeper(self, operation, request_id, content):
        self.keeper.today = self.today
        return self.keeper.carry_out(request_id, operation, **content)

    def told_engine(self, operation, request_id, content):
        """The code with which the engine refuses, and the outcome; one of them is None."""
        try:
            command = COMMANDS[operation](**self.spoken(content))
        except InvalidDocument as error:
            self.told.append(str(error))
            return "invalid_request", None
        for wrong in self.clock.wrong(self.now):
            code, _ = self.carried_out(command, request_id, (wrong, False))
            self.agree(f"{operation} on a clock of {wrong}", code, IMPLAUSIBLE)
        return self.carried_out(command, request_id, self.clock.right(self.now))

    def carried_out(self, command, request_id, clock):
        """The same of a *command*, on a clock of which the host is sure or not."""
        context = self.context(request_id=request_id, clock=clock)
        try:
            return None, self.engine.carry_out(self.merchant, command, context)
        except Refusal as refusal:
            self.told.append(str(refusal))
            return refusal.code, None
        except InvalidDocument as error:
            self.told.append(str(error))
            return "invalid_request", None

    def spoken(self, content):
        """The *content* of an operation as the engine takes it."""
        spoken = {name: value for name, value in content.items() if name not in UNSPOKEN}
        spoken |= {"id": spoken.pop("entry_id")} if "entry_id" in spoken else {}
        if spoken.get("amount") is not None:
            spoken["amount"] = self.money(spoken["amount"])
        if "instalments" in content:
            planned = ((day, self.money(due)) for day, due in content["instalments"])
            spoken["instalments"] = [Instalment(due_on=day, amount=due) for day, due in planned]
        if "entries" in content:
            spoken["entries"] = tuple(map(self.entry, content["entries"]))
        return spoken

    def money(self, minor):
        return Money(minor, self.currency)

    def entry(self, fields):
        fields = fields | {"amount": self.money(fields["amount"])}
        if "takings" in fields:
            fields["takings"] = self.money(fields["takings"])
        return Entry(**fields)

    def compare_quote(self, deal):
        """Compare what an early settlement would take today."""
        quote = QuoteSettlement(deal_id=deal.id, on=self.today)
        reply = self.engine.carry_out(self.merchant, quote, self.context()).reply
        self.agree(
            "settlement_quote",
            (reply.balance.minor, reply.discount.minor, reply.amount.minor),
            (deal.balance, deal.discount(), deal.balance - deal.discount()),
        )

    # The way to a deal

    def accept(self, *, renewal):
        """Ask for offers and accept one, if there is one; it then waits to be funded."""
        block = {"merchant_id": "m", "currency": self.world.currency}
        if renewal:
            block["provider_id"] = self.merchant.provider_id
        profile = {} if renewal else NOTHING_PERSONAL
        request = OffersRequest(application=Application(**block), **profile)
        context = self.context(() if renewal else EVIDENCE)
        base = self.keeper.base
        ask = self.engine.carry_out
        asked = RequestOffers(request=request)
        outcome = self.keep(ask(self.merchant, asked, context, profile=self.profile))
        offers = [offer for product in outcome.reply.products for offer in product.offers]
        if not offers:
            return False
        chosen = offers[self.numbers % len(offers)]
        accept = AcceptOffer(offer_id=chosen.offer_id, bank_details=BANK)
        outcome = self.keep(ask(self.merchant, accept, self.context(), profile=self.profile))
        self.told.append((str(self.now), "accepted", chosen.funded_amount))
        for deal in self.keeper.deals.values():
            deal.followed = True
        knew = self.keeper.trouble()
        base = base if renewal else None
        self.waiting = (outcome.reply.application_id, base, chosen, knew, self.today)
        return True

    def wait_for(self, application_id, base, *others):
        """Wait for the funding of an application, with the base deal as this bookkeeper has it."""
        base = None if base is None else self.keeper.deals[base.id]
        self.waiting = (application_id, base, *others)

    def fund(self, on=None):
        """Fund the application that waits, on a day; return whether it was funded."""
        application_id, base, offer, knew, accepted_on = self.waiting
        deal = Deal(
            id="",
            type="Initial" if base is None else "Renewal",
            funded_on=on or self.today,
            accepted_on=accepted_on,
            funded=offer.funded_amount.minor,
            repayment=offer.repayment_amount.minor,
            term_days=offer.term_days,
            base=base,
            cooling_off_days=self.world.cooling_off_days,
            late=self.world.late,
            settlement_percent=self.world.settlement_percent,
        )
        request_id = self.number("r")
        content = {"application_id": application_id, "deal": deal, "knew": knew}
        content |= {} if on is None else {"on": on}
        funded = self.tell("fund_deal", request_id, **content)
        if funded:
            self.fundings[deal.id] = (request_id, content, self.waiting)
            self.waiting = None
        return funded

    # Comparison

    def compare(self):
        keeper = self.keeper
        keeper.check()
        self.agree("deals", [deal.id for deal in self.merchant.deals], [*keeper.deals])
        for deal in self.merchant.deals:
            kept = keeper.deals[deal.id]
            shown, expected = figures(deal, self.today), figures_kept(kept, self.today)
            if shown != expected:
                name = next(name for name in shown if shown[name] != expected[name])
                self.differ(f"{name} of {deal.id}", shown[name], expected[name])
            if deal is not self.audited.get(deal.id):
                self.audit(deal, kept)
                self.audited[deal.id] = deal
        counted = dict(deal_counts(self.merchant, None))
        for name, value in keeper.counts().items():
            self.agree(name, counted[name], value)
        past_due = days_past_due(self.merchant, self.today)
        self.agree("days_past_due", past_due, keeper.past_due(self.today))
        held = {name: left.minor for name, left in self.merchant.suspense.held.items()}
        receipts = keeper.suspense.receipts.items()
        self.agree("suspense", held, {name: one.left for name, one in receipts if one.left})

    def audit(self, deal, kept):
        """The engine's ledger, added up with this bookkeeper's signs, gives its figures."""
        lines = [line for line in deal.ledger if line.settled]
        lowered = sum(
            -line.amount.minor if line.kind in RAISES else line.amount.minor
            for line in lines if not self.waits(line, kept)
        )  # fmt: skip
        shown = (deal.repayment_amount.minor - deal.balance.minor - deal.shortfall.minor
                 - deal.fees_owed.minor + deal.overpaid.minor)  # fmt: skip
        self.agree(f"the signed sum of {deal.id}", lowered, shown)
        lines = [(one.kind, one.on, one.amount) for one in kept.movements.values()]
        self.agree(
            f"the lines of {deal.id}",
            sorted((line.kind, line.on, line.amount.minor) for line in deal.ledger),
            sorted(lines + kept.payoff()),
        )

    def compare_stored(self):
        """The stored state is read back unchanged, and the events lead to it."""
        self.agree(
            "the state", wire.read_merchant(wire.write_merchant(self.merchant)), self.merchant
        )
        self.agree("the replay", self.engine.rebuild(self.events), self.merchant)

    def compare_statement(self, since):
        """The whole statement balances, and so does one *since* a day, up to yesterday."""
        whole = self.engine.carry_out(self.merchant, AskStatement(), self.context()).reply
        self.agree("differences of the statement", whole.differences, ())
        until = self.today - DAY
        if since > until:
            return
        period = self.engine.carry_out(
            self.merchant, AskStatement(since=since, until=until), self.context()
        ).reply
        self.agree("differences of a period", period.differences, ())
        shown = {
            "opening": period.opening.minor, "closing": period.closing.minor,
            "paid_out": whole.paid_out.minor, "received": whole.received.minor,
            "held": 0 if period.suspense is None else -period.suspense.closing.minor,
        }  # fmt: skip
        self.agree(f"the statement since {since}", shown, self.keeper.statement(since, until))
        owed = sum(
            deal.owed + deal.fees_owed - deal.overpaid for deal in self.keeper.deals.values()
        )
        owed -= self.keeper.suspense.held
        self.agree("the closing balance", whole.closing.minor, owed)

    def waits(self, line, kept):
        """Whether a reversal does not count yet, because its entry is not settled."""
        return line.reverses is not None and not kept.entry(line.reverses).settled


MONEY = ("balance", "shortfall", "overpaid", "waived", "remitted", "written_off", "fees_owed")
FACTS = (
    "progress", "performance", "paused", "days_in_pause", "remaining_term_days",
    "funded_amount", "repayment_amount", "months_since_funding", "renewals_in_chain",
    "longest_silence_90d",
)  # fmt: skip


def figures(deal, today):
    """What the engine shows of a deal, in minor units."""
    # As if the host had declared the history complete.
    facts = deal_facts(evolve(deal, complete_through=today), today)
    return {
        "status": deal.status, "ended_on": deal.ended_on,
        "planned": [(each.due_on, each.amount.minor, each.paid.minor) for each in deal.planned],
        "past_due": deal.days_past_due(today),
        **{name: getattr(deal, name).minor for name in MONEY},
        **{name: facts[name] for name in FACTS},
    }  # fmt: skip


def figures_kept(deal, today):
    """The same figures from the accounts of the bookkeeper."""
    return {
        "status": deal.status, "ended_on": deal.ended_on,
        "planned": deal.plan, "past_due": deal.past_due(today),
        **{name: getattr(deal, name) for name in MONEY},
        "progress": deal.progress, "performance": deal.performance(today), "paused": deal.paused,
        "days_in_pause": (today - deal.funded_on).days - deal.unpaused(today),
        "remaining_term_days": max(0, deal.term - deal.unpaused(deal.last_day(today))),
        "funded_amount": deal.funded, "repayment_amount": deal.repayment,
        "months_since_funding": max(0, (today - deal.funded_on).days) // Fraction(365, 12),
        "renewals_in_chain": deal.renewals, "longest_silence_90d": deal.silence(today),
    }  # fmt: skip


@cache
def begun(world, shape):
    """The merchant of a *world* after the deals of a *shape*, which many histories begin with."""
    telling = Telling(world)
    for step in SHAPES[shape]:
        if isinstance(step, int):
            telling.now += timedelta(days=50)
            deal = telling.keeper.active
            amount = -(-deal.repayment * step // 100)
            entry = {"id": telling.number("e"), "on": telling.today, "amount": amount}
            telling.tell("record_remittance", deal_id=deal.id, entries=[entry])
            telling.now += timedelta(days=1)
        else:
            telling.accept(renewal=step != "initial")
            if step != "accepted":
                telling.fund()
    telling.compare()  # what an error that was planted made must not stay in the cache
    telling.done.clear()
    return telling


def begin(world, shape, seed=0):
    """A copy of such a merchant, for more operations, with a clock of its own."""
    begin_with = begun(world, shape)
    telling = copy.copy(begin_with)
    telling.clock = FarClock(seed)
    telling.clock.last = begin_with.clock.last
    telling.keeper = copy.deepcopy(begin_with.keeper)
    telling.told, telling.done = list(begin_with.told), Counter()
    telling.receipts, telling.audited = dict(begin_with.receipts), {}
    telling.fundings = dict(begin_with.fundings)
    if telling.waiting is not None:
        telling.wait_for(*telling.waiting)
    return telling
