"""Mappings and lists that cannot be changed: equal to ordinary ones, hashable, copied and pickled.

Values of holdback hold their mappings and lists so. `types.MappingProxyType` neither pickles nor
deep-copies, and a tuple is not equal to a list (decisions/layers).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from operator import attrgetter
from typing import Any, Final, NoReturn, Self, TypeAlias, TypeVar

K = TypeVar("K")
V = TypeVar("V")

# What most items are, by exact type: nothing has to be looked at to know that it cannot change.
_LEAVES: Final = frozenset({str, int, bool, Decimal, type(None)})


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


_FROZEN: Final = _LEAVES | {FrozenMapping, FrozenList}


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
