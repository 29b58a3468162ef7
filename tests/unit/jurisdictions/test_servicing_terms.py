"""What holds after the funding: `cooling_off_days`, `late_remittances`, `renewal`, `settlement`."""

from __future__ import annotations

from datetime import date

from every_case import for_every
from holdback import load_jurisdictions
from holdback.rulebooks.digest import VERSIONS
from holdback.tools.workbench.differences import differences
from holdback.tools.workbench.overview import overview
from small_folders import changed, child, country, errors_in, loaded, read

NOW = date(2026, 7, 1)
TERM = 'term = { calculator = "fixed", months = 6 }'
HALF = 'settlement = { calculator = "percentage", percentage = "50%" }'
QUEUED = 'renewal = "queue"'
STATED = """\
cooling_off_days = [
  { from = 2025-01-01, value = 7, source = "policy" },
  { from = 2026-01-01, value = 14, source = "policy" },
]
late_remittances = "transfer"
"""


def terms_of(book):
    return book.cooling_off_days, book.late_remittances


def product(*lines):
    """The files of a country with *lines* in its product."""
    files = country()
    assert TERM in files["products.toml"]
    return changed(files, "products.toml", TERM, "\n".join((TERM, *lines)))


def only_product(files):
    (terms,) = read(files, "NL").rulebook(NOW).products
    return terms


def test_folders_written_before_have_the_defaults():
    """
    No cooling off, late remittances are refunded, a renewal settles, and repaying early costs all.
    """
    terms = only_product(country())

    assert terms_of(read(country(), "NL").rulebook(NOW)) == (0, "refund")
    assert (terms.renewal, terms.settlement) == ("settle", None)


def test_what_a_file_states():
    """
    The days of cooling off change by date; the others are in force with their file or product.
    """
    jurisdiction = read(country(more=STATED), "NL")
    terms = only_product(product(HALF, QUEUED))

    assert terms_of(jurisdiction.rulebook(date(2025, 12, 31))) == (7, "transfer")
    assert terms_of(jurisdiction.rulebook(date(2026, 1, 1))) == (14, "transfer")
    assert terms.renewal == "queue"
    assert terms.settlement.full_name == "settlement/percentage"
    assert terms.settlement.settings == {"percentage": "50%"}


def test_a_child_inherits_them_one_by_one():
    """
    What a child does not state it has from its parent, also where it states another.
    """
    own = 'late_remittances = "refund"\n'
    family = loaded(NL=country(more=STATED), NL_ZH=child(), NL_DH=child("NL-DH", more=own))

    assert terms_of(family.resolve("NL-ZH", on=NOW)) == (14, "transfer")
    assert terms_of(family.resolve("NL-DH", on=NOW)) == (14, "refund")


@for_every(
    ("written", "message", "hint"),
    [
        ("late_remittances = true", "expected text, not a flag", None),
        ('late_remittances = "refunds"', "unknown treatment `refunds`", "`refund`?"),
        ('late_remittances = "keep"', "unknown treatment `keep`", "one of `transfer`, `refund`"),
        ("cooling_off_days = 14", "expected an array, not a whole number", "value = 14, source"),
        ('late_remittance = "refund"', "unknown key `late_remittance`", "`late_remittances`?"),
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


@for_every(
    ("written", "message"),
    [
        ('renewal = "wait"', "unknown renewal `wait`"),
        ("renewal = true", "expected text, not a flag"),
        ('settlement = "50%"', "expected a table, not text"),
        ('settlement = { percentage = "50%" }', "`calculator` is missing"),
    ],
)
def test_an_invalid_key_of_a_product(written, message):
    """
    The error says what was expected.
    """
    (error,) = errors_in(product(written), "NL")

    assert error.message.startswith(message)
    assert error.file == "NL/products.toml"


@for_every(("value", "valid"), [(-1, False), (0, True), (366, True), (367, False)])
def test_the_range_of_cooling_off(value, valid):
    """
    0 to 366 days.
    """
    entry = f'cooling_off_days = [{{ from = 2025-01-01, value = {value}, source = "policy" }}]\n'
    messages = [error.message for error in errors_in(country(more=entry), "NL")]

    assert messages == ([] if valid else ["expected 0 to 366"])


def test_what_is_fixed_at_the_funding_is_in_no_digest():
    """
    Cooling off, late remittances and queued renewals decide no outcome and no price; two rulebooks
    that differ in one of them alone have the same digest, and are unequal all the same.
    """
    plain = read(country(), "NL").rulebook(NOW)
    cooling, _, rest = STATED.partition("late")
    others = (country(more=cooling), country(more=f"late{rest}"), product(QUEUED))

    for files in others:
        book = read(files, "NL").rulebook(NOW)
        assert (book.digest, book.rules_digest) == (plain.digest, plain.rules_digest)
        assert book != plain


def test_a_settlement_is_in_the_digest_from_its_product_on():
    """
    The digest covers the calculator of settlements, its settings and its version where there is
    one; a product without it has the digest of before.
    """
    plain = read(country(), "NL").rulebook(NOW)
    half, third = (
        read(product(HALF.replace("50%", share)), "NL").rulebook(NOW) for share in ("50%", "33%")
    )

    assert len({plain.digest, half.digest, third.digest}) == 3
    assert half.versions == {**plain.versions, "settlement/percentage": 1}
    assert half.with_versions({"settlement/percentage": 2}).digest != half.digest
    assert {name for name in VERSIONS if name.startswith("settlement/")} == {
        "settlement/bands",
        "settlement/percentage",
    }


def test_they_are_shown():
    """
    `show` and `diff` have what a file states, with its place.
    """
    before = overview(read(country(), "NL"), NOW)
    after = overview(read({**product(HALF, QUEUED), **of_the_country()}, "NL"), NOW)
    settings = {entry["name"]: entry for entry in after["settings"]}
    told = {(each.kind, each.name, each.details) for each in differences(before, after)}

    assert settings["late_remittances"]["value"] == "transfer"
    assert settings["late_remittances"]["line"] == 16
    assert settings["cooling_off_days"]["value"] == 14
    assert ("setting", "late_remittances", ("transfer",)) in told
    assert ("setting", "cooling_off_days", ("14",)) in told
    (of_the_product,) = (details for kind, _, details in told if kind == "product")
    assert of_the_product == (
        "renewal: settle to queue",
        "settlement calculator: nothing to percentage",
        "settlement percentage: nothing to 50%",
    )


def of_the_country():
    return {"jurisdiction.toml": country(more=STATED)["jurisdiction.toml"]}


def test_the_policies_that_ship_say_what_becomes_of_late_remittances():
    """
    Some transfer a late remittance and some refund it; a child has what its parent has.
    """
    shipped = load_jurisdictions()
    late = {code: shipped.resolve(code, on=NOW).late_remittances for code in shipped.codes}

    assert set(late.values()) == {"transfer", "refund"}
    assert late["US-CA"] == late["US"]
