"""The endpoints for the service's agents and underwriters (service 1)."""

import json
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Annotated

from fastapi import Depends, Header, Query, Request

from fastapi_host import open_work, schemas
from fastapi_host.answers import (
    TAKES_PROFILE,
    DealId,
    OnDay,
    SomeDay,
    json_answer,
    merchant_request,
    quoted,
    statement,
)
from fastapi_host.attempts import NOT_FOUND, retry
from fastapi_host.incoming import Incoming, asked, commanded
from fastapi_host.logs import note_of
from holdback import Refusal, filled_application, wire
from holdback.operations import (
    AskApplications,
    AskEvidence,
    AskHolds,
    AskReferrals,
    AskRefundable,
    QuoteSettlement,
    QuoteUnwinding,
    RequireChecks,
)

Commanded = Annotated[Incoming, Depends(commanded)]
Asked = Annotated[Incoming, Depends(asked)]
# An agent's word that the time is right, of a merchant that was silent for long.
Sure = Annotated[bool, Header(alias="Clock-Compared")]

# A merchant_id is the partner's own text, and may contain a slash.
PATH = "/v2/agents/{partner}/{merchant_id:path}"
COMMANDS = (
    "supply_details",
    "close_application",
    "fund_deal",
    "record_takings",
    "record_remittance",
    "close_deal",
    "reinstate_deal",
    "erase_profile",
    "record_evidence",
    "place_hold",
    "lift_hold",
    "decline_offers",
    "withdraw_offers",
    "disclose",
    "record_signature",
    "change_bank_details",
    "rectify_profile",
    "record_consents",
    "decide_referral",
    "review_renewal",
    "refund",
    "transfer",
    "record_recovery",
    "write_off",
    "waive_rest",
    "adjust",
    "unwind_deal",
    "return_payout",
    "record_suspense",
    "apply_suspense",
    "return_suspense",
    "charge_fee",
    "waive_fee",
    "agree_plan",
    "pause",
    "resume",
    "change_terms",
    "settle_early",
    "requote",
)
QUESTIONS = {
    "applications": AskApplications(),
    "referrals": AskReferrals(),
    "holds": AskHolds(),
    "evidence": AskEvidence(),
    "refundable": AskRefundable(),
}
QUOTES = {"settlement_quote": QuoteSettlement, "unwind_quote": QuoteUnwinding}
QUEUES = {
    "open_applications": open_work.APPLICATION,
    "open_referrals": open_work.REFERRAL,
    "open_deals": open_work.DEAL,
}


def add(app, host, partners):
    """Add the endpoints."""
    for operation in COMMANDS:
        path = f"{PATH}/{operation}"
        app.post(path, **schemas.described(operation))(_command(host, partners, operation))
    for operation, question in QUESTIONS.items():
        path = f"{PATH}/{operation}"
        app.get(path, **schemas.described(operation))(
            _question(host, partners, operation, question)
        )
    for operation, question in QUOTES.items():
        path = f"{PATH}/{operation}"
        app.get(path, **schemas.described(operation))(_quote(host, partners, question))
    app.get(f"{PATH}/statement", **schemas.described("statement"))(_statement(host, partners))
    path = f"{PATH}/required_checks"
    app.get(path, **schemas.described("required_checks"))(_required_checks(host, partners))
    for operation, read in (("filled_application", _filled), ("bank_details", _bank_details)):
        path = f"{PATH}/{operation}"
        app.get(path, **schemas.described(operation))(_about_application(host, partners, read))
    for operation, kind in QUEUES.items():
        path = f"/v2/{operation}"
        app.get(path, **schemas.described(operation))(_queue(host, kind))


def owner(partners, name):
    """
    Return the partner of this name.

    Raises:
        Refusal: `merchant_not_found`, the same as for an unknown merchant.
    """
    partner = partners.named(name)
    if partner is None:
        raise Refusal("merchant_not_found", NOT_FOUND["merchant_not_found"])
    return partner


def _command(host, partners, operation):
    def carry_out(
        request: Request,
        incoming: Commanded,
        partner: str,
        merchant_id: str,
        *,
        sure: Sure = False,
    ):
        def command(merchant, context):
            input_context = host.engine.input_context(merchant, context)
            return wire.read_command(operation, incoming.body or None, input_context)

        of = merchant_request(
            request,
            incoming,
            partner=owner(partners, partner),
            merchant_id=merchant_id,
            command=command,
            takes_profile=operation in TAKES_PROFILE,
            sure=sure,
        )
        return json_answer(host.carry_out(of))

    return carry_out


def _question(host, partners, operation, question):
    def ask(request: Request, incoming: Asked, partner: str, merchant_id: str):
        of = merchant_request(
            request,
            incoming,
            partner=owner(partners, partner),
            merchant_id=merchant_id,
            takes_profile=operation in TAKES_PROFILE,
        )
        return json_answer(host.ask(of, question))

    return ask


def _quote(host, partners, question):
    def ask(  # noqa: PLR0913, PLR0917 - the parts of the address
        request: Request,
        incoming: Asked,
        partner: str,
        merchant_id: str,
        deal_id: DealId,
        on: OnDay,
    ):
        of = merchant_request(
            request, incoming, partner=owner(partners, partner), merchant_id=merchant_id
        )
        return quoted(host, of, question, deal_id, on)

    return ask


def _statement(host, partners):
    def ask(  # noqa: PLR0913, PLR0917 - the parts of the address
        request: Request,
        incoming: Asked,
        partner: str,
        merchant_id: str,
        since: SomeDay = None,
        until: SomeDay = None,
    ):
        of = merchant_request(
            request, incoming, partner=owner(partners, partner), merchant_id=merchant_id
        )
        return statement(host, of, since, until)

    return ask


def _required_checks(host, partners):
    """Return what the funding of an accepted application needs, and what holds it back."""

    def ask(
        request: Request,
        incoming: Asked,
        partner: str,
        merchant_id: str,
        application_id: Annotated[str, Query(min_length=1)],
    ):
        of = merchant_request(
            request,
            incoming,
            partner=owner(partners, partner),
            merchant_id=merchant_id,
            takes_profile=True,
        )
        return json_answer(host.ask(of, RequireChecks(application_id=application_id)))

    return ask


def _about_application(host, partners, read):
    def ask(
        request: Request,
        incoming: Asked,
        partner: str,
        merchant_id: str,
        application_id: Annotated[str, Query(min_length=1)],
    ):
        of = merchant_request(
            request,
            incoming,
            partner=owner(partners, partner),
            merchant_id=merchant_id,
            takes_profile=True,
        )

        def answer(documents, _):
            merchant, profile = documents.merchant, documents.profile
            filled = filled_application(application_id, merchant, profile)
            return read(merchant.fulfilment_of(application_id), filled)

        return json_answer(host.read(of, answer))

    return ask


def _filled(fulfilment, filled):
    """Return an accepted application as bytes, without its bank details."""
    sections = {name: getattr(filled, name) for name in ("consents", "applicants", "company")}
    lapses_at, signature = fulfilment.lapses_at, fulfilment.signature
    return _written(
        {
            "application_id": filled.application_id,
            "merchant_id": filled.merchant_id,
            "provider_id": filled.provider_id,
            "currency": filled.currency,
            "status": fulfilment.status,
            "omitted": list(fulfilment.omitted),
            "accepted_at": wire.write_timestamp(fulfilment.accepted_at),
            "lapses_at": None if lapses_at is None else wire.write_timestamp(lapses_at),
            "signature_before": fulfilment.signature_before,
            "signed_document": None if signature is None else signature.document,
            "intended_use_of_funds": filled.intended_use_of_funds,
            "facts": dict(filled.facts),
        },
        sections,
    )


def _bank_details(_, filled):
    details = filled.bank_details
    given = None if details is None else details.given
    return _written({"application_id": filled.application_id, "bank_details": given})


def _written(fields, sections=MappingProxyType({})):
    """Return JSON as bytes: decimals as exact texts, and sections of the profile as they came."""
    texts = {name: json.dumps(value, default=str) for name, value in fields.items()}
    texts |= {name: "null" if one is None else one.text for name, one in sections.items()}
    members = ",".join(f"{json.dumps(name)}:{text}" for name, text in texts.items())
    return f"{{{members}}}".encode()


def _queue(host, kind):
    def read(
        request: Request,
        _: Asked,
        after: Annotated[str | None, Query(min_length=1, max_length=2000)] = None,
    ):
        place = None if after is None else open_work.read_place(after)
        page = retry(lambda: open_work.read_page(host.store, kind, place), note_of(request))
        work = [_work(row) for row in page.rows]
        following = None if page.after is None else open_work.write_place(page.after)
        return json_answer(_written({"open": work, "after": following}))

    return read


SHOWN = {
    open_work.APPLICATION: ("application_id", "status"),
    open_work.REFERRAL: ("application_id", "product"),
    open_work.DEAL: ("application_id", "deal_id", "status", "amount"),
}


def _work(row):
    names = ("partner", "merchant_id", *SHOWN[row.kind])
    since = wire.write_timestamp(datetime.fromtimestamp(row.since, UTC))
    return {name: getattr(row, name) for name in names} | {"since": since}
