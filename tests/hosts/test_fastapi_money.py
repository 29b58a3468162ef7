"""What happens after a funding, over HTTP: movements of money, and what has to be put right."""

from __future__ import annotations

import json
import re
import shutil
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import fastapi_calls as fixtures
import jsonschema
import pytest
from fastapi_calls import PARTNERS, Merchant, at_once, code, service_on
from fastapi_host.for_agents import COMMANDS
from fastapi_host.outbox import deliver_due
from fastapi_host.schemas import SCHEMAS

from holdback import Engine, load_jurisdictions

ACME = PARTNERS.named("acme")
GREAT_BRITAIN = Path(__file__).parents[2] / "jurisdictions/GB"
# What this file's jurisdiction states, and the reference policy's own words on it.
OWN = re.compile(
    r"^(cooling_off_days = \[.*?\]|(late_remittances = |renewal = |settlement = { calc)[^\n]*)\n",
    re.DOTALL | re.MULTILINE,
)
STATED = """\
cooling_off_days = [{ from = 2024-01-01, value = 14, source = "a policy" }]
late_remittances = "refund"
"""
HALF = 'settlement = { calculator = "percentage", percentage = "50%" }'
UNKNOWN = "00000000-0000-5000-8000-000000000000"
MONEY = (
    "refund",
    "record_recovery",
    "write_off",
    "waive_rest",
    "adjust",
    "unwind_deal",
    "settle_early",
    "waive_fee",
)
ON_A_DAY = ("pause", "resume", "change_terms")
# Operations on cash without a deal, with what else each names.
SUSPENSE = {
    "record_suspense": {},
    "apply_suspense": {"suspense_id": "c-1"},
    "return_suspense": {"suspense_id": "c-1", "kind": "refund"},
}
OTHERS = ("transfer", "return_payout", "charge_fee", "agree_plan", *ON_A_DAY, *SUSPENSE, "requote")
# The amounts of the first offer: what is funded, what is repaid.
FUNDED, REPAID = Decimal("9600.00"), Decimal("11904.00")


def engine(folder, renewal):
    """Return an engine whose deals can be undone, settled early and, if it says so, queued for."""
    shutil.copytree(GREAT_BRITAIN, folder / "GB")
    terms = {
        "jurisdiction.toml": ('name = "United Kingdom"\n', STATED),
        "products.toml": ('key = "flex"\n', f'{HALF}\nrenewal = "{renewal}"\n'),
    }
    for name, (after, lines) in terms.items():
        path = folder / "GB" / name
        text = OWN.sub("", path.read_text(encoding="utf-8"))
        path.write_text(text.replace(after, after + lines, 1), encoding="utf-8")
    return Engine.for_trial(load_jurisdictions(folder))


@pytest.fixture(scope="module", params=["sqlite", "READ COMMITTED"])
def place(request, tmp_path_factory):
    rules = engine(tmp_path_factory.mktemp("rules"), "settle")
    folder = tmp_path_factory.mktemp("database")
    with service_on(request.param, folder, request, engine=rules) as service:
        yield service


service, merchant = fixtures.service, fixtures.merchant


@pytest.fixture
def queueing(tmp_path):
    """A service whose renewals wait until the deal before them is repaid."""
    (tmp_path / "rules").mkdir()
    rules = engine(tmp_path / "rules", "queue")
    with service_on("sqlite", tmp_path, engine=rules) as service:
        yield service


def day(service):
    return service.now.date().isoformat()


def move(merchant, operation, amount, entry_id="x-1", **more):
    """Call an operation that moves money of the merchant's deal, today."""
    body = {"deal_id": merchant.known["deal_id"], "id": entry_id, "on": day(merchant.service)}
    return merchant.agent(operation, body | {"amount": str(amount)}, **more)


def change(merchant, operation, **more):
    body = {"deal_id": merchant.known["deal_id"], "on": day(merchant.service), **more}
    return merchant.agent(operation, body)


def reverse(merchant, amount, entry_id, reverses="e-1"):
    entry = {"id": entry_id, "on": day(merchant.service), "amount": amount, "reverses": reverses}
    body = {"deal_id": merchant.known["deal_id"], "entries": [entry]}
    return merchant.agent("record_remittance", body)


def deal_of(merchant, deal_id=None):
    deals = {
        deal["id"]: deal
        for deal in json.loads(merchant.look_up().text, parse_float=Decimal)["deals"]
    }
    return deals[deal_id or merchant.known["deal_id"]]


def movements(deal):
    return [(one["kind"], one["amount"]) for one in deal["transactions"]]


def to_put_right(service):
    """Return the deals that agents have to put right, as status and amount."""
    reply = service.call("GET", "/v2/open_deals", key="agent-key")
    assert reply.status_code == 200
    return [(one["status"], one["amount"]) for one in reply.json()["open"]]


def webhooks(service):
    """Deliver what is due to the partner, and return it."""
    bodies = []

    def receive(_url, _headers, body):
        bodies.append(json.loads(body))
        return 200

    deliver_due(service.store, ACME, receive, now=lambda: 1_800_000_000)
    return bodies


def validator(name):
    """Return a validator of what the OpenAPI document says of a reply."""
    schema = {"$ref": f"#/components/schemas/{name}", "components": {"schemas": SCHEMAS}}
    return jsonschema.Draft202012Validator(schema)


def refused(reply, saying, why="amount_not_possible"):
    """Return whether a reply refuses, with 409, and a sentence that has these words."""
    return code(reply) == (409, why) and saying in reply.json()["detail"]


# ------------------------------------------------------------------- remittances and refunds


def test_a_chargeback_in_part(merchant):
    """
    "Of a partly reversed remittance the rest counts", and the parts are at most the whole.
    """
    merchant.funded()
    merchant.remit("1000.00")
    assert reverse(merchant, "400.00", "r-1").status_code == 200
    assert code(reverse(merchant, "600.01", "r-2"))[0] in {409, 422}
    deal = deal_of(merchant)

    assert movements(deal) == [("remittance", 1000), ("reversal", -400)]
    assert [one["status"] for one in deal["transactions"]] == ["PartlyReversed", "Reversal"]
    assert deal["balance"] == REPAID - 600


def test_an_overpayment_is_listed_and_refunded(service, merchant):
    """
    The deal is repaid, the list of the agents says how much is to be given back, and the refund
    ends it: at most what was overpaid, and once.
    """
    merchant.funded()
    merchant.remit("20000.00")
    assert deal_of(merchant)["status"] == "Repaid"
    assert service.call("GET", "/v2/open_deals", key="agent-key").json()["open"] == [
        {
            "partner": "acme",
            "merchant_id": "m-1",
            "application_id": merchant.known["application_id"],
            "deal_id": merchant.known["deal_id"],
            "status": "refund_due",
            "amount": "GBP 8096.00",
            "since": "2026-07-06T00:00:00Z",
        }
    ]
    assert refused(move(merchant, "refund", "8096.01"), "at most GBP 8096.00")
    assert move(merchant, "refund", "8000.00").status_code == 200
    assert to_put_right(service) == [("refund_due", "GBP 96.00")]
    # The amount as the list has it.
    assert move(merchant, "refund", "GBP 96.00", "x-2").status_code == 200

    assert to_put_right(service) == []
    deal = deal_of(merchant)
    assert movements(deal) == [("remittance", 20000), ("refund", -8000), ("refund", -96)]
    assert sum(amount for _, amount in movements(deal)) == REPAID


@pytest.mark.parametrize("key", [None, "k-1"])
def test_a_repeated_refund_is_one(merchant, key):
    """
    The same entry again, with its key or without one, gets the same receipt and moves nothing.
    """
    merchant.funded()
    merchant.remit("20000.00")
    first, second = (move(merchant, "refund", "100.00", idempotency=key) for _ in range(2))
    other = move(merchant, "refund", "100.01")

    assert first.status_code == 200
    assert first.content == second.content
    assert code(other) == (409, "request_conflict")
    assert movements(deal_of(merchant)) == [("remittance", 20000), ("refund", -100)]


def test_an_overpayment_is_transferred_to_the_next_deal(service, merchant):
    """
    Both deals have a half of it, and the list is empty.
    """
    merchant.funded()
    first = merchant.known["deal_id"]
    service.now += timedelta(days=120)
    merchant.remit("12000.00")
    assert merchant.ask(merchant.renewal()).status_code == 200
    assert merchant.accept().status_code == 200
    assert merchant.fund().status_code == 200
    second = merchant.known["deal_id"]
    body = {"from_deal_id": first, "to_deal_id": second, "id": "t-1", "on": day(service)}
    assert to_put_right(service) == [("refund_due", "GBP 96.00")]
    too_much = merchant.agent("transfer", body | {"amount": "96.01"})
    assert refused(too_much, "at most GBP 96.00")
    assert merchant.agent("transfer", body | {"amount": "96.00"}).status_code == 200

    assert to_put_right(service) == []
    assert movements(deal_of(merchant, first))[-1] == ("transfer", -96)
    assert movements(deal_of(merchant, second)) == [("transfer", 96)]
    assert deal_of(merchant, second)["transactions"][0]["deal_id"] == first


def test_a_shortfall_is_listed_and_written_off(service, merchant):
    """
    A chargeback on a deal that was renewed leaves a shortfall, which ends when it is written off.
    """
    merchant.renewable()
    base = merchant.known["deal_id"]
    merchant.ask(merchant.renewal())
    merchant.accept()
    merchant.fund()
    renewal = merchant.known["deal_id"]
    merchant.known["deal_id"] = base
    assert reverse(merchant, "500.00", "r-1").status_code == 200
    assert to_put_right(service) == [("shortfall", "GBP 500.00")]
    assert refused(move(merchant, "write_off", "500.01"), "at most GBP 500.00")
    assert move(merchant, "write_off", "500.00").status_code == 200

    assert to_put_right(service) == []
    deal = deal_of(merchant, base)
    assert ("settlement", REPAID - 7000) in movements(deal)
    assert sum(amount for _, amount in movements(deal)) == REPAID
    assert deal_of(merchant, renewal)["active"]


# --------------------------------------------------------------------- defaults and unwinding


def test_a_default_is_recovered_and_defaults_again(service, merchant):
    """
    "A default paid in full is `Recovered` (reversing a recovery makes it `Defaulted` again)."
    """
    merchant.funded()
    merchant.remit("1904.00")
    too_early = move(merchant, "record_recovery", "1.00")
    assert refused(too_early, "follows a default", "not_possible_now")
    change_of_status = {"deal_id": merchant.known["deal_id"], "status": "defaulted"}
    assert merchant.agent("close_deal", change_of_status).status_code == 200
    service.now += timedelta(days=30)
    assert move(merchant, "record_recovery", "4000.00", "c-1").status_code == 200
    assert deal_of(merchant)["status"] == "Defaulted"
    assert move(merchant, "record_recovery", "6000.00", "c-2").status_code == 200
    assert (deal_of(merchant)["status"], deal_of(merchant)["balance"]) == ("Recovered", 0)
    assert reverse(merchant, "1000.00", "r-1", "c-2").status_code == 200

    assert (deal_of(merchant)["status"], deal_of(merchant)["balance"]) == ("Defaulted", 1000)
    assert move(merchant, "write_off", "1000.00", "w-1").status_code == 200
    assert deal_of(merchant)["balance"] == 0
    assert to_put_right(service) == []


def test_a_default_is_settled_for_less(service, merchant):
    """
    "an agreed amount closes a defaulted deal as `Settled`, the rest waived by name": once, all of
    it or nothing, and until what was paid bounces.
    """
    merchant.funded()
    change_of_status = {"deal_id": merchant.known["deal_id"], "status": "defaulted"}
    assert merchant.agent("close_deal", change_of_status).status_code == 200
    assert move(merchant, "record_recovery", "5000.00", "c-1").status_code == 200
    rest = REPAID - 5000
    assert refused(move(merchant, "waive_rest", rest - 1, "w-1"), f"GBP {rest} is left to pay")
    first, second = (move(merchant, "waive_rest", rest, "w-1") for _ in range(2))
    assert (first.status_code, first.content) == (200, second.content)
    deal = deal_of(merchant)
    assert (deal["status"], deal["active"], deal["balance"]) == ("Settled", False, 0)
    assert movements(deal) == [("recovery", 5000), ("waiver", rest)]
    assert to_put_right(service) == []
    assert reverse(merchant, "5000.00", "r-1", "c-1").status_code == 200

    deal = deal_of(merchant)
    assert (deal["status"], deal["balance"]) == ("Defaulted", REPAID)
    assert sorted(movements(deal)) == [
        ("recovery", 5000),
        ("reversal", -5000),
        ("waiver", -rest),
        ("waiver", rest),
    ]


def test_a_default_is_paid_by_a_plan(service, merchant):
    """
    "a plan of dated instalments": recorded once, at most what is left, and paid by what comes in.
    """
    merchant.funded()
    change_of_status = {"deal_id": merchant.known["deal_id"], "status": "defaulted"}
    assert merchant.agent("close_deal", change_of_status).status_code == 200
    body = {"deal_id": merchant.known["deal_id"], "plan_id": "p-1"}

    def agreed(amount):
        instalments = [{"due_on": day(service), "amount": str(amount)}]
        return merchant.agent("agree_plan", {**body, "instalments": instalments})

    assert refused(agreed(REPAID + 1), "at most")
    first, second = (agreed("5000.00") for _ in range(2))
    assert (first.status_code, first.content) == (200, second.content)
    assert refused(agreed("4000.00"), "`p-1`", "request_conflict")
    assert move(merchant, "record_recovery", "2000.00", "c-1").status_code == 200

    assert deal_of(merchant)["plan"] == {
        "instalments": [{"due_on": day(service), "amount": 5000, "paid": 2000}],
        "past_due": 0,
        "days_past_due": 0,
        "next_due_on": day(service),
    }
    assert merchant.agent("agree_plan", {**body, "plan_id": "p-2", "instalments": []}).is_success
    assert "plan" not in deal_of(merchant)


def test_a_deal_is_unwound_within_its_days(service, merchant):
    """
    The principal that comes back is what was funded less what was paid; the charge is cancelled.
    """
    merchant.funded()
    merchant.remit("600.00")
    service.now += timedelta(days=14)
    assert refused(move(merchant, "unwind_deal", FUNDED), "is GBP 9000.00")
    assert move(merchant, "unwind_deal", "9000.00").status_code == 200

    deal = deal_of(merchant)
    assert (deal["status"], deal["active"], deal["balance"]) == ("Unwound", False, 0)
    assert sorted(movements(deal)) == [
        ("charge_cancelled", REPAID - FUNDED),
        ("principal_return", 9000),
        ("remittance", 600),
    ]
    assert webhooks(service)[-1] == {
        "type": "deal_unwound",
        "provider_id": merchant.known["provider_id"],
        "deal_id": merchant.known["deal_id"],
        "on": "2026-07-20",
        "at": "2026-07-20T09:00:00Z",
    }


def test_a_deal_is_not_unwound_after_its_days(service, merchant):
    """
    409, and the sentence says for how long it was possible.
    """
    merchant.funded()
    service.now += timedelta(days=15)

    assert refused(move(merchant, "unwind_deal", FUNDED), "14 days", "not_possible_now")
    assert deal_of(merchant)["status"] == "Funded"


def test_unwinding_a_renewal_revives_the_deal_before_it(service, merchant):
    """
    "The base deal is active again", with the balance that it had; cancelling is refused.
    """
    merchant.renewable()
    base = merchant.known["deal_id"]
    owed = deal_of(merchant)["balance"]
    merchant.ask(merchant.renewal())
    merchant.accept()
    merchant.fund()
    renewal = merchant.known["deal_id"]
    cancelled = merchant.agent("close_deal", {"deal_id": renewal, "status": "cancelled"})
    assert refused(cancelled, "unwind it", "not_possible_now")
    service.now += timedelta(days=3)
    back = deal_of(merchant)["pricing"]["funded_amount"] - owed
    assert move(merchant, "unwind_deal", back).status_code == 200

    assert deal_of(merchant, renewal)["status"] == "Unwound"
    assert (deal_of(merchant, base)["status"], deal_of(merchant, base)["balance"]) == (
        "Funded",
        owed,
    )
    assert to_put_right(service) == []


def test_a_payout_that_comes_back_is_paid_out_again(service, merchant):
    """
    The partner is notified; the same application is funded once its bank details are corrected, and
    the partner and the agents find the merchant as before.
    """
    merchant.funded()
    first, application_id = merchant.known["deal_id"], deal_of(merchant)["application_id"]
    service.now += timedelta(days=30)
    body = {"deal_id": first, "id": "bank-1", "on": day(service)}
    for _ in range(2):
        assert merchant.agent("return_payout", body).status_code == 200
    assert webhooks(service)[-1] == {
        "type": "payout_returned",
        "provider_id": merchant.known["provider_id"],
        "deal_id": first,
        "on": "2026-08-05",
        "at": "2026-08-05T09:00:00Z",
    }
    again = {"application_id": application_id}
    waiting = json.loads(service.call("GET", "/v2/open_applications", key="agent-key").text)["open"]
    assert [(work["application_id"], work["status"]) for work in waiting] == [
        (application_id, "awaiting_details")
    ]
    assert refused(merchant.agent("fund_deal", again), "awaiting details", "not_possible_now")
    details = {"bank_details": {"account_number": "87654321", "sort_code": "10-20-30"}}
    assert merchant.agent("change_bank_details", details).status_code == 200
    second = json.loads(merchant.agent("fund_deal", again).text)["deal_id"]

    assert second != first
    assert (deal_of(merchant, first)["status"], deal_of(merchant, second)["status"]) == (
        "Unwound",
        "Funded",
    )
    assert sorted(movements(deal_of(merchant, first))) == [
        ("charge_cancelled", REPAID - FUNDED),
        ("payout_return", FUNDED),
    ]
    assert to_put_right(service) == []


def test_what_it_would_cost_is_a_question(service, merchant):
    """
    What has to come back, and what is due to the merchant, are answered without trying.
    """
    merchant.funded()
    merchant.remit("600.00")
    asked = {"deal_id": merchant.known["deal_id"], "on": day(service)}
    quote = json.loads(merchant.agent_asks("unwind_quote", params=asked).text)
    assert quote == asked | {
        "amount": FUNDED - 600,
        "currency": "GBP",
        "until": "2026-07-20",
        "reason": None,
    }
    late = json.loads(merchant.agent_asks("unwind_quote", params=asked | {"on": "2026-07-21"}).text)
    assert late["amount"] is None
    assert "14 days" in late["reason"]

    assert json.loads(merchant.agent_asks("refundable").text) == {"deals": []}
    merchant.remit(str(REPAID), "e-2")
    due = {"deal_id": merchant.known["deal_id"], "amount": 600, "currency": "GBP"}
    assert json.loads(merchant.agent_asks("refundable").text) == {"deals": [due]}


# --------------------------------------------------------------- schedule and early settlement


def test_the_partner_is_notified_of_pauses_and_other_terms(service, merchant):
    """
    What a partner has to know to withhold the right share of the takings; no reason and no note.
    """
    merchant.funded()
    service.now += timedelta(days=10)
    for _ in range(2):  # the second is a repetition, which the partner does not get
        assert change(merchant, "pause").status_code == 200
    service.now += timedelta(days=20)
    assert change(merchant, "resume").status_code == 200
    assert change(merchant, "change_terms", split_percentage=5, term_days=400).status_code == 200
    sent = webhooks(service)

    about = {name: merchant.known[name] for name in ("provider_id", "deal_id")}
    late = {"on": "2026-08-05", "at": "2026-08-05T09:00:00Z"}
    terms = {"split_percentage": "5", "term_length": "13.15"}
    assert sent == [
        {"type": "deal_paused", **about, "on": "2026-07-16", "at": "2026-07-16T09:00:00Z"},
        {"type": "deal_resumed", **about, **late},
        {"type": "terms_changed", **about, **late, **terms},
    ]


def test_an_early_settlement(service, merchant):
    """
    The quote is the same for the partner and for agents, less is refused, and the deal is repaid.
    """
    merchant.funded()
    merchant.remit("2976.00")  # a quarter
    asked = {"deal_id": merchant.known["deal_id"], "on": day(service)}
    path = "/v2/merchants/m-1/settlement_quote"
    quotes = [
        service.call("GET", path, params=asked),
        merchant.agent_asks("settlement_quote", params=asked),
    ]
    assert [reply.status_code for reply in quotes] == [200, 200]
    assert quotes[0].content == quotes[1].content
    quote = json.loads(quotes[0].text, parse_float=Decimal)
    discount = (REPAID - FUNDED) * 3 / 4 / 2  # half of the cost that is left
    assert quote == asked | {
        "balance": REPAID - 2976,
        "discount": discount,
        "amount": REPAID - 2976 - discount,
        "currency": "GBP",
    }
    less = move(merchant, "settle_early", quote["amount"] - Decimal("0.01"))
    assert refused(less, f"at least GBP {quote['amount']}")
    assert move(merchant, "settle_early", quote["amount"]).status_code == 200

    deal = deal_of(merchant)
    assert (deal["status"], deal["balance"]) == ("Repaid", 0)
    assert min(movements(deal)) == ("discount", discount)
    after = service.call("GET", path, params=asked)
    assert code(after) == (409, "not_possible_now")


@pytest.mark.parametrize(
    "on", ["2026-07-05", "2026-7-6", "20260706", "1783296000", "x", "2026-02-30"]
)
def test_a_settlement_is_quoted_for_days_to_come(service, merchant, on):
    """
    A past day, and a text that does not name a day, are refused with 422.
    """
    merchant.funded()
    asked = {"deal_id": merchant.known["deal_id"], "on": on}

    assert code(merchant.agent_asks("settlement_quote", params=asked)) == (422, "invalid_request")


# -------------------------------------------------------------------------------- statements


def test_a_statement_balances_for_the_partner_and_for_agents(service, merchant):
    """
    "Opening balance, every movement, closing balance, per deal and in all", as the look-up has it.
    """
    merchant.funded()
    merchant.remit("1000.00")
    service.now += timedelta(days=5)
    reverse(merchant, "400.00", "r-1")
    path = "/v2/merchants/m-1/statement"
    whole, mine = service.call("GET", path), merchant.agent_asks("statement")
    assert whole.status_code == 200
    assert whole.content == mine.content
    validator("Statement").validate(whole.json())
    later = service.call("GET", path, params={"since": "2026-07-07", "until": day(service)})
    statement = json.loads(later.text, parse_float=Decimal)

    (part,) = statement["deals"]
    assert (statement["balances"], statement["differences"]) == (True, [])
    assert (part["opening"], part["closing"]) == (REPAID - 1000, deal_of(merchant)["balance"])
    (line,) = part["lines"]
    assert (line["kind"], line["amount"]) == ("reversal", -400)
    assert json.loads(whole.text, parse_float=Decimal)["paid_out"] == FUNDED


@pytest.mark.parametrize(
    "period",
    [{"since": "x"}, {"until": "2026-13-01"}, {"since": "2026-07-07", "until": "2026-07-06"}],
)
def test_a_period_that_is_none_is_refused(service, merchant, period):
    """
    422 for a text that does not name a day, and for a period that ends before it begins.
    """
    merchant.funded()
    reply = service.call("GET", "/v2/merchants/m-1/statement", params=period)

    assert code(reply) == (422, "invalid_request")


# ----------------------------------------------------------------------------- other amounts


def test_another_amount_at_both_limits(service, merchant):
    """
    "Another amount in the product's steps and limits"; the new offers are accepted as the others.
    """
    (product, *_) = merchant.ask().json()["products"]
    lowest, highest = (Decimal(str(product["limits"][end])) for end in ("minimum", "maximum"))
    offer_id = product["offers"][0]["offer_id"]
    ids = []
    for amount in (lowest, highest):
        reply = merchant.partner_does("requote", {"offer_id": offer_id, "amount": str(amount)})
        assert reply.status_code == 200, reply.text
        (quoted,) = reply.json()["products"]
        new = [one for one in quoted["offers"] if one["funded_amount"] == float(amount)]
        assert new
        ids.append(new[0]["offer_id"])
    for outside in (lowest - 100, highest + 100, lowest + 50):
        body = {"offer_id": offer_id, "amount": str(outside)}
        assert code(merchant.partner_does("requote", body)) == (409, "amount_not_possible")
    bolt = Merchant(service, key="bolt-key", partner="bolt")
    assert code(bolt.accept(ids[0])) == (404, "offer_not_found")

    accepted = merchant.accept(ids[0])
    assert accepted.status_code == 200
    assert accepted.json()["offer"]["funded_amount"] == float(lowest)


def test_a_repeated_amount_adds_nothing(service, merchant):
    """
    The same amount again, by the partner or by an agent, gets the same offers.
    """
    merchant.ask()
    body = {"offer_id": merchant.known["offer_ids"][0], "amount": "5000"}
    replies = [merchant.partner_does("requote", body) for _ in range(2)]
    replies += [merchant.partner_does("requote", body, idempotency="k") for _ in range(2)]
    replies.append(merchant.agent("requote", body))

    assert {reply.status_code for reply in replies} == {200}
    assert len({reply.content for reply in replies}) == 1
    assert service.events().count("OfferRequoted") == 1


def test_no_amount_is_quoted_on_hold(merchant):
    """
    "Refused ... on hold", and the partner is not told why.
    """
    merchant.ask()
    merchant.agent("place_hold", {"code": "suspected-fraud", "by": "u-7"})
    body = {"offer_id": merchant.known["offer_ids"][0], "amount": "5000"}
    reply = merchant.partner_does("requote", body)

    assert code(reply) == (409, "referred")
    assert "hold" not in reply.text.replace("urn:holdback", "")


# ---------------------------------------------------------------------------- queued renewals


def statuses(merchant):
    applications = merchant.partner_does("applications").json()["applications"]
    work = merchant.service.call("GET", "/v2/open_applications", key="agent-key").json()["open"]
    return applications[-1]["status"], [one["status"] for one in work]


def test_a_queued_renewal_is_funded_after_the_repayment(queueing):
    """
    "Repayment emits `QueuedRenewalReady`, the host funds"; until then both lists say `queued`.
    """
    merchant = Merchant(queueing).renewable()
    webhooks(queueing)
    assert merchant.ask(merchant.renewal()).status_code == 200
    assert merchant.accept().status_code == 200
    assert statuses(merchant) == ("queued", ["queued"])
    named = {"application_id": merchant.known["application_id"]}
    early = merchant.agent("fund_deal", named)
    assert refused(early, "not repaid yet", "not_possible_now")
    assert merchant.remit(str(REPAID - 7000), "e-2").status_code == 200
    assert statuses(merchant) == ("submitted", ["submitted"])
    ready = {"type": "queued_renewal_ready", "merchant_id": "m-1", **named}
    assert ready | {"at": "2026-11-03T09:00:00Z"} in webhooks(queueing)
    # While what was paid is taken back, it waits again.
    assert reverse(merchant, "100.00", "r-1", "e-2").status_code == 200
    assert statuses(merchant) == ("queued", ["queued"])
    assert merchant.remit("100.00", "e-3").status_code == 200

    assert merchant.fund().status_code == 200
    assert statuses(merchant) == ("funded", [])
    assert "settlement" not in dict(movements(deal_of(merchant)))


def test_a_default_ends_a_queued_renewal(queueing):
    """
    "A default or cancellation of the base ends it": nothing waits any more.
    """
    merchant = Merchant(queueing).renewable()
    merchant.ask(merchant.renewal())
    merchant.accept()
    ended = {"deal_id": merchant.known["deal_id"], "status": "defaulted"}
    assert merchant.agent("close_deal", ended).status_code == 200

    assert statuses(merchant) == ("declined", [])


# ---------------------------------------------------------------------- races and hostile bodies


def test_of_concurrent_refunds_of_all_one_wins(service, merchant):
    """
    What was overpaid is given back once, however many refund it at the same time.
    """
    merchant.funded()
    merchant.remit("12000.00")
    calls = [lambda n=n: move(merchant, "refund", "96.00", f"x-{n}") for n in range(6)]
    replies = at_once(calls)

    assert sorted(reply.status_code for reply in replies) == [200, *[409] * 5]
    assert [amount for kind, amount in movements(deal_of(merchant)) if kind == "refund"] == [-96]
    assert to_put_right(service) == []


def test_cash_without_a_deal_is_held_until_it_is_applied_or_returned(service, merchant):
    """
    A part pays the deal, a part goes back, and the statement has what is left.
    """
    merchant.funded()
    cash = {"id": "c-1", "on": day(service), "amount": "500.00"}
    moved = {"suspense_id": "c-1", "on": day(service)}
    applied = moved | {"deal_id": merchant.known["deal_id"], "id": "a-1", "amount": "300.00"}
    returned = moved | {"kind": "refund", "id": "b-1", "amount": "150.00"}

    assert merchant.agent("record_suspense", cash).json()["left"] == 500
    for _ in range(2):
        assert merchant.agent("apply_suspense", applied).json()["balance"] == REPAID - 300
        assert merchant.agent("return_suspense", returned).json()["left"] == 50
    assert code(merchant.agent("apply_suspense", applied | {"id": "a-2"})) == (
        409, "amount_not_possible",
    )  # fmt: skip
    assert movements(deal_of(merchant)) == [("payment", 300)]
    statement = merchant.agent_asks("statement").json()
    assert statement["suspense"]["held"] == [{"suspense_id": "c-1", "on": day(service), "left": 50}]


def test_concurrent_copies_of_one_settlement_are_one(merchant):
    """
    All get the receipt of the first, and the deal has one payment and one discount.
    """
    merchant.funded()
    settled = REPAID - (REPAID - FUNDED) / 2
    replies = at_once([lambda: move(merchant, "settle_early", settled)] * 6)

    assert {reply.status_code for reply in replies} == {200}
    assert len({reply.content for reply in replies}) == 1
    assert sorted(kind for kind, _ in movements(deal_of(merchant))) == ["discount", "payment"]


def test_an_amount_that_is_asked_for_at_once_is_priced_once(service, merchant):
    """
    All get the same offers, of which there is one set.
    """
    merchant.ask()
    body = {"offer_id": merchant.known["offer_ids"][0], "amount": "5000"}
    replies = at_once([lambda: merchant.partner_does("requote", body)] * 6)

    assert {reply.status_code for reply in replies} == {200}
    assert len({reply.content for reply in replies}) == 1
    assert service.events().count("OfferRequoted") == 1


WRONG = {
    "not JSON": b"{",
    "no object": b"[]",
    "empty": b"{}",
    "an unknown field": {"more": 1},
    "no day": {"on": "yesterday"},
    "a day to come": {"on": "2026-07-07"},
    "a number for an id": {"deal_id": 7},
    "a control character": {"id": "x\x00"},
    "below zero": {"amount": "-1.00"},
    "too exact": {"amount": "1.001"},
    "too large": {"amount": "1e30"},
    "another currency": {"amount": "USD 1.00"},
    "not a number": {"amount": "NaN"},
    "deep": b'{"amount":' + b"[" * 5000 + b"]" * 5000 + b"}",
    "no split": {"split_percentage": 0},
    "no term": {"term_days": 0},
}


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("operation", [*MONEY, *OTHERS])
def test_a_hostile_body_changes_nothing(service, merchant, operation, wrong):
    """
    422 with what is wrong, never 500, and no event.
    """
    merchant.funded()
    before = service.events()
    deal_id, day_ = merchant.known["deal_id"], day(service)
    body = {"deal_id": deal_id, "id": "x-1", "on": day_, "amount": "1.00"}
    if operation in ON_A_DAY:
        body = {"deal_id": deal_id, "on": day_}
    elif operation == "transfer":
        body = {"from_deal_id": deal_id, "to_deal_id": deal_id} | body
        del body["deal_id"]
    elif operation == "return_payout":
        del body["amount"]
    elif operation == "charge_fee":
        body |= {"fee": "late", "about": "e-1"}
    elif operation == "agree_plan":
        instalments = [{"due_on": day_, "amount": "1.00"}]
        body = {"deal_id": deal_id, "plan_id": "p-1", "instalments": instalments}
    elif operation in SUSPENSE:
        body |= SUSPENSE[operation]
        if operation != "apply_suspense":
            del body["deal_id"]
    elif operation == "requote":
        body = {"offer_id": merchant.known["offer_ids"][0], "amount": "1.00"}
    sent = WRONG[wrong]
    reply = merchant.agent(operation, sent if isinstance(sent, bytes) else body | sent)

    assert service.events() == before
    if wrong == "below zero" and operation == "adjust":
        assert code(reply) == (409, "amount_not_possible")  # nothing was taken off before
        return
    assert code(reply) == (422, "invalid_request")
    assert reply.json()["errors"]


def test_every_command_that_moves_money_was_tried():
    """
    A new one has to be added to the hostile bodies above.
    """
    after_funding = COMMANDS[COMMANDS.index("refund") :]

    assert set(after_funding) == {*MONEY, *OTHERS}
