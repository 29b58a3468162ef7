"""`suggest`: what a frame's names and values show, and nothing that they leave open."""

from __future__ import annotations

import polars as pl
import pytest
from deals import of_gb, shipped

from every_case import for_every
from holdback import Jurisdictions
from holdback.portfolio import ColumnMapping, assess, findings, read, suggest

FEW = Jurisdictions([shipped()["GB"], shipped()["JP"]])


def good():
    return assess(of_gb(), shipped()).filter(pl.col("outcome") != 5).select(of_gb().columns)


def of(**columns):
    return suggest(pl.DataFrame(columns), FEW)


NAMES = {
    "pct_paid": "progress",
    "Percentage paid": "progress",
    "PROGRESS": "progress",
    "outstanding balance": "balance",
    "State": "status",
    "as_of": "on",
    "Country": "jurisdiction",
    "ccy": "currency",
    "average_monthly_taking": "average_monthly_takings",
}


@for_every("name, fact", NAMES.items())
def test_columns_are_known_by_their_names(name, fact):
    """
    Names are known by likeness, and by a short table of what people call the facts.
    """
    assert of(**{name: ["x"]}).columns == {fact: name}


def test_two_columns_for_one_fact_are_left_out():
    """
    What is ambiguous is never guessed: it is left out, and a note says so.
    """
    mapping = of(pct_paid=[1.0], paid_pct=[2.0])
    assert mapping.columns == {}
    assert mapping.notes[0] == "progress: it may be any of `pct_paid`, `paid_pct`"


def test_what_has_no_column_is_noted():
    """
    What `suggest` does not recognise, it says: the facts that rules read, and the columns left.
    """
    named = {"progress": "Fortschritt", "balance": "Restschuld", "jurisdiction": "Land"}
    (note,) = suggest(good().rename(named), FEW).notes
    assert note.startswith(
        "no column is recognised for `jurisdiction`, `progress`, `balance`; not used are "
        "`Land`, `Fortschritt`, `Restschuld`"
    )
    assert suggest(good(), FEW).notes == ()


FORMS = [
    ("credit_checked_on", ["31/12/2025", "03/04/2026"], {"dates": "DD/MM/YYYY"}),
    ("credit_checked_on", ["12/31/2025", "03/04/2026"], {"dates": "MM/DD/YYYY"}),
    ("credit_checked_on", ["03.04.2026"], {"dates": "DD.MM.YYYY"}),
    ("credit_checked_on", ["20260403"], {"dates": "YYYYMMDD"}),
    ("credit_checked_on", ["2026-04-03"], {}),
    ("credit_checked_on", ["03/04/2026"], None),
    ("credit_checked_on", ["31/12/2025", "2026-04-03"], None),
    ("balance", ["1.234,50", "7,25"], {"decimal_mark": ",", "thousands": "."}),
    ("balance", ["1,234.50", "7.25"], {"decimal_mark": ".", "thousands": ","}),
    ("balance", ["12,5"], {"decimal_mark": ","}),
    ("balance", ["12.5", "13"], {}),
    ("balance", ["1,234", "5,678"], None),
    ("balance", ["1.234", "5.678"], None),
    ("balance", ["GBP", "12"], None),
]


@for_every("fact, texts, form", FORMS)
def test_the_form_of_texts_is_seen_or_left_out(fact, texts, form):
    """
    A form is suggested where all values fit, and no other form gives other values.
    """
    mapping = of(**{fact: texts})
    found = {name: getattr(mapping, name) for name in ("dates", "decimal_mark", "thousands")}
    known = mapping.forms.get(fact, {})
    assert {name: word for name, word in found.items() if word} | known == (form or {})
    assert any("it is not clear" in note for note in mapping.notes) == (form is None)


def test_texts_are_matched_but_for_case_spaces_and_signs():
    """
    A text that is a declared one in another hand is mapped, and any other is listed.
    """
    mapping = of(status=["FUNDED", " de-faulted", "Repaid", "alive"], identity_verified=["Y", "no", "True", "x"])  # fmt: skip  # noqa: E501
    assert mapping.texts == {
        "status": {"FUNDED": "Funded", "de-faulted": "Defaulted"},
        "identity_verified": {"Y": "true", "no": "false"},
    }
    assert "status: not known are `alive`" in mapping.notes
    assert of(jurisdiction=["gb", "United Kingdom", "Japan"]).texts == {
        "jurisdiction": {"gb": "GB", "United Kingdom": "GB", "Japan": "JP"}
    }


def test_fractions_and_minor_units():
    """
    Fractions are suggested; minor units where other amounts show them, and noted otherwise.
    """
    percents = pl.col("progress", "performance", "takings_trend").cast(pl.Float64) / 100
    assert suggest(good().with_columns(percents), FEW).percentages == "fractions"
    one = suggest(good().with_columns(pl.col("progress").cast(pl.Float64) / 100), FEW)
    assert one.forms == {"progress": {"percentages": "fractions"}}
    pence = good().with_columns((pl.col("balance") * 100).cast(pl.Int64))
    assert suggest(pence, FEW).forms == {"balance": {"money": "minor units"}}
    money = pl.col(name for name, dtype in good().schema.items() if dtype == pl.Decimal(18, 2))
    every = suggest(good().with_columns((money * 100).cast(pl.Int64)), FEW)
    assert every.money is None
    assert 'balance: all amounts are whole: say `money = "minor units"` or `"major units"`' in (
        every.notes
    )


@pytest.mark.parametrize(
    "make", [lambda frame: frame, pl.DataFrame.to_pandas, pl.DataFrame.to_arrow]
)
def test_a_suggestion_reads_what_it_was_made_for(make):
    """
    A frame read by its suggestion has no findings, and the answers of the original.
    """
    messy = good().with_columns(
        (pl.col("progress", "performance", "takings_trend").cast(pl.Float64) / 100),
        pl.col("status").str.to_uppercase(),
        pl.col("balance").cast(pl.String).str.replace(".", ",", literal=True),
        pl.col("credit_checked_on").dt.strftime("%d.%m.%Y"),
    )
    messy = messy.rename({"progress": "pct_paid", "status": "state", "jurisdiction": "country"})
    frame = make(messy)
    mapping = suggest(frame, FEW)
    assert ColumnMapping.from_toml(mapping.to_toml()) == mapping
    deals = read(frame, mapping, rules=FEW)
    assert [str(row) for row in findings(deals, FEW, mapping=mapping)] == []
    expected = assess(good(), FEW)["outcome"].to_list()
    assert list(assess(deals, FEW)["outcome"].to_numpy()) == expected


def test_a_lazy_frame_shows_its_names():
    """
    Of a lazy frame only the names are looked at, and a note says so.
    """
    mapping = suggest(pl.LazyFrame({"pct_paid": [0.5] * 9}), FEW)
    assert mapping.columns == {"progress": "pct_paid"}
    assert mapping.percentages is None
    assert "only the names were looked at" in mapping.notes[-1]


GERMAN = ["228.590,62", "281,96"]


def test_a_form_is_shared_only_if_all_columns_fit_it():
    """
    77.125 next to decimal commas is not read as 77125: what one column does not fit is not said
    of all.
    """
    mapping = of(balance=GERMAN, performance=["77.125", "60.502"], deals_completed=["1", "2"])
    assert (mapping.decimal_mark, mapping.thousands) == (None, None)
    assert mapping.forms == {"balance": {"decimal_mark": ",", "thousands": "."}}
    assert "performance: it is not clear which signs its numbers have" in mapping.notes
    points = of(balance=GERMAN, performance=["77.125", "60.5"], days_since_funding=["231.0", "12"])
    assert points.forms == {
        "balance": {"decimal_mark": ",", "thousands": "."},
        "performance": {"decimal_mark": "."},
        "days_since_funding": {"decimal_mark": "."},
    }
    commas = of(balance=GERMAN, performance=["77,125", "60,5"], days_since_funding=["231", "12"])
    assert (commas.decimal_mark, commas.thousands, commas.forms) == (",", ".", {})


def test_days_that_may_be_thousands_are_left_out():
    """
    1.000 days are not guessed, and what other columns show is not said of them.
    """
    mapping = of(balance=GERMAN, days_since_funding=["1.000", "850"])
    assert mapping.forms == {"balance": {"decimal_mark": ",", "thousands": "."}}
    assert "days_since_funding: it is not clear which signs its numbers have" in mapping.notes
