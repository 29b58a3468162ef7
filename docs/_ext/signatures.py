"""How the signatures of the reference read: attrs and autodoc leave their own names in them."""

from __future__ import annotations

import inspect
import re
from typing import Any

import attrs

# `autodoc_type_aliases` stands for a name like this inside of another type.
ALIAS = re.compile(r"TypeAliasForwardRef\('(\w+)'\)")
# What attrs writes for a default, in the source that it makes for `__init__`.
DEFAULT = re.compile(r"attr_dict\['(\w+)'\]\.default")
# A default that nobody can change reads like one that somebody could.
CLOSED = re.compile(r"MappingProxyType\((\{.*?\})\)")
# A converter says what it takes, which may be anything; a reader wants to know what is meant.
TAKES_ANYTHING = ("Any", "object")


def readable(*given: Any) -> tuple[str | None, str | None]:
    """The signature and what it returns, with names of aliases, defaults, and types of fields."""
    *_, obj, _, signature, returns = given
    if getattr(obj, "_is_protocol", False):
        signature = ""  # nobody makes one
    if signature and inspect.isclass(obj) and attrs.has(obj):
        signature = _of_fields(signature, obj)
    return _plain(signature), _plain(returns)


def _plain(text: str | None) -> str | None:
    return text and CLOSED.sub(r"\1", ALIAS.sub(r"\1", text))


def _of_fields(signature: str, kind: type) -> str:
    fields = attrs.fields_dict(kind)
    signature = DEFAULT.sub(lambda match: repr(fields[match[1]].default), signature)
    for name, each in fields.items():
        if isinstance(each.default, attrs.Factory):
            made = repr(each.default.factory()) if not each.default.takes_self else "..."
            signature = re.sub(rf"(\b{name}: .+?) = NOTHING", rf"\1 = {made}", signature, count=1)
        for anything in TAKES_ANYTHING:
            meant = f"{name}: {_called(each.type)}"
            signature = re.sub(rf"\b{name}: {anything}(?=[,)])", meant, signature)
    return signature


def _called(kind: Any) -> str:
    """The name of a type as a host would write it: any aware `datetime` serves as an instant."""
    text = kind if isinstance(kind, str) else kind.__name__
    return "datetime" if text == "DateTime" else text


def setup(app):
    app.connect("autodoc-process-signature", readable)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
