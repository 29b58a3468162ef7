"""Every shipped jurisdiction: no findings, every mutant noticed, history locked."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from datetime import date
from pathlib import Path

import pytest
from attrs import evolve

from every_case import for_every
from holdback import load_jurisdictions
from holdback.jurisdictions.folder import load_valid_and_errors
from holdback.jurisdictions.reader import ALL_FILES, DISCLOSURES
from holdback.tools.example_run import run_examples
from holdback.tools.lint.coverage import coverage
from holdback.tools.lint.lint import findings
from holdback.tools.mutants.mutation import (
    EQUIVALENT,
    LISTED,
    NOTICED,
    REFUSED,
    SURVIVED,
    stale_equivalent_mutants,
    verdicts,
)
from holdback.tools.workbench.lock import lines_not_locked, lock_errors, read_lock
from own_rules import with_own_rules

ROOT = Path(__file__).parents[2] / "jurisdictions"
JURISDICTIONS = load_jurisdictions()
CODES = JURISDICTIONS.codes
OWN = with_own_rules(JURISDICTIONS).codes
TEXTS = {
    (code, name): (ROOT / code / name).read_text(encoding="utf-8")
    for code in CODES
    for name in ALL_FILES
    if (ROOT / code / name).exists()
}
# The day on which the past was last locked; a release that changes rules moves it.
LOCKED_ON = date(2026, 11, 29)


@pytest.fixture(scope="module", params=CODES)
def code(request):
    """One jurisdiction at a time, so that its mutants are tried once for all the tests of them."""
    return request.param


@pytest.fixture(scope="module")
def tried(code):
    """The verdict on every mutant of the jurisdiction."""
    return list(verdicts(JURISDICTIONS[code], JURISDICTIONS))


def test_those_that_ship():
    """
    GB, IE, AU, DE, JP, US with its two states and CA with its province ship; JPY has no minor
    units. The states with a law on disclosures ship as well, most without rules of their own.
    """
    own_rules = {"GB", "IE", "US", "US-CA", "US-NY", "CA", "CA-QC", "AU", "DE", "JP"}
    alike = {f"US-{state}" for state in ("VA", "CT", "TX", "UT", "GA", "FL", "KS", "MO", "LA")}
    assert set(CODES) == own_rules | alike
    assert set(OWN) == own_rules
    laws = {each.code for each in JURISDICTIONS if each.disclosures}
    neutral = {"GB", "DE"}
    assert laws == {"US-CA", "US-NY", *alike, *neutral}
    parents = {each.code: [layer.code for layer in each.policy.layers] for each in JURISDICTIONS}
    assert parents["US-CA"] == ["US", "US-CA"]
    assert parents["US-NY"] == ["US", "US-NY"]
    assert parents["CA-QC"] == ["CA", "CA-QC"]
    assert JURISDICTIONS.currency("JP").places == 0


def test_the_shipped_files_have_no_findings():
    """
    The shipped files have no findings.
    """
    read, errors = load_valid_and_errors(ROOT, "jurisdictions")

    assert errors == ()
    assert list(findings(read, LOCKED_ON)) == []


def test_every_mutant_is_noticed(code, tried):
    """
    Each file's own examples notice every mutant of its thresholds, comparisons and rules, or the
    survivor is listed with the reason why no deal can distinguish it.
    """
    states = Counter(verdict.state for verdict in tried)

    assert [verdict.mutant.name for verdict in tried if verdict.state == SURVIVED] == []
    assert list(stale_equivalent_mutants(JURISDICTIONS[code], tried)) == []
    assert states[NOTICED] >= (30 if code in OWN else 2)
    # `== 0` and `<= 0` are the same of a count, so a rule with `== 0` has one proved mutant.
    own = JURISDICTIONS[code].policy.own
    rules = [*own.funding, *(rule for each in own.products for rule in each.rules)]
    none = {"no-default", "no-write-off", "no-default-at-funding"}
    of_none = sum(rule.id in none for rule in rules)
    assert states[LISTED] + states[EQUIVALENT] - of_none <= 5
    assert len({verdict.mutant.name for verdict in tried}) == len(tried)
    assert all(verdict.reason for verdict in tried if verdict.state != REFUSED)


def test_every_figure_and_rule_has_its_mutants(code, tried):
    """
    Nothing in a file is passed over: each own parameter, rule, comparison and calculator is
    changed.
    """
    names = [verdict.mutant.name for verdict in tried]
    policy = JURISDICTIONS[code].policy
    rules = [*policy.own.rules, *(rule for each in policy.own.products for rule in each.rules)]
    versions = Counter(rule.code for rule in rules)
    for rule in rules:
        # Where a rule has several versions, the names of its mutants say which.
        which = f" from {rule.period.start}" if versions[rule.code] > 1 else ""
        assert f"{rule.code}{which} left out" in names
        if re.search("[<>=]", rule.require.source):
            assert any(name.startswith(f"{rule.code}{which} require: ") for name in names)
    for name, written in policy.parameters.items():
        if written.code == code:
            for entry in written.timeline.entries:
                moved = [
                    each for each in names if each.startswith(f"{name} from {entry.period.start}: ")
                ]
                assert len(moved) == 2
    for product in policy.own.products:
        several = sum(each.key == product.key for each in policy.own.products) > 1
        which = f" from {product.period.start}" if several else ""
        for kind in product.calculators.keys() - {"term"}:
            assert any(name.startswith(f"{product.key}{which} {kind} ") for name in names)


@for_every("code", CODES)
def test_an_example_left_out_lets_a_mutant_live(code):
    """
    The examples are what notices: without any of them, every mutant that was noticed lives.
    """
    bare = evolve(JURISDICTIONS[code], examples=())

    states = {each.state for each in verdicts(bare, JURISDICTIONS)}

    assert NOTICED not in states
    assert SURVIVED in states


@for_every("code", OWN)
def test_every_rule_is_answered_in_every_way(code):
    """
    The examples answer each rule with true, false and unknown.
    """
    jurisdiction = JURISDICTIONS[code]
    for each in coverage(jurisdiction, run_examples(jurisdiction)):
        assert each.missing == (), each.code


@for_every("code", OWN)
def test_each_has_what_a_reference_policy_has(code):
    """
    Each jurisdiction has a renewal policy, products, changes over time and a full set of examples.
    """
    jurisdiction = JURISDICTIONS[code]
    for rulebook in jurisdiction.slices:
        assert len(rulebook.renewal.rules) >= 7
        assert not rulebook.assess({"progress": "100%"}).eligible
    last = jurisdiction.slices[-1]
    if code != "CA-QC":
        assert len(last.products) >= 2
    assert len(jurisdiction.examples) >= 30
    assert len(jurisdiction.changes) >= 2
    outcomes = {each.expect.get("outcome") for each in jurisdiction.examples if not each.product}
    assert {"eligible", "ineligible", "referred", "undetermined"} <= outcomes


def test_the_policies_are_distinct():
    """
    No two countries share more than half of the conditions of their renewal rules.
    """
    countries = [code for code in CODES if "-" not in code]
    texts = {
        code: frozenset(rule.require for rule in JURISDICTIONS[code].slices[-1].renewal.rules)
        for code in countries
    }
    for one in countries:
        for other in countries:
            if one < other:
                assert len(texts[one] & texts[other]) <= len(texts[one]) // 2, (one, other)


@for_every("code", sorted({code for code, name in TEXTS if name == DISCLOSURES}))
def test_a_law_on_disclosures_is_cited(code):
    """
    "A file cites the section of the law for each item and claims no more."
    """
    text = TEXTS[code, DISCLOSURES]
    sources = list(texts_at(tomllib.loads(text), "source"))

    assert sources
    # Where no law asks for a disclosure, a policy of the lender does.
    own = {"reference policy"} if code in {"GB", "DE"} else set()
    assert all(re.search(r"\d", each) for each in {*sources} - own), sources
    assert own or "Not legal advice" in text


@for_every("code, name", [place for place in TEXTS if place[1] != DISCLOSURES])
def test_nothing_claims_to_be_law(code, name):
    """
    Every `source` names the service's sections or "reference policy"; no file claims to state a law
    that it does not cite.
    """
    text = TEXTS[code, name]
    sources = list(texts_at(tomllib.loads(text), "source"))

    assert all(re.match("reference policy|specification", each) for each in sources), sources
    claims = re.sub("(?i)nothing here is law", "", text)
    assert not re.search(
        r"(?i)\b(law|legal|statute|statutory|act of|regulation|required by)\b", claims
    )
    assert text.startswith(f"#:schema ../schema/{name.removesuffix('.toml')}.json\n")


def texts_at(value, key):
    """Every text under *key* in *value*."""
    if isinstance(value, dict):
        for name, part in value.items():
            if name == key and isinstance(part, str):
                yield part
            else:
                yield from texts_at(part, key)
    elif isinstance(value, list):
        for part in value:
            yield from texts_at(part, key)


def test_history_is_locked():
    """
    `digests.lock` has one line for each jurisdiction and past change date
    (decisions/jurisdiction-folders).
    """
    locked, errors = read_lock((ROOT / "digests.lock").read_text(encoding="utf-8"), "digests.lock")

    assert errors == ()
    assert list(lock_errors(locked, JURISDICTIONS, "digests.lock")) == []
    assert lines_not_locked(locked, JURISDICTIONS, LOCKED_ON) == []
    assert locked.through == LOCKED_ON
    assert len(locked.lines) == sum(len(each.slices) for each in JURISDICTIONS)


@for_every("code", ["DE", "GB"])
def test_where_no_law_asks_for_it_the_rate_is_named_by_its_method(code):
    """
    "The same figures under a neutral regime (total cost, cost per unit borrowed, APR by the
    European effective method, named so), switched on by their file."
    """
    (neutral,) = JURISDICTIONS[code].disclosures
    assert (neutral.rate, neutral.required, neutral.signed) == ("effective", None, False)
    labels = [item.label for item in neutral.items]
    assert labels[1:4] == [
        "Total cost",
        "Cost per unit borrowed",
        "Estimated APR (European effective method)",
    ]
