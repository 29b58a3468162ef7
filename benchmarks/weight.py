"""What the package weighs: its size, what an import loads, what a request enters, how it starts.

Measures, for each tree that is named, side by side: files, lines, code proper (lines without blank
lines, comments, docstrings and imports), classes, modules loose at the root, the largest folder,
names of files that occur more than once, modules whose only importer is in their own top package
(the first folder of their path), and the places that the recipes of `CONTRIBUTING.md` name for a
new fact, command and setting. In processes of their own: the code proper that
`import holdback.engine` and `from holdback import *` load, the files that a request for offers
enters, the CPU time of imports compared with attrs, cattrs and pendulum, and that of commands
compared with bare Python.

Core is what `import holdback.engine` may load: the layers of `tests/architecture/layers.toml` whose
name begins with "Core". Everything else is tools.

The targets are in the last column. A time is the median of processes that take turns.

Run it: `python benchmarks/weight.py [TREE ...]`, with this tree when none is named; `--smallest`
leaves out the times.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import resource
import subprocess
import sys
import tokenize
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from io import StringIO
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from attrs import frozen
from ratios import print_markdown

HERE = Path(__file__).resolve().parents[1]
RUNS = 15
# The core of a tree whose layers are not yet named by core and tools.
CORE = {
    *("", "engine", "operations", "wire"),
    *("lifecycle", "offers", "jurisdictions", "merchant", "eligibility", "rules", "exact"),
    *("errors", "frozen_classes"),
    # what their modules were called before
    *("dispatch", "operation_methods", "money_methods", "carry_out"),
    *("toml", "model", "what_would_help", "derived_facts", "reasons", "rule_sentences"),
    *("ruleset", "facts", "number_format", "exact_json", "bounds", "money", "exact_numbers"),
    *("frozen_values", "seal"),
}
RECIPES = {"fact": "Add a fact", "command": "Add an operation", "setting": "Add a setting of"}
PLACE = re.compile(
    r"`((?:src|tests|docs|benchmarks|jurisdictions|\.ci)/[\w./-]+|\w+\.(?:md|toml))`"
)
LAYOUT = {tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT}

# Each probe prints JSON. The request is made twice, because rules are compiled when first used.
LOADED = """
import json, sys
{statement}
files = [getattr(module, "__file__", None) for name, module in sys.modules.items()
         if name.partition(".")[0] == "holdback"]
print(json.dumps(files))
"""
ENTERED = """
import json, sys
from holdback import Context, Engine, wire
from holdback.testing import given, payloads
facts = {"identity_verified": True, "business_verified": True, "credit_score": 700,
    "credit_checked_on": "2026-07-06", "average_monthly_takings": "20000", "months_trading": 36}
engine = Engine.for_trial()
story = given(engine, jurisdiction="GB", at="2026-07-06T09:00:00Z", evidence=facts)
context = Context(at=story.at, request_id="r-1", evidence=facts)
body = payloads.as_json(payloads.offers_request("m-1"))
# In the tree of before it is called `situation`.
input_context = getattr(engine, "input_context", None) or engine.situation
def answered():
    request = wire.read_command("request_offers", body, input_context(story.merchant, context))
    outcome = engine.carry_out(story.merchant, request, context, profile=story.profile)
    assert wire.write_stored(outcome).events
    return wire.write(outcome.reply)
assert json.loads(answered())["products"]
entered = set()
sys.setprofile(lambda frame, *_: entered.add(frame.f_code.co_filename))
answered()
sys.setprofile(None)
print(json.dumps(sorted(entered)))
"""
COMMAND = "from {} import {} as main; main()"
DEPENDENCIES = "import attrs, cattrs, pendulum"
IMPORTS = ("from holdback import Engine, wire", "from holdback import *")
FACTS = '{"progress": "64%", "performance": "97%"}'


# -- what the files contain


@frozen
class Module:
    """One file of the package."""

    name: str
    path: Path
    text: str
    core: bool

    @property
    def top(self) -> str:
        """Return the first folder of its path, or its own name at the root."""
        return self.name.partition(".")[0]

    @property
    def tree(self) -> ast.Module:
        """Return its syntax tree."""
        return ast.parse(self.text)


def modules_of(tree: Path) -> list[Module]:
    """Return the modules of the package in *tree*."""
    package, found = tree / "src" / "holdback", []
    core = core_of(tree)
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found.append(Module(name, path, path.read_text(encoding="utf-8"), belongs(name, core)))
    return found


def core_of(tree: Path) -> set[str]:
    """Return the names of modules and packages that the table of layers calls core."""
    table = tree / "tests" / "architecture" / "layers.toml"
    layers = tomllib.loads(table.read_text(encoding="utf-8"))["layers"]
    core = {
        "" if module == "holdback" else module
        for layer in layers
        if layer["name"].startswith("Core")
        for row in layer["rows"]
        for module in row
    }
    return core or CORE


def belongs(name: str, core: set[str]) -> bool:
    """Return whether the module *name* is one of *core*, or inside of one."""
    parts = name.split(".")
    return any(".".join(parts[: end + 1]) in core for end in range(len(parts)))


def code_proper(text: str) -> int:
    """Return the lines of *text* without blank lines, comments, docstrings and imports."""
    lines = {
        line
        for token in tokenize.generate_tokens(StringIO(text).readline)
        if token.type not in LAYOUT and token.string
        for line in range(token.start[0], token.end[0] + 1)
    }
    for node in ast.walk(ast.parse(text)):
        if is_prose(node) or isinstance(node, ast.Import | ast.ImportFrom):
            lines -= set(range(node.lineno, node.end_lineno + 1))
    return len(lines)


def is_prose(node: ast.AST) -> bool:
    """Return whether *node* is a text that stands alone: a docstring."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def importers(modules: Iterable[Module]) -> dict[str, set[str]]:
    """Return the names of the modules that import each module."""
    modules = list(modules)
    names = {module.name for module in modules}
    found: dict[str, set[str]] = {name: set() for name in names}
    for module in modules:
        for imported in imported_names(module):
            if imported in names and imported != module.name:
                found[imported].add(module.name)
    return found


def imported_names(module: Module) -> Iterator[str]:
    """Yield the names in `holdback` that *module* imports, modules and what may be a module."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            package, _, rest = node.module.partition(".")
            if package == "holdback":
                yield rest
                yield from (f"{rest}.{each.name}".lstrip(".") for each in node.names)
        elif isinstance(node, ast.Import):
            yield from (
                each.name.removeprefix("holdback.")
                for each in node.names
                if each.name.startswith("holdback.")
            )


def alone(modules: list[Module]) -> list[Module]:
    """Return the modules whose only importer is in their own room."""
    by_name, found = importers(modules), []
    for module in modules:
        mine = by_name[module.name]
        if len(mine) == 1 and {name.partition(".")[0] for name in mine} == {module.top}:
            found.append(module)
    return found


def sizes(modules: list[Module]) -> dict[str, int]:
    """Return what can be counted in the files of *modules*."""
    return {
        "files": len(modules),
        "lines": sum(len(module.text.splitlines()) for module in modules),
        "code proper": sum(code_proper(module.text) for module in modules),
        "classes": sum(
            isinstance(node, ast.ClassDef) for module in modules for node in ast.walk(module.tree)
        ),
    }


def structure(modules: list[Module]) -> dict[str, int]:
    """Return how the files of *modules* lie in folders."""
    package = next(module.path.parent for module in modules if not module.name)
    folders = Counter(module.path.parent for module in modules)
    names = Counter(module.path.name for module in modules if module.path.stem != "__init__")
    return {
        "modules at the root": folders[package],
        "top packages and modules": len({module.top for module in modules if module.name}),
        "files in the largest folder": max(folders.values()),
        "names of files that occur again": sum(count > 1 for count in names.values()),
        "modules with one importer, in their top package": len(alone(modules)),
    }


def places(tree: Path) -> dict[str, str]:
    """Return how many files each recipe names: those of the package, and all."""
    text, counts = (tree / "CONTRIBUTING.md").read_text(encoding="utf-8"), {}
    for what, heading in RECIPES.items():
        recipe = re.search(rf"^### {heading}.*?\n(.*?)(?=^##|\Z)", text, re.MULTILINE | re.DOTALL)
        named = set(PLACE.findall(recipe[1])) if recipe else set()
        ours = [path for path in named if path.startswith("src/")]
        counts[f"places for a new {what}: package, all"] = f"{len(ours)}, {len(named)}"
    return counts


# -- what processes do


@frozen
class Processes:
    """Processes that run the package of *tree*; their bytecode is in a folder of its own."""

    tree: Path
    bytecode: Path

    def run(self, *command: str) -> str:
        """Return what Python prints when it runs *command*."""
        environment = os.environ | {
            "PYTHONPATH": str(self.tree / "src"),
            "PYTHONPYCACHEPREFIX": str(self.bytecode),
            "PYTHONDONTWRITEBYTECODE": "",
        }
        done = subprocess.run(
            [sys.executable, *command],
            env=environment,
            cwd=self.bytecode,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"{self.tree}: {command}\n{done.stderr}")
        return done.stdout

    def seconds(self, *command: str) -> float:
        """Return the CPU seconds of a process that runs *command*."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.run(*command)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def loaded(self, statement: str) -> list[Path]:
        """Return the files of the package that *statement* loads."""
        files = json.loads(self.run("-c", LOADED.format(statement=statement)))
        found = [Path(file) for file in files if file]
        strangers = [file for file in found if self.tree not in file.parents]
        assert not strangers, f"{strangers} are not in {self.tree}"
        return found

    def entered(self) -> list[Path]:
        """Return the files of the package that a request for offers enters."""
        package = self.tree / "src" / "holdback"
        files = [Path(file) for file in json.loads(self.run("-c", ENTERED))]
        return [file for file in files if package in file.parents]

    def command(self, *arguments: str) -> tuple[str, ...]:
        """Return how Python runs the command of the package, with *arguments*."""
        project = tomllib.loads((self.tree / "pyproject.toml").read_text(encoding="utf-8"))
        module, _, function = project["project"]["scripts"]["holdback"].partition(":")
        return ("-c", COMMAND.format(module, function), *arguments)


def loads(processes: Processes) -> dict[str, int]:
    """Return the code proper that imports load, and the files that a request enters."""
    rows = {}
    for statement in ("import holdback.engine", "from holdback import *"):
        texts = [path.read_text(encoding="utf-8") for path in processes.loaded(statement)]
        rows[f"files of `{statement}`"] = len(texts)
        rows[f"code proper of `{statement}`"] = sum(map(code_proper, texts))
    return rows | {"files that a request for offers enters": len(processes.entered())}


def statement(text: str, _: Processes) -> tuple[str, ...]:
    """Return how Python runs a statement."""
    return ("-c", text)


def times(trees: Mapping[str, Processes], runs: int) -> dict[str, dict[str, str]]:
    """Return how long imports and commands take in each tree, the processes taking turns."""
    rows: dict[str, dict[str, str]] = {}
    with TemporaryDirectory() as folder:
        facts = Path(folder) / "facts.json"
        facts.write_text(FACTS, encoding="utf-8")
        explain = ("explain", "GB", str(facts), "--on", "2026-07-01")
        commands = {
            "bare Python": partial(statement, "pass"),
            "import click": partial(statement, "import click"),
            **{each: partial(statement, each) for each in (DEPENDENCIES, *IMPORTS)},
            "holdback --help": lambda tree: tree.command("--help"),
            "holdback explain": lambda tree: tree.command(*explain),
        }
        taken: dict[str, dict[str, list[float]]] = {
            name: {tree: [] for tree in trees} for name in commands
        }
        for turn in range(runs + 1):
            for name, command in commands.items():
                for tree, processes in trees.items():
                    seconds = processes.seconds(*command(processes))
                    if turn:  # the first writes the bytecode
                        taken[name][tree].append(seconds)
    medians = {name: {tree: median(each[tree]) for tree in trees} for name, each in taken.items()}
    bare, base = medians["bare Python"], medians[DEPENDENCIES]
    for name in IMPORTS:
        rows[f"`{name}` / attrs, cattrs, pendulum"] = {
            tree: f"{(medians[name][tree] - bare[tree]) / (base[tree] - bare[tree]):.2f}"
            for tree in trees
        }
    for name in ("bare Python", "import click", "holdback --help", "holdback explain"):
        rows[f"{name}, ms of CPU"] = {tree: f"{medians[name][tree] * 1000:.0f}" for tree in trees}
    return rows


# -- the table

GOALS = {
    "places for a new fact: package, all": "at most 6 of the package",
    "code proper": "at most 39,500",
    "code proper of `import holdback.engine`": "at most 11,500",
    "code proper of `from holdback import *`": "at most 14,000",
    "files that a request for offers enters": "at most 30",
    "`from holdback import Engine, wire` / attrs, cattrs, pendulum": "at most 2",
    "holdback --help, ms of CPU": "at most 150",
    "holdback explain, ms of CPU": "at most 500",
}


def counted(tree: Path, processes: Processes) -> dict[str, str]:
    """Return everything about *tree* that is not a time."""
    modules = modules_of(tree)
    core = sizes([module for module in modules if module.core])
    tools = sizes([module for module in modules if not module.core])
    rows: dict[str, object] = {}
    for name, count in sizes(modules).items():
        rows[name] = count
        rows[f"{name}, core"], rows[f"{name}, tools"] = core[name], tools[name]
    rows |= structure(modules) | places(tree) | loads(processes)
    return {name: f"{value:,}" if isinstance(value, int) else value for name, value in rows.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("trees", nargs="*", type=Path, default=[HERE], metavar="TREE")
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--smallest", action="store_true")
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        trees = {}
        for place, tree in enumerate(options.trees):
            bytecode = Path(folder) / str(place)
            bytecode.mkdir()
            trees[str(tree)] = Processes(tree.resolve(), bytecode)
        columns = {name: counted(each.tree, each) for name, each in trees.items()}
        names = list(next(iter(columns.values())))
        rows = [
            (name, *(columns[tree][name] for tree in trees), GOALS.get(name, "")) for name in names
        ]
        if not options.smallest:
            rows += [
                (name, *(each[tree] for tree in trees), GOALS.get(name, ""))
                for name, each in times(trees, options.runs).items()
            ]
    print_markdown(("what", *trees, "to reach"), rows)


if __name__ == "__main__":
    main()
