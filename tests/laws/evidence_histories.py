"""Random histories of one merchant, told to the engine and to the model of evidence alike."""

from __future__ import annotations

import random
from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from functools import cache

import evidence_folders
import pendulum
from evidence_model import (
    ABOUT,
    BOTH,
    CREDIT,
    AcceptedApplication,
    Deal,
    HoldPeriod,
    IssuedSet,
    Model,
    PersonsDecision,
    Record,
    Referral,
    about,
    name_of,
)
from far_clocks import IMPLAUSIBLE, FarClock

from holdback import (
    Application,
    BankDetails,
    ConfigurationError,
    Context,
    Entry,
    InvalidDocument,
    Merchant,
    Money,
    OffersRequest,
    Refusal,
    Takings,
)
from holdback.exact.exact_json import Opaque
from holdback.lifecycle.context import CheckResult
from holdback.merchant.profile import Profile
from holdback.operations import (
    AcceptOffer,
    AskEvidence,
    AskReferrals,
    AssessRenewal,
    CloseApplication,
    CloseDeal,
    DecideReferral,
    DeclineOffers,
    EraseProfile,
    FundDeal,
    LiftHold,
    LookUp,
    PlaceHold,
    RecordConsents,
    RecordEvidence,
    RecordRemittance,
    RecordTakings,
    RectifyProfile,
    ReinstateDeal,
    RequestOffers,
    RequireChecks,
    ReviewRenewal,
    WithdrawOffers,
)
from journey import remembering_engine

START = datetime(2026, 7, 6, 9, 0, tzinfo=UTC)
SALT = bytes(range(16))
SECOND = timedelta(seconds=1)
# The code of what is not refused, but cannot be read: nobody says whom a result is about.
INVALID = "invalid"
# Of how many histories one is of a jurisdiction that ships, whose rules are many.
ONE_OF_BUNDLED = 6


class Difference(AssertionError):
    """The engine and the model do not agree."""


@cache
def engine_of(seed):
    """The engine of a random jurisdiction, and of those that ship for None."""
    rules = evidence_folders.bundled() if seed is None else evidence_folders.jurisdictions(seed)
    # What is forgotten is the matter of other tests: a history may last for years.
    return remembering_engine(rules, memory_days=36_500, retry_days=36_500)


@cache
def rulebooks(seed, code):
    """The function that returns the rulebook of a day; many histories ask for the same days."""
    return cache(lambda day: engine_of(seed).jurisdictions.resolve(code, on=day))


class History:
    """
    One merchant in one jurisdiction, with everything drawn from one seed.

    The steps *favoured* are drawn more often than the others, and the first deal is *paid* down by
    that percentage.
    """

    def __init__(self, seed, favoured=(), *, paid=None):
        self.favoured, self.paid, self.queued = favoured, paid, set()
        self.draw = draw = random.Random(seed)
        folder = (
            None
            if draw.randrange(ONE_OF_BUNDLED) == 0
            else draw.randrange(evidence_folders.FOLDERS)
        )
        self.code = draw.choice(evidence_folders.BUNDLED) if folder is None else "NL"
        self.engine = engine_of(folder)
        room = None if folder is None else lambda terms: evidence_folders.ROOM[terms.key]
        self.model = Model(rulebooks(folder, self.code), room=room)
        self.merchant = Merchant.new(partner="p", merchant_id="m", jurisdiction=self.code)
        self.profile = Profile.new(salt=SALT)
        self.now = START + timedelta(hours=draw.randrange(24), seconds=draw.choice((0, 1)))
        self.clock = FarClock(seed)
        self.requests = 0
        self.entries = 0
        self.told = [[self.code, folder]]
        self.done = set()

    # What both receive

    def run(self, steps):
        """Carry out some steps, and compare after every one; return what was reached."""
        if self.draw.random() < 0.65:
            self.prologue()
        self.compare()
        for _ in range(steps):
            self.pass_time()
            self.step()
            self.compare()
        return self.done

    def prologue(self):
        """Most likely, a deal that is paid down in part: what renewals start from."""
        self.record_checks(good=True)
        self.ask(renewal=False, mapping=None)
        if not self.accept():
            return
        self.now += timedelta(hours=self.draw.choice((0, 30)))
        if self.fund():
            self.now += timedelta(days=self.draw.choice((1, 10, 80)))
            percent = self.draw.choice((40, 50, 60, 75, 100))
            self.remit(self.paid or percent, complete=True)

    def step(self):
        needs = self.needs()
        weights = {step: weight for step, weight in STEPS.items() if needs.get(step, True)}
        if self.model.in_fulfilment(self.now) is not None:
            # What a funding looks at again has to change before it.
            again = ("hold", "reverse", "fund", "record_checks", "decide_funding", "rectify")
            weights |= {step: 4 for step in again if step in weights}
            if self.a_person_may_approve():
                weights["decide_funding"] = 20
        weights |= {step: 12 for step in self.favoured if step in weights}
        step = self.draw.choices([*weights], [*weights.values()])[0]
        getattr(self, step)()

    def needs(self):
        """What has to be there for a step, where it needs something."""
        active = self.model.active() is not None
        return {
            "remit": active, "reverse": any(deal.entries for deal in self.model.deals),
            "default": active, "mistake": active and self.model.decisions,
            "reinstate": any(d.ended == "Defaulted" for d in self.model.deals),
            "ask_renewal": self.merchant.provider_id is not None,
            "renew": self.merchant.provider_id is not None,
            "renew_less_paid": self.merchant.provider_id is not None, "accept": self.model.sets,
            "fund": any(one.ended != "funded" for one in self.model.accepted),
            "close": self.model.accepted and self.model.accepted[-1].ended is None,
            "decline_offers": any(one.offer_ids for one in self.model.sets),
            "withdraw_offers": any(one.offer_ids for one in self.model.sets),
            "wait_on_hold": self.known(),
            "decide": self.model.referrals,
            "decide_funding": self.model.in_fulfilment(self.now) is not None,
            "lift": self.model.holds, "erase": not self.model.deals,
        }  # fmt: skip

    def a_person_may_approve(self):
        """Whether a payout waits for a rule that refers; few do."""
        application = self.model.in_fulfilment(self.now)
        waiting = self.model.funding(self.now, application)
        return any(rule.otherwise == "refer" for rules in waiting for rule in rules)

    def known(self):
        """Whether the service has seen the merchant."""
        return self.merchant.currency is not None

    def pass_time(self):
        """Wait for nothing, for a while, or for an instant at which something changes."""
        self.now = self.clock.after_silence(self.now)
        way = self.draw.random()
        if way < 0.25:
            return
        if way < 0.45:
            self.now += timedelta(hours=self.draw.choice((1, 12, 24, 24 * 6, 24 * 31)))
            return
        later = [instant for instant in self.instants() if instant > self.now]
        if later:
            self.now = self.draw.choice(later)

    def instants(self):
        """The instants at which an answer may change, and a second on either side of each."""
        model, rulebook = self.model, self.model.rulebook(self.now)
        ends = [one.expires_at for one in model.sets]
        ends += [one.until for one in model.decisions]
        ends += [model.lapse(one, self.now) for one in model.accepted if one.ended is None]
        days = [model.day(self.now) + timedelta(days=1)]
        for terms in rulebook.checks.values():
            record = model.newest(terms.name, model.last_people())
            if record is not None and terms.max_age_days is not None:
                days.append(model.day(record.made_at) + timedelta(days=terms.max_age_days + 1))
        for deal in model.deals:
            if deal.status == "Repaid":
                kept = rulebook.recently_active_days + 1
                days.append(deal.repaid_on() + timedelta(days=kept))
        ends += [self.midnight(day) for day in days]
        return [end + SECOND * more for end in ends for more in (-1, 0, 0, 1)]

    def midnight(self, day):
        """The instant at which the local *day* begins."""
        return datetime.combine(day, time(), self.model.zone).astimezone(UTC)

    def context(self, evidence, at, *, sure):
        self.requests += 1
        return Context(
            at=pendulum.instance(at),
            request_id=f"r{self.requests}",
            evidence=() if evidence is None else evidence,
            sure=sure,
        )

    def told_at(self, operation, evidence, at, *, sure=False):
        """The code with which the engine refuses at an instant, and the outcome."""
        context = self.context(evidence, at, sure=sure)
        try:
            return None, self.engine.carry_out(
                self.merchant, operation, context, profile=self.profile
            )
        except Refusal as refusal:
            return refusal.code, None
        except (ConfigurationError, InvalidDocument):
            return INVALID, None

    def tell(self, operation, refused=frozenset(), evidence=None, keep=True):
        """
        Carry out an operation of the engine, which must be refused with a code in *refused*.

        It must be carried out if *refused* is empty; its outcome is returned.
        """
        self.told.append([self.now, operation, evidence])
        for wrong in self.clock.wrong(self.now):
            code, _ = self.told_at(operation, evidence, wrong)
            if (code == IMPLAUSIBLE) is operation.is_question:
                self.differ(f"{operation.name} on a clock of {wrong}: {code or 'done'}", "not so")
        at, sure = self.clock.right(self.now)
        code, outcome = self.told_at(operation, evidence, at, sure=sure)
        if (code is None) != (not refused) or (code is not None and code not in refused):
            self.differ(f"{operation.name}: {code or 'done'}", f"{sorted(refused) or 'done'}")
        self.told[-1].append(code or "done")
        if outcome is not None and keep:
            self.merchant = outcome.merchant
            self.profile = outcome.profile
            self.clock.last = self.now if outcome.events else self.clock.last
        return outcome

    def differ(self, engine, model):
        raise Difference(
            f"the engine says {engine}, the model {model}, at {self.now.isoformat()}\n"
            + "\n".join(map(shown, self.told))
        )

    def agree(self, what, engine, model):
        if engine != model:
            self.differ(f"{what}: {engine}", f"{model}")

    # Checks

    def values(self, names, *, good=False):
        """Random values of the facts *names*; now and then one of them is left out."""
        values = {}
        for name in names:
            if good or self.draw.random() > 0.08:
                values[name] = self.value(name, good=good)
        return {name: value for name, value in values.items() if value is not None}

    def value(self, name, *, good):
        fact = self.model.rulebook(self.now).catalogue.fact(name)
        kind = fact.type.kind.value
        if kind == "flag":
            return good or self.draw.random() < 0.8
        if kind == "text":
            return fact.type.options[0] if good else self.draw.choice(fact.type.options)
        if kind == "money":
            return Decimal(20_000 if good else self.draw.choice((1_000, 2_500, 20_000)))
        if name == "credit_score":
            return 720 if good else self.draw.choice((450, 499, 500, 600, 650, 720))
        if kind == "date":
            return None  # it is filled in from the instant of the record
        most = min(fact.high, 60)
        return most if good else self.draw.randint(fact.low, most)

    def checks(self, *, good=False):
        """Some checks of the jurisdiction."""
        terms = list(self.model.rulebook(self.now).checks.values())
        if self.model.active() is not None:
            terms = [one for one in terms if one.name != "takings"]
        return terms if good else self.draw.sample(terms, self.draw.randint(1, len(terms)))

    def record_checks(self, *, good=False):
        """Record results of checks, made in any order, now or before."""
        records = []
        for terms in self.checks(good=good):
            made_at = self.now if good else self.made_at(terms)
            facts = self.values(terms.facts, good=good)
            if terms.name == CREDIT and self.draw.random() < 0.8:
                facts["credit_checked_on"] = self.model.day(made_at).isoformat()
            records.append(Record(terms.name, made_at, facts))
        people, given = self.someone(good=good), {}
        # They need not be said where only one of them is held.
        if self.model.only_people() != people or self.draw.random() < 0.5:
            given = {name: PEOPLE[name][people[name]] for name in people}
        self.say_whom(records, people)
        refused = self.conflicts(records)
        if self.model.ambiguous(records, given):
            refused = {INVALID}
        self.tell(RecordEvidence(records=results(records), **given), refused=refused)
        if not refused:
            self.model.records += records
            self.model.personal = True
        self.done.add("recorded")

    def someone(self, *, good=False):
        """Whom results or a request are about: most often those of before."""
        last = self.model.last_people() or {"applicants": 0, "company": 0}
        if self.model.corrections and not good and self.draw.random() < 0.2:
            # Those before a correction.
            return {**last, **{name: place for name, place, _ in self.model.corrections}}
        if good or self.draw.random() < 0.85:
            return last
        return {name: self.draw.randrange(2) for name in last}

    def someone_asks(self):
        """Choose whom the next request is about, and which consents it names: most often none."""
        self.model.asking, self.model.naming = self.someone(), {}
        if self.draw.random() < 0.3:
            self.model.naming = {self.name_of_consent(): self.draw.random() < 0.8}

    def name_of_consent(self):
        """The name of a consent, most often of one that is needed."""
        needed = sorted(self.model.needs_consent(self.now))
        return self.draw.choice(needed if needed and self.draw.random() < 0.9 else CONSENTS)

    def say_whom(self, records, people):
        for record in records:
            record.about = about(record.check, people)

    def made_at(self, terms):
        """An instant of a record: now, before, or one at which something changes."""
        earlier = [instant for instant in self.instants() if instant <= self.now]
        earlier += [record.made_at for record in self.model.records if record.check == terms.name]
        back = timedelta(hours=self.draw.choice((0, 1, 20, 24, 50, 24 * 5, 24 * 40)))
        if earlier and self.draw.random() < 0.4:
            return self.draw.choice(earlier)
        return self.now - back

    def conflicts(self, records):
        """The refusal of *records*: another result at the instant of one of the newest four."""
        for record in records:
            same = [
                one
                for one in self.model.records
                if (one.check, one.about) == (record.check, record.about)
            ]
            newest = sorted({one.made_at for one in same}, reverse=True)[:4]
            held = next((one for one in same if one.made_at == record.made_at), None)
            if held is None or held.made_at not in newest:
                continue
            # A credit check has the day of its instant, given or not.
            names = {*held.facts, *record.facts} - {"credit_checked_on"}
            if any(held.facts.get(name) != record.facts.get(name) for name in names):
                return {"request_conflict"}
        return frozenset()

    def evidence_of_now(self):
        """Evidence by fact name for a request, and the records that it stands for."""
        evidence, records = {}, []
        for terms in self.checks():
            facts, made_at = self.values(terms.facts), self.now
            if terms.name == CREDIT and self.draw.random() < 0.8:
                on = self.model.day(self.now) - timedelta(days=self.draw.choice((0, 0, 1, 2)))
                facts["credit_checked_on"] = on.isoformat()
                if on < self.model.day(self.now):
                    made_at = self.midnight(on)
            if facts:
                evidence |= facts
                records.append(Record(terms.name, made_at, facts))
        return evidence, records

    # Requests

    def body(self, *, renewal):
        block = {
            "merchant_id": "m",
            "currency": self.model.rulebook(self.now).currency.code,
            "provider_id": self.merchant.provider_id if renewal else None,
        }
        if renewal:
            return OffersRequest(application=Application(**block))
        people = {name: PEOPLE[name][place] for name, place in self.model.asking.items()}
        consents = Opaque.of(self.model.naming)
        return OffersRequest(application=Application(**block), consents=consents, **people)

    def refusals(self, *, renewal):
        """Why a request is refused; nothing when it is carried out."""
        model, codes = self.model, set()
        if model.erased and renewal:
            codes.add("profile_erased")
        if model.in_fulfilment(self.now) is not None:
            codes.add("application_in_fulfilment")
        if renewal and model.base(self.now) is None:
            codes.add("no_deal_to_renew")
        if not renewal and model.active() is not None:
            codes.add("active_deal")
        return codes

    def ask_initial(self):
        self.ask(renewal=False, mapping=self.draw.random() < 0.5)

    def ask_renewal(self):
        self.ask(renewal=True, mapping=self.draw.random() < 0.3)

    def renew(self):
        """Go all the way of a renewal, as far as possible."""
        self.ask(renewal=True, mapping=False)
        if self.model.sets[-1].renewal and self.accept():
            self.fund()

    def renew_less_paid(self):
        """Take back what was remitted, between the acceptance of a renewal and its funding."""
        self.ask(renewal=True, mapping=False)
        if self.model.sets[-1].renewal and self.accept():
            self.reverse()
            self.fund()

    def wait_on_hold(self):
        """Hold the merchant for a while, if possible after an acceptance, and lift the hold."""
        self.accept()
        self.hold()
        self.now += timedelta(hours=self.draw.choice((1, 30)))
        self.lift()

    def ask(self, *, renewal, mapping):
        """Request offers, with evidence by name, with records or with nothing."""
        evidence, records = None, []
        self.someone_asks()
        if mapping:
            evidence, records = self.evidence_of_now()
            self.say_whom(records, self.model.people if renewal else self.model.asking)
            if renewal:
                derived = {"average_monthly_takings", "months_trading"}
                evidence = {n: v for n, v in evidence.items() if n not in derived}
                records = [record for record in records if record.check != "takings"]
        refused = self.refusals(renewal=renewal)
        if not renewal or not self.model.ambiguous(records, {}):
            refused |= self.conflicts(records)
        elif not refused:
            refused = {INVALID}
        outcome = self.tell(
            RequestOffers(request=self.body(renewal=renewal)), refused=refused, evidence=evidence
        )
        if outcome is None:
            self.done.add("refused")
            return
        self.model.records += records
        self.model.personal = True
        base = self.model.base(self.now) if renewal else None
        facts = self.compare_request(outcome, base)
        if not renewal:
            self.model.consents.append((self.model.asking["applicants"], self.model.naming))
        offers, event = outcome.reply, issued(outcome)
        application_id = event.offer_set.application_id
        self.model.referrals = [
            Referral(application_id, product.key, base, rules, self.model.who(base))
            for product in offers.products
            if product.decision == "Referred"
            and (rules := self.model.referring(self.now, base, self.terms(product.key), facts))
        ]
        offer_ids = {
            offer.offer_id: product.key for product in offers.products for offer in product.offers
        }
        self.queued |= {
            offer.offer_id
            for product in offers.products
            if renewal and self.terms(product.key).renewal == "queue"
            for offer in product.offers
        }
        self.model.sets.append(
            IssuedSet(
                application_id,
                base,
                event.offer_set.expires_at,
                offer_ids,
                renewal,
                self.model.trouble(),
                None if renewal else self.model.asking,
                self.now,
            )
        )
        self.done |= {product.decision for product in offers.products}
        self.done.add("renewal" if renewal else "initial")

    def terms(self, key):
        """The product with this key, today."""
        return next(one for one in self.model.rulebook(self.now).products if one.key == key)

    def compare_request(self, outcome, base):
        """Compare the decisions and the facts of an outcome; return the facts."""
        event = issued(outcome)
        catalogue = self.model.rulebook(self.now).catalogue
        known = catalogue.prepare(event.offer_set.facts)
        facts = self.model.facts(self.now, base)
        if known != facts:
            names = [fact.name for fact in catalogue.facts]
            pairs = zip(names, known, facts, strict=True)
            unlike = [(name, one, two) for name, one, two in pairs if one != two]
            self.differ("facts (name, engine, model)", str(unlike))
        for product in outcome.reply.products:
            terms = self.terms(product.key)
            allowed = self.model.decision(self.now, base, terms, facts).split(" or ")
            if product.decision not in allowed:
                self.differ(f"{product.key} {product.decision}", f"{allowed}")
        # A merchant who is declined or referred has a reason to read (decisions/offers#reasons).
        for decision, product in zip(event.decisions, event.offer_set.products, strict=True):
            said = [reason["text"] for reason in decision["reasons"] if reason["text"]]
            unexplained = product.decision != "Accepted" and not said
            self.agree("decisions without a reason", unexplained, False)
            self.agree("codes", len(product.codes), len(said))
        hours = self.model.rulebook(self.now).offers_valid_hours
        self.agree("expiry", event.offer_set.expires_at, self.now + timedelta(hours=hours))
        return facts

    def accept(self):
        """Accept an offer of a set, most likely the last; return whether it was accepted."""
        model = self.model
        sets = [one for one in model.sets if one.offer_ids and one.closed != "accepted"]
        if not sets:
            return False
        chosen = sets[-1] if self.draw.random() < 0.8 else self.draw.choice(sets)
        # Renewals that wait for the end of their base deal have tests of their own.
        offer_ids = [offer_id for offer_id in chosen.offer_ids if offer_id not in self.queued]
        if not offer_ids:
            return False
        offer_id = self.draw.choice(offer_ids)
        product = chosen.offer_ids[offer_id]
        refused = self.refused_acceptance(chosen, product)
        outcome = self.tell(
            AcceptOffer(offer_id=offer_id, bank_details=self.bank()), refused=refused
        )
        if outcome is None:
            return False
        for one in model.sets:
            if one.closed is None and one.expires_at > self.now:
                one.closed = "withdrawn"
        chosen.closed = "accepted"
        days = model.rulebook(self.now).acceptance_days
        application = AcceptedApplication(
            chosen.application_id, chosen.base, self.now, self.now + timedelta(days=days),
            chosen.renewal, product, chosen.knew,
        )  # fmt: skip
        model.accepted.append(application)
        if not chosen.renewal:
            model.accept(chosen.people)
        model.referrals = []
        self.compare_corrections()
        self.done.add("accepted")
        return True

    def refused_acceptance(self, chosen, product):
        model = self.model
        stands = model.in_fulfilment(self.now) is not None
        if chosen.closed is not None or chosen.expires_at <= self.now or stands:
            if chosen.expires_at <= self.now and chosen.closed is None and not stands:
                return {"offers_expired"}
            return {
                "already_accepted", "offers_expired", "offer_withdrawn", "active_deal",
                "offer_not_found", "not_possible_now", "profile_erased",
            }  # fmt: skip
        if model.needs_a_person(self.now, chosen.knew, product):
            return {"referred"}
        # "One that has become active since then is known against the merchant."
        assert model.active() in {None, chosen.base}
        codes = set()
        if chosen.base is not None and chosen.base.status == "Cancelled":
            codes.add("offer_withdrawn")
        return codes

    def bank(self):
        needed = self.model.rulebook(self.now).bank_details or ("account_number",)
        return BankDetails.of(dict.fromkeys(needed, "10-20-30"))

    def decline_offers(self):
        """Decline the open offers of a set, which does not expire it."""
        chosen = self.draw.choice([one for one in self.model.sets if one.offer_ids])
        if chosen.closed in {"declined", "withdrawn"}:
            return  # nothing is open
        is_open = chosen.closed is None and chosen.expires_at > self.now
        refused = set() if is_open else {
            "already_accepted", "offers_expired", "application_not_found", "offer_withdrawn",
            "not_possible_now",
        }  # fmt: skip
        if (
            self.tell(DeclineOffers(application_id=chosen.application_id), refused=refused)
            is not None
        ):
            chosen.closed = "declined"
            self.done.add("declined offers")

    def withdraw_offers(self):
        """Withdraw the open offers of a set as the lender: they expire at this instant."""
        chosen = self.draw.choice([one for one in self.model.sets if one.offer_ids])
        refused, is_open = set(), chosen.closed is None and chosen.expires_at > self.now
        if chosen.closed == "accepted":
            refused = {"already_accepted"}
        elif chosen.closed is None and not is_open and not chosen.by_lender:
            refused = {"offers_expired"}
        code = self.draw.choice(("fraud", "rules_changed"))
        command = WithdrawOffers(application_id=chosen.application_id, code=code, by="u")
        outcome = self.tell(command, refused=refused)
        if outcome is not None:
            happened = any(type(event).__name__ == "OffersWithdrawn" for event in outcome.events)
            self.agree("withdrawn", happened, is_open)
        if is_open:
            chosen.expires_at, chosen.by_lender = self.now, True
            self.done.add("withdrawn offers")

    # Fulfilment and deals

    def fund(self):
        """Fund the last application that was accepted; return whether it was funded."""
        model = self.model
        # Funding again what was funded is a repetition, which gives the same receipt.
        application = [one for one in model.accepted if one.ended != "funded"][-1]
        refused, base = set(), application.base
        if model.in_fulfilment(self.now) is not application:
            refused.add("not_possible_now")
        waits = model.in_fulfilment(self.now) is application and model.waits(self.now, application)
        if waits or model.needs_a_person(self.now, application.knew, application.product):
            refused.add("referred")
            self.done.add("payout waits")
        active = model.active()
        if active is not None and active is not base:
            refused |= {"active_deal", "not_possible_now"}
        if base is not None and (
            base.status == "Cancelled" or 2 * base.remitted() < base.repayment
        ):
            refused.add("not_possible_now")
        if model.rulebook(self.now).signature is not None:
            refused.add("not_possible_now")  # nobody signs in these histories
        on = self.happened(model.day(application.accepted_at))
        funding = FundDeal(application_id=application.application_id, on=on)
        outcome = self.tell(funding, refused=refused)
        if outcome is None:
            return False
        application.ended = "funded"
        deal = next(event.deal for event in outcome.events if hasattr(event, "deal"))
        if base is not None and base.status == "Funded":
            base.settled += min(base.balance(), deal.funded_amount.minor)
            base.ended = "Renewed"
        model.deals.append(
            Deal(
                deal.id, "Renewal" if application.renewal else "Initial",
                on or model.day(self.now), deal.funded_amount.minor,
                deal.repayment_amount.minor, deal.term_days,
                base if application.renewal else None,
            )
        )  # fmt: skip
        self.done.add("funded renewal" if application.renewal else "funded")
        return True

    def happened(self, first):
        """The day of what is recorded now, after *first* and what deals have; most often today."""
        if self.draw.random() < 0.6:
            return None
        days = [first, self.model.day(self.now) - timedelta(days=self.draw.choice((0, 1, 7)))]
        for deal in self.model.deals:
            days += [deal.funded_on, deal.last_entry_on, deal.ended_on or deal.funded_on]
        return max(days)

    def close(self):
        """End the last accepted application without a deal."""
        application = self.model.accepted[-1]
        open_ = self.model.in_fulfilment(self.now) is application
        refused = set() if open_ else {"not_possible_now"}
        status = self.draw.choice(("declined", "withdrawn"))
        if self.tell(
            CloseApplication(application_id=application.application_id, status=status),
            refused=refused,
        ):
            application.ended = status

    def remit(self, percent=None, *, complete=None):
        """Record a remittance of the active deal, of a share of what it repays."""
        deal = self.model.active()
        percent = percent or self.draw.choice((1, 10, 49, 50))
        amount = max(1, deal.repayment * percent // 100)
        today = self.model.day(self.now)
        on = max(deal.funded_on, today - timedelta(days=self.draw.choice((0, 1, 3))))
        through = today if complete or self.draw.random() < 0.7 else None
        self.entry(deal, on, amount, through=through)

    def reverse(self):
        """Take back a remittance of the active deal, or of one that may be reopened."""
        active = self.model.active()
        deal = active or self.model.deals[-1]
        names = [name for name in deal.entries if name not in deal.taken_back]
        if deal.status not in {"Funded", "Repaid"} or not names:
            return
        name = self.draw.choice(names)
        self.entry(
            deal, self.model.day(self.now), deal.entries[name][1], through=None, reverses=name
        )

    def entry(self, deal, on, amount, *, through, reverses=None):
        self.entries += 1
        name = f"e{self.entries}"
        currency = self.model.rulebook(self.now).currency
        entry = Entry(id=name, on=on, amount=Money(amount, currency), reverses=reverses)
        self.tell(RecordRemittance(deal_id=deal.id, entries=entry, complete_through=through))
        deal.last_entry_on = max(deal.last_entry_on, on)
        if reverses is None:
            deal.entries[name] = (on, amount)
        else:
            deal.taken_back.add(reverses)
        if through is not None:
            deal.complete_through = max(deal.complete_through or through, through)

    def default(self):
        """End the active deal early, most likely by a default."""
        deal = self.model.active()
        status = self.draw.choice(("defaulted", "defaulted", "cancelled"))
        # It would forgive the deal that a renewal settled, too.
        refused = {"not_possible_now"} if (status, deal.type) == ("cancelled", "Renewal") else set()
        on = self.happened(deal.funded_on)
        if self.tell(CloseDeal(deal_id=deal.id, status=status, on=on), refused=refused) is None:
            return
        if status == "cancelled":
            deal.waived = deal.balance()
        deal.ended, deal.ended_on = status.capitalize(), on or self.model.day(self.now)
        if status == "defaulted":
            for decision in self.model.decisions:
                decision.void |= decision.approved
        self.done.add(status)

    def mistake(self):
        """Record a default by mistake, and undo it: what it made void stays void."""
        deal = self.model.active()
        self.tell(CloseDeal(deal_id=deal.id, status="defaulted"))
        self.tell(ReinstateDeal(deal_id=deal.id))
        for decision in self.model.decisions:
            decision.void |= decision.approved
        self.done.add("reinstated")

    def reinstate(self):
        deal = next(deal for deal in self.model.deals if deal.ended == "Defaulted")
        refused = {"active_deal", "not_possible_now"} if self.model.active() is not None else set()
        if self.tell(ReinstateDeal(deal_id=deal.id), refused=refused) is not None:
            deal.ended = deal.ended_on = None
            self.done.add("reinstated")

    def sell(self):
        """Record the takings of some days up to yesterday, complete or not."""
        today = self.model.day(self.now)
        days, amount = self.draw.choice((40, 89, 90)), self.draw.choice((1000, 9000))
        through = today - timedelta(days=self.draw.choice((1, 1, 1, 2)))
        on = [through - timedelta(days=back) for back in range(days)]
        money = Money(amount, self.model.rulebook(self.now).currency)
        complete = through if self.draw.random() < 0.8 else None
        takings = [Takings(on=day, amount=money) for day in on]
        held = self.model.takings
        # Two statements of one instant about a day contradict each other.
        said_now = {held[day][0] for day in on if day in held and held[day][1] == self.now}
        refused = {"request_conflict"} if said_now - {amount} else set()
        if (
            self.tell(RecordTakings(takings=takings, complete_through=complete), refused=refused)
            is None
        ):
            return
        self.model.takings |= dict.fromkeys(on, (amount, self.now))
        if complete is not None:
            held = self.model.takings_complete_through
            self.model.takings_complete_through = max(held or complete, complete)
        self.done.add("takings")

    # People

    def decide(self, declined=None):
        """Decide a referral of the last request; one that is given is *declined*."""
        referral = declined or self.draw.choice(self.model.referrals)
        approved = declined is None and self.draw.random() < 0.75
        until = None
        if self.draw.random() < 0.5:
            until = self.now + timedelta(hours=self.draw.choice((1, 24, 100)))
        self.tell(
            DecideReferral(
                application_id=referral.application_id,
                product=referral.product,
                decision="approve" if approved else "decline",
                by="u",
                until=until,
            )
        )
        days = self.model.rulebook(self.now).approval_days
        self.model.referrals.remove(referral)
        self.model.decide(
            PersonsDecision(
                referral.product, referral.base, approved, referral.rules,
                until or self.now + timedelta(days=days), referral.people,
            )
        )  # fmt: skip
        self.done.add("approved" if approved else "declined by a person")

    def decide_funding(self):
        """Decide about the funding of the application that waits for it."""
        application = self.model.in_fulfilment(self.now)
        false, unknown = self.model.funding(self.now, application)
        both = self.model.funding(self.now, application, approved=False)
        referring = {name_of("funding", r) for r in both[0] + both[1] if r.otherwise == "refer"}
        approved = self.draw.random() < 0.75
        refused = set() if false or unknown else {"referral_not_found"}
        if not refused and approved and not referring:
            refused = {"not_possible_now"}
        outcome = self.tell(
            DecideReferral(
                application_id=application.application_id,
                product=application.product,
                decision="approve" if approved else "decline",
                by="u",
            ),
            refused=refused,
        )
        if outcome is None:
            return
        until = self.now + timedelta(days=self.model.rulebook(self.now).approval_days)
        self.model.decide(
            PersonsDecision(
                application.product, application.base, approved, frozenset(referring), until,
                self.model.people,
            )
        )  # fmt: skip
        self.done.add("approved payout" if approved else "declined by a person")

    def hold(self):
        code = self.draw.choice(("fraud", "dispute"))
        if code not in [one.code for one in self.model.holds if one.until is None]:
            self.tell(PlaceHold(code=code, by="u"))
            self.model.holds.append(HoldPeriod(code, self.now))
            self.done.add("held")

    def lift(self):
        held = [one for one in self.model.holds if one.until is None]
        if held:
            self.tell(LiftHold(code=held[0].code, by="u"))
            held[0].until = self.now

    def consent(self):
        """Give or withdraw a consent, saying whose it is where several people have applied."""
        name, given = self.name_of_consent(), self.draw.random() < 0.75
        applicants, said, refused = self.someone()["applicants"], {}, set()
        only = self.model.only_people().get("applicants")
        if self.draw.random() < 0.5 or (only != applicants and self.draw.random() < 0.7):
            said = {"applicants": PEOPLE["applicants"][applicants]}
        else:
            applicants = only
        if applicants is None:
            refused = {INVALID}
        outcome = self.tell(RecordConsents(consents={name: given}, **said), refused=refused)
        if outcome is not None:
            self.model.personal = True
            self.model.consents.append((applicants, {name: given}))
            self.done.add("consent")

    def renew_with_consent(self):
        """Record every consent of those who were accepted, and let a renewal name none."""
        if self.model.people is not None:
            for name in sorted(self.model.needs_consent(self.now)):
                applicants = self.model.people["applicants"]
                said = {"applicants": PEOPLE["applicants"][applicants]}
                self.tell(RecordConsents(consents={name: True}, **said))
                self.model.consents.append((applicants, {name: True}))
                self.model.personal = True
            self.ask(renewal=True, mapping=False)

    def rectify(self):
        """Correct the accepted applicants, or their company, now and then with new results."""
        model, names = self.model, self.draw.choice((("applicants",), ("company",), sorted(BOTH)))
        said = {name: self.draw.randrange(2) for name in names}
        evidence, records, refused = None, [], set()
        if not model.accepted:
            refused = {"not_possible_now"}
        elif model.erased:
            refused = {"profile_erased"}
        elif self.draw.random() < 0.3:
            evidence, records = self.evidence_of_now()
            people = {**model.only_people(), **said}
            needed = {name for one in records for name in ABOUT.get(one.check, BOTH)}
            if needed - people.keys() or model.ambiguous(records, said):
                refused = {INVALID}
            else:
                for record in records:
                    about_them = ABOUT.get(record.check, BOTH)
                    record.about = {name: people[name] for name in about_them}
                refused = self.conflicts(records)
        given = {name: PEOPLE[name][place] for name, place in said.items()}
        outcome = self.tell(RectifyProfile(**given), refused=refused, evidence=evidence)
        if outcome is None:
            return
        changed = model.correct(said, self.now)
        happened = any(type(event).__name__ == "ProfileRectified" for event in outcome.events)
        self.agree("corrected", happened, bool(changed))
        if changed:
            model.records += records
            self.done.add("corrected")
        self.compare_corrections()
        self.compare_funding()

    def compare_corrections(self):
        """Compare what was replaced, and which referrals are left."""
        replaced = [
            (one.name, one.digest, one.replaced_at) for one in self.merchant.replaced_sections
        ]
        expected = [
            (name, self.profile.digest(PEOPLE[name][place]), at)
            for name, place, at in self.model.corrections
        ]
        self.agree("replaced", sorted(replaced), sorted(expected))
        self.agree(
            "referrals",
            sorted(
                (one.application_id, one.product) for one in self.merchant.referrals if one.rules
            ),
            sorted((one.application_id, one.product) for one in self.model.referrals),
        )

    def erase(self):
        refused, waits = set(), self.model.in_fulfilment(self.now) is not None
        # What is erased already is answered as before, on hold too.
        if self.model.personal and (self.model.on_hold(self.now) or waits):
            refused = {"erasure_not_possible"}
        if self.tell(EraseProfile(), refused=refused) is not None:
            self.model.erased, self.model.referrals, self.model.consents = True, [], []
            # One that comes back is a newcomer with a new profile: the checks went with the old.
            self.model.records, self.model.people, self.model.personal = [], None, False
            self.model.corrections = []
            for one in self.model.decisions:
                one.void |= one.approved
            self.profile = Profile.new(salt=SALT)
            for one in self.model.sets:
                one.people = None
                if one.closed is None and one.expires_at > self.now:
                    one.closed = "withdrawn"
            self.done.add("erased")
            self.compare_corrections()

    # Comparison

    def compare(self):
        """Compare what both answer now and, now and then, when it may change."""
        self.compare_reads()
        if self.draw.random() < 0.25:
            later = [instant for instant in self.instants() if instant > self.now]
            if later:
                now, self.now = self.now, self.draw.choice(later)
                self.compare_reads()
                self.now = now

    def compare_reads(self):
        told = len(self.told)
        self.compare_look_up()
        self.draw.choice(COMPARISONS)(self)
        del self.told[told:]

    def compare_look_up(self):
        model = self.model
        reply = self.tell(LookUp()).reply
        expected, _ = model.eligibility(self.now)
        self.agree("statuses", [one.deal.status for one in reply.deals],
                   [deal.status for deal in model.deals])  # fmt: skip
        for shown, deal in zip(reply.deals, model.deals, strict=True):
            eligible = shown.performance.renewal_eligibility
            if deal is not model.active():
                self.agree("eligibility of an ended deal", eligible, False)
            elif expected is not None:
                self.agree("renewal_eligibility", eligible, expected)
                self.done.add(f"eligible {expected}")
            else:
                self.agree("renewal_eligibility", eligible, self.leads_somewhere())

    def leads_somewhere(self):
        """Whether a renewal requested now has a product for which the rules agree, and room."""
        outcome = self.tell(RequestOffers(request=self.body(renewal=True)), keep=False)
        agreed = self.model.agreed(self.now, self.model.active())
        return any(
            product.decision != "Declined"
            for product in outcome.reply.products
            if product.key in agreed
        )

    def compare_evidence(self):
        self.compare_corrections()
        places = {
            self.profile.digest(content): place
            for contents in PEOPLE.values()
            for place, content in enumerate(contents)
        }
        shown = {
            (one.check, *sorted((name, places[digest]) for name, digest in one.about.items())): (
                one.made_at, one.age_days, one.why
            )
            for one in self.tell(AskEvidence()).reply.checks
        }  # fmt: skip
        self.agree("evidence", shown, self.model.evidence(self.now))
        self.done |= {why for _, _, why in shown.values() if why is not None}

    def compare_next_request(self):
        """What a request would get now: nothing of it is stored."""
        renewal = self.merchant.provider_id is not None and self.draw.random() < 0.7
        self.someone_asks()
        outcome = self.tell(
            RequestOffers(request=self.body(renewal=renewal)),
            refused=self.refusals(renewal=renewal),
            keep=False,
        )
        if outcome is not None:
            self.compare_request(outcome, self.model.base(self.now) if renewal else None)

    def compare_review(self):
        """What a review finds: the eligibility, and what decided it."""
        base = self.model.base(self.now)
        refused = set() if base is not None else {"no_deal_to_renew"}
        outcome = self.tell(ReviewRenewal(), refused=refused, keep=False)
        if outcome is None:
            return
        eligible, decided_by = self.model.invitation(self.now, base)
        review = outcome.reply
        if eligible is not None:
            self.agree(
                "review", (review.renewal_eligibility, review.decided_by), (eligible, decided_by)
            )

    def compare_required_checks(self):
        """Which checks a request needs, and why."""
        renewal = self.merchant.provider_id is not None and self.draw.random() < 0.6
        self.someone_asks()
        outcome = self.tell(
            RequireChecks(request=self.body(renewal=renewal)),
            refused=self.refusals(renewal=renewal),
        )
        if outcome is not None:
            shown = {
                one.name: (one.why, one.not_before, one.consent) for one in outcome.reply.checks
            }
            self.agree("required", shown, self.model.required(self.now, renewal=renewal))

    def compare_funding(self):
        """
        What a funding needs, and what holds it back: the question, the list for people, and the
        funding itself agree.
        """
        application = self.model.in_fulfilment(self.now)
        if application is None:
            return
        about = {"application_id": application.application_id}
        reply = self.tell(RequireChecks(**about)).reply
        checks = {one.name: (one.why, one.consent) for one in reply.checks}
        self.agree(
            "checks for funding", checks, self.model.checks_for_funding(self.now, application)
        )
        self.agree("held back", bool(reply.held_back), self.model.waits(self.now, application))
        listed = [one.application_id for one in self.tell(AskReferrals()).reply.referrals]
        by_rules = any(self.model.funding(self.now, application))
        self.agree("waits for a person", application.application_id in listed, by_rules)
        self.done |= {"failed"} & {why for why, _ in checks.values()}

    def compare_assessment(self):
        """The assessment of the base deal, without any approval of one product."""
        base = self.model.base(self.now)
        refused = set() if base is not None else {"no_deal_to_renew"}
        outcome = self.tell(AssessRenewal(), refused=refused)
        if outcome is not None:
            facts = self.model.facts(self.now, base)
            expected = self.model.assessed(self.now, base, None, facts)
            self.agree("assessment", outcome.reply.outcome, expected.outcome)


COMPARISONS = (
    History.compare_evidence,
    History.compare_next_request,
    History.compare_review,
    History.compare_required_checks,
    History.compare_funding,
    History.compare_assessment,
)
STEPS = {
    "record_checks": 5, "ask_initial": 3, "ask_renewal": 4, "renew": 2, "accept": 2, "fund": 2,
    "close": 0.5, "remit": 2, "reverse": 0.7, "default": 0.7, "reinstate": 0.7, "mistake": 3,
    "sell": 0.25, "decide": 4, "decide_funding": 1, "hold": 0.5, "lift": 1.5, "consent": 0.4,
    "decline_offers": 1.5, "withdraw_offers": 1, "erase": 0.1, "rectify": 1,
    # Only where they are favoured; elsewhere their parts are drawn one by one.
    "renew_less_paid": 0, "renew_with_consent": 0, "wait_on_hold": 0,
}  # fmt: skip
# The consents that an offer and a check may need.
CONSENTS = ("terms", "search")
# Two of each that applications may name.
PEOPLE = {
    "applicants": (Opaque("[{}]"), Opaque('[{"name":"B"}]')),
    "company": (Opaque("{}"), Opaque('{"name":"B"}')),
}


def results(records):
    return [CheckResult(check=one.check, made_at=one.made_at, facts=one.facts) for one in records]


def shown(told):
    """One line of a history: what was done when, and what came of it."""
    words = []
    for part in told:
        if isinstance(part, datetime):
            words.append(part.isoformat())
        elif isinstance(part, OffersRequest):
            words.append("renewal" if part.renewal else "initial")
        elif part and isinstance(part, list) and isinstance(part[0], CheckResult):
            words += [f"{one.check} {one.made_at} {dict(one.facts)}" for one in part]
        elif part not in (None, {}):
            words.append(str(part)[:300])
    return "  ".join(words)


def issued(outcome):
    """The event of a request for offers."""
    return next(event for event in outcome.events if hasattr(event, "offer_set"))
