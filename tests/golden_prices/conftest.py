"""The policies of the golden prices are at the edges of what can be priced: no real ones."""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items):
    """
    Leave out what is proved of rules: free money and free renewals are priced here on purpose.
    """
    items[:] = [
        item
        for item in items
        if item.name != "holds what is claimed" or not item.path.is_relative_to(HERE)
    ]
