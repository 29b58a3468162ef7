"""What changes the digest of a rulebook, and what does not."""

from __future__ import annotations

import hashlib
import json
from datetime import date
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from every_case import for_every
from holdback.exact.exact_json import canonical
from holdback.rulebooks import digest as identity
from holdback.rulebooks.digest import normal_setting
from small_folders import IRELAND, changed, read

RENEWAL = IRELAND["renewal.toml"]
PRODUCTS = IRELAND["products.toml"]

ON = date(2026, 2, 1)
FEW_MISSED = RENEWAL[RENEWAL.index('[[rules]]\nid = "few') : RENEWAL.index("[typical]")]
IDENTITY = PRODUCTS[PRODUCTS.index("  { id") : PRODUCTS.index("\n]\n\n[[examples]]")]


def digest(files, on=ON):
    return read(files).rulebook(on).digest


MEANS_THE_SAME = [
    # comments, layout, prose
    ("renewal.toml", '[[rules]]\nid = "on-pace"', ("# a comment\n\n[[rules]]   # and another\n\n"
                                                  "  id='on-pace'")),
    ("renewal.toml", ('code = "IE-R-01"\nrequire = "performance >= '
                     'minimum_performance"'), ('require = "performance >= minimum_performance"\n'
                                              'code = "IE-R-01"')),
    ("renewal.toml", "The pace is", "Your pace is"),
    ("renewal.toml", 'is needed."\nsource = "policy"', 'is needed."\nsource = "the law"'),
    ("renewal.toml", '"80%", source = "policy"', '"80%", source = "the law"'),
    ("jurisdiction.toml", "Ireland", "Republic of Ireland"),
    ("jurisdiction.toml", "risk-ie", "risk-eu"),
    ("jurisdiction.toml", "2027-06-30", "2028-06-30"),
    ("products.toml", "Cash advance", "Advance"),
    ("products.toml", "Repaid from takings.", "Repaid."),
    ("products.toml", "Not verified.", "The identity was not verified."),
    ("products.toml", ('calculator = "fixed", minimum = "EUR 500", maximum = "EUR '
                      '2000"'), 'maximum = "EUR 2000", minimum = "EUR 500", calculator = "fixed"'),
    # the order of tables that has no meaning, examples, what is typical
    ("renewal.toml", '[typical]\nprogress = "64%"', '[typical]\nprogress = "70%"'),
    ("renewal.toml", 'name = "a good deal"', 'name = "a deal"'),
    # the same number written in another way
    ("renewal.toml", 'value = "80%"', 'value = "80.00%"'),
    ("renewal.toml", "performance >= minimum_performance", "(performance  >= minimum_performance)"),
    ("renewal.toml", "performance >= minimum_performance", "performance >= 80%"),
    ("renewal.toml", ('when = \'status == "Funded"\'\nrequire = "missed_remittances_30d <= '
                     '3"'), 'require = \'not status == "Funded" or missed_remittances_30d <= 3\''),
    ("products.toml", '"EUR 2000"', '"EUR 2000.00"'),
    ("products.toml", '["10%"]', '["10.0%"]'),
    ("products.toml", '"50%", "100%"', '"50.0%", "100%"'),
    # the bounds of the slice
    ("renewal.toml", "from = 2026-01-01", "from = 2026-01-15"),
    ("renewal.toml", "from = 2025-07-01", "from = 2025-07-01\nuntil = 2026-03-01"),
    ("renewal.toml", '"75%"', '"70%"'),
]  # fmt: skip


@for_every(("file", "old", "new"), MEANS_THE_SAME)
def test_what_does_not_change_the_meaning(file, old, new):
    """
    Comments, layout, prose and the dates of a slice do not change the digest
    (decisions/jurisdiction-folders).
    """
    assert digest(changed(IRELAND, file, old, new)) == digest(IRELAND)


MEANS_ANOTHER = [
    ("renewal.toml", 'value = "80%"', 'value = "80.0001%"'),
    ("renewal.toml", "_30d <= 3", "_30d <= 2"),
    ("renewal.toml", "_30d <= 3", "_30d < 3"),
    ("renewal.toml", 'otherwise = "refer"', 'otherwise = "decline"'),
    ("renewal.toml", 'when = \'status == "Funded"\'\n', ""),
    ("renewal.toml", '"few-missed"', '"few-missing"'),
    ("renewal.toml", '"IE-R-02"', '"IE-R-03"'),
    ("renewal.toml", FEW_MISSED, ""),
    ("jurisdiction.toml", "half_up", "half_even"),
    ("jurisdiction.toml", "Europe/Dublin", "Europe/London"),
    ("jurisdiction.toml", "false", "true"),
    ("jurisdiction.toml", "720", "719"),
    ("jurisdiction.toml", "value = 90", "value = 89"),
    ("products.toml", '"50%", "100%"', '"51%", "100%"'),
    ("products.toml", '"50%", "100%"', '"100%"'),
    ("products.toml", "EUR 2000", "EUR 2000.01"),
    ("products.toml", '["10%"]', '["10%", "12%"]'),
    ("products.toml", '"1.2"', '"1.21"'),
    ("products.toml", '"flat"', '"steady"'),
    ("products.toml", "months = 6", "months = 7"),
    ("products.toml", "terminal_split", "direct_debit"),
    ("products.toml", 'require = "identity_verified"', 'require = "not identity_verified"'),
    ("products.toml", '"IE-P-01", require', '"IE-P-01", otherwise = "refer", require'),
    ("products.toml", "rules = [\n  {", ('rules = [\n  { id = "b", code = "IE-P-02", require = '
                                        '"business_verified", reason = "No.", source = "p" },\n'
                                        '  {')),
]  # fmt: skip


@for_every(("file", "old", "new"), MEANS_ANOTHER)
def test_what_changes_the_meaning(file, old, new):
    """
    A changed threshold changes the digest (decisions/jurisdiction-folders).
    """
    assert digest(changed(IRELAND, file, old, new)) != digest(IRELAND)


def test_every_change_gives_a_digest_of_its_own():
    """
    No two of the changes above mean the same.
    """
    digests = {digest(changed(IRELAND, file, old, new)) for file, old, new in MEANS_ANOTHER}

    assert len(digests) == len(MEANS_ANOTHER)


def test_the_order_of_the_rules_is_part_of_the_meaning():
    """
    The order of the rules in the file is their priority and part of their meaning
    (decisions/rule-language).
    """
    moved = changed(IRELAND, "renewal.toml", FEW_MISSED, "")
    first = changed(
        moved, "renewal.toml", '[[rules]]\nid = "on', f'{FEW_MISSED}[[rules]]\nid = "on'
    )

    assert digest(first) != digest(IRELAND)


def test_the_order_of_products_and_of_their_rules_is_part_of_the_meaning():
    """
    The order is that in which a merchant sees offers and reasons.
    """
    other = IDENTITY.replace("identity", "business").replace("P-01", "P-02")
    one_way = changed(IRELAND, "products.toml", IDENTITY, f"{IDENTITY}\n{other}")
    other_way = changed(IRELAND, "products.toml", IDENTITY, f"{other}\n{IDENTITY}")

    assert digest(one_way) != digest(other_way)


def test_the_version_of_the_language_is_part_of_the_meaning(monkeypatch):
    """
    The digest covers the version of the language's semantics (decisions/jurisdiction-folders).
    """
    before = digest(IRELAND)
    monkeypatch.setattr(identity, "LANGUAGE", identity.LANGUAGE + 1)

    assert digest(IRELAND) != before


def test_what_the_digest_covers():
    """
    The digest covers that of what the files mean, and the versions of what prices offers.
    """
    rulebook = read(IRELAND).rulebook(ON)
    versions = dict.fromkeys(
        ("factor_rate/flat", "limits/fixed", "pricing", "split_percentage/chosen"), 1
    ) | {"term/fixed": 1}
    text = json.dumps(
        {"rules": rulebook.rules_digest, "versions": versions},
        sort_keys=True,
        separators=(",", ":"),
    )

    assert rulebook.versions == versions
    assert rulebook.digest == f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def test_a_version_that_changes_nothing():
    """
    Versions of calculators that no product names do not change the digest.
    """
    rulebook = read(IRELAND).rulebook(ON)

    assert rulebook.with_versions({}) is rulebook
    assert rulebook.with_versions({"term/takings_pace": 9, "term/fixed": 1}) is rulebook
    assert rulebook.with_versions({"term/fixed": 2}).digest != rulebook.digest


def test_a_slice_without_a_change_of_meaning_has_the_same_digest():
    """
    The bounds of a time slice do not change its digest.
    """
    jurisdiction = read(changed(IRELAND, "renewal.toml", 'value = "80%"', 'value = "75%"'))
    digests = [each.digest for each in jurisdiction.slices]

    assert len(set(digests[1:])) == 1
    assert digests[0] != digests[1]


@given(
    st.decimals(allow_nan=False, allow_infinity=False, places=6, min_value=-9999, max_value=9999)
)
def test_settings_of_the_same_quantity_are_the_same(number):
    """
    With or without trailing zeros.
    """
    longer = f"{number}000"

    assert normal_setting(f"{number}%") == normal_setting(f"{longer}%")
    assert normal_setting(f"GBP {number}") == normal_setting(f"GBP {longer}")
    assert canonical(normal_setting(number)) == canonical(normal_setting(Decimal(longer)))
    assert normal_setting(f"{number}") == f"{number}"


def test_a_later_status_changes_no_digest():
    """
    The digests of rulebooks that read `status` are those of before `Recovered` and `Unwound`.

    No deal had these before, and a rule that names one has it in its text.
    """
    digest_of_before = "sha256:99d1ae08df616942a02eacbf2a19703625541eb67f965f51a928362a1c19104f"
    files = changed(IRELAND, "renewal.toml", '"Funded"\'\nrequire', '"Recovered"\'\nrequire')

    assert "status" in RENEWAL
    assert read(IRELAND).rulebook(ON).rules_digest == digest_of_before
    assert read(files).rulebook(ON).rules_digest != digest_of_before
