"""A service that reloads its jurisdictions: a new engine, the old one as it was."""

from __future__ import annotations

import uuid
from decimal import Decimal

import pytest
from attrs import field, frozen

from holdback import Engine, InvalidDocument, Merchant, load_jurisdictions
from holdback.jurisdictions.folder import survey
from holdback.jurisdictions.jurisdiction import Jurisdictions
from holdback.offers.pricing_case import Term
from journey import EVIDENCE, Journey
from small_folders import changed, country, loaded, write

NAMESPACE = uuid.UUID("0b2d7e0e-0000-4000-8000-000000000001")


@frozen(kw_only=True)
class Seasonal:
    """A host's own calculator: a term of some months, and how often it was asked."""

    months: int = field()

    def __call__(self, case, repayment_amount, split_percentage):
        return Term.of_months(self.months)


def bare(files):
    return {
        name: text if name == "jurisdiction.toml" else text.partition("[typical]")[0]
        for name, text in files.items()
    }


def seasonal(**more):
    """The country NL, whose product's term is a host's own, with other figures by *more*."""
    text = changed(
        bare(country()), "products.toml", '"fixed", months = 6', '"seasonal", months = 7'
    )
    for old, new in more.items():
        text = changed(text, "products.toml", f'{old} = "1.2"', f'{old} = "{new}"')
    return loaded(NL=text)


def links(application_id, provider_id):
    return {"contract_link": f"https://c.test/{application_id}", "merchant_link": "https://m.test/"}


def engine(jurisdictions=None):
    return Engine(
        jurisdictions or seasonal(),
        calculators={"term/seasonal": Seasonal},
        links=links,
        namespace=NAMESPACE,
    )


def travel(engine):
    """A merchant's first application by *engine*: the offers and the acceptance."""
    journey = Journey(engine)
    journey.merchant = Merchant.new(partner="acme", merchant_id="m-1", jurisdiction="NL")
    journey.ask(evidence={**EVIDENCE, "credit_checked_on": "2026-07-06"}, currency="EUR")
    journey.accept()
    return journey


def test_a_new_engine_with_the_new_rules():
    """
    "`Engine.with_jurisdictions` gives a new engine" (issue)
    """
    old = engine()
    new = old.with_jurisdictions(seasonal(rate="1.3"))
    before, after = travel(old).offers.products[0].offers, travel(new).offers.products[0].offers

    assert new is not old
    assert type(new) is Engine
    assert {each.factor_rate for each in before} == {Decimal("1.2")}
    assert {each.factor_rate for each in after} == {Decimal("1.3")}


def test_the_old_one_is_unchanged():
    """
    "nothing mutable is shared" (issue)
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
    "A new engine with other *jurisdictions* and all else as it is": the ids are the same
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
    "under a namespace that the host chooses" (design 6): so the test above can fail
    """
    other = Engine(seasonal(), calculators={"term/seasonal": Seasonal}, links=links)

    assert travel(other).offers != travel(engine()).offers
    assert travel(other.with_jurisdictions(seasonal())).offers == travel(other).offers


def test_a_merchant_goes_on_with_the_new_engine():
    """
    "a service that reloads jurisdictions" (issue): what was begun is finished
    """
    journey = travel(engine())
    journey.engine = journey.engine.with_jurisdictions(seasonal(rate="1.3"))
    journey.fund()
    journey.pay_down(60)

    assert journey.deal.factor_rate == Decimal("1.2")
    context = journey.context({})
    assessment = journey.engine.assess_renewal(journey.merchant, context).reply
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
def test_a_set_that_cannot_be_bound_is_refused(old, new, message):
    """
    "keeps the last good set and says why the new one was refused" (issue)
    """
    good = engine()
    before = travel(good)
    bad = loaded(NL=changed(bare(country()), "products.toml", old, new))

    with pytest.raises(InvalidDocument, match=message):
        good.with_jurisdictions(bad)

    assert travel(good).offers == before.offers


def test_a_folder_that_cannot_be_read_is_refused_before(tmp_path):
    """
    "says why the new one was refused" (issue)
    """
    write(tmp_path, NL=bare(country()))
    good = Engine(load_jurisdictions(tmp_path))
    write(tmp_path, NL={"renewal.toml": "format = 1\n[[rules"})
    before = travel(good).offers

    with pytest.raises(InvalidDocument, match=r"renewal\.toml:2"):
        good = good.with_jurisdictions(load_jurisdictions(tmp_path))

    assert travel(good).offers == before


def test_the_good_ones_of_a_folder(tmp_path):
    """
    "An unreadable, half-written or hostile folder never stops the others" (issue)
    """
    write(tmp_path, NL=bare(country()), BE=country("BE"))
    (tmp_path / "BE" / "renewal.toml").write_bytes(b"\xff")

    fine, faults = survey(tmp_path, "mine")

    assert [each.file for each in faults] == ["mine/BE/renewal.toml"]
    assert engine().with_jurisdictions(fine).jurisdictions.codes == ("NL",)


def test_no_jurisdiction_at_all():
    """
    An engine without jurisdictions answers that it knows none.
    """
    empty = engine().with_jurisdictions(Jurisdictions(()))

    with pytest.raises(InvalidDocument, match="unknown jurisdiction `NL`"):
        travel(empty)


def test_the_calculators_that_were_given_cannot_be_changed_afterwards():
    """
    "nothing mutable is shared" (issue)
    """
    registry = {"term/seasonal": Seasonal}
    old = Engine(seasonal(), calculators=registry)
    registry.clear()

    assert travel(old.with_jurisdictions(seasonal())).offers.products[0].offers
