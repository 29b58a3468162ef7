"""What a file may cost: whatever is written, reading ends soon, with a typed error."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import small_jurisdiction as small

FILES = {
    "texts that are never closed": "x=" + '"""a" ' + '\\"""a" ' * 36_000,
    "texts that are never closed, in single quotes": "x=" + "'''a' " * 40_000,
    "unknown codes": small.RENEWAL
    + '\n[[examples]]\nname = "x"\non = 2026-02-01\nexpect = { outcome = "ineligible", codes = ['
    + ", ".join(f'"IE-R-{place}"' for place in range(15_000))
    + "] }\n",
    "empty rules": "format = 1\nrules = [" + "{}," * 40_000 + "]\n",
    "parameters, each from its own day": small.RENEWAL
    + "".join(
        f'[parameters.p{place}]\ntype = "count"\n'
        f"timeline = [{{ from = {2026 + place // 336}-{place // 28 % 12 + 1:02}-{place % 28 + 1:02},"
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
import small_jurisdiction as small
from holdback.jurisdictions.reader import read_jurisdiction
files = {"jurisdiction.toml": small.JURISDICTION.encode(), "products.toml": small.PRODUCTS.encode()}
files["renewal.toml"] = sys.stdin.buffer.read()
try:
    read_jurisdiction("IE", files)
except InvalidDocument as error:
    print(len(error.errors))
"""


def within_bounds():
    resource.setrlimit(resource.RLIMIT_CPU, (3, 3))


@pytest.mark.parametrize("name", FILES)
def test_reading_ends(name):
    """
    "the cost of a rule is known when it is read" (design 4); at most a hundred faults are told
    """
    text = FILES[name].encode()
    assert len(text) <= 256 * 1024
    path = os.pathsep.join([str(Path(small.__file__).parent), *filter(None, sys.path)])
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
    "The same input gives the same bytes."
    """
    spoilt = small.changed("jurisdiction.toml", "Europe/Dublin", zone)
    (fault,) = small.faults(spoilt)

    assert f"there is no time zone `{zone}`" in fault.message
    assert "localtime" not in str(fault.hint)
