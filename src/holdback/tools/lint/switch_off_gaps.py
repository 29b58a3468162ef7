"""Switch-offs that no example shows: without one, nobody would notice that it is gone."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from datetime import date
from itertools import islice
from typing import Final

from holdback.eligibility.assessment import ELIGIBLE, INELIGIBLE, REFERRED
from holdback.eligibility.ruleset import DECLINE, REFER, Rule
from holdback.errors import ErrorDetail, RuleError
from holdback.jurisdictions.jurisdiction import Jurisdiction, Jurisdictions
from holdback.jurisdictions.jurisdiction_file import SwitchedOff
from holdback.jurisdictions.keys import NOT_OFFERED, PAYS_OUT, TABLE_OF_TIERS, WAITS
from holdback.merchant import product
from holdback.rulebooks.rulebook import Rulebook
from holdback.rules import closure
from holdback.tools.example_run import ExampleRun
from holdback.tools.mutants.mutation import with_inherited

# Bounds the cost of a check: further switch-offs are not tried.
MAX_SWITCH_OFFS: Final = 60
_DECISIONS: Final = (product.ACCEPTED, product.REFERRED, product.DECLINED)
# By what a rule does when it is false: the outcomes without it that it would change, or be a reason
# of, for a deal, a payout and a product. A declined deal has no reason that only refers.
_DECIDES: Final = {
    DECLINE: (ELIGIBLE, REFERRED, INELIGIBLE, PAYS_OUT, WAITS, *_DECISIONS),
    REFER: (ELIGIBLE, REFERRED, PAYS_OUT, *_DECISIONS[:2]),
}
# What a switch-off of a parameter does is shown by the rules that read it.
_HINTS: Final = {
    "rule": "add an example of a deal that the rule would decline or refer, with what comes out "
    "here",
    TABLE_OF_TIERS: "add an example of a deal that a row would decline or refer, with what comes "
    "out here",
    "product": f'add an example of the product that expects `decision = "{NOT_OFFERED}"`',
}


def switch_off_gaps(
    jurisdiction: Jurisdiction, others: Jurisdictions, runs: Collection[ExampleRun]
) -> Iterator[ErrorDetail]:
    """Yield own switch-offs of rules and products that none of *runs* shows."""
    for switch_off, _ in unshown_switch_offs(jurisdiction, others, runs):
        yield ErrorDetail(
            code="not_tested",
            message=f"no example shows that the {switch_off.kind} `{switch_off.name}` is "
            "switched off" + (f" in `{switch_off.product}`" if switch_off.product else ""),
            hint=_HINTS[switch_off.kind],
            **switch_off.node.position(),
        )


def unshown_switch_offs(
    jurisdiction: Jurisdiction, others: Jurisdictions, runs: Collection[ExampleRun]
) -> Iterator[tuple[SwitchedOff, dict[date, Rulebook]]]:
    """
    Yield own switch-offs that none of *runs* shows, and the rulebooks without them by date.

    A switch-off without effect is left out: it has a finding of its own.
    """
    for switch_off in islice(jurisdiction.policy.own.switched_off, MAX_SWITCH_OFFS):
        parent_code = jurisdiction.policy.layers[-2].code
        if switch_off.kind not in _HINTS or parent_code not in others.codes:
            continue
        restored = {
            rulebook.since: changed
            for rulebook in jurisdiction.slices
            if (changed := _restored(rulebook, switch_off, others[parent_code])) is not None
        }
        if switch_off.kind != "product":
            shown = _rule_is_shown(jurisdiction, restored, runs)
        else:
            shown = any(
                run.example.product == switch_off.name
                and jurisdiction.rulebook(run.example.on).since in restored
                for run in runs
            )
        if restored and not shown:
            yield switch_off, restored


def _restored(rulebook: Rulebook, switch_off: SwitchedOff, parent: Jurisdiction) -> Rulebook | None:
    """Return *rulebook* without the switch-off; None where nothing comes back, or nothing valid."""
    try:
        changed = with_inherited(rulebook, switch_off=switch_off, parent=parent)
    except RuleError:
        return None  # what would come back reads a parameter that is switched off as well
    same = len(tuple(changed.all_rules)) == len(tuple(rulebook.all_rules))
    return None if same and len(changed.products) == len(rulebook.products) else changed


def restored_to(rulebook: Rulebook, restored: Rulebook) -> Iterator[tuple[str | None, Rule]]:
    """Yield the rules that *restored* has and *rulebook* has not, by rule set."""
    for rule_set, rules in restored.rulesets.items():
        here = rulebook.rulesets.get(rule_set)
        present = {rule.id for rule in here.rules} if here is not None else set()
        for rule in rules.rules:
            if rule.id not in present:
                yield rule_set, rule


def _rule_is_shown(
    jurisdiction: Jurisdiction,
    restored: Mapping[date, Rulebook],
    runs: Collection[ExampleRun],
) -> bool:
    """
    Return whether a rule that is *restored* would be a reason for the deal of one of *runs*.

    That its answer becomes unknown is not enough: every deal without the fact would show that.
    """
    # The rule, by the first day of the rulebook and the rule set: of renewals, a product, fundings.
    restored_rules: dict[tuple[date, str | None], list[Rule]] = {}
    for since, rulebook in restored.items():
        for rule_set, rule in restored_to(jurisdiction.rulebook(since), rulebook):
            restored_rules.setdefault((since, rule_set), []).append(rule)
    for run in runs:
        if not run.example.of_rules:
            continue
        rulebook = jurisdiction.rulebook(run.example.on)
        key = (rulebook.since, run.example.product)
        for rule in restored_rules.get(key, ()):
            if run.got.outcome in _DECIDES[rule.otherwise]:
                facts = rulebook.catalogue.prepare(run.example.given)
                if closure(rule.checked)(facts) is False:
                    return True
    return False
