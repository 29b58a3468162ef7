"""Any event and any command, and any outcome with them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, get_args

from hypothesis import strategies as st

from holdback.lifecycle import commands as asked
from holdback.lifecycle import events as happened
from holdback.lifecycle.context import Context
from holdback.money import Currency
from holdback.testing.strategies.shapes import (
    ACCEPTANCES,
    BANKS,
    FILLED,
    OFFER_SETS,
    REQUESTS,
    TAKINGS,
    deals,
    entries,
)
from holdback.testing.strategies.values import (
    DAYS,
    IDS,
    INSTANTS,
    RECORDS,
    TEXTS,
    WHOLES,
    WORDS,
    decimals,
    few,
    instants,
    maybe,
    money,
)

_GBP: Final = Currency.of("GBP")

# The fields of each event but `at`, which all of them have.
FIELDS: Final[Mapping[type, Mapping[str, st.SearchStrategy[Any]]]] = MappingProxyType(
    {
        happened.OffersIssued: {
            "offer_set": OFFER_SETS,
            "facts": RECORDS,
            "assessment": maybe(RECORDS),
            "decisions": few(RECORDS),
        },
        happened.OfferAccepted: {
            "request_id": IDS,
            "reply": ACCEPTANCES,
            "filled": FILLED,
            "omitted": few(IDS),
            "bank_details": maybe(BANKS),
        },
        happened.DetailsSupplied: {
            "application_id": IDS,
            "omitted": few(IDS),
            "bank_details": maybe(BANKS),
            "intended_use_of_funds": maybe(TEXTS),
        },
        happened.ApplicationSubmitted: {"application_id": IDS},
        happened.ApplicationClosed: {"application_id": IDS, "status": IDS},
        happened.DealFunded: {"deal": deals()},
        happened.DealRepaid: {"deal_id": IDS, "on": DAYS},
        happened.DealReopened: {"deal_id": IDS},
        happened.DealRenewed: {
            "deal_id": IDS,
            "settled": money(),
            "on": DAYS,
        },
        happened.DealClosed: {
            "deal_id": IDS,
            "status": IDS,
            "on": DAYS,
        },
        happened.TakingsRecorded: {"takings": few(TAKINGS), "complete_through": maybe(DAYS)},
        happened.RemittancesRecorded: {
            "deal_id": IDS,
            "entries": few(entries(_GBP)),
            "complete_through": maybe(DAYS),
        },
        happened.RenewalEligibilityChanged: {
            "deal_id": maybe(IDS),
            "renewal_eligibility": st.booleans(),
            "assessment": maybe(RECORDS),
        },
    }
)
EVENTS: Final[Mapping[type, st.SearchStrategy[Any]]] = MappingProxyType(
    {kind: st.builds(kind, at=INSTANTS, **fields) for kind, fields in FIELDS.items()}
)

_TEXT: Final = maybe(WORDS)
COMMANDS: Final[Mapping[type, st.SearchStrategy[Any]]] = MappingProxyType(
    {
        asked.RequestOffers: st.builds(asked.RequestOffers, request=REQUESTS),
        asked.AcceptOffer: st.builds(asked.AcceptOffer, offer_id=IDS, bank_details=maybe(BANKS)),
        asked.SupplyDetails: st.builds(
            asked.SupplyDetails,
            application_id=IDS,
            bank_details=maybe(BANKS),
            intended_use_of_funds=_TEXT,
        ),
        asked.CloseApplication: st.builds(
            asked.CloseApplication,
            application_id=IDS,
            status=st.sampled_from(get_args(asked.ApplicationEnding)),
        ),
        asked.FundDeal: st.builds(asked.FundDeal, application_id=IDS),
        asked.RecordTakings: st.builds(
            asked.RecordTakings, takings=few(TAKINGS), complete_through=maybe(DAYS)
        ),
        asked.RecordRemittance: st.builds(
            asked.RecordRemittance,
            deal_id=IDS,
            entries=few(entries(_GBP)),
            complete_through=maybe(DAYS),
        ),
        asked.CloseDeal: st.builds(
            asked.CloseDeal, deal_id=IDS, status=st.sampled_from(sorted(get_args(asked.DealEnding)))
        ),
        asked.ReviewRenewal: st.builds(asked.ReviewRenewal),
    }
)

CONTEXTS: Final = st.builds(
    Context,
    at=instants(),
    request_id=WORDS,
    evidence=st.dictionaries(TEXTS, st.booleans() | WHOLES | decimals() | TEXTS, max_size=4),
)
