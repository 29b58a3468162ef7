"""What accepting an offer takes: `signature`, `bank_details`, `consents`, and how long it waits."""

from __future__ import annotations

import pickle
from datetime import date

from every_case import for_every
from holdback import load_jurisdictions
from holdback.tools.workbench.differences import differences
from holdback.tools.workbench.overview import overview
from small_folders import child, country, errors_in, loaded, read

NOW = date(2026, 7, 1)
NAMES = ("approval_days", "acceptance_days", "signature", "bank_details", "consents")
STATED = """\
approval_days = [{ from = 2025-01-01, value = 14, source = "policy" }]
acceptance_days = [{ from = 2025-01-01, value = 60, source = "policy" }]
signature = "before_submission"
bank_details = ["iban", "account_holder"]
consents = ["terms", "privacy"]
"""


def terms_of(book):
    return tuple(getattr(book, name) for name in NAMES)


STATED_TERMS = (14, 60, "before_submission", ("iban", "account_holder"), ("terms", "privacy"))
DEFAULTS = (30, 30, None, (), ())


def test_folders_written_before_have_the_defaults():
    """
    30 days of either kind; no signature, any bank details, no consent.
    """
    assert terms_of(read(country(), "NL").rulebook(NOW)) == DEFAULTS
    assert terms_of(read(country(more=STATED), "NL").rulebook(NOW)) == STATED_TERMS


def test_a_child_inherits_them_one_by_one():
    """
    What a child does not state it has from its parent, also where it states another.
    """
    own = 'consents = []\nsignature = "before_funding"\n'
    family = loaded(NL=country(more=STATED), NL_ZH=child(), NL_DH=child("NL-DH", more=own))

    assert terms_of(family.resolve("NL-ZH", on=NOW)) == STATED_TERMS
    assert terms_of(family.resolve("NL-DH", on=NOW)) == (
        *STATED_TERMS[:2],
        "before_funding",
        *STATED_TERMS[3:4],
        (),
    )


@for_every(
    ("written", "message", "hint"),
    [
        ('signature = "before_fundin"', "unknown time of a signature", "`before_funding`?"),
        ("signature = true", "expected text, not a flag", None),
        ('signature = "never"', "unknown time of a signature `never`", "`before_submission`"),
        ('bank_details = "iban"', "expected an array, not text", None),
        ('bank_details = ["IBAN"]', "expected a name such as `sort_code`", None),
        ('bank_details = ["iban", "iban"]', "`iban` is listed twice", "once is enough"),
        ('consents = ["the terms"]', "expected a name such as `terms`", None),
        ("consents = [1]", "expected a name such as `terms`", None),
        ('consents = ["a", "b", "a"]', "`a` is listed twice", "once is enough"),
        (f"consents = {[f'c{place}' for place in range(13)]}", "expected at most 12 names", None),
        ('consent = ["terms"]', "unknown key `consent`", "did you mean `consents`?"),
        ("approval_days = 30", "expected an array, not a whole number", "value = 30, source"),
    ],
)
def test_an_invalid_one_is_one_error(written, message, hint):
    """
    The error says what was expected, on the line where it is written.
    """
    (error,) = errors_in(country(more=f"{written}\n"), "NL")

    assert error.message.startswith(message)
    assert (error.file, error.line) == ("NL/jurisdiction.toml", 12)
    assert hint is None or hint in error.hint


def test_twelve_names_are_not_too_many():
    """
    At most 12 names of either kind.
    """
    names = [f"c{place}" for place in range(12)]
    book = read(country(more=f"consents = {names}\nbank_details = {names}\n"), "NL").rulebook(NOW)

    assert book.consents == book.bank_details == tuple(names)


@for_every(
    ("name", "value", "valid"),
    [
        (name, value, valid)
        for name in ("approval_days", "acceptance_days")
        for value, valid in ((0, False), (1, True), (3_660, True), (3_661, False))
    ],
)
def test_their_ranges(name, value, valid):
    """
    1 to 3,660 days.
    """
    entry = f'{name} = [{{ from = 2025-01-01, value = {value}, source = "policy" }}]\n'
    messages = [error.message for error in errors_in(country(more=entry), "NL")]

    assert messages == ([] if valid else ["expected 1 to 3660"])


def test_no_digest_covers_them_and_rulebooks_that_differ_in_them_are_unequal():
    """
    They decide no answer and no price; what comes of an operation is fixed in its event.
    """
    plain = read(country(), "NL").rulebook(NOW)
    for line in STATED.splitlines():
        book = read(country(more=f"{line}\n"), "NL").rulebook(NOW)
        assert (book.rules_digest, book.digest) == (plain.rules_digest, plain.digest), line
        assert book != plain, line
        assert pickle.loads(pickle.dumps(book)) == book, line


def test_they_are_shown_and_compared_where_a_file_states_them():
    """
    `holdback show` lists what is stated, with its place; `holdback diff` what changed.
    """
    family = loaded(NL=country(more=STATED), NL_ZH=child())
    plain = overview(read(country(), "NL"), NOW)
    stated = overview(family["NL"], NOW)
    shown = {entry["name"]: entry for entry in overview(family["NL-ZH"], NOW)["settings"]}

    assert not {*NAMES} & {entry["name"] for entry in plain["settings"]}
    assert [shown[name]["value"] for name in NAMES] == [
        14, 60, "before_submission", "iban, account_holder", "terms, privacy",
    ]  # fmt: skip
    assert {shown[name]["file"] for name in NAMES} == {"NL/jurisdiction.toml"}
    changes = {(found.state, found.name) for found in differences(plain, stated)}
    assert changes == {("added", name) for name in NAMES}


def test_what_ships_expects_at_most_twelve_names():
    """
    Every rulebook that ships has valid terms.
    """
    for rulebook in load_jurisdictions().rulebooks():
        assert rulebook.signature in (None, "before_submission", "before_funding"), rulebook.code
        assert len(rulebook.bank_details) <= 12, rulebook.code
