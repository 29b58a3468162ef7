"""Tables of tiers as text, small ones and random ones, and a country that has them."""

from __future__ import annotations

import json
from random import Random

from random_tables import RandomTable
from small_folders import PACE, country, read

COLUMNS = ["row", "funded_amount", "status", "require performance", "answer", "reason"]
OTHERS = "Renewed or Defaulted or Cancelled or Recovered or Unwound"
ROWS = [
    ["small", "< EUR 100000", "-", ">= 70%", "", ""],
    ["middle", "EUR 100000 to EUR 500000", "Funded", ">= 80%", "refer", "-"],
    ["over", "EUR 100000 to EUR 500000", "Repaid or Settled", "-", "decline", "It is {status}."],
    ["large", "> EUR 500000", "-", "-", "refer", "It is {funded_amount}."],
    ["rest", "EUR 100000 to EUR 500000", OTHERS, "-", "pass", "-"],
]


def table(rows=ROWS, columns=COLUMNS, *, code="NL-R-10", since="2025-01-01", **more):
    """Return a table as text; *more* are its other keys, as text."""
    keys = {"id": '"size"', "reason": '"The pace is {performance}."', **more}
    shown = "".join(f"{key} = {value}\n" for key, value in keys.items() if value)
    return (
        f'\n[[tables]]\ncode = "{code}"\nsource = "policy"\nfrom = {since}\n{shown}'
        f"columns = {json.dumps(columns)}\nrows = [\n"
        + "".join(f"  {json.dumps(row)},\n" for row in rows)
        + "]\n"
    )


def land(*tables, file="renewal.toml"):
    """Return the files of a country with *tables* at the end of a file."""
    files = country()
    return {**files, file: files[file] + "".join(tables)}


def toml(columns, rows):
    """A table in `renewal.toml`."""
    return (
        '\n[[tables]]\nid = "tiers"\ncode = "NL-T"\nsource = "policy"\nfrom = 2025-01-01\n'
        f"columns = {json.dumps(columns)}\nrows = {json.dumps(rows, ensure_ascii=False)}\n"
    )


def read_table(text):
    """The rulebook and the table of a country that has only the rule of the pace besides."""
    jurisdiction = read({**country(), "renewal.toml": text}, "NL")
    return jurisdiction.slices[-1], jurisdiction.policy.own.tables[0]


def drawn(seed):
    table = RandomTable(Random(seed))
    return table, *read_table(PACE + toml(table.columns, table.cells))


FLAT = 'factor_rate = { calculator = "flat", rate = "1.2" }'
BY_TABLE = 'factor_rate = { calculator = "table", table = "pricing", renewal_discount = "0.05" }'
PRICED = ["row", "average_monthly_takings", "credit_score", "factor_rate"]
GRID = [
    ["small-low", "< EUR 10000", "< 650", "1.30"],
    ["small-high", "< EUR 10000", ">= 650", "1.24"],
    ["large-low", ">= EUR 10000", "< 650", "1.22"],
    ["large-high", ">= EUR 10000", ">= 650", "1.18"],
]


def grid(rows=GRID, columns=PRICED, *, name="pricing", code=None, **more):
    """Return a table of prices as text; it needs no code and no reason."""
    keys = {"id": f'"{name}"', "reason": None, **more}
    text = table(rows, columns, code=code, **keys)
    return text if code else text.replace('code = "None"\n', "")


def priced(*tables, by=BY_TABLE, flat=FLAT):
    """Return the files of a country whose product has the calculator *by* in the place of one."""
    files = country()
    products = files["products.toml"]
    assert products.count(flat) == 1
    return {**files, "products.toml": products.replace(flat, by) + "".join(tables or [grid()])}
