"""The architecture as a drawing and as a list, made from the imports of `src/holdback`.

The layers are those that the architecture tests hold (`tests/architecture/layers.toml`). An arrow
points from a module to a module that it imports. An import that follows from other arrows is not
drawn: most modules import `errors` and `money`, and the drawing would show little else. The list
under the drawing names every import.

The layout has three steps. An arrow that crosses a row takes a narrow slot in it, shared by all
arrows to the same module. The order of a row and the places along it follow the neighbours above
and below. Then the rows are written as SVG, in the colours of the theme.
"""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "holdback"
LAYERS = ROOT / "tests" / "architecture" / "layers.toml"
PUBLIC_API = "holdback"  # the name of the package's own `__init__` in the table of layers

Graph = Mapping[str, frozenset[str]]

BOX_HEIGHT = 32
LETTER = 8  # the width of a letter of a module's name
PADDING = 14
SLOT = 8  # the width that an arrow takes in a row that it crosses
GAP = 20  # between two boxes or slots of a row
ROW_GAP = 40
LABEL = 120  # left of the boxes, for the name of the layer
LAYER_PADDING = 14
LAYER_GAP = 22
MARGIN = 2
SWEEPS = 12  # the layout does not change visibly after fewer


class Layer(NamedTuple):
    """A named layer with its rows, from the top down."""

    name: str
    rows: list[list[str]]


class Slot(NamedTuple):
    """The place where the arrows to a module cross a row."""

    row: int
    target: str


Node = str | Slot


def layers() -> list[Layer]:
    """The layers, from the top down."""
    table = tomllib.loads(LAYERS.read_text(encoding="utf-8"))
    return [Layer(layer["name"], layer["rows"]) for layer in table["layers"]]


def files() -> dict[str, list[Path]]:
    """The files of each module of `holdback`; a package is one module."""
    named = {package for layer in layers() for row in layer.rows for package in row}
    modules: dict[str, list[Path]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        name = ".".join(path.relative_to(SOURCE).with_suffix("").parts)
        package = _package(name, named)
        if package in named:
            modules.setdefault(package, []).append(path)
    return modules


def _package(name: str, named: Iterable[str]) -> str:
    """The package of a module's dotted *name*: one inside another has the name of both."""
    first, _, rest = name.removesuffix("__init__").rstrip(".").partition(".")
    inner = f"{first}.{rest.partition('.')[0]}"
    return inner if inner in named else first or PUBLIC_API


def imports() -> Graph:
    """The modules that each module imports."""
    modules = files()
    return {
        module: frozenset(
            target for path in paths for target in _imported(path, modules) if target != module
        )
        for module, paths in modules.items()
    }


def _imported(path: Path, modules: Iterable[str]) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            package, _, rest = name.partition(".")
            if package == "holdback":
                module = _package(rest, modules)
                yield module if module in modules else PUBLIC_API


def reachable(graph: Graph, start: str) -> set[str]:
    """The modules that *start* imports, directly or through others."""
    return set(graph[start]).union(*(reachable(graph, target) for target in graph[start]))


def drawn(graph: Graph) -> dict[str, set[str]]:
    """The fewest imports from which all others follow."""
    return {
        module: {
            target
            for target in targets
            if not any(target in reachable(graph, between) for between in targets)
        }
        for module, targets in graph.items()
    }


def summary(module: str) -> str:
    """The first sentence of the module's docstring."""
    package = SOURCE if module == PUBLIC_API else SOURCE / module.replace(".", "/")
    path = package / "__init__.py" if package.is_dir() else package.with_suffix(".py")
    doc = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return " ".join(doc.partition("\n\n")[0].split())


class Drawing:
    """The drawing: layers from the top down, and arrows to what is imported."""

    def __init__(self) -> None:
        self.layers = layers()
        rows = [row for layer in self.layers for row in layer.rows]
        self.row = {module: place for place, row in enumerate(rows) for module in row}
        self.arrows = [
            (module, target)
            for module, targets in sorted(drawn(imports()).items())
            for target in sorted(targets)
        ]
        self.rows: list[list[Node]] = [list(row) for row in rows]
        self.paths = [self.path(module, target) for module, target in self.arrows]
        slots = {node for path in self.paths for node in path if isinstance(node, Slot)}
        for slot in sorted(slots):
            self.rows[slot.row].append(slot)
        self.x = self.places()
        self.top = self.tops()

    def path(self, module: str, target: str) -> list[Node]:
        """The boxes and slots that the arrow from *module* to *target* passes."""
        crossed = range(self.row[module] + 1, self.row[target])
        return [module, *(Slot(row, target) for row in crossed), target]

    def places(self) -> dict[Node, float]:
        """The middle of each box and slot along its row."""
        near: dict[Node, set[Node]] = {node: set() for row in self.rows for node in row}
        for path in self.paths:
            for upper, lower in pairwise(path):
                near[upper].add(lower)
                near[lower].add(upper)
        x = {node: 100.0 * place for row in self.rows for place, node in enumerate(row)}
        for sweep in range(SWEEPS):
            for row in self.rows if sweep % 2 else reversed(self.rows):
                wanted = {
                    node: sum(x[neighbour] for neighbour in near[node]) / len(near[node])
                    for node in row
                }
                row.sort(key=lambda node: wanted[node])
                x.update(_apart(row, wanted))
        left = min(x[node] - _width(node) / 2 for node in x)
        return {node: place - left + MARGIN + LABEL for node, place in x.items()}

    def tops(self) -> list[float]:
        """The upper edge of each row."""
        tops: list[float] = []
        y = float(MARGIN)
        for layer in self.layers:
            y += LAYER_PADDING
            for _ in layer.rows:
                tops.append(y)
                y += BOX_HEIGHT + ROW_GAP
            y += LAYER_PADDING + LAYER_GAP - ROW_GAP
        return tops

    def svg(self) -> str:
        right = max(self.x[node] + _width(node) / 2 for node in self.x)
        width = right + LAYER_PADDING + MARGIN
        height = self.top[-1] + BOX_HEIGHT + LAYER_PADDING + MARGIN
        words = "; ".join(
            f"{layer.name}: {', '.join(module for row in layer.rows for module in row)}"
            for layer in self.layers
        )
        title = f"The layers of holdback, from the top down. {words}. Every arrow points down."
        body = "".join([*self.bands(width), *self.lines(), *self.boxes()])
        return (
            f'<div class="architecture"><svg role="img" aria-label="{title}" width="{width:g}" '
            f'height="{height:g}" viewBox="0 0 {width:g} {height:g}" '
            f'xmlns="http://www.w3.org/2000/svg">{body}</svg></div>'
        )

    def bands(self, width: float) -> Iterator[str]:
        first = 0
        for layer in self.layers:
            top = self.top[first] - LAYER_PADDING
            bottom = self.top[first + len(layer.rows) - 1] + BOX_HEIGHT + LAYER_PADDING
            first += len(layer.rows)
            yield (
                f'<rect class="layer" x="{MARGIN}" y="{top:g}" width="{width - 2 * MARGIN:g}" '
                f'height="{bottom - top:g}" rx="8"/>'
                f'<text class="layer-name" x="{MARGIN + 12}" '
                f'y="{(top + bottom) / 2 + 4:g}">{layer.name}</text>'
            )

    def boxes(self) -> Iterator[str]:
        for module, row in self.row.items():
            x, y, width = self.x[module], self.top[row], _width(module)
            yield (
                f'<g><title>{escape(summary(module))}</title><rect class="module" '
                f'x="{x - width / 2:.1f}" y="{y:g}" width="{width:g}" height="{BOX_HEIGHT}" '
                f'rx="6"/><text class="module-name" x="{x:.1f}" '
                f'y="{y + BOX_HEIGHT / 2 + 4.5:g}">{module}</text></g>'
            )

    def lines(self) -> Iterator[str]:
        for (module, target), path in zip(self.arrows, self.paths, strict=True):
            x, y = self.x[module], self.top[self.row[module]] + BOX_HEIGHT
            line = f"M{x:.1f} {y:g}"
            for node in path[1:]:
                row = node.row if isinstance(node, Slot) else self.row[node]
                end, top = self.x[node], self.top[row]
                middle = (y + top) / 2
                line += f"C{x:.1f} {middle:g} {end:.1f} {middle:g} {end:.1f} {top:g}"
                if isinstance(node, Slot):
                    line += f"V{top + BOX_HEIGHT:g}"
                x, y = end, top + BOX_HEIGHT
            tip = self.top[self.row[target]]
            yield (
                f'<path class="arrow" data-from="{module}" data-to="{target}" d="{line}"/>'
                f'<path class="head" d="M{x:.1f} {tip:g}l-4 -8h8Z"/>'
            )


def _width(node: Node) -> float:
    return SLOT if isinstance(node, Slot) else len(node) * LETTER + 2 * PADDING


def _apart(row: list[Node], wanted: Mapping[Node, float]) -> dict[Node, float]:
    """The places of a row, near the wanted ones and far enough apart.

    One pass pushes to the right, one to the left. Both keep the distances, and so does the mean of
    the two.
    """
    rightwards: list[float] = []
    for place, node in enumerate(row):
        least = rightwards[-1] + _distance(row[place - 1], node) if place else wanted[node]
        rightwards.append(max(least, wanted[node]))
    leftwards: list[float] = []
    for place, node in reversed(list(enumerate(row))):
        last = place == len(row) - 1
        most = wanted[node] if last else leftwards[-1] - _distance(node, row[place + 1])
        leftwards.append(min(most, wanted[node]))
    pairs = zip(row, rightwards, reversed(leftwards), strict=True)
    return {node: (right + left) / 2 for node, right, left in pairs}


def _distance(left: Node, right: Node) -> float:
    return (_width(left) + _width(right)) / 2 + GAP


def listing() -> str:
    """The layers in words, as Markdown: what each module holds and what it imports."""
    graph = imports()
    parts = []
    for layer in layers():
        rows = [
            f"| `{module}` | {summary(module)} | {_names(graph[module])} |".replace("\n", " ")
            for row in layer.rows
            for module in row
        ]
        head = "| Module | Holds | Imports |\n|---|---|---|"
        parts.append("\n".join([f"### {layer.name}", "", head, *rows]))
    return "\n\n".join(parts)


def _names(modules: Iterable[str]) -> str:
    return ", ".join(f"`{module}`" for module in sorted(modules)) or "none"


class Architecture(SphinxDirective):
    """Put the drawing of the architecture here."""

    def run(self) -> list[nodes.Node]:
        for paths in files().values():
            for path in paths:
                self.env.note_dependency(str(path))
        self.env.note_dependency(str(LAYERS))
        return [nodes.raw("", Drawing().svg(), format="html")]


class ArchitectureInWords(SphinxDirective):
    """Put the list of layers and modules here."""

    def run(self) -> list[nodes.Node]:
        return self.parse_text_to_nodes(listing(), allow_section_headings=True)


def setup(app):
    app.add_directive("architecture", Architecture)
    app.add_directive("architecture-in-words", ArchitectureInWords)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
