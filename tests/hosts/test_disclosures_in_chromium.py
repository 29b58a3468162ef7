"""The disclosure of each jurisdiction that has a law on it, as Chromium prints it."""

from __future__ import annotations

import re
from datetime import date
from fractions import Fraction

import chromium
import pytest
from axe_playwright_python.sync_playwright import Axe

from holdback.disclosures.disclosure import Payoff, ProjectionTerms, disclose
from holdback.disclosures.figures import Financing
from holdback.jurisdictions import load_jurisdictions
from holdback.tools.displays.disclosures import disclosure_page, split_lines

pytestmark = pytest.mark.skipif(
    not chromium.INSTALLED,
    reason="Chromium is not installed, so the pages of disclosures were NOT printed",
)

ALL = load_jurisdictions()
LAWS = {code: ALL[code].disclosures[-1] for code in ALL.codes if ALL[code].disclosures}
# Much longer than most: a law allows 60 words here and there.
LONG = "Acme Capital Partners of San Francisco, each business day, as agreed in section 4.2(b)"


def renewal(regime):
    """What is shown of a renewal with fees, under *regime*: as long as it gets."""
    return disclose(
        regime,
        Financing(
            purchase_price=60_000_00,
            purchased_amount=78_000_00,
            withheld=1_200_00,
            third_parties=750_00,
            payoffs=20_800_00,
        ),
        ProjectionTerms(
            consummation=date(2026, 12, 1),
            frequency="weekday",
            split=Fraction(1, 10),
            monthly_takings=75_000_00,
        ),
        payoff=Payoff(finance_charge=12_000_00, total_repayment=52_000_00, used=20_800_00),
        facts={"prepayment_fees": "500.00"} if regime.catalogue.fact("prepayment_fees") else {},
        texts=dict.fromkeys(regime.texts, LONG),
    )


@pytest.fixture(scope="module")
def browser():
    with chromium.running() as browser:
        yield browser


@pytest.mark.parametrize("code", LAWS)
def test_a_disclosure_prints_on_one_page(code, browser, tmp_path):
    """
    "HTML that prints (one page, US Letter and A4, tagged headings and tables)": one sheet, and one
    more for an itemization that is attached; axe-core finds nothing.
    """
    shown = renewal(LAWS[code])
    folder, page = chromium.screenshots(tmp_path), browser.new_page()
    page.set_content("\n".join(disclosure_page(shown, signed=LAWS[code].signed)))
    for size in ("Letter", "A4"):
        body = page.pdf(path=folder / f"disclosure-{code}-{size}.pdf", format=size, tagged=True)
        sheets = len(re.findall(rb"/Type\s*/Page\b", body))
        assert sheets == 1 + bool(split_lines(shown)[1])
        assert b"/StructTreeRoot" in body
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    page.close()
