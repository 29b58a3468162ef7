"""
A seal on the fields that a digest covers: no copy has others of them under the same digest.

`attrs.evolve` calls the class with every field of the original, its seal among them. The seal holds
the fields of the original; if one of them differs, the copy is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any, TypeAlias

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
