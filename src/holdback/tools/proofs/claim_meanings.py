"""What each claim says of the rules, in a sentence, and why it matters: for lists and reports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from holdback.frozen_classes import frozen


@frozen
class Meaning:
    """What a claim says, and what it means when it does not hold."""

    sentence: str
    otherwise: str


CLAIMS: Final[Mapping[str, Meaning]] = {
    "somebody-passes": Meaning(
        "Some deal is eligible, and some application is accepted",
        "The rules named contradict each other, so the answer is always no.",
    ),
    "renewal-has-product": Meaning(
        "Some deal that is eligible is accepted by the rules of a product",
        "The rules of renewals and those of the products contradict each other.",
    ),
    "part-passes": Meaning(
        "Some funded deal is eligible, and some repaid one, some initial one and some renewal",
        "Nobody of that part can be renewed, and if it is meant, a claim of the file says so.",
    ),
    "rule-passes": Meaning(
        "Some deal meets the rule",
        "A rule that no deal can meet declines or refers everybody.",
    ),
    "rule-fails": Meaning(
        "Some deal does not meet the rule",
        "A rule that every deal meets decides nothing.",
    ),
    "when-applies": Meaning(
        "`when` selects some deal",
        "A rule whose `when` is true of no deal decides nothing.",
    ),
    "clause-decides": Meaning(
        "Each part of an expression decides about some deal",
        "A part that never decides is superfluous, or not what was meant.",
    ),
    "rule-decides": Meaning(
        "Some deal has another outcome because of the rule",
        "Without the rule every deal has the same outcome, because of the rules named.",
    ),
    "ended-fails": Meaning(
        "A deal that has ended otherwise than repaid is not eligible",
        "A deal that was renewed, cancelled or defaulted could be renewed once more.",
    ),
    "stated-never": Meaning(
        "No deal that passes, or offer that is made, is as the file says that none is",
        "The file says `never`, and a deal or an offer shows that it can be.",
    ),
    "stated-always": Meaning(
        "All deals that pass, or offers that are made, are as the file says",
        "The file says `always`, and a deal or an offer shows that it need not be.",
    ),
    "stated-overlay": Meaning(
        "No deal has a better answer here than under the parent, as the file says",
        "The file says that the child is stricter, and a deal shows where it is not.",
    ),
    "check-lasts": Meaning(
        "A result of a check from before the funding can still be good at a renewal",
        "It has always run out by then, so every renewal waits for a new check.",
    ),
    "band-reached": Meaning(
        "In each band or row of a price is somebody whom the rules accept",
        "Because of the rules named nobody is ever priced by it.",
    ),
    "claim-says-something": Meaning(
        "A claim in a file could be broken by other rules",
        "What no deal can be, none that passes is, by any rules: nothing is proved.",
    ),
    "child-keeps-up": Meaning(
        "A child's rule does not later become looser than the rule of its parent that it replaces",
        "The parent was tightened past a figure of the child, or the child loosened its own; if it "
        "is meant, a claim of the file says so.",
    ),
    "more-progress-helps": Meaning(
        "More progress never costs a deal its eligibility",
        "A merchant who repays more would lose the renewal.",
    ),
    "more-performance-helps": Meaning(
        "A better performance never costs a deal its eligibility",
        "A merchant who repays faster would lose the renewal.",
    ),
    "gap": Meaning(
        "Between two versions of a rule or a product there is no day without one",
        "On the days between them nothing decides, and a merchant could slip through.",
    ),
    "far-date": Meaning(
        "Dates are within thirty years of the review",
        "A date in another century is most likely a slip.",
    ),
    "reason-figure": Meaning(
        "A figure in a reason is that of its rule",
        "The merchant would read another figure than the one that decided.",
    ),
    "reason-bound": Meaning(
        "A reason says *at least* where its rule includes the bound, and *more than* where not",
        "A merchant who is just at the threshold would read the opposite of what decided.",
    ),
    "reasons-swapped": Meaning(
        "A reason has words of what its own rule reads",
        "Two rules have each other's reason, and a merchant would read the wrong one.",
    ),
    "small-share": Meaning(
        "A threshold of a share of a deal, such as its progress, is 1.5% or more",
        "0.75% is most likely the fraction 0.75, which is 75%.",
    ),
    "long-offer": Meaning(
        "Offers are good for a quarter of a year at most",
        "After months nothing that was known of the merchant need hold.",
    ),
    "maximum-not-offered": Meaning(
        "The maximum that a merchant may have is among the amounts that are offered",
        "Limits and amounts say two different maxima.",
    ),
    "default-not-asked": Meaning(
        "A product declines for a default where renewals do",
        "A merchant who cannot renew would get the product by a new application.",
    ),
    "jump": Meaning(
        "No value changes by a factor of ten",
        "A digit is missing, or there is one too many.",
    ),
    "free-money": Meaning(
        "Financing has a price",
        "What is repaid would be no more than what was funded.",
    ),
    "rising-price": Meaning(
        "The better merchant does not pay more",
        "The rates of the bands are in the wrong order.",
    ),
    "implausible-price": Meaning(
        "Rates, splits, terms and limits are within what is usual",
        "A figure far from any real price is most likely a slip.",
    ),
    "no-offer": Meaning(
        "A product can be offered to somebody",
        "Its limits and steps leave nothing that could be offered.",
    ),
    "unused-band": Meaning(
        "There are merchants in each band",
        "A band beyond the range of its fact is never used.",
    ),
    "switched-off-rules": Meaning(
        "A child keeps at least half of the rules that it inherits",
        "What shares so little with its parent is clearer without one.",
    ),
    "claim-without-days": Meaning(
        "A claim in a file is about a day on which there are rules for it",
        "Nothing would be proved of it.",
    ),
}
