"""Rules, products and settings as sentences for people who read a policy."""

from __future__ import annotations

from datetime import date

from attrs import evolve

from every_case import for_every
from holdback import load_jurisdictions
from holdback.eligibility.rule_sentences import requirement
from holdback.offers.registry import BUILT_IN
from holdback.rulebooks.product_terms import CalculatorChoice
from holdback.tools.policy.policy_document import changes_until, product_texts, rule_texts
from holdback.tools.policy.policy_page import _FOR_READERS
from holdback.tools.policy.policy_sentences import _SENTENCES, product_sentences
from holdback.tools.proofs.claim_meanings import CLAIMS
from small_folders import changed, country, loaded, rule

NOW = date(2026, 7, 1)


def required(require, more=""):
    """What a rule of the country NL requires, on one line."""
    files = country(more=more)
    own = rule("x", "NL-R-03", require)
    files["renewal.toml"] = files["renewal.toml"].partition("[typical]")[0] + own
    book = loaded(NL=files).resolve("NL", on=NOW)
    return requirement(book.renewal.rules[-1], book.renewal).plain()


LICENCE = '[facts.licence_valid]\ntype = "flag"\ndescription = "The licence."\n'


@for_every(
    ("require", "sentence"),
    [
        ("performance >= 80%", "The performance must be at least 80%."),
        ("not (performance >= 80%)", "The performance must be below 80%."),
        ("80% <= performance", "80% must be at most the performance."),
        ("deals_defaulted != 2", "The number of defaulted deals must not be 2."),
        ('status in ["Funded", "Repaid"]', "The status of the deal must be Funded or Repaid."),
        ('not (status == "Funded")', "The status of the deal must not be Funded."),
        (
            "credit_checked_on >= 2026-01-01",
            "The day of the credit check must be on or after 2026-01-01.",
        ),
        ("identity_verified", "The identity must be verified."),
        ("not paused", "The repayment must not be paused."),
        ("licence_valid", "“Licence valid” must be true."),
        ("not licence_valid", "“Licence valid” must not be true."),
        (
            "deals_defaulted == 0 or (identity_verified and months_trading >= 6)",
            (
                "At least one of these must be true: The number of defaulted deals is 0; "
                "All of these: The identity is verified; "
                "The number of months trading is at least 6"
            ),
        ),
        (
            "not (identity_verified and paused)",
            "It must be true that not (the identity is verified and the repayment is paused).",
        ),
    ],
)
def test_a_rule_is_an_obligation(require, sentence):
    """
    A rule reads as an obligation, with a list where it has alternatives.
    """
    assert required(require, LICENCE) == sentence


def test_every_built_in_calculator_has_a_sentence():
    """
    Each built-in calculator has a sentence of its own; a host's own is named with its settings.
    """
    book = load_jurisdictions().resolve("GB", on=NOW)
    own = CalculatorChoice(kind="term", name="by_season", settings={"longest": 9})
    sentences = dict(product_sentences(evolve(book.products[0], term=own), book))

    assert set(_SENTENCES) == set(BUILT_IN)
    assert sentences["term"] == "The term comes from the calculator “by season” with longest 9."


def test_days_are_those_on_which_something_is_there():
    """
    A rule or a product is in force since the first day on which it was there without a break.
    """
    gb = load_jurisdictions()["GB"]
    later = gb.rulebook(date(2026, 12, 1))
    starter = product_texts(gb, later)[1]
    paused = rule_texts(gb, later)[-1]

    assert (starter.key, starter.since, starter.until) == ("starter", date(2024, 1, 1), None)
    assert (paused.code, paused.since, paused.until) == ("GB-R-11", date(2026, 11, 24), None)


def test_what_changes_day_by_day():
    """
    What changes: every sentence that is new, ends, or says something else, and nothing more.
    """
    refers = 'otherwise = "refer"'
    files = changed(country(), "renewal.toml", refers, f"until = 2026-03-01\n{refers}")
    files["renewal.toml"] = files["renewal.toml"].partition("[typical]")[0]
    days = changes_until(loaded(NL=files)["NL"], date(2025, 6, 1), date(2026, 6, 1))

    assert [day for day, _ in days] == [date(2026, 1, 1), date(2026, 3, 1)]
    ((pace,), (missed,)) = (changes for _, changes in days)
    sentence = "The performance must be at least the minimum performance of {}."
    for said, value in ((pace.before, "75%"), (pace.after, "80%")):
        reads = f"“The pace is [performance]; at least {value} is needed.”"
        otherwise = f"Otherwise it is declined. The merchant reads: {reads}"
        assert said == f"{sentence.format(value)} {otherwise}"
    assert (missed.title, missed.after) == ("NL-R-02 Few missed", None)


def test_sentences_for_readers_are_about_claims():
    """
    What is said of proofs to readers is about claims that are asked.
    """
    assert set(_FOR_READERS) <= set(CLAIMS)
