"""What the files themselves claim: that a deal is never, or always, like that; that they tighten.

No deal is let pass because a fact is missing, so a claim that holds of all deals whose facts are
known holds of the others too (decisions/three-ideas).
"""

from __future__ import annotations

from typing import Final

from holdback.eligibility.ruleset import RuleSet
from holdback.jurisdictions.claims import ALWAYS, NEVER, StatedClaim
from holdback.tools.proofs.broken_claim import BrokenClaim, ClaimSpot
from holdback.tools.proofs.finding import ERROR
from holdback.tools.proofs.question import (
    FAILS,
    NOT_TRUE,
    PASSES,
    TRUE,
    AnswerIn,
    OutcomeIn,
    Part,
    Question,
)
from holdback.tools.proofs.shared_facts import shared_facts

_MESSAGES: Final = {
    NEVER: "can be {passed} although `{text}`",
    ALWAYS: "can be {passed} without `{text}`",
}


def broken_stated_claim(claim: StatedClaim, rules: RuleSet, parent: RuleSet | None) -> BrokenClaim:
    """
    Return the broken claim that it would be if *claim* did not hold of *rules*.

    Its question asks for a deal of which it does not hold. *parent* has the rules that an `overlay`
    tightens; None where the parent has none, which lets nobody pass.
    """
    is_renewal = claim.product is None
    passes = OutcomeIn(rules, PASSES, floor=is_renewal)
    catalogue = rules.catalogue
    passed = "eligible" if is_renewal else "accepted"
    who = "a deal" if is_renewal else "an application"
    parts: tuple[Part, ...]
    if claim.tree is not None:
        wanted = TRUE if claim.kind == NEVER else NOT_TRUE
        parts = (passes, AnswerIn(claim.checked(catalogue), wanted))
        said = _MESSAGES[claim.kind].format(passed=passed, text=claim.text)
        hint = "correct the rules, or the claim"
    elif parent is None:
        parts = (passes,)
        said = f"can be {passed} on days on which the parent has no rules for it"
        hint = (
            "nobody passes there; let the claim begin with the rules of the parent, or correct it"
        )
    else:
        fails = OutcomeIn(parent, FAILS, floor=is_renewal)
        parts, catalogue = (passes, fails), shared_facts(parent, rules).catalogue
        said = f"can be {passed} that is not {passed} under the parent {parent.jurisdiction}"
        hint = (
            "these rules are to tighten those of the parent; correct them, or leave the claim out"
        )
    return BrokenClaim(
        claim=f"stated-{claim.kind}",
        severity=ERROR,
        code="not_proved",
        message=f"{who} {said}",
        hint=hint,
        spots=(ClaimSpot(claim=claim),),
        question=Question(catalogue=catalogue, parts=parts),
    )
