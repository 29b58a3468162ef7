"""
Proposals: a rulebook with other values of parameters, or without some rules, checked again.

A proposal is derived from the rulebook of the files that it began with, however many steps led to
it: the order of the steps does not matter, and a step that takes another back leaves no mark.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from attrs import evolve

from holdback.errors import (
    ErrorDetail,
    InvalidDocument,
    RuleError,
    code_of,
    did_you_mean,
    listed,
)
from holdback.exact_json import shown_path
from holdback.jurisdictions.checks import age_limits
from holdback.jurisdictions.digest import RulebookDigester, second_digest
from holdback.jurisdictions.jurisdiction_file import DEFAULTS, TIMELINES
from holdback.jurisdictions.quantity import right_text, unit_hint
from holdback.rules import Catalogue, Kind, Parameter, check, parse
from holdback.rules.check import MAX_MAGNITUDE, implication
from holdback.ruleset import DECLINE, Rule, RuleSet

if TYPE_CHECKING:
    from holdback.jurisdictions.rulebook import Rulebook

# The settings that the digest covers, with the greatest ages of checks.
_SETTINGS: Final = (
    "code",
    "rounding",
    "timezone",
    "automated_decisioning",
    *(name for name in TIMELINES if name not in DEFAULTS),
)
_PROGRESS: Final = "progress"


def with_parameters(rulebook: Rulebook, given: Mapping[str, object]) -> Rulebook:
    """
    Return the proposal of *rulebook* with the values *given* of its parameters.

    Raises:
        InvalidDocument: see `Rulebook.replace`.
    """
    parameters, errors = dict(rulebook.parameters), list[ErrorDetail]()
    read_by_rules = {name for rule in _all_rules(rulebook) for name in rule.checked.parameters}
    for name, value in given.items():
        path = shown_path("$", name)
        try:
            parameters[name] = _read(rulebook, name, value, read_by_rules)
        except InvalidDocument as error:
            errors += [evolve(detail, path=path) for detail in error.errors]
        except ValueError as error:
            parameter = rulebook.parameters[name]
            hint = right_text(value, parameter.type) or _hint(value, parameter)
            errors.append(
                ErrorDetail(code=code_of(error), message=str(error), path=path, hint=hint)
            )
    return _proposal(rulebook, parameters, _codes(rulebook), errors)


def without_rules(rulebook: Rulebook, codes: Iterable[str]) -> Rulebook:
    """
    Return the proposal of *rulebook* without the rules with *codes*.

    Raises:
        InvalidDocument: see `Rulebook.without`.
    """
    present, left_out = _codes(rulebook), tuple(dict.fromkeys(codes))
    ids = {rule.id: rule.code for rule in reversed(_all_rules(rulebook))}
    errors = []
    for code in left_out:
        if code not in present:
            near = f"did you mean `{ids[code]}`?" if code in ids else did_you_mean(code, present)
            errors.append(
                ErrorDetail(
                    code="unknown_name",
                    message=f"no rule of {rulebook.code} on {rulebook.on} has the code `{code}`",
                    hint=near or f"the codes are {listed(present, code)}",
                )
            )
    kept = [code for code in present if code not in left_out]
    return _proposal(rulebook, rulebook.parameters, kept, errors)


def rechecked(rule: Rule, catalogue: Catalogue) -> Rule:
    """
    Return *rule* with its expressions checked with *catalogue*.

    Raises:
        RuleError: when they are invalid with it.
    """
    require = check(parse(rule.require), catalogue, Kind.FLAG)
    if rule.when is None:
        return evolve(rule, checked=require)
    return evolve(rule, checked=implication(check(parse(rule.when), catalogue, Kind.FLAG), require))


def _all_rules(rulebook: Rulebook) -> list[Rule]:
    of_products = (rule for terms in rulebook.products for rule in terms.rules.rules)
    return [*rulebook.renewal.rules, *of_products]


def _codes(rulebook: Rulebook) -> tuple[str, ...]:
    return tuple(rule.code for rule in _all_rules(rulebook))


def _read(rulebook: Rulebook, name: str, value: object, read_by_rules: set[str]) -> Parameter:
    """
    Return the parameter *name* of *rulebook* with *value*.

    Raises:
        InvalidDocument: there is no such parameter, no rule reads it, or the value has no unit.
        ValueError: the value is invalid.
    """
    parameters, where = rulebook.parameters, f"of {rulebook.code} on {rulebook.on}"
    if name not in parameters:
        hint = did_you_mean(name, parameters) or f"they are {listed(parameters, name)}"
        raise InvalidDocument.of("unknown_name", f"this is not a parameter {where}", hint=hint)
    if name not in read_by_rules:
        raise InvalidDocument.of(
            "no_effect",
            f"no rule {where} reads this parameter, so another value changes no answer",
            hint=f"the rules read {listed(sorted(read_by_rules), name)}",
        )
    parameter = parameters[name]
    unit = unit_hint(value, parameter.type)
    if unit is not None:
        message = f"expected {parameter.type} as text, with its unit"
        raise InvalidDocument.of("wrong_value", message, hint=unit)
    number = parameter.type.read(value)
    if number is None:
        raise InvalidDocument.of("missing", "a parameter has a value", hint=_hint(value, parameter))
    if abs(number) > MAX_MAGNITUDE:
        raise InvalidDocument.of(
            "out_of_range",
            f"no rule can read this: it is more than 2**62 in the smallest unit of "
            f"{parameter.type}",
            hint="use a smaller number",
        )
    return evolve(parameter, number=number)


def _hint(value: object, parameter: Parameter) -> str:
    """Return how *parameter* is written, in place of *value*."""
    if isinstance(value, float) and value == value and abs(value) < 10**9:  # noqa: PLR0124  # not NaN
        hint = unit_hint(Decimal(str(value)), parameter.type)
        if hint is not None:
            return hint
    return f"now it is `{parameter.type.show(parameter.number)}`"


def _proposal(
    rulebook: Rulebook,
    parameters: Mapping[str, Parameter],
    codes: Iterable[str],
    errors: list[ErrorDetail],
) -> Rulebook:
    """
    Return the files' rulebook behind *rulebook* with *parameters* and the rules with *codes*.

    The rules are checked with them also if there are *errors* already, so that all are reported.
    """
    base, kept = rulebook.proposed_from or rulebook, set(codes)
    changed = {name for name in parameters if parameters[name] != base.parameters[name]}
    left_out = tuple(dict.fromkeys(code for code in _codes(base) if code not in kept))
    if not changed and not left_out and not errors:
        return base if base.on == rulebook.on else evolve(base, on=rulebook.on)
    catalogue = base.catalogue.with_parameters(parameters)
    sentences = _sentences(base, catalogue, sorted(changed), left_out)

    def rules_of(rules: RuleSet) -> tuple[Rule, ...]:
        in_force = (rule for rule in rules.rules if rule.code in kept)
        return tuple(_rechecked(rule, catalogue, changed, errors) for rule in in_force)

    renewal = rules_of(base.renewal)
    products = [(terms, rules_of(terms.rules)) for terms in base.products]
    if errors:
        raise InvalidDocument(errors)
    _check_more_than_progress(base, renewal)
    first_digest = RulebookDigester().digest(
        catalogue,
        renewal,
        [(terms.origin, rules) for terms, rules in products],
        {**{name: getattr(base, name) for name in _SETTINGS}, **age_limits(base.checks)},
    )
    identity: dict[str, Any] = {
        "catalogue": catalogue,
        "digest": second_digest(first_digest, base.versions),
        "first_digest": first_digest,
        "proposal": sentences,
    }
    return base.altered(
        on=rulebook.on,
        digest=identity["digest"],
        parameters=catalogue.parameters,
        catalogue=catalogue,
        renewal=base.renewal.altered(rules=renewal, **identity),
        products=tuple(
            evolve(terms, rules=terms.rules.altered(rules=rules, **identity))
            for terms, rules in products
        ),
        proposed_from=base,
    )


def _sentences(
    base: Rulebook, catalogue: Catalogue, changed: Iterable[str], left_out: Iterable[str]
) -> tuple[str, ...]:
    """Return what is proposed instead of *base*: the parameters *changed*, the rules *left_out*."""
    replaced = (
        f"{name} is {parameter.type.show(parameter.number)} "
        f"instead of {parameter.type.show(base.parameters[name].number)}"
        for name, parameter in ((name, catalogue.parameters[name]) for name in changed)
    )
    return (*replaced, *(f"without {code}" for code in left_out))


def _rechecked(
    rule: Rule, catalogue: Catalogue, changed: set[str], errors: list[ErrorDetail]
) -> Rule:
    """Return *rule* checked with *catalogue* if it reads what *changed*, adding its error."""
    reads = [name for name in rule.checked.parameters if name in changed]
    if not reads:
        return rule
    try:
        return rechecked(rule, catalogue)
    except RuleError as error:
        errors.append(
            ErrorDetail(
                code="invalid_rule",
                message=f"the rule {rule.code} would be wrong: {error.message}",
                path=shown_path("$", reads[0]),
                hint=error.hint,
            )
        )
        return rule


def _check_more_than_progress(base: Rulebook, rules: Iterable[Rule]) -> None:
    """
    Refuse *rules* unless one that declines reads another fact than the progress.

    INVARIANT: reaching the floor alone never makes a deal eligible (decisions/three-ideas).
    """
    if not any(
        rule.otherwise == DECLINE and set(rule.checked.names) - {_PROGRESS} for rule in rules
    ):
        raise InvalidDocument.of(
            "missing",
            f"no rule of {base.code} would be left that declines for anything but `{_PROGRESS}`",
            hint="reaching the floor alone must never make a deal eligible: leave fewer rules out",
        )
