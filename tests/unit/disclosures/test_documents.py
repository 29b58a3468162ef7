"""A disclosure as a page and in a terminal, and how its figures are computed."""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from html.parser import HTMLParser

import attrs
import pytest
from test_disclosure import PROJECTION, disclosed, regime

from holdback.disclosures.annual_rate import AnnualRate
from holdback.disclosures.derivation import derivation, derivation_by_law
from holdback.disclosures.disclosure import Payoff, disclose
from holdback.disclosures.figure_facts import FIGURES
from holdback.disclosures.figures import Financing, term_in_words
from holdback.disclosures.projected_payments import Payment, ProjectedPayments, project
from holdback.disclosures.unit_periods import UnitPeriod
from holdback.errors import InvalidValue
from holdback.exact.money import Currency
from holdback.rulebooks.regime import Item, Sentence
from holdback.tools.displays.disclosures import (
    derivation_lines,
    disclosure_lines,
    disclosure_page,
)

DOLLARS = Currency.of("USD")
START = PROJECTION.consummation
HOSTILE = "<script>\x1b[31m&'{apr}支払い"
ITEMIZED = (
    Item(id="given-directly", label="Amount Given Directly to You", value="{recipient_funds}",
         source="10 CCR 956"),
    Item(id="provided", label="Amount Provided", value="{purchase_price}", source="10 CCR 956"),
)  # fmt: skip


class Page(HTMLParser):
    """The elements of a page with their texts, in order."""

    def __init__(self, lines):
        super().__init__()
        self.found, self._open = [], []
        self.feed("\n".join(lines))

    def handle_starttag(self, tag, _):
        if tag != "meta":
            self._open.append(tag)

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        if data.strip() and self._open[-1] != "style":
            self.found.append((self._open[-1], data))

    def texts(self, *tags):
        return [text for tag, text in self.found if tag in tags]


def test_a_page_has_the_order_and_the_labels_of_the_law():
    """
    "HTML with tagged headings and tables": a heading, and a row for each line with its sentences.
    """
    shown = disclosed(third_parties=500_00)
    page = Page(disclosure_page(shown, signed=True))
    assert page.texts("h1") == page.texts("title") == ["OFFER SUMMARY - Acme"]
    labels = page.texts("th")
    assert labels == [line.label for line in shown.lines]
    rows = [page.found.index(("td", line.value)) for line in shown.lines]
    assert rows == sorted(rows)
    said = [sentence for line in shown.lines for sentence in line.sentences]
    assert page.texts("p") == [*said, *shown.foot, "Recipient Signature", "Date"]


def test_a_value_without_sentences_has_their_place():
    """
    "A table (label, value, sentences: three columns)": no cell is empty where nothing is said.
    """
    page = "\n".join(disclosure_page(disclosed(), signed=True))
    assert page.count('scope="col"') == 3
    assert page.count('<td class="figure">') == page.count('<td class="figure" colspan="2">') == 1
    silent = regime(items=(Item(id="rate", label="APR", value="{apr}", source="10 CCR 914"),))
    assert (
        "\n".join(disclosure_page(disclosed(regime=silent), signed=True)).count('scope="col"') == 2
    )


def test_an_itemization_is_attached_on_the_next_page():
    """
    "Then, if AF > RF, Itemization of Amount Financed": after the signature, with its own heading.
    """
    law = regime(items=(*regime().items, *ITEMIZED))
    shown = disclosed(regime=law)
    page = "\n".join(disclosure_page(shown, signed=True))
    before, after = page.split('<section class="attached">')
    assert "Recipient Signature" in before
    assert "<h2>Itemization of Amount Financed</h2>" in after
    assert "Amount Given Directly to You" in after
    assert "Amount Given Directly to You" not in before
    lines = "\n".join(disclosure_lines(shown, signed=True))
    assert lines.index("Recipient Signature") < lines.index("Itemization of Amount Financed")
    assert "Itemization" not in "\n".join(disclosure_page(disclosed(), signed=True))


def test_a_law_without_a_signature_has_no_line_for_it():
    """
    A signature line is there only where the regime says that the merchant signs.
    """
    for show in (disclosure_page, disclosure_lines):
        shown = show(disclosed(), signed=False)
        assert "Signature" not in "\n".join(shown)


def test_hostile_text_is_escaped():
    """
    A text of a host is text: it is neither markup nor a control sequence, nor filled again.
    """
    shown = disclosed(texts={"financer": HOSTILE})
    page, terminal = (
        "\n".join(disclosure_page(shown, signed=True)),
        "\n".join(disclosure_lines(shown, signed=True)),
    )
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    for text in (page, terminal):
        assert "\x1b" not in text
        assert "{apr}支払い" in text


def test_a_terminal_shows_the_same_lines():
    """
    "Plain text for a terminal, in the order and with the labels of the regime."
    """
    shown = disclosed(third_parties=500_00)
    lines = list(disclosure_lines(shown, signed=True))
    assert lines[0] == shown.title
    labels = [f"{line.label:<50}  {line.value}" for line in shown.lines]
    assert [line for line in lines if line in labels] == labels
    assert "    You receive $9,500.00." in lines


def test_a_long_label_and_a_long_value_have_several_lines():
    """
    A terminal has 96 columns: a label of Connecticut's form is longer than its column.
    """
    label = "Estimated Time Period Required for the Periodic Payments to Equal the Total"
    long = regime(items=(Item(id="a", label=label, value="{financer} " * 9, source="a form"),))
    lines = list(disclosure_lines(disclosed(regime=long), signed=False))
    assert max(map(len, lines)) <= 96
    assert lines[2].startswith("Estimated Time Period Required for the Periodic     Acme Acme")


FINANCING = Financing(purchase_price=10_000_00, purchased_amount=11_400_00, withheld=200_00)


def derived(law, projection=PROJECTION, payoff=None, **of):
    financing = attrs.evolve(FINANCING, **of)
    shown = disclose(law, financing, projection, payoff=payoff, texts={"financer": "Acme"})
    steps = derivation_by_law(law, shown, financing, projection, payoff)
    return {step.name: step for step in steps}


def steps_of(projection=PROJECTION, payoff=None, method="actuarial"):
    """The figures alone, under no law."""
    month = Fraction(30)
    payments = projection.payments_of(FINANCING.total_payments, month)
    rate = payments.rate(FINANCING.amount_financed, method)
    steps = derivation(
        FINANCING, projection, payments, rate, currency=DOLLARS, month=month, payoff=payoff
    )
    return {step.name: step for step in steps}


def test_each_figure_has_its_formula_with_numbers():
    """
    "Figures with their derivation: each figure, its formula with the numbers, the section and the
    choice K1 to K10 it depends on."
    """
    steps = steps_of(payoff=Payoff(finance_charge=500, total_repayment=1_500, used=750))
    charge, payment = steps["finance_charge"], steps["payment"]
    assert charge.numbers == "(11,400.00 - 10,000.00) + 200.00 + 0.00 + 0.00"
    assert (charge.value, charge.choices) == ("1,600.00", ())
    assert payment.numbers == "15% x 15,000.00 / 30"
    assert (payment.value, payment.choices) == ("75.00", ("K1",))
    assert steps["apr"].choices == ("K1", "K2", "K3", "K4", "K5")
    assert steps["double_dipping"].value == "2.50"
    assert all(step.source for step in steps.values())
    text = "\n".join(derivation_lines(steps.values()))
    assert "15% x 15,000.00 / 30" in text
    assert "10 CCR 942; 23 NYCRR 600.7 (K1)" in text


def line(name, template, source):
    return Item(id=name, label=name, value=template, source=source)


def test_a_figure_has_the_section_of_the_line_that_shows_it():
    """
    Each step cites the law that is shown: the section of the line with the figure, or of the first
    sentence with it. What is stated has a step as well, and no figure of another state.
    """
    items = (
        line("a", "{purchase_price} ({frequency})", "section 1"),
        line("b", "{prepaid_charges}, {total_cost_with_fees}", "section 2"),
        attrs.evolve(
            line("c", "{average_payment}", "section 3"),
            sentences=(Sentence(text="{purchase_price} at {split}; {cost_per_unit}."),),
        ),
        line("d", "{apr}", "section 4"),
    )
    steps = derived(regime(items=items, law="The Act", foot=()))
    found = {name: (step.value, step.source) for name, step in steps.items()}
    payment = steps["payment"].value
    assert found == {
        "purchase_price": ("10,000.00", "section 1"),
        "frequency": ("daily", "section 1"),
        "split": ("15%", "section 3"),
        "amount_financed": ("9,800.00", "The Act"),
        "prepaid_charges": ("200.00", "section 2"),
        "total_cost_with_fees": ("1,600.00", "section 2"),
        "cost_per_unit": ("0.163266", "section 3"),
        "payment": (payment, "section 3"),
        "number_of_payments": (steps["number_of_payments"].value, "section 3"),
        "last_payment": (steps["last_payment"].value, "section 3"),
        "apr": (steps["apr"].value, "section 4; 12 CFR 1026, Appendix J"),
        "average_payment": (steps["average_payment"].value, "section 3"),
    }
    assert steps["total_cost_with_fees"].numbers == "11,400.00 - 10,000.00 + 200.00"


def test_every_figure_has_a_step():
    """
    Whichever figure a line shows, there is a step that says how it is computed.
    """
    payoff = Payoff(finance_charge=500, total_repayment=1_500, used=750)
    every = tuple(line(name.replace("_", "-"), f"{{{name}}}", name) for name in sorted(FIGURES))
    for listed in (
        None,
        ProjectedPayments(START, "daily", (Payment(date(2026, 4, 1), 11_400_00),)),
    ):
        projection = attrs.evolve(PROJECTION, payments=listed)
        for paid_off in (None, payoff, attrs.evolve(payoff, own=False)):
            used = 0 if paid_off is None else paid_off.used
            steps = derived(regime(items=every, foot=()), projection, paid_off, payoffs=used)
            assert steps.keys() - {"last_payment"} == FIGURES
            assert all(step.value and step.formula and step.numbers for step in steps.values())


def test_no_rate_where_the_law_asks_for_none():
    """
    The rate is a figure, with a step, only where the regime asks for one.
    """
    law = regime(rate=None, items=(line("a", "{term}", "section 1"),))
    assert "apr" not in derived(law)
    shown = disclose(law, FINANCING, PROJECTION, texts={"financer": "Acme"})
    assert "apr" not in shown.figures
    assert shown.rate is None


def test_a_rate_by_the_effective_method_says_so():
    """
    A regime may name the European method: its formula, and the choices of that method.
    """
    rate = steps_of(method="effective")["apr"]
    assert rate.source == "Directive 2008/48/EC, Annex I"
    assert rate.numbers.startswith(rate.value[:4])
    assert rate.choices == ("K1", "K2", "K3", "E1", "E2")
    assert rate.value != steps_of()["apr"].value


def test_payments_that_are_given_rest_on_no_projection():
    """
    K1 to K3 are choices of projected payments alone.
    """
    listed = ProjectedPayments(
        PROJECTION.consummation, "daily", (Payment(date(2026, 4, 1), 11_400_00),)
    )
    steps = steps_of(attrs.evolve(PROJECTION, payments=listed))
    assert "payment" not in steps
    assert steps["term"].choices == ("K6", "K7")
    assert steps["apr"].choices == ("K4", "K5")


def test_a_fraction_in_a_formula_is_in_brackets():
    """
    A month has 21.71... weekdays: 150/7, and nothing is rounded before the payment.
    """
    weekdays = steps_of(attrs.evolve(PROJECTION, frequency="weekday"))
    assert weekdays["payment"].numbers == "15% x 15,000.00 / (150/7)"


def test_holidays_have_no_payment():
    """
    A holiday that is stated has no payment, and the term is a day longer.
    """
    holidays = frozenset({date(2026, 3, 17)})
    shorter, longer = steps_of(), steps_of(attrs.evolve(PROJECTION, holidays=holidays))
    assert shorter["term"].value == "152 days"
    assert longer["term"].value == "153 days"


@pytest.mark.parametrize(
    ("day", "frequency", "unit", "per_year"),
    [
        (date(2026, 3, 9), "daily", None, Fraction(365, 7)),
        (date(2026, 3, 12), "weekly", None, Fraction(365, 10)),
        (date(2027, 3, 2), "daily", None, Fraction(1)),
        (date(2027, 3, 3), "daily", None, Fraction(365)),
        (date(2026, 4, 2), "monthly", None, Fraction(12)),
        (date(2026, 6, 2), "monthly", UnitPeriod("month", 3), Fraction(4)),
    ],
)
def test_the_unit_period_of_one_payment(day, frequency, unit, per_year):
    """
    "One advance, one payment under a year: w = 365/days."
    """
    once = ProjectedPayments(date(2026, 3, 2), frequency, (Payment(day, 110_00),), unit)
    assert once.annual_rate(100_00).unit_periods_per_year == per_year


def rate_of(frequency, *paid, start=date(2026, 3, 2), unit=None):
    payments = tuple(Payment(date.fromisoformat(day), amount) for day, amount in paid)
    return ProjectedPayments(start, frequency, payments, unit)


@pytest.mark.parametrize(
    ("frequency", "twice", "once"),
    [
        ("daily", [("2026-03-09", 60_00), ("2026-03-09", 50_00)], [("2026-03-09", 110_00)]),
        (
            "daily",
            [("2026-03-09", 60_00), ("2026-03-09", 20_00), ("2026-03-10", 30_00)],
            [("2026-03-09", 80_00), ("2026-03-10", 30_00)],
        ),
        (
            "monthly",
            [("2026-04-30", 30_00), ("2026-05-30", 30_00), ("2026-05-31", 50_00)],
            [("2026-04-30", 30_00), ("2026-05-31", 80_00)],
        ),
    ],
)
def test_payments_of_one_time_are_added(frequency, twice, once):
    """
    Two payments of a day, or of the end of a month, are one of both amounts: nothing is lost.
    """
    both, one = rate_of(frequency, *twice), rate_of(frequency, *once)
    assert both.annual_rate(100_00) == one.annual_rate(100_00)
    assert both.annual_rate(100_00).percent(2) > 0


@pytest.mark.parametrize(
    "paid",
    [
        [],
        [("2026-03-02", 110_00)],
        [("2026-03-10", 60_00), ("2026-03-09", 50_00)],
        [("2026-03-10", 1)] * 10_001,
    ],
)
def test_payments_that_are_no_projection_are_refused(paid):
    """
    Payments come after consummation, in order, and there are at most 10,000.
    """
    with pytest.raises(InvalidValue, match=r"after consummation|10,001 payments"):
        rate_of("daily", *paid)


@pytest.mark.parametrize("frequency", ["daily", "weekday", "weekly", "monthly"])
def test_payments_after_the_calendar_are_an_invalid_value(frequency):
    """
    A calendar ends with the year 9999: a day after it is a value that is invalid.
    """
    of = {"total": 400, "payment": 1, "consummation": date(9999, 12, 1)}
    with pytest.raises(InvalidValue, match="9999"):
        project(**of, frequency=frequency)
    with pytest.raises(InvalidValue, match="9999"):
        term_in_words(date(9999, 6, 1), date(9999, 12, 31))


def test_many_payments_are_refused_before_they_are_counted_out():
    """
    "bound the number of payments of a projection": the number is named.
    """
    of = {"payment": 1, "consummation": date(2026, 3, 2), "frequency": "daily"}
    assert len(project(total=10_000, **of).payments) == 10_000
    with pytest.raises(InvalidValue, match=r"1,000,000,000 payments: expected at most 10,000"):
        project(total=10**9, **of)


def test_the_root_of_a_rate_is_found_once(monkeypatch):
    """
    The roundings of a rate share one root.
    """
    found = []
    by_steps = AnnualRate._by_steps
    monkeypatch.setattr(
        AnnualRate, "_by_steps", lambda self, unit: found.append(unit) or by_steps(self, unit)
    )
    rate = rate_of("daily", ("2026-03-09", 60_00), ("2026-03-10", 50_00)).annual_rate(100_00)
    assert (str(rate.percent(2)), str(rate.percent(4, "up"))) == ("469.77", "469.7678")
    assert rate.per_unit_period(12)
    assert len(found) == 1
