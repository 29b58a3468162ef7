"""The calculators that a product names in its file, with their settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import field

from holdback.exact.exact_json import Json
from holdback.exact.frozen_values import frozen_record
from holdback.frozen_classes import frozen
from holdback.jurisdictions.toml import Node


@frozen(kw_only=True)
class CalculatorChoice:
    """
    The calculator that a product names, and its settings as in the file.

    `kind` is `limits`, `split_percentage`, `factor_rate`, `term` or `settlement`. The
    settings are read when the name is bound to a calculator; `place` says where to point when one
    of them is invalid.
    """

    kind: str
    name: str
    settings: Mapping[str, Json] = field(converter=frozen_record)
    _node: Node | None = field(default=None, eq=False, repr=False, alias="node")

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
        if self._node is None:
            return {}
        setting = None if key is None else self._node.entries().get(key)
        if setting is None:
            return self._node.position()
        return setting.position(key=key != "calculator")
