"""
What a policy document says of a jurisdiction on a day, as plain texts and dates.

Nothing in it names a file or shows an expression: it is for people who answer for the rules and do
not write them. `holdback show --format html` lays it out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, timedelta
from typing import Any, Final

from holdback.eligibility.facts import DEAL, DERIVED, MERCHANT
from holdback.eligibility.reasons import SERVICE_REASONS, template
from holdback.eligibility.rule_sentences import (
    Requirement,
    merchant_sentence,
    requirement,
    wording_of,
)
from holdback.eligibility.ruleset import DECLINE, Rule
from holdback.frozen_classes import frozen
from holdback.jurisdictions.jurisdiction import Jurisdiction
from holdback.jurisdictions.keys import DATED, DEALS, KEPT, NEVER, PROFILE, SAID
from holdback.jurisdictions.stated_claims import StatedClaim
from holdback.jurisdictions.timeline import Period
from holdback.lifecycle.configuration import MEMORY_DAYS
from holdback.lifecycle.forgetting import TAKINGS_DAYS
from holdback.rulebooks.product_terms import ProductTerms
from holdback.rulebooks.rulebook import FUNDING, CheckTerms, Rulebook, age_name
from holdback.rules import Fact, Kind
from holdback.rules.render import in_words, words_of
from holdback.rules.types import draft_label
from holdback.rules.values import days_text
from holdback.tools.policy.policy_sentences import (
    check_sentences,
    product_sentences,
    setting_sentences,
)
from holdback.tools.workbench.overview import PRICED_BY_TAKINGS, TAKINGS, calculators, overview

_PROGRESS: Final = "progress"
RENEWALS: Final = "Renewals"
PAYOUTS: Final = "Payouts"
SERVICE: Final = "Service terms and checks"
READS: Final = "What a declined merchant reads"
PEOPLE: Final = "Review, complaints and data"

# What is printed for a text that no file has.
NOT_STATED: Final = "not stated"

DECLINED: Final = "Otherwise it is declined."
LOOKED_AT: Final = "Otherwise a person looks at it."
_WAITS: Final = "Otherwise the payout waits."
_APPROVED: Final = "Otherwise the payout waits for a person."

_IN_THE_PROFILE: Final = (
    "what the merchant says of its applicants, its company and its bank account (nothing reads it)"
)

# Who gives the value of a fact, by its origin.
_GIVEN_BY: Final = {
    DEAL: "Worked out from the deal and its payments.",
    MERCHANT: "Worked out from the merchant's history.",
    DERIVED: "Worked out from the day of the check.",
}


@frozen(kw_only=True)
class RuleText:
    """
    A rule for readers: its title, what it requires, and what happens otherwise.

    `figures_since` is the first day of the newest figure in it; None without any. `figures_of` are
    the labels of the figures that another jurisdiction states than the rule, by its code.
    """

    code: str
    title: str
    requirement: Requirement
    declines: bool
    merchant_reads: str
    source: str
    since: date
    until: date | None
    figures_since: date | None
    inherited_from: str | None
    figures_of: Mapping[str, tuple[str, ...]]
    at_funding: bool = False

    @property
    def otherwise(self) -> str:
        """What a deal, or a payout, that does not meet it comes to."""
        if self.at_funding:
            return _WAITS if self.declines else _APPROVED
        return DECLINED if self.declines else LOOKED_AT


@frozen(kw_only=True)
class FigureText:
    """
    A figure for readers: its value since a day, and the codes of the rules that use it.

    `inherited_from` is the code of the jurisdiction above that states it; None for an own figure.
    """

    label: str
    value: str
    since: date
    until: date | None
    used_by: tuple[str, ...]
    source: str
    inherited_from: str | None


@frozen(kw_only=True)
class ProductText:
    """
    A product for readers: what it is, what is offered at which price, and who may have it.

    `inherited_from` is the code of the jurisdiction above that states it; None for an own one.
    """

    key: str
    name: str
    description: str
    terms: tuple[tuple[str, str], ...]
    rules: tuple[RuleText, ...]
    since: date
    until: date | None
    inherited_from: str | None


@frozen(kw_only=True)
class DataText:
    """
    A kind of data for readers: a check, or what the service keeps besides.

    `says` are its facts, each with whether a rule or a price reads it. `check` is None for what is
    not a check. `stated_by` is the code of the jurisdiction that says where it comes from; None
    where no file does.
    """

    name: str
    check: CheckTerms | None
    says: str
    obtained_from: str
    legal_basis: str
    consent: str
    kept: str
    stated_by: str | None


@frozen(kw_only=True)
class PolicyStatement:
    """A sentence of the policy, under the heading `group`; `key` says what it is about."""

    group: str
    key: str
    title: str
    text: str


@frozen(kw_only=True)
class PolicyChange:
    """How a statement changes: it is new, it ends, or it says something else."""

    group: str
    title: str
    before: str | None
    after: str | None


def rule_texts(
    jurisdiction: Jurisdiction, rulebook: Rulebook, of: str | None = None
) -> tuple[RuleText, ...]:
    """Return the rules of renewals, *of* a product by key, or of `FUNDING`, in their order."""
    rules = rulebook.rulesets[of].rules
    return tuple(_rule_text(jurisdiction, rulebook, rule, of) for rule in rules)


def _rule_text(
    jurisdiction: Jurisdiction, rulebook: Rulebook, rule: Rule, product: str | None
) -> RuleText:
    def is_in(rulebook: Rulebook) -> bool:
        rules = rulebook.rulesets.get(product)
        return rules is not None and rule.code in {in_force.code for in_force in rules.rules}

    figures = [jurisdiction.policy.parameters[name] for name in rule.checked.parameters]
    dated = (figure.timeline.entry_on(rulebook.since) for figure in figures)
    entries = [entry for entry in dated if entry is not None]
    origins = [rule.source, *(entry.source for entry in entries)]
    code, period = rule.origin.jurisdiction, _days(jurisdiction, rulebook, is_in)
    figures_of: dict[str, tuple[str, ...]] = {}
    for figure in figures:
        if figure.code != code:
            label = rulebook.catalogue.label(figure.name)
            figures_of[figure.code] = (*figures_of.get(figure.code, ()), label)
    return RuleText(
        code=rule.code,
        title=_title(rule.id),
        requirement=requirement(rule, rulebook.renewal),
        declines=rule.otherwise == DECLINE,
        merchant_reads=merchant_sentence(rule, rulebook.renewal),
        source="; ".join(dict.fromkeys(origins)),
        since=period.start,
        until=period.end,
        figures_since=max((entry.period.start for entry in entries), default=None),
        inherited_from=None if code == jurisdiction.code else code,
        figures_of=figures_of,
        at_funding=product == FUNDING,
    )


def product_texts(jurisdiction: Jurisdiction, rulebook: Rulebook) -> tuple[ProductText, ...]:
    """Return the products offered, in order."""
    return tuple(_product_text(jurisdiction, rulebook, terms) for terms in rulebook.products)


def _product_text(
    jurisdiction: Jurisdiction, rulebook: Rulebook, terms: ProductTerms
) -> ProductText:
    def is_in(rulebook: Rulebook) -> bool:
        return terms.key in {offered.key for offered in rulebook.products}

    period = _days(jurisdiction, rulebook, is_in)
    code = _folder(terms.origin.table.node.document.file)
    return ProductText(
        key=terms.key,
        name=terms.name,
        description=terms.description,
        terms=tuple(product_sentences(terms, rulebook)),
        rules=rule_texts(jurisdiction, rulebook, terms.key),
        since=period.start,
        until=period.end,
        inherited_from=None if code == jurisdiction.code else code,
    )


def _days(
    jurisdiction: Jurisdiction, rulebook: Rulebook, is_in: Callable[[Rulebook], bool]
) -> Period:
    """Return the days around *rulebook* in which something *is_in* every rulebook."""
    slices = jurisdiction.slices
    place = jurisdiction.changes.index(rulebook.since)
    first = max((at + 1 for at in range(place) if not is_in(slices[at])), default=0)
    ends = (after.since for after in slices[place:] if not is_in(after))
    return Period(slices[first].since, next(ends, None))


def used_figures(rulebook: Rulebook) -> dict[str, list[str]]:
    """Return the parameters in force that some rule reads, each with the codes of these rules."""
    used = {
        name: dict.fromkeys(rule.code for rule in rulebook.all_rules if name in rule.origin.names)
        for name in rulebook.parameters
    }
    return {name: list(codes) for name, codes in used.items() if codes}


def figure_texts(jurisdiction: Jurisdiction, rulebook: Rulebook) -> Iterator[FigureText]:
    """Yield the figures in force that some rule reads, in the order of their labels."""
    label, used = rulebook.catalogue.label, used_figures(rulebook)
    for name in sorted(used, key=lambda name: label(name).casefold()):
        parameter, written = rulebook.parameters[name], jurisdiction.policy.parameters[name]
        entry = written.timeline.entry_on(rulebook.since)
        assert entry is not None, "a rulebook has only what is in force"
        yield FigureText(
            label=label(name),
            value=rulebook.renewal.show(parameter.type, parameter.number),
            since=entry.period.start,
            until=entry.period.end,
            used_by=tuple(used[name]),
            source=entry.source,
            inherited_from=None if written.code == jurisdiction.code else written.code,
        )


def data_texts(jurisdiction: Jurisdiction, rulebook: Rulebook) -> Iterator[DataText]:
    """Yield the kinds of data that the service has of a merchant."""
    label = rulebook.catalogue.label
    kinds = {name: [*check.facts] for name, check in rulebook.checks.items()}
    kinds |= {kind: [] for kind in KEPT}
    given_by = {fact: kind for kind, facts in kinds.items() for fact in facts}
    given_by |= {age_name(name): name for name in rulebook.checks}
    used = [fact.name for fact, _ in used_facts(rulebook)]
    for name in used:
        facts = kinds[given_by.get(name, DEALS)]
        facts += [] if name in facts else [name]
    for name, facts in kinds.items():
        check, text = rulebook.checks.get(name), jurisdiction.details.data.get(name)
        says = (label(fact) + ("" if fact in used else " (nothing reads it)") for fact in facts)
        asked = rulebook.consents if name == PROFILE else ()
        if check is not None and check.consent is not None:
            asked = (check.consent,)
        yield DataText(
            name=draft_label(name),
            check=check,
            says=_IN_THE_PROFILE if name == PROFILE else "; ".join(says) or "nothing is read of it",
            obtained_from=(text and text.obtained_from) or NOT_STATED,
            legal_basis=(text and text.legal_basis) or NOT_STATED,
            consent=in_words([draft_label(consent) for consent in asked]) if asked else "none",
            kept=_kept(name, rulebook),
            stated_by=None if text is None else _folder(text.node.document.file),
        )


def _kept(name: str, rulebook: Rulebook) -> str:
    """Return how long the data of a kind are kept (decisions/documents)."""
    if name == PROFILE:
        days = days_text(rulebook.retain_profile_days)
        return f"{days} after the end of the last deal"
    if name == DEALS:
        return (
            "what a deal came to: for ever; its single payments, and applications: "
            f"{MEMORY_DAYS} days, unless the service chooses another time"
        )
    takings = f"; the newest {TAKINGS_DAYS} days of takings" if name == "takings" else ""
    return f"until the profile is erased{takings}"


def stated_by(jurisdiction: Jurisdiction, rulebook: Rulebook) -> dict[str, str]:
    """Return the codes of the jurisdictions that state settings and checks, by their names."""
    shown: Any = overview(jurisdiction, rulebook.since)
    lines = {line["name"]: line["file"] for line in shown["settings"]}
    lines |= {f"{line['name']}_check": line["file"] for line in shown["checks"]}
    return {name: _folder(file) for name, file in lines.items()}


def _folder(file: str) -> str:
    """Return the code of the jurisdiction that has *file*: it is in the folder of that name."""
    return file.split("/")[-2]


def used_facts(rulebook: Rulebook) -> Iterator[tuple[Fact, list[str]]]:
    """Yield the facts that some rule or price reads, in the order of their labels, and by what."""
    read = _read_otherwise(rulebook)
    label = rulebook.catalogue.label
    for fact in sorted(rulebook.catalogue.facts, key=lambda fact: label(fact.name).casefold()):
        rules = [rule.code for rule in rulebook.all_rules if fact.name in rule.origin.names]
        used_by = list(dict.fromkeys([*rules, *read.get(fact.name, [])]))
        if used_by:
            yield fact, used_by


def given_by(fact: Fact, rulebook: Rulebook) -> str:
    """Return who gives the value of *fact*, in a sentence."""
    checks = {name: check for check, terms in rulebook.checks.items() for name in terms.facts}
    spaced = draft_label(checks.get(fact.name, fact.name))
    return _GIVEN_BY.get(fact.origin, f"Comes from the {spaced} check.")


def meaning(fact: Fact) -> str:
    """Return what *fact* means, and which values a text can have."""
    # Names in a description have no underscores for readers.
    quoted = re.sub("`([^`]+)`", lambda match: f"“{draft_label(match[1])}”", fact.description)
    if fact.type.kind is not Kind.TEXT:
        return quoted
    *first, last = fact.type.options
    return f"{quoted} It is {', '.join(first)} or {last}."


def _read_otherwise(rulebook: Rulebook) -> dict[str, list[str]]:
    """Return the facts that the floor and prices read, each with what reads it."""
    read = {_PROGRESS: ["the floor"]}
    for terms in rulebook.products:
        for kind, settings in calculators(terms).items():
            names = [settings["on"]] if settings.get("on") is not None else []
            names += [TAKINGS] if f"{kind}/{settings['calculator']}" in PRICED_BY_TAKINGS else []
            for name in names:
                read.setdefault(name, []).append(f"the terms of “{terms.name}”")
    return read


def _title(name: str) -> str:
    spaced = name.replace("-", " ")
    return spaced[:1].upper() + spaced[1:]


def sources(jurisdiction: Jurisdiction, rulebook: Rulebook) -> dict[str, list[str]]:
    """Return every source of a rule, a figure, a setting or a fee, with what comes from it."""
    listed: dict[str, list[str]] = {}
    for rule in rulebook.all_rules:
        listed.setdefault(rule.source, []).append(rule.code)
    for name in used_figures(rulebook):
        source = rulebook.parameters[name].source or ""
        listed.setdefault(source, []).append(rulebook.catalogue.label(name))
    for name, source in _sources_of_settings(jurisdiction, rulebook):
        listed.setdefault(source, []).append(name)
    return {source: list(dict.fromkeys(entries)) for source, entries in listed.items()}


def _sources_of_settings(
    jurisdiction: Jurisdiction, rulebook: Rulebook
) -> Iterator[tuple[str, str]]:
    """Yield what a setting, the age of a check or a fee is called, and its source."""
    shown: Any = overview(jurisdiction, rulebook.since)
    for line in shown["settings"]:
        if "source" in line:
            yield (DATED[line["name"]].title or line["name"]).lower(), line["source"]
    for line in shown["checks"]:
        if "source" in line:
            yield f"greatest age of the {draft_label(line['name'])} check", line["source"]
    for product in shown["products"]:
        for fee in product["fees"]:
            yield f"the fee {draft_label(fee['name'])} of “{product['name']}”", fee["source"]


def statements(jurisdiction: Jurisdiction, rulebook: Rulebook) -> Iterator[PolicyStatement]:
    """Yield every sentence of the policy that can change, under the headings of the document."""

    def of_rules(group: str, rules: tuple[RuleText, ...]) -> Iterator[PolicyStatement]:
        for rule in rules:
            required = rule.requirement.plain().rstrip(".")
            text = f"{required}. {rule.otherwise} The merchant reads: “{rule.merchant_reads}”"
            title = f"{rule.code} {rule.title}"
            # A rule that replaces another has its id, and so its title, and a code of its own.
            yield PolicyStatement(group=group, key=f"{group} {rule.title}", title=title, text=text)

    yield from of_rules(RENEWALS, rule_texts(jurisdiction, rulebook))
    for product in product_texts(jurisdiction, rulebook):
        for name, sentence in (("", product.description), *product.terms):
            title = _title(name.replace("_", "-")) if name else product.name
            key = f"{product.key} {name}"
            yield PolicyStatement(group=product.name, key=key, title=title, text=sentence)
        yield from of_rules(product.name, product.rules)
    yield from of_rules(PAYOUTS, rule_texts(jurisdiction, rulebook, FUNDING))
    checks = ((f"{name}_check", sentence) for name, sentence in check_sentences(rulebook))
    for name, sentence in (*setting_sentences(rulebook), *checks):
        title = _title(name.replace("_", "-"))
        yield PolicyStatement(group=SERVICE, key=f"{SERVICE} {name}", title=title, text=sentence)
    for code in SERVICE_REASONS:
        said = f"“{template(rulebook.renewal, code)}”"
        yield PolicyStatement(group=READS, key=f"{READS} {code}", title=code, text=said)
    for name, title, said in people_texts(jurisdiction):
        yield PolicyStatement(group=PEOPLE, key=f"{PEOPLE} {name}", title=title, text=said)
    for data in data_texts(jurisdiction, rulebook):
        text = f"It comes from: {data.obtained_from}. Legal basis: {data.legal_basis}."
        key, title = f"{PEOPLE} {data.name}", _title(f"data: {data.name}")
        yield PolicyStatement(group=PEOPLE, key=key, title=title, text=text)


def people_texts(jurisdiction: Jurisdiction) -> Iterator[tuple[str, str, str]]:
    """Yield who reviews and how a merchant complains: the key, its title, and what is stated."""
    for name, row in SAID.items():
        yield name, row.title or name, jurisdiction.details.fixed[name] or NOT_STATED


def changes_until(
    jurisdiction: Jurisdiction, on: date, until: date
) -> tuple[tuple[date, tuple[PolicyChange, ...]], ...]:
    """Return the days after *on*, up to *until*, on which a statement changes, each with how."""
    days = [day for day in jurisdiction.changes if on < day <= until]
    by_day = ((day, tuple(_changes(jurisdiction, day))) for day in days)
    return tuple((day, changes) for day, changes in by_day if changes)


def _changes(jurisdiction: Jurisdiction, day: date) -> Iterator[PolicyChange]:
    before, after = (
        statements(jurisdiction, jurisdiction.rulebook(on)) for on in (day - timedelta(days=1), day)
    )
    yield from _compared(before, after)


def differences_from(
    parent: Jurisdiction, jurisdiction: Jurisdiction, rulebook: Rulebook
) -> tuple[PolicyChange, ...]:
    """
    Return what *jurisdiction* says otherwise than *parent* on the first day of *rulebook*.

    Of a product that only one of them offers it is the name and the description.
    """
    if rulebook.since < parent.changes[0]:
        return ()
    there = parent.rulebook(rulebook.since)
    offered, offered_here = ({terms.name for terms in it.products} for it in (there, rulebook))
    # Figures as here: how a country writes numbers does not count.
    renewal = there.renewal.altered(figures=rulebook.renewal.figures)
    above = statements(parent, there.altered(renewal=renewal))
    return tuple(
        change
        for change in _compared(above, statements(jurisdiction, rulebook))
        if change.group not in offered ^ offered_here or change.title == change.group
    )


def _compared(
    first: Iterable[PolicyStatement], second: Iterable[PolicyStatement]
) -> Iterator[PolicyChange]:
    before, after = ({said.key: said for said in said_then} for said_then in (first, second))
    for key in dict.fromkeys((*before, *after)):
        old, new = before.get(key), after.get(key)
        about: Any = new or old
        was, now = (None if said is None else said.text for said in (old, new))
        if was != now:
            yield PolicyChange(group=about.group, title=about.title, before=was, after=now)


def claim_sentence(claim: StatedClaim, rulebook: Rulebook, parent: str) -> str:
    """Return what *claim* says of the deals of *rulebook*; *parent* names the policy above it."""
    names = {terms.key: terms.name for terms in rulebook.products}
    who = "A deal that can be renewed"
    if claim.product == FUNDING:
        who = "A merchant who is paid out"
    elif claim.product is not None:
        who = f"A merchant who may have {names.get(claim.product, claim.product)}"
    if claim.tree is None:
        return f"{who} here could under the policy of {parent} too."
    checked = claim.checked(rulebook.catalogue)
    rules = rulebook.renewal.altered(catalogue=checked.catalogue)
    said = words_of(checked.tree, wording_of(rules))
    if claim.is_about_offers(rulebook.catalogue):
        offered = f"offer of {names.get(str(claim.product), claim.product)}"
        never, always = f"No {offered} is made", f"An {offered} is made only"
        return f"{never if claim.kind == NEVER else always} where {said}."
    if claim.kind == NEVER:
        return f"{who} is never one where {said}."
    return f"{who} is always one where {said}."
