"""A journal replayed: does the time per event stay the same?

Measures: `engine.rebuild` of the first n events of a merchant that lives for years, with daily
remittances and takings, for n from 100 to 10,000; and that the result is the state that was stored.

Against: the time per event at n = 100.

The ratio to reach: at most 1.5.

Run it: `python benchmarks/replay.py`; `--events` and `--smallest` make it shorter.
"""

from __future__ import annotations

from time import thread_time

from sizes import sizes
from ten_years import Years

from holdback import Merchant, wire

SIZES = (100, 300, 1_000, 3_000)
RATIO_TO_REACH = 1.5


def lived(events: int) -> tuple[Years, dict[int, Merchant]]:
    """Return a merchant that lived until it had *events*, and its states on the way."""
    journey, states = Years(), {}
    journey.begin()
    while len(journey.events) < events:
        journey.live(1)
        states[len(journey.events)] = journey.merchant
    return journey, states


def main() -> None:
    # The smallest run renews once.
    asked = sizes(__doc__, rounds=(5, 1), events=(10_000, 500))
    journey, states = lived(asked.events)
    journal = [wire.read_event(wire.write_event(event)) for event in journey.events]
    first, rebuild = None, journey.engine.rebuild
    print(f"| {'events':>8} | microseconds an event | ratio | to reach |")
    print("| -------: | --------------------: | ----: | -------- |")
    for size in (size for size in (*SIZES, asked.events) if size <= asked.events):
        stop = max(count for count in states if count <= size)
        assert rebuild(journal[:stop]) == states[stop], f"{stop} events give another state"
        times = []
        for _ in range(asked.rounds):
            start = thread_time()
            rebuild(journal[:stop])
            times.append((thread_time() - start) / stop)
        each = min(times)
        first = first or each
        bound = f"at most {RATIO_TO_REACH}"
        print(f"| {stop:8,} | {each * 1e6:21.1f} | {each / first:5.2f} | {bound} |", flush=True)


if __name__ == "__main__":
    main()
