"""`quote`: renewal offers for the eligible deals of a portfolio."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final

import narwhals.stable.v2 as nw

from holdback.disclosures.figures_from_takings import offer_figures
from holdback.errors import InvalidDocument, did_you_mean
from holdback.exact.exact_json import shown_path
from holdback.exact.exact_numbers import PERCENT_PLACES, RATIO_PLACES, unscaled
from holdback.exact.money import Money
from holdback.merchant.offer import Offer
from holdback.offers.calculator import PricingCase
from holdback.offers.quote import Quote
from holdback.offers.quote import quote as quote_product
from holdback.offers.registry import PriceableProduct, priceable_products
from holdback.portfolio.assessing.assessed_frames import deals_of, native_result
from holdback.portfolio.assessing.outcome_columns import (
    ELIGIBLE,
    RESULTS,
    RULEBOOK,
    converted_column,
)
from holdback.portfolio.assessing.row_rulebooks import (
    DayOrColumn,
    RowRulebooks,
    Rules,
    rulebooks_for,
)
from holdback.portfolio.reading.column_plan import ColumnPlan
from holdback.portfolio.reading.frames import integers, open_frame
from holdback.portfolio.sql.computed_frames import with_facts, with_outcomes
from holdback.rulebooks.rulebook import Rulebook
from holdback.rules.types import Facts

# The digits of a decimal column: the most that every engine supports.
_DIGITS: Final = 38
_MONTHS_PLACES: Final = 2
# The columns of the result, after the deal's id.
COLUMNS: Final = (
    "jurisdiction",
    "product",
    "decision",
    "codes",
    "needs",
    "currency",
    "funded_amount",
    "repayment_amount",
    "split_percentage",
    "factor_rate",
    "term_length",
    "term_days",
)
# What an offer costs; the rate of each takes a millisecond or two.
COSTS: Final = ("apr", "finance_charge", "average_monthly_cost")


def quote(  # noqa: PLR0913  # public; all but the rules have a default
    frame: Any,
    rules: Rules,
    *,
    deal_id: str = "deal_id",
    jurisdiction: str = "jurisdiction",
    on: DayOrColumn | None = None,
    prepared: bool = False,
    calculators: Mapping[str, type] = MappingProxyType({}),
    costs: bool = False,
) -> Any:
    """
    Return the renewal offers for each eligible deal in *frame*, priced as the engine does.

    The column *deal_id* identifies the deals; *calculators* are the host's own, as for `Engine`;
    the other arguments are those of `assess`. The result has a row for each offer, with exact
    decimals. A product without offers has a row without amounts, whose `codes` say why. The result
    and the eligible deals are in memory, since Python prices the deals one by one, some thousands
    in a second. For DuckDB and PySpark the result is a PyArrow table.

    With *costs*, an offer also has its `apr`, `finance_charge` and `average_monthly_cost`, those of
    `holdback.disclosures` for daily payments out of the average monthly takings, the `apr` rounded
    up; the first and the last are null where the takings are unknown. It takes ten times as long.

    >>> from holdback import load_jurisdictions
    >>> from holdback.portfolio import sample
    >>> offers = quote(sample(100, seed=7), load_jurisdictions())
    >>> offers.column_names[:4]
    ['deal_id', 'jurisdiction', 'product', 'decision']

    Raises:
        InvalidDocument: naming every column that is missing or of the wrong type.
        ConfigurationError: naming every calculator that is not registered and every invalid
            setting.
    """
    opened = open_frame(frame)
    if deal_id not in opened.collect_schema():
        near = did_you_mean(deal_id, opened.collect_schema())
        raise InvalidDocument.of(
            "missing", "the column is missing", path=shown_path("$", deal_id), hint=near
        )
    rulebooks = rulebooks_for(rules, jurisdiction, on, opened.collect_schema())
    # A portfolio has no ids of the host, so a product's is made of its two names.
    products = priceable_products(rulebooks.rulebooks, calculators, "{}/{}".format)
    plan = deals_of(frame, rules, jurisdiction, on, prepared=prepared, output_names=RESULTS)
    assessed = native_result(plan, with_outcomes(plan, RESULTS), {name: name for name in RESULTS})
    eligible = nw.from_native(assessed).filter(nw.col(ELIGIBLE)).select(*opened.collect_schema())
    deals = eligible.collect() if isinstance(eligible, nw.LazyFrame) else eligible
    names = (deal_id, *COLUMNS, *(COSTS if costs else ()))
    columns: dict[str, list[Any]] = {name: [] for name in names}
    facts_of_deals = _prepared_facts(deals, rulebooks, prepared=prepared)
    for identity, (rulebook, facts) in zip(deals[deal_id].to_list(), facts_of_deals, strict=True):
        priced = products[rulebook.code, rulebook.since]
        for row in _rows(rulebook, facts, priced, costs=costs):
            for name, value in zip(columns, (identity, *row), strict=True):
                columns[name].append(value)
    return _native_frame(columns, rulebooks, deals)


def _native_frame(
    columns: dict[str, list[Any]], rulebooks: RowRulebooks, deals: nw.DataFrame[Any]
) -> Any:
    """
    *columns* as a frame of the library of *deals*, with types that do not depend on the values.

    The first of *columns* is the deal's id, which keeps its type.
    """
    if deals.implementation.is_pandas_like():  # pandas holds decimals as Python objects
        frame = nw.from_dict(columns, backend=deals.implementation).to_native()
        return frame.astype({"term_days": "Int64"})
    minor = max(rulebook.currency.places for rulebook in rulebooks.rulebooks)
    places = {
        "funded_amount": minor,
        "repayment_amount": minor,
        "split_percentage": PERCENT_PLACES,
        "factor_rate": RATIO_PLACES,
        "term_length": _MONTHS_PLACES,
        "apr": PERCENT_PLACES,
        "finance_charge": minor,
        "average_monthly_cost": minor,
    }
    deal_id, *others = columns
    schema: dict[str, Any] = {deal_id: deals.schema[deal_id]}
    schema |= {name: nw.String() for name in others} | {"term_days": nw.Int64()}
    schema |= {name: nw.Decimal(_DIGITS, places[name]) for name in others if name in places}
    return nw.from_dict(columns, schema, backend=deals.implementation).to_native()


def _prepared_facts(
    deals: nw.DataFrame[Any], rulebooks: RowRulebooks, *, prepared: bool
) -> Iterator[tuple[Rulebook, Facts]]:
    """Yield the rulebook and the prepared facts of each of *deals*, null where one is unknown."""
    # Prices may depend on facts that no rule reads. In a prepared frame, every fact is an integer.
    plan = ColumnPlan(deals, rulebooks, prepared, unread=not prepared)
    rows: Any = with_facts(plan)
    numbers = {name: integers(rows[converted_column(name)]) for name in plan.facts}
    for row, place in enumerate(rows[RULEBOOK].to_list()):
        rulebook = rulebooks.rulebooks[int(place)]
        facts = tuple(
            numbers[fact.name][row] if fact.name in numbers else None
            for fact in rulebook.catalogue.facts
        )
        yield rulebook, facts


def _rows(
    rulebook: Rulebook, facts: Facts, products: tuple[PriceableProduct, ...], *, costs: bool
) -> Iterator[tuple[Any, ...]]:
    """The rows for a deal with *facts*: one for each offer of *products*."""
    balance = facts[rulebook.catalogue.place("balance")]
    settlement = None if balance is None else Money(balance, rulebook.currency)
    for product in products:
        case = PricingCase(
            facts=facts,
            catalogue=product.terms.rules.catalogue,
            renewal=True,
            currency=rulebook.currency,
            rounding=rulebook.rounding,
        )
        # No column shows an offer's id, so its number will do.
        quoted = quote_product(product, case, str, settlement)
        decision = _decision(rulebook, product, quoted)
        takings = case.number("average_monthly_takings")
        for offer in quoted.offers or (None,):
            yield *decision, *_terms(offer), *(_costs(offer, takings) if costs else ())


def _decision(rulebook: Rulebook, product: PriceableProduct, quoted: Quote) -> tuple[str, ...]:
    """The values of the first six of `COLUMNS`, which all offers of a product share."""
    return (
        rulebook.code,
        product.terms.key,
        quoted.decision,
        ", ".join(reason.code for reason in quoted.reasons),
        ", ".join(quoted.needs),
        str(rulebook.currency),
    )


def _terms(offer: Offer | None) -> tuple[Any, ...]:
    """The terms of an offer, all null for a product without offers."""
    if offer is None:
        return (None,) * 6
    return (
        offer.funded_amount.amount,
        offer.repayment_amount.amount,
        offer.split_percentage,
        offer.factor_rate,
        offer.term_length,
        offer.term_days,
    )


def _costs(offer: Offer | None, takings: int | None) -> tuple[Decimal | None, ...]:
    """The values of `COSTS`, null where they are unknown."""
    if offer is None:
        return (None,) * 3
    currency = offer.funded_amount.currency
    charge = (offer.repayment_amount - offer.funded_amount).amount
    figures = offer_figures(offer, takings)
    if figures is None:
        return None, charge, None
    rate, cost = figures["apr"], figures["average_monthly_cost"]
    return unscaled(rate, PERCENT_PLACES), charge, Money(cost, currency).amount
