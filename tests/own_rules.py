"""The jurisdictions that decide by rules of their own: any other decides as its parent does."""

from __future__ import annotations

from holdback import Jurisdictions
from holdback.rulebooks.digest import RulebookDigester
from holdback.rulebooks.rulebook import SETTINGS_IN_DIGEST, age_limits

# What a child has of its own and decides no deal by: its code, and where its days begin.
OF_A_PLACE = ("code", "timezone")
DIGESTER = RulebookDigester()  # it keeps what children share with their parents


def with_own_rules(jurisdictions):
    """Return those of *jurisdictions* that differ from their parents in what a digest covers."""
    return Jurisdictions(each for each in jurisdictions if decides_itself(each, jurisdictions))


def decides_itself(jurisdiction, jurisdictions):
    """Whether its rulebook has another digest than its parent's on some day, places aside."""
    *_, parent, own = (None, *(layer.code for layer in jurisdiction.policy.layers))
    return parent is None or any(
        rules_digest(rulebook) != rules_digest(jurisdictions[parent].rulebook(rulebook.since))
        for rulebook in jurisdictions[own].slices
    )


def rules_digest(rulebook):
    """The digest of what *rulebook* decides by, wherever it is."""
    settings = {name: getattr(rulebook, name) for name in SETTINGS_IN_DIGEST}
    return DIGESTER.rules_digest(
        rulebook.catalogue,
        rulebook.renewal.rules,
        [(terms, terms.rules.rules) for terms in rulebook.products],
        settings | age_limits(rulebook.checks) | dict.fromkeys(OF_A_PLACE),
        rulebook.funding.rules,
        offer_rules={terms.key: terms.offer_rules for terms in rulebook.products},
    )
