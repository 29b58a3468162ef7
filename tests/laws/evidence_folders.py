"""Random small jurisdictions with checks of their own, for the model of evidence to be tried on."""

from __future__ import annotations

import random
from functools import cache

from holdback.jurisdictions import load_jurisdictions
from small_folders import loaded

ZONES = (
    "Europe/Amsterdam",
    "Pacific/Auckland",
    "America/Los_Angeles",
    "America/St_Johns",
    "Asia/Kolkata",
    "Pacific/Kiritimati",
)
SINCE = "2025-01-01"
# How many jurisdictions there are; histories share them, because reading one takes a while.
FOLDERS = 300
BUNDLED = ("GB", "US-CA", "CA-QC", "DE", "JP", "AU", "IE", "US-NY")

# The largest amounts of the two products: one is too small to settle many balances.
ROOM = {"small": 100_000, "large": 400_000}

# Rules that may decline or refer, by what has to be known of the jurisdiction: a check that has an
# age, a declared fact, or nothing. Every one can be both true and false in a history.
RENEWAL_RULES = (
    ("", "performance >= 40%"),
    ("", "credit_score >= 500"),
    ("", "deals_defaulted == 0"),
    ("", "deals_completed >= 1"),
    ("", "missed_remittances_30d <= 0"),
    ("", "days_since_last_remittance <= 20 days"),
    ("", "balance <= EUR 900.00"),
    ("", "months_trading >= 7"),
    ("", "average_monthly_takings >= EUR 2000.00"),
    ("", "remaining_term_days > 100 days or progress >= 60%"),
    ("", "takings_trend >= 90% or progress >= 55%"),
    ("", "credit_checked_on >= 2026-07-05 or progress >= 70%"),
    ("consumer_credit", "consumer_credit_age_days <= 3 days"),
    ("identity", "identity_age_days <= 20 days or progress >= 65%"),
    ("register", "register_age_days <= 5 days"),
    ("facts", "licensed"),
    ("facts", "grade >= 3"),
    ("facts", "lone >= 2 or licensed"),
)
PRODUCT_RULES = (
    ("", "identity_verified"),
    ("", "business_verified or credit_score >= 700"),
    ("", "credit_score >= 500"),
    ("", "credit_score >= 600 or deals_completed >= 1"),
    ("", "deals_defaulted == 0"),
    ("", "months_trading >= 6"),
    ("", "average_monthly_takings >= EUR 1500.00"),
    ("consumer_credit", "consumer_credit_age_days <= 2 days"),
    ("takings", "takings_age_days <= 10 days"),
    ("facts", "licensed"),
    ("facts", "grade >= 2"),
    ("facts", "lone >= 1"),
)
FUNDING_RULES = (
    ("", "identity_verified"),
    ("", "business_verified"),
    ("", "credit_score >= 500"),
    ("", "deals_defaulted == 0"),
    ("", "deals_completed == 0 or performance >= 40%"),
    ("identity", "identity_age_days <= 3 days"),
    ("facts", "licensed"),
)
FACTS = "".join(
    f'[facts.{name}]\ntype = "{kind}"\n{low}description = "A fact of its own."\n\n'
    for name, kind, low in (
        ("licensed", "flag", ""),
        ("grade", "count", "minimum = 0\nmaximum = 9\n"),
        ("lone", "count", "minimum = 0\nmaximum = 9\n"),
    )
)


def _age(draw, choices):
    days = draw.choice(choices)
    return "" if days is None else f"max_age_days = {_always(days)}\n"


def _always(value):
    return f'[{{ from = {SINCE}, value = {value}, source = "policy" }}]'


def _checks(draw):
    """The `[checks]` of a jurisdiction, and the names that rules may then use."""
    text, names = "", {""}
    for name, ages in (
        ("consumer_credit", (None, 0, 1, 4, 30)),
        ("identity", (None, 5, 30)),
        ("takings", (None, 10, 40)),
    ):
        if draw.random() < 0.6:
            consent = 'consent = "search"\n' if draw.random() < 0.3 else ""
            text += f"[checks.{name}]\n{_age(draw, ages)}{consent}\n"
            names.add(name)
    if draw.random() < 0.7:
        names.add("facts")
        if draw.random() < 0.7:
            text += (
                f'[checks.register]\nfacts = ["licensed", "grade"]\n{_age(draw, (None, 2, 30))}\n'
            )
            names.add("register")
        text = FACTS + text
    return text, names


def _rules(draw, prefix, rules, names, most):
    """Some *rules* that a jurisdiction with these *names* can have: code, text, other keys."""
    possible = [rule for name, rule in rules if name in names]
    chosen = draw.sample(possible, draw.randint(1, min(most, len(possible))))
    return [
        (f"{prefix}-{place:02}", rule, "refer" if draw.random() < 0.5 else "decline")
        for place, rule in enumerate(chosen, 1)
    ]


def folder(seed):
    """Return the files of a random jurisdiction, NL."""
    draw = random.Random(f"folder {seed}")
    checks, names = _checks(draw)
    consents = 'consents = ["terms"]\n' if draw.random() < 0.2 else ""
    about = f"""\
format = 1
code = "NL"
name = "A land"
currency = "EUR"
rounding = "half_even"
timezone = "{draw.choice(ZONES)}"
owner = "risk-nl"
review_by = 2030-06-30
automated_decisioning = {draw.choice(("true", "true", "false"))}
offers_valid_hours = {_always(draw.choice((1, 24, 72)))}
recently_active_days = {_always(draw.choice((3, 30)))}
approval_days = {_always(draw.choice((1, 4, 30)))}
acceptance_days = {_always(draw.choice((2, 5, 30)))}
{consents}
{checks}"""
    rules = _rules(draw, "NL-R", RENEWAL_RULES, names, 4)
    # A jurisdiction needs a rule that declines and is not about progress.
    rules.append(("NL-R-09", draw.choice(('status == "Funded" or progress >= 100%',)), "decline"))
    renewal = "format = 1\n\n" + "".join(
        f'[[rules]]\nid = "{code.lower()}"\ncode = "{code}"\nrequire = \'{text}\'\n'
        f'otherwise = "{otherwise}"\nreason = "No."\nsource = "policy"\nfrom = {SINCE}\n\n'
        for code, text, otherwise in rules
    )
    return {
        "jurisdiction.toml": about,
        "renewal.toml": renewal,
        "products.toml": "format = 1\n\n"
        + "".join(_product(draw, key, names) for key in ROOM)
        + _funding(draw, names),
    }


def _funding(draw, names):
    """The `[[funding]]` rules of most jurisdictions."""
    if draw.random() < 0.3:
        return ""
    return "".join(
        f'[[funding]]\nid = "{code.lower()}"\ncode = "{code}"\nrequire = \'{text}\'\n'
        f'otherwise = "{otherwise}"\nreason = "No."\nsource = "policy"\nfrom = {SINCE}\n\n'
        for code, text, otherwise in _rules(draw, "NL-F", FUNDING_RULES, names, 2)
    )


def _product(draw, key, names):
    """One product, whose prices are easily worked out."""
    written = ", ".join(
        f'{{ id = "{code.lower()}", code = "{code}", require = \'{text}\', '
        f'otherwise = "{otherwise}", reason = "No.", source = "policy" }}'
        for code, text, otherwise in _rules(draw, f"NL-{key[0].upper()}", PRODUCT_RULES, names, 3)
    )
    most = f"EUR {ROOM[key] // 100}.00"
    return f"""\
[[products]]
key = "{key}"
name = "A product"
description = "Repaid from takings."
repayment_mechanism = "terminal_split"
from = {SINCE}
amounts = ["100%"]
limits = {{ calculator = "fixed", minimum = "EUR 100.00", maximum = "{most}" }}
split_percentage = {{ calculator = "chosen", choices = ["10%"] }}
factor_rate = {{ calculator = "flat", rate = "1.2" }}
term = {{ calculator = "fixed", months = 6 }}
rules = [ {written} ]

"""


@cache
def jurisdictions(seed):
    """Return the jurisdictions of a random folder."""
    return loaded(NL=folder(seed))


@cache
def bundled():
    """Return the jurisdictions that ship."""
    return load_jurisdictions()
