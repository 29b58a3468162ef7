"""Decisions never change: the golden corpus, its expectations and its guards."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from datetime import date
from functools import cache
from pathlib import Path

import pytest
from append import (
    CORPUS,
    PREFIXES,
    days_of,
    decided_again,
    digest_of,
    errors,
    lines_of,
    new_lines,
    prefixes_of,
    slice_on,
    text_of,
)
from append import main as append
from attrs import evolve

from every_case import for_every
from holdback import Jurisdictions, RuleError, load_jurisdictions
from holdback.exact.exact_json import canonical
from holdback.jurisdictions.reader import FILES, read_jurisdiction
from holdback.rules.tree import FactRead, leaves
from holdback.tools.mutants.equivalence import why_same
from holdback.tools.mutants.mutation import mutants
from holdback.tools.replay.replay import replay
from own_rules import with_own_rules

ROOT = Path(__file__).parents[2] / "jurisdictions"
JURISDICTIONS = load_jurisdictions()
CODES = with_own_rules(JURISDICTIONS).codes
LINES = lines_of()
LEAST = 2_500
# In every jurisdiction, of every outcome.
LEAST_OF_AN_OUTCOME = 10
# Small mistakes that could be made in one file of renewal rules.
LEAST_MUTANTS = 20
OUTCOMES = ("eligible", "referred", "ineligible", "undetermined", "not_assessed")


@cache
def written():
    """The lines of each jurisdiction, read."""
    found = defaultdict(list)
    for line in LINES:
        decision = json.loads(line)
        found[decision["jurisdiction"]].append(decision)
    return found


def recorded(given, jurisdictions=JURISDICTIONS):
    """The decision record of a line, which has been read, with its versions."""
    rulebook = jurisdictions.resolve(given["jurisdiction"], on=date.fromisoformat(given["on"]))
    return rulebook.with_versions(given["versions"]).assess(given["facts"]).record()


def decided(line, jurisdictions=JURISDICTIONS):
    """The bytes that *line* has when it is decided in the way that everybody decides."""
    given = json.loads(line)
    record = recorded(given, jurisdictions)
    stored = ["jurisdiction", "on", "facts", "digest", "format", "versions", "outcome", "needs"]
    return canonical(
        {
            **{key: record[key] for key in stored},
            "codes": [reason["code"] for reason in record["reasons"]],
            "trace": [[each["rule"], each["answer"]] for each in record["trace"]],
        }
    )


@for_every("code", CODES)
def test_decisions_stay_as_they_were(code):
    """
    Every decision of the corpus, over all shipped jurisdictions, is the same byte for byte.
    """
    prefix = b'"jurisdiction":"%b","needs"' % code.encode()
    lines = [line for line in LINES if prefix in line]

    assert len(lines) == len(written()[code])
    for line in lines:
        assert decided(line) == line


@for_every("code", CODES)
def test_records_are_replayed(code):
    """
    Records are read, replayed and verified for ever.
    """
    for given in written()[code]:
        again = replay(recorded(given), JURISDICTIONS)
        assert (again.state, again.differences, again.digest) == ("the same", (), given["digest"])


def test_the_expected_outcomes_are_the_interpreters():
    """
    The expected outcomes come from the reference interpreter, never from the code under test.
    """
    for line in LINES:
        assert decided_again(line, JURISDICTIONS) == line


def test_its_size():
    """
    The corpus has its least number of decisions, none of them twice, and every outcome in each
    jurisdiction.
    """
    assert len(set(LINES)) == len(LINES) >= LEAST
    assert set(written()) >= set(CODES)
    for code in CODES:
        outcomes = Counter(each["outcome"] for each in written()[code])
        assert outcomes.keys() == set(OUTCOMES)
        assert min(outcomes.values()) >= LEAST_OF_AN_OUTCOME, (code, outcomes)


@for_every("code", CODES)
def test_every_slice_is_met_on_its_first_day_in_the_middle_and_on_its_last(code):
    """
    A decision of each day on which a slice begins or ends, and of one between; of the open slice,
    its first.
    """
    jurisdiction = JURISDICTIONS[code]
    found = {each["on"] for each in written()[code]}

    assert found >= {day.isoformat() for day in days_of(jurisdiction)}
    for before, after in zip(jurisdiction.changes, jurisdiction.changes[1:], strict=False):
        assert before.isoformat() in found
        assert date.fromordinal(after.toordinal() - 1).isoformat() in found


@for_every("code", CODES)
def test_every_rule_answers_in_every_way(code):
    """
    Of every rule that was ever in force there are decisions in which it is true, false and
    unknown, at each value of its parameters.
    """
    met = defaultdict(set)
    for given in written()[code]:
        rulebook = slice_on(JURISDICTIONS[code], date.fromisoformat(given["on"]))
        for rule, (name, answer) in zip(rulebook.renewal.rules, given["trace"], strict=False):
            assert rule.id == name
            met[rule.checked.tree, name].add(answer)
    wanted = {
        (rule.checked.tree, rule.id)
        for each in JURISDICTIONS[code].slices
        for rule in each.renewal.rules
    }

    for tree, name in wanted:
        # One that reads the progress alone is never unknown: nothing is looked at without the
        # progress.
        read = {each.name for each in leaves(tree) if isinstance(each, FactRead)}
        ways = {True, False} if read == {"progress"} else {True, False, None}
        assert met[tree, name] == ways, name


def test_every_example_is_among_them():
    """
    The files' own examples are decisions of the corpus, and come out there as their file expects.
    """
    for code in CODES:
        met = {
            (text_of(each["facts"], JURISDICTIONS[code], each["on"]), each["digest"]): each
            for each in written()[code]
        }
        for example in JURISDICTIONS.examples(code):
            if example.product is not None or example.of_settings:
                continue
            rulebook = slice_on(JURISDICTIONS[code], example.on)
            facts = rulebook.assess(example.given).record()["facts"]
            text = text_of(facts, JURISDICTIONS[code], str(example.on))
            made = met[text, rulebook.digest]
            for key, value in example.expect.items():
                assert made[key] == value, example.name


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
    Every day that has to be met is: `python tests/golden_decisions/append.py` would add nothing.
    """
    assert list(errors(LINES, prefixes_of(), JURISDICTIONS)) == []
    assert next(new_lines(LINES, JURISDICTIONS), None) is None


def write(folder, lines):
    """A corpus of *lines* in *folder*, and the one line of its prefixes."""
    (folder / CORPUS).write_bytes(b"".join(line + b"\n" for line in lines))
    prefix = f"{len(lines)} {digest_of(lines)}\n"
    (folder / PREFIXES).write_text(prefix)
    return prefix


def answer_of(line):
    """A line without what identifies the rulebook."""
    identity = ("digest", "format", "versions")
    return canonical({key: part for key, part in json.loads(line).items() if key not in identity})


def test_what_is_new_is_appended(tmp_path, capsys, monkeypatch):
    """
    Lines for a new jurisdiction come after the existing ones, which stay unchanged.
    """
    known = [line for line in LINES if b'"jurisdiction":"DE"' not in line]
    first = write(tmp_path, known)
    # A fact that is added gives random deals other facts; the deals of examples and rules stay.
    monkeypatch.setitem(append.__globals__, "WANTED", {})

    assert append([], tmp_path) == 0
    lines = lines_of(tmp_path)
    assert lines[: len(known)] == known
    # Statuses that were added since give deals of earlier slices other facts as well.
    newest = str(load_jurisdictions()["DE"].changes[-1])
    added = {answer_of(line) for line in lines[len(known) :] if json.loads(line)["on"] >= newest}
    assert len(added) > 20
    assert added <= {answer_of(line) for line in LINES if line not in known}
    assert all(json.loads(line)["format"] == 1 for line in lines[len(known) :])
    assert (tmp_path / PREFIXES).read_text() == f"{first}{len(lines)} {digest_of(lines)}\n"
    assert append([], tmp_path) == 0
    assert lines_of(tmp_path) == lines
    assert capsys.readouterr().out.endswith(f"0 lines added; there are {len(lines)}\n")


def test_an_example_of_an_earlier_slice_is_appended(tmp_path, capsys):
    """
    An example that was added to a slice whose days have lines gets a line of its own.
    """
    example = b'"jurisdiction":"GB","needs":[],"on":"2026-11-24","outcome":"ineligible"'
    added = [line for line in LINES if b'"Settled"' in line and example in line]
    assert len(added) == 1
    write(tmp_path, [line for line in LINES if line not in added])

    assert append([], tmp_path) == 0
    assert lines_of(tmp_path)[-1:] == added
    assert capsys.readouterr().out.startswith("1 lines added")


def test_nothing_is_added_to_what_no_longer_holds(tmp_path, capsys):
    """
    The generator refuses, and touches neither file.
    """
    lines = [LINES[0].replace(b'"eligible"', b'"referred"'), *LINES[1:20]]
    prefix = write(tmp_path, lines)

    assert append([], tmp_path) == 1
    assert lines_of(tmp_path) == lines
    assert (tmp_path / PREFIXES).read_text() == prefix
    assert "line 1 no longer holds" in capsys.readouterr().out


# -- planted


def changed(code, old, new):
    """The jurisdictions with *old* replaced by *new* in `renewal.toml` of *code*."""
    files = {name: (ROOT / code / name).read_bytes() for name in FILES}
    assert files["renewal.toml"].count(old) == 1
    files["renewal.toml"] = files["renewal.toml"].replace(old, new)
    others = [each for each in JURISDICTIONS if each.code != code]
    return Jurisdictions([*others, read_jurisdiction(code, files)])


def without_digest(line):
    return {key: value for key, value in json.loads(line).items() if key != "digest"}


def test_a_changed_threshold_is_noticed():
    """
    Planted: the pace that GB asks for is a ten-thousandth of a percent higher until the middle of
    2026.
    """
    old, new = b'from = 2024-01-01, value = "75%"', b'from = 2024-01-01, value = "75.0001%"'
    changed_ones = changed("GB", old, new)
    lines = [line for line in LINES if b'"jurisdiction":"GB"' in line]
    early = [line for line in lines if json.loads(line)["on"] < "2026-07-01"]
    failing = [line for line in lines if decided(line, changed_ones) != line]

    assert failing == early
    assert any(
        without_digest(line) != without_digest(decided(line, changed_ones)) for line in failing
    )


def test_a_dropped_rule_is_noticed():
    """
    Planted: one rule is missing, in the same slices with the same digest.
    """
    for code in CODES:
        whole = JURISDICTIONS[code]
        for dropped in range(len(whole.slices[-1].renewal.rules)):
            slices = tuple(
                altered(each, rules=without(each, whole, dropped)) for each in whole.slices
            )
            spoilt = Jurisdictions([evolve(whole, slices=slices)])
            assert any(
                decided(line, spoilt) != line
                for line in LINES
                if b'"jurisdiction":"%b",' % code.encode() in line
            )


def altered(rulebook, **changes):
    """*rulebook* with *changes* of its renewal rules, and with its digests unless they change."""
    rules = rulebook.renewal
    digests = {"digest": rules.digest, "rules_digest": rules.rules_digest}
    renewal = rules.altered(**{**digests, **changes})
    return rulebook.altered(renewal=renewal, digest=renewal.digest)


def without(rulebook, whole, dropped):
    """The renewal rules of *rulebook* but the one at a place of the last slice."""
    id_ = whole.slices[-1].renewal.rules[dropped].id
    return tuple(rule for rule in rulebook.renewal.rules if rule.id != id_)


def test_a_changed_digest_is_noticed():
    """
    Planted: the same rules under another digest.
    """
    whole = JURISDICTIONS["JP"]
    slices = tuple(altered(each, digest="sha256:" + "0" * 64) for each in whole.slices)
    spoilt = Jurisdictions([evolve(whole, slices=slices)])

    assert all(decided(line, spoilt) != line for line in LINES if b'"jurisdiction":"JP"' in line)


@pytest.mark.parametrize("place", [0, 1, -1])
def test_a_changed_line_is_noticed(place):
    """
    Planted: a line was edited, or is missing, or two have changed places.
    """
    edited = [*LINES]
    edited[place] = edited[place].replace(b'"progress":"', b'"progress":"1')
    missing = [*LINES]
    del missing[place]
    swapped = [*LINES]
    swapped[place], swapped[2] = swapped[2], swapped[place]

    for lines in (edited, missing, swapped):
        messages = errors(lines, prefixes_of(), JURISDICTIONS)
        assert any("prefixes" in message or "first" in message for message in messages)


def test_the_prefixes_cannot_be_left_behind():
    """
    Planted: lines were added without a line in `prefixes.txt`.
    """
    assert any(errors(LINES, prefixes_of()[:-1], JURISDICTIONS))


@for_every("code", CODES)
def test_every_mutant_of_the_renewal_rules_is_noticed(code):
    """
    Planted: each small mistake in a renewal rule or its parameters, the digest left unchanged,
    changes a decision, unless its file lists it as one that no deal can tell apart or the ranges
    of the facts say so.
    """
    jurisdiction = JURISDICTIONS[code]
    deals = defaultdict(list)
    for each in written()[code]:
        rulebook = slice_on(jurisdiction, date.fromisoformat(each["on"]))
        facts = rulebook.catalogue.prepare(each["facts"])
        deals[rulebook.since].append((facts, answered(rulebook, facts)))

    def noticed(mutant):
        """Return whether a decision changes, or the reader would reject the mutant."""
        try:
            changed_ones = {each: mutant.change(each) for each in jurisdiction.slices}
        except RuleError:
            return True
        return any(
            answered(after, facts) != meant
            for before, after in changed_ones.items()
            if after.renewal is not before.renewal
            for facts, meant in deals[before.since]
        )

    def same(mutant):
        """Whether no deal can tell the mutant apart."""
        return all(why_same(each, mutant.change(each)) is not None for each in jurisdiction.slices)

    listed = {each.mutant for each in jurisdiction.equivalent_mutants}
    of_renewal = [
        mutant
        for mutant in mutants(jurisdiction, JURISDICTIONS)
        if mutant.file.endswith("renewal.toml")
    ]
    unseen = [each.name for each in of_renewal if not noticed(each) and not same(each)]

    assert len(of_renewal) > LEAST_MUTANTS
    assert set(unseen) <= listed


def answered(rulebook, facts):
    """Everything in a decision but the digest and the facts."""
    found = rulebook.assess_prepared(facts)
    trace = [(each.rule, each.answer) for each in found.trace]
    return found.outcome, found.codes, found.needs, trace
