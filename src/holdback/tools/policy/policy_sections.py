"""The sections of a policy document, as HTML, with a drawing of what holds when."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from html import escape
from itertools import groupby
from typing import Any, Final

from holdback.eligibility.assessment import FLOOR_PERCENT, MOST_PRINCIPAL
from holdback.eligibility.rule_sentences import Requirement
from holdback.errors import printable
from holdback.frozen_classes import frozen
from holdback.jurisdictions.jurisdiction import Jurisdiction
from holdback.jurisdictions.keys import DATED
from holdback.rulebooks.rulebook import FUNDING, Rulebook
from holdback.rules.render import in_words
from holdback.rules.types import draft_label
from holdback.rules.values import days_text
from holdback.tools.policy.policy import PolicyPage
from holdback.tools.policy.policy_document import (
    PolicyChange,
    ProductText,
    RuleText,
    changes_until,
    given_by,
    meaning,
    product_texts,
    rule_texts,
    sources,
    used_facts,
    used_figures,
)
from holdback.tools.policy.policy_html import capital, count, day_text, period_text, text
from holdback.tools.policy.policy_sentences import setting_sentences
from holdback.tools.workbench.overview import overview

# The outcomes in the order in which they are found, each with when it is the answer.
_OUTCOMES: Final = (
    ("Not assessed", f"the deal is less than {FLOOR_PERCENT}% paid down. No rule changes this."),
    ("Ineligible", "a rule that declines is not met."),
    ("Undetermined", "something that a rule needs is not known. It is asked for."),
    ("Referred", "a rule that refers is not met. A person looks at it."),
    ("Eligible", "every rule is met."),
)


def in_short(policy: PolicyPage) -> Iterator[str]:
    """Yield the policy in a few sentences."""
    rules = rule_texts(policy.jurisdiction, policy.rulebook)
    declining = sum(rule.declines for rule in rules)
    referring = len(rules) - declining
    floor = f"A deal can be renewed once <b>{FLOOR_PERCENT}%</b> of its repayment amount is paid"
    looked_at = f" {count(referring, 'more rule')} may send it to a person." if referring else ""
    yield f"<ul><li>{floor}, if it meets {count(declining, 'rule')}.{looked_at}</li>"
    for product in product_texts(policy.jurisdiction, policy.rulebook):
        limits = dict(product.terms)["limits"]
        yield f"<li><b>{text(product.name)}</b>: {text(product.description)} {text(limits)}</li>"
    if policy.next_change is not None:
        day = day_text(policy.next_change)
        yield f"<li>The next change comes into force on <b>{day}</b>.</li>"
    yield "</ul>"


def how_decided(_policy: PolicyPage) -> Iterator[str]:
    """Yield how rules become an answer."""
    yield "<p>A renewal is decided in this order; the first that applies is the answer.</p>"
    yield from _list((f"<b>{outcome}</b>: {when}" for outcome, when in _OUTCOMES), "ol")
    yield (
        "<p>What is not known never counts as met. An application for a product is declined where "
        "a rule is not met that declines. A person looks at it while a rule is not met that "
        "refers, or while something is not known. Otherwise it is accepted. A renewal has to meet "
        "both: the rules for renewals, and those of the product.</p>"
    )
    yield (
        "<p>The rules are in the order of their priority: a merchant who is declined reads the "
        f"reasons in this order, at most {MOST_PRINCIPAL} of them. In their sentences, words in "
        "[brackets] stand for the merchant's own figures.</p>"
    )


def renewals(policy: PolicyPage) -> Iterator[str]:
    """Yield the floor, the rules for renewals, and what is switched off."""
    yield (
        f'<div class="box"><p><b>The floor.</b> Before {FLOOR_PERCENT}% of the repayment amount is '
        "paid down, no deal is assessed. It is the same everywhere, and no rule lowers it."
        "</p></div>"
    )
    yield from _rules(policy, rule_texts(policy.jurisdiction, policy.rulebook))
    shown: Any = overview(policy.jurisdiction, policy.on)
    if shown["switched_off"]:
        yield f"<h3>What holds in {text(in_words(policy.names.values()))}, and not here</h3>"
        yield from _list(
            f"The {dropped['kind']} “{text(_spaced(dropped['name']))}”: {text(dropped['reason'])}"
            for dropped in shown["switched_off"]
        )


def products(policy: PolicyPage) -> Iterator[str]:
    """Yield the products, each with its terms and its rules, and what a payout needs."""
    for product in product_texts(policy.jurisdiction, policy.rulebook):
        yield from _product(policy, product)
    payouts = rule_texts(policy.jurisdiction, policy.rulebook, FUNDING)
    if payouts:
        yield "<h3>Payouts</h3><p>Before an accepted offer is paid out, these are looked at:</p>"
        yield from _list(
            f"<b>{text(rule.code)}</b> {text(rule.requirement.plain())} {rule.otherwise} "
            f'<span class="soft">{text(_origin(policy, rule))}</span>'
            for rule in payouts
        )


def _product(policy: PolicyPage, product: ProductText) -> Iterator[str]:
    yield f"<h3>{text(product.name)}</h3>"
    offered = f"Offered {period_text(product.since, product.until)}."
    yield f'<p>{text(product.description)} <span class="soft">{offered}</span></p>'
    yield from _list(text(sentence) for _, sentence in product.terms)
    yield "<p>Who may have it:</p>"
    yield from _rules(policy, product.rules)


def _rules(policy: PolicyPage, rules: Sequence[RuleText]) -> Iterator[str]:
    for rule in rules:
        kind = "otherwise" if rule.declines else "otherwise refer"
        otherwise = f'<span class="{kind}">{rule.otherwise}</span>'
        yield f'<article class="rule"><div class="code">{text(rule.code)}</div><div>'
        yield f"<h4>{text(rule.title)}</h4>"
        if rule.requirement.parts:
            yield f"<p>{text(rule.requirement.text)}</p>"
            yield from _parts(rule.requirement.parts)
            yield f"<p>{otherwise}</p>"
        else:
            yield f"<p>{text(rule.requirement.text)} {otherwise}</p>"
        reads = f'The merchant reads: <span class="quote">“{text(rule.merchant_reads)}”</span>'
        yield f'<p class="note">{reads} {text(_origin(policy, rule))}</p></div></article>'


def _parts(parts: Sequence[Requirement]) -> Iterator[str]:
    yield "<ul>"
    for part in parts:
        yield f"<li>{text(part.text)}"
        if part.parts:
            yield from _parts(part.parts)
        yield "</li>"
    yield "</ul>"


def _origin(policy: PolicyPage, rule: RuleText) -> str:
    above = ""
    if rule.inherited_from is not None:
        above = f", taken over from {policy.names.get(rule.inherited_from, rule.inherited_from)}"
    newer = ""
    if rule.figures_since is not None and rule.figures_since > rule.since:
        newer = f", with these figures since {day_text(rule.figures_since)}"
    period = period_text(rule.since, rule.until)
    return f"In force {period}{newer}{above}. Source: {rule.source}."


def figures(policy: PolicyPage) -> Iterator[str]:
    """Yield the figures that the rules use, as a table."""
    rulebook = policy.rulebook
    label = rulebook.catalogue.label
    used = used_figures(rulebook)
    if not used:
        return
    yield "<p>The figures that the rules use. Each can change on a day while its rule stays.</p>"
    yield from _table(
        ("Figure", "Value", "In force", "Used by", "Source"),
        (
            (
                text(capital(label(name))),
                f'<b class="figure">{text(_figure(rulebook, name))}</b>',
                _in_force(policy, name),
                text(", ".join(used[name])),
                text(rulebook.parameters[name].source or ""),
            )
            for name in sorted(used, key=lambda name: label(name).casefold())
        ),
    )


def _figure(rulebook: Rulebook, name: str) -> str:
    parameter = rulebook.parameters[name]
    return rulebook.renewal.show(parameter.type, parameter.number)


def _in_force(policy: PolicyPage, name: str) -> str:
    timeline = policy.jurisdiction.policy.parameters[name].timeline
    entry = timeline.entry_on(policy.rulebook.since)
    return "" if entry is None else period_text(entry.period.start, entry.period.end)


def timelines(policy: PolicyPage) -> Iterator[str]:
    """Yield the drawing of what holds when."""
    drawn = chart(policy.jurisdiction, policy.on)
    if not drawn.rows:
        yield "<p>Nothing changes: everything is in force from the first day on.</p>"
        return
    days = (policy.on,) if policy.to is None else (policy.on, policy.to)
    marked = f"The period of {day_text(policy.on)} is shaded"
    if policy.to is not None:
        marked += f", and that of {day_text(policy.to)}"
    yield '<div class="whole">'
    yield (
        "<p>Each column is a period that begins on the day above it; the widths do not show how "
        "long it lasts. What is not drawn is the same in all of them. "
        f"{marked}.</p>"
    )
    yield from drawing(drawn, days)
    yield "</div>"


def changes(policy: PolicyPage) -> Iterator[str]:
    """Yield what changes until the later day, where one is asked for."""
    if policy.to is None:
        return
    by_day = changes_until(policy.jurisdiction, policy.on, policy.to)
    if not by_day:
        yield f"<p>Nothing changes from {day_text(policy.on)} to {day_text(policy.to)}.</p>"
    for day, entries in by_day:
        yield f"<h3>On {day_text(day)}</h3>"
        for entry in entries:
            yield from _change(entry)


def _change(change: PolicyChange) -> Iterator[str]:
    kind = "new" if change.before is None else "ends" if change.after is None else "changes"
    about = f'<span class="soft">{text(change.group)}: {kind}</span>'
    yield f'<div class="change"><h4>{text(change.title)} {about}</h4>'
    if change.before is not None:
        yield f'<p class="was">{text(change.before)}</p>'
    if change.after is not None:
        yield f"<p>{text(change.after)}</p>"
    yield "</div>"


def terms(policy: PolicyPage) -> Iterator[str]:
    """Yield what the facts mean that rules and prices read."""
    yield '<dl class="terms">'
    for fact, used_by in used_facts(policy.rulebook):
        used = f"{given_by(fact, policy.rulebook)} Used by {in_words(used_by)}."
        yield f"<div><dt>{text(capital(policy.rulebook.catalogue.label(fact.name)))}</dt>"
        yield f'<dd>{text(meaning(fact))} <span class="soft">{text(used)}</span></dd></div>'
    yield "</dl>"


def service(policy: PolicyPage) -> Iterator[str]:
    """Yield the settings, and the checks as a table."""
    yield from _list(text(sentence) for _, sentence in setting_sentences(policy.rulebook))
    yield "<h3>Checks</h3>"
    label = policy.rulebook.catalogue.label
    yield from _table(
        ("Check", "What it says", "How long that is good", "Consent that it needs"),
        (
            (
                text(capital(_spaced(name))),
                text("; ".join(map(label, check.facts))),
                "for ever" if check.max_age_days is None else count(check.max_age_days, "day"),
                text(_spaced(check.consent or "none")),
            )
            for name, check in policy.rulebook.checks.items()
        ),
    )


def owner_and_sources(policy: PolicyPage) -> Iterator[str]:
    """Yield who answers for the rules, and where they come from."""
    rulebook = policy.rulebook
    yield (
        f"<p><b>{text(rulebook.owner)}</b> owns these rules, answers for them, and reviews them by "
        f"<b>{day_text(rulebook.review_by)}</b>.</p>"
    )
    by_source = sources(rulebook)
    yield from _table(
        ("Source", "What comes from it"),
        ((text(source), text(", ".join(named))) for source, named in by_source.items()),
    )


def _list(items: Iterable[str], tag: str = "ul") -> Iterator[str]:
    """Yield *items*, which are HTML, as a list."""
    yield f"<{tag}>"
    yield from (f"<li>{item}</li>" for item in items)
    yield f"</{tag}>"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield *rows* of cells, which are HTML, as a table."""
    row_of_heads = "".join(f"<th>{head}</th>" for head in heads)
    yield f'<div class="wide"><table><thead><tr>{row_of_heads}</tr></thead><tbody>'
    yield from (f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    yield "</tbody></table></div>"


def _spaced(name: str) -> str:
    return name.replace("-", " ").replace("_", " ")


# In units of the picture, which is as wide as the page.
_WIDTH: Final = 720
_NAMES: Final = 236
_LINE: Final = 20
_HEADING: Final = 22
_TOP: Final = 44
# Of a character, in tenths.
_CHARACTER: Final = 55
_INSET: Final = 5


def drawing(chart: Chart, days: tuple[date, ...]) -> Iterator[str]:
    """Yield the lines of the picture of *chart*, with the periods of *days* marked."""
    groups = [(group, list(rows)) for group, rows in groupby(chart.rows, lambda row: row.group)]
    height = _TOP + sum(_HEADING + _LINE * len(rows) for _, rows in groups) + 6
    label = "What holds when, period by period"
    size = f'viewBox="0 0 {_WIDTH} {height}"'
    yield f'<svg class="chart" {size} role="img" aria-label="{label}">'
    column = (_WIDTH - _NAMES) // len(chart.starts)
    yield from _periods(chart, days, column, height)
    top = _TOP
    for group, rows in groups:
        yield _text(0, top + 15, group, "group")
        top += _HEADING
        for row in rows:
            yield from _row(row, top, column)
            top += _LINE
    yield "</svg>"


def _periods(chart: Chart, days: tuple[date, ...], column: int, height: int) -> Iterator[str]:
    """The first day of each period, and the periods of the days that are marked."""
    marked = {chart.period_of(day) for day in days}
    for place, start in enumerate(chart.starts):
        left = _NAMES + place * column
        if place in marked:
            size = f'width="{column}" height="{height}"'
            yield f'<rect class="now" x="{left}" y="0" {size}/>'
        day, month, year = day_text(start).split(" ")
        yield _text(left + 4, 14, f"{day} {month[:3]}", "day")
        yield _text(left + 4, 27, year, "day")
        yield f'<path class="rule" d="M{left} 0V{height}"/>'


def _row(row: Row, top: int, column: int) -> Iterator[str]:
    yield _text(0, top + 14, _cut(row.name, _NAMES), "name", row.name)
    for bar in row.bars:
        yield from _bar(bar, top, column)


def _bar(bar: Bar, top: int, column: int) -> Iterator[str]:
    left = _NAMES + bar.first * column
    width = (bar.end - bar.first) * column
    box = f'x="{left + 1}" y="{top + 2}" width="{width - 2}" height="{_LINE - 4}" rx="2"'
    yield f'<rect class="bar" {box}><title>{_escaped(bar.text)}</title></rect>'
    yield _text(left + _INSET, top + 14, _cut(bar.text, width - 2 * _INSET), "value")


def _cut(text: str, width: int) -> str:
    """Return as much of *text* as fits into *width*."""
    most = width * 10 // _CHARACTER
    return text if len(text) <= most else f"{text[: max(0, most - 1)]}…"


def _text(left: int, base: int, text: str, kind: str, title: str | None = None) -> str:
    whole = "" if title is None or title == text else f"<title>{_escaped(title)}</title>"
    return f'<text class="{kind}" x="{left}" y="{base}">{_escaped(text)}{whole}</text>'


def _escaped(text: str) -> str:
    return escape(printable(text))


# -- What holds when: the versions of everything in a policy that changes, side by side.

IN_FORCE: Final = "in force"
OFFERED: Final = "offered"
# More periods than this do not fit next to each other on paper: the oldest are left out.
MOST_PERIODS: Final = 9


@frozen(kw_only=True)
class Bar:
    """A version: the numbers of its first period and of the one after it, and what holds."""

    first: int
    end: int
    text: str


@frozen(kw_only=True)
class Row:
    """The versions of something that changes; where it has none, it is not in force."""

    group: str
    name: str
    bars: tuple[Bar, ...]


@frozen(kw_only=True)
class Chart:
    """Periods, each from one day of `starts` to the next, and what changes between them."""

    starts: tuple[date, ...]
    rows: tuple[Row, ...]

    def period_of(self, day: date) -> int | None:
        """Return the number of the period of *day*; None before the first."""
        begun = [place for place, start in enumerate(self.starts) if start <= day]
        return begun[-1] if begun else None


# What a period has, by group and name: its version, as something to compare, and its text.
_Cells = dict[tuple[str, str], tuple[object, str]]


def chart(jurisdiction: Jurisdiction, on: date) -> Chart:
    """
    Return what changes in *jurisdiction*, period by period, with the period of the day *on*.

    What is the same in every period that is shown has no row.
    """
    rulebooks = list(jurisdiction.slices)
    cells = [_cells(jurisdiction, rulebook) for rulebook in rulebooks]
    shown = _shown(rulebooks, cells, on)
    chosen = [cells[place] for place in shown]
    names = dict.fromkeys(name for column in chosen for name in column)
    rows = []
    for group, name in sorted(names, key=_groups(names)):
        bars = tuple(_bars([column.get((group, name)) for column in chosen]))
        if len(bars) > 1 or bars[0].end - bars[0].first < len(chosen):
            rows.append(Row(group=group, name=name, bars=bars))
    return Chart(starts=tuple(rulebooks[place].since for place in shown), rows=tuple(rows))


def _groups(names: Iterable[tuple[str, str]]) -> Callable[[tuple[str, str]], int]:
    """Return the order of groups: a name that comes later joins the others of its group."""
    order = list(dict.fromkeys(group for group, _ in names))
    return lambda name: order.index(name[0])


def _shown(rulebooks: list[Rulebook], cells: list[_Cells], on: date) -> list[int]:
    """Return the numbers of the periods to show: those that differ from the one before."""
    distinct = [
        place for place, column in enumerate(cells) if place == 0 or column != cells[place - 1]
    ]
    now = max((place for place in distinct if rulebooks[place].since <= on), default=0)
    # The newest ones, but always the one of the day.
    start = min(distinct.index(now), max(0, len(distinct) - MOST_PERIODS))
    return distinct[start : start + MOST_PERIODS]


def _bars(column: list[tuple[object, str] | None]) -> Iterator[Bar]:
    """Yield a bar for each run of the same version; a version right after another one is new."""
    place, before = 0, ""
    for cell, run in groupby(column):
        length = len(list(run))
        if cell is not None:
            text = cell[1]
            said = f"{text}, changed" if text == before else text
            yield Bar(first=place, end=place + length, text=said)
        place, before = place + length, "" if cell is None else cell[1]


def _cells(jurisdiction: Jurisdiction, rulebook: Rulebook) -> _Cells:
    """Return everything in force by group and name, with its version and what to write for it."""
    cells: _Cells = {}
    for rule in rule_texts(jurisdiction, rulebook):
        cells["Rules for renewals", f"{rule.code}  {rule.title}"] = (rule.since, IN_FORCE)
    for terms in rulebook.products:
        cells["Products", terms.name] = (terms.origin.period.start, OFFERED)
        for rule in rule_texts(jurisdiction, rulebook, terms.key):
            cells[f"Rules for {terms.name}", f"{rule.code}  {rule.title}"] = (None, IN_FORCE)
    for rule in rule_texts(jurisdiction, rulebook, FUNDING):
        cells["Rules for payouts", f"{rule.code}  {rule.title}"] = (rule.since, IN_FORCE)
    for name in used_figures(rulebook):
        text = _figure(rulebook, name)
        cells["Figures", rulebook.catalogue.label(name)] = (text, text)
    dated = [name for name, _ in setting_sentences(rulebook) if name in DATED]
    for name in sorted(dated, key=_in_hours):
        number = getattr(rulebook, name)
        text = f"{number} hours" if _in_hours(name) else days_text(number) if number else "none"
        cells["Service terms", DATED[name].title or name] = (text, text)
    for name, check in rulebook.checks.items():
        if check.max_age_days is not None:
            text = days_text(check.max_age_days)
            title = f"Greatest age of the {draft_label(name)} check"
            cells["Service terms", title] = (text, text)
    return cells


def _in_hours(setting: str) -> bool:
    return setting.endswith("_hours")
