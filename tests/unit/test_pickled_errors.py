"""Errors: copies of them."""

from __future__ import annotations

import copy
import pickle

from holdback import (
    ConfigurationError,
    HistoryError,
    InvalidDocument,
    Refusal,
    RuleError,
    StateError,
)
from holdback.errors import InvalidValue


def test_errors_can_be_sent_to_another_process():
    """
    Process pools and task queues pickle exceptions, and get back equal ones.
    """
    for error in (
        Refusal("offers_expired", "detail"),
        RuleError("wrong", source="a <", start=0, end=1, stage="syntax", hint="h"),
        InvalidDocument.of("wrong_value", "wrong", path="$.a"),
        StateError.of("malformed", "wrong", path="$.a", hint="h"),
        ConfigurationError.of("missing", "wrong"),
        HistoryError.of("does_not_follow", "wrong"),
        InvalidValue("out_of_range", "wrong"),
    ):
        for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
            assert (str(again), type(again)) == (str(error), type(error))
            assert vars(again) == vars(error)
