"""From the start of a process to its first reply to a renewal `POST /offers`.

Measures: a process that imports holdback, makes an engine with the bundled jurisdictions, reads a
merchant and its profile as they were stored (a deal with a hundred remittances) and the bytes of
the request, prices the offers, and has the bytes of the reply; less the time of a process that does
nothing. The
modules are compiled beforehand, as those of an installed package are. The rows before the last one
stop earlier.

Against: a process that imports attrs, cattrs and pendulum, which holdback depends on; less the
same. The ratio to reach: at most 2.5.

Run it: `python benchmarks/first_reply.py`; `--rounds` and `--smallest` make it shorter.
"""

from __future__ import annotations

import compileall
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from ratios import at_most, figure, machine, print_markdown
from renewal_request import renewable_journey
from sizes import sizes

import holdback
from holdback import Engine, wire
from holdback.jurisdictions.folder import bundled_path, load_from
from holdback.operations import RequestOffers
from holdback.testing import payloads

TARGET = at_most(2.5)
NOTHING, PEER, OURS = "nothing", "import attrs, cattrs, pendulum", "the reply is written"

# What a process does up to its first reply, in steps. It is given the folder of `prepare`.
STEPS = {
    "Engine, Context and wire are imported": """
import sys
from holdback import Context, Engine, operations, wire
""",
    "the engine is made": """
engine = Engine.for_trial()
""",
    "the merchant is read": """
def content(name):
    with open(f"{sys.argv[1]}/{name}", "rb") as file:
        return file.read()
merchant = wire.read_merchant(content("merchant.json"))
profile = wire.read_profile(content("profile.json"))
""",
    OURS: """
context = Context(at=wire.read_timestamp(content("at").decode()), request_id="first")
body = content("request.json")
request = operations.RequestOffers(request=wire.read_offers_request(body))
reply = wire.write(engine.carry_out(merchant, request, context, profile=profile).reply)
""",
}
SHOWN = "sys.stdout.buffer.write(reply)"


def programs() -> Iterator[tuple[str, str]]:
    """Yield the programs that are timed, by name; each step continues those before it."""
    yield NOTHING, "pass"
    yield PEER, "import attrs, cattrs, pendulum"
    program = ""
    for name, step in STEPS.items():
        program += step
        yield name, program


def prepare(folder: Path) -> bytes:
    """Write what the process reads into *folder*, and return the reply that is expected of it."""
    # The expected reply is that of an engine whose jurisdictions were all read beforehand.
    journey = renewable_journey(Engine.for_trial(load_from(bundled_path(), "jurisdictions")))
    merchant = journey.merchant
    body = payloads.as_json(payloads.offers_request(merchant.merchant_id, merchant.provider_id))
    (folder / "merchant.json").write_bytes(wire.write_merchant(merchant))
    (folder / "profile.json").write_bytes(wire.write_profile(journey.profile))
    (folder / "request.json").write_bytes(body)
    (folder / "at").write_text(wire.write_timestamp(journey.now))
    context = journey.context(request_id="first")
    request = wire.read_offers_request(body)
    outcome = journey.engine.carry_out(
        merchant, RequestOffers(request=request), context, profile=journey.profile
    )
    assert outcome.events, "the process has to price, and not to repeat a reply"
    return wire.write(outcome.reply)


def output(program: str, folder: Path) -> bytes:
    command = [sys.executable, "-c", program, str(folder)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout


def seconds(program: str, folder: Path) -> float:
    start = perf_counter()
    output(program, folder)
    return perf_counter() - start


def timed(rounds: int, folder: Path) -> Mapping[str, float]:
    """Return the median seconds of each program; in a round they take turns."""
    times: dict[str, list[float]] = {name: [] for name, _ in programs()}
    for _ in range(rounds):
        for name, program in programs():
            times[name].append(seconds(program, folder))
    return {name: median(each) for name, each in times.items()}


def main() -> None:
    size = sizes(__doc__, rounds=(25, 1))
    compileall.compile_dir(Path(holdback.__file__).parent, quiet=1)
    with TemporaryDirectory() as name:
        folder = Path(name)
        expected = prepare(folder)
        assert output("".join(STEPS.values()) + SHOWN, folder) == expected
        times = timed(size.rounds, folder)
    base = times[PEER] - times[NOTHING]
    rows = []
    for name in (PEER, *STEPS):
        taken = times[name] - times[NOTHING]
        target = f"{TARGET}" if name == OURS else ""
        rows.append((name, f"{taken * 1000:.0f}", figure(taken / base), target))
    print_markdown(("from the start until", "milliseconds", "ratio", "target"), rows)
    print(f"\n{machine(('attrs', 'cattrs', 'pendulum'))}")
    sys.exit(not size.smallest and not TARGET.reached((times[OURS] - times[NOTHING]) / base))


if __name__ == "__main__":
    main()
