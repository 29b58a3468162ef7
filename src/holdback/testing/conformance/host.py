"""What a host implements to be tried, and what it may declare that it cannot do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final, Protocol, TypeAlias

from holdback.errors import HoldbackError, did_you_mean
from holdback.wire import COMMANDS

# What `handle` is given: `partner`, `jurisdiction` and `body`, the JSON of the operation as bytes; the
# `evidence` that the host's checks give; and `merchant_id` where an agent, and not the partner, asks.
Input: TypeAlias = Mapping[str, Any]
Answer: TypeAlias = tuple[int, bytes]

# Asked by a partner, who names the merchant in the body; the others are asked by agents.
PARTNERS: Final = ("request_offers", "accept_offer", "look_up")
AGENTS: Final = tuple(name for name in COMMANDS if name not in PARTNERS)


class Crashed(BaseException):
    """
    The host died at the step that `crash` asked for.

    Not an `Exception`, so that no handler of the host can go on as if nothing had been.
    """


class Host(Protocol):
    """
    A service that embeds holdback, as the conformance suite sees it: JSON in, JSON out.

    `cannot` names the optional methods that it does not have, each with the reason, which the report
    shows. The others of `OPTIONAL` have to be there.
    """

    cannot: Mapping[str, str]

    def open(self) -> None:
        """Make an empty store ready: before anything else, and again when the suite starts anew."""

    def handle(self, operation: str, input: Input, *, key: str | None, at: datetime) -> Answer:  # noqa: A002  # the word of the design
        """
        Carry out *operation* as a request that arrives at *at* with the idempotency key *key*: the
        status and the body of the answer. Called from many threads at once.
        """

    def history(self, partner: str, merchant_id: str) -> Sequence[bytes]:
        """The events of a merchant as `wire.write_event` gives them, in order; none when it is unknown."""


class Process(Protocol):
    """A host on the same store in another process, such as `Worker`."""

    def handle(self, operation: str, input: Input, *, key: str | None, at: datetime) -> Answer:  # noqa: A002  # the word of the design
        """As `Host.handle`. Raises `Crashed` when the process is dead."""

    def kill(self) -> None:
        """Kill the process at once, as `kill -9` does. It is not used again."""

    def close(self) -> None:
        """End the process in good order."""


OPTIONAL: Final[Mapping[str, str]] = MappingProxyType(
    {
        "crash": "crash(step): let the next `handle`, or `told`, raise `Crashed` at its step number `step`, from 0, if "
        "it has so many. A step is what may be the last before a power cut: before each statement, "
        "before the commit, after it",
        "new_process": "new_process(): a `Process` on the same store",
        "told": "told(partner, merchant_id): the events that others were told about the merchant, in that "
        "order, when all that is due has been told; `tells` names the types of events that are",
        "change_rules": "change_rules(jurisdictions): go on with these rules",
    }
)


class NotAHostError(HoldbackError):
    """The object that was to be tried is no host; the message says what is missing."""


def abilities(host: object) -> frozenset[str]:
    """
    The optional methods that *host* has.

    Raises:
        NotAHostError: it lacks a method that it has to have, or one that it has not declared.
    """
    wrong = [
        f"it has no method `{name}`"
        for name in ("open", "handle", "history")
        if not callable(getattr(host, name, None))
    ]
    declared = getattr(host, "cannot", {})
    for name in declared:
        if name not in OPTIONAL:
            hint = did_you_mean(str(name), OPTIONAL) or f"there are {', '.join(OPTIONAL)}"
            wrong.append(f"`cannot` names `{name}`, which is nothing that a host may lack; {hint}")
    for name, what in OPTIONAL.items():
        has = callable(getattr(host, name, None))
        if has and name in declared:
            wrong.append(f"`cannot` names `{name}`, but there is such a method")
        if not has and name not in declared:
            wrong.append(
                f"it has no `{name}`; add it, or name it in `cannot` with the reason. {what}"
            )
    if callable(getattr(host, "told", None)) and not getattr(host, "tells", None):
        wrong.append("it has `told` and no `tells`, the types of the events that others are told")
    if wrong:
        raise NotAHostError("\n".join(wrong))
    return frozenset(name for name in OPTIONAL if name not in declared)
