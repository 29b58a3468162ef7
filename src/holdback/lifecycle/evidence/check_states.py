"""
The results of the host's checks: how they are recorded, and what they say on a day.

Of each check the newest record counts, whichever request brought it, and in whichever order records
arrive. A result that is too old for the jurisdiction is unknown, and so is a credit check from
before offers expired unaccepted (decisions/evidence).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, datetime
from typing import Final

from pendulum import DateTime

from holdback.eligibility.derived_facts import as_number, months_between, recorded_over
from holdback.frozen_classes import frozen
from holdback.lifecycle.evidence.check_records import CREDIT
from holdback.merchant.evidence import CheckRecord
from holdback.merchant.instants import local_date
from holdback.merchant.merchant import ClosedOfferSet, CreditCheckDue, Merchant
from holdback.merchant.offer import ELIGIBLE
from holdback.rulebooks.check_terms import CheckTerms
from holdback.rulebooks.rulebook import Rulebook
from holdback.rules.types import Catalogue

TAKINGS: Final = "takings"


def newest_record(merchant: Merchant, terms: CheckTerms) -> CheckRecord | None:
    """Return the newest record of the check, None if it was never made."""
    return next((record for record in merchant.checks if record.check == terms.name), None)


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


def check_states(merchant: Merchant, rulebook: Rulebook, at: DateTime) -> Iterator[CheckState]:
    """Yield every check of the jurisdiction with what is held of it at the instant *at*."""
    credit_due = second_check_due(merchant, rulebook, at)
    for terms in rulebook.checks.values():
        record = newest_record(merchant, terms)
        due = credit_due if terms.name == CREDIT else None
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
        yield CheckState(
            terms=terms,
            record=record,
            age_days=age,
            why=why,
            not_before=due if why == "due_again" else None,
        )


def evidence_facts(merchant: Merchant, rulebook: Rulebook, at: DateTime) -> dict[str, int | None]:
    """
    Return the facts that the merchant's checks give at the instant *at*, by name.

    The age of a check is known even when its result is too old.
    """
    facts: dict[str, int | None] = {}
    catalogue = rulebook.catalogue
    for state in check_states(merchant, rulebook, at):
        if state.record is None:
            continue
        facts[f"{state.terms.name}_age_days"] = state.age_days
        if state.why is None:
            facts |= _read(state.record, state.terms, catalogue)
        if state.terms.name == TAKINGS:
            made_on = local_date(state.record.made_at, rulebook.zone)
            facts |= _takings_today(facts, merchant, made_on, rulebook.on)
    return facts


def _read(record: CheckRecord, terms: CheckTerms, catalogue: Catalogue) -> dict[str, int | None]:
    return {
        name: as_number(name, record.facts[name], catalogue)
        for name in terms.facts
        if name in record.facts
    }


def _takings_today(
    facts: Mapping[str, int | None], merchant: Merchant, made_on: date, today: date
) -> dict[str, int | None]:
    """Return what a statement of the day *made_on* says today: months pass, days are recorded."""
    changed: dict[str, int | None] = {}
    months = facts.get("months_trading")
    if months is not None:
        changed["months_trading"] = months + max(0, months_between(made_on, today))
    if recorded_over(merchant, made_on):
        changed["average_monthly_takings"] = None
    return changed


def second_check_due(merchant: Merchant, rulebook: Rulebook, at: DateTime) -> DateTime | None:
    """
    Return the instant from which a credit check counts, None if any does.

    With automated decisioning, offers that expired unaccepted require a second check (service 3,
    decisions/second-credit-check). One made since then satisfies every later request.
    """
    expired = expired_unaccepted(merchant, at)
    return None if expired is None or not rulebook.automated_decisioning else expired.expired_at


def expired_unaccepted(merchant: Merchant, at: datetime) -> CreditCheckDue | None:
    """Return what the last set of offers that expired unaccepted asks for, None without one."""
    # An acceptance withdraws all open offers. So a set with eligible offers that expired after the
    # last acceptance was issued after it. Offers that were declined did not expire.
    since = merchant.last_accepted_at
    expired = [due for due in (merchant.credit_check_due,) if due is not None]
    closed_sets = (
        offer_set if isinstance(offer_set, ClosedOfferSet) else ClosedOfferSet.of(offer_set)
        for offer_set in merchant.sets
        if offer_set.expires_at <= at and (since is None or offer_set.expires_at > since)
    )
    expired += [
        CreditCheckDue(expired_at=closed.expires_at)
        for closed in closed_sets
        if ELIGIBLE in closed.offers.values()
    ]
    return max(expired, key=lambda due: due.expired_at, default=None)
