"""What is said of a change of rules is what looking at every deal shows."""

from __future__ import annotations

from collections import Counter
from datetime import date
from random import Random

import pytest

from counts import count
from holdback.eligibility.assessment import ELIGIBLE, INELIGIBLE, REFERRED, UNDETERMINED
from holdback.tools.proofs.claims import is_possible
from holdback.tools.proofs.effects import compare
from holdback.tools.proofs.question import outcome
from small_rulebooks import FACTS, GBP, SmallRulebooks, every_deal, typical

ON = date(2026, 7, 1)
PAIRS = count("pairs of rulebooks held against every deal")
RELATIONS = {
    (False, False): "equivalent",
    (False, True): "stricter",
    (True, False): "looser",
    (True, True): "incomparable",
}
# Who passes is better off than who waits for a person or a fact, and who is declined is worst.
RANKS = {ELIGIBLE: 0, REFERRED: 1, UNDETERMINED: 1, INELIGIBLE: 2}
CLASSES = ("accepted", "referred", "declined")


def names_of(*rulesets, floor):
    """The facts that decide the outcomes of *rulesets*."""
    read = {name for rules in rulesets for rule in rules.rules for name in rule.checked.names}
    return read | {"progress"} if floor else read


def enumerated(before, after, *, floor):
    """The deals whose outcome is another one, by their class before and after."""
    deals = {}
    for facts in every_deal(names_of(before, after, floor=floor)):
        if not is_possible(facts, GBP):
            continue
        was, now = (outcome(rules, facts, floor=floor) for rules in (before, after))
        if was != now:
            deals.setdefault((RANKS[was], RANKS[now]), []).append(facts)
    return deals


def changes(facts, usual, names):
    """How many facts of *names* are missing that are not typically, how many differ, and which."""
    missing, differing = 0, []
    for place, fact in enumerate(FACTS.facts):
        if fact.name in names and facts[place] != usual[place]:
            missing += facts[place] is None
            differing.append(place)
    return missing, len(differing), differing


def as_asked(witness, names):
    """The facts of *witness* that the questions are about; the others are unknown."""
    return tuple(
        number if fact.name in names else None
        for fact, number in zip(FACTS.facts, witness.facts, strict=True)
    )


@pytest.mark.parametrize("product", [None, "flex"])
def test_the_verdict_is_that_of_every_deal(product):
    """
    A difference is equivalent, stricter, looser or incomparable as all possible deals show, unknown
    facts and relations between facts included: a referral is worse than a pass and better than a
    decline. Which classes deals move between is what all deals show. A deal that shows it has the
    fewest changes, and of those the first facts are changed.
    """
    floor = product is None
    random = Random(f"differences {product}")
    small = SmallRulebooks(random)
    met = Counter()
    for _ in range(PAIRS // 2):
        before, after = small.pair()
        usual = typical(random)
        names = names_of(before, after, floor=floor)
        deals = enumerated(before, after, floor=floor)

        compared = compare(before, after, usual, ON, product=product)

        pairs = sorted((was, now) for was, now in deals if was != now)
        expected = RELATIONS[
            any(now < was for was, now in pairs), any(was < now for was, now in pairs)
        ]
        assert compared.relation == expected, (before, after)
        assert sorted(compared.moves) == sorted((CLASSES[was], CLASSES[now]) for was, now in pairs)
        met[expected] += 1
        sides = [
            (compared.gained, [*deals.get((1, 0), ()), *deals.get((2, 0), ())]),
            (compared.lost, [*deals.get((0, 1), ()), *deals.get((0, 2), ())]),
        ]
        # Where a deal gains or loses, it shows that already.
        sides.append((compared.eased, [] if sides[0][1] else deals.get((2, 1), [])))
        sides.append((compared.tightened, [] if sides[1][1] else deals.get((1, 2), [])))
        met["eased"] += compared.eased is not None
        met["tightened"] += compared.tightened is not None
        if expected == "equivalent":
            sides.append((compared.moved, deals.get((1, 1), [])))
        for witness, shown in sides:
            assert (witness is not None) == bool(shown)
            if witness is None:
                continue
            assert as_asked(witness, names) in shown
            plainest = min(changes(facts, usual, names) for facts in shown)
            assert changes(witness.facts, usual, names) == plainest, (before, after, witness)
            was, now = compared.outcomes(witness)
            assert was.outcome == outcome(before, witness.facts, floor=floor)
            assert now.outcome == outcome(after, witness.facts, floor=floor)
            assert was != now
            met["changes", len(witness.changes)] += 1
    for relation in RELATIONS.values():
        assert met[relation] >= PAIRS / 40, met
    for what in ("eased", "tightened"):
        assert met[what] >= PAIRS / 100, met
    for changed in (0, 1, 2):
        assert met["changes", changed] >= 1, met
