"""The files of a new jurisdiction, to be filled in: every blank is an empty text with a comment.

They pass `holdback check` as soon as the blanks are filled in, because the rest is complete: a few
rules, a product, and examples on either side of each threshold. Their texts are in `templates/`,
with `$code`, `$parent`, `$start`, `$review` and `$reasons` for what `holdback new` fills in; the
command reads them, because nothing in this package opens a file.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from string import Template
from typing import Final

from holdback.eligibility.reasons import SERVICE_REASONS

_COUNTRY: Final = ("jurisdiction.toml", "renewal.toml", "products.toml")
# A child inherits the products of its parent, so it starts without a file of its own for them.
_CHILD: Final = ("jurisdiction.toml", "renewal.toml")


def new_files(
    code: str, parent: str | None, start: date, read_template: Callable[[str], str]
) -> dict[str, str]:
    """
    Return the files of a new jurisdiction *code* by name, its rules in force from *start* on.

    With a *parent*, the files are those of a child. *read_template* returns the text of a file in
    `templates/`.

    >>> new_files("SE", None, date(2026, 1, 1), lambda name: f"# $code {name}")["renewal.toml"]
    '# SE renewal.toml'
    """
    review = date(start.year + 1, start.month, 1)
    reasons = "\n".join(
        f'# {own.lower()} = "{sentence}"' for own, sentence in SERVICE_REASONS.items()
    )
    blanks = {"code": code, "parent": parent, "start": start, "review": review, "reasons": reasons}
    names, folder = (_COUNTRY, "") if parent is None else (_CHILD, "child/")
    return {name: Template(read_template(folder + name)).substitute(blanks) for name in names}
