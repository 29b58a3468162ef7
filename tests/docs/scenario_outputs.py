"""Write what the scenarios print: `python tests/docs/scenario_outputs.py`, then review it.

`docs/scenarios/NAME.txt` holds what `holdback run docs/scenarios/NAME.json` prints. Nothing but
this command writes it.
"""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from holdback.cli.commands import holdback

SCENARIOS = Path(__file__).parents[2] / "docs" / "scenarios"
NAMES = sorted(path.stem for path in SCENARIOS.glob("*.json"))


def ran(name, *options):
    """What `holdback run` gives for the scenario *name*."""
    return CliRunner().invoke(holdback, ["run", str(SCENARIOS / f"{name}.json"), *options])


if __name__ == "__main__":
    for name in NAMES:
        (SCENARIOS / f"{name}.txt").write_text(ran(name).output, encoding="utf-8")
