"""A copy of the folder of the jurisdictions that ship, to change and to compare with them."""

from __future__ import annotations

from importlib.resources.abc import Traversable
from pathlib import Path

from holdback.errors import InvalidDocument
from holdback.frozen_classes import frozen
from holdback.jurisdictions.folder import bundled_path
from holdback.jurisdictions.regular_file import why_unreadable


@frozen
class CopiedJurisdictions:
    """
    The `folder` to which jurisdictions were copied, and their `codes`.

    Shown, it says what to do with them.
    """

    folder: str
    codes: tuple[str, ...]

    def __repr__(self) -> str:
        return (
            f"{len(self.codes)} jurisdictions were copied to {self.folder}: "
            f"{', '.join(self.codes)}.\n"
            f"Change their files, such as {Path(self.folder, self.codes[0], 'renewal.toml')}, "
            f"and then ask what would become of your deals:\n"
            f"    proposal = load_jurisdictions({self.folder!r})\n"
            f"    portfolio.compare(deals, load_jurisdictions(), proposal)\n"
            f"`holdback check {self.folder}` reports every error in the files."
        )


def copy_jurisdictions(folder: str | Path) -> CopiedJurisdictions:
    """
    Copy the jurisdictions that ship to *folder*, a new one, and return what was copied.

    The JSON Schemas of the files are copied as well, so that editors check them. Nothing is
    overwritten. Rulebooks of the copy are not marked as proposals: to holdback they are like those
    of any folder.

    Raises:
        InvalidDocument: there is something at *folder* already, or it cannot be written.
        ConfigurationError: holdback was installed without its jurisdictions.
    """
    target, source = Path(folder), bundled_path()
    folders = sorted(
        (entry for entry in source.iterdir() if entry.is_dir() and _is_copied(entry)),
        key=lambda entry: entry.name,
    )
    try:
        target.mkdir()
        for copied in folders:
            _copy(copied, target / copied.name)
    except FileExistsError:
        raise InvalidDocument.of(
            "duplicate",
            f"there is something at `{folder}` already, and nothing is overwritten",
            hint="give the name of a new folder",
        ) from None
    except FileNotFoundError:
        raise InvalidDocument.of(
            "missing",
            f"there is no folder `{target.parent}` to copy them into",
            hint="make it first, or give another folder",
        ) from None
    except OSError as error:
        raise InvalidDocument.of(
            "unreadable", f"the folder `{folder}` cannot be written", hint=why_unreadable(error)
        ) from None
    names = (copied.name for copied in folders)
    codes = tuple(name for name in names if (target / name / "jurisdiction.toml").exists())
    return CopiedJurisdictions(str(folder), codes)


def _is_copied(entry: Traversable) -> bool:
    return not entry.name.startswith((".", "__"))


def _copy(source: Traversable, target: Path) -> None:
    target.mkdir()
    for entry in filter(_is_copied, source.iterdir()):
        (target / entry.name).write_bytes(entry.read_bytes())
