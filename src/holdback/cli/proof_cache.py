"""
The cache of `holdback prove`: what was proved of the files of a jurisdiction, by a digest.

No answer depends on it. An entry that is absent, damaged or of somebody else is proved again, and a
folder that cannot be written keeps nothing (decisions/proofs#cache).
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from contextlib import suppress
from datetime import date
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final, Self

from attrs import field

import holdback
from holdback.cli.output import write_file
from holdback.cli.sources import Selection
from holdback.exact.exact_json import Json, canonical, digest, write_json
from holdback.frozen_classes import frozen
from holdback.jurisdictions.jurisdiction import Jurisdiction
from holdback.jurisdictions.reader import FILES
from holdback.jurisdictions.regular_file import is_a, read_file
from holdback.jurisdictions.toml import MAX_BYTES
from holdback.tools.workbench.proving import ProofReport

# An entry has some findings of a few hundred bytes.
_MOST_BYTES: Final = 4 * 1024 * 1024
# Most entries are of files that were changed since, so the oldest go.
MOST_ENTRIES: Final = 500


@frozen
class ProofCache:
    """
    A folder of what was proved; without a *folder* nothing is read or kept.

    `given` is what every proof depends on besides the files in *root*, and `files` are the digests
    of these by jurisdiction. They are read before the jurisdictions are, and again before anything
    is kept: what was proved of a file while somebody changed it is kept under no digest. A child
    that is proved `alone` has the findings of the rules that it inherits.
    """

    folder: Path | None
    root: Traversable | None = None
    given: Json = None
    files: dict[str, str] = field(factory=dict)
    alone: bool = False

    @classmethod
    def of(cls, selection: Selection, on: date | None, solver: str) -> Self:
        """Return the cache of the platform, for *selection*, a day and the version of a solver."""
        folder, code = cache_folder(), _code_digest()
        if folder is None or code is None:
            return cls(None)
        given = [code, solver, selection.name, None if on is None else str(on)]
        alone = selection.code is not None
        return cls(folder, selection.root, given, _file_digests(selection.root), alone)

    def read(self, jurisdiction: Jurisdiction) -> ProofReport | None:
        """Return what was proved of *jurisdiction*, None where it has to be proved."""
        if self.folder is None:
            return None
        asked = self._asked(jurisdiction)
        with suppress(OSError, ValueError, TypeError, KeyError, RecursionError):
            entry = json.loads(read_file(self.folder / asked, _MOST_BYTES + 1))
            if entry["digest"] == digest([asked, entry["proved"]]):
                return ProofReport.of_kept(entry["proved"])
        return None

    def write(self, jurisdiction: Jurisdiction, proved: ProofReport) -> None:
        """Keep what was *proved* of *jurisdiction*, if all was decided and the folder allows it."""
        # INVARIANT: what was not decided is asked again, perhaps with more time.
        if self.folder is None or not proved.decided or self.root is None:
            return
        if _file_digests(self.root) != self.files:
            return
        asked, kept = self._asked(jurisdiction), proved.kept()
        entry = {"digest": digest([asked, kept]), "proved": kept}
        with suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
            write_file(self.folder / asked, write_json(entry).encode())
            _remove_oldest(self.folder)

    def _asked(self, jurisdiction: Jurisdiction) -> str:
        """Return the name of the entry: a digest of everything that the proof depends on."""
        files = [self.files.get(layer.code) for layer in jurisdiction.policy.layers]
        inherited = self.alone and len(files) > 1
        asked = [self.given, jurisdiction.code, files, inherited]
        return hashlib.sha256(canonical(asked)).hexdigest()


def cache_folder() -> Path | None:
    """Return the folder for proofs among the caches of this platform, None without a home."""
    try:
        if sys.platform == "win32":
            caches = Path(os.environ["LOCALAPPDATA"])
        elif sys.platform == "darwin":
            caches = Path.home() / "Library" / "Caches"
        else:
            # The XDG Base Directory Specification has a relative path ignored.
            stated = Path(os.environ.get("XDG_CACHE_HOME", ""))
            caches = stated if stated.is_absolute() else Path.home() / ".cache"
    except (KeyError, RuntimeError):
        return None
    return caches / "holdback" / "proofs"


def _code_digest() -> str | None:
    """Return the digest of holdback's own code: any change of it may change what is proved."""
    return _digest_of_code(Path(holdback.__file__).parent)


def _digest_of_code(package: Path) -> str | None:
    made = hashlib.sha256()
    try:
        files = sorted(package.rglob("*.py"))
        for file in files:
            made.update(hashlib.sha256(file.read_bytes()).digest())
    except OSError:
        return None
    return made.hexdigest() if files else None  # none in an archive


def _file_digests(root: Traversable) -> dict[str, str]:
    """Return the digest of the files of each folder in *root*, by its name."""
    with suppress(OSError):  # the reader says what is wrong
        folders = [entry for entry in root.iterdir() if is_a("dir", entry)]
        return {
            folder.name: digest([_file_digest(folder / name) for name in FILES])
            for folder in folders
        }
    return {}


def _file_digest(file: Traversable) -> str | None:
    try:
        return hashlib.sha256(read_file(file, MAX_BYTES + 1)).hexdigest()
    except OSError:
        return None


def _remove_oldest(folder: Path) -> None:
    """Remove the entries that were written first, down to the number that is kept."""
    entries = sorted(folder.iterdir(), key=lambda entry: entry.stat().st_mtime_ns, reverse=True)
    for entry in entries[MOST_ENTRIES:]:
        entry.unlink(missing_ok=True)
