"""Everything that can be wrong with a jurisdiction's files: where it is pointed at, and what is said."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from fault_cases import JURISDICTION_CASES, PRODUCTS_CASES, RENEWAL_CASES

from small_jurisdiction import FILES, PRODUCTS, RENEWAL, changed, faults, read

CASES = [
    pytest.param(file, *case, id=f"{file} {case[1]}"[:90])
    for file, cases in (
        ("jurisdiction.toml", JURISDICTION_CASES),
        ("renewal.toml", RENEWAL_CASES),
        ("products.toml", PRODUCTS_CASES),
    )
    for case in cases
]


@pytest.mark.parametrize(("file", "old", "new", "message", "hint"), CASES)
def test_a_fault(file, old, new, message, hint):
    """
    "InvalidDocument with *every* fault [...] (file, line, column [...], hint)"
    """
    spoilt = changed(file, old, new)
    before, marked, _ = spoilt[file].partition("~")

    (fault,) = faults({**spoilt, file: spoilt[file].replace("~", "", 1)})

    assert fault.file == f"IE/{file}"
    assert fault.message.startswith(message)
    assert hint is None or hint in fault.hint
    if marked:
        assert (fault.line, fault.column) == (
            before.count("\n") + 1,
            len(before.split("\n")[-1]) + 1,
        )
        assert fault.source == spoilt[file].replace("~", "", 1).split("\n")[fault.line - 1]


def test_the_files_are_without_fault_to_begin_with():
    """
    What the cases spoil was whole.
    """
    assert faults(FILES) == ()


def test_every_fault_of_every_file_at_once():
    """
    "Errors [...] all reported at once"; in the order of the files and of their lines.
    """
    spoilt = {
        "jurisdiction.toml": FILES["jurisdiction.toml"]
        .replace("half_up", "half")
        .replace("720", "0"),
        "renewal.toml": RENEWAL.replace("<= 3", "<= three").replace("80%", "80"),
        "products.toml": PRODUCTS.replace('identity_verified"', 'identified"').replace(
            "flex", "Flex", 1
        ),
    }

    found = faults(spoilt)

    assert [(fault.file, fault.line) for fault in found] == [
        ("IE/jurisdiction.toml", 5),
        ("IE/jurisdiction.toml", 10),
        ("IE/renewal.toml", 7),
        ("IE/renewal.toml", 22),
        ("IE/renewal.toml", 37),
        ("IE/products.toml", 4),
        ("IE/products.toml", 15),
    ]


def test_a_fault_shows_its_characters():
    """
    "(file, line, column, source line, width for underlining, hint)"
    """
    (fault,) = faults(changed("renewal.toml", "_30d <= 3", "_30d <= 99"))

    assert fault.underlined() == (
        "IE/renewal.toml:22:38 rules[1].require: `99` is out of range; "
        "`missed_remittances_30d` is 0 to 30\n"
        '    require = "missed_remittances_30d <= 99"\n'
        "                                         ^^"
    )


@pytest.mark.parametrize("missing", FILES)
def test_a_missing_file(missing):
    """
    "a folder must have jurisdiction.toml and renewal.toml (products.toml too)"
    """
    (fault,) = faults({name: text for name, text in FILES.items() if name != missing})

    assert (fault.file, fault.message) == (f"IE/{missing}", "the file is missing")
    assert "`products.toml`" in fault.hint


@pytest.mark.parametrize(
    ("file", "listed"), [("renewal.toml", "rules"), ("products.toml", "products")]
)
def test_an_empty_list(file, listed):
    """
    A jurisdiction has a rule and a product.
    """
    kept = [part for part in FILES[file].split("\n\n") if not part.startswith(f"[[{listed}]]")]
    text = "\n\n".join(kept).replace("format = 1", f"format = 1\n{listed} = []")

    assert "expected at least one" in [fault.message for fault in faults({**FILES, file: text})]


def test_at_most_sixty_rules_together():
    """
    "a rulebook has at most 60 rules (the width of a mask)" (design 4)
    """
    rule = RENEWAL[RENEWAL.index('[[rules]]\nid = "few') : RENEWAL.index("[typical]")]

    def with_rules(number):
        more = "".join(
            rule.replace("few-missed", f"few-missed-{place}").replace("R-02", f"R-1{place:02}")
            for place in range(number - 2)
        )
        return changed("renewal.toml", "[typical]", f"{more}[typical]")

    assert faults(with_rules(60)) == ()
    (fault,) = faults(with_rules(61))
    assert fault.message == "on 2025-07-01 more than 60 rules are in force together"


def test_at_most_twenty_products_together():
    """
    What a folder may cost is bounded.
    """
    product = PRODUCTS[PRODUCTS.index("[[products]]") : PRODUCTS.index("rules = [")]

    def with_products(number):
        more = "".join(product.replace("flex", f"flex_{place}") for place in range(number - 1))
        return changed("products.toml", "[[examples]]", f"{more}\n[[examples]]")

    assert faults(with_products(20)) == ()
    (fault,) = faults(with_products(21))
    assert fault.message == "on 2025-01-01 there are more than 20 products"


def test_at_most_four_hundred_changes():
    """
    What a folder may cost is bounded.
    """

    def with_changes(number):
        days = (date(2026, 1, 1) + timedelta(days=place) for place in range(number - 2))
        entries = "".join(f'{{ from = {day}, value = "80%", source = "policy" }},' for day in days)
        old = '{ from = 2026-01-01, value = "80%", source = "policy" },'
        return changed("renewal.toml", old, entries)

    assert len(read(with_changes(400)).slices) == 400
    (fault,) = faults(with_changes(401))
    assert fault.message == "there are more than 400 dates of change"


TYPES = [
    ("flag", "true", "identity_verified", "{identity_verified}"),
    ("count", "3", "missed_remittances_30d <= other", "{other}"),
    ("percent", '"50%"', "performance >= other", "{other}"),
    ("ratio", '"0.5"', "balance <= average_monthly_takings * other", "{other}"),
    ("ratio", "0.5", "balance <= average_monthly_takings * other", "{other}"),
    ("money", '"EUR 5.00"', "balance <= other", "{other}"),
    ("days", '"14 days"', "days_since_funding >= other", "{other}"),
    ("days", "14", "days_since_funding >= other", "{other}"),
    ("date", "2025-01-01", "credit_checked_on >= other", "{other}"),
]


@pytest.mark.parametrize(("type_", "value", "require", "figure"), TYPES)
def test_a_parameter_of_every_type(type_, value, require, figure):
    """
    "types of parameters"; with its unit where it has one
    """
    parameter = (
        f'[parameters.other]\ntype = "{type_}"\n'
        f'timeline = [{{ from = 2025-01-01, value = {value}, source = "policy" }}]\n[typical]'
    )
    files = changed("renewal.toml", "missed_remittances_30d <= 3", require)
    files = changed("renewal.toml", "{missed_remittances_30d}", figure, files)
    files = changed("renewal.toml", "[typical]", parameter, files)

    assert [f for f in faults(files) if f.file == "IE/renewal.toml"] == []


def test_a_parameter_of_both_files():
    """
    Renewal and products share their parameters.
    """
    parameter = RENEWAL[RENEWAL.index("[parameters") : RENEWAL.index("[[rules]]")]

    (fault,) = faults(changed("products.toml", "[[examples]]", f"{parameter}[[examples]]"))

    assert fault.message == "there is a parameter `minimum_performance` already"


def test_a_rule_that_changes_keeps_its_code():
    """
    "code [...] stable, never reused"; versions of a rule stand one after the other.
    """
    rule = RENEWAL[RENEWAL.index('[[rules]]\nid = "few') : RENEWAL.index("[typical]")]
    later = rule.replace("<= 3", "<= 2").replace("2025-07-01", "2026-01-01")
    ended = changed("renewal.toml", "from = 2025-07-01", "from = 2025-07-01\nuntil = 2026-01-01")

    jurisdiction = read(changed("renewal.toml", "[typical]", f"{later}[typical]", ended))

    latest = jurisdiction.slices[-1].renewal.rules
    assert [rule.require for rule in latest][-1] == "missed_remittances_30d <= 2"


def test_a_product_that_changes_keeps_its_key_and_its_codes():
    """
    "history is added to, never edited" (design 5)
    """
    product = PRODUCTS[PRODUCTS.index("[[products]]") : PRODUCTS.index("[[examples]]")]
    later = product.replace("EUR 2000", "EUR 3000").replace("2025-01-01", "2026-01-01")
    ended = changed("products.toml", "from = 2025-01-01", "from = 2025-01-01\nuntil = 2026-01-01")

    jurisdiction = read(changed("products.toml", "[[examples]]", f"{later}[[examples]]", ended))
    (fault,) = faults(changed("products.toml", "[[examples]]", f"{later}[[examples]]"))[:1]

    most = [each.products[0].limits.settings["maximum"] for each in jurisdiction.slices]
    assert most == ["EUR 2000", "EUR 2000", "EUR 3000"]
    assert fault.message == "there is a product `flex` on these days already"


def test_a_reason_with_a_parameter_that_has_no_value_yet():
    """
    A sentence has to be whole on every day on which it may be told.
    """
    parameter = (
        '[parameters.later]\ntype = "count"\n'
        'timeline = [{ from = 2026-01-01, value = 1, source = "policy" }]\n[typical]'
    )
    files = changed("renewal.toml", "{missed_remittances_30d}", "{later}")

    (fault,) = faults(changed("renewal.toml", "[typical]", parameter, files))

    assert fault.message == "the parameter `later` has no value on 2025-07-01"
    assert fault.path == "rules[1].reason"
