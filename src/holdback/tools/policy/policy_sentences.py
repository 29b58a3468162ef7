"""What the settings and products of a rulebook mean, as sentences for people who read a policy."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Any, Final

from holdback.disclosures.figure_facts import offer_catalogue
from holdback.exact.exact_json import write_json
from holdback.exact.exact_numbers import PERCENT_PLACES, digits
from holdback.jurisdictions.keys import REFUND
from holdback.merchant.merchant import SIGNATURES
from holdback.offers.calculator import TERM_MONTHS
from holdback.rulebooks.product_terms import QUEUE, ProductTerms
from holdback.rulebooks.regime import Regime, regime_on
from holdback.rulebooks.rulebook import Rulebook
from holdback.rules import Kind, Type
from holdback.rules.render import in_words
from holdback.rules.values import days_text
from holdback.tools.policy.policy_html import day_text
from holdback.tools.workbench.overview import calculators, fee_words
from holdback.tools.workbench.overview import in_words as words_of_rule

_HOURS_A_DAY: Final = 24
_ROUNDING: Final[Mapping[str, str]] = {
    "half_even": "to the nearest, and halfway between two to the even one",
    "half_up": "to the nearest, and halfway between two up",
    "half_down": "to the nearest, and halfway between two down",
    "up": "up",
    "down": "down",
}
_MONEY: Final = re.compile(r"[A-Z]{3} [0-9]+(\.[0-9]+)?")

# The settings of one calculator, as plain values.
_Settings = Mapping[str, Any]


def setting_sentences(rulebook: Rulebook) -> Iterator[tuple[str, str]]:
    """Yield the settings of *rulebook* by name, each as a sentence."""
    hours = rulebook.offers_valid_hours
    days, rest = divmod(hours, _HOURS_A_DAY)
    open_for = f"{hours} hours" if rest or not days else days_text(days)
    yield "offers_valid_hours", f"An offer stays open for {open_for}."
    renewed = f"A deal can still be renewed for {days_text(rulebook.recently_active_days)}"
    yield "recently_active_days", f"{renewed} after it was repaid."
    second = "takes a second consumer credit check"
    if not rulebook.automated_decisioning:
        second = "takes no second consumer credit check"
    expired = "An offer that has expired cannot be accepted; the new application"
    yield "automated_decisioning", f"{expired} {second}."
    approval = days_text(rulebook.approval_days)
    yield "approval_days", f"A person's approval of a referral holds for {approval}."
    waiting = days_text(rulebook.acceptance_days)
    yield "acceptance_days", f"An accepted application waits at most {waiting} for its funding."
    yield from _acceptance(rulebook)
    regime = regime_on(rulebook.disclosures, rulebook.on)
    if regime is not None:
        yield "disclosures", _disclosures(regime)
    cooling = "There is no cooling-off period."
    if rulebook.cooling_off_days:
        cooling_off = days_text(rulebook.cooling_off_days)
        cooling = f"The merchant can unwind a deal for {cooling_off} after its funding."
    yield "cooling_off_days", cooling
    late = "goes to the merchant's active deal"
    if rulebook.late_remittances == REFUND:
        late = "is refunded"
    yield "late_remittances", f"A remittance that comes after its deal has ended {late}."
    kept = days_text(rulebook.retain_profile_days)
    profile = f"A merchant's profile is kept for {kept} after the end of its last deal."
    yield "retain_profile_days", profile
    rounded = f"Amounts are in {rulebook.currency} and rounded {_ROUNDING[rulebook.rounding]}."
    yield "rounding", rounded
    yield "timezone", f"Days are counted in the time zone {rulebook.timezone}."


def _disclosures(regime: Regime) -> str:
    costs = f"Since {day_text(regime.since)} an offer comes with a disclosure of its costs"
    waits = "Nothing waits for it"
    if regime.required is not None:
        waits = f"It is required {regime.required.replace('_', ' the ')}"
    signed = "the merchant signs it" if regime.signed else "nobody signs it"
    return f"{costs}, by: {regime.law}. {waits}, and {signed}."


def _acceptance(rulebook: Rulebook) -> Iterator[tuple[str, str]]:
    before = dict(zip(SIGNATURES, ("before the submission", "before the funding"), strict=True))
    signature = "No signature is needed."
    if rulebook.signature is not None:
        signature = f"The merchant signs {before[rulebook.signature]}."
    yield "signature", signature
    if rulebook.bank_details:
        fields = in_words([name.replace("_", " ") for name in rulebook.bank_details])
        yield "bank_details", f"Complete bank details are: {fields}."
    if rulebook.consents:
        consents = in_words([name.replace("_", " ") for name in rulebook.consents])
        yield "consents", f"An offer needs the applicants' consent to: {consents}."


def check_sentences(rulebook: Rulebook) -> Iterator[tuple[str, str]]:
    """Yield the checks of *rulebook* by name, each as a sentence."""
    for name, terms in rulebook.checks.items():
        age = "Its result is good for ever."
        if terms.max_age_days is not None:
            age = f"Its result is not known once it is older than {days_text(terms.max_age_days)}."
        if terms.of_deal:
            age += " It is of the deal that is renewed, and not known of the next one."
        consent = ""
        if terms.consent is not None:
            consent = f" It needs the applicants' consent to {terms.consent.replace('_', ' ')}."
        yield name, f"{age}{consent}"


def product_sentences(terms: ProductTerms, rulebook: Rulebook) -> Iterator[tuple[str, str]]:
    """Yield what the product *terms* offers, each part by name and as a sentence."""
    writer = _Writer(rulebook, terms)
    shares = [f"{digits(share, PERCENT_PLACES, 0)}%" for share in terms.amounts]
    amounts = in_words([writer.figure(share) for share in shares])
    yield "amounts", f"Offers are made of {amounts} of the most that the merchant may have."
    for kind, settings in calculators(terms).items():
        write = _SENTENCES.get(f"{kind}/{settings['calculator']}")
        sentence = _of_a_host(kind, settings) if write is None else write(settings, writer)
        yield kind, sentence
    renewal = "Funding a renewal pays off the deal before it."
    if terms.renewal == QUEUE:
        renewal = "A renewal waits until the deal before it is repaid."
    yield "renewal", renewal
    if terms.fees:
        fees = [
            f"{fee.key.replace('_', ' ')} ({fee_words(fee, writer.figure)})" for fee in terms.fees
        ]
        yield "fees", f"Above the repayment amount may be charged: {in_words(fees)}."
    for rule in terms.offer_rules:
        said = words_of_rule(rule, offer_catalogue(rulebook.currency))
        name = rule.id.replace("-", " ")
        from_where = f"It comes from: {rule.source}, {rule.origin.period.start}."
        read = f"The merchant reads: “{rule.reason}” {from_where}"
        keeps = f"Each offer has to keep to {rule.code}, {name}: {said}"
        yield f"offer_rule_{rule.id}", f"{keeps} {read}"


class _Writer:
    """Writes the figures of settings as the jurisdiction's sentences do."""

    def __init__(self, rulebook: Rulebook, terms: ProductTerms) -> None:
        self._rulebook = rulebook
        self.term_is_chosen = terms.term.full_name == "term/chosen"

    def figure(self, text: object) -> str:
        """Return a figure of a setting: an amount or a percentage, or *text* unchanged."""
        written = str(text)
        rules, currency = self._rulebook.renewal, self._rulebook.currency
        for kind, is_one in (
            (Type(Kind.MONEY, currency), _MONEY.fullmatch(written) is not None),
            (Type(Kind.PERCENT), written.endswith("%")),
        ):
            number = kind.read(written) if is_one else None
            if number is not None:
                return rules.show(kind, number)
        return written

    def ratio(self, text: object) -> str:
        """Return a ratio of a setting."""
        number = Type(Kind.RATIO).read(Decimal(str(text)))
        assert number is not None, "a setting has a value"
        return self._rulebook.renewal.show(Type(Kind.RATIO), number)

    def label(self, name: str) -> str:
        """Return what the fact *name* is called."""
        if self.is_term(name):
            return "the months of the term"
        return f"the {self._rulebook.catalogue.label(name)}"

    def is_term(self, name: str) -> bool:
        """Return whether *name* is that of the term which the merchant chooses."""
        return name == TERM_MONTHS and self._rulebook.catalogue.fact(name) is None

    def of_fact(self, name: str, value: object) -> str:
        """Return a *value* of the fact *name*."""
        fact = self._rulebook.catalogue.fact(name)
        number = None if fact is None else fact.type.read(value)
        if fact is None or number is None:
            return str(value)
        return self._rulebook.renewal.show(fact.type, number)


def _fixed_limits(settings: _Settings, writer: _Writer) -> str:
    step = settings.get("step")
    steps = f", in steps of {writer.figure(step)}" if step else ""
    least, most = writer.figure(settings["minimum"]), writer.figure(settings["maximum"])
    return f"A merchant may have {least} to {most}{steps}."


def _takings_multiple(settings: _Settings, writer: _Writer) -> str:
    least, most = writer.figure(settings["minimum"]), writer.figure(settings["maximum"])
    multiple = writer.ratio(settings["multiple"])
    takings = writer.label("average_monthly_takings")
    step = settings.get("step")
    steps = f", rounded down to whole {writer.figure(step)}" if step else ""
    return (
        f"A merchant may have {least} or more, and at most {multiple} times {takings}{steps}; "
        f"never more than {most}."
    )


def _chosen(settings: _Settings, writer: _Writer) -> str:
    choices = in_words([writer.figure(choice) for choice in settings["choices"]], "or")
    return f"The merchant chooses the share of takings that repays the deal: {choices}."


def _affordability(settings: _Settings, writer: _Writer) -> str:
    choices = in_words([writer.figure(choice) for choice in settings["choices"]])
    months = f"{settings['longest_term_months']} months"
    if writer.term_is_chosen:
        months += " and within the chosen term"
    return (
        f"The share of takings that repays the deal is the smallest of {choices} that does so "
        f"within {months}; an amount that none of them repays is not offered."
    )


def _flat(settings: _Settings, writer: _Writer) -> str:
    rate = writer.ratio(settings["rate"])
    return f"The merchant repays {rate} times what it received.{_renewal(settings, writer)}"


def _banded(settings: _Settings, writer: _Writer) -> str:
    on, bands = settings["on"], settings["bands"]
    label = writer.label(on)
    parts, start = [], None
    for band in bands:
        end = None if band.get("up_to") is None else writer.of_fact(on, band["up_to"])
        from_there = "" if start is None else f"from {start} "
        reach = "on" if end is None else f"{'to ' if start else ''}below {end}"
        parts.append(f"{writer.ratio(band['rate'])} times {from_there}{reach}")
        start = end
    first = f"What the merchant repays of what it received depends on {label}"
    # The term of an offer is never unknown.
    unknown = "" if writer.is_term(on) else f" The highest of these while {label} is not known."
    return f"{first}: {in_words(parts)}.{unknown}{_renewal(settings, writer)}"


def _table_rate(settings: _Settings, writer: _Writer) -> str:
    return (
        f"What the merchant repays of what it received is in the table {_spaced(settings)}. The "
        f"highest of the rows that may take the merchant while a figure is not known."
        f"{_renewal(settings, writer)}"
    )


def _table_limits(settings: _Settings, writer: _Writer) -> str:
    step = settings.get("step")
    steps = f", in steps of {writer.figure(step)}" if step else ""
    least = writer.figure(settings["minimum"])
    return (
        f"A merchant may have {least} or more, and at most what the table {_spaced(settings)} "
        f"says{steps}."
    )


def _table_split(settings: _Settings, _writer: _Writer) -> str:
    return f"The share of takings that repays the deal is in the table {_spaced(settings)}."


def _spaced(settings: _Settings) -> str:
    return f"“{settings['table'].replace('-', ' ')}”"


def _renewal(settings: _Settings, writer: _Writer) -> str:
    discount = settings.get("renewal_discount")
    if discount is None or not Decimal(str(discount)):
        return ""
    return f" In a renewal it is {writer.ratio(discount)} less, and never below 1."


def _pace(_settings: _Settings, writer: _Writer) -> str:
    takings = writer.label("average_monthly_takings")
    return f"The term is the time in which that share of {takings} repays the deal."


def _fixed_term(settings: _Settings, _writer: _Writer) -> str:
    months = settings["months"]
    return f"The term is {months} month{'' if months == 1 else 's'} for everybody."


def _chosen_term(settings: _Settings, _writer: _Writer) -> str:
    months = in_words([str(number) for number in settings["months"]], "or")
    return f"The merchant chooses the term: {months} months."


def _percentage(settings: _Settings, writer: _Writer) -> str:
    share = writer.figure(settings["percentage"])
    return f"Who repays early is forgiven {share} of the cost that is still owed."


def _bands(settings: _Settings, writer: _Writer) -> str:
    bands = settings["bands"]
    parts = [
        f"{writer.figure(band['percentage'])} before {writer.figure(band['up_to'])} of the term"
        for band in bands[:-1]
    ]
    last = f"{writer.figure(bands[-1]['percentage'])} afterwards"
    return f"Who repays early is forgiven, of the cost still owed, {in_words([*parts, last])}."


def _of_a_host(kind: str, settings: _Settings) -> str:
    """Return a sentence about a calculator that only the host knows."""
    figures = [
        f"{name.replace('_', ' ')} {value if isinstance(value, str) else write_json(value)}"
        for name, value in settings.items()
        if name != "calculator"
    ]
    of = f" with {in_words(figures)}" if figures else ""
    spaced, name = kind.replace("_", " "), settings["calculator"].replace("_", " ")
    return f"The {spaced} comes from the calculator “{name}”{of}."


_SENTENCES: Final[Mapping[str, Callable[[_Settings, _Writer], str]]] = {
    "limits/fixed": _fixed_limits,
    "limits/takings_multiple": _takings_multiple,
    "split_percentage/chosen": _chosen,
    "split_percentage/affordability": _affordability,
    "factor_rate/flat": _flat,
    "factor_rate/banded": _banded,
    "limits/table": _table_limits,
    "split_percentage/table": _table_split,
    "factor_rate/table": _table_rate,
    "term/takings_pace": _pace,
    "term/fixed": _fixed_term,
    "term/chosen": _chosen_term,
    "settlement/percentage": _percentage,
    "settlement/bands": _bands,
}
