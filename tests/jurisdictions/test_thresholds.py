"""Every threshold of the jurisdictions that ship is held by examples on either side of it.

Each value of each parameter, and each literal in a rule, is moved by one unit, up and down. An example
has to notice: otherwise the threshold could be changed by mistake and nobody would be told.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from holdback import InvalidDocument
from holdback.jurisdictions.positions import spots, tokens
from holdback.jurisdictions.reader import FILES, read_jurisdiction
from holdback.ruleset import DECLINE

ROOT = Path(__file__).parents[2] / "jurisdictions"
CODES = sorted(path.name for path in ROOT.iterdir() if path.is_dir())
TEXTS = {
    code: {name: (ROOT / code / name).read_text(encoding="utf-8") for name in FILES}
    for code in CODES
}


def read(code, texts):
    contents = {name: text.encode() for name, text in texts.items()}
    return read_jurisdiction(code, contents, file_prefix=f"jurisdictions/{code}/")


def answer(jurisdiction, example):
    """What comes out for *example*, as it says what is expected."""
    rulebook = jurisdiction.rulebook(example.on)
    facts = rulebook.catalogue.prepare(example.given)
    if example.product is None:
        assessment = rulebook.assess_prepared(facts)
        return assessment.outcome, list(assessment.codes), list(assessment.needs)
    (product,) = [each for each in rulebook.products if each.key == example.product]
    answers = product.rules.answer(facts)
    if answers.declined:
        false = answers.false & product.rules.declining
        return "Declined", [each.code for each in answers.reasons(false)], []
    if answers.unknown:
        return "Referred", [], list(answers.needs)
    if answers.false:
        return "Referred", [each.code for each in answers.reasons(answers.false)], []
    return "Accepted", [], []


def expected(example):
    expect = example.expect
    outcome = expect.get("outcome") or expect.get("decision")
    return outcome, expect.get("codes", []), expect.get("needs", [])


def moved(code):
    """Every value of a parameter, in every file, one unit up and one down."""
    jurisdiction = read(code, TEXTS[code])
    for name, text in TEXTS[code].items():
        for path, spot in spots(tokens(text)).items():
            if path[0] != "parameters" or path[2:3] != ("timeline",) or path[-1] != "value":
                continue
            start, end = spot.value
            entry = text[start:end]
            parameter = jurisdiction.slices[-1].parameters[path[1]]
            number = parameter.type.read(entry.strip('"') if '"' in entry else int(entry))
            for unit in (1, -1):
                shown = parameter.type.literal(number + unit)
                written = f'"{shown}"' if '"' in entry else shown
                spoilt = text[:start] + written + text[end:]
                yield pytest.param(code, name, spoilt, id=f"{code} {path[1]} {entry} {written}")


@pytest.mark.parametrize(
    ("code", "name", "spoilt"), [case for code in CODES for case in moved(code)]
)
def test_an_example_notices_a_threshold_that_moved(code, name, spoilt):
    """
    "each threshold has one on either side" (design 5)
    """
    jurisdiction = read(code, {**TEXTS[code], name: spoilt})

    assert any(
        answer(jurisdiction, example) != expected(example) for example in jurisdiction.examples
    )


LITERALS = [
    ("GB", "deals_defaulted == 0", "deals_defaulted <= 1"),
    ("GB", "remaining_term_days > 0 days", "remaining_term_days > 1 day"),
    ("GB", "remaining_term_days > 0 days", "remaining_term_days >= 0 days"),
    ("GB", "deals_completed >= 1", "deals_completed >= 0"),
    ("GB", "deals_completed >= 1", "deals_completed >= 2"),
    ("GB", '["Funded", "Repaid"]', '["Funded"]'),
    ("GB", '["Funded", "Repaid"]', '["Funded", "Repaid", "Renewed"]'),
    ("GB", '["Funded", "Repaid"]', '["Funded", "Repaid", "Cancelled"]'),
    ("GB", '["Funded", "Repaid"]', '["Funded", "Repaid", "Defaulted"]'),
]


@pytest.mark.parametrize(("code", "old", "new"), LITERALS)
def test_an_example_notices_a_rule_that_changed(code, old, new):
    """
    What the rules themselves say is held by examples too.
    """
    text = TEXTS[code]["renewal.toml"]
    assert text.count(old) == 1

    jurisdiction = read(code, {**TEXTS[code], "renewal.toml": text.replace(old, new)})

    assert any(
        answer(jurisdiction, example) != expected(example) for example in jurisdiction.examples
    )


def rules():
    """Where the code of every rule of every jurisdiction stands."""
    for code in CODES:
        for name in ("renewal.toml", "products.toml"):
            text = TEXTS[code][name]
            for path, spot in spots(tokens(text)).items():
                if path[-1] == "code" and "rules" in path:
                    yield pytest.param(
                        code, name, spot.value, id=f"{code} {text[slice(*spot.value)]}"
                    )


@pytest.mark.parametrize(("code", "name", "span"), list(rules()))
def test_every_rule_is_answered_in_three_ways(code, name, span):
    """
    An example fails the rule, one passes it, and one leaves it unknown.
    """
    rule_code = TEXTS[code][name][slice(*span)].strip('"')
    jurisdiction, answers = read(code, TEXTS[code]), set()
    for example in jurisdiction.examples:
        rulebook = jurisdiction.rulebook(example.on)
        products = [each.rules for each in rulebook.products if each.key == example.product]
        for ruleset in products or [rulebook.renewal]:
            trace = ruleset.answer(rulebook.catalogue.prepare(example.given)).trace
            by_id = {line.rule: line.answer for line in trace}
            answers |= {by_id[each.id] for each in ruleset.rules if each.code == rule_code}

    assert answers == {True, False, None}


@pytest.mark.parametrize("code", CODES)
def test_the_floor_alone_makes_nothing_eligible(code):
    """
    "reaching the floor alone must never make a deal eligible" (design 4)
    """
    for rulebook in read(code, TEXTS[code]).slices:
        assert not rulebook.assess({"progress": "100%"}).eligible
        assert any(
            rule.otherwise == DECLINE and set(rule.checked.names) - {"progress"}
            for rule in rulebook.renewal.rules
        )


@pytest.mark.parametrize("code", CODES)
def test_a_policy_never_written_down_is_refused(code):
    """
    A rule without a source, or a value without one, is no policy (design 5: "Sourced").
    """
    text = TEXTS[code]["renewal.toml"]
    for path, spot in spots(tokens(text)).items():
        if path[-1] == "source":
            start, end = spot.key[0], spot.value[1]
            spoilt = text[:start] + text[end:]
            with pytest.raises(InvalidDocument):
                read(code, {**TEXTS[code], "renewal.toml": spoilt})
