"""The application that goes to fulfilment, filled from data that the service holds (service 1)."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field

from holdback.errors import Refusal
from holdback.exact.exact_json import Json, Opaque
from holdback.frozen_classes import frozen
from holdback.merchant.acceptance import BankDetails
from holdback.merchant.application import Applicants
from holdback.merchant.merchant import Merchant
from holdback.merchant.profile import Profile, read_details


@frozen(kw_only=True)
class FilledApplication:
    """
    An accepted application, filled for the service's agents.

    `facts` are those known when the offer was priced, `deals` summaries of the merchant's deals at
    the acceptance. What was omitted and not supplied since is None.
    """

    application_id: str
    merchant_id: str
    provider_id: str
    currency: str
    intended_use_of_funds: str | None = field(default=None, repr=False)
    consents: Opaque | None = field(default=None, repr=False)
    applicants: Applicants | None = field(default=None, repr=False)
    company: Opaque | None = field(default=None, repr=False)
    bank_details: BankDetails | None = field(default=None, repr=False)
    facts: Mapping[str, Json] = field(factory=dict, repr=False)
    deals: tuple[Mapping[str, Json], ...] = ()


def filled_application(
    application_id: str, merchant: Merchant, profile: Profile
) -> FilledApplication:
    """
    Return the accepted application *application_id*, filled from state and profile.

    Raises:
        Refusal: `application_not_found`, or `profile_erased`.
        StateError: the profile is not that of the state.
    """
    fulfilment = merchant.fulfilment_of(application_id)
    if fulfilment is None or merchant.provider_id is None:
        raise Refusal("application_not_found", "no accepted application has this application_id")
    if profile.is_erased:
        raise Refusal("profile_erased", "the profile that would fill the application was erased")
    sections = {name: profile.section(digest) for name, digest in fulfilment.sections.items()}
    use = sections.get("intended_use_of_funds")
    return FilledApplication(
        application_id=application_id,
        merchant_id=merchant.merchant_id,
        provider_id=merchant.provider_id,
        currency=fulfilment.offer.currency,
        intended_use_of_funds=None if use is None else use.value,
        consents=sections.get("consents"),
        applicants=sections.get("applicants"),
        company=sections.get("company"),
        bank_details=read_details(sections.get("bank_details")),
        facts=fulfilment.facts,
        deals=fulfilment.earlier_deals,
    )
