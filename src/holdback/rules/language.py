"""Languages of the sentences for merchants: what the files and holdback say, said in another one.

A translation is found by the text that it translates. A sentence that changes loses its translation
and is said as it is written, so a merchant never reads what no longer holds (decisions/languages).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date
from functools import lru_cache
from typing import Final

from attrs import evolve, field

from holdback.exact.exact_numbers import digits
from holdback.exact.money import Currency, Money
from holdback.frozen_classes import FrozenMapping, frozen, frozen_texts
from holdback.rules.number_format import NumberFormat
from holdback.rules.types import Kind, Type

# A name in braces. If it begins with a capital letter, what takes its place does too.
SLOT: Final = re.compile(r"\{([A-Za-z][a-z0-9_]*)\}")

_DATE: Final = Type(Kind.DATE)


@frozen(kw_only=True)
class Language:
    """
    A language with its `code`, its `name` in English, and its `texts` by what they translate.

    `figures` is how it writes numbers and dates, with `{currency}` for the sign of the currency;
    None where they are written as each jurisdiction writes them. Without texts it is English.
    """

    code: str
    name: str
    texts: Mapping[str, str] = field(factory=FrozenMapping, converter=frozen_texts, repr=False)
    figures: NumberFormat | None = field(default=None, repr=False)

    def text(self, text: str) -> str:
        """Return *text*, a label or a word, in this language; it has no names in braces."""
        return self.texts.get(text, text)

    def say(self, text: str, /, **parts: str) -> str:
        """
        Return *text* in this language, with each name in braces replaced by that of *parts*.

        >>> german = Language(code="de", name="German", texts={"at least {a}": "mindestens {a}"})
        >>> german.say("at least {a}", a="80 %"), german.say("at most {a}", a="80 %")
        ('mindestens 80 %', 'at most 80 %')
        """
        return self.fill(text, parts.__getitem__)

    def fill(self, text: str, part: Callable[[str], str]) -> str:
        """Return *text* in this language, with each name in braces replaced by its *part*."""

        def replaced(match: re.Match[str]) -> str:
            filled = part(match[1].lower())
            return filled[:1].upper() + filled[1:] if match[1][0].isupper() else filled

        return SLOT.sub(replaced, self.text(text))

    def phrase(self, phrase: str, label: str) -> str:
        """
        Return *phrase* in this language, which English makes of a *label*: "the balance".

        Where it has no translation, that of the label stands alone: an article or conjunction of
        one language does not fit a word of another.
        """
        return self.texts.get(phrase) or (self.text(label) if self.texts else phrase)

    def show(self, type_: Type, number: int, figures: NumberFormat | None) -> str:
        """Return *number* of *type_*, scaled, in the *figures* of a jurisdiction's sentences."""
        match type_.kind:
            case Kind.DAYS:
                if abs(number) == 1:
                    return self.say("{number} day", number=str(number))
                return self.say("{number} days", number=str(number))
            case Kind.FLAG | Kind.TEXT:
                return self.text(type_.show(number))
            case _:
                return type_.show(number) if figures is None else figures.show(type_, number)

    def figures_with(self, own: NumberFormat | None, currency: Currency) -> NumberFormat | None:
        """Return the format of amounts in *currency* where a jurisdiction's *own* is given."""
        if self.figures is None:
            return own
        sign = currency.code if own is None else own.money.replace("{amount}", "").strip()
        return _with_sign(self.figures, sign)

    def day(self, day: date) -> str:
        """Return *day* as this language writes it where there is no jurisdiction."""
        return self.show(_DATE, day.toordinal(), self.figures)

    def money(self, money: Money) -> str:
        """Return *money* with its currency's code, where there is no jurisdiction."""
        figures = self.figures_with(None, money.currency)
        return str(money) if figures is None else self._shown(money, figures)

    def amount(self, money: Money) -> str:
        """Return *money* without its currency."""
        if self.figures is None:
            return digits(money.minor, money.currency.places)
        return self._shown(money, evolve(self.figures, money="{amount}"))

    def _shown(self, money: Money, figures: NumberFormat) -> str:
        return figures.show(Type(Kind.MONEY, money.currency), money.minor)


@lru_cache(maxsize=64)
def _with_sign(figures: NumberFormat, sign: str) -> NumberFormat:
    return evolve(figures, money=figures.money.replace("{currency}", sign))


# The language of holdback's own words, which says everything as it is written.
ENGLISH: Final = Language(code="en", name="English")
