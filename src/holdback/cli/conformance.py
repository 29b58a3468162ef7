"""`holdback conformance`: whether a service that embeds holdback loses, doubles or mixes up anything."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import click

from holdback.cli.output import FINDINGS, SUCCESS, MISUSE
from holdback.errors import did_you_mean, printable

_WIDTH = 24


@click.command("conformance")
@click.argument("host", metavar="MODULE:FACTORY")
@click.option(
    "--seed", type=int, default=0, show_default=True, help="The chances to try; the same again."
)
@click.option(
    "--only", multiple=True, metavar="CHECK", help="This check alone; may be given again."
)
@click.option("--sets", type=click.IntRange(1), help="How many sets of offers are raced for.")
@click.option("--workers", type=click.IntRange(2, 64), help="How many race for each.")
@click.option("--kills", type=click.IntRange(1), help="How many processes are killed at work.")
@click.option("--histories", type=click.IntRange(1), help="How many histories of any operations.")
@click.option("--operations", type=click.IntRange(2), help="How long a history is.")
@click.option("--list", "listed", is_flag=True, help="List the checks, and try nothing.")
def conformance_command(
    host: str, *, seed: int, only: tuple[str, ...], listed: bool, **effort: int | None
) -> None:
    """
    Try the host that MODULE:FACTORY makes: retries, races, crashes, clocks, other partners.

    The module is looked for in the current folder too. Each check prints a line. One that fails prints the invariant
    in words, what was seen, a minimal history, and how to have it again. Leaves with 1 when one failed.
    """
    try:
        from holdback.testing import conformance  # noqa: PLC0415  # it needs an extra
        from holdback.testing.conformance.loading import host_of  # noqa: PLC0415  # so does this
    except ModuleNotFoundError as missing:
        message = f"The command needs {missing.name}: pip install 'holdback[testing]'"
        raise click.ClickException(message) from None
    checks = _checks(conformance.CHECKS, only)
    if listed:
        for check in checks:
            click.echo(f"{check.name:{_WIDTH}}{check.does}")
        return
    sys.path.insert(0, "")
    tried = conformance.Effort(**{name: each for name, each in effort.items() if each is not None})
    with _open(
        conformance, host, lambda: conformance.Session(host_of(host)(), seed, tried)
    ) as session:
        failed = _run(conformance, session, checks, seed)
    sys.exit(FINDINGS if failed else SUCCESS)


@contextmanager
def _open(conformance: Any, name: str, make: Callable[[], Any]) -> Iterator[Any]:
    """The session with a host, open until it is closed; leaves with a message where there is none to be had."""
    try:
        session = make()
        session.host.open()
    except conformance.NotAHostError as error:
        _not_tried(name, str(error))
    except Exception as error:  # noqa: BLE001  # a host may raise anything
        _not_tried(name, f"{type(error).__name__}: {error}", where=error)
    try:
        yield session
    finally:
        getattr(session.host, "close", lambda: None)()


def _not_tried(name: str, why: str, where: Exception | None = None) -> NoReturn:
    click.echo(f"{name} cannot be tried:", err=True)
    lines = why.splitlines()
    if where is not None:
        lines += [
            f"{each.filename}:{each.lineno} in {each.name}"
            for each in traceback.extract_tb(where.__traceback__)[-1:]
        ]
    for line in lines:
        click.echo(f"  {printable(line)}", err=True)
    sys.exit(MISUSE)


def _checks(known: Any, only: tuple[str, ...]) -> Any:
    names = [check.name for check in known]
    for name in only:
        if name not in names:
            hint = did_you_mean(name, names) or f"there are {', '.join(names)}"
            raise click.BadParameter(f"no check is called `{name}`; {hint}", param_hint="--only")
    return [check for check in known if not only or check.name in only]


def _run(conformance: Any, session: Any, checks: Any, seed: int) -> int:
    """Run the checks, each with its line; how many failed."""
    failed = lacking = 0
    for check in checks:
        with _progress(session, check.name):
            result = conformance.run_check(check, session)
        label = f"{check.name:{_WIDTH}}"
        if result.lacking is not None:
            lacking += 1
            click.echo(
                f"{label}{click.style('not tried', fg='yellow')}  the host cannot: {printable(result.lacking)}"
            )
        elif result.fault is None:
            click.echo(f"{label}{click.style('holds', fg='green')}      {check.does}")
        else:
            failed += 1
            click.echo(f"{label}{click.style('BROKEN', fg='red')}     {check.does}")
            for line in str(result.fault).splitlines():
                click.echo(f"    {printable(line)}")
            click.echo(f"    again: {conformance.again(result, session)}")
    held = len(checks) - failed - lacking
    click.echo(f"{held} held, {failed} broken, {lacking} not tried. Seed {seed}.")
    return failed


@contextmanager
def _progress(session: Any, name: str) -> Iterator[None]:
    """How far a check has come, for whoever waits, if somebody is there."""
    if not sys.stderr.isatty():
        yield
        return

    def show(done: int, most: int) -> None:
        click.echo(f"\r{name:{_WIDTH}}{done} of {most}", nl=False, err=True)

    session.progress = show
    yield
    click.echo("\r\x1b[K", nl=False, err=True)
