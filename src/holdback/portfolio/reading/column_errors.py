"""Errors of a frame as a whole: columns that are missing, of the wrong type, or in the way."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

import narwhals.stable.v2 as nw

from holdback.errors import ErrorDetail, InvalidDocument, did_you_mean
from holdback.exact.exact_json import shown_path
from holdback.portfolio.assessing.outcome_columns import PREFIX
from holdback.portfolio.reading.column_findings import shown_value
from holdback.portfolio.reading.column_plan import ColumnPlan
from holdback.portfolio.reading.column_readers import day_fact, type_error
from holdback.rules.types import Fact
from holdback.rules.values import is_missing

# How many jurisdictions a message names.
_MOST_NAMED: Final = 3
# The types that a prepared column may have.
_INTEGERS: Final = (
    nw.Int8,
    nw.Int16,
    nw.Int32,
    nw.Int64,
    nw.UInt8,
    nw.UInt16,
    nw.UInt32,
    nw.UInt64,
)
_LEDGER_HINT: Final = "a summary adds up this total of the ledger; rename a column that is another"
# The types that a column of codes may have.
_CODES: Final = (nw.String, nw.Categorical, nw.Enum, nw.Object)


def check_columns(plan: ColumnPlan, output_names: Collection[str]) -> None:
    """
    Check that the columns of *plan* can be read and that *output_names* do not clash with them.

    Raises:
        InvalidDocument: naming every column that is missing, of the wrong type, or in the way.
    """
    errors = column_errors(plan, output_names)
    if errors:
        raise InvalidDocument(errors)


def column_errors(plan: ColumnPlan, output_names: Collection[str]) -> tuple[ErrorDetail, ...]:
    """Return every error of the columns, if the result adds columns with *output_names*."""
    return (
        *_missing(plan),
        *_mistyped(plan),
        *_of_other_jurisdictions(plan),
        *_clashing(plan, output_names),
    )


def _missing(plan: ColumnPlan) -> Iterator[ErrorDetail]:
    rulebooks, schema = plan.rulebooks, plan.schema
    keys = (
        (rulebooks.jurisdiction_column, "it holds the jurisdiction whose rules assess a row"),
        (
            rulebooks.day_or_column,
            "it holds the day of a row's facts; one date can be given for all rows",
        ),
    )
    for key, meaning in keys:
        if isinstance(key, str) and key not in schema:
            hint = did_you_mean(key, schema) or meaning
            yield ErrorDetail(
                code="missing",
                message="the column is missing",
                path=shown_path("$", key),
                hint=hint,
            )
    # Only a column that is not a fact itself can be the misspelling of a fact.
    unused = set(schema) - rulebooks.facts.keys()
    for name, codes in sorted(rulebooks.codes_by_fact.items()):
        if name not in schema:
            readers = f"rules of {_first_codes(codes)} read it"
            hint = f"{readers}; if it is never known, add a column of nulls of its type"
            hint = did_you_mean(name, unused) or hint
            yield ErrorDetail(
                code="missing",
                message="the column is missing",
                path=shown_path("$", name),
                hint=hint,
            )


def _first_codes(codes: Collection[str]) -> str:
    """The first of *codes*, and how many more there are."""
    shown = ", ".join(list(codes)[:_MOST_NAMED])
    more = len(codes) - _MOST_NAMED
    return f"{shown} and {more} more" if more > 0 else shown


def _mistyped(plan: ColumnPlan) -> Iterator[ErrorDetail]:
    for name, definitions in {**plan.facts, **plan.ledger}.items():
        messages = (_expected_type(plan, name, fact) for fact in definitions)
        message = next(filter(None, messages), None)
        if message:
            yield _type_detail(plan, name, message, _LEDGER_HINT if name in plan.ledger else None)
    on, code = plan.rulebooks.day_or_column, plan.rulebooks.jurisdiction_column
    if isinstance(on, str) and on in plan.schema:
        message = _expected_type(plan, on, day_fact(on))
        if message:
            yield _type_detail(plan, on, message)
    if code is None or code not in plan.schema:
        return
    if not isinstance(plan.schema[code], _CODES):
        yield _type_detail(plan, code, "expected text")


def _type_detail(plan: ColumnPlan, name: str, message: str, hint: str | None = None) -> ErrorDetail:
    message = f"{message}, not {plan.schema[name]}"
    return ErrorDetail(code="wrong_type", message=message, path=shown_path("$", name), hint=hint)


def _expected_type(plan: ColumnPlan, name: str, fact: Fact) -> str | None:
    """What was expected of the column *name*, if it cannot be read as *fact*; else None."""
    dtype = plan.schema[name]
    if plan.is_prepared(fact):
        if isinstance(dtype, _INTEGERS):
            return None
        return "expected whole numbers, as `prepare` makes them"
    return None if plan.is_untyped(fact) else type_error(fact, dtype)


def _of_other_jurisdictions(plan: ColumnPlan) -> Iterator[ErrorDetail]:
    """The error that rows in memory are of another jurisdiction than the one rulebook."""
    name = plan.rulebooks.own_code_column
    if name is None:
        return
    assert isinstance(plan.frame, nw.DataFrame)
    code, column = plan.rulebooks.rulebooks[0].code, plan.frame[name]
    if column.dtype == nw.String and not column.null_count() and not (column != code).any():
        return
    others = [value for value in column.unique().to_list() if value != code]
    if not others:
        return
    names = sorted(shown_value(str(value)) for value in others if not is_missing(value))
    rows = f"rows of {_first_codes(names)}" if names else "rows without a jurisdiction"
    yield ErrorDetail(
        code="contradiction",
        message=f"the rulebook is of {code}, and there are {rows}",
        path=shown_path("$", name),
        hint="pass jurisdictions, which have the rules of each row, or keep only the rows of "
        f"{code}; rename the column if it holds something else",
    )


def _clashing(plan: ColumnPlan, output_names: Collection[str]) -> Iterator[ErrorDetail]:
    for name in plan.schema:
        if name in output_names or name.startswith(PREFIX):
            hint = "rename it, or drop it if it is from an earlier assessment"
            message = "the result has a column of this name"
            yield ErrorDetail(
                code="duplicate", message=message, path=shown_path("$", name), hint=hint
            )
