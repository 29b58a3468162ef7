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
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

import attrs

__all__ = ["frozen", "replace"]

T = TypeVar("T")


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


def replace(value: T, **changes: Any) -> T:
    """
    Return a copy of *value* with *changes*: `attrs.evolve`, in less than half the time.

    >>> @frozen
    ... class Point:
    ...     x: int
    ...     y: int
    >>> replace(Point(1, 2), y=3)
    Point(x=1, y=3)
    """
    aliases, held = _init_fields(type(value))  # type: ignore[arg-type]  # a class is hashable
    return type(value)(**{**dict(zip(aliases, held(value), strict=True)), **changes})


@cache
def _init_fields(kind: Any) -> tuple[tuple[str, ...], Callable[[Any], tuple[Any, ...]]]:
    """Return the arguments of *kind*, and a function from an object to what it holds of them."""
    fields = [field for field in attrs.fields(kind) if field.init]
    names = [field.name for field in fields]
    held = attrgetter(*names)
    # Of one name it returns the value alone.
    return tuple(str(field.alias) for field in fields), held if len(names) > 1 else _alone(held)


def _alone(held: Callable[[Any], Any]) -> Callable[[Any], tuple[Any, ...]]:
    return lambda value: (held(value),)


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
