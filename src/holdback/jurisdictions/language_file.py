"""A language file, `languages/de.toml`: texts by what they translate, and figures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import reduce
from typing import Final

from attrs import field

from holdback.errors import ErrorDetail
from holdback.frozen_classes import frozen, frozen_record
from holdback.jurisdictions.jurisdiction_file import is_newer, read_figures, read_format
from holdback.jurisdictions.toml import Node, read_toml
from holdback.rules.language import SLOT, Language
from holdback.rules.number_format import NumberFormat

# ISO 639, with a region where the language differs by country.
LANGUAGE_CODE: Final = re.compile("[a-z]{2,3}(-[A-Z]{2})?")
# The sign of a currency is the jurisdiction's, and its place is the language's.
_TEMPLATES: Final = {**NumberFormat.TEMPLATES, "money": ("amount", "currency")}


@frozen(kw_only=True)
class LanguageFile:
    """
    What a language file says.

    `texts` has the translations by what they translate, `nodes` where each is written, and
    `complete_for` the codes of the jurisdictions of which it is meant to have every text.
    """

    language: Language
    file: str
    nodes: Mapping[str, Node] = field(converter=frozen_record, repr=False)
    complete_for: tuple[str, ...]


def read_language_file(
    code: str, file: str, body: bytes, errors: list[ErrorDetail]
) -> LanguageFile | None:
    """Return the language file in *body*, or None and append its errors to *errors*."""
    before = len(errors)
    root = read_toml(file, body, errors)
    if root is None or is_newer(root):
        return None
    table = root.table(["format", "name", "texts"], ["figures", "complete_for"])
    read_format(table["format"])
    name, figures = table["name"].text(), read_figures(table["figures"], _TEMPLATES)
    codes = [element.text() for element in table["complete_for"].elements()]
    nodes = table["texts"].entries()
    texts = {source: text for source, node in nodes.items() if (text := _translation(source, node))}
    if len(errors) > before:
        return None
    language = Language(code=code, name=str(name), texts=texts, figures=figures)
    return LanguageFile(
        language=language, file=file, nodes=nodes, complete_for=tuple(map(str, codes))
    )


def _translation(source: str, node: Node) -> str | None:
    """Return the translation of *source*, which has the same names in braces."""
    text = node.text()
    if text is None:
        return None
    wanted, named = {*SLOT.findall(source)}, {*map(str.lower, SLOT.findall(text))}
    if wanted != named or set("{}") & set(SLOT.sub("", text)):
        listed = " and ".join(f"`{{{name}}}`" for name in sorted(wanted)) or "no names in braces"
        also = ", ".join(f"`{{{name}}}`" for name in sorted(named - wanted))
        lacking = ", ".join(f"`{{{name}}}`" for name in sorted(wanted - named))
        wrong = [f"{lacking} is missing"] if lacking else []
        wrong += [f"{also} is not in the source"] if also else []
        message = "; ".join(wrong) or "a brace belongs to no name"
        node.add_error("wrong_value", message, f"a translation has {listed}, as its source")
        return None
    return text


def merged(files: Iterable[LanguageFile]) -> Language:
    """Return the language of *files*: what the later ones say goes over the earlier."""

    def over(below: Language, above: Language) -> Language:
        return Language(
            code=above.code,
            name=above.name,
            texts={**below.texts, **above.texts},
            figures=above.figures or below.figures,
        )

    return reduce(over, (file.language for file in files))
