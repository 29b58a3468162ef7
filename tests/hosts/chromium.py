"""A headless Chromium that is installed already, and where its screenshots stay."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from pathlib import Path

INSTALLED = shutil.which("chromium") or shutil.which("chromium-browser")
MISSING = (
    "Chromium is not installed, so the page for underwriters was NOT tested in a browser. "
    "On Debian: apt-get install chromium (or run as root, and .ci/run installs it)"
)
# Chromium refuses to run as root in a sandbox.
ARGUMENTS = ["--no-sandbox"] if os.geteuid() == 0 else []


@contextmanager
def running():
    """Run a browser, and yield it."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=INSTALLED, args=ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()


def screenshots(otherwise):
    """Return the folder of HOLDBACK_SCREENSHOTS, or another one."""
    folder = Path(os.environ.get("HOLDBACK_SCREENSHOTS") or otherwise)
    folder.mkdir(parents=True, exist_ok=True)
    return folder
