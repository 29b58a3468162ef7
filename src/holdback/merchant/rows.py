"""Long lists of a stored state, whose items are made when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeVar, overload

T_co = TypeVar("T_co", covariant=True)

# The text between two rows of a stored list. JSON escapes a newline in a text, so it ends a row.
BETWEEN_ROWS = ",\n"


class Rows(Sequence[T_co], Generic[T_co]):
    r"""
    A sequence of items, each of which *make* makes of one row of the *stored* list.

    It is equal to the tuple of its items, and pickled as that. The rows are those that holdback
    wrote, by the checksum of their document; if somebody made the checksum anew, *make* raises
    `StateError`.

    >>> rows = Rows("1,\n2,\n3", int)
    >>> rows == (1, 2, 3), rows[-1], [*reversed(rows)], len(rows + (4,))
    (True, 3, [3, 2, 1], 4)
    """

    __slots__ = ("_items", "_lines", "_make", "_more", "_stored")

    _stored: str
    _make: Callable[[str], T_co]
    # Items that were added to those stored.
    _more: tuple[Any, ...]
    _lines: list[str]
    # Those made so far, by place.
    _items: dict[int, Any]

    def __init__(
        self, stored: str, make: Callable[[str], T_co], more: tuple[Any, ...] = ()
    ) -> None:
        lines = stored.split(BETWEEN_ROWS) if stored else []
        for name, value in (
            ("_stored", stored),
            ("_make", make),
            ("_more", more),
            ("_lines", lines),
            ("_items", dict(enumerate(more, len(lines)))),
        ):
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, _: object) -> None:
        raise AttributeError(f"`{name}` cannot be set: a stored state does not change")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"`{name}` cannot be deleted: a stored state does not change")

    # Static, so that it is not among what a value gives out.
    @staticmethod
    def as_stored(items: Rows[Any]) -> tuple[str, tuple[Any, ...]]:
        """Return the stored rows of *items* for the writer, and the items that were added."""
        return items._stored, items._more

    def mentioning(self, text: str) -> Iterator[T_co]:
        """Yield the items whose stored row has *text* in it, and those that were added."""
        if text in self._stored:
            for place, line in enumerate(self._lines):
                if text in line:
                    yield self._item(place)
        yield from self._more

    def _item(self, place: int) -> T_co:
        item: T_co | None = self._items.get(place)
        if item is None:
            item = self._items[place] = self._make(self._lines[place])
        return item

    def __len__(self) -> int:
        return len(self._lines) + len(self._more)

    @overload
    def __getitem__(self, place: int) -> T_co: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[T_co, ...]: ...
    def __getitem__(self, place: int | slice) -> T_co | tuple[T_co, ...]:
        places = range(len(self))[place]
        return self._item(places) if isinstance(places, int) else tuple(map(self._item, places))

    def __iter__(self) -> Iterator[T_co]:
        return map(self._item, range(len(self)))

    def __reversed__(self) -> Iterator[T_co]:
        return map(self._item, reversed(range(len(self))))

    def __add__(self, more: tuple[Any, ...]) -> Rows[T_co]:
        rows = Rows(self._stored, self._make, self._more + more)
        rows._items.update(self._items)
        return rows

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Rows):
            same = (self._stored, self._more) == (other._stored, other._more)
            return same or tuple(self) == tuple(other)
        return tuple(self) == other if isinstance(other, tuple) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (tuple(self),)
