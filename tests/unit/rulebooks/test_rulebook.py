"""Rulebooks by date, and the jurisdictions that were loaded."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from every_case import for_every
from holdback import ConfigurationError, InvalidDocument, Jurisdictions
from holdback.errors import ErrorDetail
from holdback.exact.money import Currency
from holdback.rulebooks.product_terms import CalculatorChoice
from small_folders import read

IE = read()
LOADED = Jurisdictions([IE])


def test_the_slices_are_cut_at_the_change_dates():
    """
    `resolve` returns an immutable rulebook from timelines that were resolved once
    (decisions/jurisdiction-folders).
    """
    assert IE.changes == (date(2025, 1, 1), date(2025, 7, 1), date(2026, 1, 1))


@for_every(
    ("on", "minimum", "codes"),
    [
        ("2025-01-01", "75%", ["IE-R-01"]),
        ("2025-06-30", "75%", ["IE-R-01"]),
        ("2025-07-01", "75%", ["IE-R-01", "IE-R-02"]),
        ("2025-12-31", "75%", ["IE-R-01", "IE-R-02"]),
        ("2026-01-01", "80%", ["IE-R-01", "IE-R-02"]),
        ("2099-12-31", "80%", ["IE-R-01", "IE-R-02"]),
    ],
)
def test_around_the_change_dates(on, minimum, codes):
    """
    A rule or value is in force from its first day up to, but not on, its `until`.
    """
    rulebook = LOADED.resolve("IE", on=date.fromisoformat(on))
    parameter = rulebook.parameters["minimum_performance"]

    assert rulebook.on == date.fromisoformat(on)
    assert parameter.type.show(parameter.number) == minimum
    assert [rule.code for rule in rulebook.renewal.rules] == codes


def test_a_slice_means_the_same_on_each_of_its_days():
    """
    All days of a time slice share its compiled rules and its digest.
    """
    first, last = (IE.rulebook(day) for day in (date(2025, 7, 1), date(2025, 12, 31)))

    assert first.digest == last.digest
    assert first.renewal is last.renewal
    assert first != last


def test_before_the_first_rule():
    """
    A day before the first rule is refused, with the first day that has rules.
    """
    with pytest.raises(ConfigurationError, match="IE has no rules before 2025-01-01"):
        LOADED.resolve("IE", on=date(2025, 1, 1) - timedelta(days=1))


@pytest.mark.parametrize("on", [datetime(2026, 1, 1, tzinfo=UTC), "2026-01-01", None])
def test_a_day_is_a_date(on):
    """
    The day of a rulebook is a date; a datetime is refused.
    """
    with pytest.raises(
        ConfigurationError, match="expected a date such as 2026-07-01, without a time"
    ):
        LOADED.resolve("IE", on=on)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("ie", "did you mean `IE`?"),
        ("IE-X", "did you mean `IE`?"),
        ("FR", "there are `IE`"),
        (None, "there are `IE`"),
        ([], "there are `IE`"),
    ],
)
def test_an_unknown_jurisdiction(code, said):
    """
    An unknown code is refused with the nearest code and the list of known ones.
    """
    with pytest.raises(ConfigurationError) as raised:
        LOADED.resolve(code, on=date(2026, 1, 1))

    assert said in str(raised.value)


def test_what_the_jurisdictions_know():
    """
    Codes, currency, time zone, rulebooks and examples.
    """
    assert LOADED.codes == ("IE",)
    assert list(LOADED) == [IE]
    assert len(LOADED) == 1
    assert repr(LOADED) == "Jurisdictions(IE)"
    assert LOADED.currency("IE") == Currency.of("EUR")
    assert LOADED.zone("IE").name == "Europe/Dublin"
    assert tuple(LOADED.rulebooks()) == IE.slices
    assert [example.name for example in LOADED.examples("IE")] == ["a good deal", "not verified"]


def test_a_rulebook_holds_what_its_files_say():
    """
    A rulebook has one jurisdiction's rules, parameters and products on one date, with a digest.
    """
    rulebook = LOADED.resolve("IE", on=date(2026, 2, 1))
    (product,) = rulebook.products

    assert (rulebook.code, rulebook.name, rulebook.owner) == ("IE", "Ireland", "risk-ie")
    assert (rulebook.rounding, rulebook.timezone) == ("half_up", "Europe/Dublin")
    assert (rulebook.offers_valid_hours, rulebook.recently_active_days) == (720, 90)
    assert rulebook.automated_decisioning is False
    assert rulebook.review_by == date(2027, 6, 30)
    assert (product.key, product.amounts) == ("flex", (500_000, 1_000_000))
    assert product.term == CalculatorChoice(kind="term", name="fixed", settings={"months": 6})
    assert product.term.file == "IE/products.toml"
    assert product.rules.digest == rulebook.renewal.digest == rulebook.digest


def test_a_rule_says_where_it_was_written():
    """
    Reasons carry the file and line of their rule (decisions/rule-language).
    """
    rules = LOADED.resolve("IE", on=date(2026, 2, 1)).renewal.rules

    assert [(rule.file, rule.line) for rule in rules] == [
        ("IE/renewal.toml", 10),
        ("IE/renewal.toml", 18),
    ]


def test_an_example_is_whole():
    """
    `[typical]` is an ordinary good deal; examples say what differs
    (decisions/jurisdiction-folders).
    """
    example = LOADED.examples("IE")[0]

    assert example.given == {"progress": "64%", "performance": "80%", "status": "Funded"}
    assert example.expect["outcome"] == "undetermined"
    assert (example.file, example.line, example.product) == ("IE/renewal.toml", 34, None)


def test_a_choice_says_where_its_settings_stand():
    """
    The choice of a calculator gives the place of itself and of each of its settings, for errors.
    """
    limits = LOADED.resolve("IE", on=date(2026, 2, 1)).products[0].limits
    line = 'limits = { calculator = "fixed", minimum = "EUR 500", maximum = "EUR 2000" }'

    whole, setting = (
        ErrorDetail(code="wrong_value", message="", **limits.place()),
        ErrorDetail(code="wrong_value", message="", **limits.place("maximum")),
    )

    assert (whole.file, whole.line, whole.column) == ("IE/products.toml", 10, 10)
    assert whole.source == line
    assert (setting.line, setting.column) == (10, line.index("maximum") + 1)
    assert setting.path == "$.products[0].limits.maximum"
    assert limits.place("calculator")["column"] == line.index('"fixed"') + 1
    assert limits.place("unheard_of") == limits.place()


def test_a_choice_without_a_file_has_no_place():
    """
    A host may make one by itself.
    """
    choice = CalculatorChoice(kind="term", name="fixed", settings={"months": 6})

    wrong = ErrorDetail(code="wrong_value", message="wrong", **choice.place("months"))

    assert wrong.place == ""


def test_assessing_plain_and_prepared_facts():
    """
    Rules can be asked without an engine: load, resolve, assess (decisions/engine).
    """
    rulebook = LOADED.resolve("IE", on=date(2026, 2, 1))
    facts = {"progress": "64%", "performance": "79.9999%"}

    assessment = rulebook.assess(facts)

    assert assessment.codes == ("IE-R-01",)
    assert assessment.on == date(2026, 2, 1)
    assert assessment == rulebook.assess_prepared(rulebook.catalogue.prepare(facts))
    assert assessment.reasons[0].text == "The pace is 79.9999%; at least 80% is needed."


def test_facts_that_cannot_be_meant():
    """
    A value of the wrong type is rejected at the edge with a clear error (decisions/rule-language).
    """
    with pytest.raises(InvalidDocument) as raised:
        LOADED.resolve("IE", on=date(2026, 2, 1)).assess({"progres": "64%", "performance": True})

    assert [error.path for error in raised.value.errors] == ["$.progres", "$.performance"]
