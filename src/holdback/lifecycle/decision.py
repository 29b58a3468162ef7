"""What a handler decides: the events of a command, and the reply to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from attrs import frozen

from holdback.lifecycle.events import Event
from holdback.model.merchant import Merchant

Reply = TypeVar("Reply")


@frozen
class Decision(Generic[Reply]):
    """
    The events of a command, and its reply as a function of the merchant after them.

    The reply is a function because some replies show the state after the events, and because a host
    that stores events alone never asks for it.
    """

    events: tuple[Event, ...]
    reply: Callable[[Merchant], Reply]
