"""Decisions on products and their offers, derived again from the event that recorded them."""

from __future__ import annotations

import json
from copy import deepcopy
from datetime import date
from decimal import Decimal
from typing import ClassVar

import pytest
from attrs import frozen
from click.testing import CliRunner

from every_case import for_every
from holdback import (
    ConfigurationError,
    Engine,
    InvalidDocument,
    Jurisdictions,
    load_jurisdictions,
    wire,
)
from holdback.cli.commands import holdback
from holdback.eligibility.reasons import SERVICE_REASONS
from holdback.jurisdictions.folder import bundled_path
from holdback.jurisdictions.reader import FILES, read_jurisdiction
from holdback.offers.calculator import Term
from holdback.offers.registry import BUILT_IN
from holdback.rulebooks import digest as digest_module
from holdback.tools.replay import replay as repricing
from holdback.tools.replay.replay import replay_offers
from journey import EVIDENCE, Journey
from small_folders import changed as changed_files
from small_folders import write

JURISDICTIONS = load_jurisdictions()


def event_of(journey):
    """The last event as a host has stored it."""
    return json.loads(wire.write_event(journey.events[-1]))


def asked(engine=None, **evidence):
    journey = Journey() if engine is None else Journey(engine)
    journey.ask(evidence={**EVIDENCE, "credit_checked_on": "2026-07-06", **evidence})
    return journey


def renewed(percent=60, engine=None):
    journey = asked(engine)
    journey.accept()
    journey.fund()
    journey.pay_down(percent)
    journey.ask(renewal=True)
    return journey


INITIAL = event_of(asked())
RENEWAL = event_of(renewed())


def changed(event, change):
    """A copy of *event* after *change*, a function."""
    copied = deepcopy(event)
    change(copied)
    return copied


def put(*path):
    """A change that sets the value at the *path* of keys and places; its last part is the value."""
    *keys, name, value = path

    def change(event):
        part = event
        for key in keys:
            part = part[key]
        part[name] = value

    return change


@pytest.mark.parametrize(
    ("evidence", "decision"),
    [
        ({}, "Accepted"),
        ({"identity_verified": False}, "Declined"),
        ({"credit_score": 600}, "Referred"),
        ({"months_trading": 1}, "Declined"),
        ({"average_monthly_takings": None}, "Referred"),
    ],
)
def test_an_initial_application(evidence, decision):
    """
    An auditor can ask years later why a merchant was declined, and the same rules give the same
    answer and the same offers.
    """
    event = event_of(asked(**evidence))
    found = replay_offers(event, JURISDICTIONS)

    assert event["decisions"][0]["decision"] == decision
    assert (found.state, found.differences, found.wording) == ("the same", (), ())
    assert found.rulebook == JURISDICTIONS.resolve("GB", on=found.rulebook.on)


@pytest.mark.parametrize("percent", [40, 60])
def test_a_renewal(percent):
    """
    A renewal's assessment and, where it is eligible, its products with the deal that it settles.
    """
    event = event_of(renewed(percent))
    found = replay_offers(event, JURISDICTIONS)

    assert event["assessment"]["eligible"] == (percent == 60)
    assert (found.state, found.differences, found.wording) == ("the same", (), ())


def test_what_pricing_read_is_recorded():
    """
    `OffersIssued` records everything that pricing read: the facts, whether it is a renewal and what
    it settles, the calculators with their versions, and by the digest the rest.
    """
    rulebook = JURISDICTIONS.resolve("GB", on=date(2026, 7, 6))

    assert RENEWAL["offer_set"]["renewal"] is True
    assert INITIAL["offer_set"]["renewal"] is False
    assert RENEWAL["offer_set"]["facts"]["average_monthly_takings"]
    for event, settles in ((INITIAL, [None, None]), (RENEWAL, ["GBP", "GBP"])):
        decisions = event["decisions"]
        assert event["offer_set"]["digest"] == rulebook.digest
        assert [text and text[:3] for text in (x["settlement"] for x in decisions)] == settles
        versions = decisions[0]["versions"] | decisions[1]["versions"]
        assert versions == dict(rulebook.versions)
    assert RENEWAL["assessment"]["versions"] == dict(rulebook.versions)


def of_before(event):
    """*event* as it was recorded before the service gave reasons of its own."""

    def forget(event):
        for decision, product in zip(
            event["decisions"], event["offer_set"]["products"], strict=True
        ):
            if SERVICE_REASONS.keys() >= {reason["code"] for reason in decision["reasons"]}:
                decision["reasons"] = []
                product.pop("codes", None)

    return changed(event, forget)


@for_every(
    ("event", "code"),
    [
        (RENEWAL, "SETTLEMENT"),
        (event_of(asked(credit_score=None)), "REVIEW"),
    ],
)
def test_an_event_without_the_reasons_of_the_service(event, code):
    """
    A decision that was recorded without a reason, where the service has one of its own now, is the
    same; the sentence is reported as wording. The needs of rules are compared as ever.
    """
    found = replay_offers(of_before(event), JURISDICTIONS)

    assert (found.state, found.differences) == ("the same", ())
    said = f"no reason is recorded; it is now {SERVICE_REASONS[code][:20]}"
    assert any(said in line for line in found.wording)


# -- differences


def test_another_reason_of_the_service_is_a_difference():
    """
    A recorded reason is compared with the one that is derived, the service's own too.
    """
    event = event_of(asked(credit_score=None))
    event["decisions"][0]["reasons"][0]["code"] = "PERSON"
    found = replay_offers(event, JURISDICTIONS)

    assert len(found.differences) == 1
    assert found.differences[0].startswith("product flex: recorded Referred (['PERSON', ")


def test_needs_that_were_changed_in_an_event_of_before():
    """
    What a decision of before lacked is compared, although its reason is not.
    """
    event = of_before(event_of(asked(credit_score=None)))
    event["decisions"][0]["needs"] = ["months_trading"]
    found = replay_offers(event, JURISDICTIONS)

    assert found.differences == (
        "product flex: recorded Referred (['months_trading']), derived Referred (['credit_score'])",
    )


def test_a_decision_that_was_changed():
    """
    A recorded decision that the rules do not give is a difference.
    """
    event = event_of(asked(identity_verified=False))
    event["decisions"][0] |= {"decision": "Accepted", "reasons": []}
    found = replay_offers(event, JURISDICTIONS)

    assert found.state == "different"
    assert found.differences == ("product flex: recorded Accepted, derived Declined (['GB-P-01'])",)


PRODUCT = ("offer_set", "products", 0)
OFFER = (*PRODUCT, "offers", 1)


@for_every(
    ("path", "value", "expected"),
    [
        ((*OFFER, "factor_rate"), "9.99", "offer 2, factor_rate: recorded 9.99, derived 1.24"),
        ((*OFFER, "factor_rate"), "1.240001", "offer 2, factor_rate: recorded 1.240001"),
        ((*OFFER, "split_percentage"), "9", "offer 2, split_percentage: recorded 9, derived 8"),
        ((*OFFER, "term_days"), 99, "offer 2, term_days: recorded 99, derived "),
        ((*OFFER, "term_length"), "3", "offer 2, term_length: recorded 3, derived "),
        ((*OFFER, "offer_status"), "Accepted", "offer 2, offer_status: recorded Accepted"),
        ((*OFFER, "funded_amount"), "GBP 1.00", "offer 2, funded_amount: recorded GBP 1.00"),
        ((*OFFER, "funded_amount"), "EUR 4200.00", "offer 2, funded_amount: recorded EUR 4200.00"),
        ((*PRODUCT, "limits", "maximum"), "GBP 7.00", "limits, maximum: recorded GBP 7.00"),
        ((*PRODUCT, "limits", "minimum"), None, "limits, minimum: recorded nothing, derived GBP"),
        ((*PRODUCT, "limits"), [], "limits, minimum: recorded nothing, derived GBP"),
        ((*PRODUCT, "decision"), "Declined", "product flex, decision: recorded Declined"),
        ((*PRODUCT, "repayment_mechanism"), "x", "product flex, repayment_mechanism: recorded x"),
        ((*PRODUCT, "offers"), [], "product flex, offer 1: recorded nothing, derived GBP"),
        ((*PRODUCT, "offers", 2), 5, "product flex, offer 3, funded_amount: recorded nothing"),
        ((*PRODUCT, "key"), "flux", "products: recorded those of ['flux', 'starter']"),
        (("decisions", 0, "product"), "flux", "decisions: recorded those of ['flux', 'starter']"),
        (("currency",), "EUR", "currency: recorded EUR, derived GBP"),
        (("timezone",), "Europe/Paris", "timezone: recorded Europe/Paris, derived Europe/London"),
        (("offer_set", "renewal"), True, "renewal: recorded a renewal without an assessment"),
        (("offer_set", "issued_on"), "2026-06-30", "issued_on: recorded 2026-06-30, when other"),
        (
            ("offer_set", "facts", "average_monthly_takings"),
            "9000.01",
            "product flex, limits, maximum: recorded GBP ",
        ),
    ],
)
def test_every_figure_that_was_changed_is_named(path, value, expected):
    """
    An event that was edited is different, and replay names every difference.
    """
    event = changed(INITIAL, put(*path, value))
    found = replay_offers(event, JURISDICTIONS)

    assert event != INITIAL
    assert found.state == "different"
    assert any(expected in difference for difference in found.differences), found.differences


def test_one_minor_unit():
    """
    Offers are derived to the minor unit.
    """
    for event in (INITIAL, RENEWAL):
        for place, offer in enumerate(event["offer_set"]["products"][0]["offers"]):
            for name in ("repayment_amount", "funded_amount"):
                code, amount = offer[name].split()
                more = f"{code} {Decimal(amount) + Decimal('0.01')}"
                spoilt = changed(event, put(*PRODUCT, "offers", place, name, more))
                assert replay_offers(spoilt, JURISDICTIONS).differences == (
                    (
                        f"product flex, offer {place + 1}, {name}: "
                        f"recorded {more}, derived {offer[name]}"
                    ),
                )


def test_offers_that_were_added_dropped_or_swapped():
    """
    A missing offer, one too many and a swapped order are differences, each with its place.
    """

    def swap(event):
        offers = event["offer_set"]["products"][0]["offers"]
        offers[0], offers[1] = offers[1], offers[0]

    def drop(event):
        del event["offer_set"]["products"][0]["offers"][-1]

    def add(event):
        offers = event["offer_set"]["products"][0]["offers"]
        offers.append(offers[-1])

    def swap_products(event):
        event["offer_set"]["products"].reverse()

    swapped, dropped, added, products = (
        replay_offers(changed(INITIAL, change), JURISDICTIONS).differences
        for change in (swap, drop, add, swap_products)
    )
    assert {each.split(":")[0] for each in swapped} >= {
        f"product flex, offer {number}, {name}"
        for number in (1, 2)
        for name in ("funded_amount", "repayment_amount")
    }
    assert [each.partition(", derived GBP")[0] for each in dropped] == [
        "product flex, offer 3: recorded nothing"
    ]
    assert [each.partition(" recorded GBP")[0] for each in added] == ["product flex, offer 4:"]
    assert added[0].endswith("derived nothing")
    assert products == (
        "products: recorded those of ['starter', 'flex'], derived those of ['flex', 'starter']",
    )


@for_every(
    ("path", "value", "expected"),
    [
        (("assessment", "outcome"), "referred", "assessment: outcome: recorded 'referred'"),
        (("assessment", "digest"), "sha256:0", "assessment: recorded digest sha256:0, not"),
        (("assessment", "facts", "progress"), "61%", "facts: those of the assessment and those"),
        (("offer_set", "facts", "balance"), "1.00", "settlement: recorded GBP "),
        (("decisions", 0, "settlement"), "GBP 1.00", "settlement: recorded GBP 1.00, derived GBP"),
        (("decisions", 0, "settlement"), "lots", "settlement: recorded lots, derived GBP"),
        (("decisions", 0, "settlement"), "EUR 1.00", "settlement: recorded EUR 1.00, derived GBP"),
        (("assessment",), None, "renewal: recorded a renewal without an assessment"),
        (("offer_set", "renewal"), False, "renewal: recorded an initial application with an asses"),
        (("decisions", 0, "versions", "term/takings_pace"), 2, "versions: recorded "),
        (("assessment", "versions"), {}, "assessment: versions: recorded {}, derived {"),
    ],
)
def test_a_renewal_that_was_changed(path, value, expected):
    """
    A renewal's assessment, what it settles and the versions are compared too.
    """
    found = replay_offers(changed(RENEWAL, put(*path, value)), JURISDICTIONS)

    assert found.state == "different"
    assert any(expected in difference for difference in found.differences), found.differences


@for_every(
    ("path", "value"),
    [
        ((*OFFER, "description"), "GBP 1, repaid at once"),
        ((*PRODUCT, "name"), "Another name"),
        ((*PRODUCT, "description"), "Other words"),
    ],
)
def test_wording_stays_apart(path, value):
    """
    Sentences and names are not part of the digest; they are reported as wording, apart from the
    differences.
    """
    found = replay_offers(changed(INITIAL, put(*path, value)), JURISDICTIONS)

    assert (found.state, found.differences) == ("the same", ())
    (sentence,) = found.wording
    assert f"recorded {value}" in sentence


def test_another_day_and_another_digest():
    """
    The state says so when no loaded rulebook has the recorded digest.
    """
    event = changed(INITIAL, put("offer_set", "issued_on", "2026-01-01"))
    assert replay_offers(event, JURISDICTIONS).differences[0].startswith("issued_on: recorded")
    event["offer_set"]["digest"] = "sha256:0"
    found = replay_offers(event, JURISDICTIONS)

    assert found.state == "not available"
    assert found.loaded_digest == JURISDICTIONS.resolve("GB", on=date(2026, 1, 1)).digest


# -- calculators


@frozen(kw_only=True)
class Seasonal:
    """A term of some months, and one more in the second version."""

    version: ClassVar[int] = 1

    months: int

    def __call__(self, case, repayment_amount, split_percentage):
        return Term.of_months(self.months + self.version - 1)


def seasonal(version):
    return {"term/seasonal": type("Own", (Seasonal,), {"version": version})}


def files_with_seasonal():
    """The files of GB, whose first product has a term by the host's calculator."""
    files = {name: (bundled_path() / "GB" / name).read_text("utf-8") for name in FILES}
    old = 'term = { calculator = "takings_pace" }'
    new = 'term = { calculator = "seasonal", months = 7 }'
    return changed_files(files, "products.toml", old, new)


def with_seasonal():
    files = {name: text.encode() for name, text in files_with_seasonal().items()}
    return Jurisdictions([read_jurisdiction("GB", files)])


ONE = Engine.for_trial(with_seasonal(), calculators=seasonal(1))


@pytest.mark.parametrize("journey", [asked, renewed])
def test_a_calculator_of_the_host(journey):
    """
    With the host's calculators its offers are derived too, from jurisdictions as loaded or as the
    engine has them.
    """
    event = event_of(journey(engine=ONE))

    assert event["decisions"][0]["versions"]["term/seasonal"] == 1
    for jurisdictions in (with_seasonal(), ONE.jurisdictions):
        found = replay_offers(event, jurisdictions, seasonal(1))
        assert (found.state, found.differences, found.missing) == ("the same", (), ())


@for_every(
    ("calculators", "expected"),
    [
        (
            {},
            "a calculator `term/seasonal` is not present",
        ),
        (seasonal(2), "version 2 is present"),
    ],
)
def test_a_calculator_that_is_not_present(calculators, expected):
    """
    With a calculator version that is not present replay says "cannot be derived", naming the
    calculator and the versions, and not "differs".
    """
    event = event_of(renewed(engine=ONE))
    for jurisdictions in (
        with_seasonal(),
        ONE.jurisdictions,
        with_seasonal().with_versions({"term/seasonal": 2}),
    ):
        found = replay_offers(event, jurisdictions, calculators)
        assert (found.state, found.differences, found.missing) == (
            "cannot be derived",
            (),
            (f"product flex: `term/seasonal` had version 1; {expected}",),
        )
        assert found.rulebook.code == "GB"


def test_what_can_be_derived_is_compared_all_the_same():
    """
    The other products and the assessment are derived without the calculator.
    """
    event = changed(
        event_of(asked(engine=ONE)),
        put("offer_set", "products", 1, "offers", 0, "factor_rate", "9.99"),
    )
    found = replay_offers(event, with_seasonal())

    assert found.state == "different"
    assert found.differences == (
        "product starter, offer 1, factor_rate: recorded 9.99, derived 1.25",
    )
    assert len(found.missing) == 1


def test_settings_that_the_calculator_no_longer_takes():
    """
    Settings that the calculator of now refuses cannot be derived either.
    """
    event = event_of(asked(engine=ONE))
    other = frozen(
        type(
            "Other",
            (),
            {"version": 1, "__annotations__": {"weeks": int}, "__call__": Seasonal.__call__},
        )
    )
    found = replay_offers(event, with_seasonal(), {"term/seasonal": other})

    assert found.state == "cannot be derived"
    assert "`seasonal` has no setting `months`" in found.missing[0]


def test_a_calculator_that_now_returns_what_no_offer_can_have():
    """
    A calculator of the same version that fails now has not kept its version; nothing can be
    derived, and nothing else fails.
    """
    event = event_of(asked(engine=ONE))
    wrong = type("Wrong", (Seasonal,), {"__call__": lambda self, *case: Term.of_days(0)})
    found = replay_offers(event, with_seasonal(), {"term/seasonal": wrong})

    assert found.state == "cannot be derived"
    assert "the calculator `term/seasonal` of the product `flex` of GB returned" in found.missing[0]


@pytest.mark.parametrize("name", ["pricing", "factor_rate/banded"])
def test_a_newer_version_of_what_is_built_in(name, monkeypatch):
    """
    A new version of a built-in calculator, or of pricing itself, is named as well.
    """
    versions = {**digest_module.VERSIONS, name: 2}
    monkeypatch.setattr(repricing, "VERSIONS", versions)
    if name != "pricing":
        monkeypatch.setattr(BUILT_IN[name], "version", 2)
    for event in (INITIAL, RENEWAL):
        found = replay_offers(event, JURISDICTIONS)
        assert found.state == "cannot be derived"
        assert found.missing[0] == f"product flex: `{name}` had version 1; version 2 is present"


def test_a_calculator_without_a_version():
    """
    A calculator without a version is refused, as an engine refuses it.
    """
    with pytest.raises(ConfigurationError, match="does not declare its version"):
        replay_offers(INITIAL, JURISDICTIONS, {"term/seasonal": type("Own", (), {})})


# -- formats


@for_every(
    "spoilt",
    [
        [],
        None,
        {},
        {"offer_set": {}},
        *(
            changed(event, put(*path, value))
            for event in (INITIAL,)
            for path, value in (
                (("offer_set", "digest"), 1),
                (("offer_set", "issued_on"), "now"),
                (("offer_set", "issued_on"), "2026-02-30"),
                (("offer_set", "products"), {}),
                (("decisions",), [1]),
                (("decisions",), None),
                (("assessment",), "x"),
                (("offer_set",), []),
                (("format",), None),
                (("format",), 0),
            )
        ),
        changed(INITIAL, put("offer_set", "facts", 1)),
        changed(INITIAL, put("offer_set", "renewal", None)),
        changed(INITIAL, put("offer_set", "facts", "average_monthly_takings", {})),
    ],
)
def test_what_is_no_such_event(spoilt):
    """
    A document that is not an event of offers is refused.
    """
    with pytest.raises(InvalidDocument) as raised:
        replay_offers(spoilt, JURISDICTIONS)

    assert all((each.path or "").startswith("$") for each in raised.value.errors)


def test_a_newer_event():
    """
    A newer format is refused as exactly that.
    """
    with pytest.raises(InvalidDocument) as raised:
        replay_offers(changed(INITIAL, put("format", 2)), JURISDICTIONS)
    (error,) = raised.value.errors

    assert error.message == "this event was written by a newer version of holdback: format 2"
    assert (error.code, error.path) == ("newer_format", "$.format")


# -- the command


def test_as_the_command_reads_it(tmp_path):
    """
    `holdback replay` reads an event as it was written, in either format.
    """
    path = tmp_path / "event.json"
    for text in (wire.write_event(renewed().events[-1]),):
        path.write_bytes(text if isinstance(text, bytes) else json.dumps(text).encode())
        ran = CliRunner().invoke(holdback, ["replay", str(path)])

        assert (ran.exit_code, ran.output.splitlines()[0].split(" on ")[0]) == (0, "GB")
        assert ran.output.splitlines()[0].endswith(": the same")


def test_the_command_names_the_differences(tmp_path):
    """
    Exit code 1, and a line for every difference.
    """
    path = tmp_path / "event.json"
    path.write_text(json.dumps(changed(INITIAL, put(*OFFER, "factor_rate", "9.99"))))
    ran = CliRunner().invoke(holdback, ["replay", str(path)])

    assert ran.exit_code == 1
    assert "  product flex, offer 2, factor_rate: recorded 9.99, derived " in ran.output


HOST = """
from typing import ClassVar
from attrs import evolve, frozen
from holdback.offers import Term

@frozen(kw_only=True)
class Seasonal:
    version: ClassVar[int] = VERSION
    months: int

    def __call__(self, case, repayment_amount, split_percentage):
        return Term.of_months(self.months)

CALCULATORS = {"term/seasonal": Seasonal}
"""


def test_the_command_with_calculators(tmp_path, monkeypatch):
    """
    The command takes the host's calculators; without them, or with another version, it says that
    the offers cannot be derived.
    """
    monkeypatch.chdir(tmp_path)
    event, folder = tmp_path / "event.json", write(tmp_path / "shelf", GB=files_with_seasonal())
    event.write_bytes(wire.write_event(asked(engine=ONE).events[-1]))
    for number in (1, 2):
        text = HOST.replace("VERSION", str(number))
        (tmp_path / f"prices_of_host_{number}.py").write_text(text)
    command = ["replay", str(event), "--jurisdictions", str(folder)]
    given, newer = (
        CliRunner().invoke(
            holdback, [*command, "--calculators", f"prices_of_host_{number}:CALCULATORS"]
        )
        for number in (1, 2)
    )
    without = CliRunner().invoke(holdback, [*command, "--format", "json"])

    assert given.exit_code == 0, given.output
    assert newer.exit_code == 1
    assert newer.output.splitlines()[:4] == [
        "GB on 2026-07-06: cannot be derived",
        "Cannot be derived:",
        "  product flex: `term/seasonal` had version 1; version 2 is present",
        "  give the calculators of that time: --calculators MODULE:NAME",
    ]
    assert without.exit_code == 1
    assert json.loads(without.output)["state"] == "cannot be derived"
    assert json.loads(without.output)["missing"] == [
        "product flex: `term/seasonal` had version 1; a calculator `term/seasonal` is not present"
    ]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("nowhere_at_all:CALCULATORS", "there is no module nowhere_at_all here"),
        ("json:CALCULATORS", "expected a dictionary of calculators"),
        ("json:dumps", "expected a dictionary of calculators"),
        ("json", "expected a dictionary of calculators"),
        (":x", "expected a dictionary of calculators"),
        ("every_case:__builtins__", "cannot name a calculator"),
    ],
)
def test_calculators_that_cannot_be_loaded(tmp_path, name, expected):
    """
    Exit code 2 for misuse.
    """
    path = tmp_path / "event.json"
    path.write_text(json.dumps(INITIAL))
    ran = CliRunner().invoke(holdback, ["replay", str(path), "--calculators", name])

    assert ran.exit_code == 2
    assert expected in " ".join(ran.output.split())


def test_a_record_from_explain(tmp_path):
    """
    An auditor without Python takes the record from the command.
    """
    facts, record = tmp_path / "facts.json", tmp_path / "record.json"
    facts.write_text('{"progress": "64%", "missed_remittances_30d": 2}')
    arguments = ["explain", "GB", str(facts), "--on", "2026-07-01", "--format", "record"]
    record.write_text(CliRunner().invoke(holdback, arguments).output)

    ran = CliRunner().invoke(holdback, ["replay", str(record)])
    assert ran.exit_code == 0, ran.output
