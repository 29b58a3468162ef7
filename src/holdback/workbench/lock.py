"""`digests.lock`: the digests of what was in force, so that history cannot change unseen.

One line for each jurisdiction and past change date: the code, the day, the digest. Lines are added, never
changed: an auditor can tell that the rules of a day are still those by which was decided on it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Final

from attrs import frozen

from holdback.errors import Fault
from holdback.jurisdictions.document import excerpt
from holdback.jurisdictions.jurisdiction import Jurisdictions

LOCK: Final = "digests.lock"
HEADER: Final = (
    "# Code, day of change, digest. Written by `holdback lock`; lines are added, never changed.\n"
)

_LINE: Final = re.compile(
    r"([A-Z]{2}(?:-[A-Z0-9]{1,3})?) ([0-9]{4}-[0-9]{2}-[0-9]{2}) (sha256:[0-9a-f]{64})"
)


@frozen
class Locked:
    """One line: from the day `since` on, the rulebook of `code` had that digest."""

    code: str
    since: date
    digest: str
    line: int


def read_lock(text: str, file: str) -> tuple[tuple[Locked, ...], tuple[Fault, ...]]:
    """The lines of a lock, and what is wrong with it."""
    found, faults = dict[tuple[str, date], Locked](), list[Fault]()
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        match, day = _LINE.fullmatch(line.rstrip()), None
        if match is not None:
            try:
                day = date.fromisoformat(match[2])
            except ValueError:
                match = None
        if match is None or day is None:
            message = f"this is no line of a lock: `{excerpt(line)}`"
            hint = "restore the file as it was; a line is a code, a day and a digest"
            faults.append(Fault(message=message, file=file, line=number, hint=hint))
        elif (match[1], day) in found:
            message = f"{match[1]} has a line for {day} already"
            faults.append(Fault(message=message, file=file, line=number))
        else:
            found[match[1], day] = Locked(match[1], day, match[3], number)
    return tuple(found.values()), tuple(faults)


def broken(
    locked: tuple[Locked, ...], jurisdictions: Jurisdictions, file: str, on: date | None = None
) -> Iterator[Fault]:
    """
    Where the past of *jurisdictions* is not as it was *locked*.

    With *on*, the day of today, also what has begun by then and is not locked.
    """
    by_code: dict[str, list[Locked]] = {}
    for each in locked:
        by_code.setdefault(each.code, []).append(each)
    for code, lines in by_code.items():
        if code not in jurisdictions.codes:
            message = f"{code} is locked, and there is no such jurisdiction that can be read"
            hint = "a jurisdiction stays, so that its decisions can be told from its rules"
            yield Fault(message=message, file=file, line=lines[0].line, hint=hint)
            continue
        yield from _changed(sorted(lines, key=lambda each: each.since), jurisdictions, file)
    if on is not None:
        for new in unlocked(locked, jurisdictions, on):
            message = f"{new.code} changed on {new.since}, which is not locked yet"
            yield Fault(message=message, file=file, hint=f"run `holdback lock --on {on}`")


def _changed(lines: list[Locked], jurisdictions: Jurisdictions, file: str) -> Iterator[Fault]:
    """What differs in one jurisdiction on the days up to its last line."""
    jurisdiction = jurisdictions[lines[0].code]
    for each in lines:
        if each.since < jurisdiction.changes[0]:
            message = f"{each.code} had rules on {each.since}, and has none now"
            yield Fault(message=message, file=file, line=each.line, hint=_HINT)
        elif jurisdiction.rulebook(each.since).digest != each.digest:
            message = f"the rules of {each.code} on {each.since} are not those that were locked"
            yield Fault(message=message, file=file, line=each.line, hint=_HINT)
    days = {each.since for each in lines}
    for rulebook in jurisdiction.slices:
        before = [each for each in lines if each.since < rulebook.since]
        inside = before and rulebook.since < lines[-1].since and rulebook.since not in days
        if inside and rulebook.digest != before[-1].digest:
            message = (
                f"{rulebook.code} has changed on {rulebook.since}, in the past that was locked"
            )
            yield Fault(message=message, file=file, line=before[-1].line, hint=_HINT)
        elif not before and rulebook.since not in days:
            message = f"{rulebook.code} has rules from {rulebook.since} on, before what was locked"
            yield Fault(message=message, file=file, line=lines[0].line, hint=_HINT)


_HINT: Final = (
    "history is added to, never edited: undo the change, and give the new value a later `from`"
)


def unlocked(locked: tuple[Locked, ...], jurisdictions: Jurisdictions, on: date) -> list[Locked]:
    """What has begun by the day *on* and has no line yet, without line numbers."""
    days = {(each.code, each.since) for each in locked}
    return [
        Locked(rulebook.code, rulebook.since, rulebook.digest, 0)
        for rulebook in jurisdictions.rulebooks()
        if rulebook.since <= on and (rulebook.code, rulebook.since) not in days
    ]


def line_of(locked: Locked) -> str:
    """The line of *locked* as it stands in the file."""
    return f"{locked.code} {locked.since} {locked.digest}\n"
