"""
Frozen classes: `frozen`, which makes one, and the mappings and lists that values hold.

`frozen` is that of attrs, with less code to generate for each class. attrs writes and compiles
`__init__`, `__eq__`, `__hash__` and `__repr__` for every class. The last three follow from the
fields, so the classes of holdback share functions that read these. With well over a hundred classes
this takes a third off the time to import them (decisions/fast-paths).

>>> @frozen
... class Point:
...     x: int
...     y: int
>>> Point(1, 2), Point(1, 2) == Point(1, 2), len({Point(1, 2), Point(1, 2)})
(Point(x=1, y=2), True, 1)

A `FrozenMapping` and a `FrozenList` are equal to ordinary ones, hashable, copied and pickled.
`types.MappingProxyType` neither pickles nor deep-copies, and a tuple is not equal to a list
(decisions/layers#values-are-values).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, NoReturn, Self, TypeAlias, TypeVar

import attrs

K = TypeVar("K")
V = TypeVar("V")

# What most items are, by exact type, and JSON has: nothing has to be looked at to know that they
# cannot change.
PLAIN: Final = frozenset({str, int, bool, Decimal, type(None)})


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
    from attrs import frozen as frozen  # noqa: PLC0414 - what a type checker has to know of it
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


# -- Mappings and lists


def frozen_value(value: Any) -> Any:
    """
    Return *value* with the mappings, lists and sets in it as ones that cannot be changed.

    It is equal to *value*.

    >>> record = frozen_value({"reasons": [{"code": "GB-R-01"}]})
    >>> record == {"reasons": [{"code": "GB-R-01"}]}, hash(record) == hash(frozen_value(record))
    (True, True)
    """
    kind = type(value)
    if kind in _FROZEN:
        return value
    if kind is dict:
        return _mapping(value)
    if kind is list:
        return FrozenList(value)
    if kind is tuple:  # not `isinstance`: a named tuple stays one
        return tuple([frozen_value(item) for item in value])
    if isinstance(value, Mapping):
        return _mapping(value)
    return frozenset(value) if kind is set else value


def _refuse(self: object, *_: object, **__: object) -> NoReturn:
    kind = "mapping" if isinstance(self, Mapping) else "list"
    raise TypeError(f"this {kind} cannot be changed; change a copy, as `it.copy()` returns")


class FrozenMapping(dict[K, V]):
    """
    A mapping whose items, and all mappings and lists in them, cannot be changed.

    It is a `dict`, so that reading it costs the same and every library can write it. `dict(it)`,
    `it.copy()` and `it | more` are ordinary dicts.

    >>> facts = FrozenMapping({"progress": "64%"})
    >>> facts["progress"] = "50%"
    Traceback (most recent call last):
    TypeError: this mapping cannot be changed; change a copy, as `it.copy()` returns
    """

    __slots__ = ()

    def __new__(cls, items: Mapping[K, V] | Iterable[tuple[K, V]] = ()) -> FrozenMapping[K, V]:
        """Return the mapping with the *items*, frozen as `frozen_value` does."""
        return _mapping(items)

    def __init__(self, _: object = ()) -> None:
        """Do nothing: `dict.__init__` would add items."""

    def __hash__(self) -> int:  # type: ignore[override]  # a dict has none
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self),)

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse


class FrozenList(list[V]):
    """A list whose items, and all mappings and lists in them, cannot be changed."""

    __slots__ = ()

    def __new__(cls, items: Iterable[V] = ()) -> Self:
        """Return the list of *items*, frozen as `frozen_value` does."""
        frozen = super().__new__(cls)
        list.extend(frozen, map(frozen_value, items))
        return frozen

    def __init__(self, _: object = ()) -> None:
        """Do nothing: `list.__init__` would replace the items."""

    def __hash__(self) -> int:  # type: ignore[override]  # a list has none
        return hash(tuple(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (list(self),)

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = extend = insert = remove = reverse = sort = clear = pop = _refuse


_FROZEN: Final = PLAIN | {FrozenMapping, FrozenList}


def _mapping(items: Mapping[K, V] | Iterable[tuple[K, V]]) -> FrozenMapping[K, V]:
    # Not by the class, whose call of `__init__` would double the cost: events have many of these.
    mapping: FrozenMapping[K, V] = dict.__new__(FrozenMapping)
    dict.update(mapping, items)
    if not _FROZEN.issuperset(map(type, mapping.values())):
        for name, item in mapping.items():
            dict.__setitem__(mapping, name, frozen_value(item))
    return mapping


def flat_mapping(items: dict[K, V]) -> FrozenMapping[K, V]:
    """Return *items* frozen, of which the caller knows that none can change."""
    mapping: FrozenMapping[K, V] = dict.__new__(FrozenMapping)
    dict.update(mapping, items)
    return mapping


# One converter for each type of items, because mypy reads no generic ones.


def frozen_record(items: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return *items*, frozen; those that are frozen already cost nothing."""
    return items if type(items) is FrozenMapping else _mapping(items)


def frozen_records(items: Iterable[Mapping[str, Any]]) -> tuple[Mapping[str, Any], ...]:
    """Return *items*, frozen."""
    return tuple([frozen_record(item) for item in items])


def frozen_texts(texts: Mapping[str, str]) -> Mapping[str, str]:
    """Return *texts*, frozen; those that are frozen already cost nothing."""
    return texts if type(texts) is FrozenMapping else _mapping(texts)


# -- A seal on the fields that a digest covers: no copy has others of them under the same digest.
#
# `attrs.evolve` calls the class with every field of the original, its seal among them. The seal
# holds the fields of the original; if one of them differs, the copy is refused.

Seal: TypeAlias = tuple[Any, ...]


def sealing(*names: str) -> tuple[Callable[[Any], Seal], Callable[[Any, str], None]]:
    """
    Return the functions that seal the fields *names* of an object, and that check its `_seal`.

    The check raises `TypeError`, which names the first changed field, with its second argument: how
    to get what the caller wants.
    """
    seal: Callable[[Any], Seal] = attrgetter(*names)

    def check(sealed: Any, cure: str) -> None:
        # Tuples compare their items by identity first, so this costs next to nothing.
        held, present = sealed._seal, seal(sealed)  # noqa: SLF001  # the field that this is about
        if held == present:
            return
        changed = next(
            name
            for name, before, after in zip(names, held, present, strict=True)
            if before is not after and before != after
        )
        kind = type(sealed).__name__
        raise TypeError(
            f"a {kind} with another `{changed}` would mean something else under the same digest; "
            f"{cure}"
        )

    return seal, check
