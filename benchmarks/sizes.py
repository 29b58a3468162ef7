"""The sizes of a benchmark's run, from the command line."""

from __future__ import annotations

import argparse


def sizes(doc: str, **counts: tuple[int, int]) -> argparse.Namespace:
    """
    Return the sizes of a run of the benchmark that *doc* describes.

    Each of *counts* is a full size and the smallest. `--smallest` takes the smallest of each, for a
    run in which only the answers count; `--rounds 3` sets one of them.
    """
    parser = argparse.ArgumentParser(description=doc.partition("\n")[0])
    parser.add_argument(
        "--smallest", action="store_true", help="check the answers at the smallest sizes"
    )
    for name, (full, smallest) in counts.items():
        parser.add_argument(f"--{name}", type=int, help=f"{full}, or {smallest} at the smallest")
    asked = parser.parse_args()
    for name, both in counts.items():
        if getattr(asked, name) is None:
            setattr(asked, name, both[asked.smallest])
    return asked
