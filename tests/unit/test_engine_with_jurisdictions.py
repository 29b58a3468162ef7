"""`Engine.with_jurisdictions`: a new engine for reloaded jurisdictions."""

from __future__ import annotations

import uuid
from decimal import Decimal
from typing import ClassVar

import pytest
from attrs import field, frozen

from holdback import Engine, InvalidDocument, Merchant, load_jurisdictions
from holdback.errors import ConfigurationError
from holdback.jurisdictions.folder import load_valid_and_errors
from holdback.jurisdictions.jurisdiction import Jurisdictions
from holdback.offers.calculator import Term
from holdback.operations import AssessRenewal
from journey import EVIDENCE, Journey
from small_folders import changed, country, loaded, write

NAMESPACE = uuid.UUID("0b2d7e0e-0000-4000-8000-000000000001")


@frozen(kw_only=True)
class Seasonal:
    """A host's own calculator: a term of some months."""

    version: ClassVar[int] = 1

    months: int = field()

    def __call__(self, case, repayment_amount, split_percentage):
        return Term.of_months(self.months)


def bare(files):
    return {
        name: text if name == "jurisdiction.toml" else text.partition("[typical]")[0]
        for name, text in files.items()
    }


def seasonal(**more):
    """Return the country NL, its term by the host's calculator, and figures changed by *more*."""
    text = changed(
        bare(country()), "products.toml", '"fixed", months = 6', '"seasonal", months = 7'
    )
    for old, new in more.items():
        text = changed(text, "products.toml", f'{old} = "1.2"', f'{old} = "{new}"')
    return loaded(NL=text)


def links(*, application_id, **_):
    return {"contract_link": f"https://c.test/{application_id}", "merchant_link": "https://m.test/"}


def engine(jurisdictions=None):
    return Engine(
        jurisdictions or seasonal(),
        calculators={"term/seasonal": Seasonal},
        links=links,
        namespace=NAMESPACE,
    )


def travel(engine):
    """Return the offers and the acceptance of a merchant's first application by *engine*."""
    journey = Journey(engine)
    journey.merchant = Merchant.new(partner="acme", merchant_id="m-1", jurisdiction="NL")
    journey.ask(evidence={**EVIDENCE, "credit_checked_on": "2026-07-06"}, currency="EUR")
    journey.accept()
    return journey


def test_a_new_engine_with_the_new_rules():
    """
    The new engine prices by the new jurisdictions.
    """
    old = engine()
    new = old.with_jurisdictions(seasonal(rate="1.3"))
    before, after = travel(old).offers.products[0].offers, travel(new).offers.products[0].offers

    assert new is not old
    assert type(new) is Engine
    assert {each.factor_rate for each in before} == {Decimal("1.2")}
    assert {each.factor_rate for each in after} == {Decimal("1.3")}


def test_the_old_engine_is_unchanged():
    """
    The old engine still prices by the old jurisdictions: the two share nothing that can change.
    """
    old = engine()
    jurisdictions, before = old.jurisdictions, travel(old)

    old.with_jurisdictions(loaded(BE=country("BE")))

    assert old.jurisdictions is jurisdictions
    again = travel(old)
    assert (again.offers, again.acceptance) == (before.offers, before.acceptance)
    assert again.merchant == before.merchant


def test_calculators_links_and_namespace_are_kept():
    """
    The new engine has the calculators, the links and the namespace of the old one.
    """
    old = engine()
    new = old.with_jurisdictions(seasonal())
    before, after = travel(old), travel(new)

    assert after.offers == before.offers
    assert after.acceptance == before.acceptance
    assert after.merchant == before.merchant
    assert after.offers.products[0].offers[0].term_length == Decimal(7)
    assert after.acceptance.links["contract_link"].startswith("https://c.test/")


def test_another_namespace_gives_other_ids():
    """
    Equal ids in the test above come from the namespace (decisions/engine).
    """
    other = Engine.for_trial(seasonal(), calculators={"term/seasonal": Seasonal})

    assert travel(other).offers != travel(engine()).offers
    assert travel(other.with_jurisdictions(seasonal())).offers == travel(other).offers


def test_a_merchant_goes_on_with_the_new_engine():
    """
    An application that began under the old engine is completed under the new one.
    """
    journey = travel(engine())
    journey.engine = journey.engine.with_jurisdictions(seasonal(rate="1.3"))
    journey.fund()
    journey.pay_down(60)

    assert journey.deal.factor_rate == Decimal("1.2")
    context = journey.context({})
    assessment = journey.engine.carry_out(journey.merchant, AssessRenewal(), context).reply
    assert (
        assessment.ruleset.digest
        == journey.engine.jurisdictions.resolve("NL", on=journey.today()).digest
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"chosen"', '"chosn"', "no calculator `split_percentage/chosn` is registered"),
        ('rate = "1.2"', 'rate = "0.2"', "a factor rate is at least 1"),
        ('"fixed", months = 6', '"lunar", months = 6', "no calculator `term/lunar` is registered"),
    ],
)
def test_jurisdictions_with_an_unknown_calculator_are_refused(old, new, message):
    """
    Jurisdictions with an unknown calculator are refused with the reason; the old engine stays.
    """
    good = engine()
    before = travel(good)
    bad = loaded(NL=changed(bare(country()), "products.toml", old, new))

    with pytest.raises(ConfigurationError, match=message):
        good.with_jurisdictions(bad)

    assert travel(good).offers == before.offers


def test_a_folder_that_cannot_be_read_is_refused_before(tmp_path):
    """
    A folder with an error raises before there is a new engine.
    """
    write(tmp_path, NL=bare(country()))
    good = Engine.for_trial(load_jurisdictions(tmp_path))
    write(tmp_path, NL={"renewal.toml": "format = 1\n[[rules"})
    before = travel(good).offers

    with pytest.raises(InvalidDocument, match=r"renewal\.toml:2"):
        good = good.with_jurisdictions(load_jurisdictions(tmp_path))

    assert travel(good).offers == before


def test_valid_jurisdictions_next_to_an_invalid_one(tmp_path):
    """
    An invalid folder of one jurisdiction does not stop the others.
    """
    write(tmp_path, NL=bare(country()), BE=country("BE"))
    (tmp_path / "BE" / "renewal.toml").write_bytes(b"\xff")

    fine, faults = load_valid_and_errors(tmp_path, "mine")

    assert [each.file for each in faults] == ["mine/BE/renewal.toml"]
    assert engine().with_jurisdictions(fine).jurisdictions.codes == ("NL",)


def test_no_jurisdiction_at_all():
    """
    An engine without jurisdictions reports that it has none.
    """
    empty = engine().with_jurisdictions(Jurisdictions(()))

    with pytest.raises(ConfigurationError, match="unknown jurisdiction `NL`"):
        travel(empty)


def test_an_engine_copies_its_calculators():
    """
    An engine keeps its own copy of the calculators.
    """
    registry = {"term/seasonal": Seasonal}
    old = Engine.for_trial(seasonal(), calculators=registry)
    registry.clear()

    assert travel(old.with_jurisdictions(seasonal())).offers.products[0].offers
