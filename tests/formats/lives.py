"""
The lives of merchants from which the documents in `first/` were made, with the first version.

A drawn life is a history of `holdback.testing.strategies` whose requests say more; a scripted life
brings what is rarely drawn. Only `make_first.py` imports this module.
"""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta

from attrs import define
from holdback.lifecycle.instants import utc
from hypothesis import strategies as st

from holdback import Merchant
from holdback.exact.exact_json import Verbatim
from holdback.exact.money import Money
from holdback.merchant.merchant import AWAITING_DETAILS
from holdback.testing.strategies.histories import STAGES, History, _Host, _next_step, _starts
from holdback.testing.strategies.json_inputs import FREE_TEXTS, IDENTIFIERS
from holdback.testing.strategies.likely_inputs import BANKS, request, steady_takings
from holdback.testing.strategies.values import CLOSED

PARTNERS = ("acme", "bolt")
# Numbers of 28 digits, which no float holds, and letters of many scripts.
UNUSUAL = {
    "consents": {"credit_check": True, "Einverständnis ✓": None, "at": "2026-02-29T23:59:60Z"},
    "applicants": [
        {"name": "Ærøskøbing Þórsdóttir", "share": Verbatim("0.1000000000000000000000000001")},
        {"name": "山田太郎 \u202e🏪", "share": Verbatim("1e-9"), "born": "1970-01-01"},
        {},
    ],
    "company": {
        "name": 'Бар "У \\ Моста"\n\t№ 5',
        "turnover": Verbatim("1234567890123456789012345678"),
        "debt": Verbatim("-0.0000000000000000000000000000"),
        "": [[], {}, [None, True, Verbatim("-0")]],
    },
}
BANKING = {**BANKS[0], "bank_name": "Bänk & Söhne", "account_type": "BUSINESS"}
USE = "Stock für den Sommer,\nand a new oven"


@define
class Life(_Host):
    """A host's view of one merchant, whose initial requests have what `enrich` adds to them."""

    enrich: object = None

    @classmethod
    def begun(cls, engine, code, named, at, enrich):
        partner, merchant_id = named
        first = Merchant.new(partner=partner, merchant_id=merchant_id, jurisdiction=code)
        return cls(engine=engine, first=first, at=at, merchant=first, enrich=enrich)

    def history(self):
        return History(first=self.first, steps=tuple(self.steps), merchant=self.merchant)

    def attempt(self, operation, body, evidence=None):
        if operation == "request_offers" and body["application"].get("provider_id") is None:
            body = self.enrich(body)
        return super().attempt(operation, body, evidence or {})

    def fund(self):
        """Supply the bank details if they were omitted, and fund the application."""
        fulfilment = self.merchant.fulfilments[-1]
        if fulfilment.status == AWAITING_DETAILS:
            self.supply(bank_details=dict(BANKS[1]))
        return super().fund()

    # What a scripted life is made of. Ids are those of the merchant's last application or deal.

    def ask(self, evidence=None):
        """Ask for the offers of a newcomer, and for none without good evidence."""
        body = request(self.moment, renewal=False)
        good = self.moment.good_evidence(renewal=False)[0]
        return self.attempt("request_offers", body, good if evidence is None else evidence)

    def accept(self, bank=None, place=0):
        offers = [
            offer for product in self.merchant.offer_sets[-1].products for offer in product.offers
        ]
        body = {"offer_id": offers[place % len(offers)].offer_id}
        return self.attempt("accept_offer", body | ({"bank_details": bank} if bank else {}))

    def supply(self, **details):
        application_id = self.merchant.fulfilments[-1].application_id
        return self.attempt(
            "supply_details", {"application_id": application_id, "details": details}
        )

    def close_application(self, status):
        application_id = self.merchant.fulfilments[-1].application_id
        body = {"application_id": application_id, "status": status}
        return self.attempt("close_application", body)

    def close_deal(self, status):
        return self.attempt("close_deal", {"deal_id": self.deal.id, "status": status})

    @property
    def deal(self):
        return self.merchant.deals[-1]

    def entry(self, entry_id, percent, **changes):
        """Return an entry of *percent* of the repayment amount of the last deal, dated today."""
        repayment = self.deal.repayment_amount
        amount = Money(repayment.minor * percent // 100, repayment.currency)
        on = self.moment.day.isoformat()
        return {"id": entry_id, "on": on, "amount": str(amount.amount), **changes}

    def remit(self, *entries, deal_id=None, complete=True):
        body = {"deal_id": deal_id or self.deal.id, "entries": list(entries)}
        if complete:
            body["complete_through"] = self.moment.day.isoformat()
        return self.attempt("record_remittance", body)


# -- drawn lives


@st.composite
def drawn(draw, engine, code, numbers):
    """Draw a history of one jurisdiction, with any merchant_id and in some cases any profile."""

    def enrich(body):
        if draw(st.booleans()):
            profile = {"consents": draw(CLOSED), "company": draw(CLOSED)}
            profile["applicants"] = draw(st.lists(CLOSED, min_size=1, max_size=2))
            body = body | profile
        application = dict(body["application"])
        if draw(st.booleans()):
            application["intended_use_of_funds"] = draw(FREE_TEXTS)
        return body | {"application": application}

    merchant_id = f"{code}-{next(numbers)}-{draw(IDENTIFIERS)}"
    named = draw(st.sampled_from(PARTNERS)), merchant_id
    life = Life.begun(engine, code, named, draw(_starts(engine, code)), enrich)
    stage = draw(st.sampled_from([None, *STAGES, *STAGES[2:]]))
    if stage is None:
        life.ask()  # the host learns of a merchant with its first request for offers
    else:
        life.advance_to(stage)
    for _ in range(draw(st.integers(2, 10))):
        _next_step(draw, life)
    return life.history()


# -- scripted lives


def scripted(engine, code, live, number):
    """Return the history of one of `LIVES`, the *number*th; an odd one has an unusual profile."""
    last = datetime.combine(engine.jurisdictions[code].changes[-1], time(12), UTC)
    start = utc(last + timedelta(days=200 + 7 * number, microseconds=number))

    def enrich(body):
        return body | UNUSUAL if number % 2 else body

    named = PARTNERS[number % 2], f"{code} {live.__name__}/ü"
    life = Life.begun(engine, code, named, start, enrich)
    live(life)
    return life.history()


def long_and_renewed(life):
    """A deal with daily remittances, renewed twice; a reversal leaves a shortfall on it."""
    life.request_until_offered(renewal=False)
    life.accept()
    life.supply(intended_use_of_funds=USE)
    life.supply(bank_details=BANKING)
    life.fund()
    for week in range(12):
        life.wait(days=7)
        entries = [
            life.entry(f"w{week}-{ago}", 1, on=(life.moment.day - timedelta(days=ago)).isoformat())
            for ago in range(6)
        ]
        entries[-1]["takings"] = "123"
        life.remit(*entries)
    life.record_takings()
    life.attempt("review_renewal", {})
    life.renew()
    first = life.merchant.deals[0].id
    life.remit(life.entry("w3-2-back", 1, reverses="w3-2"), deal_id=first)
    if len(life.merchant.deals) > 1:
        life.renew()


def repaid_and_reopened(life):
    """A deal that is repaid, opened again by a reversal, overpaid, and used for a renewal."""
    life.request_until_offered(renewal=False)
    life.accept(BANKING, place=1)
    life.fund()
    life.wait(days=30)
    life.remit(life.entry("half", 50), life.entry("other-half", 50))
    life.wait(days=1)
    life.remit(life.entry("back", 50, reverses="half"))
    life.remit(life.entry("unsettled", 60, settled=False))
    life.remit(life.entry("nothing", 0, takings="0"), complete=False)
    life.wait(days=2)
    settled = next(e for e in life.deal.entries if e.id == "unsettled").on.isoformat()
    life.remit(life.entry("unsettled", 60, on=settled))
    life.remit(life.entry("late", 1))
    life.remit(life.entry("back-2", 1, reverses="late", settled=False))
    life.request_until_offered(renewal=True)


def defaulted(life):
    """A deal that defaults, and pays something all the same."""
    life.request_until_offered(renewal=False)
    life.accept(BANKS[0])
    life.fund()
    life.wait(days=100)
    life.remit(life.entry("some", 10), complete=False)
    life.close_deal("defaulted")
    life.wait(days=10)
    life.remit(life.entry("recovered", 20))
    life.ask()


def cancelled(life):
    """A deal that is cancelled after a remittance, and another one after it."""
    life.request_until_offered(renewal=False)
    life.accept(BANKS[0])
    life.fund()
    life.wait(days=3)
    life.remit(life.entry("one", 5))
    life.close_deal("cancelled")
    life.ask()
    life.accept(BANKS[1])
    life.fund()
    life.remit(life.entry("unsettled", 3, settled=False), complete=False)


def declined_and_withdrawn(life):
    """Applications that end without a deal, each after details were supplied or not."""
    life.request_until_offered(renewal=False)
    life.accept()
    life.close_application("declined")
    life.wait(hours=1)
    life.ask()
    life.ask()
    life.accept(BANKS[0])
    life.supply(intended_use_of_funds=USE)
    life.close_application("withdrawn")
    life.ask()
    life.accept({"bank_name": "A Bank"})


def expired(life):
    """Offers that expire, a second credit check that is missing, and one that is made."""
    life.request_until_offered(renewal=False)
    old = life.steps[-1].evidence
    life.wait(days=90)
    life.accept()
    life.ask({name: value for name, value in old.items() if not name.startswith("credit")})
    life.ask(old)
    life.ask()
    life.accept(BANKS[0])
    life.wait(days=1)
    life.fund()


def restated_takings(life):
    """Takings that are restated, lower and higher, in any order, and then cover 90 days."""
    life.request_until_offered(renewal=False)
    life.accept(BANKS[0])
    life.fund()
    life.wait(days=40)
    day = life.moment.day
    for amount, complete in (("100", 0), ("75", 3), ("250", 0)):
        takings = [{"on": (day - timedelta(days=2)).isoformat(), "amount": amount}]
        through = {"complete_through": (day - timedelta(days=complete)).isoformat()}
        life.attempt("record_takings", {"takings": takings} | (through if complete else {}))
    life.wait(days=60)
    life.attempt("record_takings", steady_takings(life.moment, days=95))
    life.wait(days=1)
    nothing = {"takings": [], "complete_through": life.moment.day.isoformat()}
    life.attempt("record_takings", nothing)
    life.remit(life.entry("most", 80))
    life.attempt("review_renewal", {})


def refused(life):
    """Requests with evidence that is bad, unknown or missing, and no acceptance."""
    good = life.moment.good_evidence(renewal=False)[0]
    life.ask(dict(good, identity_verified=False))
    life.ask({name: value for name, value in good.items() if name != "months_trading"})
    life.ask(dict(good, average_monthly_takings="1"))
    life.ask(dict(good, credit_score=301))


def renewable(life):
    """A deal that may be renewed, and whose merchant has not asked yet."""
    if life.advance_to("deal"):
        life.wait(days=70)
        life.record_takings()
        life.pay_down(80)
        life.attempt("review_renewal", {})


def looked_at(life):
    """A deal with two missed remittances, which somebody looks at before it is renewed."""
    if life.advance_to("deal"):
        life.pay_down(80)
        life.wait(days=6)
        days = [(life.moment.day - timedelta(days=ago)).isoformat() for ago in (3, 5)]
        life.remit(*[life.entry(f"missed-{on}", 0, on=on, takings="50") for on in days])
        life.record_takings()
        life.request_until_offered(renewal=True)
        for good in life.moment.good_evidence(renewal=True):
            body = request(life.moment, renewal=True)
            body["application"]["intended_use_of_funds"] = USE
            life.attempt("request_offers", body, good)
        life.attempt("review_renewal", {})


def renewed_after_repayment(life):
    """A deal that is repaid early, and renewed when nothing is left to settle."""
    if life.advance_to("deal"):
        life.wait(days=70)
        life.record_takings()
        life.pay_down(100)
        if life.request_until_offered(renewal=True):
            life.accept()
            life.fund()


def renewal_in_fulfilment(life):
    """A renewal whose offer was accepted, and which is not funded yet."""
    if life.advance_to("deal"):
        life.wait(days=70)
        life.record_takings()
        life.pay_down(80)
        if life.request_until_offered(renewal=True):
            life.accept(place=2)
            life.attempt("review_renewal", {})


def awaiting_details(life):
    """An application that waits for the bank details and the use of the funds."""
    life.request_until_offered(renewal=False)
    life.accept()


def partly_supplied(life):
    """An application whose bank details come late and say little."""
    life.request_until_offered(renewal=False)
    life.accept()
    life.supply(bank_details={"bank_name": "A Bank"})
    life.supply(bank_details=BANKING)  # refused: others are held
    life.fund()


LIVES = (
    long_and_renewed,
    repaid_and_reopened,
    defaulted,
    cancelled,
    declined_and_withdrawn,
    expired,
    restated_takings,
    refused,
    renewable,
    looked_at,
    renewed_after_repayment,
    renewal_in_fulfilment,
    awaiting_details,
    partly_supplied,
)


# -- merchants that no reference host stores


def unasked(engine):
    """Yield the merchants of hosts that store one before its first request for offers."""
    for number, code in enumerate(engine.jurisdictions.codes):
        named = "solo", f"{code}-unasked"
        start = utc(datetime(2026, 7, 1, 12, tzinfo=UTC) + timedelta(days=number))
        life = Life.begun(engine, code, named, start, lambda body: body)
        if number % 2:
            life.record_takings()
        yield life.history()
