"""The API reference, from the `__all__` of every public module.

A name is documented in the first public module that the page lists with it; a later module that has
it too links there.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import typing
from collections.abc import Iterable, Iterator
from enum import Enum
from functools import cache
from pathlib import Path
from types import ModuleType

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

import holdback

PAGE = Path(__file__).parents[1] / "reference" / "api.md"
LISTED = re.compile(r"^```\{module-reference\} (\S+)$", re.MULTILINE)
# A longer value says less than the comment on it.
LONGEST_VALUE = 60


@cache
def public_modules() -> tuple[str, ...]:
    """Return the names of the public modules: `holdback` and those that the page lists."""
    return "holdback", *LISTED.findall(PAGE.read_text(encoding="utf-8"))


@cache
def homes() -> dict[int, str]:
    """Return the module that documents each public object, by the object's `id`."""
    home: dict[int, str] = {}
    for name in public_modules():
        module = importlib.import_module(name)
        for member in module.__all__:
            home.setdefault(id(getattr(module, member)), name)
    return home


def definition(module: ModuleType, name: str) -> tuple[str, str]:
    """
    Return the value of the constant or alias *name*, and the comment above it.

    A constant has no docstring at run time, so both are read from the source of the module that
    assigns it, which *module* may import it from.
    """
    source = inspect.getsource(module)
    lines = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.ImportFrom(module=str(origin)) if name in {x.name for x in node.names}:
                return definition(importlib.import_module(origin), name)
            case (
                ast.AnnAssign(target=ast.Name(id=target))
                | ast.Assign(targets=[ast.Name(id=target)])
            ) if target == name and node.col_offset == 0:
                above = node.lineno - 1
                first = above
                while lines[first - 1].startswith("# "):
                    first -= 1
                comment = " ".join(line.removeprefix("# ") for line in lines[first:above])
                return ast.unparse(node.value), comment
    raise LookupError(f"{module.__name__}.{name} is not assigned at the top of a module")


class PublicApi(SphinxDirective):
    """The names of `holdback.__all__`, in groups; a name without a group fails the build."""

    GROUPS: typing.ClassVar = {
        "Start here": (
            "load_jurisdictions",
            "Engine",
            "Context",
            "CheckResult",
            "Outcome",
            "Merchant",
            "Profile",
        ),
        "Rules and answers": (
            "Jurisdictions",
            "Rulebook",
            "Assessment",
            "Reason",
            "load_language",
            "Language",
        ),
        "Requests and replies": (
            "OffersRequest",
            "Application",
            "Product",
            "Offer",
            "OfferSet",
            "BankDetails",
            "Acceptance",
            "AcceptanceIds",
            "Links",
            "filled_application",
        ),
        "Deals": ("Deal", "Entry", "Takings", "Money"),
        "Your own calculators": (
            "LimitsCalculator",
            "FactorRateCalculator",
            "SplitPercentageCalculator",
            "TermCalculator",
        ),
        "Errors": (
            "HoldbackError",
            "Refusal",
            "InvalidDocument",
            "RuleError",
            "StateError",
            "ConfigurationError",
            "HistoryError",
        ),
    }

    def run(self) -> list[nodes.Node]:
        grouped = [name for names in self.GROUPS.values() for name in names]
        missing = {*holdback.__all__} ^ {*grouped, "operations", "wire"}
        if missing:
            raise self.error(f"`holdback.__all__` and its page differ on {sorted(missing)}")
        parts = []
        for title, names in self.GROUPS.items():
            parts += [f"### {title}", *_entries(holdback, names)]
        return self.parse_text_to_nodes("\n\n".join(parts), allow_section_headings=True)


class ModuleReference(SphinxDirective):
    """The names in the `__all__` of a module: functions, classes, then constants and aliases."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        (name,) = self.arguments
        module = importlib.import_module(name)
        own = [x for x in module.__all__ if homes()[id(getattr(module, x))] == name]
        parts = [inspect.getdoc(module).partition("\n\n")[0]]
        if elsewhere := [x for x in module.__all__ if x not in own]:
            shown = ", ".join(f"`{member}`" for member in elsewhere)
            parts.append(f"Documented above: {shown}.")
        parts += _entries(module, own)
        return self.parse_text_to_nodes("\n\n".join(parts))


def _entries(module: ModuleType, names: Iterable[str]) -> Iterator[str]:
    for text in sorted((_entry(module, name) for name in names), key=_kind):
        yield f"```{{eval-rst}}\n{text}\n```"


def _kind(entry: str) -> int:
    return next(
        place
        for place, directive in enumerate((".. autofunction", ".. autoclass", ".. py:"))
        if entry.startswith(directive)
    )


def is_private(kind: type) -> bool:
    """Return whether *kind* is a class of holdback that the reference does not document."""
    return kind.__module__.startswith("holdback.") and id(kind) not in homes()


def _entry(module: ModuleType, name: str) -> str:
    value = getattr(module, name)
    path = f"{module.__name__}.{name}"
    if inspect.isfunction(value):
        return f".. autofunction:: {path}"
    if inspect.isclass(value):
        undescribed = "undoc-members" if issubclass(value, Enum) else "no-undoc-members"
        # What a class has from a private base is its own to a reader.
        private = [base for base in value.__mro__ if is_private(base)]
        inherited = "\n   :inherited-members: BaseException, Exception, object" if private else ""
        return f".. autoclass:: {path}\n   :members:\n   :{undescribed}:{inherited}"
    text, comment = definition(module, name)
    shown = f"\n   :value: {text}" if len(text) <= LONGEST_VALUE else ""
    described = re.sub(r"`([^`]+)`", r"``\1``", comment)
    return f".. py:data:: {path}{shown}\n\n   {described}"


def setup(app):
    app.add_directive("public-api", PublicApi)
    app.add_directive("module-reference", ModuleReference)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
