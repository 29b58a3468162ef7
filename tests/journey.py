"""A merchant's way through the service, as a host would take it, for tests to start from."""

from __future__ import annotations

import uuid
from datetime import UTC, date, datetime, timedelta

from holdback import (
    Application,
    BankDetails,
    Context,
    Engine,
    Entry,
    Merchant,
    Money,
    OffersRequest,
)
from holdback.exact.exact_json import Opaque, write_json
from holdback.merchant.profile import Profile
from holdback.operations import (
    AcceptOffer,
    FundDeal,
    LookUp,
    RecordEvidence,
    RecordRemittance,
    RequestOffers,
)
from holdback.testing import payloads

ENGINE = Engine.for_trial()
START = datetime(2026, 7, 6, 9, 0, tzinfo=UTC)
BANK = BankDetails(
    account_number="12345678", bank_name="A Bank", account_type="NONE", sort_code="10-20-30"
)
EVIDENCE = payloads.evidence(START.date())
PROFILE = {name: Opaque(write_json(value)) for name, value in payloads.PROFILE.items()}


def remembering_engine(jurisdictions, **days):
    """An engine that remembers for these numbers of *days*, and whose ids are always the same."""
    links = dict.fromkeys(("contract_link", "merchant_link"), "https://host.test/")
    return Engine(jurisdictions, namespace=uuid.UUID(int=7), links=lambda **_: links, **days)


class Journey:
    """One merchant with a host that stores it after every operation."""

    def __init__(self, engine=ENGINE, *, merchant_id="m-1", partner="acme"):
        self.engine = engine
        self.now = START
        self.sure = False
        self.requests = 0
        self.events = []
        self.merchant = Merchant.new(partner=partner, merchant_id=merchant_id, jurisdiction="GB")
        self.profile = Profile.new(salt=bytes(range(16)))
        self.offers = None
        self.acceptance = None

    def context(self, evidence=None, request_id=None):
        self.requests += 1
        request_id = request_id or f"r-{self.requests}"
        return Context(at=self.now, request_id=request_id, evidence=evidence or {}, sure=self.sure)

    def keep(self, outcome):
        """Store what an operation gave."""
        self.events += outcome.events
        self.merchant = outcome.merchant
        self.profile = outcome.profile
        return outcome.reply

    def do(self, operation):
        """Carry out *operation* on the merchant, now, and store the outcome."""
        context = self.context()
        return self.keep(
            self.engine.carry_out(self.merchant, operation, context, profile=self.profile)
        )

    def record(self, *results, profile=PROFILE):
        """Record *results* of checks about those whom *profile* names."""
        people = {name: profile[name] for name in ("applicants", "company")}
        return self.do(RecordEvidence(records=results, **people))

    def pass_time(self, **of):
        self.now += timedelta(**of)

    def sleep(self, **of):
        """Let years pass; the host has compared its clock, and says so from now on."""
        self.pass_time(**of)
        self.sure = True

    def request(self, *, renewal=False, **changed):
        """The body of `POST /offers` (service 2.1)."""
        block = {"merchant_id": self.merchant.merchant_id, "currency": "GBP"}
        if renewal:
            block["provider_id"] = self.merchant.provider_id
            return OffersRequest(application=Application(**block | changed))
        block["intended_use_of_funds"] = "stock"
        return OffersRequest(application=Application(**block | changed), **PROFILE)

    def ask(self, *, renewal=False, evidence=None, request_id=None, **changed):
        """Ask for offers."""
        if evidence is None:
            today = {"credit_checked_on": self.now.date().isoformat()}
            evidence = {} if renewal else EVIDENCE | today
        self.offers = self.keep(
            self.engine.carry_out(
                self.merchant,
                RequestOffers(request=self.request(renewal=renewal, **changed)),
                self.context(evidence, request_id),
                profile=self.profile,
            )
        )
        return self.offers

    def first_offer(self):
        """The first offer of the last set."""
        return next(offer for product in self.offers.products for offer in product.offers)

    def accept(self, offer_id=None, bank_details=BANK):
        """Accept an offer, the first of the last set unless another is named."""
        self.acceptance = self.keep(
            self.engine.carry_out(
                self.merchant,
                AcceptOffer(
                    offer_id=offer_id or self.first_offer().offer_id, bank_details=bank_details
                ),
                self.context(),
                profile=self.profile,
            )
        )
        return self.acceptance

    def fund(self):
        """Fund the accepted application."""
        return self.do(FundDeal(application_id=self.acceptance.application_id))

    @property
    def deal(self):
        """The merchant's newest deal."""
        return self.merchant.deals[-1]

    def entry(self, minor, *, on=None, **changed):
        """A settled entry of *minor* units for the newest deal, yesterday unless a day is given."""
        on = on or max(self.deal.funded_on, self.now.date() - timedelta(days=1))
        amount = Money(minor, self.deal.repayment_amount.currency)
        fields = {"id": f"e-{len(self.deal.entries)}", "on": on, "amount": amount} | changed
        return Entry(**fields)

    def remit(self, *entries, complete_through=None):
        """Record entries of the newest deal."""
        return self.do(
            RecordRemittance(
                deal_id=self.deal.id, entries=entries, complete_through=complete_through
            )
        )

    def pay_down(self, percent):
        """Wait until a deal on pace is *percent* paid down, and record the payment."""
        self.now += timedelta(days=-(-self.deal.term_days * percent // 100))
        due = -(-self.deal.repayment_amount.minor * percent // 100) - self.deal.remitted.minor
        return self.remit(self.entry(due), complete_through=self.today())

    def today(self) -> date:
        return self.now.date()

    def active(self):
        """The active deal as the merchant lookup shows it, or None."""
        deals = self.do(LookUp()).deals
        return next((each for each in deals if each.deal.active), None)
