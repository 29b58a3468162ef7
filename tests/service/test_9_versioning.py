"""Service 9: versioning."""

from __future__ import annotations

import json

from holdback import wire
from holdback.operations import AssessRenewal


def test_stored_documents_say_their_format(renewable):
    """
    The interface leaves open "other versions, and any deprecation policy" (service 9). Stored
    documents name their format.
    """
    assert json.loads(wire.write_merchant(renewable.merchant))["format"] == 1
    assert json.loads(wire.write_profile(renewable.profile))["format"] == 1
    for event in renewable.events:
        assert wire.event_to_dict(event)["format"] == 1
    assert renewable.do(AssessRenewal()).record()["format"] == 1
