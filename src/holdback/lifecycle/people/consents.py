"""The merchant's consents: which of those that the jurisdiction names were given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from attrs import field

from holdback.errors import InvalidDocument
from holdback.exact.exact_json import Opaque
from holdback.frozen_classes import frozen, frozen_record
from holdback.lifecycle.events import ConsentsRecorded, Event
from holdback.lifecycle.operation import Case, Decision, PersonalCommand, record_receipt
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
    merchant: Merchant, consents: Opaque | None, rulebook: Rulebook
) -> tuple[str, ...]:
    """
    Return the consents that are given, of those that the jurisdiction names.

    The service leaves the form of `consents` open (service 2.1): one is given where the object has
    `true` under its name. One that the object does not name is as it was recorded before.
    """
    value: Any = None if consents is None else consents.value
    said = value if isinstance(value, Mapping) else {}
    return tuple(
        name for name in _named(rulebook) if said.get(name, name in merchant.consents) is True
    )


def _named(rulebook: Rulebook) -> tuple[str, ...]:
    """Return the consents that an offer or a check of the jurisdiction needs, each once."""
    of_checks = (terms.consent for terms in rulebook.checks.values())
    return tuple(dict.fromkeys((*rulebook.consents, *(name for name in of_checks if name))))


@frozen(kw_only=True)
class RecordConsents(PersonalCommand[RecordReceipt]):
    """
    Record consents that the merchant gave or withdrew, by name.

    Raises:
        InvalidDocument: there are names that neither the profile nor the jurisdiction has, and
            with them the consents have more than 64 KiB.
        Refusal: `profile_erased`, or `not_possible_now` while no rules are loaded.
    """

    name = "record_consents"

    consents: Mapping[str, bool] = field(
        converter=frozen_record, repr=False, validator=_flags_by_name
    )

    def decide(self, case: Case) -> Decision[RecordReceipt]:
        rulebook = case.rulebook()
        held = case.profile.section(case.merchant.sections.get("consents"))
        value: Any = {} if held is None else held.value
        before = value if isinstance(value, dict) else {}
        content = Opaque.of({**before, **self.consents})
        # What is there already can always be withdrawn, and what the jurisdiction names be given.
        new = self.consents.keys() - before.keys() - set(_named(rulebook))
        if new and len(content.canonical()) > MOST_BYTES:
            message = f"with these the merchant's consents have more than {MOST_BYTES} bytes"
            raise InvalidDocument.of(
                "too_large", message, path="$.consents", hint="record fewer names"
            )
        named = {
            name: self.consents.get(name, name in case.merchant.consents)
            for name in _named(rulebook)
        }
        given = tuple(name for name, is_given in named.items() if is_given)
        digest = case.profile.digest(content)
        events: tuple[Event, ...] = ()
        if (digest, given) != (case.merchant.sections.get("consents"), case.merchant.consents):
            sections = {"consents": digest}
            events = (ConsentsRecorded(at=case.at, given=given, sections=sections),)
        return Decision(events, record_receipt, case.profile.with_sections((content,)))
