"""What would help a deal, and when it would pass, compared with a plain assessment of it.

Measures: all minimal sets of changes for every example that ships of rules that do not pass
(`Assessment.what_would_help`), and the windows in the next 730 days of every typical deal that
ships (`holdback.tools.advice.windows`). Against: one assessment of the same prepared facts, and
731.

To reach, on one core:

- at most 5 ms a deal for what would help, the slowest example included;
- at most 30 ms for 730 days.

Before anything is timed, every answer is applied and assessed again: it is eligible.

Run it: `python benchmarks/what_would_help.py`; `--smallest` makes it shorter.
"""

from __future__ import annotations

import sys
from datetime import date
from random import Random
from statistics import median

from ratios import Contender, figure, in_rounds, machine, print_markdown, ratio
from sizes import sizes

from holdback import load_jurisdictions
from holdback.tools.advice import windows

ON = date(2026, 7, 1)
DAYS = 730
MOST_MS = {"what would help": 5, "what would help, slowest": 5, "windows, 730 days": 30}


def refused(jurisdictions):
    """Return the assessments of all examples that ship of deals that are not eligible."""
    found = []
    for jurisdiction in jurisdictions:
        for example in jurisdiction.examples:
            if example.of_rules and example.product is None:
                assessment = jurisdiction.rulebook(example.on).assess(example.given)
                if not assessment.eligible:
                    found.append((jurisdiction.rulebook(example.on), assessment))
    return found


def check_answers(cases):
    """Apply every answer and assess it again."""
    for rulebook, assessment in cases:
        helped = assessment.what_would_help()
        assert helped.complete
        assert all(rulebook.assess(way.facts).eligible for way in helped.ways)


def plain(cases):
    """Return a call that assesses each of *cases* once."""
    prepared = [(rulebook, assessment.answers.facts) for rulebook, assessment in cases]

    def run():
        for rulebook, facts in prepared:
            rulebook.assess_prepared(facts)

    return run


def helped(cases):
    """Return a call that says of each of *cases* what would help."""

    def run():
        for _, assessment in cases:
            assessment.what_would_help()

    return run


def typical_deals(jurisdictions):
    """Return each jurisdiction that ships with a typical deal, and that deal."""
    return [
        (jurisdiction, dict(jurisdiction.typical["renewal"]))
        for jurisdiction in jurisdictions
        if jurisdiction.typical["renewal"]
    ]


def forecasts(deals):
    """Return a call that says of each of *deals* when it would pass."""

    def run():
        for jurisdiction, facts in deals:
            windows(jurisdiction, facts, on=ON, pace="0.3%", days=DAYS)

    return run


def every_day(deals):
    """Return a call that assesses each of *deals* on as many days, its facts unchanged."""
    prepared = []
    for jurisdiction, facts in deals:
        rulebook = jurisdiction.rulebook(ON)
        prepared.append((rulebook, rulebook.catalogue.prepare(facts)))

    def run():
        for rulebook, facts in prepared:
            for _ in range(DAYS + 1):
                rulebook.assess_prepared(facts)

    return run


def slowest(cases, random, rounds):
    """Return the case whose answer takes longest, by the best of some runs."""
    contenders = [
        Contender(str(place), case[1].what_would_help, 1) for place, case in enumerate(cases)
    ]
    seconds = in_rounds(contenders, rounds=rounds, random=random, warm_up=1)
    return cases[int(max(seconds, key=lambda name: min(seconds[name])))]


def main():
    """Check the answers, take the times and print the table; return 1 when one is too slow."""
    size, random = sizes(__doc__, rounds=(15, 1)), Random("what would help")
    jurisdictions = load_jurisdictions()
    cases, deals = refused(jurisdictions), typical_deals(jurisdictions)
    check_answers(cases)
    worst = [slowest(cases, random, -(-size.rounds // 3))]
    contenders = [
        Contender("an assessment", plain(cases), len(cases)),
        Contender("what would help", helped(cases), len(cases)),
        Contender("an assessment, slowest", plain(worst), 1),
        Contender("what would help, slowest", helped(worst), 1),
        Contender("731 assessments", every_day(deals), len(deals)),
        Contender("windows, 730 days", forecasts(deals), len(deals)),
    ]
    seconds = in_rounds(contenders, rounds=size.rounds, random=random)
    base = {
        "what would help": "an assessment",
        "what would help, slowest": "an assessment, slowest",
        "windows, 730 days": "731 assessments",
    }
    rows, missed = [], 0
    for name, taken in seconds.items():
        spent, most = median(taken) * 1e3, MOST_MS.get(name)
        late = most is not None and spent > most
        missed += late
        to_reach = "" if most is None else f"at most {most}{': **missed**' if late else ''}"
        against = figure(ratio(seconds, name, base[name])) if name in base else ""
        rows.append((name, f"{spent:.4f}", to_reach, against))
    print_markdown(("what", "ms a deal", "to reach", "/ plain"), rows)
    print(f"\n{len(cases)} examples, {len(deals)} typical deals. {machine(('attrs',))}")
    return 1 if missed and not size.smallest else 0


if __name__ == "__main__":
    sys.exit(main())
