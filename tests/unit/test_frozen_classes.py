"""`frozen` makes the classes that `attrs.frozen` makes."""

from __future__ import annotations

import pickle
from decimal import Decimal
from functools import cached_property

import attrs
import pytest

from every_case import for_every
from holdback.frozen_classes import frozen


def plain(frozen):
    @frozen
    class Kind:
        x: int
        y: object = None

    return Kind, [Kind(1), Kind(1, None), Kind(1, "a"), Kind(2), Kind(1.0), Kind(Decimal(1))]


def keywords(frozen):
    @frozen(kw_only=True)
    class Kind:
        _x: int
        y: tuple = ()

    return Kind, [Kind(x=1), Kind(x=1, y=()), Kind(x=1, y=(1,)), Kind(x=2)]


def partly_compared(frozen):
    @frozen
    class Kind:
        x: int
        y: int = attrs.field(default=0, eq=False)
        z: object = attrs.field(default=0, hash=False)

    return Kind, [Kind(1, 1, 1), Kind(1, 2, 1), Kind(1, 1, 2), Kind(2, 1, 1), Kind(1, 1, [])]


def partly_shown(frozen):
    @frozen
    class Kind:
        x: int
        secret: str = attrs.field(default="", repr=False)

    return Kind, [Kind(1, "a"), Kind(1, "b"), Kind(1, "a")]


def compared_by_a_key(frozen):
    @frozen
    class Kind:
        x: str = attrs.field(eq=str.lower)
        y: int = 0

    return Kind, [Kind("a"), Kind("A"), Kind("b"), Kind("a", 1)]


def without_fields(frozen):
    @frozen
    class Kind:
        pass

    return Kind, [Kind(), Kind()]


def with_one_field(frozen):
    @frozen
    class Kind:
        x: object

    return Kind, [Kind((1,)), Kind(1), Kind([1]), Kind((1,))]


def inheriting(frozen):
    @frozen(kw_only=True)
    class Base:
        x: int

    @frozen(kw_only=True)
    class Kind(Base):
        y: int

    return Kind, [Kind(x=1, y=2), Kind(x=1, y=2), Kind(x=2, y=2), Base(x=1)]


def compared_by_identity(frozen):
    @frozen(eq=False)
    class Kind:
        x: int

    return Kind, [Kind(1), Kind(1)]


def keeping_its_hash(frozen):
    @frozen(cache_hash=True)
    class Kind:
        x: int
        y: tuple = ()

    return Kind, [Kind(1), Kind(1), Kind(2)]


def with_methods_of_its_own(frozen):
    @frozen
    class Kind:
        x: int

        def __repr__(self):
            return "a kind"

        def __eq__(self, other):
            return type(other) is type(self) and self.x % 2 == other.x % 2

        def __hash__(self):
            return self.x % 2

    return Kind, [Kind(1), Kind(3), Kind(2)]


def with_an_init_of_its_own(frozen):
    @frozen(init=False, repr=False)
    class Kind:
        x: int

        def __init__(self):
            self.__attrs_init__(1)

    return Kind, [Kind(), Kind()]


def with_a_cached_property(frozen):
    @frozen
    class Kind:
        x: int

        @cached_property
        def double(self):
            return 2 * self.x

    first = Kind(1)
    assert first.double == 2
    return Kind, [first, Kind(1), Kind(2)]


SAMPLES = [
    plain,
    keywords,
    partly_compared,
    partly_shown,
    compared_by_a_key,
    without_fields,
    with_one_field,
    inheriting,
    compared_by_identity,
    keeping_its_hash,
    with_methods_of_its_own,
    with_an_init_of_its_own,
    with_a_cached_property,
]


def hash_of(value):
    """Its hash, or None when it has none."""
    try:
        return hash(value)
    except TypeError:
        return None


def shown(value):
    """The `repr` of *value*, without the address that Python's own shows."""
    return repr(value).partition(" at 0x")[0]


@for_every("sample", SAMPLES, ids=lambda sample: sample.__name__)
def test_the_same_text_and_the_same_equality(sample):
    """
    The `repr`, what is equal, and what has a hash are as with `attrs.frozen`.
    """
    (_, ours), (_, theirs) = sample(frozen), sample(attrs.frozen)

    assert [shown(value) for value in ours] == [shown(value) for value in theirs]
    for one, same in zip(ours, theirs, strict=True):
        assert [one == other for other in ours] == [same == other for other in theirs]
        assert [one != other for other in ours] == [same != other for other in theirs]
        assert one != 1
        assert (hash_of(one) is None) == (hash_of(same) is None)
        for other in ours:
            assert one != other or hash_of(one) == hash_of(other)


@for_every("sample", SAMPLES, ids=lambda sample: sample.__name__)
def test_the_same_fields(sample):
    """
    Fields, their order and their options are as with `attrs.frozen`, and so are the slots.
    """
    (ours, values), (theirs, _) = sample(frozen), sample(attrs.frozen)

    assert [
        (field.name, field.default, field.kw_only, field.eq, field.repr, field.alias)
        for field in attrs.fields(ours)
    ] == [
        (field.name, field.default, field.kw_only, field.eq, field.repr, field.alias)
        for field in attrs.fields(theirs)
    ]
    assert ours.__slots__ == theirs.__slots__
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        values[0].x = 1


@frozen
class Pickled:
    """A class that pickle finds by its name."""

    x: int


def test_pickled():
    """
    A pickled object is equal to the original.
    """
    assert pickle.loads(pickle.dumps(Pickled(1))) == Pickled(1)
