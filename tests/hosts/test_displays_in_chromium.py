"""Everything that a notebook shows, in Chromium: light and dark, on a phone and on a desk."""

from __future__ import annotations

import chromium
import pytest
from axe_playwright_python.sync_playwright import Axe

import picture_samples
from display_samples import shown
from holdback.tools import pictures

pytest.importorskip("altair")
pytestmark = pytest.mark.skipif(
    not chromium.INSTALLED,
    reason="Chromium is not installed, so pictures and displays were NOT tested in a browser",
)

# The rules of axe-core that concern a part of a page: a whole page has a heading and landmarks too.
_OF_PAGES = ("region", "page-has-heading-one", "landmark-one-main", "heading-order")
RULES = {"rules": {rule: {"enabled": False} for rule in _OF_PAGES}}
# What sticks out of the window; what scrolls inside itself does not.
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
STYLE = """
body { margin: 0; padding: 8px; font: 14px/1.5 sans-serif; background: #ffffff; color: #1b1f24; }
@media screen and (prefers-color-scheme: dark) { body { background: #15181b; color: #e7e9eb; } }
"""


def page_of(width):
    """A page with every display and every picture, *width* pixels wide."""
    displays = [f"<section>{thing._repr_html_()}</section>" for thing in shown().values()]
    charts = [
        f"<p>{pictures.svg(chart)}</p>"
        for chart in picture_samples.charts(width - 20, several=False).values()
    ]
    body = "\n".join([*displays, *charts]).replace("<details>", "<details open>")
    return (
        f'<!doctype html><html lang="en"><head><title>Displays</title><style>{STYLE}</style></head>'
        f"<body>{body}</body></html>"
    )


@pytest.fixture(scope="module")
def browser():
    with chromium.running() as browser:
        yield browser


@pytest.mark.parametrize("width", [400, 1200])
def test_displays_and_pictures_can_be_read(browser, width, tmp_path):
    """
    In light and in dark nothing is wider than the window, axe-core finds nothing (such as texts
    without contrast), and no request leaves the page.
    """
    html, folder = page_of(width), chromium.screenshots(tmp_path)
    for scheme in ("light", "dark"):
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True
        )
        page, requests = context.new_page(), []
        page.on("request", lambda request: requests.append(request.url))  # noqa: B023
        page.set_content(html)
        assert page.evaluate(OVERFLOW) <= 0
        page.screenshot(path=folder / f"displays-{width}-{scheme}.png", full_page=True)
        # The colours of pictures have a test of their own, and axe-core is slow in drawings.
        page.evaluate("document.querySelectorAll('svg').forEach(svg => svg.remove())")
        found = Axe().run(page, options=RULES)

        assert found.violations_count == 0, found.generate_report()
        assert requests == []
        context.close()
