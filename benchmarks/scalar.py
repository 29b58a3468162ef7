"""One deal at a time: other rules engines, compared with the closure.

Measures: ten renewal rules on the twelve facts of a deal (`task.py`), to the codes of the failing
rules. Against: datalogic-py, zen-engine, common-expression-language, simpleeval, rule-engine and
business-rules (`engines.py`), each with facts in the form that it prefers; converting a deal, and a
result into codes, is not timed.

Ratios to reach:

- on prepared facts, at least 4 times faster than one compiled list of datalogic-py, and at least 80
  times faster than rule-engine and a zen-engine decision;
- from a dict of Decimals, validated, at least 10 times faster than rule-engine and a zen-engine
  decision;
- none of 1,000 traps wrong: deals with a percentage that a float cannot hold, such as
  49.99999999999999999.

Before anything is timed, all results on ordinary deals are compared with the function by hand. The
traps that other engines get wrong are counted.

Run it with `python benchmarks/field.py` or, where the peers of `requirements.txt` are installed,
with `python benchmarks/scalar.py`.
"""

from __future__ import annotations

import sys
from random import Random
from statistics import median

from engines import ENTRIES
from ratios import (
    Contender,
    Ratios,
    at_least,
    at_most,
    in_rounds,
    is_installed,
    machine,
    print_markdown,
    ratio,
)
from sizes import sizes
from task import (
    CATALOGUE,
    RULES,
    Deal,
    by_hand,
    by_hand_on_decimals,
    codes_by_mask,
    random_deals,
    trap_deals,
)

from holdback.rules import Kind, check, parse
from holdback.rules.closure import mask_function

SLOW_DEALS = 200  # for those that take tens of microseconds

PREPARED, FROM_DICTS = OURS = ("closure", "closure, from dicts")
# what each is to take, beside the closure on prepared facts and beside the closure from dicts
TARGETS = {
    "datalogic-py": (at_least(4), None),
    "rule-engine": (at_least(80), at_least(10)),
    "zen-engine, decision": (at_least(80), at_least(10)),
}
PACKAGES = (
    "datalogic-py",
    "zen-engine",
    "common-expression-language",
    "simpleeval",
    "rule-engine",
    "business-rules",
)


def ours(dicts):
    """The closure on prepared facts, and from validated dicts; and the codes of a deal."""
    function = mask_function([check(parse(rule), CATALOGUE, Kind.FLAG) for rule in RULES.values()])
    known = [CATALOGUE.prepare(deal) for deal in dicts]
    codes, prepare = codes_by_mask(), CATALOGUE.prepare

    def on_prepared():
        for facts in known:
            false, _unknown = function(facts)
            codes[false]

    def from_dicts():
        for deal in dicts:
            false, _unknown = function(prepare(deal))
            codes[false]

    def answer(deal):
        return codes[function(prepare(deal))[0]]

    return (
        Contender(PREPARED, on_prepared, len(known)),
        Contender(FROM_DICTS, from_dicts, len(dicts)),
        answer,
    )


def installed_entries():
    """Yield the engines that are installed."""
    for make in ENTRIES:
        try:
            yield make()
        except ModuleNotFoundError as missing:
            print(f"{make.__name__} is left out: {missing.name} is not installed\n")


def contender(entry, dicts):
    """Return *entry* on some of *dicts*, its facts converted beforehand."""
    deals = [entry.facts(deal) for deal in dicts[:SLOW_DEALS]]
    evaluate = entry.evaluate

    def run():
        for deal in deals:
            evaluate(deal)

    return Contender(entry.name, run, len(deals))


def answers_of(entry):
    """Return a function from a deal to failing codes, by *entry*."""
    return lambda deal: entry.codes(entry.evaluate(entry.facts(deal)))


def check_answers(answers, dicts):
    """Compare all results on ordinary deals with the function by hand."""
    expected = [by_hand(CATALOGUE.prepare(deal)) for deal in dicts]
    for name, answer in answers.items():
        assert [answer(deal) for deal in dicts] == expected, f"{name} answers something else"


def wrong(answer, traps):
    """Return the number of *traps* with a wrong result."""
    return sum(answer(deal) != by_hand_on_decimals(Deal(**deal)) for deal in traps)


def rows(seconds, answers, takes, traps, ratios):
    """Yield a row for each contender: its time, its ratios to the closure, and its wrong traps."""
    for name, taken in seconds.items():
        prepared, from_dicts = TARGETS.get(name, (None, None))
        fallen = wrong(answers[name], traps)
        if name in OURS:
            ratios.cells(fallen, at_most(0))
        yield (
            name,
            takes[name],
            f"{median(taken) * 1e6:.2f}",
            *ratios.cells(ratio(seconds, name, PREPARED), prepared),
            *ratios.cells(ratio(seconds, name, FROM_DICTS), from_dicts),
            f"{fallen}",
        )


HEADER = (
    "what",
    "facts",
    "microseconds",
    "/ closure",
    "to reach",
    "/ closure from dicts",
    "to reach",
    "wrong traps",
)


def main():
    """Check the results, take the times and print the table; return 1 when a ratio is missed."""
    size = sizes(__doc__, rounds=(41, 1), deals=(2_000, 50), traps=(1_000, 50))
    random = Random("the rules engines of the field")
    dicts = list(random_deals(random, size.deals))
    traps = list(trap_deals(random, size.traps))
    prepared, from_dicts, answer = ours(dicts)
    entries = list(installed_entries())
    answers = {PREPARED: answer, FROM_DICTS: answer}
    answers |= {entry.name: answers_of(entry) for entry in entries}
    takes = {PREPARED: "prepared", FROM_DICTS: "Decimals"}
    takes |= {entry.name: entry.takes for entry in entries}
    check_answers(answers, dicts)

    contenders = [prepared, from_dicts, *(contender(entry, dicts) for entry in entries)]
    seconds = in_rounds(contenders, rounds=size.rounds, random=random)
    ratios = Ratios()
    print_markdown(HEADER, list(rows(seconds, answers, takes, traps, ratios)))
    print(f"\n{machine(filter(is_installed, PACKAGES))}")
    return 1 if ratios.missed and not size.smallest else 0


if __name__ == "__main__":
    sys.exit(main())
