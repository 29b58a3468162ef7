"""Section 9 of the specification: versioning."""

from __future__ import annotations

import json

from holdback import wire


def test_stored_documents_say_their_format(renewable):
    """
    "Versions other than v2 and any deprecation policy: not shown." The path is the host's; what holdback
    stores says its own format, so that it stays readable.
    """
    assert json.loads(wire.write_merchant(renewable.merchant))["format"] == 1
    for event in renewable.events:
        assert wire.event_to_dict(event)["format"] == 1
    assert renewable.do("assess_renewal").record()["format"] == 1
