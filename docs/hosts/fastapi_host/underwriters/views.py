"""The pages: signing in, the list of open referrals, and what is known of one merchant."""

from attrs import field as attribute
from attrs import frozen

from fastapi_host.underwriters.layout import (
    HOME,
    NOTHING,
    alert,
    content_of,
    day,
    described,
    document,
    field,
    form,
    identifier,
    link,
    listed,
    notice,
    second,
    table,
    time,
    value,
    words,
)
from fastapi_host.underwriters.markup import tag

DONE = {
    "approve": "The product is approved. Of an offer, the partner is notified that it may ask "
    "again; of a payout it is not.",
    "decline": "The product is declined. Of an offer, the partner is notified that it may ask "
    "again; of a payout it is not.",
    "hold": "The merchant is on hold.",
    "lift": "The hold is lifted.",
}
WHY_OLD = {
    "too_old": "Too old",
    "due_again": "Due again",
    "about_others": "About others",
    "corrected": "Corrected since",
}
OTHERS = {
    "applicants": "These are not the applicants of the application that was accepted last.",
    "company": "This is not the company of the application that was accepted last.",
}
NO_APPROVAL = (
    "No approval lets this money out. Record a newer result of the check, or close the application."
)
MOST_OF_NOTE = 1000  # characters


@frozen(kw_only=True)
class MerchantView:
    """What an underwriter sees of a merchant: replies of the engine, and the state behind them."""

    partner: str
    merchant: object
    profile: object = attribute(repr=False)
    referrals: object
    for_funding: object | None  # what the application in fulfilment needs
    holds: object
    applications: object
    deals: object
    checks: tuple | None  # None while the rules of the jurisdiction are not loaded
    form_id: str = attribute(repr=False)

    @property
    def address(self):
        """What names the merchant in an address or a form."""
        return {"partner": self.partner, "merchant_id": self.merchant.merchant_id}

    @property
    def zone(self):
        """The time zone of the merchant, None before its first request."""
        return self.merchant.timezone

    def payout(self, referral):
        """Return the accepted application whose payout waits, None of a referral of offers."""
        return self.merchant.fulfilment_of(referral.application_id)

    def product(self, key):
        """Return the name of a product, its key if no offers that are held name it."""
        products = (p for one in reversed(self.merchant.offer_sets) for p in one.products)
        return next((product.name for product in products if product.key == key), key)


def sign_in(error=None, status=200):
    """Return the page to sign in with a key."""
    key = field(
        "Key",
        "key",
        "sign-in",
        "The key that you were given as an underwriter.",
        type="password",
        autocomplete="current-password",
        required=True,
        maxlength=500,
    )
    buttons = tag("div", tag("button", "Sign in"), class_="buttons")
    entry = tag("form", key, buttons, method="post", action=link("/sign-in"), class_="card")
    return document("Sign in", error and alert(tag("p", error)), entry, status=status)


def referrals(session, page, partners, following):
    """Return the list of open referrals, and a form to open any merchant."""
    rows = [
        (
            tag("a", row.merchant_id, href=_merchant_link(row.partner, row.merchant_id)),
            row.partner,
            words(row.product),
            second(row.since),
        )
        for row in page.rows
    ]
    columns = ("Merchant", "Partner", "Product", "Waiting since")
    work = table("Open referrals, the oldest first", columns, rows)
    names = tag(
        "select",
        [tag("option", partner.name, value=partner.name) for partner in partners],
        id="open-partner",
        name="partner",
    )
    choose = tag("div", tag("label", "Partner", for_="open-partner"), names, class_="field")
    name = field("Merchant", "merchant_id", "open", "The partner's own identifier.", required=True)
    buttons = tag("div", tag("button", "Open", class_="second"), class_="buttons")
    return document(
        "Referrals",
        work if rows else tag("p", "No referral is open.", class_="card"),
        following and tag("p", tag("a", "Next page", href=link("", after=following))),
        tag("h2", "Open a merchant"),
        tag("form", choose, name, buttons, method="get", action=link("/merchant"), class_="card"),
        session=session,
    )


def _merchant_link(partner, merchant_id):
    return link("/merchant", partner=partner, merchant_id=merchant_id)


@frozen(kw_only=True)
class Refused:
    """A form that was refused: why, in sentences, and its fields, which are shown again."""

    errors: tuple
    fields: dict
    status: int


def merchant(session, view, *, done=None, refused=None):
    """Return the page of a merchant, with what a form did, or why it was refused."""
    entered = {} if refused is None else refused.fields
    return document(
        view.merchant.merchant_id,
        tag("p", tag("a", "All referrals", href=HOME)),
        refused and alert(tag("p", "Nothing was changed."), listed(refused.errors)),
        (done in DONE and notice(DONE[done])) or None,
        described([("Partner", view.partner), ("Jurisdiction", view.merchant.jurisdiction)]),
        _holding(view),
        tag("h2", "Referrals"),
        _referrals(session, view, entered),
        _decisions(view),
        tag("h2", "Checks"),
        _checks(view),
        tag("h2", "Applications"),
        _applications(view),
        tag("h2", "Deals"),
        _deals(view),
        tag("h2", "Holds"),
        _holds(session, view, entered),
        session=session,
        status=200 if refused is None else refused.status,
    )


def _holding(view):
    if not view.holds.holds:
        return None
    text = "On hold: nothing is offered, accepted or funded. Partners are not notified why."
    return tag("p", text, class_="alert")


def _referrals(session, view, entered):
    if not view.referrals.referrals:
        return tag("p", "Nothing is to be decided.", class_="card")
    return [
        _referral(session, view, one, f"referral-{place}", entered)
        for place, one in enumerate(view.referrals.referrals)
    ]


def _referral(session, view, one, at, entered):
    payout = view.payout(one)
    about = [
        ("Waits", "An offer" if payout is None else "The payout of an accepted offer"),
        ("Referred", time(one.referred_at, view.zone))
        if payout is None
        else ("Accepted", time(payout.accepted_at, view.zone)),
        ("Application", identifier(one.application_id)),
    ]
    if one.base_deal_id is not None:
        about.append(("Renews the deal", identifier(one.base_deal_id)))
    figures = [(words(name), value(of)) for name, of in one.facts.items()]
    return tag(
        "article",
        tag("h3", view.product(one.product), id=at),
        described(about),
        _people(view, one),
        tag("h4", "Why a person decides"),
        _reasons(one) if payout is None else _why_it_waits(view.for_funding, one),
        one.needs and [tag("h4", "What is missing"), listed(map(words, one.needs))],
        figures and table("Figures that the rules read", ("Figure", "Value#"), figures),
        _decide(session, view, one, at, entered),
        class_="card",
        aria_labelledby=at,
    )


def _people(view, one):
    """Return whom a referral is about, and say where the merchant's profile is of others."""
    profile, shown = view.profile.sections, []
    for name, sentence in OTHERS.items():
        digest = one.sections.get(name)
        others = digest is not None and view.merchant.sections.get(name, digest) != digest
        alerted = tag("p", sentence, class_="alert") if others else None
        held = profile.get(digest)
        content = tag("p", "Not known.") if held is None else content_of(held.value)
        shown += [tag("h4", words(name)), alerted, content]
    return shown


def _why_it_waits(for_funding, one):
    again = [words(check.name) for check in for_funding.checks]
    return [
        listed(for_funding.held_back),
        None if one.rules else tag("p", NO_APPROVAL),
        again and [tag("h4", "What to check again"), listed(again)],
    ]


def _reasons(one):
    if one.rules:
        return listed(
            [_reason(rule), " ", tag("span", rule.code, class_="quiet")] for rule in one.rules
        )
    return tag("p", "No rule refers it. It waits for what is missing.")


def _reason(rule):
    named = f"{words(rule.rule).replace('-', ' ')}: " if rule.answer is None else ""
    return f"{named}{rule.text}"


def _decide(session, view, one, at, entered):
    """Return the form that decides a referral, with what was entered in it before."""
    mine = entered.get("application_id"), entered.get("product")
    entered = entered if mine == (one.application_id, one.product) else {}
    note = field(
        "Note",
        "note",
        at,
        "For other agents alone; it is erased with the merchant's profile.",
        kind="textarea",
        maxlength=MOST_OF_NOTE,
        value=entered.get("note", ""),
    )
    until = field(
        "Until the end of",
        "until",
        at,
        "Without a day, for as long as the jurisdiction says.",
        type="date",
        value=entered.get("until", ""),
    )
    approve = tag("button", "Approve", name="decision", value="approve")
    decline = tag("button", "Decline", name="decision", value="decline", class_="danger")
    return form(
        "/decide",
        session,
        note,
        until,
        tag("div", one.rules and approve, decline, class_="buttons"),
        form_id=view.form_id,
        application_id=one.application_id,
        product=one.product,
        **view.address,
    )


def _decisions(view):
    if not view.referrals.decisions:
        return None
    rows = [
        (
            view.product(one.product),
            {"approve": "Approved", "decline": "Declined"}[one.decision],
            one.by,
            time(one.decided_at, view.zone),
            time(one.until, view.zone),
        )
        for one in view.referrals.decisions
    ]
    return table("Decisions in force", ("Product", "Decision", "By", "Decided", "Until"), rows)


def _holds(session, view, entered):
    rows = [
        (
            hold.code,
            hold.note or NOTHING,
            hold.by,
            time(hold.placed_at, view.zone),
            _lift(session, view, hold),
        )
        for hold in view.holds.holds
    ]
    columns = ("Code", "Note", "By", "Placed", "Lift")
    entered = entered if "code" in entered else {}
    code = field(
        "Code",
        "code",
        "hold",
        "Such as suspected-fraud, sanctions or dispute. No partner sees it.",
        required=True,
        maxlength=200,
        value=entered.get("code"),
    )
    note = field(
        "Note",
        "note",
        "hold",
        kind="textarea",
        maxlength=MOST_OF_NOTE,
        value=entered.get("note", ""),
    )
    buttons = tag("div", tag("button", "Place the hold", class_="danger"), class_="buttons")
    place = form("/hold", session, code, note, buttons, form_id=view.form_id, **view.address)
    return [
        rows and table("Holds", columns, rows),
        tag("div", tag("h3", "Place a hold"), place, class_="card"),
    ]


def _lift(session, view, hold):
    label = f"Lift the hold {hold.code}"
    button = tag("button", "Lift", class_="second", aria_label=label)
    hidden = {"form_id": view.form_id, "code": hold.code, **view.address}
    return form("/lift", session, button, **hidden)


def _checks(view):
    if view.checks is None:
        return tag("p", "The rules of the jurisdiction are not loaded.", class_="card")
    if not view.checks:
        return tag("p", "No check was recorded.", class_="card")
    rows = [
        (
            words(one.check),
            time(one.made_at, view.zone),
            one.age_days,
            WHY_OLD.get(one.why, "Yes"),
            listed(f"{words(name)}: {value(of)}" for name, of in one.facts.items()),
        )
        for one in view.checks
    ]
    columns = ("Check", "Made", "Age in days#", "Counts", "Results")
    return table("The newest result of each check", columns, rows)


def _applications(view):
    if not view.applications.applications:
        return tag("p", "The merchant has no application.", class_="card")
    rows = [
        (
            identifier(one.application_id),
            one.type,
            words(one.status),
            _dates(view, one),
            listed(map(words, one.omitted)),
            listed(f"{product.name}: {product.decision}" for product in one.products),
        )
        for one in view.applications.applications
    ]
    columns = ("Application", "Type", "Status", "Dates", "Omitted", "Products")
    return table("Applications, the oldest first", columns, rows)


def _dates(view, one):
    waiting = view.merchant.in_fulfilment
    if waiting is not None and waiting.application_id != one.application_id:
        waiting = None
    withdrawn = {of.application_id: of.withdrawn_at for of in view.merchant.sets}
    dates = {
        "Requested": one.requested_at,
        "Offers expire": one.expires_at,
        "Offers withdrawn": withdrawn.get(one.application_id),
        "Accepted": one.accepted_at,
        "Lapses": None if waiting is None else waiting.lapses_at,
    }
    return listed([f"{name} ", time(at, view.zone)] for name, at in dates.items() if at is not None)


def _to_put_right(deal):
    if deal.overpaid.minor:
        return f"Refund due: {deal.overpaid}"
    return f"Shortfall: {deal.shortfall}" if deal.shortfall.minor else NOTHING


def _deals(view):
    if not view.deals.deals:
        return tag("p", "The merchant has no deal.", class_="card")
    rows = []
    for shown in view.deals.deals:
        deal, performance = shown.deal, shown.performance
        rows.append(
            (
                identifier(deal.id),
                deal.type,
                deal.status,
                day(deal.funded_on),
                str(deal.funded_amount),
                str(deal.balance),
                _to_put_right(deal),
                f"{performance.progress}%",
                f"{performance.performance}%",
                "Yes" if performance.renewal_eligibility else "No",
            )
        )
    columns = (
        "Deal",
        "Type",
        "Status",
        "Funded",
        "Amount#",
        "Balance#",
        "To put right",
        "Paid down#",
        "Pace#",
        "May renew",
    )
    return table("Deals, the oldest first", columns, rows)
