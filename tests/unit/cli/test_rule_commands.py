"""The commands show, diff, replay, new and schema."""

from __future__ import annotations

import json
import tomllib
from datetime import date

import pytest
from invocation import invoke, spoil

from holdback import wire
from holdback.exact_json import write_json
from holdback.jurisdictions.folder import load_jurisdictions
from holdback.workbench.schemas import KINDS, schema
from journey import Journey
from small_folders import changed, child, country, rule, write

OFF = 'switch_off = [{ rule = "few-missed", reason = "Not | here." }]\n'


@pytest.fixture
def overlay(tmp_path):
    """A folder of a country and its child."""
    mine = child(more=OFF, renewal=rule("on-pace", "NL-ZH-R-01", "performance >= 90%"))
    return write(tmp_path / "shelf", NL=country(), NL_ZH=mine)


def mine(*arguments, overlay):
    return invoke(*arguments, "--jurisdictions", overlay)


# -- show


def test_show(overlay):
    """
    The resolved rulebook with the origin of each line, and each rule in plain words.
    """
    ran = mine("show", "NL-ZH", "--on", "2026-07-01", overlay=overlay)

    assert ran.exit_code == 0
    assert ran.output.startswith(
        "NL-ZH  Land of NL-ZH, on 2026-07-01  (in force from 2026-01-01 on)\n"
        "Owner risk-nl-zh, review by 2027-06-30, under NL\nDigest v2:sha256:"
    )
    for line in (
        "  currency               EUR               shelf/NL/jurisdiction.toml:4",
        "  minimum_performance  80%  shelf/NL/renewal.toml:7, from 2026-01-01, policy",
        "  NL-ZH-R-01  Performance is at least 90%.",
        "      require  performance >= 90%",
        "      on-pace, shelf/NL-ZH/renewal.toml:3, from 2025-01-01, policy",
        "  without the rule few-missed: Not | here.  shelf/NL-ZH/jurisdiction.toml:7",
        "Product flex: Cash advance  shelf/NL/products.toml:3, from 2025-01-01",
        "  factor_rate: flat (rate 1.2)",
    ):
        assert line in ran.output.splitlines(), line


def test_show_for_machines_and_in_markdown(overlay):
    """
    As JSON and as Markdown.
    """
    plain = json.loads(
        mine("show", "NL-ZH", "--on", "2026-07-01", "--format", "json", overlay=overlay).output
    )
    text = mine(
        "show", "NL-ZH", "--on", "2026-07-01", "--format", "markdown", overlay=overlay
    ).output

    assert [each["code"] for each in plain["rules"]] == ["NL-ZH-R-01"]
    assert text.startswith("# Land of NL-ZH (NL-ZH) on 2026-07-01\n")
    assert "Overlays NL." in text
    assert "- the rule `few-missed`: Not | here." in text
    for line in text.splitlines():
        if line.startswith("| NL-"):
            assert line.replace("\\|", "").count("|") == 7


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("NK", "--on", "2026-07-01"), "unknown jurisdiction `NK`"),
        (("nl-zh", "--on", "2026-07-01"), "did you mean `NL-ZH`?"),
        (("NL", "--on", "2024-12-31"), "NL has no rules before 2025-01-01"),
        (("NL", "--on", "soon"), "expected a date such as 2026-07-01"),
        (("NL",), "Missing option '--on'"),
        (("NL", "--on", "2026-07-01", "--format", "html"), "Invalid value for '--format'"),
        (("\x1b[31mNL", "--on", "2026-07-01"), "unknown jurisdiction"),
    ],
)
def test_show_misuse(overlay, arguments, said):
    """
    Exit code 2 for misuse; what was typed is escaped.
    """
    ran = mine("show", *arguments, overlay=overlay)

    assert ran.exit_code == 2
    assert said in ran.output
    assert "\x1b" not in ran.output


def test_show_of_an_invalid_folder(overlay):
    """
    Exit code 2 for misuse or a document that cannot be read.
    """
    ran = mine("show", "NL-ZH", "--on", "2026-07-01", overlay=spoil(overlay))

    assert ran.exit_code == 2
    assert "the parent `NL` has errors of its own" in ran.output


# -- diff


def test_diff_of_two_days(overlay):
    """
    What changed between two days, rule by rule, in words.
    """
    days = ("--from", "2025-12-31", "--to", "2026-01-01")
    ran = mine("diff", "NL", *days, overlay=overlay)
    plain = mine("diff", "NL", *days, "--format", "json", overlay=overlay)
    same = mine("diff", "NL", "--from", "2026-01-01", "--to", "2026-07-01", overlay=overlay)

    assert (ran.exit_code, plain.exit_code) == (1, 1)
    assert ran.output.splitlines()[:3] == [
        "NL from 2025-12-31 to 2026-01-01",
        "  changed parameter minimum_performance",
        "      75% to 80%",
    ]
    (found,) = json.loads(plain.output).values()
    assert [each["name"] for each in found] == ["minimum_performance", "on-pace (NL-R-01)"]
    assert (same.exit_code, same.output) == (0, "Nothing changed.\n")


def test_diff_of_two_folders(tmp_path):
    """
    What changed between two folders, on every day on which anything changes.
    """
    old = write(tmp_path / "old", NL=country(), BE=country("BE"))
    text = changed(country(), "renewal.toml", 'value = "80%"', 'value = "85%"')
    text["renewal.toml"] = text["renewal.toml"].partition("[typical]")[0]
    new = write(tmp_path / "new", NL=text, LU=country("LU"))
    ran = invoke("diff", old, new)

    assert ran.exit_code == 1
    assert ran.output.splitlines()[:6] == [
        "BE",
        "  removed jurisdiction Land of BE",
        "LU",
        "  added jurisdiction Land of LU",
        "NL from 2026-01-01",
        "  changed parameter minimum_performance",
    ]
    assert invoke("diff", old, old).output == "Nothing changed.\n"
    assert "NL" not in invoke("diff", old, new, "--on", "2025-12-31").output
    assert "NL on 2026-01-01" in invoke("diff", old, new, "--on", "2026-01-01").output


def test_diff_of_folders_says_when_it_is_the_same_again(tmp_path):
    """
    A difference on some days only.
    """
    old = write(tmp_path / "old", NL=country())
    text = changed(country(), "renewal.toml", 'value = "75%"', 'value = "70%"')
    text["renewal.toml"] = text["renewal.toml"].partition("[typical]")[0]
    lines = invoke("diff", old, write(tmp_path / "new", NL=text)).output.splitlines()

    assert [line for line in lines if not line.startswith(" ")] == [
        "NL from 2025-01-01",
        "NL from 2026-01-01",
    ]
    assert lines[-1] == "  No difference from this day on"


def test_diff_of_folders_whose_rules_begin_on_different_days(tmp_path):
    """
    A folder without rules yet is named, in both directions; JSON names the day alone.
    """
    early = write(tmp_path / "early", NL=country())
    text = {name: text.replace("2025-01-01", "2025-07-01") for name, text in country().items()}
    late = write(tmp_path / "late", NL=text)
    earlier = invoke("diff", early, late).output.splitlines()
    later = invoke("diff", late, early).output.splitlines()
    plain = json.loads(invoke("diff", late, early, "--format", "json").output)

    assert earlier[1] == "  OLD already has rules; NEW begins on 2025-07-01"
    assert later[1] == "  NEW already has rules; OLD begins on 2025-07-01"
    assert plain["NL from 2025-01-01"][0]["name"] == "rules before 2025-07-01"


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("NL",),
        ("NL", "--from", "2026-01-01"),
        ("NL", "--from", "2026-01-01", "--to", "soon"),
        ("NK", "--from", "2026-01-01", "--to", "2026-07-01"),
        ("NL", "--from", "2020-01-01", "--to", "2026-07-01"),
        ("NL", "--from", "2026-01-01", "--to", "2026-07-01", "--on", "2026-01-01"),
        ("NL", "nowhere"),
        ("NL", "NL-ZH", "NL"),
    ],
)
def test_diff_misuse(overlay, arguments):
    """
    Exit code 2 for misuse.
    """
    assert mine("diff", *arguments, overlay=overlay).exit_code == 2


@pytest.mark.parametrize("arguments", [(".", "NL"), (".", "."), (".", "nowhere")])
def test_diff_of_other_folders(overlay, arguments):
    """
    The folder of one jurisdiction, and a folder that does not exist.
    """
    ran = invoke("diff", *arguments, cwd=overlay)

    assert ran.exit_code == (0 if arguments == (".", ".") else 2)


# -- replay


@pytest.fixture
def record(overlay, tmp_path):
    """Writes a decision of the country, as a host stores it, with any changes."""

    def written(name="record.json", **more):
        book = load_jurisdictions(overlay).resolve("NL", on=date(2026, 7, 1))
        facts = {"progress": "60%", "performance": "70%", "missed_remittances_30d": 4}
        plain = book.assess(facts).record()
        path = tmp_path / name
        path.write_text(write_json({**plain, **more}), encoding="utf-8")
        return path

    return written


def test_replay(overlay, record):
    """
    A recorded decision is derived again.
    """
    ran = mine("replay", record(), overlay=overlay)
    plain = mine("replay", record(), "--format", "json", overlay=overlay)

    assert ran.exit_code == 0, ran.output
    assert ran.output.startswith("NL on 2026-07-01: the same\nDigest v2:sha256:")
    assert json.loads(plain.output)["state"] == "the same"


def test_replay_of_an_event(overlay, record, tmp_path):
    """
    An event with an assessment is replayed too.
    """
    path = tmp_path / "event.json"
    path.write_text(
        f'{{"type": "OffersIssued", "format": 1, "assessment": {record().read_text()}}}'
    )
    none = tmp_path / "none.json"
    none.write_text('{"type": "OffersIssued", "format": 1, "assessment": null}')

    assert mine("replay", path, overlay=overlay).output.startswith("NL on 2026-07-01: the same\n")
    assert mine("replay", none, overlay=overlay).exit_code == 2


def test_replay_of_an_event_that_was_edited(tmp_path):
    """
    What an event says against its checksum is a difference, also where no rule reads it.
    """
    journey = Journey()
    journey.ask()
    event = wire.write_event(journey.events[-1]).decode()
    issued = journey.events[-1].offer_set
    later = event.replace(f'"fingerprint":"{issued.fingerprint}"', '"fingerprint":"other"')
    assert later != event
    (tmp_path / "event.json").write_text(event)
    (tmp_path / "edited.json").write_text(later)

    ran = invoke("replay", tmp_path / "event.json")
    assert (ran.exit_code, "the same" in ran.output) == (0, True), ran.output
    ran = invoke("replay", tmp_path / "edited.json")
    assert ran.exit_code == 1
    assert "$.checksum: the document is not as it was written" in ran.output


def test_replay_of_another_document(tmp_path):
    """
    An event without a decision, a state and a list of records are refused in one sentence.
    """
    journey = Journey()
    journey.ask()
    journey.accept()
    for name, text, said in (
        ("event", wire.write_event(journey.events[-1]).decode(), "not ApplicationSubmitted"),
        ("state", wire.write_merchant(journey.merchant).decode(), "not a state"),
        ("list", "[{}]", "take one record or event out of a list"),
    ):
        (tmp_path / name).write_text(text)
        ran = invoke("replay", tmp_path / name)
        assert ran.exit_code == 2
        assert said in ran.stderr, ran.stderr


def test_replay_of_another_answer(overlay, record):
    """
    Exit code 1 if the decision is another.
    """
    ran = mine("replay", record(outcome="eligible\x1b[31m"), overlay=overlay)

    assert ran.exit_code == 1
    assert "  outcome: recorded 'eligible" in ran.output
    assert "\x1b" not in ran.output


def test_replay_without_the_rulebook(overlay, record):
    """
    No rulebook that was loaded has the digest.
    """
    path = record()
    spoil(overlay, old="<= 3", new="<= 2")
    ran = mine("replay", path, overlay=overlay)

    assert ran.exit_code == 1
    assert ran.output.startswith("No rulebook that was loaded has this digest.\n")


@pytest.mark.parametrize(
    "text", ["", "[]", "{", "{}", "null", "\ufeff{}", '{"on": 1e999999999}', "[" * 100_000]
)
def test_replay_of_an_invalid_record(overlay, tmp_path, text):
    """
    Exit code 2 for misuse.
    """
    path = tmp_path / "record.json"
    path.write_text(text, encoding="utf-8")

    assert mine("replay", path, overlay=overlay).exit_code == 2
    assert mine("replay", tmp_path / "nowhere.json", overlay=overlay).exit_code == 2


# -- new


def test_new(tmp_path):
    """
    A folder with comments to fill in.
    """
    ran = invoke("new", "SE", cwd=tmp_path)
    child_ = invoke(
        "new", "SE-AB", "--parent", "SE", "--from", "2026-05-01", "--format", "json", cwd=tmp_path
    )
    root = tmp_path / "jurisdictions"

    assert (ran.exit_code, child_.exit_code) == (0, 0)
    assert sorted(each.name for each in (root / "SE").iterdir()) == [
        "jurisdiction.toml",
        "products.toml",
        "renewal.toml",
    ]
    assert sorted(each.name for each in (root / "schema").iterdir()) == sorted(
        f"{k}.json" for k in KINDS
    )
    assert ran.output.endswith("Fill in what is empty, then: holdback check jurisdictions/SE\n")
    assert json.loads(child_.output)["written"] == [
        "jurisdictions/SE-AB/jurisdiction.toml",
        "jurisdictions/SE-AB/renewal.toml",
    ]
    for path in root.glob("*/*.toml"):
        tomllib.loads(path.read_text())
    assert invoke("check", "jurisdictions/SE", cwd=tmp_path).exit_code == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("se",), "is not a jurisdiction code; expected one such as IE or US-CA"),
        (("Sweden",), "is not a jurisdiction code"),
        (("../SE",), "is not a jurisdiction code"),
        (("SE\x1b[31m",), "is not a jurisdiction code"),
        (("SE", "--parent", "usa"), "is not a jurisdiction code"),
        (("SE", "--parent", "US"), "there is no jurisdiction US in"),
        (("SE", "--from", "soon"), "expected a date"),
        (("SE", "--from", "9999-01-01"), "is too far ahead"),
        ((), "Missing argument 'CODE'"),
    ],
)
def test_new_misuse(tmp_path, arguments, said):
    """
    Exit code 2 for misuse, and nothing is written.
    """
    ran = invoke("new", *arguments, cwd=tmp_path)

    assert ran.exit_code == 2
    assert said in ran.output
    assert "\x1b" not in ran.output
    assert list(tmp_path.iterdir()) == []


def test_new_overwrites_nothing(tmp_path):
    """
    Nothing is overwritten.
    """
    invoke("new", "SE", cwd=tmp_path)
    file = tmp_path / "jurisdictions" / "SE" / "renewal.toml"
    other = tmp_path / "jurisdictions" / "schema" / "renewal.json"
    for each in (file, other):
        each.write_text("mine")

    assert invoke("new", "SE", cwd=tmp_path).exit_code == 2
    assert invoke("new", "FI", cwd=tmp_path).exit_code == 0
    assert (file.read_text(), other.read_text()) == ("mine", "mine")


# -- schema


def test_schema(tmp_path):
    """
    A JSON Schema for each kind of file.
    """
    one = invoke("schema", "renewal")
    all_ = invoke("schema", "--format", "json")
    written = invoke("schema", "--write", tmp_path / "x")

    assert json.loads(one.output) == schema("renewal")
    assert json.loads(all_.output) == {kind: schema(kind) for kind in KINDS}
    assert written.exit_code == 0
    for kind in KINDS:
        assert json.loads((tmp_path / "x" / "schema" / f"{kind}.json").read_text()) == schema(kind)
    assert invoke("schema", "renewals").exit_code == 2
