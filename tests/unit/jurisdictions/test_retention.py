"""`retain_profile_days`: the setting that no file has to state, and that no digest covers."""

from __future__ import annotations

import pickle
from datetime import date

import pytest

from every_case import for_every
from holdback import load_jurisdictions
from holdback.jurisdictions.keys import DATED
from holdback.tools.mutants.mutation import verdicts
from holdback.tools.workbench.differences import differences
from holdback.tools.workbench.lock import Lock, LockLine, lock_errors
from holdback.tools.workbench.overview import overview
from small_folders import changed, child, country, errors_in, loaded, read, said

NAME = "retain_profile_days"
NOW = date(2026, 7, 1)
FIVE_YEARS = 1_826


def stated(*entries):
    """The setting as written, with *entries*: pairs of a day and the value."""
    written = (f'{{ from = {day}, value = {value}, source = "law" }}' for day, value in entries)
    return f"{NAME} = [{', '.join(written)}]\n"


def keeping(*entries):
    """The files of a country that states the setting."""
    return country(more=stated(*entries))


def kept(files, on=NOW):
    return read(files, "NL").rulebook(on).retain_profile_days


def test_five_years_where_no_file_says_otherwise():
    """
    Where neither its file nor a parent's states it, it is 1,826 days (decisions/documents#erasure).
    """
    assert DATED[NAME].default == FIVE_YEARS
    assert kept(country()) == FIVE_YEARS
    assert loaded(NL=country(), NL_ZH=child()).resolve("NL-ZH", on=NOW).retain_profile_days == 1_826
    for rulebook in load_jurisdictions().rulebooks():
        assert rulebook.retain_profile_days == FIVE_YEARS, rulebook.code


@for_every(
    ("on", "days"),
    [("2025-01-01", 3_652), ("2026-06-30", 3_652), ("2026-07-01", 2_557), ("2099-01-01", 2_557)],
)
def test_it_changes_by_date(on, days):
    """
    An entry is in force until the next begins.
    """
    files = keeping(("2025-01-01", 3_652), ("2026-07-01", 2_557))

    assert kept(files, date.fromisoformat(on)) == days


def test_a_child_inherits_it():
    """
    A child without the setting has its parent's; its own counts first, and goes to its children.
    """
    family = loaded(
        NL=keeping(("2025-01-01", 3_652)),
        NL_ZH=child(),
        NL_DH=child("NL-DH", more=stated(("2025-01-01", 730))),
        NL_GR=child("NL-GR", "NL-DH"),
    )
    days = {code: family.resolve(code, on=NOW).retain_profile_days for code in family.codes}

    assert days == {"NL": 3_652, "NL-ZH": 3_652, "NL-DH": 730, "NL-GR": 730}


def test_a_child_states_what_its_parent_leaves_out():
    """
    A parent without the setting keeps the default.
    """
    family = loaded(NL=country(), NL_ZH=child(more=stated(("2025-01-01", 730))))

    assert family.resolve("NL", on=NOW).retain_profile_days == FIVE_YEARS
    assert family.resolve("NL-ZH", on=NOW).retain_profile_days == 730


@for_every(("value", "valid"), [("0", True), ("36500", True), ("-1", False), ("36501", False)])
def test_its_range(value, valid):
    """
    0 to 36,500 days.
    """
    files = keeping(("2025-01-01", value))
    errors = errors_in(files, "NL")

    assert [error.message for error in errors] == [] if valid else ["expected 0 to 36500"]
    assert valid is False or kept(files) == int(value)


@for_every(
    ("written", "message", "hint"),
    [
        (f"{NAME} = 1826", "expected an array, not a whole number", "value = 1826, source"),
        (f"{NAME} = []", "expected at least one entry", "value = ..., source = ..."),
        (stated(("2025-01-01", '"1826 days"')), "expected a whole number, not text", None),
        (stated(("2025-01-01", "18.5")), "expected a whole number, not a number", None),
        (
            stated(("2026-01-01", 10)),
            f"`{NAME}` begins on 2026-01-01, and the first rule is in force on 2025-01-01",
            "let it begin on 2025-01-01",
        ),
        (
            stated(("2025-01-01", 10)).replace("value", "until = 2026-01-01, value"),
            f"`{NAME}` has no value from 2026-01-01 on",
            "leave the last `until` out",
        ),
        ("retain_profile_day = []", "unknown key `retain_profile_day`", f"did you mean `{NAME}`?"),
    ],
)
def test_an_invalid_one_is_one_error(written, message, hint):
    """
    A setting that is stated is read with as much care as one that must be; the error says where.
    """
    (error,) = errors_in(country(more=f"{written}\n"), "NL")

    assert error.message.startswith(message)
    assert (error.file, error.line) == ("NL/jurisdiction.toml", 12)
    assert hint is None or hint in error.hint


def test_a_child_with_an_invalid_parent_is_not_asked_for_it():
    """
    An optional setting is never missing, also where the parent cannot be read.
    """
    parent = keeping(("2025-01-01", -1))

    assert not any(NAME in line for line in said("NL-ZH", NL=parent, NL_ZH=child()))


@pytest.mark.parametrize("days", [0, FIVE_YEARS, 36_500])
def test_no_digest_covers_it(days):
    """
    "No digest covers `retain_profile_days`."
    """
    before, after = read(country(), "NL"), read(keeping(("2025-01-01", days)), "NL")

    for on in before.changes:
        old, new = before.rulebook(on), after.rulebook(on)
        assert old.digest == new.digest
    assert before.changes == after.changes


def test_rulebooks_that_differ_in_it_are_unequal():
    """
    "Two rulebooks that differ in it alone are still unequal."
    """
    of_default, same, longer = (
        read(files, "NL").rulebook(NOW)
        for files in (country(), keeping(("2025-01-01", 1_826)), keeping(("2025-01-01", 1_827)))
    )

    assert of_default == same
    assert hash(of_default) == hash(same)
    assert of_default != longer
    assert pickle.loads(pickle.dumps(longer)).retain_profile_days == 1_827


def test_a_lock_is_not_broken_by_it():
    """
    The locks of folders that state it later stay; the rules of the past are the same.
    """
    lines = tuple(LockLine.of(rulebook) for rulebook in loaded(NL=country()).rulebooks())
    lock = Lock(lines, through=NOW)
    later = loaded(NL=keeping(("2025-01-01", 1_826), ("2025-06-01", 3_652)))

    assert date(2025, 6, 1) in later["NL"].changes
    assert list(lock_errors(lock, later, "digests.lock")) == []


def test_it_is_shown_where_a_file_states_it():
    """
    Every entry has the file and line that it comes from; a default comes from no file.
    """
    family = loaded(NL=keeping(("2025-01-01", 3_652)), NL_ZH=child())
    shown = {entry["name"]: entry for entry in overview(family["NL-ZH"], NOW)["settings"]}
    without = overview(loaded(NL=country())["NL"], NOW)["settings"]

    assert shown[NAME]["value"] == 3_652
    assert (shown[NAME]["file"], shown[NAME]["line"]) == ("NL/jurisdiction.toml", 12)
    assert NAME not in {entry["name"] for entry in without}


def test_a_change_of_it_is_a_difference():
    """
    `holdback diff` reports a setting that is stated, changed or left out.
    """
    plain, longer, longest = (
        overview(read(files, "NL"), NOW)
        for files in (country(), keeping(("2025-01-01", 3_652)), keeping(("2025-01-01", 4_000)))
    )

    def between(before, after):
        return [(found.state, found.name, *found.details) for found in differences(before, after)]

    assert between(plain, longer) == [("added", NAME, "3652")]
    assert between(longer, longest) == [("changed", NAME, "3652 to 4000")]
    assert between(longer, plain) == [("removed", NAME, "it was 3652")]


def test_an_example_notices_a_mistake_in_it():
    """
    A value that is changed by mistake is noticed by an example that states it.
    """
    bare = keeping(("2025-01-01", 3_652))
    held = changed(
        bare,
        "jurisdiction.toml",
        "recently_active_days = 90 }",
        f"recently_active_days = 90, {NAME} = 3652 }}",
    )
    for files, state in ((bare, "survived"), (held, "noticed")):
        family = loaded(NL=files)
        became = {
            verdict.mutant.name: verdict.state
            for verdict in verdicts(family["NL"], family)
            if verdict.mutant.name.startswith(NAME)
        }
        assert became == {
            f"{NAME} from 2025-01-01: 3652 to 3653": state,
            f"{NAME} from 2025-01-01: 3652 to 3651": state,
        }


def test_an_example_may_expect_the_default():
    """
    An example holds a value that no file states, too; a wrong one is out of its range.
    """
    expect = "recently_active_days = 90 }"
    files = {
        days: changed(
            country(), "jurisdiction.toml", expect, expect.replace("}", f", {NAME} = {days} }}")
        )
        for days in (FIVE_YEARS, 36_501)
    }

    assert errors_in(files[FIVE_YEARS], "NL") == ()
    assert [error.message for error in errors_in(files[36_501], "NL")] == ["expected 0 to 36500"]
