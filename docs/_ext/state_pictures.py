"""State diagrams, drawn as SVG from `holdback.lifecycle.transitions.TABLE`.

A state's column is the length of the longest path to it from the start. The successful ending is on
the first line and is reached by straight arrows. The other endings are below, each reached by a
vertical line from every state that leads to it. A way back from one of them goes up beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from holdback.lifecycle.transitions import NOT_YET, TABLE, Transition

# The successful ending of each.
SUCCESS = {"offer": "Accepted", "application": "funded", "deal": "Repaid"}

WIDE, HIGH = 124, 34  # a box
ACROSS, DOWN = 244, 58  # from one column, and one line, to the next
START = 7  # the radius of the dot for "nothing exists yet"
FIRST = 124  # from the left edge to the first box
MARGIN, TOP = 4, 20
LABEL = 13  # from one label to the next
BESIDE = 24  # from the vertical line down to the one up


def ranks(rows: Iterable[Transition]) -> dict[str, int]:
    """Return the column of each state: the length of the longest path that does not go back."""
    rows = list(rows)
    order: dict[str, int] = {}
    for row in rows:
        order.setdefault(row.state, len(order))
        order.setdefault(row.next, len(order))
    rank = dict.fromkeys(order, 0)
    for _ in order:
        for row in rows:
            if order[row.state] < order[row.next]:
                rank[row.next] = max(rank[row.next], rank[row.state] + 1)
    return rank


def lines(rank: dict[str, int], success: str) -> dict[str, int]:
    """Return the line of each state: 0 on the way to *success*, one for each other ending."""
    ends = {state for state in rank if rank[state] == max(rank.values())}
    line = {}
    below = 0
    for state in rank:
        if state in ends and state != success:
            below += 1
            line[state] = below
        else:
            line[state] = 0
    return line


class Picture:
    """The diagram of offers, applications or deals."""

    def __init__(self, thing: str) -> None:
        self.thing = thing
        self.rows = [row for row in TABLE if row.subject == thing]
        self.rank = ranks(self.rows)
        self.line = lines(self.rank, SUCCESS[thing])
        self.pairs = {(row.state, row.next) for row in self.rows}
        # An arrow on the first line has all its labels above it.
        self.top = TOP + LABEL * (max(len(self.triggers(*pair)) for pair in self.pairs) - 1)

    def triggers(self, state: str, to: str) -> list[str]:
        """Return what leads from *state* to *to*, one label for each."""
        rows = [row for row in self.rows if (row.state, row.next) == (state, to)]
        return list(dict.fromkeys(row.trigger for row in rows))

    def left(self, state: str) -> float:
        rank = self.rank[state]
        return MARGIN if rank == 0 else MARGIN + FIRST + (rank - 1) * ACROSS

    def right(self, state: str) -> float:
        return self.left(state) + (2 * START if state == NOT_YET else WIDE)

    def middle(self, state: str) -> float:
        return self.top + HIGH / 2 + self.line[state] * DOWN

    def svg(self) -> str:
        width = max(self.right(state) for state in self.rank) + MARGIN
        height = max(self.middle(state) for state in self.rank) + HIGH / 2 + MARGIN
        title = f"The states of {'an' if self.thing[0] in 'aeiou' else 'a'} {self.thing}"
        body = "".join([*self.arrows(), *self.boxes()])
        return (
            f'<svg class="states" role="img" aria-label="{title}" width="{width:g}" '
            f'height="{height:g}" viewBox="0 0 {width:g} {height:g}" '
            f'xmlns="http://www.w3.org/2000/svg"><title>{title}</title>{body}</svg>'
        )

    def boxes(self) -> Iterator[str]:
        for state in self.rank:
            x, y = self.left(state), self.middle(state)
            if state == NOT_YET:
                yield f'<circle class="start" cx="{x + START:g}" cy="{y:g}" r="{START}"/>'
                continue
            yield (
                f'<rect class="state" x="{x:g}" y="{y - HIGH / 2:g}" width="{WIDE}" '
                f'height="{HIGH}" rx="8"/>'
                f'<text class="name" x="{x + WIDE / 2:g}" y="{y + 4.5:g}">{escape(state)}</text>'
            )

    def arrows(self) -> Iterator[str]:
        for state, to in dict.fromkeys((row.state, row.next) for row in self.rows):
            triggers = self.triggers(state, to)
            if self.line[state] > self.line[to]:
                yield self.way_back(state, to, triggers)
            elif self.line[state] < self.line[to]:
                yield self.trunk(state, to, triggers)
            elif self.rank[state] < self.rank[to]:
                offset = -6 if (to, state) in self.pairs else 0
                yield self.straight(self.right(state), self.left(to), state, triggers, offset)
            else:
                yield self.straight(self.left(state), self.right(to), state, triggers, 6)

    def straight(
        self, start: float, end: float, state: str, triggers: list[str], offset: float
    ) -> str:
        y = self.middle(state) + offset
        below = offset > 0
        first = y + 15 if below else y - 7 - LABEL * (len(triggers) - 1)
        path = f'<path class="arrow" d="M{start:g} {y:g}H{end:g}"/>{_head(start, end, y)}'
        return path + _labels(triggers, (start + end) / 2, first, "middle")

    def trunk(self, state: str, to: str, triggers: list[str]) -> str:
        """Return an arrow from the bottom of *state* down to the line of *to*, and across."""
        x, end, y = self.left(state) + WIDE / 2, self.left(to), self.middle(to)
        top = self.middle(state) + HIGH / 2
        path = f'<path class="arrow" d="M{x:g} {top:g}V{y - 8:g}q0 8 8 8H{end:g}"/>'
        # Arrows from several states share a line; the nearest carries the label.
        nearest = (
            max(self.rank[row.state] for row in self.rows if row.next == to) == self.rank[state]
        )
        names = _labels(triggers, end - 14, y - 7 - LABEL * (len(triggers) - 1), "end")
        return path + _head(x, end, y) + (names if nearest else "")

    def way_back(self, state: str, to: str, triggers: list[str]) -> str:
        """Return an arrow from the left of *state*, below the one that reaches it, up to *to*."""
        start, y = self.left(state), self.middle(state) + 8
        x, end = self.left(to) + WIDE / 2 + BESIDE, self.middle(to) + HIGH / 2
        path = f'<path class="arrow" d="M{start:g} {y:g}H{x + 8:g}q-8 0 -8 -8V{end:g}"/>'
        head = f'<path class="head" d="M{x:g} {end:g}L{x - 4:g} {end + 8:g}H{x + 4:g}Z"/>'
        return path + head + _labels(triggers, start - 14, y + 12, "end")


def _head(start: float, end: float, y: float) -> str:
    back = end - 8 if end > start else end + 8
    return f'<path class="head" d="M{end:g} {y:g}L{back:g} {y - 4:g}V{y + 4:g}Z"/>'


def _labels(triggers: list[str], x: float, y: float, anchor: str) -> str:
    return "".join(
        f'<text class="trigger" x="{x:g}" y="{y + LABEL * place:g}" text-anchor="{anchor}">'
        f"{escape('time passes' if trigger == 'time' else trigger)}</text>"
        for place, trigger in enumerate(triggers)
    )


class States(SphinxDirective):
    """The state diagram of offers, applications or deals."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        return [nodes.raw("", Picture(self.arguments[0]).svg(), format="html")]


def setup(app):
    app.add_directive("states", States)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
