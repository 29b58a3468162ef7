"""Runs of a jurisdiction's examples: expected and actual answers, and the rule that decided."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from typing import Any, Final

from attrs import evolve, field

from holdback.eligibility.assessment import REFERRED
from holdback.eligibility.reasons import REVIEW, SERVICE_REASONS, Reason
from holdback.eligibility.reasons import reasons as reasons_of
from holdback.eligibility.ruleset import Answers, TraceLine
from holdback.exact.exact_json import Json, write_json
from holdback.exact.exact_numbers import plain_digits
from holdback.exact.money import Currency, Money
from holdback.frozen_classes import frozen
from holdback.jurisdictions.examples import offer_types
from holdback.jurisdictions.jurisdiction import Example, Jurisdiction
from holdback.jurisdictions.keys import (
    MAX_AGES,
    MONEY_OF_A_DEAL,
    NOT_OFFERED,
    PAYS_OUT,
    WAITS,
)
from holdback.jurisdictions.quantity import toml_text, toml_value
from holdback.offers.calculator import PricingCase, SettlementCase
from holdback.offers.quote import Quote, quote
from holdback.offers.registry import BUILT_IN, PriceableProduct, bind
from holdback.offers.settlement import settlement_discount
from holdback.rulebooks.regime import Regime, regime_on
from holdback.rulebooks.rulebook import FUNDING, Rulebook
from holdback.rules import Fact, Facts, Kind, Type
from holdback.tools.plain_values import plain_values

# Whether a disclosure is due, in words.
DUE: Final = "due"
NOT_DUE: Final = "not due"
# How the terms of an offer are written in an example, in normal form: a rate of 1.25 less a
# discount of 0.05 is 1.20, and is expected as 1.2.
_SHOWN: Final[Mapping[str, Callable[[Any], Json]]] = {
    "funded_amount": str,
    "repayment_amount": str,
    "split_percentage": lambda value: f"{plain_digits(value)}%",
    "factor_rate": plain_digits,
    "term_length": plain_digits,
    "term_days": int,
}


@frozen
class Answer:
    """The answer to an example, expected or actual.

    `outcome` is the outcome of an assessment or the decision on a product. `limits` and `offers`
    are None where nothing is said about them.
    """

    outcome: str
    codes: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    limits: Mapping[str, Json] | None = None
    offers: tuple[Mapping[str, Json], ...] | None = None

    def differs(self, actual: Answer) -> bool:
        """Return whether *actual* is not what this answer expects, in the terms that it names."""
        if (self.outcome, self.codes, self.needs) != (actual.outcome, actual.codes, actual.needs):
            return True
        limits = actual.limits or {}
        if any(limits.get(name) != value for name, value in (self.limits or {}).items()):
            return True
        if self.offers is None:
            return False
        offers = actual.offers or ()
        return len(offers) != len(self.offers) or any(
            any(offer[name] != value for name, value in expected.items())
            for expected, offer in zip(self.offers, offers, strict=True)
        )

    def unlike(self, actual: Answer) -> str:
        """
        Return in words which codes and needs of *actual* are not those expected; "" where none is.

        >>> Answer("ineligible", ("GB-R-01",)).unlike(Answer("ineligible", ("GB-R-01", "GB-R-02")))
        'GB-R-02 is a reason too'
        """
        parts = []
        for expected, got, what in (
            (self.codes, actual.codes, "a reason"),
            (self.needs, actual.needs, "missing"),
        ):
            parts += [f"{name} is {what} too" for name in got if name not in expected]
            parts += [f"{name} is not {what}" for name in expected if name not in got]
            if not parts and expected != got:  # the same names
                parts.append(f"the order is {', '.join(got)}")
        return ", ".join(parts)

    def expected(self, product: str | None) -> dict[str, Json]:
        """
        Return the `expect` of an example with this answer.

        *product* is that of the example: None for renewals, `FUNDING` for fundings.
        """
        key = {None: "outcome", FUNDING: "funding"}.get(product, "decision")
        expected: dict[str, Json] = {key: self.outcome}
        if self.codes:
            expected["codes"] = list(self.codes)
        if self.needs:
            expected["needs"] = list(self.needs)
        return expected

    def plain(self) -> dict[str, Json]:
        """Return the answer as plain values."""
        stated = (name for name in ("limits", "offers") if getattr(self, name) is not None)
        return plain_values(self, "outcome", "codes", "needs", *stated)


@frozen(kw_only=True)
class ExampleRun:
    """A run of an example: the expected and the actual answer, the reasons, every rule's answer."""

    jurisdiction: str
    example: Example
    expected: Answer
    got: Answer
    reasons: tuple[Reason, ...] = field(repr=False)
    trace: tuple[TraceLine, ...] = field(repr=False)

    @property
    def passed(self) -> bool:
        """Whether the answer is as the example expects."""
        return not self.expected.differs(self.got)

    @property
    def differing(self) -> frozenset[str]:
        """The codes that only one of the two answers has; without any, such facts that it needs."""
        expected, got = self.expected, self.got
        codes = {*expected.codes} ^ {*got.codes}
        return frozenset(codes or {*expected.needs} ^ {*got.needs})

    @property
    def deciding(self) -> str | None:
        """The rule that decided: the first that is false, else the first that is unknown."""
        if self.reasons and self.reasons[0].code != REVIEW:
            return self.reasons[0].rule
        return next((line.rule for line in self.trace if line.answer is None), None)

    @property
    def difference(self) -> str:
        """In words what differs where the outcome is as expected and the reasons are not."""
        if self.expected.outcome != self.got.outcome:
            return ""
        return self.expected.unlike(self.got)

    def lines(self) -> Iterator[str]:
        """Yield the run for people: expected and actual answer, reasons, and facts."""
        example = self.example
        yield f"{self.jurisdiction}: {example.name}, {example.file}:{example.line}, on {example.on}"
        for word, answer in (("expected", self.expected), ("got", self.got)):
            codes, needs = ", ".join(answer.codes), ", ".join(answer.needs)
            more = f"  {codes}" if codes else f"  needs {needs}" if needs else ""
            yield f"  {word:<8}  {answer.outcome}{more}"
            yield from self._terms(answer)
        if self.difference:
            yield f"  differs   {self.difference}"
        for reason in self.reasons:
            yield f"  {reason.code:<8}  {reason.text}"
        if self.deciding is not None:
            yield f"  decided   {self.deciding}"
        given = ", ".join(f"{name} = {_plain(value)}" for name, value in example.given.items())
        yield f"  facts     {given}"

    def _terms(self, answer: Answer) -> Iterator[str]:
        """Yield the limits and offers of *answer*, as far as the example names them."""
        if self.expected.limits is not None and answer.limits is not None:
            shown = (f"{name} {answer.limits[name]}" for name in self.expected.limits)
            yield f"            limits: {', '.join(shown)}"
        if self.expected.offers is not None:
            named = {name for offer in self.expected.offers for name in offer} or _SHOWN.keys()
            for offer in answer.offers or ():
                shown = (f"{name} {value}" for name, value in offer.items() if name in named)
                yield f"            {', '.join(shown)}"

    def plain(self) -> dict[str, Json]:
        """Return the run as plain values."""
        return {
            "jurisdiction": self.jurisdiction,
            "example": self.example.name,
            **plain_values(self.example, "on", "product", "file", "line"),
            **plain_values(self, "passed", "expected", "got"),
            "rule": self.deciding,
            "facts": self.example.given,
        }


def _plain(value: Json) -> str:
    return value if isinstance(value, str) else write_json(value)


def expectation(example: Example, currency: Currency) -> Answer:
    """Return the answer that *example* expects."""
    expect = example.expect
    if example.of_disclosures:
        return Answer(DUE if expect["due"] else NOT_DUE, tuple(expect["decided_by"]))
    if example.of_settings:
        return _settings_answer(expect)
    if example.settlement is not None:
        return _discount_answer(_money(expect["discount"], currency))
    offers, limits = expect.get("offers"), expect.get("limits")
    return Answer(
        outcome=expect.get("outcome") or expect.get("funding") or expect["decision"],
        codes=tuple(expect.get("codes", ())),
        needs=tuple(expect.get("needs", ())),
        limits=None if limits is None else _normal_terms(limits, currency),
        offers=None
        if offers is None
        else tuple(_normal_terms(offer, currency) for offer in offers),
    )


def _settings_answer(values: Mapping[str, Json]) -> Answer:
    """Return the *values* of settings in words; the ages of checks are values by check."""
    ages = {f"{MAX_AGES} of {name}": days for name, days in values.get(MAX_AGES, {}).items()}
    flat = {**{name: value for name, value in values.items() if name != MAX_AGES}, **ages}
    return Answer(", ".join(f"{name} {value}" for name, value in sorted(flat.items())))


def _discount_answer(discount: Money) -> Answer:
    return Answer(f"discount {discount}")


def _settlement_case(figures: Mapping[str, Json], rulebook: Rulebook) -> SettlementCase:
    read: dict[str, Any] = {
        key: _money(value, rulebook.currency) if key in MONEY_OF_A_DEAL else value
        for key, value in figures.items()
    }
    return SettlementCase(**read, currency=rulebook.currency, rounding=rulebook.rounding)


def _money(value: Json, currency: Currency) -> Money:
    number = Type(Kind.MONEY, currency).read(value)
    assert number is not None, "the reader of examples accepted it"
    return Money(number, currency)


def _settings_on(rulebook: Rulebook, expect: Mapping[str, Json]) -> dict[str, Json]:
    """Return the settings that *expect* names, with their values in *rulebook*."""
    ages = expect.get(MAX_AGES, {})
    return {
        name: {check: rulebook.checks[check].max_age_days for check in ages}
        if name == MAX_AGES
        else getattr(rulebook, name)
        for name in expect
    }


def _normal_terms(terms: Mapping[str, Json], currency: Currency) -> dict[str, Json]:
    """Return an expected offer, or limits, with figures in normal form: `10%` for `10.0%`."""
    money = Type(Kind.MONEY, currency)
    types = {**offer_types(currency), "minimum": money, "maximum": money}

    def normal(type_: Type, value: Json) -> Json:
        number = type_.read(value)
        assert number is not None, "the reader of examples accepted it"
        return number if type_.kind is Kind.COUNT else type_.show(number)

    return {name: normal(types[name], value) for name, value in terms.items()}


def run_examples(jurisdiction: Jurisdiction) -> Iterator[ExampleRun]:
    """Yield the run of every example of *jurisdiction*."""
    for example in jurisdiction.examples:
        yield run_example(example, jurisdiction.rulebook_for(example))


def run_example(
    example: Example, rulebook: Rulebook, calculators: Mapping[str, type] = BUILT_IN
) -> ExampleRun:
    """
    Return the run of *example* by the *rulebook* of its day, with *calculators*.

    Raises:
        InvalidDocument: when its facts are invalid.
        ConfigurationError: when its product's calculators cannot be bound.
    """
    reasons: tuple[Reason, ...] = ()
    trace: tuple[TraceLine, ...] = ()
    facts = () if example.of_disclosures else rulebook.catalogue.prepare(example.given)
    if example.of_disclosures:
        got = _due_on(example, rulebook.disclosures)
    elif example.of_settings:
        got = _settings_answer(_settings_on(rulebook, example.expect))
    elif example.product is None:
        assessment = rulebook.assess_prepared(facts)
        reasons, trace = assessment.reasons, assessment.trace
        got = Answer(assessment.outcome, assessment.codes, assessment.needs)
    elif example.product == FUNDING:
        at_funding = rulebook.funding.answer(facts)
        trace, reasons = at_funding.trace, tuple(reasons_of(at_funding, at_funding.false))
        got = funding_answer(at_funding)
    elif rulebook.product(example.product) is None:
        got = Answer(NOT_OFFERED)
    elif example.settlement is not None:
        early = _settlement_case(example.settlement, rulebook)
        got = _discount_answer(settlement_discount(rulebook, example.product, calculators, early))
    else:
        product = bound(rulebook, example.product, calculators)
        settles = None if example.settles is None else Money(example.settles, rulebook.currency)
        quoted = quoted_on(product, rulebook, facts, settles)
        answers: Answers = product.terms.rules.answer(facts)
        reasons, trace = quoted.reasons, answers.trace
        got = _as_asked(priced_answer(quoted), example.expect, answers)
    return ExampleRun(
        jurisdiction=rulebook.code,
        example=example,
        expected=expectation(example, rulebook.currency),
        got=got,
        reasons=reasons,
        trace=trace,
    )


def _due_on(example: Example, regimes: tuple[Regime, ...]) -> Answer:
    """Return whether a disclosure is due by *regimes*, with the ids of what decides against it."""
    regime = regime_on(regimes, example.on)
    if regime is None:
        return Answer(NOT_DUE)
    deciding = regime.not_due_by(regime.catalogue.prepare(example.given))
    return Answer(NOT_DUE if deciding else DUE, tuple(row.id for row in deciding))


def _as_asked(got: Answer, expect: Mapping[str, Json], answers: Answers) -> Answer:
    """
    Return *got* without what only the service and calculators say, unless the example asks for it.

    An example without `codes` says nothing of the service's own reasons, and one without `needs`
    nothing of the facts that a calculator lacks: many were written before there were any.
    """
    codes = got.codes if "codes" in expect else _of_rules(got.codes)
    return evolve(got, codes=codes, needs=got.needs if "needs" in expect else answers.needs)


def _of_rules(codes: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(code for code in codes if code not in SERVICE_REASONS)


def funding_answer(answers: Answers) -> Answer:
    """
    Return what becomes of a payout by the *answers* of the funding rules.

    One that some rule stops waits where that rule declines, and is referred where a person may
    approve it.
    """
    waiting = answers.false | answers.unknown
    outcome = PAYS_OUT
    if waiting:
        outcome = WAITS if waiting & answers.ruleset.declining else REFERRED
    codes = tuple(rule.code for rule in answers.selected(answers.false))
    return Answer(outcome, codes, answers.needs)


def bound(
    rulebook: Rulebook, key: str, calculators: Mapping[str, type] = BUILT_IN
) -> PriceableProduct:
    """
    Return the product *key* of *rulebook* with its calculators.

    Raises:
        ConfigurationError: they cannot be bound.
    """
    # Only this product is bound: another one with an unknown calculator does not matter here.
    offered = tuple(terms for terms in rulebook.products if terms.key == key)
    (product,) = bind(rulebook.altered(products=offered), calculators, _identify)
    return product


def quoted_on(
    product: PriceableProduct, rulebook: Rulebook, facts: Facts, settles: Money | None
) -> Quote:
    """Return the quote of *product*; an offer that *settles* a balance is a renewal."""
    case = PricingCase(
        facts=facts,
        catalogue=rulebook.catalogue,
        renewal=settles is not None,
        currency=rulebook.currency,
        rounding=rulebook.rounding,
    )
    return quote(product, case, str, settles)


def _identify(code: str, key: str) -> str:
    return f"{code}/{key}"


def priced_answer(quoted: Quote) -> Answer:
    """Return *quoted* as the answer to an example."""
    return Answer(
        outcome=quoted.decision,
        codes=tuple(reason.code for reason in quoted.reasons),
        needs=quoted.needs,
        limits={"minimum": str(quoted.limits.minimum), "maximum": str(quoted.limits.maximum)},
        offers=tuple(
            {name: show(getattr(offer, name)) for name, show in _SHOWN.items()}
            for offer in quoted.offers
        ),
    )


def example_text(
    name: str,
    on: date,
    product: str | None,
    differing: Iterable[tuple[Fact, int | None]],
    expect: str,
    **more: Json,
) -> str:
    """
    Return an example as a file has it, with the facts *differing* from the typical deal.

    *expect* is TOML. What is None of *more*, or of the others, is left out.
    """
    pairs, at_funding = list(differing), product == FUNDING
    stated = {"product": None if at_funding else product, **more}
    heading = "[[funding_examples]]" if at_funding else "[[examples]]"
    lines = [heading, f"name = {toml_text(name)}", f"on = {on}"]
    lines += (f"{key} = {toml_text(value)}" for key, value in stated.items() if value is not None)
    given = [f"{fact.name} = {toml_value(fact.type, n)}" for fact, n in pairs if n is not None]
    without: list[Json] = [fact.name for fact, number in pairs if number is None]
    if given:
        lines.append(f"given = {{ {', '.join(given)} }}")
    if without:
        lines.append(f"without = {toml_text(without)}")
    return "\n".join([*lines, f"expect = {expect}", ""])
