"""
Whether an offer was disclosed, and the disclosure signed, where the law of a jurisdiction asks.

`disclose` records that nothing is due, too: what is not known exempts nobody
(decisions/disclosures#in-the-engine).
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from holdback.errors import Refusal
from holdback.lifecycle.operation import Case
from holdback.merchant.disclosure import DIGEST_PREFIX
from holdback.merchant.merchant import BEFORE_FUNDING, DisclosedOffer, Fulfilment, Merchant

if TYPE_CHECKING:  # few jurisdictions have one
    from holdback.rulebooks.regime import Regime


def regime_in_force(case: Case, on: date | None = None) -> Regime | None:
    """Return what the law asks to be shown on the day *on*, or now; None if it asks nothing."""
    rulebook = case.loaded_rulebook()
    if rulebook is None or not rulebook.disclosures:
        return None
    from holdback.rulebooks.regime import regime_on  # noqa: PLC0415  # few jurisdictions have one

    return regime_on(rulebook.disclosures, case.day if on is None else on)


def check_disclosed(case: Case, offer_id: str, *, funded_on: date | None = None) -> None:
    """
    Refuse the acceptance of an offer, or its funding, that has to be disclosed before.

    A funding waits for every disclosure that is required, and for the merchant's signature of it,
    by the law of the day *funded_on*, on which the money was paid out.

    Raises:
        Refusal: `not_disclosed`.
    """
    regime, funding = regime_in_force(case, funded_on), funded_on is not None
    if regime is None or regime.required is None:
        return
    if regime.required == BEFORE_FUNDING and not funding:
        return
    held = case.merchant.disclosure_of(offer_id)
    if held is None:
        detail = f"{regime.law} asks for a disclosure first: `disclose` makes it"
        raise Refusal("not_disclosed", detail)
    if funding and regime.signed and held.due and held.signature is None:
        detail = "the disclosure is not signed: `record_signature` with its digest records that"
        raise Refusal("not_disclosed", detail)


def signed_disclosure(
    merchant: Merchant, fulfilment: Fulfilment, digest: str
) -> DisclosedOffer | None:
    """
    Return the disclosure that a signature of the document with this *digest* signs, if any.

    Raises:
        Refusal: `not_possible_now`, a disclosure was signed that is not the last of the offer.
    """
    if not digest.startswith(DIGEST_PREFIX):
        return None
    held = merchant.disclosure_of(fulfilment.offer.offer_id)
    if held is None or held.digest != digest:
        raise Refusal("not_possible_now", "this is not the last disclosure of the accepted offer")
    return held
