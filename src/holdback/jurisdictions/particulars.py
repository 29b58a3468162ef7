"""Who a jurisdiction is: `jurisdiction.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from functools import partial
from types import MappingProxyType
from typing import Any, Final

import pendulum
from attrs import field, frozen

from holdback.errors import did_you_mean
from holdback.jurisdictions.document import excerpt
from holdback.jurisdictions.items import Item
from holdback.jurisdictions.timeline import Timeline, read_timeline
from holdback.money import ROUNDINGS, Currency

FORMAT: Final = 1

_KEYS: Final = (
    "format",
    "code",
    "name",
    "currency",
    "rounding",
    "timezone",
    "owner",
    "review_by",
    "automated_decisioning",
)
# Nobody keeps an offer open for more than a year, or calls a deal recent after ten.
_TIMELINES: Final = MappingProxyType(
    {"offers_valid_hours": (1, 24 * 366), "recently_active_days": (0, 3_660)}
)

Zone = pendulum.Timezone | pendulum.FixedTimezone


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
    timelines: Mapping[str, tuple[Item, Timeline[int]]] = field(eq=False, repr=False)

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


def read_particulars(item: Item, folder: str) -> tuple[Particulars | None, Currency | None]:
    """
    The particulars in *item*, of the jurisdiction in the folder of that name, and the currency, which
    may be known when the rest is at fault.
    """
    keys = item.keys((*_KEYS, *_TIMELINES))
    read_format(keys["format"])
    code = keys["code"].text()
    if code is not None and code != folder:
        keys["code"].fault(f"the folder is named `{folder}`", "both are the jurisdiction's code")
    timelines = {}
    for name, (low, high) in _TIMELINES.items():
        timeline = read_timeline(keys[name], partial(Item.whole, low=low, high=high))
        if timeline is not None:
            timelines[name] = keys[name], timeline
    zone, currency = _zone(keys["timezone"]), read_currency(keys["currency"])
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
    }
    if None in found.values() or len(timelines) < len(_TIMELINES):
        return None, currency
    return Particulars(timelines=timelines, **found), currency


def read_currency(item: Item) -> Currency | None:
    """The currency whose code *item* is."""
    code = item.text()
    if code is None:
        return None
    try:
        return Currency.of(code)
    except ValueError as error:
        item.fault(str(error))
        return None


def _zone(item: Item) -> Zone | None:
    """The time zone whose name *item* is."""
    name = item.text(
        r"[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*", "a name such as `Europe/London`"
    )
    if name is None:
        return None
    try:
        # `localtime` and its like are another zone on another machine.
        return pendulum.timezone(name if "/" in name or name == "UTC" else "")
    except (ValueError, OSError):
        known = [zone for zone in pendulum.timezones() if "/" in zone]
        near = did_you_mean(name, known) or "a name is like `Europe/London`"
        item.fault(f"there is no time zone `{excerpt(name)}`", near)
        return None
