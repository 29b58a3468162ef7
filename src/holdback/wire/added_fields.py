"""Fields of stored classes that are left out while they say nothing."""

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

# With their defaults these fields say what a document without them says.
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

    A field of `ADDED_FIELDS` is left out while it has its default
    (decisions/formats#fields-that-are-left-out).
    """
    left_out = override(omit_if_default=True)
    added: dict[str, Any] = dict.fromkeys(ADDED_FIELDS.get(kind, ()), left_out)
    write: Callable[[Any], dict[str, Json]] = make_dict_unstructure_fn(
        kind, converter, _cattrs_use_alias=True, **added
    )
    return write
