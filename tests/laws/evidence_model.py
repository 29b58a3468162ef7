"""
An independent model of one merchant: what is held of its checks, and who may have what.

It was written from the decisions and the service alone. It keeps a list of everything that ever
happened and works each answer out from the whole list, with dates and fractions. It shares nothing
with the lifecycle of holdback: of the rules it has the interpreter, which defines what a rule
means, and of prices only what an offer says.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from zoneinfo import ZoneInfo

from holdback.rules import interpret

CREDIT = "consumer_credit"
# Whom a result is about, by the name of its check; one that is not here is about both.
ABOUT = {
    "identity": {"applicants"}, "business": {"company"}, CREDIT: {"applicants"},
    "takings": {"company"},
}  # fmt: skip
BOTH = {"applicants", "company"}
# Takings given as evidence count until this number of days is recorded.
WINDOW = 90


@dataclass
class Record:
    """One result of a check."""

    check: str
    made_at: datetime
    facts: dict
    about: dict = field(default_factory=dict)


def about(check, people):
    """Those of the *people* whom the check is about; None where nobody is known."""
    return people and {name: people[name] for name in ABOUT.get(check, BOTH)}


@dataclass
class Referral:
    """A product that was `Referred`, with the referring rules that were false or unknown."""

    application_id: str
    product: str
    base: Deal | None
    rules: frozenset
    people: dict


@dataclass
class IssuedSet:
    """One set of offers; `closed` is `accepted`, `withdrawn` or `declined`, or None."""

    application_id: str
    base: Deal | None
    expires_at: datetime
    offer_ids: dict  # the product of each
    renewal: bool
    knew: dict
    people: dict | None
    issued_at: datetime
    closed: str | None = None
    by_lender: bool = False  # it withdrew them, which is their expiry


@dataclass
class AcceptedApplication:
    """An accepted application, of which the status is worked out when it is asked for."""

    application_id: str
    base: Deal | None
    accepted_at: datetime
    lapses_at: datetime
    renewal: bool
    product: str
    knew: dict
    ended: str | None = None


# The facts that are amounts, here in minor units.
MONEY = (
    "balance",
    "funded_amount",
    "repayment_amount",
    "average_monthly_takings",
    "refunds_due",
    "fees_owed",
)


@dataclass(eq=False)
class Deal:
    """A funded deal; amounts are in minor units."""

    id: str
    type: str
    funded_on: date
    funded: int
    repayment: int
    term_days: int
    base: Deal | None = None
    entries: dict = field(default_factory=dict)
    taken_back: set = field(default_factory=set)
    settled: int = 0
    waived: int = 0
    last_entry_on: date = date.min
    ended: str | None = None
    ended_on: date | None = None
    complete_through: date | None = None

    def counted(self):
        """The entries that count, by day."""
        return sorted(
            (on, name, amount)
            for name, (on, amount) in self.entries.items()
            if name not in self.taken_back
        )

    def renewals(self):
        """How many renewals in a row led to this deal, itself included."""
        return 0 if self.base is None else 1 + self.base.renewals()

    def remitted(self):
        return sum(amount for _, _, amount in self.counted())

    def overpaid(self):
        return max(0, self.remitted() + self.settled - self.repayment)

    def repaid_on(self):
        """The day of the entry that completed the repayment amount."""
        paid = self.settled
        for on, _, amount in self.counted():
            paid += amount
            if paid >= self.repayment:
                return on
        return None

    @property
    def status(self):
        if self.ended is not None:
            return self.ended
        return "Repaid" if self.repaid_on() is not None else "Funded"

    def trouble(self):
        """What a lender looks at before it pays out more."""
        unpaid = max(0, self.repayment - self.remitted() - self.settled)
        ended = self.ended in {"Cancelled", "Renewed"}
        return (
            self.ended == "Defaulted", self.status == "Funded", self.overpaid(),
            unpaid - self.waived if ended else 0,
        )  # fmt: skip

    def balance(self):
        if self.status not in {"Funded", "Defaulted"}:
            return 0
        return max(0, self.repayment - self.remitted() - self.settled)


@dataclass
class PersonsDecision:
    """An approval of some rules, or a decline, for one product and one base deal."""

    product: str
    base: Deal | None
    approved: bool
    rules: frozenset
    until: datetime
    people: dict
    void: bool = False


@dataclass
class HoldPeriod:
    """A hold from `since` on; `until` is None while it lasts."""

    code: str
    since: datetime
    until: datetime | None = None


@dataclass
class Assessed:
    """The outcome of the renewal rules, with the rules that were false and those unknown."""

    outcome: str
    false: list = field(default_factory=list)
    unknown: list = field(default_factory=list)
    needs: set = field(default_factory=set)


def name_of(scope, rule):
    """What identifies a rule: an approval does not lift one that was changed since."""
    return scope, rule.id, rule.require, rule.when


class Model:
    """Everything that ever happened to a merchant, and the answers that follow from it."""

    def __init__(self, rulebook_on, *, room=None):
        """
        Make the model of a new merchant, by the rulebooks that *rulebook_on* returns for each day.

        *room* returns the largest amount of a product in minor units; None if it is not known.
        """
        self.rulebook_on = rulebook_on
        self.room = room
        self.records = []
        self.sets = []
        self.accepted = []
        self.deals = []
        self.takings = {}
        self.takings_complete_through = None
        self.referrals = []
        self.decisions = []
        self.holds = []
        # What applicants said of their consents, by name, since the last erasure.
        self.consents = []
        self.erased = False
        # Those of the accepted application, and of one that is asked for now.
        self.people = None
        self.asking = None
        # The consents that the request which is asked for now names.
        self.naming = {}
        # What the sections of the accepted ones were before a correction, and when it was made.
        self.corrections = []
        # Whether anything personal came since the last erasure.
        self.personal = True
        self.zone = ZoneInfo(rulebook_on(date(2026, 7, 1)).timezone)

    # Days and rules

    def day(self, at):
        """The local day of the instant *at*."""
        return at.astimezone(self.zone).date()

    def rulebook(self, at):
        return self.rulebook_on(self.day(at))

    # Evidence: the newest record by `made_at` decides, in whichever order records arrived.

    def newest(self, check, people):
        """The newest record of *check* about *people*, None if there is none."""
        newest, whom = None, about(check, people)
        for record in self.records:
            if (record.check, record.about) != (check, whom):
                continue
            if newest is None or record.made_at > newest.made_at:
                newest = record
        return newest

    def who(self, base):
        """Whom a request is about: a renewal of *base* about those who were accepted."""
        return self.asking if base is None else self.people

    def last_people(self):
        """Those of the newest application that says who they are."""
        accepted = max((one.accepted_at for one in self.accepted), default=None)
        newer = [
            one
            for one in self.sets
            if one.people is not None and (accepted is None or one.issued_at > accepted)
        ]
        return max(newer, key=lambda one: one.issued_at).people if newer else self.people

    def only_people(self):
        """Of each section, the only one that applications name; none where there are several."""
        accepted = max((one.accepted_at for one in self.accepted), default=None)
        said = [self.people] + [
            one.people for one in self.sets if accepted is None or one.issued_at > accepted
        ]
        names = {name: {one[name] for one in said if one is not None} for name in BOTH}
        return {name: said.pop() for name, said in names.items() if len(said) == 1}

    # Consents: what applicants said last of each counts for them, and for nobody else.

    def given(self, people, naming):
        """The consents of *people*, with those that a request is *naming*."""
        said = {}
        for applicants, names in self.consents:
            if people is not None and people["applicants"] == applicants:
                said |= names
        return {name for name, given in (said | naming).items() if given}

    def needs_consent(self, at):
        """The consents that a check or an offer needs."""
        rulebook = self.rulebook(at)
        return {*rulebook.consents, *(terms.consent for terms in rulebook.checks.values())} - {None}

    def accept(self, people):
        """Keep whom an accepted initial application is about: what it says was not replaced."""
        self.erased, self.people = False, people
        self.corrections = [one for one in self.corrections if people[one[0]] != one[1]]

    def correct(self, said, at):
        """Correct the sections *said*; return which of them were another before."""
        changed = {name: place for name, place in said.items() if self.people[name] != place}
        for name, place in changed.items():
            old = self.people[name]
            self.people = {**self.people, name: place}
            for one in self.sets:
                if one.people is not None and one.people[name] == old:
                    one.people = {**one.people, name: place}
            self.referrals = [one for one in self.referrals if one.people[name] != old]
            held = [one for one in self.corrections if one[:2] != (name, place)]
            self.corrections = [*held, (name, old, at)]
        return changed

    def ambiguous(self, records, said):
        """Whether a section of *records* is not *said*, and was corrected since one was made."""
        return any(
            name in ABOUT.get(record.check, BOTH) - said.keys() and record.made_at < at
            for record in records
            for name, _, at in self.corrections
        )

    def age(self, record, at):
        """The age of a record in local days."""
        return (self.day(at) - self.day(record.made_at)).days

    def due_since(self, at, record):
        """The instant from which a check after *record* is due again; None when none is due."""
        if not self.rulebook(at).automated_decisioning:
            return None
        last_accepted = max((one.accepted_at for one in self.accepted), default=None)
        expired = [
            one.expires_at
            for one in self.sets
            if one.offer_ids and one.closed is None and one.expires_at <= at
        ]
        expired = [end for end in expired if last_accepted is None or end > last_accepted]
        due = max(expired, default=None)
        if due is None or (record is not None and record.made_at >= due):
            return None
        return due

    def why(self, terms, at, record):
        """Why the *record* of a check does not count at *at*: None while it counts."""
        if terms.name == CREDIT and self.due_since(at, record) is not None:
            return "due_again"
        if record is None:
            return "missing"
        if terms.max_age_days is not None and self.age(record, at) > terms.max_age_days:
            return "too_old"
        return None

    def evidence(self, at):
        """The newest record of each check and person: its instant, age, and why it is not used."""
        held, last = {}, self.last_people()
        for terms in self.rulebook(at).checks.values():
            for whom in [one.about for one in self.records if one.check == terms.name]:
                same = [r for r in self.records if (r.check, r.about) == (terms.name, whom)]
                record = max(same, key=lambda one: one.made_at)
                others = last is not None and about(terms.name, last) != whom
                corrected = any(whom.get(name) == old for name, old, _ in self.corrections)
                why = "corrected" if corrected else "about_others"
                why = why if others else self.why(terms, at, record)
                held[terms.name, *sorted(whom.items())] = (
                    record.made_at, self.age(record, at), why
                )  # fmt: skip
        return held

    def evidence_facts(self, at, people):
        """The facts of all checks, and the ages of those that have one."""
        rulebook, facts = self.rulebook(at), {}
        for terms in rulebook.checks.values():
            record = self.newest(terms.name, people)
            if record is None:
                continue
            if self.why(terms, at, record) is None and terms.name != "takings":
                facts |= {name: record.facts.get(name) for name in terms.facts}
                if terms.name == CREDIT:
                    # The day of the check is that of its record, which always has one.
                    facts["credit_checked_on"] = self.day(record.made_at)
            if rulebook.catalogue.fact(f"{terms.name}_age_days") is not None:
                facts[f"{terms.name}_age_days"] = self.age(record, at)
        return facts

    def required(self, at, *, renewal):
        """
        The checks that a request needs, with why, from when, and the consent that is missing.

        They are those that the rules of the request read; a fact that a check did not give is
        missing. A second credit check is always made. A renewal takes the takings from history,
        and calculators need them in an initial application.
        """
        rulebook, checks = self.rulebook(at), {}
        rules = [rule for terms in rulebook.products for rule in terms.rules.rules]
        rules += rulebook.renewal.rules if renewal else ()
        read = {name for rule in rules for name in rule.checked.names}
        people = self.people if renewal else self.asking
        given = self.given(people, {} if renewal else self.naming)
        facts = self.facts(at, None, people)
        for terms in rulebook.checks.values():
            record = self.newest(terms.name, people)
            why = self.why(terms, at, record)
            names = {*terms.facts, f"{terms.name}_age_days"} & read
            if terms.name == "takings":
                names = set() if renewal else set(terms.facts)
            lacking = any(facts[rulebook.catalogue.place(name)] is None for name in names)
            # Takings that are recorded are known, however old those are that were given.
            stale = why is not None and bool(names) and terms.name != "takings"
            if lacking or stale or why == "due_again":
                from_then = self.due_since(at, record) if why == "due_again" else None
                consent = None if terms.consent in given else terms.consent
                checks[terms.name] = (why or "missing", from_then, consent)
        return checks

    # Takings: recorded ones once 90 days are complete, given ones before.

    def recorded_takings(self, at):
        """The average of a month in minor units and the trend, None where they are not known."""
        today, through = self.day(at), self.takings_complete_through
        if through is None or not self.takings or through < today - timedelta(days=1):
            return None, None
        since = min(self.takings)

        def total(first, last):
            days = [today - timedelta(days=back) for back in range(first, last + 1)]
            if since > days[-1]:
                return None
            return sum(self.takings[one][0] for one in days if one in self.takings)

        window, new, old = total(1, WINDOW), total(1, 30), total(31, 60)
        average = None if window is None else Fraction(window * 365, 12 * WINDOW)
        trend = None if not old else Fraction(new * 100, old)
        return average, trend

    def recorded_over(self, record):
        """Whether 90 complete days are recorded, none of them before the takings were given."""
        through = self.takings_complete_through
        if not self.takings or through is None or self.day(record.made_at) > through:
            return False
        return (through - min(self.takings)).days + 1 >= WINDOW

    def takings_facts(self, at, people):
        """The takings of a company: those recorded are of the one that was accepted."""
        facts = {}
        record, terms = self.newest("takings", people), self.rulebook(at).checks["takings"]
        counts = record is not None and self.why(terms, at, record) is None
        own = self.people is None or (people and people["company"] == self.people["company"])
        if counts:
            given = record.facts.get("months_trading")
            if given is not None:
                facts["months_trading"] = given + _months(self.day(record.made_at), self.day(at))
        average, trend = self.recorded_takings(at) if own else (None, None)
        if average is not None:
            facts["average_monthly_takings"] = average.numerator // average.denominator
        elif counts and not (own and self.recorded_over(record)):
            facts["average_monthly_takings"] = record.facts.get("average_monthly_takings")
        if trend is not None:
            facts["takings_trend"] = _percent(trend)
        return facts

    # Deals

    def active(self):
        return next((deal for deal in self.deals if deal.status == "Funded"), None)

    def base(self, at):
        """The deal that a renewal is based on: the active one, or the one repaid last."""
        if self.active() is not None:
            return self.active()
        days = self.rulebook(at).recently_active_days
        repaid = [deal for deal in self.deals if deal.status == "Repaid"]
        recent = [deal for deal in repaid if (self.day(at) - deal.repaid_on()).days <= days]
        return max(recent, key=lambda deal: deal.repaid_on(), default=None)

    def deal_facts(self, deal, at):
        """The facts of the base *deal* on the day of *at*."""
        today, repaid_on = self.day(at), deal.repaid_on()
        end = repaid_on if deal.status == "Repaid" else today
        elapsed, to_end = (today - deal.funded_on).days, (end - deal.funded_on).days
        facts = {
            "progress": _percent(min(100, Fraction(deal.remitted() * 100, deal.repayment))),
            "balance": deal.balance(),
            "status": deal.status,
            "deal_type": deal.type,
            "funded_amount": deal.funded,
            "repayment_amount": deal.repayment,
            "days_since_funding": elapsed,
            "months_since_funding": _months(deal.funded_on, today),
            "renewals_in_chain": deal.renewals(),
            "remaining_term_days": max(0, deal.term_days - to_end),
            # No history of these has a pause.
            "paused": False,
            "days_in_pause": 0,
        }
        if to_end > 0:
            expected = min(deal.repayment, Fraction(deal.repayment * to_end, deal.term_days))
            facts["performance"] = _percent(deal.remitted() * 100 / Fraction(expected))
        needed = today - timedelta(days=1)
        if deal.status == "Repaid":
            needed = min(needed, repaid_on)
        if deal.complete_through is not None and deal.complete_through >= needed:
            last = max((on for on, _, amount in deal.counted() if amount), default=deal.funded_on)
            facts["days_since_last_remittance"] = (today - last).days
            missed = {deal.entries[name][0] for name in deal.taken_back}
            missed -= {on for on, _, amount in deal.counted() if amount}
            facts["missed_remittances_30d"] = sum(
                end - timedelta(days=30) <= on < end for on in missed
            )
            paid, run, longest = {on for on, _, amount in deal.counted() if amount}, 0, 0
            for day in (end - timedelta(days=ago) for ago in range(90, 0, -1)):
                run = 0 if day in paid or day < deal.funded_on else run + 1
                longest = max(longest, run)
            facts["longest_silence_90d"] = longest
        return facts

    def counts(self, base):
        """The counts of earlier deals, which are always known."""
        others = [deal for deal in self.deals if deal is not base]
        return {
            "deals_completed": sum(deal.status in {"Repaid", "Renewed"} for deal in others),
            "deals_defaulted": sum(deal.status == "Defaulted" for deal in self.deals),
            # Nobody writes off or recovers in these histories (the bookkeeper's are about that).
            "deals_written_off": 0,
            "deals_recovered": 0,
            "refunds_due": sum(deal.overpaid() for deal in self.deals),
            "fees_owed": 0,
        }

    def facts(self, at, base, people=None):
        """All facts at *at*, prepared for rules; of an initial application without a *base*."""
        people = people or self.who(base)
        facts = self.evidence_facts(at, people) | self.takings_facts(at, people)
        facts |= self.counts(base)
        if base is not None:
            facts |= self.deal_facts(base, at)
        catalogue = self.rulebook(at).catalogue
        for name in MONEY:
            if isinstance(facts.get(name), int):
                facts[name] = Decimal(facts[name]).scaleb(-catalogue.currency.places)
        return catalogue.prepare(facts)

    # Rules

    def assessed(self, at, base, product, facts):
        """The assessment of a renewal for a *product*: approvals lift rules for it alone."""
        rulebook = self.rulebook(at)
        progress = facts[rulebook.catalogue.place("progress")]
        if progress is None:
            return Assessed("undetermined", needs={"progress"})
        if progress < 50 * 10**4:
            return Assessed("not_assessed")
        lifted = self.lifted(at, base, product)
        false, unknown = _answers("renewal", rulebook.renewal.rules, facts, lifted)
        needs = _unknown_facts(unknown, facts, rulebook.catalogue)
        if any(rule.otherwise == "decline" for rule in false):
            return Assessed("ineligible", false, unknown, needs)
        if unknown:
            return Assessed("undetermined", false, unknown, needs)
        return Assessed("referred" if false else "eligible", false, unknown, needs)

    def decide(self, decision):
        """Keep a person's *decision*: it replaces the last one about the same product and deal."""
        self.decisions = [
            one
            for one in self.decisions
            if (one.product, one.base) != (decision.product, decision.base)
        ]
        self.decisions.append(decision)

    def declined_by_a_person(self, at, product):
        """Whether a decline of *product* holds, of whichever kind the application was."""
        return any(
            one.product == product and not one.approved and at < one.until for one in self.decisions
        )

    def lifted(self, at, base, product, people=None):
        """The rules that are lifted: what was decided last about a product and deal holds."""
        decided = [one for one in self.decisions if (one.product, one.base) == (product, base)]
        if not decided or decided[-1].void or at >= decided[-1].until:
            return frozenset()
        if decided[-1].people != (people or self.who(base)):
            return frozenset()
        return decided[-1].rules if decided[-1].approved else frozenset()

    def decision(self, at, base, terms, facts):
        """
        The decision on a product; `Accepted or Declined` where pricing alone could tell.

        A person's decline comes first, then the renewal rules and the product's own; a hold and a
        consent that is missing keep back what would be accepted.
        """
        rulebook = self.rulebook(at)
        if self.declined_by_a_person(at, terms.key):
            return "Declined"
        if base is not None:
            outcome = self.assessed(at, base, terms.key, facts).outcome
            if outcome != "eligible":
                return "Declined" if outcome in {"ineligible", "not_assessed"} else "Referred"
        lifted = self.lifted(at, base, terms.key)
        false, unknown = _answers(terms.key, terms.rules.rules, facts, lifted)
        if any(rule.otherwise == "decline" for rule in false):
            return "Declined"
        if false or unknown:
            return "Referred"
        given = self.given(self.who(base), self.naming if base is None else {})
        held_back = self.on_hold(at) or set(rulebook.consents) - given
        accepted = "Referred" if held_back else "Accepted"
        if self.room is None:
            return f"{accepted} or Declined"
        no_room = base is not None and self.room(terms) <= base.balance()
        return "Declined" if no_room else accepted

    def referring(self, at, base, terms, facts):
        """The rules that a person may approve for a product: those that refer it, or would."""
        names = set()
        scopes = [(terms.key, terms.rules.rules)]
        if base is not None:
            scopes.append(("renewal", self.rulebook(at).renewal.rules))
        for scope, rules in scopes:
            false, unknown = _answers(scope, rules, facts, frozenset())
            referring = [rule for rule in false + unknown if rule.otherwise == "refer"]
            names |= {name_of(scope, rule) for rule in referring}
        return frozenset(names)

    # Fundings: the application in fulfilment is about those who were accepted.

    def funding(self, at, application, *, approved=True):
        """The funding rules that are false and unknown, less those *approved* by a person."""
        base, people = application.base, self.people
        lifted = frozenset()
        if approved:
            lifted = self.lifted(at, base, application.product, people)
        facts = self.facts(at, base, people)
        return _answers("funding", self.rulebook(at).funding.rules, facts, lifted)

    def waits(self, at, application):
        """Whether a rule or a person holds the payout back."""
        return any(self.funding(at, application)) or self.needs_a_person(
            at, application.knew, application.product
        )

    def checks_for_funding(self, at, application):
        """The checks that are to be made again for a funding, why, and the consent they lack."""
        rulebook, checks = self.rulebook(at), {}
        false, unknown = self.funding(at, application)
        read = {name for rule in false + unknown for name in rule.checked.names}
        facts = self.facts(at, application.base, self.people)
        for terms in rulebook.checks.values():
            names = {*terms.facts, f"{terms.name}_age_days"} & read
            if not names or (terms.name == "takings" and self.active() is not None):
                continue
            why = self.why(terms, at, self.newest(terms.name, self.people))
            lacking = any(facts[rulebook.catalogue.place(name)] is None for name in names)
            consent = None if terms.consent in self.given(self.people, {}) else terms.consent
            checks[terms.name] = (why or ("missing" if lacking else "failed"), consent)
        return checks

    # The service

    def trouble(self):
        return {deal.id: deal.trouble() for deal in self.deals}

    def needs_a_person(self, at, knew, product):
        """Whether more is known against the merchant than *knew*, when the product was offered."""
        worse = any(
            is_ > was
            for name, now in self.trouble().items()
            for is_, was in zip(now, knew.get(name, (False, False, 0, 0)), strict=True)
        )
        declined = any(
            one.product == product and not one.approved and at < one.until for one in self.decisions
        )
        return worse or declined or bool(self.on_hold(at))

    def on_hold(self, at):
        return any(hold.since <= at and hold.until is None for hold in self.holds)

    def lapse(self, application, at):
        """When an application lapses as seen at *at*: the time on hold does not count."""
        end = application.lapses_at
        if any(hold.until is None for hold in self.holds):
            at_most = min(hold.since for hold in self.holds if hold.until is None)
            end += max(timedelta(0), at - max(at_most, application.accepted_at))
            at = at_most
        covered = application.accepted_at
        for hold in sorted(self.holds, key=lambda one: one.since):
            first, last = max(hold.since, covered), min(hold.until or at, at)
            if last > first and first < end:
                end += last - first
            covered = max(covered, last)
        return end

    def in_fulfilment(self, at):
        """The application in fulfilment at *at*, None without one."""
        return next(
            (one for one in self.accepted if one.ended is None and at < self.lapse(one, at)), None
        )

    def eligibility(self, at):
        """
        The renewal eligibility of the active deal, and what decided it.

        It is None where only a price could tell.
        """
        base = self.active()
        return (False, "rules") if base is None else self.invitation(at, base)

    def agreed(self, at, base):
        """The products for which the renewal rules agree, with what approvals lift for each."""
        facts = self.facts(at, base)
        return {
            terms.key
            for terms in self.rulebook(at).products
            if self.assessed(at, base, terms.key, facts).outcome == "eligible"
        }

    def invitation(self, at, base):
        """The same for the deal *base*: one that has ended is never one to invite for."""
        barred = self.erased or self.on_hold(at) or self.in_fulfilment(at) is not None
        if barred or base is not self.active():
            return False, "service"
        facts, agreed = self.facts(at, base), self.agreed(at, base)
        decisions = {
            self.decision(at, base, terms, facts)
            for terms in self.rulebook(at).products
            if terms.key in agreed
        }
        if not agreed:
            return False, "rules"
        if decisions == {"Declined"}:
            return False, "products"
        if decisions & {"Accepted", "Referred"}:
            return True, "products"
        return None, None


def _answers(scope, rules, facts, lifted):
    """The rules that are false and those that are unknown, less the referring ones in *lifted*."""
    false, unknown = [], []
    for rule in rules:
        answer = interpret(rule.checked, facts)
        if rule.otherwise == "refer" and name_of(scope, rule) in lifted:
            continue
        if answer is None:
            unknown.append(rule)
        elif not answer:
            false.append(rule)
    return false, unknown


def _unknown_facts(rules, facts, catalogue):
    places = {place for rule in rules for place in rule.checked.facts if facts[place] is None}
    return {catalogue.facts[place].name for place in places}


def _percent(fraction):
    """A percentage with four decimals, rounded down."""
    return Decimal(Fraction(fraction) * 10**4 // 1).scaleb(-4)


def _months(first, last):
    """The whole months between two days, each a twelfth of 365 days."""
    return max(0, Fraction((last - first).days, 1) // Fraction(365, 12))
