"""
`holdback demo`: the story that fits a terminal, every reply with `--full`, and the scenario to
start from.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from holdback import wire
from holdback.cli.commands import holdback

NAMES = ("corner-cafe", "book-nook", "late-lunch")
MOST_LINES = 60
WIDTH = 80
FULL_LINES = 763

# What the story tells of each step: day, operation, and the words that say what came of it.
STORY = [
    ("2026-01-12", "required_checks", "identity, business, consumer_credit, takings."),
    ("2026-01-12", "request_offers", "Business cash advance: GBP 9600.00 to 24000.00;"),
    ("2026-01-13", "accept_offer", "GBP 9600.00, repaid as GBP 11904.00 from 8% of takings"),
    ("2026-01-13", "supply_details", "application submitted"),
    ("2026-01-14", "fund_deal", "Initial deal funded: GBP 9600.00, GBP 11904.00 to remit."),
    (
        "2026-03-10",
        "record_remittance",
        "4 entries recorded: 24.7311% paid down, GBP 8960.00 left.",
    ),
    ("2026-03-11", "look_up", "24.7311% paid down, GBP 8960.00 left, not eligible for renewal."),
    ("2026-06-02", "record_remittance", "61.8279% paid down, GBP 4544.00 left. Eligible"),
    ("2026-06-03", "look_up", "61.8279% paid down, GBP 4544.00 left, eligible for renewal."),
    ("2026-06-03", "request_offers", "GBP 9600.00 to 24000.00; Starter advance: declined."),
    (
        "2026-06-03",
        "accept_offer",
        "GBP 4544.00 settles the current deal and GBP 12256.00 is paid out, repaid as GBP 19992.00",
    ),
    ("2026-06-03", "accept_offer", "Asked again: the same reply, and no new events."),
    ("2026-06-04", "fund_deal", "GBP 19992.00 to remit; GBP 4544.00 settles the old deal."),
    ("2026-06-04", "look_up", "Initial: Renewed. Renewal: Funded, 0% paid down"),
    ("2026-03-02", "request_offers", "Starter advance: GBP 1000.00 to 2000.00."),
    ("2026-04-01", "accept_offer", "Refused: 404 offers_expired, the offers have expired;"),
    ("2026-04-01", "required_checks", "consumer_credit (from 2026-04-01T08:00:00Z on)"),
    ("2026-01-19", "request_offers", "Business cash advance: GBP 9600.00 to 24000.00;"),
    ("2026-01-19", "accept_offer", "Accepted: GBP 9600.00"),
    ("2026-01-20", "fund_deal", "Initial deal funded"),
    ("2026-08-05", "record_remittance", "52.4193% paid down, GBP 5664.00 left."),
    ("2026-08-06", "request_offers", "Declined. GB-R-02: The deal is repaying at 60.0969%"),
]


def demo(*options, **settings):
    ran = CliRunner().invoke(holdback, ["demo", *options], **settings)
    assert ran.exit_code == 0, ran.output
    return ran.output


def test_the_story_fits_a_terminal():
    """
    At most 60 lines of at most 80 columns.
    """
    lines = demo().splitlines()

    assert len(lines) <= MOST_LINES
    assert max(map(len, lines)) <= WIDTH
    assert lines == [line.rstrip() for line in lines]


def test_the_story_has_every_step():
    """
    For each step: when, who, what, the money, the outcome, the reason.
    """
    *blocks, last = demo().split("\n\n")
    told = [block.split("\n", 1) for block in blocks]
    steps = []
    for _, text in told:
        for line in text.splitlines():
            if line.startswith(" "):
                steps[-1] += f" {line.strip()}"
            else:
                steps.append(line)

    assert [who for who, _ in told] == [f"acme / {name}" for name in NAMES]
    assert [step.split()[:2] for step in steps] == [[day, what] for day, what, _ in STORY]
    for step, (_, _, words) in zip(steps, STORY, strict=True):
        assert words in step
    assert last == "22 steps, 1 refused. To see every reply: holdback demo --full\n"


def test_colours_add_nothing_else():
    """
    In a terminal the same text, coloured: a refusal and a decline are red.
    """
    coloured = demo(color=True, env={"TERM": "xterm"})
    red = [line for line in coloured.splitlines() if "\x1b[31m" in line]

    assert demo(color=True, env={"NO_COLOR": "1"}) == demo()
    assert "\x1b[" in coloured
    assert any("Refused: 404" in line for line in red)
    assert any("Declined. GB-R-02" in line for line in red)
    assert not any("Accepted" in line for line in red)


def test_piped_it_is_plain():
    """
    A pipe is not a terminal: no colours, and always 80 columns.
    """
    command = [sys.executable, "-c", "from holdback.cli import main; main()", "demo"]
    env = {**os.environ, "COLUMNS": "200", "TERM": "xterm"}
    ran = subprocess.run(command, capture_output=True, text=True, env=env, check=True)

    assert ran.stdout == demo()


@pytest.mark.parametrize("options", [(), ("--full",), ("--json",)])
def test_the_same_output_at_every_run(options):
    assert demo(*options) == demo(*options)


def test_the_whole_service():
    """
    The nine partner steps under the rules of GB, then an expired offer and a declined renewal.
    """
    steps = wire.read_json(demo("--json"), limit=10**7)
    refused = [(step["operation"], step["problem"]["code"]) for step in steps if "problem" in step]
    replies = [step.get("reply") for step in steps]

    assert refused == [("accept_offer", "offers_expired")]
    eligibility = [
        deal["performance"]["renewal_eligibility"]
        for step, reply in zip(steps, replies, strict=True)
        if step["operation"] == "look_up"
        for deal in reply["deals"]
        if deal["active"]
    ]
    assert eligibility == [False, True, False]
    assert [deal["status"] for deal in replies[13]["deals"]] == ["Renewed", "Funded"]
    assert {product["decision"] for product in replies[-1]["products"]} == {"Declined"}
    assert steps[-1]["events"][0]["assessment"]["reasons"]
    assert replies[10] == replies[11]
    assert steps[11]["events"] == []


def test_full_is_a_run_of_the_scenario(tmp_path):
    """
    `holdback demo --full` is `holdback run` over a scenario that ships.
    """
    scenario = tmp_path / "scenario.json"
    scenario.write_text(demo("--scenario"), encoding="utf-8")
    ran = CliRunner().invoke(holdback, ["run", str(scenario)])

    assert ran.exit_code == 1  # one step is refused, as intended
    assert ran.output == demo("--full")
    assert len(ran.output.splitlines()) == FULL_LINES
