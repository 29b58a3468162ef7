"""A digest of every byte of one journey, to be printed in hostile surroundings."""

from __future__ import annotations

import hashlib

from holdback import wire
from holdback.exact.exact_json import write_json
from holdback.operations import AssessRenewal, LookUp
from journey import Journey


def journey_bytes():
    """The replies, events and stored states of a journey through the service."""
    parts = []
    journey = Journey()
    for step in (
        journey.ask,
        journey.accept,
        journey.fund,
        lambda: journey.pay_down(60),
        lambda: journey.do(LookUp()),
        lambda: journey.do(AssessRenewal()),
        lambda: journey.ask(renewal=True),
        journey.accept,
        journey.fund,
        lambda: journey.do(LookUp()),
    ):
        parts.append(wire.write(step()))
        parts.append(wire.write_merchant(journey.merchant))
    parts += [wire.write_event(event) for event in journey.events]
    rulebook = journey.engine.jurisdictions.resolve("GB", on=journey.today())
    facts = {"progress": "64.12345%", "performance": "97.5%", "balance": "1234.56"}
    parts.append(write_json(rulebook.assess(facts).record()).encode())
    return b"\n".join(parts)


def fingerprint():
    return hashlib.sha256(journey_bytes()).hexdigest()


if __name__ == "__main__":
    import sys

    sys.stdout.write(fingerprint())
