"""What a change of rules means for every deal that can exist, with a deal gained and one lost.

Measures: `proofs.comparison.compare` of two sets of n rules, of which the second asks for a better
pace and allows a longer silence, for n from 10 to 60: the verdict, and the plainest deal each way.

Against: the same for 10 rules. What comes out is compared with what was changed first.

The time to reach: at most 200 milliseconds for 40 rules. The time to import z3 is not in it.

Run it: `python benchmarks/one_difference.py`; `--rules` and `--smallest` make it shorter.
"""

from __future__ import annotations

from datetime import date
from time import thread_time

from sizes import sizes

from holdback.eligibility.facts import catalogue
from holdback.eligibility.ruleset import DECLINE, REFER, Rule, RuleSet
from holdback.exact.money import Currency
from holdback.rules import Kind, check, parse
from holdback.tools.proofs.effects import RuleComparison, compare

SIZES = (10, 20, 40, 60)
SECONDS_TO_REACH = 0.2
ON = date(2026, 7, 1)
FACTS = catalogue(Currency.of("GBP"))
TYPICAL = FACTS.prepare(
    {
        "progress": "64%",
        "performance": "97%",
        "balance": "4285.44",
        "status": "Funded",
        "deal_type": "Initial",
        "days_since_funding": 150,
        "days_since_last_remittance": 1,
        "missed_remittances_30d": 0,
        "remaining_term_days": 77,
        "deals_completed": 0,
        "deals_defaulted": 0,
        "average_monthly_takings": "20000.00",
        "takings_trend": "102%",
        "months_trading": 40,
        "identity_verified": True,
        "business_verified": True,
        "credit_score": 700,
        "credit_checked_on": "2026-06-01",
        "deals_written_off": 0,
        "deals_recovered": 0,
        "paused": False,
        "days_in_pause": 0,
        "refunds_due": "0.00",
    }
)
# Rules as jurisdictions have them: {n} tells one from the next. The first two are changed.
TEXTS = (
    "performance >= {pace}%",
    'status != "Funded" or days_since_last_remittance <= {silence} days',
    "balance <= average_monthly_takings * 1.{n} + GBP {n}00.00",
    "deals_completed >= 1 or credit_score >= 5{n} or balance <= GBP 9{n}.00",
    'deal_type == "Renewal" or months_trading >= {n} or takings_trend >= {n}%',
    "missed_remittances_30d <= 2 or progress >= {n}%",
    'status in ["Funded", "Repaid"] and deals_defaulted <= {n}',
    "credit_checked_on >= 2025-0{d}-01 or deals_completed >= {n}",
    "remaining_term_days + days_since_funding >= {n} days or not paused",
    "min(balance, GBP {n}000.00) <= max(average_monthly_takings, GBP 20{n}.00)",
)


def rules(size: int, *, pace: int, silence: int) -> RuleSet:
    """Return *size* rules, one with the threshold *pace* and one with *silence*."""
    made = []
    for place in range(size):
        more = 0 if place < len(TEXTS) else place % 3
        number = place + 10
        text = TEXTS[place % len(TEXTS)].format(
            n=number, d=1 + place // len(TEXTS), pace=pace - more, silence=silence + more
        )
        rule = Rule(
            id=f"rule-{place}",
            code=f"GB-R-{place:02}",
            require=text,
            otherwise=REFER if place % 4 == 3 else DECLINE,
            reason="No.",
            source="benchmark",
            checked=check(parse(text), FACTS, Kind.FLAG),
        )
        made.append(rule)
    return RuleSet(rules=tuple(made), catalogue=FACTS, jurisdiction="GB", digest="benchmark")


def difference(size: int) -> tuple[RuleComparison, float]:
    """Return what it means to ask for a better pace and allow a longer silence, and the seconds."""
    before, after = rules(size, pace=75, silence=14), rules(size, pace=80, silence=21)
    start = thread_time()
    compared = compare(before, after, TYPICAL, ON)
    return compared, thread_time() - start


def check_answer(size: int) -> None:
    """Check that the plainest deals are those that the change was made for."""
    compared, _ = difference(size)
    assert compared.relation == "incomparable", compared
    shown = ((compared.gained, "days_since_last_remittance"), (compared.lost, "performance"))
    for witness, fact in shown:
        assert witness is not None, compared
        assert [change.fact.name for change in witness.changes] == [fact], witness.words


def main() -> None:
    print("|  rules | milliseconds | ratio to 10 rules |")
    print("| -----: | -----------: | ----------------: |")
    asked, seconds = sizes(__doc__, rounds=(7, 1), rules=(60, 10)), {}
    for size in (size for size in SIZES if size <= asked.rules):
        check_answer(size)
        seconds[size] = min(difference(size)[1] for _ in range(asked.rounds))
        ratio = seconds[size] / seconds[SIZES[0]]
        print(f"| {size:>6} | {seconds[size] * 1000:>12.0f} | {ratio:>17.1f} |")
    most = max(size for size in seconds if size <= 40)
    reached = "reached" if seconds[most] <= SECONDS_TO_REACH else "not reached"
    print(f"\nAt most {SECONDS_TO_REACH * 1000:.0f} ms for {most} rules: {reached}.")


if __name__ == "__main__":
    main()
