"""The drawing of the house, held by tests: who imports whom, and what nobody may touch."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import holdback

SOURCE = Path(holdback.__file__).parent

# Imports point to an earlier layer only; siblings in one layer do not import each other.
LAYERS = (
    {"errors"},
    {"money"},
    {"exact_json"},
    {"model", "rules"},
    {"facts", "number_format"},
    {"ruleset", "notebook"},
    {"derived_facts", "eligibility", "toml"},
    {"jurisdictions"},
    {"offers"},
    {"lifecycle", "workbench"},
    {"engine", "portfolio", "wire"},
    {"__init__"},
    {"dispatch"},
    {"testing"},
    {"cli", "pytest_plugin"},
)
RANK = {name: place for place, layer in enumerate(LAYERS) for name in layer}

# Each of these only where it belongs: third-party packages, and what reaches outside the process.
ONLY = {
    "cattrs": ("wire", "jurisdictions.reader", "offers.registry"),
    "click": ("cli",),
    "pytest": ("pytest_plugin", "testing.conformance"),
    "pathlib": ("jurisdictions.folder", "cli", "pytest_plugin"),
    "os": ("cli",),
    "sys": ("cli", "testing.conformance"),
    "io": (),
    "time": ("testing.conformance",),
    "random": ("testing.conformance",),
    "secrets": (),
    "socket": (),
    "subprocess": ("testing.conformance",),
    "threading": ("testing.conformance",),
    "asyncio": (),
    "logging": (),
    "hypothesis": ("testing",),
    "narwhals": ("rules.columns", "portfolio"),
    "numpy": ("portfolio.sampling",),
    "pyarrow": ("portfolio.sampling", "cli.deals", "cli.streaming"),
    "pandas": ("portfolio.sampling",),
    "duckdb": ("cli.deals",),
    "polars": ("cli.streaming",),
    "z3": (),
    "importlib": ("__init__", "jurisdictions.folder", "cli", "testing.conformance.loading"),
}
CLOCKS = {"now", "utcnow", "today", "uuid1", "uuid4", "urandom", "getenv", "perf_counter"}
BANNED = {
    "util",
    "utils",
    "helper",
    "helpers",
    "common",
    "base",
    "core",
    "manager",
    "service",
    "misc",
}

MODULES = sorted(
    (".".join(path.relative_to(SOURCE).with_suffix("").parts), path)
    for path in SOURCE.rglob("*.py")
)


KNOWN = {name.removesuffix(".__init__") for name, _ in MODULES}


def tree_of(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def room(module):
    return module.split(".")[0]


def imports(path):
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                known = inner.removeprefix("holdback.") in KNOWN or node.module == "holdback"
                yield inner if known else node.module


@pytest.mark.parametrize(("module", "path"), MODULES, ids=[name for name, _ in MODULES])
def test_imports_point_down(module, path):
    """
    "Imports point to the left only, and siblings do not import each other." (design 3)
    """
    mine = RANK[room(module)]
    for imported in imports(path):
        if not imported.startswith("holdback"):
            continue
        other = imported.split(".")[1] if "." in imported else "__init__"
        other = other if other in RANK else "__init__"
        assert RANK[other] < mine or other == room(module), f"{module} imports {imported}"


def test_no_cycles_between_modules():
    """
    "layers, no cycles" (design 3)
    """
    graph = {}
    for name, path in MODULES:
        targets = set()
        for imported in imports(path):
            target = imported.removeprefix("holdback.")
            if target in KNOWN:
                targets.add(target)
        graph[name.removesuffix(".__init__")] = targets - {name.removesuffix(".__init__")}
    while graph:
        leaves = {name for name, targets in graph.items() if not targets & graph.keys()}
        assert leaves, f"a cycle among {sorted(graph)}"
        graph = {name: targets for name, targets in graph.items() if name not in leaves}


@pytest.mark.parametrize(("module", "path"), MODULES, ids=[name for name, _ in MODULES])
def test_each_package_only_where_it_belongs(module, path):
    """
    "each third-party package only where it belongs" (design 3)
    """
    for imported in imports(path):
        top = imported.split(".")[0]
        if top in ONLY:
            allowed = ONLY[top]
            assert any(module == each or module.startswith(f"{each}.") for each in allowed), (
                imported
            )


@pytest.mark.parametrize(("module", "path"), MODULES, ids=[name for name, _ in MODULES])
def test_nobody_reads_a_clock_or_opens_a_file(module, path):
    """
    "nothing anywhere that reads a clock, randomness or the environment" (design 3)
    """
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Attribute):
            assert node.attr not in CLOCKS, f"{module}:{node.lineno} {node.attr}"
        if isinstance(node, ast.Call) and getattr(node.func, "id", None) in {
            "open",
            "print",
            "input",
        }:
            pytest.fail(f"{module}:{node.lineno} calls {node.func.id}")


@pytest.mark.parametrize(("module", "path"), MODULES, ids=[name for name, _ in MODULES])
def test_no_float_is_written_down(module, path):
    """
    "No float decides anything."
    """
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Constant):
            assert not isinstance(node.value, float), f"{module}:{node.lineno}"
        if isinstance(node, ast.BinOp):
            # Paths are put together with it; and what a float in a frame stands for is found by dividing.
            divides = {"jurisdictions", "cli"} & {
                room(module)
            } or module == "portfolio.column_readers"
            assert not isinstance(node.op, ast.Div) or divides, f"{module}:{node.lineno} divides"


@pytest.mark.parametrize(("module", "path"), MODULES, ids=[name for name, _ in MODULES])
def test_files_and_functions_are_short_and_named_for_what_they_hold(module, path):
    """
    "No file is named util, helpers, common, base, core, manager or service. [...] functions under 60 lines
    [...] files under 400." (design 3)
    """
    assert not BANNED & set(module.split("."))
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.FunctionDef):
            assert node.end_lineno - node.lineno < 60, f"{module}: {node.name}"


def test_importing_holdback_leaves_the_extras_alone():
    """
    "`import holdback` leaves narwhals, z3, hypothesis and every dataframe library out of `sys.modules`."
    """
    extras = [
        "click",
        "hypothesis",
        "pytest",
        "narwhals",
        "z3",
        "pandas",
        "polars",
        "numpy",
        "pyarrow",
        "duckdb",
    ]
    code = f"import sys; from holdback import *; print([name for name in {extras!r} if name in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert shown.stdout.strip() == "[]"


def test_the_front_door_is_written_out():
    """
    "the front door: about 25 names, written out in __all__"
    """
    assert sorted(holdback.__all__) == holdback.__all__
    assert all(hasattr(holdback, name) for name in holdback.__all__)
    assert set(holdback.__all__) <= set(dir(holdback))
    with pytest.raises(AttributeError):
        holdback.Engin  # noqa: B018  # asking is the test


def test_one_room_does_not_bring_the_whole_house():
    """
    Importing the rule language alone leaves the engine, the wire and cattrs where they are.
    """
    code = "import sys, holdback.rules; print([n for n in ('holdback.engine', 'cattrs') if n in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert shown.stdout.strip() == "[]"
