"""Small folders of jurisdictions as texts: countries, children, and ways to change them.

`country` and `child` have examples for every threshold and no finding; of `sound_country` every
claim is proved as well. `IRELAND` is valid with
fewer examples; the tests of the reader change it.
"""

from __future__ import annotations

import json
from datetime import date

from holdback import InvalidDocument
from holdback.jurisdictions.jurisdiction import Jurisdictions
from holdback.jurisdictions.reader import FolderFiles, read_jurisdiction, read_jurisdictions

OF_A_COUNTRY = """\
currency = "EUR"
rounding = "half_up"
timezone = "Europe/Amsterdam"
automated_decisioning = false
offers_valid_hours = [{ from = 2025-01-01, value = 720, source = "policy" }]
recently_active_days = [{ from = 2025-01-01, value = 90, source = "policy" }]
"""

SETTINGS = """
[[examples]]
name = "settings"
from = 2025-01-01
expect = { offers_valid_hours = 720, recently_active_days = 90 }
"""

PACE = """\
format = 1

[parameters.minimum_performance]
type = "percent"
timeline = [
  { from = 2025-01-01, value = "75%", source = "policy" },
  { from = 2026-01-01, value = "80%", source = "policy" },
]

[[rules]]
id = "on-pace"
code = "NL-R-01"
require = "performance >= minimum_performance"
reason = "The pace is {performance}; at least {minimum_performance} is needed."
source = "policy"
from = 2025-01-01
"""

RENEWAL = (
    PACE
    + """
[[rules]]
id = "few-missed"
code = "NL-R-02"
require = "missed_remittances_30d <= 3"
otherwise = "refer"
reason = "Missed: {missed_remittances_30d}."
source = "policy"
from = 2025-01-01

[typical]
progress = "64%"
performance = "97%"
missed_remittances_30d = 0

[[examples]]
name = "just on pace until the change"
on = 2025-12-31
given = { performance = "75%" }
expect = { outcome = "eligible" }

[[examples]]
name = "short of the pace until the change"
on = 2025-12-31
given = { performance = "74.9999%" }
expect = { outcome = "ineligible", codes = ["NL-R-01"] }

[[examples]]
name = "just on pace"
on = 2026-01-01
given = { performance = "80%" }
expect = { outcome = "eligible" }

[[examples]]
name = "short of the pace"
on = 2026-01-01
given = { performance = "79.9999%" }
expect = { outcome = "ineligible", codes = ["NL-R-01"] }

[[examples]]
name = "pace not known"
on = 2026-01-01
without = ["performance"]
expect = { outcome = "undetermined", needs = ["performance"] }

[[examples]]
name = "three missed"
on = 2026-01-01
given = { missed_remittances_30d = 3 }
expect = { outcome = "eligible" }

[[examples]]
name = "two missed"
on = 2026-01-01
given = { missed_remittances_30d = 2 }
expect = { outcome = "eligible" }

[[examples]]
name = "four missed"
on = 2026-01-01
given = { missed_remittances_30d = 4 }
expect = { outcome = "referred", codes = ["NL-R-02"] }

[[examples]]
name = "missed not known"
on = 2026-01-01
without = ["missed_remittances_30d"]
expect = { outcome = "undetermined", needs = ["missed_remittances_30d"] }
"""
)

OPEN_OR_REPAID = """
[[rules]]
id = "open-or-repaid"
code = "NL-R-09"
require = 'status in ["Funded", "Repaid"]'
reason = "The deal is {status}."
source = "policy"
from = 2025-01-01

[typical]
status = "Funded"
"""

FLEX = """\
format = 1

[[products]]
key = "flex"
name = "Cash advance"
description = "Repaid from takings."
repayment_mechanism = "terminal_split"
from = 2025-01-01
amounts = ["50%", "100%"]
limits = { calculator = "fixed", minimum = "EUR 500.00", maximum = "EUR 2000.00" }
split_percentage = { calculator = "chosen", choices = ["10%"] }
factor_rate = { calculator = "flat", rate = "1.2" }
term = { calculator = "fixed", months = 6 }
rules = [
  { id = "identity", code = "NL-P-01", require = "identity_verified", reason = "Not verified.", source = "policy" },
]
"""  # noqa: E501  # TOML has an inline table on one line

PRODUCTS = (
    FLEX
    + """
[typical]
identity_verified = true

[[examples]]
name = "verified"
on = 2026-02-01
product = "flex"
expect = { decision = "Accepted", limits = { minimum = "EUR 500", maximum = "EUR 2000" }, offers = [
  { funded_amount = "EUR 1000", repayment_amount = "EUR 1200", split_percentage = "10%", factor_rate = "1.2", term_length = "6" },
  { funded_amount = "EUR 2000", repayment_amount = "EUR 2400", split_percentage = "10%", factor_rate = "1.2", term_days = 183 },
] }

[[examples]]
name = "not verified"
on = 2026-02-01
product = "flex"
given = { identity_verified = false }
expect = { decision = "Declined", codes = ["NL-P-01"] }

[[examples]]
name = "not known whether verified"
on = 2026-02-01
product = "flex"
without = ["identity_verified"]
expect = { decision = "Referred", needs = ["identity_verified"] }
"""  # noqa: E501  # TOML has an inline table on one line
)

FIGURES = """\
[figures]
decimal = ","
group = "."
money = "€ {amount}"
percent = "{number}%"
date = "{day}-{month}-{year}"
"""


IRELAND = {
    "jurisdiction.toml": """\
format = 1
code = "IE"
name = "Ireland"
"""
    + OF_A_COUNTRY.replace("Europe/Amsterdam", "Europe/Dublin").replace(
        "automated_decisioning", 'owner = "risk-ie"\nreview_by = 2027-06-30\nautomated_decisioning'
    ),
    "renewal.toml": PACE.replace("NL-", "IE-")
    + """
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
""",
    "products.toml": FLEX.replace("NL-", "IE-").replace(".00", "")
    + """
[[examples]]
name = "not verified"
on = 2026-02-01
product = "flex"
given = { identity_verified = false }
expect = { decision = "Declined", codes = ["IE-P-01"] }
""",
}


def who(code, *, parent=None, more=""):
    """Return `jurisdiction.toml` of a country, or of a child that inherits from *parent*."""
    said = OF_A_COUNTRY if parent is None else f'parent = "{parent}"\n'
    return (
        f'format = 1\ncode = "{code}"\nname = "Land of {code}"\n{said}'
        f'owner = "risk-{code.lower()}"\nreview_by = 2027-06-30\n{more}'
        f"{SETTINGS if parent is None else ''}"
    )


def country(code="NL", *, more=""):
    """Return the files of a country without a finding."""
    return {
        "jurisdiction.toml": who(code, more=more),
        "renewal.toml": RENEWAL.replace("NL-", f"{code}-"),
        "products.toml": PRODUCTS.replace("NL-", f"{code}-"),
    }


def sound_country(code="NL", *, more=""):
    """Return the files of a country of which, in addition, every claim is proved."""
    ended = OPEN_OR_REPAID.replace("NL-", f"{code}-")
    return changed(country(code, more=more), "renewal.toml", "\n[typical]\n", ended)


def child(code="NL-ZH", parent="NL", *, more="", renewal=None, products=None):
    """Return the files of a child; *renewal* and *products* follow the `format` line."""
    files = {"jurisdiction.toml": who(code, parent=parent, more=more)}
    if renewal is not None:
        files["renewal.toml"] = f"format = 1\n\n{renewal}"
    if products is not None:
        files["products.toml"] = f"format = 1\n\n{products}"
    return files


def parameter(name, kind, *values):
    """Return a parameter with *values*: pairs of a day and the value as written."""
    entries = "".join(
        f'  {{ from = {day}, value = {value}, source = "policy" }},\n' for day, value in values
    )
    return f'[parameters.{name}]\ntype = "{kind}"\ntimeline = [\n{entries}]\n\n'


def rule(name, code, require, *, reason="No.", since="2025-01-01", **more):
    """Return a renewal rule; *more* are its other keys, as text."""
    shown = "".join(f"{key} = {value}\n" for key, value in more.items())
    return (
        f'[[rules]]\nid = "{name}"\ncode = "{code}"\nrequire = \'{require}\'\n'
        f'reason = "{reason}"\nsource = "policy"\nfrom = {since}\n{shown}\n'
    )


def pace_rule(code="NL-ZH", percent="90%", since="2025-01-01", **more):
    """Return a rule of *code* in the place of the parent's `on-pace`."""
    return rule("on-pace", f"{code}-R-01", f"performance >= {percent}", since=since, **more)


def example(name, outcome, *, on="2026-02-01", codes=(), needs=(), **given):
    """Return a renewal example with the facts *given* besides the typical ones, as text."""
    facts = ", ".join(f"{fact} = {value}" for fact, value in given.items())
    because = "".join(
        f", {key} = {json.dumps(words)}"
        for key, words in (("codes", codes), ("needs", needs))
        if words
    )
    return (
        f'[[examples]]\nname = "{name}"\non = {on}\ngiven = {{ {facts} }}\n'
        f'expect = {{ outcome = "{outcome}"{because} }}\n\n'
    )


def changed(files, name, old, new):
    """Return the *files* of a folder with *old* replaced by *new* in one of them."""
    assert files[name].count(old) == 1, f"{old!r} is in {name} {files[name].count(old)} times"
    return {**files, name: files[name].replace(old, new)}


def without_example(files, name, *, file="renewal.toml"):
    """Return the *files* of a folder without the example *name*."""
    kept = [
        part for part in files[file].split("\n[[examples]]\n") if f'name = "{name}"' not in part
    ]
    assert len(kept) == files[file].count("\n[[examples]]\n"), f"no example {name!r}, or two"
    return {**files, file: "\n[[examples]]\n".join(kept)}


def read(files=IRELAND, code="IE"):
    """Return the jurisdiction in *files*, texts by file name."""
    contents = {name: text.encode() for name, text in files.items()}
    return read_jurisdiction(code, contents, file_prefix=f"{code}/")


def errors_in(files, code="IE"):
    """Return the errors of *files*; none when they are valid."""
    try:
        read(files, code)
    except InvalidDocument as error:
        return error.errors
    return ()


def read_all(**folders):
    """Return the jurisdictions in *folders*, by code with `_` for `-`, and the errors by code."""
    return read_jurisdictions(
        [
            FolderFiles(
                code.replace("_", "-"),
                {name: text.encode() for name, text in files.items()},
                f"{code.replace('_', '-')}/",
            )
            for code, files in folders.items()
        ]
    )


def loaded(**folders):
    """Return the jurisdictions in *folders*, which must be valid."""
    jurisdictions, errors = read_all(**folders)
    assert errors == {}, [str(error) for of_code in errors.values() for error in of_code]
    return Jurisdictions(jurisdictions.values())


def rulebook_of(code="NL-ZH", on=date(2026, 7, 1), *, parent=None, **children):
    """Return the rulebook of *code* among the country NL and its *children*."""
    return loaded(NL=parent or country(), **children).resolve(code, on=on)


def said(code, **folders):
    """Return the errors of the folder *code* of *folders*, as text."""
    _, errors = read_all(**folders)
    return [str(error) for error in errors.get(code, ())]


def write(root, **folders):
    """Write *folders* into *root* and return it."""
    for code, files in folders.items():
        place = root / code.replace("_", "-")
        place.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (place / name).write_text(text, encoding="utf-8")
    return root
