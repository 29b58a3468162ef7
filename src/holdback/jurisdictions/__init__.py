"""Jurisdictions: folders of TOML files, read into rulebooks.

Reading goes in four steps: `folder` opens the files, and nothing else here does; `reader` reads
them into source rules, products and parameters (`source_rules`), each with its period; `overlay`
puts a child's over its parent's; `resolver` resolves them into one rulebook for each change date.
Every error of every file is reported at once.
"""

from __future__ import annotations

from holdback.jurisdictions.folder import load_jurisdictions
from holdback.jurisdictions.jurisdiction import Example, Jurisdiction, Jurisdictions
from holdback.rulebooks.rulebook import ProductTerms, Rulebook

__all__ = [
    "Example",
    "Jurisdiction",
    "Jurisdictions",
    "ProductTerms",
    "Rulebook",
    "load_jurisdictions",
]
