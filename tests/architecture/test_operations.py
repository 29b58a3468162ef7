"""The table of operations is the only list of them; what a command needs is derived from it."""

from __future__ import annotations

import ast
import inspect
import typing
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import holdback
from holdback import Context, Engine, wire
from holdback.carry_out import CarryOut
from holdback.lifecycle import commands, events
from holdback.lifecycle import operations as operations_table
from holdback.lifecycle.commands import Command, Question
from holdback.lifecycle.decision import Decision
from holdback.lifecycle.operations import COMMANDS, OPERATIONS, Reply, operation_of
from holdback.testing import strategies
from holdback.testing.conformance.simulated.agent_operations import AGENTS
from holdback.testing.strategies.likely_inputs import input_of
from holdback.testing.strategies.moment import Moment
from holdback.wire.commands import read_input
from situations import situation

SOURCE = Path(holdback.__file__).parent
TABLE = SOURCE / "lifecycle" / "operations.py"
SITUATION = situation()
ENGINE = Engine.for_trial()

operations = pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
some = settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))


def test_every_command_and_question_is_an_operation():
    """
    The unions of commands, questions and replies have the same members as the table.
    """
    rows = OPERATIONS.values()

    assert {row.input for row in rows} == {*get_args(Command), *get_args(Question)}
    assert {row.reply for row in rows} == set(get_args(Reply))
    assert [name for name, row in OPERATIONS.items() if not row.is_question] == list(COMMANDS)


@operations
def test_the_reply_is_what_the_handler_returns(operation):
    """
    The reply of a row is that of its handler, whose arguments come in the one order.
    """
    hints = get_type_hints(operation.handler)

    assert hints["return"] == Decision[operation.reply]
    assert next(iter(hints)) == "merchant"
    assert list(hints.values())[2] is Context


@operations
def test_the_engine_has_a_method_for_every_operation(operation):
    """
    Each operation has a method: the merchant first, then what is asked, then the context. Who did
    it, and the profile, follow by name.
    """
    method = getattr(Engine, operation.name)
    required = {
        parameter.name: parameter.kind is parameter.KEYWORD_ONLY
        for parameter in inspect.signature(method).parameters.values()
        if parameter.default is parameter.empty
    }
    by_place = [name for name, is_by_name in required.items() if not is_by_name]

    assert by_place[:2] == ["self", "merchant"]
    assert by_place[-1] == "context"
    assert ("profile" in required) == operation.takes_profile
    assert required.keys() - by_place <= {"profile", "by"}
    assert get_type_hints(method)["return"] == holdback.Outcome[operation.reply]


@operations
def test_carry_out_is_typed_for_every_command(operation):
    """
    "Overloads of `carry_out`": each command gives its own reply type, and a profile is required by
    the type where the operation takes it (decisions/values#types).
    """
    overloads = typing.get_overloads(CarryOut.carry_out)
    hints = [get_type_hints(overload) for overload in overloads]
    own = [
        (hint["return"], type(None) not in get_args(hint["profile"]))
        for hint in hints[:-1]
        if operation.input in (get_args(hint["command"]) or (hint["command"],))
    ]

    assert own == [(holdback.Outcome[operation.reply], operation.takes_profile)]
    assert hints[-1]["command"] == Command | Question
    assert hints[-1]["return"] == holdback.Outcome[Reply]


@operations
@some
@given(st.data())
def test_every_operation_has_inputs_a_reader_and_a_writer(operation, data):
    """
    A drawn input is read as the operation's command; a drawn reply is written.
    """
    read = read_input(operation.name, data.draw(strategies.inputs(operation.name)), SITUATION)

    assert operation_of(read) is operation
    assert wire.write(data.draw(strategies.of(operation.reply)))
    assert isinstance(data.draw(strategies.of(operation.input)), operation.input)


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

    assert wire.read_command(name, data.draw(input_of(moment, name)), SITUATION)


def test_every_operation_is_public():
    """
    The command or question of each operation, its reply and every event can be imported.
    """
    public = {
        value
        for module in (holdback, commands, events, operations_table)
        for value in (getattr(module, name) for name in module.__all__)
        if isinstance(value, type)
    }

    for operation in OPERATIONS.values():
        assert {operation.input, operation.reply} <= public, operation.name
    assert set(wire.EVENT_TYPES.values()) <= public


def lists_of_operations(tree):
    """Yield the line of every collection in *tree* with most of the commands, by name or class."""
    classes = {row.input.__name__ for row in OPERATIONS.values() if not row.is_question}
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
    classes = ", ".join(f"{OPERATIONS[name].input.__name__}: 1" for name in COMMANDS)

    assert list(lists_of_operations(ast.parse(f"({names})")))
    assert list(lists_of_operations(ast.parse(f"{{{classes}}}")))


def test_the_conformance_suite_asks_for_every_operation():
    """
    Each command, and the lookup, is asked for by an action of the suite's histories.
    """
    tree = ast.parse(
        (SOURCE / "testing/conformance/simulated/actions.py").read_text(encoding="utf-8")
    )
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}

    assert {*COMMANDS, "look_up"} <= texts | set(AGENTS)
