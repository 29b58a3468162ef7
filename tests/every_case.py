"""One test over many small cases: all of them run, and every failure is reported, with its case."""

from __future__ import annotations

import inspect
import traceback
from functools import wraps

import pytest

# Failures shown in full; of further ones only the case is named.
SHOWN = 10


def for_every(names, cases, ids=None):
    """
    Return a decorator like `pytest.mark.parametrize` that makes a single test of all cases.

    Collecting, scheduling and reporting a test costs more than a small case does. All cases share
    the fixtures of the one test, so use this only where they do not change them.
    """
    names = [name.strip() for name in names.split(",")] if isinstance(names, str) else [*names]
    rows = [
        _row(case, len(names), ids[place] if isinstance(ids, list) else ids)
        for place, case in enumerate(cases)
    ]
    assert rows, "there are no cases"

    def decorate(test):
        @wraps(test)
        def every_case(*positional, **fixtures):
            failures = {}
            for place, (name, values) in enumerate(rows):
                try:
                    test(*positional, **fixtures, **dict(zip(names, values, strict=True)))
                # A case that skips is a failure too, because the others would be skipped with it.
                except (Exception, pytest.fail.Exception, pytest.skip.Exception) as error:  # noqa: BLE001  # any error is one of this case
                    failures[place, name] = error
            if failures:
                pytest.fail(_report(failures, len(rows)), pytrace=False)

        signature = inspect.signature(test)
        fixtures = [part for part in signature.parameters.values() if part.name not in names]
        every_case.__signature__ = signature.replace(parameters=fixtures)
        return every_case

    return decorate


def _row(case, width, name):
    """The name and the values of a *case*."""
    if isinstance(case, type(pytest.param())):
        assert not case.marks, "mark the test, not a case"
        name, case = case.id or name, case.values
    elif width == 1:
        case = (case,)
    assert len(case) == width, f"expected {width} values: {case}"
    if callable(name):
        name = ", ".join(str(name(value)) for value in case)
    if name is None:
        name = ", ".join(map(_shown, case))
    return name, tuple(case)


def _shown(value):
    """The start of the representation of *value*."""
    try:
        return repr(value)[:80]
    except ValueError:  # a number of too many digits
        return object.__repr__(value)


def _report(failures, total):
    """The text of all *failures*, the first ones in full."""
    lines = [f"{len(failures)} of {total} cases fail:"]
    for number, ((_, name), error) in enumerate(failures.items()):
        lines.append(f"\n-- {name}")
        if number < SHOWN:
            # The first frame is the loop over the cases.
            frames = error.__traceback__.tb_next or error.__traceback__
            lines += traceback.format_exception(type(error), error, frames)
    return "\n".join(line.rstrip("\n") for line in lines)
