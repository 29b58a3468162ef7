"""The command `holdback`, with one module for each of its subcommands."""

from __future__ import annotations

import os

import click

from holdback.cli.check import check_command
from holdback.cli.conformance import conformance_command
from holdback.cli.demo import demo_command
from holdback.cli.diff import diff_command
from holdback.cli.explain import explain_command
from holdback.cli.history import history_command
from holdback.cli.lock import lock_command
from holdback.cli.new import new_command
from holdback.cli.portfolio import portfolio_command
from holdback.cli.prove import prove_command
from holdback.cli.replay import replay_command
from holdback.cli.run import run_command
from holdback.cli.schema import schema_command
from holdback.cli.show import show_command
from holdback.cli.sql import sql_command
from holdback.cli.statement import statement_command
from holdback.cli.test import test_command


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="holdback")
@click.pass_context
def holdback(ctx: click.Context) -> None:
    """Merchant financing rules: offers, acceptance, deals and renewals."""
    # https://no-color.org, and terminals that cannot show colours.
    if "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb":
        ctx.color = False


for _command in (
    check_command,
    conformance_command,
    demo_command,
    diff_command,
    explain_command,
    history_command,
    lock_command,
    new_command,
    portfolio_command,
    prove_command,
    replay_command,
    run_command,
    schema_command,
    show_command,
    sql_command,
    statement_command,
    test_command,
):
    holdback.add_command(_command)
