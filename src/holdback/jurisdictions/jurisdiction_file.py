"""What `jurisdiction.toml` says: name, owner, currency, time zone, settings, declared facts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from typing import Any, Final

import pendulum
from attrs import field

from holdback.errors import code_of, did_you_mean, excerpt
from holdback.exact.money import Currency
from holdback.frozen_classes import frozen, frozen_record
from holdback.jurisdictions.declared_facts import (
    ChecksReader,
    SourceCheck,
    SourceData,
    age_facts,
    read_data,
    read_facts,
)
from holdback.jurisdictions.keys import (
    DATED,
    FIGURES,
    JURISDICTION,
    OWN,
    SAID,
    SWITCH_OFF,
    SWITCHED_OFF,
    dated_form,
)
from holdback.jurisdictions.timeline import ALWAYS, Period, Timeline, read_period, read_timeline
from holdback.jurisdictions.toml import Node, TomlTable
from holdback.rules import Fact
from holdback.rules.number_format import NumberFormat

FORMAT: Final = 1
_MOST_FORMAT: Final = 10**9

Zone = pendulum.Timezone | pendulum.FixedTimezone
_MAX_TEMPLATE: Final = 12
# The settings that are the same on every day; the currency and the figures are read apart.
_FIXED: Final = tuple(
    name
    for name, row in JURISDICTION.rows.items()
    if row.inherited and name not in {*DATED, "currency", "figures"}
)
_NEEDED: Final = tuple({*JURISDICTION.required} - {"format", "currency", *DATED})


@frozen(kw_only=True)
class SwitchedOff:
    """
    A `rule`, `parameter`, `product`, `table` or `claim` of the parent that a child drops, and why.

    A rule that is dropped in one product has the key of this `product`.
    """

    kind: str
    name: str
    product: str | None = None
    reason: str
    period: Period
    node: Node = field(eq=False, repr=False)


@frozen(kw_only=True)
class JurisdictionDetails:
    """
    What `jurisdiction.toml` says, completed by the parent's.

    `fixed` are the settings that do not change by date, by name. `timelines` are the dated settings
    that are stated, each with the node for errors about it. `checks` are those that the files name,
    by name. `data` are the texts about kinds of data, each with its node. `setting_nodes` and
    `fact_nodes` have where a setting or fact is written, here or in a
    parent's file; `examples` are the unread examples of the settings.
    """

    code: str
    name: str
    currency: Currency
    zone: Zone = field(eq=False, repr=False)
    owner: str
    review_by: date
    fixed: Mapping[str, Any] = field(converter=frozen_record)
    facts: tuple[Fact, ...]
    checks: Mapping[str, SourceCheck] = field(converter=frozen_record)
    data: Mapping[str, SourceData] = field(converter=frozen_record)
    figures: NumberFormat | None
    switched_off: tuple[SwitchedOff, ...]
    timelines: Mapping[str, tuple[Node, Timeline[int]]] = field(
        converter=frozen_record, eq=False, repr=False
    )
    node: Node = field(eq=False, repr=False)
    examples: Node = field(eq=False, repr=False)
    setting_nodes: Mapping[str, Node] = field(converter=frozen_record, eq=False, repr=False)
    fact_nodes: Mapping[str, Node] = field(converter=frozen_record, eq=False, repr=False)

    def settings(self, on: date) -> dict[str, Any]:
        """Return the settings by name, with their values on *on*."""
        dated = {name: timeline.value_on(on) for name, (_, timeline) in self.timelines.items()}
        fixed = {name: value for name, value in self.fixed.items() if name not in SAID}
        return {**fixed, **{name: row.default for name, row in DATED.items()}, **dated}


def is_newer(root: Node) -> bool:
    """
    Return whether the file with this *root* has a newer format, which is then its one error.

    It is not read any further: its keys may be unknown here, or mean something else.
    """
    number = root.value.get("format") if isinstance(root.value, dict) else None
    if type(number) is not int or not FORMAT < number <= _MOST_FORMAT:
        return False
    root.entries()["format"].add_error(
        "newer_format",
        f"this file was written for a newer version of holdback: format {number}",
        f"this version reads format {FORMAT}",
    )
    return True


def read_format(node: Node) -> None:
    """Add an error for a format that no version of holdback reads; see `is_newer`."""
    number = node.integer(0, _MOST_FORMAT)
    if number is not None and number != FORMAT:
        message = f"format {number} is not known here"
        node.add_error("wrong_value", message, f"this version reads format {FORMAT}")


def read_details(
    node: Node, folder: str, parent: JurisdictionDetails | None
) -> tuple[JurisdictionDetails | None, Currency | None, tuple[Fact, ...]]:
    """
    Return the content of `jurisdiction.toml` in *node*, its currency and its own facts.

    *folder* is the name of the folder. Absent keys of a child are taken from *parent*. The content
    is None when anything in it is invalid; currency and facts, those declared and then the ages of
    checks, are returned all the same where they are valid: the other files can be read with them.
    """
    has_parent = isinstance(node.value, dict) and isinstance(node.value.get("parent"), str)
    table = JURISDICTION.table(node, OWN if has_parent else None)
    read_format(table["format"])
    # Everything is read before anything is judged, so that all errors are reported at once.
    before = len(node.document.errors)
    values = JURISDICTION.read(table)
    currency = _currency(table["currency"], parent)
    zone = _zone(table["timezone"], values["timezone"])
    if parent is not None and table["timezone"].absent:
        zone = parent.zone
    fixed = _fixed(table, values, parent)
    timelines = _timelines(table, parent)
    declared, checks = _facts_and_checks(table, currency, parent)
    facts = (*declared, *age_facts(checks, declared))
    figures = read_figures(table["figures"]) or (parent.figures if parent is not None else None)
    switched_off = _switched_off(table, has_parent=has_parent)
    stated = {**values, **fixed}
    data = {} if parent is None else dict(parent.data)
    data |= read_data(
        table["data"], checks, [*table["facts"].entries(), *(f.name for f in declared)]
    )
    invalid = len(node.document.errors) > before or None in [stated[name] for name in _NEEDED]
    if stated["code"] not in {None, folder}:
        table["code"].add_error(
            "contradiction", f"the folder is named `{folder}`", "both are the jurisdiction's code"
        )
    if invalid or zone is None or currency is None or timelines is None:
        return None, currency, facts
    details = JurisdictionDetails(
        **{name: stated[name] for name in ("code", "name", "owner", "review_by")},
        currency=currency,
        zone=zone,
        fixed=fixed,
        timelines=timelines,
        facts=declared,
        checks=checks,
        data=data,
        figures=figures,
        switched_off=switched_off,
        node=node,
        examples=table["examples"],
        setting_nodes=_setting_nodes(table, parent),
        fact_nodes={**({} if parent is None else parent.fact_nodes), **table["facts"].entries()},
    )
    return details, currency, facts


def _facts_and_checks(
    table: TomlTable, currency: Currency | None, parent: JurisdictionDetails | None
) -> tuple[tuple[Fact, ...], Mapping[str, SourceCheck]]:
    """Return the valid facts and checks, inherited ones included; without *currency* only those."""
    declared = () if parent is None else parent.facts
    if currency is not None:
        declared += read_facts(table["facts"], currency, declared)
    inherited: Mapping[str, SourceCheck] = {} if parent is None else parent.checks
    reader = ChecksReader(
        declared=declared, inherited=inherited, fact_nodes=table["facts"].entries()
    )
    return declared, reader.read(table["checks"])


def _fixed(
    table: TomlTable, values: Mapping[str, Any], parent: JurisdictionDetails | None
) -> dict[str, Any]:
    """Return the settings that do not change by date: *values* in *table*, or of the *parent*."""
    if parent is None:
        return {name: values[name] for name in _FIXED}
    return {name: parent.fixed[name] if table[name].absent else values[name] for name in _FIXED}


def _setting_nodes(table: TomlTable, parent: JurisdictionDetails | None) -> dict[str, Node]:
    return {
        name: parent.setting_nodes[name] if table[name].absent and parent else table[name]
        for name, row in JURISDICTION.rows.items()
        if row.inherited
    }


def _timelines(
    table: TomlTable, parent: JurisdictionDetails | None
) -> Mapping[str, tuple[Node, Timeline[int]]] | None:
    inherited = {} if parent is None else parent.timelines
    timelines, all_valid = {}, True
    for name, row in DATED.items():
        if table[name].absent and name in inherited:
            # An error about an inherited timeline points at the child's own file: the parent's is
            # valid by itself.
            timelines[name] = table.node, inherited[name][1]
        elif not table[name].absent or row.required:
            timeline = read_timeline(table[name], dated_form(row).reader)
            if timeline is None:
                all_valid = False
            else:
                timelines[name] = table[name], timeline
    return timelines if all_valid else None


def _switched_off(table: TomlTable, *, has_parent: bool) -> tuple[SwitchedOff, ...]:
    """Return what a child drops: `switch_off = [{ rule = "on-pace", reason = "..." }]`."""
    node = table["switch_off"]
    if not node.absent and not has_parent:
        node.add_error(
            "not_allowed", "there is nothing to switch off", "it drops what a parent has", key=True
        )
        return ()
    result = []
    for element in node.elements():
        entry = SWITCH_OFF.table(element)
        period, reason = read_period(entry, ALWAYS), SWITCH_OFF.value(entry, "reason")
        kinds = [row.name for row in SWITCHED_OFF if not entry[row.name].absent]
        product = None
        if kinds == ["rule", "product"]:
            product = SWITCH_OFF.value(entry, kinds.pop())
        if len(kinds) != 1 and isinstance(element.value, dict):
            element.add_error(
                "contradiction",
                "expected one of `rule`, `parameter`, `product`, `table` and `claim`",
                "and a `reason`; only `rule` may have a `product` beside it",
            )
            continue
        if not kinds:
            continue
        name = SWITCH_OFF.value(entry, kinds[0])
        if name is not None and reason is not None and period is not None:
            result.append(
                SwitchedOff(
                    kind=kinds[0],
                    name=name,
                    product=product,
                    reason=reason,
                    period=period,
                    node=element,
                )
            )
    return tuple(result)


def read_figures(
    node: Node, parts: Mapping[str, tuple[str, ...]] = NumberFormat.TEMPLATES
) -> NumberFormat | None:
    """Return how figures are written in sentences; *parts* are the names that each has."""
    if node.absent:
        return None
    table = FIGURES.table(node)
    decimal = table["decimal"].text(r"[.,]", "`.` or `,`")
    group = table["group"].value
    if not isinstance(group, str) or re.fullmatch(r"[ .,']?", group) is None:
        if not table["group"].absent:
            table["group"].add_error(
                "wrong_value", "expected `,`, `.`, a space, `'`, or nothing in quotes"
            )
        group = None
    elif group == decimal:
        table["group"].add_error("contradiction", "it is the decimal sign")
        group = None
    templates = {name: _template(table[name], names) for name, names in parts.items()}
    if decimal is None or group is None or None in templates.values():
        return None
    return NumberFormat(decimal=decimal, group=group, **{k: str(v) for k, v in templates.items()})


# A template of a number with digits or signs of its own would show the merchant another number.
_MISLEADS: Final = re.compile(r"[0-9+()-]|[.,']\{|\}[.,']")


def _template(node: Node, names: tuple[str, ...]) -> str | None:
    """Return a text that contains each of *names* in braces, once."""
    text = node.text()
    if text is None:
        return None
    braced = re.findall(r"\{([^{}]*)\}", text)
    plain = re.sub(r"\{[^{}]*\}", "", text)
    too_long = len(plain) > _MAX_TEMPLATE
    if sorted(braced) != sorted(names) or set("{}") & set(plain) or too_long:
        listed = " and ".join(f"`{{{name}}}`" for name in names)
        node.add_error("wrong_value", f"expected a short text with {listed}, once")
        return None
    misleads = _MISLEADS.search(text) if len(names) == 1 else re.search("[0-9]", plain)
    if misleads is not None:
        node.add_error(
            "misleading", "a digit or sign next to a placeholder would change the number shown"
        )
        return None
    return text


def _currency(node: Node, parent: JurisdictionDetails | None) -> Currency | None:
    """Return the currency with the code in *node*, or that of the *parent* when it is absent."""
    if node.absent and parent is not None:
        return parent.currency
    code = node.text()
    if code is None:
        return None
    if parent is not None and code != parent.currency.code:
        node.add_error(
            "wrong_currency",
            f"the parent's currency is `{parent.currency}`",
            "a child uses its parent's currency: remove `currency`, or remove `parent`",
        )
        return None
    try:
        return Currency.of(code)
    except ValueError as error:
        node.add_error(code_of(error), str(error))
        return None


def _zone(node: Node, name: str | None) -> Zone | None:
    """Return the time zone *name*, which *node* gives."""
    if name is None:
        return None
    try:
        # `localtime`, `right/...` and the like are different zones, or missing, on other machines.
        portable = ("/" in name or name == "UTC") and not name.startswith(("right/", "posix/"))
        return pendulum.timezone(name if portable else "")
    except (ValueError, OSError):
        region = name.partition("/")[0]
        zones = (zone for zone in pendulum.timezones() if "/" in zone)
        # Only the first few hundred are compared: those of the same region come first.
        nearest = sorted(zones, key=lambda zone: (zone.split("/")[0] != region, zone))
        hint = did_you_mean(name, nearest) or "a name is like `Europe/London`"
        node.add_error("unknown_name", f"there is no time zone `{excerpt(name)}`", hint)
        return None
