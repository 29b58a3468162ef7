"""Facts and what they have to reach, in words for a merchant."""

from __future__ import annotations

from holdback.eligibility.facts import FACTS, UP
from holdback.eligibility.ruleset import RuleSet
from holdback.rules.language import ENGLISH, Language
from holdback.rules.render import denied_sentence, in_words
from holdback.rules.types import Fact, Kind, draft_label


def name_of(fact: Fact, language: Language = ENGLISH) -> str:
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
        return language.phrase(f"the {label}", label)
    return language.phrase(f"whether {label}" if denied_sentence(label) else label, label)


def _label(fact: Fact) -> str:
    return draft_label(fact.name) if fact.label is None else fact.label


def move_words(rules: RuleSet, fact: Fact, current: int, to: int, until: int | None) -> str:
    """
    Return, in words, what *fact* has to be, which is *current* on this day.

    It has to be at least, or at most, *to*, and not farther than *until*.
    """
    language = rules.language
    if fact.type.kind is Kind.FLAG:
        denied = denied_sentence(label := _label(fact))
        if denied is None:
            figure = rules.show(fact.type, to)
            return language.say("{fact} is {figure}", fact=language.text(label), figure=figure)
        return language.text(label if to else denied)
    limit, name = _limit(rules, fact, to, until), name_of(fact, language)
    built_in = FACTS.get(fact.name)
    if built_in is not None and built_in.share_of:
        limit = language.say(f"{{limit}} {built_in.share_of}", limit=limit)
    now = rules.show(fact.type, current)
    if fact.type.kind is Kind.DATE:
        return language.say("{fact} is {date} (now {now})", fact=name, date=limit, now=now)
    return language.say("{fact} is {limit} (now {now})", fact=name, limit=limit, now=now)


def _limit(rules: RuleSet, fact: Fact, to: int, until: int | None) -> str:
    """
    Return the limit in words, such as `at least 80%`.

    *to* is where the fact has to get to, and *until* how far it may go; None sets no limit.
    """
    say = rules.language.say
    least, most = (to, until) if fact.moves == UP else (until, to)
    if least == most:
        return say("exactly {limit}", limit=rules.show(fact.type, to))
    is_day = fact.type.kind is Kind.DATE
    shown = []
    if least is not None:
        figure = rules.show(fact.type, least)
        later = say("{date} or later", date=figure)
        shown.append(later if is_day else say("at least {limit}", limit=figure))
    if most is not None:
        figure = rules.show(fact.type, most)
        earlier = say("{date} or earlier", date=figure)
        shown.append(earlier if is_day else say("at most {limit}", limit=figure))
    return in_words(shown, rules.language.text("and"))
