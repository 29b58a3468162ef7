"""The sections of a policy document, as HTML."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from holdback.eligibility.assessment import FLOOR_PERCENT, MOST_PRINCIPAL
from holdback.eligibility.reasons import (
    AFFORDABILITY,
    ENDED,
    FLOOR_CODE,
    LIMIT,
    PERSON,
    REVIEW,
    SETTLEMENT,
    template,
)
from holdback.eligibility.rule_sentences import Requirement
from holdback.eligibility.ruleset import PLACEHOLDER
from holdback.jurisdictions.source_tables import ANY, column_words
from holdback.rulebooks.rulebook import FUNDING, CheckTerms
from holdback.rules.render import in_words
from holdback.rules.values import days_text
from holdback.tools.policy.policy import PolicyPage
from holdback.tools.policy.policy_document import (
    PolicyChange,
    ProductText,
    RuleText,
    changes_until,
    data_texts,
    differences_from,
    figure_texts,
    given_by,
    meaning,
    people_texts,
    product_texts,
    rule_texts,
    sources,
    stated_by,
    used_facts,
)
from holdback.tools.policy.policy_html import capital, count, day_text, period_text, text
from holdback.tools.policy.policy_periods import versions_by_period
from holdback.tools.policy.policy_sentences import setting_sentences
from holdback.tools.policy.worked_examples import OFFER_HEADS, costs_in_money
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
    recently = policy.rulebook.recently_active_days
    floor = f"A deal can be renewed once <b>{FLOOR_PERCENT}%</b> of its repayment amount is paid"
    looked_at = f" {count(referring, 'more rule')} may send it to a person." if referring else ""
    rules_met = f"{count(declining, 'rule')} for renewals and the rules of the product"
    renewed = f" A deal that was repaid can be renewed for {days_text(recently)}."
    yield f"<ul><li>{floor}, if it meets {rules_met}.{looked_at}{renewed}</li>"
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
        "refers, or while something is not known. Otherwise it is priced: it is accepted with its "
        "offers, and declined where no offer fits. A renewal has to meet both: the rules for "
        "renewals, and those of the product.</p>"
    )


def who_decides(policy: PolicyPage) -> Iterator[str]:
    """Yield whether a machine alone decides, who reviews, and how a merchant complains."""
    referring = [
        f"{text(rule.code)} {text(rule.title)}"
        for ruleset in policy.rulebook.rulesets
        for rule in rule_texts(policy.jurisdiction, policy.rulebook, ruleset)
        if not rule.declines
    ]
    rules = f"one of these rules is not met: {in_words(referring)}; where " if referring else ""
    approval = days_text(policy.rulebook.approval_days)
    yield (
        "<p><b>A machine alone</b> accepts an application, or a renewal, that meets every rule, "
        "and declines one that does not meet a rule that declines, or for which no offer fits.</p>"
        f"<p><b>A person decides</b> where {rules}something is not known, where a consent is "
        "missing, and where somebody has put the merchant on hold. A person may approve what is "
        f"referred because of a rule; the approval is good for {approval}. Nobody can approve "
        "against a rule that declines, or below the floor: a second look can find that a fact or "
        "the result of a check is wrong. Once a newer result or a correction is recorded and the "
        "merchant applies again, the rules decide anew.</p>"
    )
    stated = stated_by(policy.jurisdiction, policy.rulebook)
    yield from _table(
        ("Question", "Answer"),
        (
            (text(title), text(said) + _above(policy, stated.get(name)))
            for name, title, said in people_texts(policy.jurisdiction)
        ),
    )


# When a merchant reads one of the service's own reasons, by its code.
_READ_WHEN: Final = {
    FLOOR_CODE: f"Less than {FLOOR_PERCENT}% of the deal is paid down.",
    LIMIT: "The rules are met, and the limit for this merchant is below the least amount.",
    SETTLEMENT: "The rules are met, and the balance of the current deal takes up the whole limit.",
    AFFORDABILITY: "The rules are met, and no amount would be repaid in the longest term.",
    PERSON: "A person declined the application.",
    ENDED: "The deal that a renewal waited for ended early, and the renewal with it.",
    REVIEW: "Something is not known, a consent is missing, or a person has to look at it for "
    "another reason. It is one sentence, so that no merchant learns of a suspicion from it.",
}


def what_is_read(policy: PolicyPage) -> Iterator[str]:
    """Yield which words a merchant reads who is declined or referred, and in which order."""
    sentences = {
        code: PLACEHOLDER.sub(r"[\1]", template(policy.rulebook.renewal, code))
        for code in _READ_WHEN
    }
    yield (
        "<p>A merchant who is declined or sent to a person reads at least one sentence. Each rule "
        "has its own, which stands with the rule. The rules are in the order of their priority: a "
        "merchant reads the sentences of those that are not met in this order, at most "
        f"{MOST_PRINCIPAL} of them. Where no rule says why, the merchant reads one of these:</p>"
    )
    yield from _table(
        ("When", "The merchant reads", "Code"),
        (
            (text(when), f'<span class="quote">“{text(sentences[code])}”</span>', code)
            for code, when in _READ_WHEN.items()
        ),
    )
    yield "<p>In all sentences, words in [brackets] stand for the merchant's own figures.</p>"


def renewals(policy: PolicyPage) -> Iterator[str]:
    """Yield the floor and the rules for renewals."""
    yield (
        f'<div class="box"><p><b>The floor.</b> Before {FLOOR_PERCENT}% of the repayment amount is '
        "paid down, no deal is assessed. It is the same everywhere, and no rule lowers it."
        "</p></div>"
    )
    yield from _rules(policy, rule_texts(policy.jurisdiction, policy.rulebook))
    yield from _tables(policy, None)


def differs(policy: PolicyPage) -> Iterator[str]:
    """Yield what a part of a country says otherwise than the country, and what it switches off."""
    for parent in policy.above[:1]:
        yield (
            f"<p>Rules, products, terms and texts are as in the policy of {text(parent.name)}, but "
            "for what follows.</p>"
        )
        for change in differences_from(parent, policy.jurisdiction, policy.rulebook):
            yield from _change(change, parent.name)
    shown: Any = overview(policy.jurisdiction, policy.on)
    if shown["switched_off"]:
        yield f"<h3>What holds in {text(in_words(policy.names.values()))}, and not here</h3>"
        yield from _list(
            f"The {dropped['kind']} “{text(_spaced(dropped['name']))}”"
            + (f" of “{text(_spaced(dropped['product']))}”" if "product" in dropped else "")
            + f": {text(dropped['reason'])}"
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
            f'The reason: <span class="quote">“{text(rule.merchant_reads)}”</span> '
            f'<span class="soft">{text(_origin(policy, rule))}</span>'
            for rule in payouts
        )


def _product(policy: PolicyPage, product: ProductText) -> Iterator[str]:
    yield f"<h3>{text(product.name)}</h3>"
    code = product.inherited_from
    above = "" if code is None else f", {text(_whose(policy, code))}"
    offered = f"Offered {period_text(product.since, product.until)}{above}."
    yield f'<p>{text(product.description)} <span class="soft">{offered}</span></p>'
    yield from _list(text(sentence) for _, sentence in product.terms)
    yield "<h4>What it costs, in money</h4>"
    merchant, offers = costs_in_money(policy, product.key)
    yield f"<p>{text(merchant)}</p>"
    if offers:
        cells = ([text(cell) for cell in offer] for offer in offers)
        yield from _table(OFFER_HEADS, cells, "money")
    yield "<h4>Who may have it</h4>"
    yield from _rules(policy, product.rules)
    yield from _tables(policy, product.key)


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


def _tables(policy: PolicyPage, product: str | None) -> Iterator[str]:
    """Yield the tables of a product, or of renewals, cell by cell."""
    label = policy.rulebook.catalogue.label
    for table in policy.jurisdiction.policy.tables_on(policy.rulebook.since):
        if table.is_of(product):
            heads = (column_words(column, label) for column in table.columns)
            same = "<p>The same as a table:</p>" if any(table.rules) else ""
            yield f"<h4>{text(capital(_spaced(table.id)))}</h4>{same}"
            yield from _table(
                [text(capital(head)) for head in heads],
                ([text(cell or ANY[-1]) for cell in row.cells] for row in table.rows),
            )


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
        above = f", {_whose(policy, rule.inherited_from)}"
    newer = ""
    if rule.figures_since is not None and rule.figures_since > rule.since:
        newer = f", with these figures since {day_text(rule.figures_since)}"
    period = period_text(rule.since, rule.until)
    figures = [
        f"the {in_words(labels)} of {_place(policy, code)}"
        for code, labels in rule.figures_of.items()
    ]
    others = f", with {in_words(figures)}" if figures else ""
    return f"In force {period}{newer}{above}{others}. Source: {rule.source}."


def _place(policy: PolicyPage, code: str | None) -> str:
    """Return the name of the jurisdiction *code*: of this one, or of one above it."""
    if code in {None, policy.jurisdiction.code}:
        return policy.rulebook.name
    return policy.names.get(str(code), str(code))


def _whose(policy: PolicyPage, code: str | None) -> str:
    """Return whether what the jurisdiction *code* states is its own here, or taken over."""
    own = code in {None, policy.jurisdiction.code}
    return "own" if own else f"taken over from {_place(policy, code)}"


def figures(policy: PolicyPage) -> Iterator[str]:
    """Yield the figures that the rules use, as a table."""
    shown = [*figure_texts(policy.jurisdiction, policy.rulebook)]
    if not shown:
        return
    yield "<p>The figures that the rules use. Each can change on a day while its rule stays.</p>"
    yield from _table(
        ("Figure", "Value", "In force", "Stated", "Used by", "Source"),
        (
            (
                text(capital(figure.label)),
                f'<b class="figure">{text(figure.value)}</b>',
                period_text(figure.since, figure.until),
                text(_whose(policy, figure.inherited_from)),
                text(", ".join(figure.used_by)),
                text(figure.source),
            )
            for figure in shown
        ),
    )


def timelines(policy: PolicyPage) -> Iterator[str]:
    """Yield what holds when, as a table with a column for each period."""
    starts, versions = versions_by_period(policy.jurisdiction, policy.on)
    if not versions:
        yield "<p>Nothing changes: everything is in force from the first day on.</p>"
        return
    days = (policy.on,) if policy.to is None else (policy.on, policy.to)
    marked = f"The period of {day_text(policy.on)} is shaded"
    if policy.to is not None:
        marked += f", and that of {day_text(policy.to)}"
    yield (
        "<p>Each column is a period that begins on the day above it; the widths do not show how "
        "long it lasts. What is not in the table is the same in all of them. "
        f"{marked}.</p>"
    )
    shaded = {bisect(starts, day) - 1 for day in days}
    columns = (
        '<col class="now"/>' if place in shaded else "<col/>" for place in range(len(starts))
    )
    yield '<div class="wide"><table class="periods"><colgroup><col/>'
    yield "".join(columns)
    heads = "".join(f"<th>{day_text(start)}</th>" for start in starts)
    yield f"</colgroup><thead><tr><td></td>{heads}</tr></thead>"
    for group, names in versions.items():
        yield f'<tbody><tr><th colspan="{len(starts) + 1}">{text(group)}</th></tr>'
        yield from (_row_of_periods(*row, len(starts)) for row in names.items())
        yield "</tbody>"
    yield "</table></div>"


def _row_of_periods(name: str, versions: Sequence[tuple[range, str]], columns: int) -> str:
    """Return the row of *name*: a cell for each of its versions, and empty ones between them."""
    cells, end = "", 0
    for periods, value in versions:
        cells += "<td></td>" * (periods.start - end)
        cells += f'<td class="bar" colspan="{len(periods)}">{text(value)}</td>'
        end = periods.stop
    return f"<tr><td>{text(name)}</td>{cells}{'<td></td>' * (columns - end)}</tr>"


def changes(policy: PolicyPage) -> Iterator[str]:
    """Yield what changes until the later day, or next where none is asked for."""
    until = policy.to or policy.next_change
    if until is None:
        yield "<p>No change is planned.</p>"
        return
    by_day = changes_until(policy.jurisdiction, policy.on, until)
    if not by_day:
        yield f"<p>Nothing changes from {day_text(policy.on)} to {day_text(until)}.</p>"
    for day, entries in by_day:
        yield f"<h3>On {day_text(day)}</h3>"
        for entry in entries:
            yield from _change(entry)


def _change(change: PolicyChange, country: str | None = None) -> Iterator[str]:
    """Yield how a sentence changes, or, with the name of a *country*, how it differs from there."""
    new, ends, differs, was, now = ("new", "ends", "changes", "", "")
    if country is not None:
        new, ends, differs = "only here", "not here", "otherwise here"
        was, now = f"In {country}: ", "Here: "
    kind = new if change.before is None else ends if change.after is None else differs
    about = f'<span class="soft">{text(change.group)}: {kind}</span>'
    yield f'<div class="change"><h4>{text(change.title)} {about}</h4>'
    if change.before is not None:
        yield f'<p class="{"was" if country is None else "soft"}">{text(was + change.before)}</p>'
    if change.after is not None:
        yield f"<p>{text(now + change.after)}</p>"
    yield "</div>"


def terms(policy: PolicyPage) -> Iterator[str]:
    """Yield what the facts mean that rules and prices read."""
    yield '<dl class="terms">'
    for fact, used_by in used_facts(policy.rulebook):
        used = f"{given_by(fact, policy.rulebook)} Used by {in_words(used_by)}."
        yield f"<div><dt>{text(capital(policy.rulebook.catalogue.label(fact.name)))}</dt>"
        yield f'<dd>{text(meaning(fact))} <span class="soft">{text(used)}</span></dd></div>'
    yield "</dl>"


def which_data(policy: PolicyPage) -> Iterator[str]:
    """Yield which data decide, from whom they come, and by which right they are used."""
    yield (
        "<p>Rules and prices read these facts and no others. What the words mean, and which rules "
        "read each, follows.</p>"
    )
    yield from _table(
        ("Data", "What decides", "From whom", "Legal basis", "Consent"),
        (
            (
                text(capital(data.name)),
                text(data.says),
                text(data.obtained_from) + _above(policy, data.stated_by),
                text(data.legal_basis),
                text(data.consent),
            )
            for data in data_texts(policy.jurisdiction, policy.rulebook)
        ),
        "data",
    )


def service(policy: PolicyPage) -> Iterator[str]:
    """Yield the settings, and how long results of checks are good and data are kept."""
    stated = stated_by(policy.jurisdiction, policy.rulebook)
    yield from _list(
        text(sentence) + _above(policy, stated.get(name))
        for name, sentence in setting_sentences(policy.rulebook)
    )
    yield "<h3>How long results are good, and data are kept</h3>"
    yield from _table(
        ("Data", "A result is good for", "Kept"),
        (
            (
                text(capital(data.name)),
                "not a check"
                if data.check is None
                else _good_for(data.check) + _above(policy, stated.get(f"{data.check.name}_check")),
                text(data.kept),
            )
            for data in data_texts(policy.jurisdiction, policy.rulebook)
        ),
    )
    yield (
        "<p>The journal of events has the figures of each decision, without names, until the "
        "service erases it.</p>"
    )


def _above(policy: PolicyPage, code: str | None) -> str:
    """Return from where something is taken over, in brackets; nothing for what is stated here."""
    if code in {None, policy.jurisdiction.code}:
        return ""
    return f' <span class="soft">({text(_whose(policy, code))})</span>'


def _good_for(check: CheckTerms) -> str:
    """Return how long a result of *check* is good, and for which deal."""
    days = "for ever" if check.max_age_days is None else count(check.max_age_days, "day")
    if not check.of_deal:
        return days
    return "for one deal" if check.max_age_days is None else f"{days}, for one deal"


def owner_and_sources(policy: PolicyPage) -> Iterator[str]:
    """Yield who answers for the rules, and where they come from."""
    rulebook = policy.rulebook
    yield (
        f"<p><b>{text(rulebook.owner)}</b> owns these rules, answers for them, and reviews them by "
        f"<b>{day_text(rulebook.review_by)}</b>.</p>"
    )
    by_source = sources(policy.jurisdiction, rulebook)
    yield from _table(
        ("Source", "What comes from it"),
        ((text(source), text(", ".join(named))) for source, named in by_source.items()),
        "sources",
    )


def _list(items: Iterable[str], tag: str = "ul") -> Iterator[str]:
    """Yield *items*, which are HTML, as a list."""
    yield f"<{tag}>"
    yield from (f"<li>{item}</li>" for item in items)
    yield f"</{tag}>"


def _table(
    heads: Sequence[str], rows: Iterable[Sequence[str]], style: str = "plain"
) -> Iterator[str]:
    """Yield *rows* of cells, which are HTML, as a table in a *style* of the page."""
    row_of_heads = "".join(f"<th>{head}</th>" for head in heads)
    yield f'<div class="wide"><table class="{style}"><thead><tr>{row_of_heads}</tr></thead><tbody>'
    yield from (f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    yield "</tbody></table></div>"


def _spaced(name: str) -> str:
    return name.replace("-", " ").replace("_", " ")
