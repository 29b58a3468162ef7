"""`digests.lock`: the digests of what was in force, so that history cannot change unseen.

One line for each jurisdiction and past change date: the code, the day, the digest. After them a line says up to
which day they are all that there was. Lines are added, never changed: an auditor can tell that the rules of a day
are still those by which was decided on it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from datetime import date
from typing import Final

from attrs import frozen

from holdback.errors import ErrorDetail
from holdback.jurisdictions.jurisdiction import Jurisdictions
from holdback.toml.document import excerpt

LOCK: Final = "digests.lock"
HEADER: Final = (
    "# Code, day of change, digest; and up to which day that is all. Written by `holdback lock`, which adds\n"
    "# lines and never changes one.\n"
)

_DAY: Final = r"([0-9]{4}-[0-9]{2}-[0-9]{2})"
_LINE: Final = re.compile(rf"([A-Z]{{2}}(?:-[A-Z0-9]{{1,3}})?) {_DAY} (sha256:[0-9a-f]{{64}})")
_THROUGH: Final = re.compile(f"through {_DAY}")
_HINT: Final = (
    "history is added to, never edited: undo the change, and give the new value a later `from`"
)


@frozen
class Locked:
    """From the day `since` on, the rulebook of `code` had that digest."""

    code: str
    since: date
    digest: str
    line: int = 0

    def __str__(self) -> str:
        """The line as it stands in the file."""
        return f"{self.code} {self.since} {self.digest}"


@frozen
class Lock:
    """
    What was locked. `through` is the day up to which the lines are all the changes of the jurisdictions
    that they name.
    """

    lines: tuple[Locked, ...] = ()
    through: date | None = None

    def of(self, code: str) -> Lock:
        """What was locked of one jurisdiction."""
        return Lock(tuple(each for each in self.lines if each.code == code), self.through)


def read_lock(text: str, file: str) -> tuple[Lock, tuple[ErrorDetail, ...]]:
    """The lock in *text*, and what is wrong with it."""
    found, faults = dict[tuple[str, date], Locked](), list[ErrorDetail]()
    through: date | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        match, until = _LINE.fullmatch(line.rstrip()), _THROUGH.fullmatch(line.rstrip())
        day = _day(match[2] if match else until[1] if until else "")
        if day is None:
            message = f"this is no line of a lock: `{excerpt(line)}`"
            hint = "restore the file as it was; a line is a code, a day and a digest"
            faults.append(ErrorDetail(message=message, file=file, line=number, hint=hint))
        elif match is None:
            through = day if through is None else max(day, through)
        elif (match[1], day) in found:
            message = f"{match[1]} has a line for {day} already"
            faults.append(ErrorDetail(message=message, file=file, line=number))
        else:
            found[match[1], day] = Locked(match[1], day, match[3], number)
    return Lock(tuple(found.values()), through), tuple(faults)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def broken(
    lock: Lock,
    jurisdictions: Jurisdictions,
    file: str,
    on: date | None = None,
    at_fault: Collection[str] = (),
) -> Iterator[ErrorDetail]:
    """
    Where the past of *jurisdictions* is not as it was locked; of those *at_fault* that cannot be said yet.

    With *on*, the day of today, also what has begun by then and is not locked.
    """
    for code in dict.fromkeys(each.code for each in lock.lines):
        of_one = lock.of(code)
        if code in jurisdictions.codes:
            yield from _changed(of_one, jurisdictions, file)
        elif code not in at_fault:
            message = f"{code} is locked, and there is no such jurisdiction that can be read"
            hint = "a jurisdiction stays, so that its decisions can be told from its rules"
            yield ErrorDetail(message=message, file=file, line=of_one.lines[0].line, hint=hint)
    if on is not None:
        for new in unlocked(lock, jurisdictions, on):
            message = f"{new.code} changed on {new.since}, which is not locked yet"
            folder = file.removesuffix(f"/{LOCK}")
            hint = f"run `holdback lock {folder} --on {on}`"
            yield ErrorDetail(message=message, file=file, hint=hint)


def _changed(lock: Lock, jurisdictions: Jurisdictions, file: str) -> Iterator[ErrorDetail]:
    """What differs in one jurisdiction on the days that are locked."""
    lines = sorted(lock.lines, key=lambda each: each.since)
    jurisdiction = jurisdictions[lines[0].code]
    for each in lines:
        if each.since < jurisdiction.changes[0]:
            message = f"{each.code} had rules on {each.since}, and has none now"
            yield ErrorDetail(message=message, file=file, line=each.line, hint=_HINT)
        elif jurisdiction.rulebook(each.since).digest != each.digest:
            message = f"the rules of {each.code} on {each.since} are not those that were locked"
            yield ErrorDetail(message=message, file=file, line=each.line, hint=_HINT)
    through = max(lines[-1].since, lock.through or lines[-1].since)
    days = {each.since for each in lines}
    for rulebook in jurisdiction.slices:
        before = [each for each in lines if each.since < rulebook.since]
        if rulebook.since in days or rulebook.since > through:
            continue
        if not before:
            message = f"{rulebook.code} has rules from {rulebook.since} on, before what was locked"
            yield ErrorDetail(message=message, file=file, line=lines[0].line, hint=_HINT)
        elif rulebook.digest != before[-1].digest:
            message = (
                f"{rulebook.code} has changed on {rulebook.since}, in the past that was locked"
            )
            yield ErrorDetail(message=message, file=file, line=before[-1].line, hint=_HINT)


def unlocked(lock: Lock, jurisdictions: Jurisdictions, on: date) -> list[Locked]:
    """What has begun by the day *on* and has no line yet."""
    days = {(each.code, each.since) for each in lock.lines}
    return [
        Locked(rulebook.code, rulebook.since, rulebook.digest)
        for rulebook in jurisdictions.rulebooks()
        if rulebook.since <= on and (rulebook.code, rulebook.since) not in days
    ]


def added(lock: Lock, new: list[Locked], on: date) -> list[str]:
    """The lines to add to *lock* for what is *new* on the day *on*."""
    lines = [str(each) for each in new]
    if new or lock.through is None or lock.through < on:
        lines.append(f"through {on}")
    return lines
