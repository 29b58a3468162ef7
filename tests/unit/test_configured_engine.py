"""What a host has to configure before an engine can serve partners."""

from __future__ import annotations

import inspect
import re
import uuid

import attrs
import pytest

from every_case import for_every
from holdback import AcceptanceIds, ConfigurationError, Engine, Refusal
from journey import Journey
from small_folders import country, loaded

NAMESPACE = uuid.UUID("0b2d7e0e-0000-4000-8000-000000000001")


def links(*, application_id, provider_id, **_):
    return {
        "contract_link": f"https://sign.example/{application_id}",
        "merchant_link": f"https://me.example/{provider_id}",
    }


@for_every("missing", ["namespace", "links"])
def test_namespace_and_links_have_no_default(missing):
    """
    "`Engine(jurisdictions, namespace=..., links=...)` has no default for the two"
    (decisions/engine).
    """
    given = {"namespace": NAMESPACE, "links": links}
    jurisdictions = Engine.for_trial().jurisdictions
    assert Engine(jurisdictions, **given).jurisdictions is jurisdictions
    del given[missing]

    with pytest.raises(TypeError, match=missing):
        Engine(jurisdictions, **given)


@for_every(
    "changed, message",
    [
        ({"namespace": str(NAMESPACE)}, "$.namespace: expected a `uuid.UUID`, not str"),
        ({"namespace": uuid.NAMESPACE_URL}, "$.namespace: this namespace is public"),
        ({"namespace": uuid.NAMESPACE_DNS}, "$.namespace: this namespace is public"),
        ({"links": {"contract_link": "https://sign.example"}}, "$.links: expected a function"),
        ({"namespace": uuid.NAMESPACE_OID, "links": None}, "$.links: expected a function"),
        ({"namespace": uuid.UUID(int=0)}, "$.namespace: this namespace is public"),
        ({"namespace": uuid.UUID(int=2**128 - 1)}, "$.namespace: this namespace is public"),
        ({"retry_days": 0, "memory_days": True}, "$.memory_days: expected a whole number"),
        ({"retry_days": 0, "links": None}, "$.retry_days: expected at least one day"),
    ],
)
def test_a_namespace_that_everybody_knows_is_refused(changed, message):
    """
    A host that serves partners cannot run with a public namespace (decisions/engine), and learns
    all that is wrong at once.
    """
    given = {"namespace": NAMESPACE, "links": links} | changed

    with pytest.raises(ConfigurationError, match=re.escape(message)) as caught:
        Engine(Engine.for_trial().jurisdictions, **given)
    assert len(caught.value.errors) == len(changed)


def test_an_engine_for_trials_says_so():
    """
    An engine for trials has the bundled jurisdictions unless others are given; its `repr` says that
    it is for trials, also after the rules are reloaded.
    """
    shipped, dutch = Engine.for_trial(), Engine.for_trial(loaded(NL=country()))
    own = Engine(dutch.jurisdictions, namespace=NAMESPACE, links=links)

    assert {"GB", "US-CA", "JP"} <= set(shipped.jurisdictions.codes)
    assert repr(dutch) == "Engine.for_trial(Jurisdictions(NL))"
    assert repr(shipped.with_jurisdictions(dutch.jurisdictions)) == repr(dutch)
    assert repr(own) == repr(own.with_jurisdictions(own.jurisdictions))
    assert repr(own) == "Engine(Jurisdictions(NL))"


def test_links_receive_what_the_acceptance_is_about():
    """
    "`links` receives partner, merchant, application and offer" by keyword (decisions/engine#links).
    """
    received = []

    def noted(**given):
        received.append(given)
        return links(**given)

    journey = Journey(Engine(Engine.for_trial().jurisdictions, namespace=NAMESPACE, links=noted))
    journey.ask()
    acceptance = journey.accept()
    journey.accept()  # a retry has its reply from the first time

    assert received == [
        {
            "partner": "acme",
            "merchant_id": "m-1",
            "application_id": acceptance.application_id,
            "provider_id": acceptance.provider_id,
            "offer": acceptance.offer,
        }
    ]


def test_links_are_typed_with_what_they_receive():
    """
    The signature of `Links`, which a host reads and its type checker holds, names all arguments.
    """
    from holdback import Links

    parameters = inspect.signature(Links.__call__).parameters

    assert [*parameters] == [
        "self",
        "partner",
        "merchant_id",
        "application_id",
        "provider_id",
        "offer",
    ]


def test_the_ids_of_an_acceptance_before_it():
    """
    "`engine.acceptance_ids(offer_id, merchant)` gives the ids before the acceptance, so that a host
    can have the contract made first" (decisions/engine); afterwards it gives the same.
    """
    journey = Journey()
    journey.ask()
    offer_id, before = journey.first_offer().offer_id, journey.merchant

    ids = journey.engine.acceptance_ids(offer_id, before)
    acceptance = journey.accept(offer_id)

    assert ids == AcceptanceIds(
        application_id=acceptance.application_id, provider_id=acceptance.provider_id
    )
    assert journey.engine.acceptance_ids(offer_id, journey.merchant) == ids
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        ids.provider_id = "p"


def test_an_unknown_offer_has_no_ids():
    """
    An unknown offer is refused as the acceptance would refuse it.
    """
    journey = Journey()
    journey.ask()

    with pytest.raises(Refusal) as early:
        journey.engine.acceptance_ids("never existed", journey.merchant)
    with pytest.raises(Refusal) as late:
        journey.accept("never existed")

    assert (early.value.code, str(early.value)) == ("offer_not_found", str(late.value))


@for_every(
    "result",
    [
        None,
        [],
        {"contract_link": "https://c.test"},
        {**links(application_id="a", provider_id="p"), 1: "x"},
    ],
)
def test_links_that_are_no_texts_are_the_hosts_error(result):
    """
    What the host's function returns is checked, and nothing happens when it is wrong.
    """
    jurisdictions = Engine.for_trial().jurisdictions
    journey = Journey(Engine(jurisdictions, namespace=NAMESPACE, links=lambda **_: result))
    journey.ask()
    before = journey.merchant

    with pytest.raises(ConfigurationError, match="`links` must return") as caught:
        journey.accept()
    assert caught.value.errors[0].code == "wrong_result"
    assert journey.merchant is before
