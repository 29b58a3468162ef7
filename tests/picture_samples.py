"""Records for pictures, as the questions of `holdback.portfolio` answer them."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

from holdback.tools import pictures

OUTCOMES = ("eligible", "referred", "ineligible", "undetermined", "not_assessed", "invalid")
CURRENCIES = {"GB": "GBP", "JP": "JPY", "US": "USD", "US-CA": "USD", "DE": "EUR", "IE": "EUR"}


def outcomes(*codes):
    counts = (1977, 13, 39, 1, 1210, 0)
    total = sum(counts)
    for place, code in enumerate(codes):
        for outcome, deals in zip(OUTCOMES, counts[place:] + counts[:place], strict=True):
            yield {
                "jurisdiction": code,
                "outcome": outcome,
                "deals": deals,
                "share": Decimal(deals) / total,
                "balance": Decimal(deals) * Decimal("10541.88"),
                "currency": CURRENCIES.get(code),
            }


def funnel(*codes):
    rules = {
        "FLOOR": ("at least 50% paid down", 12110, 40, 0),
        "GB-R-01": ("the status must be Funded", 310, 0, 0),
        "GB-R-02": (
            "the performance must be at least the minimum performance of 80%",
            842,
            17,
            128,
        ),
        "GB-R-03": ("the last remittance must be at most 14 days old", 97, 312, 41),
        "GB-R-04": (
            "no deal was defaulted in the last 24 months, or a person looked at it",
            5,
            0,
            1,
        ),
    }
    for code in codes:
        for rule, (label, failed, unknown, gained) in rules.items():
            yield {
                "jurisdiction": code,
                "rule": rule,
                "label": label,
                "otherwise": "decline",
                "passed": 20000 - failed,
                "failed": failed,
                "unknown": unknown,
                "alone": gained,
                "would_become_eligible": gained,
                "balance": Decimal(gained) * Decimal("8311.10"),
                "currency": CURRENCIES.get(code),
            }


def sweep(*codes, values=range(60, 100, 5)):
    for code in codes:
        for value in values:
            eligible = 21000 - (value - 50) ** 2 * 8
            yield {
                "jurisdiction": code,
                "parameter": "minimum_performance",
                "value": f"{value}%",
                "number": Decimal(value),
                "present": value == 80,
                "eligible": eligible,
                "referred": 40,
                "ineligible": 22000 - eligible,
                "undetermined": 1,
                "not_assessed": 2,
                "invalid": 0,
                "balance": Decimal(eligible) * 100,
                "currency": CURRENCIES.get(code),
            }


def migration(*codes):
    for code in codes:
        for place, before in enumerate(OUTCOMES):
            for other, after in enumerate(OUTCOMES):
                deals = 12345 if before == after else (place * 7 + other * 3) % 11 * 14
                yield {
                    "jurisdiction": code,
                    "before": before,
                    "after": after,
                    "deals": deals,
                    "share": Decimal(deals) / 100000,
                    "balance": Decimal(deals) * 1000,
                    "currency": CURRENCIES.get(code),
                }


def projection(*codes):
    for code in codes:
        for days in (0, 30, 60, 90):
            yield {
                "jurisdiction": code,
                "days": days,
                "day": date(2026, 7, 1) + timedelta(days=days),
                "eligible": 1977 + 31 * days,
                "referred": 3,
                "ineligible": 40,
                "undetermined": 1,
                "not_assessed": 9000 - 31 * days,
                "invalid": 0,
                "balance": Decimal(days) * 1000,
                "currency": CURRENCIES.get(code),
            }


def cohorts(*codes):
    for code in codes:
        for month in range(1, 7):
            for place, outcome in enumerate(OUTCOMES):
                share = Decimal((month * 5 + place * 13) % 40) / 100
                yield {
                    "cohort": f"2026-{month:02}",
                    "jurisdiction": code,
                    "outcome": outcome,
                    "deals": int(share * 1000),
                    "share": share,
                    "balance": share * 100000,
                    "currency": CURRENCIES.get(code),
                }


def near(*codes):
    for code in codes:
        for place in range(80):
            gap = Decimal(place * 37 % 41 - 20) / 10
            yield {
                "row": f"deal-{place}",
                "jurisdiction": code,
                "rule": "GB-R-02",
                "fact": "performance",
                "value": Decimal(80) + gap,
                "threshold": Decimal(80),
                "gap": gap,
                "passes": gap >= 0,
                "balance": Decimal(place * 7919 % 20011 + 500),
                "currency": CURRENCIES.get(code),
            }


def repayment():
    for day in range(0, 301, 3):
        yield {
            "day": date(2026, 1, 1) + timedelta(days=day),
            "remitted": Decimal(day * 38 + day % 21 * 11) if day <= 171 else None,
            "expected": Decimal(12500) * day / 300,
            "currency": "GBP",
        }


RENEWAL = (
    {"amount": Decimal(6250), "label": "50%: a renewal is assessed"},
    {"amount": Decimal(7500), "label": "60%: GB's own rule"},
)


def sensitivity():
    rates = ("24.90", "37.04", "49.12", "61.25", "73.31", "85.36", "97.47")
    for share, rate in zip(range(50, 201, 25), rates, strict=True):
        yield {"share": share, "apr": Decimal(rate), "term": 41800 // share}


def timeline():
    starts = [date(2024, 1, 1), date(2025, 4, 1), date(2026, 7, 1)]
    yield from _versions("Figures", "minimum performance", ["75%", "80%", "85%"], starts)
    yield from _versions("Figures", "greatest age of the last remittance", ["14 days"], starts[:1])
    yield from _versions(
        "Rules for renewals", "GB-R-06  No pause in the repayment", ["in force"], starts[2:]
    )


def _versions(group, name, values, starts):
    for value, since, until in zip(values, starts, [*starts[1:], None], strict=False):
        yield {"group": group, "name": name, "value": value, "since": since, "until": until}


TITLES = {
    "outcomes": "61% of 3,240 deals are eligible",
    "funnel": "GB-R-02 alone keeps 128 deals from being eligible",
    "sweep": "How many deals are eligible at another minimum performance?",
    "migration": "1,120 of 75,190 deals change when the proposal holds",
    "projection": "In 90 days 4,767 deals are eligible at 0.4% a day",
    "cohorts": "Which months funded deals that can be renewed?",
    "near": "80 deals are within 2% of a threshold",
}
QUESTIONS = {
    "outcomes": outcomes,
    "funnel": funnel,
    "sweep": sweep,
    "migration": migration,
    "projection": projection,
    "cohorts": cohorts,
    "near": near,
}


def charts(width, *, several=True):
    """Every picture by name, *width* pixels wide: of one jurisdiction, and of *several*."""
    made = {}
    for question, records in QUESTIONS.items():
        for codes in (("GB",), ("GB", "JP", "US-CA"))[: 1 + several]:
            name = f"{question}-{len(codes)}"
            made[name] = pictures.draw(question, TITLES[question], [*records(*codes)], width)
    stake = [*outcomes(*CURRENCIES)]
    made["money"] = pictures.money_at_stake("Where is the money?", stake, width)
    made["repayment"] = pictures.repayment(
        "The deal is 57% repaid after 171 days", [*repayment()], RENEWAL, width
    )
    made["sensitivity"] = pictures.sensitivity(
        "What does the offer cost a year if other takings come?", [*sensitivity()], width
    )
    made["timeline"] = pictures.timeline(
        "What changes in GB, and when", [*timeline()], date(2026, 3, 1), width
    )
    made["nothing"] = pictures.draw("near", "Which deals are near a threshold?", [], width)
    return made
