"""Fields that were added to stored classes, and are left out while they say nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from cattrs import Converter
from cattrs.gen import make_dict_unstructure_fn, override

from holdback.exact.exact_json import Json
from holdback.lifecycle.events import OfferAccepted, OffersIssued, RenewalEligibilityChanged
from holdback.merchant.deal import Deal
from holdback.merchant.ledger import Entry, EntryTotals
from holdback.merchant.merchant import Fulfilment, Merchant, OfferSet
from holdback.merchant.product import Product

# The fields of stored classes that documents of format 2 may lack: with their defaults they say
# what a document said before there were any.
ADDED_FIELDS: Final[Mapping[type, tuple[str, ...]]] = MappingProxyType(
    {
        Merchant: ("checks", "consents", "referrals", "referral_decisions", "holds"),
        Fulfilment: (
            "lapses_at",
            "signature_before",
            "signature",
            "accepted_details",
            "product",
            "priced_on",
            "queued",
        ),
        OfferSet: ("requoted",),
        Product: ("codes", "queued"),
        Deal: (
            "base_deal_id",
            "product",
            "priced_on",
            "cooling_off_days",
            "late_remittances",
            "pauses",
            "terms_changes",
        ),
        Entry: ("kind", "counterpart"),
        EntryTotals: ("credits",),
        OffersIssued: ("referrals", "consents"),
        OfferAccepted: ("lapses_at", "signature_before", "product", "priced_on", "queued"),
        RenewalEligibilityChanged: ("decided_by",),
    }
)


def unstructure_fn(kind: Any, converter: Converter) -> Callable[[Any], dict[str, Json]]:
    """
    Return the function that writes an object of *kind*.

    A field that was added later is left out while it has its default, so that what says nothing new
    has the same bytes as before (decisions/formats#fields-that-were-added).
    """
    left_out = override(omit_if_default=True)
    added: dict[str, Any] = dict.fromkeys(ADDED_FIELDS.get(kind, ()), left_out)
    write: Callable[[Any], dict[str, Json]] = make_dict_unstructure_fn(
        kind, converter, _cattrs_use_alias=True, **added
    )
    return write
