"""The commands show, diff, replay, new and schema."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from datetime import date

import pytest
from invocation import invoke, spoil

from every_case import for_every
from holdback import wire
from holdback.exact.exact_json import write_json
from holdback.jurisdictions import load_jurisdictions
from holdback.tools.example_run import run_examples
from holdback.tools.workbench.schemas import KINDS, schema
from journey import Journey
from small_folders import changed, child, country, loaded, rule, write

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
        "Owner risk-nl-zh, review by 2027-06-30, under NL\nDigest sha256:"
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
        (("NL", "--on", "2026-07-01", "--format", "pdf"), "Invalid value for '--format'"),
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
    assert [(each["kind"], each["name"]) for each in found] == [
        ("parameter", "minimum_performance"),
        ("rule", "on-pace (NL-R-01)"),
        ("effect", "renewal rules"),
        ("effect", "rules of flex"),
    ]
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


def test_diff_says_what_a_change_means(overlay):
    """
    Whether the rules are stricter or looser for every deal that can exist, and a deal that shows it
    as an example to paste.
    """
    lines = mine(
        "diff", "NL", "--from", "2025-12-31", "--to", "2026-01-01", overlay=overlay
    ).output.splitlines()
    start = lines.index("  renewal rules are stricter: no deal gains, some lose")

    assert lines[start + 1 :] == [
        "      deals move: accepted to declined, referred to declined",
        "      lost: the typical deal, but performance 79% (75% to 79.9999%)",
        "          eligible before, ineligible (NL-R-01) after",
        "          [[examples]]",
        '          name = "performance: eligible before, ineligible now"',
        "          on = 2026-01-01",
        '          given = { performance = "79%" }',
        '          expect = { outcome = "ineligible", codes = ["NL-R-01"] }',
        "  rules of flex are equivalent: the same deals pass",
    ]


def test_diff_for_machines_says_what_a_change_means(overlay):
    """
    In JSON an effect has the keys of a difference, with the deals that show it.
    """
    days = ("--from", "2026-01-01", "--to", "2025-12-31", "--format", "json")
    (found,) = json.loads(mine("diff", "NL", *days, overlay=overlay).output).values()
    renewal, flex = (item for item in found if item["kind"] == "effect")
    (deal,) = renewal["deals"]

    assert (renewal["state"], renewal["name"], renewal["details"]) == (
        "looser",
        "renewal rules",
        [],
    )
    assert (flex["state"], flex["product"], flex["deals"]) == ("equivalent", "flex", [])
    assert renewal["moves"] == [["declined", "accepted"], ["declined", "referred"]]
    assert deal["change"] == "gained"
    assert deal["facts"]["performance"] == "79%"
    assert deal["before"] == {"outcome": "ineligible", "codes": ["NL-R-01"]}
    assert deal["after"] == {"outcome": "eligible"}
    assert deal["example"].startswith("[[examples]]\n")


def test_diff_says_that_prices_are_not_compared(tmp_path):
    """
    A product whose calculators changed has equivalent rules, and a line about its prices.
    """
    dearer = changed(country(), "products.toml", '"flat", rate = "1.2"', '"flat", rate = "1.3"')
    dearer["products.toml"] = dearer["products.toml"].partition("[typical]")[0]
    old, new = write(tmp_path / "old", NL=country()), write(tmp_path / "new", NL=dearer)
    lines = invoke("diff", old, new, "--on", "2026-02-01").output.splitlines()

    assert lines[-3:] == [
        "  renewal rules are equivalent: the same deals pass",
        "  rules of flex are equivalent: the same deals pass",
        "      its prices changed, and are not compared",
    ]


def test_diff_says_that_rules_for_each_offer_are_not_compared(tmp_path):
    """
    They take offers away, and nothing from the deals that pass: the lines say which changed.
    """
    rule = (
        '[[products.offer_rules]]\nid = "rate-cap"\ncode = "NL-P-90"\nrequire = "apr <= 60%"\n'
        'reason = "It costs too much."\nsource = "policy"\n\n'
    )
    bounded = changed(country(), "products.toml", "[typical]\n", f"{rule}[typical]\n")
    looser = changed(bounded, "products.toml", "60%", "70%")
    old, new = write(tmp_path / "old", NL=bounded), write(tmp_path / "new", NL=looser)
    said = invoke("diff", old, new, "--on", "2026-02-01").output

    assert "rule for each offer flex: rate-cap (NL-P-90)" in said
    assert "its prices changed" not in said
    assert said.splitlines()[-2:] == [
        "  rules of flex are equivalent: the same deals pass",
        "      its rules for each offer changed, and are not compared",
    ]


def test_diff_lists_the_changes_between_two_days(tmp_path):
    """
    Where rules change more than once between two days, each change is a step of its own.
    """
    text = changed(
        country(),
        "renewal.toml",
        '  { from = 2026-01-01, value = "80%", source = "policy" },\n',
        '  { from = 2026-01-01, value = "80%", source = "policy" },\n'
        '  { from = 2026-03-01, value = "75%", source = "policy" },\n',
    )
    text["renewal.toml"] = text["renewal.toml"].partition("[[examples]]")[0]
    shelf = write(tmp_path / "shelf", NL=text)

    def shown(start, end):
        return mine("diff", "NL", "--from", start, "--to", end, overlay=shelf)

    back = shown("2025-12-31", "2026-03-01")
    assert back.exit_code == 1
    assert [line for line in back.output.splitlines() if "NL from" in line] == [
        "NL from 2025-12-31 to 2026-01-01",
        "NL from 2026-02-28 to 2026-03-01",
    ]
    assert "  renewal rules are looser: some deals gain, none loses" in back.output.splitlines()
    one = shown("2026-01-31", "2026-03-31").output.splitlines()
    assert [line for line in one if "NL from" in line] == ["NL from 2026-01-31 to 2026-03-31"]


def test_every_example_that_diff_gives_passes(tmp_path):
    """
    What is pasted into the file of the rules after the change is valid, and passes.
    """
    looser = changed(country(), "renewal.toml", 'value = "80%"', 'value = "70%"')
    looser = changed(looser, "products.toml", 'identity_verified",', 'months_trading >= 2",')
    old, new = write(tmp_path / "old", NL=country()), write(tmp_path / "new", NL=looser)
    (found,) = json.loads(
        invoke("diff", old, new, "--on", "2026-02-01", "--format", "json").output
    ).values()
    examples = {
        file: [
            deal["example"] for item in found if item.get("name") == name for deal in item["deals"]
        ]
        for file, name in (
            ("renewal.toml", "renewal rules"),
            ("products.toml", "rules of flex"),
        )
    }

    assert [len(texts) for texts in examples.values()] == [1, 2]
    pasted = {
        name: "\n".join([text.partition("[[examples]]")[0], *examples.get(name, ())])
        for name, text in looser.items()
    }
    runs = [*run_examples(loaded(NL=pasted)["NL"])]
    assert len(runs) == 3
    assert all(run.passed for run in runs), [[*run.lines()] for run in runs]


def test_diff_of_two_jurisdictions(overlay):
    """
    A child is compared with its parent on one day; other names are codes.
    """
    ran = mine("diff", "NL", "NL-ZH", "--on", "2026-07-01", overlay=overlay)
    lines = ran.output.splitlines()

    assert ran.exit_code == 1
    assert lines[0] == "NL to NL-ZH on 2026-07-01"
    assert "  removed rule few-missed (NL-R-02)" in lines
    assert "  renewal rules are incomparable: some deals gain, some lose" in lines
    assert "          given = { missed_remittances_30d = 4 }" in lines
    same = mine("diff", "NL", "NL", "--on", "2026-07-01", overlay=overlay)
    assert (same.exit_code, same.output) == (0, "Nothing changed.\n")


def relaxed_in_a_child(folder, until_june, from_june):
    """A country with a limit of missed remittances that both share, and a child that relaxes."""
    limit = "missed_remittances_30d <= {}"
    bare, _, typical = country()["renewal.toml"].partition("[typical]")
    facts = f"[typical]{typical.partition('[[examples]]')[0]}"
    shared = [
        rule("cap", "NL-R-03", limit.format(until_june), until="2026-06-01"),
        rule("cap", "NL-R-03", limit.format(from_june), since="2026-06-01"),
    ]
    own = rule("few-missed", "NL-ZH-R-02", "missed_remittances_30d <= 3 or progress >= 85%")
    parent = {**country(), "renewal.toml": "".join([bare, *shared, facts])}
    # For the child alone to pass somebody, both treat the rule alike.
    parent = changed(parent, "renewal.toml", 'otherwise = "refer"\n', "")
    return write(folder, NL=parent, NL_ZH=child(renewal=own + facts))


@for_every(
    "until_june, from_june, effects",
    [(2, 20, ["equivalent", "looser"]), (20, 2, ["looser", "equivalent"])],
)
def test_diff_when_both_sides_change_alike(tmp_path, until_june, from_june, effects):
    """
    A rule that changes alike on both sides changes what a difference means: that day is a step. A
    day on which the meaning stays, as that of the new minimum performance, is none.
    """
    shelf = relaxed_in_a_child(tmp_path / f"{until_june}", until_june, from_june)
    steps = json.loads(mine("diff", "NL", "NL-ZH", "--format", "json", overlay=shelf).output)

    assert list(steps) == ["NL to NL-ZH from 2025-01-01", "NL to NL-ZH from 2026-06-01"]
    assert [
        item["state"]
        for items in steps.values()
        for item in items
        if item["name"] == "renewal rules"
    ] == effects
    first, second = (
        [item for item in items if item["kind"] != "effect"] for items in steps.values()
    )
    assert first == second


def test_diff_without_the_solver_repeats_no_difference(tmp_path):
    """
    Where no meaning can be shown, a day with the same differences as the one before is left out;
    with deals, it is shown if it changes for some of them what happens.
    """
    shelf = relaxed_in_a_child(tmp_path / "shelf", 2, 20)
    command = [sys.executable, "-c", WITHOUT.format(name="z3"), "diff", "NL", "NL-ZH"]
    deals = tmp_path / "deals.csv"
    deals.write_text("progress,performance,missed_remittances_30d,balance\n90%,97%,5,10.00\n")

    def titles(*more):
        arguments = [*command, "--jurisdictions", str(shelf), *more]
        ran = subprocess.run(arguments, capture_output=True, text=True, check=False)
        return [line for line in ran.stdout.splitlines() if line.startswith("NL to NL-ZH from")]

    january, june = "NL to NL-ZH from 2025-01-01", "NL to NL-ZH from 2026-06-01"
    assert titles() == [january]
    shown = titles("--portfolio", str(deals))
    assert [line for line in shown if line in {january, june}] == [january, june]
    assert [line.split()[4:7] for line in shown if " gain " in line] == [
        ["2025-01-01", "gain", "0"],
        ["2026-06-01", "gain", "1"],
    ]


def test_diff_where_only_one_side_has_typical_facts(tmp_path):
    """
    Without typical facts after the change, the deal is that of before, and its example says all of
    it; without any, the whole deal is printed.
    """
    bare = changed(country(), "renewal.toml", 'value = "80%"', 'value = "85%"')
    bare["renewal.toml"] = bare["renewal.toml"].partition("[typical]")[0]
    empty = {**country(), "renewal.toml": country()["renewal.toml"].partition("[typical]")[0]}
    old, new, none = (
        write(tmp_path / name, NL=files)
        for name, files in (("old", country()), ("new", bare), ("none", empty))
    )
    borrowed = invoke("diff", old, new, "--on", "2026-02-01").output
    told = invoke("diff", none, new, "--on", "2026-02-01").output

    assert "lost: the typical deal, but performance 80% (80% to 84.9999%)" in borrowed
    assert (
        'given = { progress = "64%", performance = "80%", missed_remittances_30d = 0 }' in borrowed
    )
    assert "lost: a deal with progress 50% (50% to 80%), performance 80% (" in told


@for_every(
    "arguments, said",
    [
        (("NL", "NL-ZX", "--on", "2026-07-01"), "did you mean `NL-ZH`?"),
        (("nl", "NL-ZH", "--on", "2026-07-01"), "did you mean `NL`?"),
        (("NL", "NL-ZH", "--from", "2026-07-01"), "compared without --from and --to"),
        (("nowhere", "NL"), "there is no folder nowhere, and it is not the code of a"),
    ],
)
def test_diff_teaches_what_may_be_compared(tmp_path, arguments, said):
    """
    A typo in a code or a folder is named, with what to write instead.
    """
    shelf = write(tmp_path / f"shelf-{len(said)}", NL=country(), NL_ZH=child())
    ran = mine("diff", *arguments, overlay=shelf)

    assert ran.exit_code == 2
    assert said in ran.output


def test_diff_of_the_folders_of_single_jurisdictions(overlay):
    """
    A folder that exists is taken for one of jurisdictions; one of a single jurisdiction is not.
    """
    ran = invoke("diff", "NL", "NL-ZH", cwd=overlay)

    assert ran.exit_code == 2
    assert "holdback diff NL OTHER --jurisdictions ." in ran.output
    assert "there is no folder older" in invoke("diff", "older", ".", cwd=overlay).output


DEALS = """\
deal_id,jurisdiction,progress,performance,missed_remittances_30d,balance
D-1,NL,64%,79.5%,0,1000.01
D-2,NL,64%,76%,0,2000.02
D-3,NL,64%,76%,9,400.00
D-4,NL,64%,90%,0,30.00
D-5,BE,64%,79%,0,5.00
"""


def test_diff_counts_the_deals_of_a_file(overlay, tmp_path):
    """
    How many deals gain and lose, and the exact sums of their balances, by currency.
    """
    deals = tmp_path / "deals.csv"
    deals.write_text(DEALS, encoding="utf-8")
    days = ("--from", "2025-12-31", "--to", "2026-01-01", "--portfolio", deals)
    text = mine("diff", "NL", *days, overlay=overlay).output
    (found,) = json.loads(
        mine("diff", "NL", *days, "--format", "json", overlay=overlay).output
    ).values()

    assert text.splitlines()[-6:] == [
        f"Deals of {deals}",
        "change                            deals that           deals      balance",
        "NL from 2025-12-31 to 2026-01-01  gain                     0     EUR 0.00",
        "NL from 2025-12-31 to 2026-01-01  lose                     2  EUR 3000.03",
        "NL from 2025-12-31 to 2026-01-01  get another outcome      1   EUR 400.00",
        "NL from 2025-12-31 to 2026-01-01  unchanged                1    EUR 30.00",
    ]
    assert [
        (item["name"], item["deals"], item["balance"]) for item in found if item["kind"] == "deals"
    ] == [
        ("gain", 0, "EUR 0.00"),
        ("lose", 2, "EUR 3000.03"),
        ("get another outcome", 1, "EUR 400.00"),
        ("unchanged", 1, "EUR 30.00"),
    ]
    bare = tmp_path / "bare.csv"
    lines = (line.split(",") for line in DEALS.splitlines())
    bare.write_text("\n".join(",".join([row[0], *row[2:]]) for row in lines), encoding="utf-8")
    everything = mine("diff", "NL", *days[:4], "--portfolio", bare, overlay=overlay).output
    assert "lose                     3  EUR 3005.03" in everything
    spoilt = mine("diff", "NL", *days[:4], "--portfolio", tmp_path / "no.csv", overlay=overlay)
    assert spoilt.exit_code == 2
    assert "The deals cannot be read" in spoilt.output


WITHOUT = """
import sys
sys.modules[{name!r}] = None
from holdback.cli.commands import holdback
holdback()
"""


@pytest.mark.parametrize(
    ("name", "more", "code", "said"),
    [
        ("z3", (), 1, "needs z3: pip install 'holdback[proof]'"),
        ("duckdb", ("--portfolio", "deals.csv"), 1, "needs duckdb: pip install 'holdback[port"),
    ],
)
def test_diff_without_an_extra(overlay, name, more, code, said):
    """
    Without the solver it goes on as before, and says what to install.
    """
    days = ("--from", "2025-12-31", "--to", "2026-01-01", "--jurisdictions", overlay)
    command = [sys.executable, "-c", WITHOUT.format(name=name), "diff", "NL", *days, *more]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (ran.returncode, len(ran.stderr.splitlines())) == (code, 1)
    assert said in ran.stderr
    if not more:
        assert ran.stdout.splitlines()[1] == "  changed parameter minimum_performance"
        assert "renewal rules" not in ran.stdout


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
    assert ran.output.startswith("NL on 2026-07-01: the same\nDigest sha256:")
    assert json.loads(plain.output)["state"] == "the same"


def test_replay_of_an_event(overlay, record, tmp_path):
    """
    An event with an assessment is replayed too; it is checked against its checksum.
    """
    path = tmp_path / "event.json"
    path.write_text(
        f'{{"type": "OffersIssued", "format": 1, "assessment": {record().read_text()}}}'
    )
    none = tmp_path / "none.json"
    none.write_text('{"type": "OffersIssued", "format": 1, "assessment": null}')
    replayed = mine("replay", path, overlay=overlay).output

    assert replayed.startswith("NL on 2026-07-01: different\n  $.at: the field is missing\n")
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
