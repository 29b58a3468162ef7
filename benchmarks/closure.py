"""One deal at a time: a set of rules, compared with the same rules written by hand.

Measures: ten renewal rules on the twelve facts of a deal (`task.py`), to the codes of the failing
rules and the mask of the unknown ones. Against: the same rules written by hand in Python (which
ignores unknown facts), on the same prepared facts and on an attrs object with Decimals.

Ratios to reach:

- the closure takes at most 1.3 times as long as the function by hand, with 3% of the facts unknown
  or none;
- keeping the facts and the masks, from which a trace is derived, adds at most 15%.

Before anything is timed, every result is compared with that of the function by hand, and those on
unknown facts with the reference interpreter. Other rules engines on the same task are in
`scalar.py`.

Run it: `python benchmarks/closure.py`
"""

from __future__ import annotations

import sys
from random import Random
from statistics import median

from ratios import Contender, Ratios, at_most, in_rounds, machine, print_markdown, ratio
from sizes import sizes
from task import CATALOGUE, RULES, Deal, by_hand, by_hand_on_decimals, codes_by_mask, random_deals

from holdback.rules import Kind, check, interpret, parse
from holdback.rules.closure import mask_function

UNKNOWN = 0.03

# what is compared, with what, and the ratio to reach
TARGETS = (
    ("closure", "by hand", at_most(1.3)),
    ("closure, 3% unknown", "by hand", at_most(1.3)),
    ("closure", "by hand, Decimals", at_most(1.3)),
    ("closure, 3% unknown", "by hand, Decimals", at_most(1.3)),
    ("closure, kept", "closure", at_most(1.15)),
)


def checked_rules():
    """Return the ten rules, checked."""
    return [check(parse(rule), CATALOGUE, Kind.FLAG) for rule in RULES.values()]


def each_of(function, deals):
    """Return a call of *function* on each of *deals*."""

    def run():
        for deal in deals:
            function(deal)

    return run


def closures(known, hidden):
    """Yield the closure on *known* and on *hidden* facts, with codes, and with the facts kept."""
    function, codes = mask_function(checked_rules()), codes_by_mask()

    def on(deals):
        def run():
            for facts in deals:
                false, _unknown = function(facts)
                codes[false]

        return run

    def kept():
        for facts in known:
            false, unknown = function(facts)
            codes[false]
            _kept = facts, false, unknown  # what a trace is worked out from

    yield Contender("closure", on(known), len(known))
    yield Contender("closure, 3% unknown", on(hidden), len(hidden))
    yield Contender("closure, kept", kept, len(known))


def check_answers(dicts, known, hidden):
    """Compare every result with the function by hand or, for unknown facts, the interpreter."""
    rules = checked_rules()
    function, codes = mask_function(rules), codes_by_mask()
    for deal, facts in zip(dicts, known, strict=True):
        expected = by_hand(facts)
        assert by_hand_on_decimals(Deal(**deal)) == expected
        assert codes[function(facts)[0]] == expected
    for facts in hidden:
        answers = [interpret(rule, facts) for rule in rules]
        false = sum((answer is False) << bit for bit, answer in enumerate(answers))
        unknown = sum((answer is None) << bit for bit, answer in enumerate(answers))
        assert function(facts) == (false, unknown)


def main():
    """Check the results, take the times and print the tables; return 1 when a ratio is missed."""
    size = sizes(__doc__, rounds=(41, 1), deals=(2_000, 200))
    random = Random("ten rules on twelve facts")
    dicts = list(random_deals(random, size.deals))
    known = [CATALOGUE.prepare(deal) for deal in dicts]
    hidden = [
        tuple(None if random.random() < UNKNOWN else number for number in facts) for facts in known
    ]
    objects = [Deal(**deal) for deal in dicts]
    check_answers(dicts, known, hidden)
    contenders = [
        Contender("by hand", each_of(by_hand, known), size.deals),
        Contender("by hand, Decimals", each_of(by_hand_on_decimals, objects), size.deals),
        *closures(known, hidden),
    ]
    seconds = in_rounds(contenders, rounds=size.rounds, random=random)
    print_markdown(
        ("what", "microseconds a deal"),
        [(name, f"{median(taken) * 1e6:.3f}") for name, taken in seconds.items()],
    )
    print()
    ratios = Ratios()
    print_markdown(
        ("what", "ratio", "to reach"),
        [
            (f"{name} / {other}", *ratios.cells(ratio(seconds, name, other), target))
            for name, other, target in TARGETS
        ],
    )
    print(f"\n{machine(('attrs',))}")
    return 1 if ratios.missed and not size.smallest else 0


if __name__ == "__main__":
    sys.exit(main())
