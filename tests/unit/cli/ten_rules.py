"""A country of ten rules, as a person types it into the files of `holdback new`."""

# What the person writes in the place of the blanks: file, what is there, what is typed.
BLANKS = (
    ("jurisdiction.toml", 'name = ""', 'name = "Norway"'),
    ("jurisdiction.toml", 'currency = ""', 'currency = "NOK"'),
    ("jurisdiction.toml", 'timezone = ""', 'timezone = "Europe/Oslo"'),
    ("jurisdiction.toml", 'owner = ""', 'owner = "risk-no"'),
    ("jurisdiction.toml", 'review_by = ""', "review_by = 2027-01-01"),
    (
        "products.toml",
        'minimum = "", maximum = ""',
        'minimum = "NOK 10000", maximum = "NOK 500000"',
    ),
)

FACTS = """
[facts.payment_remarks]
type = "count"
minimum = 0
maximum = 1000
description = "Payment remarks about the business in the credit register."
"""

RULES = """
[parameters.longest_silence]
type = "days"
timeline = [
  { from = 2026-01-01, value = "21 days", source = "credit policy" },
  { from = 2026-10-01, value = "14 days", source = "credit policy" },
]

[parameters.largest_balance]
type = "money"
timeline = [{ from = 2026-01-01, value = "NOK 250000", source = "credit policy" }]

[[rules]]
id = "still-remitting"
code = "NO-R-04"
when = 'status == "Funded"'
require = "days_since_last_remittance <= longest_silence"
reason = "Nothing came for {days_since_last_remittance}; at most {longest_silence} may pass."
source = "credit policy"
from = 2026-01-01

[[rules]]
id = "old-enough"
code = "NO-R-05"
when = 'deal_type == "Initial"'
require = "days_since_funding >= 30 days"
reason = "The deal was funded {days_since_funding} ago; a first deal can be renewed after 30 days."
source = "credit policy"
from = 2026-01-01

[[rules]]
id = "balance-within-takings"
code = "NO-R-06"
require = "balance <= average_monthly_takings * 0.75"
reason = "The balance of {balance} is too much for monthly takings of {average_monthly_takings}."
source = "credit policy"
from = 2026-01-01

[[rules]]
id = "within-term"
code = "NO-R-07"
when = 'status == "Funded"'
require = "remaining_term_days > 0 days or progress >= 90%"
otherwise = "refer"
reason = "The term has passed and the deal is {progress} paid down; a person looks at it."
source = "credit policy"
from = 2026-01-01

[[rules]]
id = "large-first-renewal"
code = "NO-R-08"
require = "balance <= largest_balance or deals_completed >= 1"
otherwise = "refer"
reason = "The balance of {balance} is above {largest_balance}, and this is a first renewal."
source = "credit policy"
from = 2026-01-01

[[rules]]
id = "no-default"
code = "NO-R-09"
require = "deals_defaulted == 0"
reason = "Deals that defaulted: {deals_defaulted}; there may be none."
source = "credit policy"
from = 2026-01-01

[[rules]]
id = "few-remarks"
code = "NO-R-10"
require = "payment_remarks < 2"
reason = "Payment remarks: {payment_remarks}; at most 1 may be."
source = "credit policy"
from = 2026-01-01

[[rules]]
id = "not-paused"
code = "NO-R-11"
require = "not paused"
reason = "The repayment of the deal is paused; it can be renewed once it goes on."
source = "credit policy"
from = 2026-01-01

[[rules]]
id = "steady-takings"
code = "NO-R-12"
require = "takings_trend >= 80% or average_monthly_takings >= NOK 400000"
otherwise = "refer"
reason = "Takings of 30 days are {takings_trend} of those before; a person looks at it."
source = "credit policy"
from = 2026-06-01

[[rules]]
id = "score"
code = "NO-R-13"
when = "deals_completed == 0"
require = "500 <= credit_score <= 900"
reason = "A first renewal needs a credit score of 500 to 900; it is {credit_score}."
source = "credit policy"
from = 2026-01-01
"""


def typed_lines():
    """The lines that the person types; empty ones are none."""
    added = [line for text in (FACTS, RULES) for line in text.splitlines() if line.strip()]
    return [typed for _, _, typed in BLANKS] + added


def type_it(folder):
    """Type the country into the files of *folder*, which `holdback new` has written."""
    for file, blank, typed in BLANKS:
        path = folder / file
        text = path.read_text(encoding="utf-8")
        assert blank in text
        path.write_text(text.replace(blank, typed, 1), encoding="utf-8")
    for file, added in (("jurisdiction.toml", FACTS), ("renewal.toml", RULES)):
        path = folder / file
        path.write_text(f"{path.read_text(encoding='utf-8')}{added}", encoding="utf-8")
