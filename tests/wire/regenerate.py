"""Write the golden files again: `python tests/wire/regenerate.py`, then review the difference.

A golden file holds the exact bytes of one document. A change in one is a change for every partner
or for every host's stored data, so nothing but this command writes them.
"""

from __future__ import annotations

import sys
from pathlib import Path

GOLDEN = Path(__file__).parent / "golden"


def documents():
    """The exact bytes of every document, by the name of its golden file."""
    import wire_samples
    from holdback import wire

    yield "state_merchant.json", wire.write_merchant(wire_samples.MERCHANT)
    for name, reply in wire_samples.REPLIES.items():
        yield f"reply_{name}.json", wire.write(reply)
    for name, event in wire_samples.EVENTS.items():
        yield f"event_{name}.json", wire.write_event(event)
    for name, error in wire_samples.PROBLEMS.items():
        ending = "_with_codes" if error.errors else ""
        yield f"problem_{name}{ending}.json", wire.write_problem(error)
        if error.errors:
            yield f"problem_{name}.json", without_codes(wire.problem(error))


def without_codes(problem):
    """The bytes of *problem* before errors had codes (decisions/errors#codes)."""
    from holdback.exact_json import write_json

    errors = [{**error} for error in problem["errors"]]
    for error in errors:
        del error["code"]
    return write_json({**problem, "errors": errors}).encode()


def main():
    sys.path.insert(0, str(Path(__file__).parent.parent))
    wanted = dict(documents())
    found = {path.name: path.read_bytes() for path in GOLDEN.iterdir()}
    for name in sorted(wanted.keys() | found.keys()):
        path, body = GOLDEN / name, wanted.get(name)
        if body == found.get(name):
            continue
        # Every change is named: none may pass unseen.
        if body is None:
            path.unlink()
        else:
            path.write_bytes(body)
        word = "removed" if body is None else "changed" if name in found else "added"
        sys.stdout.write(f"{word} {name}\n")


if __name__ == "__main__":
    main()
