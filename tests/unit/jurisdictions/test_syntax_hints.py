"""Slips of people who do not program, and the hints that they get."""

from __future__ import annotations

from every_case import for_every
from small_folders import IRELAND, changed, errors_in

MISTAKES = [
    ('{ from = 2026-01-01, value = "80%", source = "policy" },',
     '{ from = 2026-01-01, value = 80%, source = "policy" },', 'as `"70%"`'),
    ("from = 2025-07-01", "from = 01-07-2025", "year, month and day"),
    ("from = 2025-07-01", "from = 2025-13-01", "year, month and day"),
    ("from = 2025-07-01", "from = 01.07.2025", "year, month and day"),
    ('id = "on-pace"', 'id = "on-pace', "ends with the quote"),
    ('value = "75%", source = "policy" },\n', 'value = "75%", source = "policy" }\n',
     "separated by commas"),
    ("from = 2025-07-01", "from = 2025-7-1", "year, month and day"),
    ("from = 2025-07-01", "from = 2025-07", "year, month and day"),
    ("format = 1", "format: 1", "write `=`"),
    ("format = 1", "// who\nformat = 1", "begins with `#`"),
    ("when = 'status == \"Funded\"'", 'when = "status == "Funded""', "single quotes"),
    ('without = ["missed_remittances_30d"]', "without = {\n}", "on one line"),
    ('[[rules]]\nid = "few-missed"', '[rules]\nid = "few-missed"', "`[[rules]]`"),
]  # fmt: skip


@for_every(("old", "new", "hint"), MISTAKES)
def test_a_frequent_mistake(old, new, hint):
    """
    A frequent mistake of an author who is not a programmer gets a hint that helps.
    """
    found = errors_in(changed(IRELAND, "renewal.toml", old, new))

    assert hint in str(found[0].hint), found[0]
    assert "('" not in str(found[0])
