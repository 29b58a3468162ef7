"""Who a jurisdiction is: `jurisdiction.toml`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from functools import partial
from types import MappingProxyType
from typing import Any, Final

import pendulum
from attrs import field, frozen

from holdback.errors import did_you_mean
from holdback.jurisdictions.declared_facts import read_facts
from holdback.jurisdictions.source_rules import ID, NAME
from holdback.jurisdictions.timeline import Period, Timeline, read_period, read_timeline
from holdback.money import ROUNDINGS, Currency
from holdback.number_format import Figures
from holdback.rules import Fact
from holdback.toml.document import excerpt
from holdback.toml.node import Item, Keys

FORMAT: Final = 1

# What every folder says for itself, and what a child may leave to its parent.
OWN: Final = ("format", "code", "name", "owner", "review_by")
_INHERITED: Final = ("currency", "rounding", "timezone", "automated_decisioning")
# Nobody keeps an offer open for more than a year, or calls a deal recent after ten.
TIMELINES: Final = MappingProxyType(
    {"offers_valid_hours": (1, 24 * 366), "recently_active_days": (0, 3_660)}
)
_OPTIONAL: Final = ("facts", "figures", "examples")
_OF_A_CHILD: Final = ("parent", "switch_off")
REQUIRED: Final = (*OWN, *_INHERITED, *TIMELINES)
OPTIONAL: Final = (*_OPTIONAL, *_OF_A_CHILD)

Zone = pendulum.Timezone | pendulum.FixedTimezone
_LONGEST_TEMPLATE: Final = 12
_EVER: Final = Period(date.min)


@frozen(kw_only=True)
class SwitchedOff:
    """What a child drops of its parent's: a `rule`, `parameter` or `product` by its name, and why."""

    kind: str
    name: str
    reason: str
    period: Period
    item: Item = field(eq=False, repr=False)


@frozen(kw_only=True)
class Particulars:
    """What `jurisdiction.toml` says. `timelines` are its settings that change by date, and where."""

    code: str
    name: str
    currency: Currency
    rounding: str
    timezone: str
    zone: Zone = field(eq=False, repr=False)
    owner: str
    review_by: date
    automated_decisioning: bool
    facts: tuple[Fact, ...]
    figures: Figures | None
    switched_off: tuple[SwitchedOff, ...]
    timelines: Mapping[str, tuple[Item, Timeline[int]]] = field(eq=False, repr=False)
    item: Item = field(eq=False, repr=False)
    # The examples of its settings.
    examples: Item = field(eq=False, repr=False)
    # Where each setting and each fact was written, here or in a parent's file.
    places: Mapping[str, Item] = field(eq=False, repr=False)
    fact_items: Mapping[str, Item] = field(eq=False, repr=False)

    def settings(self, on: date) -> dict[str, Any]:
        """What of it can change an answer on the day *on*, by name."""
        return {
            "code": self.code,
            "rounding": self.rounding,
            "timezone": self.timezone,
            "automated_decisioning": self.automated_decisioning,
            **{name: timeline.value_on(on) for name, (_, timeline) in self.timelines.items()},
        }


def read_format(item: Item) -> None:
    """Note a format that this version of holdback does not read."""
    number = item.whole(0, 10**9)
    if number is not None and number != FORMAT:
        item.fault(f"format {number} is not known here", f"this version reads format {FORMAT}")


def read_particulars(
    item: Item, folder: str, parent: Particulars | None
) -> tuple[Particulars | None, Currency | None, tuple[Fact, ...]]:
    """
    The particulars in *item*, of the jurisdiction in the folder of that name; and the currency and the facts,
    which may be known when the rest is at fault. What a child leaves out is its *parent's*.
    """
    has_parent = isinstance(item.value, dict) and isinstance(item.value.get("parent"), str)
    required = OWN if has_parent else REQUIRED
    keys = item.keys(required, (*(each for each in REQUIRED if each not in required), *OPTIONAL))
    read_format(keys["format"])
    code = keys["code"].text()
    if code is not None and code != folder:
        keys["code"].fault(f"the folder is named `{folder}`", "both are the jurisdiction's code")
    keys["parent"].text(r"[A-Z]{2}(-[A-Z0-9]{1,3})?", "the code of a jurisdiction")
    places = {
        name: parent.places[name] if keys[name].absent and parent else keys[name]
        for name in (*_INHERITED, *TIMELINES, "figures")
    }
    zone, currency = _zone(keys["timezone"]), _currency(keys["currency"], parent)
    found: dict[str, Any] = {
        "code": code,
        "name": keys["name"].text(),
        "currency": currency,
        "rounding": keys["rounding"].one_of(tuple(ROUNDINGS), "rounding"),
        "timezone": None if zone is None else keys["timezone"].value,
        "zone": zone,
        "owner": keys["owner"].text(),
        "review_by": keys["review_by"].day(),
        "automated_decisioning": keys["automated_decisioning"].flag(),
        "timelines": _timelines(keys, parent),
    }
    if parent is not None:
        left_out = [name for name in _INHERITED if keys[name].absent]
        found |= {name: getattr(parent, name) for name in left_out}
        if "timezone" in left_out:
            found["zone"] = parent.zone
    before = len(item.document.errors)
    facts = () if parent is None else parent.facts
    if currency is not None:
        facts += read_facts(keys["facts"], currency, facts)
    figures = _figures(keys["figures"])
    if figures is None and parent is not None:
        figures = parent.figures
    dropped = _switched_off(keys, has_parent=has_parent)
    if None in found.values() or len(item.document.errors) > before:
        return None, currency, facts
    particulars = Particulars(
        **found,
        facts=facts,
        figures=figures,
        switched_off=dropped,
        item=item,
        examples=keys["examples"],
        places=places,
        fact_items={**({} if parent is None else parent.fact_items), **keys["facts"].pairs()},
    )
    return particulars, currency, facts


def _timelines(
    keys: Keys, parent: Particulars | None
) -> Mapping[str, tuple[Item, Timeline[int]]] | None:
    found = {}
    for name, (low, high) in TIMELINES.items():
        if keys[name].absent and parent is not None:
            # What is wrong with it in the child is said at the child's own file.
            found[name] = keys.item, parent.timelines[name][1]
            continue
        timeline = read_timeline(keys[name], partial(Item.whole, low=low, high=high))
        if timeline is not None:
            found[name] = keys[name], timeline
    return found if len(found) == len(TIMELINES) else None


def _switched_off(keys: Keys, *, has_parent: bool) -> tuple[SwitchedOff, ...]:
    """What a child drops: `switch_off = [{ rule = "on-pace", reason = "..." }]`."""
    item = keys["switch_off"]
    if not item.absent and not has_parent:
        item.fault("there is nothing to switch off", "it drops what a parent has", key=True)
        return ()
    found = []
    for entry in item.items():
        parts = entry.keys(("reason",), (*_KINDS, "from", "until"))
        period = read_period(parts, _EVER)
        reason = parts["reason"].text()
        kinds = [kind for kind in _KINDS if not parts[kind].absent]
        if len(kinds) != 1 and isinstance(entry.value, dict):
            entry.fault("expected one of `rule`, `parameter` and `product`", "and a `reason`")
            continue
        if not kinds:
            continue
        name = parts[kinds[0]].text(_KINDS[kinds[0]], f"the id of a {kinds[0]}")
        if name is not None and reason is not None and period is not None:
            found.append(
                SwitchedOff(kind=kinds[0], name=name, reason=reason, period=period, item=entry)
            )
    return tuple(found)


# What can be switched off, and what its name looks like.
_KINDS: Final = MappingProxyType({"rule": ID, "parameter": NAME, "product": NAME})


def _figures(item: Item) -> Figures | None:
    """How figures are written in sentences."""
    if item.absent:
        return None
    keys = item.keys(Figures.KEYS)
    decimal = keys["decimal"].text(r"[.,]", "`.` or `,`")
    group = keys["group"].value
    if not isinstance(group, str) or re.fullmatch(r"[ .,']?", group) is None:
        if not keys["group"].absent:
            keys["group"].fault("expected `,`, `.`, a space, `'`, or nothing in quotes")
        group = None
    elif group == decimal:
        keys["group"].fault("it is the decimal sign")
        group = None
    templates = {name: _template(keys[name], names) for name, names in Figures.TEMPLATES.items()}
    if decimal is None or group is None or None in templates.values():
        return None
    return Figures(decimal=decimal, group=group, **{k: str(v) for k, v in templates.items()})


# Digits and signs of its own beside a number would show the merchant another one.
_MISLEADS: Final = re.compile(r"[0-9+()-]|[.,']\{|\}[.,']")


def _template(item: Item, names: tuple[str, ...]) -> str | None:
    """A text that has each of *names* in braces, once."""
    text = item.text()
    if text is None:
        return None
    braced = re.findall(r"\{([^{}]*)\}", text)
    plain = re.sub(r"\{[^{}]*\}", "", text)
    too_long = len(plain) > _LONGEST_TEMPLATE
    if sorted(braced) != sorted(names) or set("{}") & set(plain) or too_long:
        listed = " and ".join(f"`{{{name}}}`" for name in names)
        item.fault(f"expected a short text with {listed}, once")
        return None
    misleads = _MISLEADS.search(text) if len(names) == 1 else re.search("[0-9]", plain)
    if misleads is not None:
        item.fault("a digit or sign beside the figure would make another figure of it")
        return None
    return text


def _currency(item: Item, parent: Particulars | None) -> Currency | None:
    """The currency whose code *item* is, or that of the *parent*."""
    if item.absent and parent is not None:
        return parent.currency
    code = item.text()
    if code is None:
        return None
    if parent is not None and code != parent.currency.code:
        item.fault(
            f"the parent's currency is `{parent.currency}`",
            "amounts are inherited: leave it out, or have no parent",
        )
        return None
    try:
        return Currency.of(code)
    except ValueError as error:
        item.fault(str(error))
        return None


def _zone(item: Item) -> Zone | None:
    """The time zone whose name *item* is."""
    name = item.text(
        r"[A-Za-z][A-Za-z0-9_+-]{0,30}(/[A-Za-z0-9_+-]{1,30}){0,2}",
        "a name such as `Europe/London`",
    )
    if name is None:
        return None
    try:
        # `localtime`, `right/...` and their like are another zone, or none, on another machine.
        everywhere = ("/" in name or name == "UTC") and not name.startswith(("right/", "posix/"))
        return pendulum.timezone(name if everywhere else "")
    except (ValueError, OSError):
        region = name.partition("/")[0]
        zones = (zone for zone in pendulum.timezones() if "/" in zone)
        known = sorted(zones, key=lambda zone: (zone.split("/")[0] != region, zone))
        near = did_you_mean(name, known) or "a name is like `Europe/London`"
        item.fault(f"there is no time zone `{excerpt(name)}`", near)
        return None
