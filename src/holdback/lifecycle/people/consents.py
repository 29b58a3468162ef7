"""
The consents of applicants: which of those that the jurisdiction names they gave.

They count for those who gave them, and for no others (decisions/evidence#consents).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from attrs import field

from holdback.errors import InvalidDocument
from holdback.exact.exact_json import Json, Opaque
from holdback.frozen_classes import frozen, frozen_record
from holdback.lifecycle.events import ConsentsRecorded
from holdback.lifecycle.evidence.checks import only_people
from holdback.lifecycle.operation import Case, Decision, PersonalCommand, record_receipt
from holdback.merchant.application import CLOSED, Applicants, GivenConsents
from holdback.merchant.merchant import Merchant
from holdback.merchant.receipt import RecordReceipt
from holdback.rulebooks.rulebook import Rulebook

# The most bytes of what applicants said together, when more is added: those of a whole request.
MOST_BYTES: Final = 64 * 1024


def _flags_by_name(_: object, attribute: Any, value: Any) -> None:
    if not isinstance(value, Mapping) or not all(
        type(name) is str and name and type(given) is bool for name, given in value.items()
    ):
        message = "expected true or false by the name of a consent"
        raise InvalidDocument.of("wrong_type", message, path=f"$.{attribute.name}")


def given_consents(
    merchant: Merchant, consents: Opaque | None, rulebook: Rulebook, sections: Mapping[str, str]
) -> tuple[str, ...]:
    """
    Return the consents that the applicants in *sections* gave, of those the jurisdiction names.

    The service leaves the form of `consents` open (service 2.1): one is given where the object has
    `true` under its name. Of one that the object does not name, what they said before counts.
    """
    value: Any = None if consents is None else consents.value
    said = value if isinstance(value, Mapping) else {}
    held = merchant.consents_of(sections)
    return tuple(name for name in _named(rulebook) if said.get(name, name in held) is True)


def all_consents(case: Case, applicants: str, said: Opaque) -> Opaque:
    """
    Return all that *applicants* said of their consents, with what they *said* now over it.

    Raises:
        InvalidDocument: it has more than 64 KiB, and they said more than true or false of names
            that were said before or that the jurisdiction names.
    """
    sections = {given.applicants: given.section for given in case.merchant.consents}
    held, now = case.profile.section(sections.get(applicants)), said.value
    before: Json = {} if held is None else held.value
    if not isinstance(before, dict) or not isinstance(now, dict):
        return said
    content = Opaque.of({**before, **now}) if before else said
    if len(content.canonical()) > MOST_BYTES:
        # What is there already can always be withdrawn, and what the jurisdiction names be given.
        small = {*before, *_named(case.rulebook())}
        if any(name not in small or type(value) is not bool for name, value in now.items()):
            message = f"with these the applicants' consents have more than {MOST_BYTES} bytes"
            raise InvalidDocument.of(
                "too_large", message, path="$.consents", hint="record fewer names"
            )
    return content


def _named(rulebook: Rulebook) -> tuple[str, ...]:
    """Return the consents that an offer or a check of the jurisdiction needs, each once."""
    of_checks = (terms.consent for terms in rulebook.checks.values())
    return tuple(dict.fromkeys((*rulebook.consents, *(name for name in of_checks if name))))


@frozen(kw_only=True)
class RecordConsents(PersonalCommand[RecordReceipt]):
    """
    Record consents that applicants gave or withdrew, by name.

    They are those of the `applicants` that are given, as an application has them, and count for no
    others. They may be omitted while the merchant's applications name only one of them. What the
    same applicants said of other names stays.

    Raises:
        InvalidDocument: there are names that neither these applicants nor the jurisdiction named
            before, and with them the consents have more than 64 KiB; or nobody says whose they are.
        Refusal: `profile_erased`, or `not_possible_now` while no rules are loaded.
    """

    name = "record_consents"

    consents: Mapping[str, bool] = field(
        converter=frozen_record, repr=False, validator=_flags_by_name
    )

    applicants: Applicants | None = field(default=None, repr=False, validator=CLOSED)

    def decide(self, case: Case) -> Decision[RecordReceipt]:
        merchant, rulebook, said = case.merchant, case.rulebook(), Opaque.of({**self.consents})
        case.profile.digest(said)  # which an erased profile refuses
        people = only_people(merchant) | case.profile.people_of(self)
        if "applicants" not in people:
            message = "nobody says whose consents these are"
            hint = "give the `applicants`, as the application has them"
            raise InvalidDocument.of("missing", message, path="$.applicants", hint=hint)
        applicants, given = people["applicants"], given_consents(merchant, said, rulebook, people)
        content = all_consents(case, applicants, said)
        section = case.profile.digest(content)
        if GivenConsents(applicants=applicants, names=given, section=section) in merchant.consents:
            return Decision((), record_receipt)
        event = ConsentsRecorded(
            at=case.at, given=given, sections={"consents": section}, applicants=applicants
        )
        return Decision((event,), record_receipt, case.profile.with_sections((content,)))
