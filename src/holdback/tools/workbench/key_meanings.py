"""What the keys of the files mean, in a sentence each: an editor shows it beside the key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from holdback.jurisdictions.jurisdiction_file import DEFAULTS

MEANING: Final[Mapping[str, str]] = {
    "format": "The format of the file: 1.",
    "code": "The code: of the jurisdiction, the name of its folder; of a rule, stable and never "
    "used again.",
    "name": "For people.",
    "owner": "Who answers for the rules.",
    "review_by": "The day by which the owner looks at them again.",
    "currency": "ISO 4217: `GBP`.",
    "rounding": "How amounts round to minor units.",
    "timezone": "Local dates and day counts are in this zone: `Europe/London`.",
    "automated_decisioning": "Whether an expired, unaccepted set calls for a second consumer "
    "credit check.",
    "offers_valid_hours": "How long offers are valid, in hours.",
    "recently_active_days": "How long after its repayment a deal may still be renewed, in days.",
    "approval_days": "How long a person's approval of a referral holds, in days; "
    f"{DEFAULTS['approval_days']} where it is left out.",
    "acceptance_days": "How long an accepted application waits for its funding, in days; "
    f"{DEFAULTS['acceptance_days']} where it is left out.",
    "cooling_off_days": "For how many days after its funding a deal can be unwound; left out: "
    "never.",
    "late_remittances": "What becomes of a remittance on a deal that has ended: it is refunded "
    "where this is left out.",
    "signature": "When the merchant has to have signed; left out: no signature is needed.",
    "bank_details": "The fields of complete bank details; left out: all details are complete.",
    "consents": "The consents that an offer needs.",
    "checks": "What holds of the host's checks here: how old a result may be, which declared facts "
    "a check gives, and the consent that it needs.",
    "max_age_days": "How old a result may be, in days: an older one is unknown.",
    "consent": "The consent that has to be given before the check is made.",
    "retain_profile_days": "How long after the end of the last deal a merchant's profile is kept, "
    f"in days; {DEFAULTS['retain_profile_days']} where it is left out.",
    "parent": "The jurisdiction whose rules, parameters and products this one takes over.",
    "switch_off": "What this jurisdiction drops of its parent's, each with a reason.",
    "facts": "Facts that only the host knows here: their values come as evidence.",
    "moves": "The direction in which a merchant can move the fact; left out: it cannot.",
    "figures": "How figures are written in the sentences for merchants.",
    "label": "The name in sentences, as `tax debt`; left out: drafted from the name in rules.",
    "parameters": "Named values that change by date; rules read them like facts.",
    "rules": "In the order of their priority.",
    "typical": "The facts of an ordinary good case; examples say what differs.",
    "examples": "What must come out, for which facts, on which days.",
    "claims": "What is said of every deal that could exist; `holdback prove` proves it or shows a "
    "deal of which it is not true.",
    "never": "No deal of which this is true is eligible: `deals_defaulted > 0`.",
    "always": "This is true of every eligible deal: `performance >= 75%`.",
    "overlay": "`tighten`: anyone who is eligible here is eligible under the parent.",
    "survivors": "Mutants of this file that no deal can tell from it, each with the reason why.",
    "products": "In the order in which they are offered.",
    "id": "The name of the rule in this file: `on-pace`.",
    "require": "What must be true: `performance >= 80%`.",
    "when": 'Limits the rule to some deals: `status == "Funded"`.',
    "otherwise": "What a false answer means: decline, or refer to a person.",
    "reason": "A sentence for the merchant, with facts and parameters in braces.",
    "source": "Where it comes from.",
    "from": "The first day.",
    "until": "The first day after; left out: still in force.",
    "key": "The product's stable name.",
    "settlement": "What is taken off for repaying early; left out: nothing.",
    "renewal": "Whether a renewal pays off the deal before it, or waits until it is repaid; left "
    "out: it pays it off.",
    "amounts": "The offers made, as percentages of the merchant's maximum.",
    "timeline": "Values in the order of their dates, each in force until the next.",
    "value": "The value from that day on.",
    "given": "What differs from the typical case.",
    "without": "The facts that are not known.",
    "expect": "What must come out.",
    "settles": "The balance of the deal that is renewed; the product is asked for by a renewal "
    "then.",
    "on": "The day.",
    "product": "The key of the product that is asked for.",
}
