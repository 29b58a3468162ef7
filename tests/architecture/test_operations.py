"""There is one list of operations; what else is needed is read from the class of each."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import get_args, get_type_hints

import attrs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import holdback
from holdback import Engine, wire
from holdback import operations as operations_table
from holdback.lifecycle import events
from holdback.lifecycle.operation import Decision
from holdback.operations import (
    COMMANDS,
    OPERATIONS,
    Command,
    PersonalCommand,
    PersonalQuestion,
    Question,
    Reply,
)
from holdback.testing import strategies
from holdback.testing.conformance.simulated.agent_operations import AGENTS
from holdback.testing.strategies.likely_inputs import input_of
from holdback.testing.strategies.moment import Moment
from holdback.wire.commands import read_input
from input_contexts import input_context

SOURCE = Path(holdback.__file__).parent
TABLE = SOURCE / "operations.py"
INPUT_CONTEXT = input_context()
ENGINE = Engine.for_trial()

operations = pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
some = settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))


def declared_below(kind):
    """Yield the classes of operations below *kind*: those that have a name."""
    for declared in kind.__subclasses__():
        if attrs.has(declared) and "name" in vars(declared):
            yield declared
        yield from declared_below(declared)


def test_every_operation_is_in_the_list():
    """
    Every class of an operation is in the list under its name, and its reply is one that is written.
    """
    kinds = (Command, PersonalCommand, Question, PersonalQuestion)
    declared = {declared for kind in kinds for declared in declared_below(kind)}

    assert set(OPERATIONS.values()) <= declared
    assert {kind.name for kind in declared} == set(OPERATIONS)
    assert {name: kind.name for name, kind in OPERATIONS.items()} == {n: n for n in OPERATIONS}
    assert {kind.reply for kind in OPERATIONS.values()} == set(get_args(Reply))
    assert [name for name, kind in OPERATIONS.items() if not kind.is_question] == list(COMMANDS)


@operations
def test_an_operation_is_told_in_its_class(operation):
    """
    The class says the reply, as its `decide` does, and its docstring is its documentation.
    """
    assert get_type_hints(operation.decide)["return"] == Decision[operation.reply]
    assert operation.__doc__
    assert operation.takes_profile == issubclass(operation, PersonalCommand | PersonalQuestion)
    assert operation.is_question == issubclass(operation, Question | PersonalQuestion)


@operations
@some
@given(st.data())
def test_every_operation_has_inputs_a_reader_and_a_writer(operation, data):
    """
    A drawn input is read as the operation's command; a drawn reply is written.
    """
    read = read_input(operation.name, data.draw(strategies.inputs(operation.name)), INPUT_CONTEXT)

    assert type(read) is operation
    assert wire.write(data.draw(strategies.of(operation.reply)))
    assert isinstance(data.draw(strategies.of(operation)), operation)


@pytest.mark.parametrize("name", COMMANDS)
@some
@given(st.data())
def test_every_command_has_likely_inputs(name, data):
    """
    Histories draw inputs of every command that fit a merchant.
    """
    at = wire.read_timestamp("2026-07-06T09:00:00Z")
    merchant = holdback.Merchant.new(partner="acme", merchant_id="m-1", jurisdiction="GB")
    moment = Moment(engine=ENGINE, merchant=merchant, at=at)

    assert wire.read_command(name, data.draw(input_of(moment, name)), INPUT_CONTEXT)


def test_every_operation_is_public():
    """
    The command or question of each operation, its reply and every event can be imported.
    """
    public = {
        value
        for module in (holdback, events, operations_table)
        for value in (getattr(module, name) for name in module.__all__)
        if isinstance(value, type)
    }

    for operation in OPERATIONS.values():
        assert {operation, operation.reply} <= public, operation.name
    assert set(wire.EVENT_TYPES.values()) <= public


def lists_of_operations(tree):
    """Yield the line of every collection in *tree* with most of the commands, by name or class."""
    classes = {row.__name__ for row in OPERATIONS.values() if not row.is_question}
    exports = {
        id(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    }
    for node in ast.walk(tree):
        if id(node) in exports:
            continue  # `test_every_operation_is_public` holds that they are complete
        items = getattr(node, "elts", getattr(node, "keys", ()))
        named = {item.value for item in items if isinstance(item, ast.Constant)}
        named |= {getattr(item, "attr", getattr(item, "id", None)) for item in items}
        if (
            len(named & set(COMMANDS)) > len(COMMANDS) - 2
            or len(named & classes) > len(classes) - 2
        ):
            yield node.lineno


def test_there_is_no_second_list_of_commands():
    """
    Nothing else under `src` lists the commands, so a new one cannot be forgotten there.
    """
    lists = [
        f"{path.relative_to(SOURCE)}:{line}"
        for path in SOURCE.rglob("*.py")
        if path != TABLE
        for line in lists_of_operations(ast.parse(path.read_text(encoding="utf-8")))
    ]

    assert lists == []


def test_a_second_list_of_commands_would_be_seen():
    """
    By the commands' names, or by their classes.
    """
    names = ", ".join(map(repr, COMMANDS))
    classes = ", ".join(f"{OPERATIONS[name].__name__}: 1" for name in COMMANDS)

    assert list(lists_of_operations(ast.parse(f"({names})")))
    assert list(lists_of_operations(ast.parse(f"{{{classes}}}")))


def test_the_conformance_suite_asks_for_every_operation():
    """
    Each command, and the lookup, is asked for by an action of the suite's histories.
    """
    tree = ast.parse(
        (SOURCE / "testing/conformance/simulated/histories.py").read_text(encoding="utf-8")
    )
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}

    assert {*COMMANDS, "look_up"} <= texts | set(AGENTS)
