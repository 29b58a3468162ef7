"""The table of slips: what people write for a value, and what each reader says of it.

"what has two readings is refused with both named ... every hint names the right figure and never
repeats the wrong one"
"""

from __future__ import annotations

import json
import re
import tomllib
from datetime import date
from pathlib import Path
from types import SimpleNamespace

import narwhals.stable.v2 as nw
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from every_case import for_every
from holdback import Context, Engine, InvalidDocument, RuleError, load_jurisdictions
from holdback.cli.written_facts import read_facts, read_pairs
from holdback.errors import InvalidValue, readings_of
from holdback.exact import written_numbers
from holdback.exact.exact_numbers import digits
from holdback.exact.money import MINOR_UNITS, Currency, Money
from holdback.jurisdictions.quantity import read_quantity
from holdback.jurisdictions.toml import Node
from holdback.jurisdictions.toml.document import read_document
from holdback.merchant.merchant import Merchant
from holdback.merchant.profile import Profile
from holdback.offers.calculator import Percent, Ratio
from holdback.offers.registry import converter_of
from holdback.portfolio import findings, sample
from holdback.portfolio.files.cells import text_columns, with_plain_values
from holdback.portfolio.reading.column_mapping import ColumnMapping
from holdback.portfolio.reading.single_values import GIVEN, NUMBER, read_column, read_values
from holdback.rules import Catalogue, Fact, Kind, Parameter, Type, check, parse
from holdback.rules.values import is_bare_number
from holdback.tools.advice.pace import read_pace
from holdback.tools.proposals import read_parameters
from holdback.wire import read_command, read_json, read_timestamp
from holdback.wire.strict_json import is_number
from input_contexts import input_context

TABLE = tomllib.loads(Path(__file__).with_name("slips.toml").read_text("utf-8"))
ROWS = [
    (hand, wrote, of, tuple(means), frozenset(words))
    for hand, wrote, of, means, *words in TABLE["rows"]
]
WORDS = [tuple(row) for row in TABLE["words"]]
HANDS_OF_THE_TABLE = ("no", "de", "fr", "in", "us")
NAMES = ("hand", "wrote", "of", "means", "words")
BARE = (Kind.COUNT, Kind.FLAG)


def type_of(of):
    kind, _, code = of.partition(" ")
    return Type(Kind(kind), Currency.of(code) if code else None)


def fact_of(type_):
    low, high = (1, 3_000_000) if type_.kind is Kind.DATE else (-(2**62), 2**62)
    return Fact(name="value", type=type_, low=low, high=high)


def catalogue_of(type_):
    currency = type_.currency or Currency.of("EUR")
    return Catalogue(facts=(fact_of(type_),), currency=currency)


def quoted(type_, means):
    """The *means* as a file or JSON has them."""
    return means if type_.kind in BARE else tuple(f'"{each}"' for each in means)


def named(hint):
    """What *hint* says to write."""
    return tuple(re.findall("`([^`]*)`", hint or ""))


def test_the_table_is_large_and_of_many_hands():
    """At least 120 slips, "each in Norwegian, German, French, Indian and US hands"."""
    assert len(ROWS) >= 120
    assert len({row[:3] for row in ROWS}) == len(ROWS)
    for hand in HANDS_OF_THE_TABLE:
        assert sum(row[0] == hand for row in ROWS) >= 15
        assert sum(row[0] == hand for row in WORDS) >= 3


@for_every(NAMES, ROWS, ids=[f"{row[1]} ({row[2]})" for row in ROWS])
def test_a_fact(hand, wrote, of, means, words):
    """A fact is refused, with exactly its meanings, each of which is read as another number."""
    type_ = type_of(of)
    with pytest.raises(InvalidValue) as caught:
        fact_of(type_).read(wrote)

    assert caught.value.readings == quoted(type_, means)
    numbers = {read_reading(type_, each) for each in means}
    assert len(numbers) == len(means)
    with pytest.raises(InvalidDocument) as refused:
        catalogue_of(type_).prepare({"value": wrote})
    if type_.kind in (Kind.MONEY, Kind.PERCENT):
        assert all(each not in str(refused.value) for each in (wrote, *means) if len(each) > 4)


def read_reading(type_, reading):
    if type_.kind is Kind.COUNT:
        return type_.read(int(reading))
    return type_.read(reading == "true" if type_.kind is Kind.FLAG else reading)


@for_every(NAMES, [row for row in ROWS if row[2].startswith("money")])
def test_money_of_the_service(hand, wrote, of, means, words):
    """`Money.parse` reads a slip as nothing, unless it is money of another currency."""
    currency = type_of(of).currency
    try:
        amount, found = Money.parse(wrote), ()
    except ValueError as error:
        amount, found = None, readings_of(error)

    assert amount is None or amount.currency != currency
    assert set(found) <= {f'"{each}"' for each in bare(means, currency)}


def bare(means, currency):
    """Amounts as `Money` names them, without the zeros that the slip does not have."""
    places = currency.places
    return {
        f"{each[:4]}{digits(Money.parse(each).minor, places, least)}"
        for each in means
        for least in range(places + 1)
    }


@for_every(NAMES, ROWS, ids=[f"{row[1]} ({row[2]})" for row in ROWS])
def test_a_literal_of_the_language(hand, wrote, of, means, words):
    """A literal is refused, with its meanings where the unit says what they are."""
    type_ = type_of(of)
    if "literal apart" in words:
        return
    with pytest.raises(RuleError) as caught:
        check(parse(f"value == {wrote}"), catalogue_of(type_))
    hint = caught.value.hint

    assert wrote not in named(hint)
    if "no literal" not in words and means:
        assert set(named(hint)) == set(means), hint
        for each in means:
            if type_.kind is not Kind.RATIO:  # `5` is a count of the language
                check(parse(f"value == {each}"), catalogue_of(type_))


@for_every(NAMES, ROWS, ids=[f"{row[1]} ({row[2]})" for row in ROWS])
def test_a_value_in_a_file(hand, wrote, of, means, words):
    """A value of a file, in quotes, is refused with its meanings."""
    type_ = type_of(of)
    error = error_in_file(f'"{wrote}"', type_)

    # A day and a flag are without quotes in a file.
    expected = means if type_.kind is Kind.DATE else quoted(type_, means)
    assert named(error.hint) == expected
    for each in expected:
        assert error_in_file(each, type_) is None


@for_every(NAMES, ROWS, ids=[f"{row[1]} ({row[2]})" for row in ROWS])
def test_a_value_in_a_file_without_quotes(hand, wrote, of, means, words):
    """Without quotes, too, nothing is read in silence and no hint repeats the slip."""
    error = error_in_file(wrote, type_of(of))

    assert error is not None
    assert wrote not in named(error.hint)


def error_in_file(value, type_):
    """The first error in a file with *value*, read as *type_*; None without any."""
    errors = []
    read = read_document("file.toml", f"value = {value}\n".encode(), errors)
    if read is not None:
        document, values = read
        read_quantity(Node(document, ("value",), values["value"]), type_)
    return errors[0] if errors else None


@for_every(NAMES, [row for row in ROWS if row[2].split()[0] in ("percent", "ratio", "money")])
def test_a_setting_of_a_calculator(hand, wrote, of, means, words):
    """A setting of a calculator is refused with its meanings."""
    type_ = type_of(of)
    kind = {Kind.PERCENT: Percent, Kind.RATIO: Ratio, Kind.MONEY: Money}[type_.kind]
    with pytest.raises(InvalidValue) as caught:
        converter_of(catalogue_of(type_), None).structure(wrote, kind)

    assert readings_of(caught.value) == quoted(type_, means)


@for_every(NAMES, ROWS, ids=[f"{row[1]} ({row[2]})" for row in ROWS])
def test_a_proposal(hand, wrote, of, means, words):
    """A parameter of a proposal is refused with its meanings."""
    type_ = type_of(of)
    parameter = Parameter(
        name="least", type=type_, number=700_000 if type_.kind is Kind.DATE else 1
    )
    catalogue = catalogue_of(type_).with_parameters({"least": parameter})
    rule = "value == least" if type_.kind is not Kind.FLAG else "value and least"
    reading = SimpleNamespace(checked=check(parse(rule), catalogue))
    _, (error,) = read_parameters({"least": parameter}, [reading], {"least": wrote})

    if means:
        assert named(error.hint) == quoted(type_, means)
    else:
        assert wrote not in named(error.hint)


@for_every(NAMES, [row for row in ROWS if row[2].split()[0] in ("percent", "money")])
def test_a_pace(hand, wrote, of, means, words):
    """A pace is refused; its hint has the meanings."""
    type_ = type_of(of)
    currency = type_.currency or Currency.of("EUR")
    with pytest.raises(InvalidDocument) as caught:
        read_pace(wrote, currency)
    hint = caught.value.errors[0].hint

    assert wrote not in named(hint)
    if means:
        assert set(means) <= set(named(hint))


# -- what a partner or a host sends as JSON


def body_of(amount):
    return f'{{"takings": [{{"on": "2026-07-01", "amount": {amount}}}]}}'


def sent(amount, currency):
    """The amount of a day of takings in a body of JSON."""
    return (
        read_command("record_takings", body_of(amount), input_context(currency)).takings[0].amount
    )


@for_every(NAMES, [row for row in ROWS if row[2].startswith("money")])
def test_an_amount_in_a_body(hand, wrote, of, means, words):
    """
    A text is refused with the form that is expected, and without what it may mean.

    It is an amount, which may be personal, and its reader need not be its author.
    """
    currency = type_of(of).currency
    with pytest.raises(InvalidDocument) as caught:
        sent(json.dumps(wrote), currency.code)
    (error,) = caught.value.errors

    form = f"such as `{'12.50' if currency.places == 2 else '12'}"
    assert error.path == "$.takings[0].amount"
    assert form in error.message or "decimals" in error.message
    if len(means) > 1 and wrote.replace(".", "").isdigit():
        assert error.message.endswith("the point in it may be before decimals or between thousands")
    shown = str(error)
    assert all(each not in shown for each in (wrote, *means))
    for each in means:
        assert sent(json.dumps(each), currency.code) == Money.parse(each)


@for_every(
    ("amount", "code", "minor"),
    [
        ("1e3", "EUR", 100_000),
        ("0.1", "EUR", 10),
        ("10.000", "EUR", 1_000),
        ("1E+2", "JPY", 100),
        ('"10.00"', "EUR", 1_000),
        ('"10"', "EUR", 1_000),
        ('"EUR 500"', "EUR", 50_000),
        ('"10.000"', "KWD", 10_000),
        ("0.001", "EUR", None),
        ("0.1", "JPY", None),
        ("1e-3", "EUR", None),
        ("10,5", "EUR", None),
        ('"EUR 500"', "NOK", None),
        ('"1e3"', "EUR", None),
        ('"10.000"', "EUR", None),
        ('"1,000.00"', "EUR", None),
    ],
)
def test_numbers_of_json_are_exact(amount, code, minor):
    """A number of JSON has one reading, is kept exactly, and is refused where it cannot be."""
    if minor is None:
        with pytest.raises(InvalidDocument):
            sent(amount, code)
    else:
        assert sent(amount, code) == Money(minor, Currency.of(code))


def test_floats_are_refused():
    """A body that another parser has read has lost the digits of its floats."""
    for amount in (0.1, 1e3, float("nan")):
        body = {"takings": [{"on": "2026-07-01", "amount": amount}]}
        with pytest.raises(InvalidDocument) as caught:
            read_command("record_takings", body, input_context("EUR"))
        assert caught.value.errors[0].code == "not_exact"


SLIPS_IN_EVIDENCE = [
    ("average_monthly_takings", '"10.000"', "an amount such as `GBP 250.00`"),
    ("average_monthly_takings", '"10,000"', "an amount such as `GBP 250.00`"),
    ("average_monthly_takings", '"1,000.00"', "an amount such as `GBP 1200.00`"),
    ("average_monthly_takings", '"EUR 500"', "an amount in GBP"),
    ("average_monthly_takings", "0.001", "at most 2 decimals"),
    ("months_trading", '"9 months"', "a whole number"),
    ("months_trading", '"1.000"', "a number such as"),
    ("months_trading", "9.0", "a whole number"),
    ("credit_score", '"640"', "a whole number"),
    ("identity_verified", '"ja"', "true or false"),
    ("identity_verified", "1", "true or false"),
]


@for_every(("name", "wrote", "expected"), SLIPS_IN_EVIDENCE)
def test_results_of_checks_in_a_body(name, wrote, expected):
    """`record_evidence` with a body of JSON: refused, with the form, without the value."""
    engine = Engine.for_trial()
    at = read_timestamp("2026-12-01T09:00:00Z")
    context = Context(at=at, request_id="r-1")
    merchant = Merchant.new(partner="acme", merchant_id="m-1", jurisdiction="GB")
    checks = engine.jurisdictions.resolve("GB", on=date(2026, 12, 1)).checks
    check_name = next(terms.name for terms in checks.values() if name in terms.facts)
    body = (
        f'{{"records": [{{"check": "{check_name}", "made_at": "2026-12-01T08:00:00Z", "facts": '
        f'{{"{name}": {wrote}}}}}], "applicants": [{{"name": "A. Person"}}], '
        '"company": {"name": "Nine Lives Ltd"}}'
    )
    operation = read_command("record_evidence", body, engine.input_context(merchant, context))
    profile = Profile.new(salt=bytes(range(16)))
    with pytest.raises(InvalidDocument) as caught:
        engine.carry_out(merchant, operation, context, profile=profile)
    (error,) = caught.value.errors

    assert error.path == f"$.records[0].facts.{name}"
    assert expected in error.message
    assert error.hint is None
    assert wrote.strip('"') not in str(error) or len(wrote) < 5


# -- what a person writes for one deal: a facts file, `--fact`, the evidence of a scenario


def refused_facts(type_, tree, path="$"):
    """The one error in *tree*, facts by name as a person wrote them."""
    with pytest.raises(InvalidDocument) as caught:
        read_facts(tree, catalogue_of(type_), path=path)
    (error,) = caught.value.errors
    assert error.path == f"{path}.value"
    return error


@for_every(NAMES, ROWS, ids=[f"{row[1]} ({row[2]})" for row in ROWS])
def test_a_facts_file(hand, wrote, of, means, words):
    """A text is refused with its meanings; each, put in its place, is read as what was meant."""
    type_ = type_of(of)
    error = refused_facts(type_, {"value": wrote}, "$.evidence")

    assert named(error.hint) == quoted(type_, means)
    for each in named(error.hint):
        assert read_facts(read_json(f'{{"value": {each}}}'), catalogue_of(type_))


@for_every(NAMES, [row for row in ROWS if is_number(row[1])])
def test_a_facts_file_without_quotes(hand, wrote, of, means, words):
    """A number that JSON reads, such as 0.64 of a percentage, is refused with its meanings."""
    type_ = type_of(of)
    error = refused_facts(type_, read_json(f'{{"value": {wrote}}}'))

    assert named(error.hint) == quoted(type_, means)


@for_every(NAMES, ROWS, ids=[f"{row[1]} ({row[2]})" for row in ROWS])
def test_a_fact_on_the_command_line(hand, wrote, of, means, words, capsys):
    """A text with one meaning is read, and said; any other is refused with its meanings."""
    type_ = type_of(of)
    tree = read_pairs([f"value={wrote}"], catalogue_of(type_))
    said = capsys.readouterr().err

    if len(means) == 1:
        assert said == f"value is read as {means[0]}\n"
        assert tree == {"value": plain_of(type_, means[0])}
        assert read_facts(tree, catalogue_of(type_)) == tree
    else:
        assert not said
        assert named(refused_facts(type_, tree).hint) == quoted(type_, means)


def plain_of(type_, reading):
    if type_.kind is Kind.FLAG:
        return reading == "true"
    return int(reading) if type_.kind is Kind.COUNT else reading


@for_every(("hand", "wrote", "of", "meant"), WORDS)
def test_a_word(hand, wrote, of, meant):
    """A word that no rule can know is an error with "did you mean", never silently unknown."""
    catalogue = load_jurisdictions().resolve("GB", on=date(2026, 7, 1)).catalogue
    for tree in ({of: wrote}, read_pairs([f"{of}={wrote}"], catalogue)):
        with pytest.raises(InvalidDocument) as caught:
            read_facts(tree, catalogue)
        (error,) = caught.value.errors
        assert error.path == f"$.{of}"
        assert named(error.hint) == ((meant,) if meant else ())
        assert error.message.startswith("expected one of `")

    with pytest.raises(RuleError) as in_a_rule:
        check(parse(f'{of} == "{wrote}"'), catalogue)
    assert wrote not in named(in_a_rule.value.hint)
    if meant:
        assert meant in in_a_rule.value.hint


def test_a_hint_is_in_the_range_of_the_fact():
    """A hint never names a value that is refused in its turn."""
    fact = Fact(name="value", type=Type(Kind.PERCENT), low=0, high=100 * 10**4)
    catalogue = Catalogue(facts=(fact,), currency=Currency.of("EUR"))
    for wrote, hint in (("1,234", 'write `"1.234%"`'), ("164 %", None)):
        with pytest.raises(InvalidDocument) as caught:
            read_facts({"value": wrote}, catalogue)
        assert caught.value.errors[0].hint == hint


@for_every("of", sorted({row[2] for row in ROWS}))
def test_a_column_of_texts(of):
    """
    A frame of texts reads a slip as an invalid value, never as a number.

    Only whether percentages without their sign are fractions is asked of the whole column.
    """
    fact = fact_of(type_of(of))
    wrote = [row[1] for row in ROWS if row[2] == of]
    if fact.type.kind is Kind.PERCENT:
        of_the_column = [text for text in wrote if is_bare_number(text)]
        assert of_the_column
        assert all(number is not None for number, _ in read_values(of_the_column, fact))
        wrote = [text for text in wrote if text not in of_the_column]
    column = nw.from_native(pl.Series("value", wrote, pl.String), series_only=True)
    read = read_column(column, fact)

    assert read_values(wrote, fact) == [(None, True)] * len(wrote)
    assert read[NUMBER].to_list() == [None] * len(wrote)
    assert read[GIVEN].all()


# -- what the service writes itself is read


@given(st.sampled_from(sorted(MINOR_UNITS)), st.integers(-(10**17), 10**17))
def test_own_amounts_are_read(code, minor):
    """An amount as `Money` and a decision write it is read in every currency."""
    currency = Currency.of(code)
    type_ = Type(Kind.MONEY, currency)
    amount = Money(minor, currency)

    assert Money.parse(str(amount)) == amount
    assert type_.read(str(amount)) == type_.read(type_.plain(minor)) == minor
    assert minor < 0 or check(parse(f"value < {amount}"), catalogue_of(type_))


@given(st.sampled_from((Kind.PERCENT, Kind.RATIO, Kind.DAYS, Kind.DATE)), st.integers(1, 10**6 * 2))
def test_own_values_are_read(kind, number):
    """A value as a decision shows it is read."""
    type_ = Type(kind)

    assert type_.read(type_.show(number)) == number


# -- files of deals


@for_every(NAMES, ROWS, ids=[f"{row[1]} ({row[2]})" for row in ROWS])
def test_a_cell_of_a_file_of_deals(hand, wrote, of, means, words):
    """A cell is read as its one meaning, or is invalid; a mapping says how numbers are written."""
    fact = fact_of(type_of(of))
    frame = pl.DataFrame({"value": [wrote]})
    cells = with_plain_values(frame, text_columns([fact], ColumnMapping(), None))["value"]
    ((number, was_given),) = read_values(cells.to_list(), fact)

    assert was_given
    if number is None:
        return
    readings_of_it = {read_reading(fact.type, each) for each in means}
    assert number in readings_of_it
    # Whether percentages without their sign are fractions is asked of the column.
    assert readings_of_it == {number} or (fact.type.kind is Kind.PERCENT and is_number(wrote))


@for_every(("hand", "wrote", "of", "meant"), WORDS)
def test_a_word_in_a_file_of_deals(hand, wrote, of, meant):
    """A word that is not declared is a warning with "did you mean", and not only unknown."""
    frame = sample(1, 11, backend="polars").with_columns(pl.lit(wrote).alias(of))
    found = findings(frame, load_jurisdictions())
    (finding,) = [row for row in found if row.column == of]

    assert finding.severity == "warning"
    assert named(finding.cure) == ((meant,) if meant else ())


# -- what each hint says, put in the place of the slip


READERS = {
    "fact": lambda row: True,
    "literal": lambda row: not row[4],
    "file": lambda row: True,
    "setting": lambda row: row[2].split()[0] in ("percent", "ratio", "money"),
    "facts file": lambda row: True,
    "command line": lambda row: True,
    "proposal": lambda row: True,
    "pace": lambda row: row[2].split()[0] in ("percent", "money"),
    "body": lambda row: row[2].startswith("money"),
    "file of deals": lambda row: True,
}


def test_every_reader_has_rows_of_every_hand():
    """ "files, facts, evidence, command line, portfolios, each in ... hands" """
    for reader, has in READERS.items():
        for hand in HANDS_OF_THE_TABLE:
            assert sum(row[0] == hand and has(row) for row in ROWS) >= 5, (reader, hand)


def value_in(reader, type_, text):
    """What *reader* makes of *text*, a value as the hint of the reader writes it."""
    fact, catalogue = fact_of(type_), catalogue_of(type_)
    match reader:
        case "facts file":
            return fact.read(read_facts(read_json(f'{{"value": {text}}}'), catalogue)["value"])
        case "command line":
            tree = read_pairs([f"value={plain_text(text)}"], catalogue)
            return fact.read(read_facts(tree, catalogue)["value"])
        case "file":
            errors = []
            document, values = read_document("f.toml", f"value = {text}\n".encode(), errors)
            number = read_quantity(Node(document, ("value",), values["value"]), type_)
            assert not errors
            return number
        case "setting":
            kind = {Kind.PERCENT: Percent, Kind.RATIO: Ratio, Kind.MONEY: Money}[type_.kind]
            value = converter_of(catalogue, None).structure(json.loads(text), kind)
            return value.minor if type_.kind is Kind.MONEY else type_.read(value)
    raise AssertionError(reader)


def plain_text(hint):
    return hint.strip('"')


@for_every("reader", ["facts file", "command line", "file", "setting"])
def test_a_hint_put_in_the_place_of_the_slip_is_what_was_meant(reader):
    """ "every hint names the right figure and never repeats the wrong one" """
    tried = 0
    for _, wrote, of, means, _ in filter(READERS[reader], ROWS):
        type_ = type_of(of)
        with pytest.raises(InvalidValue) as caught:
            fact_of(type_).read(wrote)
        hints = caught.value.readings
        if reader == "file" and type_.kind is Kind.DATE:
            hints = tuple(map(plain_text, hints))
        assert wrote not in map(plain_text, hints)
        meant = [read_reading(type_, each) for each in means]
        assert [value_in(reader, type_, hint) for hint in hints] == meant
        tried += len(hints)
    assert tried >= 60


HANDS = {
    "no": (" ", ","), "no\u00a0": ("\u00a0", ","), "de": (".", ","), "fr": ("\u202f", ","),
    "ch": ("'", "."), "us": (",", "."), "plain": ("", "."), "plain comma": ("", ","),
}  # fmt: skip


def in_hand(minor, places, hand):
    between, mark = HANDS[hand]
    text = digits(minor, places)
    whole, point, decimals = text.partition(".")
    return f"{int(whole):,}".replace(",", between) + (mark if point else "") + decimals


@given(
    st.sampled_from(("NOK", "JPY", "KWD")), st.integers(0, 10**12), st.sampled_from(sorted(HANDS))
)
def test_no_amount_of_any_hand_is_read_as_another(code, minor, hand):
    """A number is read as what was meant, or refused, and its readings have what was meant."""
    currency = Currency.of(code)
    type_ = Type(Kind.MONEY, currency)
    text = in_hand(minor, currency.places, hand)
    try:
        found = {type_.read(text)}
    except InvalidValue as error:
        found = {type_.read(reading.strip('"')) for reading in error.readings}
    else:
        assert found == {minor}

    assert minor in found


def without_comma(text, places, between=written_numbers.ANY):
    return readings(text.replace(",", ""), places, between)


def first_alone(text, places, between=written_numbers.ANY):
    return readings(text, places, between)[:1]


def any_places(text, places, between=written_numbers.ANY):
    return readings(text, None, between)


def no_lakh(text, places, between=written_numbers.ANY):
    return () if re.search("[0-9],[0-9]{2},", text) else readings(text, places, between)


def no_spaces(text, places, between=written_numbers.ANY):
    return readings(text, places, between.replace(" ", ""))


def with_separators(text, places, between=written_numbers.ANY):
    return (text, *readings(text, places, between))


readings = written_numbers.readings


@for_every("error", [without_comma, first_alone, any_places, no_lakh, no_spaces, with_separators])
def test_the_table_catches_a_fault(error):
    """An error in the one reader is noticed by the table."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("holdback.rules.written.readings", error)
        with pytest.raises(pytest.fail.Exception):
            test_a_fact()
