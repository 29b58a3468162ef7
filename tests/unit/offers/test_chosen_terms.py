"""The merchant chooses the term, and the factor rate may depend on it."""

from __future__ import annotations

from datetime import date

import pytest

from holdback import ConfigurationError
from holdback.offers.calculator import PricingCase
from holdback.offers.quote import quote, quote_amount
from holdback.offers.registry import BUILT_IN, bind
from holdback.tools.mutants.mutation import verdicts
from holdback.tools.policy.policy_sentences import product_sentences
from holdback.tools.sanity.sanity import sanity
from small_folders import changed, country, loaded

NOW = date(2026, 7, 1)
SPLIT = 'split_percentage = { calculator = "chosen", choices = ["10%"] }'
RATE = 'factor_rate = { calculator = "flat", rate = "1.2" }'
TERM = 'term = { calculator = "fixed", months = 6 }'
BY_TERM = (
    'factor_rate = { calculator = "banded", on = "term_months", '
    'bands = [{ up_to = 7, rate = "1.1" }, { up_to = 10, rate = "1.15" }, { rate = "1.2" }] }'
)
AFFORDABLE = (
    'split_percentage = { calculator = "affordability", choices = ["10%", "20%"], '
    "longest_term_months = 9 }"
)


def land(*, months="[6, 12]", rate=BY_TERM, split=SPLIT, more=""):
    """The country NL, where the merchant chooses among *months*; without examples of products."""
    files = country(more=more)
    products = files["products.toml"][: files["products.toml"].index("[typical]")]
    files = {**files, "products.toml": products}
    files = changed(files, "products.toml", RATE, rate)
    files = changed(files, "products.toml", SPLIT, split)
    term = f'term = {{ calculator = "chosen", months = {months} }}' if months else TERM
    return changed(files, "products.toml", TERM, term)


def bound(files):
    rulebook = loaded(NL=files).resolve("NL", on=NOW)
    (product,) = bind(rulebook, BUILT_IN, "{}/{}".format)
    return rulebook, product


def case(rulebook, takings="EUR 10000", **facts):
    given = {"identity_verified": True, "average_monthly_takings": takings, **facts}
    return PricingCase(
        facts=rulebook.catalogue.prepare({k: v for k, v in given.items() if v is not None}),
        catalogue=rulebook.catalogue,
        renewal=False,
        currency=rulebook.currency,
        rounding=rulebook.rounding,
    )


def offers(files, takings="EUR 10000", **facts):
    """The amount, the term, the rate and the split of each offer."""
    rulebook, product = bound(files)
    return [
        tuple(
            str(part)
            for part in (
                offer.funded_amount, offer.term_length, offer.factor_rate, offer.split_percentage
            )
        )
        for offer in quote(product, case(rulebook, takings, **facts), str).offers
    ]  # fmt: skip


def errors(files):
    with pytest.raises(ConfigurationError) as refused:
        bound(files)
    return str(refused.value)


def test_an_offer_for_each_term():
    """
    There is an offer for each amount and term, with the rate of the term.
    """
    assert offers(land()) == [
        ("EUR 1000.00", "6", "1.1", "10"),
        ("EUR 1000.00", "12", "1.2", "10"),
        ("EUR 2000.00", "6", "1.1", "10"),
        ("EUR 2000.00", "12", "1.2", "10"),
    ]


def test_a_rate_that_does_not_depend_on_it():
    """
    Any factor rate goes with terms that are chosen.
    """
    assert offers(land(rate=RATE))[:2] == [
        ("EUR 1000.00", "6", "1.2", "10"),
        ("EUR 1000.00", "12", "1.2", "10"),
    ]


def test_the_split_that_repays_within_the_term():
    """
    With `affordability` each term has the smallest split that repays within it.
    """
    # EUR 1,100 in 6 months are EUR 184 a month: with takings of EUR 1,000 that takes 20%.
    assert offers(land(split=AFFORDABLE), "EUR 1000") == [
        ("EUR 1000.00", "6", "1.1", "20"),
        ("EUR 1000.00", "12", "1.2", "20"),
    ]
    assert offers(land(split=AFFORDABLE), "EUR 2000")[:2] == [
        ("EUR 1000.00", "6", "1.1", "10"),
        ("EUR 1000.00", "12", "1.2", "10"),
    ]


def test_a_term_that_the_takings_do_not_reach():
    """
    A term within which no split repays is not offered, and without any the product is declined.
    """
    assert offers(land(split=AFFORDABLE), "EUR 700") == [("EUR 1000.00", "12", "1.2", "20")]
    rulebook, product = bound(land(split=AFFORDABLE))
    none = quote(product, case(rulebook, "EUR 10"), str)
    assert (none.decision, [reason.code for reason in none.reasons]) == (
        "Declined", ["AFFORDABILITY"]
    )  # fmt: skip
    unknown = quote(product, case(rulebook, None), str)
    assert (unknown.decision, unknown.needs) == ("Referred", ("average_monthly_takings",))


def test_another_amount_has_all_terms():
    """
    A requote of another amount has an offer for each term, too.
    """
    rulebook, product = bound(land())
    amount = product.limits.minimum

    assert [
        (str(offer.term_length), str(offer.factor_rate))
        for offer in quote_amount(product, case(rulebook), str, amount)[0]
    ] == [("6", "1.1"), ("12", "1.2")]


def test_a_fact_of_this_name():
    """
    A fact that a jurisdiction declares by this name is what `on` names.
    """
    ends = "minimum = 0\nmaximum = 99\n"
    fact = f'[facts.term_months]\ntype = "count"\n{ends}description = "Months."\n'

    assert [rate for _, _, rate, _ in offers(land(more=fact), term_months=8)] == ["1.15"] * 4


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (land(months=None), "`on` reads the term that is chosen, and `term` is `fixed`"),
        (land(months="[]"), "expected at least one number of months"),
        (land(months="[12, 6]"), "each above the one before"),
        (land(months="[0, 6]"), "expected at least one month"),
        (land(months="[6, 1201]"), "and at most 1200"),
        (land(months='["6 months"]'), "expected a whole number"),
        (land(months=f"{list(range(1, 52))}"), "2 `amounts` and 51 `months` and 1 `choices`"),
        (land(rate=BY_TERM.replace("7", '"7 months"')), "expected a whole number"),
        (land(rate=BY_TERM.replace("term_months", "term_month")), "did you mean `term_months`?"),
    ],
)
def test_settings_that_cannot_be(files, message):
    """
    An error says what is wrong with the terms, and with a rate that depends on them.
    """
    assert message in errors(files)


def test_the_digest_covers_the_terms():
    """
    Another term is another price, and the version of the calculator is covered.
    """
    first, second = (bound(land(months=months))[0] for months in ("[6, 12]", "[6, 13]"))

    assert first.digest != second.digest
    assert first.versions["term/chosen"] == 1


def test_what_the_policy_says():
    """
    The policy says the terms, the rate of each, and the splits that repay within them.
    """
    rulebook, product = bound(land(split=AFFORDABLE))
    said = dict(product_sentences(product.terms, rulebook))

    assert said["term"] == "The merchant chooses the term: 6 or 12 months."
    assert said["factor_rate"] == (
        "What the merchant repays of what it received depends on the months of the term: 1.1 times "
        "below 7, 1.15 times from 7 to below 10 and 1.2 times from 10 on."
    )
    assert "within 9 months and within the chosen term" in said["split_percentage"]


@pytest.mark.parametrize(
    ("months", "message"),
    [
        ("[6, 9, 12]", None),
        ("[6, 12]", "no term is from 7 to below 10 months: the merchant chooses among [6, 12]"),
        ("[6, 9]", "no term is from 10 months on: the merchant chooses among [6, 9]"),
        ("[6, 9, 200]", "a term of 200 months is more than"),
    ],
)
def test_what_nobody_means(months, message):
    """
    A band without a term, and a term of many years, are findings.
    """
    found = [finding.detail.message for finding in sanity(loaded(NL=land(months=months)))]

    assert len(found) == (message is not None)
    assert message is None or found[0].startswith(message)


def test_bounds_between_two_terms():
    """
    A bound of a band that moves between two terms changes no price, and is said to decide nothing.
    """
    family = loaded(NL=land(months="[6, 9, 12]"))
    found = {each.mutant.name: each for each in verdicts(family["NL"], family)}
    rate = "flex factor_rate bands"

    assert found[f"{rate}[0].up_to: 7 to 8"].state == "equivalent"
    assert "every term, of 6, 9 or 12 months, has the same rate" in (
        found[f"{rate}[0].up_to: 7 to 8"].reason
    )
    assert found[f"{rate}[0].up_to: 7 to 6"].state == "survived"
    assert found[f"{rate}[0].rate: 1.1 to 1.100001"].state == "survived"
    assert found["flex term months[0]: 6 to 7"].state == "survived"


def test_a_longest_term_beyond_the_terms():
    """
    The longest term of `affordability` decides nothing where every term is shorter.
    """
    family = loaded(NL=land(split=AFFORDABLE.replace("= 9", "= 24")))
    found = {each.mutant.name: each for each in verdicts(family["NL"], family)}

    mine = found["flex split_percentage longest_term_months: 24 to 25"]
    assert mine.state == "equivalent"
    assert mine.reason == "this never decides: the longest term that is chosen is of 12 months"
