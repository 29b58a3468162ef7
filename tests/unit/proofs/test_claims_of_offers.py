"""Claims about the figures of offers, which the rules for each offer keep or do not keep."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis.strategies import integers

from holdback import Money
from holdback.disclosures.figure_facts import offer_catalogue
from holdback.disclosures.figures_from_takings import offer_figures
from holdback.eligibility.rule_sentences import FIGURE_END, FIGURE_START
from holdback.exact.money import Currency
from holdback.merchant.offer import Offer
from holdback.rules import Kind, check, parse
from holdback.tools.policy.policy_document import claim_sentence
from holdback.tools.proofs.claims import Prover
from holdback.tools.proofs.finding import ERROR, WARNING
from holdback.tools.proofs.offer_claims import offers_like
from holdback.tools.proofs.question import TRUE, AnswerIn
from holdback.tools.workbench.proving import prove
from small_folders import changed, child, country, errors_in, loaded

RATE = """
[[products.offer_rules]]
id = "rate-cap"
code = "NL-P-90"
require = "apr <= 60%"
reason = "It costs too much."
source = "policy"
"""
NEVER = '\n[[claims]]\nproduct = "flex"\nnever = "apr > 60%"\n'
ON = date(2026, 2, 1)
TYPICAL = "[typical]\n"


def claiming(claim=NEVER, rules=RATE, code="NL"):
    """The files of a country whose first product has these *rules*, with a *claim*."""
    files = changed(country(code), "products.toml", TYPICAL, f"{rules}\n{TYPICAL}")
    return {**files, "products.toml": files["products.toml"] + claim}


def found(files, code="NL", **parents):
    """The findings about the claims of the files."""
    jurisdictions = loaded(**{**parents, code: files})
    proved = prove(Prover(jurisdictions), jurisdictions[code], ON)
    return [
        finding for finding in proved.findings if finding.claim.startswith(("stated-", "claim-"))
    ]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("never", "apr > 60%"),
        ("never", "apr > 72.5%"),
        ("always", "apr <= 60%"),
        ("never", "apr > 60% and term > 100 days"),
        ("never", "finance_charge > EUR 9.00 and apr > 60%"),
    ],
)
def test_a_claim_that_the_rules_for_each_offer_keep_is_proved(kind, text):
    """
    The rate that rules read is rounded up, so that a bound of one is exact.
    """
    assert found(claiming(f'\n[[claims]]\nproduct = "flex"\n{kind} = "{text}"\n')) == []


def test_an_offer_of_which_a_claim_is_not_true():
    """
    It is shown with its figures, and with the rule that would have to say something else.
    """
    (finding,) = found(claiming(rules=RATE.replace("60%", "65%")))
    assert (finding.claim, finding.severity, finding.product) == ("stated-never", ERROR, "flex")
    assert finding.detail.message == "the rules for each offer allow one with `apr > 60%`"
    assert finding.detail.hint == "let `rate-cap` require `apr <= 60%`, or correct the claim"
    assert finding.detail.path == "$.claims[0].never"
    assert [place.text for place in finding.places] == [
        "never apr > 60%",
        "rate-cap: apr <= 65%",
    ]
    assert finding.witness.words == "an offer with apr 61% (60.0001% to 65%)"
    assert finding.witness.known == {"apr": "61%"}
    assert finding.witness.pasted is None
    assert 'example": null' not in str(finding.plain())


def test_figures_of_an_offer_belong_together():
    """
    What holds of the figures of every offer is known, so that no impossible one is shown.
    """
    rule = RATE.replace("apr <= 60%", "finance_charge <= USD 900.00").replace("USD", "EUR")
    claim = "purchased_amount - purchase_price > EUR 900.00"
    assert found(claiming(NEVER.replace("apr > 60%", claim), rule)) == []

    (finding,) = found(claiming(NEVER.replace("apr > 60%", claim), rule.replace("900", "901")))
    charge, bought, paid = (
        Decimal(finding.witness.known[name])
        for name in ("finance_charge", "purchased_amount", "purchase_price")
    )
    assert bought - paid == charge
    assert 900 < charge <= 901


def test_always_holds_of_each_figure_that_an_offer_has():
    """
    A figure of an offer is never unknown, so no offer is shown of which it is.
    """
    rule = RATE.replace("apr <= 60%", "term <= 400 days")
    (finding,) = found(
        claiming(NEVER.replace('never = "apr > 60%"', 'always = "apr <= 60%"'), rule)
    )
    assert finding.detail.message == "the rules for each offer allow one without `apr <= 60%`"
    assert finding.detail.hint == (
        'add a rule to `[[products.offer_rules]]` with `require = "apr <= 60%"`, '
        "or correct the claim"
    )
    assert [*finding.witness.known] == ["apr", "term"]


def test_a_rule_for_some_offers_keeps_no_claim_about_all():
    some = RATE.replace("require", 'when = "term > 100 days"\nrequire')
    (finding,) = found(claiming(rules=some))
    assert finding.witness.known["term"] <= 100
    assert finding.detail.hint == (
        "let `rate-cap` require `apr <= 60%`, without `when`, or correct the claim"
    )


def test_without_rules_for_each_offer_nothing_is_known_of_them():
    """
    It says so, and what to write. It has no offer to show.
    """
    (finding,) = found(claiming(rules=""))
    assert (finding.severity, finding.witness) == (ERROR, None)
    assert finding.detail.message == (
        "`flex` has no rules for each offer, so nothing keeps one from `apr > 60%`"
    )
    assert finding.detail.hint == (
        'add a rule to `[[products.offer_rules]]` with `require = "apr <= 60%"`, '
        "or correct the claim"
    )


def test_what_a_rule_would_have_to_say_of_more_than_a_comparison():
    claim = NEVER.replace("apr > 60%", "apr > 60% and term > 90 days")
    (finding,) = found(claiming(claim, RATE.replace("60%", "61%")))
    assert "`not (apr > 60% and term > 90 days)`" in finding.detail.hint


def test_a_claim_of_what_no_offer_is_says_nothing():
    (finding,) = found(claiming(NEVER.replace("apr > 60%", "finance_charge > purchased_amount")))
    assert (finding.claim, finding.severity) == ("claim-says-something", WARNING)
    assert "no offer can be like that" in finding.detail.message


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        (
            NEVER.replace("apr > 60%", "apr > 60% and deals_defaulted > 0"),
            "`apr` is a figure of an offer, and `deals_defaulted` is not",
        ),
        (
            NEVER.replace("apr > 60%", "deals_defaulted > 0 or term > 9 days"),
            "`term` is a figure of an offer, and `deals_defaulted` is not",
        ),
        (NEVER.replace("apr > 60%", "apr > 60 days"), "`apr` is a percentage"),
        (
            NEVER.replace("apr > 60%", "apr > 60% and tern > 9 days"),
            "`tern` is not a fact and not a parameter",
        ),
        ('\n[[funding_claims]]\nnever = "apr > 60%"\n', "`apr` is a figure of an offer"),
    ],
)
def test_a_claim_is_about_deals_or_about_offers(claim, message):
    errors = errors_in(claiming(claim), "NL")
    assert len(errors) == 1
    assert message in str(errors)


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        (NEVER, "No offer of Cash advance is made where the annual percentage rate is above 60%."),
        (
            NEVER.replace("never", "always").replace(">", "<="),
            (
                "An offer of Cash advance is made only where the annual percentage rate is at most "
                "60%."
            ),
        ),
    ],
)
def test_the_policy_page_says_it_in_words(claim, sentence):
    jurisdiction = loaded(NL=claiming(claim))["NL"]
    (stated,) = jurisdiction.claims
    said = claim_sentence(stated, jurisdiction.rulebook(ON), "")
    assert said.replace(FIGURE_START, "").replace(FIGURE_END, "") == sentence


def test_a_parameter_of_the_name_of_a_figure_is_the_parameter():
    """
    What a file says does not change its meaning because offers have a figure of that name.
    """
    files = claiming('\n[[claims]]\nproduct = "flex"\nnever = "term < missed_remittances_30d"\n')
    parameter = (
        '[parameters.term]\ntype = "count"\n'
        'timeline = [{ from = 2025-01-01, value = 3, source = "policy" }]\n'
    )
    files = changed(files, "products.toml", "format = 1\n", f"format = 1\n{parameter}")
    (claim,) = loaded(NL=files)["NL"].claims
    assert not claim.is_about_offers(loaded(NL=files)["NL"].rulebook(ON).catalogue)


def test_a_child_inherits_a_claim_about_offers():
    """
    It is proved of the child's rules too, and what does not hold in the parent is said there.
    """
    assert found(child("NL-NH"), "NL-NH", NL=claiming()) == []
    loose = claiming(rules=RATE.replace("60%", "65%"))
    assert found(child("NL-NH"), "NL-NH", NL=loose) == []
    own = loose["products.toml"]
    own = own[own.index("[[products]]") : own.index("[typical]")].replace("NL-", "NL-NH-")
    (finding,) = found(child("NL-NH", products=own), "NL-NH", NL=claiming())
    assert finding.detail.hint.startswith("let `rate-cap` require `apr <= 60%`")


@given(
    paid=integers(100, 10**9),
    charge=integers(1, 10**9),
    split=integers(1, 50),
    takings=integers(1_000, 10**9),
)
def test_what_is_assumed_of_figures_holds_of_those_of_offers(paid, charge, split, takings):
    """
    None is unknown, and those of an offer belong together: the proofs rest on it.
    """
    euro = Currency.of("EUR")
    offer = Offer(
        offer_id="1",
        description="",
        split_percentage=Decimal(split),
        term_length=Decimal(6),
        term_days=183,
        repayment_amount=Money(paid + charge, euro),
        funded_amount=Money(paid, euro),
        factor_rate=Decimal(1),
    )
    figures = offer_figures(offer, takings)
    catalogue = offer_catalogue(euro)
    if figures is not None:
        every = " and ".join(f"{fact.name} == {fact.name}" for fact in catalogue.facts)
        read = AnswerIn(check(parse(every), catalogue, Kind.FLAG), TRUE)
        assert offers_like(read).holds(tuple(figures[fact.name] for fact in catalogue.facts))
