"""Another answer to each question that the law leaves open, planted; and the table of the cases."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from traceback import extract_tb

from disclosure_cases import CASES, command_of, scope

from holdback.cli import disclose as command
from holdback.disclosures import derivation, disclosure, projected_payments
from holdback.disclosures.annual_rate import AnnualRate
from holdback.disclosures.figures import term_in_words
from holdback.disclosures.projected_payments import (
    ProjectedPayments,
    payment_days,
    payment_of,
    project,
)
from holdback.disclosures.unit_periods import AVERAGE_MONTH, UnitPeriod
from holdback.exact.exact_numbers import divide

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "disclosure-cases.md"
HEAD = "| Case | Source | Rests on | Through |\n|---|---|---|---|\n"


def _rest_in_the_last(*, total, payment, days, **of):
    """Fewer payments, of which the last has the rest as well."""
    number = max(total // payment, 1)
    paid = project(total=total, payment=-(-total // number), days=days, **of)
    amounts = [payment] * (number - 1) + [total - payment * (number - 1)]
    rows = (
        projected_payments.Payment(row.day, amount)
        for row, amount in zip(paid.payments, amounts, strict=True)
    )
    return ProjectedPayments(paid.consummation, paid.frequency, tuple(rows))


def _a_day_later(start, frequency, **of):
    return payment_days(start + timedelta(1), frequency, **of)


def _one_decimal(rate, places, rounding="half_up"):
    return PERCENT(rate, 1 if places == 2 else places, rounding)


def _months_of_a_length(start, end):
    if (end - start).days <= 366:
        return term_in_words(start, end)
    months = round(100 * ((end - start).days / AVERAGE_MONTH)) / Decimal(100)
    return f"{int(months // 12)} years {months % 12:.2f} months"


def _down(total, days):
    exact = total * AVERAGE_MONTH / days
    return divide(exact.numerator, exact.denominator, "down")


def _with(**changes):
    def figures_of(*of):
        figures = FIGURES(*of)
        return figures | {name: change(figures) for name, change in changes.items()}

    return figures_of


PERCENT, FIGURES = AnnualRate.percent, disclosure.figures_of
OTHERWISE = {
    "K1": [(disclosure, "payment_of", lambda *of: payment_of(*of[:3], Fraction(30)))],
    "K2": [(disclosure, "project", _rest_in_the_last)],
    "K3": [(disclosure, "payment_days", _a_day_later)],
    "K4": [
        (
            projected_payments,
            "UNIT_PERIODS",
            {"daily": UnitPeriod("week"), "weekday": UnitPeriod("week"),
             "weekly": UnitPeriod("day"), "monthly": UnitPeriod("day")},
        )
    ],
    "K5": [(AnnualRate, "percent", _one_decimal)],
    "K6": [
        (
            ProjectedPayments,
            "term_days",
            property(lambda paid: (paid.payments[-1].day - paid.consummation).days + 1),
        )
    ],
    "K7": [(module, "term_in_words", _months_of_a_length) for module in (disclosure, derivation)],
    "K8": [(module, "monthly_cost", _down) for module in (disclosure, derivation)],
    "K9": [
        (module, "figures_of", _with(average_payment=lambda all_: all_["payment"]))
        for module in (disclosure, command)
    ],
    "K10": [
        (module, "figures_of", _with(prepayment_charge=lambda _: 0))
        for module in (disclosure, command)
    ],
}  # fmt: skip
# Of these, the payment is given, and the takings are only what leads to it.
_GIVEN_PAYMENT = "total_of_payments"


def rests_on(name, folder, monkeypatch):
    """
    The choices without which the digits of the case *name* would be others.

    Only what the case compares is caught. A plant with which the command fails shows nothing.
    """
    run, case, found = command_of(name), CASES[name], []
    if run is scope:
        return found
    for choice, plants in OTHERWISE.items():
        if choice == "K1" and _GIVEN_PAYMENT in case["inputs"]:
            continue
        with monkeypatch.context() as planted:
            planted.setattr(command, "_DECIMALS", 9)
            for plant in plants:
                planted.setattr(*plant)
            try:
                run(folder, case)
            except AssertionError as difference:
                *_, compared = extract_tb(difference.__traceback__)
                if Path(compared.filename).name != "disclosure_cases.py":
                    raise
                found.append(choice)
    return found


def row(name, choices):
    """The row of a case in the table."""
    source = CASES[name]["source"]
    return f"| {name} | {source} | {', '.join(choices) or 'none'} | functions, command |\n"
