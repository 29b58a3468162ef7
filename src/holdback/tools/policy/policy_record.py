"""
Everything that a policy document says of the rules in force on a day, and the digest of it.

A person who approves a document approves this: its sentences, figures, labels and sources, before
they are laid out. Nothing decides by the digest (decisions/policy-documents#the-digest-of-a-page).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from holdback.eligibility.reasons import SERVICE_REASONS, template
from holdback.exact.exact_json import Json, digest
from holdback.jurisdictions.keys import LOOSEN
from holdback.jurisdictions.source_tables import column_words
from holdback.jurisdictions.timeline import Period
from holdback.rulebooks.rulebook import FUNDING
from holdback.tools.policy.policy import PolicyPage
from holdback.tools.policy.policy_document import (
    RuleText,
    claim_sentence,
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
from holdback.tools.policy.policy_sentences import check_sentences, setting_sentences
from holdback.tools.policy.worked_examples import costs_in_money
from holdback.tools.workbench.overview import overview


def page_digest(policy: PolicyPage) -> str:
    """
    Return the digest of what the page says of the rules in force on its day.

    It is the same on all days of a period without a change. It covers the digest of the rules
    without the versions of calculators, and nothing of other periods or of proofs.
    """
    rules_digest = policy.rulebook.rules_digest
    return digest({"rules": rules_digest, "says": what_it_says(policy)})


def what_it_says(policy: PolicyPage) -> dict[str, Json]:
    """Return what the page says of the rules in force on its day, as plain values."""
    jurisdiction, rulebook = policy.jurisdiction, policy.rulebook
    shown: Any = overview(jurisdiction, rulebook.since)
    label = rulebook.catalogue.label
    return {
        "jurisdiction": [rulebook.code, rulebook.name, rulebook.currency.code],
        "owner": rulebook.owner,
        "review_by": str(rulebook.review_by),
        "since": str(rulebook.since),
        "takes_over": list(policy.names.values()),
        "renewals": [_rule(rule) for rule in rule_texts(jurisdiction, rulebook)],
        "tables": [
            [table.id, [column_words(column, label) for column in table.columns]]
            + [list(row.cells) for row in table.rows]
            for table in jurisdiction.policy.tables_on(rulebook.since)
        ],
        "switched_off": [
            [dropped["kind"], dropped["name"], dropped.get("product"), dropped["reason"]]
            for dropped in shown["switched_off"]
        ],
        "products": [
            [
                [product.name, product.description, str(product.since), product.inherited_from],
                [list(term) for term in product.terms],
                [_rule(rule) for rule in product.rules],
                _costs(policy, product.key),
            ]
            for product in product_texts(jurisdiction, rulebook)
        ],
        "payouts": [_rule(rule) for rule in rule_texts(jurisdiction, rulebook, FUNDING)],
        "reasons": {code: template(rulebook.renewal, code) for code in SERVICE_REASONS},
        "figures": [
            [
                [text.label, text.value, str(text.since), text.inherited_from],
                [list(text.used_by), text.source],
            ]
            for text in figure_texts(jurisdiction, rulebook)
        ],
        "words": [
            [label(fact.name), meaning(fact), given_by(fact, rulebook), used_by]
            for fact, used_by in used_facts(rulebook)
        ],
        "settings": [list(setting) for setting in setting_sentences(rulebook)],
        "checks": [
            [name, sentence, [label(fact) for fact in rulebook.checks[name].facts]]
            for name, sentence in check_sentences(rulebook)
        ],
        "people": [list(text) for text in people_texts(jurisdiction)],
        "data": list(_data(policy)),
        "stated_by": stated_by(jurisdiction, rulebook),
        "sources": sources(jurisdiction, rulebook),
        "claims": list(_claims(policy)),
        "differs": [
            [change.group, change.title, change.before, change.after]
            for parent in policy.above[:1]
            for change in differences_from(parent, jurisdiction, rulebook)
        ],
    }


def _data(policy: PolicyPage) -> Iterator[Json]:
    for data in data_texts(policy.jurisdiction, policy.rulebook):
        yield [data.name, data.says, data.obtained_from, data.legal_basis, data.consent]
        yield [data.kept, data.stated_by]


def _costs(policy: PolicyPage, key: str) -> Json:
    merchant, offers = costs_in_money(policy, key)
    return [merchant, [list(offer) for offer in offers]]


def _rule(rule: RuleText) -> Json:
    """Return what the page says of *rule*, without the day on which a later change ends it."""
    return [
        [rule.code, rule.title, rule.requirement.plain(), rule.otherwise, rule.merchant_reads],
        [rule.source, str(rule.since), str(rule.figures_since), rule.inherited_from],
        {code: list(labels) for code, labels in rule.figures_of.items()},
    ]


def _claims(policy: PolicyPage) -> Iterator[str]:
    """Yield what the files claim of the period, in words."""
    parent = next(iter(policy.names.values()), "")
    period = Period(policy.rulebook.since, policy.next_change)
    for claim in policy.jurisdiction.policy.claims_in(period):
        if claim.text != LOOSEN:  # it says nothing of any deal, and is not on the page
            yield claim_sentence(claim, policy.rulebook, parent)
