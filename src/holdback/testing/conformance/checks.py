"""The checks of a host, by name, and what came of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import attrs
from attrs import frozen

from holdback.testing.conformance import crashes, histories, races, scripts
from holdback.testing.conformance.host import Crashed
from holdback.testing.conformance.invariants import BrokenInvariantError, fault_of
from holdback.testing.conformance.session import Effort, Session


@frozen
class Check:
    """One check: `does` says in words what is tried; `needs` names the optional methods that it asks for."""

    name: str
    does: str
    run: Callable[[Session], None]
    needs: tuple[str, ...] = ()


CHECKS: Final = (
    Check("partner flow", "the nine steps of a partner, with a renewal", scripts.partner_flow),
    Check(
        "same key",
        "every operation again with its key: at once, later, after a year",
        scripts.same_key,
    ),
    Check(
        "key of another request",
        "a key with another body, operation or partner",
        scripts.key_of_another_request,
    ),
    Check(
        "retry after expiry",
        "an acceptance asked for again after the expiry",
        scripts.retry_after_expiry,
    ),
    Check("expiry", "acceptances around expiresAt, in summer and winter time", scripts.expiry),
    Check("clock back", "a clock that goes back over an expiry", scripts.clock_back),
    Check(
        "two applications",
        "offers of two open sets, one accepted after the other",
        scripts.two_applications,
    ),
    Check("tenancy", "another partner's offers and merchants", scripts.tenancy),
    Check("deliveries", "entries delivered twice and in every order", scripts.deliveries),
    Check(
        "changed rules",
        "rules that change between offer and acceptance",
        scripts.changed_rules,
        ("change_rules",),
    ),
    Check(
        "crashes", "the host dies at each step of each operation", crashes.every_step, ("crash",)
    ),
    Check("telling", "what others are told, through crashes", scripts.telling, ("told",)),
    Check("strangers", "merchants of two partners at once", races.strangers),
    Check("races of threads", "threads race for one merchant's offers", races.threads),
    Check(
        "races of processes",
        "processes race for one merchant's offers",
        races.processes,
        ("new_process",),
    ),
    Check("restart", "another process on the same store", scripts.restart, ("new_process",)),
    Check("kills", "a process killed at any moment", crashes.kills, ("new_process",)),
    Check(
        "histories",
        "many merchants and any operations: crashes, clock steps, repetitions, rule changes",
        histories.histories,
    ),
)


@frozen
class Result:
    """What came of a check: `fault` when an invariant was broken, `lacking` when the host cannot be asked."""

    check: Check
    fault: BrokenInvariantError | None = None
    lacking: str | None = None


def run_check(check: Check, session: Session) -> Result:
    """The result of one check."""
    lacking = [name for name in check.needs if name not in session.able]
    if lacking:
        return Result(check, lacking=f"{lacking[0]}: {session.host.cannot[lacking[0]]}")
    try:
        check.run(session)
    except (Exception, Crashed) as error:  # noqa: BLE001  # whatever a host raises is a finding
        fault = fault_of(error)
    else:
        return Result(check)
    fault.history = fault.history or session.told
    return Result(check, fault=fault)


def run_checks(session: Session, checks: Sequence[Check] = CHECKS) -> Iterator[Result]:
    """Each check's result, as it comes."""
    session.host.open()
    for check in checks:
        yield run_check(check, session)


def again(result: Result, session: Session) -> str:
    """The options of the command that let it happen again."""
    effort, seed = session.effort, session.seed
    if result.fault is not None and result.fault.seed is not None:
        effort, seed = attrs.evolve(effort, histories=1), result.fault.seed
    usual = Effort()
    more = [
        f" --{name} {value}"
        for name, value in attrs.asdict(effort).items()
        if value != getattr(usual, name)
    ]
    return f"--seed {seed}{''.join(more)} --only '{result.check.name}'"
