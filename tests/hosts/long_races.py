"""
Long races for offers: the FastAPI host on SQLite and on PostgreSQL at each isolation level.

    python tests/hosts/long_races.py --sets 20000

Eight workers race for the offers of each set, with keys and without. The winners' replies are
compared byte for byte, and with the history. The first set with two winners, or with none, ends the
run.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

if __name__ == "__main__":
    sys.path[1:1] = [str(Path(__file__).parents[2] / "docs" / "hosts")]

import conforming
import postgres
from fastapi_host.database import ISOLATION_LEVELS

from holdback.testing.conformance import CHECKS, Effort, Session, run_checks

RACES = [check for check in CHECKS if check.name == "races of threads"]


def race(name, host, sets, seed):
    """Race on one database at one level, and return whether every set had one winner."""
    start = time.monotonic()

    def progress(done, total):
        if sys.stderr.isatty():
            print(f"\r{name}: {done} of {total}", end="", file=sys.stderr, flush=True)

    session = Session(host, seed, Effort(sets=sets), progress)
    (result,) = run_checks(session, RACES)
    host.close()
    if sys.stderr.isatty():
        print(f"\r{' ' * 60}\r", end="", file=sys.stderr)
    outcome = "one winner each" if result.broken is None else str(result.broken)
    print(f"{name:30} {sets:6} sets: {outcome}, {time.monotonic() - start:.0f} s", flush=True)
    return result.broken is None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    parser.add_argument("--sets", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    with postgres.cluster() as server:
        hosts = {f"PostgreSQL, {level.lower()}": (server.url, level) for level in ISOLATION_LEVELS}
        hosts["SQLite"] = (None, None)
        held = [
            race(name, conforming.fastapi(*where), given.sets, given.seed)
            for name, where in hosts.items()
        ]
    sys.exit(not all(held))


if __name__ == "__main__":
    main()
