"""The recording of results of checks, and what is held of them (decisions/evidence)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from attrs import evolve, field

from holdback.errors import ConfigurationError, ErrorDetail, InvalidDocument, Refusal
from holdback.exact.exact_json import Opaque
from holdback.frozen_classes import frozen
from holdback.lifecycle.context import Context
from holdback.lifecycle.events import EvidenceRecorded
from holdback.lifecycle.evidence.check_results import CheckResult
from holdback.lifecycle.evidence.checks import (
    about_sections,
    check_records,
    check_state,
    newest_records,
    newest_sections,
    sets_since_acceptance,
)
from holdback.lifecycle.operation import (
    Case,
    Decision,
    PersonalCommand,
    Question,
    record_receipt,
)
from holdback.merchant.application import (
    CLOSED,
    MOST_RECORDS,
    Applicants,
    CheckRecord,
    HeldCheck,
    HeldEvidence,
)
from holdback.merchant.merchant import Merchant
from holdback.merchant.receipt import RecordReceipt
from holdback.merchant.validators import as_tuple, instance_of, tuple_of
from holdback.rulebooks.check_terms import PEOPLE
from holdback.rulebooks.rulebook import Rulebook


def evidence_of(
    context: Context,
    merchant: Merchant,
    rulebook: Rulebook,
    sections: Mapping[str, str],
    *,
    with_takings: bool,
) -> tuple[CheckRecord, ...]:
    """
    Return the records about *sections* that *context* brings and the merchant does not hold yet.

    Raises:
        ConfigurationError: the evidence is invalid, or nobody says whom it is about.
        Refusal: `request_conflict`, as `new_records`.
    """
    try:
        records = check_records(context.evidence, rulebook, context.at, with_takings=with_takings)
        return new_records(merchant, _about(records, rulebook, merchant, sections))
    except InvalidDocument as error:
        raise ConfigurationError(error.errors) from None


def _about(
    records: Iterable[CheckRecord],
    rulebook: Rulebook,
    merchant: Merchant,
    sections: Mapping[str, str],
) -> tuple[CheckRecord, ...]:
    """
    Return *records* with whom they are about: the *sections* that were said, or the only ones held.

    Raises:
        InvalidDocument: naming each section that was not said while none is held, or several are.
    """
    people = {**_only_people(merchant), **sections}
    told = tuple(
        evolve(record, about=about_sections(rulebook.checks[record.check], people) or {})
        for record in records
    )
    needed = (rulebook.checks[record.check].about for record in told if not record.about)
    lacking = dict.fromkeys(name for names in needed for name in names if name not in people)
    if lacking:
        raise InvalidDocument(
            ErrorDetail(
                code="missing",
                message="nobody says whom the results are about",
                path=f"$.{name}",
                hint=f"give the `{name}` that were checked, as the application has them",
            )
            for name in lacking
        )
    return told


def _only_people(merchant: Merchant) -> dict[str, str]:
    """Return those sections of people of which the merchant's applications have only one."""
    newer = sets_since_acceptance(merchant)
    named = [merchant.sections, *(offer_set.sections for offer_set in newer)]
    held = {name: {sections[name] for sections in named if name in sections} for name in PEOPLE}
    return {name: digests.pop() for name, digests in held.items() if len(digests) == 1}


def new_records(merchant: Merchant, records: Iterable[CheckRecord]) -> tuple[CheckRecord, ...]:
    """
    Return those of the *records* that the merchant does not hold already.

    One that is older than `MOST_RECORDS` that are held changes nothing, and nobody can tell whether
    it is new.

    Raises:
        Refusal: `request_conflict`, a check of the same instant is held with another result.
    """
    new = []
    for record in records:
        held = {held.made_at: held for held in merchant.checks if held.key == record.key}
        earlier = held.get(record.made_at, record)
        if earlier != record:
            message = f"the check `{record.check}` of this instant has another result already"
            raise Refusal("request_conflict", message)
        if record.made_at not in held and (len(held) < MOST_RECORDS or record.made_at > min(held)):
            new.append(record)
    return tuple(dict.fromkeys(new))


def _as_results(given: Iterable[CheckResult]) -> tuple[CheckResult, ...]:
    return as_tuple(given)


@frozen(kw_only=True)
class RecordEvidence(PersonalCommand[RecordReceipt]):
    """
    Record results of checks, whenever they were made.

    They are about the `applicants` and the `company` that are given, as an application has them,
    and count for no others; the profile does not keep them. They may be omitted while the
    merchant's applications name only one of them.

    Raises:
        InvalidDocument: naming every check, fact and value that cannot be recorded, and what is
            missing to say whom the results are about.
        Refusal: `request_conflict`, `profile_erased`, or `not_possible_now` while no rules are
            loaded.
    """

    name = "record_evidence"

    records: tuple[CheckResult, ...] = field(
        converter=_as_results,
        validator=tuple_of(instance_of(CheckResult, "results of checks, `CheckResult`")),
    )
    applicants: Applicants | None = field(default=None, repr=False, validator=CLOSED)
    company: Opaque | None = field(default=None, repr=False, validator=CLOSED)

    def decide(self, case: Case) -> Decision[RecordReceipt]:
        rulebook = case.rulebook()
        records = check_records(
            self.records,
            rulebook,
            case.at,
            with_takings=case.merchant.active_deal is None,
            path="$.records",
        )
        given = {"applicants": self.applicants, "company": self.company}
        sections = {
            name: case.profile.digest(content)
            for name, content in given.items()
            if content is not None
        }
        new = new_records(case.merchant, _about(records, rulebook, case.merchant, sections))
        events = (evidence_event(new, case.merchant, case.context),) if new else ()
        return Decision(events, record_receipt)


def evidence_event(
    records: tuple[CheckRecord, ...], merchant: Merchant, context: Context
) -> EvidenceRecorded:
    """Return the event that keeps *records*."""
    return EvidenceRecorded(at=context.at, jurisdiction=merchant.jurisdiction, records=records)


@frozen(kw_only=True)
class AskEvidence(Question[HeldEvidence]):
    """
    Ask for the newest record of each check and of whom it is about, and whether it counts.

    It does for those who applied last, and for those who apply first.

    Raises:
        Refusal: `not_possible_now` while no rules are loaded.
    """

    name = "evidence"
    by_provider = True

    def decide(self, case: Case) -> Decision[HeldEvidence]:
        rulebook = case.rulebook()
        checks = tuple(_held(case, rulebook))
        return Decision((), lambda _: HeldEvidence(checks=checks))


def _held(case: Case, rulebook: Rulebook) -> Iterator[HeldCheck]:
    """Yield every record that is held, in the order of the jurisdiction's checks."""
    people = newest_sections(case.merchant)
    for terms in rulebook.checks.values():
        about = about_sections(terms, people)
        for record in newest_records(case.merchant.checks, terms.name):
            state = check_state(case.merchant, rulebook, case.at, terms, record)
            others = about is not None and record.about != about
            yield HeldCheck(
                check=terms.name,
                made_at=record.made_at,
                about=record.about,
                age_days=state.age_days,
                facts={name: fact.value for name, fact in sorted(record.facts.items())},
                why="about_others" if others else state.why,
            )
