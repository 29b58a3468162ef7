"""`holdback conformance`: tests of a host against the invariants that every host must keep."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final, NoReturn

import click

from holdback.cli.output import FINDINGS, MISUSE, SUCCESS, needing, show_progress
from holdback.errors import did_you_mean, printable

# The columns for the name of a check.
_NAME_WIDTH: Final = 24


@click.command("conformance")
@click.argument("host", metavar="MODULE:FACTORY")
@click.option("--seed", type=int, default=0, show_default=True, help="One seed reproduces a run.")
@click.option(
    "--only", multiple=True, metavar="CHECK", help="Run this check only; can be repeated."
)
@click.option("--sets", type=click.IntRange(1), help="How many sets of offers are raced for.")
@click.option("--workers", type=click.IntRange(2, 64), help="How many workers race for each set.")
@click.option("--kills", type=click.IntRange(1), help="How many processes are killed at work.")
@click.option("--times", type=click.IntRange(1), help="How often a partner does its worst.")
@click.option("--histories", type=click.IntRange(1), help="How many random histories to run.")
@click.option("--operations", type=click.IntRange(2), help="The length of each history.")
@click.option("--list", "listed", is_flag=True, help="List the checks and run none.")
def conformance_command(
    host: str, *, seed: int, only: tuple[str, ...], listed: bool, **effort: int | None
) -> None:
    """
    Test the host that MODULE:FACTORY makes: retries, races, crashes, clocks, other partners.

    The module is imported from the current folder too. Each check prints a line. A check that fails
    prints the invariant in words, what was observed, a minimal history, and how to reproduce it.
    Exits with 1 if a check failed.
    """
    with needing("testing"):
        from holdback.testing import conformance  # noqa: PLC0415  # it needs an extra
        from holdback.testing.conformance.loading import load_factory  # noqa: PLC0415  # so does this
    checks = _selected_checks(conformance.CHECKS, only)
    if listed:
        for check in checks:
            click.echo(f"{check.name:{_NAME_WIDTH}}{check.does}")
        return
    sys.path.insert(0, "")  # as `python -m` does
    given = {name: count for name, count in effort.items() if count is not None}

    def new_session() -> Any:
        return conformance.Session(load_factory(host)(), seed, conformance.Effort(**given))

    with _open_session(conformance, host, new_session) as session:
        failed = _run_checks(conformance, session, checks, host)
    sys.exit(FINDINGS if failed else SUCCESS)


@contextmanager
def _open_session(conformance: Any, name: str, new_session: Callable[[], Any]) -> Iterator[Any]:
    """A session with an open host, closed at the end; exits with 2 if the host cannot be opened."""
    try:
        session = new_session()
        session.host.open()
    except conformance.host.NotAHostError as error:
        _cannot_test(name, str(error).splitlines())
    except Exception as error:  # noqa: BLE001  # a host may raise anything
        places = [
            f"{frame.filename}:{frame.lineno} in {frame.name}"
            for frame in traceback.extract_tb(error.__traceback__)[-1:]
        ]
        _cannot_test(name, [*f"{type(error).__name__}: {error}".splitlines(), *places])
    try:
        yield session
    finally:
        getattr(session.host, "close", lambda: None)()  # `close` is optional for a host


def _cannot_test(name: str, lines: list[str]) -> NoReturn:
    click.echo(f"{name} cannot be tried:", err=True)
    for line in lines:
        click.echo(f"  {printable(line)}", err=True)
    sys.exit(MISUSE)


def _selected_checks(checks: Any, only: tuple[str, ...]) -> Any:
    """Those of *checks* that `--only` names, or all of them."""
    names = [check.name for check in checks]
    for name in only:
        if name not in names:
            hint = did_you_mean(name, names) or f"there are {', '.join(names)}"
            raise click.BadParameter(f"no check is called `{name}`; {hint}", param_hint="--only")
    return [check for check in checks if not only or check.name in only]


def _run_checks(conformance: Any, session: Any, checks: Any, host: str) -> int:
    """Run *checks*, print a line for each, and return how many failed."""
    failed = not_tested = 0
    for check in checks:
        name = f"{check.name:{_NAME_WIDTH}}"
        session.progress = partial(_show_progress, name)
        result = conformance.check_table.run_check(check, session)
        show_progress()
        if result.skipped is not None:
            not_tested += 1
            state = click.style("not tried", fg="yellow")
            click.echo(f"{name}{state}  {printable(result.skipped)}")
        elif result.broken is None:
            click.echo(f"{name}{click.style('holds', fg='green')}      {check.does}")
        else:
            failed += 1
            click.echo(f"{name}{click.style('BROKEN', fg='red')}     {check.does}")
            for line in str(result.broken).splitlines():
                click.echo(f"    {printable(line)}")
            options = conformance.rerun_options(result, session)
            click.echo(f"    run again: holdback conformance {host} {options}")
    held = len(checks) - failed - not_tested
    click.echo(f"{held} held, {failed} broken, {not_tested} not tried. Seed {session.seed}.")
    return failed


def _show_progress(name: str, done: int, total: int) -> None:
    show_progress(f"{name}{done} of {total}")
