"""Without its extra, `holdback.portfolio` says what to install."""

from __future__ import annotations

import subprocess
import sys

import pytest

BLOCKED = """
import sys
sys.modules[{name!r}] = None
try:
    {statement}
except ImportError as error:
    print(type(error).__mro__[1].__name__, error)
"""


@pytest.mark.parametrize("name", ["narwhals", "numpy", "polars", "pyarrow"])
@pytest.mark.parametrize(
    "statement", ["from holdback import portfolio", "import holdback.portfolio"]
)
def test_the_extra_is_named(name, statement):
    program = BLOCKED.format(name=name, statement=statement)
    command = [sys.executable, "-c", program]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)

    message = f"holdback.portfolio needs {name}: pip install 'holdback[frames]'\n"
    assert ran.stdout == f"ImportError {message}"


def test_the_command_names_its_extra():
    """
    `holdback portfolio` needs more than the frames, and names the extra that has it all.
    """
    program = (
        "import sys; sys.modules['narwhals'] = None\n"
        "sys.argv = ['holdback', 'portfolio', 'deals.csv']\n"
        "from holdback.cli import main; main()"
    )
    command = [sys.executable, "-c", program]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)

    assert ran.returncode == 2
    assert ran.stderr == "Error: The command needs narwhals: pip install 'holdback[portfolio]'\n"
