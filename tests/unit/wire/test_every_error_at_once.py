"""All errors of a document at once: of the reader of JSON, of the fields, of the engine."""

from __future__ import annotations

import json
from datetime import timedelta
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counts import count
from holdback import Deal, InvalidDocument, Money, wire
from input_contexts import NOW, input_context

DAY = NOW.date()
FUNDED_ON = DAY - timedelta(days=100)
ABSENT = object()

DEAL = Deal(
    id="d-1",
    application_id="a-1",
    type="Initial",
    funded_on=FUNDED_ON,
    funded_amount=Money.of(1000, "GBP"),
    repayment_amount=Money.of(1200, "GBP"),
    factor_rate=Decimal("1.2"),
    split_percentage=Decimal(10),
    term_length=Decimal(6),
    term_days=180,
    settled=Money.of(0, "GBP"),
)
INPUT_CONTEXT = input_context(deals=[DEAL])

# What can be wrong with a field: the JSON to write in its place, and the code of the error.
# LATER is another day after today for each item.
DAYS = [
    ('"2030-02-30"', "wrong_value"),
    ('"today"', "wrong_value"),
    ("20300101", "wrong_type"),
    ("NaN", "wrong_value"),
    ("null", "wrong_type"),
    ('"LATER"', "future_day"),
]
AMOUNTS = [
    ("-1", "out_of_range"),
    ("1.001", "not_exact"),
    ('"EUR 1.00"', "wrong_currency"),
    ("1e999999999", "too_large"),
    ("true", "wrong_type"),
    ('"\\ud800"', "malformed"),
]
IDS = [('""', "missing"), ("7", "wrong_type"), ('"a\\u0007b"', "wrong_value"), (ABSENT, "missing")]
ENTRY = {
    "id": IDS,
    "on": [*DAYS, (f'"{FUNDED_ON - timedelta(days=1)}"', "out_of_range"), (ABSENT, "missing")],
    "amount": [*AMOUNTS, (ABSENT, "missing")],
    "takings": [('"-0.001"', "not_exact"), ("Infinity", "wrong_value")],
    "settled": [('"yes"', "wrong_type"), ("1", "wrong_type")],
    "reverses": [("7", "wrong_type"), ('""', "missing")],
    "note": [("1", "unknown_field")],
}
TAKINGS = {
    "on": [*DAYS, (ABSENT, "missing")],
    "amount": [*AMOUNTS[1:], (ABSENT, "missing")],  # takings may be below zero
    "stated_at": [
        ('"2030-07-06"', "wrong_value"),
        (f'"{wire.write_timestamp(NOW.add(seconds=1))}"', "future_day"),
    ],
    "amuont": [("1", "unknown_field")],
}
WHOLE = {
    "complete_through": DAYS[:4] + DAYS[5:],
    "completethrough": [("1", "unknown_field")],
}


def valid_items(operation, number):
    """The fields of valid items, each with its JSON."""
    for place in range(number):
        fields = {"on": f'"{FUNDED_ON + timedelta(days=place)}"', "amount": f"{place + 1}.50"}
        yield fields if operation == "record_takings" else {"id": f'"e-{place}"', **fields}


def text_of(fields, twice=()):
    """An object as JSON text, in which the fields *twice* are repeated."""
    pairs = [(name, value) for name, value in fields.items() if value is not ABSENT]
    pairs += [(name, fields[name]) for name in twice]
    return f"{{{','.join(f'{json.dumps(name)}:{value}' for name, value in pairs)}}}"


@st.composite
def spoilt(draw):
    """An operation, its input with mistakes in it, and the path and the code of each of them."""
    operation, items, mistakes = draw(
        st.sampled_from(
            [("record_takings", "takings", TAKINGS), ("record_remittance", "entries", ENTRY)]
        )
    )
    whole = {"deal_id": '"d-1"'} if operation == "record_remittance" else {}
    expected, texts = set(), []

    def spoil(fields, mistakes, path, place=0):
        """Put mistakes into *fields*, and repeat some that are right."""
        later = str(DAY + timedelta(days=place + 1))
        names = draw(st.sets(st.sampled_from(sorted(mistakes)), max_size=3))
        for name in sorted(names):
            value, code = draw(st.sampled_from(mistakes[name]))
            fields[name] = value if value is ABSENT else value.replace("LATER", later)
            expected.add((f"{path}.{name}", code))
        right = sorted(fields.keys() - names)
        twice = draw(st.sets(st.sampled_from(right), max_size=1)) if right else ()
        expected.update((f"{path}.{name}", "duplicate") for name in twice)
        return twice

    for place, fields in enumerate(valid_items(operation, draw(st.integers(1, 4)))):
        twice = spoil(fields, mistakes, f"$.{items}[{place}]", place)
        texts.append(text_of(fields, twice))
    twice = spoil(whole, WHOLE, "$")
    whole[items] = f"[{','.join(texts)}]"
    return operation, text_of(whole, twice), expected


def errors_of(operation, text):
    """The errors of the reader; of the engine, if the reader has none."""
    try:
        command = wire.read_command(operation, text, INPUT_CONTEXT)
    except InvalidDocument as error:
        return error.errors
    return tuple(command.input_errors(command, INPUT_CONTEXT))


@settings(max_examples=count("documents with mistakes"), deadline=None)
@given(spoilt())
def test_every_mistake_in_a_document_is_reported(document):
    """
    All errors of a document are reported at once: what is not exact JSON, what a field does not
    take, and what the engine refuses (decisions/errors#all-at-once). Each is reported once.
    """
    operation, text, expected = document
    found = [(error.path, error.code) for error in errors_of(operation, text)]

    assert sorted(found) == sorted(expected)


def test_a_malformed_day_does_not_hide_a_future_day():
    """
    A document that cannot be read is checked as far as it can be read.
    """
    tomorrow = DAY + timedelta(days=1)
    days = [FUNDED_ON, "2030-02-30", tomorrow, FUNDED_ON]
    body = {"takings": [{"on": str(day), "amount": "1"} for day in days]}
    found = errors_of("record_takings", json.dumps(body))

    assert [(error.path, error.code) for error in found] == [
        ("$.takings[1].on", "wrong_value"),
        ("$.takings[2].on", "future_day"),
        ("$.takings[3].on", "duplicate"),
    ]


def test_the_errors_are_in_the_order_of_the_document():
    """
    `errors` holds all errors in the order of the document, of the reader and of the engine.
    """
    tomorrow = DAY + timedelta(days=1)
    entry = f'{{"id": "a", "on": "{tomorrow}", "amount": 1}}'
    wrong = '{"id": "b", "on": "2030-01-01", "amount": NaN}'
    text = (
        f'{{"complete_through": "{tomorrow}", "entries": [{entry}, {wrong}, {entry}],'
        ' "deal_id": 7, "more": 1}'
    )

    assert [error.path for error in errors_of("record_remittance", text)] == [
        "$.complete_through",
        "$.entries[0].on",
        "$.entries[1].amount",
        "$.entries[2].on",
        "$.deal_id",
        "$.more",
    ]


@pytest.mark.parametrize(
    ("kind", "code", "hint"),
    [
        ("remitance", "wrong_value", "did you mean `remittance`?"),
        ("toll", "wrong_value", None),
        ("fee", "not_allowed", "other movements have operations of their own"),
        ("refund", "not_allowed", "other movements have operations of their own"),
    ],
)
def test_a_kind_that_cannot_be_recorded_names_those_that_can(kind, code, hint):
    """
    Of the kinds of entries only those that an operation records are named, not all of a ledger.
    """
    entry = {"id": "e", "on": str(FUNDED_ON), "amount": "1", "kind": kind}
    (error,) = errors_of("record_remittance", json.dumps({"deal_id": "d-1", "entries": [entry]}))

    assert error.code == code
    assert error.message.startswith("expected `remittance` or `payment`")
    assert "discount" not in error.message
    assert (hint or "") in (error.hint or "")


REVERSALS = {
    "of nothing": ({"reverses": "x"}, "unknown_name"),
    "of another amount": ({"reverses": "e", "amount": "2"}, "contradiction"),
    "before its entry": ({"reverses": "e", "on": str(FUNDED_ON)}, "contradiction"),
    "of a reversal": ({"reverses": "r"}, "not_allowed"),
    "for the second time": ({"reverses": "f"}, "duplicate"),
}


@pytest.mark.parametrize("name", REVERSALS)
@pytest.mark.parametrize("malformed", [False, True])
def test_a_wrong_reversal_next_to_what_cannot_be_read(name, malformed):
    """
    Reversals are checked among the entries that could be read.
    """
    fields, code = REVERSALS[name]
    on = str(FUNDED_ON + timedelta(days=1))
    entries = [
        {"id": "e", "on": on, "amount": "1"},
        {"id": "f", "on": on, "amount": "1"},
        {"id": "r", "on": on, "amount": "1", "reverses": "f"},
        {"id": "n", "on": on, "amount": "1", **fields},
        {"id": "last", "on": "tomorrow" if malformed else on, "amount": "1"},
    ]
    found = errors_of("record_remittance", json.dumps({"deal_id": "d-1", "entries": entries}))
    expected = [("$.entries[3].reverses", code)]
    expected += [("$.entries[4].on", "wrong_value")] if malformed else []

    assert [(error.path, error.code) for error in found] == expected


def test_an_error_that_follows_from_another_is_left_out():
    """
    The entry that a reversal names may be the one whose id could not be read.
    """
    on = str(FUNDED_ON)
    entries = [
        {"id": 7, "on": on, "amount": "1"},
        {"id": "b", "on": on, "amount": "1", "reverses": "7"},
    ]
    found = errors_of("record_remittance", json.dumps({"deal_id": "d-1", "entries": entries}))

    assert [error.path for error in found] == ["$.entries[0].id"]


def test_what_can_be_read_is_not_checked_here():
    """
    The engine checks a command that can be read, after it has looked for an earlier answer to it.
    """
    tomorrow = str(DAY + timedelta(days=1))
    body = {"takings": [{"on": tomorrow, "amount": "1"}]}

    assert str(wire.read_command("record_takings", body, INPUT_CONTEXT).takings[0].on) == tomorrow
