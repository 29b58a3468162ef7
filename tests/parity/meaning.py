"""What a value of a column means, and what must come out of a row: worked out without `holdback.portfolio`.

A value means what `Fact.read` says it means in a facts document. The outcome of a row is worked out
from the reference interpreter and design 4. Nothing here knows of frames.
"""

from __future__ import annotations

import math
from datetime import date
from decimal import Decimal
from fractions import Fraction

from holdback.rules.types import Kind

FAULT = "at fault"
FLOOR = 50 * 10**4  # percent, in ten-thousandths
OUTCOMES = ("eligible", "referred", "ineligible", "undetermined", "not_assessed", "invalid")
FLOOR_BIT = 60
PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
EPOCH = date(1970, 1, 1).toordinal()


# -- values


def meant(fact, value):
    """*value* as a whole number of *fact*, None where it is unknown, or `FAULT`."""
    try:
        return fact.read(_written(fact, value))
    except ValueError:
        return FAULT


def _written(fact, value):
    """What a facts document has in place of *value* of a column."""
    if isinstance(value, float):
        value = decimal_of(value, fact.type.places, down=fact.derived)
    if (
        isinstance(value, Decimal)
        and value.is_finite()
        and fact.type.kind in (Kind.COUNT, Kind.DAYS)
    ):
        return int(value) if value == int(value) else value
    return value


def decimal_of(value, places, *, down=False):
    """
    The decimal that the float *value* stands for: "A float is read as the decimal number of the
    type's places to which it is the nearest float, so that 0.1 is one tenth. One that is nearest to
    none has more decimals than the type: it is at fault, and of a derived percentage it is rounded
    down". NaN is unknown.
    """
    if math.isnan(value) or math.isinf(value):
        return Decimal(value)
    below = math.floor(Fraction(value) * 10**places)
    for number in (below, below + 1):
        if float(f"{number}e-{places}") == value:
            return Decimal(number).scaleb(-places)
    return Decimal(below).scaleb(-places) if down else Decimal(value)


def day(ordinal):
    """The day with the proleptic *ordinal*, as a facts document has it; one beyond the calendar is no day."""
    if ordinal is None:
        return None
    return date.fromordinal(ordinal) if 1 <= ordinal <= date.max.toordinal() else "no day"


def instant(ticks, unit):
    """
    The day of the midnight that is *ticks* of *unit* after 1970 began; another instant is no day.
    """
    if ticks is None:
        return None
    days, rest = divmod(ticks, 86_400 * PER_SECOND[unit])
    return "no day" if rest else day(EPOCH + days)


# -- rows


def answer(rules, facts, answers):
    """
    Outcome, failing mask and needs mask of prepared *facts*, to which each of *rules* says what
    *answers* have:

    "Progress unknown: `undetermined`, needs progress, nothing else is looked at. Progress under the
    floor: `not_assessed`. Any declining rule false: `ineligible`. Else anything unknown:
    `undetermined`, with `needs` naming the unknown facts read by the unknown rules. Else any
    referring rule false: `referred`. Else `eligible`." (design 4)
    """
    progress = next(n for n, fact in enumerate(rules.catalogue.facts) if fact.name == "progress")
    if facts[progress] is None:
        return OUTCOMES.index("undetermined"), 0, 1 << progress
    if facts[progress] < FLOOR:
        return OUTCOMES.index("not_assessed"), 1 << FLOOR_BIT, 0
    false = [bit for bit, said in enumerate(answers) if said is False]
    declining = [bit for bit in false if rules.rules[bit].otherwise == "decline"]
    if declining:
        return OUTCOMES.index("ineligible"), sum(1 << bit for bit in declining), 0
    unknown = [bit for bit, said in enumerate(answers) if said is None]
    if unknown:
        read = {place for bit in unknown for place in rules.rules[bit].checked.facts}
        needs = sum(1 << place for place in read if facts[place] is None)
        return OUTCOMES.index("undetermined"), 0, needs
    if false:
        return OUTCOMES.index("referred"), sum(1 << bit for bit in false), 0
    return OUTCOMES.index("eligible"), 0, 0


def invalid(faults):
    """The answer to a row in which the facts at the places *faults* cannot be read."""
    return OUTCOMES.index("invalid"), 0, sum(1 << place for place in faults)
