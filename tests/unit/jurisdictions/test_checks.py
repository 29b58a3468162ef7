"""`[checks.NAME]`: how old a result may be, which facts a check gives, and its age as a fact."""

from __future__ import annotations

from datetime import date

from every_case import for_every
from holdback.facts import BUILT_IN_FACTS, CHECKS, MOST_DAYS
from holdback.jurisdictions.checks import CheckTerms
from holdback.rules import Kind
from small_folders import changed, country, read, rule

NOW = date(2026, 7, 1)

LICENSED = """
[facts.licensed]
type = "flag"
description = "Whether the shop has a licence."
"""
ADDRESS = LICENSED.replace("licensed", "local")
REGISTER = """
[checks.register]
facts = ["local", "licensed"]
consent = "register_search"
"""


def aged(name, *entries, more=""):
    """A check as written, with its greatest ages: pairs of a day and the value."""
    written = (f'{{ from = {day}, value = {value}, source = "law" }}' for day, value in entries)
    limits = f"max_age_days = [{', '.join(written)}]\n" if entries else ""
    return f"\n[checks.{name}]\n{limits}{more}"


def with_checks(*parts):
    """The files of a country with more in its `jurisdiction.toml`, behind everything else."""
    return country(more="".join(parts))


def checks_of(files, on=NOW):
    return read(files, "NL").rulebook(on).checks


def test_without_a_word_of_them_the_checks_are_as_they_always_were():
    """
    Every check of a jurisdiction is there, built-in ones first; a declared fact that no check
    names is a check by its own name, and results do not age.
    """
    assert dict(checks_of(country())) == {
        name: CheckTerms(name=name, facts=facts) for name, facts in CHECKS.items()
    }
    own = CheckTerms(name="licensed", facts=("licensed",))
    assert list(checks_of(with_checks(LICENSED)).values())[len(CHECKS) :] == [own]


def test_a_jurisdiction_groups_its_own_facts():
    """
    The facts of one check come together; other declared facts stay checks of their own.
    """
    other = LICENSED.replace("licensed", "another")
    checks = checks_of(with_checks(LICENSED, ADDRESS, other, REGISTER))

    assert list(checks) == [*CHECKS, "another", "register"]
    assert checks["register"] == CheckTerms(
        name="register", facts=("local", "licensed"), consent="register_search"
    )


@for_every(
    ("on", "days"),
    [("2025-01-01", None), ("2026-03-01", 365), ("2026-06-30", 365), ("2026-07-01", 90)],
)
def test_the_greatest_age_changes_by_date(on, days):
    """
    Before its first entry results do not age: a limit may begin after the first rule.
    """
    files = with_checks(aged("identity", ("2026-03-01", 365), ("2026-07-01", 90)))

    assert checks_of(files, date.fromisoformat(on))["identity"].max_age_days == days


def test_a_limit_may_end():
    """
    From the `until` of the last entry on results do not age any more.
    """
    limit = aged("identity", ("2026-03-01", 365)).replace("value", "until = 2026-05-01, value")

    assert checks_of(with_checks(limit), date(2026, 4, 30))["identity"].max_age_days == 365
    assert checks_of(with_checks(limit), date(2026, 5, 1))["identity"].max_age_days is None


def test_a_check_that_a_file_names_has_its_age_as_a_fact():
    """
    "`NAME_age_days`: kind days, 0 to a hundred years, not rounded, derived", after declared facts.
    """
    facts = read(with_checks(LICENSED, aged("identity")), "NL").rulebook(NOW).catalogue.facts
    licensed, age = facts[BUILT_IN_FACTS:]

    assert (licensed.name, age.name) == ("licensed", "identity_age_days")
    assert (age.type.kind, age.low, age.high) == (Kind.DAYS, 0, MOST_DAYS)
    assert (age.rounded_down, age.origin) == (False, "derived")
    assert len(read(country(), "NL").rulebook(NOW).catalogue.facts) == BUILT_IN_FACTS


def test_a_rule_reads_the_age_of_a_check():
    """
    An age is a fact like others: a rule may be stricter than the greatest age.
    """
    fresh = rule("fresh", "NL-R-09", "identity_age_days <= 30 days")
    files = changed(
        with_checks(aged("identity")), "renewal.toml", "[typical]", f"{fresh}\n[typical]"
    )
    files = changed(
        files, "renewal.toml", 'progress = "64%"', 'progress = "64%"\nidentity_age_days = 3'
    )
    book = read(files, "NL").rulebook(NOW)
    good = {"progress": "64%", "performance": "97%", "missed_remittances_30d": 0}

    assert book.assess({**good, "identity_age_days": 30}).outcome == "eligible"
    assert book.assess({**good, "identity_age_days": 31}).outcome == "ineligible"
    assert book.assess(good).needs == ("identity_age_days",)
