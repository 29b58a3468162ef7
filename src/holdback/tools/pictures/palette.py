"""
The colours of pictures, and what each becomes on a dark page.

No picture says anything by colour alone: every mark has its name and its number beside it. So a few
shades of one hue are enough, with a second one for what a reader should compare with. They differ
in lightness too, which is what is left of them in print and for people who are colour-blind
(decisions/policy-documents).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

TEXT: Final = "#1b1f24"
SOFT: Final = "#59626b"
LINE: Final = "#d3d9df"
BACK: Final = "#ffffff"
MARK: Final = "#2b6a9b"
PALE: Final = "#cfe0ee"
ACCENT: Final = "#a8400a"
# The shades of a cell of a grid, from few to many. The text on them is `TEXT`.
TINTS: Final = ("#eef4f9", "#dbe8f3", "#c3d9ec", "#a8c8e4", "#8bb5da")

# The colour on a dark page of each colour on a light one.
DARK: Final[Mapping[str, str]] = {
    TEXT: "#e7e9eb",
    SOFT: "#a4acb4",
    LINE: "#3b4249",
    BACK: "#15181b",
    MARK: "#6db3e8",
    PALE: "#2c4a61",
    ACCENT: "#f2a65a",
    **dict(
        zip(TINTS, ("#1d2732", "#22364a", "#274662", "#2c567a", "#316692"), strict=True),
    ),
}
