"""
Who approved the text of a policy page, by the lines of `digests.lock`.

Nothing decides by an approval; a host that insists on one asks here before it takes rules into use.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Final

from holdback.errors import ErrorDetail, InvalidDocument, excerpt
from holdback.jurisdictions.jurisdiction import Jurisdictions
from holdback.tools.policy.policy import PolicyPage
from holdback.tools.policy.policy_record import page_digest
from holdback.tools.workbench.lock import LOCK, Approval, Lock, read_lock

__all__ = ["Approval", "approvals"]

_MOST_CHARACTERS: Final = 100


def approvals(jurisdictions: Jurisdictions, code: str, on: date, lock: str) -> tuple[Approval, ...]:
    """
    Return who approved what the page of the jurisdiction *code* says on the day *on*.

    *lock* is the text of `digests.lock`. It is empty where nobody has approved the text, or where
    the text has changed since.

    Raises:
        ConfigurationError: there is no such jurisdiction, or it has no rules on that day.
        InvalidDocument: the lock has a line that cannot be read.
    """
    read, errors = read_lock(lock, LOCK)
    if errors:
        raise InvalidDocument(errors)
    return approved(page_of(jurisdictions, code, on), read)


def page_of(jurisdictions: Jurisdictions, code: str, on: date) -> PolicyPage:
    """Return the page of the jurisdiction *code* on the day *on*, without proofs."""
    jurisdiction = jurisdictions[code]
    above = (jurisdictions[layer.code] for layer in jurisdiction.policy.layers[-2::-1])
    return PolicyPage(jurisdiction=jurisdiction, on=on, above=tuple(above))


def approved(policy: PolicyPage, lock: Lock) -> tuple[Approval, ...]:
    """Return the approvals in *lock* of exactly what the page says."""
    says = page_digest(policy)
    return tuple(line for line in of_period(policy, lock) if line.digest == says)


def of_period(policy: PolicyPage, lock: Lock) -> tuple[Approval, ...]:
    """Return the approvals in *lock* of the period of the page, of this text or another."""
    about = policy.jurisdiction.code, policy.rulebook.since
    return tuple(line for line in lock.approvals if (line.code, line.since) == about)


def name_error(by: str) -> str | None:
    """Return what is wrong with *by* as the name or the role of a person; None when nothing is."""
    if not by.strip() or by != " ".join(by.split()):
        return "expected a name or a role, with single spaces between its words"
    if not by.isprintable():
        return "expected a name or a role without control characters"
    if len(by) > _MOST_CHARACTERS:
        return f"expected at most {_MOST_CHARACTERS} characters, not {len(by)}"
    return None


def changed_since(
    jurisdictions: Jurisdictions, lock: Lock, file: str, past: date | None
) -> Iterator[ErrorDetail]:
    """Yield each approved text that has changed since; what ended by the day *past* is left out."""
    newest = {(line.code, line.since): line for line in lock.approvals}
    for line in newest.values():
        if line.code not in jurisdictions.codes:
            continue
        jurisdiction = jurisdictions[line.code]
        end = next((day for day in jurisdiction.changes if day > line.since), None)
        if past is not None and end is not None and end <= past:
            continue
        if line.since >= jurisdiction.changes[0]:
            page = page_of(jurisdictions, line.code, line.since)
            if approved(page, lock):
                continue
        yield ErrorDetail(
            code="approval_outdated",
            message=f"the text of {line.code} from {line.since}, approved by {excerpt(line.by)} on "
            f"{line.on}, has changed since",
            file=file,
            line=line.line,
            hint=f"read it with `holdback show {line.code} --on {line.since} --format html`; then "
            f"approve it again with `holdback approve {line.code} --for {line.since}`, or undo the "
            "change",
        )
