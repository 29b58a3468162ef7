"""What `holdback diff` compares: two days, two folders, or two jurisdictions, step by step."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Final

import click
from attrs import evolve

from holdback.cli.output import reading
from holdback.cli.sources import load_all, load_one
from holdback.errors import printable
from holdback.frozen_classes import frozen
from holdback.jurisdictions.folder import CODE
from holdback.jurisdictions.jurisdiction import Jurisdiction, Jurisdictions
from holdback.jurisdictions.reader import FILES
from holdback.rulebooks.rulebook import Rulebook
from holdback.tools.workbench.differences import ADDED, CHANGED, REMOVED, Difference, differences
from holdback.tools.workbench.overview import overview


@frozen(kw_only=True)
class WholeDifference(Difference):
    """A difference between all the rules of a day, for which the text output has a `sentence`."""

    sentence: str


_SAME_AGAIN: Final = WholeDifference(
    state=CHANGED,
    kind="jurisdiction",
    name="identical again from this day on",
    sentence="No difference from this day on",
)


@frozen(kw_only=True)
class Sides:
    """The rules of a jurisdiction on a day, and those of another one, or of another day."""

    old: Jurisdiction
    old_day: date
    new: Jurisdiction
    new_day: date

    @property
    def rulebooks(self) -> tuple[Rulebook, Rulebook]:
        """The rulebooks before and after."""
        return self.old.rulebook(self.old_day), self.new.rulebook(self.new_day)

    def differences(self) -> tuple[Difference, ...]:
        """Return the differences, rule by rule."""
        before, after = overview(self.old, self.old_day), overview(self.new, self.new_day)
        return tuple(differences(before, after))


@frozen(kw_only=True)
class Step:
    """
    The differences under one `title`, and their two sides; None if one has no rules.

    One that `repeats` has the differences of the step before: the rules changed, alike on both
    sides, and with them maybe what the differences mean.
    """

    title: str
    differences: tuple[Difference, ...]
    sides: Sides | None = None
    repeats: bool = False


def between_days(code: str, start: date, end: date, folder: Path | None) -> Iterator[Step]:
    """
    Yield the differences between two days of the jurisdiction *code*.

    Where it changes more than once between them, each change follows as a step of its own.
    """
    with reading(f"The rules of {code}"):
        jurisdiction = load_one(folder, code)
        days = [day for day in jurisdiction.changes if start < day <= end]
        steps = [_between(jurisdiction, start, end)]
        if len(days) > 1:
            # A change is between its day and the day before, which has rules: `start` does.
            steps += [_between(jurisdiction, day - timedelta(days=1), day) for day in days]
    yield from (step for step in steps if step.differences)


def _between(jurisdiction: Jurisdiction, start: date, end: date) -> Step:
    sides = Sides(old=jurisdiction, old_day=start, new=jurisdiction, new_day=end)
    title = f"{jurisdiction.code} from {start} to {end}"
    return Step(title=title, differences=sides.differences(), sides=sides)


def between_two(names: tuple[str, str], on: date | None, folder: Path | None) -> Iterator[Step]:
    """
    Yield the differences between two folders or two jurisdictions that *names* are.

    Names are of folders if one of them is a folder, unless a *folder* of jurisdictions is given.

    Raises:
        UsageError: there is no such folder.
    """
    old, new = (Path(name) for name in names)
    if folder is None and (old.is_dir() or new.is_dir()):
        yield from _between_folders(_load_folder(names[0]), _load_folder(names[1]), on)
        return
    for name in names:
        if not CODE.fullmatch(name.upper()):
            raise click.UsageError(
                f"there is no folder {printable(name)}, and it is not the code of a jurisdiction"
            )
    with reading(f"The rules of {names[0]} and {names[1]}"):
        first, second = (load_one(folder, name) for name in names)
        yield from _on_all_days(first, second, f"{first.code} to {second.code}", on)


def _load_folder(name: str) -> Jurisdictions:
    path = Path(name)
    if not path.is_dir():
        raise click.UsageError(f"there is no folder {printable(name)}")
    if any((path / file).is_file() for file in FILES):
        parent, code = (printable(part) for part in (str(path.parent), path.resolve().name))
        raise click.UsageError(
            f"{printable(name)} is the folder of one jurisdiction, and not one of jurisdictions; "
            f"to compare it with another: holdback diff {code} OTHER --jurisdictions {parent}"
        )
    return load_all(path)


def _between_folders(old: Jurisdictions, new: Jurisdictions, on: date | None) -> Iterator[Step]:
    for code in sorted({*old.codes, *new.codes}):
        if code not in old.codes or code not in new.codes:
            state, source = (REMOVED, old) if code in old.codes else (ADDED, new)
            whole = Difference(state=state, kind="jurisdiction", name=source[code].name)
            yield Step(title=code, differences=(whole,))
        else:
            yield from _on_all_days(old[code], new[code], code, on)


def _on_all_days(
    old: Jurisdiction, new: Jurisdiction, title: str, on: date | None
) -> Iterator[Step]:
    """Yield the differences on the day *on*, or on every day on which they or the rules change."""
    previous = Step(title=title, differences=())
    for day in [on] if on else sorted({*old.changes, *new.changes}):
        step = _on_day(old, new, f"{title} {'on' if on else 'from'} {day}", day)
        if step.differences != previous.differences:
            yield step if step.differences else Step(title=step.title, differences=(_SAME_AGAIN,))
        elif step.differences and _meaning(step) != _meaning(previous):
            yield evolve(step, repeats=True)
        previous = step


def _meaning(step: Step) -> list[str]:
    """Return what the rules of both sides mean, as digests."""
    return [] if step.sides is None else [rules.digest for rules in step.sides.rulebooks]


def _on_day(old: Jurisdiction, new: Jurisdiction, title: str, day: date) -> Step:
    """Return the differences on *day*, on which one of the two may have no rules yet."""
    old_start, new_start = old.changes[0], new.changes[0]
    if day < old_start and day < new_start:
        return Step(title=title, differences=())
    if day < old_start:
        sentence = f"NEW already has rules; OLD begins on {old_start}"
        return Step(title=title, differences=(_rules_before(old_start, ADDED, sentence),))
    if day < new_start:
        sentence = f"OLD already has rules; NEW begins on {new_start}"
        return Step(title=title, differences=(_rules_before(new_start, REMOVED, sentence),))
    sides = Sides(old=old, old_day=day, new=new, new_day=day)
    return Step(title=title, differences=sides.differences(), sides=sides)


def _rules_before(start: date, state: str, sentence: str) -> Difference:
    name = f"rules before {start}"
    return WholeDifference(state=state, kind="jurisdiction", name=name, sentence=sentence)
