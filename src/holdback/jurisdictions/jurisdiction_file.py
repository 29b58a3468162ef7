"""What `jurisdiction.toml` says: name, owner, currency, time zone, settings, declared facts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from functools import partial
from types import MappingProxyType
from typing import Any, Final

import pendulum
from attrs import field

from holdback.errors import code_of, did_you_mean, excerpt
from holdback.exact.exact_numbers import ROUNDINGS, RoundingMode
from holdback.exact.frozen_values import frozen_record
from holdback.exact.money import Currency
from holdback.frozen_classes import frozen
from holdback.jurisdictions.acceptance_terms import (
    ACCEPTANCE,
    AcceptanceTerms,
    read_acceptance_terms,
)
from holdback.jurisdictions.checks import ChecksReader, SourceCheck, age_facts
from holdback.jurisdictions.declared_facts import read_facts
from holdback.jurisdictions.source_rules import ID, LATE_REMITTANCES, NAME, REFUND
from holdback.jurisdictions.timeline import Period, Timeline, read_period, read_timeline
from holdback.jurisdictions.toml import Node, TomlTable
from holdback.rules import Fact
from holdback.rules.number_format import NumberFormat

FORMAT: Final = 1
_MOST_FORMAT: Final = 10**9

# Keys that every folder has, and keys that a child may leave to its parent.
OWN: Final = ("format", "code", "name", "owner", "review_by")
_INHERITED: Final = ("currency", "rounding", "timezone", "automated_decisioning")
# Settings that change by date, each with its range: offers and cooling off last for at most a leap
# year, a profile is kept for at most a hundred years, and all others are at most ten.
TIMELINES: Final = MappingProxyType(
    {
        "offers_valid_hours": (1, 24 * 366),
        "recently_active_days": (0, 3_660),
        "retain_profile_days": (0, 36_500),
        "approval_days": (1, 3_660),
        "acceptance_days": (1, 3_660),
        "cooling_off_days": (0, 366),
    }
)
# Those that no file has to state, with the value that then holds, as five years and a leap day.
# They decide no outcome and no price
# (decisions/jurisdiction-folders#settings-that-no-digest-covers).
DEFAULTS: Final = MappingProxyType(
    {
        "retain_profile_days": 5 * 365 + 1,
        "approval_days": 30,
        "acceptance_days": 30,
        "cooling_off_days": 0,
    }
)
_OPTIONAL: Final = (*ACCEPTANCE, "late_remittances", "facts", "checks", "figures", "examples")
_OF_A_CHILD: Final = ("parent", "switch_off")
REQUIRED: Final = (*OWN, *_INHERITED, *(name for name in TIMELINES if name not in DEFAULTS))
OPTIONAL: Final = (*DEFAULTS, *_OPTIONAL, *_OF_A_CHILD)

Zone = pendulum.Timezone | pendulum.FixedTimezone
_MAX_TEMPLATE: Final = 12
_ALWAYS: Final = Period(date.min)


@frozen(kw_only=True)
class SwitchedOff:
    """A `rule`, `parameter`, `product` or `claim` of the parent that a child drops, and why."""

    kind: str
    name: str
    reason: str
    period: Period
    node: Node = field(eq=False, repr=False)


@frozen(kw_only=True)
class JurisdictionDetails:
    """
    What `jurisdiction.toml` says, completed by the parent's.

    `timelines` are the dated settings that are stated, each with the node for errors about it.
    `checks` are those that the files name, by name. `setting_nodes` and `fact_nodes` have where a
    setting or fact is written, here or in a parent's file; `examples` are the unread examples of
    the settings.
    """

    code: str
    name: str
    currency: Currency
    rounding: RoundingMode
    timezone: str
    zone: Zone = field(eq=False, repr=False)
    owner: str
    review_by: date
    automated_decisioning: bool
    facts: tuple[Fact, ...]
    checks: Mapping[str, SourceCheck] = field(converter=frozen_record)
    acceptance: AcceptanceTerms
    late_remittances: str
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
        """
        Return the settings that can change an answer, by name, with their values on *on*.

        How old the results of checks may be belongs to them as well: `checks.age_limits`.
        """
        return {
            "code": self.code,
            "rounding": self.rounding,
            "timezone": self.timezone,
            "automated_decisioning": self.automated_decisioning,
            **{
                name: timeline.value_on(on)
                for name, (_, timeline) in self.timelines.items()
                if name not in DEFAULTS
            },
        }

    def settings_outside_digest(self, on: date) -> dict[str, Any]:
        """Return the settings that change no answer, by name, with their values on *on*."""
        stated = {name: self.timelines[name][1] for name in DEFAULTS if name in self.timelines}
        return {**DEFAULTS, **{name: entry.value_on(on) for name, entry in stated.items()}}


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
    required = OWN if has_parent else REQUIRED
    table = node.table(required, (*(key for key in REQUIRED if key not in required), *OPTIONAL))
    read_format(table["format"])
    code = table["code"].text()
    if code is not None and code != folder:
        table["code"].add_error(
            "contradiction", f"the folder is named `{folder}`", "both are the jurisdiction's code"
        )
    table["parent"].text(r"[A-Z]{2}(-[A-Z0-9]{1,3})?", "the code of a jurisdiction")
    # Everything is read before anything is judged, so that all errors are reported at once.
    before = len(node.document.errors)
    zone, currency = _zone(table["timezone"]), _currency(table["currency"], parent)
    content: dict[str, Any] = {
        "code": code,
        "name": table["name"].text(),
        "currency": currency,
        "rounding": table["rounding"].one_of(tuple(ROUNDINGS), "rounding"),
        "timezone": None if zone is None else table["timezone"].value,
        "zone": zone,
        "owner": table["owner"].text(),
        "review_by": table["review_by"].day(),
        "automated_decisioning": table["automated_decisioning"].flag(),
        "timelines": _timelines(table, parent),
        "late_remittances": table["late_remittances"].one_of(LATE_REMITTANCES, "treatment")
        or REFUND,
    }
    if parent is not None:
        content |= _inherited(table, parent)
    inherited = AcceptanceTerms() if parent is None else parent.acceptance
    acceptance = read_acceptance_terms(table, inherited)
    declared, checks = _facts_and_checks(table, currency, parent)
    facts = (*declared, *age_facts(checks, declared))
    figures = _figures(table["figures"]) or (parent.figures if parent is not None else None)
    switched_off = _switched_off(table, has_parent=has_parent)
    if None in content.values() or len(node.document.errors) > before:
        return None, currency, facts
    details = JurisdictionDetails(
        **content,
        facts=declared,
        checks=checks,
        acceptance=acceptance,
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


def _inherited(table: TomlTable, parent: JurisdictionDetails) -> dict[str, Any]:
    """Return the values that a child leaves to its *parent*."""
    left_out = [name for name in (*_INHERITED, "late_remittances") if table[name].absent]
    values: dict[str, Any] = {name: getattr(parent, name) for name in left_out}
    return {**values, "zone": parent.zone} if "timezone" in left_out else values


def _setting_nodes(table: TomlTable, parent: JurisdictionDetails | None) -> dict[str, Node]:
    return {
        name: parent.setting_nodes[name] if table[name].absent and parent else table[name]
        for name in (*_INHERITED, *TIMELINES, *ACCEPTANCE, "late_remittances", "figures")
    }


def _timelines(
    table: TomlTable, parent: JurisdictionDetails | None
) -> Mapping[str, tuple[Node, Timeline[int]]] | None:
    inherited = {} if parent is None else parent.timelines
    timelines, all_valid = {}, True
    for name, (low, high) in TIMELINES.items():
        if table[name].absent and name in inherited:
            # An error about an inherited timeline points at the child's own file: the parent's is
            # valid by itself.
            timelines[name] = table.node, inherited[name][1]
        elif not table[name].absent or name not in DEFAULTS:
            timeline = read_timeline(table[name], partial(Node.integer, low=low, high=high))
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
        entry = element.table(("reason",), (*_KINDS, "from", "until"))
        period = read_period(entry, _ALWAYS)
        reason = entry["reason"].text()
        kinds = [kind for kind in _KINDS if not entry[kind].absent]
        if len(kinds) != 1 and isinstance(element.value, dict):
            element.add_error(
                "contradiction",
                "expected one of `rule`, `parameter`, `product` and `claim`",
                "and a `reason`",
            )
            continue
        if not kinds:
            continue
        kind = "name" if kinds[0] == CLAIM else "id"
        name = entry[kinds[0]].text(_KINDS[kinds[0]], f"the {kind} of a {kinds[0]}")
        if name is not None and reason is not None and period is not None:
            result.append(
                SwitchedOff(kind=kinds[0], name=name, reason=reason, period=period, node=element)
            )
    return tuple(result)


# What can be switched off, and the pattern of its name.
CLAIM: Final = "claim"
_KINDS: Final = MappingProxyType({"rule": ID, "parameter": NAME, "product": NAME, CLAIM: None})


def _figures(node: Node) -> NumberFormat | None:
    """Return how figures are written in sentences for merchants."""
    if node.absent:
        return None
    table = node.table(NumberFormat.KEYS)
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
    templates = {
        name: _template(table[name], names) for name, names in NumberFormat.TEMPLATES.items()
    }
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


def _zone(node: Node) -> Zone | None:
    """Return the time zone named in *node*."""
    name = node.text(
        r"[A-Za-z][A-Za-z0-9_+-]{0,30}(/[A-Za-z0-9_+-]{1,30}){0,2}",
        "a name such as `Europe/London`",
    )
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
