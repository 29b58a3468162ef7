"""The rules of the suite's jurisdiction, as they ship and otherwise."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from holdback.jurisdictions.folder import bundled_path
from holdback.jurisdictions.jurisdiction import Jurisdictions
from holdback.jurisdictions.reader import FILES, read_jurisdiction

JURISDICTION: Final = "GB"

# Dearer, shorter and stricter than what ships: whoever goes by these rules for an offer made under the
# others is found out.
_OTHERWISE: Final = (
    ("products.toml", b'multiple = "1.2"', b'multiple = "0.9"'),
    ("products.toml", b'rate = "1.24"', b'rate = "1.3"'),
    ("renewal.toml", b'value = "75%"', b'value = "85%"'),
    ("jurisdiction.toml", b"value = 720", b"value = 240"),
)


@lru_cache(maxsize=2)
def rules(*, otherwise: bool) -> Jurisdictions:
    """The suite's jurisdiction as it ships, or with other thresholds and prices."""
    folder = bundled_path().joinpath(JURISDICTION)
    files = {name: folder.joinpath(name).read_bytes() for name in FILES}
    if otherwise:
        for name, before, after in _OTHERWISE:
            assert before in files[name], f"{name} has no {before!r}"
            files[name] = files[name].replace(before, after)
    return Jurisdictions([read_jurisdiction(JURISDICTION, files)])
