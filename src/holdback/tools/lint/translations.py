"""Language files next to jurisdictions: which texts have no translation, and which had."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from holdback.eligibility.facts import BUILT_IN_FACTS
from holdback.errors import ErrorDetail, did_you_mean, excerpt
from holdback.jurisdictions.jurisdiction import Jurisdiction, Jurisdictions
from holdback.jurisdictions.language_file import LanguageFile
from holdback.jurisdictions.language_folder import own_texts
from holdback.rules.render import denied_sentence
from holdback.rules.types import Fact, Kind, draft_label

# The texts that are named; the others are counted.
_MOST_NAMED = 3


def translation_findings(
    valid: Jurisdictions, files: Iterable[LanguageFile], *, all_valid: bool
) -> Iterator[ErrorDetail]:
    """
    Yield what the language *files* lack of the jurisdictions that they are complete for.

    Unless some jurisdiction is invalid, also what they translate and no file says.
    """
    own, shipped = own_texts()
    said = {jurisdiction.code: texts_of(jurisdiction) - own for jurisdiction in valid}
    every = own.union(*said.values())
    for file in files:
        translated = file.nodes.keys()
        if file.language.code not in shipped:
            yield from _lacking(file, "holdback itself", own - translated)
        for code in file.complete_for:
            yield from _lacking(file, code, said.get(code, set()) - translated)
        for text in translated - every if all_valid else ():
            message = f"no file says `{excerpt(text)}`, so nothing is said by this translation"
            yield ErrorDetail(
                code="unknown_name",
                message=message,
                hint=did_you_mean(text, every - translated)
                or "remove it, or write the text that a file has now",
                **file.nodes[text].position(key=True),
            )


def _lacking(file: LanguageFile, what: str, texts: Collection[str]) -> Iterator[ErrorDetail]:
    """Yield that *texts* of *what* have no translation in *file*, if there are any."""
    if texts:
        verb = "text has" if len(texts) == 1 else "texts have"
        named = [f"`{excerpt(text)}`" for text in sorted(texts)[:_MOST_NAMED]]
        message = f"{len(texts)} {verb} no {file.language.name}, of {what}: {', '.join(named)}"
        more = len(texts) - len(named)
        yield ErrorDetail(
            code="missing",
            message=f"{message} and {more} more" if more else message,
            file=file.file,
            hint="add them under `[texts]`; until then they are said as the files have them",
        )


def texts_of(jurisdiction: Jurisdiction) -> set[str]:
    """Return what the files of *jurisdiction* say to merchants, on any day."""
    texts = set[str]()
    for rulebook in jurisdiction.slices:
        texts.update(rule.reason for rule in rulebook.all_rules)
        texts.update(rulebook.renewal.wording.values())
        texts.update(map(rulebook.catalogue.label, rulebook.parameters))
        for fact in rulebook.catalogue.facts[BUILT_IN_FACTS:]:
            texts.update(_texts_of_fact(fact))
    return texts


def _texts_of_fact(fact: Fact) -> Iterator[str]:
    label = draft_label(fact.name) if fact.label is None else fact.label
    yield label
    yield from fact.type.options
    denied = denied_sentence(label)
    if fact.type.kind is not Kind.FLAG:
        yield f"the {label}"
    elif denied is not None:
        yield from (denied, f"whether {label}")
