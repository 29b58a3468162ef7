"""The checks of a host by name, and their results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import attrs

from holdback.frozen_classes import frozen
from holdback.testing.conformance.checks import (
    crashes,
    deals_money,
    held_evidence,
    publishing,
    races,
    referrals,
    worst_partner,
    years,
)
from holdback.testing.conformance.checks import scripted_checks as scripted
from holdback.testing.conformance.host import Crashed
from holdback.testing.conformance.invariants import BrokenInvariantError, as_broken_invariant
from holdback.testing.conformance.session import Effort, Session
from holdback.testing.conformance.simulated import histories


@frozen
class Check:
    """
    One check of a host.

    `does` says what it tries; `needs` names the optional methods that it uses.
    """

    name: str
    does: str
    run: Callable[[Session], None]
    needs: tuple[str, ...] = ()


# The checks of the suite, in the order in which they run.
CHECKS: Final = (
    Check("partner flow", "the nine steps of a partner, with a renewal", scripted.partner_flow),
    Check(
        "same key",
        "every operation repeated with its key: at once, later, after a year",
        scripted.same_key,
    ),
    Check(
        "key of another request",
        "a key reused with another body, operation or partner",
        scripted.key_of_another_request,
    ),
    Check(
        "retry after expiry",
        "an acceptance repeated after the offers expired",
        scripted.retry_after_expiry,
    ),
    Check("expiry", "acceptances around expiresAt, in summer and winter time", scripted.expiry),
    Check("clock back", "a clock that goes back over an expiry", scripted.clock_back),
    Check("wrong clock", "a clock that is ten years ahead, or behind", scripted.wrong_clock),
    Check(
        "two applications",
        "offers of two open sets, accepted one after the other",
        scripted.two_applications,
    ),
    Check("tenancy", "another partner's offers and merchants", scripted.tenancy),
    Check("deliveries", "entries delivered twice and in any order", scripted.deliveries),
    Check(
        "refunds", "what was overpaid, refunded in parts, each asked for again", deals_money.refunds
    ),
    Check("transfers", "a late remittance, moved to the active deal", deals_money.transfers),
    Check(
        "suspense",
        "cash without a deal, applied and returned in parts, each asked for again",
        deals_money.suspense,
    ),
    Check(
        "fees",
        "a fee for a payment that bounced, waived in part and paid after the balance",
        deals_money.fees,
        ("change_rules",),
    ),
    Check(
        "plan",
        "a plan of a default, of which an instalment is paid, one is late, and all are replaced",
        deals_money.plan,
    ),
    Check(
        "unwinding",
        "a renewal that is undone within its cooling-off days",
        deals_money.unwinding,
        ("change_rules",),
    ),
    Check(
        "returned payout",
        "a renewal whose payout comes back, funded again with other bank details",
        deals_money.returned_payout,
    ),
    Check(
        "evidence",
        "results of checks that requests bring and agents record, in several orders",
        held_evidence.evidence,
    ),
    Check(
        "approvals", "what a person's approval lifts, and what it never lifts", referrals.approvals
    ),
    Check(
        "other applicants",
        "another applicant of another company, after a good check, an approval and a consent",
        referrals.other_applicants,
    ),
    Check(
        "reasons",
        "products and an application that are declined or referred, and a review of a new deal",
        referrals.reasons,
    ),
    Check("on hold", "merchants on hold, next to one that is referred", referrals.on_hold),
    Check(
        "withdrawn offers",
        "offers that the lender withdraws, next to ones that expire",
        referrals.withdrawn_offers,
    ),
    Check(
        "since the offer",
        "a payment that bounces, a default and a person's decline, after offers and acceptance",
        referrals.since_the_offer,
    ),
    Check(
        "payout that waits",
        "an identity check that fails between acceptance and funding",
        referrals.payout_waits,
    ),
    Check(
        "corrected profile",
        "applicants who are corrected between acceptance and funding",
        referrals.corrected_profile,
    ),
    Check(
        "changed rules",
        "facts, products and jurisdictions that change or go, under open offers and deals",
        scripted.changed_rules,
        ("change_rules",),
    ),
    Check(
        "crashes",
        "the host dies at each step of each operation",
        crashes.crash_at_every_step,
        ("crash",),
    ),
    Check(
        "telling",
        "the events that others receive, crashes included",
        publishing.publishing,
        ("published",),
    ),
    Check("strangers", "merchants of two partners at the same time", races.serve_two_partners),
    Check("races of threads", "threads race for one merchant's offers", races.threads),
    Check(
        "races of processes",
        "processes race for one merchant's offers",
        races.processes,
        ("new_process",),
    ),
    Check("restart", "another process on the same store", scripted.restart, ("new_process",)),
    Check(
        "erasure",
        "a merchant that is erased, too early and in time",
        years.erasure,
        ("documents",),
    ),
    Check("growth", "a merchant that is served for three years", years.growth, ("documents",)),
    Check(
        "partner at its worst",
        "the largest requests, for other people each time",
        worst_partner.worst_partner,
        ("documents",),
    ),
    Check("prices", "every offer of a history derived again", years.replayed_prices),
    Check(
        "two versions",
        "the version before serves the same merchants in turns",
        years.two_versions,
        ("previous_version",),
    ),
    Check(
        "kills",
        "a process killed at a random moment",
        crashes.kill_at_random_moments,
        ("new_process",),
    ),
    Check(
        "histories",
        "random operations on several merchants: crashes, clock changes, repeats, rule changes",
        histories.histories,
    ),
)


@frozen
class Result:
    """
    The result of a check.

    `broken` is the invariant that the host broke, None when the check holds. `skipped` says
    why it was not run: the method that the host lacks, with the host's reason.
    """

    check: Check
    broken: BrokenInvariantError | None = None
    skipped: str | None = None


def run_check(check: Check, session: Session) -> Result:
    """Run one check and return its result."""
    missing = [name for name in check.needs if name not in session.optional]
    if missing:
        method = missing[0]
        reason = session.host.cannot[method]
        return Result(check, skipped=f"needs `{method}`, which the host lacks: {reason}")
    try:
        check.run(session)
    except (Exception, Crashed) as error:  # noqa: BLE001  # anything that a host raises is a finding
        broken = as_broken_invariant(error)
    else:
        return Result(check)
    broken.transcript = broken.transcript or session.transcript()
    return Result(check, broken=broken)


def run_checks(session: Session, checks: Sequence[Check] = CHECKS) -> Iterator[Result]:
    """Open the host, run the checks in order, and yield each result."""
    session.host.open()
    for check in checks:
        yield run_check(check, session)


def rerun_options(result: Result, session: Session) -> str:
    """Return the options with which `holdback conformance` runs this check again."""
    effort, seed = session.effort, session.seed
    if result.broken is not None and result.broken.seed is not None:
        effort, seed = attrs.evolve(effort, histories=1), result.broken.seed
    default = Effort()
    options = [
        f" --{name} {value}"
        for name, value in attrs.asdict(effort).items()
        if value != getattr(default, name)
    ]
    return f"--seed {seed}{''.join(options)} --only '{result.check.name}'"
