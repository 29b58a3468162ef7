"""The examples of products in the jurisdictions' own files, through rules and calculators."""

from __future__ import annotations

import pytest

from holdback import Money
from holdback.money import plain
from holdback.offers.binding import BUILT_IN, bind
from holdback.offers.case import Case
from holdback.offers.quote import quote
from journey import ENGINE

EXAMPLES = [
    pytest.param(code, example, id=f"{code}: {example.name}")
    for code in ENGINE.jurisdictions.codes
    for example in ENGINE.jurisdictions.examples(code)
    if example.product is not None
]
SHOWN = {
    "funded_amount": str,
    "repayment_amount": str,
    "split_percentage": lambda value: f"{plain(value)}%",
    "factor_rate": plain,
    "term_length": plain,
    "term_days": int,
}


@pytest.mark.parametrize(("code", "example"), EXAMPLES)
def test_an_example(code, example):
    """
    "An example of a product has `product = "flex"`, its facts in `given`, and
    `expect = { decision = "Accepted", offers = [...] }`" (design 5)
    """
    rulebook = ENGINE.jurisdictions.resolve(code, on=example.on)
    bound = bind(rulebook, BUILT_IN, lambda code, key: f"{code}/{key}")
    product = next(each for each in bound if each.terms.key == example.product)
    case = Case(
        facts=rulebook.catalogue.prepare(example.given),
        catalogue=rulebook.catalogue,
        renewal=False,
        currency=rulebook.currency,
        rounding=rulebook.rounding,
    )
    answer = quote(product, case, str)
    expect = example.expect

    assert answer.decision == expect["decision"]
    assert [each.code for each in answer.reasons] == expect.get("codes", [])
    assert list(answer.needs) == expect.get("needs", [])
    if "offers" in expect:
        assert [
            {name: SHOWN[name](getattr(offer, name)) for name in expected}
            for offer, expected in zip(answer.offers, expect["offers"], strict=True)
        ] == expect["offers"]
    for offer in answer.offers:
        assert isinstance(offer.funded_amount, Money)
        assert answer.limits.minimum <= offer.funded_amount <= answer.limits.maximum
