"""The merchant's consents: which of those that the jurisdiction names were given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from holdback.errors import Refusal
from holdback.exact.exact_json import Opaque
from holdback.jurisdictions.rulebook import Rulebook
from holdback.lifecycle.commands import RecordConsents
from holdback.lifecycle.configuration import Configuration
from holdback.lifecycle.context import Context
from holdback.lifecycle.decision import Decision
from holdback.lifecycle.events import ConsentsRecorded, Event
from holdback.lifecycle.receipts import record_receipt
from holdback.merchant.merchant import Merchant
from holdback.merchant.profile import Profile
from holdback.merchant.receipt import RecordReceipt


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


def record_consents(
    merchant: Merchant,
    command: RecordConsents,
    context: Context,
    configuration: Configuration,
    profile: Profile,
) -> Decision[RecordReceipt]:
    """
    Return the recording of consents; those that it does not name stay.

    Raises:
        Refusal: `merchant_not_found` before the first request, `profile_erased`, or
            `not_possible_now` while no rules are loaded.
    """
    if merchant.currency is None:
        raise Refusal("merchant_not_found", "the merchant has not asked for offers yet")
    rulebook = configuration.rulebook(merchant, context.at)
    held = profile.section(merchant.sections.get("consents"))
    before: Any = {} if held is None else held.value
    content = Opaque.of({**(before if isinstance(before, dict) else {}), **command.consents})
    named = {
        name: command.consents.get(name, name in merchant.consents) for name in _named(rulebook)
    }
    given = tuple(name for name, is_given in named.items() if is_given)
    digest = profile.digest(content)
    events: tuple[Event, ...] = ()
    if (digest, given) != (merchant.sections.get("consents"), merchant.consents):
        sections = {"consents": digest}
        events = (ConsentsRecorded(at=context.at, given=given, sections=sections),)
    kept = {*merchant.named_sections, digest}
    return Decision(events, record_receipt, profile.with_sections((content,)).keeping(kept))
