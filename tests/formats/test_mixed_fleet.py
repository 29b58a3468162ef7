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

from counts import count

HERE = Path(__file__).parent
# The checks of the suite that run on both versions at once, those that take little time first.
CHECKS = (
    "partner flow",
    "same key",
    "telling",
    "kills",
    "changed rules",
    "two applications",
    "deliveries",
    "races of threads",
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


KILL_SHARE = 0.03  # of the requests of journeys
# Versions that are wrong on purpose, and what they do to those who upgrade.
WRONG = {
    "writing_a_new_field": "unreadable",
    "keeping_keys_apart": "doubled",
    "writing_later": "lost",
}


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
    assert tried["retries elsewhere"] > 20
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
        "kill_share": KILL_SHARE,
    }


def test_an_upgrade_of_the_first_database_on_postgresql(postgres, first_path):
    """
    The database that the first version filled is served by both versions, and then by it again.
    """
    options = {"url": postgres.new_database(), "filled": True, **effort()}
    (report,) = upgraded(first_path, (version("new", first_path), options))

    check_report(report, filled=True)


def test_an_upgrade_on_sqlite(tmp_path, first_path):
    """
    A new database is served by both versions, and then by the first again.
    """
    options = {"url": f"sqlite:///{tmp_path}/holdback.db", **effort()}
    (report,) = upgraded(first_path, (version("new", first_path), options))

    check_report(report, filled=False)


def test_a_wrong_version_is_found(tmp_path, first_path):
    """
    A version that writes what the first cannot read, or loses or doubles something, is found.
    """
    path = (*first_path, str(HERE))
    upgrades = [
        (
            version("new", path, factory=f"wrong_versions:{name}"),
            {"url": f"sqlite:///{tmp_path}/{name}.db"},
        )
        for name in WRONG
    ]

    for name, report in zip(WRONG, upgraded(path, *upgrades), strict=True):
        assert set(report["kinds"]) == {WRONG[name]}, "\n".join(report["broken"])
