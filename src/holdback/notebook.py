"""An assessment as HTML for a notebook. Text from rule files and facts is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from typing import Final

from holdback.exact_json import Json

_ANSWERS: Final = {True: "true", False: "false", None: "unknown"}
_COLOURS: Final = {
    "eligible": "#1a7f37",
    "referred": "#9a6700",
    "undetermined": "#9a6700",
    "ineligible": "#cf222e",
    "not_assessed": "#57606a",
}


def _row(cells: Iterable[object], tag: str = "td") -> str:
    style = "text-align:left;vertical-align:top"
    return (
        "<tr>"
        + "".join(f'<{tag} style="{style}">{escape(str(cell))}</{tag}>' for cell in cells)
        + "</tr>"
    )


def _figures(facts: Mapping[str, Json]) -> str:
    return ", ".join(
        f"{name} = {'unknown' if value is None else value}" for name, value in facts.items()
    )


def assessment_html(plain: Mapping[str, Json]) -> str:
    """Return the assessment with the *plain* values as HTML: outcome, reasons, needs and trace."""
    outcome = plain["outcome"]
    scheme, _, number = plain["digest"].rpartition(":")
    digest = f"{scheme}:{number[:12]}"
    title = (
        f'<p><strong style="color:{_COLOURS[outcome]}">{escape(outcome.replace("_", " "))}'
        f"</strong> in {escape(plain['jurisdiction'])} on {escape(plain['on'])} "
        f"<code>{escape(digest)}</code></p>"
    )
    parts = [title]
    if plain["reasons"]:
        rows = [_row((reason["code"], reason["text"])) for reason in plain["reasons"]]
        parts.append(f"<table>{_row(('code', 'reason'), 'th')}{''.join(rows)}</table>")
    if plain["needs"]:
        parts.append(f"<p>Missing: {escape(', '.join(plain['needs']))}</p>")
    if plain["trace"]:
        rows = [
            _row((line["rule"], _ANSWERS[line["answer"]], _figures(line["facts"])))
            for line in plain["trace"]
        ]
        head = _row(("rule", "answer", "facts"), "th")
        parts.append(
            f"<details><summary>Trace</summary><table>{head}{''.join(rows)}</table></details>"
        )
    return "".join(parts)
