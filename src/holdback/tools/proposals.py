"""Proposals: a rulebook with other values of parameters or without some rules, checked again.

`Rulebook.replace` and `Rulebook.without` return them (decisions/jurisdiction-folders#proposals).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

from attrs import evolve

from holdback.eligibility.ruleset import DECLINE, Rule, RuleSet
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
from holdback.rulebooks.digest import RulebookDigester, rulebook_digest
from holdback.rulebooks.rulebook import SETTINGS_IN_DIGEST, Rulebook, age_limits
from holdback.rules import Catalogue, Kind, Parameter, check, parse
from holdback.rules.check import MAX_MAGNITUDE, implication

_PROGRESS: Final = "progress"


def replaced(rulebook: Rulebook, parameters: Mapping[str, object]) -> Rulebook:
    """
    Return the proposal of *rulebook* with other values of *parameters*.

    Raises:
        InvalidDocument: with every parameter, value and rule that is wrong.
    """
    read_by = tuple((rulebook.proposed_from or rulebook).all_rules)
    values, errors = read_parameters(rulebook.parameters, read_by, parameters)
    return _proposed(rulebook, values, [rule.code for rule in rulebook.all_rules], errors)


def without(rulebook: Rulebook, codes: Collection[str]) -> Rulebook:
    """
    Return the proposal of *rulebook* without the rules with these *codes*.

    Raises:
        InvalidDocument: with every code that no rule has; or too few rules would be left.
    """
    rules = tuple(rulebook.all_rules)
    kept = [rule.code for rule in rules if rule.code not in codes]
    return _proposed(rulebook, rulebook.parameters, kept, unknown_codes(rules, codes))


def _proposed(
    rulebook: Rulebook,
    parameters: Mapping[str, Parameter],
    codes: Collection[str],
    errors: list[ErrorDetail],
) -> Rulebook:
    """
    Return the rulebook of the files of *rulebook* with *parameters*, and only rules with *codes*.

    However many steps led to a proposal, it is derived from the files: their order does not
    matter, and a step that takes another back leaves no mark. The rules are checked also if
    there are *errors* already, so that all are reported at once.
    """
    base = rulebook.proposed_from or rulebook
    changed = {name for name, it in parameters.items() if it != base.parameters[name]}
    left_out = dict.fromkeys(rule.code for rule in base.all_rules if rule.code not in codes)
    if not (changed or left_out or errors):
        return base if base.on == rulebook.on else evolve(base, on=rulebook.on)
    catalogue = base.catalogue.with_parameters(parameters)

    def rules_of(rules: RuleSet) -> tuple[Rule, ...]:
        kept = (rule for rule in rules.rules if rule.code in codes)
        return rechecked_rules(kept, catalogue, changed, errors)

    renewal = rules_of(base.renewal)
    products = [(terms, rules_of(terms.rules)) for terms in base.products]
    funding = rules_of(base.funding)
    errors += not_more_than_progress(renewal)
    if errors:
        # A rule that products share is checked in each of them.
        raise InvalidDocument(dict.fromkeys(errors))
    rules_digest = RulebookDigester().rules_digest(
        catalogue,
        renewal,
        products,
        {name: getattr(base, name) for name in SETTINGS_IN_DIGEST} | age_limits(base.checks),
        funding,
        offer_rules={terms.key: terms.offer_rules for terms in base.products},
    )
    identity: dict[str, Any] = {
        "catalogue": catalogue,
        "digest": rulebook_digest(rules_digest, base.versions),
        "rules_digest": rules_digest,
        "proposal": sentences(base.parameters, parameters, left_out),
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
        funding=base.funding.altered(rules=funding, **identity),
        proposed_from=base,
    )


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
