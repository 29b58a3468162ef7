"""Offers for eligible deals are those that the engine would make."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from fractions import Fraction

import duckdb
import pandas as pd
import polars as pl
import pytest
from deals import alone, facts_of, of_gb, shipped

from holdback import InvalidDocument, Jurisdictions, Money
from holdback.disclosures.annual_rate import AnnualRate
from holdback.offers.calculator import PricingCase
from holdback.offers.quote import quote as quote_one
from holdback.offers.registry import BUILT_IN, bind
from holdback.portfolio import prepare, quote


def by_hand(frame):
    """The offers for each eligible deal, priced one by one."""
    for row in frame.iter_rows(named=True):
        rulebook, assessment = alone(row, shipped())
        if assessment is None or not assessment.eligible:
            continue
        facts = rulebook.catalogue.prepare(facts_of(rulebook, row))
        for product in bind(rulebook, BUILT_IN, "{}/{}".format):
            case = PricingCase(
                facts=facts,
                catalogue=rulebook.catalogue,
                renewal=True,
                currency=rulebook.currency,
                rounding=rulebook.rounding,
            )
            quoted = quote_one(product, case, str, Money.of(row["balance"], rulebook.currency))
            for offer in quoted.offers:
                amounts = offer.funded_amount.amount, offer.repayment_amount.amount
                terms = (
                    offer.split_percentage,
                    offer.factor_rate,
                    offer.term_length,
                    offer.term_days,
                )
                yield row["deal_id"], product.terms.key, quoted.decision, *amounts, *terms
            if not quoted.offers:
                yield row["deal_id"], product.terms.key, quoted.decision, *[None] * 6


NAMES = ("deal_id", "product", "decision", "funded_amount", "repayment_amount", "split_percentage")
NAMES = (*NAMES, "factor_rate", "term_length", "term_days")


def rows(frame):
    if isinstance(frame, pd.DataFrame):
        frame = frame.astype(object).where(frame.notna(), None)
        return [tuple(each[name] for name in NAMES) for each in frame.to_dict("records")]
    found = frame.to_pylist() if hasattr(frame, "to_pylist") else frame.to_dicts()
    return [tuple(each[name] for name in NAMES) for each in found]


@pytest.mark.parametrize(
    "kind",
    [
        lambda frame: frame,
        lambda frame: frame.lazy(),
        lambda frame: frame.to_arrow(),
        lambda frame: frame.to_pandas(use_pyarrow_extension_array=True),
        lambda frame: duckdb.from_arrow(frame.to_arrow()),
    ],
    ids=["polars", "polars lazy", "pyarrow", "pandas", "duckdb"],
)
def test_offers_are_those_of_the_calculators(kind):
    """
    The offers come from the same calculators.
    """
    expected = list(by_hand(of_gb()))
    assert {decision for _, _, decision, *_ in expected} >= {"Accepted", "Declined"}

    found = quote(kind(of_gb()), Jurisdictions([shipped()["GB"]]))

    assert Counter(rows(found)) == Counter(expected)


def test_prepared_deals_are_quoted_alike():
    found = quote(prepare(of_gb(), shipped()), shipped(), prepared=True)

    assert found.equals(quote(of_gb(), shipped()))


def test_deals_without_a_name_cannot_be_told_apart():
    with pytest.raises(
        InvalidDocument, match="deal_id: the column is missing; did you mean `deal_di`"
    ):
        quote(of_gb().rename({"deal_id": "deal_di"}), shipped())


def test_no_eligible_deal_has_no_offers():
    none = quote(of_gb().filter(pl.col("progress") < 50), shipped())

    assert none.height == 0
    assert none.schema == quote(of_gb(), shipped()).schema


def test_offers_have_their_costs():
    """
    "Columns `apr`, `finance_charge`, `average_monthly_cost`" for daily payments out of the takings,
    the rate rounded up; the first and the last are null where the takings are unknown.
    """
    deals = of_gb().head(40)
    takings = dict(zip(deals["deal_id"], deals["average_monthly_takings"], strict=True))
    offers = quote(deals, shipped(), costs=True).filter(pl.col("funded_amount").is_not_null())
    assert len(offers) > 10
    for offer in offers.iter_rows(named=True):
        funded, repaid = (int(offer[name] * 100) for name in ("funded_amount", "repayment_amount"))
        assert offer["finance_charge"] * 100 == repaid - funded
        exact = Fraction(offer["split_percentage"]) / 100 * int(takings[offer["deal_id"]] * 100)
        payment = int(exact / Fraction("30.4") + Fraction(1, 2))
        days, last = divmod(repaid, payment)
        amounts = dict.fromkeys(range(1, days + 1), payment) | ({days + 1: last} if last else {})
        rate = AnnualRate({Fraction(0): {0: funded}}, {Fraction(0): amounts}, Fraction(365))
        assert rate.side(Fraction(offer["apr"]) / 36500) <= 0
        assert rate.side(Fraction(offer["apr"] - Decimal("0.0001")) / 36500) > 0
        exact = repaid * Fraction("30.4") / max(amounts)
        assert offer["average_monthly_cost"] * 100 == int(exact + Fraction(1, 2))

    unknown = quote(
        deals.with_columns(average_monthly_takings=pl.lit(None, pl.Decimal(38, 2))),
        shipped(),
        costs=True,
    )
    assert unknown["apr"].null_count() == len(unknown)
    assert quote(deals, shipped()).columns == unknown.columns[:-3]
