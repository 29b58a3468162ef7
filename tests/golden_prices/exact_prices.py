"""
Prices computed independently, with exact fractions, from the files of a folder of jurisdictions.

It shares no code with holdback: it reads the TOML itself, overlays children itself, and computes as
`docs/reference/calculators.md` and `docs/decisions/offers.md` say. A price is what comes out for a
product whose rules agree.
"""

from __future__ import annotations

import tomllib
from datetime import date
from fractions import Fraction
from functools import cache
from itertools import product as pairs
from math import ceil, floor

# The decimals of the minor unit, by the code of the currency (ISO 4217).
PLACES = {
    "AUD": 2,
    "CAD": 2,
    "EUR": 2,
    "GBP": 2,
    "JPY": 0,
    "KRW": 0,
    "KWD": 3,
    "LBP": 2,
    "NOK": 2,
    "SEK": 2,
    "USD": 2,
}
# The columns of a table that say what comes of a row; the others are facts.
RESULTS = ("row", "factor_rate", "maximum", "split_percentage")
KINDS = ("limits", "split_percentage", "factor_rate", "term")
# The versions of pricing and of the calculators that this module computes.
VERSION = 1


class Unknown(Exception):
    """A fact that a calculator needs is not known."""


# -- the files


@cache
def file_of(folder, code, name):
    """The content of a file, {} where there is none."""
    path = folder / code / name
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def layers(folder, code):
    """The codes of the ancestors of *code*, the most distant first, and its own."""
    parent = file_of(folder, code, "jurisdiction.toml").get("parent")
    return [*(layers(folder, parent) if parent else ()), code]


def setting(folder, code, name):
    """A setting of a jurisdiction, its own or inherited."""
    found = [file_of(folder, each, "jurisdiction.toml").get(name) for each in layers(folder, code)]
    return next(value for value in reversed(found) if value is not None)


def holds(entry, day):
    """Whether *day* is in the half-open period of *entry*."""
    start, end = entry.get("from", date.min), entry.get("until")
    return start <= day and (end is None or day < end)


def products_on(folder, code, day):
    """The products in force on *day* by key; a child replaces or drops whole ones."""
    in_force = {}
    for layer in layers(folder, code):
        for dropped in file_of(folder, layer, "jurisdiction.toml").get("switch_off", ()):
            if "product" in dropped and holds(dropped, day):
                in_force.pop(dropped["product"], None)
        for product in file_of(folder, layer, "products.toml").get("products", ()):
            if holds(product, day):
                in_force[product["key"]] = product
    return in_force


def rows_of(folder, code, day, name):
    """The rows of a table in force on *day*, as cells by column; a child replaces the whole."""
    return next(
        [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]
        for layer in reversed(layers(folder, code))
        for table in file_of(folder, layer, "products.toml").get("tables", ())
        if table["id"] == name and holds(table, day)
    )


def declared_type(folder, code, name):
    """The type of a fact that the jurisdiction or a parent declares, None of a built-in one."""
    for layer in layers(folder, code):
        facts = file_of(folder, layer, "jurisdiction.toml").get("facts", {})
        if name in facts:
            return facts[name]["type"]
    return None


# -- exact numbers


def percent(text):
    """A percentage such as `12.5%`, as a fraction of 1."""
    assert text.endswith("%")
    return Fraction(text[:-1]) / 100


def minor(text, places):
    """An amount such as `GBP 1000.00`, or without the code, in minor units."""
    units = Fraction(text.rpartition(" ")[2]) * 10**places
    assert units.denominator == 1
    return units.numerator


def rounded(number, mode):
    """A fraction rounded to a whole number; amounts are never negative."""
    below = floor(number)
    part = number - below
    if mode == "down" or part == 0:
        return below
    if mode == "up":
        return below + 1
    if part == Fraction(1, 2):
        return below + (below % 2 if mode == "half_even" else 1)
    return below + (part > Fraction(1, 2))


def whole_steps(amount, step, rounding):
    """An amount in whole steps, rounded by *rounding*, `floor` or `ceil`."""
    return amount if step is None else rounding(Fraction(amount, step)) * step


# -- the calculators


class Case:
    """A product of a jurisdiction for one application."""

    def __init__(self, folder, code, day, key, *, renewal, facts, settlement):
        self.folder, self.code, self.renewal, self.facts = folder, code, renewal, facts
        self.day = day
        self.product = products_on(folder, code, day)[key]
        self.currency = setting(folder, code, "currency")
        self.places = PLACES[self.currency]
        self.mode = setting(folder, code, "rounding")
        self.settlement = None if settlement is None else minor(settlement, self.places)

    @property
    def takings(self):
        """The average monthly takings in minor units."""
        text = self.facts.get("average_monthly_takings")
        return None if text is None else minor(text, self.places)

    def amount(self, settings, name):
        return None if name not in settings else minor(settings[name], self.places)

    def possible(self, settings, column, chosen=None):
        """What the rows give that may take the merchant; with an unknown fact it is not certain."""
        return {
            row[column]
            for row in rows_of(self.folder, self.code, self.day, settings["table"])
            if all(
                self.may_be(chosen if name == "term_months" else self.facts.get(name), cell)
                for name, cell in row.items()
                if name not in RESULTS
            )
        }

    def may_be(self, value, cell):
        """Whether *value* can be what a *cell* asks."""
        if value is None or cell == "-":
            return True
        first, _, last = cell.rpartition(" to below ")
        if first:
            return self.may_be(value, f">= {first}") and self.may_be(value, f"< {last}")
        operator, _, bound = cell.rpartition(" ") if cell[0] in "<>" else ("==", "", cell)
        operator, _, currency = operator.partition(" ")
        bound = f"{currency} {bound}".strip()
        number = value if isinstance(value, int) else self.number("", value)
        bound = int(bound) if isinstance(value, int) else self.number("", bound)
        return {
            "==": number == bound,
            "<": number < bound,
            "<=": number <= bound,
            ">": number > bound,
            ">=": number >= bound,
        }[operator]

    def limits(self):
        """The minimum and maximum that are configured, and those of the merchant."""
        settings = self.product["limits"]
        if settings["calculator"] == "table":
            minimum, possible = self.amount(settings, "minimum"), self.possible(settings, "maximum")
            all_rows = rows_of(self.folder, self.code, self.day, settings["table"])
            most = max(minor(row["maximum"], self.places) for row in all_rows)
            if len(possible) != 1:
                return (minimum, most), None
            return (minimum, most), (minimum, minor(possible.pop(), self.places))
        minimum, maximum = (self.amount(settings, name) for name in ("minimum", "maximum"))
        if settings["calculator"] == "fixed":
            return (minimum, maximum), (minimum, maximum)
        assert settings["calculator"] == "takings_multiple"
        if self.takings is None:
            return (minimum, maximum), None
        most = rounded(self.takings * Fraction(settings["multiple"]), self.mode)
        step = self.amount(settings, "step")
        return (minimum, maximum), (minimum, whole_steps(min(most, maximum), step, floor))

    def terms(self):
        """The months that the merchant may choose among; only None where there is no choice."""
        settings = self.product["term"]
        return settings["months"] if settings["calculator"] == "chosen" else [None]

    def factor_rate(self, chosen):
        settings = self.product["factor_rate"]
        if settings["calculator"] == "flat":
            rate = Fraction(settings["rate"])
        elif settings["calculator"] == "table":
            rate = max(map(Fraction, self.possible(settings, "factor_rate", chosen)))
        else:
            assert settings["calculator"] == "banded"
            rate = self.banded(settings, chosen)
        if self.renewal:
            rate = max(Fraction(1), rate - Fraction(settings.get("renewal_discount", "0")))
        return rate

    def banded(self, settings, chosen):
        """The rate of the band of `on`, a fact or the term; the highest while it is not known."""
        value = chosen if settings["on"] == "term_months" else self.facts.get(settings["on"])
        if value is None:
            return max(Fraction(band["rate"]) for band in settings["bands"])
        value = self.number(settings["on"], value)
        for band in settings["bands"]:
            if "up_to" not in band or value < self.number(settings["on"], band["up_to"]):
                return Fraction(band["rate"])
        raise AssertionError("the last band has no bound")

    def number(self, name, value):
        """A value of the fact *name*, or a bound of a band, as a fraction."""
        if isinstance(value, int):
            return Fraction(value)
        if value.endswith("%"):
            return percent(value)
        if declared_type(self.folder, self.code, name) == "ratio":
            return Fraction(value)
        return Fraction(minor(value, self.places))

    def days_to_repay(self, repayment, split):
        """The days in which the split of the takings repays, rounded up."""
        a_day = Fraction(self.takings * 12, 365)
        return ceil(repayment / (a_day * split))

    def splits(self, repayment, chosen):
        settings = self.product["split_percentage"]
        if settings["calculator"] == "table":
            possible = self.possible(settings, "split_percentage")
            if len(possible) != 1:
                raise Unknown
            return [percent(possible.pop())]
        choices = [percent(choice) for choice in settings["choices"]]
        if settings["calculator"] == "chosen":
            return choices
        assert settings["calculator"] == "affordability"
        if self.takings is None:
            raise Unknown
        months = settings["longest_term_months"]
        if chosen is not None and chosen < months:
            months = chosen
        longest = Fraction(months * 365, 12)
        for choice in choices:
            if self.takings and self.days_to_repay(repayment, choice) <= longest:
                return [choice]
        return []

    def term(self, repayment, split, chosen):
        """The months, to two decimals, and the whole days."""
        settings = self.product["term"]
        if settings["calculator"] in ("fixed", "chosen"):
            months = settings["months"] if chosen is None else chosen
            return Fraction(months), ceil(Fraction(months * 365, 12))
        assert settings["calculator"] == "takings_pace"
        if not self.takings:
            raise Unknown
        days = self.days_to_repay(repayment, split)
        return Fraction(rounded(Fraction(days * 1200, 365), "half_even"), 100), days

    def offers(self, least, most):
        """The offers of the amounts within the bounds."""
        step = self.amount(self.product["limits"], "step")
        amounts = []
        for share in self.product["amounts"]:
            amount = whole_steps(floor(most * percent(share)), step, floor)
            amount = min(max(amount, least), most)
            if amount not in amounts:
                amounts.append(amount)
        for amount, chosen in pairs(amounts, self.terms()):
            rate = self.factor_rate(chosen)
            repayment = rounded(amount * rate, self.mode)
            for split in self.splits(repayment, chosen):
                months, days = self.term(repayment, split, chosen)
                yield [
                    self.money(amount),
                    self.money(repayment),
                    decimal(rate, 6),
                    decimal(split * 100, 4),
                    decimal(months, 2),
                    days,
                ]

    def money(self, units):
        return f"{self.currency} {fixed(Fraction(units, 10**self.places), self.places)}"

    def price(self):
        """The decision, the limits, the offers as lists of their figures, and the reason's code."""
        configured, limits = self.limits()
        refused = [self.money(bound) for bound in configured]
        if limits is None:
            return "Referred", refused, [], ["REVIEW"]
        minimum, maximum = limits
        step = self.amount(self.product["limits"], "step")
        above = 1 if self.settlement is None else self.settlement + 1
        least = whole_steps(max(minimum, above), step, ceil)
        most = whole_steps(maximum, step, floor)
        try:
            offers = list(self.offers(least, most)) if least <= most else []
        except Unknown:
            return "Referred", refused, [], ["REVIEW"]
        if not offers:
            return "Declined", refused, [], [self.why_none(minimum, most, step)]
        return "Accepted", [self.money(least), self.money(most)], offers, []

    def why_none(self, minimum, most, step):
        """The code of the reason for which there is no offer."""
        if most < whole_steps(max(minimum, 1), step, ceil):
            return "LIMIT"
        takes_all = self.settlement is not None and most < self.settlement + 1
        return "SETTLEMENT" if takes_all else "AFFORDABILITY"


def fixed(number, places):
    """A fraction with exactly *places* decimals, as text."""
    units = number * 10**places
    assert units.denominator == 1
    digits = f"{units.numerator:0{places + 1}d}"
    return f"{digits[:-places]}.{digits[-places:]}" if places else digits


def decimal(number, places):
    """A fraction without trailing zeros, as text."""
    text = fixed(number, places)
    return text.rstrip("0").rstrip(".")
