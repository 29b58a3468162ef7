"""The fees of a product in its file: what can be written, when it holds, and what is wrong."""

from __future__ import annotations

from datetime import date

from every_case import for_every
from holdback import Money
from holdback.rulebooks.product_terms import MOST_FEE_KINDS
from holdback.tools.policy.policy_sentences import product_sentences
from holdback.tools.sanity.sanity import IMPLAUSIBLE_PRICE, sanity
from holdback.tools.workbench.differences import differences
from holdback.tools.workbench.history import histories
from holdback.tools.workbench.overview import overview
from small_folders import country, errors_in, loaded, read

NOW = date(2026, 7, 1)
RULES = "rules = []"
FEE = """
[[products.fees]]
key = "returned_payment"
after = "reversal"
amount = "EUR 15.00"
at_most_share = "1%"
source = "policy"
"""


def with_fee(old="", new="", fee=FEE):
    """The files of a country whose product has a *fee*, with *old* in it replaced."""
    assert old in fee
    files = country()
    text = files["products.toml"]
    files["products.toml"] = (
        text.replace("[[products]]", "[[products]]", 1).rstrip()
        + "\n"
        + (fee.replace(old, new, 1) if old else fee)
    )
    return files


def fees_on(day, files):
    return read(files, "NL").rulebook(day).products[0].fees


def test_a_fee_is_capped_in_money_with_the_offer():
    """The lower of both caps; a share is rounded down."""
    (fee,) = fees_on(NOW, with_fee('share = "1%"', 'share = "1%"\nat_most = "EUR 16.00"'))

    assert fee.terms(Money.parse("EUR 1699.99")).at_most == Money.parse("EUR 16.00")
    assert fee.terms(Money.parse("EUR 1599.99")).at_most == Money.parse("EUR 15.99")


def test_a_fee_has_its_days():
    files = with_fee("source", "from = 2026-07-01\nuntil = 2026-08-01\nsource")

    assert fees_on(date(2026, 6, 30), files) == ()
    assert len(fees_on(date(2026, 7, 1), files)) == 1
    assert len(fees_on(date(2026, 7, 31), files)) == 1
    assert fees_on(date(2026, 8, 1), files) == ()


def test_fees_are_in_no_digest_and_tell_rulebooks_apart():
    """They decide no outcome and no price."""
    without, having = (read(files, "NL").rulebook(NOW) for files in (country(), with_fee()))

    assert without.digest == having.digest
    assert without != having


WRONG = (
    ('key = "returned_payment"', 'key = "Returned"', "small letters"),
    ('key = "returned_payment"\n', "", "`key` is missing"),
    ('"reversal"', '"reversed"', "`reversal`?"),
    ('amount = "EUR 15.00"', 'amount = "GBP 15.00"', "EUR"),
    ('amount = "EUR 15.00"', "amount = 15", "unit"),
    ('amount = "EUR 15.00"', 'amount = "EUR 0.00"', "above zero"),
    ('amount = "EUR 15.00"\n', "", "`yearly_rate`, and not both"),
    ("amount =", 'yearly_rate = "8%"\namount =', "`yearly_rate`, and not both"),
    ('amount = "EUR 15.00"', 'yearly_rate = "8%"', 'write `after = "default"`'),
    ('at_most_share = "1%"\n', "", "a fee has a cap"),
    ('"1%"', '"101%"', "up to 100%"),
    ('"1%"', '"0%"', "above 0%"),
    ("at_most_share", "at_most_shares", "`at_most_share`?"),
    ('source = "policy"', "", "`source` is missing"),
    ("source", "from = 2026-07-01\nuntil = 2026-07-01\nsource", "has no day"),
    ("source", "from = 2019-07-01\nuntil = 2019-08-01\nsource", "not offered"),
    ("source", 'at_most = "EUR 14.99"\nsource', "the fee alone is EUR 15.00"),
)


@for_every("wrong", WRONG)
def test_what_is_wrong_in_a_fee_is_said(wrong):
    """Where it is, what is wrong, and what to write."""
    old, new, said = wrong
    (error, *_) = errors_in(with_fee(old, new), "NL")

    assert said in f"{error.message} {error.hint}"
    assert error.line is not None


def test_two_fees_of_one_key_hold_on_no_day_together():
    (error,) = errors_in(with_fee(fee=FEE + FEE), "NL")

    assert "two fees `returned_payment`" in error.message


def many(number):
    """Fees of other keys, all on the same days, and the same number that hold before them."""
    return "".join(
        FEE.replace("returned_payment", f"fee_{place}").replace("source", f"{days}\nsource")
        for place in range(number)
        for days in ("until = 2026-07-01", "from = 2026-07-01")
    )


def test_a_product_has_a_bounded_number_of_fees_on_a_day():
    """Both ends: the last that fits, and one more."""
    assert len(fees_on(NOW, with_fee(fee=many(MOST_FEE_KINDS)))) == MOST_FEE_KINDS
    (error,) = errors_in(with_fee(fee=many(MOST_FEE_KINDS + 1)), "NL")

    assert f"at most {MOST_FEE_KINDS} fees on a day" in error.message


# The same fee until a day, and a higher one and interest from that day on.
CHANGED = (
    FEE.replace("source", "until = 2026-07-01\nsource")
    + FEE.replace("15.00", "18.00").replace("source", "from = 2026-07-01\nsource")
    + """
[[products.fees]]
key = "default_interest"
after = "default"
yearly_rate = "8%"
at_most = "EUR 90.00"
source = "policy"
from = 2026-07-01
"""
)
RETURNED = "{} for each payment that is taken back; at most 1% of the repayment amount in all"
INTEREST = "8% a year of the balance while the deal is in default; at most EUR 90.00 in all"


def test_the_overview_shows_the_fees_of_the_day():
    """In words, with the source, the days and the line of each."""
    (product,) = overview(read(with_fee(fee=CHANGED), "NL"), NOW)["products"]

    assert [(fee["name"], fee["value"]) for fee in product["fees"]] == [
        ("returned_payment", RETURNED.format("EUR 18.00")),
        ("default_interest", INTEREST),
    ]
    assert {(fee["source"], fee["from"]) for fee in product["fees"]} == {("policy", "2026-07-01")}
    lines = with_fee(fee=CHANGED)["products.toml"].splitlines()
    assert {lines[fee["line"] - 1] for fee in product["fees"]} == {"[[products.fees]]"}


def test_the_history_of_a_product_has_a_version_for_other_fees():
    """Each version of the product says what may be charged."""
    jurisdictions = loaded(NL=with_fee(fee=CHANGED))
    (found,) = histories(jurisdictions, jurisdictions["NL"], "flex")
    before, after = found.versions

    assert (before.until, after.since) == (NOW, NOW)
    assert f"fee: returned_payment, {RETURNED.format('EUR 15.00')}" in before.details
    assert f"fee: returned_payment, {RETURNED.format('EUR 18.00')}" in after.details
    assert f"fee: default_interest, {INTEREST}" in after.details


def test_the_policy_document_says_what_may_be_charged():
    """A product with fees has a sentence about them, and one without has none."""
    book = read(with_fee(fee=CHANGED), "NL").rulebook(NOW)
    sentences = dict(product_sentences(book.products[0], book))
    without = read(country(), "NL").rulebook(NOW)

    assert sentences["fees"] == (
        f"Above the repayment amount may be charged: returned payment "
        f"({RETURNED.format('EUR 18.00')}) and default interest ({INTEREST})."
    )
    assert "fees" not in dict(product_sentences(without.products[0], without))


def test_a_difference_names_the_fee():
    """A fee that is other, and one that is new."""
    jurisdiction = read(with_fee(fee=CHANGED), "NL")
    found = differences(overview(jurisdiction, date(2026, 6, 30)), overview(jurisdiction, NOW))
    fees = {each.name: each.state for each in found if each.kind == "fee of flex"}

    assert fees == {"returned_payment": "changed", "default_interest": "added"}


def test_interest_that_no_lender_charges_is_a_warning():
    """Both sides: 30% a year passes, and what is above is suspected."""

    def warned(rate):
        fee = FEE.replace("reversal", "default").replace('amount = "EUR 15.00"', rate)
        found = sanity([read(with_fee(fee=fee), "NL")])
        return [finding.detail.message for finding in found if finding.claim == IMPLAUSIBLE_PRICE]

    assert warned('yearly_rate = "30%"') == []
    (message,) = warned('yearly_rate = "30.01%"')
    assert "30.01% a year" in message
