"""Import of the host that `MODULE:FACTORY` names."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from holdback.errors import did_you_mean
from holdback.testing.conformance.host import NotAHostError


def load_factory(name: str) -> Callable[..., Any]:
    """
    Return the callable that makes the host; *name* is a module, a colon and a name in that module.

    >>> load_factory("holdback.testing.conformance.memory_host:MemoryHost").__name__
    'MemoryHost'

    Raises:
        NotAHostError: the module does not exist, or has nothing of that name that can be called.
    """
    module_name, _, factory_name = name.partition(":")
    if not module_name or not factory_name:
        raise NotAHostError(f"expected MODULE:FACTORY, such as `my_host:make_host`, not `{name}`")
    try:
        module = import_module(module_name)
    except ModuleNotFoundError as error:
        # A module that the host itself cannot import is its own error, and keeps its traceback.
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise
        message = f"there is no module `{module_name}` here; run this in its folder, or install it"
        raise NotAHostError(message) from None
    factory = getattr(module, factory_name, None)
    if not callable(factory):
        public_names = [public for public in dir(module) if not public.startswith("_")]
        hint = did_you_mean(factory_name, public_names)
        message = f"`{module_name}` has no callable `{factory_name}`"
        raise NotAHostError(f"{message}; {hint}" if hint else message)
    return factory  # type: ignore[no-any-return]  # `optional_methods` examines what it makes
