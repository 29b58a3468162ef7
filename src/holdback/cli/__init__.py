"""The commands: `holdback run`, `holdback demo` and `holdback explain`.

Exit codes (design 7a): 0 when fine, 1 on a refusal, 2 on misuse or a document that cannot be read.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line."""
    try:
        from holdback.cli.commands import holdback  # noqa: PLC0415  # click comes with an extra
    except ModuleNotFoundError as missing:
        if missing.name != "click":
            raise
        sys.exit("The commands need click: pip install 'holdback[cli]'")
    holdback(prog_name="holdback")
