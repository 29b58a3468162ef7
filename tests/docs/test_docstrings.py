"""Every example in a docstring of the package runs."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from itertools import groupby

import pytest

import holdback

MODULES = [
    "holdback",
    *sorted(module.name for module in pkgutil.walk_packages(holdback.__path__, prefix="holdback.")),
]
# The modules of each package or module right below `holdback`, and `holdback` itself.
PACKAGES = {
    ".".join(package): [*names]
    for package, names in groupby(MODULES, lambda name: name.split(".")[:2])
}


def examples(name):
    """The docstrings with examples in the module *name*."""
    module = importlib.import_module(name)
    return [test for test in doctest.DocTestFinder().find(module) if test.examples]


@pytest.mark.parametrize("package", PACKAGES)
def test_the_examples_of_a_package_run(package):
    """
    The examples in the docstrings of a module run, and print what they show.
    """
    for test in (test for name in PACKAGES[package] for test in examples(name)):
        shown = []
        failed = doctest.DocTestRunner(verbose=False).run(test, out=shown.append).failed

        assert not failed, "".join(shown)


def test_there_are_examples():
    """
    The test above finds examples to run.
    """
    assert sum(len(examples(name)) for name in MODULES) > 40
