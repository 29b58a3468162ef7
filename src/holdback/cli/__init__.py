"""
The commands.

Exit codes: 0 for success, 1 for findings or a refusal, 2 for misuse or a document that cannot be
read (`docs/reference/commands.md`).
"""

from __future__ import annotations

import os
import sys
from typing import Final

_MISUSE: Final = 2


def main() -> None:
    """Run the command line and exit with its code; a user's mistake never shows a stack trace."""
    try:
        import click  # noqa: PLC0415  # click comes with an extra
    except ModuleNotFoundError:
        sys.exit("The commands need click: pip install 'holdback[cli]'")
    from holdback.cli.commands import holdback  # noqa: PLC0415  # imports click

    try:
        # `holdback.main()` would exit with 1 on a broken pipe, and 1 means findings here.
        with holdback.make_context("holdback", sys.argv[1:]) as context:
            holdback.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as stopped:
        sys.exit(stopped.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(_MISUSE)
    except click.Abort:
        sys.exit(_MISUSE)
    except BrokenPipeError:  # the reader has closed the pipe, as `| head` does
        _discard_output()
        sys.exit(0)
    except (OSError, RuntimeError) as error:
        sys.stderr.write(f"holdback: {error}\n")
        _discard_output()
        sys.exit(_MISUSE)


def _discard_output() -> None:
    """Point standard output at the null device, because Python flushes it again when it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
