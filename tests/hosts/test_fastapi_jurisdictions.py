"""A jurisdiction that the host no longer serves: its partner gets another, its merchants stay."""

from __future__ import annotations

import pytest
from attrs import evolve
from fastapi_calls import PARTNERS, Merchant, Service, code

from holdback import ConfigurationError, Engine, Jurisdictions, load_jurisdictions

IRELAND_ALONE = Engine.for_trial(Jurisdictions([load_jurisdictions()["IE"]]))


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path}/holdback.db"


def test_merchants_of_a_jurisdiction_that_is_gone_are_served(url):
    """
    "With the jurisdiction no longer loaded it is looked up, accepted and serviced."
    """
    before = Service(url)
    offered, funded = Merchant(before), Merchant(before, "m-2").renewable()
    assert offered.ask().status_code == 200
    (deal,) = funded.look_up().json()["deals"]
    assert deal["performance"]["renewal_eligibility"]
    before.store.close()
    partners = evolve(
        PARTNERS, partners=[evolve(one, jurisdiction="IE") for one in PARTNERS.partners]
    )
    after = Service(url, partners=partners, engine=IRELAND_ALONE)
    after.now = before.now
    offered, funded = evolve(offered, service=after), evolve(funded, service=after)

    assert offered.accept().status_code == 200
    assert offered.fund().status_code == 200
    (deal,) = funded.look_up().json()["deals"]
    assert deal["active"]
    assert not deal["performance"]["renewal_eligibility"]
    assert code(funded.ask(funded.renewal())) == (409, "not_possible_now")
    after.store.close()


def test_a_partner_needs_a_jurisdiction_that_is_served(url):
    """
    The host does not start for partners whose new merchants it could not serve.
    """
    with pytest.raises(ConfigurationError, match="unknown jurisdiction `GB`"):
        Service(url, engine=IRELAND_ALONE)
