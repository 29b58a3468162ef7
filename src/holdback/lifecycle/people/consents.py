"""
The consents of applicants: which of those that the jurisdiction names they gave.

They count for those who gave them, and for no others (decisions/evidence#consents).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from attrs import field

from holdback.errors import InvalidDocument
from holdback.exact.exact_json import Opaque
from holdback.frozen_classes import frozen, frozen_record
from holdback.lifecycle.events import ConsentsRecorded
from holdback.lifecycle.evidence.checks import only_people
from holdback.lifecycle.operation import Case, Decision, PersonalCommand, record_receipt
from holdback.merchant.application import CLOSED, Applicants
from holdback.merchant.merchant import Merchant
from holdback.merchant.receipt import RecordReceipt
from holdback.rulebooks.rulebook import Rulebook

# The most bytes of the consents together, when new ones are added: those of a whole request.
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


def _named(rulebook: Rulebook) -> tuple[str, ...]:
    """Return the consents that an offer or a check of the jurisdiction needs, each once."""
    of_checks = (terms.consent for terms in rulebook.checks.values())
    return tuple(dict.fromkeys((*rulebook.consents, *(name for name in of_checks if name))))


@frozen(kw_only=True)
class RecordConsents(PersonalCommand[RecordReceipt]):
    """
    Record consents that applicants gave or withdrew, by name.

    They are those of the `applicants` that are given, as an application has them, and count for no
    others. They may be omitted while the merchant's applications name only one of them.

    Raises:
        InvalidDocument: there are names that neither the profile nor the jurisdiction has, and
            with them the consents have more than 64 KiB; or nobody says whose they are.
        Refusal: `profile_erased`, or `not_possible_now` while no rules are loaded.
    """

    name = "record_consents"

    consents: Mapping[str, bool] = field(
        converter=frozen_record, repr=False, validator=_flags_by_name
    )

    applicants: Applicants | None = field(default=None, repr=False, validator=CLOSED)

    def decide(self, case: Case) -> Decision[RecordReceipt]:
        merchant, named = case.merchant, _named(case.rulebook())
        people = only_people(merchant)
        if self.applicants is not None:
            people["applicants"] = case.profile.digest(self.applicants)
        applicants, accepted = people.get("applicants"), merchant.sections.get("applicants")
        if applicants is None and not self.consents.keys().isdisjoint(named):
            message = "nobody says whose consents these are"
            hint = "give the `applicants`, as the application has them"
            raise InvalidDocument.of("missing", message, path="$.applicants", hint=hint)
        held = merchant.consents_of(people)
        given = tuple(name for name in named if self.consents.get(name, name in held))
        # The profile is that of the accepted applicants: it does not say what others agreed to.
        contents: dict[str, Opaque] = {}
        if accepted is None or applicants in {None, accepted}:
            contents["consents"] = self._merged(case, named)
        sections = {name: case.profile.digest(content) for name, content in contents.items()}
        if given == held and sections.items() <= merchant.sections.items():
            return Decision((), record_receipt)
        event = ConsentsRecorded(at=case.at, given=given, sections=sections, applicants=applicants)
        return Decision((event,), record_receipt, case.profile.with_sections(contents.values()))

    def _merged(self, case: Case, named: Collection[str]) -> Opaque:
        """Return the consents that the profile has with these in it."""
        held = case.profile.section(case.merchant.sections.get("consents"))
        value: Any = {} if held is None else held.value
        before = value if isinstance(value, dict) else {}
        content = Opaque.of({**before, **self.consents})
        # What is there already can always be withdrawn, and what the jurisdiction names be given.
        new = self.consents.keys() - before.keys() - set(named)
        if new and len(content.canonical()) > MOST_BYTES:
            message = f"with these the merchant's consents have more than {MOST_BYTES} bytes"
            raise InvalidDocument.of(
                "too_large", message, path="$.consents", hint="record fewer names"
            )
        return content
