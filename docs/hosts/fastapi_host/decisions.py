"""Which rules decided: the digest that the log shows for each decision."""

from holdback import ConfigurationError
from holdback.lifecycle.events import OfferRequoted, OffersIssued, RenewalEligibilityChanged
from holdback.operations import RenewalReview


def rulebook_digest(outcome):
    """Return the digest of the rules that decided, or None if the operation decided nothing."""
    if isinstance(outcome.reply, RenewalReview):
        return outcome.reply.assessment.ruleset.digest
    for event in outcome.events:
        if isinstance(event, OffersIssued):
            return event.offer_set.digest
        if isinstance(event, OfferRequoted):  # priced as its set was
            sets = outcome.merchant.offer_sets
            return next(of.digest for of in sets if of.application_id == event.application_id)
        if isinstance(event, RenewalEligibilityChanged) and event.assessment is not None:
            return event.assessment["digest"]
    return None


def rulebook_digest_of_look_up(jurisdictions, merchant, at):
    """Return the digest of the rules behind `renewal_eligibility`, which an active deal has."""
    if merchant.active_deal is None:
        return None
    try:
        day = at.astimezone(jurisdictions.zone(merchant.jurisdiction)).date()
        return jurisdictions.resolve(merchant.jurisdiction, on=day).digest
    except ConfigurationError:  # without rules nothing is decided
        return None
