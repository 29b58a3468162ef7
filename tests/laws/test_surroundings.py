"""The host's surroundings do not change a byte of a reply, an event or a stored state."""

from __future__ import annotations

import asyncio
import decimal
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from surroundings import fingerprint

from every_case import for_every

HERE = Path(__file__).parent
EXPECTED = fingerprint()

HOSTILE_CONTEXTS = {
    "six digits": decimal.Context(prec=6),
    "one digit": decimal.Context(prec=1),
    "rounding down": decimal.Context(prec=9, rounding=decimal.ROUND_DOWN),
    "rounding up": decimal.Context(prec=28, rounding=decimal.ROUND_UP),
    "no traps": decimal.Context(prec=3, traps=[]),
    "every trap": decimal.Context(
        prec=28,
        traps=[decimal.Inexact, decimal.Rounded, decimal.FloatOperation, decimal.Subnormal],
    ),
    "small exponents": decimal.Context(prec=28, Emax=3, Emin=-3),
    "lower case": decimal.Context(prec=28, capitals=0),
}
SURROUNDINGS = {
    "hash seed 0": ({"PYTHONHASHSEED": "0"}, []),
    "hash seed 12345": ({"PYTHONHASHSEED": "12345"}, []),
    "Kiritimati": ({"TZ": "Pacific/Kiritimati"}, []),
    "New York": ({"TZ": "America/New_York"}, []),
    "C locale": ({"LC_ALL": "C", "LANG": "C"}, []),
    "Turkish locale": ({"LC_ALL": "tr_TR.UTF-8"}, []),
    "optimised": ({}, ["-O"]),
    "without docstrings": ({}, ["-OO"]),
    "UTF-8 off": ({"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}, []),
    "isolated warnings": ({}, ["-W", "error"]),
}


@for_every("name", HOSTILE_CONTEXTS)
def test_decimal_contexts(name):
    """
    The host's `decimal` context does not matter: its precision, rounding, traps and exponents.
    """
    with decimal.localcontext(HOSTILE_CONTEXTS[name]):
        assert fingerprint() == EXPECTED


@pytest.mark.parametrize("name", SURROUNDINGS)
def test_processes(name):
    """
    Neither locale, time zone, hash seed nor the options of Python matter to a process.
    """
    variables, options = SURROUNDINGS[name]
    path = os.pathsep.join([str(HERE), str(HERE.parent), *filter(None, sys.path)])
    shown = subprocess.run(
        [sys.executable, *options, str(HERE / "surroundings.py")],
        env={"PYTHONPATH": path, "PATH": os.environ["PATH"], **variables},
        capture_output=True,
        text=True,
        check=True,
    )

    assert shown.stdout == EXPECTED


def test_threads():
    """
    Eight threads share one engine, each with a decimal context of its own.
    """
    fingerprints = []

    def work(precision):
        decimal.getcontext().prec = precision
        fingerprints.append(fingerprint())

    threads = [threading.Thread(target=work, args=(place + 1,)) for place in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert fingerprints == [EXPECTED] * 8


def test_asyncio():
    """
    Tasks share one engine, and each changes the ambient context of all.
    """

    async def work(precision):
        decimal.getcontext().prec = precision
        await asyncio.sleep(0)
        return fingerprint()

    async def together():
        return await asyncio.gather(*(work(place + 1) for place in range(4)))

    with decimal.localcontext():  # what a task changes reaches the code that started it
        assert asyncio.run(together()) == [EXPECTED] * 4
