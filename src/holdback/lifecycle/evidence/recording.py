"""The recording of results of checks, and what is held of them (decisions/evidence)."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import field

from holdback.errors import ConfigurationError, InvalidDocument, Refusal
from holdback.frozen_classes import frozen
from holdback.lifecycle.context import Context
from holdback.lifecycle.events import EvidenceRecorded
from holdback.lifecycle.evidence.check_results import CheckResult
from holdback.lifecycle.evidence.checks import check_records, check_states
from holdback.lifecycle.operation import Case, Command, Decision, Question, record_receipt
from holdback.merchant.application import CheckRecord, HeldCheck, HeldEvidence
from holdback.merchant.merchant import Merchant
from holdback.merchant.receipt import RecordReceipt
from holdback.merchant.validators import as_tuple, instance_of, tuple_of
from holdback.rulebooks.rulebook import Rulebook


def evidence_of(
    context: Context, merchant: Merchant, rulebook: Rulebook, *, with_takings: bool
) -> tuple[CheckRecord, ...]:
    """
    Return the records that *context* brings and the merchant does not hold yet.

    Raises:
        ConfigurationError: the evidence is invalid.
        Refusal: `request_conflict`, as `new_records`.
    """
    try:
        records = check_records(context.evidence, rulebook, context.at, with_takings=with_takings)
    except InvalidDocument as error:
        raise ConfigurationError(error.errors) from None
    return new_records(merchant, records)


def new_records(merchant: Merchant, records: Iterable[CheckRecord]) -> tuple[CheckRecord, ...]:
    """
    Return those of the *records* that the merchant does not hold already.

    Raises:
        Refusal: `request_conflict`, a check of the same instant is held with another result.
    """
    held = {record.check: record for record in merchant.checks}
    new = []
    for record in records:
        earlier = held.get(record.check)
        if record == earlier:
            continue
        if earlier is not None and earlier.made_at == record.made_at:
            message = f"the check `{record.check}` of this instant has another result already"
            raise Refusal("request_conflict", message)
        new.append(record)
    return tuple(dict.fromkeys(new))


def _as_results(given: Iterable[CheckResult]) -> tuple[CheckResult, ...]:
    return as_tuple(given)


@frozen(kw_only=True)
class RecordEvidence(Command[RecordReceipt]):
    """
    Record results of checks, whenever they were made.

    Raises:
        InvalidDocument: naming every check, fact and value that cannot be recorded.
        Refusal: `request_conflict`, or `not_possible_now` while no rules are loaded.
    """

    name = "record_evidence"

    records: tuple[CheckResult, ...] = field(
        converter=_as_results,
        validator=tuple_of(instance_of(CheckResult, "results of checks, `CheckResult`")),
    )

    def decide(self, case: Case) -> Decision[RecordReceipt]:
        rulebook = case.rulebook()
        records = check_records(
            self.records,
            rulebook,
            case.at,
            with_takings=case.merchant.active_deal is None,
            path="$.records",
        )
        new = new_records(case.merchant, records)
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
    Ask for the newest record of each check, and whether it counts.

    Raises:
        Refusal: `not_possible_now` while no rules are loaded.
    """

    name = "evidence"
    by_provider = True

    def decide(self, case: Case) -> Decision[HeldEvidence]:
        rulebook = case.rulebook()
        checks = tuple(
            HeldCheck(
                check=state.terms.name,
                made_at=state.record.made_at,
                age_days=state.age_days,
                facts={name: fact.value for name, fact in sorted(state.record.facts.items())},
                why=state.why,
            )
            for state in check_states(case.merchant, rulebook, case.at)
            if state.record is not None
        )
        return Decision((), lambda _: HeldEvidence(checks=checks))
