"""Tables that price: the row that takes a merchant gives the rate, the limit or the split."""

from __future__ import annotations

from datetime import date

import pytest

from holdback import Money
from holdback.offers.calculator import PricingCase
from holdback.offers.quote import quote
from holdback.offers.registry import BUILT_IN, bind
from small_folders import changed, child, country, errors_in, loaded, read
from small_tables import BY_TABLE, FLAT, GRID, PRICED, grid, priced

FIXED = 'limits = { calculator = "fixed", minimum = "EUR 500.00", maximum = "EUR 2000.00" }'
LIMITS = 'limits = { calculator = "table", table = "limits", minimum = "EUR 500" }'
CHOSEN = 'split_percentage = { calculator = "chosen", choices = ["10%"] }'
SPLITS = 'split_percentage = { calculator = "table", table = "splits" }'
GOOD = {"identity_verified": True}


def quoted(files, code="NL", *, renewal=False, parents=None, **facts):
    """The quote of the only product of *files* for these facts."""
    jurisdictions = loaded(**(parents or {}), **{code.replace("-", "_"): files})
    rulebook = jurisdictions.resolve(code, on=date(2026, 3, 1))
    (product,) = bind(rulebook, BUILT_IN, "{}/{}".format)
    case = PricingCase(
        facts=rulebook.catalogue.prepare(GOOD | facts),
        catalogue=rulebook.catalogue,
        renewal=renewal,
        currency=rulebook.currency,
        rounding=rulebook.rounding,
    )
    return quote(product, case, str)


def rates(files, **facts):
    return [str(offer.factor_rate) for offer in quoted(files, **facts).offers]


@pytest.mark.parametrize(
    ("takings", "score", "rate"),
    [
        ("EUR 9999.99", 649, "1.3"),
        ("EUR 9999.99", 650, "1.24"),
        ("EUR 10000.00", 649, "1.22"),
        ("EUR 10000.00", 650, "1.18"),
        # Ignorance never makes financing cheaper: the highest of the rows that may take it.
        (None, 650, "1.24"),
        ("EUR 10000.00", None, "1.22"),
        (None, None, "1.3"),
    ],
)
def test_the_row_that_takes_a_merchant_gives_the_rate(takings, score, rate):
    facts = {"average_monthly_takings": takings, "credit_score": score}
    assert set(rates(priced(), **facts)) == {rate}


def test_a_renewal_has_its_discount():
    facts = {"average_monthly_takings": "EUR 20000", "credit_score": 700}
    assert set(rates(priced(), renewal=True, **facts)) == {"1.13"}


def test_a_rate_by_the_term_that_is_chosen():
    """A grid of takings, credit and term is typed once, as the policy has it."""
    rows = [
        ["short", "-", "<= 6", "1.1"],
        ["long-low", "< 650", "> 6", "1.3"],
        ["long-high", ">= 650", "> 6", "1.2"],
    ]
    columns = ["row", "credit_score", "term_months", "factor_rate"]
    files = priced(grid(rows, columns), by=BY_TABLE)
    files = changed(files, "products.toml", 'fixed", months = 6', 'chosen", months = [6, 12]')
    files["products.toml"] = files["products.toml"].partition("[[examples]]")[0] + grid(
        rows, columns
    )
    assert rates(files, credit_score=700) == ["1.1", "1.2"] * 2
    assert rates(files) == ["1.1", "1.3"] * 2


def test_a_limit_by_sector_and_age():
    rows = [["young", "< 12", "EUR 800"], ["old", ">= 12", "EUR 1500.50"]]
    files = priced(
        grid(rows, ["row", "months_trading", "maximum"], name="limits"), by=LIMITS, flat=FIXED
    )
    assert quoted(files, months_trading=3).limits.maximum == Money.parse("EUR 800.00")
    assert quoted(files, months_trading=12).offers[-1].funded_amount == Money.parse("EUR 1500.50")
    unknown = quoted(files)
    assert (unknown.decision, unknown.needs) == ("Referred", ("months_trading",))
    assert unknown.limits.maximum == Money.parse("EUR 1500.50")


def test_a_split_by_row():
    rows = [["young", "< 12", "15%"], ["old", ">= 12", "8.5%"]]
    files = priced(
        grid(rows, ["row", "months_trading", "split_percentage"], name="splits"),
        by=SPLITS,
        flat=CHOSEN,
    )
    assert {str(offer.split_percentage) for offer in quoted(files, months_trading=12).offers} == {
        "8.5"
    }
    assert quoted(files).needs == ("months_trading",)


def test_a_row_that_declines_needs_no_price():
    """A cell without a price in the document is a row that declines: it is a rule as well."""
    rows = [*([*row, "-"] for row in GRID[1:]), [*GRID[0][:3], "-", "decline"]]
    text = grid(rows, [*PRICED, "answer"], code="NL-P-10", reason='"No price for {credit_score}."')
    low = quoted(priced(text), average_monthly_takings="EUR 1", credit_score=600)
    assert [(reason.code, reason.text) for reason in low.reasons] == [
        ("NL-P-10-SMALL-LOW", "No price for 600.")
    ]
    assert rates(priced(text), average_monthly_takings="EUR 1", credit_score=650) == ["1.24"] * 2


def test_where_no_row_takes_a_merchant_a_person_decides():
    files = priced(grid(GRID[1:]))
    facts = {"average_monthly_takings": "EUR 1", "credit_score": 600}
    assert (quoted(files, **facts).decision, quoted(files, **facts).needs) == ("Referred", ())


# -- the digest covers the rows, and not how they are written


def digest(files):
    return read(files, "NL").slices[-1].digest


def test_the_digest_is_that_of_the_prices():
    written = [list(row) for row in GRID]
    written[0][3], written[2][1] = "1.3", ">= EUR 10000.00"
    same = grid([*written[1:], written[0]])
    assert digest(priced(same)) == digest(priced())
    other = [list(row) for row in GRID]
    other[3][3] = "1.180001"
    assert digest(priced(grid(other))) != digest(priced())


def test_a_child_replaces_the_table_of_an_inherited_product():
    files = child(products=grid([[*row[:3], "1.5"] for row in GRID]))
    offers = quoted(files, "NL-ZH", parents={"NL": priced()}).offers
    assert {str(offer.factor_rate) for offer in offers} == {"1.5"}


# -- errors


def error_of(row, cell, text, columns=PRICED):
    rows = [list(cells) for cells in GRID]
    rows[row][cell] = text
    (error,) = errors_in(priced(grid(rows, columns)), "NL")
    return error.message, error.hint


@pytest.mark.parametrize(
    ("cell", "text", "message", "hint"),
    [
        (3, "1,24", "expected a plain decimal number", 'write `"1.24"`'),
        (3, "0.9", "expected 1 to 100", None),
        (3, "124%", "expected a plain decimal number", None),
        (3, "-", "the row has no `factor_rate`", "write one, or `decline` as its `answer`"),
        (1, "< EUR 40,000", "`000` is not a number", "`EUR 40000.00` or `EUR 40.00`"),
        (1, "< least", "`least` is a parameter", "write the value"),
        (1, "< 5", "is money (EUR) and `5` is a count", None),
        (2, "Funded", "`Funded`", None),
    ],
)
def test_an_error_is_at_its_cell(cell, text, message, hint):
    said_message, said_hint = error_of(1, cell, text)
    assert message in said_message
    assert hint is None or hint in (said_hint or "")


def messages(files):
    return [error.message for error in errors_in(files, "NL")]


def test_a_limit_has_its_currency_and_does_not_depend_on_the_term():
    rows = [["all", "-", "40000"]]
    files = priced(
        grid(rows, ["row", "months_trading", "maximum"], name="limits"), by=LIMITS, flat=FIXED
    )
    assert messages(files) == ["expected money (EUR) in quotes, with its unit"]
    files = priced(
        grid([["all", "6", "EUR 4"]], ["row", "term_months", "maximum"], name="limits"),
        by=LIMITS,
        flat=FIXED,
    )
    assert "`maximum` does not depend on `term_months`" in messages(files)


@pytest.mark.parametrize(
    "text",
    [
        BY_TABLE.replace("pricing", "prices"),
        'factor_rate = { calculator = "table", table = 3 }',
        'limits = { calculator = "table", table = "pricing", minimum = "EUR 1" }',
    ],
)
def test_a_calculator_names_a_table_that_has_its_column(text):
    flat = FIXED if text.startswith("limits") else FLAT
    (message,) = messages(priced(by=text, flat=flat))
    assert message.startswith("`flex` has no table `")
    assert "on 2025-01-01" in message


def test_a_table_is_of_the_product_and_of_its_days():
    assert "on 2025-01-01" in messages(priced(grid(since="2026-01-01")))[0]
    assert any("unknown product" in said for said in messages(priced(grid(products='["flx"]'))))


def test_only_products_have_prices():
    files = country()
    files["renewal.toml"] += grid()
    assert messages(files) == ["`factor_rate` is not a fact"]
