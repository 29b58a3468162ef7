"""The worked cases of disclosures as commands, each with the digits that it gives."""

from __future__ import annotations

import json
import re
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

from invocation import invoke

from holdback.disclosures.unit_periods import months_from
from holdback.jurisdictions import load_jurisdictions

ALL = load_jurisdictions()
FILE = Path(__file__).parents[1] / "disclosures" / "cases.json"
CASES = {case["id"]: case for case in json.loads(FILE.read_text(encoding="utf-8"))["cases"]}
# A rate of fewer digits is one of which no more than two decimals are compared.
LONG = 30
# A new deal for what is about an old one.
ANY_DEAL = {
    "purchase-price": "200000",
    "purchased-amount": "260000",
    "split": "10%",
    "monthly-takings": "60000",
}


def disclosed(*words, frequency="daily", on=date(2026, 12, 1), **options):
    """The JSON of `holdback disclose`."""
    given = [
        part for name, value in options.items() for part in (f"--{name.replace('_', '-')}", value)
    ]
    ran = invoke(
        "disclose", *words, "--on", on, "--frequency", frequency, *given, "--format", "json"
    )
    if ran.exit_code:  # which is not a figure with other digits
        raise RuntimeError(ran.output) from ran.exception
    return json.loads(ran.stdout)


def derived(answer, name):
    """The value of a figure in the derivation."""
    return next(step["value"] for step in answer["derivation"] if step["name"] == name)


def same(number, expected):
    """Whether a long *number* has each digit that a case gives."""
    places = len(expected.partition(".")[2])
    exact = number * 10**places
    return int(exact + Fraction(1, 2)) == Fraction(expected) * 10**places


def check_rate(answer, expected):
    assert derived(answer, "apr") == f"{Decimal(expected['apr_percent_2dp']):,}%"
    period = Fraction(answer["rate"]["per_unit_period"])
    percent = 100 * period * Fraction(answer["rate"]["unit_periods_per_year"])
    if len(answer["rate"]["per_unit_period"]) < LONG:
        return
    for number, name in (
        (percent, "apr_percent"),
        (percent, "recomputed_apr_percent"),
        (period, "unit_period_rate"),
    ):
        if name in expected:
            assert same(number, expected[name])


def scheduled(folder, advance, rows, start, frequency, unit=None, **options):
    """The answer for *rows* of payments, days and amounts, in a file."""
    file = folder / "payments.csv"
    lines = ["day,amount", *(f"{day},{amount}" for day, amount in rows)]
    file.write_text("\n".join(lines), encoding="utf-8")
    period = {} if unit is None else {"unit_period": unit}
    return disclosed(
        on=start, frequency=frequency, purchase_price=advance, payments=file, **period, **options
    )


# -- schedules


def appendix(folder, case):
    """A schedule in words, such as `24 x 230.00 monthly from 1978-02-10`."""
    inputs, expected = case["inputs"], case["expected"]
    number, amount, said, start = re.match(
        r"(\d+) x ([\d.]+) (.*) from ([\d-]+)", inputs["schedule"]
    ).groups()
    payments = inputs.get("payments", [[amount, int(number)]])
    amounts = [each for each, times in payments for _ in range(times)]
    first = date.fromisoformat(start)

    def day(at):
        match said:
            case "weekly" | "every 2 weeks":
                return first + timedelta(weeks=at * (1 if said == "weekly" else 2))
            case "on the 1st and 16th":
                return months_from(first, at // 2, 16 if at % 2 else 1)
            case _:
                months = {"monthly": 1, "quarterly": 3, "yearly": 12}[said]
                return months_from(first, months * at, first.day)

    unit = {"on the 1st and 16th": "half-month", "every 2 weeks": "2 weeks",
            "quarterly": "3 months", "yearly": "year"}.get(said)  # fmt: skip
    rows = [(day(at), amount) for at, amount in enumerate(amounts)]
    frequency = "weekly" if said == "weekly" else "monthly"
    start = date.fromisoformat(inputs["advance_date"])
    check_rate(scheduled(folder, inputs["advance"], rows, start, frequency, unit), expected)


def in_years(folder, case):
    """One payment after a year or more."""
    inputs = case["inputs"]
    start, end = map(date.fromisoformat, re.findall(r"\d{4}-\d\d-\d\d", inputs["dates"]))
    rows = [(end, inputs["payment"])]
    answer = scheduled(folder, inputs["advance"], rows, start, "monthly", "year")
    check_rate(answer, case["expected"])


def equal(folder, case):
    """Equal payments, and the rest as the last."""
    inputs, expected = case["inputs"], case["expected"]
    start, frequency = date.fromisoformat(inputs["consummation_date"]), inputs.get("calendar")
    if frequency is None:
        first, left, rows = date.fromisoformat(inputs["first_payment_date"]), None, []
        left = Decimal(inputs["total_of_payments"])
        while left:
            amount = min(left, Decimal(inputs["payment"]))
            rows.append((first + timedelta(weeks=len(rows)), amount))
            left -= amount
        answer = scheduled(folder, inputs["advance"], rows, start, "weekly")
    else:
        # The takings of which all is paid, so that a payment has the amount of the case.
        per_month = {"daily": Fraction("30.4"), "weekday": Fraction(152, 7)}[frequency]
        takings = Fraction(inputs["payment"]) * per_month
        answer = disclosed(
            on=start,
            frequency=frequency,
            purchase_price=inputs["advance"],
            purchased_amount=inputs["total_of_payments"],
            split="100%",
            monthly_takings=f"{int(100 * takings + Fraction(1, 2)) / 100:.2f}",
        )
        assert derived(answer, "last_payment") == f"{Decimal(expected['last_payment']):,}"
    assert answer["figures"]["number_of_payments"] == expected["payments"]
    assert answer["figures"]["term"] == expected["term_days"]
    assert answer["last_payment_on"] == expected["last_payment_date"]
    check_rate(answer, expected)


def dated(folder, case):
    """Months and half months of which only the first is odd."""
    inputs, start = case["inputs"], date.fromisoformat(case["inputs"]["consummation_date"])
    days = {
        "monthly-month-end": [months_from(date(2025, 1, 31), at, 31) for at in range(1, 13)],
        "monthly-odd-days": [months_from(date(2025, 4, 1), at, 1) for at in range(12)],
        "semimonthly-20": [
            months_from(date(2025, 3, 1), at // 2, 16 if at % 2 else 1) for at in range(20)
        ],
    }[case["id"]]
    unit = "half-month" if case["id"] == "semimonthly-20" else None
    rows = [(day, inputs["payment"]) for day in days]
    answer = scheduled(folder, inputs["advance"], rows, start, "monthly", unit)
    check_rate(answer, case["expected"])


def after_days(folder, advance, paid, frequency="daily", **options):
    """The answer for payments by the number of their day."""
    start = date(2025, 5, 1)
    rows = [(start + timedelta(days=day), amount) for day, amount in paid]
    return scheduled(folder, advance, rows, start, frequency, **options)


def irregular(folder, case):
    inputs, expected = case["inputs"], case["expected"]
    minimum = [(day, 300) for day in range(30, 241, 30)]
    fees = [(day, 25) for day in range(30, 151, 30)]
    weeks = [*range(1, 5), *range(7, 16)]
    paid = {
        "weekly-two-skipped-balloon": [*((7 * week, 800) for week in weeks), (7 * 16, 2600)],
        "monthly-minimum": [*((day, 40) for day in range(1, 241)), *minimum],
        "periodic-platform-fee": [*((day, 90) for day in range(1, 151)), *fees],
        "single-7-days": [(7, 1050)],
    }[case["id"]]
    frequency = "weekly" if case["id"].startswith("weekly") else "daily"
    later = {"later_charges": "125.00"} if "fee" in inputs else {}
    advance = inputs.get("advance") or inputs["purchase_price"]
    answer = after_days(folder, advance, paid, frequency, **later)
    check_rate(answer, expected)
    for name, figure in (
        ("total_of_payments", "total_payments"),
        ("finance_charge", "finance_charge"),
        ("amount_financed", "amount_financed"),
    ):
        if name in expected:
            assert answer["figures"][figure] == expected[name]


def rates(shown, exact):
    return {"apr_percent_2dp": shown, "apr_percent": exact}


def lump_sum(folder, case):
    expected, paid = case["expected"], [(day, 150) for day in range(1, 61)]
    early = after_days(folder, "20000", [*paid, (61, 17000)])
    check_rate(early, rates(expected["with_lump_sum"], expected["apr_percent_with"]))
    rest = [*((day, 150) for day in range(1, 174)), (174, 50)]
    continued = after_days(folder, "20000", rest)
    shown = expected["lump_sum_ignored_average_continued"]
    check_rate(continued, rates(shown, expected["apr_percent_ignored"]))


def term(folder, case):
    inputs = case["inputs"]
    start, end = inputs["consummation_date"], inputs["last_payment_date"]
    answer = scheduled(folder, "100", [(end, "110")], date.fromisoformat(start), "monthly")
    assert answer["figures"]["term"] == case["expected"]["days"]
    assert derived(answer, "term") == case["expected"]["text"]


def monthly(folder, case):
    inputs = case["inputs"]
    answer = after_days(folder, "100", [(inputs["term_days"], inputs["total"])])
    expected = case["expected"]["estimated_monthly_cost"]
    assert answer["figures"]["average_monthly_cost"] == expected


# -- offers


def whole(_, case):
    inputs, expected = case["inputs"], case["expected"]
    options = {
        "purchase_price": inputs["purchase_price"],
        "purchased_amount": inputs["purchased_amount"],
        "split": f"{inputs['split_percent']}%",
        "monthly_takings": inputs["projected_monthly_takings"],
        "withheld": inputs["finance_charge_fees_withheld"],
        "paid_separately": inputs["finance_charge_fees_paid_separately"],
    }
    assert not inputs["third_party_non_finance_amounts"]
    assert not inputs["payoff_others"]
    if "existing" in inputs:
        old = inputs["existing"]
        options |= {
            "own_payoff": inputs["payoff_own_account"],
            "old_charge": old["finance_charge"],
            "old_total": old["purchased_amount"],
            "forgiven": old["forgiven"],
        }
    holidays = [word for day in inputs.get("holidays", ()) for word in ("--holiday", day)]
    answer = disclosed(
        *holidays,
        on=date.fromisoformat(inputs["consummation_date"]),
        frequency=inputs["calendar"],
        **options,
    )
    figures = answer["figures"]
    names = {
        "amount_financed": "amount_financed",
        "recipient_funds": "recipient_funds",
        "finance_charge": "finance_charge",
        "estimated_total_payment_amount": "total_payments",
        "projected_payment": "payment",
        "estimated_payment_row_average": "average_payment",
        "frequency": "frequency",
        "number_of_payments": "number_of_payments",
        "term_days": "term",
        "estimated_monthly_cost": "average_monthly_cost",
        "maximum_non_interest_finance_charge_no_discount": "prepayment_charge",
        "double_dipping": "double_dipping",
        "disbursement_reduced_by": "own_payoff",
    }
    for name, figure in names.items():
        if expected.get(name) is not None:
            assert figures[figure] == expected[name], name
    assert derived(answer, "last_payment").replace(",", "") == expected["last_payment"]
    assert derived(answer, "term") == expected["term_text"]
    assert answer["last_payment_on"] == expected["last_payment_date"]
    more = Decimal(figures["amount_financed"]) > Decimal(figures["recipient_funds"])
    assert more == expected["itemization_required"]
    check_rate(answer, expected)


def itemized(_, case):
    """The sum of an itemization is the purchase price, with charges that are withheld."""
    expected = case["expected"]
    parts = {
        "ca-956b2": {"withheld": "1000.00", "third_parties": "100.00"},
        "ny-60017b2": {"paid_separately": "1000.00", "third_parties": "1100.00"},
    }[case["id"]]
    price = expected["amount_provided_to_you_or_on_your_behalf"]
    answer = disclosed(**{**ANY_DEAL, "purchase-price": price}, payoff="2000.00", **parts)
    for name in ("amount_financed", "recipient_funds"):
        assert answer["figures"][name] == expected[name]
    assert expected["itemization_required"]


def dipping(_, case):
    inputs = case["inputs"]
    answer = disclosed(
        **ANY_DEAL,
        own_payoff=inputs["renewal_amount_used_for_payoff"],
        old_charge=inputs["original_finance_charge"],
        old_total=inputs["original_total_repayment"],
        forgiven=inputs["forgiven"],
    )
    assert answer["figures"]["double_dipping"] == case["expected"]["amount"]


def disbursed(_, case):
    """Payoffs and what is paid to others reduce a disbursement, and are not subtracted from it."""
    inputs, expected = case["inputs"], case["expected"]
    withheld = inputs.get("finance_charges_withheld") or inputs["finance_charge_fee_withheld"]
    options = {
        **ANY_DEAL,
        "purchase-price": inputs["total_amount"],
        "purchased-amount": inputs["purchased_amount"],
        "withheld": withheld,
    }
    if "existing" in inputs:
        old = inputs["existing"]
        options |= {"own-payoff": old["payoff"], "old-charge": old["finance_charge"],
                    "old-total": old["total_repayment"], "forgiven": old["forgiven"]}  # fmt: skip
    elif "required_payoff" in inputs:
        options["payoff"] = inputs["required_payoff"]["amount"]
    else:
        options["third-parties"] = inputs["ucc_filing_fee_withheld_not_finance_charge"]
        expected = expected["recommended_ucc_fee_as_paid_on_recipients_behalf"]
    figures = disclosed(**options)["figures"]
    assert figures["disbursement"] == expected["disbursement_amount"]
    total = expected.get("total_repayment_amount")
    assert figures["total_payments"] == total
    assert Decimal(figures["disbursement"]) + Decimal(figures["finance_charge"]) == Decimal(total)
    reduced = expected.get("disbursement_reduced_by") or expected.get(
        "reduction_in_disbursement_to_pay_outstanding_balance", "0.00"
    )
    assert figures["payoffs"] == reduced
    if "prepayment_charges_payable_to_provider" in expected:
        unpaid = expected["prepayment_charges_payable_to_provider"]
        assert figures["double_dipping"] == unpaid


def refused(_, case):
    inputs = case["inputs"]
    options = {
        **ANY_DEAL,
        "purchase-price": inputs["purchase_price"],
        "withheld": inputs["finance_charge_fees_withheld"],
        "payoff": inputs["payoff_own_account"],
    }
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    ran = invoke("disclose", "--on", "2026-12-01", "--frequency", "daily", *words)
    assert ran.exit_code == 1
    assert "less than nothing" in ran.output


def scope(_, case):
    """Whether a disclosure is due, by the law that ships."""
    inputs, code = case["inputs"], f"US-{case['inputs']['state']}"
    day = date.fromisoformat(inputs.get("date") or inputs["consummated"])
    price = inputs.get("total_amount") or inputs["purchase_price"]
    words = [word for name in needed(code) for word in ("--text", f"{name}=Acme")]
    if any(regime.catalogue.fact("prepayment_fees") for regime in ALL[code].disclosures):
        words += ("--fact", "prepayment_fees=0")
    options = {**ANY_DEAL, "purchase-price": price, "purchased-amount": "1200000"}
    if "prepaid_finance_charge" in inputs:
        options["withheld"] = inputs["prepaid_finance_charge"]
    answer = disclosed(code, *words, on=day, **options)
    assert answer.get("due", False) == case["expected"]["disclosure_due"]
    if "amount_compared" in case["expected"]:
        assert answer["figures"]["amount_financed"] == case["expected"]["amount_compared"]


# -- estimates


def history(folder, case):
    """Takings of months, of which those that were not received are not in the file."""
    inputs, expected = case["inputs"], case["expected"]
    months = [f"2025-{month:02}" for month in range(1, 13)][-len(inputs["oldest_first"]) :]
    taken = dict(zip(months, inputs["oldest_first"], strict=True))
    words = []
    if "excluded" in inputs:
        amount = inputs["excluded"].split()[0]
        words += ["--leave-out", next(month for month in months if taken[month] == amount)]
    if inputs.get("variant") == "highest":
        words += ["--best-months"]
    received = months[-inputs["fixed_months"] :][inputs.get("not_required_or_received", 0) :]
    if "not_required_or_received" not in inputs:
        received = months
    file = folder / "takings.csv"
    rows = [f"{month},{taken[month]}\n" for month in received]
    file.write_text("month,takings\n" + "".join(rows), encoding="utf-8")
    offer = {name: value for name, value in ANY_DEAL.items() if name != "monthly-takings"}
    answer = disclosed(*words, **offer, history=file, months=inputs["fixed_months"])
    assert answer["figures"]["projected_monthly_takings"] == expected["projection"]
    step = answer["derivation"][0]
    assert derived(answer, "projected_monthly_takings").replace(",", "") == expected["projection"]
    summands, number = re.fullmatch(r"\((.*)\) / (\d+)", step["numbers"]).groups()
    amounts = [Fraction(amount.replace(",", "")) for amount in summands.split(" + ")]
    assert len(amounts) == int(number) == expected["months_used"]
    assert Fraction(sum(amounts), int(number)) == Fraction(expected["exact"])


def audited(folder, rows, head="audit,disclosed_apr,retrospective_apr"):
    """The JSON of `holdback audit`, and its exit code."""
    file = folder / "deals.csv"
    file.write_text("\n".join([head, *(",".join(row) for row in rows)]), encoding="utf-8")
    ran = invoke("audit", file, "--format", "json")
    return json.loads(ran.stdout), ran.exit_code


def audit(folder, case):
    inputs, expected = case["inputs"], case["expected"]
    rows = [("2027-04", *rates) for rates in inputs["disclosed_and_retrospective"]]
    (answer,), code = audited(folder, rows)
    assert (answer["deals"], code) == (len(rows), 0)
    spreads = [f"{Decimal(by):.6f}" for by in expected["apr_spreads_percent"]]
    assert answer["spreads"] == spreads
    assert answer["spread"] == f"{Decimal(expected['audited_apr_spread_percent']):.6f}"


def audits(folder, case):
    """Audits of deals that all have the spread of the case."""
    inputs, expected = case["inputs"], case["expected"]
    rows = [
        (f"{2027 + at // 3}-{1 + at % 3 * 4:02}", "100", str(100 + int(by)))
        for at, (by, deals) in enumerate(inputs["audits_oldest_first_spread_and_count"])
        for _ in range(deals)
    ]
    answers, code = audited(folder, rows)
    last = answers[-1]
    for number, limit in ((3, 15), (5, 10), (7, 5)):
        assert last[f"mean_of_{number}"] == expected.get(f"last_{number}")
        if f"last_{number}" in expected:
            over = Decimal(last[f"mean_of_{number}"]) > limit
            assert over == expected[f"last_{number}_over_limit"]
    assert last["barred"] == expected["barred_24_months_unless_history_would_be_higher"]
    assert last["may_audit_yearly"] == expected["california_may_audit_yearly"]
    assert code == any(each["barred"] for each in answers)


def yearly_report(folder, case):
    inputs, expected = case["inputs"], case["expected"]
    rows = [
        ("2027-12", stated, came, amount)
        for amount, stated, came in inputs["financing_amount_estimated_actual"]
    ]
    (answer,), _ = audited(folder, rows, "audit,disclosed_apr,retrospective_apr,amount")
    for name, by in (("mean_difference", "unweighted"), ("mean_difference_by_amount", "weighted")):
        assert answer[name] == f"{Decimal(expected[f'mean_difference_{by}']):.6f}"


def accurate(folder, rate, disclosed_rate, *words):
    """Whether a rate is accurate where one payment after a year makes *rate* of what came."""
    file = folder / "payments.csv"
    payment = 100_000 * (100 + Decimal(rate)) / 100
    file.write_text(f"day,amount\n2027-12-01,{payment:.2f}\n", encoding="utf-8")
    ran = invoke(
        "disclose", *words, "--on", "2026-12-01", "--frequency", "monthly", "--unit-period", "year",
        "--purchase-price", "100000", "--payments", file, "--disclosed-apr", f"{disclosed_rate}%",
        "--format", "json",
    )  # fmt: skip
    answer = json.loads(ran.stdout)
    percent = 100 * Fraction(answer["rate"]["per_unit_period"])
    assert percent == Fraction(rate)
    assert ran.exit_code == (not answer["disclosed_rate"]["accurate"])
    return answer["disclosed_rate"]["accurate"]


def of_regulation_z(folder, case):
    inputs, expected = case["inputs"], case["expected"]
    rate = inputs["exact_percent"]
    found = [accurate(folder, rate, stated) for stated in inputs["stated_percent"]]
    assert found == expected["accurate"]


def tolerance(folder, case):
    inputs, expected = case["inputs"], case["expected"]
    assert not inputs["irregular"]
    code = f"US-{inputs['jurisdiction']}"
    found = accurate(folder, inputs["determined"], inputs["disclosed"], code)
    assert found == expected.get("accurate", expected.get("accurate_recommended"))


def needed(code):
    """The texts that each regime of a jurisdiction needs."""
    regimes = ALL[code].disclosures
    return {name for regime in regimes for name, text in regime.texts.items() if text is None}


BY_KIND = {
    "appj-mem": in_years,
    "appj": appendix,
    "xl-": appendix,
    "dd-": dipping,
    "term-": term,
    "monthly-cost": monthly,
    "scope-": scope,
    "hist-": history,
    "audit-median": audit,
    "audit-": audits,
    "tol-": tolerance,
}
BY_ID = {
    "regz-comment-14a2": of_regulation_z,
    "ny-annual-report": yearly_report,
    "ca-956b2": itemized,
    "ny-60017b2": itemized,
    "va-nonfinance-fee-trap": disbursed,
    "ct-renewal": disbursed,
    "tx-renewal-other-provider": disbursed,
    "refuse-payoff-over-proceeds": refused,
    "retrospective-lump-sum": lump_sum,
    **dict.fromkeys(("monthly-month-end", "monthly-odd-days", "semimonthly-20"), dated),
    **dict.fromkeys(
        ("weekly-two-skipped-balloon", "monthly-minimum", "periodic-platform-fee", "single-7-days"),
        irregular,
    ),
}  # fmt: skip


def command_of(name):
    """The function that runs the case *name* as a command."""
    if name in BY_ID:
        return BY_ID[name]
    for start, run in BY_KIND.items():
        if name.startswith(start):
            return run
    inputs = CASES[name]["inputs"].keys()
    if {"split_percent", "purchase_price"} <= inputs:
        return whole
    assert {"total_of_payments", "advance"} <= inputs
    return equal
