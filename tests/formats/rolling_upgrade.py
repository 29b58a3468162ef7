"""
A rolling upgrade and its rollback, judged by the conformance suite of the first version.

While both versions serve, no partner and no agent may notice, so the suite is that of the version
from which the upgrade starts. `test_mixed_fleet.py` runs this in a process that imports the first
version, with the `Options` of each upgrade as JSON; the reports on standard output are JSON too.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import first_version
from attrs import Factory, asdict, define, frozen
from fastapi_host.tables import EVENTS, MERCHANTS
from fleet import Fleet, Version
from sqlalchemy import create_engine, select

from holdback import InvalidDocument, Merchant, wire
from holdback.lifecycle.evolve import evolve_all
from holdback.testing import payloads
from holdback.testing.conformance import CHECKS, Effort, Session, run_checks
from holdback.testing.conformance.invariants import BrokenInvariantError
from holdback.testing.conformance.simulated import actions, rule_changes
from holdback.testing.conformance.simulated.exchanges import SimulatedMerchant
from holdback.testing.conformance.simulated.histories import carry_out, draw_steps
from holdback.testing.conformance.simulated.requests import look_up

# Which versions serve, one phase after the other: upgraded, and rolled back.
PHASES = (("first",), ("first", "new"), ("new",), ("new", "first"), ("first",))
# What a broken invariant of the suite means for those who upgrade; any other is `wrong`.
MEANS = {
    "acknowledged-kept": "lost",
    "append-only": "lost",
    "told-all": "lost",
    "replay-after-expiry": "lost",
    "whole": "lost",
    "delivered-once": "doubled",
    "one-active-deal": "doubled",
    "one-application": "doubled",
    "one-winner": "doubled",
    "replay-equal": "doubled",
    "restart": "unreadable",
    "sound-replies": "unreadable",
}
LATER = datetime(2032, 1, 5, 12, tzinfo=UTC)  # after everything in the first version's database


@frozen(kw_only=True)
class Options:
    """What to try: `checks` of the suite, then journeys through all phases."""

    url: str
    versions: dict
    seed: int = 0
    size: int = 1
    checks: tuple[str, ...] = ()
    effort: dict = Factory(dict)
    journeys: int = 1
    operations: int = 20  # of a journey in a phase
    kill_every: int = 0  # requests of a journey; 0 for none
    filled: bool = False  # whether it starts with the database that the first version filled
    asked_again: int = 100  # requests of that database in a phase


@define
class Report:
    """What went wrong, with the number of cases of each kind, and what was tried."""

    kinds: Counter = Factory(Counter)
    broken: list = Factory(list)
    tried: Counter = Factory(Counter)

    def add(self, kind, what):
        self.kinds[kind] += 1
        self.broken.append(f"{kind}: {what}")

    def add_broken(self, error, where):
        kind = MEANS.get(error.invariant, "wrong")
        self.add(kind, f"{where}: {error.invariant}: {error.observed}")


# -- journeys: simulated merchants that live through all phases


class Journeys:
    """Simulations that go on from phase to phase, until one of them shows an error."""

    def __init__(self, simulations, options, report):
        self.simulations, self.options, self.report = simulations, options, report

    def go_on(self, phase):
        """Carry out more operations on all merchants."""
        operations = self.options.operations
        for number, simulation in enumerate(list(self.simulations)):
            steps = draw_steps(Random(f"{self.options.seed} {phase} {number}"), 2 * operations)
            before = len(simulation.exchanges)
            try:
                carry_out(steps, simulation, before + operations)
            except BrokenInvariantError as error:
                self.report.add_broken(error, f"phase {phase}")
                self.simulations.remove(simulation)
            self.report.tried["operations"] += len(simulation.exchanges) - before

    def ask_again(self, phase):
        """Repeat every request that was answered, in any phase so far, and look everybody up."""
        for simulation in self.simulations:
            for merchant, earlier in list(simulation.answered.values()):
                self._ask(phase, simulation.ask_again, merchant, earlier)
            for merchant in simulation.merchants.values():
                if merchant.projection.provider_id is not None:
                    self._ask(phase, look_up, simulation, merchant)

    def _ask(self, phase, ask, *arguments):
        self.report.tried["asked again"] += 1
        try:
            ask(*arguments)
        except BrokenInvariantError as error:
            self.report.add_broken(error, f"again after phase {phase}")


def may_go_on(document):
    """Whether the suite can go on with a merchant: it knows one jurisdiction, and all takings."""
    state = document["state"]
    return document["jurisdiction"] == rule_changes.JURISDICTION and '"takings":null' not in state


def adopted(session, journeys):
    """Return simulations that go on with merchants of the first version's database."""
    merchant_ids = defaultdict(list)
    for document in filter(may_go_on, first_version.documents()):
        merchant_ids[document["partner"]].append(document["merchant_id"])
    for partner, names in merchant_ids.items():
        Random(f"{session.seed} {partner}").shuffle(names)
    return [_adopted(session, merchant_ids) for _ in range(journeys)]


def _adopted(session, merchant_ids):
    """Return a simulation of the next merchants of each partner: each has one clock."""
    simulation = session.simulation()
    simulation.at = LATER
    for partner in simulation.partners:
        for place in range(actions.MERCHANTS):
            # Its own entries have other ids than those that the suite will choose.
            merchant = SimulatedMerchant(partner, merchant_ids[partner].pop(), entry_count=1000)
            simulation.merchants[partner, f"{simulation.label}-{place}"] = merchant
            merchant.read_new_events(session.host)
    return simulation


# -- what is stored


def audit(url, audited, report):
    """
    Let the first version read what is stored, and look for what is there twice.

    States that are in *audited* have not changed since they were read.
    """
    database = create_engine(url)
    events = defaultdict(list)
    with database.connect() as connection:
        query = select(EVENTS).order_by(EVENTS.c.partner, EVENTS.c.merchant_id, EVENTS.c.place)
        for row in connection.execute(query):
            events[row.partner, row.merchant_id].append((row.place, bytes(row.event)))
        merchants = connection.execute(select(MERCHANTS)).all()
    database.dispose()
    for row in merchants:
        stored = events.pop((row.partner, row.merchant_id), [])
        if [place for place, _ in stored] != [*range(1, row.version + 1)]:
            report.add("lost", f"{row.merchant_id}: events are missing")
        if bytes(row.state) in audited:
            continue
        audited.add(bytes(row.state))
        report.tried["stored states read"] += 1
        try:
            _audit_merchant(row, [event for _, event in stored], report)
        except InvalidDocument as error:
            report.add("unreadable", f"{row.merchant_id}: {error}")
    for partner, merchant_id in events:
        report.add("lost", f"the state of {merchant_id} of {partner}")


def _audit_merchant(row, stored, report):
    merchant = wire.read_merchant(bytes(row.state))
    new = Merchant.new(
        partner=row.partner, merchant_id=row.merchant_id, jurisdiction=merchant.jurisdiction
    )
    if evolve_all(new, map(wire.read_event, stored)) != merchant:
        report.add("lost", f"{row.merchant_id}: its events give another state")
    happened = Counter(name for event in stored for name in _names(json.loads(event)))
    for name, times in happened.items():
        if times > 1:
            report.add("doubled", f"{row.merchant_id}: {name}")


def _names(event):
    """Yield names of what can happen only once."""
    if event["type"] == "OffersIssued":
        yield "offers", event["offer_set"]["request_id"]
    elif event["type"] == "OfferAccepted":
        yield "acceptance", event["reply"]["application_id"]
    elif event["type"] == "DealFunded":
        yield "deal", event["deal"]["id"]
    elif event["type"] == "RemittancesRecorded":
        for entry in event["entries"]:
            yield "entry", event["deal_id"], entry["id"], entry["settled"]


# -- what the first version's database promises


# Merchants that the first version invited to a renewal which every product declines; this version
# does not (decisions/renewal#invitation).
INVITED_BEFORE = ("JP long_and_renewed", "JP restated_takings")


class Promises:
    """The requests and the answers of the first version's database."""

    def __init__(self, fleet, options, report):
        self.fleet, self.options, self.report = fleet, options, report
        self.answered = [
            exchange
            for exchange in first_version.exchanges()
            if exchange["key"] and exchange["status"] == 200 and exchange["operation"] != "look_up"
        ]
        stored = {exchange["jurisdiction"] for exchange in first_version.exchanges()}
        # Of merchants with which no journey goes on.
        self.lookups = [
            (document, answer)
            for document in first_version.documents()
            for answer in document["answers"]
            if answer["operation"] == "look_up"
            and document["jurisdiction"] in stored
            and not may_go_on(document)
            and document["merchant_id"].partition("/")[0] not in INVITED_BEFORE
        ]

    def check_replies(self, phase):
        """Repeat requests of years ago with their keys: the replies have the same bytes."""
        random = Random(f"{self.options.seed} {phase}")
        wanted = min(self.options.asked_again, len(self.answered))
        for exchange in random.sample(self.answered, wanted):
            given = {name: exchange[name] for name in ("partner", "merchant_id", "evidence")}
            given["body"] = exchange["body"].encode()
            answer = self.fleet.handle(exchange["operation"], given, key=exchange["key"], at=LATER)
            self._compare(exchange, answer, phase)

    def check_lookups(self, phase):
        """Ask every process what the first version answered about the merchants as stored."""
        random = Random(f"{self.options.seed} {phase}")
        wanted = min(self.options.asked_again, len(self.lookups))
        for document, answer in random.sample(self.lookups, wanted):
            provider_id = json.loads(document["state"])["provider_id"]
            body = payloads.as_json({"provider_id": provider_id})
            given = {"partner": document["partner"], "body": body}
            at = datetime.fromisoformat(answer["at"])
            for process in self.fleet.processes:
                given_answer = process.handle("look_up", given, key=None, at=at)
                self._compare({**answer, **document}, given_answer, phase)

    def _compare(self, expected, answer, phase):
        self.report.tried["promises"] += 1
        status, body = answer
        what = f"phase {phase}: {expected['operation']} got {status} {body[:100]!r}"
        if status != expected["status"]:
            self.report.add("unreadable" if status >= 500 else "lost", what)
        elif body.decode() != expected["reply"]:
            self.report.add("lost", what)


# -- the whole


def read_version(options):
    """Return a version; JSON has arrays for its tuples."""
    return Version(**{name: _as_tuple(value) for name, value in options.items()})


def _as_tuple(value):
    return tuple(map(_as_tuple, value)) if isinstance(value, list) else value


def upgrade(options):
    """Return the report of an upgrade and its rollback."""
    report = Report()
    versions = {name: read_version(version) for name, version in options.versions.items()}
    with TemporaryDirectory() as folder:
        rows = first_version.rows(Path(folder)) if options.filled else None

    def fill():
        if rows is not None:
            database = create_engine(options.url)
            with database.begin() as connection:
                first_version.insert_rows(connection, rows)
            database.dispose()

    fleet = Fleet(
        options.url, tuple(versions.values()), seed=options.seed, size=options.size, fill=fill
    )
    try:
        session = Session(fleet, options.seed, Effort(**options.effort))
        _run_the_suite(session, options, report)
        _take_all_phases(session, versions, options, report)
        report.tried.update(fleet.served.counts())
    finally:
        fleet.close()
    return report


def _run_the_suite(session, options, report):
    """Run checks of the suite on both versions at once, which also makes the tables."""
    checks = [check for check in CHECKS if check.name in options.checks]
    assert len(checks) == len(options.checks), "the suite has no such check"
    for result in run_checks(session, checks):
        report.tried["checks"] += 1
        if result.broken is not None:
            report.add_broken(result.broken, result.check.name)
        assert result.skipped is None, result.skipped


def _take_all_phases(session, versions, options, report):
    fleet = session.host
    if options.filled:
        simulations = adopted(session, options.journeys)
    else:
        simulations = [session.simulation() for _ in range(options.journeys)]
    journeys = Journeys(simulations, options, report)
    promises = Promises(fleet, options, report) if options.filled else None
    audited = set()
    for phase, names in enumerate(PHASES, start=1):
        fleet.replace(*(versions[name] for name in names))
        if promises is not None:
            promises.check_replies(phase)
            promises.check_lookups(phase)
        fleet.kill_every = options.kill_every
        journeys.go_on(phase)
        fleet.kill_every = 0
        journeys.ask_again(phase)
        audit(options.url, audited, report)


def main(options):
    reports = [asdict(upgrade(Options(**one))) for one in json.loads(options)]
    sys.stdout.write(json.dumps(reports))


if __name__ == "__main__":
    main(*sys.argv[1:])
