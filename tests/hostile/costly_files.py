"""
Small files that are costly to read, made by number, and a script that prints what each costs.

    python tests/hostile/costly_files.py

A file is the small jurisdiction with another `renewal.toml`. The script prints its size, the
processor's seconds and the answer; the tests assert counts of work only.
"""

from __future__ import annotations

import sys
import time
from datetime import date, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from small_folders import IRELAND, child, country, read_all

FIRST = date(2025, 1, 1)
SHORT = "credit_score >= p"


def days(number):
    return [FIRST + timedelta(days=place) for place in range(number)]


def parameter(dates, name="p"):
    """A count with another value on each of some dates."""
    entries = ",".join(
        f'{{from={day},value={place},source="s"}}' for place, day in enumerate(days(dates))
    )
    return f'[parameters.{name}]\ntype="count"\ntimeline=[{entries}]\n'


def rules(number, require, reason="x"):
    return "".join(
        f'[[rules]]\nid="r{place}"\ncode="IE-R-{place:02}"\nrequire="{require}"\n'
        f'reason="{reason}"\nsource="s"\nfrom={FIRST}\n'
        for place in range(number)
    )


def one_of(terms, name="p"):
    """An `in` of 2 + *terms* parts, all of which are checked anew with every value."""
    return f"credit_score in [{','.join([name] * terms)}]"


def examples(number, expect, *, once=False):
    """Examples that run on every date of change, or *once*."""
    when = "on" if once else "from"
    return "".join(
        f'[[examples]]\nname="e{place}"\n{when}={FIRST}\n{expect}\n' for place in range(number)
    )


RENEWAL = 'expect={outcome="eligible"}'
PRODUCT = 'product="flex"\nexpect={decision="Declined"}'


def folder(*renewal, products=""):
    """The small jurisdiction with these renewal rules, and more *products*."""
    return {
        **IRELAND,
        "renewal.toml": "format = 1\n" + "".join(renewal),
        "products.toml": IRELAND["products.toml"] + products,
    }


# Files at the bounds, which are read. A rule of the product has one part and one example already.
READ = {
    "parts: an `in` on 400 dates": folder(parameter(400), rules(1, one_of(147))),
    "parts: a constant `in` on 400 dates": folder(parameter(400), rules(1, one_of(147, "7"))),
    "parts: names in a reason on 400 dates": folder(parameter(400), rules(1, SHORT, "{p}" * 146)),
    "parts: many short rules on 120 dates": folder(
        parameter(120), rules(59, f"{SHORT} and credit_score <= 9000")
    ),
    "definitions: 19 rules and a parameter on 400 dates": folder(parameter(400), rules(18, SHORT)),
    "examples: 50 of renewals on 400 dates": folder(
        parameter(400),
        rules(1, SHORT),
        examples(49, RENEWAL),
        examples(399, RENEWAL, once=True),
    ),
    "examples: 50 of a product on 400 dates": folder(
        parameter(400),
        rules(1, SHORT),
        products=examples(49, PRODUCT) + examples(399, PRODUCT, once=True),
    ),
    "all of them": folder(
        parameter(400),
        rules(9, one_of(13)),
        examples(25, RENEWAL),
        products=examples(24, PRODUCT),
    ),
}
# Files beyond them, with a phrase of the error.
REFUSED = {
    "400 dates of a parameter in many long rules": (
        folder(parameter(400), rules(18, one_of(245))),
        "the parts of the rules, checked on each of 400 dates of change, are 1778800",
    ),
    "parts: one more": (
        folder(parameter(400), rules(1, one_of(148))),
        "the parts of the rules, checked on each of 400 dates of change, are 60400",
    ),
    "parts: one more name in a reason": (
        folder(parameter(400), rules(1, SHORT, "{p}" * 147)),
        "the parts of the rules, checked on each of 400 dates of change, are 60400",
    ),
    "parts: constants": (
        folder(parameter(400, "q"), rules(18, one_of(245, "7"))),
        "the parts of the rules, checked on each of 400 dates of change, are 1778800",
    ),
    "definitions: one more": (
        folder(parameter(400), rules(19, SHORT)),
        "20 rules, 1 parameters, looked up on each of 400 dates of change, are more than 8000",
    ),
    "examples: one more": (
        folder(
            parameter(400),
            rules(1, SHORT),
            examples(49, RENEWAL),
            examples(400, RENEWAL, once=True),
        ),
        "the examples run on more than 20000 days",
    ),
    "examples of a product: one more": (
        folder(
            parameter(400),
            rules(1, SHORT),
            products=examples(49, PRODUCT) + examples(400, PRODUCT, once=True),
        ),
        "the examples run on more than 20000 days",
    ),
}
# What a child switches off, which is looked up on every date too.
SWITCH_OFFS = "switch_off = [{}]\n".format(
    ",".join(f'{{rule="few-missed",reason="x",from={day}}}' for day in days(300))
)
FAMILY = {"NL": country(), "NL_ZH": child(more=SWITCH_OFFS)}


def main():
    """Print what every file costs."""
    cases = {**READ, **{name: files for name, (files, _) in REFUSED.items()}}
    for name, files in cases.items():
        size = sum(len(text) for text in files.values())
        started = time.process_time()
        _, errors = read_all(IE=files)
        seconds = time.process_time() - started
        answer = errors["IE"][0].message if errors else "read"
        sys.stdout.write(f"{size // 1024:4} KiB {seconds:7.2f} s  {name}: {answer}\n")


if __name__ == "__main__":
    main()
