"""`holdback portfolio` on long files: time and memory.

Measures: the command on Parquet files of one, five, ten and twenty million deals of the sample,
from start to end, with the summary, and with every result written to another file. To reach: less
than 1.5 GB at twenty million, and time in proportion to the number of deals: the seconds for a
million are about the same in every row. There is no peer, because no other tool evaluates such
rules on a file.

Run it: `python benchmarks/long_file.py`. It first makes the files, about 1.7 GB, in a folder that
is deleted afterwards; it takes some minutes. `--deals` and `--smallest` make it shorter.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from time import perf_counter

import pyarrow.parquet as pq
from sizes import sizes

from holdback.portfolio import sample

SIZES = (1_000_000, 5_000_000, 10_000_000, 20_000_000)
SMALLEST = 20_000
PART = 500_000
ROW_GROUP = 125_000
COMMAND = "from holdback.cli import main; main()"
PACKAGES = ("narwhals", "polars", "duckdb", "pyarrow")


def make(file: Path, count: int) -> None:
    """Make a file of *count* deals by repeating the same half million."""
    part = min(PART, count)
    deals = sample(part, 1)
    with pq.ParquetWriter(file, deals.schema) as writer:
        for _ in range(count // part):
            writer.write_table(deals, row_group_size=ROW_GROUP)


def run(*arguments: object) -> tuple[float, int]:
    """Return the seconds of the command, and its peak memory in bytes."""
    start = perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-c", COMMAND, "portfolio", *map(str, arguments)],
        stdout=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    taken = perf_counter() - start
    assert status == 0, "the command failed"
    return taken, usage.ru_maxrss * 1024


def main() -> None:
    """Make the files, run the command on each, and print the table."""
    most = sizes(__doc__, deals=(SIZES[-1], SMALLEST)).deals
    print(
        "| deals | seconds | for a million | memory, GB | with every answer written | memory, GB |"
    )
    print("|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for count in (*(size for size in SIZES if size < most), most):
            file, answers = folder / f"{count}.parquet", folder / "answers.parquet"
            make(file, count)
            seconds, memory = run(file)
            written, more = run(file, "--output", answers)
            file.unlink()
            assert pq.read_metadata(answers).num_rows == count
            print(
                f"| {count:,} | {seconds:.1f} | {seconds / count * 1e6:.2f} "
                f"| {memory / 1e9:.2f} "
                f"| {written:.1f} | {more / 1e9:.2f} |",
                flush=True,
            )
    versions = ", ".join(f"{each} {version(each)}" for each in PACKAGES)
    print(f"\nCPython {platform.python_version()}, {versions}, {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
