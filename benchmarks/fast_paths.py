"""Fast paths, compared with the plain code that could replace them.

Measures: the operation that a user sees, with the fast path and with plain code in its place, in
one process and in turns. The ratio is the time with plain code divided by the time with the fast
path, the median of the rounds: 1.50 means that the operation takes half as long again without the
fast path. Before anything is timed, both must give the same result.

The ratio to reach: about 1.15. A fast path that saves less should go (decisions/fast-paths).

Run it: `python benchmarks/fast_paths.py`; `--smallest` makes it shorter.
"""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import date
from functools import partial
from importlib import import_module
from json.encoder import encode_basestring
from random import Random
from statistics import median
from time import perf_counter
from typing import Any

import polars as pl
from attrs import evolve, frozen
from ratios import machine, print_markdown
from renewal_request import engine_with_six_offers, renewable_journey
from sizes import sizes
from task import CATALOGUE, RULES, random_deals

from holdback import load_jurisdictions, portfolio, wire
from holdback.exact.exact_json import write_json
from holdback.operations import RequestOffers
from holdback.rules import Catalogue, Kind, check, interpret, parse
from holdback.rules.closure import mask_function

BUYS_ENOUGH = 1.15
SECONDS = 0.02


@frozen
class Path:
    """
    A fast path, by the operation that uses it.

    The plain way is *call* with *twins* in the places that they name, or the call *careful*.
    `shown` makes results comparable.
    """

    name: str
    operation: str
    call: Callable[[], Any]
    twins: Mapping[str, Any] = {}
    careful: Callable[[], Any] | None = None
    shown: Callable[[Any], Any] = lambda answer: answer

    def timed(self, count: int, *, careful: bool) -> float:
        """Return the seconds of one call, when *count* of them are made."""
        with replaced(self.twins if careful else {}):
            call = (careful and self.careful) or self.call
            start = perf_counter()
            for _ in range(count):
                call()
            return (perf_counter() - start) / count

    def check(self) -> None:
        """Compare the results of both ways."""
        expected = self.shown(self.call())
        with replaced(self.twins):
            answer = self.shown((self.careful or self.call)())
        assert answer == expected, f"{self.name}: the twin answers something else"


def place_of(target: str) -> tuple[Any, str]:
    """Return the object and the attribute that *target*, `module:attribute`, names."""
    module, _, name = target.partition(":")
    owner: Any = import_module(module)
    *parents, last = name.split(".")
    for parent in parents:
        owner = getattr(owner, parent)
    return owner, last


@contextmanager
def replaced(twins: Mapping[str, Any]) -> Iterator[None]:
    """Put *twins* in the places that they name, and restore the originals."""
    with ExitStack() as undo:
        for target, twin in twins.items():
            owner, name = place_of(target)
            undo.callback(setattr, owner, name, getattr(owner, name))
            setattr(owner, name, twin)
        yield


def measured(path: Path, random: Random, rounds: int) -> tuple[float, float]:
    """Return the median seconds with the fast path, and the median ratio of the rounds."""
    path.check()
    start, count = perf_counter(), 0
    while perf_counter() - start < SECONDS:
        path.call()
        count += 1
    fast, ratios = [], []
    gc.collect()
    gc.disable()
    for _ in range(rounds):
        order = random.sample((False, True), 2)
        seconds = {careful: path.timed(count, careful=careful) for careful in order}
        fast.append(seconds[False])
        ratios.append(seconds[True] / seconds[False])
    gc.enable()
    return median(fast), median(ratios)


# -- one deal


def one_deal() -> Iterator[Path]:
    """Yield the paths of assessing one deal of GB, from plain facts and from prepared ones."""
    rules = load_jurisdictions().resolve("GB", on=date(2026, 7, 1))
    deals = portfolio.sample(2_000, seed=7, backend="polars").filter(pl.col("jurisdiction") == "GB")
    names = [fact.name for fact in rules.catalogue.facts]
    plain_facts = [
        {name: row[name] for name in names if row.get(name) is not None}
        for row in deals.head(50).to_dicts()
    ]
    facts = [rules.catalogue.prepare(row) for row in plain_facts]
    checked = [rule.checked for rule in rules.renewal.rules]

    def by_interpreter(row: Any) -> tuple[int, int]:
        values = [interpret(rule, row) for rule in checked]
        false = sum(1 << bit for bit, value in enumerate(values) if value is False)
        return false, sum(1 << bit for bit, value in enumerate(values) if value is None)

    ten = [check(parse(rule), CATALOGUE, Kind.FLAG) for rule in RULES.values()]
    made = [CATALOGUE.prepare(deal) for deal in random_deals(Random("deals"), 200)]

    def answering(unpack_from: int) -> Callable[[], Any]:
        with replaced({"holdback.rules.closure:_UNPACK_FROM": unpack_from}):
            function = mask_function(ten)
        return lambda: [function(row) for row in made]

    unpacked, taken_singly = answering(3), answering(0)

    def by(function: Any) -> Callable[[], Any]:
        ours = evolve(rules, renewal=evolve(rules.renewal))
        object.__setattr__(ours.renewal, "masks", function)
        return lambda: [ours.assess_prepared(row).outcome for row in facts]

    prepared = "assess prepared facts"
    fast = by(mask_function(checked))
    yield from (
        Path("generated closure", prepared, fast, careful=by(by_interpreter)),
        Path("facts unpacked at once", "answer ten rules", unpacked, careful=taken_singly),
        Path(
            "reader of ordinary facts",
            "assess plain facts",
            lambda: [rules.assess(row).outcome for row in plain_facts],
            {"holdback.rules.types:Catalogue.prepare": Catalogue._read_carefully},
        ),
    )


# -- what a request for offers reads and writes


def careful_object(value: Any, *, sort: bool) -> str:
    json_module = import_module("holdback.exact.exact_json")
    pairs = sorted(value.items()) if sort else value.items()
    parts = [
        f"{encode_basestring(name)}:{json_module._text(item, sort=sort)}" for name, item in pairs
    ]
    return f"{{{','.join(parts)}}}"


def requests() -> Iterator[Path]:
    """Yield the paths of a merchant's stored state, and of what a request for six offers writes."""
    journey = renewable_journey(engine_with_six_offers())
    application = {
        "merchant_id": journey.merchant.merchant_id,
        "provider_id": journey.merchant.provider_id,
        "currency": "GBP",
    }
    body = json.dumps({"application": application}).encode()
    engine, merchant, context = journey.engine, journey.merchant, journey.context()
    request = wire.read_offers_request(body)
    profile = journey.profile
    issued = engine.carry_out(merchant, RequestOffers(request=request), context, profile=profile)
    reply, (event, *_) = issued.reply, issued.events
    stored = wire.write_merchant(merchant)

    reading, read = "read a stored merchant", partial(wire.read_merchant, stored)

    def entries() -> list[Any]:
        return [tuple(deal.entries) for deal in read().deals]

    def never(*_: Any) -> bool:
        return False

    yield from (
        Path(
            "unchanged documents",
            reading,
            read,
            {"holdback.wire.stored:_fields_as_written": lambda *_: None},
        ),
        Path(
            "money as it is written",
            "read a merchant and its entries",
            entries,
            {"holdback.exact.money:_is_plain": never},
        ),
        Path(
            "events by the standard encoder",
            "write the event of offers",
            lambda: wire.write_event(event),
            {"holdback.wire.stored:write_plain": write_json},
        ),
        Path(
            "leaves of an object in place",
            "write a reply as JSON",
            lambda: wire.write(reply),
            {"holdback.exact.exact_json:_object": careful_object},
        ),
    )


def main() -> int:
    size = sizes(__doc__, rounds=(41, 1))
    random = Random("fast paths")
    table = []
    for path in (*one_deal(), *requests()):
        seconds, ratio = measured(path, random, size.rounds)
        enough = "yes" if ratio >= BUYS_ENOUGH else "no"
        table.append((path.name, path.operation, f"{seconds * 1e6:,.1f}", f"{ratio:.2f}", enough))
    print_markdown(("fast path", "operation", "microseconds", "ratio", "buys enough"), table)
    print(f"\n{machine(('attrs', 'cattrs', 'pendulum'))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
