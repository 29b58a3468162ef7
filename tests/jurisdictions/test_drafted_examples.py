"""The examples of what ships, drafted anew from the rules alone."""

from __future__ import annotations

import re

from counts import count
from holdback.jurisdictions.folder import bundled_path, read_folder
from holdback.jurisdictions.jurisdiction import Jurisdictions
from holdback.jurisdictions.reader import DISCLOSURES, FolderFiles, read_jurisdiction
from holdback.tools.example_run import run_examples
from holdback.tools.lint.coverage_gaps import coverage_gaps
from holdback.tools.mutants.mutation import SURVIVED, verdicts
from holdback.tools.suggestions.complete import complete

OF_EXAMPLES = {"typical", "examples", "survivors", "claims"}
CODES = ("US", "US-CA", "GB", "JP", "CA", "CA-QC", "AU", "DE", "IE", "US-NY")


def without_examples(text):
    """Return the text of a file without the tables that no decision reads."""
    starts = [(each.start(), each[1]) for each in re.finditer(r"(?m)^\[+([a-z_]+)", text)]
    kept = [text[: starts[0][0]]]
    ends = [start for start, _ in starts[1:]] + [len(text)]
    for (start, name), end in zip(starts, ends, strict=True):
        kept.append("" if name in OF_EXAMPLES else text[start:end])
    return "".join(kept)


def bare(code):
    """The folder of a jurisdiction that ships, without an example."""
    folder, _ = read_folder(bundled_path() / code, f"jurisdictions/{code}/")
    files = {name: without_examples(body.decode()).encode() for name, body in folder.files.items()}
    # Nothing is drafted for a law on disclosures: a person reads it.
    files |= {name: body for name, body in folder.files.items() if name == DISCLOSURES}
    return FolderFiles(code, files, folder.prefix)


def test_no_gap_and_no_survivor_is_left():
    """
    A jurisdiction's examples are drafted by the tool: from its rules alone they show both sides of
    every threshold, every unknown answer, and notice every mutant that is not equivalent.
    """
    parents = {}
    for code in CODES[: count("jurisdictions whose examples are drafted anew")]:
        folder = bare(code)
        parent = code.partition("-")[0]
        if parent != code and parent not in parents:
            parents[parent] = read_jurisdiction(parent, bare(parent).files)

        completed = complete(folder, parents)

        after = completed.jurisdiction
        parents[code] = after
        assert completed.left == ()
        others = Jurisdictions(parents.values())
        assert list(coverage_gaps(after, others, list(run_examples(after)))) == []
        assert [
            each.mutant.name for each in verdicts(after, others) if each.state == SURVIVED
        ] == []
        again = complete(FolderFiles(code, {**folder.files, **completed.files}), parents)
        assert again.files == {}
