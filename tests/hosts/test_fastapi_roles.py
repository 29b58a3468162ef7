"""Who may call what: every endpoint by every role, against a table of the tests' own."""

from __future__ import annotations

import pytest
from fastapi_calls import PARTNERS, Merchant, code, service_on
from fastapi_host.partners import read_partners, sha256
from fastapi_host.roles import WHO_MAY
from fastapi_host.underwriters.sessions import COOKIE

UNKNOWN = "00000000-0000-5000-8000-000000000000"
CALLERS = ("partner", "agent", "underwriter", "clerk")
KEYS = {"partner": "acme-key", "agent": "agent-key"}
KEYS |= {"underwriter": "underwriter-key", "clerk": "clerk-key"}  # the clerk sees bank details
AGENT = "/v2/agents/acme/m-1/"
MERCHANT = "/v2/merchants/m-1/"
OF_APPLICATION = f"?application_id={UNKNOWN}"
ON_A_DAY = f"?deal_id={UNKNOWN}&on=2026-07-06"
PARTNER_ALONE, AGENTS = {"partner"}, {"agent", "underwriter", "clerk"}
UNDERWRITER_ALONE, EVERYBODY = {"underwriter"}, set(CALLERS)

# Written by hand, not from the table of the host: endpoint, method, path, and who may call it.
EXPECTED = [
    ("request_offers", "POST", "/v2/offers", PARTNER_ALONE),
    ("accept_offer", "POST", f"/v2/offers/{UNKNOWN}/accept", PARTNER_ALONE),
    ("look_up", "GET", f"/v2/merchant?provider_id={UNKNOWN}", PARTNER_ALONE),
    ("partner_applications", "GET", f"{MERCHANT}applications", PARTNER_ALONE),
    ("partner_decline_offers", "POST", f"{MERCHANT}decline_offers", PARTNER_ALONE),
    ("partner_record_consents", "POST", f"{MERCHANT}record_consents", PARTNER_ALONE),
    ("withdraw_application", "POST", f"{MERCHANT}withdraw_application", PARTNER_ALONE),
    ("partner_requote", "POST", f"{MERCHANT}requote", PARTNER_ALONE),
    ("partner_disclose", "POST", f"{MERCHANT}disclose", PARTNER_ALONE),
    ("partner_settlement_quote", "GET", f"{MERCHANT}settlement_quote{ON_A_DAY}", PARTNER_ALONE),
    ("partner_statement", "GET", f"{MERCHANT}statement", PARTNER_ALONE),
    ("supply_details", "POST", f"{AGENT}supply_details", AGENTS),
    ("close_application", "POST", f"{AGENT}close_application", AGENTS),
    ("fund_deal", "POST", f"{AGENT}fund_deal", AGENTS),
    ("record_takings", "POST", f"{AGENT}record_takings", AGENTS),
    ("record_remittance", "POST", f"{AGENT}record_remittance", AGENTS),
    ("close_deal", "POST", f"{AGENT}close_deal", AGENTS),
    ("reinstate_deal", "POST", f"{AGENT}reinstate_deal", AGENTS),
    ("erase_profile", "POST", f"{AGENT}erase_profile", AGENTS),
    ("record_evidence", "POST", f"{AGENT}record_evidence", AGENTS),
    ("place_hold", "POST", f"{AGENT}place_hold", AGENTS),
    ("lift_hold", "POST", f"{AGENT}lift_hold", AGENTS),
    ("decline_offers", "POST", f"{AGENT}decline_offers", AGENTS),
    ("withdraw_offers", "POST", f"{AGENT}withdraw_offers", AGENTS),
    ("record_signature", "POST", f"{AGENT}record_signature", AGENTS),
    ("change_bank_details", "POST", f"{AGENT}change_bank_details", AGENTS),
    ("rectify_profile", "POST", f"{AGENT}rectify_profile", AGENTS),
    ("record_consents", "POST", f"{AGENT}record_consents", AGENTS),
    ("review_renewal", "POST", f"{AGENT}review_renewal", AGENTS),
    ("refund", "POST", f"{AGENT}refund", AGENTS),
    ("transfer", "POST", f"{AGENT}transfer", AGENTS),
    ("record_recovery", "POST", f"{AGENT}record_recovery", AGENTS),
    ("waive_rest", "POST", f"{AGENT}waive_rest", AGENTS),
    ("write_off", "POST", f"{AGENT}write_off", AGENTS),
    ("adjust", "POST", f"{AGENT}adjust", AGENTS),
    ("unwind_deal", "POST", f"{AGENT}unwind_deal", AGENTS),
    ("return_payout", "POST", f"{AGENT}return_payout", AGENTS),
    ("record_suspense", "POST", f"{AGENT}record_suspense", AGENTS),
    ("apply_suspense", "POST", f"{AGENT}apply_suspense", AGENTS),
    ("return_suspense", "POST", f"{AGENT}return_suspense", AGENTS),
    ("charge_fee", "POST", f"{AGENT}charge_fee", AGENTS),
    ("waive_fee", "POST", f"{AGENT}waive_fee", AGENTS),
    ("agree_plan", "POST", f"{AGENT}agree_plan", AGENTS),
    ("pause", "POST", f"{AGENT}pause", AGENTS),
    ("resume", "POST", f"{AGENT}resume", AGENTS),
    ("change_terms", "POST", f"{AGENT}change_terms", AGENTS),
    ("settle_early", "POST", f"{AGENT}settle_early", AGENTS),
    ("requote", "POST", f"{AGENT}requote", AGENTS),
    ("disclose", "POST", f"{AGENT}disclose", AGENTS),
    ("settlement_quote", "GET", f"{AGENT}settlement_quote{ON_A_DAY}", AGENTS),
    ("unwind_quote", "GET", f"{AGENT}unwind_quote{ON_A_DAY}", AGENTS),
    ("refundable", "GET", f"{AGENT}refundable", AGENTS),
    ("statement", "GET", f"{AGENT}statement", AGENTS),
    ("decide_referral", "POST", f"{AGENT}decide_referral", UNDERWRITER_ALONE),
    ("applications", "GET", f"{AGENT}applications", AGENTS),
    ("referrals", "GET", f"{AGENT}referrals", AGENTS),
    ("holds", "GET", f"{AGENT}holds", AGENTS),
    ("evidence", "GET", f"{AGENT}evidence", AGENTS),
    ("required_checks", "GET", f"{AGENT}required_checks{OF_APPLICATION}", AGENTS),
    ("filled_application", "GET", f"{AGENT}filled_application{OF_APPLICATION}", AGENTS),
    ("bank_details", "GET", f"{AGENT}bank_details{OF_APPLICATION}", {"clerk"}),
    ("open_applications", "GET", "/v2/open_applications", AGENTS),
    ("open_referrals", "GET", "/v2/open_referrals", AGENTS),
    ("open_deals", "GET", "/v2/open_deals", AGENTS),
    ("page_referrals", "GET", "/underwriters", UNDERWRITER_ALONE),
    ("page_merchant", "GET", "/underwriters/merchant", UNDERWRITER_ALONE),
    ("page_decide", "POST", "/underwriters/decide", UNDERWRITER_ALONE),
    ("page_place_hold", "POST", "/underwriters/hold", UNDERWRITER_ALONE),
    ("page_lift_hold", "POST", "/underwriters/lift", UNDERWRITER_ALONE),
    ("page_sign_out", "POST", "/underwriters/sign-out", UNDERWRITER_ALONE),
    ("page_sign_in_form", "GET", "/underwriters/sign-in", EVERYBODY),
    ("page_sign_in", "POST", "/underwriters/sign-in", EVERYBODY),
    ("page_style", "GET", "/underwriters/style.css", EVERYBODY),
    ("health", "GET", "/health", EVERYBODY),
]
REFUSED = "caller who may not do this"  # on a page too
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with service_on("sqlite", tmp_path_factory.mktemp("database")) as service:
        Merchant(service).funded()
        yield service


def call(service, endpoint, caller):
    """Call an endpoint with the key of a caller; a page with a session of that key."""
    name, method, path, _ = endpoint
    if not name.startswith("page_"):
        return service.call(method, path, None if method == "GET" else {}, key=KEYS[caller])
    key, _ = PARTNERS.with_key(KEYS[caller])
    session = {"Cookie": f"{COOKIE}={service.app.state.sessions.open(key)}"}
    if method == "GET":
        return service.call("GET", path, key=None, headers=session)
    form = b"key=" + KEYS[caller].encode()
    return service.call("POST", path, key=None, headers=session | FORM, content=form)


@pytest.mark.parametrize("endpoint", EXPECTED, ids=lambda endpoint: endpoint[0])
@pytest.mark.parametrize("caller", CALLERS)
def test_a_role_may_call_what_is_expected_and_nothing_else(service, endpoint, caller):
    """
    403 for all others, also without the merchant; and never for those who may.
    """
    reply = call(service, endpoint, caller)
    refused = reply.status_code == 403 and REFUSED in reply.text

    assert refused == (caller not in endpoint[3])
    assert reply.status_code not in {401, 500}


@pytest.mark.parametrize("endpoint", EXPECTED, ids=lambda endpoint: endpoint[0])
def test_nobody_without_a_key_may_call_what_is_somebodys(service, endpoint):
    """
    401 without a key and with an unknown one; a page sends to the form to sign in.
    """
    name, method, path, expected = endpoint
    if expected is EVERYBODY:
        return
    for key in (None, "unknown"):
        if name.startswith("page_"):
            cookie = {} if key is None else {"Cookie": f"{COOKIE}={key}"}
            reply = service.call(method, path, key=None, headers=FORM | cookie)
            assert reply.status_code == 303
            assert reply.headers["location"] == "/underwriters/sign-in"
        else:
            reply = service.call(method, path, None if method == "GET" else {}, key=key)
            assert code(reply) == (401, "unauthorized")


def test_every_endpoint_is_in_both_tables(service):
    """
    What the app serves, what the host's table names, and what is expected here.
    """
    served = {
        route.operation_id for route in service.app.routes if getattr(route, "operation_id", None)
    }
    own = {"/docs", "/openapi.json", "/docs/oauth2-redirect"}  # of FastAPI
    others = {
        route.path for route in service.app.routes if not getattr(route, "operation_id", None)
    }

    assert {name for name, *_ in EXPECTED} == served == set(WHO_MAY)
    assert others <= own


def test_the_file_of_callers_gives_roles(tmp_path):
    """
    An agent is one unless the file says underwriter; bank details are a permission of their own.
    """
    path = tmp_path / "partners.toml"
    agents = [
        ("a", ""),
        ("b", 'role = "underwriter"'),
        ("c", 'role = "agent"\nbank_details = true'),
    ]
    path.write_text(
        "\n".join(
            f'[[agents]]\nname = "{name}"\nkey_sha256 = "{sha256(name)}"\n{more}'
            for name, more in agents
        )
    )
    rights = [agent.rights for agent in read_partners(path).agents]

    assert rights == [{"agent"}, {"underwriter"}, {"agent", "bank_details"}]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('role = "boss"', "role: expected `agent` or `underwriter`"),
        ("bank_details = 1", "bank_details: expected true or false"),
    ],
)
def test_a_role_that_there_is_not_is_refused(tmp_path, line, message):
    """
    The error names the place, without the value.
    """
    path = tmp_path / "partners.toml"
    path.write_text(f'[[agents]]\nname = "a"\nkey_sha256 = "{sha256("a")}"\n{line}')
    with pytest.raises(ValueError, match="agents") as error:
        read_partners(path)

    assert str(error.value).endswith(message)
