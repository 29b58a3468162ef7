"""The recording of results of checks, and what is held of them (decisions/evidence)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from attrs import evolve, field

from holdback.errors import ConfigurationError, ErrorDetail, InvalidDocument, Refusal
from holdback.exact.exact_json import Opaque
from holdback.frozen_classes import frozen
from holdback.lifecycle.context import CheckResult, Context
from holdback.lifecycle.events import EvidenceRecorded
from holdback.lifecycle.evidence.checks import (
    about_sections,
    base_deal,
    check_records,
    check_state,
    newest_records,
    newest_sections,
    only_people,
    with_deal,
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
from holdback.merchant.deal import Deal
from holdback.merchant.merchant import Merchant
from holdback.merchant.receipt import RecordReceipt
from holdback.merchant.validators import as_tuple, instance_of, tuple_of
from holdback.rulebooks.rulebook import Rulebook


def evidence_of(  # noqa: PLR0913  # what an attempt brings, and what is known before it
    context: Context,
    merchant: Merchant,
    rulebook: Rulebook,
    said: Mapping[str, str],
    *,
    renewal: bool,
    deal: Deal | None,
    with_takings: bool,
) -> tuple[CheckRecord, ...]:
    """
    Return the records that *context* brings and the merchant does not hold yet.

    They are about the sections that the operation *said*. Those that it did not say are the
    merchant's in a *renewal*, and otherwise the only ones that its applications name. Those about a
    deal are about *deal*.

    Raises:
        ConfigurationError: the evidence is invalid, or nobody says whom it is about.
        Refusal: `request_conflict`, as `new_records`.
    """
    try:
        records = check_records(context.evidence, rulebook, context.at, with_takings=with_takings)
        _check_deal(records, rulebook, deal, "$.evidence")
        held = with_deal(merchant.sections if renewal else only_people(merchant), deal)
        return new_records(merchant, _about(records, rulebook, merchant, held, said))
    except InvalidDocument as error:
        raise ConfigurationError(error.errors) from None


def _check_deal(
    records: Iterable[CheckRecord], rulebook: Rulebook, deal: Deal | None, path: str
) -> None:
    """
    Check that there is a *deal* where one of the *records* is about one.

    Raises:
        InvalidDocument: naming the first check of which nobody knows about which deal it is.
    """
    of_deals = [record.check for record in records if rulebook.checks[record.check].of_deal]
    if of_deals and deal is None:
        message = f"the check `{of_deals[0]}` is about the deal that is renewed, and there is none"
        hint = "give its results once a deal is active or repaid"
        raise InvalidDocument.of("not_allowed", message, path=path, hint=hint)


def _about(
    records: Iterable[CheckRecord],
    rulebook: Rulebook,
    merchant: Merchant,
    held: Mapping[str, str],
    said: Mapping[str, str],
) -> tuple[CheckRecord, ...]:
    """
    Return *records* with whom they are about: the sections that were *said*, or else those *held*.

    Raises:
        InvalidDocument: naming each section that was not said while none is held, or several are,
            or while the result is from before the section was corrected.
    """
    told, lacking = [], dict[str, None]()
    for record in records:
        corrected = {
            old.name for old in merchant.replaced_sections if record.made_at < old.replaced_at
        }
        since = {name: digest for name, digest in held.items() if name not in corrected}
        people, terms = {**since, **said}, rulebook.checks[record.check]
        lacking |= dict.fromkeys(name for name in terms.about if name not in people)
        told.append(evolve(record, about=about_sections(terms, people) or {}))
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
    return tuple(told)


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
        key = record.key
        held = {held.made_at: held for held in merchant.checks if held.key == key}
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
    merchant's applications name only one of them, and it was not corrected since the check. Results
    about a deal are about the active one, or else the one that would be renewed.

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
        deal = base_deal(case.merchant, rulebook, rulebook.on)
        _check_deal(records, rulebook, deal, "$.records")
        held, said = with_deal(only_people(case.merchant), deal), case.profile.people_of(self)
        told = _about(records, rulebook, case.merchant, held, said)
        new = new_records(case.merchant, told)
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

    It does for those who applied last, as they were corrected, and for those who apply first.

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
    deal = base_deal(case.merchant, rulebook, rulebook.on)
    people = with_deal(newest_sections(case.merchant), deal)
    replaced = {(old.name, old.digest) for old in case.merchant.replaced_sections}
    for terms in rulebook.checks.values():
        about = about_sections(terms, people)
        for record in newest_records(case.merchant.checks, terms.name):
            state = check_state(case.merchant, rulebook, case.at, terms, record)
            why = state.why
            if about is not None and record.about != about:
                why = "about_others" if replaced.isdisjoint(record.about.items()) else "corrected"
            yield HeldCheck(
                check=terms.name,
                made_at=record.made_at,
                about=record.about,
                age_days=state.age_days,
                facts={name: fact.value for name, fact in sorted(record.facts.items())},
                why=why,
            )
