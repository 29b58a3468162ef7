"""
The expected number of a value and outcome of a row, computed without `holdback.portfolio`.

A value has the number that `Fact.read` gives it in a facts document. The outcome of a row follows
from the answers of the reference interpreter. Nothing here knows frames.
"""

from __future__ import annotations

import math
import re
from datetime import date
from decimal import Decimal
from fractions import Fraction

from holdback.rules.types import Kind

INVALID = "invalid"
FLOOR = 50 * 10**4  # percent, in ten-thousandths
OUTCOMES = ("eligible", "referred", "ineligible", "undetermined", "not_assessed", "invalid")
FLOOR_BIT = 60
PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
EPOCH = date(1970, 1, 1).toordinal()


# -- values


def expected_value(fact, value):
    """*value* as a scaled integer of *fact*, None if it is unknown, or `INVALID`."""
    try:
        return fact.read(_written(fact, value))
    except ValueError:
        return INVALID


def _written(fact, value):
    """
    *value* of a column as a facts document has it: in a column of texts or objects, whole numbers
    and flags may be texts.
    """
    if isinstance(value, float):
        value = decimal_of(value, fact.type.places, down=fact.rounded_down)
    if (
        isinstance(value, Decimal)
        and value.is_finite()
        and fact.type.kind in (Kind.COUNT, Kind.DAYS)
    ):
        return int(value) if value == int(value) else value
    if isinstance(value, str) and fact.type.kind in (Kind.COUNT, Kind.DAYS):
        whole = re.fullmatch(r"(-?(?:0|[1-9][0-9]{0,16}))(\.0+)?", value)
        return int(whole[1]) if whole else value
    if isinstance(value, str) and fact.type.kind is Kind.FLAG:
        return {"true": True, "false": False}.get(value.lower(), value)
    return value


def decimal_of(value, places, *, down=False):
    """
    The decimal that the float *value* stands for: the decimal number with the type's places to
    which it is the nearest float, so that 0.1 is one tenth. If it is the nearest to none, it has
    more decimals than the type allows and is invalid; *down* rounds it down instead. NaN is
    unknown.
    """
    if math.isnan(value) or math.isinf(value):
        return Decimal(value)
    below = math.floor(Fraction(value) * 10**places)
    for number in (below, below + 1):
        if float(f"{number}e-{places}") == value:
            return Decimal(number).scaleb(-places)
    return Decimal(below).scaleb(-places) if down else Decimal(value)


def day(ordinal):
    """The day with the proleptic *ordinal* as a facts document has it, if the calendar has it."""
    if ordinal is None:
        return None
    return date.fromordinal(ordinal) if 1 <= ordinal <= date.max.toordinal() else "no day"


def instant(ticks, unit):
    """
    The day of the midnight that is *ticks* of *unit* after the start of 1970; another instant has
    no day.
    """
    if ticks is None:
        return None
    days, rest = divmod(ticks, 86_400 * PER_SECOND[unit])
    return "no day" if rest else day(EPOCH + days)


# -- rows


def answer(rules, facts, answers):
    """
    Outcome, failing mask and needs mask of prepared *facts*, given the *answers* of each of
    *rules*.

    Without progress: `undetermined`, needs progress, and no rule is evaluated. Below the floor:
    `not_assessed`. If a declining rule is false: `ineligible`. Else, if a rule is unknown:
    `undetermined`, and the needs are the unknown facts that unknown rules read. Else, if a
    referring rule is false: `referred`. Else `eligible`.
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
    """The answer to a row in which the facts at *places* cannot be read."""
    return OUTCOMES.index("invalid"), 0, sum(1 << place for place in faults)
