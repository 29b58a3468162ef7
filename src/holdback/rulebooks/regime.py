"""Disclosure regimes: what a law asks to be shown of an offer, as a day has it.

A regime is data. It is read from `disclosures.toml`, where each of its parts has its own dates, and
`holdback.disclosures` fills it with figures (decisions/disclosures#regimes).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from fractions import Fraction
from typing import Final, Literal, TypeAlias

from attrs import evolve, field

from holdback.eligibility.ruleset import PLACEHOLDER
from holdback.frozen_classes import frozen, frozen_record
from holdback.rules.closure import closure
from holdback.rules.number_format import NumberFormat
from holdback.rules.tree import Checked
from holdback.rules.types import Catalogue, Facts

# The name of a law on disclosures next to the keys of products, of which none can be this.
DISCLOSURES: Final = "[[disclosures]]"
BEFORE_ACCEPTANCE: Final = "before_acceptance"
BEFORE_FUNDING: Final = "before_funding"
# When an offer has to have been disclosed, where the engine insists on it.
REQUIRED: Final = (BEFORE_ACCEPTANCE, BEFORE_FUNDING)

# The method by which the annual rate is computed: that of Appendix J, or that of Directive
# 2008/48/EC, Annex I; None where a law asks for no rate.
RateMethod: TypeAlias = Literal["actuarial", "effective"]
ACTUARIAL: Final = "actuarial"
EFFECTIVE: Final = "effective"


@frozen(kw_only=True)
class Condition:
    """
    A condition of a regime, or an exemption, with its place in the file.

    A disclosure is due where no condition is false and no exemption is true. So one that rests on
    an unknown fact changes nothing: neither does it have to be true, nor does it exempt.
    """

    id: str
    checked: Checked = field(repr=False)
    source: str
    file: str = field(default="", eq=False, repr=False)
    line: int | None = field(default=None, eq=False, repr=False)


@frozen(kw_only=True)
class Sentence:
    """A sentence with figures and texts in braces, which is said `when` that is true, or always."""

    text: str
    when: Checked | None = field(default=None, repr=False)


@frozen(kw_only=True)
class Item:
    """
    A line of a disclosure: its label, its value, the sentences beside it, and the law's section.

    `value` and the sentences have figures and texts in braces. It is shown `when` that is true, or
    always.
    """

    id: str
    label: str
    value: str
    when: Checked | None = field(default=None, repr=False)
    sentences: tuple[Sentence, ...] = ()
    source: str


@frozen(kw_only=True)
class Regime:
    """
    What the law of a jurisdiction asks to be shown, from the day `since` until it changes.

    It is due where no condition is false and no exemption is true, however much is unknown; from
    the day `until` on, on which the law ends, nothing is. `catalogue` has the figures
    (`holdback.disclosures.figure_facts`), then the facts that a host states. `texts` are what it
    states in words, by name, with what is said where it states nothing; None where it has to, if
    something that is shown names the text. `meanings` say what each is. `month` is how many days a
    month of takings has. `overstatement_counts` says whether a rate that was stated too high is
    inaccurate as well.

    `required` is when an engine insists that an offer was disclosed, and `signed` whether the
    merchant signs the disclosure.
    """

    code: str
    since: date
    until: date | None = None
    title: str
    law: str
    rate: RateMethod | None
    month: Fraction
    overstatement_counts: bool
    required: str | None
    signed: bool
    conditions: tuple[Condition, ...]
    exemptions: tuple[Condition, ...]
    items: tuple[Item, ...]
    foot: tuple[str, ...]
    texts: Mapping[str, str | None] = field(converter=frozen_record)
    meanings: Mapping[str, str] = field(factory=dict, converter=frozen_record, eq=False, repr=False)
    catalogue: Catalogue = field(repr=False)
    number_format: NumberFormat = field(repr=False)
    file: str = field(default="", eq=False, repr=False)

    def not_due_by(self, facts: Facts) -> tuple[Condition, ...]:
        """
        Return the conditions that are false for prepared *facts*, and the exemptions that are true.

        It is due where there are none. What is unknown is neither, so that it exempts nobody.
        """
        failed = (row for row in self.conditions if closure(row.checked)(facts) is False)
        exempt = (row for row in self.exemptions if closure(row.checked)(facts) is True)
        return (*failed, *exempt)

    def shown(self, facts: Facts) -> tuple[Item, ...]:
        """Return the items that are shown for prepared *facts*, with the sentences said there."""
        return tuple(
            evolve(item, sentences=tuple(part for part in item.sentences if _holds(part, facts)))
            for item in self.items
            if _holds(item, facts)
        )

    def needed(self, facts: Facts) -> tuple[str, ...]:
        """
        Return the figures, facts and texts on which what is shown rests for prepared *facts*.

        Where it is unknown whether a line or a sentence is shown, these are the facts that its
        condition names, and nothing of the line or sentence itself.
        """
        said, unsure = [self.title], dict[str, None]()
        for item in self.items:
            parts: list[tuple[Item | Sentence, str]] = [(item, item.value)]
            parts += ((sentence, sentence.text) for sentence in item.sentences)
            for part, template in parts:
                holds = _holds(part, facts)
                if holds:
                    said.append(template)
                elif holds is None and part.when is not None:
                    unsure |= dict.fromkeys(part.when.names)
                if part is item and not holds:
                    break
        return tuple(unsure | dict.fromkeys(placeholders(*said, *self.foot)))

    def texts_with(self, facts: Facts) -> tuple[str, ...]:
        """Return the texts that something names which is shown for prepared *facts*."""
        return tuple(name for name in self.needed(facts) if name in self.texts)


def placeholders(*templates: str) -> tuple[str, ...]:
    """Return the names in braces of *templates*, in their order."""
    return tuple(name for template in templates for name in PLACEHOLDER.findall(template))


def _holds(part: Item | Sentence, facts: Facts) -> bool | None:
    """Return whether *part* is shown for prepared *facts*; None where that is unknown."""
    answer = True if part.when is None else closure(part.when)(facts)
    return None if answer is None else bool(answer)


def regime_on(regimes: tuple[Regime, ...], day: date) -> Regime | None:
    """Return the regime in force on *day*, of those of a jurisdiction; None where none is."""
    begun = next((regime for regime in reversed(regimes) if regime.since <= day), None)
    ended = begun is not None and begun.until is not None and begun.until <= day
    return None if ended else begun
