"""The script of the how-to for portfolios, which runs on any dataframe engine."""

from __future__ import annotations

import contextlib
import io
import re
import shutil
from pathlib import Path

from holdback import load_jurisdictions
from holdback.portfolio import sample

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "how-to" / "check-a-portfolio.md"

_SECTION = re.compile(r"^## On another engine\n(.*?)(?=^## )", re.MULTILINE | re.DOTALL)
_SCRIPT = re.compile(r"```python\n(from pandas .*?)```\n```output\n(.*?)```", re.DOTALL)
_ROW = re.compile(r"^\| (\w[^|]*) \| `([^`]+)` \|$", re.MULTILINE)


def script():
    """The script as the page shows it, and what it prints there."""
    found = _SCRIPT.findall(_section())
    assert len(found) == 1, PAGE
    return found[0]


def first_lines():
    """The first line of the script by the engine that it is for, from the table of the page."""
    return dict(_ROW.findall(_section()))


def variant(engine):
    """The script for *engine*."""
    source, _ = script()
    first, rest = source.split("\n", 1)
    assert first == first_lines()["pandas"], "the page shows the script on pandas"
    return f"{first_lines()[engine]}\n{rest}"


def _section():
    return _SECTION.search(PAGE.read_text(encoding="utf-8"))[1]


def make_files(folder):
    """The files that the script reads, put into *folder* as the page makes them."""
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    deals = sample(10_000, seed=7)
    deals = deals.filter(pc.equal(deals["jurisdiction"], "GB"))
    pq.write_table(deals, folder / "deals.parquet")
    proposal = folder / "proposal"
    shutil.copytree(ROOT / "jurisdictions", proposal)
    rules = proposal / "GB" / "renewal.toml"
    text = rules.read_text(encoding="utf-8")
    rules.write_text(text.replace('2026-07-01, value = "80%"', '2026-07-01, value = "90%"'))
    assert load_jurisdictions(proposal).codes == load_jurisdictions().codes


def printed(engine, **names):
    """Return what the script prints on *engine*, in its folder, with *names* defined."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(variant(engine), f"the script on {engine}", "exec"), names)
    return out.getvalue()
