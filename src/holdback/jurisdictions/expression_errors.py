"""Errors of expressions that are right as written, and wrong with what the folder has on a day."""

from __future__ import annotations

from datetime import date

from holdback.eligibility.facts import CHECKS
from holdback.errors import RuleError
from holdback.jurisdictions.overlay import Draft
from holdback.rulebooks.check_terms import check_with_age
from holdback.rules import Catalogue


def error_on(error: RuleError, draft: Draft, catalogue: Catalogue, day: date) -> RuleError | None:
    """
    Return *error* in the words for its author: of an expression of *draft*, with *catalogue*.

    None where the name that it is about has an error of its own: the expression may be right.
    """
    name = error.source[error.start : error.end]
    if name in draft.invalid_names:
        return None
    if name in draft.policy.parameters and name not in catalogue.parameters:
        error = _with_hint(
            error,
            f"the parameter `{name}` has no value on {day}",
            "let its timeline begin with the rule",
        )
    check_name = check_with_age(name)
    if check_name in CHECKS or catalogue.fact(check_name) is not None:
        hint = f"write `[checks.{check_name}]` in `jurisdiction.toml`"
        error = _with_hint(error, f"the age `{name}` is not a fact yet", hint)
    return error


def _with_hint(error: RuleError, message: str, hint: str) -> RuleError:
    """Return *error* with another *message* and *hint*."""
    return RuleError(
        message,
        source=error.source,
        start=error.start,
        end=error.end,
        stage=error.stage,
        hint=hint,
    )
