"""The laws that ship, each filled with the figures of an offer that pays off an old deal."""

from __future__ import annotations

import re
from datetime import date
from fractions import Fraction

import attrs

from every_case import for_every
from holdback import load_jurisdictions
from holdback.disclosures.disclosure import Payoff, ProjectionTerms, disclose
from holdback.disclosures.figures import Financing
from holdback.disclosures.projected_payments import Payment, ProjectedPayments
from holdback.errors import InvalidDocument

JURISDICTIONS = load_jurisdictions()
STATES = ["CA", "NY", "VA", "CT", "TX", "UT", "GA", "FL", "KS", "MO", "LA"]
ITEMIZED = (
    "given-directly paid-on-account paid-to-others withheld provided "
    "prepaid-charges amount-financed"
)  # fmt: skip
SUMMARY = (
    "funding-provided apr finance-charge total-payment monthly-cost payment payment-terms term "
    "prepayment-charge prepayment-fees"
)
FUNDS = "funds-provided funds-disbursed total-of-payments total-cost payments prepayment"
# The lines in the order of each law.
LINES = {
    "CA": f"{SUMMARY} {ITEMIZED}",
    "NY": f"{SUMMARY} collateral {ITEMIZED}",
    "VA": "total-amount fees-withheld disbursement finance-charge total-repayment "
    "number-of-payments payment-schedule other-fees collateral broker-compensation prepayment",
    "CT": "total-amount withheld disbursement finance-charge total-repayment term payment-schedule "
    "other-fees collateral broker-compensation prepayment reduction unpaid-charge",
    "TX": "total-amount disbursement finance-charge total-repayment term payments other-fees "
    "payoff-charge payoff-fees collateral broker-compensation unpaid-charge reduction",
    **dict.fromkeys(("UT", "GA", "FL", "KS", "MO", "LA"), FUNDS),
}
OLD = Payoff(finance_charge=5_000_00, total_repayment=15_000_00, used=7_500_00)
OFFER = Financing(
    purchase_price=60_000_00,
    purchased_amount=78_000_00,
    withheld=1_200_00,
    third_parties=300_00,
    payoffs=OLD.used,
)
PROJECTION = ProjectionTerms(
    consummation=date(2026, 3, 2),
    frequency="weekday",
    split=Fraction("0.1"),
    monthly_takings=90_000_00,
)


def shown(state, **texts):
    *_, regime = JURISDICTIONS[f"US-{state}"].disclosures
    texts = {name: f"[{name}]" for name in regime.texts} | texts
    facts = {"prepayment_fees": "0.00"} if regime.catalogue.fact("prepayment_fees") else {}
    return disclose(regime, OFFER, PROJECTION, payoff=OLD, facts=facts, texts=texts)


def words(disclosure):
    lines = (
        part for line in disclosure.lines for part in (line.label, line.value, *line.sentences)
    )
    return " ".join([disclosure.title, *lines, *disclosure.foot])


@for_every("state", STATES)
def test_a_law_that_ships_is_filled(state):
    """
    Each line has a label and the section of the law, and no name is left in braces.
    """
    found = shown(state)

    assert found.due
    assert not set("{}") & set(words(found))
    assert [line.id for line in found.lines] == LINES[state].split()
    assert all(line.label and line.source for line in found.lines)
    assert all(line.value or line.sentences for line in found.lines)


@for_every("state", STATES)
def test_the_figures_of_a_state(state):
    """
    "disbursement = F - withheld"; "UT, GA, FL, LA: cost = TP - F"; "KS, MO: TP - F + w";
    "Disbursed = F - fees - prior balance - third parties".
    """
    by_id = {line.id: line.value for line in shown(state).lines}
    common = {
        "disbursement": "$58,800.00",
        "funds-provided": "$60,000.00",
        "funds-disbursed": "$51,000.00",
        "funding-provided": "$58,800.00",
        "total-cost": "$19,200.00" if state in {"KS", "MO"} else "$18,000.00",
        "finance-charge": "$19,200.00",
        "reduction": "$7,500.00",
        "unpaid-charge": "$2,500.00",
        "given-directly": "$51,000.00",
        "paid-on-account": "$7,500.00",
        "paid-to-others": "$300.00",
        "provided": "$60,000.00",
        "prepaid-charges": "$1,200.00",
    }
    stated = {name: value for name, value in common.items() if name in by_id}
    assert {name: by_id[name] for name in stated} == stated
    assert stated


def test_an_itemization_adds_up():
    """
    "a fee the financer keeps needs its own line before the sum, or it is subtracted twice".
    """
    for state in ("CA", "NY"):
        amounts = {line.id: int(re.sub(r"\D", "", line.value)) for line in shown(state).lines[-7:]}
        parts = ("given-directly", "paid-on-account", "paid-to-others")
        assert sum(amounts[part] for part in parts) + amounts["withheld"] == amounts["provided"]
        assert amounts["provided"] - amounts["prepaid-charges"] == amounts["amount-financed"]


def test_a_rate_in_new_york():
    """
    "in NY only an annual interest rate or APR may be called a rate (810)"; California: "factor
    rate" is confusing: "Never print it there."
    """
    said = words(shown("NY"))
    of_rates = re.findall(r"(?i)(\w+ rate)\b", said)

    assert {each.lower() for each in of_rates} == {
        "percentage rate",
        "yearly rate",
        "interest rate",
    }
    assert "also known as double dipping? Yes, $2,500.00." in said
    assert "factor rate" not in words(shown("CA")).lower()
    assert shown("NY").title == "OFFER SUMMARY [offer_name]"
    assert shown("CA").title == "OFFER SUMMARY - [offer_name]"


def law(state):
    return JURISDICTIONS[f"US-{state}"].disclosures[-1]


def asked(state, financing, projection=PROJECTION, payoff=None, **facts):
    """The names of what is missing when nothing is stated but these facts."""
    try:
        disclose(law(state), financing, projection, payoff=payoff, facts=facts)
    except InvalidDocument as error:
        return {detail.path.rpartition(".")[2] for detail in error.errors}
    return set()


PLAIN = Financing(purchase_price=60_000_00, purchased_amount=78_000_00)
OF_A_SUMMARY = {"financer", "channel", "payment_terms"}


def test_only_virginia_says_what_nobody_stated():
    """
    VA: "Empty = "N/A"". Elsewhere a host says what secures the financing and who is paid.
    """
    defaults = {
        state: {name for name, text in law(state).texts.items() if text == "N/A"}
        for state in STATES
    }
    assert {state for state in STATES if defaults[state]} == {"VA"}
    assert asked("CT", PLAIN) == {
        "payment_method", "collateral", "other_fees", "broker_compensation", "prepayment_terms"
    }  # fmt: skip
    assert asked("VA", PLAIN) == {"payment_method", "prepayment_terms"}


def test_what_an_itemization_names_is_asked_where_there_is_one():
    """
    "Amount Paid on your Account with Us (#); each third party; Prepaid Finance Charge(s): purpose".
    """
    none = {"prepayment_fees": "0.00"}
    assert asked("CA", PLAIN, **none) == OF_A_SUMMARY
    assert asked("NY", PLAIN) == {*OF_A_SUMMARY, "collateral", "prepayment_fees"}
    itemized = {"own_account", "payees", "prepaid_purpose"}
    assert asked("CA", OFFER, payoff=OLD, **none) == OF_A_SUMMARY | itemized
    others = attrs.evolve(PLAIN, third_parties=300_00)
    assert asked("CA", others, **none) == {*OF_A_SUMMARY, "payees"}


def test_irregular_payments_are_said_where_there_are_some():
    """
    "5. Estimated Payment: average/frequency; irregular payments".
    """
    start = PROJECTION.consummation
    listed = ProjectedPayments(start, "weekly", (Payment(date(2026, 6, 1), 78_000_00),))
    irregular = attrs.evolve(PROJECTION, payments=listed)
    for state, more in (("CA", set()), ("NY", {"collateral"})):
        missing = asked(state, PLAIN, irregular, prepayment_fees="0.00")
        assert missing == OF_A_SUMMARY | {"irregular_payments"} | more


@for_every("state", ["UT", "GA", "FL", "KS", "MO", "LA"])
def test_the_manner_of_payments_is_asked(state):
    """
    "manner, frequency, amount of payments"; "Method of variation: in the disclosure FL, LA".
    """
    varied = {"payment_method"} if state in {"FL", "LA"} else set()
    assert asked(state, PLAIN) == {"payment_manner", "prepayment_terms"} | varied


@for_every("state", ["VA", "CT", "TX"])
def test_what_is_paid_separately_is_said(state):
    """
    What is paid separately is part of the finance charge, and not taken from the disbursement.
    """
    texts = dict.fromkeys(law(state).texts, "N/A")
    separately = attrs.evolve(PLAIN, paid_separately=400_00)
    found = disclose(law(state), separately, PROJECTION, texts=texts)
    (said,) = (line.sentences for line in found.lines if line.id == "finance-charge")
    assert said[0].startswith("$400.00 of this is paid separately")
    assert "paid separately" not in words(disclose(law(state), PLAIN, PROJECTION, texts=texts))


def test_a_renewal_is_of_the_same_provider_in_connecticut_and_of_any_in_texas():
    """
    36a-864 speaks of the same provider, and 398.051(b) of any: its charge has to be stated.
    """
    other = attrs.evolve(OLD, own=False)
    for state, ids in (("CT", set()), ("TX", {"unpaid-charge", "reduction"})):
        texts = dict.fromkeys(law(state).texts, "N/A")
        found = disclose(law(state), OFFER, PROJECTION, payoff=other, texts=texts)
        assert {line.id for line in found.lines} & {"unpaid-charge", "reduction"} == ids
    assert "payoff" in {name.removeprefix("$.") for name in asked("TX", OFFER)}
    assert "payoff" not in asked("CT", OFFER)


def test_a_payoff_of_another_provider():
    """
    TX: "For ANY provider's existing financing"; NY asks about the provider's own.
    """
    other = Payoff(finance_charge=5_000_00, total_repayment=15_000_00, used=OLD.used, own=False)
    *_, texas = JURISDICTIONS["US-TX"].disclosures
    texts = dict.fromkeys(texas.texts, "N/A")
    found = disclose(texas, OFFER, PROJECTION, payoff=other, texts=texts)

    assert found.figures["unpaid_charge"] == "2500.00"
    assert found.figures["own_payoff"] == found.figures["double_dipping"] == "0.00"
    assert found.figures["paid_to_others"] == "7800.00"
