"""
The results of the host's checks: how they are recorded, and what they say on a day.

Of each check the newest record counts, whichever request brought it, and in whichever order records
arrive, but only for those whom it is about: the applicants and the company, by the digests of their
sections. A result that is too old for the jurisdiction is unknown, and so is a credit check from
before offers expired unaccepted (decisions/evidence).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from datetime import date, datetime
from typing import Final

from attrs import evolve
from pendulum import DateTime

from holdback.eligibility.derived_facts import (
    as_number,
    held_evidence,
    recorded_over,
    takings_facts,
    whole_months,
)
from holdback.eligibility.facts import (
    BUILT_IN_FACTS,
    DEAL,
    EVIDENCE,
    EVIDENCE_FACTS,
    INITIAL_EVIDENCE,
)
from holdback.errors import ErrorDetail, InvalidDocument, did_you_mean
from holdback.exact.exact_json import Json, shown_path
from holdback.frozen_classes import frozen
from holdback.lifecycle.context import CheckResult
from holdback.merchant.application import PEOPLE, Check, CheckRecord
from holdback.merchant.deal import REPAID, Deal
from holdback.merchant.instants import local_date, start_of_day
from holdback.merchant.merchant import (
    ClosedOfferSet,
    CreditCheckDue,
    Merchant,
    OfferSet,
    ended_at,
)
from holdback.merchant.offer import LEFT_TO_EXPIRE
from holdback.rulebooks.rulebook import CheckTerms, Rulebook
from holdback.rules.types import Catalogue

TAKINGS: Final = "takings"
COMPANY: Final = "company"


def newest_record(
    merchant: Merchant, terms: CheckTerms, sections: Mapping[str, str]
) -> CheckRecord | None:
    """Return the newest record of the check that is about *sections*, None if there is none."""
    about = about_sections(terms, sections)
    held = (
        record
        for record in merchant.checks
        if about and record.check == terms.name and record.about == about
    )
    return max(held, key=lambda record: record.made_at, default=None)


def newest_records(checks: Iterable[CheckRecord], name: str) -> Iterable[CheckRecord]:
    """Return the newest record of the check *name* for each of whom it is about."""
    newest: dict[tuple[str, ...], CheckRecord] = {}
    for record in checks:
        if record.check == name:
            key = record.key
            earlier = newest.get(key, record)
            newest[key] = max(earlier, record, key=lambda held: held.made_at)
    return newest.values()


def about_sections(terms: CheckTerms, sections: Mapping[str, str]) -> dict[str, str] | None:
    """Return those of *sections* and deal that a check is about, None if one is not there."""
    about = {name: sections[name] for name in terms.about if name in sections}
    return about if len(about) == len(terms.about) else None


def base_deal(merchant: Merchant, rulebook: Rulebook, today: date) -> Deal | None:
    """
    Return the deal that a renewal would be based on (service 1), None without one.

    It is the active deal, or else the deal repaid last, within `recently_active_days`.
    """
    if merchant.active_deal is not None:
        return merchant.active_deal
    repaid = [
        (deal.repaid_on, deal)
        for deal in merchant.deals
        if deal.status == REPAID and deal.repaid_on is not None
    ]
    if not repaid:
        return None
    on, deal = max(repaid, key=lambda day_and_deal: day_and_deal[0])
    return deal if (today - on).days <= rulebook.recently_active_days else None


def with_deal(sections: Mapping[str, str], deal: Deal | None) -> Mapping[str, str]:
    """Return *sections* with the id of the *deal*, which some checks are about as well."""
    return sections if deal is None else {**sections, DEAL: deal.id}


def newest_sections(merchant: Merchant) -> Mapping[str, str]:
    """Return the sections of the newest application that says who the merchant is."""
    newer = sets_since_acceptance(merchant)
    newest = max(newer, key=lambda offer_set: offer_set.issued_at, default=None)
    return merchant.sections if newest is None else newest.sections


def sets_since_acceptance(merchant: Merchant) -> list[OfferSet]:
    """Return the sets of initial applications that are newer than the last acceptance."""
    accepted = merchant.last_accepted_at
    return [
        offer_set
        for offer_set in merchant.offer_sets
        if not offer_set.renewal
        and offer_set.sections
        and (accepted is None or offer_set.issued_at > accepted)
    ]


def only_people(merchant: Merchant) -> dict[str, str]:
    """Return those sections of people of which the merchant's applications have only one."""
    newer = sets_since_acceptance(merchant)
    named = [merchant.sections, *(offer_set.sections for offer_set in newer)]
    held = {name: {sections[name] for sections in named if name in sections} for name in PEOPLE}
    return {name: digests.pop() for name, digests in held.items() if len(digests) == 1}


@frozen(kw_only=True)
class CheckState:
    """
    A check of the jurisdiction on a day: its newest record and how old it is.

    `why` says why its facts are unknown: it is `missing`, `too_old`, or `due_again` after offers
    expired unaccepted; None while the record counts. One that is due again counts from `not_before`
    on.
    """

    terms: CheckTerms
    record: CheckRecord | None
    age_days: int | None
    why: str | None
    not_before: DateTime | None = None


def check_states(
    merchant: Merchant, rulebook: Rulebook, at: DateTime, sections: Mapping[str, str]
) -> Iterator[CheckState]:
    """
    Yield every check of the jurisdiction with what is held of it at the instant *at*.

    That is what is about the *sections* of an application, or of the merchant in a renewal and the
    deal that is renewed.
    """
    for terms in rulebook.checks.values():
        record = newest_record(merchant, terms, sections)
        yield check_state(merchant, rulebook, at, terms, record)


def check_state(
    merchant: Merchant,
    rulebook: Rulebook,
    at: DateTime,
    terms: CheckTerms,
    record: CheckRecord | None,
) -> CheckState:
    """Return the state of a check of which the newest result is *record*."""
    due = second_check_due(merchant, rulebook, at) if terms.name == CREDIT else None
    age = None
    if record is not None:
        age = max(0, (rulebook.on - local_date(record.made_at, rulebook.zone)).days)
    why = None
    if due is not None and (record is None or record.made_at < due):
        why = "due_again"
    elif age is None:
        why = "missing"
    elif terms.max_age_days is not None and age > terms.max_age_days:
        why = "too_old"
    return CheckState(
        terms=terms,
        record=record,
        age_days=age,
        why=why,
        not_before=due if why == "due_again" else None,
    )


def required_check(state: CheckState, given: Container[str]) -> Check:
    """Return the check of *state* as one to be carried out; *given* are the consents given."""
    terms = state.terms
    return Check(
        name=terms.name,
        evidence=terms.facts,
        why=state.why or "missing",
        not_before=state.not_before,
        consent=None if terms.consent is None or terms.consent in given else terms.consent,
    )


def evidence_facts(
    merchant: Merchant, rulebook: Rulebook, at: DateTime, sections: Mapping[str, str]
) -> dict[str, int | None]:
    """
    Return what checks and recorded takings say of *sections* at the instant *at*, by name.

    The age of a check is known even when its result is too old. The takings that were recorded day
    by day are those of the company that was accepted.
    """
    facts: dict[str, int | None] = {}
    catalogue = rulebook.catalogue
    recorded = merchant.sections.get(COMPANY) in {None, sections.get(COMPANY)}
    for state in check_states(merchant, rulebook, at, sections):
        if state.record is None:
            continue
        facts[f"{state.terms.name}_age_days"] = state.age_days
        if state.why is None:
            facts |= _read(state.record, state.terms, catalogue)
        if state.terms.name == TAKINGS:
            made_on = local_date(state.record.made_at, rulebook.zone)
            over = recorded and recorded_over(merchant, made_on)
            facts |= _takings_today(facts, made_on, rulebook.on, over=over)
    return facts | takings_facts(merchant, rulebook.on) if recorded else facts


def _read(record: CheckRecord, terms: CheckTerms, catalogue: Catalogue) -> dict[str, int | None]:
    return {
        name: as_number(name, record.facts[name], catalogue)
        for name in terms.facts
        if name in record.facts
    }


def _takings_today(
    facts: Mapping[str, int | None], made_on: date, today: date, *, over: bool
) -> dict[str, int | None]:
    """Return what a statement of the day *made_on* says today: months pass; *over*, no average."""
    changed: dict[str, int | None] = {}
    months = facts.get("months_trading")
    if months is not None:
        changed["months_trading"] = months + whole_months(max(0, (today - made_on).days))
    if over:
        changed["average_monthly_takings"] = None
    return changed


def second_check_due(merchant: Merchant, rulebook: Rulebook, at: DateTime) -> DateTime | None:
    """
    Return the instant from which a credit check counts, None if any does.

    With automated decisioning, offers that expired unaccepted require a second check (service 3,
    decisions/evidence). One made since then satisfies every later request.
    """
    expired = expired_unaccepted(merchant, at)
    return None if expired is None or not rulebook.automated_decisioning else expired.expired_at


def expired_unaccepted(merchant: Merchant, at: datetime) -> CreditCheckDue | None:
    """Return what the last set of offers that expired unaccepted asks for, None without one."""
    # An acceptance withdraws all open offers. So a set with eligible offers that expired after the
    # last acceptance was issued after it. Offers that were declined did not expire; those that the
    # lender withdrew count as expired since then.
    since = merchant.last_accepted_at
    expired = [due for due in (merchant.credit_check_due,) if due is not None]
    closed_sets = (
        offer_set if isinstance(offer_set, ClosedOfferSet) else ClosedOfferSet.of(offer_set)
        for offer_set in merchant.sets
        if (ended := ended_at(offer_set)) <= at and (since is None or ended > since)
    )
    expired += [
        CreditCheckDue(expired_at=ended_at(closed))
        for closed in closed_sets
        if not LEFT_TO_EXPIRE.isdisjoint(closed.offers.values())
    ]
    return max(expired, key=lambda due: due.expired_at, default=None)


# -- Results of checks, as a host hands them in, read as records.

CREDIT: Final = "consumer_credit"
CHECKED_ON: Final = "credit_checked_on"


def check_records(
    evidence: Mapping[str, Json] | Iterable[CheckResult],
    rulebook: Rulebook,
    at: DateTime,
    *,
    with_takings: bool,
    path: str = "$.evidence",
) -> tuple[CheckRecord, ...]:
    """
    Return *evidence*, which is handed in at the instant *at*, as one record for each check.

    Results by fact name were made just now; a day before today under `credit_checked_on` makes the
    credit check one of the start of that day. The takings may be given only *with_takings*: those
    of a merchant with a deal follow from its history.

    Raises:
        InvalidDocument: naming every check, fact and value that cannot be recorded.
    """
    reader = _EvidenceReader(rulebook, at, with_takings=with_takings)
    if isinstance(evidence, Mapping):
        records = reader.made_now(evidence, path)
    else:
        records = reader.made_then(tuple(evidence), path)
    if reader.errors:
        raise InvalidDocument(reader.errors)
    return records


class _EvidenceReader:
    """Evidence while it is read, with all that is wrong in it."""

    def __init__(self, rulebook: Rulebook, at: DateTime, *, with_takings: bool) -> None:
        self.rulebook, self.at = rulebook, at
        self.errors: list[ErrorDetail] = []
        own = (
            fact.name
            for fact in rulebook.catalogue.facts[BUILT_IN_FACTS:]
            if fact.origin == EVIDENCE
        )
        self.allowed = (*(INITIAL_EVIDENCE if with_takings else EVIDENCE_FACTS), *own)

    def add(self, code: str, message: str, path: str, hint: str | None = None) -> None:
        self.errors.append(ErrorDetail(code=code, message=message, path=path, hint=hint))

    def made_now(self, facts: Mapping[str, Json], path: str) -> tuple[CheckRecord, ...]:
        """Return a record for each check of which *facts* has a result."""
        self._check(facts, path)
        records = []
        for terms in self.rulebook.checks.values():
            given = {name: facts[name] for name in terms.facts if name in facts}
            if given:
                made_at = self._made_at(given.get(CHECKED_ON), path)
                records.append(self._record(terms, made_at, given))
        return tuple(records)

    def _made_at(self, checked_on: Json, path: str) -> DateTime:
        """Return the instant of a check that was made on the day *checked_on*, today if None."""
        if not isinstance(checked_on, str) or self.errors:
            return self.at
        day = date.fromisoformat(checked_on)
        if day > self.rulebook.on:
            message = f"expected a day up to today, {self.rulebook.on.isoformat()}"
            self.add("future_day", message, f"{path}.{CHECKED_ON}")
        return self.at if day >= self.rulebook.on else start_of_day(day, self.rulebook.zone)

    def made_then(self, results: tuple[CheckResult, ...], path: str) -> tuple[CheckRecord, ...]:
        """Return a record for each of the *results*."""
        records, seen = [], dict[tuple[str, DateTime], CheckRecord]()
        for place, result in enumerate(results):
            at = f"{path}[{place}]"
            terms = self._terms(result, at)
            if result.made_at > self.at:
                self.add("future_day", "expected an instant up to now", f"{at}.made_at")
            self._check(result.facts, f"{at}.facts", terms)
            if terms is None or self.errors:
                continue
            record = self._record(terms, result.made_at, result.facts)
            held = record.facts.get(CHECKED_ON)
            of_record = None if held is None else held.value
            if of_record != result.facts.get(CHECKED_ON, of_record):
                message = "expected the day of `made_at`, or none"
                self.add("contradiction", message, f"{at}.facts.{CHECKED_ON}")
            if seen.setdefault((record.check, record.made_at), record) != record:
                message = "another result of this check has the same instant"
                self.add("contradiction", message, f"{at}.made_at")
            records.append(record)
        return tuple(records)

    def _terms(self, result: CheckResult, path: str) -> CheckTerms | None:
        terms = self.rulebook.checks.get(result.check)
        if terms is None:
            names = ", ".join(f"`{name}`" for name in self.rulebook.checks)
            hint = did_you_mean(result.check, self.rulebook.checks) or f"there are {names}"
            self.add("unknown_name", "there is no such check", f"{path}.check", hint)
        return terms

    def _check(self, facts: Mapping[str, Json], path: str, of: CheckTerms | None = None) -> None:
        """Add an error for each of the *facts* that is not evidence, and each invalid value."""
        allowed = [name for name in self.allowed if of is None or name in of.facts]
        for name in facts:
            if name not in allowed:
                self.errors.append(_not_evidence(name, allowed, path, of))
        given = {name: value for name, value in facts.items() if name in allowed}
        try:
            self.rulebook.catalogue.prepare(given)
        except InvalidDocument as error:
            self.errors += [
                evolve(detail, path=(detail.path or "$").replace("$", path, 1))
                for detail in error.errors
            ]

    def _record(
        self, terms: CheckTerms, made_at: DateTime, facts: Mapping[str, Json]
    ) -> CheckRecord:
        """Return the record of one check, with the day on which a credit check was made."""
        held = dict(facts)
        if terms.name == CREDIT:
            held[CHECKED_ON] = local_date(made_at, self.rulebook.zone).isoformat()
        return CheckRecord(
            check=terms.name,
            made_at=made_at,
            facts=held_evidence(held, self.rulebook.catalogue) if not self.errors else {},
        )


def _not_evidence(
    name: object, allowed: Iterable[str], path: str, of: CheckTerms | None
) -> ErrorDetail:
    shown = str(name)[:60]
    message, hint = f"`{shown}` is not evidence", did_you_mean(shown, allowed)
    if name in INITIAL_EVIDENCE and (of is None or name in of.facts):
        message = f"`{shown}` is derived from the history of a merchant with a deal"
        hint = "record its takings day by day: with two sources the better one could be chosen"
    elif of is not None:
        message = f"`{shown}` is not a fact of the check `{of.name}`"
    return ErrorDetail(code="not_allowed", message=message, path=shown_path(path, name), hint=hint)
