"""Slips of people who do not program, and the hints that they get."""

from __future__ import annotations

from every_case import for_every
from small_folders import IRELAND, changed, errors_in, parameter

MISTAKES = [
    ('{ from = 2026-01-01, value = "80%", source = "policy" },',
     '{ from = 2026-01-01, value = 80%, source = "policy" },', 'as `"70%"`'),
    ('value = "80%"', "value = \u201c80%\u201d", 'use straight quotes, as `"80%"`'),
    ('id = "on-pace"', "id = \u201con-pace\u201d", 'use straight quotes, as `"on-pace"`'),
    ('require = "performance >= minimum_performance"', "require = \u201cperformance >= 75%\u201d",
     'use straight quotes, as `"performance >= 75%"`'),
    ('value = "80%"', "value = 72,5", "write `72.5`: a number has a point for its decimals"),
    ('value = "80%"', "value = 25,000", "write `25000` or `25.000`: a number has a point"),
    ('value = "80%"', "value = 25 000", "write `25000`: a number has a point for its decimals"),
    ('value = "80%"', "value = 25000 EUR", 'write `"EUR 25000.00"`'),
    ('value = "80%"', "value = 9 months", "a count has no unit, as `9`"),
    ("from = 2025-07-01", "from = 01-07-2025", "year, month and day"),
    ("from = 2025-07-01", "from = 2025-13-01", "year, month and day"),
    ("from = 2025-07-01", "from = 01.07.2025", "year, month and day"),
    ('id = "on-pace"', 'id = "on-pace', "ends with the quote"),
    ('value = "75%", source = "policy" },\n', 'value = "75%", source = "policy" }\n',
     "separated by commas"),
    ("from = 2025-07-01", "from = 2025-7-1", "year, month and day"),
    ("from = 2025-07-01", "from = 2025-07", "year, month and day"),
    ("format = 1", "format: 1", "write `=`"),
    ("format = 1", "// who\nformat = 1", "begins with `#`"),
    ("when = 'status == \"Funded\"'", 'when = "status == "Funded""', "single quotes"),
    ('without = ["missed_remittances_30d"]', "without = {\n}", "on one line"),
    ('[[rules]]\nid = "few-missed"', '[rules]\nid = "few-missed"', "`[[rules]]`"),
]  # fmt: skip


@for_every(("old", "new", "hint"), MISTAKES)
def test_a_frequent_mistake(old, new, hint):
    """
    A frequent mistake of an author who is not a programmer gets a hint that helps.
    """
    found = errors_in(changed(IRELAND, "renewal.toml", old, new))

    assert hint in str(found[0].hint), found[0]
    assert "('" not in str(found[0])


VALUES = [
    ("percent", "72,5%", "72.5%"),
    ("percent", "80 %", "80%"),
    ("percent", "80 percent", "80%"),
    ("percent", "80 EUR", None),
    ("money", "25000 EUR", "EUR 25000.00"),
    ("money", "EUR25000", "EUR 25000.00"),
    ("money", "EUR 25,000", "EUR 25000.00"),
    ("money", "EUR 25 000", "EUR 25000.00"),
    ("money", "EUR 25.000,50", "EUR 25000.50"),
    ("money", "25000 USD", None),
    ("money", "25,000%", None),
    ("ratio", "1,5", "1.5"),
    ("ratio", "1,5%", None),
    ("days", "9", "9 days"),
    ("days", "9days", "9 days"),
    ("days", "2 weeks", "14 days"),
    ("days", "9 months", "270 days"),
    ("days", "9 apples", None),
]


@for_every(("kind", "value", "right"), VALUES)
def test_a_value_in_another_notation(kind, value, right):
    """
    A value that its type does not read gets a hint with the right text, which is then read.
    """
    (error,) = errors_in(_with_value(kind, f'"{value}"'))

    if right is None:
        assert error.hint is None
    else:
        assert f'`"{right}"`' in error.hint
        assert errors_in(_with_value(kind, f'"{right}"')) == ()


@for_every(
    ("kind", "value", "right"),
    [
        ("count", "9 months", "9"),
        ("count", "9", "9"),
        ("count", "1,500", "1500"),
        ("flag", "false", "false"),
        ("flag", "no", "false"),
        ("flag", "yes", "true"),
    ],
)
def test_a_count_or_a_flag_in_quotes(kind, value, right):
    """
    A count and a flag stand without quotes: the hint says what to write.
    """
    (error,) = errors_in(_with_value(kind, f'"{value}"'))

    assert f"write `{right}`" in error.hint
    assert errors_in(_with_value(kind, right)) == ()


def test_a_fact_of_an_example_in_another_notation():
    """
    A fact of an example gets the same hint as a value of a timeline.
    """
    (error,) = errors_in(changed(IRELAND, "renewal.toml", '"97%"', '"97,5 %"'))

    assert error.hint == 'write `"97.5%"`'


def _with_value(kind, value):
    entry = parameter("mine", kind, ("2025-01-01", value))
    return changed(IRELAND, "renewal.toml", "[typical]", f"{entry}[typical]")
