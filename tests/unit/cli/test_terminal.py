"""Commands in a process of their own: broken pipes, full disks, colours and escapes."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from every_case import for_every
from holdback.cli.commands import SUMMARIES, holdback
from holdback.jurisdictions.folder import bundled_path

MAIN = "from holdback.cli import main; main()"


def shell(line, **variables):
    """The finished shell command *line*, in which `$HOLDBACK` is the command."""
    command = f"{sys.executable} -c '{MAIN}'"
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", line.replace("$HOLDBACK", command)],
        capture_output=True,
        text=True,
        env={**os.environ, **variables},
        check=False,
    )


@for_every(
    ("line", "code"),
    [
        ("$HOLDBACK demo | head -n 2", 0),
        ("$HOLDBACK demo > /dev/full", 2),
        ("$HOLDBACK demo --json > /dev/full", 2),
        ("$HOLDBACK run - <&-", 2),
        ("$HOLDBACK run - < /dev/null", 2),
        ("$HOLDBACK run /", 2),
        ("$HOLDBACK explain GB / --on 2026-07-01", 2),
        ("$HOLDBACK --help", 0),
        ("$HOLDBACK", 2),
    ],
)
def test_what_goes_wrong_outside_is_no_stack_trace(line, code):
    """
    A user's mistake never shows a stack trace.
    """
    ran = shell(line)

    assert "Traceback" not in ran.stderr
    assert ran.returncode == code, ran.stderr


def test_a_scenario_cannot_command_the_terminal(tmp_path):
    """The text of a scenario is shown without escapes."""
    step = {
        "at": "2026-07-06T09:00:00Z",
        "request_id": "r",
        "partner": "ac\u001b[2Jme",
        "merchant_id": "m\u009b31m",
        "jurisdiction": "GB",
        "operation": "look_up",
        "input": {"provider_id": "\u202egnp"},
        "note": "\u001b]0;title\u0007",
    }
    path = tmp_path / "scenario.json"
    path.write_text(json.dumps([step]))
    ran = CliRunner().invoke(holdback, ["run", str(path)])

    assert not {"\u001b", "\u009b", "\u0007", "\u202e"} & set(ran.output)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("at", "2026-02-02 09:00"),
        ("at", "now"),
        ("at", 5),
        ("partner", ""),
        ("jurisdiction", 4),
        ("evidence", [5]),
        ("evidence", 5),
        ("note", {}),
    ],
)
def test_a_step_is_checked_when_it_is_read(tmp_path, field, value):
    """A scenario with an error is not started."""
    step = {
        "at": "2026-07-06T09:00:00Z",
        "request_id": "r",
        "partner": "acme",
        "merchant_id": "m",
        "jurisdiction": "GB",
        "operation": "look_up",
        "input": {"provider_id": "p"},
    }
    path = tmp_path / "scenario.json"
    path.write_text(json.dumps([step, {**step, field: value}]))
    ran = CliRunner().invoke(holdback, ["run", str(path)])

    assert ran.exit_code == 2
    assert f"$[1].{field}" in ran.output


@pytest.mark.parametrize("variable", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_no_colour_where_none_is_wanted(variable):
    """
    https://no-color.org, and terminals without colours.
    """
    plain = CliRunner().invoke(holdback, ["demo"], color=True, env=variable)
    coloured = CliRunner().invoke(holdback, ["demo"], color=True, env={"TERM": "xterm"})

    assert "\u001b[" in coloured.output
    assert "\u001b[" not in plain.output


def test_explain_checks_the_products_as_well(tmp_path):
    """A wrong calculator setting is reported too."""
    (tmp_path / "GB").mkdir()
    for name in ("jurisdiction.toml", "renewal.toml", "products.toml"):
        text = (bundled_path() / "GB" / name).read_text(encoding="utf-8")
        text = text.replace("longest_term_months", "longest_months")
        (tmp_path / "GB" / name).write_text(text, encoding="utf-8")
    facts = tmp_path / "facts.json"
    facts.write_text("{}")
    arguments = ["explain", "GB", str(facts), "--on", "2026-07-01", "--jurisdictions"]
    ran = CliRunner().invoke(holdback, [*arguments, str(tmp_path)])

    assert ran.exit_code == 2
    assert "has no setting `longest_months`" in ran.output


@pytest.mark.parametrize(
    "arguments",
    [
        ("show", "GB", "--on", "2026-07-01"),
        ("explain", "GB", "-", "--on", "2026-07-01"),
        ("diff", "GB", "--from", "2026-07-01", "--to", "2026-07-02"),
        ("check",),
        ("test",),
        ("demo",),
    ],
)
def test_a_hostile_file_cannot_write_to_the_terminal(tmp_path, arguments):
    """
    What a file holds is shown without escapes.
    """
    folder = tmp_path / "GB"
    folder.mkdir()
    (folder / "jurisdiction.toml").write_text('name = "x\x1b[31m\x07\nformat = 1\n')
    (folder / "renewal.toml").write_text('"\\u001b[2J" = 1\n')
    (folder / "products.toml").write_text("format = 1\n")

    ran = CliRunner().invoke(holdback, [*arguments, "--jurisdictions", str(tmp_path)], input="{}")

    assert ran.exit_code in (1, 2)
    assert not {"\x1b", "\x07"} & set(ran.output)


def test_the_page_of_all_commands_imports_none_of_them():
    """
    Each subcommand has a summary of its own, shown whole, and is imported when it is run.
    """
    code = (
        "import sys; sys.argv = ['holdback', '--help']\n"
        "from holdback.cli import main\n"
        "try:\n"
        "    main()\n"
        "finally:\n"
        "    print(sorted(name for name in sys.modules if name.startswith('holdback.')))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "['holdback.cli', 'holdback.cli.commands']" in shown.stdout
    assert all(f"  {summary}\n" in shown.stdout for summary in SUMMARIES.values())
    assert all(holdback.get_command(None, name).name == name for name in SUMMARIES)


def test_a_misspelt_command_is_answered_with_one_that_exists():
    """
    A typing error is answered with the nearest names.
    """
    ran = CliRunner().invoke(holdback, ["exlain"])

    assert ran.exit_code == 2
    assert "Did you mean 'explain'?" in ran.output
