"""`import holdback`, in a process of its own.

Measures: the time of a process that imports holdback, less that of one that imports nothing. The
modules are compiled beforehand, as those of an installed package are.

Against: the same for `import attrs, cattrs, pendulum`, which holdback depends on.

The ratio to reach: at most 1.6. `holdback` imports each public name when it is first used, so the
second row, which uses all of them, is what a service pays once.

Run it: `python benchmarks/import_time.py`
"""

from __future__ import annotations

import compileall
import subprocess
import sys
from pathlib import Path
from statistics import median
from time import perf_counter

from ratios import print_table

import holdback

RUNS = 25


def seconds(code: str) -> float:
    start = perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return perf_counter() - start


def main() -> None:
    codes = {
        "nothing": "pass",
        "attrs, cattrs, pendulum": "import attrs, cattrs, pendulum",
        "import holdback": "import holdback",
        "from holdback import *": "from holdback import *",
    }
    compileall.compile_dir(Path(holdback.__file__).parent, quiet=1)
    times: dict[str, list[float]] = {name: [] for name in codes}
    for _ in range(RUNS):
        for name, code in codes.items():
            times[name].append(seconds(code))
    bare = median(times.pop("nothing"))
    print_table(
        {name: median(each) - bare for name, each in times.items()},
        base="attrs, cattrs, pendulum",
        reach={"import holdback": "at most 1.6"},
        packages=("attrs", "cattrs", "pendulum"),
    )


if __name__ == "__main__":
    main()
