"""Text to tree, one method for each production of the grammar.

A method's docstring is its production; `GRAMMAR` lists all of them in the order of the methods, and
a test holds the two together. Brackets mark parts that may be left out, braces parts that may be
repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, NoReturn

from attrs import evolve

from holdback.errors import RuleError
from holdback.rules.operators import FUNCTIONS, OPERATORS
from holdback.rules.tokens import GLUED, RESERVED, Token, tokens
from holdback.rules.tree import Expression, Literal, Name, Syntax, Tree
from holdback.rules.types import Kind

# Far beyond any rule that a person can follow. Because of them readers may recurse safely.
MAX_NODES: Final = 256
MAX_DEPTH: Final = 32

GRAMMAR: Final = f"""\
rule       = either
either     = both {{ "or" both }}
both       = negated {{ "and" negated }}
negated    = "not" negated | comparison
comparison = sum [ ( "==" | "!=" ) sum | "in" choices | rising | falling ]
rising     = ( "<" | "<=" ) sum [ ( "<" | "<=" ) sum ]
falling    = ( ">" | ">=" ) sum [ ( ">" | ">=" ) sum ]
choices    = "[" constant {{ "," constant }} "]"
constant   = [ "-" ] ( literal | name )
sum        = product {{ ( "+" | "-" ) product }}
product    = signed {{ "*" signed }}
signed     = "-" signed | operand
operand    = literal | call | name | "(" either ")"
call       = function "(" sum {{ "," sum }} ")"
function   = {" | ".join(f'"{name}"' for name in FUNCTIONS)}
literal    = "true" | "false" | number | number "%" | number " days" | number " day"
           | currency " " number | date | '"' text '"'
number     = digits [ "." digits ]
currency   = three capital letters
date       = four digits "-" two digits "-" two digits
name       = a letter or "_", then letters, digits and "_"
"""

_RISING: Final = ("<", "<=")
_FALLING: Final = (">", ">=")
_LITERALS: Final[Mapping[str, Kind]] = MappingProxyType(
    {
        "date": Kind.DATE,
        "money": Kind.MONEY,
        "percent": Kind.PERCENT,
        "days": Kind.DAYS,
        "text": Kind.TEXT,
    }
)


def _require_text(source: object) -> None:
    if not isinstance(source, str):
        message = f"expected an expression as text, not {type(source).__name__}"
        raise RuleError(message, source="", start=0, end=1, stage="text")


def parse(source: str) -> Tree:
    """
    Return the tree of the expression *source*.

    >>> parse("progress >= 50%").root.operator
    '>='

    Raises:
        RuleError: when *source* is not in the language or exceeds its bounds; it points at the
            characters that are wrong.
    """
    _require_text(source)
    parser = _Parser(source)
    root = parser.either()
    if parser.token.kind != "end":
        parser.fail("the expression should end here")
    return Tree(root=root, source=source)


class _Parser:
    """The tokens of a source with the index of the next one, and a method for each production."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.tokens = tokens(source)
        self.index = 0
        self.nested = 0
        self.nodes = 0

    def either(self) -> Syntax:
        """`either = both { "or" both }`"""
        return self._joined("or", self.both)

    def both(self) -> Syntax:
        """`both = negated { "and" negated }`"""
        return self._joined("and", self.negated)

    def negated(self) -> Syntax:
        """`negated = "not" negated | comparison`"""
        if not self.at("not"):
            return self.comparison()
        start = self.take()
        self.enter(start)
        operand = self.negated()
        self.nested -= 1
        return self.expression("not", operand, start=start.start)

    def comparison(self) -> Syntax:
        """`comparison = sum [ ( "==" | "!=" ) sum | "in" choices | rising | falling ]`"""
        left = self.sum()
        tree: Syntax
        if self.at("==", "!="):
            tree = self.expression(self.take().text, left, self.sum())
        elif self.at("in"):
            self.take()
            tree = self.expression("in", left, *self.choices())
        elif self.at(*_RISING):
            tree = self._chain(left, _RISING)
        elif self.at(*_FALLING):
            tree = self._chain(left, _FALLING)
        else:
            return left
        if self.at("==", "!=", "in", *_RISING, *_FALLING):
            self.fail(
                "a chain of comparisons runs one way, with at most two operators",
                hint="join two comparisons with `and`",
            )
        return tree

    def choices(self) -> list[Syntax]:
        """`choices = "[" constant { "," constant } "]"`"""
        self.expect("[", hint='write `in ["Funded", "Repaid"]`')
        choices = [self.constant()]
        while self.at(","):
            self.take()
            choices.append(self.constant())
        self.expect("]")
        return choices

    def constant(self) -> Syntax:
        """`constant = [ "-" ] ( literal | name )`"""
        if self.at("-"):
            start = self.take().start
            return self.expression("negate", self._leaf(), start=start)
        return self._leaf()

    def sum(self) -> Syntax:
        """`sum = product { ( "+" | "-" ) product }`"""
        left = self.product()
        while self.at("+", "-"):
            left = self.expression(self.take().text, left, self.product())
        return left

    def product(self) -> Syntax:
        """`product = signed { "*" signed }`"""
        left = self.signed()
        while self.at("*"):
            left = self.expression(self.take().text, left, self.signed())
        return left

    def signed(self) -> Syntax:
        """`signed = "-" signed | operand`"""
        if not self.at("-"):
            return self.operand()
        start = self.take()
        self.enter(start)
        operand = self.signed()
        self.nested -= 1
        return self.expression("negate", operand, start=start.start)

    def operand(self) -> Syntax:
        """`operand = literal | call | name | "(" either ")"`"""
        if self.at("("):
            opening = self.take()
            self.enter(opening)
            tree = self.either()
            closing = self.close(opening)
            return evolve(tree, start=opening.start, end=closing.end)
        if self.at(*FUNCTIONS):
            return self.call()
        return self._leaf()

    def call(self) -> Syntax:
        """`call = function "(" sum { "," sum } ")"`"""
        name = self.take()
        opening = self.expect("(")
        self.enter(opening)
        operands = [self.sum()]
        while self.at(","):
            self.take()
            operands.append(self.sum())
        self.close(opening)
        is_unary = OPERATORS[name.text].is_unary
        if is_unary != (len(operands) == 1):
            count = "one number" if is_unary else "two numbers or more"
            self.fail(f"`{name.text}` takes {count}", token=name)
        return self.expression(name.text, *operands, start=name.start)

    # -- parts of the productions

    @property
    def token(self) -> Token:
        """The token that comes next."""
        return self.tokens[self.index]

    def at(self, *texts: str) -> bool:
        """Return whether the next token is one of the symbols or keywords *texts*."""
        return self.token.kind in ("symbol", "word") and self.token.text in texts

    def take(self) -> Token:
        """Return the next token and move past it."""
        token = self.token
        self.index += 1
        return token

    def expect(self, text: str, hint: str | None = None) -> Token:
        """Take the symbol *text*, or raise `RuleError`."""
        if not self.at(text):
            self.fail(f"expected `{text}`", hint=hint)
        return self.take()

    def enter(self, token: Token) -> None:
        """Go one level deeper, at *token*."""
        self.nested += 1
        if self.nested > MAX_DEPTH:
            self.fail(f"a rule is nested at most {MAX_DEPTH} deep", token=token)

    def close(self, opening: Token) -> Token:
        """Take the parenthesis that closes *opening*, and leave its level."""
        if self.token.kind == "end":
            self.fail("this parenthesis is not closed", token=opening, hint="add `)`")
        self.nested -= 1
        return self.expect(")")

    def expression(self, operator: str, *operands: Syntax, start: int | None = None) -> Expression:
        """Return a new expression, within the bounds."""
        flat: list[Syntax] = []
        for operand in operands:
            # `(a or b) or c` becomes `a or b or c`, so that equal rules have equal trees.
            nested = isinstance(operand, Expression) and operand.operator == operator
            if nested and operator in ("or", "and"):
                assert isinstance(operand, Expression)
                flat.extend(operand.operands)
            else:
                flat.append(operand)
        depth = 1 + max(operand.depth for operand in flat)
        first = operands[0].start if start is None else start
        end = max(operands[-1].end, self.tokens[self.index - 1].end)
        self._count(first, end)
        if depth > MAX_DEPTH:
            self._fail(f"a rule is at most {MAX_DEPTH} deep", first, end)
        return Expression(
            operator=operator, operands=tuple(flat), depth=depth, start=first, end=end
        )

    def _count(self, start: int, end: int) -> None:
        self.nodes += 1
        if self.nodes > MAX_NODES:
            self._fail(f"a rule has at most {MAX_NODES} parts", start, end)

    def _joined(self, word: str, part: Callable[[], Syntax]) -> Syntax:
        operands = [part()]
        while self.at(word):
            self.take()
            operands.append(part())
        return self.expression(word, *operands) if len(operands) > 1 else operands[0]

    def _chain(self, left: Syntax, operators: tuple[str, ...]) -> Syntax:
        first = self.take().text
        middle = self.sum()
        tree = self.expression(first, left, middle)
        if not self.at(*operators):
            return tree
        return self.expression("and", tree, self.expression(self.take().text, middle, self.sum()))

    def _leaf(self) -> Syntax:
        token = self.token
        kind = self._literal_kind(token)
        if kind is None and (token.kind != "word" or self._is_misused(token)):
            self.fail("expected a value")
        self.take()
        self._count(token.start, token.end)
        if kind is None:
            return Name(name=token.text, start=token.start, end=token.end)
        currency, value = None, token.text.strip('"')
        if kind is Kind.MONEY:
            currency, value = token.text.split(" ")
        elif kind is Kind.PERCENT:
            value = value.rstrip("%")
        elif kind is Kind.DAYS:
            value = value.split(" ")[0]
        return Literal(kind=kind, value=value, currency=currency, start=token.start, end=token.end)

    def _literal_kind(self, token: Token) -> Kind | None:
        if token.kind == "number":
            return Kind.RATIO if "." in token.text else Kind.COUNT
        if token.kind == "word" and token.text in ("true", "false"):
            return Kind.FLAG
        return _LITERALS.get(token.kind)

    def _is_misused(self, token: Token) -> bool:
        """Return whether the word *token* cannot be a name here, where a value is expected."""
        following = self.tokens[self.index + 1]
        called = following.text == "(" and following.kind == "symbol"
        word = token.text
        return called or word in RESERVED or bool(GLUED.fullmatch(word))

    # -- errors

    def fail(
        self, message: str, *, token: Token | None = None, hint: str | None = None
    ) -> NoReturn:
        """Raise `RuleError` at *token*, by default the next one."""
        place = token or self.token
        hint = hint or (None if token else self._hint())
        self._fail(message, place.start, place.end, hint)

    def _fail(self, message: str, start: int, end: int, hint: str | None = None) -> NoReturn:
        raise RuleError(
            message, source=self.source, start=start, end=end, stage="syntax", hint=hint
        )

    def _hint(self) -> str | None:
        """Return what to write instead of the unexpected next token."""
        from holdback.rules import syntax_hints  # noqa: PLC0415  # only an error needs it

        return syntax_hints.instead_of(
            self.source, self.tokens, self.index, in_parentheses=self.nested > 0
        )
