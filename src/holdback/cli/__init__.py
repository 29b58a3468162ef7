"""The commands.

Exit codes (design 7a): 0 when fine, 1 on findings or a refusal, 2 on misuse or a document that cannot be
read.
"""

from __future__ import annotations

import os
import sys
from typing import Final

_MISUSE: Final = 2


def main() -> None:
    """Run the command line, and leave with its exit code. Nobody's mistake shows a stack trace."""
    try:
        import click  # noqa: PLC0415  # it comes with an extra
    except ModuleNotFoundError:
        sys.exit("The commands need click: pip install 'holdback[cli]'")
    from holdback.cli.commands import holdback  # noqa: PLC0415  # it imports click

    try:
        # Not `holdback.main`, which takes a broken pipe for an error of exit code 1, a refusal here.
        with holdback.make_context("holdback", sys.argv[1:]) as context:
            holdback.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as left:
        sys.exit(left.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(_MISUSE)
    except click.Abort:
        sys.exit(_MISUSE)
    except BrokenPipeError:  # whoever read the output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except (OSError, RuntimeError) as error:
        sys.stderr.write(f"holdback: {error}\n")
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(_MISUSE)
