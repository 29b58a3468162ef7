"""
Which tests a lane runs.

The plain lane (`pytest`) tells a developer whether a change is right. `--everyday` runs what the
plain lane leaves out, and again what tries more cases there. `--campaign` runs the tests with long
counts and nothing without one. What is named on the command line runs whole in every lane.
"""

from __future__ import annotations

import ast
import random
from collections import Counter
from functools import cache
from pathlib import Path
from types import MappingProxyType

import pytest
from hypothesis import is_hypothesis_test

from counts import CAMPAIGN, EVERYDAY, PLAIN, TABLE

TESTS = Path(__file__).parent

LEFT_OUT = pytest.StashKey[Counter]()  # how many tests a run left out, by the reason
COUNTS = pytest.StashKey[frozenset | None]()  # which counts are read in a run of everything

# What the plain lane leaves out: the name of a group, and the fixtures, the folders, the files or
# the single tests that it consists of.
LEFT_OUT_OF_PLAIN = MappingProxyType(
    {
        "databases": ("postgres", "on_postgres", "hosts/test_fastapi_migrations.py"),
        "browsers": (
            "hosts/test_disclosures_in_chromium.py",
            "hosts/test_displays_in_chromium.py",
            "hosts/test_fastapi_page_in_chromium.py",
        ),
        "hosts beside the one on SQLite": (
            "hosts/test_conformance.py::TestFastApiOnSqlite",
            "hosts/test_conformance.py::TestMemory",
            "hosts/test_fastapi",
            "hosts/test_host_failures.py",
            "hosts/test_slow_hosts.py",
        ),
        "processes of their own": (
            "architecture/test_architecture.py::test_only_proofs_load_the_solver",
            "hosts/test_conformance.py::TestSqlite::test_check[kills]",
            "hosts/test_conformance.py::TestSqlite::test_check[races of processes]",
            "laws/test_surroundings.py::test_processes",
            "unit/proofs/test_plainest.py::test_the_same_deals_in_every_process",
        ),
        "packaging": ("packaging",),
        "type checkers": ("typing",),
        "documentation": (
            "built",
            "docs/test_code_blocks.py",
            "docs/test_docstrings.py::test_the_examples_of_a_package_run",
            "docs/test_notebooks.py",
            "docs/test_portfolio_script.py",
            "docs/test_scenarios.py",
        ),
        "benchmarks": ("benchmarks",),
        "other dataframe engines and databases": (
            "messy_files/test_messy_files.py::test_no_messy_file_is_read_wrong_in_silence_in_pandas",
            "parity/test_dmn.py",
            "parity/test_frames_as_given.py",
            "parity/test_hostile_sql.py",
            "parity/test_special_columns.py",
            "parity/test_spark",
            "parity/test_sql_translations.py",
        ),
        "commands that append to golden files": (
            "golden_decisions/test_golden_decisions.py::test_an_example_of_an_earlier_slice",
            "golden_decisions/test_golden_decisions.py::test_what_is_new_is_appended",
            "golden_prices/test_golden_prices.py::test_what_is_new_is_appended",
        ),
        "planted faults": (
            "golden_decisions/test_golden_decisions.py::test_a_dropped_rule_is_noticed",
            "golden_decisions/test_golden_decisions.py::test_every_mutant",
            "golden_prices/test_golden_prices.py::test_a_changed_line_is_noticed",
            "hosts/test_broken_hosts.py",
            "hosts/test_simulator.py::test_a_partner_that_changes_the_profile",
            "hosts/test_simulator.py::test_a_seed_reproduces_a_failure",
            "jurisdictions/test_shipped_files.py::test_an_example_left_out",
            "jurisdictions/test_shipped_files.py::test_every_figure_and_rule_has_its_mutants",
            "jurisdictions/test_shipped_files.py::test_every_mutant_is_noticed",
            "mutants",
            "laws/test_bookkeeper.py::test_a_wrong_engine_is_found",
            "laws/test_digest_laws.py::test_every_mutant",
            "laws/test_digest_laws.py::test_what_does_not_belong_is_noticed",
            "laws/test_digest_laws.py::test_what_is_left_out_is_noticed",
            "laws/test_evidence_model.py::test_a_wrong_engine_is_found",
            "laws/test_open_offers.py::test_an_error_in_acceptances_is_found",
            "laws/test_planted_proof_faults.py",
            "laws/test_proof_agrees.py::test_planted_faults_are_caught",
            "parity/test_planted_faults.py",
            "parity/test_planted_sql_faults.py",
        ),
        "hostile input": ("hostile",),
        "cases of disclosures": ("unit/cli/test_disclose_command.py::test_the_table_says",),
        "long searches": (
            "hosts/test_conformance.py::TestSqlite::test_check[growth]",
            "hosts/test_simulator.py::test_the_histories_are_rich",
            "laws/test_ledger.py::test_the_histories_go_far",
            "unit/cli/test_suggest_command.py::test_a_country_of_ten_rules",
            "unit/cli/test_suggest_command.py::test_a_second_run_suggests_nothing",
            "unit/cli/test_suggest_command.py::test_what_is_written_is_marked_for_a_person",
            "unit/testing/test_strategies.py::test_a_stage_that_nobody_reaches",
            "unit/testing/test_strategies.py::test_histories_carry_out_every_operation",
            "unit/testing/test_strategies.py::test_histories_go_far_by_themselves",
            "unit/workbench/test_suggestions.py::test_a_solver_finds_what_the_search_gives_up",
        ),
        "files that ship": (
            "jurisdictions/test_drafted_examples.py",
            "jurisdictions/test_proofs.py",
            "laws/test_second_solver.py",
        ),
    }
)

# The effort of a host's suite holds the counts of all its checks: the words in the names of those
# that read one. The others would only repeat in the campaign what they do in the everyday lane.
CHECKS_WITH_A_COUNT = MappingProxyType(
    {
        "hosts/test_conformance.py": (
            "histories",
            "kills",
            "partner at its worst",
            "races",
            "strangers",
        )
    }
)


def group(item):
    """The group for which the plain lane leaves *item* out, or None."""
    path, _, test = item.nodeid.partition("::")
    name = path.removeprefix("tests/") + ("::" + test if test else "")
    fixtures = set(getattr(item, "fixturenames", ()))
    for title, parts in LEFT_OUT_OF_PLAIN.items():
        if any(part in fixtures or name.startswith(part) for part in parts):
            return title
    return None


def reason_to_leave_out(item, lane):
    """Why *lane* leaves *item* out, in words, or None if it runs it."""
    left_out = group(item)
    if lane == PLAIN:
        return left_out
    if lane == EVERYDAY and left_out:
        return None
    smaller = EVERYDAY if lane == CAMPAIGN else PLAIN
    if any(TABLE[name][lane] > TABLE[name][smaller] for name in counts_of(item)):
        return None
    return f"tries no more cases than in the lane `{smaller}`"


def shuffled(items, seed):
    """The *items* in another order: modules, and the tests in each, which share its fixtures."""
    draw = random.Random(seed)
    place = {item.nodeid: draw.random() for item in items}
    of_module = {item.path: draw.random() for item in items}
    return sorted(items, key=lambda item: (of_module[item.path], place[item.nodeid]))


# -- which counts a test reads


@cache
def counts_of(item):
    """
    The names of the counts that a test reads: itself, in its fixtures, or in what these use.

    The names are read from the source, so that they are known before the test runs.
    """
    function = getattr(item, "function", None)
    path, _, name = item.nodeid.removeprefix("tests/").partition("::")
    words = CHECKS_WITH_A_COUNT.get(path)
    if function is None or (words and not any(word in name for word in words)):
        return frozenset()
    fixtures = getattr(item, "_fixtureinfo", None)
    functions = [
        definition.func
        for definitions in (fixtures.name2fixturedefs.values() if fixtures else ())
        for definition in definitions
    ]
    starts = {(Path(item.path), item.nodeid.split("::")[1].partition("[")[0])}
    for each in functions:
        starts.add((Path(each.__code__.co_filename), each.__qualname__.partition(".")[0]))
    found = frozenset().union(*map(counts_from, starts))
    if is_hypothesis_test(function) and not found:
        return frozenset({"default examples"})
    return found


@cache
def counts_from(start):
    """The names of the counts that a definition reads: a file and a name in it."""
    starts, found, seen = {start}, set(), set()
    while starts:
        file, name = start = starts.pop()
        if start in seen or not in_the_tests(file):
            continue
        seen.add(start)
        definitions, imports = names_of(file)
        used, read = definitions.get(name, (frozenset(), frozenset()))
        found |= read
        if name in imports:
            starts.add(imports[name])
        starts |= {(file, each) for each in used}
    return frozenset(found)


@cache
def in_the_tests(file):
    return file.is_relative_to(TESTS)


@cache
def names_of(file):
    """
    What the top level of *file* defines, with the names and the counts that each definition uses;
    and from which module of the tests each imported name comes.
    """
    definitions, imports = {}, {}
    if not file.is_file():
        return definitions, imports
    statements = ast.parse(file.read_text(encoding="utf-8")).body
    for node in statements:
        imports.update(_imported(node, file.parent))
    for node in statements:
        used, read = _used_by(node, imports)
        for name in _defined_by(node):
            before = definitions.get(name, (frozenset(), frozenset()))
            definitions[name] = (before[0] | used - {name}, before[1] | read)
    return definitions, imports


def _imported(node, folder):
    """The names that a statement imports from other modules of the tests, and from where."""
    if not isinstance(node, ast.Import | ast.ImportFrom):
        return
    whole = isinstance(node, ast.Import)
    for each in node.names:
        module = each.name if whole else node.module
        for path in (folder / f"{module}.py", TESTS / f"{module}.py"):
            if path.is_file():
                yield each.asname or each.name, (path, "" if whole else each.name)
                break


def _used_by(node, imports):
    """The names that a statement uses, and the counts that it reads itself."""
    used, read = set(), set()
    for part in ast.walk(node):
        match part:
            case ast.Call(func=ast.Name("count"), args=[ast.Constant(str(name))]):
                read.add(name)
            case ast.Attribute(ast.Name(module), name) if module in imports:
                imports[f"{module}.{name}"] = (imports[module][0], name)
                used.add(f"{module}.{name}")
            case ast.Name(name, ast.Load()):
                used.add(name)
    return frozenset(used), frozenset(read)


def _defined_by(node):
    """The names that a statement defines, or whose attribute it sets."""
    match node:
        case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
            return [name]
        case ast.Assign(targets):
            return [
                part.id for each in targets for part in ast.walk(each) if isinstance(part, ast.Name)
            ]
        case ast.AnnAssign(ast.Name(name)):
            return [name]
        case _:
            return []
