"""What a notebook shows of a rulebook and of a jurisdiction over time, and the records of that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from itertools import pairwise
from typing import Any, Final

from holdback.eligibility.assessment import FLOOR_PERCENT
from holdback.eligibility.rule_sentences import requirement
from holdback.eligibility.ruleset import DECLINE, Rule, RuleSet
from holdback.rules.values import days_text
from holdback.tools import pictures
from holdback.tools.displays.elements import (
    display,
    facts,
    heading,
    section,
    sentences,
    short_digest,
    table,
)
from holdback.tools.displays.versions import Cell, versions

_RULES: Final = "Rules for renewals"
_FIGURES: Final = "Thresholds"
# More versions than this are left out of a table of what changes: the newest are shown.
_MOST_VERSIONS: Final = 12


def rulebook_repr(rulebook: Any) -> str:
    """Return a rulebook on one line: what it is of, how much is in it, and its digest."""
    parts = [
        f"{len(rulebook.renewal.rules)} rules",
        f"{len(rulebook.products)} products",
        f"digest {short_digest(rulebook.digest)}",
    ]
    if rulebook.proposal:
        parts.append(f"proposal={rulebook.proposal!r}")
    return f"<Rulebook {rulebook.code} on {rulebook.on}: {', '.join(parts)}>"


def rulebook_html(rulebook: Any) -> str:
    """Return a rulebook as HTML: its rules in words, its thresholds, and the rest on request."""
    title = f"{rulebook.code} {rulebook.name}"
    about = (
        f"on {rulebook.on}",
        f"unchanged since {rulebook.since}",
        f"amounts in {rulebook.currency}",
        f"digest {short_digest(rulebook.digest)}",
    )
    return display(
        heading(title if not rulebook.proposal else f"{title}: a proposal", about),
        sentences("It is proposed:", rulebook.proposal),
        _rules_table(_RULES, rulebook.renewal, floor=True),
        _thresholds(rulebook),
        *(
            section(
                f"{terms.name}: {terms.description}",
                _rules_table("Rules for this product", terms.rules, floor=False),
            )
            for terms in rulebook.products
        ),
        section("Service terms", facts("Service terms", _terms(rulebook))),
    )


def _rules_table(title: str, rules: RuleSet, *, floor: bool) -> str:
    """Return the table of *rules*, with a row for the *floor* before them where they have one."""
    rows: list[tuple[object, ...]] = []
    if floor:
        paid = f"The deal must be at least {FLOOR_PERCENT}% paid down."
        rows.append(("FLOOR", paid, "it is not assessed", "", "", "floor"))
    rows += [
        (
            rule.code,
            requirement(rule, rules).plain(),
            "it is declined" if rule.otherwise == DECLINE else "a person looks at it",
            # A rule that was not read from a file has no origin, and so no first day.
            getattr(getattr(rule.origin, "period", None), "start", None),
            rule.source,
            rule.id,
        )
        for rule in rules.rules
    ]
    heads = ("code", "what must hold", "otherwise", "since", "source", "rule")
    return table(title, heads, rows) if rows else ""


def _thresholds(rulebook: Any) -> str:
    """Return the table of parameters: value, readers and source, and which ones are proposed."""
    files = rulebook.proposed_from or rulebook
    rows = []
    for name, parameter in rulebook.parameters.items():
        codes = (rule.code for rule in rulebook.all_rules if name in rule.checked.parameters)
        read_by = list(dict.fromkeys(codes))
        proposed = parameter != files.parameters[name]
        rows.append(
            (
                rulebook.catalogue.label(name),
                rulebook.renewal.show(parameter.type, parameter.number),
                ", ".join(read_by),
                None if proposed else parameter.since,
                "proposed" if proposed else parameter.source,
                name,
            )
        )
    heads = ("threshold", "value", "read by", "since", "source", "name")
    return table(_FIGURES, heads, rows, right={1}) if rows else ""


def _terms(rulebook: Any) -> Iterator[tuple[str, object]]:
    yield "owner", rulebook.owner
    yield "to be reviewed by", rulebook.review_by
    yield "offers are open for", f"{rulebook.offers_valid_hours} hours"
    yield "an accepted application waits for", days_text(rulebook.acceptance_days)
    yield "an approval holds for", days_text(rulebook.approval_days)
    yield "a repaid deal counts for", days_text(rulebook.recently_active_days)
    yield "time zone", rulebook.timezone


def _cells(rulebook: Any) -> Iterator[Cell]:
    """
    Yield what is in force: group and name, and then its version and what to write for it.

    The version is a text that is different when the parameter or the rule is.
    """
    for name, parameter in rulebook.parameters.items():
        text = rulebook.renewal.show(parameter.type, parameter.number)
        yield (_FIGURES, rulebook.catalogue.label(name)), (text, text)
    for rule in rulebook.renewal.rules:
        yield (_RULES, f"{rule.code}  {_title(rule)}"), (_version(rule), "in force")


def _version(rule: Rule) -> str:
    return f"{rule.when} {rule.require} {rule.otherwise}"


def _title(rule: Rule) -> str:
    return rule.id.replace("-", " ")


def jurisdiction_picture(jurisdiction: Any, on: date | None, width: int | None) -> Any:
    """Return the picture of what changes when in *jurisdiction*, with the day *on* marked."""
    slices = jurisdiction.slices
    records = [*versions(slices, [dict(_cells(rulebook)) for rulebook in slices])]
    title = f"{jurisdiction.code}: what holds from which day on"
    return pictures.timeline(title, records, on, width or pictures.WIDTH)


def jurisdiction_html(jurisdiction: Any) -> str:
    """Return a jurisdiction over time as HTML: from which day on what changes."""
    rows = [
        (before.since, len(before.renewal.rules), len(before.products), "it begins")
        for before in jurisdiction.slices[:1]
    ]
    rows += [
        (
            after.since,
            len(after.renewal.rules),
            len(after.products),
            "; ".join(_changes(before, after)) or "terms of the service or of a product",
        )
        for before, after in pairwise(jurisdiction.slices)
    ]
    about = (
        f"amounts in {jurisdiction.currency}",
        f"{len(jurisdiction.slices)} versions",
        f"{len(jurisdiction.examples)} examples",
    )
    heads = ("from", "rules", "products", "what changes")
    shown = rows[-_MOST_VERSIONS:]
    return display(
        heading(f"{jurisdiction.code} {jurisdiction.name}", about),
        table("What holds from which day on", heads, shown, right={1, 2}),
    )


def _changes(before: Any, after: Any) -> Iterator[str]:
    """Yield what differs between two rulebooks, in words."""
    old, new = dict(_cells(before)), dict(_cells(after))
    for group, name in dict.fromkeys([*old, *new]):
        was, now = old.get((group, name)), new.get((group, name))
        if was == now:
            continue
        if was is None or now is None:
            yield f"{name} is {'new' if was is None else 'gone'}"
        elif group == _FIGURES:
            yield f"{name} is {now[1]} instead of {was[1]}"
        else:
            yield f"{name} is another"


def jurisdictions_html(jurisdictions: Iterable[Any]) -> str:
    """Return the jurisdictions of a folder as a table, without reading a clock: all their days."""
    rows = [
        (
            jurisdiction.code,
            jurisdiction.name,
            str(jurisdiction.currency),
            len(jurisdiction.slices[-1].renewal.rules),
            len(jurisdiction.slices[-1].products),
            jurisdiction.changes[0],
            ", ".join(str(day) for day in jurisdiction.changes[1:]) or "none",
        )
        for jurisdiction in jurisdictions
    ]
    heads = ("code", "name", "currency", "rules", "products", "from", "changes on")
    return display(table(f"{len(rows)} jurisdictions", heads, rows, right={3, 4}))
