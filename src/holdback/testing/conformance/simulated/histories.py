"""
Random histories: any operations in any order, each history from a seed of its own.

A history is drawn as a list of steps. Any part of such a list is a valid history too, so a failing
one can be cut down to the steps that matter, and its seed is enough to reproduce it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from functools import partial
from random import Random
from time import monotonic
from types import MappingProxyType
from typing import Final, TypeAlias

from holdback.frozen_classes import frozen
from holdback.lifecycle.configuration import CLOCK_DAYS
from holdback.testing import payloads
from holdback.testing.conformance.host import PARTNER_OPERATIONS, Crashed
from holdback.testing.conformance.invariants import (
    BrokenInvariantError,
    as_broken_invariant,
    expect,
)
from holdback.testing.conformance.session import Session
from holdback.testing.conformance.simulated.agent_operation import UNKNOWN
from holdback.testing.conformance.simulated.agent_operations import AGENTS
from holdback.testing.conformance.simulated.exchanges import (
    OK,
    PENNY,
    Exchange,
    SimulatedMerchant,
)
from holdback.testing.conformance.simulated.projected_deal import amount, kind_of
from holdback.testing.conformance.simulated.requests import (
    accept,
    deliver,
    pay_until_renewable,
    request_offers,
)
from holdback.testing.conformance.simulated.simulation import Simulation

# -- The actions of a random history: each does what it can with its merchant, or nothing.

# Merchants of each partner.
MERCHANTS: Final = 3
# The hosts in `docs/hosts` have up to 18 steps in an operation; a crash at a later one would not
# happen.
_CRASH_STEPS: Final = 18
_TIME_STEPS: Final = (
    timedelta(0),
    timedelta(microseconds=1),
    timedelta(minutes=5),
    timedelta(days=1),
    timedelta(days=10),
    timedelta(days=31),
    timedelta(days=120),
    timedelta(minutes=-10),
    timedelta(days=-2),
)


# Whom an initial application is about: most often the same people.
_PROFILES: Final = (
    *[payloads.PROFILE] * 5,
    payloads.OTHERS,
    {**payloads.OTHERS, "consents": {}},
    payloads.MOVED,
)
# How far a clock is off from a merchant's last event: hardly, too far by a moment, and ten years.
_NEAR: Final = timedelta(days=CLOCK_DAYS)
_MOMENT: Final = timedelta(microseconds=1)
_DECADE: Final = timedelta(days=3653)
_OFF: Final = (_NEAR, -_NEAR, _NEAR + _MOMENT, -_NEAR - _MOMENT, _DECADE, -_DECADE)


@frozen
class Step:
    """
    One step of a random history: an action, a key of `ACTIONS`, and three random numbers.

    `merchant_number` chooses the merchant, `pick` what the action applies to, and `variant` how it
    is done.
    """

    action: str
    merchant_number: int
    pick: int
    variant: int


Action: TypeAlias = Callable[[Simulation, Step], None]


def _merchant(simulation: Simulation, step: Step) -> SimulatedMerchant:
    name, place = divmod(step.merchant_number, len(simulation.partners))
    return simulation.merchant(simulation.partners[place], str(name % MERCHANTS))


def _key(simulation: Simulation, merchant: SimulatedMerchant, step: Step) -> str | None:
    """Return a new key in most cases, else none, or one that only another partner has used."""
    if step.pick % 8 == 1:
        foreign = [key for partner, key in simulation.answered if partner != merchant.partner]
        unused = [key for key in foreign if (merchant.partner, key) not in simulation.used_keys]
        return unused[step.variant % len(unused)] if unused else simulation.new_key()
    return simulation.new_key() if step.pick % 8 else None


def _foreign_merchants(
    simulation: Simulation, merchant: SimulatedMerchant
) -> list[SimulatedMerchant]:
    return [
        candidate
        for candidate in simulation.merchants.values()
        if candidate.partner != merchant.partner
    ]


def _request_offers(simulation: Simulation, step: Step) -> None:
    merchant = _merchant(simulation, step)
    key = _key(simulation, merchant, step)
    # With the lower score a person decides; a renewal may come without new checks.
    score = (600, 700, 700, 700, None)[step.variant % 5]
    request_offers(
        simulation,
        merchant,
        as_new=step.variant % 8 == 0,
        key=key,
        credit_score=score,
        profile=_PROFILES[step.pick // 8],
        checked=step.variant % 3 != 0,
    )


def _accept_offer(simulation: Simulation, step: Step) -> None:
    """Accept one of the newest offers, another partner's offer, or one that does not exist."""
    merchant = _merchant(simulation, step)
    offer_ids = list(merchant.projection.offers)[-10:]
    if step.variant % 8 == 0:
        foreign = _foreign_merchants(simulation, merchant)
        offer_ids = [offer_id for owner in foreign for offer_id in owner.projection.offers]
    offer_id = offer_ids[step.pick % len(offer_ids)] if offer_ids else UNKNOWN
    body = payloads.acceptance(offer_id, (None, *payloads.BANKS)[step.variant % 3])
    simulation.ask("accept_offer", merchant, body, key=_key(simulation, merchant, step))


def _look_up(simulation: Simulation, step: Step) -> None:
    merchant = _merchant(simulation, step)
    provider_id = merchant.projection.provider_id
    if step.variant % 4 == 0:
        foreign = _foreign_merchants(simulation, merchant)
        ids = [owner.projection.provider_id for owner in foreign]
        provider_id = ids[step.pick % len(ids)] if ids else None
    simulation.ask("look_up", merchant, {"provider_id": provider_id or UNKNOWN})


def _ordinary_application(simulation: Simulation, step: Step) -> None:
    """
    Take a merchant to its next deal, as an ordinary one goes.

    Without this, few random histories would reach a deal, and fewer still a renewal.
    """
    merchant = _merchant(simulation, step)
    if merchant.projection.in_fulfilment:
        return
    for deal_id in merchant.projection.active:
        pay_until_renewable(simulation, merchant, deal_id)
    before = set(merchant.projection.offers)
    profile = _PROFILES[step.variant % len(_PROFILES)]
    key = simulation.new_key()
    request_offers(simulation, merchant, key=key, credit_score=700, profile=profile)
    new = [offer_id for offer_id in merchant.projection.offers if offer_id not in before]
    if new:
        offer_id = new[step.pick % len(new)]
        accept(simulation, merchant, offer_id, key=simulation.new_key())
    if merchant.projection.in_fulfilment:
        application = {"application_id": merchant.projection.in_fulfilment[0]}
        funding = simulation.ask("fund_deal", merchant, application, key=simulation.new_key())
        if funding.status != OK and funding.reply["code"] == "not_disclosed":
            _fund_when_disclosed(simulation, merchant, application)


def _fund_when_disclosed(
    simulation: Simulation, merchant: SimulatedMerchant, application: Mapping[str, str]
) -> None:
    """Disclose the accepted offer, fund it too early, ask again the next day, sign and fund."""
    offers = merchant.projection.offers
    accepted = (id_ for id_ in merchant.projection.disclosable if offers[id_].status == "Accepted")
    shown = {"offer_id": next(accepted)}

    def ask(operation: str, body: Mapping[str, str]) -> Exchange:
        return simulation.ask(operation, merchant, body, key=simulation.new_key())

    if ask("disclose", shown).status != OK:
        return
    ask("fund_deal", application)
    simulation.pass_time(days=1)
    again = ask("disclose", shown)
    if again.status == OK:
        signed = {"document": "disclosure-1", "digest": again.reply["digest"]}
        ask("record_signature", {**application, **signed})
        ask("fund_deal", application)


def _bounced_payment(simulation: Simulation, step: Step) -> None:
    """
    Deliver a payment that the bank takes back, and charge a fee for it where one is allowed.

    Without this, few random histories would reach a fee.
    """
    fitting = [
        (merchant, deal_id)
        for merchant in simulation.merchants.values()
        for deal_id in merchant.projection.active
        if merchant.projection.deals[deal_id].terms.get("fee_terms")
    ]
    if not fitting:
        return
    merchant, deal_id = fitting[step.pick % len(fitting)]
    paid = merchant.remittance(deal_id, 1, simulation.day_of(merchant))
    back = {**paid, "id": f"{paid['id']}-back", "reverses": paid["id"]}
    for entry in (paid, back):
        deliver(simulation, merchant, deal_id, entry)
    fee = merchant.projection.deals[deal_id].terms["fee_terms"][0]["key"]
    charge = {"deal_id": deal_id, "id": f"{paid['id']}-fee", "fee": fee, "on": paid["on"]}
    body = {**charge, "about": back["id"]}
    simulation.ask("charge_fee", merchant, body, key=simulation.new_key())


def _agent_operation(operation: str, simulation: Simulation, step: Step) -> None:
    merchant, agent = _merchant(simulation, step), AGENTS[operation]
    fitting = [m for m in simulation.merchants.values() if agent.fits(m.projection)]
    if fitting and step.merchant_number % 5:
        merchant = fitting[step.merchant_number % len(fitting)]
    today = simulation.day_of(merchant)
    for body in agent.bodies(merchant, today, step.pick, step.variant):
        simulation.ask(operation, merchant, body, key=_key(simulation, merchant, step))


def _deliver_again(simulation: Simulation, step: Step) -> None:
    """Deliver an entry again: unchanged, settled, with another amount, or taken back."""
    merchant = _merchant(simulation, step)
    delivered = [
        (deal_id, entry)
        for deal_id, deal in merchant.projection.deals.items()
        for entry in deal.entries.values()
        if kind_of(entry) in {"remittance", "payment", "recovery"}
    ]
    if not delivered:
        return
    deal_id, earlier = delivered[step.pick % len(delivered)]
    entry_amount = amount(earlier["amount"])
    takings = None if earlier["takings"] is None else amount(earlier["takings"])
    entry = {**earlier, "amount": entry_amount, "takings": takings}
    changes = ("none", "settled", "other amount", "reversed", "reversed in part")
    change = changes[step.variant % len(changes)]
    if change == "settled":
        entry["settled"] = True
    elif change == "other amount":
        entry["amount"] = entry_amount + PENNY
        status = deliver(simulation, merchant, deal_id, entry).status
        message = "an entry was recorded again with another amount"
        expect(status != OK, "delivered-once", message)
        return
    elif change != "none":
        taken_back = entry_amount if change == "reversed" else entry_amount // 3
        entry = payloads.entry(
            f"{change.split(' ')[-1]}-{entry['id']}",
            date.fromisoformat(entry["on"]),
            taken_back,
            reverses=entry["id"],
        )
    deliver(simulation, merchant, deal_id, entry)


def _repeat_request(simulation: Simulation, step: Step) -> None:
    """Repeat a request that was answered, however long ago."""
    answered = list(simulation.answered.values())[-20:]
    if answered:
        simulation.ask_again(*answered[step.pick % len(answered)])


def _reuse_key(simulation: Simulation, step: Step) -> None:
    """Use a key again with another request."""
    merchant = _merchant(simulation, step)
    # Only keys of partners' requests: a host may keep the keys of agents apart.
    used = [
        key
        for (partner, key), (_, earlier) in simulation.answered.items()
        if partner == merchant.partner and earlier.operation in PARTNER_OPERATIONS
    ]
    if used:
        body = payloads.offers_request(merchant.merchant_id, use=f"use {step.variant}")
        key = used[step.pick % len(used)]
        evidence = payloads.evidence(simulation.day_of(merchant))
        simulation.ask("request_offers", merchant, body, key=key, evidence=evidence)


def _move_clock(simulation: Simulation, step: Step) -> None:
    simulation.at += _TIME_STEPS[step.pick % len(_TIME_STEPS)]


def _move_clock_to_expiry(simulation: Simulation, step: Step) -> None:
    """Move the clock to the instant at which an offer expires, or a microsecond before it."""
    offers = _merchant(simulation, step).projection.offers.values()
    ahead = [offer.expires_at for offer in offers if offer.expires_at > simulation.at]
    if ahead:
        microsecond_before = timedelta(microseconds=step.variant % 2)
        simulation.at = ahead[step.pick % len(ahead)] - microsecond_before


def _far_clock(simulation: Simulation, step: Step) -> None:
    """Make a request while the clock is far from a merchant's last event, and set it right."""
    last_at = _merchant(simulation, step).projection.last_at
    if last_at is None:
        return
    right, simulation.at = simulation.at, last_at + _OFF[step.pick % len(_OFF)]
    _, act = ACTIONS[_ON_FAR_CLOCKS[step.variant % len(_ON_FAR_CLOCKS)]]
    act(simulation, step)
    simulation.at = right


def _crash(simulation: Simulation, step: Step) -> None:
    """Let the host die at some step of the next request."""
    if "crash" in simulation.optional:
        # The second number makes early steps more frequent: every operation has those.
        simulation.crash_at = step.pick % (1 + step.variant % _CRASH_STEPS)


def _change_rules(simulation: Simulation, step: Step) -> None:
    """Change the rules, or change them back."""
    simulation.change_rules(changed=step.variant % 2 == 0)


# By the name of an action: its weight, and what it does.
ACTIONS: Final[Mapping[str, tuple[int, Action]]] = MappingProxyType(
    {
        "request": (10, _request_offers),
        "accept": (14, _accept_offer),
        "look up": (8, _look_up),
        "an ordinary application": (8, _ordinary_application),
        "a payment that bounces": (3, _bounced_payment),
    }
    | {
        operation.replace("_", " "): (agent.weight, partial(_agent_operation, operation))
        for operation, agent in AGENTS.items()
    }
    | {
        "deliver again": (6, _deliver_again),
        "the same request again": (8, _repeat_request),
        "a key with another request": (3, _reuse_key),
        "time": (8, _move_clock),
        "to the expiry": (4, _move_clock_to_expiry),
        "a far clock": (5, _far_clock),
        "crash": (6, _crash),
        "change the rules": (2, _change_rules),
    }
)

# What is asked on a far clock: what partners ask, oftener than the rest.
_ON_FAR_CLOCKS: Final = (
    *["request", "accept", "look up"] * 5,
    *(operation.replace("_", " ") for operation in AGENTS),
)

# The number of histories after which the store is emptied, so that it does not grow without end.
_PER_STORE: Final = 500
_WEIGHTS: Final = [weight for weight, _ in ACTIONS.values()]


def histories(session: Session) -> None:
    """
    Try one history for each seed, from the session's own seed upwards.

    Raises:
        BrokenInvariantError: with the shortest history that still breaks it, and its seed.
    """
    effort = session.effort
    for number in range(effort.histories):
        session.progress(number, effort.histories)
        if number and number % _PER_STORE == 0:
            session.host.open()
        _try_history(session, session.seed + number)


def _try_history(session: Session, seed: int) -> None:
    # A step makes one request on average, but may make none: twice as many steps are enough.
    steps = draw_steps(Random(seed), 2 * session.effort.operations)  # noqa: S311  # test data, not secrets
    failure = _failure(session, steps)
    if failure is None:
        return
    failures = {len(steps): failure}

    def fails(fewer: Sequence[Step]) -> bool:
        again = _failure(session, fewer)
        if again is None or again.invariant != failure.invariant:
            return False
        failures[len(fewer)] = again
        return True

    shortest = failures[len(shorten(steps, fails))]
    shortest.seed = seed
    raise shortest


def _failure(session: Session, steps: Sequence[Step]) -> BrokenInvariantError | None:
    try:
        carry_out(steps, session.simulation(), session.effort.operations)
    except BrokenInvariantError as failure:
        return failure
    return None


def draw_steps(random: Random, length: int) -> list[Step]:
    """Return *length* random steps."""
    draw = random.randrange
    actions = random.choices(list(ACTIONS), _WEIGHTS, k=length)
    return [Step(action, draw(64), draw(64), draw(64)) for action in actions]


def carry_out(steps: Sequence[Step], simulation: Simulation, operations: int) -> None:
    """
    Take *steps* until *operations* requests were made, checking every answer.

    Raises:
        BrokenInvariantError: with its history, also when the host raised something else.
    """
    try:
        for step in steps:
            if len(simulation.exchanges) >= operations:
                break
            ACTIONS[step.action][1](simulation, step)
    except (Exception, Crashed) as error:  # noqa: BLE001  # anything that a host raises is a finding
        failure = as_broken_invariant(error)
        failure.transcript = simulation.transcript()
        raise failure from None  # its message names the line that raised
    finally:
        simulation.change_rules(changed=False)


def shorten(
    steps: Sequence[Step], fails: Callable[[Sequence[Step]], bool], *, seconds: int = 60
) -> Sequence[Step]:
    """
    Return a part of *steps* that still fails, the shortest found in the given time.

    Leaves out ever smaller blocks of steps, down to single ones, as long as the rest still fails.
    """
    size = len(steps)
    end = monotonic() + seconds
    while size > 0 and monotonic() < end:
        start = 0
        while start < len(steps) and monotonic() < end:
            shorter = [*steps[:start], *steps[start + size :]]
            if fails(shorter):
                steps = shorter
            else:
                start += size
        size //= 2
    return steps
