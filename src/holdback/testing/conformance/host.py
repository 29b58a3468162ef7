"""The interface between the suite and a host, and the methods that a host may leave out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final, Protocol, TypeAlias

from holdback.errors import HoldbackError, did_you_mean
from holdback.operations import COMMANDS

# The second argument of `handle`: `partner`, `jurisdiction`, `body` (the operation's JSON, as
# bytes), `evidence` (what the host's checks found) and, for agents' operations, `merchant_id`.
Input: TypeAlias = Mapping[str, Any]
# The status and the body of the answer.
Answer: TypeAlias = tuple[int, bytes]

# The operations of partners, who name the merchant in the body. Agents name it next to the body.
PARTNER_OPERATIONS: Final = ("request_offers", "accept_offer", "look_up")
AGENT_OPERATIONS: Final = tuple(name for name in COMMANDS if name not in PARTNER_OPERATIONS)


class Crashed(BaseException):
    """
    The host died at the step that `crash` named.

    It is not an `Exception`, so that no error handler in the host can catch it and carry on.
    """


class Host(Protocol):
    """
    A service that embeds holdback, as the suite sees it: JSON in, JSON out.

    `cannot` maps each optional method that the host does not have to the reason, which the report
    shows. The host must have every other method of `OPTIONAL`.
    """

    cannot: Mapping[str, str]

    def open(self) -> None:
        """Empty the store: before the first check, and again when the suite starts over."""

    def handle(
        self,
        operation: str,
        input: Input,  # noqa: A002  # the word for it in the documentation and in hosts
        *,
        key: str | None,
        at: datetime,
    ) -> Answer:
        """
        Return the status and the body of the answer to one request.

        The request carries the idempotency key *key* and arrives at the instant *at*, which is the
        only clock the host may use. Several threads call this at once.
        """

    def history(self, partner: str, merchant_id: str) -> Sequence[bytes]:
        """Return a merchant's events in order, as `wire.write_event` wrote them."""


class Process(Protocol):
    """A host in another process on the same store, such as `Worker`."""

    def handle(
        self,
        operation: str,
        input: Input,  # noqa: A002  # the same signature as `Host.handle`
        *,
        key: str | None,
        at: datetime,
    ) -> Answer:
        """
        Return the answer to one request, as the host in this process would.

        Raises:
            Crashed: the process is dead.
        """

    def kill(self) -> None:
        """Kill the process at once, as `kill -9` does. It is not used again."""

    def close(self) -> None:
        """Shut the process down."""


OPTIONAL: Final[Mapping[str, str]] = MappingProxyType(
    {
        "crash": "crash(step): make the next `handle` or `published` raise `Crashed` at its step "
        "number `step`, counted from 0, if it has that many. A step is any point at which a power "
        "cut could stop the host: before each statement, before the commit, after the commit",
        "new_process": "new_process(): return a `Process` on the same store",
        "published": "published(partner, merchant_id): publish everything that is due, then return "
        "the merchant's events that others have received, in the order in which they received "
        "them; `publishes` lists the types of events that the host publishes",
        "change_rules": "change_rules(jurisdictions): use these rules from now on",
        "documents": "documents(partner, merchant_id): return the bytes of a merchant's state and "
        "of its profile as stored; the profile is None where the state holds it",
        "previous_version": "previous_version(): return a `Process` of the version before, on the "
        "same store",
    }
)


class NotAHostError(HoldbackError):
    """The object is not a host; the message lists what is missing."""


def optional_methods(host: object) -> frozenset[str]:
    """
    Return the names of the optional methods that *host* has.

    Raises:
        NotAHostError: a required method is missing, or an optional one is neither there nor in
            `cannot`.
    """
    errors = [
        f"it has no method `{name}`"
        for name in ("open", "handle", "history")
        if not callable(getattr(host, name, None))
    ]
    cannot = getattr(host, "cannot", {})
    for name in cannot:
        if name not in OPTIONAL:
            hint = did_you_mean(str(name), OPTIONAL) or f"there are {', '.join(OPTIONAL)}"
            errors.append(f"`cannot` names `{name}`, which is not an optional method; {hint}")
    for name, description in OPTIONAL.items():
        implemented = callable(getattr(host, name, None))
        if implemented and name in cannot:
            errors.append(f"`cannot` names `{name}`, but the host has that method")
        if not implemented and name not in cannot:
            errors.append(
                f"it has no method `{name}`; add it, or name it in `cannot` with the reason. "
                f"{description}"
            )
    if callable(getattr(host, "published", None)) and not getattr(host, "publishes", None):
        errors.append("it has `published` but no `publishes`, the types of events it publishes")
    if errors:
        raise NotAHostError("\n".join(errors))
    return frozenset(name for name in OPTIONAL if name not in cannot)
