"""`holdback disclose`: figures by hand, the worked cases, and what is refused."""

from __future__ import annotations

import json

import disclosure_choices
import pytest
from disclosure_cases import ALL, ANY_DEAL, CASES, command_of, disclosed, needed
from disclosure_choices import HEAD, PAGE, rests_on, row
from invocation import invoke

from every_case import for_every
from holdback.cli import disclose as command
from holdback.disclosures import disclosure

OFFER = [word for name, value in ANY_DEAL.items() for word in (f"--{name}", value)]
DAILY = ["disclose", "--on", "2026-12-01", "--frequency", "daily"]
IN_CALIFORNIA = [
    "--text", "channel=cards", "--text", "payment_terms=Each day.", "--financer", "Acme",
    "--fact", "prepayment_fees=0",
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


def test_a_choice_with_which_the_command_fails_is_not_one_that_a_case_rests_on(
    tmp_path, monkeypatch
):
    def failing(*_, **__):
        raise AssertionError("not a difference of digits")

    monkeypatch.setattr(disclosure_choices, "OTHERWISE", {"K2": [(disclosure, "project", failing)]})
    with pytest.raises(AssertionError, match="not a difference of digits"):
        rests_on("ca-fee-paid-separately", tmp_path, monkeypatch)


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
    "a payoff of another deal": (
        [*DAILY, *OFFER, "--payoff", "100", "--old-charge", "30"],
        ["--old-total: it is missing; it is of the deal that is paid off"],
    ),
    "an old deal that is not paid off": (
        [*DAILY, *OFFER, "--old-charge", "3", "--old-total", "9", "--forgiven", "1"],
        [
            f"--{name}: it is of a deal that is paid off; give --payoff or --own-payoff as well"
            for name in ("old-charge", "old-total", "forgiven")
        ],
    ),
    "months without their history": (
        [*DAILY, *OFFER, "--months", "3", "--leave-out", "2026-01", "--best-months"],
        [
            f"--{name}: it chooses months; it is for --history"
            for name in ("months", "leave-out", "best-months")
        ],
    ),
    "a tolerance of nothing": (
        [*DAILY, *OFFER, "--irregular"],
        ["--irregular: it is about a tolerance; it is for --disc"],
    ),
    "a holiday of weeks": (
        [*DAILY[:-1], "weekly", *OFFER, "--holiday", "2026-12-25"],
        ["--holiday: it moves daily and weekday payments that are projected; leave it out"],
    ),
    "what a law asks for, without one": (
        [*DAILY, *OFFER, "--fact", "a=1", "--text", "b=2", "--financer", "Acme"],
        ["--fact, --text, --financer mean nothing here: give a JURISDICTION"],
    ),
    "what is always in JSON": (
        [*DAILY, *OFFER, "--explain", "--format", "json"],
        ["--explain means nothing here: JSON"],
    ),
    "what no page has": (
        ["disclose", "US-CA", *DAILY[1:], *OFFER, "--explain", "--format", "html"],
        ["--explain means nothing here: a page to sign has none"],
    ),
    "a text where a rate is checked": (
        ["disclose", "US-CA", *DAILY[1:], *OFFER, "--disclosed-apr", "60%", "--text", "channel=a"],
        ["--text means nothing here: with --disclosed-apr no disclosure is shown"],
    ),
    "a page where a rate is checked": (
        ["disclose", "US-CA", *DAILY[1:], *OFFER, "--disclosed-apr", "60%", "--format", "html"],
        ["with --disclosed-apr there is no page"],
    ),
    "a law without a tolerance": (
        ["disclose", "US-TX", *DAILY[1:], *OFFER, "--disclosed-apr", "60%"],
        ["US-TX has no tolerance for a disclosed rate"],
    ),
    "a text without its name": (
        ["disclose", "US-CA", *DAILY[1:], *OFFER, "--text", "cards"],
        ["Invalid value for --text: expected NAME=TEXT: cards"],
    ),
    "a unit-period": (
        [*DAILY, *OFFER, "--unit-period", "fortnight"],
        ["--unit-period: expected a unit-period, such as `half-month`", "it is for --payments"],
    ),
    "a state by its own code": (
        ["disclose", "NY", *DAILY[1:], *OFFER],
        ["unknown jurisdiction `NY`; did you mean `US-NY`"],
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
    "what is not stated": (
        ["disclose", "US-CA", *DAILY[1:], *OFFER, "--text", "channel=cards"],
        [
            "--text financer: the disclosure has a text that is not stated; The name of the prov",
            "--fact prepayment_fees: the disclosure rests on a fact that is not stated; Fees be",
        ],
    ),
    "the charge of another provider": (
        ["disclose", "US-TX", *DAILY[1:], *OFFER, "--payoff", "100"],
        ["--old-charge and --old-total: `unpaid_charge` is unknown", "--text payment_method: "],
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


def test_what_says_nothing_without_a_law_is_named():
    """
    Texts of a law that does not hold on the day are dropped, and that is said.
    """
    early = in_california("--fact", "deals_in_state_12m=1", on="2020-01-01")
    assert "The figures without --fact and --text and --financer:" in early.stderr
    canada = invoke("disclose", "CA", *DAILY[1:], *OFFER)
    assert "did you mean `US-CA`? If not, those with one are" in canada.stderr
    assert canada.stderr.endswith("The figures alone:\n")


def test_another_form_is_shown_by_its_option():
    """
    A number with one reading is read, and how is said by the name that was typed.
    """
    ran = invoke(*DAILY, *OFFER, "--withheld", "62,5", "--split", "10")
    assert (ran.exit_code, ran.stderr) == (0, "--withheld is read as USD 62.50\n")


def test_the_unpaid_charge_of_a_deal_with_another_provider():
    """
    "For ANY provider's existing financing": what is unpaid is not double dipping.
    """
    figures = disclosed(**ANY_DEAL, payoff="20800", old_charge="12000", old_total="52000")[
        "figures"
    ]
    assert (figures["unpaid_charge"], figures["double_dipping"]) == ("4800.00", "0.00")
    assert (figures["payoffs"], figures["own_payoff"]) == ("20800.00", "0.00")


# -- files


HISTORY = [*DAILY, *(word for word in OFFER if word not in {"--monthly-takings", "60000"})]


NO_TAKINGS = {
    "a month twice": (
        "2026-05,100\n2026-05,1\n", ["--months", "2"], [":3: the month 2026-05 is there twice"]
    ),
    "a month that is not over, and a gap": (
        "2026-05,100\n2026-12,1\n",
        ["--months", "2"],
        [
            ":3: expected a month before 2026-12",
            "there are months before and after 2026-06, 2026-07",
        ],
    ),
    "cells": (
        "May-26,1.000\n2026-05,-1\n",
        ["--months", "2"],
        [
            ":2 month: expected a month such as `2026-01`",
            ":2 takings: expected an amount",
            ":3 takings: expected takings from zero up",
            "write `USD 1.00` or `USD 1000.00`",
        ],
    ),
    "no number of months": (
        "2026-05,100\n", [], ["--months: it is missing; the takings are the mean"]
    ),
    "takings as well": (
        "2026-05,100\n",
        ["--months", "2", "--monthly-takings", "5"],
        ["--monthly-takings: --history projects the takings; give one of the two"],
    ),
    "months that may not be left out": (
        "2026-04,90\n2026-05,100\n2026-06,80\n",
        ["--months", "2", "--leave-out", "2026-05", "--leave-out", "2026-04",
         "--leave-out", "2025-01", "--leave-out", "May"],
        [
            "--leave-out 2026-05: only a month below the mean may be left out",
            "--leave-out 2026-04: a month that is left out is one of those in use",
            "--leave-out 2025-01: the file does not have this month",
            "--leave-out May: expected a month such as",
        ],
    ),
}  # fmt: skip


@for_every("name", NO_TAKINGS)
def test_takings_that_cannot_be_read(name, tmp_path):
    """
    Takings are those of one month each, before the day, and without a gap.
    """
    body, words, messages = NO_TAKINGS[name]
    file = tmp_path / "takings.csv"
    file.write_text(f"month,takings\n{body}", encoding="utf-8")
    ran = invoke(*HISTORY, "--history", file, *words)
    assert ran.exit_code == 2, ran.output
    for message in messages:
        assert message in ran.stderr, ran.stderr


def test_takings_from_history_are_said_once(tmp_path):
    """
    "`--explain` shows the step": the mean of months, and not that they were stated.
    """
    file = tmp_path / "takings.csv"
    file.write_text("month,takings\n2026-10,50000\n2026-11,70000\n", encoding="utf-8")
    offer = {name: value for name, value in ANY_DEAL.items() if name != "monthly-takings"}
    answer = disclosed("US-CA", *IN_CALIFORNIA, **offer, history=file, months="6")
    steps = [step for step in answer["derivation"] if step["name"] == "projected_monthly_takings"]
    assert [step["numbers"] for step in steps] == ["(50,000.00 + 70,000.00) / 2"]
    assert answer["figures"]["projected_monthly_takings"] == "60000.00"


def test_best_months_leave_out_a_month_by_its_name(tmp_path):
    """
    A month that is left out is that month, although the best ones are chosen by their takings.
    """
    file = tmp_path / "takings.csv"
    file.write_text("month,takings\n2026-01,50000\n2026-02,30000\n2026-03,70000\n2026-04,10\n")
    ran = invoke(
        *HISTORY, "--history", file, "--months", "3", "--best-months", "--leave-out", "2026-02"
    )
    assert "mean takings of 2 of the best 3 months" in ran.stdout
    assert "(50,000.00 + 70,000.00) / 2" in ran.stdout


def test_a_file_of_payments_as_people_write_it(tmp_path):
    """
    "The project's reader": semicolons, a mark at the beginning, blank lines, signs of currencies.
    """
    file = tmp_path / "payments.csv"
    body = "\ufeff\n Amount ;Day;\n\n$1,600.00;16.12.2026;\n1 600,00;2027-01-01\n\n"
    file.write_text(body, encoding="utf-8")
    answer = disclosed(purchase_price="3000", payments=file)
    assert answer["figures"]["total_payments"] == "3200.00"
    assert answer["first_payment_on"] == "2026-12-16"


def test_damaged_bytes_are_refused(tmp_path):
    """
    Bytes that are not text are refused, and not replaced by signs that hide them.
    """
    file = tmp_path / "payments.csv"
    file.write_bytes(b"day,amount\n2026-12-02,5\n2026-12-03,\xa35\n")
    ran = invoke(*DAILY, "--purchase-price", "4", "--payments", file)
    assert ran.exit_code == 2
    assert f"{file}:3: this is not UTF-8; save it as CSV in UTF-8" in ran.stderr
    file.write_bytes(b"a" * (4 * 1024 * 1024 + 1))
    assert "at most 4 MiB" in invoke(*DAILY, "--purchase-price", "4", "--payments", file).stderr


@pytest.mark.parametrize(
    ("code", "rate", "words", "accurate"),
    [
        ("US-CA", "14.86%", [], True),
        ("US-CA", "14.85%", [], False),
        ("US-CA", "90%", [], True),
        ("US-NY", "15.6%", [], True),
        ("US-NY", "15.7%", [], False),
        (None, "15.11%", [], True),
        (None, "15.1%", [], False),
        (None, "15.1%", ["--irregular"], True),
    ],
)
def test_a_disclosed_rate(code, rate, words, accurate):
    """
    A rate that was disclosed is compared with that of the payments, 15.2258..., and the verdict
    has its source.
    """
    place = [] if code is None else [code]
    ran = invoke("disclose", *place, *DAILY[1:], *OFFER, *words, "--disclosed-apr", rate)
    assert ran.exit_code == (not accurate), ran.output
    verdict = "accurate" if accurate else "not accurate"
    assert f"The disclosed rate of {rate} is {verdict}: these payments have" in ran.stdout
    source = "12 CFR 1026.22(a)" if code is None else ALL[code].disclosures[-1].law
    assert source in ran.stdout
    assert "Funding Provided" not in ran.stdout


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
        ("day,amount,day\n", ":1: `day` is there twice"),
        ("day\n", ":1: the column `amount` is missing"),
        ("day,amonut\n", ":1: `amonut` is not a column of this file; did you mean `amount`?"),
        ("day,amount\n2026-12-02,1,600.00\n", ":2: expected 2 values; put quotes around"),
        ('day,amount\n2026-12-02,"5\n', "this line cannot be read as CSV"),
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


def test_a_payoff_of_another_provider_has_a_charge():
    """
    TX: "For ANY provider's existing financing": `--payoff` with the charge and total of that deal.
    """
    texts = [word for name in needed("US-TX") for word in ("--text", f"{name}=Acme")]
    answer = disclosed(
        "US-TX", *texts, **ANY_DEAL, payoff="1000", old_charge="2000", old_total="8000"
    )
    assert answer["figures"]["unpaid_charge"] == "250.00"
    assert answer["figures"]["own_payoff"] == "0.00"


def test_no_rate_where_the_law_asks_for_none():
    """
    No step and no field has an annual rate in a state that asks for none.
    """
    texts = [word for name in needed("US-TX") for word in ("--text", f"{name}=Acme")]
    answer = disclosed("US-TX", *texts, **ANY_DEAL)
    assert "rate" not in answer
    assert "apr" not in answer["figures"]
    assert not [step for step in answer["derivation"] if step["name"] == "apr"]
    assert {step["source"] for step in answer["derivation"]} == {"Tex. Fin. Code 398.051(a)"}


def test_payments_after_a_hundred_years_are_refused(tmp_path):
    """
    A slip in a year is refused before a rate is looked for, which would take minutes.
    """
    file = tmp_path / "payments.csv"
    rows = "2026-12-02,50\n2036-01-01,5\n9999-12-31,9999999\n"
    file.write_text(f"day,amount\n{rows}", encoding="utf-8")
    ran = invoke(*DAILY, "--purchase-price", "40", "--payments", file)
    assert ran.exit_code == 1
    assert "There are no such figures: `term`: expected 0 days to 36600 days" in ran.stderr


def test_payments_of_one_day_are_added(tmp_path):
    """
    A fee that falls on the day of a payment is part of what is paid then.
    """
    file = tmp_path / "payments.csv"
    file.write_text("day,amount\n2026-12-09,60\n2026-12-09,50\n", encoding="utf-8")
    answer = disclosed(purchase_price="100", payments=file)
    assert answer["figures"]["number_of_payments"] == 1
    assert answer["figures"]["total_payments"] == "110.00"


def test_a_renewal_may_pay_off_deals_of_others_too():
    """
    With both payoffs, the old charge is that of the deal with the same provider.
    """
    old = ["--own-payoff", "20800", "--old-charge", "12000", "--old-total", "52000"]
    both = [*old, "--payoff", "5000", "--format", "json"]
    figures = json.loads(invoke(*DAILY, *OFFER, *both).stdout)["figures"]
    assert figures["double_dipping"] == "4800.00"
    assert (figures["own_payoff"], figures["paid_to_others"]) == ("20800.00", "5000.00")
    assert figures.get("unpaid_charge") is None
