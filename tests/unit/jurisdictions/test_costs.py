"""The cost of a file: reading any input ends soon, with a typed error."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import small_folders
from every_case import for_every
from small_folders import IRELAND, changed, errors_in

FILES = {
    "texts that are never closed": "x=" + '"""a" ' + '\\"""a" ' * 36_000,
    "texts that are never closed, in single quotes": "x=" + "'''a' " * 40_000,
    "unknown codes": IRELAND["renewal.toml"]
    + '\n[[examples]]\nname = "x"\non = 2026-02-01\nexpect = { outcome = "ineligible", codes = ['
    + ", ".join(f'"IE-R-{place}"' for place in range(15_000))
    + "] }\n",
    "empty rules": "format = 1\nrules = [" + "{}," * 40_000 + "]\n",
    "parameters, each from its own day": IRELAND["renewal.toml"]
    + "".join(
        f'[parameters.p{place}]\ntype = "count"\n'
        f"timeline = [{{ from = "
        f"{2026 + place // 336}-{place // 28 % 12 + 1:02}-{place % 28 + 1:02},"
        ' value = 1, source = "s" }]\n'
        for place in range(2_000)
    ),
    "many rules that change often": 'format = 1\n[parameters.p]\ntype = "count"\ntimeline = ['
    + ",".join(
        f'{{from={2000 + place // 12}-{place % 12 + 1:02}-01,value=1,source="s"}}'
        for place in range(390)
    )
    + "]\n"
    + "".join(
        f'[[rules]]\nid="r{place}"\ncode="IE-R-{place:02}"\nrequire="missed_remittances_30d <= p"\n'
        'reason="x"\nsource="s"\nfrom=2000-01-01\n'
        for place in range(60)
    ),
}
CODE = """
import sys
from holdback import InvalidDocument
from small_folders import IRELAND
from holdback.jurisdictions.reader import read_jurisdiction
files = {name: text.encode() for name, text in IRELAND.items()}
files["renewal.toml"] = sys.stdin.buffer.read()
try:
    read_jurisdiction("IE", files)
except InvalidDocument as error:
    print(len(error.errors))
"""


def within_bounds():
    resource.setrlimit(resource.RLIMIT_CPU, (3, 3))


@for_every("name", FILES)
def test_reading_a_costly_file_stays_within_bounds(name):
    """
    The cost of a file is bounded, and at most a hundred errors are reported.
    """
    text = FILES[name].encode()
    assert len(text) <= 256 * 1024
    path = os.pathsep.join([str(Path(small_folders.__file__).parent), *filter(None, sys.path)])
    ran = subprocess.run(
        [sys.executable, "-c", CODE],
        input=text,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": path},
        preexec_fn=within_bounds,
        check=False,
    )

    assert ran.returncode == 0, ran.stderr.decode()[-300:]
    assert 1 <= int(ran.stdout) <= 101


@pytest.mark.parametrize("zone", ["localtime", "posixrules", "local", "EST5EDT"])
def test_zones_that_differ_from_machine_to_machine(zone):
    """
    A time zone whose meaning depends on the machine is refused, so that the same input gives the
    same bytes everywhere.
    """
    spoilt = changed(IRELAND, "jurisdiction.toml", "Europe/Dublin", zone)
    (error,) = errors_in(spoilt)

    assert f"there is no time zone `{zone}`" in error.message
    assert "localtime" not in str(error.hint)
