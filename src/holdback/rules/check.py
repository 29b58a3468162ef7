"""Tree to checked tree: names, types, units, ranges and exactness, verified once.

A checked expression cannot fail later: it has a value on all prepared facts, its intermediate
numbers stay within 62 bits, and its comparisons are exact.

1. Operands are of one type: the same kind, money of the same currency, text of the same declared
   set.
2. A multiplication has a constant side, so every rule is linear in the facts.
3. A comparison reads a fact, and a constant in it lies in the range of the other side.
4. A percentage that was rounded down is compared only where rounding changes nothing: `>=`, `<`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import chain
from types import MappingProxyType
from typing import Final, NoReturn, assert_never

from holdback.errors import RuleError, did_you_mean, listed, write_instead
from holdback.exact.money import Currency
from holdback.rules import scaling, values
from holdback.rules.operators import MIRRORED, OPERATORS, Role, by_operator
from holdback.rules.render import text_of
from holdback.rules.scaling import is_constant
from holdback.rules.tree import (
    Checked,
    Constant,
    Expression,
    FactRead,
    Literal,
    Name,
    Node,
    Operation,
    Rounding,
    Syntax,
    Tree,
    leaves,
)
from holdback.rules.types import Catalogue, Fact, Kind, Type

__all__ = ["MAX_MAGNITUDE", "Checked", "check", "implication"]

# A dataframe engine evaluates in 64-bit integers, which hold magnitudes below 2**63. Every result
# is bounded too, so none overflows; the spare bit is a margin (decisions/rule-language).
MAX_MAGNITUDE: Final = 2**62

_FLAG: Final = Type(Kind.FLAG)
# The kinds that can be multiplied, the constant side on the left or on the right.
_FACTORS: Final = ({Kind.MONEY, Kind.RATIO}, {Kind.MONEY, Kind.PERCENT}, {Kind.COUNT})


def check(tree: Tree, catalogue: Catalogue, expect: Kind | None = None) -> Checked:
    """
    Return *tree* verified, its names looked up in *catalogue*.

    With *expect*, its value must be of that kind: a rule's is a flag.

    Raises:
        RuleError: with stage `types`; it points at the characters that are wrong.
    """
    checker = _Checker(catalogue, tree.source)
    root = checker.node(tree.root)
    if expect is not None and root.type.kind is not expect:
        hint = "compare it with something, as `progress >= 50%`" if expect is Kind.FLAG else None
        message = f"expected a {expect.value}, not {with_article(root.type)}"
        checker.fail(message, tree.root, hint)
    return _checked(root, tree.source, catalogue)


def implication(when: Checked, require: Checked) -> Checked:
    """
    Return the rule that *require* holds wherever *when* does: Kleene `not when or require`.

    Its source is its canonical text, because it was never written as one expression. The positions
    of the nodes below the root belong to the texts of *when* and *require*; nothing reads them
    once both are checked.
    """
    assert when.catalogue is require.catalogue, "both read the same facts"
    denied = _logic("not", (when.tree,), 0, 0)
    match require.tree:
        case Operation(operator="or", operands=operands):
            pass  # `a or (b or c)` becomes `a or b or c`, as in the parser
        case required:
            operands = (required,)
    root = _logic("or", (denied, *operands), 0, 0)
    return _checked(root, text_of(root), when.catalogue)


def _logic(operator: str, operands: tuple[Node, ...], start: int, end: int) -> Operation:
    return Operation(
        operator=operator,
        operands=operands,
        type=_FLAG,
        places=0,
        low=0,
        high=1,
        start=start,
        end=end,
    )


def _number(
    tree: Expression, operands: tuple[Node, ...], type_: Type, places: int, ends: tuple[int, int]
) -> Operation:
    return Operation(
        operator=tree.operator,
        operands=operands,
        type=type_,
        places=places,
        low=ends[0],
        high=ends[1],
        rounding=rounding(tree.operator, operands),
        start=tree.start,
        end=tree.end,
    )


def _checked(root: Node, source: str, catalogue: Catalogue) -> Checked:
    read = list(leaves(root))
    places = dict.fromkeys(leaf.place for leaf in read if isinstance(leaf, FactRead))
    parameters = dict.fromkeys(
        leaf.name for leaf in read if isinstance(leaf, Constant) and leaf.name is not None
    )
    return Checked(
        tree=root,
        source=source,
        facts=tuple(places),
        names=tuple(catalogue.facts[place].name for place in places),
        parameters=tuple(parameters),
        catalogue=catalogue,
    )


class _Checker:
    """The catalogue and the source of one expression, with a method for each kind of node."""

    def __init__(self, catalogue: Catalogue, source: str) -> None:
        self.catalogue = catalogue
        self.source = source

    def node(self, tree: Syntax) -> Node:
        """Return *tree* checked."""
        match tree:
            case Literal():
                return self.literal(tree)
            case Name():
                return self.name(tree)
            case Expression():
                return self.expression(tree)
            case _:
                assert_never(tree)

    def expression(self, tree: Expression) -> Node:
        """Return *tree* checked by the role of its operator."""
        by_role: dict[Role, Callable[[Expression], Node]] = {
            Role.LOGIC: self.logic,
            Role.COMPARISON: self.comparison,
            Role.ARITHMETIC: self.arithmetic,
            Role.PRODUCT: self.product,
        }
        return by_role[OPERATORS[tree.operator].role](tree)

    # -- leaves

    def literal(self, tree: Literal) -> Constant:
        """Return a literal with its number scaled exactly, a text in a set of its own."""
        type_ = self._literal_type(tree)
        number: int | None = 0
        if tree.kind is Kind.FLAG:
            number = int(tree.value == "true")
        elif tree.kind is Kind.DATE:
            number = values.day_number(tree.value)
        elif tree.kind is not Kind.TEXT:
            number = values.scaled_number(tree.value, type_.places)
        meanings = self._readings(tree, type_)
        if len(meanings) > 1:
            self.fail(str(type_.several(meanings)), tree, write_instead(meanings))
        if number is None:
            decimals = f"at most {type_.places} decimals" if type_.places else "no decimals"
            message = f"{with_article(type_)} has {decimals}"
            no_day = "there is no such day in the calendar"
            self.fail(no_day if tree.kind is Kind.DATE else message, tree, write_instead(meanings))
        self.bounded(tree, type_, number)
        return Constant(type=type_, number=number, start=tree.start, end=tree.end)

    def _readings(self, tree: Literal, type_: Type) -> tuple[str, ...]:
        """Return what *tree* may be, where a point in it may be between thousands."""
        # Nobody writes thousands with a point in a rate: 1.250 is one and a quarter.
        if "." not in tree.value or tree.kind not in (Kind.MONEY, Kind.DAYS):
            return ()
        return type_.readings(tree.value, quoted=False)

    def _literal_type(self, tree: Literal) -> Type:
        if tree.kind is Kind.TEXT:
            return Type(Kind.TEXT, options=(tree.value,))
        if tree.currency is None:
            return Type(tree.kind)
        try:
            currency = Currency.of(tree.currency)
        except ValueError:
            self.fail(f"`{tree.currency}` is not a currency", tree)
        if currency != self.catalogue.currency:
            self.fail(f"amounts are in {self.catalogue.currency}, not in {currency}", tree)
        return Type(Kind.MONEY, currency)

    def name(self, tree: Name) -> Node:
        """Return the fact or the parameter of that name."""
        fact, parameter = self.catalogue.fact(tree.name), self.catalogue.parameters.get(tree.name)
        if fact is not None:
            return self._fact(fact, tree)
        if parameter is None:
            hint = unknown_name(tree.name, self.catalogue)
            self.fail(f"`{tree.name}` is not a fact and not a parameter", tree, hint)
        self.bounded(tree, parameter.type, parameter.number)
        return Constant(
            type=parameter.type,
            number=parameter.number,
            name=parameter.name,
            start=tree.start,
            end=tree.end,
        )

    def _fact(self, fact: Fact, tree: Name) -> FactRead:
        return FactRead(
            type=fact.type,
            place=self.catalogue.place(fact.name),
            name=fact.name,
            low=fact.low,
            high=fact.high,
            rounding=Rounding.DOWN if fact.rounded_down else Rounding.NONE,
            start=tree.start,
            end=tree.end,
        )

    # -- flags

    def logic(self, tree: Expression) -> Operation:
        """Return `and`, `or` or `not`; every operand must be a flag."""
        operands = tuple(self.node(operand) for operand in tree.operands)
        for operand, syntax in zip(operands, tree.operands, strict=True):
            if operand.type.kind is not Kind.FLAG:
                text, type_ = self.text(syntax), with_article(operand.type)
                message = f"`{tree.operator}` takes flags, and `{text}` is {type_}"
                self.fail(message, syntax, f"compare it with something, as `{text} >= ...`")
        return _logic(tree.operator, operands, tree.start, tree.end)

    def comparison(self, tree: Expression) -> Operation:
        """Return a comparison or `in`: of one type, reading a fact, in range, and exact."""
        operands = self.operands_of_one_type(tree)
        if tree.operator == "in":
            for choice, syntax in zip(operands[1:], tree.operands[1:], strict=True):
                if not scaling.is_constant(choice):
                    self.fail("a list holds constants and parameters", syntax)
        if all(scaling.is_constant(operand) for operand in operands):
            self.fail("this does not depend on any fact", tree)
        # Operands must fit at the finest scale among them, at which they are compared.
        ends = scaling.ends(operands, scaling.most_places(operands))
        self.bounded(tree, operands[0].type, *chain.from_iterable(ends))
        for right, syntax in zip(operands[1:], tree.operands[1:], strict=True):
            self._in_range((operands[0], right), (tree.operands[0], syntax))
            self._exact(tree, operands[0], right, syntax)
        return _logic(tree.operator, operands, tree.start, tree.end)

    def _in_range(self, sides: tuple[Node, Node], trees: tuple[Syntax, Syntax]) -> None:
        """Refuse a constant outside the range of the other side: the answer would never change."""
        places = scaling.most_places(sides)
        mirrored = sides[::-1], trees[::-1]
        for (constant, measured), (syntax, against) in ((sides, trees), mirrored):
            (number, _), (low, high) = scaling.ends((constant, measured), places)
            if scaling.is_constant(constant) and not low <= number <= high:
                text, type_ = self.text(syntax), measured.type
                literal = isinstance(constant, Constant) and constant.name is None
                what = f"`{text}`" if literal else f"`{text}` ({type_.show(number, places)})"
                span = f"{type_.show(low, places)} to {type_.show(high, places)}"
                hint = f"`{self.text(against)}` is {span}"
                self.fail(f"{what} is out of range", syntax, hint)

    def _exact(self, tree: Expression, left: Node, right: Node, syntax: Syntax) -> None:
        if is_exact(tree.operator, left, right):
            return
        texts = self.text(tree.operands[0]), self.text(syntax)
        self.fail(
            f"`{tree.operator}` is not exact on a percentage that was rounded down",
            tree,
            suggestion(tree.operator, left, right, texts),
        )

    # -- numbers

    def arithmetic(self, tree: Expression) -> Node:
        """Return a sum, `-a`, `min`, `max` or `abs` of numbers of one type, at one scale."""
        operands = self.operands_of_one_type(tree)
        first = operands[0]
        if tree.operator == "negate" and isinstance(first, Constant) and first.name is None:
            # `-5%` is a constant, although the grammar has no sign in a literal.
            return Constant(type=first.type, number=-first.number, start=tree.start, end=tree.end)
        places = scaling.most_places(operands)
        ends = scaling.ends(operands, places)
        low, high = scaling.interval(tree.operator, ends)
        self.bounded(tree, first.type, low, high, *chain.from_iterable(ends))
        return _number(tree, operands, first.type, places, (low, high))

    def product(self, tree: Expression) -> Operation:
        """Return `a * b`: money and a share of it, or two counts; one side is constant."""
        left, right = (self.node(operand) for operand in tree.operands)
        kinds = {left.type.kind, right.type.kind}
        if kinds not in _FACTORS:
            self.fail(
                f"{unlike((left, right), self.texts(tree))}; `*` takes money and a "
                "ratio, money and a percentage, or two counts",
                tree,
                self._ratio_hint(tree, left, right),
            )
        multiple = scaling.factor(left, right)
        if multiple is None:
            self.fail("one side of `*` must be a constant or a parameter", tree)
        operand, number, places = multiple
        low, high = sorted((operand.low * number, operand.high * number))
        type_ = left.type if left.type.kind is Kind.MONEY else right.type
        self.bounded(tree, type_, low, high)
        return _number(tree, (left, right), type_, operand.places + places, (low, high))

    def _ratio_hint(self, tree: Expression, left: Node, right: Node) -> str | None:
        """Return the hint to write `balance * 2.0` for `balance * 2`."""
        if Kind.MONEY not in (left.type.kind, right.type.kind):
            return None
        return rewritten(Type(Kind.RATIO), tree.operands[left.type.kind is Kind.MONEY])

    # -- operands

    def operands_of_one_type(self, tree: Expression) -> tuple[Node, ...]:
        """Return the operands of *tree*, which must be of one type that its operator takes."""
        nodes = [self.node(operand) for operand in tree.operands]
        # A text written in the rule takes its declared set from a fact or parameter next to it.
        typed = [place for place, node in enumerate(nodes) if not _lacks_declared_set(node)]
        type_giver = typed[0] if typed else 0
        type_ = nodes[type_giver].type
        if type_.kind not in OPERATORS[tree.operator].takes:
            self._not_taken(tree, type_)
        if not typed:
            self.fail("this does not depend on any fact", tree)
        for place, syntax in enumerate(tree.operands):
            if _lacks_declared_set(nodes[place]) and type_.kind is Kind.TEXT:
                nodes[place] = self._with_declared_set(nodes[place], type_, syntax)
            elif nodes[place].type != type_:
                self._unlike(tree, nodes, sorted((type_giver, place)))
        return tuple(nodes)

    def _unlike(self, tree: Expression, nodes: list[Node], places: list[int]) -> NoReturn:
        """Refuse *tree* because its operands at two *places* are of different types."""
        left, right = (nodes[place] for place in places)
        trees = [tree.operands[place] for place in places]
        hint = rewritten(left.type, trees[1]) or rewritten(right.type, trees[0])
        texts = self.text(trees[0]), self.text(trees[1])
        self.fail(unlike((left, right), texts), tree, hint)

    def _with_declared_set(self, node: Node, type_: Type, syntax: Syntax) -> Constant:
        """Return the text literal *node* as a member of the declared set of *type_*."""
        (value,) = node.type.options
        if value not in type_.options:
            near = did_you_mean(value, type_.options)
            choices = ", ".join(f'"{option}"' for option in type_.options)
            self.fail(
                f'"{value}" is not in the declared set', syntax, near or f"the set is {choices}"
            )
        return Constant(
            type=type_, number=type_.ordinals[value], start=syntax.start, end=syntax.end
        )

    def _not_taken(self, tree: Expression, type_: Type) -> NoReturn:
        hint = None
        if type_.kind is Kind.FLAG and tree.operator in ("==", "!="):
            hint = flag_comparison(tree.operator, self.texts(tree))
        operator = "-" if tree.operator == "negate" else tree.operator
        self.fail(f"`{operator}` does not take {with_article(type_)}", tree, hint)

    def bounded(self, tree: Syntax, type_: Type, *numbers: int) -> None:
        """Refuse *tree* when one of *numbers*, in the scale of its calculation, passes 2**62."""
        if any(abs(number) > MAX_MAGNITUDE for number in numbers):
            self.fail(
                "the result can be too large to calculate exactly: more than 2**62 in the "
                f"smallest unit of {type_}",
                tree,
                "use smaller numbers, or constants with fewer decimals",
            )

    def text(self, tree: Syntax) -> str:
        """Return the source of *tree*."""
        return self.source[tree.start : tree.end]

    def texts(self, tree: Expression) -> tuple[str, str]:
        """Return the source of the first and of the last operand of *tree*."""
        return self.text(tree.operands[0]), self.text(tree.operands[-1])

    def fail(self, message: str, tree: Syntax, hint: str | None = None) -> NoReturn:
        """Raise `RuleError` at *tree*."""
        raise RuleError(
            message, source=self.source, start=tree.start, end=tree.end, stage="types", hint=hint
        )


def _lacks_declared_set(node: Node) -> bool:
    """Return whether *node* is a text written in the rule, whose declared set is not known yet."""
    return (
        isinstance(node, Constant)
        and node.name is None
        and node.type.kind is Kind.TEXT
        and len(node.type.options) == 1
    )


# -- Hints for expressions that do not check: what the author probably meant.

_LENGTH_OF_A_CURRENCY: Final = 3

_WITH_ARTICLE: Final[Mapping[Kind, str]] = MappingProxyType(
    {
        Kind.FLAG: "a flag",
        Kind.COUNT: "a count",
        Kind.PERCENT: "a percentage",
        Kind.RATIO: "a ratio",
        Kind.DAYS: "a number of days",
        Kind.DATE: "a date",
        Kind.TEXT: "a text",
    }
)


def with_article(type_: Type) -> str:
    """Return *type_* as a sentence has it, with its article."""
    return _WITH_ARTICLE.get(type_.kind) or str(type_)


def unlike(sides: tuple[Node, Node], texts: tuple[str, str]) -> str:
    """Return the message for two *sides* of different types, written as *texts*."""
    left, right = (side.type for side in sides)
    if left.kind is right.kind is Kind.TEXT:
        return f"`{texts[0]}` and `{texts[1]}` are texts of different sets"
    return f"`{texts[0]}` is {with_article(left)} and `{texts[1]}` is {with_article(right)}"


def rewritten(type_: Type, tree: Syntax) -> str | None:
    """Return how to write *tree*, a literal of another kind, as a value of *type_*."""
    if not isinstance(tree, Literal):
        return None
    value = tree.value
    match type_.kind, tree.kind:
        case (Kind.PERCENT | Kind.MONEY, Kind.RATIO | Kind.COUNT) | (Kind.DAYS, Kind.COUNT):
            return write_instead(type_.readings(value, quoted=False))
        case Kind.RATIO, Kind.COUNT:
            return f"write `{value}.0`"
        case Kind.DATE, Kind.TEXT:
            return f"write `{value}` without quotes"
        case Kind.COUNT, Kind.PERCENT | Kind.DAYS if "." not in value:
            return f"write `{value}`"
        case _:
            return None


def flag_comparison(operator: str, texts: tuple[str, str]) -> str:
    """Return what to write instead of comparing two flags, written as *texts*."""
    left, right = texts
    for flag, literal in ((left, right), (right, left)):
        if literal in ("true", "false"):
            is_plain = (literal == "true") == (operator == "==")
            return f"write `{flag}`" if is_plain else f"write `not {flag}`"
    if operator == "==":
        return f"write `{left} and {right} or not {left} and not {right}`"
    return f"write `{left} and not {right} or not {left} and {right}`"


def unknown_name(name: str, catalogue: Catalogue) -> str:
    """Return what *name*, neither a fact nor a parameter, probably means, or which names exist."""
    names = [*catalogue.parameters, *(fact.name for fact in catalogue.facts)]
    # A mistyped name is likelier than a text without quotes, so it is looked for first.
    near = did_you_mean(name, names)
    if near:
        return near
    options = {option for fact in catalogue.facts for option in fact.type.options}
    if name in options:
        return f'write the text in double quotes, as "{name}"'
    if len(name) == _LENGTH_OF_A_CURRENCY and name.isupper():
        return f"money is written `{name} 5000.00`, with its sign in front"
    return f"there are {listed(names, name)}"


# -- Comparisons that stay exact for a percentage that was rounded down.
#
# A `performance` shown as 79.9999% may really be 79.99995%. `>= 80%` and `< 80%` still answer
# correctly; `> 79.9999%` does not. So a number carries the direction in which it was rounded, and a
# comparison where that matters is refused, with what to write instead.

_OPPOSITE: Final = {
    Rounding.NONE: Rounding.NONE,
    Rounding.DOWN: Rounding.UP,
    Rounding.UP: Rounding.DOWN,
    Rounding.MIXED: Rounding.MIXED,
}


def _sum(left: Rounding, right: Rounding) -> Rounding:
    """
    Return the rounding of a sum: that of its one rounded side, or MIXED when both are rounded.

    Also when both are rounded down: the error may be two units, so `>=` could be wrong.
    """
    if Rounding.NONE in (left, right):
        return left if right is Rounding.NONE else right
    return Rounding.MIXED


def _lost(*operands: Rounding) -> Rounding:
    """Return MIXED as soon as one operand is rounded: its direction is lost."""
    return Rounding.NONE if set(operands) == {Rounding.NONE} else Rounding.MIXED


def _selected(*operands: Rounding) -> Rounding:
    """
    Return the rounding of one operand selected by size.

    `min` and `max` of values rounded the same way are rounded that way too.
    """
    directions = set(operands) - {Rounding.NONE}
    return directions.pop() if len(directions) == 1 else _lost(*operands)


_RESULTS: Final[Mapping[str, Callable[..., Rounding]]] = by_operator(
    "the rounding of a result",
    {
        "+": _sum,
        "-": lambda left, right: _sum(left, _OPPOSITE[right]),
        "negate": lambda operand: _OPPOSITE[operand],
        "*": _lost,
        "min": _selected,
        "max": _selected,
        "abs": _lost,
    },
)

# The roundings of the left side with which a comparison is exact against an exact right side. The
# exact side has no more decimals than the rounded one, so floor(x) < t exactly when x < t.
_EXACT: Final[Mapping[str, tuple[Rounding, ...]]] = by_operator(
    "the exactness of a comparison",
    {
        "==": (Rounding.NONE,),
        "!=": (Rounding.NONE,),
        "<": (Rounding.NONE, Rounding.DOWN),
        "<=": (Rounding.NONE, Rounding.UP),
        ">": (Rounding.NONE, Rounding.UP),
        ">=": (Rounding.NONE, Rounding.DOWN),
        "in": (Rounding.NONE,),
    },
)


def rounding(operator: str, operands: tuple[Node, ...]) -> Rounding:
    """Return how the value of *operator* on *operands* is rounded."""
    return _RESULTS[operator](*(operand.rounding for operand in operands))


def is_exact(operator: str, left: Node, right: Node) -> bool:
    """Return whether comparing the rounded numbers always answers as the exact ones would."""
    if right.rounding is Rounding.NONE:
        return left.rounding in _EXACT[operator]
    if left.rounding is Rounding.NONE:
        return right.rounding in _EXACT[MIRRORED[operator]]
    return False


def suggestion(operator: str, left: Node, right: Node, texts: tuple[str, str]) -> str | None:
    """Return what to write instead of an inexact comparison whose sides are written *texts*."""
    if right.rounding is Rounding.DOWN and left.rounding is Rounding.NONE:
        return suggestion(MIRRORED[operator], right, left, texts[::-1])
    if left.rounding is not Rounding.DOWN or right.rounding is not Rounding.NONE:
        return None
    if operator not in (">", "<="):
        return f"write it with `>=` and `<`, as `{texts[0]} >= {texts[1]}`"
    instead = ">=" if operator == ">" else "<"
    if not is_constant(right):
        return f"write `{texts[0]} {instead} {texts[1]}`"
    if isinstance(right, Constant) and right.name is not None:
        return f"write `{texts[0]} {instead} {texts[1]}`, and raise the parameter by 0.0001%"
    if right.low >= left.high:
        always = "never more than" if operator == ">" else "always at most"
        return f"leave it out: `{texts[0]}` is {always} {texts[1]}"
    # The next threshold up: no number of this scale lies between, so `> t` is `>= t + one unit`.
    return f"write `{texts[0]} {instead} {right.type.literal(right.low + 1)}`"
