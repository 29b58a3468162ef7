"""What a jurisdiction claims of its deals, as sentences for people who read a policy."""

from __future__ import annotations

from holdback.eligibility.rule_sentences import wording_of
from holdback.jurisdictions.claims import NEVER, StatedClaim
from holdback.jurisdictions.rulebook import Rulebook
from holdback.rules.render import words_of


def claim_sentence(claim: StatedClaim, rulebook: Rulebook, parent: str) -> str:
    """Return what *claim* says of the deals of *rulebook*; *parent* names the policy above it."""
    names = {terms.key: terms.name for terms in rulebook.products}
    who = "A deal that can be renewed"
    if claim.product is not None:
        who = f"A merchant who may have {names.get(claim.product, claim.product)}"
    if claim.tree is None:
        return f"{who} here could under the policy of {parent} too."
    said = words_of(claim.checked(rulebook.catalogue).tree, wording_of(rulebook.renewal))
    if claim.kind == NEVER:
        return f"{who} is never one where {said}."
    return f"{who} is always one where {said}."
