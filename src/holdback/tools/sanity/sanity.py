"""What is wrong with rule files and seen without a solver: what no policy means.

Nothing here asks whether a deal can exist; `claims` does. Each finding is one headline, with all
lines that it comes from (decisions/proofs#findings-without-a-solver).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from itertools import pairwise
from typing import Any, Final, TypeAlias

from attrs import evolve

from holdback.eligibility.facts import DOWN, UP
from holdback.exact.exact_json import Json, write_json
from holdback.exact.exact_numbers import HUNDRED_PERCENT, RATIO_PLACES
from holdback.frozen_classes import frozen
from holdback.jurisdictions.jurisdiction import Jurisdiction
from holdback.jurisdictions.source_rules import SourceProduct
from holdback.offers.calculator import TERM_MONTHS
from holdback.offers.price_tables import TABLE
from holdback.rulebooks.product_terms import SETTLEMENT, CalculatorChoice
from holdback.rules import Fact, Kind, Type
from holdback.tools.proofs.finding import ERROR, INFORMATION, Finding
from holdback.tools.sanity.far_dates import far_dates, is_far
from holdback.tools.sanity.gaps import gaps
from holdback.tools.sanity.headline import Headline, Line, slices
from holdback.tools.sanity.jumps import jumps
from holdback.tools.sanity.reasons import wrong_reasons
from holdback.tools.sanity.switched_off import mostly_switched_off
from holdback.tools.sanity.unlikely import SMALLEST_SHARE, unlikely

CLAIM_WITHOUT_DAYS: Final = "claim-without-days"

Check: TypeAlias = Callable[[Jurisdiction], Iterator[Finding]]


def sanity(jurisdictions: Iterable[Jurisdiction], on: date | None = None) -> Iterator[Finding]:
    """
    Yield the findings in the files of *jurisdictions* that are seen without a solver.

    What is wrong in a parent's file is a finding of the parent, and of a child only where the child
    makes it wrong. *on* is the current day: what lies wholly before it is information.

    >>> from holdback import load_jurisdictions
    >>> list(sanity(load_jurisdictions()))
    []
    """
    reported = set[object]()
    # Parents first: a child repeats what is wrong in an inherited reason.
    for jurisdiction in sorted(
        jurisdictions, key=lambda read: (len(read.policy.layers), read.code)
    ):
        for finding in sorted(_findings(jurisdiction), key=_place):
            key = (finding.claim, finding.detail.file, finding.detail.line, finding.detail.column)
            if key not in reported:
                yield _dated(finding, on)
            reported.add(key)


def _findings(jurisdiction: Jurisdiction) -> Iterator[Finding]:
    yield from far_dates(jurisdiction)
    for gap in gaps(jurisdiction):
        # A version that begins in 2206 is one finding, not two.
        if not any(day is not None and is_far(jurisdiction, day) for day in (gap.since, gap.until)):
            yield gap
    checks: tuple[Check, ...] = (
        wrong_reasons,
        prices,
        jumps,
        mostly_switched_off,
        unlikely,
        _claims_without_days,
    )
    for check in checks:
        yield from check(jurisdiction)


def _place(finding: Finding) -> tuple[str, int, int]:
    return finding.detail.file or "", finding.detail.line or 0, finding.detail.column or 0


def _dated(finding: Finding, on: date | None) -> Finding:
    """Return *finding* as information where it lies wholly before the day *on*."""
    if on is None or finding.until is None or finding.until > on:
        return finding
    return evolve(finding, severity=INFORMATION)


def _claims_without_days(jurisdiction: Jurisdiction) -> Iterator[Finding]:
    """Yield own claims that hold on no day with rules, or on none with their product."""
    held = {
        claim
        for rulebook, period in slices(jurisdiction)
        for claim in jurisdiction.policy.claims_in(period)
        if claim.product in rulebook.rulesets
    }
    for claim in jurisdiction.policy.own.claims:
        if claim not in held:
            headline = Headline(
                claim=CLAIM_WITHOUT_DAYS,
                code="no_effect",
                message=f"the claim `{claim.name}` is about no day on which there are rules for it",
                hint="correct its `from` and `until`, or leave it out",
            )
            line = Line(claim.table.node.position(key=True), claim.text)
            yield headline.finding(jurisdiction, [line], product=claim.product)


# -- Prices that nobody means: free money, and more for the better merchant.
#
# The settings of the built-in calculators are read as written. That each of them is in its range is
# checked where they are bound; here they are wrong together, or far from any real price.

FREE_MONEY: Final = "free-money"
RISING_PRICE: Final = "rising-price"
IMPLAUSIBLE_PRICE: Final = "implausible-price"
NO_OFFER: Final = "no-offer"
UNUSED_BAND: Final = "unused-band"

_RATIO: Final = Type(Kind.RATIO)
_PERCENT: Final = Type(Kind.PERCENT)
_ONE: Final = 10**RATIO_PLACES
# Real factor rates are up to about 1.5, multiples of takings up to about 2, terms up to two years,
# and splits from 4% to a quarter. Beyond these bounds a sign is missing, or one too many.
MOST_RATE: Final = 2 * _ONE
MOST_MULTIPLE: Final = 6 * _ONE
MOST_MONTHS: Final = 60
LEAST_SPLIT: Final = SMALLEST_SHARE
MOST_SPLIT: Final = HUNDRED_PERCENT // 2
# Statutory interest in default is at most some fifteen percent a year.
MOST_INTEREST: Final = 30 * HUNDRED_PERCENT // 100


@frozen(kw_only=True)
class _Price:
    """The product of a jurisdiction whose price is looked at."""

    jurisdiction: Jurisdiction
    product: SourceProduct

    def choice(self, kind: str, *names: str) -> CalculatorChoice | None:
        """Return the calculator of *kind* if it is one of *names*."""
        choice = self.product.calculators.get(kind)
        return choice if choice is not None and choice.name in names else None

    def finding(self, headline: Headline, *settings: tuple[str, str]) -> Finding:
        """Return the finding with *headline*; its lines are *settings*, by calculator and key."""
        lines = []
        for kind, key in settings:
            choice = self.product.calculators[kind]
            written = write_json(choice.settings.get(key))
            lines.append(Line(choice.place(key), f"{kind}: {key} = {written}"))
        product = self.product
        return headline.finding(self.jurisdiction, lines, days=product.period, product=product.key)


def prices(jurisdiction: Jurisdiction) -> Iterator[Finding]:
    """Yield what is wrong with the prices of the products of its own folder."""
    for product in jurisdiction.policy.own.products:
        price = _Price(jurisdiction=jurisdiction, product=product)
        yield from _rates(price)
        yield from _settlement(price)
        yield from _limits(price)
        yield from _splits(price)
        yield from _months(price)
        yield from _never_affordable(price)
        yield from _interest(price)


def _interest(price: _Price) -> Iterator[Finding]:
    """Yield fees whose rate a year is far above any real one."""
    for fee in price.product.fees:
        rate = fee.allowed.yearly_rate
        if rate is not None and rate > MOST_INTEREST:
            shown = _PERCENT.show(rate)
            headline = Headline(
                claim=IMPLAUSIBLE_PRICE,
                code="out_of_range",
                message=f"`{fee.allowed.key}` is {shown} a year: no lender charges that in default",
                hint="look for a decimal point, or for the rate of a month times twelve",
            )
            line = Line(fee.node.position(key=True), f"yearly_rate = {shown}")
            product = price.product.key
            yield headline.finding(price.jurisdiction, [line], days=fee.period, product=product)


def _read(type_: Type, value: Json) -> int | None:
    """Return *value* as a scaled number; None where it is missing or invalid."""
    try:
        return type_.read(value)
    except ValueError:
        return None


def _bands(choice: CalculatorChoice) -> list[Mapping[str, Any]]:
    """Return the bands of *choice*, each with its rate or percentage."""
    bands = choice.settings.get("bands")
    listed = bands if isinstance(bands, list | tuple) else []
    return [band for band in listed if isinstance(band, Mapping)]


def _all_rates(price: _Price) -> list[int]:
    """Return the rates of the built-in calculators, by band; none where one is invalid."""
    choice = price.choice("factor_rate", "flat", "banded", TABLE)
    if choice is None:
        return []
    values = [choice.settings.get("rate")]
    if choice.name == TABLE:
        tables = (table for layer in price.jurisdiction.policy.layers for table in layer.tables)
        named = [table for table in tables if table.id == choice.settings.get(TABLE)]
        values = [row.prices.get("factor_rate") for table in named for row in table.rows]
        values = [value for value in values if value is not None]
    if choice.name == "banded":
        values = [band.get("rate") for band in _bands(choice)]
    rates = [_read(_RATIO, value) for value in values]
    valid = [rate for rate in rates if rate is not None and rate >= _ONE]
    return valid if len(valid) == len(rates) else []


def _discount(price: _Price) -> int:
    choice = price.product.calculators.get("factor_rate")
    value = None if choice is None else choice.settings.get("renewal_discount")
    return (None if value is None else _read(_RATIO, value)) or 0


def _rates(price: _Price) -> Iterator[Finding]:
    """Yield rates with which nothing is charged, or far too much, or more of the better."""
    rates, discount, where = _all_rates(price), _discount(price), "factor_rate"
    if not rates:
        return
    lowest, highest = min(rates), max(rates)
    keys = {"flat": "rate", "banded": "bands", TABLE: TABLE}
    written = (where, keys[price.product.calculators[where].name])
    if lowest <= _ONE:
        headline = Headline(
            claim=FREE_MONEY,
            severity=ERROR,
            code="out_of_range",
            message=f"a factor rate of {_shown(lowest)} makes `{price.product.key}` free: what is "
            "repaid is what was funded",
            hint="a rate is above 1, as 1.18",
        )
        yield price.finding(headline, written)
    elif lowest - discount <= _ONE:
        headline = Headline(
            claim=FREE_MONEY,
            severity=ERROR,
            code="out_of_range",
            message=f"the renewal discount of {_shown(discount)} makes a renewal of "
            f"`{price.product.key}` free: it is taken off a factor rate of {_shown(lowest)}",
            hint="the discount is taken off the rate itself, as 0.01 off 1.18",
        )
        yield price.finding(headline, (where, "renewal_discount"), written)
    if highest > MOST_RATE:
        headline = Headline(
            claim=IMPLAUSIBLE_PRICE,
            code="out_of_range",
            message=f"at a factor rate of {_shown(highest)} more than twice the funded amount is "
            "repaid",
            hint="look for a decimal point, as 1.24 for 12.4",
        )
        yield price.finding(headline, written)
    else:
        yield from _banded(price, rates)


def _banded(price: _Price, rates: list[int]) -> Iterator[Finding]:
    """Yield bands that no merchant is in, and bands that cost the better merchant more."""
    choice = price.choice("factor_rate", "banded")
    on = None if choice is None else choice.settings.get("on")
    fact = price.jurisdiction.policy.catalogue.fact(on)
    bands = ("factor_rate", "bands")
    if choice is not None and fact is None and on == TERM_MONTHS:
        yield from _bands_without_terms(price, choice)
    if choice is None or fact is None:
        return
    for band in _bands(choice):
        bound = _read(fact.type, band.get("up_to"))
        if bound is not None and not fact.low < bound <= fact.high:
            headline = Headline(
                claim=UNUSED_BAND,
                code="no_effect",
                message=f"no merchant is on both sides of {fact.type.show(bound)}: `{fact.name}` "
                f"is {fact.type.show(fact.low)} to {fact.type.show(fact.high)}",
                hint="correct the `up_to`, or leave the band out",
            )
            yield price.finding(headline, bands)
            return
    for lower, higher in pairwise(rates):
        if (fact.moves == UP and higher > lower) or (fact.moves == DOWN and higher < lower):
            yield price.finding(_rising(fact, lower, higher), bands)
            return


def _bands_without_terms(price: _Price, choice: CalculatorChoice) -> Iterator[Finding]:
    """Yield the first band of *choice*, by the term that is chosen, in which no term is."""
    terms, low = price.choice("term", "chosen"), 0
    months = _whole_numbers(None if terms is None else terms.settings.get("months"))
    for band in _bands(choice) if months else ():
        end = band.get("up_to")
        high = end if type(end) is int else max(months) + 1
        if not any(low <= number < high for number in months):
            reach = f"from {low} months on" if end is None else f"from {low} to below {end} months"
            headline = Headline(
                claim=UNUSED_BAND,
                code="no_effect",
                message=f"no term is {reach}: the merchant chooses among {months}",
                hint="correct the `up_to`, or leave the band out",
            )
            yield price.finding(headline, ("factor_rate", "bands"), ("term", "months"))
            return
        low = high


def _whole_numbers(value: Json) -> list[int]:
    """Return *value*, or the values in it, that are whole numbers."""
    listed = value if isinstance(value, list | tuple) else [value]
    return [number for number in listed if type(number) is int]


def _rising(fact: Fact, lower: int, higher: int) -> Headline:
    better, worse = ("more", "less") if fact.moves == UP else ("less", "more")
    dear, cheap = _shown(max(lower, higher)), _shown(min(lower, higher))
    return Headline(
        claim=RISING_PRICE,
        code="misleading",
        message=f"a merchant with {better} `{fact.name}`, which is better, pays {dear}, and one "
        f"with {worse} pays {cheap}",
        hint="write the rates in the order of the bands: each holds below its `up_to`",
    )


def _settlement(price: _Price) -> Iterator[Finding]:
    """Yield a discount of all that is left of the charge, however late the deal is repaid."""
    choice = price.choice(SETTLEMENT, "percentage", "bands")
    if choice is None:
        return
    last = choice.settings.get("percentage")
    if choice.name == "bands" and _bands(choice):
        last = _bands(choice)[-1].get("percentage")
    share = None if last is None else _read(_PERCENT, last)
    if share == HUNDRED_PERCENT:
        headline = Headline(
            claim=FREE_MONEY,
            code="out_of_range",
            message="a merchant who repays early pays nothing of the charge that is left, even on "
            "the last day",
            hint="a discount is a share of the cost that is left, as 50%",
        )
        key = "bands" if choice.name == "bands" else "percentage"
        yield price.finding(headline, (SETTLEMENT, key))


def _limits(price: _Price) -> Iterator[Finding]:
    """Yield limits between which no offer lies, and a multiple that is far too high."""
    choice = price.choice("limits", "fixed", "takings_multiple")
    if choice is None:
        return
    money = Type(Kind.MONEY, price.jurisdiction.currency)
    settings = choice.settings
    least, most, step = (
        None if settings.get(key) is None else _read(money, settings[key])
        for key in ("minimum", "maximum", "step")
    )
    if least and most and step and step > 0 and most // step * step < least:
        headline = Headline(
            claim=NO_OFFER,
            severity=ERROR,
            code="contradiction",
            message=f"no multiple of {money.show(step)} is from {money.show(least)} to "
            f"{money.show(most)}: nothing can be offered",
            hint="lower `step`, or widen the limits",
        )
        yield price.finding(
            headline, ("limits", "step"), ("limits", "minimum"), ("limits", "maximum")
        )
    multiple = _read(_RATIO, settings.get("multiple"))
    if multiple is not None and multiple > MOST_MULTIPLE:
        headline = Headline(
            claim=IMPLAUSIBLE_PRICE,
            code="out_of_range",
            message=f"{_shown(multiple)} times the monthly takings may be offered",
            hint="look for a decimal point, as 1.25 for 12.5",
        )
        yield price.finding(headline, ("limits", "multiple"))


def _choices(price: _Price) -> list[int]:
    """Return the split percentages of the built-in calculators; none where one is invalid."""
    choice = price.choice("split_percentage", "chosen", "affordability")
    values = None if choice is None else choice.settings.get("choices")
    splits = (
        [_read(_PERCENT, value) for value in values] if isinstance(values, list | tuple) else []
    )
    valid = [split for split in splits if split is not None]
    return valid if len(valid) == len(splits) else []


def _splits(price: _Price) -> Iterator[Finding]:
    for split in _choices(price):
        if not LEAST_SPLIT <= split <= MOST_SPLIT:
            headline = Headline(
                claim=IMPLAUSIBLE_PRICE,
                code="out_of_range",
                message=f"a split percentage of {_PERCENT.show(split)} is beyond "
                f"{_PERCENT.show(LEAST_SPLIT)} to {_PERCENT.show(MOST_SPLIT)} of the takings",
                hint="look for a decimal point, as 8.5% for 85%",
            )
            yield price.finding(headline, ("split_percentage", "choices"))
            return


def _months(price: _Price) -> Iterator[Finding]:
    for kind, key in (("term", "months"), ("split_percentage", "longest_term_months")):
        choice = price.product.calculators.get(kind)
        written = None if choice is None else choice.settings.get(key)
        months = max(_whole_numbers(written), default=0)
        if months > MOST_MONTHS:
            headline = Headline(
                claim=IMPLAUSIBLE_PRICE,
                code="out_of_range",
                message=f"a term of {months} months is more than {MOST_MONTHS // 12} years",
                hint="look for a digit too many",
            )
            yield price.finding(headline, (kind, key))


def _never_affordable(price: _Price) -> Iterator[Finding]:
    """
    Yield limits by takings of which the largest offer takes longer than the longest term.

    Takings cancel out: multiple x rate / split is the number of months that the maximum takes.
    """
    limits = price.choice("limits", "takings_multiple")
    splits = price.choice("split_percentage", "affordability")
    rates, choices = _all_rates(price), _choices(price)
    if limits is None or splits is None or not rates or not choices:
        return
    multiple = _read(_RATIO, limits.settings.get("multiple"))
    longest = splits.settings.get("longest_term_months")
    if multiple is None or type(longest) is not int or not 0 < multiple <= MOST_MULTIPLE:
        return
    terms = price.choice("term", "chosen")
    if terms is not None:
        longest = min(longest, max(_whole_numbers(terms.settings.get("months")), default=longest))
    cheapest = max(_ONE, min(rates) - _discount(price))
    share = max(price.product.amounts, default=HUNDRED_PERCENT)
    repaid, monthly = multiple * cheapest * share, _ONE * _ONE * max(choices)
    if repaid > longest * monthly:
        tenths = 10 * repaid // monthly
        headline = Headline(
            claim=NO_OFFER,
            code="contradiction",
            message=f"the largest offer takes {tenths // 10}.{tenths % 10} months at a split of "
            f"{_PERCENT.show(max(choices))}, longer than the {longest} months that it may take: no "
            "merchant whose limit follows from its takings is made it",
            hint="look at `multiple`, `choices` and `longest_term_months`",
        )
        yield price.finding(
            headline, ("split_percentage", "longest_term_months"), ("limits", "multiple")
        )


def _shown(ratio: int) -> str:
    return _RATIO.show(ratio)
