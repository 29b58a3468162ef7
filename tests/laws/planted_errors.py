"""
Errors planted in the engine, which an independent model has to find.

An edit is made in the syntax tree of a module, a class or a function: it finds its part wherever
that is in it, and however its lines are laid out. The part must be there exactly once.
"""

from __future__ import annotations

import ast
import inspect
import sys
from functools import cache
from types import ModuleType

from attrs import frozen

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@frozen
class Edit:
    """In *scope*, *other* takes the place of *part*; None drops it among operands and filters."""

    scope: object
    part: str
    other: str | None


def instead(scope, part, other):
    """Put *other* in the place of *part*, both expressions or both statements."""
    return Edit(scope, part, other)


def without(scope, part):
    """Drop the operand *part* of an `and` or an `or`, or the only filter of a comprehension."""
    return Edit(scope, part, None)


def plant(monkeypatch, edits):
    """Make the *edits* in the engine: every caller then runs the changed function."""
    changed = {}
    for edit in edits:
        found = []
        for name, function, definition in functions_in(edit.scope):
            replacer = Replacer(edit)
            tree = replacer.visit(ast.parse(changed.get(name, definition)))
            found += [(name, function, tree)] * replacer.count
        assert len(found) == 1, f"{edit.scope} has `{edit.part}` {len(found)} times"
        name, function, tree = found[0]
        changed[name] = ast.unparse(tree)
        namespace = {}
        exec(changed[name], function.__globals__, namespace)
        monkeypatch.setattr(function, "__code__", namespace[function.__name__].__code__)


def node_of(text):
    """Return the syntax tree of *text*, one expression or one statement."""
    (statement,) = ast.parse(text).body
    return statement.value if isinstance(statement, ast.Expr) else statement


class Replacer(ast.NodeTransformer):
    """Makes an edit in a tree, and counts how often."""

    def __init__(self, edit):
        self.part = ast.dump(node_of(edit.part))
        self.other = None if edit.other is None else node_of(edit.other)
        self.count = 0

    def visit(self, node):
        if self.other is not None and ast.dump(node) == self.part:
            self.count += 1
            return self.other
        return self.generic_visit(node)

    def generic_visit(self, node):
        super().generic_visit(node)
        if self.other is None and isinstance(node, ast.BoolOp | ast.comprehension):
            field = "values" if isinstance(node, ast.BoolOp) else "ifs"
            parts = getattr(node, field)
            kept = [each for each in parts if ast.dump(each) != self.part]
            self.count += len(parts) - len(kept)
            setattr(node, field, kept)
            if isinstance(node, ast.BoolOp) and len(kept) == 1:
                return kept[0]
        return node


def functions_in(scope):
    """Return the functions of *scope*: each with its name, the object and its definition."""
    if isinstance(scope, ModuleType):
        return definitions(scope.__name__)
    found = [
        each
        for each in definitions(scope.__module__)
        if f"{each[0]}.".startswith(f"{scope.__module__}.{scope.__qualname__}.")
    ]
    assert found, f"{scope} has no function"
    return found


@cache
def definitions(module):
    """Return the functions and methods of *module*, without their decorators."""
    owner = sys.modules[module]
    return [*_definitions(module, owner, ast.parse(inspect.getsource(owner)))]


def _definitions(name, owner, tree):
    for node in tree.body:
        here = f"{name}.{getattr(node, 'name', '')}"
        if isinstance(node, ast.ClassDef):
            yield from _definitions(here, getattr(owner, node.name), node)
        elif isinstance(node, FUNCTIONS):
            function = inspect.getattr_static(owner, node.name)
            function = getattr(function, "fget", None) or getattr(function, "__func__", function)
            if inspect.isfunction(function):
                node.decorator_list = []
                yield here, function, ast.unparse(node)
