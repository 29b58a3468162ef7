"""A small table of tiers as text, and a country that has it."""

from __future__ import annotations

import json

from small_folders import country

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
