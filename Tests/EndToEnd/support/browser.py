"""Debian's Chromium without a window, driven by playwright."""

from contextlib import contextmanager

CHROMIUM = "/usr/bin/chromium"


@contextmanager
def browser():
    """A browser that ends with the block."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        try:
            yield launched
        finally:
            launched.close()
