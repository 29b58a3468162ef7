"""The files in `first/` are those of the first version, unedited, and show all that it stored."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import zipfile
from collections import Counter, defaultdict
from pathlib import Path

import first_version
import pytest

from counts import count

HERE = Path(__file__).parent
CODES = ["AU", "CA", "CA-QC", "DE", "GB", "IE", "JP", "US", "US-CA", "US-NY"]
EVENTS = {
    "ApplicationClosed",
    "ApplicationSubmitted",
    "DealClosed",
    "DealFunded",
    "DealRenewed",
    "DealReopened",
    "DealRepaid",
    "DetailsSupplied",
    "OfferAccepted",
    "OffersIssued",
    "RemittancesRecorded",
    "RenewalEligibilityChanged",
    "TakingsRecorded",
}
VALUES = {
    "state.deals[].status": {"Funded", "Repaid", "Renewed", "Defaulted", "Cancelled"},
    "state.deals[].type": {"Initial", "Renewal"},
    "state.fulfilments[].status": {
        "awaiting_details",
        "submitted",
        "funded",
        "declined",
        "withdrawn",
    },
    "state.fulfilments[].omitted[]": {"bank_details", "intended_use_of_funds"},
    "state.offer_sets[].products[].decision": {"Accepted", "Referred", "Declined"},
    "state.offer_sets[].products[].offers[].offer_status": {"Eligible", "Accepted", "Withdrawn"},
    "ApplicationClosed.status": {"declined", "withdrawn"},
    "DealClosed.status": {"Defaulted", "Cancelled"},
    "OffersIssued.assessment.outcome": {
        "eligible",
        "referred",
        "ineligible",
        "undetermined",
        "not_assessed",
    },
}
# Forms that the first version's classes allow, and that its operations never store.
NEVER = {
    # An offer set has the products of the jurisdiction, of which there is at least one.
    ("state.offer_sets[].products", "empty"),
    ("OffersIssued.offer_set.products", "empty"),
    ("OffersIssued.decisions", "empty"),
    ("OffersIssued.decisions[]", "empty"),
    # The engine refuses links without a contract_link.
    ("state.fulfilments[].reply.links", "empty"),
    ("OfferAccepted.reply.links", "empty"),
    # The profile of an initial application has at least one applicant, and renewals keep it.
    ("state.applicants", "empty"),
    ("state.offer_sets[].request.applicants", "empty"),
    ("OffersIssued.offer_set.request.applicants", "empty"),
    ("OfferAccepted.filled.applicants", "empty"),
    ("OfferAccepted.filled.applicants", "null"),
    ("OfferAccepted.filled.consents", "null"),
    ("OfferAccepted.filled.company", "null"),
    # An application is accepted with its provider_id, on evidence that qualified it.
    ("OfferAccepted.filled.application.provider_id", "null"),
    ("OfferAccepted.filled.facts", "empty"),
    # A deal is funded without a history.
    ("DealFunded.deal.closed_on", "null"),
    ("DealFunded.deal.complete_through", "null"),
    ("DealFunded.deal.entries", "empty"),
    # A record names its rulebook, and a summary its deal.
    ("OffersIssued.assessment", "empty"),
    ("RenewalEligibilityChanged.assessment", "empty"),
    ("OfferAccepted.filled.deals[]", "empty"),
    # Only a merchant with an active deal is eligible, so a change names a deal.
    ("RenewalEligibilityChanged.deal_id", "null"),
}
NEW_DEAL = "DealFunded.deal.entries[]"
# What a partner or the host chose, which no class describes.
CLOSED = {
    "applicants",
    "company",
    "consents",
    "decisions",
    "evidence",
    "facts",
    "links",
    "reasons",
    "trace",
}


@pytest.fixture(scope="module")
def first_reads(first_path):
    """What the first version says about its documents."""
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    most = str(count("documents that the first version reads again"))
    done = subprocess.run(
        [sys.executable, str(HERE / "first_reads.py"), most],
        env={**environment, "PYTHONPATH": os.pathsep.join(first_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert Path(report["from"]).is_relative_to(first_path[1])
    return report


@pytest.fixture(scope="module")
def seen():
    """The forms and the texts at every path of the stored documents."""
    forms, texts = defaultdict(Counter), defaultdict(Counter)
    for document in first_version.documents():
        walk("state", json.loads(document["state"]), forms, texts)
        for event in map(json.loads, document["events"]):
            walk(event["type"], event, forms, texts)
    return forms, texts


def walk(path, value, forms, texts):
    """Count the form of *value*, and those of its parts up to what is closed."""
    if value is None or value is True or value is False:
        form = json.dumps(value)
    elif isinstance(value, dict | list):
        form = "some" if value else "empty"
    else:
        form = "some"
        texts[path][value] += 1
    forms[path][form] += 1
    if path.rpartition(".")[2] in CLOSED:
        return
    if isinstance(value, dict):
        for name, item in value.items():
            walk(f"{path}.{name}", item, forms, texts)
    elif isinstance(value, list):
        for item in value:
            walk(f"{path}[]", item, forms, texts)


def test_no_file_was_edited():
    """
    The files have the digests that they were added with, and there are no others.
    """
    lines = (first_version.FOLDER / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    expected = {name: digest for digest, name in (line.split("  ") for line in lines)}
    files = {path.name: path for path in first_version.FOLDER.iterdir()}
    digests = {
        name: hashlib.sha256(path.read_bytes()).hexdigest()
        for name, path in files.items()
        if name not in {"README.md", "SHA256SUMS"}
    }

    assert digests == expected


def test_the_lock_is_the_one_that_shipped():
    """
    The lock of the first version is the one in its wheel.
    """
    with zipfile.ZipFile(first_version.WHEEL) as wheel:
        shipped = wheel.read("holdback/jurisdictions/bundled/digests.lock")

    assert (first_version.FOLDER / "digests.lock").read_bytes() == shipped


def test_all_events_statuses_and_jurisdictions_occur(seen):
    """
    The documents show every event, every status and every outcome, in all jurisdictions.
    """
    documents = first_version.documents()
    forms, texts = seen

    assert len(documents) >= 300
    assert sorted({document["jurisdiction"] for document in documents}) == CODES
    for code in CODES:
        events = (
            json.loads(event)["type"]
            for document in documents
            if document["jurisdiction"] == code
            for event in document["events"]
        )
        assert set(events) == EVENTS
    assert {path for path in forms if "." not in path} == {"state", *EVENTS}
    for path, values in VALUES.items():
        assert set(texts[path]) == values, path


def test_every_optional_field_is_there_and_is_not(seen, first_reads):
    """
    A field that can be null, empty or false is so in some document, and is not in others.
    """
    forms, _ = seen
    optional = {(path, form) for path, form in first_reads["optional"]}

    both = {
        (path, form)
        for path, form in optional
        if form in forms[path] and set(forms[path]) != {form}
    }
    never = NEVER | {(path, form) for path, form in optional if path.startswith(NEW_DEAL)}
    assert optional - both == never


def test_profiles_have_every_letter_and_digit():
    """
    Profiles hold letters of many scripts and numbers of 28 digits.
    """
    states = "".join(document["state"] for document in first_version.documents())

    for text in ("山田太郎", "Þórsdóttir", "1234567890123456789012345678", '"share":1e-9', "🏪"):
        assert text in states


def test_the_first_version_reads_them_again(first_reads):
    """
    It writes the same bytes again, gets each state from its events, and answers the same again.
    """
    assert first_reads["wrong"] == []


def test_every_decision_is_replayed(first_reads):
    """
    Every recorded decision is the same when it is derived again by the first version.
    """
    assert set(first_reads["replays"]) == {"the same"}
    assert first_reads["replays"]["the same"] > 300


def test_the_database_holds_the_same_documents(tmp_path):
    """
    The rows of the database are the documents, and the replies to keys are those of the exchanges.
    """
    rows = first_version.rows(tmp_path)
    merchants = [(row[0], row[1], bytes(row[3]).decode()) for row in rows["merchants"]]
    events = defaultdict(list)
    for _, partner, merchant_id, place, event, *_ in rows["events"]:
        events[partner, merchant_id].append(bytes(event).decode())
        assert place == len(events[partner, merchant_id])
    by_name = {
        (document["partner"], document["merchant_id"]): document
        for document in first_version.documents()
    }

    assert len(merchants) > 100
    for partner, merchant_id, state in merchants:
        document = by_name[partner, merchant_id]
        assert document["state"] == state
        assert document["events"] == events[partner, merchant_id]
    assert {document["jurisdiction"] for document in map(by_name.get, events)} == {
        "GB",
        "JP",
        "US-CA",
    }


def test_replies_to_keys_are_those_of_the_exchanges(tmp_path):
    """
    Every reply that is kept for a key was the answer to the first request with it.
    """
    kept = {bytes(reply).decode() for *_, reply in first_version.rows(tmp_path)["replies"]}
    answered = {
        exchange["reply"]
        for exchange in first_version.exchanges()
        if exchange["key"] is not None and exchange["status"] == 200
    }

    assert kept <= answered
