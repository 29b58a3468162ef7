"""The calculators that a product names in its file, with their settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from attrs import field

from holdback.exact.exact_json import Json
from holdback.frozen_classes import frozen, frozen_record

# The calculators that price an offer, which every product names; and all kinds.
CALCULATORS: Final = ("limits", "split_percentage", "factor_rate", "term")
SETTLEMENT: Final = "settlement"
CALCULATOR_KINDS: Final = (*CALCULATORS, SETTLEMENT)


@frozen(kw_only=True)
class CalculatorChoice:
    """
    The calculator that a product names, and its settings as in the file.

    `kind` is `limits`, `split_percentage`, `factor_rate`, `term` or `settlement`. The
    settings are read when the name is bound to a calculator. `places` returns where in a file each
    of them is, and under `""` the whole choice, for errors that are found then: it is called only
    for those, because finding the places takes as long as reading the file.
    """

    kind: str
    name: str
    settings: Mapping[str, Json] = field(converter=frozen_record)
    places: Callable[[], Mapping[str, Mapping[str, Any]]] = field(
        default=dict, eq=False, repr=False
    )

    @property
    def full_name(self) -> str:
        """Its name with its kind, by which an engine knows it: `term/fixed`."""
        return f"{self.kind}/{self.name}"

    @property
    def file(self) -> str | None:
        """The file in which it is named."""
        return self.place().get("file")

    def place(self, key: str | None = None) -> Mapping[str, Any]:
        """Return where the setting *key* is, or the whole choice, as `ErrorDetail` keywords."""
        places = self.places()
        whole: Mapping[str, Any] = places.get("", {})
        return whole if key is None else places.get(key, whole)
