"""
Two solvers agree on which deals can exist.

The second one, cvc5, reads the questions as text in SMT-LIB. Nothing else depends on it.
"""

from __future__ import annotations

from itertools import islice
from random import Random

import pytest
import z3
from attrs import define, field

from counts import count
from holdback import load_jurisdictions
from holdback.eligibility.assessment import ELIGIBLE, OUTCOMES, REFERRED
from holdback.rules.proof import Terms
from holdback.tools.proofs.claims import Prover
from holdback.tools.proofs.question import OutcomeIn, Question
from holdback.tools.proofs.solver import Solver, conditions
from own_rules import with_own_rules
from rule_generator import RuleGenerator
from small_catalogue import CATALOGUE

cvc5 = pytest.importorskip("cvc5", reason="cvc5, the second solver, is not installed")

JURISDICTIONS = load_jurisdictions()
OWN = with_own_rules(JURISDICTIONS).codes
CODES = Random("a second solver").sample(OWN, len(OWN))
OF_EACH = 35  # questions about the claims of a jurisdiction
MILLISECONDS = 60_000
# The words of SMT-LIB for the answers.
WORDS = {"sat": "possible", "unsat": "impossible", "unknown": "not decided"}


def second_answer(question):
    """What cvc5 says about *question*."""
    terms = Terms()
    script = z3.Solver(ctx=terms.context)
    script.add(*conditions(question, terms))
    solver = cvc5.Solver(cvc5.TermManager())
    solver.setLogic("QF_LIA")  # linear arithmetic of whole numbers
    solver.setOption("tlimit-per", str(MILLISECONDS))
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, script.to_smt2(), "question")
    said = []
    while not (command := parser.nextCommand()).isNull():
        said.append(command.invoke(solver, parser.getSymbolManager()))
    return WORDS["".join(said).strip()]


@define
class Recorder(Solver):
    """A solver that keeps the questions with its answers."""

    answered: list = field(factory=list)

    def answer(self, question):
        answer = super().answer(question)
        self.answered.append((question, answer.value))
        return answer


def of_claims(code):
    """Questions about the claims of a jurisdiction that ships, with their answers."""
    prover = Prover(JURISDICTIONS)
    prover._solver = recorder = Recorder()
    prover.findings(JURISDICTIONS[code])
    asked = recorder.answered
    return Random(code).sample(asked, OF_EACH)


def of_small_rulebooks():
    """Questions about random rules, with their answers: what passes some and not others."""
    generator, solver = RuleGenerator(Random("small rulebooks"), CATALOGUE), Solver()
    while True:
        passed, failed = (
            OutcomeIn(generator.rule_set(), frozenset(outcomes), generator.random.random() < 0.5)
            for outcomes in ({ELIGIBLE}, {*OUTCOMES} - {ELIGIBLE, REFERRED})
        )
        parts = (passed, failed) if generator.random.random() < 0.7 else (passed,)
        question = Question(catalogue=CATALOGUE, parts=parts)
        yield question, solver.answer(question).value


def test_solvers_agree_on_claims_and_small_rulebooks():
    """
    "A second solver (cvc5, development only) agrees on 500. 0 differences."
    """
    codes = CODES[: count("jurisdictions for a second solver")]
    rulebooks = count("small rulebooks for a second solver")
    answered = [pair for code in codes for pair in of_claims(code)]
    answered += islice(of_small_rulebooks(), rulebooks)
    assert len(answered) == len(codes) * OF_EACH + rulebooks

    different = [pair for pair in answered if second_answer(pair[0]) != pair[1]]
    assert not different
    answers = [answer for _, answer in answered]
    assert min(answers.count("possible"), answers.count("impossible")) >= len(answers) / 10
    assert "not decided" not in answers
