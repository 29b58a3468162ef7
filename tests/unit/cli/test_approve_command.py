"""`holdback approve`: who approved the text of a policy page, and what becomes of it later."""

from __future__ import annotations

import json
from datetime import date

import pytest
from invocation import invoke

from every_case import for_every
from holdback import ConfigurationError, InvalidDocument, load_jurisdictions
from holdback.tools.policy.approvals import approvals

BY = ("--by", "Head of Compliance", "--on", "2026-12-01")


def approve(folder, *options, code="NL"):
    return invoke("approve", code, *(options or BY), "--jurisdictions", folder)


def page(folder, on="2026-12-01"):
    return invoke("show", "NL", "--on", on, "--format", "html", "--jurisdictions", folder).output


def test_who_approved_is_on_the_page_and_in_the_lock(folder):
    """
    The lock has who approved which text, and when, in a line of its own; the page prints it.
    """
    invoke("lock", folder, "--on", "2026-07-06")
    before = (folder / "digests.lock").read_text()
    unread = page(folder)
    ran = approve(folder)
    lock = (folder / "digests.lock").read_text()
    line = lock.removeprefix(before)

    assert "nobody has approved this text" in unread
    assert ran.exit_code == 0
    assert line.startswith("approved NL 2026-01-01 sha256:")
    assert line.endswith(" 2026-12-01 Head of Compliance\n")
    assert line.split()[3] in page(folder)
    assert "by Head of Compliance on 1 December 2026" in page(folder)
    assert "nobody has approved" in page(folder, "2025-06-01")
    assert invoke("lock", folder, "--on", "2026-07-06").output.startswith("0 changes locked")
    assert invoke("check", folder, "--on", "2026-12-01").exit_code == 0


def test_two_people_and_the_same_person_again(folder):
    """
    A second person is added, and the same one is not added again.
    """
    approve(folder)
    again = approve(folder, *BY[:3], "2026-12-05")
    other = approve(folder, "--by", "Board", "--on", "2026-12-02", "--format", "json")

    assert again.exit_code == 0
    assert "had approved already the text of NL from 2026-01-01 on, on 2026-12-01" in again.output
    assert len(json.loads(other.output)["added"]) == 1
    assert "by Head of Compliance on 1 December 2026 and by Board on 2 December" in page(folder)
    text = (folder / "digests.lock").read_text()
    read = load_jurisdictions(folder)
    assert [line.by for line in approvals(read, "NL", date(2026, 12, 1), text)] == [
        "Head of Compliance",
        "Board",
    ]
    assert approvals(read, "NL", date(2025, 6, 1), text) == ()
    with pytest.raises(ConfigurationError):
        approvals(read, "BE", date(2025, 6, 1), text)
    with pytest.raises(InvalidDocument):
        approvals(read, "NL", date(2025, 6, 1), "approved NL today\n")


def test_a_text_that_has_changed_since(folder):
    """
    `holdback check` warns that an approved text has changed, and says what to do; a text that
    nobody reads any more is left alone.
    """
    invoke("lock", folder, "--on", "2026-12-01")
    approve(folder)
    approve(folder, *BY, "--for", "2025-06-01")
    settings = folder / "NL" / "jurisdiction.toml"
    settings.write_text(settings.read_text().replace('"risk-nl"', '"risk-eu"'))
    check = invoke("check", folder, "--on", "2026-12-01")

    assert check.exit_code == 0
    said = (
        "the text of NL from 2026-01-01, approved by Head of Compliance on 2026-12-01, has changed"
    )
    assert check.output.count("has changed since") == 1
    assert f"warning: {said}" in check.output.replace("\n", " ")
    assert "approve it again" in check.output
    assert "changed since Head of Compliance approved it on 1 December 2026" in page(folder)
    approve(folder)
    assert "has changed since" not in invoke("check", folder, "--on", "2026-12-01").output


@for_every(
    ("code", "options", "message"),
    [
        ("NL-ZZ", BY, "did you mean `NL-ZH`"),
        ("NL", ("--by", "X", "--on", "2026-13-01"), "expected a date such as 2026-07-01"),
        ("NL", ("--by", " ", "--on", "2026-12-01"), "expected a name or a role"),
        ("NL", ("--by", "X\nY", "--on", "2026-12-01"), "expected a name or a role"),
        ("NL", ("--by", "X" * 101, "--on", "2026-12-01"), "at most 100 characters, not 101"),
        ("NL", (*BY, "--for", "2020-01-01"), "NL has no rules before 2025-01-01"),
    ],
)
def test_what_cannot_be_approved(folder, code, options, message):
    """
    Exit code 2, and nothing is written.
    """
    ran = approve(folder, *options, code=code)

    assert ran.exit_code == 2
    assert message in ran.output + ran.stderr
    assert not (folder / "digests.lock").exists()


def test_a_page_never_says_that_nobody_approved_where_it_cannot_be_known(folder):
    """
    Without a lock that can be read there is no page: what it says of approvals could be untrue.
    """
    (folder / "digests.lock").write_text("approved NL 2026-01-01 by hand\n")
    ran = invoke("show", "NL", "--on", "2026-12-01", "--format", "html", "--jurisdictions", folder)

    assert ran.exit_code == 2
    assert "cannot read this line of the lock" in ran.stderr
    assert "nobody has approved" not in ran.output


def test_a_lock_that_cannot_be_read_stays(folder):
    """
    Nothing is added to a lock that has an invalid line.
    """
    (folder / "digests.lock").write_text("approved NL 2026-01-01 by hand\n")
    ran = approve(folder)

    assert ran.exit_code == 2
    assert "cannot read this line of the lock" in ran.stderr
    assert (folder / "digests.lock").read_text() == "approved NL 2026-01-01 by hand\n"
    assert "give --jurisdictions" in invoke("approve", "GB", *BY).stderr
