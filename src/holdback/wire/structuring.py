"""Structuring a stored document: its errors, each with the place and without a value."""

from __future__ import annotations

from typing import TypeVar

import attrs
from cattrs import Converter
from cattrs.errors import ClassValidationError, ForbiddenExtraKeysError, IterableValidationError

from holdback.errors import ErrorDetail, InvalidDocument, StateError, did_you_mean
from holdback.exact.exact_json import Json, field_path

_T = TypeVar("_T")


class UnexpectedError(Exception):
    """
    A value of the wrong type for its field; the message says what was expected, without it.

    `inside` names the part of the value that is wrong.
    """

    def __init__(self, message: str, inside: str | None = None) -> None:
        super().__init__(message)
        self.inside = inside


def structured(converter: Converter, tree: Json, kind: type[_T], path: str = "$") -> _T:
    """
    Return the *kind* that *tree* holds.

    Raises:
        StateError: naming every error with its JSON path.
    """
    errors: list[ErrorDetail] = []
    try:
        return converter.structure(tree, kind)
    except Exception as error:  # noqa: BLE001  # the errors of cattrs have no common class
        _collect(error, path, errors)
    # Raised outside the handler: the errors of cattrs hold values, which may be personal data.
    raise StateError(errors)


def _collect(error: BaseException, path: str, errors: list[ErrorDetail]) -> None:
    """Add the details of *error*, which is about *path*, to *errors*; its values are left out."""
    if isinstance(error, ClassValidationError):
        fields, others = error.group_exceptions()
        # cattrs names the attributes; the document has their aliases.
        aliases = {attribute.name: attribute.alias for attribute in attrs.fields(error.cl)}
        for inner, note in fields:
            _collect(inner, f"{path}.{aliases[note.name]}", errors)
        for inner in others:
            _collect(inner, path, errors)
    elif isinstance(error, IterableValidationError):
        for inner, place in error.group_exceptions()[0]:
            _collect(inner, f"{path}[{place.index}]", errors)
    elif isinstance(error, ForbiddenExtraKeysError):
        names = [str(attribute.alias) for attribute in attrs.fields(error.cl)]
        for name in sorted(error.extra_fields):
            hint = did_you_mean(name, names)
            errors.append(
                ErrorDetail(
                    code="unknown_field",
                    message="unknown field",
                    path=field_path(path, name),
                    hint=hint,
                )
            )
    elif isinstance(error, KeyError):
        errors.append(ErrorDetail(code="missing", message="the field is missing", path=path))
    elif isinstance(error, UnexpectedError):
        path = path if error.inside is None else field_path(path, error.inside)
        errors.append(ErrorDetail(code="wrong_type", message=str(error), path=path))
    elif isinstance(error, InvalidDocument):  # a validator of the model
        errors += [
            attrs.evolve(detail, path=path + (detail.path or "$")[1:]) for detail in error.errors
        ]
    else:
        errors.append(ErrorDetail(code="wrong_value", message="this cannot be read", path=path))
