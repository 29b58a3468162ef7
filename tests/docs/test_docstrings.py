"""Every example in a docstring of the package runs."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import holdback

MODULES = [
    "holdback",
    *sorted(module.name for module in pkgutil.walk_packages(holdback.__path__, prefix="holdback.")),
]


def examples(name):
    """The docstrings with examples in the module *name*."""
    module = importlib.import_module(name)
    return [test for test in doctest.DocTestFinder().find(module) if test.examples]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_run(name):
    """
    The examples in the docstrings of a module run, and print what they show.
    """
    for test in examples(name):
        shown = []
        failed = doctest.DocTestRunner(verbose=False).run(test, out=shown.append).failed

        assert not failed, "".join(shown)


def test_there_are_examples():
    """
    The test above finds examples to run.
    """
    assert sum(len(examples(name)) for name in MODULES) > 40
