"""Public values are values: nothing that they give out can change them, and they can be copied."""

from __future__ import annotations

import copy
import hashlib
import importlib
import inspect
import pickle
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, tzinfo
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import cache
from operator import methodcaller
from pathlib import Path
from types import FunctionType, NoneType
from typing import ClassVar, is_typeddict
from uuid import UUID

import attrs
import polars as pl
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from counts import count
from holdback import (
    Context,
    Engine,
    HoldbackError,
    Jurisdictions,
    Money,
    load_jurisdictions,
    portfolio,
    wire,
)
from holdback.disclosures import Financing, Payoff, ProjectionTerms, disclose
from holdback.jurisdictions.toml.document import Document
from holdback.jurisdictions.toml.node import Node, TomlTable
from holdback.offers import SettlementCase, Term
from holdback.rules import Kind, parse, trace
from holdback.testing import given as given_a_past
from holdback.testing import strategies
from holdback.testing.conformance import Effort
from holdback.tools.advice import windows
from journey import Journey

sys.path.insert(0, str(Path(__file__).parents[2] / "docs/_ext"))
from api_reference import public_modules

# What cannot be changed; an exception gets its traceback from Python.
LEAVES = (str, bytes, int, float, Decimal, date, tzinfo, Enum, NoneType, UUID, type, HoldbackError)
# A file's text and the places in it, which only the workbench reads: nothing is decided by them.
FILES = (Document, Node, TomlTable)

# Every way to change a mapping, a list or a set; the last one leaves it empty.
CHANGES = (
    methodcaller("update", planted="planted"),
    methodcaller("setdefault", "planted", "planted"),
    methodcaller("append", "planted"),
    methodcaller("add", "planted"),
    methodcaller("reverse"),
    methodcaller("__setitem__", 0, "planted"),
    methodcaller("__ior__", {"planted": "planted"}),
    methodcaller("__iadd__", ["planted"]),
    methodcaller("__init__", {"planted": "planted"}),
    methodcaller("pop"),
    methodcaller("popitem"),
    methodcaller("clear"),
)

# Public classes that do not make values, with the reason.
NO_VALUES = {
    "holdback.operations.Command": "the base of commands",
    "holdback.operations.PersonalCommand": "the base of those that take the profile",
    "holdback.operations.PersonalQuestion": "the base of questions that take the profile",
    "holdback.operations.Question": "the base of questions",
    "holdback.testing.conformance.Crashed": "an exception",
    "holdback.testing.conformance.MemoryHost": "a host, which has a store",
    "holdback.testing.conformance.Session": "a run, which counts",
    "holdback.testing.conformance.Worker": "a process",
}


def public_classes():
    """Every public class by its public name, that makes values: no protocol, no exception."""
    classes = {}
    for module in public_modules():
        for name in importlib.import_module(module).__all__:
            value = getattr(importlib.import_module(module), name)
            if inspect.isclass(value) and value not in classes.values():
                classes[f"{module}.{name}"] = value
    return {
        name: kind
        for name, kind in classes.items()
        if name not in NO_VALUES
        and not getattr(kind, "_is_protocol", False)
        and not is_typeddict(kind)  # a type of the host's own dicts
        and not issubclass(kind, HoldbackError | Warning)
    }


PUBLIC = public_classes()


@cache
def shipped():
    """The jurisdiction GB, on its own because the others are many."""
    return Jurisdictions([load_jurisdictions()["GB"]])


@cache
def rulebook():
    return shipped().resolve("GB", on=date(2026, 7, 6))


@cache
def case():
    """The case that a calculator of the host receives."""
    cases = []

    @attrs.frozen
    class Noting:
        """A term that keeps its case."""

        version: ClassVar[int] = 1

        def __call__(self, case, _repayment_amount, _split_percentage):
            cases.append(case)
            return Term.of_months(6)

    journey = Journey(Engine.for_trial(shipped(), calculators={"term/takings_pace": Noting}))
    journey.ask()
    return cases[0]


@cache
def frame():
    return portfolio.sample(40, seed=1, backend="polars", on=date(2026, 7, 6)).filter(
        pl.col("jurisdiction") == "GB"
    )


def messy():
    return frame().with_columns(status=pl.lit("funded")).rename({"progress": "pct_paid"})


def found():
    return portfolio.findings(messy(), shipped())


def story():
    return given_a_past(Engine.for_trial(shipped()), jurisdiction="GB", at="2026-07-06T09:00:00Z")


def input_context():
    journey = Journey(Engine.for_trial(shipped()))
    return journey.engine.input_context(journey.merchant, journey.context())


def rule():
    return rulebook().renewal.rules[0].checked


def settlement_case():
    price, currency = Money.parse("GBP 1180.00"), Money.parse("GBP 1.00").currency
    return SettlementCase(
        balance=price,
        repayment_amount=price,
        funded_amount=Money.parse("GBP 1000.00"),
        elapsed_days=10,
        term_days=200,
        currency=currency,
        rounding="half_even",
    )


def helped():
    deal = {**shipped()["GB"].typical["renewal"], "performance": "76%"}
    deal.pop("balance")
    return rulebook().assess(deal).what_would_help()


def forecast():
    deal = shipped()["GB"].typical["renewal"]
    return windows(shipped()["GB"], deal, on=date(2026, 7, 6), pace="0.4%", days=30)


@cache
def financing():
    return Financing(purchase_price=10_000_00, purchased_amount=11_400_00)


@cache
def projection():
    return ProjectionTerms(
        consummation=date(2026, 12, 1),
        frequency="daily",
        split=Fraction("0.15"),
        monthly_takings=15_000_00,
    )


@cache
def disclosed():
    on = load_jurisdictions().resolve("GB", on=date(2026, 12, 1))
    return disclose(on.disclosures[-1], financing(), projection())


# Instances of the classes for which a test of a host needs no strategy.
MADE = {
    "holdback.Engine": lambda: Engine.for_trial(shipped()),
    "holdback.Jurisdictions": shipped,
    "holdback.disclosures.AnnualRate": lambda: disclosed().payments.annual_rate(10_000_00),
    "holdback.disclosures.Disclosure": disclosed,
    "holdback.disclosures.Financing": financing,
    "holdback.disclosures.Payoff": lambda: Payoff(
        finance_charge=2_000_00, total_repayment=12_000_00, used=3_000_00
    ),
    "holdback.disclosures.ProjectedPayments": lambda: disclosed().payments,
    "holdback.disclosures.ProjectionTerms": projection,
    "holdback.tools.advice.Window": lambda: forecast().windows[0],
    "holdback.tools.advice.Windows": forecast,
    "holdback.jurisdictions.Example": lambda: shipped().examples("GB")[0],
    "holdback.jurisdictions.Jurisdiction": lambda: shipped()["GB"],
    "holdback.jurisdictions.ProductTerms": lambda: rulebook().products[0],
    "holdback.offers.PricingCase": case,
    "holdback.offers.SettlementCase": settlement_case,
    "holdback.offers.Term": lambda: Term.of_months(6),
    "holdback.portfolio.AnswerTable": lambda: portfolio.summarise(frame(), shipped()).answer_table,
    "holdback.portfolio.ColumnFinding": lambda: found().rows[0],
    "holdback.portfolio.ColumnMapping": lambda: portfolio.suggest(messy(), shipped()),
    "holdback.portfolio.Comparison": lambda: portfolio.compare(frame(), shipped(), shipped()),
    "holdback.portfolio.Findings": found,
    "holdback.portfolio.Summary": lambda: portfolio.summarise(frame(), shipped()),
    "holdback.rules.Catalogue": lambda: rulebook().catalogue,
    "holdback.rules.Checked": rule,
    "holdback.rules.Fact": lambda: rulebook().catalogue.facts[0],
    "holdback.rules.Kind": lambda: Kind.MONEY,
    "holdback.rules.Parameter": lambda: next(iter(rulebook().parameters.values())),
    "holdback.rules.Trace": lambda: trace(rule(), (None,) * len(rulebook().catalogue.facts)),
    "holdback.rules.Tree": lambda: parse("progress >= 50% and not (balance < GBP 5.00)"),
    "holdback.rules.Type": lambda: rulebook().catalogue.facts[0].type,
    "holdback.testing.Story": story,
    "holdback.testing.Then": lambda: story().when("look_up"),
    "holdback.testing.conformance.Effort": Effort,
    "holdback.tools.advice.Move": lambda: helped().ways[0].moves[0],
    "holdback.tools.advice.WhatWouldHelp": helped,
    "holdback.tools.advice.Way": lambda: helped().ways[0],
    "holdback.wire.InputContext": input_context,
}
# Merchants that were read, whose long lists are read lazily.
READ = strategies.merchants().map(
    lambda merchant: wire.read_merchant(wire.write_merchant(merchant))
)
DRAWN = {
    "holdback.testing.strategies.History": strategies.histories(),
    "holdback.testing.strategies.Step": strategies.histories()
    .filter(lambda past: past.steps)
    .map(lambda past: past.steps[-1]),
}


def test_every_public_class_is_tried():
    """
    The tables name public classes only.
    """
    assert MADE.keys() | DRAWN.keys() <= PUBLIC.keys()
    assert not NO_VALUES.keys() & PUBLIC.keys()
    assert len(PUBLIC) > 60


def instances(name):
    """A strategy for instances of the public class *name*."""
    if name in MADE:
        return st.builds(MADE[name])
    drawn = DRAWN[name] if name in DRAWN else strategies.of(PUBLIC[name])
    return drawn | READ if name == "holdback.Merchant" else drawn


some = settings(
    max_examples=count("values that may be changed"),
    deadline=None,
    derandomize=True,
    database=None,
    phases=(Phase.generate,),
    suppress_health_check=[*HealthCheck],
)
named = pytest.mark.parametrize("name", sorted(PUBLIC))


def given_out(value):
    """Every part that *value* gives out, by how: its attributes and what its methods return."""
    if isinstance(value, Mapping):
        yield from ((f"[{name!r}]", item) for name, item in value.items())
    elif isinstance(value, set | frozenset):
        yield from ((f"[{item!r}]", item) for item in sorted(value, key=repr))
    elif isinstance(value, Sequence):
        yield from ((f"[{place}]", item) for place, item in enumerate(value))
    elif type(value).__module__.startswith("holdback"):
        for name in sorted(set(dir(value))):
            if name.startswith("_"):
                continue
            try:
                part = getattr(value, name)
                if inspect.ismethod(part) and part.__self__ is value:
                    inspect.signature(part).bind()
                    part = part()
                    if isinstance(part, type(value)):
                        continue  # such as the same story a day later, and so on without end
                yield name, list(part) if isinstance(part, Iterator) else part
            # A method may need arguments, or refuse a value whose drawn attributes disagree.
            except (TypeError, AssertionError, LookupError, ValueError, HoldbackError):
                continue


def is_leaf(value):
    return isinstance(value, (*LEAVES, *FILES)) or not (
        isinstance(value, Mapping | Sequence | set | frozenset)
        or type(value).__module__.startswith("holdback")
    )


def picture(value, seen=None):
    """A digest of all that can be seen of *value*; at the top, one for each part."""
    if is_leaf(value):
        return f"{type(value).__name__} {shown(value)}"
    top, seen = seen is None, {} if seen is None else seen
    if id(value) not in seen:
        # An object is kept with its digest, so that no other can get its id.
        parts = {how: picture(part, seen) for how, part in given_out(value)}
        # A list that is read lazily is pickled as the tuple that it is equal to.
        text = f"{'items' if isinstance(value, Sequence) else type(value).__name__} {parts}"
        seen[id(value)] = value, parts, hashlib.sha256(text.encode()).hexdigest()
    return seen[id(value)][1 if top else 2]


def shown(value):
    """A leaf as text; a generated function or a file by its name."""
    if isinstance(value, FunctionType):
        return value.__qualname__
    return "a file" if isinstance(value, FILES) else repr(value)


def changed_somewhere(value, path="", seen=None):
    """
    Try to change *value* and all that it gives out, in every way; yield where something can be.

    What a method returns may be changed: the picture afterwards shows whether it was a copy.
    """
    seen = {} if seen is None else seen
    if is_leaf(value) or id(value) in seen:
        return
    seen[id(value)] = value
    for how, part in given_out(value):
        yield from changed_somewhere(part, f"{path}.{how}", seen)
    if isinstance(value, Mapping | list | set):
        for change in CHANGES:
            try:
                change(value)
            except (TypeError, AttributeError):
                continue
    elif type(value).__module__.startswith("holdback") and not isinstance(value, tuple):
        for name in (*(name for name in dir(value) if not name.startswith("__")), "planted"):
            for act in (
                lambda name=name: setattr(value, name, "planted"),
                lambda name=name: delattr(value, name),
            ):
                try:
                    act()
                except AttributeError:
                    continue
                yield f"{path}.{name} of {type(value).__name__}"


@named
@some
@given(st.data())
def test_nothing_that_a_value_gives_out_changes_it(name, data):
    """
    "Values are values": no attribute can be set, and no mapping or list that is given out changes
    what is given out next (decisions/layers).
    """
    value = data.draw(instances(name))
    before = picture(value)

    assert [*changed_somewhere(value)] == []
    assert picture(value) == before


@named
@some
@given(st.data())
def test_values_are_pickled_copied_and_hashed(name, data):
    """
    Process pools, caches and sets take them: a copy is equal, in every part, and has the same hash.
    """
    value = data.draw(instances(name))
    seen = picture(value)

    for again in (pickle.loads(pickle.dumps(value)), copy.deepcopy(value), copy.copy(value)):
        assert again == value
        assert hash(again) == hash(value)
        assert picture(again) == seen


def test_an_engine_that_was_pickled_gives_the_same_bytes():
    """
    A process pool can send an engine to its workers: they give the same ids, offers and events.
    """
    engine = Engine.for_trial()
    again = pickle.loads(pickle.dumps(engine))

    assert transcript(again) == transcript(engine)
    assert repr(again) == repr(engine)


def transcript(engine):
    """The bytes of the replies, events and states of one merchant's way through the service."""
    journey = Journey(engine)
    journey.ask()
    journey.accept()
    journey.fund()
    journey.pay_down(60)
    journey.ask(renewal=True)
    journey.accept()
    replies = [wire.write(reply) for reply in (journey.offers, journey.acceptance)]
    return replies, [*map(wire.write_event, journey.events)], wire.write_merchant(journey.merchant)


def test_a_record_is_a_copy():
    """
    `record()` and `plain()` may be changed by the host; the assessment is unchanged.
    """
    assessment = rulebook().assess({"progress": "70%", "performance": "50%"})
    record, plain = assessment.record(), assessment.plain()
    untouched = copy.deepcopy(record)
    record["facts"].clear()
    plain["reasons"][0]["facts"].clear()
    plain["trace"].clear()

    assert assessment.record() == untouched
    assert untouched["facts"] == {"progress": "70%", "performance": "50%"}


def test_what_is_handed_in_is_not_kept():
    """
    A host may go on changing its own mapping after it has handed it in.
    """
    evidence = {"credit_score": 700}
    context = Context(at=datetime(2026, 7, 6, tzinfo=UTC), request_id="r-1", evidence=evidence)
    evidence["credit_score"] = 1

    assert context.evidence == {"credit_score": 700}
