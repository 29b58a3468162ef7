"""Readable signatures in the reference, without the internal names of attrs and autodoc."""

from __future__ import annotations

import inspect
import re
from typing import Any

import attrs

# What `autodoc_type_aliases` leaves when an alias is inside another type.
ALIAS = re.compile(r"TypeAliasForwardRef\('(\w+)'\)")
# What attrs writes for a default, in the source that it generates for `__init__`.
DEFAULT = re.compile(r"attr_dict\['(\w+)'\]\.default")
# A read-only default is shown as the plain one.
CLOSED = re.compile(r"MappingProxyType\((\{.*?\})\)")
# What is said of a type is for the wire and the strategies.
ANNOTATED = re.compile(r"Annotated\[(\w+), '[^']*'\]")


def readable(*arguments: Any) -> tuple[str | None, str | None]:
    """Return the signature with aliases by name, readable defaults and the types of fields."""
    *_, obj, _, signature, returns = arguments
    if getattr(obj, "_is_protocol", False):
        signature = ""  # a protocol is not instantiated
    if signature and inspect.isclass(obj) and attrs.has(obj):
        signature = _of_fields(signature, obj)
    return _plain(signature), _plain(returns)


def _plain(text: str | None) -> str | None:
    return text and ANNOTATED.sub(r"\1", CLOSED.sub(r"\1", ALIAS.sub(r"\1", text)))


def _of_fields(signature: str, kind: type) -> str:
    fields = attrs.fields_dict(kind)
    signature = DEFAULT.sub(lambda match: repr(fields[match[1]].default), signature)
    for attribute in fields.values():
        if isinstance(attribute.default, attrs.Factory):
            shown = _made_by(attribute.default)
            unreadable = rf"(\b{attribute.alias}: .+?) = NOTHING"
            signature = re.sub(unreadable, rf"\1 = {shown}", signature, count=1)
    return signature


def _made_by(default: Any) -> str:
    """Return how a reader would write what the factory makes, such as `()` or `{}`."""
    if default.takes_self:
        return "..."
    made = default.factory()
    return f"{default.factory.__qualname__}()" if attrs.has(type(made)) else repr(made)


def setup(app):
    app.connect("autodoc-process-signature", readable)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
