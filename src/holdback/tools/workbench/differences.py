"""The differences between two rulebooks, rule by rule, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from holdback.exact.exact_json import Json, write_json
from holdback.frozen_classes import frozen
from holdback.tools.plain_values import plain_values

Overview = Mapping[str, Any]

ADDED: Final = "added"
REMOVED: Final = "removed"
CHANGED: Final = "changed"

# The keys of a changed rule that are compared one by one, after its meaning in words.
_OF_A_RULE: Final = ("code", "when", "require", "otherwise", "reason")
_OF_A_PRODUCT: Final = ("name", "description", "repayment_mechanism", "amounts", "renewal")
FUNDING_RULE: Final = "funding rule"
_ORDER: Final = "their order, which is their priority"


@frozen(kw_only=True)
class Difference:
    """A rule, table, setting, parameter or product that was added, removed or changed, and how."""

    state: str
    kind: str
    name: str
    details: tuple[str, ...] = ()

    def plain(self) -> dict[str, Json]:
        """Return the difference as plain values."""
        return plain_values(self, "state", "kind", "name", "details")


def differences(before: Overview, after: Overview) -> Iterator[Difference]:
    """Yield the differences from *before* to *after*, both made by `overview`."""
    yield from _valued("setting", before["settings"], after["settings"])
    yield from _valued("fact", before["facts"], after["facts"])
    yield from _valued("check", before["checks"], after["checks"])
    yield from _valued("parameter", before["parameters"], after["parameters"])
    yield from _rules("rule", before["rules"], after["rules"])
    yield from _tables(before["tables"], after["tables"])
    yield from _products(before["products"], after["products"])
    yield from _rules(FUNDING_RULE, before["funding"], after["funding"])


def _by(key: str, entries: Iterable[Overview]) -> dict[str, Overview]:
    return {entry[key]: entry for entry in entries}


def _names(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    return [*before, *(name for name in after if name not in before)]


def _valued(
    kind: str, before: Iterable[Overview], after: Iterable[Overview]
) -> Iterator[Difference]:
    old, new = _by("name", before), _by("name", after)
    for name in _names(old, new):
        if name not in old:
            yield Difference(
                state=ADDED, kind=kind, name=name, details=(_shown(new[name]["value"]),)
            )
        elif name not in new:
            yield Difference(
                state=REMOVED,
                kind=kind,
                name=name,
                details=(f"it was {_shown(old[name]['value'])}",),
            )
        elif old[name]["value"] != new[name]["value"]:
            moved = f"{_shown(old[name]['value'])} to {_shown(new[name]['value'])}"
            yield Difference(state=CHANGED, kind=kind, name=name, details=(moved,))


def _shown(value: Json) -> str:
    return value if isinstance(value, str) else write_json(value)


def _rules(
    kind: str, before: Iterable[Overview], after: Iterable[Overview], within: str = ""
) -> Iterator[Difference]:
    old, new = _by("id", before), _by("id", after)
    for name in _names(old, new):
        shown = f"{within}{name}"
        if name not in old:
            rule = new[name]
            yield Difference(
                state=ADDED,
                kind=kind,
                name=f"{shown} ({rule['code']})",
                details=(rule["words"], _otherwise(kind, rule)),
            )
        elif name not in new:
            rule = old[name]
            yield Difference(
                state=REMOVED,
                kind=kind,
                name=f"{shown} ({rule['code']})",
                details=(f"it was: {rule['words']}",),
            )
        elif details := tuple(_of_a_rule(old[name], new[name])):
            code = new[name]["code"]
            yield Difference(state=CHANGED, kind=kind, name=f"{shown} ({code})", details=details)
    yield from _moved(f"{kind}s", old, new, f"{within}{_ORDER}")


def _moved(
    kind: str, old: Mapping[str, Any], new: Mapping[str, Any], name: str
) -> Iterator[Difference]:
    """Yield a difference when the entries that are in both have another order."""
    before = [key for key in old if key in new]
    after = [key for key in new if key in old]
    if before != after:
        order = f"{', '.join(before)} to {', '.join(after)}"
        yield Difference(state=CHANGED, kind=kind, name=name, details=(order,))


def _tables(before: Iterable[Overview], after: Iterable[Overview]) -> Iterator[Difference]:
    old, new = _by("id", before), _by("id", after)
    for name in _names(old, new):
        if name not in old:
            rows = tuple(_row(*row) for row in _cells(new[name]).items())
            yield Difference(state=ADDED, kind="table", name=name, details=rows)
        elif name not in new:
            yield Difference(state=REMOVED, kind="table", name=name)
        elif details := tuple(_of_a_table(old[name], new[name])):
            yield Difference(state=CHANGED, kind="table", name=name, details=details)


def _of_a_table(old: Overview, new: Overview) -> Iterator[str]:
    """Yield the columns, rows and cells in which two tables differ."""
    for column in _names(dict.fromkeys(old["columns"]), dict.fromkeys(new["columns"])):
        if column not in old["columns"]:
            yield f"new column: {column}"
        elif column not in new["columns"]:
            yield f"no column any more: {column}"
    before, after = _cells(old), _cells(new)
    for name in _names(before, after):
        if name not in before:
            yield f"new row: {_row(name, after[name])}"
        elif name not in after:
            yield f"no row any more: {_row(name, before[name])}"
        else:
            for column, cell in after[name].items():
                was = before[name].get(column, cell)
                if was != cell:
                    yield f"{name}, {column}: {was} to {cell}"


def _cells(table: Overview) -> dict[str, dict[str, str]]:
    """Return the cells of *table* by the name of their row and by column; `-` is any."""
    place = table["columns"].index("row")
    return {
        row[place]: {
            column: cell or "-"
            for column, cell in zip(table["columns"], row, strict=True)
            if column != "row"
        }
        for row in table["rows"]
    }


def _row(name: str, cells: Mapping[str, str]) -> str:
    asked = ", ".join(f"{column} {cell}" for column, cell in cells.items() if cell != "-")
    return f"{name} ({asked})"


def _otherwise(kind: str, rule: Overview) -> str:
    refers = rule["otherwise"] == "refer"
    if kind == FUNDING_RULE:
        return f"otherwise the payout waits{' for a person' if refers else ''}"
    return "otherwise the deal is referred" if refers else "otherwise it is declined"


def _of_a_rule(old: Overview, new: Overview) -> Iterator[str]:
    if old["words"] != new["words"]:
        yield f"was: {old['words']}"
        yield f"now: {new['words']}"
    for key in _OF_A_RULE:
        same_words = key in ("when", "require") and old["words"] != new["words"]
        if old[key] != new[key] and not same_words:
            quote = '"' if key == "reason" else ""
            yield f"{key}: {quote}{old[key]}{quote} to {quote}{new[key]}{quote}"


def _products(before: Iterable[Overview], after: Iterable[Overview]) -> Iterator[Difference]:
    old, new = _by("key", before), _by("key", after)
    for key in _names(old, new):
        if key not in old:
            yield Difference(state=ADDED, kind="product", name=key, details=(new[key]["name"],))
        elif key not in new:
            yield Difference(state=REMOVED, kind="product", name=key)
        else:
            details = tuple(_of_a_product(old[key], new[key]))
            if details:
                yield Difference(state=CHANGED, kind="product", name=key, details=details)
            yield from _valued(f"fee of {key}", old[key]["fees"], new[key]["fees"])
            for kind, name in (("rule", "rules"), ("rule for each offer", "offer_rules")):
                yield from _rules(kind, old[key][name], new[key][name], f"{key}: ")
    yield from _moved("products", old, new, "their order")


def _of_a_product(old: Overview, new: Overview) -> Iterator[str]:
    for key in _OF_A_PRODUCT:
        if old[key] != new[key]:
            yield f"{key}: {_shown(old[key])} to {_shown(new[key])}"
    for kind in _names(old["calculators"], new["calculators"]):
        before, after = (side["calculators"].get(kind, {}) for side in (old, new))
        for name in _names(before, after):
            if before.get(name) != after.get(name):
                yield f"{kind} {name}: {_setting(before, name)} to {_setting(after, name)}"


def _setting(settings: Overview, name: str) -> str:
    return _shown(settings[name]) if name in settings else "nothing"
