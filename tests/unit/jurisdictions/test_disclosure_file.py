"""`disclosures.toml`: the law on disclosures of a jurisdiction, read, resolved and refused."""

from __future__ import annotations

import subprocess
import sys
from datetime import date
from fractions import Fraction

import pytest

from every_case import for_every
from holdback import load_jurisdictions
from holdback.jurisdictions.disclosure_file import MAX_PARTS
from holdback.rulebooks.regime import regime_on
from holdback.tools.mutants.mutation import EQUIVALENT, REFUSED, SURVIVED, verdicts
from holdback.tools.policy.policy_sentences import setting_sentences
from holdback.tools.workbench.differences import differences
from holdback.tools.workbench.overview import overview
from small_folders import child, country, loaded, said

LAW = """\
format = 1
law = "Wet op de kosten"
title = "Costs at {financer}"
from = 2020-03-01
rate = "actuarial"
signed = true
foot = ["Over {term}."]

[texts.financer]
meaning = "Who finances."

[facts.deals_last_year]
type = "count"
minimum = 0
maximum = 999
description = "Deals in the last year."

[[conditions]]
id = "amount"
require = "amount_financed <= EUR 1000.00"
source = "art. 1"

[[exemptions]]
id = "few-deals"
when = "deals_last_year <= 5"
source = "art. 2"
from = 2021-01-01

[[items]]
id = "charge"
label = "Finance charge"
value = "{finance_charge}"
source = "art. 3"
sentences = [
  { text = "It is {apr} a year." },
  { text = "Only {recipient_funds} are paid out.", when = "amount_financed > recipient_funds" },
]

[[items]]
id = "term"
label = "Term"
value = "{term}"
source = "art. 4"
until = 2022-01-01

[[items]]
id = "term"
label = "Estimated term"
value = "{term}"
source = "art. 5"
from = 2022-01-01

[[examples]]
name = "small"
on = 2020-03-01
given = { amount_financed = "EUR 1000.00", deals_last_year = 3 }
expect = { due = true }

[[examples]]
name = "exempt"
on = 2021-01-01
given = { amount_financed = "EUR 1000.01", deals_last_year = 3 }
expect = { due = false, decided_by = ["amount", "few-deals"] }
"""


def with_law(old="", new=""):
    assert old in LAW
    return {**country(), "disclosures.toml": LAW.replace(old, new, 1) if old else LAW}


def regimes(files):
    return loaded(NL=files)["NL"].disclosures


def test_a_regime_from_each_change_date_on():
    """
    "one `Regime` from each change date on; the regime's dates are independent of the rules' dates".
    """
    first, second, third = regimes(with_law())

    assert [it.since for it in (first, second, third)] == [
        date(2020, 3, 1),
        date(2021, 1, 1),
        date(2022, 1, 1),
    ]
    assert (first.code, first.title, first.law) == ("NL", "Costs at {financer}", "Wet op de kosten")
    assert (first.rate, first.month, first.signed) == ("actuarial", Fraction("30.4"), True)
    assert (first.required, first.overstatement_counts) == (None, False)
    assert [row.id for row in first.exemptions] == []
    assert [(row.id, row.source) for row in second.exemptions] == [("few-deals", "art. 2")]
    labels = [[item.label for item in it.items] for it in (second, third)]
    assert labels == [["Finance charge", "Term"], ["Finance charge", "Estimated term"]]
    assert dict(first.texts) == {"financer": None}
    assert first.foot == ("Over {term}.",)


def test_the_law_may_end():
    """
    A regime is dated "like everything else (`from`/`until`)": from `until` on nothing is due.
    """
    found = regimes(with_law("from = 2020-03-01\n", "from = 2020-03-01\nuntil = 2022-06-01\n"))

    assert [it.since.year for it in found] == [2020, 2021, 2022]
    assert regime_on(found, date(2022, 5, 31)) is found[2]
    assert regime_on(found, date(2022, 6, 1)) is None


def test_when_an_engine_insists_is_a_timeline():
    """
    "`required` (a timeline like other settings ...): engines insist only where a file says so".
    """
    required = (
        'required = [{ from = 2026-12-01, value = "before_acceptance", source = "art. 6" }]\n'
        'month_days = "30"\noverstatement_counts = true\n'
    )
    *_, before, since = regimes(with_law("signed = true\n", required))

    assert (before.required, since.required) == (None, "before_acceptance")
    assert (since.since, since.month) == (date(2026, 12, 1), Fraction(30))
    assert since.overstatement_counts
    assert not since.signed


def test_no_digest_covers_a_disclosure():
    """
    "never in the rules digest, as `signature` is not"; "no new slices".
    """
    with_it, without = loaded(NL=with_law())["NL"], loaded(NL=country())["NL"]

    assert with_it.changes == without.changes
    assert [it.digest for it in with_it.slices] == [it.digest for it in without.slices]
    assert all(it.disclosures == with_it.disclosures for it in with_it.slices)
    assert with_it.slices[0] != without.slices[0]
    assert with_it == loaded(NL=with_law())["NL"]


def test_a_child_inherits_the_law_of_its_parent():
    """
    "A child without the file inherits its parent's; with a file it has its own."
    """
    own = LAW.replace("Wet op de kosten", "Verordening")
    both = {"NL": with_law(), "NL-NH": child("NL-NH")}
    inherited = loaded(**both)["NL-NH"]
    replaced = loaded(**both | {"NL-NH": {**child("NL-NH"), "disclosures.toml": own}})["NL-NH"]

    assert {it.code for it in inherited.disclosures} == {"NL-NH"}
    assert [it.law for it in inherited.disclosures] == ["Wet op de kosten"] * 3
    assert {it.law for it in replaced.disclosures} == {"Verordening"}
    assert not [example for example in inherited.examples if example.of_disclosures]


WRONG = {
    "a misspelt figure in a sentence": (
        "{recipient_funds}",
        "{recipient_fund}",
        "`{recipient_fund}` is not a figure of this sentence",
        "did you mean `recipient_funds`?",
    ),
    "a misspelt figure in a condition": (
        "amount_financed <= EUR",
        "amount_finance <= EUR",
        "`amount_finance` is not a fact",
        "did you mean `amount_financed`?",
    ),
    "a text that is not stated": ("{financer}", "{finacer}", "`{finacer}`", "`financer`"),
    "a text that nothing names": (
        "Costs at {financer}",
        "Costs",
        "`financer` has no effect: no sentence names it",
        "leave it out",
    ),
    "a fact that nothing reads": (
        "deals_last_year <= 5",
        "payoffs > EUR 1.00",
        "`deals_last_year` has no effect: nothing reads it",
        "leave it out",
    ),
    "a text with the name of a figure": (
        "[texts.financer]",
        '[texts.term]\nmeaning = "m"\n[texts.financer]',
        "`term` is a figure or a fact",
        "another name",
    ),
    "a fact with the name of a figure": (
        "[facts.deals_last_year]",
        '[facts.term]\ntype = "flag"\ndescription = "d"\n[facts.deals_last_year]',
        "`term` is a built-in fact",
        "without a declaration",
    ),
    "two versions on one day": (
        "until = 2022-01-01",
        "until = 2022-01-02",
        "there is a `term` on these days already",
        "ends with `until`",
    ),
    "a part on no day of the law": (
        "from = 2021-01-01",
        "from = 2019-01-01\nuntil = 2020-03-01",
        "the law is in force on no day of this",
        "`from` and `until`",
    ),
    "a rate that the law does not ask for": (
        'rate = "actuarial"\n',
        "",
        "`apr` is the annual rate, for which this law does not ask",
        "give the method",
    ),
    "another method": ("actuarial", "actual", "unknown method `actual`", "`actuarial`"),
    "an unknown time": (
        "signed = true",
        'required = [{ from = 2026-12-01, value = "before_accepting", source = "s" }]',
        "unknown time of a disclosure `before_accepting`",
        "did you mean `before_acceptance`?",
    ),
    "braces in a label": (
        '"Term"',
        '"Term {term}"',
        "`{term}` is not a figure of this sentence",
        "it can have none",
    ),
    "a condition that is no flag": (
        "deals_last_year <= 5",
        "deals_last_year",
        "expected a flag, not a count",
        "compare it with something",
    ),
    "an unknown condition": (
        '"few-deals"]',
        '"few-deal"]',
        "unknown condition `few-deal`",
        "did you mean `few-deals`?",
    ),
    "due, and decided against": (
        "expect = { due = true }",
        'expect = { due = true, decided_by = ["amount"] }',
        "it is due, so nothing decides against it",
        "leave it out",
    ),
    "an example with an unknown fact": (
        'given = { amount_financed = "EUR 1000.00"',
        'given = { amount = "EUR 1000.00"',
        "unknown fact `amount`",
        "",
    ),
    "a newer format": ("format = 1", "format = 2", "this file was written for a newer", "format 1"),
}


@for_every("mistake", WRONG)
def test_an_error_teaches(mistake):
    """
    "Errors teach as elsewhere": what is wrong, where, and what to write.
    """
    old, new, message, hint = WRONG[mistake]
    lines = said("NL", NL=with_law(old, new))

    assert len(lines) == 1
    assert lines[0].startswith("NL/disclosures.toml:")
    assert message in lines[0]
    assert hint in lines[0]


# Errors of every kind, of which none hides another.
AT_ONCE = {
    "Costs at {financer}": "Costs at {finance} and {term} and {terms}",
    "signed = true": "signed = 3",
    "Over {term}.": "Over {t}.",
    "amount_financed <= EUR": "amount_finance <= EUR",
    "deals_last_year <= 5": "deals_last_years <= 5",
    "from = 2022-01-01": "from = 2022-01-02",
    "expect = { due = true }": "expect = { due = 1 }",
}


def test_all_errors_are_said_at_once():
    """
    "all at once": with file and line, also what has no effect, and next to errors of other files.
    """
    law = LAW
    for old, new in AT_ONCE.items():
        law = law.replace(old, new, 1)
    files = {**country(), "disclosures.toml": law}
    lines = said("NL", NL=files)

    assert all(line.startswith("NL/disclosures.toml:") for line in lines)
    for part in (
        "`{finance}` is not a figure",
        "`{terms}` is not a figure",
        "$.signed: expected `true` or `false`",
        "`{t}` is not a figure",
        "`amount_finance` is not a fact",
        "`deals_last_years` is not a fact",
        "$.examples[0].expect.due: expected",
    ):
        assert [part in line for line in lines].count(True) == 1, part
    assert len(lines) == 7
    del files["products.toml"]
    assert {*lines} < {*said("NL", NL=files)}


def test_what_has_no_effect_is_said_next_to_other_errors():
    """
    What does not hang on an error is checked despite it: a day without an item, a text in vain.
    """
    unused = '[texts.unused]\nmeaning = "m"\n[texts.financer]'
    late = LAW.replace('"art. 3"', '"art. 3"\nfrom = 2021-06-01').replace(
        "until = 2022-01-01", "from = 2020-06-01\nuntil = 2022-01-01"
    )
    files = {**country(), "disclosures.toml": late.replace("signed = true", "signed = 3")}
    files["disclosures.toml"] = files["disclosures.toml"].replace("[texts.financer]", unused)
    lines = "\n".join(said("NL", NL=files))
    assert "there is no item on 2020-03-01" in lines
    assert "`unused` has no effect" in lines
    assert "`financer` has no effect" not in lines
    assert "$.signed" in lines


def test_a_child_writes_the_figures_of_an_inherited_law_in_its_own_way():
    """
    A regime that a child inherits has the number format of the child.
    """
    own = child("NL-NH")
    own["jurisdiction.toml"] += FRISIAN
    files = {"NL": with_law(), "NL-NH": own, "NL-ZH": child("NL-ZH")}
    found = loaded(**files)
    formats = {code: found[code].disclosures[0].number_format for code in files}
    assert formats["NL-ZH"] == formats["NL"] != formats["NL-NH"]
    assert formats["NL-NH"].percent == "{number} procent"


FRISIAN = """
[figures]
decimal = ","
group = "."
money = "{amount} EUR"
percent = "{number} procent"
date = "{day}.{month}.{year}"
"""


def test_every_day_has_an_item():
    """
    "no item": a disclosure shows something on every day of the law.
    """
    before = LAW.partition("[[items]]")[0]
    for items, message in (("items = []\n", "expected at least one item"), ("", "`items` is")):
        lines = said("NL", NL={**country(), "disclosures.toml": items + before})
        assert [message in line for line in lines] == [True]
    late = LAW.replace('"art. 3"', '"art. 3"\nfrom = 2021-06-01').replace(
        "until = 2022-01-01", "from = 2020-06-01\nuntil = 2022-01-01"
    )
    (line,) = said("NL", NL={**country(), "disclosures.toml": late})
    assert "there is no item on 2020-03-01" in line


def test_a_file_is_bounded():
    """
    A hostile file costs little: it has at most a hundred parts of a kind.
    """
    item = '\n[[items]]\nid = "i{0}"\nlabel = "L"\nsource = "s"\n'
    many = "".join(item.format(place) for place in range(MAX_PARTS))
    (line,) = said("NL", NL={**country(), "disclosures.toml": LAW + many})

    assert f"expected at most {MAX_PARTS}" in line


def test_nothing_is_loaded_for_a_jurisdiction_without_such_a_law():
    """
    "`import holdback` must not load the reader or `holdback.disclosures` until a folder with such
    a file is read".
    """
    script = (
        "import sys, holdback\n"
        "holdback.load_jurisdictions()['JP'].slices\n"
        "def own(): return [m for m in sys.modules if 'disclosure' in m]\n"
        "assert not own(), own()\n"
        "assert holdback.load_jurisdictions()['US-CA'].disclosures and own()\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


def test_the_law_of_california():
    """
    "California's law holds from 2022-12-09 although the rulebook begins in 2024".
    """
    california = load_jurisdictions()["US-CA"]
    (regime,) = california.disclosures

    assert (regime.since, california.changes[0]) == (date(2022, 12, 9), date(2024, 1, 1))
    assert regime.number_format.money == "${amount}"
    assert "factor rate" not in str(regime.items).lower()
    with pytest.raises(AttributeError):
        regime.since = date(2020, 1, 1)


def test_show_and_diff_tell_of_the_law():
    """
    "`show` and `diff` tell of the regime in one line each".
    """
    country_with_law = loaded(NL=with_law())["NL"]
    before, after = (overview(country_with_law, date(year, 3, 1)) for year in (2025, 2026))
    (said_of_it,) = [each for each in before["settings"] if each["name"] == "disclosures"]

    said = "2 lines since 2022-01-01, by Wet op de kosten; not required, signed"
    assert said_of_it["value"] == said
    assert said_of_it["file"] == "NL/disclosures.toml"
    ended = loaded(NL=with_law("signed = true", "until = 2026-01-01"))["NL"]
    changes = [
        (each.kind, each.name, each.state)
        for each in differences(
            overview(ended, date(2025, 3, 1)), overview(ended, date(2026, 3, 1))
        )
    ]
    assert ("setting", "disclosures", "removed") in changes
    assert after["settings"] == before["settings"]


@pytest.mark.parametrize(
    ("kept", "setting", "sentence"),
    [
        (
            "signed = true",
            "not required, signed",
            "Nothing waits for it, and the merchant signs it",
        ),
        (
            (
                'required = [{ from = 2020-03-01, value = "before_funding", source = "s" }]\n'
                "signed = false"
            ),
            "required before funding, not signed",
            "It is required before the funding, and nobody signs it",
        ),
    ],
)
def test_the_policy_says_whether_it_is_required_and_signed(kept, setting, sentence):
    """
    A lender reads by which law and since when an offer is disclosed, what waits for it, and
    whether the merchant signs it.
    """
    on = date(2025, 3, 1)
    jurisdiction = loaded(NL=with_law("signed = true", kept))["NL"]
    said = dict(setting_sentences(jurisdiction.rulebook(on)))
    assert said["disclosures"] == (
        "Since 1 January 2022 an offer comes with a disclosure of its costs, by: Wet op de kosten. "
        f"{sentence}."
    )
    settings = {each["name"]: each["value"] for each in overview(jurisdiction, on)["settings"]}
    assert settings["disclosures"].endswith(f"; {setting}")


def test_mutants_of_conditions():
    """
    "`holdback test --mutate` mutates conditions and exemptions": without an example each survives,
    but for one that no offer can tell from the file.
    """
    files = with_law("deals_last_year <= 5", "deals_last_year == 0")
    files["disclosures.toml"] = files["disclosures.toml"].partition("[[examples]]")[0]
    with_it = loaded(NL=files)
    states = {
        verdict.mutant.name.removeprefix("disclosure "): verdict.state
        for verdict in verdicts(with_it["NL"], with_it)
        if verdict.mutant.name.startswith("disclosure ")
    }

    assert states.pop("few-deals: deals_last_year <= 0") == EQUIVALENT
    assert {"amount: left out", "few-deals: left out"} < set(states)
    assert set(states.values()) <= {SURVIVED, REFUSED}
