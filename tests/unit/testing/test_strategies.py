"""Every public type has a strategy, and what is reachable holds the lifecycle's laws."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from collections import Counter
from datetime import date
from typing import get_args

import attrs
import pytest
from hypothesis import HealthCheck, Phase, find, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable

import holdback
from counts import count
from every_case import for_every
from holdback import (
    BankDetails,
    Context,
    Engine,
    InvalidDocument,
    Jurisdictions,
    Merchant,
    Money,
    OffersRequest,
    Refusal,
    Rulebook,
    testing,
    wire,
)
from holdback.exact.exact_json import write_json
from holdback.lifecycle.events import Event
from holdback.merchant.profile import Profile
from holdback.operations import OPERATIONS
from holdback.testing import strategies
from holdback.testing.conformance.simulated.rule_changes import fee_rules
from holdback.testing.inputs import run_operation
from holdback.testing.memory_store import TRIAL_SALT
from holdback.testing.strategies.histories import STAGES
from holdback.wire.commands import read_input
from input_contexts import input_context
from own_rules import with_own_rules
from small_folders import IRELAND, read

# Names of the public API for which a strategy makes no sense.
WITHOUT = {
    "FactorRateCalculator": "a protocol: a host writes its own calculators",
    "LimitsCalculator": "a protocol",
    "Links": "a protocol: a host writes its own function",
    "SplitPercentageCalculator": "a protocol",
    "TermCalculator": "a protocol",
    "filled_application": "a function",
    "load_jurisdictions": "a function",
    "load_language": "a function",
    "operations": "a module",
    "wire": "a module",
}
PUBLIC = sorted(set(holdback.__all__) - set(WITHOUT))
KINDS = [getattr(holdback, name) for name in PUBLIC]
EVENTS = sorted(get_args(Event), key=lambda kind: kind.__name__)
COMMANDS = [kind for kind in OPERATIONS.values() if not kind.is_question]
REPLIES = sorted(get_args(wire.Reply), key=lambda kind: kind.__name__)
ENGINE = Engine.for_trial()
OWN = with_own_rules(ENGINE.jurisdictions).codes
IN_A_RUN = 20
AT_ONCE = 5

some = settings(
    max_examples=count("values of a strategy"),
    deadline=None,
    derandomize=True,
    database=None,
    phases=(Phase.generate, Phase.shrink),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def named(kinds):
    return pytest.mark.parametrize("kind", kinds, ids=lambda kind: kind.__name__)


@named([*KINDS, *EVENTS, *COMMANDS, *REPLIES])
@some
@given(st.data())
def test_every_public_type_has_a_strategy(kind, data):
    """
    `of` draws instances of every public class, event, command and reply.
    """
    assert isinstance(data.draw(strategies.of(kind)), kind)


def test_what_has_no_strategy_is_no_class_or_a_protocol():
    """
    The exceptions are those listed above and no other, and asking for one says so.
    """
    for name in WITHOUT:
        found = getattr(holdback, name)
        assert not inspect.isclass(found) or found._is_protocol

    with pytest.raises(TypeError, match="there is no strategy for `TermCalculator`"):
        strategies.of(holdback.TermCalculator)
    with pytest.raises(TypeError, match="there is no strategy for `3`"):
        strategies.of(3)


@named(
    [
        *EVENTS,
        *COMMANDS,
        *REPLIES,
        *(Merchant, holdback.Deal, holdback.OfferSet, holdback.Product, holdback.Offer),
    ]
)
def test_every_attribute_takes_more_than_one_value(kind):
    """
    An attribute added to an event, a command, a reply or the state is drawn too.
    """
    seen = {field.name: set() for field in attrs.fields(kind) if field.init}
    alike = [*seen]

    for number in range(count("values that differ in every attribute") // AT_ONCE):

        @seed(number)
        @settings(some, max_examples=AT_ONCE, derandomize=False, phases=[Phase.generate])
        @given(strategies.of(kind))
        def draw(value):
            for name, values in seen.items():
                one = attrs.asdict(value, recurse=False)[name]
                # Their `repr` shows nothing, because they are personal.
                values.add(repr(one.given if isinstance(one, BankDetails) else one)[:200])

        draw()
        alike = [name for name, values in seen.items() if len(values) < 2]
        if not alike:
            break

    assert alike == []


@some
@given(strategies.merchants())
def test_a_drawn_merchant_is_read_back_as_it_was_written(merchant):
    """
    A merchant of a drawn history survives being written and read. One of any values need not agree
    with itself, and is refused then (decisions/documents).
    """
    assert wire.read_merchant(wire.write_merchant(merchant)) == merchant


@some
@given(strategies.of(Event))
def test_a_drawn_event_is_read_back_as_it_was_written(event):
    """
    Of a union, any of its classes is drawn; an event goes through bytes and through plain values.
    """
    assert wire.read_event(wire.write_event(event)) == event
    assert wire.event_from_dict(wire.event_to_dict(event)) == event


@some
@given(strategies.of(wire.Reply))
def test_a_drawn_reply_is_written(reply):
    """
    A reply is written once and never read by holdback; it is JSON.
    """
    assert json.loads(wire.write(reply)) == json.loads(write_json(wire.to_dict(reply)))


@some
@given(strategies.of(Money))
def test_drawn_money_is_read_back_as_it_was_written(money):
    """
    Money as text.
    """
    assert Money.parse(str(money)) == money


@some
@given(strategies.money("JPY", least=5, most=7), strategies.money())
def test_money_is_drawn_within_bounds(yen, any_money):
    """
    The currency by its code, from the least to the most minor units.
    """
    assert yen.currency.code == "JPY"
    assert 5 <= yen.minor <= 7
    assert any_money.minor >= 0


@some
@given(strategies.instants())
def test_a_drawn_instant_is_taken_by_a_context_and_by_the_wire(at):
    """
    An instant goes through its text, and serves as the instant of an attempt.
    """
    assert wire.read_timestamp(wire.write_timestamp(at)) == at
    assert Context(at=at, request_id="r-1").at == at


@some
@given(strategies.of(Refusal) | strategies.of(InvalidDocument))
def test_a_drawn_error_is_written_as_a_problem(error):
    """
    What a host answers with problem details.
    """
    assert json.loads(wire.write_problem(error))["code"] == wire.problem(error)["code"]


@some
@given(
    strategies.offers_bodies(),
    strategies.offers_bodies(renewal=True),
    strategies.offers_bodies(renewal=False, currency="JPY"),
)
def test_bodies_of_requests_are_valid(either, renewal, initial):
    """
    The drawn JSON bodies of `POST /offers`, initial and renewal, are valid.
    """
    assert isinstance(wire.read_offers_request(either), OffersRequest)
    assert wire.read_offers_request(renewal).renewal
    assert wire.read_offers_request(initial).application.currency == "JPY"


@some
@given(strategies.accept_bodies())
def test_bodies_of_acceptances_are_valid(body):
    """
    Empty, without bank details, or with them.
    """
    assert isinstance(wire.read_accept_request(body), BankDetails | None)


@pytest.mark.parametrize("operation", OPERATIONS)
@some
@given(st.data())
def test_inputs_are_valid_and_plain(operation, data):
    """
    The inputs of every operation are read, and the standard `json` writes them.
    """
    body = data.draw(strategies.inputs(operation))

    assert json.loads(json.dumps(body)) == body
    if operation == "required_checks" and "application_id" not in body:
        assert wire.read_offers_request(body)
    elif OPERATIONS[operation].by_provider:
        assert body.keys() == {"provider_id"}
    else:
        assert isinstance(read_input(operation, body, input_context()), OPERATIONS[operation])


def test_inputs_of_no_operation_are_refused():
    """
    An unknown name of an operation is refused with a suggestion.
    """
    with pytest.raises(ValueError, match="did you mean `fund_deal`"):
        strategies.inputs("fund_deals")


@pytest.mark.parametrize("code", OWN)
@settings(some, max_examples=count("facts and evidence of a jurisdiction"))
@given(st.data())
def test_facts_and_evidence_are_taken(code, data):
    """
    A rulebook takes the drawn facts, and a request for offers the drawn evidence.
    """
    rulebook = data.draw(strategies.rulebooks(holdback.Jurisdictions([ENGINE.jurisdictions[code]])))
    renewal = data.draw(st.booleans())
    given_evidence = data.draw(strategies.evidence(rulebook, renewal=renewal))

    assert rulebook.assess(data.draw(strategies.facts(rulebook))).on == rulebook.on
    assert rulebook.code == code
    assert wire.read_evidence(given_evidence) == given_evidence
    assert rulebook.catalogue.prepare(given_evidence)


def test_drawn_facts_reach_every_outcome():
    """
    Facts lie on either side of thresholds, so that every outcome of the renewal rules comes up.
    """
    outcomes = set()
    rulebook = ENGINE.jurisdictions.resolve("GB", on=date(2026, 7, 1))

    @settings(some, max_examples=count("facts that reach every outcome"))
    @given(strategies.facts(rulebook))
    def draw(facts):
        outcomes.add(rulebook.assess(facts).outcome)

    draw()

    assert outcomes >= {"ineligible", "undetermined", "not_assessed"}


@some
@given(strategies.of(Rulebook), strategies.of(holdback.Jurisdictions))
def test_rulebooks_are_those_that_ship(rulebook, jurisdictions):
    """
    A drawn rulebook is one of those that ship, on a drawn date.
    """
    assert rulebook == ENGINE.jurisdictions.resolve(rulebook.code, on=rulebook.on)
    assert set(jurisdictions.codes) <= set(ENGINE.jurisdictions.codes)


STORY = testing.given(ENGINE, jurisdiction="GB", at="2026-07-06T09:00:00Z")
SHORT = {
    **{kind.__name__: strategies.of(kind) for kind in (Engine, Rulebook, holdback.Assessment)},
    "Jurisdictions": strategies.of(holdback.Jurisdictions),
    "History": strategies.histories(ENGINE),
    "Step": strategies.histories(ENGINE, through="offers").map(lambda history: history.steps[0]),
    "Story": st.just(STORY),
}


@for_every("strategy", SHORT.values(), ids=SHORT)
def test_a_failure_is_short(strategy):
    """
    Hypothesis shows what a `repr` does, and not all the rules of a jurisdiction.
    """

    @settings(some, max_examples=1, phases=[Phase.generate])
    @given(strategy)
    def fails(value):
        raise RuntimeError

    with pytest.raises(RuntimeError) as caught:
        fails()
    assert sum(map(len, caught.value.__notes__)) < 2_000


def held(history):
    """The laws of the lifecycle, of one history and of the merchant after it."""
    merchant = history.merchant
    assert ENGINE.evolve(history.first, history.events) == merchant
    assert sum(deal.active for deal in merchant.deals) <= 1
    assert wire.read_merchant(wire.write_merchant(merchant)) == merchant
    for deal in merchant.deals:
        paid = deal.remitted.minor + deal.settled.minor + deal.credited
        left = deal.balance.minor + deal.shortfall.minor + deal.fees_owed.minor
        owed = deal.repayment_amount.minor + deal.fees
        assert owed + deal.overpaid.minor == paid + left
    for step in history.steps:
        assert not (step.events and step.refused)


@settings(some, max_examples=count("reachable merchants"))
@given(strategies.histories(ENGINE, most_steps=12))
def test_reachable_merchants_hold_the_laws(history):
    """
    A reachable merchant has at most one active deal, is the fold of its events, and its money adds
    up.
    """
    held(history)


@settings(some, max_examples=20)
@given(strategies.histories())
def test_a_history_can_be_carried_out_again(history):
    """
    A history is what the engine does with its steps: the same again gives the same merchant.
    """
    merchant, profile = history.first, Profile.new(salt=TRIAL_SALT)
    for step in history.steps:
        context = Context(
            at=step.at, request_id=step.request_id, evidence=step.evidence, sure=step.sure
        )
        again = (ENGINE, merchant, step.operation, step.input, context, profile)
        if step.refused is None:
            outcome = run_operation(*again)
            assert outcome.events == step.events
            merchant, profile = outcome.merchant, outcome.profile
        else:
            with pytest.raises(type(step.refused)) as caught:
                run_operation(*again)
            assert str(caught.value) == str(step.refused)

    assert merchant == history.merchant


@settings(some, max_examples=20)
@given(strategies.histories(ENGINE, through="renewal", jurisdictions=["GB"]))
def test_a_history_is_a_scenario(history):
    """
    A drawn history, run as a scenario, gives the same events.
    """
    from holdback.cli.scenario import read_scenario, run

    steps = read_scenario(json.dumps(history.scenario()).encode())
    happened = [event for step in run(steps, ENGINE) for event in step.events]

    assert happened == [wire.event_to_dict(event) for event in history.events]
    assert repr(history).startswith("History of GB:\n    20")


@for_every("stage", STAGES)
@for_every("code", OWN)
def test_a_history_passes_the_stage_that_is_asked_for(code, stage):
    """
    Every jurisdiction that ships has merchants at every stage, by its own examples.
    """
    happened = {
        "offers": "OffersIssued",
        "fulfilment": "OfferAccepted",
        "deal": "DealFunded",
        "renewal": "DealRenewed",
    }

    @settings(some, max_examples=count("merchants at each stage"))
    @given(strategies.histories(ENGINE, jurisdictions=[code], through=stage, most_steps=2))
    def draw(history):
        assert history.first.jurisdiction == code
        assert happened[stage] in {type(event).__name__ for event in history.events}
        held(history)

    draw()


def test_histories_go_far_by_themselves():
    """
    Without a stage, some have no deal, and some have a renewal.
    """
    seen = set()

    @settings(some, max_examples=100)
    @given(strategies.merchants(ENGINE))
    def draw(merchant):
        seen.add(tuple(deal.type for deal in merchant.deals[:2]))

    draw()

    assert seen >= {(), ("Initial",), ("Initial", "Renewal")}


def test_histories_carry_out_every_operation():
    """
    What agents and people do is drawn so that it often succeeds, each operation at least twice.
    """
    # By the rules that ship few deals allow a fee.
    shipped = [one for one in holdback.load_jurisdictions() if one.code != "GB"]
    engine = Engine.for_trial(Jurisdictions([*shipped, *fee_rules()]))
    carried_out = Counter({name: 0 for name, row in OPERATIONS.items() if not row.is_question})
    operations = set(carried_out)

    # Within a run Hypothesis varies what it drew before; short runs see more.
    for number in range(count("histories with every operation") // IN_A_RUN):

        @seed(number)
        @settings(some, max_examples=IN_A_RUN, derandomize=False, phases=[Phase.generate])
        @given(strategies.histories(engine, most_steps=12))
        def draw(history):
            carried_out.update(step.operation for step in history.steps if step.refused is None)

        draw()
        if min(carried_out.values()) >= 2:
            break

    assert carried_out.keys() == operations
    assert min(carried_out.values()) >= 2, carried_out


def small_engine(performance):
    """
    Return an engine with one small jurisdiction, where a renewal needs *performance*.

    No example there says what good evidence is.
    """
    renewal = IRELAND["renewal.toml"].partition("[typical]")[0]
    renewal = renewal.replace("75%", performance).replace("80%", performance)
    files = {**IRELAND, "renewal.toml": renewal}
    return Engine.for_trial(holdback.Jurisdictions([read(files)]))


@settings(some, max_examples=10)
@given(strategies.histories(small_engine("80%"), through="renewal"))
def test_a_host_has_rules_of_its_own(history):
    """
    Another engine's merchants, with evidence that is good in general where no example says more.
    """
    assert history.merchant.deals[1].type == "Renewal"
    assert history.merchant.deals[1].currency == "EUR"


def test_a_stage_that_nobody_reaches():
    """
    A stage that the rules leave out of reach gives no history, and there are histories without it.
    """
    strict = small_engine("900000%")

    with pytest.raises(Unsatisfiable):
        find(
            strategies.histories(strict, through="renewal"),
            lambda _: True,
            settings=settings(some, max_examples=2),
        )
    seen = set()

    @settings(some, max_examples=60)
    @given(strategies.merchants(strict))
    def draw(merchant):
        seen.add(tuple(deal.type for deal in merchant.deals))

    draw()
    assert ("Initial",) in seen
    assert not any("Renewal" in types for types in seen)


def test_steps_are_shown_in_short():
    """
    What came of each: its events, a refusal with its code, or that it was invalid.
    """
    step = strategies.Step(
        at=wire.read_timestamp("2026-07-06T09:00:00Z"),
        request_id="r-1",
        operation="fund_deal",
        input={"application_id": "a" * 300},
    )
    refused = attrs.evolve(step, input={}, refused=Refusal("deal_not_found", "no such deal"))
    invalid = attrs.evolve(step, input={}, refused=InvalidDocument.of("wrong_type", "text"))

    assert repr(step).endswith("aaa... nothing")
    assert repr(refused) == "2026-07-06T09:00:00Z fund_deal {} refused deal_not_found"
    assert repr(invalid) == "2026-07-06T09:00:00Z fund_deal {} invalid"


@some
@given(strategies.deals(ENGINE))
def test_deals_are_funded_ones(deal):
    """
    A reachable deal was priced by its jurisdiction.
    """
    assert deal.repayment_amount >= deal.funded_amount > Money(0, deal.funded_amount.currency)


def test_importing_the_strategies_leaves_pytest_alone():
    """
    The strategies need Hypothesis; `given` needs nothing.
    """
    for module, extras in (("strategies", ["pytest"]), ("given", ["pytest", "hypothesis"])):
        code = (
            f"import sys; from holdback.testing import {module}; "
            f"print([name for name in {extras} if name in sys.modules])"
        )
        shown = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )

        assert shown.stdout.strip() == "[]"
