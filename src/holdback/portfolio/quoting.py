"""Offers for the deals of a portfolio that may be renewed, by the calculators that a service prices with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from types import MappingProxyType
from typing import Any, Final

import narwhals.stable.v2 as nw

from holdback.errors import InvalidDocument, did_you_mean
from holdback.jurisdictions.rulebook import Rulebook
from holdback.model.offer import Offer
from holdback.money import PERCENT_PLACES, RATIO_PLACES, Money
from holdback.offers.pricing_case import PricingCase
from holdback.offers.quote import Quote
from holdback.offers.quote import quote as quote_product
from holdback.offers.registry import BoundProduct, bind_all
from holdback.portfolio.aggregation import with_book
from holdback.portfolio.assessing import assess
from holdback.portfolio.column_plan import Staging
from holdback.portfolio.frames import Work, opened, whole
from holdback.portfolio.outcome_columns import BOOK, ELIGIBLE, stage
from holdback.portfolio.row_rulebooks import Books, Rules, books_of
from holdback.rules.types import Facts

# Enough for every amount, and months have two decimals.
_DIGITS: Final = 38
_MONTHS_PLACES: Final = 2
# A row of the answer, after the deal's id.
OFFER: Final = (
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


def quote(
    frame: Any,
    rules: Rules,
    *,
    deal_id: str = "deal_id",
    jurisdiction: str = "jurisdiction",
    on: str | date = "on",
    prepared: bool = False,
    calculators: Mapping[str, type] = MappingProxyType({}),
) -> Any:
    """
    The offers of a renewal for each deal in *frame* that is eligible, priced as the service prices them.

    The column *deal_id* names the deals; *calculators* are the host's own, as of `Engine`; the other arguments are
    those of `assess`. The answer has a row for each offer, amounts as exact decimals, and one without amounts for a
    product without offers, whose `codes` or `needs` say why. It is in memory, and so are the eligible deals: each
    is priced in Python, some thousands in a second. Of a frame of DuckDB or PySpark it is a PyArrow table.

    >>> from holdback import load_jurisdictions
    >>> from holdback.portfolio import sample
    >>> offers = quote(sample(100, seed=7), load_jurisdictions())
    >>> offers.column_names[:4]
    ['deal_id', 'jurisdiction', 'product', 'decision']

    Raises:
        InvalidDocument: naming every column that is missing or of the wrong type, or a calculator that no
            product can be priced without.
    """
    given = opened(frame)
    if deal_id not in given.collect_schema():
        near = did_you_mean(deal_id, given.collect_schema())
        raise InvalidDocument.of("the column is missing", path=deal_id, hint=near)
    books = books_of(rules, jurisdiction, on)
    products = bind_all(books.rulebooks, calculators, "{}/{}".format)
    assessed = assess(frame, rules, jurisdiction=jurisdiction, on=on, prepared=prepared)
    eligible = nw.from_native(assessed).filter(nw.col(ELIGIBLE)).select(*given.collect_schema())
    deals = eligible.collect() if isinstance(eligible, nw.LazyFrame) else eligible
    rows: dict[str, list[Any]] = {name: [] for name in (deal_id, *OFFER)}
    ids = deals[deal_id].to_list()
    for identity, (rulebook, facts) in zip(
        ids, _cases(deals, books, prepared=prepared), strict=True
    ):
        for row in _rows(rulebook, facts, products[rulebook.code, rulebook.since]):
            for name, value in zip(rows, (identity, *row), strict=True):
                rows[name].append(value)
    return _framed(rows, books, deals)


def _framed(rows: dict[str, list[Any]], books: Books, deals: nw.DataFrame[Any]) -> Any:
    """*rows* as a native frame of the kind of *deals*, whose types do not depend on what is in them."""
    if deals.implementation.is_pandas_like():  # which keeps decimals as Python's own
        frame = nw.from_dict(rows, backend=deals.implementation)
        return whole(Work(frame, nw), ["term_days"]).native
    minor = max(rulebook.currency.places for rulebook in books.rulebooks)
    places = {
        "funded_amount": minor,
        "repayment_amount": minor,
        "split_percentage": PERCENT_PLACES,
        "factor_rate": RATIO_PLACES,
        "term_length": _MONTHS_PLACES,
    }
    deal_id = next(iter(rows))
    schema: dict[str, Any] = {deal_id: deals.schema[deal_id]}
    schema |= {name: nw.String() for name in OFFER} | {"term_days": nw.Int64()}
    schema |= {name: nw.Decimal(_DIGITS, each) for name, each in places.items()}
    return nw.from_dict(rows, schema, backend=deals.implementation).to_native()


def _cases(
    deals: nw.DataFrame[Any], books: Books, *, prepared: bool
) -> Iterator[tuple[Rulebook, Facts]]:
    """The rulebook and the prepared facts of each of *deals*."""
    staging = Staging(deals, books, prepared)
    work, staged = staging.staged()
    work = with_book(work)
    columns = {name: stage(name) if name in staged else name for name in staging.facts}
    found = work.select(BOOK, *columns.values()).collected()
    known = {
        name: [_whole(each) for each in found[column].to_list()] for name, column in columns.items()
    }
    for row, place in enumerate(found[BOOK].to_list()):
        rulebook = books.rulebooks[int(place)]
        catalogue = rulebook.catalogue
        yield (
            rulebook,
            tuple(
                known[fact.name][row] if fact.name in known else None for fact in catalogue.facts
            ),
        )


def _whole(value: Any) -> int | None:
    """A whole number of a frame, whose missing value is None or pandas' own."""
    return value if isinstance(value, int) else None


def _rows(
    rulebook: Rulebook, facts: Facts, products: tuple[BoundProduct, ...]
) -> Iterator[tuple[Any, ...]]:
    """What the *products* offer to renew a deal with *facts*, a row for each offer."""
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
        quoted = quote_product(product, case, str, settlement)
        told = _told(rulebook, product, quoted)
        yield from ((*told, *_terms(offer)) for offer in quoted.offers or (None,))


def _told(rulebook: Rulebook, product: BoundProduct, quoted: Quote) -> tuple[str, ...]:
    codes = ", ".join(reason.code for reason in quoted.reasons)
    key = product.terms.key
    return (
        rulebook.code,
        key,
        quoted.decision,
        codes,
        ", ".join(quoted.needs),
        str(rulebook.currency),
    )


def _terms(offer: Offer | None) -> tuple[Any, ...]:
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
