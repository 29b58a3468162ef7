"""Rules for each offer: what its figures have to be, and what becomes of the others."""

from __future__ import annotations

import sys
from datetime import date
from subprocess import run

import pytest
from test_reasons_of_offers import LIMITS, ROOM, of_flex, why
from test_registry import GB, engine

from holdback import Money, Refusal
from holdback.disclosures.figures_from_takings import offer_figures
from holdback.jurisdictions.jurisdiction import Jurisdictions
from holdback.offers.quote import quote, quote_amount
from holdback.operations import Requote
from holdback.tools.mutants.mutation import mutants, verdicts
from holdback.tools.policy.policy_sentences import product_sentences
from holdback.tools.workbench.differences import differences
from holdback.tools.workbench.overview import overview
from journey import Journey
from small_folders import country, errors_in, read

FIRST = '[[products.rules]]\nid = "identity"\ncode = "GB-P-01"'
RATE = """\
[[products.offer_rules]]
id = "rate-cap"
code = "GB-P-90"
require = "apr <= 60%"
reason = "The annual rate would be {apr}; at most 60% is offered."
source = "policy"

"""
TAKINGS = 20_000_00


def capped(old="", new="", **facts):
    """GB's first product with a rule for each offer, *old* in it replaced, and its case."""
    assert old in RATE
    _, product, case = of_flex(FIRST, RATE.replace(old, new) + FIRST, **facts)
    return product, case


def rates(quoted):
    """The annual rates of the offers, in ten-thousandths of a percent."""
    return [offer_figures(offer, TAKINGS)["apr"] for offer in quoted.offers]


def test_an_offer_that_a_rule_does_not_allow_is_left_out():
    """
    "An offer that it does not allow is left out." The rate that rules read is rounded up, so that
    `<=` is exact: an offer whose rate is the bound itself is made.
    """
    _, free, case = of_flex()
    every = quote(free, case, str)
    least, *_, most = sorted(rates(every))
    assert least < most

    bound = f"{least // 10_000}.{least % 10_000:04}%"
    kept = quote(*capped("60%", bound), str)
    assert (kept.decision, kept.reasons, kept.limits) == ("Accepted", (), every.limits)
    assert rates(kept) == [least] * len(kept.offers)
    assert set(kept.offers) < set(every.offers)

    below = f"{(least - 1) // 10_000}.{(least - 1) % 10_000:04}%"
    assert quote(*capped("60%", below), str).decision == "Declined"


def test_a_product_without_an_allowed_offer_is_declined_with_the_rules_reason():
    """
    "When none is left the product is Declined with that rule's reason", never without one.
    """
    quoted = quote(*capped("60%", "5%"), str)
    decision, code, text = why(quoted)
    assert (decision, code, quoted.offers) == ("Declined", "GB-P-90", ())
    assert text.startswith("The annual rate would be ")
    assert text.endswith("%; at most 5% is offered.")
    (reason,) = quoted.reasons
    assert [*reason.facts] == ["apr"]


def test_what_is_unknown_makes_no_offer():
    """
    "Unknown (no average_monthly_takings, so no projection) never makes an offer": a person looks.
    """
    assert quote(*capped("60%", "500%"), str).decision == "Accepted"
    product, case = capped(average_monthly_takings=None)
    quoted = quote(product, case, str)
    assert (quoted.decision, quoted.offers) == ("Referred", ())
    assert quoted.needs == ("average_monthly_takings",)


def test_what_takings_never_repay_is_not_affordable():
    """
    An offer that would never end at the takings has no unknown figure: it is not affordable,
    and other offers of the product are made.
    """

    def with_splits(choices):
        """The decision on a product whose merchants choose how much of their takings they pay."""
        products = GB["products.toml"]
        old = products[products.index(LIMITS) : products.index(FIRST)] + FIRST
        calculators = (
            ROOM,
            f'split_percentage = {{ calculator = "chosen", choices = {choices} }}',
            'factor_rate = { calculator = "flat", rate = "1.2" }',
            'term = { calculator = "fixed", months = 10 }\n',
            RATE.replace("60%", "9000%") + FIRST,
        )
        _, product, case = of_flex(old, "\n".join(calculators))
        return quote(product, case, str)

    quoted = with_splits('["0.01%"]')
    assert why(quoted)[:2] == ("Declined", "AFFORDABILITY")
    assert (quoted.needs, quoted.offers) == ((), ())
    both = with_splits('["0.01%", "15%"]')
    assert (both.decision, {str(offer.split_percentage) for offer in both.offers}) == (
        "Accepted", {"15"}
    )  # fmt: skip


def test_another_amount_keeps_to_the_rules_too():
    """
    A merchant who asks for another amount of an open offer gets none that a rule does not allow,
    and the rule's own code and sentence.
    """
    amount = Money.parse("GBP 5000.00")
    offers, refused = quote_amount(*capped("60%", "500%"), str, amount)
    assert (len(offers), refused) == (1, ())
    offers, (reason,) = quote_amount(*capped("60%", "5%"), str, amount)
    assert (offers, reason.code) == ((), "GB-P-90")
    assert reason.text.endswith("%; at most 5% is offered.")
    unknown = quote_amount(*capped(average_monthly_takings=None), str, amount)
    assert (unknown[0], [reason.code for reason in unknown[1]]) == ((), ["REVIEW"])


def test_a_request_for_another_amount_says_the_rule():
    """
    The refusal of another amount has the code and the sentence of the rule that left its offers
    out, as the decision on a product has.
    """
    bound = RATE.replace("apr <= 60%", "term > 200 days").replace("{apr}", "{term}")
    journey = Journey(engine(FIRST, bound + FIRST))
    journey.ask()
    offer, least = journey.first_offer(), Money.parse("GBP 1000.00")
    with pytest.raises(Refusal) as raised:
        journey.do(Requote(offer_id=offer.offer_id, amount=least))
    assert raised.value.code == "amount_not_possible"
    assert raised.value.detail.startswith("GB-P-90: The annual rate would be ")


def test_rules_see_the_figures_of_the_offer_alone():
    """
    Its expressions read the figures of an offer, and nothing of the merchant.
    """
    rule = RATE.replace("GB-P-90", "NL-P-90")
    files = country()
    files["products.toml"] += "\n" + rule.replace("apr <= 60%", "performance >= 80%")
    (error,) = errors_in(files, "NL")
    assert "performance" in error.message

    files = country()
    files["products.toml"] += "\n" + rule.replace("source", 'otherwise = "refer"\nsource')
    (error,) = errors_in(files, "NL")
    assert "otherwise" in error.message


def folder(rule=RATE):
    files = country()
    files["products.toml"] += "\n" + rule.replace("GB-P-90", "NL-P-90")
    return read(files, "NL")


def test_the_digest_covers_them_where_there_are_any():
    """
    "The digest covers them when there are any (existing digests stay the same)."
    """
    day = date(2026, 7, 1)
    plain, bounded = read(country(), "NL").rulebook(day), folder().rulebook(day)
    other = folder(RATE.replace("60%", "61%")).rulebook(day)
    reworded = folder(RATE.replace("would be", "is")).rulebook(day)
    assert len({plain.digest, bounded.digest, other.digest}) == 3
    assert bounded.digest == reworded.digest
    ended = folder(RATE.replace("source", "until = 2026-07-01\nsource"))
    assert ended.rulebook(day).digest == plain.digest
    assert ended.rulebook(date(2026, 6, 30)).products[0].offer_rules != ()


def test_people_and_tools_see_them():
    """
    The policy page and `diff` say them, and mutants change them.
    """
    jurisdiction = folder()
    rulebook = jurisdiction.rulebook(date(2026, 7, 1))
    said = dict(product_sentences(rulebook.products[0], rulebook))
    assert said["offer_rule_rate-cap"].startswith(
        "Each offer has to keep to NL-P-90, rate cap: Annual percentage rate is at most 60%. "
    )
    shown = [overview(it, date(2026, 7, 1)) for it in (read(country(), "NL"), jurisdiction)]
    (added,) = differences(*shown)
    assert (added.state, added.kind, added.name) == (
        "added", "rule for each offer", "flex: rate-cap (NL-P-90)"
    )  # fmt: skip

    conditional = folder(RATE.replace("require", 'when = "term > 30 days"\nrequire'))
    names = [each.name for each in mutants(conditional, Jurisdictions([conditional]))]
    of_rule = [name.removeprefix("NL-P-90 ") for name in names if name.startswith("NL-P-90")]
    assert of_rule[:2] == ["left out", "without `when`"]
    assert {"require: apr < 60%", "when: term >= 30 days"} < {*of_rule}


def test_a_mutant_of_one_is_noticed_by_an_example_of_its_offers():
    """
    "The mutants and examples (`expect` on offers) reach them": without the rule there is an offer.
    """
    example = """
[[examples]]
name = "too dear"
on = 2026-07-01
product = "flex"
expect = { decision = "Declined", codes = ["NL-P-90"] }
"""
    never = RATE.replace("60%", "0%")
    seldom = never.replace("require", 'when = "apr > 99999%"\nrequire')
    dear, kept = folder(never + example), folder(seldom)
    for jurisdiction, mutant, noticed in (
        (dear, "left out", "too dear"),
        (kept, "without `when`", "verified"),
    ):
        verdict = next(
            verdict
            for verdict in verdicts(jurisdiction, Jurisdictions([jurisdiction]))
            if verdict.mutant.name == f"NL-P-90 {mutant}"
        )
        assert (verdict.state, verdict.reason) == ("noticed", noticed)


def test_disclosures_are_loaded_only_where_there_is_such_a_rule():
    """
    "`holdback.disclosures` is imported only where such a rule exists."
    """
    script = (
        "import sys, holdback.offers.quote as _;"
        "name = 'holdback.disclosures.figures_from_takings';"
        "print(name in sys.modules); import holdback.offers.offer_rules; print(name in sys.modules)"
    )
    printed = run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert printed.stdout.split() == ["False", "True"]
