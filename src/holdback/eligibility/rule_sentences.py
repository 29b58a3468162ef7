"""Rules as sentences for people who read a policy: what must hold, and where."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from holdback.eligibility.ruleset import PLACEHOLDER, Rule, RuleSet
from holdback.frozen_classes import frozen
from holdback.rules import Kind, Type, check, parse
from holdback.rules.operators import OPERATORS, Role
from holdback.rules.render import Wording, words_of
from holdback.rules.tree import FactRead, Node, Operation

# Around a figure in a sentence, so that a page can set it in bold. No file has these characters:
# they are private, and not printable.
FIGURE_START: Final = "\ue000"
FIGURE_END: Final = "\ue001"
_MARKS: Final = str.maketrans("", "", FIGURE_START + FIGURE_END)

# What must be true for a flag's own sentence: "the business is verified" must be so.
_MUST: Final = (
    (r"(?<=\S )(?:has|have) been(?= \S)", "must have been"),
    (r"(?<=\S )(?:is|are)(?= \S)", "must be"),
    (r"(?<=\S )(?:was|were)(?= \S)", "must have been"),
)
_MUST_NOT: Final = tuple((verb, says.replace("must", "must not")) for verb, says in _MUST)


@frozen(kw_only=True)
class Requirement:
    """A sentence about what must hold; with `parts`, it is about all or one of these."""

    text: str
    parts: tuple[Requirement, ...] = ()

    def lines(self, indent: int = 0) -> Iterator[tuple[int, str]]:
        """Yield its lines, each with how deep it is nested."""
        yield indent, self.text
        for part in self.parts:
            yield from part.lines(indent + 1)

    def plain(self) -> str:
        """Return it on one line, without marks."""
        inner = "; ".join(part.plain().rstrip(".") for part in self.parts)
        return f"{self.text} {inner}".rstrip().translate(_MARKS)


def wording_of(rules: RuleSet) -> Wording:
    """Return how sentences about *rules* name facts and parameters, and write figures."""

    def show(type_: Type, number: int) -> str:
        return f"{FIGURE_START}{rules.show(type_, number)}{FIGURE_END}"

    return Wording(fact=rules.named, parameter=rules.label, show=show, language=rules.language)


def requirement(rule: Rule, rules: RuleSet) -> Requirement:
    """
    Return what *rule* of *rules* requires, as a sentence with a list where it has alternatives.

    Figures are between `FIGURE_START` and `FIGURE_END`.
    """
    wording, catalogue = wording_of(rules), rules.catalogue
    tree = check(parse(rule.require), catalogue, Kind.FLAG).tree
    where = ""
    if rule.when is not None:
        limits = words_of(check(parse(rule.when), catalogue, Kind.FLAG).tree, wording)
        where = f"Where {limits}, "
    listed = _listed(tree, wording)
    if listed is not None:
        opening, parts = listed
        return Requirement(text=_capital(f"{where}{opening} must be true:"), parts=parts)
    return Requirement(text=_capital(f"{where}{_must(tree, wording)}."))


def merchant_sentence(rule: Rule, rules: RuleSet) -> str:
    """Return what the merchant reads: parameters with their values, facts by label in brackets."""
    catalogue, parameters = rules.catalogue, rules.catalogue.parameters

    def figure(match: re.Match[str]) -> str:
        parameter = parameters.get(match[1])
        if parameter is None:
            return f"[{catalogue.label(match[1])}]"
        return rules.show(parameter.type, parameter.number)

    return PLACEHOLDER.sub(figure, rule.reason)


def _listed(node: Node, wording: Wording) -> tuple[str, tuple[Requirement, ...]] | None:
    """Return an opening and the parts of an `and` or `or`; None for anything else."""
    match node:
        case Operation(operator="and", operands=operands):
            opening = "all of these"
        case Operation(operator="or", operands=operands):
            opening = "at least one of these"
        case _:
            return None
    return opening, tuple(_part(operand, wording) for operand in operands)


def _part(node: Node, wording: Wording) -> Requirement:
    listed = _listed(node, wording)
    if listed is None:
        return Requirement(text=_capital(f"{words_of(node, wording)}."))
    opening, parts = listed
    return Requirement(text=f"{_capital(opening)}:", parts=parts)


def _must(node: Node, wording: Wording) -> str:
    """Return *node* as what must be: "the performance must be at least 80%"."""
    words = words_of(node, wording)
    inner = node.operands[0] if isinstance(node, Operation) and node.operator == "not" else node
    if isinstance(inner, Operation) and OPERATORS[inner.operator].role is Role.COMPARISON:
        measured = words_of(inner.operands[0], wording)
        compared = words.removeprefix(measured)
        for verb, says in ((" is not ", " must not be "), (" is ", " must be ")):
            if words.startswith(measured) and compared.startswith(verb):
                return f"{measured}{says}{compared.removeprefix(verb)}"
    if isinstance(inner, FactRead):
        for verb, says in _MUST if inner is node else _MUST_NOT:
            sentence, verbs = re.subn(verb, says, wording.fact(inner.name), count=1)
            if verbs:
                return sentence
        denied = "" if inner is node else " not"
        return f"“{wording.fact(inner.name)}” must{denied} be true"
    return f"it must be true that {words}"


def _capital(text: str) -> str:
    """Return *text* with a capital letter where it begins with one, behind a mark or a quote."""
    return re.sub(rf"^[{FIGURE_START}“]?[^\W\d_]", lambda match: match[0].upper(), text)
