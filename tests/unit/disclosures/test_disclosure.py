"""A regime filled with the figures of an offer: its lines, its sentences, and whether it is due."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

import attrs
import pytest

from holdback.disclosures.disclosure import Payoff, ProjectionTerms, disclose
from holdback.disclosures.figure_facts import figure_catalogue
from holdback.disclosures.figures import Financing
from holdback.errors import InvalidDocument, InvalidValue
from holdback.exact.money import Currency
from holdback.rulebooks.regime import Condition, Item, Regime, Sentence, regime_on
from holdback.rules import Fact, Kind, Type, check, parse
from holdback.rules.number_format import NumberFormat

DEALS = Fact(name="deals_in_state_12m", type=Type(Kind.COUNT), low=0, high=10_000)
DOLLARS = Currency.of("USD")
FEE = Fact(name="fee_at_payoff", type=Type(Kind.MONEY, DOLLARS), low=0, high=100_000_000)
CATALOGUE = figure_catalogue(DOLLARS).with_facts((DEALS, FEE))
AMERICAN = NumberFormat(
    decimal=".",
    group=",",
    money="${amount}",
    percent="{number}%",
    date="{month}/{day}/{year}",
)


def condition(name, text):
    return Condition(id=name, checked=check(parse(text), CATALOGUE), source=f"section {name}")


def regime(**changes):
    told_of_deductions = check(parse("amount_financed > recipient_funds"), CATALOGUE)
    values = {
        "code": "US-CA",
        "since": date(2022, 12, 9),
        "title": "OFFER SUMMARY - {financer}",
        "law": "a law",
        "rate": "actuarial",
        "month": Fraction(30),
        "overstatement_counts": False,
        "required": None,
        "signed": True,
        "conditions": (condition("amount", "amount_financed <= USD 500000.00"),),
        "exemptions": (condition("few-deals", "deals_in_state_12m <= 5"),),
        "items": (
            Item(
                id="funding",
                label="Funding Provided",
                value="{amount_financed}",
                sentences=(
                    Sentence(text="{financer} will provide it."),
                    Sentence(text="You receive {recipient_funds}.", when=told_of_deductions),
                ),
                source="10 CCR 914(a)(1)",
            ),
            Item(id="rate", label="APR", value="{apr}", source="10 CCR 914(a)(2)"),
            Item(
                id="deductions",
                label="Deductions",
                value="{withheld}",
                when=told_of_deductions,
                source="10 CCR 956",
            ),
        ),
        "foot": ("Over {term}.",),
        "texts": {"financer": None, "collateral": "N/A"},
        "catalogue": CATALOGUE,
        "number_format": AMERICAN,
    }
    return Regime(**{**values, **changes})


# A payment of 75.00 a day for 152 days.
PROJECTION = ProjectionTerms(
    consummation=date(2026, 3, 2),
    frequency="daily",
    split=Fraction("0.15"),
    monthly_takings=15_000_00,
)


ORDINARY = regime()


def disclosed(
    purchase_price=10_000_00,
    facts=None,
    texts=None,
    regime=ORDINARY,
    payoff=None,
    projection=PROJECTION,
    **of,
):
    financing = Financing(
        purchase_price=purchase_price, purchased_amount=purchase_price * 114 // 100, **of
    )
    given = {"financer": "Acme"} if texts is None else texts
    return disclose(regime, financing, projection, payoff=payoff, facts=facts, texts=given)


def test_lines_have_the_order_of_the_regime():
    """
    A disclosure has the labels, the values and the sentences of its regime, each with its section.
    """
    plain = disclosed()
    assert [(line.id, line.value) for line in plain.lines] == [
        ("funding", "$10,000.00"),
        ("rate", plain.lines[1].value),
    ]
    assert plain.lines[1].value.endswith("%")
    assert plain.lines[0].sentences == ("Acme will provide it.",)
    assert plain.lines[0].source == "10 CCR 914(a)(1)"
    assert (plain.title, plain.foot) == ("OFFER SUMMARY - Acme", ("Over 152 days.",))


def test_a_sentence_is_said_where_its_condition_holds():
    """
    "If AF > RF add: Due to deductions or payments to others, the total funds ..."
    """
    less = disclosed(third_parties=500_00)
    assert less.lines[0].sentences[1] == "You receive $9,500.00."
    assert [line.id for line in less.lines] == ["funding", "rate", "deductions"]


@pytest.mark.parametrize(
    ("price", "due"), [(500_000_00, True), (500_000_01, False), (1_000_00, True)]
)
def test_it_is_due_up_to_an_amount(price, due):
    """
    An amount financed of 500,000 is covered, and a cent more is not.
    """
    found = disclosed(price)
    assert (found.due, found.decided_by) == (due, () if due else ("section amount",))


def test_what_is_not_known_exempts_nobody():
    """
    Five or fewer deals in the state in 12 months are exempt; an unknown number is not.
    """
    assert disclosed(facts={"deals_in_state_12m": 6}).due
    assert disclosed(facts={}).due
    few = disclosed(facts={"deals_in_state_12m": 5})
    assert (few.due, few.decided_by) == (False, ("section few-deals",))


def test_the_rate_that_rules_read_is_rounded_up():
    """
    A rule that allows at most 60% never lets through what is above it by a digit.
    """
    found = disclosed()
    exact = found.payments.annual_rate(10_000_00)
    assert found.figures["apr"] == f"{exact.percent(4, 'up').normalize()}%"
    assert found.lines[1].value == f"{exact.percent(2):,}%"


def test_texts_that_a_host_states():
    """
    A text without a default has to be stated, and one of another name is refused with a hint.
    """
    with pytest.raises(InvalidDocument) as refused:
        disclosed(texts={"finacer": "Acme"})
    assert [(error.code, error.path) for error in refused.value.errors] == [
        ("unknown_name", "$.texts.finacer"),
        ("missing", "$.texts.financer"),
    ]
    assert "`financer`" in refused.value.errors[0].hint


def test_a_renewal_has_figures_of_its_own():
    """
    A renewal tells what pays off the provider's own deal, and the unpaid charge in it.
    """
    payoff = Payoff(finance_charge=5_000_00, total_repayment=15_000_00, used=7_500_00)
    financing = Financing(purchase_price=10_000_00, purchased_amount=11_400_00, payoffs=payoff.used)
    renewal = disclose(regime(), financing, PROJECTION, payoff=payoff, texts={"financer": "Acme"})
    assert renewal.figures["own_payoff"] == "7500.00"
    assert renewal.figures["double_dipping"] == "2500.00"
    assert renewal.lines[0].value == "$10,000.00"


def test_the_regime_of_a_day():
    """
    A regime holds from its first day until the next one's.
    """
    first, second = regime(), regime(since=date(2026, 1, 1))
    both = (first, second)
    assert regime_on(both, date(2022, 12, 8)) is None
    assert regime_on(both, date(2025, 12, 31)) is first
    assert regime_on(both, date(2026, 1, 1)) is second


def test_a_regime_may_have_the_effective_rate():
    """
    "For jurisdictions without such a law, the same figures under a neutral regime (total cost, cost
    per unit borrowed, APR by the European effective method, named so)."
    """
    neutral = regime(
        rate="effective",
        items=(
            Item(id="cost", label="Total cost", value="{total_cost}", source="none"),
            Item(id="unit", label="Cost per unit borrowed", value="{cost_per_unit}", source="none"),
            Item(
                id="rate",
                label="APR (European effective method)",
                value="{apr}",
                source="2008/48/EC, Annex I",
            ),
        ),
    )
    shown = [line.value for line in disclosed(regime=neutral).lines]
    assert shown == ["$1,400.00", "0.14", "89.51%"]
    nominal = disclosed().lines[1].value
    assert nominal == "63.98%"


def test_a_payoff_of_nothing_has_no_unpaid_charge():
    """
    A deal without a repayment has nothing to pay off, and no charge in it.
    """
    assert Payoff(finance_charge=0, total_repayment=0, used=0).double_dipping == 0


UNSURE = Item(
    id="fee",
    label="Fee",
    value="{collateral}",
    when=check(parse("fee_at_payoff > USD 0.00"), CATALOGUE),
    source="section 5",
)


def missing(law, **of):
    with pytest.raises(InvalidDocument) as refused:
        disclosed(regime=law, **of)
    return [(error.code, error.path) for error in refused.value.errors]


def law_with(*items, **changes):
    return regime(items=(*regime().items, *items), **changes)


def test_a_line_that_rests_on_an_unknown_fact_is_refused():
    """
    Unknown is not false: a line is neither left out nor says "unknown" because nobody stated what
    it rests on. Everything that is missing is said at once.
    """
    shows = Item(id="deals", label="Deals", value="{deals_in_state_12m}", source="section 6")
    assert missing(law_with(UNSURE, shows), texts={}) == [
        ("missing", "$.facts.fee_at_payoff"),
        ("missing", "$.texts.financer"),
        ("missing", "$.facts.deals_in_state_12m"),
    ]
    said = attrs.evolve(shows, value="", sentences=(Sentence(text="Yes.", when=UNSURE.when),))
    assert missing(law_with(said)) == [("missing", "$.facts.fee_at_payoff")]
    known = disclosed(
        regime=law_with(UNSURE, shows), facts={"fee_at_payoff": "0.00", "deals_in_state_12m": 7}
    )
    assert [line.id for line in known.lines] == ["funding", "rate", "deals"]


def test_a_text_is_asked_where_a_shown_line_names_it():
    """
    Texts of a line that is not shown are not asked for.
    """
    law = law_with(UNSURE, texts={"financer": None, "collateral": None})
    assert disclosed(regime=law, facts={"fee_at_payoff": "0.00"}).due
    assert missing(law, facts={"fee_at_payoff": "1.00"}) == [("missing", "$.texts.collateral")]
    stated = {"financer": "Acme", "collateral": "receivables"}
    shown = disclosed(regime=law, facts={"fee_at_payoff": "1.00"}, texts=stated)
    assert shown.lines[-1].value == "receivables"
    facts = CATALOGUE.prepare({"amount_financed": "1.00", "recipient_funds": "1.00"})
    assert law.texts_with(facts) == ("financer",)
    assert law.needed(facts) == ("fee_at_payoff", "financer", "amount_financed", "apr", "term")


def test_a_fact_of_a_host_is_no_figure():
    """
    What is computed cannot be stated: a figure given as a fact is refused.
    """
    assert missing(ORDINARY, facts={"amount_financed": "1.00", "deals": 1}) == [
        ("not_allowed", "$.facts.amount_financed"),
        ("unknown_name", "$.facts.deals"),
    ]


CHARGE = Item(id="unpaid", label="Unpaid", value="{unpaid_charge}", source="section 7")


def test_the_unpaid_charge_of_a_payoff_is_unknown_unless_it_is_stated():
    """
    "For ANY provider's existing financing": zero only where nothing is paid off.
    """
    law = law_with(CHARGE)
    assert disclosed(regime=law).lines[-1].value == "$0.00"
    assert missing(law, payoffs=750_00) == [("missing", "$.payoff")]
    assert "unpaid_charge" not in disclosed(payoffs=750_00).figures
    other = Payoff(finance_charge=500_00, total_repayment=1_500_00, used=750_00, own=False)
    assert disclosed(regime=law, payoffs=750_00, payoff=other).lines[-1].value == "$250.00"
    assert missing(law, payoffs=800_00, payoff=other) == [("missing", "$.payoff")]
    with pytest.raises(InvalidValue, match="more than all that is paid off"):
        disclosed(payoff=other)


def test_a_figure_out_of_its_range_is_named():
    """
    "Figures out of a catalogue's range": the error names the figure, and no fact that nobody gave.
    """
    rare = attrs.evolve(PROJECTION, frequency="monthly", split=Fraction(38, 10**5))
    with pytest.raises(InvalidValue, match=r"`term`: expected 0 days to 36600 days") as refused:
        disclosed(projection=rare)
    assert refused.value.code == "out_of_range"
