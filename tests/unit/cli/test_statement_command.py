"""`holdback statement`: the table, the JSON and the page, and states that cannot be read."""

from __future__ import annotations

import json
from datetime import date
from html.parser import HTMLParser

import attrs
import pytest
from invocation import invoke

from every_case import for_every
from holdback import Money, wire
from holdback.cli.statement import _columns
from holdback.lifecycle.deals.statement import statement_of
from holdback.merchant.ledger import Entry
from holdback.operations import RecordRemittance, Refund, Transfer
from journey import Journey

HOSTILE = "<b>\x1b[31m&'支払い-1"


def moved():
    """A merchant with a renewal, an entry with a hostile id, a transfer and a refund."""
    journey = Journey(merchant_id="m-<i>1")
    journey.ask()
    journey.accept()
    journey.fund()
    journey.pay_down(60)
    journey.remit(journey.entry(5000, id="bounced", settled=False))
    journey.ask(renewal=True)
    journey.accept()
    journey.fund()
    first, second = journey.merchant.deals
    first = attrs.evolve(first, late_remittances="refund")
    journey.merchant = attrs.evolve(journey.merchant, deals=(first, second))
    journey.pass_time(days=3)
    late = Entry(id=HOSTILE, on=journey.today(), amount=Money.parse("GBP 80.00"))
    journey.do(RecordRemittance(deal_id=first.id, entries=[late]))
    transferred = {"id": "transfer-1", "on": journey.today(), "amount": Money.parse("GBP 50.00")}
    journey.do(Transfer(from_deal_id=first.id, to_deal_id=second.id, **transferred))
    refunded = {"id": "refund-1", "on": journey.today(), "amount": Money.parse("GBP 30.00")}
    journey.do(Refund(deal_id=first.id, **refunded))
    return journey.merchant


MERCHANT = moved()


@pytest.fixture(scope="module")
def state(tmp_path_factory):
    file = tmp_path_factory.mktemp("state") / "state.json"
    file.write_bytes(wire.write_merchant(MERCHANT))
    return file


def stored(tmp_path, merchant):
    file = tmp_path / "state.json"
    file.write_bytes(wire.write_merchant(merchant))
    return file


def broken(tmp_path):
    """A state in which the half of the transfer that went out is lost."""
    first, second = MERCHANT.deals
    entries = tuple(entry for entry in first.entries if entry.kind != "transfer")
    deals = (attrs.evolve(first, entries=entries), second)
    return stored(tmp_path, attrs.evolve(MERCHANT, deals=deals))


def test_the_table(state):
    """
    For each deal and in all: the opening balance, every movement, and the closing balance.
    """
    ran = invoke("statement", state)
    lines = ran.stdout.splitlines()

    assert (ran.exit_code, ran.stderr) == (0, "")
    assert lines[0] == "Statement of m-<i>1 in GBP"
    assert lines[-1] == "It balances."
    assert lines[-2] == "Paid out to the merchant: GBP 14438.40. Received: GBP 7192.40."
    statement = statement_of(MERCHANT)
    shown = [line.split() for line in lines]
    for part in statement.deals:
        for line in part.lines:
            amounts = [str(line.amount.amount), str(line.balance.amount)]
            assert any(words[:1] == [str(line.on)] and words[-2:] == amounts for words in shown)
    assert sum("opening balance" in line for line in lines) == 3
    assert sum("closing balance" in line for line in lines) == 3
    assert "\n  Not settled, and not counted\n" in ran.stdout


def test_the_table_is_aligned_and_fits(state):
    """
    Amounts are aligned, also after wide characters, and no line is wider than 100 columns.
    """
    lines = invoke("statement", state).stdout.splitlines()
    rows = [line for line in lines if line.startswith("  ") and line[-3:-2] == "."]

    assert len(rows) > 12
    with_balance = {_columns(row) for row in rows if row.count(".") > 1 or "balance" in row}
    assert len(with_balance) == 1
    assert max(_columns(line) for line in lines) <= 100
    assert any("支払い" in row for row in rows)


def test_the_json_is_the_reply(state):
    """
    The JSON is the reply of the operation, on one line.
    """
    ran = invoke("statement", state, "--format", "json", "--from", "2026-11-20")

    reply = wire.write(statement_of(MERCHANT, date(2026, 11, 20))).decode()
    assert ran.stdout == f"{reply}\n"
    assert json.loads(ran.stdout)["balances"] is True


class Page(HTMLParser):
    """The tags, the attributes and the text of a page."""

    def __init__(self):
        super().__init__()
        self.tags, self.attributes, self.open, self.text = set(), set(), [], []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def test_the_page_is_one_file_without_scripts(state):
    """
    The page loads nothing, runs nothing, and shows what the host named as text.

    It has colours for light and dark screens, and a style for paper.
    """
    page = Page()
    page.feed(invoke("statement", state, "--format", "html").stdout)
    page.close()
    text = "".join(page.text)

    assert page.open == []
    assert not page.tags & {"script", "link", "img", "iframe", "b", "i", "object", "form"}
    assert not {name for name in page.attributes if name.startswith("on")}
    assert not page.attributes & {"src", "href", "style"}
    assert "Statement of m-<i>1 in GBP" in text
    assert "<b>\\u001b[31m&'支払い-1" in text
    assert "prefers-color-scheme: dark" in text
    assert "@media print" in text
    assert "url(" not in text
    assert "@import" not in text
    for line in (line for part in statement_of(MERCHANT).deals for line in part.lines):
        assert str(line.balance.amount) in text
    assert "It balances." in text


@for_every("form", ["table", "json", "html"])
def test_a_statement_that_does_not_balance_says_so_loudly(form, tmp_path):
    """
    It balances or says so loudly: in its text, on standard error, and by the exit code 1.
    """
    ran = invoke("statement", broken(tmp_path), "--format", form)

    assert ran.exit_code == 1
    assert "has no other half" in ran.stdout
    assert ran.stderr == "The statement of m-<i>1 does not balance.\n"
    assert "It balances" not in ran.stdout
    if form == "json":
        written = json.loads(ran.stdout)
        assert (written["balances"], len(written["differences"])) == (False, 1)


def test_entries_that_are_no_longer_held(tmp_path):
    """
    The text says up to which day entries are no longer held, and no figure is invented.
    """
    first, second = MERCHANT.deals
    deals = (first.closed_through(first.entries[0].on), second)
    file = stored(tmp_path, attrs.evolve(MERCHANT, deals=deals))
    through = first.entries[0].on.isoformat()
    whole = invoke("statement", file).stdout
    short = invoke("statement", file, "--from", "2026-08-01", "--until", "2026-08-31").stdout
    page = invoke("statement", file, "--format", "html").stdout

    for text in (whole, short, page):
        assert f"The entries up to {through} are no longer held; the journal has them." in text
    assert "carried forward" in whole
    assert "carried forward" in page
    assert whole.endswith("It balances.\n")
    assert "carried forward" not in short
    assert short.count("unknown") == 5
    assert short.endswith("What is shown balances.\n")


EVENT = b'{"type":"DealReopened","format":1,"at":"2026-07-01T10:00:00Z","deal_id":"d-1"}'
DOCUMENTS = {
    b"": "this is not JSON",
    b"{": "this is not JSON",
    b"[]": "$: expected an object, not an array",
    b"{}": "$.format: expected the number of a format",
    b'{"format":2}': "run the newer version",
    b'{"format":1}': "$.merchant_id: the field is missing",
    b"\xff\xfe": "UTF-8",
    b"[" * 100_000: "nested more than",
    EVENT: "expected the state of a merchant, not an event",
    b'{"format":1,"salt":null,"sections":{}}': "expected the state of a merchant, not a profile",
    wire.write_merchant(MERCHANT)[:-900]: "this is not JSON",
    wire.write_merchant(MERCHANT).replace(b"7142.40", b"7142.41"): "is not as it was written",
}


@for_every(("body", "sentence"), DOCUMENTS.items(), ids=[repr(key)[:40] for key in DOCUMENTS])
def test_a_document_that_is_no_state(body, sentence, tmp_path):
    """
    A document that cannot be read exits with 2, names every error and prints no statement.
    """
    file = tmp_path / "state.json"
    file.write_bytes(body)
    ran = invoke("statement", file)

    assert (ran.exit_code, ran.stdout) == (2, "")
    assert ran.stderr.startswith(f"{file} cannot be read:\n")
    assert sentence in ran.stderr


@for_every(
    ("options", "sentence"),
    [
        (["--form", "json"], "No such option"),
        (["--form", "json"], "--format"),
        (["--since", "2026-07-01"], "No such option"),
        (["--from", "2026-02-30"], "expected a date such as 2026-07-01, not '2026-02-30'"),
        (["--until", "yesterday"], "expected a date such as 2026-07-01, not 'yesterday'"),
        (["--until", "2026-7"], "expected a date"),
        (
            ["--from", "2026-07-02", "--until", "2026-07-01"],
            "--until 2026-07-01 is before --from 2026-07-02; a statement ends after it begins",
        ),
        (["--format", "xml"], "'xml' is not one of 'table', 'json', 'html'"),
        (["--deal", "d-1"], "No such option"),
    ],
)
def test_misuse(options, sentence, state):
    """
    A mistake in the command exits with 2 and says what was expected.
    """
    ran = invoke("statement", state, *options)

    assert (ran.exit_code, ran.stdout) == (2, "")
    assert sentence in " ".join(ran.stderr.split())
