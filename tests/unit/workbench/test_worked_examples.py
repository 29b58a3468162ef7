"""What a policy page says: what a product costs in money, and how a part differs."""

from __future__ import annotations

import re
from datetime import date

from every_case import for_every
from holdback import load_jurisdictions
from holdback.tools.example_run import run_example
from holdback.tools.policy.policy import PolicyPage
from holdback.tools.policy.policy_document import differences_from
from holdback.tools.policy.policy_record import page_digest
from holdback.tools.policy.worked_examples import costs_in_money
from small_folders import FIGURES, changed, child, country, loaded

ON, GOODS = date(2026, 7, 1), "products.toml"
TAKINGS = '[typical]\naverage_monthly_takings = "EUR 20000"\n'
POORER = """\
[[examples]]
name = "a smaller shop"
on = 2026-02-01
product = "flex"
given = { average_monthly_takings = "EUR 5000" }
expect = { decision = "Accepted", offers = [{}, {}] }

[[examples]]
name = "verified"
"""
VERIFIED = '[[examples]]\nname = "verified"\n'
PRICED = changed(changed(country(), GOODS, "[typical]\n", TAKINGS), GOODS, VERIFIED, POORER)


def costs(*, above=(), code="NL", **folders):
    read = loaded(**folders)
    page = PolicyPage(jurisdiction=read[code], on=ON, above=tuple(read[parent] for parent in above))
    return costs_in_money(page, "flex")


def test_the_figures_are_those_of_the_engine():
    """
    The merchant is that of the plainest example which expects offers, priced by the engine.
    """
    jurisdiction = loaded(NL=PRICED)["NL"]
    (verified,) = (it for it in jurisdiction.examples if it.name == "verified")
    expected = run_example(verified, jurisdiction.rulebook(ON)).got.offers
    merchant, offers = costs(NL=PRICED)

    assert merchant == (
        "For a merchant as in the example “verified” (monthly average of takings: EUR 20000.00; "
        "the identity is verified: yes). The last column is what a month of takings of EUR "
        "20000.00 gives back."
    )
    assert [(row[0], row[2]) for row in offers] == [
        (offer["funded_amount"], offer["repayment_amount"]) for offer in expected
    ]
    assert offers[1] == (
        *("EUR 2000.00", "EUR 400.00", "EUR 2400.00", "none", "10%", "6 months (183 days)"),
        "EUR 2000.00",
    )


def test_a_month_gives_back_no_more_than_is_owed():
    """
    What a month of takings gives back is the share of them, and at most what is repaid.
    """
    _, offers = costs(NL=PRICED)

    assert [(row[2], row[-1]) for row in offers] == [
        ("EUR 1200.00", "EUR 1200.00"),
        ("EUR 2400.00", "EUR 2000.00"),
    ]


def test_without_takings_nobody_can_say_what_a_month_gives_back():
    """
    What is not known of the merchant is not made up.
    """
    merchant, offers = costs(NL=country())

    assert "takings" not in merchant
    assert {row[-1] for row in offers} == {"not known"}


def test_fees_are_the_most_that_may_be_charged():
    """
    A fee above the repayment amount is what it comes to at most, by the terms of the offer.
    """
    fee = 'fees = [{ key = "returned_payment", after = "reversal", amount = "EUR 15", '
    fee += 'at_most = "EUR 60", at_most_share = "3%", source = "policy" }]\nrules = ['
    _, offers = costs(NL=changed(PRICED, GOODS, "rules = [", fee))

    assert [row[3] for row in offers] == [
        "returned payment EUR 36.00",
        "returned payment EUR 60.00",
    ]


@for_every(
    ("old", "new", "sentence"),
    [
        (
            re.compile(r'(?s)\[\[examples\]\]\nname = "verified".*?\] \}\n'),
            "",
            "One should be added",
        ),
        (re.compile(r'calculator = "flat"'), 'calculator = "seasonal"', "which are not here"),
        (re.compile(r'require = "identity_verified"'), 'require = "paused"', "One should be added"),
    ],
)
def test_where_nothing_can_be_priced(old, new, sentence):
    """
    Without an example that prices an offer, and with calculators of the service, the page says so.
    """
    files = country()
    merchant, offers = costs(NL={**files, GOODS: old.sub(new, files[GOODS])})

    assert sentence in merchant
    assert offers == ()


def test_a_part_without_an_example_has_that_of_its_country():
    """
    A child without an example of a product has that of its parent; what only the child asks is
    typical there.
    """
    licence = """
[typical]
licence_valid = true

[[rules]]
id = "licence"
code = "NL-ZH-P-9"
require = "licence_valid"
reason = "No licence."
source = "policy"
from = 2025-01-01
"""
    fact = '[facts.licence_valid]\ntype = "flag"\ndescription = "A licence."\n'
    files = child(more=fact, products=licence)
    of_country = costs(NL=PRICED, NL_ZH=files)
    of_part = costs(NL=PRICED, NL_ZH=files, code="NL-ZH", above=["NL"])

    assert of_part[1] == of_country[1]
    assert "licence valid: yes" in of_part[0]


def test_every_product_that_ships_says_what_it_costs():
    """
    Each product that ships has figures in money, also where a part takes it over.
    """
    bundled = load_jurisdictions()
    for jurisdiction in bundled:
        layers = jurisdiction.policy.layers[-2::-1]
        page = PolicyPage(
            jurisdiction=jurisdiction,
            on=date(2026, 12, 1),
            above=tuple(bundled[layer.code] for layer in layers),
        )
        for terms in page.rulebook.products:
            assert costs_in_money(page, terms.key)[1], (jurisdiction.code, terms.key)


def test_the_digest_covers_them():
    """
    A digest of a page changes with the merchant that is priced, and not with other examples.
    """
    digests = [
        page_digest(PolicyPage(jurisdiction=loaded(NL=files)["NL"], on=ON))
        for files in (
            PRICED,
            changed(PRICED, GOODS, '"EUR 20000"', '"EUR 21000"'),
            changed(PRICED, GOODS, '"EUR 5000"', '"EUR 5001"'),
        )
    ]

    assert [digest == digests[0] for digest in digests] == [True, False, True]


def test_how_a_part_differs():
    """
    A part says what it says otherwise, and what holds in the country. How numbers are written
    does not count.
    """
    rule = 'id = "few-missed"\ncode = "NL-ZH-R-01"\nrequire = "missed_remittances_30d <= 1"\n'
    rule += 'otherwise = "refer"\nreason = "Missed."\nsource = "policy"\nfrom = 2025-01-01\n'
    part = child(
        more=f'switch_off = [{{ product = "flex", reason = "Not here." }}]\n{FIGURES}',
        renewal=f"[[rules]]\n{rule}",
    )
    read = loaded(NL=country(), NL_ZH=part)
    changes = differences_from(read["NL"], read["NL-ZH"], read["NL-ZH"].rulebook(ON))

    number = "number of remittances missed in the last 30 days"
    missed = f"The {number} must be at most {{}}. Otherwise a person looks at it. The merchant "
    missed += "reads: “Missed{}.”"
    assert [(it.group, it.title, it.before, it.after) for it in changes] == [
        (
            "Renewals",
            "NL-ZH-R-01 Few missed",
            missed.format(3, f": [{number}]"),
            missed.format(1, ""),
        ),
        ("Cash advance", "Cash advance", "Repaid from takings.", None),
    ]
