"""`digests.lock`: the digests of past rulebooks, so that history cannot change unnoticed.

The file has one line for each jurisdiction and past change date: the code, the day and the digest,
and the versions that the digest covers where they are not 1 (decisions/jurisdiction-folders#lock).
A last line, `through DAY`, states the day up to which they are complete. A line that begins with
`approved` says who approved the text of the policy page that holds from a day of change on. Lines
are added and never changed, so an auditor can see that the rules of a day are still those that
decided on it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from datetime import date
from typing import Final

from holdback.errors import ErrorDetail, excerpt
from holdback.frozen_classes import frozen
from holdback.jurisdictions.jurisdiction import Jurisdictions
from holdback.rulebooks.digest import rulebook_digest
from holdback.rulebooks.rulebook import Rulebook

LOCK: Final = "digests.lock"
HEADER: Final = (
    "# Code, day of change, digest; and up to which day that is all. "
    "Written by `holdback lock`, which adds\n"
    "# lines and never changes one.\n"
)
# The format of the lines. A lock of a later format says so in a line of its own, `format 2`.
LOCK_FORMAT: Final = 1

_DAY: Final = r"([0-9]{4}-[0-9]{2}-[0-9]{2})"
_VERSION: Final = r" [a-z][a-z0-9_/]*=(?:[1-9][0-9]{0,8}|\?)"
# A jurisdiction, the first day of a period, and a digest of it.
_PERIOD: Final = rf"([A-Z]{{2}}(?:-[A-Z0-9]{{1,3}})?) {_DAY} (sha256:[0-9a-f]{{64}})"
_LINE: Final = re.compile(rf"{_PERIOD}((?:{_VERSION})*)")
_APPROVED: Final = re.compile(rf"approved {_PERIOD} {_DAY} (\S.*)")
_FORMAT: Final = re.compile("format ([1-9][0-9]{0,8})")
_THROUGH: Final = re.compile(f"through {_DAY}")
_HINT: Final = (
    "history is added to, never edited: undo the change, and give the new value a later `from`"
)


@frozen
class LockLine:
    """
    A line: from the day `since` on, the rulebook of `code` had the `digest`.

    `versions` are those that the digest covers and that were not 1, by name; one that was not known
    is None.
    """

    code: str
    since: date
    digest: str
    line: int = 0
    versions: tuple[tuple[str, int | None], ...] = ()

    @classmethod
    def of(cls, rulebook: Rulebook) -> LockLine:
        """Return the line for *rulebook*, from the day on which it begins."""
        versions = tuple(entry for entry in rulebook.versions.items() if entry[1] != 1)
        return cls(rulebook.code, rulebook.since, rulebook.digest, versions=versions)

    def __str__(self) -> str:
        """The line as written in the file."""
        versions = (f"{name}={number or '?'}" for name, number in self.versions)
        return " ".join([self.code, str(self.since), self.digest, *versions])

    def is_of(self, rulebook: Rulebook) -> bool:
        """
        Return whether *rulebook* has the digest of this line.

        The digest is made with the versions of then: the lock guards the files, and a calculator
        that has a new version has not changed these.
        """
        versions = {**dict.fromkeys(rulebook.versions, 1), **dict(self.versions)}
        return rulebook_digest(rulebook.rules_digest, versions) == self.digest


@frozen
class Approval:
    """
    A line: on the day `on`, the person or the role `by` approved what a policy page says.

    It is the text of `code` from the day `since` on, which had the `digest`.
    """

    code: str
    since: date
    digest: str
    on: date
    by: str
    line: int = 0

    def __str__(self) -> str:
        """The line as written in the file."""
        return f"approved {self.code} {self.since} {self.digest} {self.on} {self.by}"


@frozen
class Lock:
    """The content of a lock file.

    Up to the day `through`, the lines are all the changes of the jurisdictions that they name.
    `format` is the newest format that the file states. `approvals` are those of policy pages.
    """

    lines: tuple[LockLine, ...] = ()
    through: date | None = None
    format: int = 1
    approvals: tuple[Approval, ...] = ()

    def of(self, code: str) -> Lock:
        """Return the lock of the jurisdiction *code* alone."""
        lines = tuple(line for line in self.lines if line.code == code)
        approvals = tuple(line for line in self.approvals if line.code == code)
        return Lock(lines, self.through, self.format, approvals)


def read_lock(text: str, file: str) -> tuple[Lock, tuple[ErrorDetail, ...]]:
    """Return the lock in *text*, and an error for every invalid line."""
    lines, errors = dict[tuple[str, date], LockLine](), list[ErrorDetail]()
    through: date | None = None
    lock_format, approvals = 1, list[Approval]()
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        stated = _FORMAT.fullmatch(line.rstrip())
        if stated is not None:
            lock_format = max(lock_format, int(stated[1]))
            if lock_format > LOCK_FORMAT:
                # The lines that follow may have any form.
                errors.append(_newer(lock_format, file, number))
                break
            continue
        approval = _approval(line, number)
        if approval is not None:
            approvals.append(approval)
            continue
        match, until = _LINE.fullmatch(line.rstrip()), _THROUGH.fullmatch(line.rstrip())
        day = _day(match[2] if match else until[1] if until else "")
        if day is None:
            message = f"cannot read this line of the lock: `{excerpt(line)}`"
            hint = "restore the file; a line is a code, a day and a digest"
            errors.append(
                ErrorDetail(code="malformed", message=message, file=file, line=number, hint=hint)
            )
        elif match is None:
            through = day if through is None else max(day, through)
        elif (match[1], day) in lines:
            message = f"{match[1]} has a line for {day} already"
            errors.append(ErrorDetail(code="duplicate", message=message, file=file, line=number))
        else:
            lines[match[1], day] = LockLine(match[1], day, match[3], number, _versions(match[4]))
    return Lock(tuple(lines.values()), through, lock_format, tuple(approvals)), tuple(errors)


def _approval(line: str, number: int) -> Approval | None:
    """Return the approval in a *line*; None where it is another line, or an invalid one."""
    match = _APPROVED.fullmatch(line.rstrip())
    days = (_day(match[2]), _day(match[4])) if match else (None, None)
    if match is None or days[0] is None or days[1] is None:
        return None
    return Approval(match[1], days[0], match[3], days[1], match[5], number)


def _newer(lock_format: int, file: str, line: int) -> ErrorDetail:
    message = f"this lock was written by a newer version of holdback: format {lock_format}"
    hint = f"this version reads the formats up to {LOCK_FORMAT}"
    return ErrorDetail(code="newer_format", message=message, file=file, line=line, hint=hint)


def _versions(text: str) -> tuple[tuple[str, int | None], ...]:
    """Return the versions in *text*, the end of a line: ` term/seasonal=2 limits/own=?`."""
    pairs = (entry.partition("=") for entry in text.split())
    return tuple((name, None if number == "?" else int(number)) for name, _, number in pairs)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def lock_errors(
    lock: Lock,
    jurisdictions: Jurisdictions,
    file: str,
    on: date | None = None,
    invalid: Collection[str] = (),
) -> Iterator[ErrorDetail]:
    """
    Yield where the past of *jurisdictions* differs from *lock*.

    Nothing is said about the jurisdictions whose codes are in *invalid*, which cannot be read now.
    With *on*, the current day, changes that have begun by then and are not locked are errors too.
    A lock of a newer format is not compared.
    """
    if lock.format > LOCK_FORMAT:
        return
    for code in dict.fromkeys(line.code for line in lock.lines):
        own_lock = lock.of(code)
        if code in jurisdictions.codes:
            for message, line in _differences(own_lock, jurisdictions):
                yield ErrorDetail(
                    code="history_changed", message=message, file=file, line=line, hint=_HINT
                )
        elif code not in invalid:
            message = f"{code} is locked, and there is no such jurisdiction that can be read"
            hint = "keep the jurisdiction: its past decisions are explained by its rules"
            yield ErrorDetail(
                code="history_changed",
                message=message,
                file=file,
                line=own_lock.lines[0].line,
                hint=hint,
            )
    if on is not None:
        for new in lines_not_locked(lock, jurisdictions, on):
            message = f"{new.code} changed on {new.since}, which is not locked yet"
            folder = file.removesuffix(f"/{LOCK}")
            hint = f"run `holdback lock {folder} --on {on}`"
            yield ErrorDetail(code="history_changed", message=message, file=file, hint=hint)


def _differences(lock: Lock, jurisdictions: Jurisdictions) -> Iterator[tuple[str, int]]:
    """Yield what differs in the one jurisdiction of *lock* on the locked days, and the line."""
    lines = sorted(lock.lines, key=lambda line: line.since)
    jurisdiction = jurisdictions[lines[0].code]
    for line in lines:
        if line.since < jurisdiction.changes[0]:
            yield f"{line.code} had rules on {line.since}, and has none now", line.line
        elif not line.is_of(jurisdiction.rulebook(line.since)):
            message = f"the rules of {line.code} on {line.since} are not those that were locked"
            yield message, line.line
    # A change that is inserted between two locked days alters the past as well.
    through = max(lines[-1].since, lock.through or lines[-1].since)
    days = {line.since for line in lines}
    for rulebook in jurisdiction.slices:
        before = [line for line in lines if line.since < rulebook.since]
        if rulebook.since in days or rulebook.since > through:
            continue
        about = f"{rulebook.code} has"
        if not before:
            message = f"{about} rules from {rulebook.since} on, before what was locked"
            yield message, lines[0].line
        elif not before[-1].is_of(rulebook):
            message = f"{about} changed on {rulebook.since}, in the past that was locked"
            yield message, before[-1].line


def lines_not_locked(lock: Lock, jurisdictions: Jurisdictions, on: date) -> list[LockLine]:
    """Return the lines for the changes that have begun by the day *on* and are not locked yet."""
    days = {(line.code, line.since) for line in lock.lines}
    return [
        LockLine.of(rulebook)
        for rulebook in jurisdictions.rulebooks()
        if rulebook.since <= on and (rulebook.code, rulebook.since) not in days
    ]


def lines_to_add(lock: Lock, new: list[LockLine], on: date) -> list[str]:
    """Return the text of the lines to add to *lock* on the day *on*, with the *new* changes."""
    lines = [str(line) for line in new]
    if new or lock.through is None or lock.through < on:
        lines.append(f"through {on}")
    return lines
