"""How the columns of somebody's file hold the facts: their names, and how values are written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from attrs import field, fields

from holdback.errors import ErrorDetail, InvalidDocument, did_you_mean, excerpt, listed, printable
from holdback.exact.exact_json import shown_path
from holdback.frozen_classes import FrozenMapping, frozen, frozen_record
from holdback.jurisdictions.toml import Node, read_toml
from holdback.tools.workbench.mapping_schema import DATE_FORM, DATES, FACT, FORM_KEYS, TABLES, WORDS

# The name of the file in messages; the command knows the real one.
_FILE: Final = "columns.toml"
_DATE_HINT: Final = "write year, month and day as in `YYYY-MM-DD`, `DD/MM/YYYY` or `DD MON YYYY`"
DECIMAL_MARK: Final = "decimal_mark"
_SIGNS: Final = (DECIMAL_MARK, "thousands")
# The point and the comma: where one is between thousands, the other is before decimals.
_OTHER: Final = {".": ",", ",": "."}
_ESCAPED: Final = {'"': r"\"", "\\": r"\\"}


class _Mistake(NamedTuple):
    """A mistake in a mapping, at a path of keys; `at_key` if the last key itself is wrong."""

    path: tuple[str, ...]
    code: str
    message: str
    hint: str | None = None
    at_key: bool = False


@frozen(kw_only=True)
class Form:
    """
    How the values of a column are written; None where nothing was said.

    Without a word, percentages are percent, amounts are in major units, numbers have a point, and
    days are written `2026-07-01`.
    """

    percentages: str | None = None
    money: str | None = None
    decimal_mark: str | None = None
    thousands: str | None = None
    dates: str | None = None


@frozen(kw_only=True)
class ColumnMapping:
    """
    How the columns of a file hold the facts.

    `columns` has the column of each fact, and of `jurisdiction`, `on`, `currency` and `deal_id`; a
    column that has the name already need not be listed. `texts` has for a fact what each text of
    the file means. `percentages` are `"percent"` or `"fractions"`, `money` is in `"major units"` or
    `"minor units"`, `decimal_mark` is `"."` or `","`, `thousands` is the sign between thousands,
    and `dates` is a form such as `"DD/MM/YYYY"`. `forms` says the same of single facts.

    `notes` say what `suggest` did not decide; the meaning of the mapping does not depend on them.

    >>> mapping = ColumnMapping(columns={"progress": "pct_paid"}, percentages="fractions")
    >>> print(mapping.to_toml())
    percentages = "fractions"
    <BLANKLINE>
    [columns]
    progress = "pct_paid"
    <BLANKLINE>

    Raises:
        InvalidDocument: naming everything that is wrong.
    """

    columns: Mapping[str, str] = field(factory=FrozenMapping, converter=frozen_record)
    percentages: str | None = None
    money: str | None = None
    texts: Mapping[str, Mapping[str, str]] = field(factory=FrozenMapping, converter=frozen_record)
    decimal_mark: str | None = None
    thousands: str | None = None
    dates: str | None = None
    forms: Mapping[str, Mapping[str, str]] = field(factory=FrozenMapping, converter=frozen_record)
    notes: tuple[str, ...] = field(default=(), eq=False)

    def __attrs_post_init__(self) -> None:
        errors = [
            ErrorDetail(
                code=mistake.code,
                message=mistake.message,
                path=_path(mistake.path),
                hint=mistake.hint,
            )
            for mistake in _mistakes(self._document())
        ]
        if errors:
            raise InvalidDocument(errors)

    def _document(self) -> Mapping[str, Any]:
        """What was said, by the keys of the file."""
        values = {name: getattr(self, name) for name in (*FORM_KEYS, *TABLES)}
        return {name: value for name, value in values.items() if value not in (None, {})}

    def form(self, name: str) -> Form:
        """Return how the values of the fact *name* are written."""
        general = {key: getattr(self, key) for key in FORM_KEYS}
        return Form(**{**general, **self.forms.get(name, {})})

    @property
    def has_commas(self) -> bool:
        """Whether numbers of some fact have decimal commas."""
        forms = ({DECIMAL_MARK: self.decimal_mark}, *self.forms.values())
        return any(form.get(DECIMAL_MARK) == "," for form in forms)

    @classmethod
    def from_toml(cls, text: str) -> ColumnMapping:
        r"""
        Return the mapping in *text*, a TOML file.

        >>> ColumnMapping.from_toml('[columns]\nprogress = "pct_paid"').columns
        {'progress': 'pct_paid'}

        Raises:
            InvalidDocument: naming everything that is wrong, with line and column.
        """
        errors: list[ErrorDetail] = []
        root = read_toml(_FILE, text.encode(), errors)
        if root is not None:
            for path, code, message, hint, at_key in _mistakes(root.value):
                Node(root.document, path, None).add_error(code, message, hint, key=at_key)
        if errors or root is None:
            raise InvalidDocument(errors)
        return cls(**root.value)

    def to_toml(self) -> str:
        """Return it as a TOML file, its notes as comments; `from_toml` reads the same again."""
        said = self._document()
        lines = [f"# {printable(note)}" for note in self.notes]
        lines += [f"{key} = {_quoted(said[key])}" for key in FORM_KEYS if key in said]
        if "columns" in said:
            lines += ["", "[columns]", *_pairs(self.columns)]
        for table in ("texts", "forms"):
            for name, values in said.get(table, {}).items():
                lines += ["", f"[{table}.{name}]", *_pairs(values)]
        return "\n".join(lines).lstrip("\n") + "\n"


def _path(path: tuple[str, ...]) -> str:
    text = "$"
    for part in path:
        text = shown_path(text, part)
    return text


def _quoted(text: str) -> str:
    """*text* as a basic string of TOML; what is not printable is escaped."""
    signs = (sign if sign.isprintable() else rf"\U{ord(sign):08x}" for sign in text)
    return '"' + "".join(_ESCAPED.get(sign, sign) for sign in signs) + '"'


def _pairs(values: Mapping[str, str]) -> Iterator[str]:
    for name, value in values.items():
        key = name if re.fullmatch("[A-Za-z0-9_-]+", name) else _quoted(name)
        yield f"{key} = {_quoted(value)}"


def _mistakes(said: Mapping[str, Any]) -> Iterator[_Mistake]:
    """Everything that is wrong in what was *said*, by the keys of the file."""
    for key, value in said.items():
        if key in TABLES:
            yield from _table_mistakes(key, value)
        else:
            yield from _form_mistakes((key,), value, (*FORM_KEYS, *TABLES))
    yield from _contradictions(said)


def _contradictions(said: Mapping[str, Any]) -> Iterator[_Mistake]:
    """Forms, general and of single facts, whose thousands have the sign of the decimals."""
    forms = said.get("forms", {})
    own = forms if isinstance(forms, Mapping) else {}
    by_path: dict[tuple[str, ...], Any] = {(): {}}
    by_path |= {("forms", str(name)): form for name, form in own.items()}
    for path, form in by_path.items():
        if not isinstance(form, Mapping) or (path and not {*form} & {*_SIGNS}):
            continue
        mark, between = ({**said, **form}.get(key) for key in _SIGNS)
        if between in (".", ",") and between == (mark or "."):
            has_thousands = not path or "thousands" in form
            key, opposite = _SIGNS[has_thousands], _OTHER[between]
            message = "the sign between thousands is also the sign before decimals"
            hint = f'with `thousands = "{between}"` write `decimal_mark = "{opposite}"`'
            if not has_thousands:
                hint = f'here, write `thousands = "{opposite}"` too'
            yield _Mistake((*path, key), "contradiction", message, hint)


def _form_mistakes(path: tuple[str, ...], value: Any, keys: tuple[str, ...]) -> Iterator[_Mistake]:
    """What is wrong with the *value* of a key that says how values are written."""
    key = path[-1]
    if key not in FORM_KEYS:
        hint = did_you_mean(key, keys) or f"the keys here are {listed(keys, key)}"
        message = f"unknown key `{excerpt(key)}`"
        yield _Mistake(path, "unknown_field", message, hint, at_key=True)
    elif not isinstance(value, str):
        yield _Mistake(path, "wrong_type", "expected text")
    elif key == DATES:
        if re.fullmatch(DATE_FORM, value) is None:
            yield _Mistake(
                path, "wrong_value", f"unknown form of dates `{excerpt(value)}`", _DATE_HINT
            )
    elif value not in WORDS[key]:
        hint = did_you_mean(value, WORDS[key]) or f"expected one of {listed(WORDS[key])}"
        yield _Mistake(path, "wrong_value", f"unknown word `{excerpt(value)}`", hint)


def _table_mistakes(table: str, values: Any) -> Iterator[_Mistake]:
    if not isinstance(values, Mapping):
        yield _Mistake((table,), "wrong_type", "expected a table")
        return
    facts_by_column: dict[Any, str] = {}
    for name, value in values.items():
        path = (table, name)
        if not isinstance(name, str) or re.fullmatch(FACT, name) is None:
            hint = "the fact is on the left, and the column of the file on the right"
            message = "expected the name of a fact in small letters, such as `progress`"
            yield _Mistake(
                (table, str(name)),
                "wrong_value",
                message,
                hint if table == "columns" else None,
                at_key=True,
            )
        elif table == "columns":
            yield from _column_mistakes(path, value, facts_by_column)
        elif not isinstance(value, Mapping):
            yield _Mistake(path, "wrong_type", "expected a table")
        elif table == "forms":
            for key, word in value.items():
                yield from _form_mistakes((*path, key), word, FORM_KEYS)
        else:
            for text, meaning in value.items():
                if not isinstance(text, str) or not isinstance(meaning, str):
                    yield _Mistake((*path, str(text)), "wrong_type", "expected text")


def _column_mistakes(
    path: tuple[str, ...], value: Any, facts_by_column: dict[Any, str]
) -> Iterator[_Mistake]:
    if not isinstance(value, str):
        yield _Mistake(path, "wrong_type", "expected the name of a column")
    elif not value:
        yield _Mistake(path, "missing", "this is empty", "fill it in")
    elif value in facts_by_column:
        message = f"the column `{excerpt(value)}` is already that of `{facts_by_column[value]}`"
        hint = "a column holds one fact; copy it in the file if it really holds two"
        yield _Mistake(path, "duplicate", message, hint)
    else:
        facts_by_column[value] = path[-1]


assert {attribute.name for attribute in fields(Form)} == set(FORM_KEYS), "a form has all its keys"
