"""A million deals at a time: a portfolio, compared with other engines.

Measures: the ten renewal rules of `task.py` on a million deals, from columns of scaled integers of
which 3% are unknown, to the outcome, whether the deal is eligible, the mask of the failing rules
and the mask of the missing facts: `holdback.portfolio.assess(frame, rulebook, prepared=True)`.

Against:

- Polars, NumPy, DuckDB SQL and Spark SQL written by hand (`frames_by_hand.py`) and an OpenFisca
  country (`openfisca_country.py`), all on floats without nulls, with two result columns: the mask
  and the flag. They do not handle unknown facts, do not check ranges, and have one outcome, not
  five;
- pandas by hand, and Arrow's own parsing of Python's Decimals and of texts;
- BlazeRules, an engine in C++, asked for the rules that each deal fails; it takes a deal with
  unknown facts for one that fails nothing, so it gets deals without any;
- zen-engine's `evaluate_batch` on fewer deals, timed per deal.

Ratios to reach: on Polars at most 2.5 times the expression by hand, and at most 1.3 times where no
column has unknowns; faster than OpenFisca; on DuckDB at most 2 times the SQL by hand, and on
PySpark at most 1.5; ten jurisdictions at most 2 times one on DuckDB, and 3 times on PySpark; at
least 300 times faster than zen-engine's `evaluate_batch`. From float or Decimal columns on Polars
at most 5 times as long as from prepared ones, and no longer than BlazeRules; on pandas of NumPy at
most 4 times as long as pandas by hand; from objects and texts at most 2 times as long as parsing
them alone; on PyArrow at most 4 times Polars by hand. Ten jurisdictions in memory at most 2 times
one.

Both sides of a ratio have the same sink: whole result columns in memory (Polars, NumPy, pandas,
PyArrow), an Arrow table (DuckDB), or Spark's `noop` sink, which computes every row and keeps none.
Polars, DuckDB and Spark have two threads. On DuckDB and Spark a result is a plan, which both sides
write and then execute; another row shows the time of executing ours alone.

Before anything is timed, the results of the peers are compared with the function by hand, and ours
with the closure, one deal at a time, on all deals, unknown facts included.

Run it with `python benchmarks/field.py` or, where the peers of `requirements.txt` are installed,
with `python benchmarks/batch.py`; `--smallest` makes it shorter. Peers that are not installed, and
Spark without Java, are left out.
"""

from __future__ import annotations

import os
import shutil
import sys
from importlib.util import find_spec
from random import Random
from statistics import median

from ratios import Ratios, figure, in_rounds, is_installed, machine, print_markdown, ratio
from setting import THREADS, Group, Setting
from sizes import sizes

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
    "blazerules",
    "pyspark",
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
            if row.name in seconds and row.other in seconds
        ],
    )
    print(flush=True)


def with_spark() -> bool:
    """Return whether Spark can run here."""
    return find_spec("pyspark") is not None and bool(
        shutil.which("java") or os.environ.get("JAVA_HOME")
    )


def main() -> int:
    """Check the results, take the times and print the tables; return 1 when a ratio is missed."""
    os.environ.setdefault("POLARS_MAX_THREADS", str(THREADS))  # read when Polars is imported
    import in_memory
    import on_duckdb

    size = sizes(__doc__, rounds=(15, 1), deals=(1_000_000, 2_000))
    rounds, setting, ratios = size.rounds, Setting.made(size.deals), Ratios()
    for group in (*in_memory.GROUPS, *on_duckdb.GROUPS):
        print_group(group, setting, rounds, ratios)
    if with_spark():
        import on_spark

        for group in on_spark.GROUPS:
            print_group(group, setting, min(rounds, SPARK_ROUNDS), ratios)
    else:
        print("Spark is left out: it needs PySpark and Java.\n")
    print(machine(filter(is_installed, PACKAGES)))
    return 1 if ratios.missed and not size.smallest else 0


if __name__ == "__main__":
    sys.exit(main())
