"""Prices never change: the golden quotes, their independent computation and their guards."""

from __future__ import annotations

import ast
import json
import sys
from collections import Counter
from datetime import date
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest
from append_prices import (
    CORPUS,
    FOLDERS,
    PREFIXES,
    digest_of,
    errors,
    lines_of,
    new_lines,
    prefixes_of,
    versions_of,
)
from append_prices import main as append
from append_prices import quote as priced_independently
from exact_prices import PLACES, minor, setting

from holdback import Money, load_jurisdictions
from holdback.exact.exact_json import canonical
from holdback.exact.exact_numbers import (
    HUNDRED_PERCENT,
    ROUNDINGS,
    divide,
    plain,
    subtract,
    without_zeros,
)
from holdback.offers import days_to_repay
from holdback.offers.calculator import DAYS_A_YEAR, MONTHS_A_YEAR, PricingCase
from holdback.offers.quote import quote
from holdback.offers.registry import BUILT_IN, bind
from holdback.offers.shipped_calculators import ceil_to, floor_to
from own_rules import with_own_rules

LINES = lines_of()
LEAST = 2_000
JURISDICTIONS = {name: load_jurisdictions(path) for name, path in FOLDERS.items()}


@cache
def written():
    return [json.loads(line) for line in LINES]


@cache
def products_of(folder, code, on):
    """The rulebook of a day, and its products by key, ready to quote."""
    rulebook = JURISDICTIONS[folder].resolve(code, on=date.fromisoformat(on))
    return rulebook, {each.terms.key: each for each in bind(rulebook, BUILT_IN, "{}/{}".format)}


def quoted(line):
    """A line, which has been read, as the quote of today has it."""
    rulebook, products = products_of(line["folder"], line["jurisdiction"], line["on"])
    product, settlement = products[line["product"]], line["settlement"]
    case = PricingCase(
        facts=rulebook.catalogue.prepare(line["facts"]),
        catalogue=rulebook.catalogue,
        renewal=line["renewal"],
        currency=rulebook.currency,
        rounding=rulebook.rounding,
    )
    found = quote(product, case, str, None if settlement is None else Money.parse(settlement))
    answer = {
        "decision": found.decision,
        "limits": [str(found.limits.minimum), str(found.limits.maximum)],
        "codes": [reason.code for reason in found.reasons],
        "offers": [
            [
                str(offer.funded_amount),
                str(offer.repayment_amount),
                without_zeros(plain(offer.factor_rate)),
                without_zeros(plain(offer.split_percentage)),
                without_zeros(plain(offer.term_length)),
                offer.term_days,
            ]
            for offer in found.offers
        ],
    }
    return line | {name: value for name, value in answer.items() if name in line}


def is_current(line):
    """Whether what priced a line is present in the version that it had then."""
    rulebook, products = products_of(line["folder"], line["jurisdiction"], line["on"])
    return line["versions"] == versions_of(rulebook, products[line["product"]].terms)


def test_the_quotes_of_today_are_the_golden_ones():
    """
    Every price that was made is made again, to the minor unit, by the calculators of its versions.
    """
    current = [line for line in written() if is_current(line)]

    assert len(current) >= LEAST
    for line in current:
        assert quoted(line) == line


def test_the_independent_computation_gives_the_golden_ones():
    """
    Expected prices come from an exact computation with fractions, never from the code under test.
    """
    for line in LINES:
        assert priced_independently(line) == line


def test_the_computation_is_independent():
    """
    The computation with fractions imports nothing of holdback.
    """
    tree = ast.parse((Path(__file__).parent / "exact_prices.py").read_text("utf-8"))
    imported = {
        name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module] if isinstance(node, ast.ImportFrom) else [node.names[0].name])
    }

    assert imported == {
        "__future__", "datetime", "fractions", "functools", "itertools", "math", "tomllib"
    }  # fmt: skip


# -- what the quotes cover


def test_its_size():
    """
    There are at least 2,000 quotes, none of them twice, initial ones and renewals, over all
    calculators and all jurisdictions.
    """
    shipped = [line for line in written() if line["folder"] == "shipped"]

    assert len(set(LINES)) == len(LINES) >= LEAST
    assert {line["jurisdiction"] for line in shipped} >= set(
        with_own_rules(JURISDICTIONS["shipped"]).codes
    )
    # A discount for repaying early prices no offer.
    pricing = {name for name in BUILT_IN if not name.startswith("settlement/")}
    assert {name for line in written() for name in line["versions"]} == {"pricing", *pricing}
    kinds = Counter((line["renewal"], line["decision"]) for line in written())
    for renewal in (True, False):
        assert kinds[renewal, "Accepted"] >= 1_000
        assert kinds[renewal, "Declined"] >= 100
        assert kinds[renewal, "Referred"] >= 20


def test_every_reason_without_an_offer():
    """
    Each of the service's own reasons is there with quotes of its own, initial ones and renewals.
    """
    codes = Counter((line["renewal"], *line.get("codes", ())) for line in written())
    initial, renewals = ("LIMIT", "AFFORDABILITY", "REVIEW"), ("SETTLEMENT",)

    for renewal in (True, False):
        for code in (*initial, *renewals * renewal):
            assert codes[renewal, code] >= 2, (renewal, code)


@pytest.mark.parametrize("code", ["LIMIT", "SETTLEMENT", "AFFORDABILITY", "REVIEW"])
def test_another_reason_is_noticed(code):
    """
    Planted: a line with another code is neither what is quoted nor what is computed.
    """
    line = next(line for line in written() if line.get("codes") == [code])
    spoilt = line | {"codes": ["PERSON"]}

    assert quoted(spoilt) != spoilt
    assert priced_independently(canonical(spoilt)) != canonical(spoilt)


def test_every_shape_of_settings():
    """
    Every setting of every calculator is there, and is left out where it may be.
    """
    shapes = set()
    for line in written():
        _, products = products_of(line["folder"], line["jurisdiction"], line["on"])
        for choice in products[line["product"]].terms.calculators:
            shapes.add((choice.full_name, frozenset(choice.settings)))

    both = {"minimum", "maximum"}
    assert shapes >= {
        ("limits/fixed", frozenset(both)),
        ("limits/fixed", frozenset({*both, "step"})),
        ("limits/takings_multiple", frozenset({*both, "multiple"})),
        ("limits/takings_multiple", frozenset({*both, "multiple", "step"})),
        ("split_percentage/chosen", frozenset({"choices"})),
        ("split_percentage/affordability", frozenset({"choices", "longest_term_months"})),
        ("factor_rate/flat", frozenset({"rate"})),
        ("factor_rate/flat", frozenset({"rate", "renewal_discount"})),
        ("factor_rate/banded", frozenset({"on", "bands"})),
        ("factor_rate/banded", frozenset({"on", "bands", "renewal_discount"})),
        ("term/takings_pace", frozenset()),
        ("term/fixed", frozenset({"months"})),
        ("term/chosen", frozenset({"months"})),
    }


def test_rates_by_term():
    """
    Rates by the term that the merchant chooses: several in one quote, and terms that are left out.
    """
    kinds = Counter()
    for line in written():
        if "term/chosen" in line["versions"]:
            _, products = products_of(line["folder"], line["jurisdiction"], line["on"])
            terms = products[line["product"]].terms
            by_term = {(offer[4], offer[2]) for offer in line["offers"]}
            kinds["rates"] += len({rate for _, rate in by_term}) > 1
            kinds["all terms"] += len(by_term) == len(terms.term.settings["months"])
            kinds["fewer terms"] += 0 < len(by_term) < len(terms.term.settings["months"])

    assert all(kinds[name] >= 20 for name in ("rates", "all terms", "fewer terms")), kinds


def offers():
    """Every offer with its line."""
    return [(line, offer) for line in written() for offer in line["offers"]]


def test_amounts_at_the_limits_and_beside_them():
    """
    Offers at the minimum and at the maximum, of the product and of the merchant, and one minor unit
    beside a bound.
    """
    at_least = sum(offer[0] == line["limits"][0] for line, offer in offers())
    at_most = sum(offer[0] == line["limits"][1] for line, offer in offers())
    above_the_settlement = sum(
        units(line, offer[0]) == units(line, line["settlement"]) + 1
        for line, offer in offers()
        if line["settlement"] is not None
    )

    assert at_least >= 100
    assert at_most >= 1_000
    assert above_the_settlement >= 50
    assert sum(
        line["limits"][0] == line["limits"][1] and bool(line["offers"]) for line in written()
    )
    assert sum(offer[2] == "1" for _, offer in offers()) >= 20, "a discount takes a rate to 1"


def units(line, text):
    currency = setting(FOLDERS[line["folder"]], line["jurisdiction"], "currency")
    return minor(text, PLACES[currency])


def test_halves_are_rounded_in_every_mode():
    """
    In every rounding mode there are repayments that lie exactly between two minor units, and some
    above and below; in currencies with 0, 2 and 3 decimals.
    """
    parts = {mode: Counter() for mode in ROUNDINGS}
    places = set()
    for line, offer in offers():
        folder, code = FOLDERS[line["folder"]], line["jurisdiction"]
        part = units(line, offer[0]) * Fraction(offer[2]) % 1
        side = "none" if part == 0 else "half" if part == Fraction(1, 2) else part < Fraction(1, 2)
        parts[setting(folder, code, "rounding")][side] += 1
        places.add(PLACES[setting(folder, code, "currency")])

    assert places == {0, 2, 3}
    for mode, sides in parts.items():
        assert {*sides} == {"none", "half", True, False}, mode
        assert sides["half"] >= 5, mode


def test_the_bounds_of_bands():
    """
    Facts at, below and above the bounds of bands, and unknown ones.
    """
    beside = Counter()
    for line in written():
        _, products = products_of(line["folder"], line["jurisdiction"], line["on"])
        choice = products[line["product"]].terms.factor_rate
        if choice.name == "banded" and choice.settings["on"] != "term_months":
            name = choice.settings["on"]
            rulebook, _ = products_of(line["folder"], line["jurisdiction"], line["on"])
            fact = rulebook.catalogue.fact(name)
            number = fact.read(line["facts"].get(name))
            bounds = [fact.read(b["up_to"]) for b in choice.settings["bands"] if "up_to" in b]
            beside["unknown"] += number is None
            for unit in (-1, 0, 1):
                beside[unit] += number is not None and number - unit in bounds

    assert min(beside.values()) >= 50, beside


# -- append-only


def test_nothing_that_was_written_has_changed():
    """
    Lines are only appended: every prefix of the corpus has the SHA-256 that it had when its last
    lines were added.
    """
    prefixes = prefixes_of()
    counts = [count for count, _ in prefixes]

    assert counts == sorted(set(counts))
    assert counts[-1] == len(LINES)
    for count, digest in prefixes:
        assert digest_of(LINES[:count]) == digest


def test_there_is_nothing_to_add():
    """
    Every product of every slice is priced: `append_prices.py` would add nothing.
    """
    assert list(errors(LINES, prefixes_of())) == []
    assert next(new_lines(LINES), None) is None


def write(folder, lines):
    """A corpus of *lines* in *folder*, and the one line of its prefixes."""
    (folder / CORPUS).write_bytes(b"".join(line + b"\n" for line in lines))
    (folder / PREFIXES).write_text(f"{len(lines)} {digest_of(lines)}\n")


def test_what_is_new_is_appended(tmp_path):
    """
    Lines for a product that none is about come after the existing ones, which stay unchanged.
    """
    known = [line for line in LINES if b'"product":"dear"' not in line]
    write(tmp_path, known)

    assert append(tmp_path) == 0
    lines = lines_of(tmp_path)
    assert lines[: len(known)] == known
    assert {*lines} == {*LINES}
    assert append(tmp_path) == 0
    assert lines_of(tmp_path) == lines


@pytest.mark.parametrize("place", [0, 1, -1])
def test_a_changed_line_is_noticed(place, tmp_path, capsys):
    """
    Planted: a line was edited, or is missing, or two have changed places; nothing is added then.
    """
    edited = [*LINES]
    edited[place] = canonical(json.loads(LINES[place]) | {"decision": "Referred", "offers": []})
    missing, swapped = [*LINES], [*LINES]
    del missing[place]
    swapped[place], swapped[2] = swapped[2], swapped[place]

    assert edited[place] != LINES[place]
    for lines in (edited, missing, swapped):
        assert any("first" in m or "prefixes" in m for m in errors(lines, prefixes_of()))
    write(tmp_path, edited)
    assert append(tmp_path) == 1
    assert lines_of(tmp_path) == edited
    assert "no longer holds" in capsys.readouterr().out


# -- planted


def one_more(function, unit=1):
    """*function* with its whole result changed by *unit*."""
    return lambda *arguments: function(*arguments) + unit


def rounding(mode):
    """Division that rounds in one *mode*, in place of the jurisdiction's."""
    return lambda number, divisor, _: divide(number, divisor, mode)


# What is put in the place of a function or a constant, everywhere in the package `offers`.
MISTAKES = {
    "amounts are rounded down": (divide, rounding("down")),
    "amounts are rounded up": (divide, rounding("up")),
    "halves are rounded up": (divide, rounding("half_up")),
    "halves are rounded to even": (divide, rounding("half_even")),
    "the minimum is rounded down": (ceil_to, floor_to),
    "the maximum is rounded up": (floor_to, ceil_to),
    "a month is a thirteenth of a year": (MONTHS_A_YEAR, 13),
    "a year has 366 days": (DAYS_A_YEAR, 366),
    "a day too many": (days_to_repay, one_more(days_to_repay)),
    "a day too few": (days_to_repay, one_more(days_to_repay, -1)),
    "no discount": (subtract, lambda rate, _: rate),
    "a discount that is larger": (subtract, lambda rate, less: subtract(rate, less * 2)),
    "shares of the maximum that are smaller": (HUNDRED_PERCENT, HUNDRED_PERCENT + 1),
}


def modules():
    """The modules of the package `offers`."""
    return [module for name, module in sys.modules.items() if name.startswith("holdback.offers.")]


@pytest.fixture
def products_made_anew():
    """What was made with a mistake is not kept for another test, nor the other way round."""
    kept = [each for module in modules() for each in vars(module).values()]
    caches = [each for each in [products_of, *kept] if hasattr(each, "cache_clear")]
    for each in caches:
        each.cache_clear()
    yield
    for each in caches:
        each.cache_clear()


@pytest.mark.usefixtures("products_made_anew")
@pytest.mark.parametrize(("right", "wrong"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_in_pricing_is_noticed(right, wrong, monkeypatch):
    """
    Planted: each small mistake in a calculator, or in how offers are made, changes a golden price.
    """
    places = [
        (module, name)
        for module in modules()
        for name, value in vars(module).items()
        if value is right or (type(value) is type(right) is int and value == right)
    ]
    assert places
    for module, name in places:
        monkeypatch.setattr(module, name, wrong)

    assert any(quoted(line) != line for line in written())


@pytest.mark.parametrize("mistake", ["settlement", "initial"])
def test_a_mistake_in_the_case_is_noticed(mistake):
    """
    Planted: a renewal is priced without what it settles, or as an initial application.
    """
    changed = {"settlement": None} if mistake == "settlement" else {"renewal": False}
    renewals = [line for line in written() if line["renewal"]]

    assert any(quoted(line | changed) != line | changed for line in renewals)


def test_a_minor_unit_is_noticed():
    """
    Planted: an amount that is off by one minor unit, or a limit of a file that is.
    """
    line = next(line for line in written() if line["offers"])
    code, amount = line["offers"][0][1].split()
    spoilt = json.loads(canonical(line))
    spoilt["offers"][0][1] = f"{code} {Decimal(amount) + Decimal(1).scaleb(-PLACES[code])}"

    assert quoted(spoilt) != spoilt
    assert priced_independently(canonical(spoilt)) != canonical(spoilt)
