"""
The parts of a proposal: values of parameters and codes of rules as a person gives them, checked.

`Rulebook.replace` and `Rulebook.without` put them together
(decisions/jurisdiction-folders#proposals).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from attrs import evolve

from holdback.eligibility.ruleset import DECLINE, Rule
from holdback.errors import (
    ErrorDetail,
    InvalidDocument,
    RuleError,
    code_of,
    did_you_mean,
    listed,
    readings_of,
    write_instead,
)
from holdback.exact.exact_json import shown_path
from holdback.rules import Catalogue, Kind, Parameter, check, parse
from holdback.rules.check import MAX_MAGNITUDE, implication

_PROGRESS: Final = "progress"


def read_parameters(
    parameters: Mapping[str, Parameter], rules: Iterable[Rule], given: Mapping[str, object]
) -> tuple[Mapping[str, Parameter], list[ErrorDetail]]:
    """
    Return *parameters* with the values *given* to some of them, and every error of those.

    A parameter that none of *rules* reads may get no other value: nothing would change.
    """
    values, errors = dict(parameters), list[ErrorDetail]()
    read_by_rules = {name for rule in rules for name in rule.checked.parameters}
    for name, value in given.items():
        path = shown_path("$", name)
        try:
            values[name] = _read(parameters, name, value, read_by_rules)
        except InvalidDocument as error:
            errors += [evolve(detail, path=path) for detail in error.errors]
        except ValueError as error:
            parameter = parameters[name]
            hint = write_instead(readings_of(error)) or _hint(value, parameter)
            errors.append(
                ErrorDetail(code=code_of(error), message=str(error), path=path, hint=hint)
            )
    return values, errors


def _read(
    parameters: Mapping[str, Parameter], name: str, value: object, read_by_rules: set[str]
) -> Parameter:
    """
    Return the parameter *name* with *value*.

    Raises:
        InvalidDocument: there is no such parameter, no rule reads it, or the value has no unit.
        ValueError: the value is invalid.
    """
    if name not in parameters:
        hint = did_you_mean(name, parameters) or f"they are {listed(parameters, name)}"
        raise InvalidDocument.of("unknown_name", "there is no such parameter", hint=hint)
    if name not in read_by_rules:
        raise InvalidDocument.of(
            "no_effect",
            "no rule reads this parameter, so another value changes no answer",
            hint=f"the rules read {listed(sorted(read_by_rules), name)}",
        )
    parameter = parameters[name]
    if parameter.type.lacks_unit(value):
        message = f"expected {parameter.type} as text, with its unit"
        unit = write_instead(parameter.type.readings(str(value)))
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
        meanings = parameter.type.readings(str(value))
        if meanings:
            return str(write_instead(meanings))
    return f"now it is `{parameter.type.show(parameter.number)}`"


def unknown_codes(rules: Sequence[Rule], codes: Iterable[object]) -> list[ErrorDetail]:
    """Return an error for each of *codes* that none of *rules* has."""
    present = [rule.code for rule in rules]
    ids = {rule.id: rule.code for rule in reversed(rules)}
    errors = []
    for code in codes:
        if not isinstance(code, str):
            errors.append(
                ErrorDetail(
                    code="wrong_type",
                    message="expected the code of a rule as text",
                    path="$.codes",
                    hint='write several one after the other, as `without("GB-R-01", "GB-R-02")`',
                )
            )
        elif code not in present:
            near = f"did you mean `{ids[code]}`?" if code in ids else did_you_mean(code, present)
            errors.append(
                ErrorDetail(
                    code="unknown_name",
                    message=f"no rule has the code `{code}`",
                    hint=near or f"the codes are {listed(present, code)}",
                )
            )
    return errors


def rechecked_rules(
    rules: Iterable[Rule],
    catalogue: Catalogue,
    changed: Collection[str],
    errors: list[ErrorDetail],
) -> tuple[Rule, ...]:
    """
    Return *rules*, those that read a *changed* parameter checked with *catalogue*.

    An error is added to *errors* for each rule that is wrong with it.
    """
    return tuple(_if_changed(rule, catalogue, changed, errors) for rule in rules)


def _if_changed(
    rule: Rule, catalogue: Catalogue, changed: Collection[str], errors: list[ErrorDetail]
) -> Rule:
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


def not_more_than_progress(rules: Iterable[Rule]) -> list[ErrorDetail]:
    """
    Return an error unless one of *rules* that declines reads another fact than the progress.

    INVARIANT: reaching the floor alone never makes a deal eligible (decisions/three-ideas).
    """
    if any(rule.otherwise == DECLINE and set(rule.checked.names) - {_PROGRESS} for rule in rules):
        return []
    message = f"no rule would be left that declines for anything but `{_PROGRESS}`"
    hint = "reaching the floor alone must never make a deal eligible: leave fewer rules out"
    return [ErrorDetail(code="missing", message=message, hint=hint)]


def sentences(
    before: Mapping[str, Parameter], after: Mapping[str, Parameter], left_out: Iterable[str]
) -> tuple[str, ...]:
    """Return what is proposed: parameters that differ *before* and *after*, rules *left_out*."""
    replaced = (
        f"{name} is {after[name].type.show(after[name].number)} "
        f"instead of {parameter.type.show(parameter.number)}"
        for name, parameter in before.items()
        if after[name] != parameter
    )
    return (*replaced, *(f"without {code}" for code in left_out))
