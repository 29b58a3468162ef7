"""`holdback diff`: what changed in the rules, and what that means for all deals that can exist."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

import click

from holdback.cli.diff_steps import Step, WholeDifference, between_days, between_two
from holdback.cli.output import FINDINGS, SUCCESS, format_option, needing, print_answer
from holdback.cli.sources import Day, jurisdictions_option
from holdback.errors import printable
from holdback.exact.exact_json import Json
from holdback.tools.workbench.differences import ADDED, CHANGED, REMOVED

if TYPE_CHECKING:
    from holdback.cli.diff_deals import DealChanges
    from holdback.tools.proofs.effects import RuleComparison

# What each step means for every deal, by its title; nothing without the solver.
_Effects: TypeAlias = "dict[str, list[RuleComparison]]"
_COLOURS: Final = {ADDED: "green", CHANGED: "yellow", REMOVED: "red"}
_TWO: Final = 2


@click.command("diff")
@click.argument("what", nargs=-1, required=True)
@click.option("--from", "start", type=Day(), help="The day before the change.")
@click.option("--to", "end", type=Day(), help="The day after it.")
@click.option("--on", type=Day(), help="With two folders or codes: compare on this day only.")
@click.option(
    "--portfolio", "deals", help="A file of deals: say how many gain or lose, and how much."
)
@format_option("text", "json")
@jurisdictions_option
def diff_command(  # noqa: PLR0913  # one parameter for each option
    what: tuple[str, ...],
    *,
    start: date | None,
    end: date | None,
    on: date | None,
    deals: str | None,
    form: str,
    folder: Path | None,
) -> None:
    """
    Say what changed, rule by rule, and what it means for every deal that can exist.

    `holdback diff GB --from 2026-06-30 --to 2026-07-01` compares two days of a jurisdiction;
    `holdback diff OLD NEW` compares two folders of jurisdictions, and `holdback diff US US-CA` two
    jurisdictions, on every day on which anything changes or on one day. Exits with 1 if something
    changed.
    """
    if len(what) == 1:
        if start is None or end is None or on is not None:
            raise click.UsageError("give both --from and --to")
        steps = [*between_days(what[0], start, end, folder)]
    else:
        if len(what) > _TWO or start or end:
            raise click.UsageError("two folders or codes are compared without --from and --to")
        steps = [*between_two((what[0], what[1]), on, folder)]
    proved = bool(steps) and _can_prove()
    counted = _counted(deals, steps) if deals else None
    effects = _effects(steps) if proved else {}
    steps = [*_without_repeats(steps, effects, counted)]
    print_answer(
        form,
        {step.title: _plain(step, effects, counted) for step in steps},
        _all_lines(steps, effects, counted),
    )
    sys.exit(FINDINGS if steps else SUCCESS)


def _can_prove() -> bool:
    """Return whether the solver is there, and say what to install if it is not."""
    try:
        from holdback.cli import diff_effects  # noqa: F401, PLC0415  # needs an extra
    except ModuleNotFoundError as missing:
        message = "What it means for every deal that can exist"
        click.echo(f"{message} needs {missing.name}: pip install 'holdback[proof]'", err=True)
        return False
    return True


def _counted(deals: str, steps: list[Step]) -> DealChanges:
    with needing("portfolio", "--portfolio"):
        from holdback.cli.diff_deals import deal_changes  # noqa: PLC0415  # needs an extra
    return deal_changes(deals, steps)


def _effects(steps: list[Step]) -> _Effects:
    from holdback.cli.diff_effects import effects_of  # noqa: PLC0415  # needs an extra

    return {step.title: effects_of(step.sides) for step in steps if step.sides is not None}


def _without_repeats(
    steps: list[Step], effects: _Effects, counted: DealChanges | None
) -> Iterator[Step]:
    """Leave out a step with the differences of the one before that means the same as that one."""
    before: object = None
    for step in steps:
        meanings = [effect.meaning for effect in effects.get(step.title, ())]
        meaning = (meanings, counted and counted.by_title.get(step.title))
        if not step.repeats or meaning != before:
            yield step
        before = meaning


def _all_lines(steps: list[Step], effects: _Effects, counted: DealChanges | None) -> Iterator[str]:
    for step in steps:
        yield from _lines(step, effects)
    if not steps:
        yield "Nothing changed."
    elif counted is not None:
        yield f"\n{counted.of(steps)}"


def _lines(step: Step, effects: _Effects) -> Iterator[str]:
    yield click.style(step.title, bold=True)
    for change in step.differences:
        if isinstance(change, WholeDifference):
            yield click.style(f"  {change.sentence}", fg=_COLOURS[change.state])
            continue
        state = click.style(change.state, fg=_COLOURS[change.state])
        yield f"  {state} {change.kind} {printable(change.name)}"
        yield from (f"      {printable(detail)}" for detail in change.details)
    if step.title in effects and step.sides is not None:
        from holdback.cli.diff_effects import lines  # noqa: PLC0415  # needs an extra

        for effect in effects[step.title]:
            yield from lines(effect, step.sides)


def _plain(step: Step, effects: _Effects, counted: DealChanges | None) -> list[Json]:
    items: list[Json] = [change.plain() for change in step.differences]
    if step.title in effects and step.sides is not None:
        from holdback.cli.diff_effects import plain  # noqa: PLC0415  # needs an extra

        items += [plain(effect, step.sides) for effect in effects[step.title]]
    if counted is not None:
        items += counted.plain(step)
    return items
