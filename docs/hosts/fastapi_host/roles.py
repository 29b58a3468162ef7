"""
Who may call what, in one table.

A caller has a role, which the file of callers gives, and an agent may have a permission besides.
An endpoint that is not in the table is for nobody. That the time is right of a merchant that was
silent for years is for agents to say: no endpoint of partners reads it.
"""

from types import MappingProxyType

PARTNER = "partner"
AGENT = "agent"
# An agent that also decides referrals.
UNDERWRITER = "underwriter"
# The permission to see bank details, which is separate from every role.
BANK_DETAILS = "bank_details"

ROLES_OF_AGENTS = (AGENT, UNDERWRITER)

_ANYONE = frozenset({None})
_PARTNERS = frozenset({PARTNER})
_AGENTS = frozenset({AGENT, UNDERWRITER})
_UNDERWRITERS = frozenset({UNDERWRITER})

# endpoint: who may call it. The name of an endpoint is its operation in the OpenAPI document.
WHO_MAY = MappingProxyType(
    {
        # Partners, about their own merchants.
        "request_offers": _PARTNERS,
        "accept_offer": _PARTNERS,
        "look_up": _PARTNERS,
        "partner_applications": _PARTNERS,
        "partner_decline_offers": _PARTNERS,
        "partner_record_consents": _PARTNERS,
        "withdraw_application": _PARTNERS,
        "partner_requote": _PARTNERS,
        "partner_disclose": _PARTNERS,
        "partner_settlement_quote": _PARTNERS,
        "partner_statement": _PARTNERS,
        # Agents, about the merchants of every partner.
        "supply_details": _AGENTS,
        "close_application": _AGENTS,
        "fund_deal": _AGENTS,
        "record_takings": _AGENTS,
        "record_remittance": _AGENTS,
        "close_deal": _AGENTS,
        "reinstate_deal": _AGENTS,
        "erase_profile": _AGENTS,
        "record_evidence": _AGENTS,
        "place_hold": _AGENTS,
        "lift_hold": _AGENTS,
        "decline_offers": _AGENTS,
        "withdraw_offers": _AGENTS,
        "record_signature": _AGENTS,
        "change_bank_details": _AGENTS,
        "rectify_profile": _AGENTS,
        "record_consents": _AGENTS,
        "review_renewal": _AGENTS,
        "refund": _AGENTS,
        "transfer": _AGENTS,
        "record_recovery": _AGENTS,
        "write_off": _AGENTS,
        "waive_rest": _AGENTS,
        "adjust": _AGENTS,
        "unwind_deal": _AGENTS,
        "return_payout": _AGENTS,
        "record_suspense": _AGENTS,
        "apply_suspense": _AGENTS,
        "return_suspense": _AGENTS,
        "charge_fee": _AGENTS,
        "waive_fee": _AGENTS,
        "agree_plan": _AGENTS,
        "pause": _AGENTS,
        "resume": _AGENTS,
        "change_terms": _AGENTS,
        "settle_early": _AGENTS,
        "requote": _AGENTS,
        "disclose": _AGENTS,
        "settlement_quote": _AGENTS,
        "unwind_quote": _AGENTS,
        "refundable": _AGENTS,
        "statement": _AGENTS,
        "applications": _AGENTS,
        "referrals": _AGENTS,
        "holds": _AGENTS,
        "evidence": _AGENTS,
        "required_checks": _AGENTS,
        "filled_application": _AGENTS,
        "open_applications": _AGENTS,
        "open_referrals": _AGENTS,
        "open_deals": _AGENTS,
        "bank_details": frozenset({BANK_DETAILS}),
        # Underwriters.
        "decide_referral": _UNDERWRITERS,
        "page_referrals": _UNDERWRITERS,
        "page_merchant": _UNDERWRITERS,
        "page_decide": _UNDERWRITERS,
        "page_place_hold": _UNDERWRITERS,
        "page_lift_hold": _UNDERWRITERS,
        "page_sign_out": _UNDERWRITERS,
        # Nothing in these belongs to anybody.
        "page_sign_in_form": _ANYONE,
        "page_sign_in": _ANYONE,
        "page_style": _ANYONE,
        "health": _ANYONE,
    }
)


def may(rights, endpoint):
    """Return whether a caller with these rights may call the endpoint."""
    return bool(WHO_MAY.get(endpoint, frozenset()) & {None, *rights})
