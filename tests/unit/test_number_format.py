"""Number formats of jurisdictions, in sentences for merchants."""

from __future__ import annotations

from datetime import date

import pytest

from every_case import for_every
from holdback.exact.money import Currency
from holdback.rules import Kind, Type
from holdback.rules.number_format import NumberFormat
from small_folders import FIGURES, changed, country, loaded, said

BRITISH = NumberFormat(
    decimal=".", group=",", money="£{amount}", percent="{number}%", date="{day}/{month}/{year}"
)
AMERICAN = NumberFormat(
    decimal=".", group=",", money="${amount}", percent="{number}%", date="{month}/{day}/{year}"
)
GERMAN = NumberFormat(
    decimal=",", group=".", money="{amount} €", percent="{number} %", date="{day}.{month}.{year}"
)
JAPANESE = NumberFormat(
    decimal=".", group=",", money="{amount}円", percent="{number}%", date="{year}年{month}月{day}日"
)
QUEBECOIS = NumberFormat(
    decimal=",", group=" ", money="{amount} $", percent="{number} %", date="{year}-{month}-{day}"
)
SWISS = NumberFormat(
    decimal=".", group="'", money="CHF {amount}", percent="{number}%", date="{day}.{month}.{year}"
)
UNGROUPED = NumberFormat(
    decimal=",", group="", money="{amount}", percent="{number}%", date="{year}{month}{day}"
)


def money(code):
    return Type(Kind.MONEY, Currency.of(code))


@for_every(
    ("figures", "code", "minor", "shown"),
    [
        (BRITISH, "GBP", 123450, "£1,234.50"),
        (BRITISH, "GBP", 0, "£0.00"),
        (BRITISH, "GBP", 5, "£0.05"),
        (BRITISH, "GBP", 99999, "£999.99"),
        (BRITISH, "GBP", 100000, "£1,000.00"),
        (BRITISH, "GBP", -123450, "-£1,234.50"),
        (BRITISH, "GBP", -1, "-£0.01"),
        (BRITISH, "GBP", 10**14, "£1,000,000,000,000.00"),
        (AMERICAN, "USD", 1234567, "$12,345.67"),
        (AMERICAN, "USD", -99, "-$0.99"),
        (GERMAN, "EUR", 123450, "1.234,50 €"),
        (GERMAN, "EUR", -123450, "-1.234,50 €"),
        (GERMAN, "EUR", 123456789, "1.234.567,89 €"),
        (GERMAN, "EUR", 0, "0,00 €"),
        (JAPANESE, "JPY", 1234567, "1,234,567円"),
        (JAPANESE, "JPY", 0, "0円"),
        (JAPANESE, "JPY", 999, "999円"),
        (JAPANESE, "JPY", -1000, "-1,000円"),
        (QUEBECOIS, "CAD", 123450, "1 234,50 $"),
        (QUEBECOIS, "CAD", 123456789, "1 234 567,89 $"),
        (SWISS, "CHF", 123456789, "CHF 1'234'567.89"),
        (SWISS, "CHF", -100, "-CHF 1.00"),
        (SWISS, "KWD", 1234567, "CHF 1'234.567"),
        (UNGROUPED, "EUR", 123456789, "1234567,89"),
    ],
)
def test_money(figures, code, minor, shown):
    """
    Amounts have the signs and the template of the jurisdiction.
    """
    assert figures.show(money(code), minor) == shown


@for_every(
    ("figures", "number", "shown"),
    [
        (BRITISH, 800000, "80%"),
        (BRITISH, 799999, "79.9999%"),
        (BRITISH, 0, "0%"),
        (BRITISH, 125000, "12.5%"),
        (BRITISH, 1, "0.0001%"),
        (BRITISH, -125000, "-12.5%"),
        (BRITISH, 10**10, "1,000,000%"),
        (AMERICAN, 12345678, "1,234.5678%"),
        (GERMAN, 799999, "79,9999 %"),
        (GERMAN, 12345000, "1.234,5 %"),
        (JAPANESE, 500000, "50%"),
        (QUEBECOIS, 625000, "62,5 %"),
        (UNGROUPED, 12345000, "1234,5%"),
    ],
)
def test_percentages(figures, number, shown):
    """
    Percentages have the signs and the template of the jurisdiction; no decimal is lost or added.
    """
    assert figures.show(Type(Kind.PERCENT), number) == shown


@for_every(
    ("figures", "shown"),
    [
        (BRITISH, "01/07/2026"),
        (AMERICAN, "07/01/2026"),
        (GERMAN, "01.07.2026"),
        (JAPANESE, "2026年07月01日"),
        (QUEBECOIS, "2026-07-01"),
        (UNGROUPED, "20260701"),
    ],
)
def test_dates(figures, shown):
    """
    Dates have the template of the jurisdiction.
    """
    assert figures.show(Type(Kind.DATE), date(2026, 7, 1).toordinal()) == shown


@for_every(
    ("kind", "number", "shown"),
    [
        (Kind.COUNT, 1234567, "1.234.567"),
        (Kind.COUNT, 3, "3"),
        (Kind.COUNT, -1000, "-1.000"),
        (Kind.RATIO, 1180000, "1,18"),
        (Kind.RATIO, 1000000, "1"),
        (Kind.RATIO, 1234500000, "1.234,5"),
        (Kind.DAYS, 1, "1 day"),
        (Kind.DAYS, 21, "21 days"),
        (Kind.FLAG, 1, "yes"),
        (Kind.FLAG, 0, "no"),
    ],
)
def test_other_figures(kind, number, shown):
    """
    Counts and ratios have the signs of the jurisdiction; words are unchanged.
    """
    assert GERMAN.show(Type(kind), number) == shown


def test_texts_are_not_formatted():
    """
    A text of a declared set is not a figure, even when it has digits.
    """
    assert GERMAN.show(Type(Kind.TEXT, options=("1.5", "Funded")), 0) == "1.5"


@for_every("figures", [BRITISH, GERMAN, JAPANESE, QUEBECOIS, SWISS, UNGROUPED])
@for_every("minor", [0, 1, 10, 999, 1000, 99_999, 100_000, 123_456_789, 10**15])
def test_a_formatted_figure_keeps_its_digits(figures, minor):
    """
    Without its signs, a formatted figure has the digits of the exact one.
    """
    shown = figures.show(money("EUR"), minor)

    assert int("".join(each for each in shown if each.isdigit())) == minor


def test_without_a_format_figures_are_exact():
    """
    Without a number format, figures in sentences have their exact form.
    """
    facts = {"progress": "60%", "performance": "74.9999%", "missed_remittances_30d": 0}
    plain = loaded(NL=country()).resolve("NL", on=date(2025, 6, 1)).assess(facts)
    shown = loaded(NL=country(more=FIGURES)).resolve("NL", on=date(2025, 6, 1)).assess(facts)

    assert plain.reasons[0].text == "The pace is 74.9999%; at least 75% is needed."
    assert shown.reasons[0].text == "The pace is 74,9999%; at least 75% is needed."
    assert shown.ruleset.digest == plain.ruleset.digest
    assert shown.record()["facts"] == plain.record()["facts"]
    assert shown.reasons[0].facts == plain.reasons[0].facts == {"performance": "74.9999%"}


GROUP = "expected `,`, `.`, a space, `'`, or nothing in quotes"
MISLEADS = "a digit or sign next to a placeholder would change the number shown"
FAULTS = [
    ('decimal = ","', 'decimal = ~";"', "expected `.` or `,`"),
    ('decimal = ","', 'decimal = ~""', "this is empty"),
    ('decimal = ","', "decimal = ~1", "expected `.` or `,`, not a whole number"),
    ('decimal = ","', "", "`decimal` is missing"),
    ('group = "."', "", "`group` is missing"),
    ('group = "."', 'group = ~","', "it is the decimal sign"),
    ('group = "."', 'group = ~"_"', GROUP),
    ('group = "."', 'group = ~".."', GROUP),
    ('group = "."', 'group = ~"5"', GROUP),
    ('group = "."', "group = ~0", GROUP),
    ('money = "€ {amount}"', "", "`money` is missing"),
    ('"€ {amount}"', '~"€"', "expected a short text with `{amount}`, once"),
    ('"€ {amount}"', '~"{amount} {amount}"', "expected a short text with `{amount}`, once"),
    ('"€ {amount}"', '~"{number}"', "expected a short text with `{amount}`, once"),
    ('"€ {amount}"', '~"{amount} {"', "expected a short text with `{amount}`, once"),
    ('"€ {amount}"', '~"{amount}}"', "expected a short text with `{amount}`, once"),
    ('"€ {amount}"', '~"a long, long way {amount}"', "expected a short text with `{amount}`, once"),
    ('"€ {amount}"', '~"€1{amount}"', MISLEADS),
    ('"€ {amount}"', '~"{amount}0 €"', MISLEADS),
    ('"€ {amount}"', '~"-{amount}"', MISLEADS),
    ('"€ {amount}"', '~"({amount})"', MISLEADS),
    ('"€ {amount}"', '~"+{amount}"', MISLEADS),
    ('"€ {amount}"', '~"€.{amount}"', MISLEADS),
    ('"€ {amount}"', '~"{amount},€"', MISLEADS),
    ('"€ {amount}"', '~"€\\u202e {amount}"', "expected printable text on one line"),
    ('"{number}%"', '~"1{number}%"', MISLEADS),
    ('"{number}%"', '~"%"', "expected a short text with `{number}`, once"),
    (
        '"{day}-{month}-{year}"',
        '~"{day}-{month}"',
        "expected a short text with `{day}` and `{month}` and `{year}`, once",
    ),
    ('"{day}-{month}-{year}"', '~"{day}-{day}-{month}-{year}"', "expected a short text with"),
    ('"{day}-{month}-{year}"', '~"{day}-{month}-20{year}"', MISLEADS),
    ("decimal =", "~decmal =", "unknown key `decmal`; did you mean `decimal`?"),
]


@for_every(("old", "new", "message"), FAULTS)
def test_an_invalid_number_format(old, new, message):
    """
    An error has file, line, column, the text underlined, and what was expected.
    """
    text = country(more=changed({"f": FIGURES}, "f", old, new.replace("~", ""))["f"])
    line = next(each for each in said("NL", NL=text) if message in each)
    place, _, path = line.partition(" ")

    assert path.startswith("$.figures")
    if "~" in new:
        whole = country(more=FIGURES.replace(old, new))["jurisdiction.toml"]
        before = whole.partition("~")[0]
        where = (before.count("\n") + 1, len(before.rpartition("\n")[2]) + 1)
        assert place == f"NL/jurisdiction.toml:{where[0]}:{where[1]}"


def test_figures_of_another_kind():
    """
    A `figures` key of another kind is one error among the others of the file.
    """
    assert said("NL", NL=country(more='figures = "de"\n'))[0].endswith(
        "figures: expected a table, not text"
    )


@pytest.mark.parametrize("group", [",", " ", "'", ""])
def test_the_sign_between_thousands(group):
    """
    The sign between thousands can be empty, a space or a punctuation mark.
    """
    text = FIGURES.replace('","', '";"').replace('"."', f'"{group}"').replace('";"', '"."')
    figures = loaded(NL=country(more=text)).resolve("NL", on=date(2026, 7, 1)).renewal.figures

    assert figures.show(Type(Kind.COUNT), 1234567) == f"1{group}234{group}567"
