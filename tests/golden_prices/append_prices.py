"""
The corpus of golden prices: `python tests/golden_prices/append_prices.py` adds new ones to it.

A line of `prices.jsonl` is one quote: a product of a jurisdiction on a day, the facts, whether it
is a renewal and what it settles, the versions of what priced it; and the decision, the limits, the
offers and the codes of the reasons. An offer is a list: funded amount, repayment amount, factor
rate, split percentage, months, days. Lines that were added before the service gave reasons of its
own have no codes. The answers come from `exact_prices`, which computes with fractions and shares no
code with holdback. Lines are added and never changed: a price that was made stays the same, byte
for byte.

1. A product is new on the first day of a slice if no line is about it there, with the versions that
   its calculators have now. `shipped` are the jurisdictions that ship, `small` are those in
   `jurisdictions/` here, which have every shape of settings and other currencies.
2. When an existing line no longer holds, nothing is added: a past price has changed.
3. `prefixes.txt` has a line for each time that lines were added: their number, and the SHA-256 of
   all of them. A line that was changed or removed breaks every prefix that contains it.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from datetime import date
from fractions import Fraction
from pathlib import Path
from random import Random

from exact_prices import PLACES, VERSION, Case, minor, products_on, rows_of, setting

from holdback import load_jurisdictions
from holdback.exact.exact_json import canonical

HERE = Path(__file__).parent
CORPUS, PREFIXES = "prices.jsonl", "prefixes.txt"
FOLDERS = {"shipped": HERE.parents[1] / "jurisdictions", "small": HERE / "jurisdictions"}

# How many quotes a product gets on the first day of the first slice, and of each later one.
MOST = {"shipped": (40, 20), "small": (80, 80)}
# A term is at most a hundred years (decisions/bounds).
MOST_DAYS = 36_500
# How far an amount is looked for that a factor brings exactly between two minor units.
TRIES = 4_000


# -- what must come out


def quote(line):
    """The bytes that *line* should have: priced by `exact_prices`."""
    written = json.loads(line)
    assert set(written["versions"].values()) == {VERSION}
    return canonical(priced(written))


def priced(case):
    """The line of a *case*: what it says, and the decision, limits, offers, and codes if it has."""
    decision, limits, offers, codes = Case(
        FOLDERS[case["folder"]],
        case["jurisdiction"],
        date.fromisoformat(case["on"]),
        case["product"],
        renewal=case["renewal"],
        facts=case["facts"],
        settlement=case["settlement"],
    ).price()
    found = {"decision": decision, "limits": limits, "offers": offers, "codes": codes}
    return case | {name: value for name, value in found.items() if name != "codes" or name in case}


# -- which quotes


class Product:
    """A product on a day, as its file has it, with amounts in minor units."""

    def __init__(self, folder, code, day, key):
        self.settings = products_on(FOLDERS[folder], code, day)[key]
        self.currency = setting(FOLDERS[folder], code, "currency")
        self.places = PLACES[self.currency]
        limits = self.settings["limits"]
        self.minimum = minor(limits["minimum"], self.places)
        self.tables = {
            kind: rows_of(FOLDERS[folder], code, day, choice["table"])
            for kind, choice in self.settings.items()
            if isinstance(choice, dict) and choice.get("calculator") == "table"
        }
        most = [row["maximum"] for row in self.tables.get("limits", [limits])]
        self.maximum = max(minor(text, self.places) for text in most)
        self.step = minor(limits["step"], self.places) if "step" in limits else None
        # The term that is chosen is not a fact.
        on = self.settings["factor_rate"].get("on")
        self.on = None if on == "term_months" else on

    def takings(self, random):
        """Monthly takings in minor units: at and beside the limits, halves, any, 0 and unknown."""
        multiple = Fraction(self.settings["limits"].get("multiple", "1"))
        yield from (None, 0, 1)
        for bound in (self.minimum, self.maximum, self.step or self.minimum):
            middle = int(bound / multiple)
            yield from (max(0, middle + unit) for unit in (-1, 0, 1, 2))
        yield from halves(multiple, int(self.minimum / multiple))
        for _ in range(8):
            yield random.randrange(10 ** random.randint(3, 7) * 10**self.places)

    def settlements(self, random):
        """What a renewal settles, in minor units: at and beside the limits, a step, halves, any."""
        yield from (0, 1, self.minimum - 1, self.minimum, self.minimum + 1)
        yield from (self.maximum - 2, self.maximum - 1, self.maximum)
        if self.step is not None:
            step = self.step * random.randint(1, 9)
            yield from (step - 1, step)
        settings = self.settings["factor_rate"]
        rows = self.tables.get("factor_rate")
        bands = settings.get("bands", [settings]) if rows is None else rows
        for band in bands:
            discount = Fraction(settings.get("renewal_discount", "0"))
            rate = max(Fraction(1), Fraction(band.get("rate", band.get("factor_rate"))) - discount)
            # Every amount is larger than what it settles, by at least a minor unit.
            yield from (amount - 1 for amount in halves(rate, self.minimum))
        for _ in range(6):
            yield random.randint(0, self.maximum)

    def values_of_on(self, fact):
        """Values of the fact `on` as scaled numbers: at and beside the bounds of bands, unknown."""
        yield None
        for band in self.settings["factor_rate"]["bands"]:
            if "up_to" in band:
                bound = fact.read(band["up_to"])
                numbers = (bound + unit for unit in (-1, 0, 1))
                yield from (number for number in numbers if fact.low <= number <= fact.high)

    def values_of_tables(self, catalogue):
        """Each fact of a column, by its place, with values at and beside the ends of rows."""
        for rows in self.tables.values():
            for name in rows[0]:
                fact = catalogue.fact(name)
                if fact is None:  # a result, or the term that is chosen
                    continue
                cells = (cell for row in rows for cell in re.split(" to below ", row[name]))
                texts = (cell.lstrip("<>= ") for cell in cells if cell != "-")
                ends = (fact.read(int(text) if text.isdecimal() else text) for text in texts)
                near = sorted({end + unit for end in ends for unit in (-1, 0, 1)})
                yield catalogue.place(name), [None, *near]


def halves(factor, start):
    """Two whole numbers from *start* on which *factor* brings exactly between two whole numbers."""
    found = [
        number for number in range(start, start + TRIES) if (number * factor) % 1 == Fraction(1, 2)
    ]
    return found[:2]


def usual_facts(jurisdiction, jurisdictions, rulebook, key):
    """
    The prepared facts of examples with offers of the product *key*, here or in a parent's file; no
    facts without any.
    """
    codes = [layer.code for layer in jurisdiction.policy.layers]
    given = [
        example.given
        for code in codes
        for example in jurisdictions.examples(code)
        if example.product == key and example.expect.get("decision") == "Accepted"
    ]
    return [rulebook.catalogue.prepare(facts) for facts in given or [{}]]


def cases_of(folder, jurisdictions, rulebook, terms):
    """Yield priced cases of a product on the first day of a slice, without repetition."""
    code, day, key = rulebook.code, rulebook.since, terms.key
    jurisdiction = jurisdictions[code]
    random, product = Random(f"{code} {day} {key}"), Product(folder, code, day, key)
    usual = usual_facts(jurisdiction, jurisdictions, rulebook, key)
    place = rulebook.catalogue.place
    on = None if product.on is None else place(product.on)
    takings = list(product.takings(random))
    settlements = list(product.settlements(random))
    values = [] if on is None else list(product.values_of_on(rulebook.catalogue.facts[on]))
    of_tables = list(product.values_of_tables(rulebook.catalogue))
    random.shuffle(takings)
    random.shuffle(settlements)
    most = MOST[folder][rulebook is not jurisdiction.slices[0]]
    seen = set()
    for number in range(most * 20):
        facts = list(random.choice(usual))
        settlement = random.choice(settlements) if number % 2 else None
        if number % 3 or facts[place("average_monthly_takings")] is None:
            facts[place("average_monthly_takings")] = takings[number % len(takings)]
        if values and number % 4 < 3:
            facts[on] = random.choice(values)
        for place_of_fact, numbers in of_tables if number % 4 < 3 else ():
            facts[place_of_fact] = random.choice(numbers)
        if settlement is not None:
            facts[place("balance")] = settlement
        answers = terms.rules.answer(tuple(facts))
        # What a price is for a product whose rules do not agree, `exact_prices` does not know.
        case = (tuple(facts), settlement)
        if answers.false or answers.unknown or case in seen:
            continue
        seen.add(case)
        line = priced(case_of(folder, rulebook, terms, *case))
        if all(days <= MOST_DAYS for *_, days in line["offers"]):
            yield line
            most -= 1
        if not most:
            return


def case_of(folder, rulebook, terms, facts, settlement):
    """A case as a line has it, before it is priced."""
    money = rulebook.catalogue.facts[rulebook.catalogue.place("balance")].type
    return {
        "folder": folder,
        "jurisdiction": rulebook.code,
        "on": rulebook.since.isoformat(),
        "product": terms.key,
        "renewal": settlement is not None,
        "settlement": None
        if settlement is None
        else f"{rulebook.currency} {money.plain(settlement)}",
        "facts": {
            fact.name: fact.type.plain(number)
            for fact, number in zip(rulebook.catalogue.facts, facts, strict=True)
            if number is not None
        },
        "versions": versions_of(rulebook, terms),
        "codes": [],
    }


def versions_of(rulebook, terms):
    """The versions of pricing and of the calculators of a product."""
    names = ["pricing", *(choice.full_name for choice in terms.calculators)]
    return {name: rulebook.versions[name] for name in sorted(names)}


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


def errors(lines, prefixes):
    """What is wrong with the *lines* that are there."""
    if lines and (not prefixes or prefixes[-1][0] != len(lines)):
        yield f"there are {len(lines)} lines, and prefixes.txt does not end with that number"
    for count, digest in prefixes:
        if digest_of(lines[:count]) != digest:
            yield f"the first {count} lines are not those that were written"
    for number, line in enumerate(lines, start=1):
        try:
            again = quote(line)
        except (AssertionError, ArithmeticError, ValueError, LookupError, TypeError) as error:
            yield f"line {number} cannot be priced: {error!r}"
            continue
        if again != line:
            yield f"line {number} no longer holds: {line.decode()}, now {again.decode()}"


def new_lines(lines):
    """The lines for every product of a slice that none of *lines* is about."""
    about = ("folder", "jurisdiction", "on", "product")
    written = {
        (*(each[name] for name in about), canonical(each["versions"]))
        for each in map(json.loads, lines)
    }
    for folder, path in FOLDERS.items():
        jurisdictions = load_jurisdictions(path)
        # One without rules of its own prices as its parent does.
        own = (each for each in jurisdictions if each.policy.own.all_rules)
        for rulebook in (slice_ for each in own for slice_ in each.slices):
            for terms in rulebook.products:
                versions = canonical(versions_of(rulebook, terms))
                day = rulebook.since.isoformat()
                if (folder, rulebook.code, day, terms.key, versions) not in written:
                    for case in cases_of(folder, jurisdictions, rulebook, terms):
                        yield canonical(case)


def say(*lines):
    """Write *lines* to standard output."""
    sys.stdout.writelines(f"{line}\n" for line in lines)


def main(folder=HERE):
    """Add new prices to *folder*; return 1 and add nothing when a line no longer holds."""
    lines, prefixes = lines_of(folder), prefixes_of(folder)
    found = list(errors(lines, prefixes))
    if found:
        say(*found[:20])
        say(f"{len(found)} errors; nothing was added. A price that was made stays as it was:")
        say("give what has changed a later `from`, or the calculator a new version.")
        return 1
    added = list(new_lines(lines))
    if added:
        with (folder / CORPUS).open("ab") as stream:
            stream.writelines(line + b"\n" for line in added)
        lines += added
        with (folder / PREFIXES).open("a", encoding="utf-8") as stream:
            stream.write(f"{len(lines)} {digest_of(lines)}\n")
    say(f"{len(added)} lines added; there are {len(lines)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
