"""Jurisdictions: folders of TOML files, read into rulebooks.

Reading goes in four steps: `folder` opens the files, and nothing else here does; `reader` reads
them into source rules, products and parameters (`source_rules`), each with its period; `overlay`
puts a child's over its parent's; `resolver` resolves them into one rulebook for each change date.
Every error of every file is reported at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdback.jurisdictions.jurisdiction import Example, Jurisdiction, Jurisdictions
from holdback.rulebooks.product_terms import ProductTerms
from holdback.rulebooks.rulebook import Rulebook
from holdback.rules.language import Language

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "Example",
    "Jurisdiction",
    "Jurisdictions",
    "Language",
    "ProductTerms",
    "Rulebook",
    "load_jurisdictions",
    "load_language",
]


def load_jurisdictions(path: str | Path | None = None) -> Jurisdictions:
    """
    Return the jurisdictions in the folder *path*, or those that ship when there is no path.

    Every file of *path* is read and checked at once. The tests of holdback have checked those that
    ship, so each of them is read when it is first asked for (decisions/fast-paths).

    >>> "GB" in load_jurisdictions().codes
    True

    Raises:
        InvalidDocument: with every error of every file of every jurisdiction. If a file that ships
            is damaged, asking for its jurisdiction raises a `ConfigurationError` with the same.
    """
    # All that reads files is loaded here and not with the package: a host that is given its
    # rulebooks never needs it.
    from holdback.jurisdictions.folder import bundled, load_folder  # noqa: PLC0415  # at its first use

    return bundled() if path is None else load_folder(path)


def load_language(code: str, path: str | Path | None = None) -> Language:
    """
    Return the language *code*, for `Rulebook.in_language`.

    Its texts are those that ship and over them, where there are any, those of the file
    `languages/de.toml` in the folder of jurisdictions *path*, or next to those that ship.

    >>> load_language("de").say("at least {limit}", limit="80 %")
    'mindestens 80 %'

    Raises:
        InvalidDocument: there is no such language, or with every error of its files.
    """
    from holdback.jurisdictions.language_folder import language  # noqa: PLC0415  # at its first use

    return language(code, path)
