"""
The corpus of golden decisions: `python tests/golden_decisions/append.py` adds new decisions to it.

A line of `decisions.jsonl` is one decision of a shipped jurisdiction: the day, the facts, the
digest of the rulebook, and the answer. The answer is computed here from the reference
interpreter and the rule for outcomes (decisions/rule-language), and from nothing else that
decides in holdback. Lines are added and never changed: a decision that was made stays the same,
byte for byte.

1. Days of a jurisdiction that no line is about are new: the first, a middle and the last day of
   each slice; of the last slice, which is still open, the first day and the next. A line has the
   digest of the rulebook and the versions that it covers (decisions/jurisdiction-folders).
2. An example of a file that no line is about is new: it was added to a slice that has lines.
3. When an existing line no longer holds, nothing is added: a past decision has changed.
4. `prefixes.txt` has a line for each time that lines were added: their number, and the SHA-256 of
   all of them. A line that was changed or removed breaks every prefix that contains it.

`--anew` discards both files first. It is for jurisdictions that were never released, and for
nothing else.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections import defaultdict
from datetime import date, timedelta
from pathlib import Path
from random import Random

from attrs import evolve

from holdback import load_jurisdictions
from holdback.exact.exact_json import canonical
from holdback.rules import interpret
from holdback.rules.tree import FactRead, comparisons, leaves

HERE = Path(__file__).parent
CORPUS, PREFIXES = "decisions.jsonl", "prefixes.txt"

FLOOR = 50 * 10**4  # percent, in ten-thousandths
# How many random deals a day has of each outcome, and how often one is tried for.
WANTED = {"eligible": 2, "referred": 2, "undetermined": 2, "ineligible": 2, "not_assessed": 1}
TRIES = 400


# -- what must come out


def decision(rulebook, day, facts, versions=None):
    """
    Return the line of a deal with prepared *facts*.

    Its digest is made with *versions*, by default those of today.

    Progress unknown: `undetermined`, needs progress, no rule is evaluated. Progress under
    the floor: `not_assessed`. Any declining rule false: `ineligible`. Else anything unknown:
    `undetermined`, with `needs` naming the unknown facts read by the unknown rules. Else any
    referring rule false: `referred`. Else `eligible` (decisions/rule-language).
    """
    names = [fact.name for fact in rulebook.catalogue.facts]
    progress = facts[names.index("progress")]
    codes, needs, answers = [], [], []
    if progress is None:
        outcome, needs = "undetermined", ["progress"]
    elif progress < FLOOR:
        outcome, codes = "not_assessed", ["FLOOR"]
    else:
        answers = [(rule, interpret(rule.checked, facts)) for rule in rulebook.renewal.rules]
        false = [rule for rule, answer in answers if answer is False]
        declining = [rule for rule in false if rule.otherwise == "decline"]
        unknown = [rule for rule, answer in answers if answer is None]
        if declining:
            outcome, codes = "ineligible", [rule.code for rule in declining]
        elif unknown:
            outcome = "undetermined"
            read = {name for rule in unknown for name in rule.checked.names}
            needs = [
                name
                for name, number in zip(names, facts, strict=True)
                if number is None and name in read
            ]
        elif false:
            outcome, codes = "referred", [rule.code for rule in false]
        else:
            outcome = "eligible"
    return {
        "jurisdiction": rulebook.code,
        "on": day.isoformat(),
        "facts": {
            fact.name: fact.type.plain(number)
            for fact, number in zip(rulebook.catalogue.facts, facts, strict=True)
            if number is not None
        },
        **identified(rulebook, versions),
        "outcome": outcome,
        "codes": codes,
        "needs": needs,
        "trace": [[rule.id, answer] for rule, answer in answers],
    }


def identified(rulebook, versions):
    """What a line says of the rulebook: the digest, and the versions that it covers."""
    versions = dict(rulebook.versions) if versions is None else versions
    text = json.dumps(
        {"rules": rulebook.rules_digest, "versions": versions},
        sort_keys=True,
        separators=(",", ":"),
    )
    digest = hashlib.sha256(text.encode()).hexdigest()
    return {"digest": f"sha256:{digest}", "format": 1, "versions": versions}


def slice_on(jurisdiction, day):
    """The slice of *jurisdiction* in which *day* lies, found by looking at all of them."""
    return [each for each in jurisdiction.slices if each.since <= day][-1]


def decided_again(line, jurisdictions):
    """The bytes that *line* should have: its facts read one by one, decided by the interpreter."""
    written = json.loads(line)
    day = date.fromisoformat(written["on"])
    rulebook = slice_on(jurisdictions[written["jurisdiction"]], day)
    facts = tuple(fact.read(written["facts"].get(fact.name)) for fact in rulebook.catalogue.facts)
    return canonical(decision(rulebook, day, facts, written.get("versions")))


# -- which deals


def days_of(jurisdiction):
    """The days of *jurisdiction* that lines are about, each with whether a slice begins with it."""
    found = {}
    starts = [each.since for each in jurisdiction.slices]
    for start, after in zip(starts, [*starts[1:], None], strict=True):
        found[start] = True
        if after is None:
            found[start + timedelta(days=1)] = False
        else:
            found.setdefault(start + (after - start) // 2, False)
            found.setdefault(after - timedelta(days=1), False)
    return found


def deals_on(jurisdiction, day, *, first):
    """Return prepared deals of one day; on the *first* of a slice, for its examples and rules."""
    rulebook = slice_on(jurisdiction, day)
    usual = examples_of(jurisdiction, rulebook)
    points = {place: set() for place in range(len(rulebook.catalogue.facts))}
    beside = list(beside_thresholds(jurisdiction, rulebook, usual, points))
    if first:
        yield from usual
        yield from beside
    yield from plain_ones(rulebook, usual[0])
    yield from random_ones(rulebook, usual, points, Random(f"{jurisdiction.code} {day}"))


def examples_of(jurisdiction, rulebook):
    """The prepared facts of the renewal examples of a slice, or of all when it has none."""
    renewal = renewal_examples(jurisdiction)
    own = [each for each in renewal if slice_on(jurisdiction, each.on) is rulebook]
    return [rulebook.catalogue.prepare(each.given) for each in own or renewal]


def renewal_examples(jurisdiction):
    """The examples of the renewal rules in the files of a jurisdiction."""
    return [each for each in jurisdiction.examples if each.product is None and not each.of_settings]


def plain_ones(rulebook, usual):
    """Return deals with nothing known, progress unknown or alone, and at or below the floor."""
    place = rulebook.catalogue.place("progress")
    nothing = (None,) * len(usual)
    yield nothing
    for progress in (None, FLOOR - 1, FLOOR):
        yield put(usual, place, progress)
    yield put(nothing, place, 100 * 10**4)


def put(facts, place, number):
    """*facts* with another *number* at *place*."""
    return (*facts[:place], number, *facts[place + 1 :])


def beside_thresholds(jurisdiction, rulebook, usual, points):
    """
    Deals at and beside every threshold of the rules that the slice before does not have.

    The numbers at and beside all thresholds are added to *points*, by the place of their fact.
    """
    before = [each for each in jurisdiction.slices if each.since < rulebook.since]
    known = {rule.checked.tree for rule in before[-1].renewal.rules} if before else set()
    for rule in rulebook.renewal.rules:
        parts = [
            (comparison, leaf)
            for comparison, _ in comparisons(rule.checked.tree)
            for leaf in leaves(comparison)
            if isinstance(leaf, FactRead)
        ]
        # Where no usual deal shows the one side of a comparison, one does that differs in another
        # of them.
        others = [
            put(usual[0], leaf.place, number)
            for comparison, leaf in parts
            for number in sorted(tried(rule, comparison, leaf, usual[0], rulebook)[1])
        ]
        for comparison, leaf in parts:
            numbers, deals = best_tried(rule, comparison, leaf, [*usual, *others], rulebook)
            points[leaf.place] |= numbers
            if rule.checked.tree not in known:
                yield from deals


def best_tried(rule, comparison, leaf, usual, rulebook):
    """Return the numbers and deals of `tried` for the *usual* facts that give the most answers."""
    best = (0, set(), [])
    for facts in usual:
        best = max(best, tried(rule, comparison, leaf, facts, rulebook), key=lambda each: each[0])
        if best[0] == len((True, False, None)):
            break
    return best[1:]


def tried(rule, comparison, leaf, facts, rulebook):
    """
    How many different answers *rule* gives at and beside the thresholds that *comparison* has for
    *leaf*, the other facts being as in *facts*; those numbers; and those deals.
    """
    fact = rulebook.catalogue.facts[leaf.place]
    numbers = {fact.low, fact.high} if fact.high - fact.low < 5 else set()
    constants = [each.number for each in leaves(comparison) if not isinstance(each, FactRead)]
    if leaf in comparison.operands:
        numbers |= {number + unit for number in constants for unit in (-1, 0, 1)}
    turn = turning_point(evolve(rule.checked, tree=comparison), leaf.place, facts, fact)
    if turn is not None:
        numbers |= {turn - 1, turn, turn + 1}
    numbers = {number for number in numbers if fact.low <= number <= fact.high}
    deals = [put(facts, leaf.place, number) for number in sorted(numbers)]
    deals.append(put(facts, leaf.place, None))
    return len({interpret(rule.checked, deal) for deal in deals}), numbers, deals


def turning_point(checked, place, facts, fact):
    """Return the least number of a fact with the answer of its highest; None if all have it."""

    def answer(number):
        return interpret(checked, put(facts, place, number))

    low, high = fact.low, fact.high
    if answer(low) == answer(high):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        if answer(middle) == answer(fact.high):
            high = middle
        else:
            low = middle
    return high


def random_ones(rulebook, usual, points, random):
    """Return random deals of each outcome, with facts near a threshold, anywhere or hidden."""
    for outcome, count in WANTED.items():
        for _ in range(count):
            for _ in range(TRIES):
                facts = random_one(rulebook, random.choice(usual), points, random)
                if decision(rulebook, rulebook.since, facts)["outcome"] == outcome:
                    yield facts
                    break


def random_one(rulebook, facts, points, random):
    """*facts* with some of them changed."""
    share = random.choice((0.1, 0.3, 0.6))
    for place, fact in enumerate(rulebook.catalogue.facts):
        if random.random() < share:
            choices = [None, random.randint(fact.low, fact.high), *sorted(points[place])]
            facts = put(facts, place, random.choice(choices))
    return facts


# -- the two files


def lines_of(folder=HERE):
    """The lines that are there, without their ends."""
    corpus = folder / CORPUS
    return corpus.read_bytes().splitlines() if corpus.exists() else []


def prefixes_of(folder=HERE):
    """How many lines there were each time, and the SHA-256 of them."""
    prefixes = folder / PREFIXES
    text = prefixes.read_text(encoding="utf-8") if prefixes.exists() else ""
    return [(int(count), digest) for count, digest in map(str.split, text.splitlines())]


def digest_of(lines):
    """Return the SHA-256 of *lines*, with their line ends."""
    whole = b"".join(line + b"\n" for line in lines)
    return f"sha256:{hashlib.sha256(whole).hexdigest()}"


def errors(lines, prefixes, jurisdictions):
    """What is wrong with the *lines* that are there."""
    if lines and (not prefixes or prefixes[-1][0] != len(lines)):
        yield f"there are {len(lines)} lines, and prefixes.txt does not end with that number"
    for count, digest in prefixes:
        if digest_of(lines[:count]) != digest:
            yield f"the first {count} lines are not those that were written"
    for number, line in enumerate(lines, start=1):
        try:
            again = decided_again(line, jurisdictions)
        except (ValueError, LookupError, TypeError) as error:
            yield f"line {number} cannot be decided: {error}"
            continue
        if again != line:
            yield f"line {number} no longer holds: {difference(line, again)}"


def difference(line, again):
    """What differs between a *line* and the same decision made *again*."""
    before, after = json.loads(line), json.loads(again)
    parts = [
        f"{key} was {before.get(key)}, is {after[key]}"
        for key in after
        if after[key] != before.get(key)
    ]
    return f"{before['jurisdiction']} on {before['on']}: {'; '.join(parts) or 'its bytes'}"


def new_lines(lines, jurisdictions):
    """The lines for every day and example of *jurisdictions* that none of *lines* is about."""
    found = defaultdict(list)
    for each in map(json.loads, lines):
        found[each["jurisdiction"]].append(each)
    # One without rules of its own decides as its parent does.
    for jurisdiction in (each for each in jurisdictions if each.policy.own.all_rules):
        written = found[jurisdiction.code]
        added = list(lines_of_new_days(jurisdiction, {each["on"] for each in written}))
        yield from added
        yield from lines_of_new_examples(jurisdiction, [*written, *map(json.loads, added)])


def lines_of_new_days(jurisdiction, days):
    """The lines of the days that have to be met, without those that are among *days*."""
    for day, first in days_of(jurisdiction).items():
        if day.isoformat() not in days:
            rulebook = slice_on(jurisdiction, day)
            for facts in dict.fromkeys(deals_on(jurisdiction, day, first=first)):
                yield canonical(decision(rulebook, day, facts))


def lines_of_new_examples(jurisdiction, written):
    """The lines of examples whose facts no decision that was *written* has."""
    met = {(each["digest"], text_of(each["facts"], jurisdiction, each["on"])) for each in written}
    for example in renewal_examples(jurisdiction):
        rulebook = slice_on(jurisdiction, example.on)
        made = decision(rulebook, example.on, rulebook.catalogue.prepare(example.given))
        if (made["digest"], text_of(made["facts"], jurisdiction, made["on"])) not in met:
            yield canonical(made)


def text_of(facts, jurisdiction, on):
    """
    The *facts* that the renewal rules of a day read, as a text.

    An example of an earlier day may have facts that only rules of later days read.
    """
    rulebook = slice_on(jurisdiction, date.fromisoformat(on))
    read = {name for rule in rulebook.renewal.rules for name in rule.checked.names} | {"progress"}
    return json.dumps({name: facts[name] for name in read & facts.keys()}, sort_keys=True)


def say(*lines):
    """Write *lines* to standard output."""
    sys.stdout.writelines(f"{line}\n" for line in lines)


def main(arguments, folder=HERE):
    """Add new decisions to *folder*; return 1 and add nothing when a line no longer holds."""
    if arguments not in ([], ["--anew"]):
        say("usage: append.py [--anew]")
        return 2
    jurisdictions = load_jurisdictions(HERE.parents[1] / "jurisdictions")
    if arguments:
        (folder / CORPUS).unlink(missing_ok=True)
        (folder / PREFIXES).unlink(missing_ok=True)
    lines, prefixes = lines_of(folder), prefixes_of(folder)
    found = list(errors(lines, prefixes, jurisdictions))
    if found:
        say(*found[:20])
        say(f"{len(found)} errors; nothing was added. A decision that was made stays as it was:")
        say("give what has changed a later `from`, and the corpus grows by itself.")
        return 1
    added = list(new_lines(lines, jurisdictions))
    if added:
        with (folder / CORPUS).open("ab") as stream:
            stream.writelines(line + b"\n" for line in added)
        lines += added
        with (folder / PREFIXES).open("a", encoding="utf-8") as stream:
            stream.write(f"{len(lines)} {digest_of(lines)}\n")
    say(f"{len(added)} lines added; there are {len(lines)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
