"""The outcome of an operation: what a host stores and indexes."""

from __future__ import annotations

from holdback import Money
from holdback.operations import AcceptOffer, LookUp, Requote


def outcome_of(journey, operation):
    """The outcome of *operation*, which the journey stores."""
    context = journey.context()
    outcome = journey.engine.carry_out(
        journey.merchant, operation, context, profile=journey.profile
    )
    journey.keep(outcome)
    return outcome


def test_an_outcome_names_what_a_partner_finds_the_merchant_by(journey):
    """
    New offers give their ids, another amount gives the ids of its offers, and an acceptance the
    provider_id; a repeated acceptance names nothing new.
    """
    journey.ask()
    offer = journey.first_offer()
    amount = Money(offer.funded_amount.minor + 50000, offer.funded_amount.currency)
    requoted = outcome_of(journey, Requote(offer_id=offer.offer_id, amount=amount))
    new = [event for event in requoted.events if type(event).__name__ == "OfferRequoted"]
    accepted = outcome_of(journey, AcceptOffer(offer_id=offer.offer_id))
    again = outcome_of(journey, AcceptOffer(offer_id=offer.offer_id))

    assert new
    assert requoted.names == tuple(("offer_id", each.offer_id) for each in new[0].offers)
    assert accepted.names == (("provider_id", accepted.reply.provider_id),)
    assert again.names == ()


def test_the_profile_of_an_outcome_is_the_one_to_store(journey):
    """
    An operation that does not take the profile gives it back unchanged.
    """
    profile = journey.profile

    assert outcome_of(journey, LookUp()).profile is profile
