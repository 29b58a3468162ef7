"""The architecture: who imports whom, what reaches outside the process, and sizes and names."""

from __future__ import annotations

import ast
import importlib.util
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

import holdback
from holdback.tool_named import tool_named

SOURCE = Path(holdback.__file__).parent
DRAWING = Path(__file__).parents[2] / "docs" / "_ext" / "architecture.py"

# The one table of layers, from the top down; the documentation draws the same.
LAYERS = tomllib.loads(Path(__file__).with_name("layers.toml").read_text(encoding="utf-8"))
ROWS = [row for layer in LAYERS["layers"] for row in layer["rows"]]
PUBLIC_API = "holdback"  # the name of the package's own `__init__` in the table
OUTER = {"tools"}  # holds packages, and nothing else
CORE = {
    module
    for layer in LAYERS["layers"]
    if layer["name"].startswith("Core")
    for row in layer["rows"]
    for module in row
}
ROW = {module: place for place, row in enumerate(ROWS) for module in row}

# Third-party packages, and standard modules that reach outside the process: who may import them.
IMPORTED_BY = {
    "cattrs": ("wire", "jurisdictions.reader", "offers.registry"),
    "click": ("cli",),
    "pytest": ("pytest_plugin", "testing.conformance"),
    "pathlib": (
        "jurisdictions.__init__",  # the type of an argument
        "jurisdictions.folder",
        "jurisdictions.language_folder",
        "jurisdictions.regular_file",
        "cli",
        # The files of deals that people name.
        "portfolio.files",
        "pytest_plugin",
    ),
    "os": ("cli", "jurisdictions.regular_file", "portfolio.files"),
    "sys": ("cli", "testing.conformance"),
    "io": (),
    "time": ("testing.conformance",),
    "random": ("testing.conformance",),
    "secrets": (),
    "socket": (),
    "subprocess": ("testing.conformance", "cli.history"),
    "threading": ("testing.conformance",),
    "asyncio": (),
    "logging": (),
    "hypothesis": ("testing",),
    "narwhals": ("portfolio",),
    "numpy": (
        "portfolio.sample_deals",
        "portfolio.sample_deals",
        "portfolio.sample_deals",
        # A deal's course has products of more than 64 bits, which no dataframe library has.
        "portfolio.studies.pace_projection",
        "portfolio.studies.pace_projection",
    ),
    "pyarrow": (
        "portfolio.sample_deals",
        "portfolio.reading.frames",
        "portfolio.reading.single_values",
        "portfolio.studies.pace_projection",
        "portfolio.files",
    ),
    # An answer's integers and flags may be unknown, for which narwhals has no type in pandas.
    "pandas": ("portfolio.sample_deals", "portfolio.answers.answer_table"),
    "openpyxl": (
        "portfolio.answers.workbook",
        "portfolio.files.deal_files",
        "portfolio.files.table_workbook",
    ),
    "duckdb": ("portfolio.files.deal_files",),
    "sqlglot": ("portfolio.sql.query",),
    # Frames in memory are assessed in it.
    "polars": ("portfolio.reading", "portfolio.sql.computed_frames", "portfolio.files"),
    "altair": ("tools.pictures.layout",),
    "vl_convert": ("tools.pictures.self_contained",),
    "z3": ("rules.proof", "tools.proofs.solver", "tools.proofs.plainest"),
    "importlib": (
        "__init__",
        "pytest_plugin",
        "jurisdictions.folder",
        "jurisdictions.language_folder",
        "tool_named",
        "portfolio.sql.query",
        "jurisdictions.regular_file",
        "cli",
        "testing.conformance.loading",
        "tools.mutants.equivalence",
        "tools.suggestions.suggest",
        "portfolio.files.report_file",
    ),
}
READS_THE_SURROUNDINGS = {
    "now",
    "utcnow",
    "today",
    "uuid1",
    "uuid4",
    "urandom",
    "getenv",
    "perf_counter",
}
NAMES_THAT_SAY_NOTHING = {
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
JOINS_PATHS = {"jurisdictions", "cli"}
# To find the decimal number that a float in a frame means; and fractions, which are exact.
DIVIDES = {
    "disclosures.annual_rate",
    "disclosures.effective_rate",
    "disclosures.estimates",
    "disclosures.figures",
    "disclosures.projected_payments",
    "portfolio.reading.column_readers",
    "tools.mutants.equivalence",
}
LONGEST_FUNCTION = 60

MODULES = sorted(
    (".".join(path.relative_to(SOURCE).with_suffix("").parts), path)
    for path in SOURCE.rglob("*.py")
)
NAMES = {name.removesuffix(".__init__") for name, _ in MODULES}


@cache
def tree_of(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def package_of(module):
    """The package of a module's dotted name, as the table names it."""
    if module in {"", "__init__"}:
        return PUBLIC_API
    first, _, rest = module.removesuffix(".__init__").partition(".")
    inner = f"{first}.{rest.partition('.')[0]}"
    return inner if inner in ROW else first


@cache
def imports(path):
    return [*imported_names(path)]


def imported_names(path):
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                is_module = inner.removeprefix("holdback.") in NAMES or node.module == "holdback"
                yield inner if is_module else node.module


def imported_modules(path):
    """The packages of `holdback` that a file imports."""
    for imported in imports(path):
        package, _, rest = imported.partition(".")
        if package == "holdback":
            yield package_of(rest) if package_of(rest) in ROW else PUBLIC_API


def closure(arrows):
    """The pairs that follow from *arrows*."""
    pairs = set(arrows)
    while True:
        longer = {(a, d) for a, b in pairs for c, d in arrows if b == c} - pairs
        if not longer:
            return pairs
        pairs |= longer


def test_imports_point_down():
    """
    A module imports modules of lower rows only (decisions/layers).
    """
    for module, path in MODULES:
        for imported in imported_modules(path):
            if imported != package_of(module):
                assert ROW[imported] > ROW[package_of(module)], f"{module} imports {imported}"


def test_every_module_has_a_row():
    """
    The table of layers names every package once, and nothing else.
    """
    assert sorted(ROW) == sorted({package_of(name) for name, _ in MODULES} - OUTER)
    assert len(ROW) == sum(len(row) for row in ROWS)


def test_the_drawing_shows_every_module_and_no_arrow_points_up():
    """
    The drawing in the documentation has exactly the modules of the source, one box for each; its
    arrows imply exactly the imports of the source; and every arrow points down.
    """
    spec = importlib.util.spec_from_file_location("architecture_drawing", DRAWING)
    drawing = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(drawing)
    svg = drawing.Drawing().svg()
    boxes = re.findall(r'y="([\d.]+)"[^>]*/><text class="module-name"[^>]*>([\w.]+)<', svg)
    height = {module: float(y) for y, module in boxes}
    arrows = re.findall(r'data-from="([\w.]+)" data-to="([\w.]+)"', svg)
    imported = {
        (package_of(name), other)
        for name, path in MODULES
        for other in imported_modules(path)
        if other != package_of(name)
    }

    assert sorted(module for _, module in boxes) == sorted(ROW)
    assert closure(arrows) == closure(imported)
    assert all(height[start] < height[end] for start, end in arrows)


def test_no_module_imports_itself_through_others():
    """
    There is no cycle among modules, inside of packages either.
    """
    graph = {}
    for name, path in MODULES:
        module = name.removesuffix(".__init__")
        targets = {imported.removeprefix("holdback.") for imported in imports(path)}
        graph[module] = targets & NAMES - {module}
    while graph:
        leaves = {name for name, targets in graph.items() if not targets & graph.keys()}
        assert leaves, f"a cycle among {sorted(graph)}"
        graph = {name: targets for name, targets in graph.items() if name not in leaves}


def test_a_package_is_imported_only_where_it_belongs():
    """
    Third-party packages, and standard modules that reach outside the process, are imported only
    where they belong.
    """
    for module, path in MODULES:
        for imported in imports(path):
            package = imported.split(".")[0]
            if package in IMPORTED_BY:
                here = any(f"{module}.".startswith(f"{name}.") for name in IMPORTED_BY[package])
                assert here, f"{module} imports {imported}"


def test_frozen_classes_are_made_in_one_way():
    """
    Only `frozen_classes` uses the `frozen` of attrs: its own is faster to make.
    """
    for module, path in MODULES:
        for node in ast.walk(tree_of(path)):
            imported = isinstance(node, ast.ImportFrom) and node.module == "attrs"
            names = {alias.name for alias in node.names} if imported else set()
            used = isinstance(node, ast.Attribute) and ast.unparse(node) == "attrs.frozen"
            assert module == "frozen_classes" or not (used or "frozen" in names), module


def test_nothing_reads_a_clock_or_opens_a_file():
    """
    No module reads a clock, a random number or the environment, and none opens a file or prints.
    """
    for module, path in MODULES:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Attribute):
                reads = node.attr in READS_THE_SURROUNDINGS
                assert not reads, f"{module}:{node.lineno} {node.attr}"
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                opens = node.func.id in {"open", "print", "input"}
                assert not opens, f"{module}:{node.lineno} calls {node.func.id}"


def test_no_float_is_written_down():
    """
    No float decides anything: there is no float literal, and no division that could make one.
    """
    for module, path in MODULES:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Constant):
                assert not isinstance(node.value, float), f"{module}:{node.lineno}"
            if isinstance(node, ast.BinOp):
                divides = isinstance(node.op, ast.Div) and module not in DIVIDES
                assert not divides or package_of(module) in JOINS_PATHS, (
                    f"{module}:{node.lineno} divides"
                )


def test_functions_are_short_and_names_say_something():
    """
    Functions have fewer than 60 lines, and no module is named `utils` or alike.
    """
    for module, path in MODULES:
        assert not NAMES_THAT_SAY_NOTHING & set(module.split(".")), module
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                assert node.end_lineno - node.lineno < LONGEST_FUNCTION, f"{module}: {node.name}"


def test_importing_holdback_leaves_the_extras_alone():
    """
    `import holdback` imports no package of an extra: a service pays for what it uses.
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
        "altair",
        "vl_convert",
    ]
    code = (
        "import sys; from holdback import *; "
        f"print([name for name in {extras!r} if name in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert shown.stdout.strip() == "[]"


def test_only_proofs_load_the_solver():
    """
    No command but those that prove imports z3, and none of them before it has to be asked: it takes
    a third of a second.
    """
    code = (
        "import sys, holdback.cli.commands, holdback.pytest_plugin\n"
        "import holdback.tools.workbench.proving\n"
        "from click.testing import CliRunner\n"
        "for line in sys.argv[1:]:\n"
        "    ran = CliRunner().invoke(holdback.cli.commands.holdback, line.split())\n"
        "    assert ran.exit_code == 0, ran.output\n"
        "print('z3' in sys.modules)"
    )
    lines = ["check", "test jurisdictions/JP", "show JP --on 2026-07-01", "demo", "prove --help"]
    shown = subprocess.run(
        [sys.executable, "-c", code, *lines],
        cwd=SOURCE.parents[1],
        capture_output=True,
        text=True,
        check=True,
    )

    assert shown.stdout.strip() == "False"


def test_the_public_api_is_written_out():
    """
    `holdback.__all__` is sorted, and each of its names can be imported.
    """
    assert sorted(holdback.__all__) == holdback.__all__
    assert all(hasattr(holdback, name) for name in holdback.__all__)
    assert dir(holdback) == holdback.__all__
    with pytest.raises(AttributeError):
        holdback.Engin  # noqa: B018  # asking is the test


def test_importing_a_module_does_not_import_all_others():
    """
    Importing the rule language alone imports neither the engine nor cattrs.
    """
    code = (
        "import sys, holdback.rules; "
        "print([n for n in ('holdback.engine', 'cattrs') if n in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert shown.stdout.strip() == "[]"


def is_core(module):
    """Whether *module*, a dotted name, belongs to a layer of the core."""
    return package_of(module) in CORE


def test_the_core_imports_no_tool_and_no_reader_of_files():
    """
    No module of the core imports one outside, in functions either (decisions/layers#the-wall).
    """
    allowed = {
        ("__init__", "jurisdictions"),  # the public names, imported when they are used
        ("__init__", "jurisdictions.jurisdiction"),
        ("engine", "jurisdictions"),  # `Engine.for_trial` alone
    }
    for module, path in MODULES:
        for imported in imports(path) if is_core(module) else ():
            package, _, inner = imported.partition(".")
            outside = package == "holdback" and inner and not is_core(inner)
            assert not outside or (module, inner) in allowed, f"{module} imports {imported}"


def test_the_public_names_load_nothing_that_reads_files():
    """
    What reads files is loaded by the first call of `load_jurisdictions`.
    """
    code = (
        "import sys; from holdback import *; print('holdback.jurisdictions.reader' in sys.modules)"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert shown.stdout.strip() == "False"


def test_importing_the_engine_loads_the_core_alone():
    """
    A fresh `import holdback.engine` loads no tool and nothing that reads files.
    """
    code = (
        "import sys, holdback.engine; "
        "print('\\n'.join(name for name in sys.modules if name.startswith('holdback.')))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = [name.removeprefix("holdback.") for name in shown.stdout.split()]

    assert [name for name in loaded if name not in OUTER and not is_core(name)] == []
    assert "engine" in loaded


def test_the_tools_that_the_core_names_exist():
    """
    Every function that the core asks for by name is one of a tool.
    """
    named = re.compile(r'\b(tool_named|shown_by)\(\s*"([\w.]+)"')
    found = [
        f"displays.{name}" if asked == "shown_by" else name
        for _, path in MODULES
        for asked, name in named.findall(path.read_text(encoding="utf-8"))
    ]

    assert len(found) > 10
    assert all(callable(tool_named(name)) for name in found)
