"""The public API: what the reference lists is public, and all of it is documented."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys

import pytest
from repository import DOCS, PAGES, ROOT, read
from sybil import Document
from sybil.parsers.markdown.lexers import RawFencedCodeBlockLexer

sys.path.insert(0, str(DOCS / "_ext"))
from api_reference import definition, public_modules

MODULES = public_modules()

# More names than this nobody learns; fewer do not cover what hosts, analysts and risk teams do.
FEWEST, MOST = 140, 340


def exported(name):
    """The public names of the module *name*, with their values."""
    module = importlib.import_module(name)
    return {member: getattr(module, member) for member in module.__all__}


def order(name):
    """The key by which ruff sorts an `__all__`: constants, then classes, then functions."""
    return (not name.isupper(), not name[0].isupper(), name)


@pytest.mark.parametrize("name", MODULES)
def test_public_names_are_sorted_and_described(name):
    """
    An `__all__` is sorted, and each name has a docstring; a constant has a comment.
    """
    module = importlib.import_module(name)
    names = exported(name)

    assert list(names) == sorted(set(names), key=order)
    for member, value in names.items():
        documented = inspect.isfunction(value) or inspect.isclass(value) or inspect.ismodule(value)
        # Not `inspect.getdoc`, which takes the docstring of a base class where there is none.
        assert value.__doc__ if documented else definition(module, member)[1], f"{name}.{member}"


def test_there_are_about_300_public_names():
    """
    The public modules export 140 to 340 names, counting once a name that two of them have.
    """
    union = {id(value) for name in MODULES for value in exported(name).values()}

    assert FEWEST <= len(union) <= MOST


def test_what_is_public_is_documented_exactly(built):
    """
    Each public name has one entry in the reference, and nothing else has (decisions/layers).
    """
    page = built["reference/api.html"]
    parts = sorted(MODULES, key=len, reverse=True)
    entries = [
        (module, path[len(module) + 1 :])
        for path in re.findall(r'<dt[^>]* id="(holdback\.[\w.]+)"', page)
        for module in [next(name for name in parts if path.startswith(f"{name}."))]
    ]
    entries = [(module, member) for module, member in entries if "." not in member]
    home = {}
    for module in MODULES:
        for member, value in exported(module).items():
            if not inspect.ismodule(value):
                home.setdefault(id(value), (module, member))

    assert sorted(entries) == sorted(home.values())


def imported(source):
    """The names that Python code imports from `holdback`, each as module and name."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            pairs = [(node.module, alias.name) for alias in node.names]
        elif isinstance(node, ast.Import):
            pairs = [(alias.name, None) for alias in node.names]
        else:
            continue
        yield from (pair for pair in pairs if re.match(r"holdback(\.|$)", pair[0]))


def blocks(path):
    """The Python code of a page, or of a host's file."""
    if path.suffix == ".py":
        return [read(path)]
    regions = RawFencedCodeBlockLexer(info_pattern=re.compile(r"python\n"))(
        Document(read(path), str(path))
    )
    return [str(region.lexemes["source"]) for region in regions]


def readers_code():
    """What people copy: the code blocks of the pages and the files of the reference hosts."""
    yield from PAGES.items()
    for path in sorted((DOCS / "hosts").rglob("*.py")):
        yield path.relative_to(ROOT).as_posix(), path


def test_what_people_copy_imports_public_names_only():
    """
    The README, the pages and the reference hosts import public names from public modules.
    """
    imports = {
        (page, module, name)
        for page, path in readers_code()
        for block in blocks(path)
        for module, name in imported(block)
    }
    private = [
        f"{page}: {module}.{name}"
        for page, module, name in imports
        if f"{module}.{name}" not in MODULES
        and not (module in MODULES and (name is None or name in exported(module)))
    ]

    assert private == []
    assert len(imports) > 50
