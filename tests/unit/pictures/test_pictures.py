"""Pictures: valid charts of the right size, whose texts are data and never anything else."""

from __future__ import annotations

import re
import sys
from datetime import date, timedelta
from decimal import Decimal
from functools import cache
from xml.etree import ElementTree as ET

import pytest

import picture_samples
from display_samples import NOW, shown
from holdback.errors import InvalidDocument
from holdback.tools import pictures
from holdback.tools.pictures.palette import ACCENT, BACK, DARK, MARK, SOFT, TEXT, TINTS

altair = pytest.importorskip("altair")

WIDTHS = (380, 1160)
HOSTILE = '</script><img src="https://example.com/x" onerror="alert(1)">'
# Of a letter that is a little wider than its estimate.
ROOM = 12


@cache
def charts(width):
    """The pictures of a width: drawn by the first test that asks, not by every import."""
    return picture_samples.charts(width, several=width < 400)


def texts_of(svg):
    return [
        "".join(node.itertext()) for node in ET.fromstring(svg).iter() if node.tag.endswith("text")
    ]


@pytest.mark.parametrize("width", WIDTHS)
def test_a_picture_is_valid_and_fits_its_width(width):
    """
    A picture is a valid Vega-Lite document, which Altair checks when it is written, and its SVG is
    not wider than was asked for.
    """
    for name, chart in charts(width).items():
        root = ET.fromstring(pictures.svg(chart))

        assert float(root.get("width")) <= width + ROOM, name
        assert root.get("role") == "img", name
        assert root.get("aria-label") == chart.to_dict()["description"], name


@pytest.mark.parametrize("question", sorted(picture_samples.QUESTIONS))
def test_a_picture_is_the_same_without_altair(question, monkeypatch):
    """
    A report is drawn without charts, and shows the same.
    """
    what = question, "Title", [*picture_samples.QUESTIONS[question]("GB")], 380
    expected = pictures.svg(pictures.draw(*what))
    monkeypatch.setitem(sys.modules, "altair", None)
    assert pictures.drawn(*what) == expected


@pytest.mark.parametrize("question", sorted(picture_samples.QUESTIONS))
def test_hostile_texts_stay_texts(question):
    """
    Texts of data that look like HTML are drawn as texts, in SVG and in a page of HTML.
    """
    records = [
        {name: HOSTILE if isinstance(value, str) and name != "currency" else value}
        | {name: value for name, value in record.items() if name == "currency"}
        for record in [*picture_samples.QUESTIONS[question]("GB")][:1]
        for name, value in record.items()
    ]
    spoilt = {name: value for record in records for name, value in record.items()}
    chart = pictures.draw(question, HOSTILE, [spoilt])
    svg = pictures.svg(chart)
    page = pictures.html(chart)

    assert "<img" not in svg
    assert "</script><img" not in svg
    assert "</script><img" not in page
    assert any("onerror" in text for text in texts_of(svg))


def test_a_picture_says_its_numbers():
    """
    The numbers stand in the picture, with thousands, and so do the names: nothing is said by colour
    alone.
    """
    texts = texts_of(pictures.svg(charts(1160)["funnel-1"]))

    assert any("842 fail" in text and "128 would become eligible" in text for text in texts)
    assert any("12,110 fail" in text for text in texts)
    assert any("GBP 1,063,821" in text for text in texts)


def test_amounts_of_two_currencies_have_two_panels():
    """
    Money at stake has a panel with a scale of its own for each currency; nothing is added up.
    """
    chart = charts(1160)["money"].to_dict()
    titles = ["".join(panel["title"]["text"]) for panel in chart["vconcat"]]

    assert titles == ["GBP", "JPY", "USD", "EUR"]


def test_the_present_threshold_is_marked():
    """
    A sweep marks today's value, and a migration frames its diagonal.
    """
    assert "today 80%" in texts_of(pictures.svg(charts(380)["sweep-1"]))
    chart = charts(380)["migration-1"].to_dict()
    (cells,) = [*chart.get("datasets", {}).values()] or [chart["data"]["values"]]

    assert {(cell["row"], cell["column"]) for cell in cells if cell["framed"]} == {
        (cell["row"], cell["row"]) for cell in cells
    }


def drawn_texts(question, records):
    """The height of the picture of *records*, its texts, and what it says."""
    picture = pictures.drawn(question, "Title", records, 680)
    root = ET.fromstring(picture)
    return float(root.get("height")), " ".join(texts_of(picture)), root.get("aria-label")


def test_a_picture_of_many_thresholds_fits_a_screen_or_two():
    """
    The rules with the most deals near them are drawn, and of each the nearest deals; the picture
    says how many it leaves out.
    """
    (record, *_) = picture_samples.near("GB")
    rules = {f"GB-R-{place:02}": place % 9 + 1 for place in range(40)}
    records = [
        record | {"rule": rule, "row": f"{place}"}
        for rule, deals in rules.items()
        for place in range(deals)
    ]
    height, texts, said = drawn_texts("near", records)
    assert height < 1_800
    assert "6 of 40 rules are drawn, those with the most deals; the table has all." in said
    shown = {rule for rule in rules if f"GB · {rule}" in texts}
    assert shown == set(sorted(rules, key=rules.get, reverse=True)[:6])
    assert texts.index("GB-R-08") < texts.index("GB-R-17")  # in their own order

    many = [record | {"gap": Decimal(place), "row": f"{place}"} for place in range(1_000)]
    picture = pictures.PICTURES["near"]("Title", many, 680)
    (points,) = (panel["data"]["values"] for panel in picture["vconcat"])
    assert [point["gap"] for point in points] == [*range(300)]
    assert "the nearest 300 of 1,000 are drawn" in " ".join(picture["vconcat"][0]["title"]["text"])

    few = [*picture_samples.near("GB", "US")]
    assert "to_frame()" not in drawn_texts("near", few)[2]


@pytest.mark.parametrize("codes", [1, 2, 10])
def test_a_picture_of_many_cohorts_fits_a_screen_or_two(codes):
    """
    The cohorts with the most deals are drawn, in their order, of every jurisdiction.
    """
    records = [
        {"cohort": f"C{place:03}", "jurisdiction": f"J{code}", "outcome": outcome}
        | {"deals": place % 50 + 1, "share": Decimal("0.5")}
        for code in range(codes)
        for place in range(300)
        for outcome in ("eligible", "ineligible")
    ]
    each = {1: 40, 2: 20, 10: 6}[codes]
    height, texts, said = drawn_texts("cohorts", records)
    assert height < 2_900
    note = f"{each * codes:,} of {300 * codes:,} cohorts are drawn, those with the most deals"
    assert f"{note}; the table has all." in said
    drawn = re.findall("C[0-9]{3}", texts)
    assert len(drawn) == each * codes
    most = sorted(range(300), key=lambda place: (-(place % 50), place))[:each]
    assert sorted({*drawn}) == [f"C{place:03}" for place in sorted(most)]


def test_a_picture_of_many_jurisdictions_fits_a_screen_or_two():
    """
    The jurisdictions with the most deals are drawn.
    """
    records = [
        {"jurisdiction": f"J{code:03}", "outcome": "eligible", "deals": 1 + code}
        | {"share": Decimal(1), "balance": None, "currency": None}
        for code in range(200)
    ]
    height, texts, said = drawn_texts("outcomes", records)
    assert height < 1_400
    assert "40 of 200 jurisdictions are drawn, those with the most deals" in said
    assert "J199" in texts
    assert "J159" not in texts


def test_dark_colours_replace_light_ones_but_in_data():
    """
    A dark chart has none of the light colours, except where the data happens to say the same.
    """
    records = [*picture_samples.outcomes("GB", "JP")]
    dark = pictures.dark(pictures.draw("outcomes", TEXT, records))
    written = str(dark.to_dict()["config"]) + str([p["layer"] for p in dark.to_dict()["vconcat"]])

    assert not [light for light in DARK if f"'{light}'" in written]
    assert dark.to_dict()["title"]["text"] == [TEXT]


def test_auto_is_light_until_the_screen_is_dark():
    """
    The SVG that follows the screen is the light one with rules for dark screens, and only screens:
    paper stays light.
    """
    light = pictures.svg(charts(380)["sweep-1"], "light")
    auto = pictures.svg(charts(380)["sweep-1"])

    assert "prefers-color-scheme" not in light
    assert auto.count("@media screen and (prefers-color-scheme:dark)") == 1
    assert re.sub("<style>.*?</style>", "", auto) == light
    assert DARK[BACK] in pictures.svg(charts(380)["sweep-1"], "dark")
    with pytest.raises(InvalidDocument, match="expected one of `light`"):
        pictures.svg(charts(380)["sweep-1"], "sepia")


def luminance(colour):
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(first, second):
    lighter, darker = sorted((luminance(first), luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def test_texts_and_marks_have_contrast():
    """
    Texts have a contrast of at least 4.5 with what is behind them, and marks of at least 3.
    """
    for page in (dict.fromkeys(DARK), DARK):
        on = {light: dark or light for light, dark in page.items()}
        assert all(contrast(on[text], on[BACK]) >= 4.5 for text in (TEXT, SOFT, ACCENT))
        assert all(contrast(on[TEXT], on[tint]) >= 4.5 for tint in TINTS)
        assert contrast(on[MARK], on[BACK]) >= 3


def test_two_pictures_on_one_page_share_no_names():
    """
    Elements that have an id in one SVG do not have the id of another picture's.
    """
    first, second = (pictures.svg(charts(380)[name]) for name in ("near-1", "repayment"))
    ids = [set(re.findall(r' id="([^"]+)"', svg)) for svg in (first, second)]

    assert not ids[0] & ids[1]


def test_a_picture_needs_the_extra(monkeypatch):
    """
    Without Altair or vl-convert, the error says what to install.
    """
    chart = charts(380)["sweep-1"]
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'holdback\[notebook\]'"):
        pictures.svg(chart)
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(
        ModuleNotFoundError, match=r"needs altair: pip install 'holdback\[notebook\]'"
    ):
        pictures.draw("near", "Near", [])


def test_a_deal_is_drawn_against_its_pace():
    """
    A deal's picture has what was remitted until the day, what is expected until the end of its
    term, and the amount from which a renewal is assessed.
    """
    deal = shown()["deal"]
    on = deal.funded_on + timedelta(days=deal.term_days * 57 // 100 + 1)
    chart = deal.plot(on, "60%").to_dict()
    expected, remitted, line = (
        layer["data"]["values"] for layer in chart["vconcat"][0]["layer"][:3]
    )

    assert f"{deal.id} is 57.0% paid down" in " ".join(chart["title"]["text"])
    assert Decimal(str(expected[-1]["expected"])) == deal.repayment_amount.amount
    assert expected[0]["expected"] == 0
    assert Decimal(str(remitted[-1]["remitted"])) == deal.remitted.amount
    assert remitted[-1]["day"] <= on.isoformat()
    assert Decimal(str(line[0]["amount"])) == deal.repayment_amount.amount * 60 / 100
    with pytest.raises(InvalidDocument, match="expected a percentage such as `60%`"):
        deal.plot(on, "sixty")


def test_a_jurisdiction_is_drawn_over_time():
    """
    A jurisdiction's picture has a line for each threshold and each rule, from day to day.
    """
    british = shown()["jurisdiction"]
    chart = british.plot(NOW).to_dict()
    texts = str(chart["vconcat"])

    assert "minimum performance" in texts
    assert all(rule.code in texts for rule in british.rulebook(NOW).renewal.rules)
    assert "The line is 2026-07-01." in " ".join(chart["title"]["subtitle"])
    assert date(2024, 1, 1).isoformat() in texts
