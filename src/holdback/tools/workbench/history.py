"""Every version of a rule, a parameter, a product or a dated setting; what children do to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from typing import Final

from attrs import evolve, field

from holdback.errors import ConfigurationError, did_you_mean, excerpt
from holdback.exact.exact_json import Json, write_json
from holdback.frozen_classes import frozen
from holdback.jurisdictions.jurisdiction import Jurisdiction, Jurisdictions
from holdback.jurisdictions.keys import DATED, TABLE_OF_TIERS
from holdback.jurisdictions.overlay import Policy
from holdback.jurisdictions.source_rules import SourceRule
from holdback.jurisdictions.timeline import Period
from holdback.jurisdictions.toml import Node
from holdback.rulebooks.product_terms import ProductTerms
from holdback.rulebooks.rulebook import FUNDING, Rulebook
from holdback.tools.plain_values import plain_values
from holdback.tools.workbench.overview import calculators, fee_words, in_words

RULE: Final = "rule"
PARAMETER: Final = "parameter"
PRODUCT: Final = "product"
SETTING: Final = "setting"

IN_FORCE: Final = "in force"
SWITCHED_OFF: Final = "switched off"

# What a child does to something of its parent.
INHERITED: Final = "inherited"
OTHER_VALUES: Final = "inherited, with other values"
REPLACED: Final = "replaced"


@frozen(kw_only=True)
class Lines:
    """Lines of a file, both ends included, and `what` is written there."""

    what: str
    file: str
    first: int
    last: int


@frozen(kw_only=True)
class Version:
    """
    What held of something from the day `since` to the day before `until`.

    `state` says whether it was in force; `jurisdiction` is the folder that says so. `words` are the
    rule in words, a value, what a product is, or why it is switched off. `code` is that of a rule.
    """

    since: date
    until: date | None = None
    state: str = IN_FORCE
    jurisdiction: str
    code: str | None = None
    words: str
    details: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    lines: tuple[Lines, ...] = ()

    def plain(self) -> dict[str, Json]:
        """Return the version as plain values."""
        return plain_values(self)


@frozen(kw_only=True)
class Stretch:
    """What a child does to something of its parent, from the day `since` on: see `INHERITED`."""

    since: date
    until: date | None
    relation: str
    version: Version

    def plain(self) -> dict[str, Json]:
        """Return it as plain values."""
        of_version = plain_values(self.version, "code", "words", "sources")
        return {**plain_values(self, "since", "until", "relation"), **of_version}


@frozen(kw_only=True)
class HistorySubject:
    """What a history is about; `product` is the key of the product to which a rule belongs."""

    kind: str
    name: str
    product: str | None = None


@frozen(kw_only=True)
class VersionHistory:
    """The versions of a subject in a jurisdiction, and what each of its children does to them."""

    subject: HistorySubject
    label: str | None
    versions: tuple[Version, ...]
    children: tuple[tuple[str, tuple[Stretch, ...]], ...] = field(default=())

    def plain(self) -> dict[str, Json]:
        """Return the history as plain values."""
        shown = plain_values(self, "label", "versions", "children")
        return {**plain_values(self.subject), **shown, "children": dict(shown["children"])}


def histories(
    jurisdictions: Jurisdictions, jurisdiction: Jurisdiction, name: str
) -> tuple[VersionHistory, ...]:
    """
    Return the history of everything in *jurisdiction* with this *name*, which may be a rule's code.

    Rules of two products may share an id, so there can be more than one. *jurisdictions* are those
    among which its children are.

    Raises:
        ConfigurationError: when nothing has this name.
    """
    subjects = [subject for names, subject in _subjects(jurisdiction) if name in names]
    if not subjects:
        raise _unknown(jurisdiction, name)
    return tuple(
        _history(jurisdictions, jurisdiction, subject) for subject in dict.fromkeys(subjects)
    )


def _subjects(jurisdiction: Jurisdiction) -> Iterator[tuple[tuple[str, ...], HistorySubject]]:
    """Yield everything that has versions, with the names by which it can be asked for."""
    policy = jurisdiction.policy
    for product_key, rules in ((None, policy.rules), (FUNDING, policy.funding)):
        for rule in rules:
            subject = HistorySubject(kind=RULE, name=rule.id, product=product_key)
            yield (rule.id, rule.code), subject
    for name in policy.parameters:
        yield (name,), HistorySubject(kind=PARAMETER, name=name)
    for product in policy.products:
        yield (product.key,), HistorySubject(kind=PRODUCT, name=product.key)
        for rule in policy.rules_of(product):
            subject = HistorySubject(kind=RULE, name=rule.id, product=product.key)
            yield (rule.id, rule.code), subject
    for name in jurisdiction.details.timelines:
        yield (name,), HistorySubject(kind=SETTING, name=name)


def _unknown(jurisdiction: Jurisdiction, name: str) -> ConfigurationError:
    listed = [listed for names, _ in _subjects(jurisdiction) for listed in names]
    hint = did_you_mean(name, dict.fromkeys(listed))
    message = f"{jurisdiction.code} has nothing by the name `{excerpt(name)}`"
    return ConfigurationError.of(
        "unknown_name",
        message,
        hint=hint or "name a rule by its id or code, a parameter, a product or a dated setting",
    )


def _history(
    jurisdictions: Jurisdictions, jurisdiction: Jurisdiction, subject: HistorySubject
) -> VersionHistory:
    """
    Return the versions of *subject* in *jurisdiction*, and what each descendant makes of them.

    A descendant is a child, a child of a child, and so on: all whose layers contain *jurisdiction*.
    """
    versions = _versions(jurisdiction, subject)
    descendants = [
        (child.code, tuple(_stretches(jurisdiction, child, subject, versions)))
        for child in jurisdictions
        if jurisdiction.code in [layer.code for layer in child.policy.layers[:-1]]
    ]
    label = None
    if subject.kind == PARAMETER:
        label = jurisdiction.policy.parameters[subject.name].label
    return VersionHistory(
        subject=subject, label=label, versions=versions, children=tuple(descendants)
    )


def _versions(jurisdiction: Jurisdiction, subject: HistorySubject) -> tuple[Version, ...]:
    """Return the versions of *subject*, each as long as nothing about it changes."""
    on = _READERS[subject.kind]
    slices = jurisdiction.slices
    ends = [*(rulebook.since for rulebook in slices[1:]), None]
    versions: list[Version] = []
    for rulebook, until in zip(slices, ends, strict=True):
        version = on(jurisdiction, rulebook, subject) or _switched_off(
            jurisdiction, rulebook.since, subject
        )
        if version is None:
            continue
        version = evolve(version, until=until)
        if versions and _continues(versions[-1], version):
            versions[-1] = evolve(versions[-1], until=until)
        else:
            versions.append(version)
    return tuple(versions)


def _continues(before: Version, after: Version) -> bool:
    return before.until == after.since and before == evolve(
        after, since=before.since, until=before.until
    )


def _rule(
    jurisdiction: Jurisdiction, rulebook: Rulebook, subject: HistorySubject
) -> Version | None:
    rules = rulebook.rulesets.get(subject.product)
    rule = next((rule for rule in rules.rules if rule.id == subject.name), None) if rules else None
    if rule is None:
        return None
    origin: SourceRule = rule.origin
    entries = [
        (name, jurisdiction.policy.parameters[name].timeline.entry_on(rulebook.since))
        for name in sorted(origin.names & rulebook.parameters.keys())
    ]
    in_force = [(name, entry) for name, entry in entries if entry is not None]
    sources = (rule.source, *(entry.source for _, entry in in_force))
    lines = [_lines("the rule", origin.table.node)]
    lines += [_lines(name, entry.node) for name, entry in in_force if entry.node is not None]
    return Version(
        since=rulebook.since,
        jurisdiction=origin.jurisdiction,
        code=rule.code,
        words=in_words(rule, rulebook.catalogue),
        details=(f"otherwise: {rule.otherwise}", f"says: {rule.reason}"),
        sources=tuple(dict.fromkeys(sources)),
        lines=tuple(lines),
    )


def _parameter(
    jurisdiction: Jurisdiction, rulebook: Rulebook, subject: HistorySubject
) -> Version | None:
    parameter = rulebook.parameters.get(subject.name)
    source = jurisdiction.policy.parameters[subject.name]
    entry = source.timeline.entry_on(rulebook.since)
    if parameter is None or entry is None or entry.node is None:
        return None
    return Version(
        since=rulebook.since,
        jurisdiction=source.code,
        words=parameter.type.show(parameter.number),
        sources=(entry.source,),
        lines=(_lines("the value", entry.node),),
    )


def _setting(
    jurisdiction: Jurisdiction, rulebook: Rulebook, subject: HistorySubject
) -> Version | None:
    assert subject.name in DATED, "only dated settings have timelines"
    entry = jurisdiction.details.timelines[subject.name][1].entry_on(rulebook.since)
    if entry is None or entry.node is None:
        return None
    return Version(
        since=rulebook.since,
        jurisdiction=_folder(jurisdiction.policy, entry.node),
        words=str(entry.value),
        sources=(entry.source,),
        lines=(_lines("the value", entry.node),),
    )


def _product(
    jurisdiction: Jurisdiction, rulebook: Rulebook, subject: HistorySubject
) -> Version | None:
    terms = rulebook.product(subject.name)
    if terms is None:
        return None
    node = terms.origin.table.node
    return Version(
        since=rulebook.since,
        jurisdiction=_folder(jurisdiction.policy, node),
        words=f"{terms.name}: {terms.description}",
        details=tuple(_product_terms(terms)),
        lines=(_lines("the product", node),),
    )


def _product_terms(terms: ProductTerms) -> Iterator[str]:
    """Yield what is offered and how it is priced, a line each."""
    shares = ", ".join(terms.origin.table["amounts"].value)
    yield f"amounts: {shares} of the maximum"
    for kind, settings in calculators(terms).items():
        yield f"{kind}: {write_json(settings)}"
    for choice in terms.calculators:
        # A product whose table changes has another version.
        for name, row in {} if choice.table is None else choice.table["rows"].items():
            where = " and ".join(row["when"].values())
            yield f"{choice.kind} of {name}: {row['result']}{where and f' where {where}'}"
    yield f"renewal: {terms.renewal}"
    for fee in terms.fees:
        yield f"fee: {fee.key}, {fee_words(fee)}"
    for rule in terms.offer_rules:
        yield f"each offer: {rule.code}, {rule.require}"


def _switched_off(jurisdiction: Jurisdiction, day: date, subject: HistorySubject) -> Version | None:
    """Return why *subject* is not in force on *day*: dropped, or its table replaced; else None."""
    layers, product = jurisdiction.policy.layers, subject.product
    by_id = product is None or any(
        rule.id == subject.name and rule.is_shared_by(product)
        for layer in layers
        for rule in layer.shared
    )
    names = {
        (subject.kind, subject.name, place) for place in ((None,) if by_id else ()) + (product,)
    }
    rows = [] if subject.kind != RULE else _rows(jurisdiction.policy, day, subject)
    names |= {(TABLE_OF_TIERS, row.of_table or "", None) for row in rows}
    for layer in reversed(layers):
        version = Version(since=day, state=SWITCHED_OFF, jurisdiction=layer.code, words="")
        for switch_off in layer.switched_off:
            same = (switch_off.kind, switch_off.name, switch_off.product) in names
            if same and day in switch_off.period:
                lines = (_lines("the reason", switch_off.node),)
                return evolve(version, words=switch_off.reason, lines=lines)
        for table in layer.tables:
            is_one = table.id in {row.of_table for row in rows if row.jurisdiction != layer.code}
            if is_one and day in table.period and table.is_of(product):
                words = f"by the table `{table.id}` of {layer.code}, which has no such row"
                lines = (_lines("the table", table.table.node),)
                return evolve(version, state=REPLACED, words=words, lines=lines)
    return None


def _rows(policy: Policy, day: date, subject: HistorySubject) -> list[SourceRule]:
    """Return the rules of the *subject* that are rows of tables which folders have on *day*."""
    rules = (rule for layer in policy.layers for rule in layer.all_rules)
    named = (rule for rule in rules if rule.id == subject.name and rule.of_table is not None)
    return [rule for rule in named if day in rule.period]


_READERS: Final[dict[str, Callable[[Jurisdiction, Rulebook, HistorySubject], Version | None]]] = {
    RULE: _rule,
    PARAMETER: _parameter,
    PRODUCT: _product,
    SETTING: _setting,
}


def _stretches(
    parent: Jurisdiction,
    child: Jurisdiction,
    subject: HistorySubject,
    versions: tuple[Version, ...],
) -> Iterator[Stretch]:
    """Yield what *child* does to the *versions* of its parent, merged while it does the same."""
    elder = {layer.code for layer in parent.policy.layers}
    current: Stretch | None = None
    for version in _versions(child, subject):
        relation = _relation(version, elder, versions)
        stretch = Stretch(
            since=version.since, until=version.until, relation=relation, version=version
        )
        if (
            current is not None
            and current.until == stretch.since
            and current.relation == relation == INHERITED
        ):
            current = evolve(current, until=stretch.until)
            continue
        if current is not None:
            yield current
        current = stretch
    if current is not None:
        yield current


def _relation(version: Version, elder: set[str], versions: tuple[Version, ...]) -> str:
    if version.jurisdiction not in elder:
        return SWITCHED_OFF if version.state == SWITCHED_OFF else REPLACED
    same_day = [
        elder_version.words
        for elder_version in versions
        if version.since in Period(elder_version.since, elder_version.until)
    ]
    return INHERITED if version.words in same_day else OTHER_VALUES


def _folder(policy: Policy, node: Node) -> str:
    """Return the code of the folder in which *node* is written."""
    folder = node.document.file.rpartition("/")[0].rpartition("/")[2]
    return folder if folder in [layer.code for layer in policy.layers] else policy.code


def _lines(what: str, node: Node) -> Lines:
    first = node.line or 1
    return Lines(what=what, file=node.document.file, first=first, last=node.last_line or first)
