"""Random tables of tiers as plain data, how they are written, and what they mean, told again.

A cell is `None`, which asks nothing, or an operator and its values as whole numbers in the scale of
the fact. Nothing here uses the reader of tables or of rules.
"""

from __future__ import annotations

from datetime import date
from itertools import product

STATUSES = ("Funded", "Repaid", "Renewed", "Defaulted", "Cancelled")
DAY = date(2026, 1, 1).toordinal()
# Each fact with the numbers that cells name, whether only `>=` and `<` are exact, and how a number
# is written.
FACTS = {
    "missed_remittances_30d": (range(31), False, str),
    "funded_amount": (range(1_000, 60_000, 1_000), False, lambda n: f"EUR {n // 100}.{n % 100:02}"),
    "performance": (range(100_000, 1_500_000, 50_000), True, lambda n: f"{n // 10_000}%"),
    "days_since_funding": (range(0, 400, 30), False, lambda n: f"{n} days"),
    "credit_checked_on": (range(DAY, DAY + 300, 25), False, lambda n: str(date.fromordinal(n))),
}
# The term that is chosen, of which only rows with a rate ask.
TERM = "term_months"
NUMBERS = {**FACTS, TERM: (range(3, 40, 3), False, str)}
FLAG, TEXT = "paused", "status"
ANSWERS = ("decline", "refer")
REASONS = ("No.", 'It is "full", or late; no.', "Trop tard | zu spät", "One, two; three")


def random_cell(random, name):
    """A cell about the fact *name*."""
    if random.random() < 0.25:
        return None
    if name == FLAG:
        return ("==", random.randrange(2))
    if name == TEXT:
        operator = random.choice(("==", "!=", "in"))
        count = random.randint(2, 3) if operator == "in" else 1
        return (operator, *random.sample(range(len(STATUSES)), count))
    numbers, rounded, _ = NUMBERS[name]
    operator = random.choice(("<", ">=", "to below", *(() if rounded else MORE)))
    if operator in {"to", "to below", "in"}:
        return (operator, *sorted(random.sample(numbers, 2)))
    return (operator, random.choice(numbers))


MORE = ("<=", ">", "to", "in", "==", "!=")


def cell_text(name, cell, random):
    """A cell as people write it."""
    if cell is None:
        return random.choice(("-", ""))
    operator, *numbers = cell
    if name == FLAG:
        return ("false", "true")[numbers[0]]
    words = [STATUSES[n] if name == TEXT else NUMBERS[name][2](n) for n in numbers]
    if operator == "in":
        return " or ".join(words)
    if operator in {"to", "to below"}:
        return random.choice((
            f"{words[0]} {operator} {words[1]}",
            f">= {words[0]} and {'<=' if operator == 'to' else '<'} {words[1]}",
        ))  # fmt: skip
    if operator == "==":
        return random.choice((words[0], f"== {words[0]}"))
    if operator == "!=":
        return random.choice((f"not {words[0]}", f"!= {words[0]}"))
    return f"{operator} {words[0]}"


def holds(cell, number):
    """Whether *number* is what *cell* asks; None where it is unknown."""
    if cell is None:
        return True
    operator, *numbers = cell
    if number is None:
        return None
    first, last = numbers[0], numbers[-1]
    return {
        "<": number < first,
        "<=": number <= first,
        ">": number > first,
        ">=": number >= first,
        "==": number == first,
        "!=": number != first,
        "in": number in numbers,
        "to": first <= number <= last,
        "to below": first <= number < last,
    }[operator]


def all_of(answers):
    """False when one is, else None when one is, else True."""
    answers = list(answers)
    return False if False in answers else None if None in answers else True


class RandomTable:
    """A table with random columns and rows."""

    def __init__(self, random):
        names = [*FACTS, FLAG, TEXT]
        self.facts = random.sample(names, random.randint(1, 3))
        self.required = random.sample(names, random.choice((0, 1, 1, 2)))
        self.rows = [self._row(random, place) for place in range(random.randint(1, 6))]
        if random.random() < 0.5:
            self._tile(random)
        words = [f"require {name}" for name in self.required]
        self.columns = ["row", *self.facts, *words, "answer", "reason"]
        random.shuffle(self.columns)
        self.cells = [self._written(row, random) for row in self.rows]

    def _row(self, random, place):
        limits = {name: random_cell(random, name) for name in self.facts}
        required = {name: random_cell(random, name) for name in self.required}
        if any(required.values()):
            answer = random.choice(("", *ANSWERS))
        else:
            # Nothing may have the same answer for every deal.
            some = any(cell is not None for cell in limits.values())
            answer = random.choice(("pass", *(ANSWERS if some else ())))
        return (f"r{place}", limits, required, answer)

    def _tile(self, random):
        """Let the rows take every value of one of the facts, most of them once."""
        name = random.choice(self.facts)
        if name == FLAG:
            cells = [("==", 0), ("==", 1)]
        elif name == TEXT:
            cells = [("==", 0), ("!=", 0)]
        else:
            first, last = sorted(random.sample(NUMBERS[name][0], 2))
            cells = [("<", first), ("to below", first, last), (">=", last)]
        cells += random.sample(cells, random.randrange(2))
        for place, cell in enumerate(cells):
            limits = {fact: cell if fact == name else None for fact in self.facts}
            _, _, *rest = random.choice(self.rows)
            self.rows.append((f"t{place}", limits, *rest))
        del self.rows[: -len(cells)]

    def _written(self, row, random):
        name, limits, required, answer = row
        texts = {
            "row": name,
            "answer": answer or random.choice(("-", "")),
            "reason": random.choice(REASONS),
        }
        texts |= {fact: cell_text(fact, cell, random) for fact, cell in limits.items()}
        texts |= {
            f"require {fact}": cell_text(fact, cell, random) for fact, cell in required.items()
        }
        return [texts[column] for column in self.columns]  # fmt: skip

    def takes(self, row, deal):
        return all_of(holds(cell, deal.get(name)) for name, cell in row[1].items())

    def answer(self, row, deal):
        """Whether *deal* has what *row* requires, or is not one that it takes."""
        _, _, required, answer = row
        taken = self.takes(row, deal)
        fulfilled = all_of(holds(cell, deal.get(name)) for name, cell in required.items())
        if answer == "pass":
            return True
        if not any(required.values()):
            fulfilled = False
        if taken is False or fulfilled is True:
            return True
        return None if None in (taken, fulfilled) else False

    def result(self, row):
        """What a deal is asked that the row takes; the same for rows that mean the same."""
        _, _, required, answer = row
        asked = {name: cell for name, cell in required.items() if cell is not None}
        return "pass" if answer == "pass" else (answer or "decline", asked)

    def deals(self, ends):
        """Every deal that differs for the table from all others; *ends* are those of each fact."""
        return [
            dict(zip(self.facts, numbers, strict=True))
            for numbers in product(*(self._numbers(name, ends) for name in self.facts))
        ]

    def _numbers(self, name, ends):
        if name in {FLAG, TEXT}:
            return range(ends[name][0], ends[name][1] + 1)
        low, high = ends[name]
        cells = [row[1][name] for row in self.rows if row[1][name] is not None]
        near = {number + step for _, *numbers in cells for number in numbers for step in (-1, 0, 1)}
        return sorted(number for number in near | {low, high} if low <= number <= high)


class RandomPrices(RandomTable):
    """A table whose rows give rates and limits, in millionths and cents, or decline their deals."""

    def __init__(self, random):
        names = [*NUMBERS, FLAG, TEXT]
        self.facts = random.sample(names, random.randint(1, 3))
        self.results = ["factor_rate", *([] if TERM in self.facts else ["maximum"])]
        self.rows = [self._row(random, place) for place in range(random.randint(1, 6))]
        if random.random() < 0.5:
            self._tile(random)
        if not any(row[3] for row in self.rows):  # a product needs a price
            self.rows[0] = (*self.rows[0][:2], "", {"factor_rate": 1_200_000, "maximum": 500_000})
        self.columns = ["row", *self.facts, *self.results, "answer"]
        random.shuffle(self.columns)
        self.cells = [self._written(row, random) for row in self.rows]

    def _row(self, random, place):
        limits = {name: random_cell(random, name) for name in self.facts}
        some = any(cell is not None for cell in limits.values()) and TERM not in self.facts
        if place and some and random.random() < 0.2:
            return (f"r{place}", limits, "decline", {})
        rate, most = random.choice((1_000_000, 1_180_000, 1_300_001)), random.randrange(100, 10**6)
        return (f"r{place}", limits, "", {"factor_rate": rate, "maximum": most})

    def _written(self, row, random):
        name, limits, answer, prices = row
        texts = {"row": name, "answer": answer or random.choice(("-", "", "pass"))}
        texts |= {fact: cell_text(fact, cell, random) for fact, cell in limits.items()}
        texts |= {result: random.choice(("-", "")) for result in self.results}
        if prices:
            rate, most = prices["factor_rate"], prices["maximum"]
            texts["factor_rate"] = f"{rate // 10**6}.{rate % 10**6:06}"
            texts["maximum"] = f"EUR {most // 100}.{most % 100:02}"
        return [texts[column] for column in self.columns]

    def result(self, row):
        return row[2] or tuple(row[3][name] for name in self.results)

    def given(self, result, deal):
        """What the rows give that may take *deal*."""
        return {
            row[3][result] for row in self.rows if row[3] and self.takes(row, deal) is not False
        }
