"""Write the golden documents, decisions and the lock as format 1: `python tests/as_format_1.py`.

No version was ever released, so the documents of today become those of format 1. This script is run
once and then deleted; it stays in the history. It changes only this, and stops at anything else:

- the number of the format is 1, and a checksum is that of the new text;
- a digest of a rulebook has no prefix `v2:`, its digits stay. A digest that does not cover the
  versions of calculators becomes the one that does, which is made from it;
- `first_format`, and the evidence from before there were records of checks, are removed. What was
  removed and was not empty is printed.

It is run twice. Before the two schemes of digests are deleted it writes the lock and the decisions;
with `--check` it writes nothing. After that, when `regenerate.py` has written the stored documents
as format 1, `--documents OLD NEW` shows that those in the folder NEW say what those in OLD say.
"""

# ruff: noqa: T201 - it is a command

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections import Counter
from datetime import date
from pathlib import Path

from holdback.exact.exact_json import canonical

TESTS = Path(__file__).parent
LOCK = TESTS.parent / "jurisdictions" / "digests.lock"
DECISIONS = TESTS / "golden_decisions" / "decisions.jsonl"
PREFIXES = DECISIONS.with_name("prefixes.txt")

_LOCK_LINE = re.compile(r"(\S+) (\d{4}-\d{2}-\d{2}) (v2:)?(sha256:[0-9a-f]{64})(.*)")
_CHECKSUM = b',"checksum":"'


def with_versions(first_digest, versions):
    """The digest of a rulebook that covers *versions*, made from *first_digest*, which does not."""
    text = json.dumps(
        {"rules": first_digest, "versions": versions}, sort_keys=True, separators=(",", ":")
    )
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def digest_of(rulebook, written):
    """The digest of *rulebook* without a prefix, if *written* is one of its digests of before."""
    digest = with_versions(rulebook.first_digest, dict(rulebook.versions))
    assert rulebook.digest == f"v2:{digest}", rulebook
    assert written in {rulebook.first_digest, rulebook.digest, digest}, (rulebook, written)
    return digest


def lock_as_format_1(text, jurisdictions):
    """The lock *text* with digests of one scheme, line by line, and no line for its format."""
    changed = []
    for line in text.splitlines():
        match = _LOCK_LINE.fullmatch(line)
        if match is None:
            assert line.startswith(("#", "through ")) or line == "format 2", line
            changed += [] if line == "format 2" else [line]
            continue
        code, day, prefix, digest, versions = match.groups()
        assert versions == "", f"the lock has versions that are not 1: {line}"
        rulebook = jurisdictions[code].rulebook(date.fromisoformat(day))
        changed.append(f"{code} {day} {digest_of(rulebook, (prefix or '') + digest)}")
    return "".join(f"{line}\n" for line in changed)


def decision_as_format_1(line, jurisdictions):
    """The golden decision *line* with a digest of one scheme and the versions that it covers."""
    before = json.loads(line)
    rulebook = jurisdictions[before["jurisdiction"]].rulebook(date.fromisoformat(before["on"]))
    versions = before.get("versions", dict(rulebook.versions))
    assert versions == dict(rulebook.versions), line
    digest = digest_of(rulebook, before["digest"])
    after = before | {"digest": digest, "format": 1, "versions": versions}
    assert set(before) <= set(after) <= set(before) | {"format", "versions"}, line
    return canonical(after)


def prefixes_as_format_1(text, lines):
    """The *text* of the prefixes with the same numbers of *lines*, and their new digests."""
    counts = [int(line.split()[0]) for line in text.splitlines()]
    digests = [hashlib.sha256(b"".join(lines[:count])).hexdigest() for count in counts]
    return "".join(f"{n} sha256:{digest}\n" for n, digest in zip(counts, digests, strict=True))


def without_relics(value, removed, path="$"):
    """*value* without what only format 1 of before needed; *removed* counts what was not empty."""
    if isinstance(value, list):
        return [without_relics(part, removed, f"{path}[*]") for part in value]
    if not isinstance(value, dict):
        return value
    # Only a state and a set of offers have evidence; a record of a check has `facts`.
    relics = {"first_format"}
    if path == "$" and "offer_sets" in value:
        relics |= {"evidence", "evidence_on"}
    if "offers" in value or "products" in value:
        relics |= {"evidence"}
    if path in {"$.closed_offer_sets[*]", "$.credit_check_due"}:
        relics |= {"credit_checked_on", "checked_on"}
    kept = {}
    for name, part in value.items():
        if name in relics:
            removed.update([f"{path}.{name}"] if part else [])
        else:
            kept[name] = without_relics(part, removed, f"{path}.{name}")
    return kept


class _Number(str):
    """A number as it is written in a document, so that it is compared as text."""

    __slots__ = ()


def meaning(text):
    """The document *text*, with its numbers as they are written."""
    return json.loads(text, parse_int=_Number, parse_float=_Number)


def document_as_format_1(text, removed):
    """The meaning that the stored document *text* has as format 1, without its checksum."""
    body, mark, rest = text.rpartition(_CHECKSUM)
    checksum = hashlib.sha256(body).hexdigest()[:16]
    assert mark == _CHECKSUM, text[:80]
    assert rest == checksum.encode() + b'"}', text[:80]
    before = meaning(body + b"}")
    assert before["format"] == "2", text[:80]
    return without_relics(before, removed) | {"format": _Number(1)}


def compare_documents(old, new):
    """Show that each document in the folder *new* says what that in *old* does, without relics."""
    removed, compared = Counter(), 0
    for file in sorted(new.glob("*.json")):
        body, _, rest = file.read_bytes().rpartition(_CHECKSUM)
        assert rest == hashlib.sha256(body).hexdigest()[:16].encode() + b'"}', file.name
        expected = document_as_format_1((old / file.name).read_bytes(), removed)
        assert meaning(body + b"}") == expected, f"{file.name} says something else"
        compared += 1
    gone = sorted({file.name for file in old.glob("*.json")} - {f.name for f in new.glob("*.json")})
    print(f"{compared} stored documents are equal in meaning; not written again: {gone}")
    _print_removed(removed)


def _print_removed(removed):
    print("removed and not empty:")
    for path, count in sorted(removed.items()):
        print(f"  {path}: {count}")


def write_lock_and_decisions(*, check):
    """Write the lock and the golden decisions, or only show that they can be written."""
    from holdback import load_jurisdictions

    jurisdictions = load_jurisdictions()
    lock = lock_as_format_1(LOCK.read_text(), jurisdictions)
    lines = DECISIONS.read_bytes().splitlines(keepends=True)
    decisions = [decision_as_format_1(line, jurisdictions) + b"\n" for line in lines]
    print(f"{lock.count('sha256:')} lines of the lock, {len(decisions)} decisions equal in meaning")
    print(f"{len(lines) - len(set(decisions))} decisions occur twice")
    if not check:
        LOCK.write_text(lock)
        DECISIONS.write_bytes(b"".join(decisions))
        PREFIXES.write_text(prefixes_as_format_1(PREFIXES.read_text(), decisions))


def main(arguments):
    """Write the lock and the decisions, or compare stored documents."""
    if arguments[:1] == ["--documents"]:
        compare_documents(*map(Path, arguments[1:]))
    else:
        write_lock_and_decisions(check="--check" in arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
