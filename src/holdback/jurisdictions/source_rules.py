"""Rules, parameters and products as a file has them: read and parsed, not yet cut by date.

A rule is parsed here, once. It is checked later, in every slice, because what it means depends on the
values of the parameters on the day (`slices.py`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from datetime import date
from functools import partial
from typing import Final, TypeAlias

from attrs import field, frozen

from holdback.errors import RuleError
from holdback.jurisdictions.rulebook import CalculatorChoice
from holdback.jurisdictions.timeline import Period, Timeline, read_period, read_timeline
from holdback.money import PERCENT_PLACES, Currency
from holdback.rules import Kind, Tree, Type, parse
from holdback.rules.tokens import KEYWORDS
from holdback.ruleset import DECLINE, PLACEHOLDER, REFER
from holdback.toml.document import excerpt
from holdback.toml.node import Item, Keys

# The longest id or code: it stands in records and notices.
MAX_NAME: Final = 60
ID: Final = r"[a-z][a-z0-9]*(-[a-z0-9]+)*"
NAME: Final = r"[a-z][a-z0-9_]{0,59}"
# More values than a person could keep in mind; the cost of a folder is known before it is read.
MOST_PARAMETERS: Final = 200
CALCULATORS: Final = ("limits", "split_percentage", "factor_rate", "term")

PARAMETER_KINDS: Final = tuple(kind.value for kind in Kind if kind is not Kind.TEXT)
RULE: Final = ("id", "code", "require", "reason", "source")
PRODUCT: Final = ("key", "name", "description", "repayment_mechanism", "from", "amounts")
OPTIONAL_OF_A_RULE: Final = ("when", "otherwise", "from", "until")
OPTIONAL_OF_A_PRODUCT: Final = ("until", "rules")
_WHOLE: Final = 100 * 10**PERCENT_PLACES
_EVER: Final = Period(date.min)


@frozen(kw_only=True)
class WrittenParameter:
    """A parameter of a jurisdiction's folder: its type, and its value, scaled, through time."""

    name: str
    type: Type
    timeline: Timeline[int]
    code: str
    item: Item = field(eq=False, repr=False)


@frozen(kw_only=True, eq=False)
class WrittenRule:
    """
    A rule of a jurisdiction's folder and the period in which it is in force. `keys` say where its parts
    stand, `names` what it names, in its expressions and its reason.
    """

    jurisdiction: str
    id: str
    code: str
    require: Tree
    when: Tree | None
    otherwise: str
    reason: str
    source: str
    period: Period
    keys: Keys
    names: frozenset[str] = field(init=False, repr=False)

    @names.default
    def _named(self) -> frozenset[str]:
        trees = [self.require] if self.when is None else [self.require, self.when]
        return frozenset(
            [*(name for tree in trees for name in tree.names), *PLACEHOLDER.findall(self.reason)]
        )


@frozen(kw_only=True, eq=False)
class WrittenProduct:
    """A product, the period in which it is offered, and its rules."""

    key: str
    name: str
    description: str
    repayment_mechanism: str
    amounts: tuple[int, ...]
    rules: tuple[WrittenRule, ...]
    calculators: Mapping[str, CalculatorChoice]
    period: Period
    keys: Keys


# By name; None for one at fault, so that the rules that read it are not blamed.
Parameters: TypeAlias = dict[str, WrittenParameter | None]


def read_parameters(
    item: Item, code: str, currency: Currency, facts: Collection[str], known: Parameters
) -> None:
    """Add the parameters in *item*, of the jurisdiction *code* with those *facts*, to the *known* ones."""
    parts = item.pairs()
    if len(parts) + len(known) > MOST_PARAMETERS:
        item.fault(f"there are more than {MOST_PARAMETERS} parameters", key=True)
        return
    for name, part in parts.items():
        keys = part.keys(("type", "timeline"))
        type_ = _type(keys["type"], currency)
        taken = _taken(name, facts, known)
        if taken is not None:
            part.fault(*taken, key=True)
            continue
        known[name] = None
        if type_ is not None:
            timeline = read_timeline(keys["timeline"], partial(Item.quantity, type_=type_))
            if timeline is not None:
                known[name] = WrittenParameter(
                    name=name, type=type_, timeline=timeline, code=code, item=part
                )


def _taken(name: str, facts: Collection[str], known: Parameters) -> tuple[str, str | None] | None:
    """Why *name* cannot be a parameter's, and a hint; None when it can."""
    if re.fullmatch(NAME, name) is None or name in KEYWORDS:
        return f"`{excerpt(name)}` cannot be a name", "a name is like `minimum_performance`"
    if name in facts:
        return f"`{name}` is the name of a fact", "facts and parameters share no name"
    if name in known:
        return (
            f"there is a parameter `{name}` already",
            "renewal and products share their parameters",
        )
    return None


def _type(item: Item, currency: Currency) -> Type | None:
    word = item.one_of(PARAMETER_KINDS, "type")
    if word is None:
        return None
    kind = Kind(word)
    return Type(kind, currency if kind is Kind.MONEY else None)


def read_rules(item: Item, code: str, within: Period | None = None) -> list[WrittenRule]:
    """
    The rules in *item*, those of the jurisdiction *code*, that can be read.

    Without a period *within* which they hold by default, each has to say from when on it does.
    """
    rules = (_rule(part, code, within) for part in item.items())
    return [rule for rule in rules if rule is not None]


def _rule(item: Item, code: str, within: Period | None) -> WrittenRule | None:
    required, dates = (RULE, ("from", "until")) if within else ((*RULE, "from"), ("until",))
    keys = item.keys(required, ("when", "otherwise", *dates))
    name = keys["id"].text(
        ID, "an id such as `on-pace`: small letters, digits and hyphens", most=MAX_NAME
    )
    stable = keys["code"].text(
        rf"{code}(-[A-Z0-9]+)+",
        f"a code such as `{code}-R-01`, with the jurisdiction's own in front",
        most=MAX_NAME,
    )
    require, when = read_expression(keys["require"]), read_expression(keys["when"])
    otherwise = DECLINE
    if not keys["otherwise"].absent:
        otherwise = keys["otherwise"].one_of((DECLINE, REFER), "answer") or DECLINE
    reason, source = keys["reason"].text(), keys["source"].text()
    period = read_period(keys, within)
    if name is None or stable is None or require is None or reason is None:
        return None
    if source is None or period is None or (when is None and not keys["when"].absent):
        return None
    return WrittenRule(
        jurisdiction=code,
        id=name,
        code=stable,
        require=require,
        when=when,
        otherwise=otherwise,
        reason=reason,
        source=source,
        period=period,
        keys=keys,
    )


def read_expression(item: Item) -> Tree | None:
    """The tree of the expression in *item*."""
    if item.absent:
        return None
    if not isinstance(item.value, str):
        item.expected('an expression in quotes, such as `"progress >= 60%"`')
        return None
    try:
        return parse(item.value)
    except RuleError as error:
        item.rule_fault(error)
        return None


def read_product(item: Item, code: str) -> WrittenProduct | None:
    """
    The product in *item*, of the jurisdiction *code*.

    What is at fault in it is empty, so that its rules are looked at all the same; None when not even
    its period is known.
    """
    keys = item.keys((*PRODUCT, *CALCULATORS), OPTIONAL_OF_A_PRODUCT)
    period = read_period(keys)
    rules = read_rules(keys["rules"], code, period or _EVER)
    choices = {kind: read_choice(kind, keys[kind]) for kind in CALCULATORS}
    key = keys["key"].text(NAME, "a key such as `flex`: small letters, digits and underscores")
    product = WrittenProduct(
        key=key or "",
        name=keys["name"].text() or "",
        description=keys["description"].text() or "",
        repayment_mechanism=keys["repayment_mechanism"].text() or "",
        amounts=_amounts(keys["amounts"]),
        rules=tuple(rules),
        calculators={kind: choice for kind, choice in choices.items() if choice is not None},
        period=period or _EVER,
        keys=keys,
    )
    return None if period is None else product


def _amounts(item: Item) -> tuple[int, ...]:
    """The shares of the maximum, in ten-thousandths of a percent; none when they are at fault."""
    percent = Type(Kind.PERCENT)
    shares = [part.quantity(percent) for part in item.items()]
    amounts = tuple(share for share in shares if share is not None)
    if not isinstance(item.value, list) or len(amounts) < len(shares):
        return ()
    if (
        list(amounts) != sorted(set(amounts))
        or not amounts
        or not 0 < amounts[0] <= amounts[-1] <= _WHOLE
    ):
        item.fault("expected percentages above 0% and up to 100%, each above the one before")
    return amounts


def read_choice(kind: str, item: Item) -> CalculatorChoice | None:
    """The calculator of *kind* that *item* names, and its settings as they are."""
    if item.absent:
        return None
    parts = dict(item.pairs())
    named = parts.pop("calculator", None)
    if named is None:
        if isinstance(item.value, dict):
            item.fault(
                "`calculator` is missing", f'name one, as `{kind} = {{ calculator = "..." }}`'
            )
        return None
    name = named.text(NAME, "the name of a calculator such as `takings_multiple`")
    before = len(item.document.errors)
    for key, part in parts.items():
        if re.fullmatch(NAME, key) is None:
            part.fault(
                f"`{excerpt(key)}` cannot be a setting", "a name is like `minimum`", key=True
            )
    settings = {key: part.plain() for key, part in parts.items() if not part.is_blank()}
    if name is None or len(item.document.errors) > before:
        return None
    return CalculatorChoice(kind=kind, name=name, settings=settings, written=item)
