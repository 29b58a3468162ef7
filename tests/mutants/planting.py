"""Mutants of the package: one node of one syntax tree, changed by an operator.

A mutant differs from its module in the text of that node alone, so that lines, comments and every
other byte stay. Which mutants are chosen follows from the files and a seed.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from pathlib import Path
from random import Random

from attrs import frozen

SWAPPED = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@frozen
class Mutant:
    """One change: *after* in place of what the module has between two places."""

    file: str
    function: str
    operator: str
    line: int
    column: int
    end_line: int
    end_column: int
    before: str
    after: str

    def planted(self, text: str) -> str:
        """Return the *text* of its module with the change."""
        lines = text.encode().splitlines(keepends=True)
        first, last = lines[self.line - 1], lines[self.end_line - 1]
        kept = b"\n" * (self.end_line - self.line)  # later lines keep their numbers
        changed = first[: self.column] + self.after.encode() + last[self.end_column :]
        lines[self.line - 1 : self.end_line] = [changed + kept]
        return b"".join(lines).decode()


def changes(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Yield the operators that apply to *node*, each with the node that takes its place."""
    match node:
        case ast.Compare(ops=[operator]) if type(operator) in SWAPPED:
            yield "comparison", replaced(node, ops=[SWAPPED[type(operator)]()])
        case ast.BoolOp():
            yield "boolean operator", replaced(node, op=SWAPPED[type(node.op)]())
        case ast.UnaryOp(op=ast.Not()):
            yield "dropped not", node.operand
        case ast.BinOp(op=operator) if type(operator) in SWAPPED and not has_text(node):
            yield "arithmetic", replaced(node, op=SWAPPED[type(operator)]())
        case ast.Constant(value=bool()):
            yield "constant", replaced(node, value=not node.value)
        case ast.Constant(value=int()):
            yield "constant", replaced(node, value=node.value + 1)
        case ast.Return(value=ast.expr()) if not is_none(node.value):
            yield "return", ast.Return(value=ast.Constant(None))
        case ast.Expr(value=ast.Call()):
            yield "dropped call", ast.Pass()


def replaced(node: ast.AST, **fields: object) -> ast.AST:
    """Return a copy of *node* with other *fields*."""
    twin = copy.deepcopy(node)
    for name, value in fields.items():
        setattr(twin, name, value)
    return twin


def is_none(node: ast.AST) -> bool:
    """Return whether *node* is the constant None."""
    return isinstance(node, ast.Constant) and node.value is None


def has_text(node: ast.AST) -> bool:
    """Return whether *node* joins texts, which has no other arithmetic."""
    return any(
        isinstance(each, ast.JoinedStr)
        or (isinstance(each, ast.Constant) and isinstance(each.value, str | bytes))
        for each in ast.walk(node)
    )


def in_functions(node: ast.AST, name: str = "") -> Iterator[tuple[str, ast.AST]]:
    """
    Yield the nodes below *node* that run, each with the name of the outermost function or method.

    Annotations, asserts, decorators and what only type checkers read do not count: no answer
    shows a change there.
    """
    for field, value in ast.iter_fields(node):
        if field in {"annotation", "returns", "decorator_list", "type_comment"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or isinstance(child, ast.Assert | ast.JoinedStr):
                continue
            if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
                continue
            inner = name
            if isinstance(child, ast.ClassDef | FUNCTIONS[0] | FUNCTIONS[1]):
                inner = named(name, node, child)
            yield inner, child
            yield from in_functions(child, inner)


def named(name: str, node: ast.AST, child: ast.AST) -> str:
    """Return the name of the function or class *child*, or of the function that it is part of."""
    if isinstance(node, FUNCTIONS) or name.endswith("()"):
        return name
    end = "" if isinstance(child, ast.ClassDef) else "()"
    return f"{name}.{child.name}{end}".lstrip(".")


def mutants_of(file: str, text: str) -> list[Mutant]:
    """Return all mutants of the module *file* with that *text*, in order."""
    found = []
    for function, node in in_functions(ast.parse(text)):
        for operator, change in changes(node):
            after = ast.unparse(change)
            if isinstance(node, ast.expr):
                after = f"({after})"
            found.append(
                Mutant(
                    file=file,
                    function=function,
                    operator=operator,
                    line=node.lineno,
                    column=node.col_offset,
                    end_line=node.end_lineno,
                    end_column=node.end_col_offset,
                    before=ast.unparse(node),
                    after=after,
                )
            )
    return found


def package_of(file: str) -> str:
    """Return the package that *file* is in, for the shares of the table."""
    parts = Path(file).parts[2:-1]  # src/holdback/PACKAGE
    return ".".join(parts[:2] if parts[:1] == ("tools",) else parts[:1]) or "the root"


def chosen(tree: Path, count: int, seed: int) -> list[Mutant]:
    """
    Return *count* mutants of the package in *tree*, in a drawn order.

    Every package has a share by its lines, and at least one; in a package, all operators that apply
    are as likely.
    """
    random = Random(seed)
    lines: dict[str, int] = {}
    by_operator: dict[str, dict[str, list[Mutant]]] = {}
    for path in sorted((tree / "src" / "holdback").rglob("*.py")):
        file, text = path.relative_to(tree).as_posix(), path.read_text(encoding="utf-8")
        package = package_of(file)
        lines[package] = lines.get(package, 0) + text.count("\n")
        for mutant in mutants_of(file, text):
            operators = by_operator.setdefault(package, {})
            operators.setdefault(mutant.operator, []).append(mutant)
    drawn = []
    for package, operators in sorted(by_operator.items()):
        share = max(1, round(count * lines[package] / sum(lines.values())))
        for _ in range(share):
            operator = random.choice(sorted(operators))
            pool = operators[operator]
            drawn.append(pool.pop(random.randrange(len(pool))))
            if not pool:
                del operators[operator]
            if not operators:
                break
    random.shuffle(drawn)
    return drawn
