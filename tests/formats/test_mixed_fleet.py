"""
Two versions serve one database, during an upgrade and during its rollback: nobody notices.

Nothing is lost, nothing happens twice, and the first version can read all that is stored.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import holdback
from counts import count

HERE = Path(__file__).parent
SOURCE = str(Path(holdback.__file__).parents[1])
# The checks of the suite that run on both versions at once, those that take little time first.
CHECKS = (
    "partner flow",
    "same key",
    "kills",
    "changed rules",
    "two applications",
    "deliveries",
    "races of threads",
    "telling",
    "key of another request",
    "retry after expiry",
    "expiry",
    "clock back",
    "tenancy",
    "crashes",
    "strangers",
    "restart",
    "races of processes",
    "histories",
)
KILL_EVERY = 15  # requests with a key
# Versions that are wrong on purpose, and what they do to those who upgrade.
WRONG = (
    ({"factory": "wrong_versions:writing_a_new_field"}, "unreadable"),
    ({"factory": "wrong_versions:keeping_keys_apart"}, "doubled"),
    ({"factory": "wrong_versions:writing_later"}, "lost"),
    ({"migrate": "wrong_versions:taking_a_table_away"}, "unreadable"),
)


def version(name, path, **others):
    """The options with which a fleet starts a version."""
    return {"name": name, "path": list(path), **others}


def upgraded(first, *upgrades):
    """The reports of upgrades and their rollbacks, judged by a process of the first version."""
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    given = [
        {**options, "versions": {"first": version("first", first), "new": new}}
        for new, options in upgrades
    ]
    done = subprocess.run(
        [sys.executable, str(HERE / "rolling_upgrade.py"), json.dumps(given)],
        env={**environment, "PYTHONPATH": os.pathsep.join(first)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def check_report(report, *, filled):
    """Assert that nothing went wrong, and that it was two versions of which processes died."""
    tried = report["tried"]

    assert report["kinds"] == {}, "\n".join(report["broken"])
    assert tried["checks"] == len(checks())
    assert tried["operations"] >= 3 * count("operations of a journey in a phase")
    assert min(tried["requests to first"], tried["requests to new"]) > 50
    assert tried["retries elsewhere"] > 10
    assert tried["kills"] > 0
    if filled:
        assert tried["promises"] >= 10 * count("requests of the first version's database")


def checks():
    return CHECKS[: count("checks of the suite on a fleet")]


def effort():
    """The efforts of the checks and of the journeys in this lane."""
    return {
        "checks": checks(),
        "effort": {
            "sets": count("sets of offers raced for on a fleet"),
            "workers": 4,
            "kills": count("processes killed in a fleet"),
            "histories": 4,
            "operations": 60,
        },
        "journeys": count("journeys through an upgrade"),
        "operations": count("operations of a journey in a phase"),
        "asked_again": count("requests of the first version's database"),
        "size": count("processes of each version in a fleet"),
        "kill_every": KILL_EVERY,
    }


def upgraded_host(first):
    """The first version's host on the package of this checkout."""
    hosts, _ = first
    return version("new", (str(HERE), hosts, SOURCE), factory="upgraded_host:fastapi")


def test_an_upgrade_of_the_first_database_on_postgresql(postgres, first_path):
    """
    The database that the first version filled is served by both versions, and then by it again.
    """
    options = {"url": postgres.new_database(), "filled": True, **effort()}
    (report,) = upgraded(first_path, (upgraded_host(first_path), options))

    check_report(report, filled=True)


def test_an_upgrade_on_sqlite(tmp_path, first_path):
    """
    A new database is served by both versions, and then by the first again.
    """
    options = {"url": f"sqlite:///{tmp_path}/holdback.db", **effort()}
    (report,) = upgraded(first_path, (upgraded_host(first_path), options))

    check_report(report, filled=False)


def test_a_wrong_version_is_found(tmp_path, first_path):
    """
    A version that writes what the first cannot read, or loses or doubles something, is found.
    """
    path = (*first_path, str(HERE))
    upgrades = [
        (version("new", path, **wrong), {"url": f"sqlite:///{tmp_path}/{place}.db"})
        for place, (wrong, _) in enumerate(WRONG)
    ]

    for (wrong, kind), report in zip(WRONG, upgraded(path, *upgrades), strict=True):
        assert set(report["kinds"]) == {kind}, (wrong, report["broken"])
