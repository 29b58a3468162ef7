"""A recorded reason, said again in another language: its figures are read, and written anew."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from decimal import Decimal

from holdback.eligibility.reasons import NOT_KNOWN, SERVICE_REASONS, template
from holdback.eligibility.ruleset import PLACEHOLDER, RuleSet
from holdback.exact.exact_json import Json
from holdback.exact.exact_numbers import scaled
from holdback.rulebooks.rulebook import Rulebook
from holdback.rules.number_format import NumberFormat, plain_format
from holdback.rules.types import Kind, Type


def said_again(rulebook: Rulebook, recorded: Mapping[str, Json]) -> str:
    """
    Return the sentence of a *recorded* reason in the language of *rulebook*.

    It is the rulebook by which the reason was given. A text that it would not have given, because
    its rules are others or were worded in another way, is returned unchanged.
    """
    text, code = str(recorded["text"]), recorded["code"]
    every = rulebook.rulesets.values()
    with_code = (rules for rules in every if code in {rule.code for rule in rules.rules})
    rules = next(with_code, rulebook.renewal)
    sources = [template(rules, str(code))] if code in SERVICE_REASONS else []
    sources += [rule.reason for rule in rules.rules if rule.code == code]
    for source in sources:
        figures = _figures_in(rules, source, text)
        if figures is not None:
            return rules.language.fill(source, figures.__getitem__)
    opening, _, names = text.partition(": ")
    facts = names.split(", ")
    if opening == "not known" and all(rules.catalogue.fact(name) is not None for name in facts):
        return rules.language.say(NOT_KNOWN, facts=", ".join(map(rules.label, facts)))
    return text


def _figures_in(rules: RuleSet, source: str, text: str) -> dict[str, str] | None:
    """Return the figures in *text* as *rules* say them; None unless *source* says that text."""
    pattern, names = re.escape(source), list(dict.fromkeys(PLACEHOLDER.findall(source)))
    for name in names:
        braced = re.escape(f"{{{name}}}")
        pattern = pattern.replace(braced, f"(?P<{name}>.+?)", 1).replace(braced, f"(?P={name})")
    match = re.fullmatch(pattern, text)
    return None if match is None else {name: _figure(rules, name, match[name]) for name in names}


def _figure(rules: RuleSet, name: str, shown: str) -> str:
    """Return the figure of *name*, recorded as *shown*, in the language of *rules*."""
    catalogue = rules.catalogue
    named = catalogue.parameters.get(name) or catalogue.fact(name)
    # What is not named by a rule is an amount, or the percentage of the floor.
    types = [Type(Kind.MONEY, catalogue.currency), Type(Kind.PERCENT)]
    format_ = rules.figures or plain_format(catalogue.currency)
    for type_ in types if named is None else [named.type]:
        number = read_shown(format_, type_, shown)
        if number is not None:
            return rules.show(type_, number)
    return rules.language.text(shown)


def read_shown(format_: NumberFormat, type_: Type, shown: str) -> int | None:
    """
    Return the number of *type_*, scaled, that *format_* shows as *shown*; None if it shows none so.

    >>> german = NumberFormat(
    ...     decimal=",", group=".", money="{amount} €", percent="{number} %",
    ...     date="{day}.{month}.{year}",
    ... )
    >>> [read_shown(german, Type(Kind.PERCENT), text) for text in ("1.234,5 %", "5%")]
    [12345000, None]
    """
    if type_.kind is Kind.DAYS:
        days = re.fullmatch("(-?[0-9]{1,9}) days?", shown)
        return None if days is None else int(days[1])
    if type_.kind in {Kind.FLAG, Kind.TEXT}:
        return None
    templates = {Kind.MONEY: format_.money, Kind.PERCENT: format_.percent, Kind.DATE: format_.date}
    pattern = re.escape(templates.get(type_.kind, "{number}"))
    pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.+)", pattern)
    matched = re.fullmatch(f"(?P<sign>-?){pattern}", shown)
    if matched is None:
        return None
    try:
        if type_.kind is Kind.DATE:
            year, month, day = (int(matched[name]) for name in ("year", "month", "day"))
            number = date(year, month, day).toordinal()
        else:
            plain = matched[2].replace(format_.group, "").replace(format_.decimal, ".")
            number = scaled(Decimal(matched["sign"] + plain), type_.places)
    except (ArithmeticError, ValueError):
        return None
    return number if format_.show(type_, number) == shown else None
