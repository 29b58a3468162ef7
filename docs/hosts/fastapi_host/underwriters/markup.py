"""HTML as values: everything is escaped but what `tag` made."""

from html import escape

_WITHOUT_END = frozenset({"input", "link", "meta"})


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def tag(name, /, *inside, **attributes):
    """
    Return an element; an attribute in Python has `_` for `-`, and one at its end is left out.

    Of an attribute, true is its bare name, and None or false leaves it out. None inside is nothing,
    and lists are joined.
    """
    written = "".join(_attribute(*pair) for pair in attributes.items())
    if name in _WITHOUT_END:
        return Html(f"<{name}{written}>")
    return Html(f"<{name}{written}>{_joined(inside)}</{name}>")


def _attribute(name, value):
    name = name.rstrip("_").replace("_", "-")
    if value is None or value is False:
        return ""
    return f" {name}" if value is True else f' {name}="{escape(str(value))}"'


def _joined(inside):
    if inside is None:
        return ""
    if isinstance(inside, Html):
        return inside
    if isinstance(inside, str | int):
        return escape(str(inside))
    return "".join(map(_joined, inside))
