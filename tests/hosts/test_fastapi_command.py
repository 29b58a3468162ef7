"""Starting the FastAPI host: its configuration and its command."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import traceback
import uuid
from contextlib import closing, contextmanager
from pathlib import Path

import postgres
import pytest
from fastapi_calls import ENGINE, PARTNERS, Merchant, service_on
from fastapi_host.app import create_app
from fastapi_host.partners import Partner, Partners, read_partners, sha256
from fastapi_host.tables import MERCHANTS

from holdback import ConfigurationError

HOST = Path(__file__).parents[2] / "docs/hosts/fastapi_host"
ENV = {name: value for name, value in os.environ.items() if not name.startswith("HOLDBACK")}


def test_a_wrong_configuration_is_refused_at_the_start(tmp_path):
    """
    The configuration is checked, and a database in memory is refused: it would be lost.
    """
    options = {"engine": ENGINE, "partners": PARTNERS, "checks": None}
    postgres_url = "postgresql+psycopg://127.0.0.1:1/none"
    with pytest.raises(ValueError, match="READ COMMITTED"):
        create_app(**options, database_url=postgres_url, isolation_level="CHAOS")
    with pytest.raises(ValueError, match="file"):
        create_app(**options, database_url="sqlite://")
    nowhere = Partner(name="acme", key_sha256=sha256("k"), jurisdiction="XX")
    options |= {"partners": Partners(partners=(nowhere,))}
    with pytest.raises(ConfigurationError, match="XX"):
        create_app(**options, database_url=f"sqlite:///{tmp_path}/holdback.db")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[[partners]]\nname = "A/B"\nkey_sha256 = "HASH"\njurisdiction = "GB"', "name"),
        ('[[partners]]\nname = "acme"\nkey_sha256 = "key"\njurisdiction = "GB"', "key_sha256"),
        ('[[agents]]\nname = "a"\nkey_sha256 = "HASH"\n' * 2, "the same name"),
        (
            "".join(f'[[agents]]\nname = "{name}"\nkey_sha256 = "HASH"\n' for name in "ab"),
            "one key is given twice",
        ),
        ('[[partner]]\nname = "acme"', "only"),
        ('[[partners]]\nname = "acme"', r"partners\[0\]: expected the keys name, key_sha256"),
        (
            '[[partners]]\nwebhook = { url = "acme.example", secret = "whsec_c2VjcmV0" }',
            r"partners\[0\]\.webhook\.url: expected an address",
        ),
    ],
)
def test_a_wrong_file_of_partners_is_refused(tmp_path, text, message):
    """
    A bad name, a key that is not a digest, a second owner of either, and an unknown table.
    """
    path = tmp_path / "partners.toml"
    path.write_text(text.replace("HASH", "0" * 64))
    with pytest.raises(ValueError, match=message):
        read_partners(path)


def test_an_error_in_the_file_of_partners_repeats_no_secret(tmp_path):
    """
    Someone who stores a key instead of its digest learns the place; no log learns the key.
    """
    path = tmp_path / "partners.toml"
    path.write_text('[[partners]]\nname = "acme"\nkey_sha256 = "my-plain-key"\njurisdiction = "GB"')
    with pytest.raises(ValueError, match="64 hex digits") as caught:
        read_partners(path)
    assert str(caught.value) == f"{path}: $.partners[0].key_sha256: expected 64 hex digits"
    assert "my-plain-key" not in "".join(traceback.format_exception(caught.value))


def test_sample_data_stays_out_of_the_database_of_the_service(tmp_path):
    """
    With the variable of a real database set, `--sample` needs a database of its own.
    """
    database = tmp_path / "holdback.db"
    done = subprocess.run(
        [sys.executable, str(HOST), "--sample"],
        env=os.environ | {"HOLDBACK_DATABASE_URL": f"sqlite:///{database}"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 1
    assert done.stderr.startswith(
        "--sample does not write to the database of HOLDBACK_DATABASE_URL"
    )
    assert not database.exists()


@pytest.mark.parametrize(
    ("namespace", "more", "message"),
    [
        (
            str(uuid.UUID(int=7)),
            (),
            "expected --sample; or --database, --partners, --checks, --links",
        ),
        (None, ("--links", "os:getcwd"), "expected --sample; or --database"),
        (
            str(uuid.NAMESPACE_URL),
            ("--links", "os:getcwd"),
            "$.namespace: this namespace is public",
        ),
        ("secret", ("--links", "os:getcwd"), "HOLDBACK_NAMESPACE: expected a UUID"),
    ],
)
def test_it_serves_no_partner_with_public_ids_or_without_links(tmp_path, namespace, more, message):
    """
    "Hosts that serve partners" need a namespace of their own, and links (decisions/engine).
    """
    command = [sys.executable, str(HOST), "--checks", "os:getcwd"]
    database = ["--database", f"sqlite:///{tmp_path}/holdback.db", "--partners", "partners.toml"]
    done = subprocess.run(
        [*command, *database, *more],
        env=ENV | ({"HOLDBACK_NAMESPACE": namespace} if namespace else {}),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 1
    assert done.stderr.startswith(message)


@contextmanager
def sample_host(folder, *options):
    """Start the host with sample data, as a person does; yield its port and what it printed."""
    port = str(postgres.free_port())
    command = [sys.executable, str(HOST), "--sample", "--port", port, *options]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder, env=ENV
    ) as process:
        try:
            printed = ""
            while "/accept" not in printed:
                line = process.stdout.readline()
                assert line, printed
                printed += line
            yield port, printed
        finally:
            process.terminate()


def run_printed_commands(printed):
    """Run the curl commands that the host printed, and return their answers."""
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed, so the commands that the sample prints were NOT tested")
    # The server may not be listening yet, and each answer needs a line of its own.
    retry = "--retry 20 --retry-delay 1 --retry-connrefused"
    curl = f'curl() {{ command curl {retry} "$@"; echo; }}\n'
    script = printed[printed.index("# 1.") :]
    done = subprocess.run(
        ["bash", "-c", curl + script], capture_output=True, text=True, timeout=60, check=True
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def run(*arguments):
    command = [sys.executable, str(HOST), *arguments]
    return subprocess.run(command, env=ENV, capture_output=True, text=True, check=False, timeout=60)


def documents(path):
    """Return all states and events of a SQLite database."""
    with closing(sqlite3.connect(path)) as db:
        return [
            bytes(document)
            for select in ("select state from merchants", "select event from events")
            for (document,) in db.execute(select)
        ]


def test_one_command_starts_it_with_sample_data(tmp_path):
    """
    The command prints the sample keys and three curl commands that work as pasted, and says that
    the ids are public.
    """
    with sample_host(tmp_path) as (_, printed):
        deals, offers, accepted = run_printed_commands(printed)
    assert "Only for trials: anyone can compute the ids, and the links" in printed
    assert deals["deals"][0]["performance"]["renewal_eligibility"] is True
    assert offers["products"][0]["decision"] == "Accepted"
    assert re.fullmatch(r"[0-9a-f-]{36}", accepted["provider_id"])


def test_sample_data_is_made_once(tmp_path):
    """
    Another start on the same database uses what is there: the same ids, and the same key gets the
    same answer.
    """
    database = ("--database", f"sqlite:///{tmp_path}/holdback.db")
    with sample_host(tmp_path, *database) as (port, first):
        deals, _, accepted = run_printed_commands(first)
    before = documents(tmp_path / "holdback.db")
    with sample_host(tmp_path, *database) as (other, second):
        assert documents(tmp_path / "holdback.db") == before
        assert second.replace(f":{other}/", f":{port}/") == first
        again = run_printed_commands(second)
    assert (again[0], again[2]) == (deals, accepted)
    assert again[1]["products"][0]["decision"] == "Accepted"


def test_a_database_with_other_merchants_gets_no_sample_data(tmp_path):
    """
    It may be that of a service, which nobody may reach with public keys: the host says so and ends.
    """
    with service_on("sqlite", tmp_path) as service:
        Merchant(service, "merchant-of-acme").ask()
    before = documents(tmp_path / "holdback.db")
    done = run("--sample", "--database", f"sqlite:///{tmp_path}/holdback.db")

    assert done.returncode == 1
    assert done.stderr == (
        "the database of --database has merchants, but not all of the sample's; "
        "name another database, or none\n"
    )
    assert documents(tmp_path / "holdback.db") == before


def test_a_review_that_failed_ends_with_another_status(tmp_path):
    """
    A scheduler sees only the exit status; the log gives the reason without personal data.
    """
    url = f"sqlite:///{tmp_path}/holdback.db"
    with service_on("sqlite", tmp_path) as service:
        Merchant(service, "merchant-of-acme").ask()
        with service.store.engine.begin() as db:
            db.execute(MERCHANTS.update().values(state=b"{}"))
    done = run("review", "--sample", "--database", url)

    assert done.returncode == 1
    assert done.stderr == "1 merchants could not be reviewed\n"
    failed, page, reviewed = map(json.loads, done.stdout.splitlines())
    assert (page["event"], page["partner"], page["failed"]) == ("review_page", "acme", 1)
    assert failed.keys() == {"at", "event", "request_id", "partner", "why"}
    assert (failed["event"], failed["why"]) == ("review_failed", "StateError")
    assert (reviewed["merchants"], reviewed["failed"]) == (0, 1)
