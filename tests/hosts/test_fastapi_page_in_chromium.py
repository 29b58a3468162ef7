"""The page for underwriters in Chromium: keyboard, phone, colours, and what axe-core finds."""

from __future__ import annotations

from datetime import timedelta

import chromium
import pytest
from fastapi_calls import Merchant, at_once, service_on
from served import served

pytestmark = pytest.mark.skipif(not chromium.INSTALLED, reason=chromium.MISSING)

DESKTOP, PHONE = {"width": 1200, "height": 900}, {"width": 360, "height": 740}
VIEWS = {
    "desktop": {"viewport": DESKTOP, "color_scheme": "light"},
    "desktop-dark": {"viewport": DESKTOP, "color_scheme": "dark"},
    "phone": {"viewport": PHONE, "color_scheme": "light", "has_touch": True},
    "phone-dark": {"viewport": PHONE, "color_scheme": "dark", "has_touch": True},
}
MOST_TABS = 60


@pytest.fixture(scope="module")
def browser():
    with chromium.running() as browser:
        yield browser


def fill(service):
    """Make a merchant with a deal, one on hold, and one that is referred, for others."""
    Merchant(service, "old-mill").renewable()
    held = Merchant(service, "corner-cafe")
    held.ask()
    held.accept(bank_details=None)
    held.agent("place_hold", {"code": "dispute", "by": "u-7", "note": "See the letter."})
    florist = Merchant(service, "florist")
    florist.ask()
    florist.accept()
    withdrawn = {"application_id": florist.known["application_id"]}
    florist.partner_does("withdraw_application", withdrawn)
    service.now += timedelta(hours=1)
    others = {"applicants": [{"name": "Bob Other", "address": {"street": "1 High Street"}}]}
    florist.referred(florist.initial() | others)
    service.now += timedelta(hours=3)


@pytest.fixture
def service(tmp_path):
    with service_on("sqlite", tmp_path) as service:
        # In a thread of its own: Playwright has an event loop in this one.
        at_once([lambda: fill(service)])
        yield service


class Visit:
    """A tab of the browser, with everything that went wrong in it."""

    def __init__(self, browser, port, **options):
        self.context = browser.new_context(base_url=f"http://127.0.0.1:{port}", **options)
        self.page, self.wrong, self.expected = self.context.new_page(), [], {200, 303}
        self.page.on("console", self.noted)
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("requestfailed", lambda request: self.wrong.append(request.url))
        self.page.on("response", self.answered)

    def noted(self, message):
        if message.type in {"error", "warning"}:
            self.wrong.append(message.text)

    def answered(self, response):
        if response.status not in self.expected:
            self.wrong.append(f"{response.status} {response.url}")

    def tab_to(self, text):
        """Press the tabulator until what has the focus is called *text*."""
        for _ in range(MOST_TABS):
            self.page.keyboard.press("Tab")
            focused = self.page.locator(":focus")
            if focused.count() and focused.first.inner_text().strip() == text:
                return focused.first
        pytest.fail(f"the tabulator never reached {text}")

    def enter(self):
        with self.page.expect_navigation():
            self.page.keyboard.press("Enter")

    def sign_in(self):
        self.page.goto("/underwriters")
        self.page.get_by_label("Key").fill("underwriter-key")
        with self.page.expect_navigation():
            self.page.get_by_role("button", name="Sign in").click()

    def shows(self, text):
        return text in self.page.locator("main").inner_text()


@pytest.fixture
def visit(browser, service):
    """A function that opens a tab; nothing may go wrong in any."""
    visits = []
    with served(service.app) as port:

        def opened(**options):
            visits.append(Visit(browser, port, **options))
            return visits[-1]

        yield opened
        for one in visits:
            one.context.close()
    assert [wrong for one in visits for wrong in one.wrong] == []


def test_a_referral_is_approved_with_the_keyboard_alone(visit):
    """
    Sign in, open a referral, approve it, see it gone: without a mouse and without scripts.
    """
    tab = visit(java_script_enabled=False)
    tab.page.goto("/underwriters")
    tab.tab_to("Skip to the content")
    tab.page.keyboard.press("Tab")
    tab.page.keyboard.type("underwriter-key")
    tab.enter()
    tab.tab_to("florist")
    tab.enter()
    assert tab.shows("The credit score is 617; below 620 a person looks at it.")
    tab.tab_to("")  # the region of the figures, whose text is not a name
    tab.tab_to("Approve")
    tab.enter()
    assert tab.page.get_by_role("status").inner_text().startswith("The product is approved.")
    assert tab.shows("Nothing is to be decided.")
    tab.tab_to("All referrals")
    tab.enter()

    assert not tab.shows("florist")


# What has the focus, and its outline.
FOCUSED = """(() => {
    const focused = document.activeElement, style = getComputedStyle(focused);
    return [focused.outerHTML.slice(0, 80), style.outlineStyle + " " + style.outlineWidth];
})()"""


def test_what_has_the_focus_is_seen(visit):
    """
    Every link, region, field and button that the tabulator reaches has an outline.
    """
    tab = visit()
    tab.sign_in()
    tab.page.goto("/underwriters/merchant?partner=acme&merchant_id=florist")
    outlines = {}
    for _ in range(16):
        tab.page.keyboard.press("Tab")
        element, outline = tab.page.evaluate(FOCUSED)
        outlines.setdefault(element, outline)  # a field of a day is several steps

    assert set(outlines.values()) == {"solid 3px"}
    assert len(outlines) >= 10


@pytest.mark.parametrize("view", VIEWS)
def test_every_page_can_be_used(visit, view, tmp_path):
    """
    axe-core finds nothing, nothing is wider than the screen, and a picture of each page is kept.
    """
    from axe_playwright_python.sync_playwright import Axe

    tab = visit(**VIEWS[view])
    folder = chromium.screenshots(tmp_path)

    def looked_at(name, path=None):
        if path is not None:
            tab.page.goto(path)
        tab.page.screenshot(path=folder / f"{name}-{view}.png", full_page=True)
        found = Axe().run(tab.page).response["violations"]
        assert [(one["id"], one["impact"], one["nodes"][0]["html"]) for one in found] == []
        width = tab.page.evaluate("document.documentElement.scrollWidth")
        assert width <= VIEWS[view]["viewport"]["width"]

    looked_at("1-sign-in", "/underwriters/sign-in")
    tab.sign_in()
    looked_at("2-referrals", "/underwriters")
    for number, merchant in enumerate(("florist", "corner-cafe", "old-mill"), 3):
        looked_at(
            f"{number}-{merchant}", f"/underwriters/merchant?partner=acme&merchant_id={merchant}"
        )
    tab.page.goto("/underwriters/merchant?partner=acme&merchant_id=florist")
    tab.page.get_by_label("Until the end of").fill("2020-01-01")
    tab.expected = {200, 303, 422}
    tab.wrong.clear()
    with tab.page.expect_navigation():
        tab.page.get_by_role("button", name="Approve").click()
    looked_at("6-refused")
    assert tab.page.get_by_role("alert").inner_text().startswith("Nothing was changed.")
    tab.wrong.clear()  # Chromium reports the status of the page as an error of its console


def test_a_hold_is_placed_and_lifted_on_a_phone(visit):
    """
    By touching, at the width of a phone.
    """
    tab = visit(**VIEWS["phone"])
    tab.sign_in()
    tab.page.get_by_label("Merchant", exact=True).fill("old-mill")
    with tab.page.expect_navigation():
        tab.page.get_by_role("button", name="Open").tap()
    tab.page.get_by_label("Code").fill("sanctions")
    with tab.page.expect_navigation():
        tab.page.get_by_role("button", name="Place the hold").tap()
    assert tab.shows("On hold")
    with tab.page.expect_navigation():
        tab.page.get_by_role("button", name="Lift the hold sanctions").tap()

    assert not tab.shows("On hold")
