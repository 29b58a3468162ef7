"""The host that `MODULE:FACTORY` names."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from holdback.errors import did_you_mean
from holdback.testing.conformance.host import NotAHostError


def host_of(name: str) -> Callable[..., Any]:
    """
    What makes the host: *name* is a module, a colon, and what in it is to be called.

    >>> host_of("holdback.testing.conformance.memory_host:MemoryHost").__name__
    'MemoryHost'

    Raises:
        NotAHostError: there is no such module, or nothing of that name in it that can be called.
    """
    module_name, _, factory_name = name.partition(":")
    if not module_name or not factory_name:
        raise NotAHostError(f"expected MODULE:FACTORY, such as `my_host:make_host`, not `{name}`")
    try:
        module = import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise
        missing = f"there is no module `{module_name}` here; run this in its folder, or install it"
        raise NotAHostError(missing) from None
    factory = getattr(module, factory_name, None)
    if not callable(factory):
        hint = did_you_mean(
            factory_name, [each for each in dir(module) if not each.startswith("_")]
        )
        said = f"nothing in `{module_name}` is called `{factory_name}` and can be called"
        raise NotAHostError(f"{said}; {hint}" if hint else said)
    return factory  # type: ignore[no-any-return]  # what it makes is looked at by `abilities`
