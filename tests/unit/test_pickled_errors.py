"""Errors: copies of them."""

from __future__ import annotations

import copy
import pickle

from holdback import InvalidDocument, Refusal, RuleError


def test_errors_can_be_sent_to_another_process():
    """
    Process pools and task queues pickle exceptions, and get back equal ones.
    """
    for error in (
        Refusal("offers_expired", "detail"),
        RuleError("wrong", source="a <", start=0, end=1, stage="syntax", hint="h"),
        InvalidDocument.of("wrong", path="$.a"),
    ):
        for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
            assert (str(again), type(again)) == (str(error), type(error))
            assert vars(again) == vars(error)
