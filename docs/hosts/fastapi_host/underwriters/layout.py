"""What all pages have in common: the document around them, tables, forms and how values read."""

from datetime import UTC, datetime
from urllib.parse import urlencode

import pendulum
from fastapi.responses import Response

from fastapi_host.underwriters.markup import tag

HOME = "/underwriters"
NOTHING = "-"  # in the place of a value that there is not
HEADERS = {
    # Nothing but this server's own style: no script, no frame around it, no form to another place.
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; img-src data:; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
}


def link(path, **query):
    """Return the address of a page below `HOME`."""
    given = {name: value for name, value in query.items() if value is not None}
    return f"{HOME}{path}" + (f"?{urlencode(given)}" if given else "")


def document(title, *content, session=None, status=200):
    """Return a whole page as a response."""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", f"{title} · Underwriting"),
        tag("link", rel="icon", href="data:,"),
        tag("link", rel="stylesheet", href=link("/style.css")),
    )
    body = tag(
        "body",
        tag("a", "Skip to the content", href="#content", class_="skip"),
        tag("header", _top(session)),
        tag("main", tag("h1", title), *content, id="content"),
    )
    html = f"<!doctype html>{tag('html', head, body, lang='en')}"
    return Response(html, status, HEADERS, media_type="text/html")


def _top(session):
    if session is None:
        return tag("span", "Underwriting", class_="name")
    leave = form("/sign-out", session, tag("button", "Sign out", class_="second"))
    return [
        tag("nav", tag("a", "Underwriting", href=HOME, class_="name"), aria_label="Main"),
        tag("span", session.caller.name, class_="who"),
        leave,
    ]


def form(path, session, *inside, **hidden):
    """Return a form with the token of the session and hidden fields."""
    hidden = {"token": session.token, **hidden}
    fields = [tag("input", type="hidden", name=name, value=of) for name, of in hidden.items()]
    return tag("form", fields, *inside, method="post", action=link(path))


def field(label, name, at, hint=None, kind="input", **attributes):
    """Return a labelled field; `at` tells it from fields of other forms on the page."""
    place = f"{at}-{name}"
    about = f"{place}-hint" if hint else None
    inside = [attributes.pop("value", "")] if kind == "textarea" else []
    return tag(
        "div",
        tag("label", label, for_=place),
        hint and tag("span", hint, class_="hint", id=about),
        tag(kind, *inside, id=place, name=name, aria_describedby=about, **attributes),
        class_="field",
    )


def table(caption, columns, rows):
    """
    Return a table, of which a column whose name ends with `#` has numbers.

    On a narrow screen the style shows a row as a list. Roles keep it a table for a screen reader.
    """
    numbers = ["number" if column.endswith("#") else None for column in columns]
    names = [column.rstrip("#") for column in columns]
    head = [
        tag("th", name, scope="col", role="columnheader", class_=number)
        for name, number in zip(names, numbers, strict=True)
    ]
    body = [
        tag("tr", [_cell(*parts) for parts in zip(row, names, numbers, strict=True)], role="row")
        for row in rows
    ]
    whole = tag(
        "table",
        tag("caption", caption),
        tag("thead", tag("tr", head, role="row"), role="rowgroup"),
        tag("tbody", body, role="rowgroup"),
        role="table",
    )
    # What can be scrolled with a keyboard has to be able to have the focus.
    return tag("div", whole, class_="scroll", role="region", aria_label=caption, tabindex="0")


def _cell(inside, name, number):
    return tag("td", tag("div", inside), role="cell", data_label=name, class_=number)


def described(pairs):
    """Return a list of names with what they hold."""
    return tag("dl", [[tag("dt", name), tag("dd", inside)] for name, inside in pairs])


def notice(text):
    """Return what was done, which a screen reader says."""
    return tag("p", text, class_="notice", role="status")


def alert(*inside):
    """Return what is wrong, which a screen reader says at once."""
    return tag("div", *inside, class_="alert", role="alert")


def identifier(text):
    """Return an identifier, which may be long."""
    return tag("span", text, class_="id")


def words(name):
    """Return a name of a field, a fact or a status as words."""
    text = name.replace("_", " ").replace(".", ": ")
    return text[:1].upper() + text[1:]


def value(of):
    """Return the value of a fact as a reader expects it."""
    if of is None:
        return "Unknown"
    if isinstance(of, bool):
        return "Yes" if of else "No"
    return str(of)


def content_of(of):
    """Return a value of JSON that a partner sent, with what is inside it."""
    if isinstance(of, dict):
        return described([(words(name), content_of(inside)) for name, inside in of.items()])
    if isinstance(of, list):
        return listed(map(content_of, of))
    return NOTHING if of is None else value(of)


def time(at, zone=None):
    """Return an instant in a time zone, in UTC without one."""
    if at is None:
        return NOTHING
    local = at.astimezone(UTC if zone is None else pendulum.timezone(zone))
    text = f"{local.day} {local:%b %Y, %H:%M %Z}"
    return tag("time", text, datetime=at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))


def second(since):
    """Return a Unix second as `time` does."""
    return time(datetime.fromtimestamp(since, UTC))


def day(on):
    """Return a day, or a dash for None."""
    return NOTHING if on is None else tag("time", f"{on.day} {on:%b %Y}", datetime=on.isoformat())


def listed(items):
    """Return a list, or a dash without items."""
    items = list(items)
    return tag("ul", [tag("li", item) for item in items]) if items else NOTHING
