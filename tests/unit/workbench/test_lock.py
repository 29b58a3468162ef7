"""`digests.lock`: history cannot change unseen."""

from __future__ import annotations

from datetime import date

import pytest

from every_case import for_every
from holdback import load_jurisdictions
from holdback.tools.workbench.lock import (
    HEADER,
    Lock,
    LockLine,
    lines_not_locked,
    lines_to_add,
    lock_errors,
    read_lock,
)
from small_folders import changed, child, country, loaded, parameter, without_example

START, CHANGE, NOW = date(2025, 1, 1), date(2026, 1, 1), date(2026, 7, 6)
HINT = "history is added to, never edited: undo the change, and give the new value a later `from`"
DIGEST = "sha256:" + "0" * 64


def lock_of(family, on=NOW):
    """The text of a lock of *family* on the day *on*."""
    return HEADER + "".join(
        f"{line}\n" for line in lines_to_add(Lock(), lines_not_locked(Lock(), family, on), on)
    )


def said(family, text, on=None):
    """What is wrong with *family* by the lock *text*: line, message, hint."""
    lock, errors = read_lock(text, "x/digests.lock")
    assert errors == ()
    found = list(lock_errors(lock, family, "x/digests.lock", on))
    assert {each.file for each in found} <= {"x/digests.lock"}
    return [(each.line, each.message, each.hint) for each in found]


def with_change(day, value="85%", files=None):
    """The country NL with one more value of its parameter from *day* on."""
    return changed(
        files or country(),
        "renewal.toml",
        '  { from = 2026-01-01, value = "80%", source = "policy" },',
        '  { from = 2026-01-01, value = "80%", source = "policy" },\n'
        f'  {{ from = {day}, value = "{value}", source = "policy" }},',
    )


def test_what_is_written():
    """
    `digests.lock` has one line for each jurisdiction and past change date
    (decisions/jurisdiction-folders).
    """
    family = loaded(NL=country(), NL_ZH=child())
    lines = lock_of(family).splitlines()

    assert lines[:2] == HEADER.splitlines()
    assert lines[2:] == [
        *(
            f"{code} {day} {family.resolve(code, on=day).digest}"
            for code in ("NL", "NL-ZH")
            for day in (START, CHANGE)
        ),
        "through 2026-07-06",
    ]


def test_what_is_yet_to_come_is_not_locked():
    """
    `holdback lock` appends the changes that have begun by the day.
    """
    family = loaded(NL=country())

    assert [each.since for each in lines_not_locked(Lock(), family, date(2024, 12, 31))] == []
    assert [each.since for each in lines_not_locked(Lock(), family, START)] == [START]
    assert [each.since for each in lines_not_locked(Lock(), family, date(2025, 12, 31))] == [START]
    assert [each.since for each in lines_not_locked(Lock(), family, CHANGE)] == [START, CHANGE]


def test_what_is_read_is_what_was_written():
    """
    The code, the day, the digest.
    """
    family = loaded(NL=country())
    lock, errors = read_lock(lock_of(family), "digests.lock")

    assert errors == ()
    assert lock.through == NOW
    assert [(each.code, each.since, each.line) for each in lock.lines] == [
        ("NL", START, 3),
        ("NL", CHANGE, 4),
    ]
    assert [each.digest for each in lock.lines] == [each.digest for each in family.rulebooks()]
    assert lock.of("NL") == lock
    assert lock.of("BE").lines == ()


def test_nothing_is_wrong_with_what_has_not_changed():
    """
    Comments, layout and prose leave the lock valid (decisions/jurisdiction-folders).
    """
    text = lock_of(loaded(NL=country()))
    prose = changed(country(), "renewal.toml", "Missed:", "You missed")
    examples = without_example(country(), "four missed")

    for files in (country(), prose, examples):
        assert said(loaded(NL=files), text, NOW) == []


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        ('value = "75%"', 'value = "74%"', {3: START}),
        ('value = "80%"', 'value = "81%"', {4: CHANGE}),
        ("<= 3", "<= 2", {3: START, 4: CHANGE}),
    ],
)
def test_a_changed_past(old, new, lines):
    """
    A changed digest of a past slice is an error.
    """
    text = lock_of(loaded(NL=country()))
    files = country()
    files["renewal.toml"] = files["renewal.toml"].replace(old, new).partition("[typical]")[0]

    assert said(loaded(NL=files), text) == [
        (line, f"the rules of NL on {day} are not those that were locked", HINT)
        for line, day in lines.items()
    ]


def test_a_past_that_was_moved():
    """
    A change that is inserted between two others, or before the first, is an error
    (decisions/jurisdiction-folders).
    """
    text = lock_of(loaded(NL=country()))
    between = changed(
        country(),
        "renewal.toml",
        '  { from = 2026-01-01, value = "80%"',
        (
            '  { from = 2025-06-01, value = "76%", source = "policy" },\n  { from = 2026-01-01, '
            'value = "80%"'
        ),
    )
    earlier = {name: part.replace("2025-01-01", "2024-06-01") for name, part in country().items()}

    assert said(loaded(NL=between), text) == [
        (3, "NL has changed on 2025-06-01, in the past that was locked", HINT)
    ]
    assert said(loaded(NL=earlier), text) == [
        (3, "NL has rules from 2024-06-01 on, before what was locked", HINT)
    ]


@pytest.mark.parametrize(
    ("day", "past"),
    [("2026-01-02", True), ("2026-07-06", True), ("2026-07-07", False), ("2030-01-01", False)],
)
def test_a_change_after_the_last_line_and_before_the_lock(day, past):
    """
    The past is protected up to the day of the lock.
    """
    text = lock_of(loaded(NL=country()))
    family = loaded(NL=with_change(day))
    expected = [(4, f"NL has changed on {day}, in the past that was locked", HINT)]

    assert said(family, text) == (expected if past else [])


def test_a_change_that_was_taken_back():
    """
    A change that was locked and is there no more.
    """
    text = lock_of(loaded(NL=with_change("2026-05-01")))
    (error,) = said(loaded(NL=country()), text)

    assert error == (5, "the rules of NL on 2026-05-01 are not those that were locked", HINT)


def test_a_later_beginning():
    """
    Rules that began earlier, when they were locked.
    """
    text = lock_of(loaded(NL=country()))
    later = {name: part.replace("2025-01-01", "2025-06-01") for name, part in country().items()}

    assert said(loaded(NL=later), text)[0] == (
        3,
        "NL had rules on 2025-01-01, and has none now",
        HINT,
    )


def test_a_jurisdiction_that_is_gone():
    """
    A locked jurisdiction that no longer exists is an error: its rules explain past decisions.
    """
    text = lock_of(loaded(NL=country(), NL_ZH=child()))

    ((line, message, hint),) = said(loaded(NL=country()), text)

    assert (line, message) == (
        5,
        "NL-ZH is locked, and there is no such jurisdiction that can be read",
    )
    assert hint.startswith("keep the jurisdiction")


def test_what_is_not_locked_yet():
    """
    With the current day, a change that has begun and is not locked is an error
    (decisions/jurisdiction-folders).
    """
    text = lock_of(loaded(NL=country()), CHANGE)
    family = loaded(NL=with_change("2026-05-01"), BE=country("BE"))

    assert said(family, text) == []
    assert said(family, text, date(2026, 4, 30)) == [
        (
            None,
            f"BE changed on {day}, which is not locked yet",
            "run `holdback lock x --on 2026-04-30`",
        )
        for day in (START, CHANGE)
    ]
    assert [each[1] for each in said(family, text, date(2026, 5, 1))][-1] == (
        "NL changed on 2026-05-01, which is not locked yet"
    )


def test_a_parent_that_changes_breaks_the_childs_past():
    """
    A change of a parent changes the digests of its children (decisions/jurisdiction-folders).
    """
    mine = child(renewal=parameter("minimum_performance", "percent", ("2025-01-01", '"90%"')))
    text = lock_of(loaded(NL=country(), NL_ZH=mine))
    files = changed(country(), "renewal.toml", "<= 3", "<= 4")
    files["renewal.toml"] = files["renewal.toml"].partition("[typical]")[0]

    broken_of = [each[1].split()[3] for each in said(loaded(NL=files, NL_ZH=mine), text)]
    assert broken_of == ["NL", "NL", "NL-ZH"]


@for_every(
    "line",
    [
        "NL",
        "NL 2026-01-01",
        f"NL 2026-02-30 {DIGEST}",
        f"NL 2026-01-01 {DIGEST}0",
        f"NL 2026-01-01 {DIGEST[:-1]}",
        f"NL 2026-01-01 {DIGEST.upper()}",
        f"nl 2026-01-01 {DIGEST}",
        f"NL 01.01.2026 {DIGEST}",
        f" NL 2026-01-01 {DIGEST}",
        f"NL  2026-01-01 {DIGEST}",
        f"NL 2026-01-01 {DIGEST} x",
        f"NL 2026-01-01 {DIGEST} x",
        f"NL 2026-01-01 {DIGEST} term/fixed=0",
        f"NL 2026-01-01 {DIGEST}  term/fixed=2",
        f"NL 2026-01-01 v3:{DIGEST}",
        "format",
        "format x",
        "format 0",
        f"NL ٢٠٢٦-01-01 {DIGEST}",
        "through",
        "through 2026-02-30",
        "<<<<<<< HEAD",
        "\x00",
        "x" * 10_000,
    ],
)
def test_what_is_no_line(line):
    """
    A line of the lock that cannot be read is an error with its place, and the other lines are read.
    """
    lock, (error,) = read_lock(f"{HEADER}NL 2025-01-01 {DIGEST}\n{line}\n", "digests.lock")

    assert (error.file, error.line) == ("digests.lock", 4)
    assert error.message.startswith("cannot read this line of the lock: `")
    assert error.message.isprintable()
    assert error.hint == "restore the file; a line is a code, a day and a digest"
    assert lock.lines == (LockLine("NL", START, DIGEST, 3),)


def test_a_line_twice():
    """
    A second line for one jurisdiction and day is an error.
    """
    one, other = f"NL 2025-01-01 {DIGEST}", f"NL 2025-01-01 {DIGEST[:-1]}1"
    lock, (error,) = read_lock(f"{one}\n\n# note\n{other}\n", "digests.lock")

    assert (error.line, error.message) == (4, "NL has a line for 2025-01-01 already")
    assert [each.digest for each in lock.lines] == [DIGEST]


def test_windows_lines_and_an_empty_file():
    """
    What another editor writes is read all the same.
    """
    assert read_lock("", "x") == (Lock(), ())
    lock, errors = read_lock(f"NL 2025-01-01 {DIGEST}\r\nthrough 2026-01-01\r\n", "x")

    assert errors == ()
    assert (len(lock.lines), lock.through) == (1, CHANGE)


@pytest.mark.parametrize(
    ("through", "on", "lines"),
    [
        (None, NOW, ["through 2026-07-06"]),
        (date(2026, 7, 5), NOW, ["through 2026-07-06"]),
        (NOW, NOW, []),
        (date(2027, 1, 1), NOW, []),
    ],
)
def test_the_day_is_moved_on_only(through, on, lines):
    """
    The day up to which the lock is complete only moves forward.
    """
    assert lines_to_add(Lock((), through), [], on) == lines


def test_the_latest_day_counts():
    """
    Lines are added: each later one says more.
    """
    lock, _ = read_lock("through 2026-07-06\nthrough 2026-01-01\n", "x")

    assert lock.through == NOW


# -- versions


def test_new_lines_follow_those_that_are_there():
    """
    Lines that are added to an older lock have the digests of its changes since.
    """
    family = loaded(NL=with_change("2026-05-01"))
    before = lock_of(loaded(NL=country()), CHANGE)
    lock, _ = read_lock(before, "x")
    added = lines_to_add(lock, lines_not_locked(lock, family, NOW), NOW)
    digest = family.resolve("NL", on=NOW).digest

    assert added == [f"NL 2026-05-01 {digest}", "through 2026-07-06"]
    later, errors = read_lock(before + "\n".join(added), "x")
    assert (errors, later.format, later.through) == ((), 1, NOW)
    assert list(lock_errors(later, family, "x", NOW)) == []
    assert lines_to_add(later, lines_not_locked(later, family, NOW), date(2026, 7, 7)) == [
        "through 2026-07-07"
    ]


def seasonal():
    """The country NL, whose term comes from a calculator of the host."""
    files = {name: text.partition("[typical]")[0] for name, text in country().items()}
    return loaded(
        NL=changed(files, "products.toml", '"fixed", months = 6', '"seasonal", months = 6')
    )


@pytest.mark.parametrize(("version", "written"), [(1, ""), (3, " term/seasonal=3"), (None, "?")])
def test_versions_that_are_not_1_are_in_the_line(version, written):
    """
    A line has the versions that its digest covers where they are not 1
    (decisions/jurisdiction-folders#lock).
    """
    family = seasonal() if version is None else seasonal().with_versions({"term/seasonal": version})
    text = lock_of(family)
    line = text.splitlines()[2]

    assert (
        line.partition(family.resolve("NL", on=START).digest)[2].strip()
        == (" term/seasonal=?" if written == "?" else written).strip()
    )
    assert read_lock(text, "x")[0].lines[0].versions == (
        () if version == 1 else (("term/seasonal", version),)
    )


@pytest.mark.parametrize("locked", [1, 2, None])
@pytest.mark.parametrize("present", [1, 2, None])
def test_a_new_version_of_a_calculator_does_not_break_the_lock(locked, present):
    """
    The lock guards the files: with the versions in its lines they are verified for ever.
    """

    def of(version):
        return seasonal().with_versions({} if version is None else {"term/seasonal": version})

    assert said(of(present), lock_of(of(locked)), NOW) == []
    edited = lock_of(of(locked)).replace("=2", "=3").replace("=?", "=3")
    assert bool(said(of(present), edited)) == (locked != 1)


def test_a_newer_lock():
    """
    A lock of a newer format is refused as exactly that, and nothing else is said about it.
    """
    text = f"{HEADER}NL 2025-01-01 {DIGEST}\nformat 2\nNL since 2026 a digest\n"
    lock, (error,) = read_lock(text, "x/digests.lock")

    assert (error.line, error.message, error.hint) == (
        4,
        "this lock was written by a newer version of holdback: format 2",
        "this version reads the formats up to 1",
    )
    assert list(lock_errors(lock, loaded(NL=country()), "x/digests.lock", NOW)) == []


def test_the_lock_that_ships_is_whole():
    """
    The shipped lock has every past change.
    """
    from holdback.jurisdictions.folder import bundled_path

    text = (bundled_path() / "digests.lock").read_text(encoding="utf-8")
    assert said(load_jurisdictions(), text) == []
