"""Ways to damage a stored document, and every operation on what is read from it."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta

from holdback import (
    Application,
    BankDetails,
    Context,
    Entry,
    Money,
    OffersRequest,
    Takings,
    operations,
    wire,
)
from holdback.errors import HoldbackError, StateError
from holdback.exact.exact_json import Verbatim, write_json
from holdback.lifecycle.offers.application import filled_application
from journey import PROFILE, START
from stored_json import edited, places, resealed, tree_of, value_at

# -- damage to the text

TOKENS = (
    b"null",
    b"{",
    b"]",
    b'"',
    b"\\",
    b"\x00",
    b"\\u0000",
    b"\\ud800",
    b"\xff",
    b"\xef\xbb\xbf",
    b"9" * 5_000,
    b"-",
    b"1e999999999",
    b"NaN",
    b",",
    b"[" * 100_000,
    b'{"a":' * 70,
    b" ",
    b"\r\n",
)


def flipped(body, rng):
    place = rng.randrange(len(body))
    return body[:place] + bytes([body[place] ^ (1 << rng.randrange(8))]) + body[place + 1 :]


def shorter(body, rng):
    start = rng.randrange(len(body))
    return body[:start] + body[start + rng.choice((1, 2, 8, 60, 400)) :]


def longer(body, rng):
    place = rng.randrange(len(body) + 1)
    return body[:place] + rng.choice(TOKENS) + body[place:]


def doubled(body, rng):
    start = rng.randrange(len(body))
    end = start + rng.choice((1, 5, 40, 300))
    return body[:end] + body[start:end] + body[end:]


def exchanged(body, rng):
    one, other, third = sorted(rng.sample(range(len(body)), 3))
    return body[:one] + body[other:third] + body[one:other] + body[third:]


def cut(body, rng):
    return body[: rng.randrange(len(body))]


def rewritten(body, rng):
    """The same document as somebody's editor writes it, or in another encoding."""
    tree = json.loads(body, parse_float=Verbatim, parse_int=Verbatim)
    plain = json.loads(body)
    return rng.choice(
        (
            lambda: write_json({name: tree[name] for name in reversed(tree)}).encode(),
            lambda: body.replace(b',"', b' ,\n "').replace(b'":', b'" :\t'),
            lambda: json.dumps(plain, indent=2).encode(),
            lambda: json.dumps(plain, sort_keys=True).encode(),
            lambda: json.dumps(plain, ensure_ascii=False).encode("utf-16"),
            lambda: b"\n" + body + b"\n",
        )
    )()


DAMAGES = (flipped, shorter, longer, doubled, exchanged, cut, rewritten)

# -- edits of the content

TEXTS = (
    "",
    "Foo",
    "x" * 1_000,
    "\0",
    "Funded",
    "Repaid",
    "Defaulted",
    "Eligible",
    "submitted",
    "GBP -1.00",
    "GBP 0.00",
    "JPY 5",
    "GBP 999999999999999.99",
    "GBP 99999999999999999999.99",
    "GBP 0.001",
    "0001-01-01",
    "9999-12-31",
    "2026-02-30",
    "2026-07-06",
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59.999999Z",
    "2026-07-06T09:00:00+23:59",
    "2026-07-06T09:00:00",
    "-1",
    "0",
    "100.5",
    "NaN",
    "1e28",
    "9" * 28,
    "EUR",
    "XXX",
    "Asia/Tokyo",
    "Mars/Olympus",
    "../../etc/passwd",
    "00000000-0000-0000-0000-000000000000",
)
NUMBERS = ("0", "-1", "1", "2", "2147483648", "9" * 28, "9" * 40, "1e28", "0.5", "-0", "1E-28")
KINDS = (None, True, False, [], {}, [[]], {"a": "b"}, "text", Verbatim("7"))


def replaced(tree, rng):
    """*tree* with one value replaced by another of its kind, or of any."""
    path = rng.choice([path for path in places(tree) if path])
    value = value_at(tree, path)
    others = KINDS
    if type(value) is str and rng.random() < 0.8:
        others = TEXTS
    elif type(value) is Verbatim and rng.random() < 0.8:
        others = [Verbatim(number) for number in NUMBERS]
    elif type(value) is bool and rng.random() < 0.8:
        others = (not value,)
    return edited(tree, path, rng.choice(others))


def borrowed(tree, rng):
    """*tree* with one value replaced by another of the same kind from elsewhere in it."""
    path = rng.choice([path for path in places(tree) if path])
    kind = type(value_at(tree, path))
    alike = [other for other in places(tree) if other and type(value_at(tree, other)) is kind]
    return edited(tree, path, value_at(tree, rng.choice(alike)))


def removed(tree, rng):
    path = rng.choice([path for path in places(tree) if path])
    return edited(tree, path, ...)


def repeated(tree, rng):
    """*tree* with an item of a list there twice, or with two of its items exchanged."""
    lists = [path for path in places(tree) if value_at(tree, path) and _is_list(tree, path)]
    path = rng.choice(lists)
    items = list(value_at(tree, path))
    one, other = rng.randrange(len(items)), rng.randrange(len(items))
    if one == other or rng.random() < 0.5:
        items.insert(other, items[one])
    else:
        items[one], items[other] = items[other], items[one]
    return edited(tree, path, items)


def _is_list(tree, path):
    return isinstance(value_at(tree, path), list)


def named_otherwise(tree, rng):
    """*tree* with a field more, or under another name."""
    objects = [path for path in places(tree) if isinstance(value_at(tree, path), dict)]
    path = rng.choice(objects)
    fields = dict(value_at(tree, path))
    if fields and rng.random() < 0.5:
        name = rng.choice(list(fields))
        fields[f"{name}s"] = fields.pop(name)
    else:
        fields[rng.choice(("colour", "checksum", "format", "A. Person", "id"))] = "red"
    return edited(tree, path, fields) if path else fields


EDITS = (replaced, replaced, replaced, borrowed, borrowed, removed, repeated, named_otherwise)


def damaged(body, rng):
    """*body*, damaged: as text, or as a tree, then often with the checksum of the new text."""
    if rng.random() < 0.3:
        return rng.choice(DAMAGES)(body, rng)
    tree = tree_of(body)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        tree = rng.choice([each for each in EDITS if each is not repeated or _has_list(tree)])(
            tree, rng
        )
        if not isinstance(tree, dict) or not tree:
            return write_json(tree).encode()
    if "checksum" in tree and rng.random() < 0.85:
        return resealed(tree)
    return write_json(tree).encode()


def _has_list(tree):
    return any(
        isinstance(value_at(tree, path), list) and value_at(tree, path) for path in places(tree)
    )


# -- every operation on what was read

EVIDENCE = {
    "identity_verified": True,
    "business_verified": True,
    "credit_score": 700,
    "average_monthly_takings": "20000",
    "months_trading": 40,
}
# Of the operations, the part that is not tried on each document: all are on many.
SKIPPED = 0.5
BANK = BankDetails(account_number="12345678", sort_code="10-20-30")


def inputs(merchant):
    """What every operation that has to do with *merchant* takes: a command's class and fields."""
    block = {"merchant_id": merchant.merchant_id, "currency": "GBP"}
    initial = Application(**block, intended_use_of_funds="stock")
    renewal = Application(**block, provider_id=merchant.provider_id or "p-1")
    day, amount = date(2031, 1, 6), Money.parse("GBP 1.00")
    yield operations.LookUp, {}
    yield operations.AssessRenewal, {}
    yield operations.ReviewRenewal, {}
    yield operations.RequireChecks, {"request": OffersRequest(application=renewal)}
    yield operations.RequestOffers, {"request": OffersRequest(application=renewal)}
    yield operations.RequestOffers, {"request": OffersRequest(application=initial, **PROFILE)}
    yield operations.EraseProfile, {}
    yield operations.RecordTakings, {"takings": (Takings(on=day, amount=amount),)}
    for offer_set in merchant.offer_sets[-2:]:
        for offer in [*offer_set.offers][:2]:
            yield operations.AcceptOffer, {"offer_id": offer.offer_id, "bank_details": BANK}
    for closed in merchant.closed_offer_sets[:1]:
        for offer_id in [*closed.offers][:1]:
            yield operations.AcceptOffer, {"offer_id": offer_id}
    for fulfilment in merchant.fulfilments[-2:]:
        named = {"application_id": fulfilment.application_id}
        yield operations.AcceptOffer, {"offer_id": fulfilment.offer.offer_id}
        yield (
            operations.SupplyDetails,
            {**named, "bank_details": BANK, "intended_use_of_funds": "a"},
        )
        yield operations.CloseApplication, {**named, "status": "declined"}
        yield operations.FundDeal, named
    for deal in merchant.deals[-2:]:
        new = {"id": "new", "on": day, "amount": amount}
        yield operations.RecordRemittance, {"deal_id": deal.id, "entries": (Entry(**new),)}
        for entry in readable(lambda deal=deal: deal.entries[-1:]):
            undone = Entry(**new | {"amount": entry.amount, "reverses": entry.id})
            yield operations.RecordRemittance, {"deal_id": deal.id, "entries": (undone,)}
        yield operations.CloseDeal, {"deal_id": deal.id, "status": "defaulted"}


def readable(rows):
    """The items of *rows*, none if one of them cannot be read."""
    try:
        return rows()
    except StateError:
        return ()


def try_operations(engine, merchant, profile, rng, *, stays_readable=True):
    """
    Carry out operations; return what raised something that is not typed, or cannot be stored.

    What they give is written, and read again. A merchant that contradicts itself may give a state
    that is refused then; one that *stays_readable* gives none.
    """
    at = rng.choice((START, datetime(2031, 1, 6, 12, tzinfo=UTC))) + timedelta(
        days=rng.choice((0, 400))
    )
    request_ids = ["new", *[each.request_id for each in readable(lambda: merchant.requests[:1])]]
    request_ids += [offer_set.request_id for offer_set in merchant.offer_sets[:1]]
    wrong = []
    for kind, fields in inputs(merchant):
        if rng.random() < SKIPPED:
            continue
        request_id = rng.choice(request_ids) or "none"
        evidence = EVIDENCE if kind is operations.RequestOffers and rng.random() < 0.5 else {}
        try:
            context = Context(at=at, request_id=request_id, evidence=evidence)
            outcome = engine.carry_out(merchant, kind(**fields), context, profile=profile)
            wire.write(outcome.reply)
            stored = wire.write_stored(outcome)
        except HoldbackError:
            continue
        except Exception as error:  # noqa: BLE001  # any error that is not typed is wrong
            wrong.append((kind.__name__, repr(error)))
            continue
        if outcome.events:
            wrong += unreadable(stored, outcome, kind.__name__, stays_readable=stays_readable)
    for fulfilment in merchant.fulfilments[-1:]:
        try:
            filled_application(fulfilment.application_id, merchant, profile)
        except HoldbackError:
            pass
        except Exception as error:  # noqa: BLE001
            wrong.append(("filled_application", repr(error)))
    return wrong


def unreadable(stored, outcome, operation, *, stays_readable):
    """What is wrong with reading *stored*, the documents of *outcome*, again."""
    given = (outcome.merchant, outcome.profile, outcome.events)
    try:
        merchant, profile = wire.read_stored(stored.state, stored.profile)
        events = tuple(wire.read_event(event) for event in stored.events)
        as_given = (merchant, profile, events) == given
    except StateError as error:
        return [(operation, f"stored and then {error!r}")] if stays_readable else []
    except Exception as error:  # noqa: BLE001
        return [(operation, f"stored and then {error!r}")]
    return [] if as_given else [(operation, "read otherwise than stored")]
