"""The text of a file with drafted examples in it, everything else unchanged."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Final

from holdback.errors import ErrorDetail, InvalidDocument
from holdback.exact.exact_json import Json
from holdback.jurisdictions.reader import JURISDICTION, PRODUCTS, RENEWAL

DRAFTED: Final = (
    "# Drafted by `holdback test --suggest`: read what each expects, then delete this line."
)
PLAUSIBLE: Final = (
    "# Drafted by `holdback test --suggest`: plausible figures, none of them measured."
)
_TABLES: Final = ("examples", "funding_examples")
_HEADER: Final = re.compile(r"(?m)^[ \t]*\[+[ \t]*([\w-]+)")
_SCHEMAS: Final[Mapping[str, str]] = {
    name: f"#:schema ../schema/{name.removesuffix('.toml')}.json\nformat = 1\n"
    for name in (JURISDICTION, RENEWAL, PRODUCTS)
}


def inserted(
    name: str, body: bytes | None, typical: Sequence[str], examples: Sequence[str]
) -> bytes:
    """
    Return the file *name* with more *typical* facts and *examples*, each a text in TOML.

    *body* are its bytes, None where there is no such file. What it has stays byte for byte. New
    lines end as its first line does.

    Raises:
        InvalidDocument: the file has its examples in a form that no example can be added to.
    """
    before = (_SCHEMAS[name].encode() if body is None else body).decode()
    newline = "\r\n" if "\r\n" in before.partition("\n")[0] + "\n" else "\n"
    text = before
    if typical:
        text = _with_typical(text, typical, newline)
    added = {
        table: [example.rstrip() for example in examples if example.startswith(f"[[{table}]]")]
        for table in _TABLES
    }
    for table, texts in added.items():
        if texts:
            block = "\n\n".join([DRAFTED, *texts])
            text = _with_examples(text, table, block.replace("\n", newline), newline)
    _check(name, before, text, {table: len(texts) for table, texts in added.items()})
    return text.encode()


def _with_typical(text: str, lines: Sequence[str], newline: str) -> str:
    """Return *text* with *lines* at the end of its typical facts, or before its examples."""
    end = _end_of_last(text, "typical")
    added = newline.join(lines)
    if end is not None:
        return f"{text[:end]}{newline}{added}{text[end:]}"
    examples = next((header for header in _HEADER.finditer(text) if header[1] == "examples"), None)
    table = f"[typical]{newline}{added}{newline}"
    if examples is None:
        return f"{_ended(text, newline)}{newline}{table}"
    return f"{text[: examples.start()]}{table}{newline}{text[examples.start() :]}"


def _with_examples(text: str, table: str, block: str, newline: str) -> str:
    """Return *text* with *block* behind the last *table* of examples, or at its end."""
    end = _end_of_last(text, table)
    if end is None or not text[end:].strip():
        return f"{_ended(text, newline)}{newline}{block}{newline}"
    return f"{text[:end]}{newline}{newline}{block}{text[end:]}"


def _ended(text: str, newline: str) -> str:
    """Return *text* with the end of its last line."""
    return text if not text or text.endswith("\n") else f"{text}{newline}"


def _end_of_last(text: str, name: str) -> int | None:
    """Return where the last value of the last table *name* ends; None where there is none."""
    headers = list(_HEADER.finditer(text))
    last = max((place for place, header in enumerate(headers) if header[1] == name), default=None)
    if last is None:
        return None
    stop = headers[last + 1].start() if last + 1 < len(headers) else len(text)
    lines = text[headers[last].start() : stop].splitlines(keepends=True)
    # Comments and empty lines before the next table belong to it.
    while len(lines) > 1 and (not lines[-1].strip() or lines[-1].lstrip().startswith("#")):
        lines.pop()
    return headers[last].start() + len("".join(lines).rstrip("\r\n"))


def _all_but(tables: list[Json], number: int) -> list[Json]:
    """Return *tables* without the last *number* of them."""
    return tables[: len(tables) - number]


def _check(name: str, before: str, after: str, added: Mapping[str, int]) -> None:
    """Refuse a result that is not the file with more typical facts and examples."""
    try:
        old, new = tomllib.loads(before), tomllib.loads(after)
    except tomllib.TOMLDecodeError:
        old, new = {}, {"": None}
    typical: Mapping[str, Json] = old.get("typical", {})
    same = {
        **new,
        **{table: _all_but(new.get(table, []), number) for table, number in added.items()},
        "typical": {key: new.get("typical", {}).get(key) for key in typical},
    }
    if same != {**{table: [] for table in added}, "typical": {}, **old}:
        message = "examples cannot be added: the file has them in a list within brackets"
        hint = "write each as a table of its own, `[[examples]]`, at the end of the file"
        raise InvalidDocument(
            [ErrorDetail(code="malformed", message=message, file=name, hint=hint)]
        )
