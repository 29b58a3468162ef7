"""Facts and what they have to reach, in words for a merchant."""

from __future__ import annotations

from holdback.eligibility.facts import FACTS, UP
from holdback.eligibility.ruleset import RuleSet
from holdback.rules.render import denied_sentence
from holdback.rules.types import Fact, Kind, draft_label


def name_of(fact: Fact) -> str:
    """
    Return the name of *fact* in a sentence.

    >>> from holdback.eligibility.facts import catalogue
    >>> from holdback.exact.money import Currency
    >>> facts = catalogue(Currency.of("GBP"))
    >>> name_of(facts.fact("balance")), name_of(facts.fact("paused"))
    ('the balance', 'whether the repayment is paused')
    """
    label = _label(fact)
    if fact.type.kind is not Kind.FLAG:
        return f"the {label}"
    return f"whether {label}" if denied_sentence(label) else label


def _label(fact: Fact) -> str:
    return draft_label(fact.name) if fact.label is None else fact.label


def move_words(rules: RuleSet, fact: Fact, current: int, to: int, until: int | None) -> str:
    """
    Return, in words, what *fact* has to be, which is *current* on this day.

    It has to be at least, or at most, *to*, and not farther than *until*.
    """
    if fact.type.kind is Kind.FLAG:
        denied = denied_sentence(label := _label(fact))
        if denied is None:
            return f"{label} is {fact.type.show(to)}"
        return label if to else denied
    limit = _limit(rules, fact, to, until)
    built_in = FACTS.get(fact.name)
    share = f" {built_in.share_of}" if built_in is not None and built_in.share_of else ""
    return f"{name_of(fact)} is {limit}{share} (now {rules.show(fact.type, current)})"


def _limit(rules: RuleSet, fact: Fact, to: int, until: int | None) -> str:
    """
    Return the limit in words, such as `at least 80%`.

    *to* is where the fact has to get to, and *until* how far it may go; None sets no limit.
    """
    least, most = (to, until) if fact.moves == UP else (until, to)
    if least == most:
        return f"exactly {rules.show(fact.type, to)}"
    is_day = fact.type.kind is Kind.DATE
    shown = []
    if least is not None:
        figure = rules.show(fact.type, least)
        shown.append(f"{figure} or later" if is_day else f"at least {figure}")
    if most is not None:
        figure = rules.show(fact.type, most)
        shown.append(f"{figure} or earlier" if is_day else f"at most {figure}")
    return " and ".join(shown)
