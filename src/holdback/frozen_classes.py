"""
`frozen`, as attrs has it, with less code to generate for each class.

attrs writes and compiles `__init__`, `__eq__`, `__hash__` and `__repr__` for every class. The last
three follow from the fields, so the classes of holdback share functions that read these. With well
over a hundred classes this takes a third off the time to import them (decisions/fast-paths).

>>> @frozen
... class Point:
...     x: int
...     y: int
>>> Point(1, 2), Point(1, 2) == Point(1, 2), len({Point(1, 2), Point(1, 2)})
(Point(x=1, y=2), True, 1)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import attrs

__all__ = ["frozen"]


def _frozen(
    cls: type | None = None,
    /,
    *,
    repr: bool = True,  # noqa: A002 - as attrs names it
    eq: bool = True,
    cache_hash: bool = False,
    **options: Any,
) -> Any:
    """
    Make *cls* a frozen class, with the options of `attrs.frozen`.

    A class with `cache_hash` is compared by the code of attrs, which keeps its hash.
    """

    def decorated(plain: type) -> type:
        own = vars(plain)
        compared = eq and not cache_hash and "__eq__" not in own
        made: Any = attrs.frozen(
            plain,
            repr=False,
            eq=None if eq and not compared else False,
            cache_hash=cache_hash,
            **options,
        )
        methods = {"__repr__": _repr} if repr else {}
        if compared:
            methods |= _comparison(made)
        for name in methods.keys() - own.keys():
            setattr(made, name, methods[name])
        return made  # type: ignore[no-any-return]

    return decorated if cls is None else decorated(cls)


if TYPE_CHECKING:
    from attrs import frozen  # what a type checker has to know of it
else:
    frozen = _frozen


def _repr(self: Any) -> str:
    kind = type(self)
    fields = (field for field in attrs.fields(kind) if field.repr)
    shown = ", ".join(f"{field.name}={getattr(self, field.name)!r}" for field in fields)
    return f"{kind.__qualname__.rpartition('>.')[2]}({shown})"


def _comparison(kind: type) -> dict[str, Callable[..., Any]]:
    """Return `__eq__` and `__hash__` by those fields of *kind* that take part in each."""
    fields: tuple[Any, ...] = attrs.fields(kind)
    compared = _values(field for field in fields if field.eq)
    hashed = _values(field for field in fields if (field.eq if field.hash is None else field.hash))

    def __eq__(self: Any, other: object) -> bool:  # noqa: N807 - it becomes a method
        return compared(self) == compared(other) if type(other) is type(self) else NotImplemented

    def __hash__(self: Any) -> int:  # noqa: N807 - it becomes a method
        return hash(hashed(self))

    return {"__eq__": __eq__, "__hash__": __hash__}


def _values(fields: Iterable[Any]) -> Callable[[Any], Any]:
    """Return a function from an object to what is compared of its *fields*."""
    keys = {field.name: field.eq_key for field in fields}
    if keys and not any(keys.values()):
        return attrgetter(*keys)

    def values(self: Any) -> tuple[Any, ...]:
        held = ((getattr(self, name), key) for name, key in keys.items())
        return tuple(value if key is None else key(value) for value, key in held)

    return values
