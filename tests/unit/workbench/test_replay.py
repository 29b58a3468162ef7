"""Deriving a recorded decision again: the same digest, day and facts, the same answer."""

from __future__ import annotations

import json
from datetime import date

import pytest

from every_case import for_every
from holdback import InvalidDocument
from holdback.exact.exact_json import write_json
from holdback.tools.replay.replay import replay
from small_folders import changed, country, loaded

NOW = date(2026, 7, 1)
FACTS = {"progress": "60%", "performance": "79.9999%", "missed_remittances_30d": 4}


def bare(files=None):
    files = files or country()
    return {**files, "renewal.toml": files["renewal.toml"].partition("[typical]")[0]}


FAMILY = loaded(NL=country())


def record(facts=FACTS, on=NOW, family=FAMILY):
    """A decision record as a host has stored it: JSON, read again."""
    plain = family.resolve("NL", on=on).assess(facts).record()
    return json.loads(write_json(plain))


def again(document, family=FAMILY):
    found = replay(document, family)
    return found.state, list(found.differences)


@for_every(
    ("facts", "outcome"),
    [
        ({**FACTS, "performance": "97%", "missed_remittances_30d": 0}, "eligible"),
        ({**FACTS, "performance": "97%"}, "referred"),
        (FACTS, "ineligible"),
        ({"progress": "60%"}, "undetermined"),
        ({}, "undetermined"),
        ({"progress": "10%"}, "not_assessed"),
    ],
)
def test_the_same_answer_from_the_same_rules(facts, outcome):
    """
    The same rules give the same answer again.
    """
    document = record(facts)
    found = replay(document, FAMILY)

    assert document["outcome"] == outcome
    assert (found.state, found.differences, found.wording) == ("the same", (), ())
    assert found.rulebook == FAMILY.resolve("NL", on=NOW)


def test_on_every_day_of_a_slice():
    """
    A recorded decision is derived again from its digest, date and facts.
    """
    for day in (date(2025, 1, 1), date(2025, 12, 31), date(2026, 1, 1), date(2090, 1, 1)):
        found = replay(record(on=day), FAMILY)
        assert found.state == "the same"
        assert found.rulebook.on == day


def test_a_fact_that_no_rule_reads():
    """
    A recorded fact that no rule reads decides nothing.
    """
    document = record()

    assert again({**document, "facts": {**document["facts"], "grade": 3}}) == ("the same", [])


def test_the_rulebook_is_not_available():
    """
    The state says so when no loaded rulebook has the recorded digest.
    """
    other = loaded(NL=changed(bare(), "renewal.toml", "<= 3", "<= 2"))
    found = replay(record(), other)

    assert (found.state, found.rulebook) == ("not available", None)
    assert found.digest == FAMILY.resolve("NL", on=NOW).digest
    assert found.loaded_digest == other.resolve("NL", on=NOW).digest


@pytest.mark.parametrize("family", [loaded(BE=country("BE")), loaded()])
def test_the_jurisdiction_is_not_available(family):
    """
    The state says so when no loaded rulebook has the recorded digest.
    """
    found = replay(record(), family)

    assert (found.state, found.loaded_digest) == ("not available", None)


def test_the_same_meaning_in_other_words():
    """
    A reworded reason is reported as wording, not as a difference (decisions/jurisdiction-folders).
    """
    worded = loaded(NL=changed(bare(), "renewal.toml", "The pace is", "Your pace is"))
    found = replay(record(), worded)

    assert (found.state, found.differences) == ("the same", ())
    assert found.wording == (
        (
            "NL-R-01: 'The pace is 79.9999%; at least 80% is needed.' is now "
            "'Your pace is 79.9999%; at least 80% is needed.'"
        ),
    )


@for_every(
    ("spoilt", "difference"),
    [
        ({"outcome": "eligible"}, "outcome: recorded 'eligible', derived 'ineligible'"),
        ({"eligible": True}, "eligible: recorded True, derived False"),
        ({"needs": ["balance"]}, "needs: recorded ['balance'], derived []"),
        ({"reasons": []}, "reasons: recorded [], derived ['NL-R-01']"),
        ({"trace": []}, "rule on-pace: recorded nothing, derived false"),
        ({"on": "1999-01-01"}, "on: recorded 1999-01-01, when other rules were in force: none"),
    ],
)
def test_a_record_that_says_something_else(spoilt, difference):
    """
    An auditor can ask years later why a merchant was declined.
    """
    state, found = again({**record(), **spoilt})

    assert state == "different"
    assert difference in found


def test_facts_that_say_something_else():
    """
    Changed facts in the record are reported as a difference.
    """
    document = record()
    state, found = again({**document, "facts": {**document["facts"], "performance": "97%"}})

    assert state == "different"
    assert "outcome: recorded 'ineligible', derived 'referred'" in found


@pytest.mark.parametrize("part", ["reasons", "trace"])
def test_the_facts_of_a_reason(part):
    """
    A record whose parts contradict each other is not a record of this decision.
    """
    document = record()
    document[part][0]["facts"]["performance"] = "1%"

    assert again(document) == (
        "different",
        [f"{part}: the recorded facts differ from those derived now"],
    )


def test_an_answer_of_the_trace():
    """
    A recorded answer of a rule that is not the derived one is a difference.
    """
    document = record()
    document["trace"][1]["answer"] = True

    assert again(document) == ("different", ["rule few-missed: recorded true, derived false"])


@for_every(
    "document",
    [None, [], "x", 7, True, {}, {"assessment": []}],
)
def test_what_is_no_record(document):
    """
    A document that is not a decision record is refused, each error with its path.
    """
    with pytest.raises(InvalidDocument) as raised:
        replay(document, FAMILY)

    assert all((each.path or "").startswith("$") for each in raised.value.errors)


@for_every(
    ("name", "value"),
    [
        *(
            (name, value)
            for name in ("jurisdiction", "on", "digest", "outcome")
            for value in (None, 7, [], {}, True)
        ),
        *((name, value) for name in ("reasons", "needs", "trace") for value in (None, "x", {}, 7)),
        *(("facts", value) for value in (None, "x", [], 7)),
        *(("eligible", value) for value in (None, "true", 1)),
        *(("format", value) for value in (None, 0, 3, -1, "x", [], True)),
        *(
            ("on", value)
            for value in ("", "20260701", "2026-W27-3", "2026-02-30", "2026-07-01T00:00:00Z")
        ),
    ],
)
def test_a_record_with_an_invalid_field_is_refused(name, value):
    """
    A document that is not a decision record is refused (decisions/wire).
    """
    with pytest.raises(InvalidDocument) as raised:
        replay({**record(), name: value}, FAMILY)

    assert f"$.{name}" in {each.path for each in raised.value.errors}


@for_every("name", ["jurisdiction", "on", "digest", "facts", "outcome", "reasons", "trace"])
def test_a_field_that_is_missing(name):
    """
    A record without one of its fields is refused.
    """
    with pytest.raises(InvalidDocument):
        replay({key: value for key, value in record().items() if key != name}, FAMILY)


@for_every(
    "facts",
    [
        {"progress": "x"},
        {"progress": "101%"},
        {"progress": []},
        {"progress": {}},
        {"progress": "60%", "missed_remittances_30d": "4"},
        {"progress": "60%", "missed_remittances_30d": 31},
    ],
)
def test_facts_that_cannot_be_read(facts):
    """
    Recorded facts are read by their types, and refused with a path where they are invalid.
    """
    with pytest.raises(InvalidDocument, match=r"\$\."):
        replay({**record(), "facts": facts}, FAMILY)


@for_every(
    "spoilt",
    [
        {"trace": [{"rule": [], "answer": []}, 3, None, {"rule": "on-pace", "answer": {}}]},
        {"reasons": [{"code": []}, 3, None, {"code": {}, "text": 7}]},
        {"reasons": [{"code": "NL-R-01", "text": "\x1b[31m", "facts": 3}]},
        {"needs": [{}, [], None]},
        {"digest": "\x1b[31m"},
        {"jurisdiction": "\x1b[31m"},
    ],
)
def test_a_hostile_record_is_only_different(spoilt):
    """
    Invalid records raise typed errors only.
    """
    assert again({**record(), **spoilt})[0] in ("different", "not available")


def test_as_plain_values():
    """
    A replay has plain values for the JSON output.
    """
    assert list(replay(record(), FAMILY).plain()) == [
        "state",
        "digest",
        "differences",
        "wording",
        "missing",
        "loaded_digest",
    ]


# -- formats and versions


def seasonal(version=None):
    """The country NL, whose term comes from a calculator of the host, which may have a version."""
    family = loaded(
        NL=changed(bare_all(), "products.toml", '"fixed", months = 6', '"seasonal", months = 6')
    )
    return family if version is None else family.with_versions({"term/seasonal": version})


def bare_all():
    return {name: text.partition("[typical]")[0] for name, text in country().items()}


def test_a_newer_record():
    """
    A newer format is refused as exactly that.
    """
    with pytest.raises(InvalidDocument) as raised:
        replay({**record(), "format": 2}, FAMILY)
    (error,) = raised.value.errors

    assert error.message == "this record was written by a newer version of holdback: format 2"
    assert error.hint == "this version reads the formats up to 1"


def test_a_record_does_not_need_the_calculators():
    """
    The rules alone decide an assessment: its record is verified with the versions that it names, by
    any calculators that are present now, and without any.
    """
    written = record(family=seasonal(2))

    assert written["versions"]["term/seasonal"] == 2
    for family in (seasonal(2), seasonal(3), seasonal()):
        found = replay(written, family)
        assert (found.state, found.differences, found.digest) == ("the same", (), written["digest"])


@pytest.mark.parametrize("edited", [None, {}, {"term/fixed": 7}, 5, {"term/fixed": []}])
def test_versions_that_were_edited(edited):
    """
    Recorded versions that the digest does not cover are a difference.
    """
    state, found = again({**record(), "versions": edited})

    assert state == "different"
    assert found[0].startswith("versions: recorded ")
    assert "'term/fixed': 1" in found[0].partition("derived ")[2]
