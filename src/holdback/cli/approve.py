"""`holdback approve`: write into the lock who approved the text of a policy page, and when."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import click

from holdback.cli.lock import add_to_lock, lock_nothing
from holdback.cli.output import MISUSE, format_option, print_answer, reading
from holdback.cli.sources import Day, jurisdictions_option, load_valid, read_lock_file, select
from holdback.tools.policy.approvals import approved, name_error, page_of
from holdback.tools.policy.policy_record import page_digest
from holdback.tools.workbench.lock import LOCK, Approval


def _name(_context: click.Context, _option: click.Parameter, by: str) -> str:
    wrong = name_error(by)
    if wrong is not None:
        raise click.BadParameter(wrong)
    return by


@click.command("approve")
@click.argument("jurisdiction")
@click.option("--by", required=True, callback=_name, help="The name or the role of the person.")
@click.option("--on", type=Day(), required=True, help="The day of the approval.")
@click.option(
    "--for",
    "of",
    type=Day(),
    help="A day on which the text holds; left out: the day of the approval.",
)
@format_option("text", "json")
@jurisdictions_option
def approve_command(  # noqa: PLR0913  # click hands over a parameter for each option
    jurisdiction: str, *, by: str, on: date, of: date | None, form: str, folder: Path | None
) -> None:
    """
    Add to `digests.lock` that a person approved what the policy page of JURISDICTION says.

    The approval is of the text of one period, and ends when the text changes. A second person is
    added; the same person is not added again. Nothing decides by it.
    """
    if folder is None:
        raise click.UsageError("give --jurisdictions, the folder whose lock it is")
    selection = select(None, folder)
    valid = load_valid(folder)
    with reading(f"The rules of {jurisdiction}"):
        page = page_of(valid, jurisdiction, of or on)
        says, since = page_digest(page), page.rulebook.since
    lock, text, errors = read_lock_file(selection)
    if errors:
        lock_nothing(errors, MISUSE)
    before = next((line for line in approved(page, lock) if line.by == by), None)
    line = Approval(jurisdiction, since, says, on, by) if before is None else before
    if before is None:
        add_to_lock(folder / LOCK, text, [str(line)])
    done = "approved" if before is None else "had approved already"
    answer = f"{line.by} {done} the text of {jurisdiction} from {since} on, on {line.on}."
    print_answer(
        form,
        {"added": [str(line)] if before is None else []},
        (str(line), answer) if before is None else (answer,),
    )
