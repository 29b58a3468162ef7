"""A million deals at a time: a whole portfolio beside the field.

Measures: the ten renewal rules of `task.py` on a million deals, from columns of scaled integers of which three in a
hundred values are unknown, to the outcome, whether the deal is eligible, the mask of the failing rules and the mask of
the facts that are needed: `holdback.portfolio.assess(frame, rulebook, prepared=True)`. Against:

- hand-written Polars, NumPy, DuckDB SQL and Spark SQL (`frames_by_hand.py`) and an OpenFisca country
  (`openfisca_country.py`), all on floats without a null, with two columns for an answer, the mask and the flag. They
  know nothing of unknown facts, do not look whether a value is in its range, and have one outcome, not five;
- zen-engine's `evaluate_batch`, on fewer deals, its time taken for each deal.

Ratios to reach: on Polars at most 2.5 times the hand-written expression, and at most 1.3 times where no column has
unknowns; ahead of OpenFisca; on DuckDB and PySpark at most 2 times the hand-written SQL; at least 300 times faster than
zen-engine's `evaluate_batch`. The other frames, and the conversion from Decimals and from floats, are rows without one.

Both sides of a ratio have the same sink: the columns of the answer, whole, in memory (Polars, NumPy, pandas, PyArrow),
as an Arrow table (DuckDB), or written by Spark to its `noop` sink, which works out every row and keeps none. Polars,
DuckDB and Spark have two threads. On DuckDB and Spark an answer is a plan, which both sides write and then have worked
out; a row of its own tells what working ours out takes alone.

Before anything is timed, the peers' answers are compared with the function by hand, and ours with those of the closure,
one deal at a time, on all deals, the unknown facts among them.

Run it with `python benchmarks/field.py`, or, where the peers of `requirements.txt` are installed, with `python
benchmarks/batch.py`, which takes a number of rounds. Where there is no Java, Spark is left out.
"""

from __future__ import annotations

import os
import shutil
import sys
from random import Random
from statistics import median

from ratios import Ratios, figure, in_rounds, machine, print_markdown, ratio
from setting import THREADS, Group, Setting

ROUNDS = 15
SPARK_ROUNDS = 7
PACKAGES = (
    "narwhals",
    "polars",
    "numpy",
    "pandas",
    "pyarrow",
    "duckdb",
    "openfisca-core",
    "zen-engine",
)


def print_group(group: Group, setting: Setting, rounds: int, ratios: Ratios) -> None:
    """Make and check the contenders of *group*, time them, and print its rows."""
    contenders = list(group.contenders(setting))
    seconds = in_rounds(contenders, rounds=rounds, random=Random("a million deals"))
    print(f"### {group.title}\n")
    print_markdown(
        ("what", "ms for a million deals"),
        [(name, figure(median(taken) * 1e9)) for name, taken in seconds.items()],
    )
    print()
    print_markdown(
        ("what", "ratio", "to reach"),
        [
            (
                f"{row.name} / {row.other}",
                *ratios.cells(ratio(seconds, row.name, row.other), row.target),
            )
            for row in group.rows
        ],
    )
    print(flush=True)


def with_java() -> bool:
    """Whether Spark can run here."""
    return bool(shutil.which("java") or os.environ.get("JAVA_HOME"))


def main() -> int:
    """Check the answers, take the times, print the tables; 1 when a ratio is missed."""
    os.environ.setdefault("POLARS_MAX_THREADS", str(THREADS))  # read when Polars is imported
    import in_memory
    import on_duckdb

    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    setting, ratios, packages = Setting.made(), Ratios(), PACKAGES
    for group in (*in_memory.GROUPS, *on_duckdb.GROUPS):
        print_group(group, setting, rounds, ratios)
    if with_java():
        import on_spark

        for group in on_spark.GROUPS:
            print_group(group, setting, min(rounds, SPARK_ROUNDS), ratios)
        packages = (*packages, "pyspark")
    else:
        print("Spark is left out: it needs Java, and there is no `java` on this machine.\n")
    print(machine(packages))
    return 1 if ratios.missed else 0


if __name__ == "__main__":
    sys.exit(main())
