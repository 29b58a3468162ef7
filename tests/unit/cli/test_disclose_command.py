"""`holdback disclose`: figures by hand, the worked cases, and what is refused."""

from __future__ import annotations

import json

import pytest
from disclosure_cases import ALL, ANY_DEAL, CASES, command_of, disclosed
from disclosure_choices import HEAD, PAGE, rests_on, row
from invocation import invoke

from every_case import for_every
from holdback.cli import disclose as command

OFFER = [word for name, value in ANY_DEAL.items() for word in (f"--{name}", value)]
DAILY = ["disclose", "--on", "2026-12-01", "--frequency", "daily"]
IN_CALIFORNIA = [
    "--text", "channel=cards", "--text", "payment_terms=Each day.", "--financer", "Acme",
]  # fmt: skip


@pytest.fixture(autouse=True)
def read_once(monkeypatch):
    """The files that ship are read once; the commands of the documentation read them anew."""
    monkeypatch.setattr(command, "load_one", lambda _, code: ALL[code])
    monkeypatch.setattr(command, "load_valid", lambda _: ALL)


def in_california(*words, on="2026-12-01"):
    """The command for an offer in California, of an amount that its law covers."""
    return invoke(
        "disclose", "US-CA", "--on", on, "--frequency", "daily", *OFFER, *IN_CALIFORNIA, *words
    )


@for_every("name", CASES)
def test_a_case_through_the_command(name, tmp_path):
    """
    "All cases of the shared file equal, to the digit given, through `holdback disclose`."
    """
    command_of(name)(tmp_path, CASES[name])


def test_the_table_says_on_which_choices_a_case_rests(tmp_path, monkeypatch):
    """
    "Which of K1 to K10 each depends on": another answer to that question changes its digits.
    """
    rows = "".join(row(name, rests_on(name, tmp_path, monkeypatch)) for name in CASES)
    assert HEAD + rows in PAGE.read_text(encoding="utf-8")


def test_an_offer_is_shown_as_its_law_asks(tmp_path):
    """
    "In the order and with the labels that the regime has": as text, as JSON and as a page.
    """
    text, answer = in_california(), json.loads(in_california("--format", "json").stdout)
    assert text.exit_code == 0
    assert text.stdout.startswith("OFFER SUMMARY - ")
    labels = [line["label"] for line in answer["lines"]]
    assert labels[0] == "Funding Provided"
    places = [text.stdout.index(label) for label in labels]
    assert places == sorted(places)
    assert answer["jurisdiction"] == "US-CA"
    assert "split x takings" not in text.stdout
    assert "split x takings" in in_california("--explain").stdout

    page = tmp_path / "page.html"
    written = in_california("--format", "html", "--to", page)
    assert (written.exit_code, written.stdout) == (0, "")
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_a_neutral_regime_shows_the_effective_rate():
    """
    "For jurisdictions without such a law, the same figures under a neutral regime": in its own
    currency, with the rate by the European method, and no rate of a unit-period.
    """
    offer = ["disclose", "GB", *DAILY[1:], *OFFER, "--withheld", "£500"]
    shown = invoke(*offer, "--explain")
    assert "Directive 2008/48/EC, Annex I (K1, K2, K3, E1, E2)" in shown.stdout
    answer = json.loads(invoke(*offer, "--format", "json").stdout)
    assert "rate" not in answer
    assert answer["figures"]["withheld"] == "500.00"


def test_what_is_not_due_is_shown_and_said():
    """
    One deal in a year is exempt in California: the figures are shown, and that they are not due.
    """
    assert json.loads(in_california("--format", "json").stdout)["due"] is True
    few = in_california("--fact", "deals_in_state_12m=1")
    assert few.exit_code == 0
    assert "It is not due: Cal. Fin. Code 22801(e)." in few.stderr
    assert "Funding Provided" in few.stdout


def test_a_jurisdiction_without_a_law_says_which_have_one():
    """
    "A day without a regime, and a jurisdiction without one: say so, and which have one."
    """
    early = in_california(on="2020-01-01")
    assert "US-CA has no law on disclosures on 2020-01-01" in early.stderr
    elsewhere = invoke("disclose", "IE", *DAILY[1:], *OFFER)
    assert "IE has no law on disclosures on 2026-12-01" in elsewhere.stderr
    assert "`US-CA`" in elsewhere.stderr
    for shown in (early, elsewhere):
        assert shown.exit_code == 0
        assert shown.stdout.startswith("amount_financed")
    assert invoke("disclose", "IE", *DAILY[1:], *OFFER, "--format", "html").exit_code == 2


WRONG = {
    "nothing is stated": (DAILY, ["--purchase-price: it is missing", "--split: it is missing"]),
    "a number with two readings": (
        [*DAILY, *OFFER, "--withheld", "1,000"],
        ["--withheld: expected an amount", '`"USD 1000.00"` or `"USD 1.00"`'],
    ),
    "a share with two readings": ([*DAILY, *OFFER, "--split", "0.1"], ['`"10%"`']),
    "a payoff without its deal": (
        [*DAILY, *OFFER, "--own-payoff", "100"],
        ["--old-charge: it is missing", "--old-total: it is missing"],
    ),
    "a unit-period": (
        [*DAILY, *OFFER, "--unit-period", "fortnight"],
        ["--unit-period: expected a unit-period, such as `half-month`", "it is for --payments"],
    ),
    "a jurisdiction": (["disclose", "US-CX", *DAILY[1:], *OFFER], ["did you mean `US-"]),
    "a fact": (
        ["disclose", "US-CA", *DAILY[1:], *OFFER, *IN_CALIFORNIA, "--fact", "deals_in_state=7"],
        ["--fact deals_in_state: ", "did you mean `deals_in_state_12m`?"],
    ),
    "a figure as a fact": (
        ["disclose", "US-CA", *DAILY[1:], *OFFER, *IN_CALIFORNIA, "--fact", "apr=7%"],
        ["--fact apr: "],
    ),
    "a text": (
        ["disclose", "US-CA", *DAILY[1:], *OFFER, "--text", "chanel=cards"],
        ["--text chanel: ", "did you mean `channel`?", "--text financer: "],
    ),
}


@for_every("name", WRONG)
def test_what_cannot_be_read_is_named(name):
    """
    Everything that is wrong is reported at once, with what to write instead.
    """
    words, expected = WRONG[name]
    ran = invoke(*words)
    assert ran.exit_code == 2, ran.output
    for part in expected:
        assert part in ran.stderr, ran.stderr


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("on,amount\n2026-12-02,5\n", "expected the columns day,amount"),
        ("day,amount\n2026-12-01,5\n", ":2 day: expected a day after 2026-12-01"),
        ("day,amount\n2026-12-02,5\n2026-12-03,0\n", ":3 amount: expected an amount above zero"),
        ("day,amount\n2026-12-02,1.000\n", "more than one reading"),
        ("day,amount\n2026-12-02\n", ":2 amount: expected a value"),
        (f"day,amount\n2026-12-02,{'5' * 200_000}\n", "field larger than field limit"),
        ("day,amount\n", "expected a row under the columns"),
        ("", "expected the columns day,amount"),
    ],
)
def test_payments_that_cannot_be_read(body, message, tmp_path):
    """
    A row that cannot be read is named by its line.
    """
    file = tmp_path / "payments.csv"
    file.write_text(body, encoding="utf-8")
    ran = invoke(*DAILY, "--purchase-price", "4", "--payments", file)
    assert ran.exit_code == 2
    assert message in ran.stderr


def test_what_has_no_figures_is_refused(tmp_path):
    """
    "Refuses what has no rate, saying why": less is repaid than was advanced.
    """
    file = tmp_path / "payments.csv"
    file.write_text("day,amount\n2026-12-09,90\n", encoding="utf-8")
    ran = invoke(*DAILY, "--purchase-price", "100", "--payments", file)
    assert ran.exit_code == 1
    assert "There are no such figures: the merchant would repay less" in ran.stderr
    whole = invoke(*DAILY, *OFFER, "--payments", file)
    assert "the payments do not add up to their total" in whole.stderr


@for_every("frequency", ["daily", "weekday", "weekly", "monthly"])
def test_payments_after_the_last_year_are_refused(frequency):
    """
    A calendar ends with the year 9999: a slip in the year is refused as one.
    """
    ran = invoke("disclose", "--on", "9999-12-30", "--frequency", frequency, *OFFER)
    assert ran.exit_code == 1
    assert "in the year 9999" in ran.stderr


def test_payments_of_one_day_are_added(tmp_path):
    """
    A fee that falls on the day of a payment is part of what is paid then.
    """
    file = tmp_path / "payments.csv"
    file.write_text("day,amount\n2026-12-09,60\n2026-12-09,50\n", encoding="utf-8")
    answer = disclosed(purchase_price="100", payments=file)
    assert answer["figures"]["number_of_payments"] == 1
    assert answer["figures"]["total_payments"] == "110.00"
