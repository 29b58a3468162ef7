"""Mutants of the whole package, and the lane of the tests that catches each.

    HOLDBACK_REACH=REACH pytest -p reach              # which functions each test enters
    python tests/mutants/run.py plant REACH OUT.jsonl --count 200 --part 0/2
    python tests/mutants/run.py sound REACH OUT.jsonl ...
    python tests/mutants/run.py table OUT.jsonl ...   # tests/mutants/table.tsv, and its sums

`plant` copies the tree, plants one mutant after another, and runs the tests that enter the changed
function, the fastest first, until one fails: those of the first lane, and when none of these fails,
those of `--everyday`. `PYTHONPATH` has to name this folder. Each part runs in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import attrs
from planting import Mutant, chosen, package_of
from trial import Tree, reaching, tests_in

ROOT = Path(__file__).parents[2]
TABLE = Path(__file__).with_name("table.tsv")
COPIED = ("src", "tests", "docs", "jurisdictions", "benchmarks", ".ci")
PLAIN, EVERYDAY, NEITHER = "plain", "everyday", "none"
COLUMNS = ("file", "line", "function", "operator", "before", "after", "lane", "test")
SHOWN = 60  # characters of a change


def collected(folder: Path, *lane: str) -> set[str]:
    """Return the names of the tests of a lane."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run([*command, *lane], cwd=folder, capture_output=True, text=True, check=True)
    return {line for line in done.stdout.splitlines() if "::" in line}


def copy_of(folder: Path) -> Path:
    """Copy what tests and package need into *folder*."""
    ignored = shutil.ignore_patterns("__pycache__", ".venv*")
    for name in COPIED:
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for file in ROOT.iterdir():
        if file.is_file():
            shutil.copy(file, folder)
    return folder


def rows_in(files: Iterable[Path]) -> list[dict]:
    """Return the rows that were written into *files*."""
    return [
        json.loads(line)
        for file in files
        if file.exists()
        for line in file.read_text(encoding="utf-8").splitlines()
    ]


def plant(options: argparse.Namespace) -> None:
    """Try the mutants of one part that are not in the file yet, and write a line about each."""
    part, _, parts = options.part.partition("/")
    tests, out = tests_in(options.reach.resolve()), options.out.resolve()
    names = [field.name for field in attrs.fields(Mutant)]
    done = {tuple(row[name] for name in names) for row in rows_in([out])}
    drawn = chosen(ROOT, options.count, options.seed)[int(part) :: int(parts)]
    with TemporaryDirectory() as name, out.open("a", encoding="utf-8") as file:
        tree = Tree(copy_of(Path(name)))
        first = collected(tree.folder)
        tree.prepare()
        assert not tree.failing(tests[:20]), "tests fail without a mutant"
        plain = [test for test in tests if test.name in first]
        for mutant in (mutant for mutant in drawn if attrs.astuple(mutant) not in done):
            if options.until and datetime.now().strftime("%H:%M") >= options.until:
                break
            near = reaching(plain, mutant)
            lane, failed = PLAIN, tree.catching(mutant, near)
            if not failed and options.everyday:
                lane, near = EVERYDAY, reaching(tests, mutant)
                failed = tree.catching(mutant, near, "--everyday")
            row = attrs.asdict(mutant) | {
                "lane": lane if failed else NEITHER,
                "test": failed or f"{len(near)} tests reach it",
            }
            file.write(json.dumps(row) + "\n")
            file.flush()


def sound(options: argparse.Namespace) -> None:
    """Print those tests that caught a mutant and fail without one as well."""
    named = {row["test"] for row in rows_in(options.files)}
    tests = [test for test in tests_in(options.reach.resolve()) if test.name in named]
    with TemporaryDirectory() as name:
        tree = Tree(copy_of(Path(name)))
        tree.prepare()
        failing = tree.failing(tests)
    print(
        f"{len(tests)} tests caught a mutant, {len(failing)} fail without one", *failing, sep="\n"
    )


def table(options: argparse.Namespace) -> None:
    """Write the table of all parts, and print the sums of each package."""
    rows = sorted(rows_in(options.files), key=lambda row: (row["file"], row["line"], row["column"]))
    lines = ["\t".join(COLUMNS)]
    for row in rows:
        cells = [" ".join(str(row[name]).split()) for name in COLUMNS]
        lines.append(
            "\t".join(cell[:SHOWN] if place in {4, 5} else cell for place, cell in enumerate(cells))
        )
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    sums: dict[str, Counter] = {}
    for row in rows:
        for package in (package_of(row["file"]), "all"):
            sums.setdefault(package, Counter())[row["lane"]] += 1
    print(
        f"| package | mutants | {PLAIN} | {EVERYDAY} only | {NEITHER} |\n|---|---:|---:|---:|---:|"
    )
    for package, lanes in sorted(sums.items(), key=lambda item: (item[0] == "all", item[0])):
        counts = (lanes[PLAIN], lanes[EVERYDAY], lanes[NEITHER])
        print(f"| {package} | {sum(counts)} | {' | '.join(map(str, counts))} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(required=True)
    planting = commands.add_parser("plant")
    planting.add_argument("reach", type=Path)
    planting.add_argument("out", type=Path)
    planting.add_argument("--count", type=int, default=200)
    planting.add_argument("--seed", type=int, default=1)
    planting.add_argument("--part", default="0/1")
    planting.add_argument("--until", help="the time of day after which no mutant is begun, HH:MM")
    planting.add_argument("--everyday", action="store_true", help="try the longer lane as well")
    planting.set_defaults(do=plant)
    checking = commands.add_parser("sound")
    checking.add_argument("reach", type=Path)
    checking.add_argument("files", type=Path, nargs="+")
    checking.set_defaults(do=sound)
    tabling = commands.add_parser("table")
    tabling.add_argument("files", type=Path, nargs="+")
    tabling.set_defaults(do=table)
    options = parser.parse_args()
    options.do(options)


if __name__ == "__main__":
    main()
