"""A strict reader of JSON, which refuses much that the standard `json` accepts.

1. Size and depth are bounded before anything is parsed.
2. Numbers keep their digits as written (`Verbatim`), so nothing is rounded.
3. All errors are found, each with the path of its value.

No message holds a value of the document. The name of a field is shown only if it is a plain name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from holdback.errors import ErrorDetail, InvalidDocument
from holdback.exact.exact_json import Json, Opaque, Verbatim, field_path
from holdback.exact.exact_numbers import MAX_DIGITS, plain

# The most bytes of a request, which is a few kilobytes, and of a file of facts or of a decision.
REQUEST_LIMIT: Final = 64 * 1024
# The same of what is stored: a merchant's state, its profile, an event.
STATE_LIMIT: Final = 64 * 1024 * 1024

# A request's own fields go three levels deep; a profile has the rest. A state holds whole requests.
REQUEST_DEPTH: Final = 32
STATE_DEPTH: Final = 2 * REQUEST_DEPTH

# Compiled when first used, as `_SURROGATE` is: few documents need it.
_BRACKET: Final = r"[\[\]{}]"
_SURROGATE: Final = "[\ud800-\udfff]"
_NUMBER: Final = re.compile(r"-?(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?")
_EXPONENT_DIGITS: Final = len(str(MAX_DIGITS))
_LONG_NUMBER: Final = (
    f"a number has at most {MAX_DIGITS} digits, and an exponent within {MAX_DIGITS}"
)

_NOT_FINITE: Final = "NaN and infinity are not JSON"


def read_json(body: bytes | str, *, limit: int = REQUEST_LIMIT, depth: int = REQUEST_DEPTH) -> Json:
    """
    Return the tree of *body*: dicts, lists, text, True, False, None, and numbers as `Verbatim`.

    A `Verbatim` is the text of a number, as it came. *limit* is in bytes, *depth* in nested
    brackets.

    >>> read_json(b'{"share": 0.10}')
    {'share': '0.10'}
    >>> read_json('{"a": 1, "a": NaN}')
    Traceback (most recent call last):
    holdback.errors.InvalidDocument: $.a: the field is written twice
    $.a: NaN and infinity are not JSON

    Raises:
        InvalidDocument: naming every error with its JSON path. Nothing else is raised.
    """
    return _without_errors(*tree_and_errors(body, limit=limit, depth=depth))


def tree_and_errors(
    body: bytes | str, *, limit: int = REQUEST_LIMIT, depth: int = REQUEST_DEPTH
) -> tuple[Json, list[ErrorDetail]]:
    """
    Return the tree of *body* and the errors of its values, for readers that find more in it.

    Raises:
        InvalidDocument: *body* is not JSON, so there is no tree.
    """
    text = _text(body, limit)
    if nested_deeper(text, depth):
        raise _invalid("too_large", f"brackets are nested more than {depth} deep")
    return checked_tree(_parsed(text), depth=depth)


def read_tree(value: Json, *, depth: int = REQUEST_DEPTH) -> Json:
    """
    Return a checked copy of *value*, which another parser has read, as `read_json` returns it.

    Floats are refused, because the digits that were written are lost in them.

    Raises:
        InvalidDocument: naming every error with its JSON path.
    """
    return _without_errors(*checked_tree(value, depth=depth))


def checked_tree(
    value: Json, *, depth: int = REQUEST_DEPTH, path: str = "$"
) -> tuple[Json, list[ErrorDetail]]:
    """Return the same copy of *value*, which is at *path*, and the errors of its values."""
    errors: list[ErrorDetail] = []
    return _clean(value, path, errors, depth), errors


def _without_errors(tree: Json, errors: list[ErrorDetail]) -> Json:
    if errors:
        raise InvalidDocument(errors)
    return tree


def has_lone_surrogate(text: str) -> bool:
    """Return whether *text* has a surrogate without its pair, which UTF-8 cannot encode."""
    return not text.isascii() and re.search(_SURROGATE, text) is not None


def is_number(text: str) -> bool:
    """
    Return whether *text* is a JSON number of at most 28 digits, with at most 28 decimals.

    >>> is_number("0.1234567890123456789012345678"), is_number("1e999999999"), is_number("01")
    (True, False, False)
    """
    match = _NUMBER.fullmatch(text)
    if match is None:
        return False
    if len(text) <= MAX_DIGITS and match[3] is None:  # nearly every number
        return True
    whole, decimals, power = match[1], match[2] or "", match[3] or "0"
    # Leading zeros do not count. An exponent of three digits is out of bounds.
    if (
        len((whole + decimals).lstrip("0")) > MAX_DIGITS
        or len(power.lstrip("+-0")) > _EXPONENT_DIGITS
    ):
        return False
    exponent = int(power)
    return abs(exponent) <= MAX_DIGITS and abs(exponent - len(decimals)) <= MAX_DIGITS


def _invalid(code: str, message: str, *, hint: str | None = None) -> InvalidDocument:
    return InvalidDocument.of(code, message, path="$", hint=hint)


def _text(body: bytes | str, limit: int) -> str:
    """Return *body* as text that UTF-8 can encode, within *limit* bytes."""
    if not isinstance(body, bytes | str):
        raise _invalid("wrong_type", "expected JSON as bytes or text")
    if len(body) > limit:
        raise _invalid("too_large", f"the document is larger than {limit} bytes")
    text: str | None = None
    size = len(body)
    try:
        if isinstance(body, bytes):
            text = body.decode()
        else:
            text, size = body, size if body.isascii() else len(body.encode())
    except UnicodeError:
        pass
    if text is None or size > limit:
        if text is None:
            raise _invalid("malformed", "expected UTF-8")
        raise _invalid("too_large", f"the document is larger than {limit} bytes")
    if text.startswith("\ufeff"):
        raise _invalid(
            "malformed", "expected JSON, not a byte order mark", hint="write UTF-8 without one"
        )
    return text


def nested_deeper(text: str, depth: int) -> bool:
    """Return whether the JSON *text* has more than *depth* brackets inside one another."""
    if text.count("[") + text.count("{") <= depth:
        return False
    if "\\" in text:
        text = text.replace("\\\\", "").replace('\\"', "")
    # Every other part is a string, which may be a long one: no pattern reads it.
    level = 0
    for bracket in re.finditer(_BRACKET, "".join(text.split('"')[::2])):
        level += 1 if bracket[0] in "[{" else -1
        if level > depth:
            return True
    return False


class _Pairs(list[tuple[str, Json]]):
    """The fields of an object in the order written, repeated names included."""


class _Constant:
    """NaN or an infinity."""


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_Pairs,
    parse_float=Verbatim,
    parse_int=Verbatim,
    parse_constant=lambda _: _Constant(),
)


def _parsed(text: str) -> Json:
    """Return the tree of *text*, unchecked: repeated names, constants and long numbers included."""
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        detail = _syntax_error(error.msg, error.lineno, error.colno)
    except RecursionError:
        detail = ErrorDetail(code="too_large", message="brackets are nested too deep", path="$")
    # Raised outside the handler: a JSONDecodeError holds the whole document.
    raise InvalidDocument([detail])


def _syntax_error(message: str, line: int, column: int) -> ErrorDetail:
    message = message.removesuffix(" at").removesuffix(" starting")
    message = f"this is not JSON: {message[:1].lower()}{message[1:]}"
    return ErrorDetail(code="malformed", message=message, path="$", line=line, column=column)


def _clean(value: Any, path: str, errors: list[ErrorDetail], depth: int) -> Json:
    """Return *value* as plain JSON values; what is wrong in it is added to *errors*."""
    kind = type(value)
    if value is None or kind is bool:
        return value
    if kind is str:
        if has_lone_surrogate(value):
            errors.append(
                ErrorDetail(
                    code="malformed", message="text with half of a surrogate pair", path=path
                )
            )
        return value
    if kind in (Verbatim, int, Decimal):
        return _clean_number(value, path, errors)
    if isinstance(value, Opaque):
        return _clean(_parsed(value.text), path, errors, depth)
    nested = isinstance(value, Mapping | Sequence) and not isinstance(value, str | bytes)
    if not nested:
        code, message = _not_json(value)
        errors.append(ErrorDetail(code=code, message=message, path=path))
        return None
    if depth == 0:
        errors.append(
            ErrorDetail(code="too_large", message="brackets are nested too deep", path=path)
        )
        return None
    if kind is _Pairs or isinstance(value, Mapping):
        return _clean_fields(value, path, errors, depth)
    return [_clean(item, f"{path}[{place}]", errors, depth - 1) for place, item in enumerate(value)]


def _clean_number(
    value: Verbatim | int | Decimal, path: str, errors: list[ErrorDetail]
) -> Verbatim:
    text = _number_text(value)
    if not is_number(text):
        finite = not isinstance(value, Decimal) or value.is_finite()
        code, message = ("too_large", _LONG_NUMBER) if finite else ("wrong_value", _NOT_FINITE)
        errors.append(ErrorDetail(code=code, message=message, path=path))
    return Verbatim(text)


def _number_text(value: Verbatim | int | Decimal) -> str:
    """Return *value* in digits, empty if there are too many."""
    if isinstance(value, str):
        return value
    # Python refuses to write an `int` of thousands of digits; one of 28 digits has at most 94 bits.
    if isinstance(value, int) and value.bit_length() > 4 * MAX_DIGITS:
        return ""
    try:
        return plain(value)
    except ValueError:
        return ""


def _not_json(value: object) -> tuple[str, str]:
    """Return the code and the message for *value*, which is not JSON."""
    if isinstance(value, _Constant):
        return "wrong_value", _NOT_FINITE
    if isinstance(value, float):
        return "not_exact", "a float is not exact; hand in the bytes, or a `Decimal`"
    return "wrong_type", "expected a JSON value"


def _clean_fields(
    value: Mapping[Any, Json] | _Pairs, path: str, errors: list[ErrorDetail], depth: int
) -> dict[str, Json]:
    fields: dict[str, Json] = {}
    for name, item in _items(value):
        here = field_path(path, name)
        wrong = _wrong_name(name)
        if wrong is not None:
            code = "malformed" if isinstance(name, str) else "wrong_type"
            errors.append(ErrorDetail(code=code, message=wrong, path=here))
            continue
        if name in fields:
            errors.append(
                ErrorDetail(code="duplicate", message="the field is written twice", path=here)
            )
        fields[name] = _clean(item, here, errors, depth - 1)
    return fields


def _items(value: Mapping[Any, Json] | _Pairs) -> Iterator[tuple[Any, Json]]:
    return iter(value if isinstance(value, _Pairs) else value.items())


def _wrong_name(name: object) -> str | None:
    if not isinstance(name, str):
        return "the name of a field is text"
    if "\0" in name:
        return "the name of a field holds NUL"
    if has_lone_surrogate(name):
        return "the name of a field holds half of a surrogate pair"
    return None
