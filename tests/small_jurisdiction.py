"""A small jurisdiction as texts, for the tests of the reader: whole, valid, and easy to spoil."""

from __future__ import annotations

from holdback import InvalidDocument
from holdback.jurisdictions.reader import read_jurisdiction

JURISDICTION = """\
format = 1
code = "IE"
name = "Ireland"
currency = "EUR"
rounding = "half_up"
timezone = "Europe/Dublin"
owner = "risk-ie"
review_by = 2027-06-30
automated_decisioning = false
offers_valid_hours = [{ from = 2025-01-01, value = 720, source = "policy" }]
recently_active_days = [{ from = 2025-01-01, value = 90, source = "policy" }]
"""

RENEWAL = """\
format = 1

[parameters.minimum_performance]
type = "percent"
timeline = [
  { from = 2025-01-01, value = "75%", source = "policy" },
  { from = 2026-01-01, value = "80%", source = "policy" },
]

[[rules]]
id = "on-pace"
code = "IE-R-01"
require = "performance >= minimum_performance"
reason = "The pace is {performance}; at least {minimum_performance} is needed."
source = "policy"
from = 2025-01-01

[[rules]]
id = "few-missed"
code = "IE-R-02"
when = 'status == "Funded"'
require = "missed_remittances_30d <= 3"
otherwise = "refer"
reason = "Missed: {missed_remittances_30d}."
source = "policy"
from = 2025-07-01

[typical]
progress = "64%"
performance = "97%"
status = "Funded"
missed_remittances_30d = 0

[[examples]]
name = "a good deal"
on = 2026-02-01
given = { performance = "80%" }
without = ["missed_remittances_30d"]
expect = { outcome = "undetermined", needs = ["missed_remittances_30d"] }
"""

PRODUCTS = """\
format = 1

[[products]]
key = "flex"
name = "Cash advance"
description = "Repaid from takings."
repayment_mechanism = "terminal_split"
from = 2025-01-01
amounts = ["50%", "100%"]
limits = { calculator = "fixed", minimum = "EUR 500", maximum = "EUR 2000" }
split_percentage = { calculator = "chosen", choices = ["10%"] }
factor_rate = { calculator = "flat", rate = "1.2" }
term = { calculator = "fixed", months = 6 }
rules = [
  { id = "identity", code = "IE-P-01", require = "identity_verified", reason = "Not verified.", source = "policy" },
]

[[examples]]
name = "not verified"
on = 2026-02-01
product = "flex"
given = { identity_verified = false }
expect = { decision = "Declined", codes = ["IE-P-01"] }
"""  # noqa: E501  # an inline table of TOML is one line

FILES = {
    "jurisdiction.toml": JURISDICTION,
    "renewal.toml": RENEWAL,
    "products.toml": PRODUCTS,
}


def read(files=FILES, code="IE"):
    """The jurisdiction in *files*, texts by file name."""
    contents = {name: text.encode() for name, text in files.items()}
    return read_jurisdiction(code, contents, file_prefix=f"{code}/")


def faults(files, code="IE"):
    """What is wrong with *files*; nothing when they can be read."""
    try:
        read(files, code)
    except InvalidDocument as error:
        return error.errors
    return ()


def changed(file, old, new, files=FILES):
    """The *files* with *old* replaced by *new* in one of them."""
    assert files[file].count(old) == 1, f"{old!r} is in {file} {files[file].count(old)} times"
    return {**files, file: files[file].replace(old, new)}
