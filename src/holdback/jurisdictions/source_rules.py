"""Rules, parameters and products as their files have them: parsed, and not yet resolved by date.

A rule's expressions are parsed here, once. The resolver checks them in every slice, because what
they mean depends on the values of the parameters on the day.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final

from attrs import define, field

from holdback.eligibility.ruleset import DECLINE, PLACEHOLDER
from holdback.errors import excerpt
from holdback.exact.bounds import MOST_OFFERS, most_money
from holdback.exact.exact_numbers import HUNDRED_PERCENT
from holdback.exact.money import Currency, Money
from holdback.frozen_classes import frozen, frozen_record
from holdback.jurisdictions.keys import (
    FEE,
    MAX_NAME,
    NAME,
    OFFER_RULE,
    PARAMETER,
    PRODUCT,
    RENEWAL_RULE,
    RULE,
    Keys,
)
from holdback.jurisdictions.quantity import read_quantity
from holdback.jurisdictions.timeline import ALWAYS, Period, Timeline, read_period, read_timeline
from holdback.jurisdictions.toml import Node, TomlTable
from holdback.merchant.fee_terms import REVERSED
from holdback.rulebooks.product_terms import (
    CALCULATOR_KINDS,
    MOST_FEE_KINDS,
    AllowedFee,
    CalculatorChoice,
)
from holdback.rules import Catalogue, Kind, Tree, Type
from holdback.rules.check import MAX_MAGNITUDE
from holdback.rules.tokens import RESERVED

# Bounds the cost of a folder before its parameters are read.
MAX_PARAMETERS: Final = 200
# What a rule needs of that which is read by itself.
_READ_OF_A_RULE: Final = ("id", "require", "reason", "source")
_SHARES_OF_A_FEE: Final = ("yearly_rate", "at_most_share")
_READ_OF_A_PRODUCT: Final = ("key", "name", "description", "repayment_mechanism")


@frozen(kw_only=True)
class SourceParameter:
    """
    A parameter of the jurisdiction `code`: its type, and its scaled value over time.

    `label` is its name in sentences; None where the file gives none.
    """

    name: str
    type: Type
    timeline: Timeline[int]
    code: str
    label: str | None = field(default=None, eq=False)
    node: Node = field(eq=False, repr=False)


@define
class Parameters:
    """
    The parameters of a folder by name, and the names of the invalid ones.

    Invalid names are kept so that a rule that reads one of them does not get an error of its own.
    """

    valid: dict[str, SourceParameter] = field(factory=dict)
    invalid: set[str] = field(factory=set)

    def __contains__(self, name: str) -> bool:
        return name in self.valid or name in self.invalid

    def __len__(self) -> int:
        return len(self.valid) + len(self.invalid)


@frozen(kw_only=True, eq=False)
class SourceRule:
    """
    A rule of a jurisdiction's folder, and the period in which it is in force.

    `code` is the rule's own; `table` has its place in the file. `names` are the facts and
    parameters that its expressions and its reason name. Only a rule that is shared has `products`,
    the keys of those that it names: of all when it names none. That of a row is `of_table`, the
    id of a table.
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
    table: TomlTable
    products: tuple[str, ...] | None = None
    of_table: str | None = None
    names: frozenset[str] = field(init=False, repr=False)

    @names.default
    def _collect_names(self) -> frozenset[str]:
        return frozenset(
            [
                *(name for _, tree in self.expressions for name in tree.names),
                *PLACEHOLDER.findall(self.reason),
            ]
        )

    @property
    def parts(self) -> int:
        """The parts of its expressions, and the names in its reason: what checking it costs."""
        parts = sum(tree.size for _, tree in self.expressions)
        return parts + len(PLACEHOLDER.findall(self.reason))

    @property
    def expressions(self) -> Iterator[tuple[str, Tree]]:
        """Its parsed expressions, `when` if it has one and `require`, by key."""
        if self.when is not None:
            yield "when", self.when
        yield "require", self.require

    def is_shared_by(self, product: str) -> bool:
        """Return whether it is a shared rule of the *product* with this key, and of others."""
        return self.products is not None and (not self.products or product in self.products)

    @property
    def file(self) -> str:
        """The file that it is written in."""
        return self.table.node.document.file

    @property
    def line(self) -> int | None:
        """The line on which it begins."""
        return self.table.node.line

    @property
    def lines(self) -> set[int | None]:
        """The lines on which it, and each of its parts, begins."""
        node = self.table.node
        parts = node.elements() if self.of_table else node.entries().values()
        return {self.line, *(part.line for part in parts)}


@frozen(kw_only=True, eq=False)
class SourceFee:
    """A fee of a product, and the period of the offers that allow it."""

    allowed: AllowedFee
    period: Period
    source: str
    node: Node


@frozen(kw_only=True, eq=False)
class SourceProduct:
    """
    A product of a jurisdiction's folder, the period in which it is offered, and its rules.

    Only while a folder with errors is read may parts be empty or calculators be missing: the rules
    of an invalid product are checked all the same. Only a product with a calculator of settlements
    has one among its `calculators`.
    """

    key: str
    name: str
    description: str
    repayment_mechanism: str
    amounts: tuple[int, ...]
    rules: tuple[SourceRule, ...]
    calculators: Mapping[str, CalculatorChoice] = field(converter=frozen_record)
    renewal: str
    fees: tuple[SourceFee, ...]
    offer_rules: tuple[SourceRule, ...]
    period: Period
    table: TomlTable

    @property
    def choices(self) -> tuple[CalculatorChoice, ...]:
        """Its calculators."""
        return tuple(self.calculators.values())

    @property
    def file(self) -> str:
        """The file that it is written in."""
        return self.table.node.document.file


def read_parameters(node: Node, code: str, catalogue: Catalogue, parameters: Parameters) -> None:
    """
    Add the parameters in *node*, of the jurisdiction *code*, to *parameters*.

    *catalogue* has the facts that rules may read there: no parameter shares a name with one.
    """
    entries = node.entries()
    if len(entries) + len(parameters) > MAX_PARAMETERS:
        node.add_error("too_large", f"there are more than {MAX_PARAMETERS} parameters", key=True)
        return
    for name, entry in entries.items():
        table = PARAMETER.table(entry)
        values = PARAMETER.read(table)
        type_ = _type(values["type"], catalogue.currency)
        rejected = _name_error(name, catalogue, parameters)
        if rejected is not None:
            entry.add_error(*rejected, key=True)
            continue
        timeline = None
        if type_ is not None:
            timeline = read_timeline(table["timeline"], partial(_read_value, type_=type_))
        if type_ is None or timeline is None:
            parameters.invalid.add(name)
        else:
            parameters.valid[name] = SourceParameter(
                name=name,
                type=type_,
                timeline=timeline,
                code=code,
                label=values["label"],
                node=entry,
            )


def _read_value(node: Node, type_: Type) -> int | None:
    """Return the value of a parameter; a larger one than rules can calculate with is an error."""
    number = read_quantity(node, type_)
    if number is not None and abs(number) > MAX_MAGNITUDE:
        message = f"no rule can read this: it is more than 2**62 in the smallest unit of {type_}"
        node.add_error("out_of_range", message, "use a smaller number")
        return None
    return number


def invalid_name(name: str, example: str) -> tuple[str, str, str] | None:
    """Return the code, the message and the hint if no rule could read *name*; else None."""
    if re.fullmatch(NAME, name) is not None and name not in RESERVED:
        return None
    reserved = "the word has a meaning of its own in rules; " if name in RESERVED else ""
    message = f"`{excerpt(name)}` cannot be a name"
    return "wrong_value", message, f"{reserved}a name is like `{example}`"


def _name_error(
    name: str, catalogue: Catalogue, parameters: Parameters
) -> tuple[str, str, str] | None:
    """Return the code, the message and the hint if *name* cannot name a parameter; else None."""
    invalid = invalid_name(name, "minimum_performance")
    if invalid is not None:
        return invalid
    if catalogue.fact(name) is not None:
        message = f"`{name}` is the name of a fact"
        return "duplicate", message, "facts and parameters share no name"
    if name in parameters:
        return (
            "duplicate",
            f"there is a parameter `{name}` already",
            "`renewal.toml` and `products.toml` share their parameters",
        )
    return None


def _type(word: str | None, currency: Currency) -> Type | None:
    if word is None:
        return None
    kind = Kind(word)
    return Type(kind, currency if kind is Kind.MONEY else None)


def read_rules(
    node: Node, code: str, within: Period | None = None, keys: Keys = RENEWAL_RULE
) -> list[SourceRule]:
    """
    Return the valid rules in *node*, those of the jurisdiction *code*, which have these *keys*.

    A rule of a product is in force as long as the product is offered, the period *within*, unless
    it gives dates of its own. Other rules have no such period and must have a `from`.
    """
    rules = (_rule(element, code, within, keys) for element in node.elements())
    return [rule for rule in rules if rule is not None]


def read_code(node: Node, code: str) -> str | None:
    """Return the code of a rule of the jurisdiction *code*; None when it is absent or invalid."""
    return node.text(
        rf"{code}(-[A-Z0-9]+)+",
        f"a code such as `{code}-R-01`, with the jurisdiction's own in front",
        max_length=MAX_NAME,
    )


def _rule(node: Node, code: str, within: Period | None, keys: Keys) -> SourceRule | None:
    table = keys.table(node)
    values = keys.read(table)
    stable = read_code(table["code"], code)
    period = read_period(table, within)
    if values["when"] is None and not table["when"].absent:
        return None
    if stable is None or period is None or None in (values[name] for name in _READ_OF_A_RULE):
        return None
    values = {"otherwise": DECLINE, **values}
    return SourceRule(jurisdiction=code, code=stable, period=period, table=table, **values)


def read_product(node: Node, code: str, currency: Currency | None) -> SourceProduct | None:
    """
    Return the product in *node*, of the jurisdiction *code*; None when its period is invalid.

    Other invalid parts are empty, so that its rules are checked and their errors reported too.
    """
    table = PRODUCT.table(node)
    values = PRODUCT.read(table)
    period = read_period(table)
    rules = read_rules(table["rules"], code, period or ALWAYS, RULE)
    choices = {kind: read_choice(kind, table[kind]) for kind in CALCULATOR_KINDS}
    texts = {name: values[name] or "" for name in _READ_OF_A_PRODUCT}
    product = SourceProduct(
        **texts,
        amounts=_amounts(table["amounts"]),
        rules=tuple(rules),
        calculators={kind: choice for kind, choice in choices.items() if choice is not None},
        renewal=values["renewal"],
        fees=read_fees(table["fees"], period or ALWAYS, currency),
        offer_rules=tuple(read_rules(table["offer_rules"], code, period or ALWAYS, OFFER_RULE)),
        period=period or ALWAYS,
        table=table,
    )
    return None if period is None else product


def read_fees(node: Node, within: Period, currency: Currency | None) -> tuple[SourceFee, ...]:
    """
    Return the valid fees in *node*, of a product that is offered in the period *within*.

    Without a *currency* no amount can be read, and none is.
    """
    fees = [_fee(element, within, currency) for element in node.elements()]
    valid = [fee for fee in fees if fee is not None]
    on_one_day = [sum(first.period.start in fee.period for fee in valid) for first in valid]
    if max(on_one_day, default=0) > MOST_FEE_KINDS:
        node.add_error("too_large", f"expected at most {MOST_FEE_KINDS} fees on a day", key=True)
    for place, fee in enumerate(valid):
        earlier = [before for before in valid[:place] if before.allowed.key == fee.allowed.key]
        if any(before.period.overlaps(fee.period) for before in earlier):
            message = f"there are two fees `{fee.allowed.key}` on one day"
            node.add_error("duplicate", message, "end the first with `until`", key=True)
    return tuple(valid)


def _fee(node: Node, within: Period, currency: Currency | None) -> SourceFee | None:
    before = len(node.document.errors)
    table = FEE.table(node)
    values = FEE.read(table)
    period = read_period(table, within)
    percent = Type(Kind.PERCENT)
    amount, at_most = (_fee_money(table[name], currency) for name in ("amount", "at_most"))
    rate, share = (read_quantity(table[name], percent) for name in _SHARES_OF_A_FEE)
    for name, number in zip(_SHARES_OF_A_FEE, (rate, share), strict=True):
        if number is not None and not 0 < number <= HUNDRED_PERCENT:
            table[name].add_error("out_of_range", "expected a percentage above 0% and up to 100%")
    if len(node.document.errors) == before:  # a key that is misspelt is not missing as well
        _add_fee_contradictions(node, table, values["after"])
    if len(node.document.errors) > before or period is None or currency is None:
        return None
    if not period.overlaps(within):
        node.add_error("no_effect", "a fee of days on which its product is not offered", key=True)
        return None
    if amount is not None and at_most is not None and amount.minor > at_most.minor:
        table["at_most"].add_error("contradiction", f"the fee alone is {amount}", "raise the cap")
        return None
    allowed = AllowedFee(
        key=values["key"],
        after=values["after"],
        amount=amount,
        yearly_rate=rate,
        at_most=at_most,
        at_most_share=share,
    )
    return SourceFee(allowed=allowed, period=period, source=values["source"], node=node)


def _add_fee_contradictions(node: Node, table: TomlTable, after: str) -> None:
    """Add what is wrong between the keys of a fee, of which each is right by itself."""
    if table["amount"].absent == table["yearly_rate"].absent:
        node.add_error(
            "contradiction",
            "a fee has an `amount` or a `yearly_rate`, and not both",
            'write `amount = "GBP 15.00"`, or `yearly_rate = "8%"` for interest',
        )
    if table["at_most"].absent and table["at_most_share"].absent:
        node.add_error(
            "missing",
            "a fee has a cap: `at_most`, `at_most_share` or both",
            'write `at_most = "GBP 60.00"` or `at_most_share = "5%"`',
        )
    if after == REVERSED and not table["yearly_rate"].absent:
        message = "interest runs while a deal is in default, not after a reversal"
        table["after"].add_error("contradiction", message, 'write `after = "default"`')


def _fee_money(node: Node, currency: Currency | None) -> Money | None:
    if currency is None:
        return None
    minor = read_quantity(node, Type(Kind.MONEY, currency))
    if minor is not None and not 0 < minor <= most_money(currency):
        node.add_error(
            "out_of_range", "expected an amount above zero, and one that a deal can have"
        )
    return None if minor is None else Money(minor, currency)


def _amounts(node: Node) -> tuple[int, ...]:
    """Return the shares of the maximum in ten-thousandths of a percent; none when invalid."""
    percent = Type(Kind.PERCENT)
    shares = [read_quantity(element, percent) for element in node.elements()]
    amounts = tuple(share for share in shares if share is not None)
    if not isinstance(node.value, list) or len(amounts) < len(shares):
        return ()
    if len(amounts) > MOST_OFFERS:
        node.add_error("too_large", f"expected at most {MOST_OFFERS} percentages")
    if (
        list(amounts) != sorted(set(amounts))
        or not amounts
        or not 0 < amounts[0] <= amounts[-1] <= HUNDRED_PERCENT
    ):
        node.add_error(
            "wrong_value", "expected percentages above 0% and up to 100%, each above the one before"
        )
    return amounts


def read_choice(kind: str, node: Node) -> CalculatorChoice | None:
    """Return the calculator of *kind* that *node* names, and its settings unread.

    Only the registry of calculators knows their settings, and a host may add calculators of its
    own.
    """
    if node.absent:
        return None
    entries = dict(node.entries())
    named = entries.pop("calculator", None)
    if named is None:
        if isinstance(node.value, dict):
            node.add_error(
                "missing",
                "`calculator` is missing",
                f'name one, as `{kind} = {{ calculator = "..." }}`',
            )
        return None
    name = named.text(NAME, "the name of a calculator such as `takings_multiple`")
    before = len(node.document.errors)
    for key, entry in entries.items():
        if re.fullmatch(NAME, key) is None:
            entry.add_error(
                "wrong_value",
                f"`{excerpt(key)}` cannot be a setting",
                "a name is like `minimum`",
                key=True,
            )
    settings = {key: entry.json() for key, entry in entries.items() if not entry.is_blank()}
    if name is None or len(node.document.errors) > before:
        return None
    return CalculatorChoice(kind=kind, name=name, settings=settings, places=partial(_places, node))


def _places(node: Node) -> Mapping[str, Mapping[str, Any]]:
    """Return where each setting of the calculator in *node* is: its key, but the name itself."""
    settings = {
        key: entry.position(key=key != "calculator") for key, entry in node.entries().items()
    }
    return {**settings, "": node.position()}
