"""What a mapping says that does not fit the frame, or the facts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from holdback.errors import ErrorDetail, did_you_mean, listed
from holdback.exact.exact_json import shown_path
from holdback.portfolio.reading.column_mapping import ColumnMapping
from holdback.rules.types import Fact, Kind

_WITH_TEXTS: Final = (Kind.TEXT, Kind.FLAG)


def mapping_errors(  # noqa: PLR0913  # what a mapping speaks of has five parts
    mapping: ColumnMapping,
    columns: Collection[str],
    facts: Mapping[str, Fact],
    sources: Collection[str],
    keys: Mapping[str, str],
    *,
    with_rules: bool,
) -> Sequence[ErrorDetail]:
    """
    Return what *mapping* says that does not fit the *columns* of a frame or the *facts*.

    *sources* are the facts and keys that have a column, and *keys* the columns of keys.
    """
    return [
        *_unknown_facts(mapping, facts, with_rules=with_rules),
        *_missing_columns(mapping, columns, keys),
        *_without_column(mapping, facts, sources),
    ]


def _unknown_facts(
    mapping: ColumnMapping, facts: Mapping[str, Fact], *, with_rules: bool
) -> Iterator[ErrorDetail]:
    """What *mapping* says that does not fit the *facts*."""
    for table in ("columns", "texts", "forms"):
        for name in getattr(mapping, table):
            if name not in facts:
                hint = did_you_mean(name, facts) or f"the facts are {listed(facts, name)}"
                if not with_rules:
                    hint += "; facts that a jurisdiction declares are known with `rules=`"
                path = shown_path(f"$.{table}", name)
                yield ErrorDetail(code="unknown_name", message="unknown fact", path=path, hint=hint)
            elif table == "texts" and not _has_texts(facts[name]):
                kind = facts[name].type.kind.value
                yield ErrorDetail(
                    code="not_allowed",
                    message=f"`{name}` holds {kind}",
                    path=shown_path("$.texts", name),
                    hint="say in `forms` how its values are written",
                )


def _has_texts(fact: Fact) -> bool:
    return fact.type.kind in _WITH_TEXTS


def _missing_columns(
    mapping: ColumnMapping, columns: Collection[str], keys: Mapping[str, str]
) -> Iterator[ErrorDetail]:
    """The columns that *mapping* names and that are not among *columns*, or are there twice."""
    for name, source in mapping.columns.items():
        own = keys.get(name, name)
        path = shown_path("$.columns", name)
        if source not in columns:
            hint = did_you_mean(source, columns) or f"the columns are {listed(columns, source)}"
            message = f"there is no column `{source}`"
            yield ErrorDetail(code="missing", message=message, path=path, hint=hint)
        elif own not in {name, source}:
            message = f"the column for `{name}` is `{source}` here, and `{own}` where it is given"
            hint = "leave out one of the two"
            yield ErrorDetail(code="duplicate", message=message, path=path, hint=hint)
        elif own != source and own in columns and own not in mapping.columns.values():
            message = f"there is also a column `{own}`"
            hint = "drop or rename it, or leave this line out"
            yield ErrorDetail(code="duplicate", message=message, path=path, hint=hint)


def _without_column(
    mapping: ColumnMapping, facts: Mapping[str, Fact], sources: Collection[str]
) -> Iterator[ErrorDetail]:
    """What *mapping* says of the values of *facts* that no column holds."""
    for table in ("texts", "forms"):
        for name in getattr(mapping, table):
            is_wrong = table == "texts" and name in facts and not _has_texts(facts[name])
            if name in facts and name not in {*sources, *mapping.columns} and not is_wrong:
                message = f"there is no column `{name}`"
                hint = "say under `columns` which column holds it, or leave this out"
                path = shown_path(f"$.{table}", name)
                yield ErrorDetail(code="missing", message=message, path=path, hint=hint)
