"""Write the golden files: `python tests/wire/regenerate.py`, then review the difference.

A golden file holds the exact bytes of one document. A change in a reply or a problem is a change
for every partner, so nothing but this command writes them.

Stored documents are evidence of what hosts have stored: from the first release on they are added
and never changed. They are in `stored`, and `stored.txt` lists them in the order in which they were
added. The digest of a line is that of the document and of all lines before it, so a document that
was edited or removed is noticed. `--anew` writes them again; it is for a format that was never
released, and for nothing else.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

HERE = Path(__file__).parent
GOLDEN, STORED, LIST = HERE / "golden", HERE / "stored", HERE / "stored.txt"


def documents():
    """The exact bytes of every reply and every problem, by the name of its golden file."""
    import wire_samples
    from holdback import wire

    for name, reply in wire_samples.REPLIES.items():
        yield f"reply_{name}.json", wire.write(reply)
    for name, error in wire_samples.PROBLEMS.items():
        ending = "_with_codes" if error.errors else ""
        yield f"problem_{name}{ending}.json", wire.write_problem(error)
        if error.errors:
            yield f"problem_{name}.json", without_codes(wire.problem(error))


def without_codes(problem):
    """The bytes of *problem* before errors had codes (decisions/errors#codes)."""
    from holdback.exact.exact_json import write_json

    errors = [{**error} for error in problem["errors"]]
    for error in errors:
        del error["code"]
    return write_json({**problem, "errors": errors}).encode()


def stored_documents():
    """The exact bytes of every stored document, by the name of its golden file."""
    import wire_samples
    from holdback import wire

    yield "state_merchant.json", wire.write_merchant(wire_samples.MERCHANT)
    yield "state_new.json", wire.write_merchant(wire_samples.NEW)
    yield "state_with_people.json", wire.write_merchant(wire_samples.MERCHANT_WITH_PEOPLE)
    yield "state_with_money.json", wire.write_merchant(wire_samples.MERCHANT_WITH_MONEY)
    yield "state_with_suspense.json", wire.write_merchant(wire_samples.MERCHANT_WITH_SUSPENSE)
    withdrawn = wire_samples.MERCHANT_WITH_WITHDRAWN_OFFERS
    yield "state_with_withdrawn_offers.json", wire.write_merchant(withdrawn)
    corrected = wire_samples.MERCHANT_WITH_A_CORRECTION
    yield "state_with_a_correction.json", wire.write_merchant(corrected)
    yield "state_with_fees.json", wire.write_merchant(wire_samples.MERCHANT_WITH_FEES)
    yield "state_with_a_plan.json", wire.write_merchant(wire_samples.MERCHANT_WITH_A_PLAN)
    yield "state_with_a_chain.json", wire.write_merchant(wire_samples.MERCHANT_WITH_A_CHAIN)
    disclosed = wire_samples.MERCHANT_WITH_A_DISCLOSURE
    yield "state_with_a_disclosure.json", wire.write_merchant(disclosed)
    renewal = wire_samples.MERCHANT_WITH_A_DISCLOSED_RENEWAL
    yield "state_with_a_disclosed_renewal.json", wire.write_merchant(renewal)
    consenting = wire_samples.MERCHANT_WITH_CONSENTS
    yield "state_with_consents.json", wire.write_merchant(consenting)
    yield "profile.json", wire.write_profile(wire_samples.PROFILE)
    yield "profile_erased.json", wire.write_profile(wire_samples.PROFILE.erased())
    for name, event in wire_samples.EVENTS.items():
        yield f"event_{name}.json", wire.write_event(event)
    for name, event in wire_samples.WITH_PEOPLE.items():
        yield f"event_{name}_with_people.json", wire.write_event(event)
    for name, event in wire_samples.ABOUT_PEOPLE.items():
        yield f"event_{name}_about_people.json", wire.write_event(event)
    for name, event in wire_samples.BY_RULES.items():
        yield f"event_{name}_by_rules.json", wire.write_event(event)
    for name, event in wire_samples.WITH_MONEY.items():
        yield f"event_{name}_with_money.json", wire.write_event(event)
    for name, event in wire_samples.WITH_SUSPENSE.items():
        yield f"event_{name}_with_suspense.json", wire.write_event(event)
    for name, event in wire_samples.WITH_FEES.items():
        yield f"event_{name}_with_fees.json", wire.write_event(event)
    for name, event in wire_samples.OF_A_CHAIN.items():
        yield f"event_{name}_of_a_chain.json", wire.write_event(event)


def listed():
    """The lines of the list: the digest and the path of each stored document."""
    lines = LIST.read_text(encoding="utf-8").splitlines() if LIST.exists() else []
    return [tuple(line.split("  ")) for line in lines]


def chained(paths):
    """The lines that the list has for these paths."""
    before = ""
    for path in paths:
        document = hashlib.sha256((HERE / path).read_bytes()).hexdigest()
        before = hashlib.sha256(f"{before} {document}".encode()).hexdigest()
        yield before, path


def write_replies():
    """Write replies and problems, and name every change: none may pass unseen."""
    wanted = dict(documents())
    found = {
        path.name: path.read_bytes()
        for path in GOLDEN.iterdir()
        if path.name.startswith(("reply_", "problem_"))
    }
    for name in sorted(wanted.keys() | found.keys()):
        path, body = GOLDEN / name, wanted.get(name)
        if body == found.get(name):
            continue
        if body is None:
            path.unlink()
        else:
            path.write_bytes(body)
        word = "removed" if body is None else "changed" if name in found else "added"
        sys.stdout.write(f"{word} {name}\n")


def add_stored(*, anew):
    """Add the stored documents that are new; one that changed needs a new format, or a new name."""
    STORED.mkdir(exist_ok=True)
    paths = [] if anew else [path for _, path in listed()]
    assert listed() == [*chained(paths)] or anew, "a stored document was edited: restore it"
    for name, body in stored_documents():
        path = STORED / name
        if path.exists() and path.read_bytes() != body and not anew:
            sys.exit(f"{name} is written otherwise now: hosts have stored it as it was")
        path.write_bytes(body)
        if f"stored/{name}" not in paths:
            paths.append(f"stored/{name}")
            sys.stdout.write(f"added {name}\n")
    lines = (f"{digest}  {path}\n" for digest, path in chained(paths))
    LIST.write_text("".join(lines), encoding="utf-8")


def main():
    sys.path.insert(0, str(HERE.parent))
    write_replies()
    add_stored(anew="--anew" in sys.argv[1:])


if __name__ == "__main__":
    main()
