"""The rules of the suite's jurisdiction: as shipped, and with other thresholds and prices."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from holdback.jurisdictions.folder import bundled_path
from holdback.jurisdictions.jurisdiction import Jurisdictions
from holdback.jurisdictions.reader import FILES, read_jurisdiction

JURISDICTION: Final = "GB"

# More expensive, shorter and stricter than the shipped rules, so that a host that applies them to
# an offer made under the shipped rules gives another answer.
_CHANGES: Final = (
    ("products.toml", b'multiple = "1.2"', b'multiple = "0.9"'),
    ("products.toml", b'rate = "1.24"', b'rate = "1.3"'),
    ("renewal.toml", b'value = "75%"', b'value = "85%"'),
    ("jurisdiction.toml", b"value = 720", b"value = 240"),
)


@lru_cache(maxsize=2)
def rules(*, changed: bool) -> Jurisdictions:
    """Return the suite's jurisdiction, with the shipped rules or the *changed* ones."""
    folder = bundled_path().joinpath(JURISDICTION)
    files = {name: folder.joinpath(name).read_bytes() for name in FILES}
    if changed:
        for name, before, after in _CHANGES:
            assert before in files[name], f"{name} has no {before!r}"
            files[name] = files[name].replace(before, after)
    return Jurisdictions([read_jurisdiction(JURISDICTION, files)])
