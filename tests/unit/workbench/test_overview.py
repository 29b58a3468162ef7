"""A rulebook laid open: everything in force on a day, each with where it comes from."""

from __future__ import annotations

import json
from datetime import date

import pytest

from every_case import for_every
from holdback import ConfigurationError, load_jurisdictions
from holdback.exact.exact_json import write_json
from holdback.tools.workbench.overview import in_words, overview
from small_folders import changed, child, country, loaded, rule

NOW = date(2026, 7, 1)
BUNDLED = load_jurisdictions()


def shown(code="NL", on=NOW, files=None, **others):
    return overview(loaded(NL=files or country(), **others)[code], on)


def test_who_and_when():
    """
    The overview has everything in force, with file and line.
    """
    found = shown()
    digest = loaded(NL=country()).resolve("NL", on=NOW).digest

    assert {key: found[key] for key in list(found)[:9]} == {
        "jurisdiction": "NL",
        "name": "Land of NL",
        "on": "2026-07-01",
        "since": "2026-01-01",
        "until": None,
        "digest": digest,
        "owner": "risk-nl",
        "review_by": "2027-06-30",
        "parents": [],
    }
    assert found["floor"] == "50%"


@pytest.mark.parametrize(
    ("on", "since", "until"),
    [
        (date(2025, 1, 1), "2025-01-01", "2026-01-01"),
        (date(2025, 12, 31), "2025-01-01", "2026-01-01"),
        (date(2026, 1, 1), "2026-01-01", None),
    ],
)
def test_since_and_until(on, since, until):
    """
    `until` is the first day on which something else is in force.
    """
    found = shown(on=on)

    assert (found["since"], found["until"]) == (since, until)


def test_settings_with_their_origin():
    """
    Every entry has the file and line that it comes from.
    """
    found = {each["name"]: each for each in shown()["settings"]}

    assert {name: each["value"] for name, each in found.items()} == {
        "currency": "EUR",
        "rounding": "half_up",
        "timezone": "Europe/Amsterdam",
        "automated_decisioning": False,
        "offers_valid_hours": 720,
        "recently_active_days": 90,
    }
    assert [each["line"] for each in found.values()] == [4, 5, 6, 7, 8, 9]
    assert {each["file"] for each in found.values()} == {"NL/jurisdiction.toml"}
    assert found["offers_valid_hours"]["source"] == "policy"
    assert found["offers_valid_hours"]["from"] == "2025-01-01"


def test_parameters_with_their_entry():
    """
    A value has the file and line of the timeline entry in force.
    """
    before, after = (shown(on=day)["parameters"] for day in (date(2025, 12, 31), date(2026, 1, 1)))

    assert before == [
        {
            "name": "minimum_performance",
            "label": "minimum performance",
            "type": "percent",
            "value": "75%",
            "source": "policy",
            "from": "2025-01-01",
            "until": "2026-01-01",
            "file": "NL/renewal.toml",
            "line": 6,
        }
    ]
    assert [(each["value"], each["line"], each["until"]) for each in after] == [("80%", 7, None)]


def test_rules_in_words():
    """
    Every rule is also given in plain words.
    """
    first, second = shown()["rules"]

    assert first == {
        "id": "on-pace",
        "code": "NL-R-01",
        "when": None,
        "require": "performance >= minimum_performance",
        "otherwise": "decline",
        "words": "Performance is at least the minimum performance of 80%.",
        "reason": "The pace is {performance}; at least {minimum_performance} is needed.",
        "source": "policy",
        "from": "2025-01-01",
        "until": None,
        "file": "NL/renewal.toml",
        "line": 10,
    }
    assert (second["otherwise"], second["line"]) == ("refer", 18)


@pytest.mark.parametrize(
    ("require", "when", "words"),
    [
        ("identity_verified", None, "The identity is verified."),
        (
            "months_trading >= 6",
            "'progress >= 60%'",
            "Where paid-down percentage is at least 60%: number of months trading is at least 6.",
        ),
    ],
)
def test_a_rule_is_given_in_plain_words(require, when, words):
    """
    Every rule is also given in plain words.
    """
    more = {} if when is None else {"when": when}
    files = changed(
        country(), "renewal.toml", "[typical]", rule("x", "NL-R-03", require, **more) + "[typical]"
    )
    files["renewal.toml"] = files["renewal.toml"].partition("[typical]")[0]
    book = loaded(NL=files).resolve("NL", on=NOW)

    assert in_words(book.renewal.rules[-1], book.catalogue) == words


def test_products():
    """
    Who may have them, and by which calculators they are priced.
    """
    (product,) = shown()["products"]

    assert product["amounts"] == ["50%", "100%"]
    assert product["calculators"] == {
        "limits": {"calculator": "fixed", "minimum": "EUR 500", "maximum": "EUR 2000"},
        "split_percentage": {"calculator": "chosen", "choices": ["10%"]},
        "factor_rate": {"calculator": "flat", "rate": "1.2"},
        "term": {"calculator": "fixed", "months": 6},
    }
    assert (product["file"], product["line"]) == ("NL/products.toml", 3)
    (its_rule,) = product["rules"]
    assert (its_rule["words"], its_rule["line"]) == ("The identity is verified.", 15)


FACT = '[facts.{}]\ntype = "{}"\ndescription = "Known to the host."\n{}\n'
OFF = 'switch_off = [{ rule = "few-missed", reason = "Not here.", from = 2026-02-01 }]\n'


def test_what_a_child_inherits_comes_from_its_parent():
    """
    Every entry has the file and line that it comes from.
    """
    mine = child(
        more='timezone = "America/Aruba"\n' + OFF + FACT.format("own", "flag", ""),
        renewal=rule("older", "NL-ZH-R-01", "months_trading >= 6 and own"),
    )
    parent = country(more=FACT.format("grade", "count", "minimum = 0\nmaximum = 9"))
    found = shown("NL-ZH", files=parent, NL_ZH=mine)
    settings = {each["name"]: (each["file"], each["line"]) for each in found["settings"]}

    assert found["parents"] == ["NL"]
    assert settings["currency"] == ("NL/jurisdiction.toml", 4)
    assert settings["timezone"] == ("NL-ZH/jurisdiction.toml", 7)
    assert settings["offers_valid_hours"] == ("NL/jurisdiction.toml", 8)
    assert [(each["id"], each["file"]) for each in found["rules"]] == [
        ("on-pace", "NL/renewal.toml"),
        ("older", "NL-ZH/renewal.toml"),
    ]
    assert [(each["name"], each["value"], each["file"]) for each in found["facts"]] == [
        ("grade", "count, 0 to 9", "NL/jurisdiction.toml"),
        ("own", "flag", "NL-ZH/jurisdiction.toml"),
    ]
    assert found["switched_off"] == [
        {
            "kind": "rule",
            "name": "few-missed",
            "reason": "Not here.",
            "from": "2026-02-01",
            "until": None,
            "file": "NL-ZH/jurisdiction.toml",
            "line": 8,
        }
    ]
    earlier = shown("NL-ZH", date(2026, 1, 31), files=parent, NL_ZH=mine)
    assert earlier["switched_off"] == []
    assert earlier["until"] == "2026-02-01"


def test_the_nearest_parent_comes_first():
    """
    `parents` lists the jurisdiction's own parent first, then that one's parent, and so on.
    """
    line = {"NL_A": child("NL-A"), "NL_B": child("NL-B", "NL-A")}

    assert shown("NL-B", **line)["parents"] == ["NL-A", "NL"]


def test_before_the_first_rule():
    """
    What is not there yet cannot be shown.
    """
    with pytest.raises(ConfigurationError, match="NL has no rules before 2025-01-01"):
        shown(on=date(2024, 12, 31))


@for_every("code", BUNDLED.codes)
def test_every_rulebook_that_ships(code):
    """
    The overview is plain values, and every entry has its place.
    """
    jurisdiction = BUNDLED[code]
    for day in jurisdiction.changes:
        found = overview(jurisdiction, day)
        assert json.loads(write_json(found))["digest"] == jurisdiction.rulebook(day).digest
        listed = [*found["settings"], *found["parameters"], *found["rules"], *found["facts"]]
        listed += [each for product in found["products"] for each in (product, *product["rules"])]
        for each in listed:
            assert each["file"].startswith("jurisdictions/")
            assert each["line"] >= 1
        for each in found["rules"]:
            assert each["words"].endswith(".")
            assert each["words"][0].isupper()
