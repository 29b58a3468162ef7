"""What a step of `holdback diff` means for every deal that can exist, in words and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import click

from holdback.cli.diff_steps import Sides
from holdback.eligibility.assessment import ELIGIBLE
from holdback.errors import ConfigurationError, printable
from holdback.exact.exact_json import Json
from holdback.jurisdictions.jurisdiction import Example
from holdback.rulebooks.rulebook import Rulebook
from holdback.tools.example_run import run_example
from holdback.tools.proofs.effects import RuleComparison, effects
from holdback.tools.proofs.witness import Witness

_COLOURS: Final = {
    "equivalent": None,
    "stricter": "red",
    "looser": "green",
    "incomparable": "yellow",
    "not decided": "yellow",
}
_WORDS: Final = {
    "equivalent": "are equivalent: the same deals pass",
    "stricter": "are stricter: no deal gains, some lose",
    "looser": "are looser: some deals gain, none loses",
    "incomparable": "are incomparable: some deals gain, some lose",
    "not decided": "are not decided",
}


def effects_of(sides: Sides) -> list[RuleComparison]:
    """Return the effects of a change on renewals and on each product."""
    return [*effects(sides.old, sides.new, (sides.old_day, sides.new_day))]


def lines(effect: RuleComparison, sides: Sides) -> Iterator[str]:
    """Yield *effect* for people, each deal that shows it with an example to paste."""
    relation = effect.relation
    yield f"  {effect.name} {click.style(_WORDS[relation], fg=_COLOURS[relation])}"
    moves = ", ".join(f"{was} to {now}" for was, now in effect.moves)
    if moves:
        yield f"      deals move: {moves}"
    yield from (f"      {printable(note)}" for note in effect.notes)
    for what, witness in effect.witnesses:
        before, after = effect.outcomes(witness)
        yield f"      {what}: {printable(witness.words)}"
        yield f"          {printable(before.words)} before, {printable(after.words)} after"
        example = effect.example(witness, _expected(effect, witness, sides))
        yield from (f"          {printable(line)}" for line in example.splitlines())


def plain(effect: RuleComparison, sides: Sides) -> dict[str, Json]:
    """Return *effect* with the keys of a difference: its state is the relation of the rules."""
    return {
        "state": effect.relation,
        "kind": "effect",
        "name": effect.name,
        "details": list(effect.notes),
        "product": effect.product,
        "moves": [list(move) for move in effect.moves],
        "deals": [_deal(effect, what, witness, sides) for what, witness in effect.witnesses],
    }


def _deal(effect: RuleComparison, what: str, witness: Witness, sides: Sides) -> dict[str, Json]:
    before, _ = effect.outcomes(witness)
    expected = _expected(effect, witness, sides)
    return {
        "change": what,
        **witness.plain(),
        "before": before.expected(effect.product),
        "after": expected,
        "example": effect.example(witness, expected),
    }


def _expected(effect: RuleComparison, witness: Witness, sides: Sides) -> dict[str, Json]:
    """Return what an example of *witness* is to expect after the change."""
    _, after = effect.outcomes(witness)
    expected = after.expected(effect.product)
    if effect.product is None or after.outcome != ELIGIBLE:
        return expected
    # The rules accept it, and the calculators may still have nothing to offer.
    return {"decision": _decision(effect.restated(witness), expected, sides.rulebooks[1])}


def _decision(witness: Witness, expected: dict[str, Json], rulebook: Rulebook) -> Json:
    example = Example(
        name="", on=witness.on, product=witness.product, given=witness.known, expect=expected,
        file="", line=None,
    )  # fmt: skip
    try:
        return run_example(example, rulebook).got.outcome
    except ConfigurationError:  # a calculator of the host's own
        return expected["decision"]
