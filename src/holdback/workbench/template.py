"""The files of a new jurisdiction, to fill in: every blank is an empty text, and says what belongs there.

They pass `holdback check` as soon as the blanks are filled, because the rest is whole: a few rules, a
product, and examples on either side of each threshold.
"""

from __future__ import annotations

from datetime import date
from typing import Final

_JURISDICTION: Final = """\
#:schema ../schema/jurisdiction.json
# Who this jurisdiction is. Fill in what is empty; then run `holdback check`.
format = 1
code = "{code}"
name = ""                              # as people say it: "Ireland"
currency = ""                          # ISO 4217: "EUR"
rounding = "half_even"                 # of money: half_even, half_up, half_down, up, down
timezone = ""                          # days are counted here: "Europe/Dublin"
owner = ""                             # who answers for these files: "risk-ie"
review_by = ""                         # by when they look at them again, a date without quotes: {review}

# Whether accepting offers that expired takes a second consumer credit check.
automated_decisioning = true

# How long an offer stays open, in hours: 30 days.
offers_valid_hours = [
  {{ from = {start}, value = 720, source = "first draft" }},
]

# How long after a deal was repaid it can still be renewed, in days.
recently_active_days = [
  {{ from = {start}, value = 90, source = "first draft" }},
]

# What holds when, as examples of it: a value that is changed by mistake is noticed.
[[examples]]
name = "from the first day on"
from = {start}
expect = {{ offers_valid_hours = 720, recently_active_days = 90 }}

# How figures are written in the sentences for merchants. Without this they stand as in the files: EUR 1200.00.
# [figures]
# decimal = "."
# group = ","
# money = "€{{amount}}"
# percent = "{{number}}%"
# date = "{{day}}/{{month}}/{{year}}"

# A fact that only you know here; rules read it by its name, and your service gives its value as evidence.
# [facts.licence_valid]
# type = "flag"
# description = "Whether the business holds the licence that its trade needs."
"""

_RENEWAL: Final = """\
#:schema ../schema/renewal.json
# When a deal may be renewed. The floor, 50 percent paid down, is not written here: below it no deal is
# assessed, whatever these rules say.
format = 1

# A value that may change has a name and a timeline. History is added to, never edited: a new value is a new
# line with a later `from`.
[parameters.minimum_performance]       # of the pace that the term expects
type = "percent"
timeline = [
  {{ from = {start}, value = "75%", source = "first draft" }},
]

[parameters.most_missed]               # remittances of the last 30 days
type = "count"
timeline = [
  {{ from = {start}, value = 3, source = "first draft" }},
]

# Their order is their priority: the first reasons are told first.

[[rules]]
id = "on-pace"
code = "{code}-R-01"                   # stable, never used again
require = "performance >= minimum_performance"
reason = "The deal is repaying at {{performance}} of its expected pace; at least {{minimum_performance}} is needed."
source = "first draft"
from = {start}

[[rules]]
id = "few-missed"
code = "{code}-R-02"
when = 'status == "Funded"'            # a repaid deal owes no remittances
require = "missed_remittances_30d <= most_missed"
otherwise = "refer"                    # a person looks at it; left out, the deal is declined
reason = "Remittances missed in the last 30 days: {{missed_remittances_30d}}; above {{most_missed}} a person looks at it."
source = "first draft"
from = {start}

# An ordinary good deal; the examples say what differs. Each threshold has one on either side.

[typical]
progress = "64%"
performance = "97%"
status = "Funded"
missed_remittances_30d = 0

[[examples]]
name = "an ordinary good deal"
on = {start}
expect = {{ outcome = "eligible" }}

[[examples]]
name = "just on pace"
on = {start}
given = {{ performance = "75%" }}
expect = {{ outcome = "eligible" }}

[[examples]]
name = "a ten-thousandth of a percent short of the pace"
on = {start}
given = {{ performance = "74.9999%" }}
expect = {{ outcome = "ineligible", codes = ["{code}-R-01"] }}

[[examples]]
name = "pace not known"
on = {start}
without = ["performance"]
expect = {{ outcome = "undetermined", needs = ["performance"] }}

[[examples]]
name = "as many missed as may be"
on = {start}
given = {{ missed_remittances_30d = 3 }}
expect = {{ outcome = "eligible" }}

[[examples]]
name = "one missed too many: a person looks at it"
on = {start}
given = {{ missed_remittances_30d = 4 }}
expect = {{ outcome = "referred", codes = ["{code}-R-02"] }}

[[examples]]
name = "a repaid deal owes no remittances"
on = {start}
given = {{ status = "Repaid", progress = "100%", missed_remittances_30d = 4 }}
expect = {{ outcome = "eligible" }}

[[examples]]
name = "missed remittances not known: not as good as none"
on = {start}
without = ["missed_remittances_30d"]
expect = {{ outcome = "undetermined", needs = ["missed_remittances_30d"] }}
"""

_PRODUCTS: Final = """\
#:schema ../schema/products.json
# What a merchant is offered. Each product's own rules say who may have it. Evidence that is missing is
# referred, never taken for good.
format = 1

[parameters.least_months_trading]
type = "count"
timeline = [
  {{ from = {start}, value = 6, source = "first draft" }},
]

[[products]]
key = "flex"
name = "Business cash advance"
description = "Repaid from a share of card takings."
repayment_mechanism = "terminal_split"
from = {start}
amounts = ["50%", "100%"]              # of the merchant's maximum: the offers made
# Fill in the amounts, with the currency in front: minimum = "EUR 1000", maximum = "EUR 50000".
limits = {{ calculator = "takings_multiple", minimum = "", maximum = "", multiple = "1.0" }}
split_percentage = {{ calculator = "affordability", choices = ["10%", "15%"], longest_term_months = 18 }}
factor_rate = {{ calculator = "flat", rate = "1.18", renewal_discount = "0.01" }}
term = {{ calculator = "takings_pace" }}

[[products.rules]]
id = "identity"
code = "{code}-P-01"
require = "identity_verified"
reason = "The identity of the applicants could not be verified."
source = "first draft"

[[products.rules]]
id = "months-trading"
code = "{code}-P-02"
require = "months_trading >= least_months_trading"
reason = "Months of trading: {{months_trading}}; at least {{least_months_trading}} are needed."
source = "first draft"

# The evidence on an ordinary good merchant. Give takings too, as average_monthly_takings = "EUR 20000.00", and
# list the offers that you expect: `holdback test` shows those that are made.

[typical]
identity_verified = true
months_trading = 24

[[examples]]
name = "identity not verified"
on = {start}
product = "flex"
given = {{ identity_verified = false }}
expect = {{ decision = "Declined", codes = ["{code}-P-01"] }}

[[examples]]
name = "identity not checked yet"
on = {start}
product = "flex"
without = ["identity_verified"]
expect = {{ decision = "Referred", needs = ["identity_verified"] }}

[[examples]]
name = "a month too young"
on = {start}
product = "flex"
given = {{ months_trading = 5 }}
expect = {{ decision = "Declined", codes = ["{code}-P-02"] }}

[[examples]]
name = "just old enough, and takings not known: nothing can be priced"
on = {start}
product = "flex"
given = {{ months_trading = 6 }}
expect = {{ decision = "Referred" }}

[[examples]]
name = "months of trading not known"
on = {start}
product = "flex"
without = ["months_trading"]
expect = {{ decision = "Referred", needs = ["months_trading"] }}
"""

_CHILD: Final = """\
#:schema ../schema/jurisdiction.json
# What is otherwise here than in {parent}. Fill in what is empty; then run `holdback check`.
format = 1
code = "{code}"
parent = "{parent}"                          # what is not said here is as there: currency, rounding, time zone ...
name = ""                              # as people say it: "California"
owner = ""                             # who answers for these files: "risk-us-west"
review_by = ""                         # by when they look at them again, a date without quotes: {review}

# What does not hold here, by the id of the rule or the key of the product, and why.
# switch_off = [
#   {{ rule = "on-pace", reason = "..." }},
#   {{ product = "flex", reason = "...", from = {start} }},
# ]
"""

_CHILD_RENEWAL: Final = """\
#:schema ../schema/renewal.json
# Rules and parameters that are otherwise here than in {parent}. One with the id of a rule there replaces it,
# whole, in its place; one with a new id comes after those of {parent}. A parameter is replaced with its whole
# timeline. `holdback show {code} --on {start}` shows what comes out.
format = 1

# [[rules]]
# id = "on-pace"
# code = "{code}-R-01"                 # its own code, never used again
# require = "performance >= 85%"
# reason = "The deal is repaying at {{performance}} of its expected pace; at least 85% is needed."
# source = "first draft"
# from = {start}

# Examples are not inherited: give every rule and value of this file its own, on either side of the threshold.
# [typical]
# progress = "64%"
# performance = "97%"

# [[examples]]
# name = "just on pace"
# on = {start}
# given = {{ performance = "85%" }}
# expect = {{ outcome = "eligible" }}
"""


def new_files(code: str, parent: str | None, start: date) -> dict[str, str]:
    """
    The files of a new jurisdiction *code* by name, its rules in force from *start* on; with a *parent*, those
    of a child.

    >>> sorted(new_files("SE", None, date(2026, 1, 1)))
    ['jurisdiction.toml', 'products.toml', 'renewal.toml']
    """
    if parent is None:
        texts = {"jurisdiction": _JURISDICTION, "renewal": _RENEWAL, "products": _PRODUCTS}
    else:
        texts = {"jurisdiction": _CHILD, "renewal": _CHILD_RENEWAL}
    review = date(start.year + 1, start.month, 1)
    blanks = {"code": code, "parent": parent, "start": start, "review": review}
    return {f"{name}.toml": text.format(**blanks) for name, text in texts.items()}
