"""
Rules and tables as DMN answer as the interpreter does, in an engine of DMN.

What maps to what is in decisions/dmn.
"""

from __future__ import annotations

from datetime import date
from random import Random

import pytest
from dmn_engine import INSTALLED, answers, dates_computed, plain, too_close

from counts import count
from holdback import load_jurisdictions
from holdback.eligibility.ruleset import RuleSet
from holdback.rules import interpret
from holdback.tools.dmn.document import dmn_document
from random_tables import holds
from rule_generator import RuleGenerator
from small_catalogue import CATALOGUE
from small_folders import PACE
from small_tables import drawn as drawn_table
from small_tables import read_table, toml

pytestmark = pytest.mark.skipif(
    not INSTALLED, reason="the engine of DMN is not installed: python tests/parity/dmn_engine.py"
)
BOOKS, DEALS = count("rulebooks as DMN"), 20
DAY = date(2026, 12, 5)


def drawn(seed):
    """A rulebook of some random rules, and deals at their thresholds, with unknown facts."""
    generator = RuleGenerator(Random(seed), CATALOGUE)
    rules = generator.rule_set()
    shipped = load_jurisdictions().resolve("GB", on=DAY)
    none = RuleSet(rules=(), catalogue=CATALOGUE, jurisdiction="GB", digest="d")
    book = shipped.altered(
        catalogue=CATALOGUE, parameters=CATALOGUE.parameters, renewal=rules, products=(),
        funding=none,
    )  # fmt: skip
    progress = CATALOGUE.fact("progress")
    deals = []
    for place in range(DEALS):
        facts = list(generator.facts(rules.rules[place % len(rules.rules)].checked))
        if place % 4:
            facts[CATALOGUE.place("progress")] = generator.value(progress)
        deals.append(tuple(facts))
    return book, deals


def test_random_rules_and_outcomes(tmp_path):
    """ "Every reader gives the same answer": of each rule, and of the rules together."""
    cases = [drawn(seed) for seed in range(BOOKS)]
    documents = [
        (dmn_document(book), [plain(CATALOGUE, facts) for facts in deals]) for book, deals in cases
    ]
    pairs, left_out, outcomes, given = 0, 0, set(), set()
    for (book, deals), said in zip(cases, answers(tmp_path, documents), strict=True):
        for facts, answer in zip(deals, said, strict=True):
            rules = book.renewal.rules
            doubtful = [
                rule for rule in rules
                if dates_computed(rule.checked.tree) or too_close(rule.checked, facts)
            ]  # fmt: skip
            for rule in rules:
                expected = interpret(rule.checked, facts)
                pairs += 1
                if rule in doubtful:
                    left_out += 1
                    if not dates_computed(rule.checked.tree):
                        assert (answer[rule.code] is None) is (expected is None)
                    continue
                assert answer[rule.code] is expected, (rule.checked.source, facts)
                given.add(expected)
            if not doubtful:
                outcome = book.assess_prepared(facts).outcome
                assert answer["Renewal"] == outcome, (rules, facts)
                outcomes.add(outcome)
    assert given == {True, False, None}
    assert len(outcomes) == 5
    assert left_out < pairs / 3, (left_out, pairs)


def test_the_jurisdictions_that_ship(tmp_path):
    """Renewals, the rules of each product, and payouts, on deals near each of their thresholds."""
    shipped, documents, expected = load_jurisdictions(), [], []
    for code in shipped.codes:
        book = shipped.resolve(code, on=DAY)
        generator, random = RuleGenerator(Random(code), book.catalogue), Random(code)
        every = [rule.checked for rule in book.all_rules]
        typical = good_deal(shipped[code], book)
        deals = [typical]
        for rule in every:
            known = random.choice((0.5, 1, 1))
            usual = [number if random.random() < known else None for number in typical]
            near = zip(generator.facts(rule), usual, strict=True)
            deals.append(tuple(other if number is None else number for number, other in near))
        documents.append((dmn_document(book), [plain(book.catalogue, deal) for deal in deals]))
        expected.append([
            None if any(too_close(rule, deal) for rule in every) else said_by(book, deal)
            for deal in deals
        ])  # fmt: skip
    seen, left_out = set(), 0
    for said, deals in zip(answers(tmp_path, documents), expected, strict=True):
        for answer, like in zip(said, deals, strict=True):
            left_out += like is None
            if like is not None:
                assert {name: answer[name] for name in like} == like
                seen |= set(like.values())
    assert {"eligible", "ineligible", "undetermined", "not_assessed", "Accepted", "Declined"} < seen
    assert left_out < sum(map(len, expected)) / 4


def good_deal(jurisdiction, book):
    """The typical facts of *jurisdiction*, those of its products included."""
    parts = [jurisdiction.typical_deal(part) for part in (None, *(p.key for p in book.products))]
    return [next((n for n in of if n is not None), None) for of in zip(*parts, strict=True)]


def said_by(book, deal):
    """The outcome of *deal* by decision, and the answer of each rule."""
    said = {rule.code: interpret(rule.checked, deal) for rule in book.all_rules}
    said["Renewal"] = book.assess_prepared(deal).outcome
    for terms in book.products:
        answer = terms.rules.answer(deal)
        undecided = "Referred" if answer.unknown or answer.false else "Accepted"
        said[f"Product-{terms.key}"] = "Declined" if answer.declined else undecided
    paid = book.funding.answer(deal)
    said["Funding"] = "refused" if paid.false or paid.unknown else "paid out"
    return said


def test_tables(tmp_path):
    """A decision table takes the deals that the cells say, and says what their rows ask."""
    documents, expected = [], []
    for seed in range(BOOKS):
        table, book, source = drawn_table(seed)
        random, names = Random(seed), list(dict.fromkeys([*table.facts, *table.required]))
        ends = {fact.name: (fact.low, fact.high) for fact in book.catalogue.facts}
        deals = [
            {name: random.choice([None, *numbers(table, name, ends)]) for name in names}
            for _ in range(DEALS)
        ]
        inputs = [plain(book.catalogue, prepared(book.catalogue, deal)) for deal in deals]
        documents.append((dmn_document(book, [source]), inputs))
        expected.append([taken(table, deal) for deal in deals])
    counted = 0
    for said, deals in zip(answers(tmp_path, documents), expected, strict=True):
        for answer, like in zip(said, deals, strict=True):
            several = ["several answers"] if len(like) > 1 else like
            assert answer["Table-tiers"] == (several or [None])[0]
            counted += bool(like)
    assert counted > BOOKS * DEALS / 4


def test_a_row_takes_no_unknown_fact(tmp_path):
    """Unknown is not false: nor is it anything else, such as *not Funded*."""
    cells = ["not Funded", "!= Funded and != Repaid", "Funded", "Funded or Repaid"]
    rows = [["-", cell, "pass"] for cell in cells]
    cells = [
        "!= EUR 5",
        ">= EUR 1 and != EUR 5",
        "> EUR 1 and < EUR 5",
        "EUR 1 to EUR 5",
        "< EUR 5",
    ]
    rows += [[cell, "-", "pass"] for cell in cells]
    named = [[f"r{place}", *row] for place, row in enumerate(rows)]
    book, source = read_table(PACE + toml(["row", "funded_amount", "status", "answer"], named))
    deals = [{}, {"funded_amount": 3, "status": "Repaid"}]
    ((unknown, known),) = answers(tmp_path, [(dmn_document(book, [source]), deals)])
    assert unknown["Table-tiers"] is None
    assert known["Table-tiers"] == {"answer": "pass"}


def numbers(table, name, ends):
    """The ends of the fact *name*, and the numbers near those of its cells."""
    (low, high), asked = ends[name], [(*row[1].items(), *row[2].items()) for row in table.rows]
    cells = [cell for row in asked for fact, cell in row if fact == name and cell is not None]
    near = {number + step for _, *values in cells for number in values for step in (-1, 0, 1)}
    return [number for number in near | {low, high} if low <= number <= high]


def prepared(catalogue, deal):
    return tuple(deal.get(fact.name) for fact in catalogue.facts)


def taken(table, deal):
    """What each row that takes *deal* says of it, without what is said twice."""
    said = []
    for row in table.rows:
        if table.takes(row, deal) is True:
            asked = {
                f"require {name}": holds(cell, deal.get(name)) for name, cell in row[2].items()
            }
            answer = {**asked, "answer": row[3] or "decline"}
            said += [answer] if answer not in said else []
    return said
