"""What is said of a child and its parent is what looking at every deal shows, on every day."""

from __future__ import annotations

from collections import Counter
from datetime import date
from itertools import product
from random import Random

import pytest

from counts import count
from holdback.eligibility.assessment import ELIGIBLE, INELIGIBLE, REFERRED, UNDETERMINED
from holdback.eligibility.ruleset import DECLINE, REFER
from holdback.rules import interpret
from holdback.rules.render import text_of
from holdback.tools.proofs.claims import Prover, is_possible
from holdback.tools.proofs.effects import compare
from holdback.tools.proofs.question import outcome
from small_folders import child, country, loaded, parameter, rule

ALL = count("families of dated rules held against every deal")
# In a campaign there are several chunks, so that processes share them.
CHUNKS = max(1, ALL // 250)
FAMILIES = ALL // CHUNKS
DAYS = ("2025-01-01", "2025-07-01", "2026-01-01", "2026-07-01")
PACES, COUNTS = (70, 75, 80), (0, 1, 2)
# What a rule may ask, by its id; a child replaces the rule by one of the same id.
ASKED = {
    "pace": (
        "performance >= pace",
        "performance >= 75%",
        "performance >= pace or deals_completed >= 2",
    ),
    "missed": (
        "missed_remittances_30d <= missed",
        "missed_remittances_30d <= missed or performance >= pace",
    ),
    "loyal": ("deals_completed >= loyal", "deals_completed >= loyal or not paused"),
}
RANKS = {ELIGIBLE: 0, REFERRED: 1, UNDETERMINED: 1, INELIGIBLE: 2}
RELATIONS = ("equivalent", "stricter", "looser", "incomparable")
LOOSEN, TIGHTEN = (f'[[claims]]\noverlay = "{word}"\n\n' for word in ("loosen", "tighten"))


class Family:
    """A parent and a child, their rules and values changing on some of the days."""

    def __init__(self, random):
        self.random = random

    def values(self, name):
        """Dated values of a parameter."""
        days = [DAYS[0], *(day for day in DAYS[1:] if self.random.random() < 0.4)]
        choose = self.random.choice
        if name == "pace":
            return parameter(name, "percent", *((day, f'"{choose(PACES)}%"') for day in days))
        return parameter(name, "count", *((day, choose(COUNTS)) for day in days))

    def rule(self, name, code):
        """A rule of this id, which may begin or end on a later day."""
        more = {"otherwise": f'"{self.random.choice((DECLINE, REFER))}"'}
        since, until = sorted(self.random.sample(DAYS, 2))
        if self.random.random() < 0.3:
            more["until"] = until
        else:
            since = self.random.choice((DAYS[0], DAYS[0], since))
        place = [*ASKED].index(name) + 1
        require = self.random.choice(ASKED[name])
        return rule(name, f"{code}-R-0{place}", require, since=since, **more)

    def folders(self):
        """The files of both; a rule that always holds lets neither be without rules."""
        always = rule("least", "NL-R-09", "performance >= 52%")
        parent = "".join(map(self.values, ("pace", "missed", "loyal")))
        parent += always + "".join(
            self.rule(name, "NL") for name in ASKED if self.random.random() < 0.8
        )
        own = "".join(
            self.values(name) for name in ("pace", "missed", "loyal") if self.random.random() < 0.5
        )
        own += "".join(self.rule(name, "NL-ZH") for name in ASKED if self.random.random() < 0.35)
        own += self.random.choice(("", "", LOOSEN, TIGHTEN))
        typical = '[typical]\nprogress = "64%"\nperformance = "97%"\n'
        return {
            "NL": country() | {"renewal.toml": f"format = 1\n\n{parent}{typical}"},
            "NL_ZH": child(renewal=own + typical),
        }


def deals(catalogue):
    """Every deal that the rules tell apart: each fact at each side of each figure, and unknown."""
    paces = [None, *(f"{pace - gap:.4f}%" for pace in (*PACES, 52) for gap in (0, 0.0001))]
    every = product(paces, (None, 0, 1, 2, 3), (None, 0, 1, 2), (None, True, False))
    names = ("performance", "missed_remittances_30d", "deals_completed", "paused")
    for values in every:
        known = {
            name: value for name, value in zip(names, values, strict=True) if value is not None
        }
        facts = catalogue.prepare({"progress": "50%", **known})
        if is_possible(facts, catalogue.currency):
            yield facts


def rank(rules, facts):
    return RANKS[outcome(rules, facts, floor=True)]


def rank_alone(found, facts):
    """The class by one rule: a pass, a referral or what is not known, a decline."""
    answer = interpret(found.checked, facts)
    return 0 if answer else 1 if answer is None or found.otherwise == REFER else 2


def looser_by_deals(parent, own, better):
    """The rules by which one of the deals that are better off in the child is."""
    above = {found.id: found for found in parent.rules}
    return {
        found.id
        for found in own.rules
        if found.id in above
        and any(rank_alone(found, facts) < rank_alone(above[found.id], facts) for facts in better)
    }


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_a_child_is_judged_as_every_deal_shows(chunk):
    """
    On every day on which the parent or the child changes, the child is looser, stricter, equivalent
    or incomparable as all deals show in three classes: accepted, referred, declined. A rule that
    has become looser is found on that day, if it was not so from the first day on, and a claim to
    tighten is broken where any deal is better off.
    """
    random = Random(f"families {chunk}")
    family, met = Family(random), Counter()
    for _ in range(FAMILIES):
        jurisdictions = loaded(**family.folders())
        parent, own = jurisdictions["NL"], jurisdictions["NL-ZH"]
        days = sorted({*parent.changes, *own.changes})
        every = [*deals(own.policy.catalogue)]
        expected, meant, quiet = set(), set(), set()
        before, ever_better = None, False
        for day in days:
            rules = [side.rulebook(day).renewal for side in (parent, own)]
            ranks = [(rank(rules[0], facts), rank(rules[1], facts), facts) for facts in every]
            better = [facts for was, now, facts in ranks if now < was]
            relation = RELATIONS[2 * bool(better) + any(was < now for was, now, _ in ranks)]
            assert compare(*rules, own.typical_deal(None), day).relation == relation, (day, rules)
            met[relation] += 1
            ever_better |= bool(better)
            looser = looser_by_deals(*rules, better)
            version = {
                found.id: (found.id, found.otherwise, text_of(found.checked.tree))
                for found in rules[1].rules
            }
            # What was so on the first day, and as long as it is, may come back unchanged.
            same = looser if before is None else quiet
            quiet = {name for name in looser if name in same or version[name] in meant}
            meant |= {version[name] for name in quiet}
            expected |= {(name, day) for name in looser - (before or set()) - quiet}
            before = looser

        findings = Prover(jurisdictions).findings(own, date(2025, 1, 1))
        claims = {claim.text for claim in own.claims}
        shown = {
            (finding.detail.message.split("`")[1], finding.since): finding
            for finding in findings
            if finding.claim == "child-keeps-up"
        }
        assert {*shown} == (set() if "loosen" in claims else expected)
        assert all(finding.witness is not None for finding in shown.values())
        tightens = any(finding.claim == "stated-overlay" for finding in findings)
        assert tightens == ("tighten" in claims and ever_better)
        met["overtaken"] += len(shown)
        met["not tighter"] += tightens
    for what in (*RELATIONS, "overtaken", "not tighter"):
        assert met[what] >= FAMILIES / 12, met
