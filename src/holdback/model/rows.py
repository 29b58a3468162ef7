"""Long lists of a stored state, whose items are made when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any, Generic, TypeVar, overload

from holdback.exact_json import Json

T_co = TypeVar("T_co", covariant=True)


class Rows(Sequence[T_co], Generic[T_co]):
    """
    A sequence of items, each of which *make* makes of one of the stored *rows*.

    It is equal to the tuple of its items, and pickled as that. The rows are those that holdback
    wrote, by the checksum of their document, so *make* does not fail.

    >>> rows = Rows(["1", "2", "3"], int)
    >>> rows == (1, 2, 3), rows[-1], [*reversed(rows)]
    (True, 3, [3, 2, 1])
    """

    __slots__ = ("_items", "_make", "_rows")

    _rows: list[Json]
    _make: Callable[[Any], T_co]
    _items: tuple[T_co, ...] | None

    def __init__(self, rows: list[Json], make: Callable[[Any], T_co]) -> None:
        object.__setattr__(self, "_rows", rows)
        object.__setattr__(self, "_make", make)
        object.__setattr__(self, "_items", None)

    def __setattr__(self, name: str, _: object) -> None:
        raise AttributeError(f"`{name}` cannot be set: a stored state does not change")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"`{name}` cannot be deleted: a stored state does not change")

    # Static, so that it is not among what a value gives out.
    @staticmethod
    def as_stored(items: Rows[Any]) -> list[Json]:
        """Return the rows of *items* for the writer, which does not change them."""
        return items._rows

    @property
    def items(self) -> tuple[T_co, ...]:
        """All items."""
        if self._items is None:
            object.__setattr__(self, "_items", tuple(map(self._make, self._rows)))
        return self._items  # type: ignore[return-value]  # set above

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, place: int) -> T_co: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[T_co, ...]: ...
    def __getitem__(self, place: int | slice) -> T_co | tuple[T_co, ...]:
        if isinstance(place, slice) or self._items is not None:
            return self.items[place]
        return self._make(self._rows[place])

    def __iter__(self) -> Iterator[T_co]:
        return iter(self.items)

    def __reversed__(self) -> Iterator[T_co]:
        if self._items is not None:
            return reversed(self._items)
        return map(self._make, reversed(self._rows))

    def __add__(self, more: Sequence[Any]) -> tuple[T_co, ...]:
        return tuple(chain(self, more))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Rows):
            return self._rows == other._rows or self.items == other.items
        return self.items == other if isinstance(other, tuple) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.items)

    def __repr__(self) -> str:
        return repr(self.items)

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (self.items,)
