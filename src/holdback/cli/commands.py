"""
The command `holdback`, with one module for each of its subcommands.

A subcommand is imported when it is run, so that none waits for what the others need.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any, Final

import click

# Each subcommand with what the page of `holdback --help` says of it. `check` is `check_command` in
# the module `check`, and so on.
SUMMARIES: Final = {
    "approve": "Write down who approved the text of a policy page.",
    "audit": "Audit rates that were disclosed against those that came.",
    "check": "Report everything that is wrong in files of jurisdictions.",
    "conformance": "Test a host: retries, races, crashes, years of use.",
    "demo": "Tell the story of one merchant, from offers to a renewal.",
    "diff": "Say what changed in the rules, and for which deals.",
    "disclose": "Compute the figures that a law asks to be shown.",
    "dmn": "Write the rules as DMN, and read decision tables of DMN.",
    "explain": "Assess one deal, with reasons and what would help it.",
    "history": "Show every version of a rule or a value.",
    "lock": "Lock the digests of past and current rules.",
    "new": "Write the folder of a new jurisdiction.",
    "portfolio": "Assess a file of deals.",
    "prove": "Prove what holds of every deal that could exist.",
    "replay": "Derive a recorded decision again.",
    "run": "Carry out a scenario: a list of requests.",
    "schema": "Print the JSON Schema of a kind of file.",
    "show": "Show the rules and products of a jurisdiction.",
    "sql": "Print the renewal rules as one SQL query.",
    "statement": "Print the statement of a stored merchant.",
    "table": "Take a table of tiers to CSV or Excel, and back.",
    "test": "Run the examples of jurisdictions.",
}


class _Subcommands(dict[str, click.Command]):
    """The subcommands by name, each of which is imported when it is asked for."""

    def get(self, name: str, default: Any = None) -> Any:
        """Return the subcommand *name*."""
        if name not in SUMMARIES:
            return default
        return getattr(import_module(f"holdback.cli.{name}"), f"{name}_command")


class _Group(click.Group):
    """A group that lists its subcommands without importing them."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the names of the subcommands, with their summaries."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(tuple(SUMMARIES.items()))


@click.group(
    cls=_Group,
    commands=_Subcommands.fromkeys(SUMMARIES),
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="holdback")
@click.pass_context
def holdback(ctx: click.Context) -> None:
    """Merchant financing rules: offers, acceptance, deals and renewals."""
    # https://no-color.org, and terminals that cannot show colours.
    if "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb":
        ctx.color = False
