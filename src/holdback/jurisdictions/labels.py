"""Labels: the names of parameters and declared facts in sentences, such as "tax debt".

They are for people alone. No digest covers them, and no stored answer shows them
(decisions/jurisdiction-folders#settings-that-no-digest-covers).
"""

from __future__ import annotations

from typing import Final

from holdback.jurisdictions.toml import Node

# Longer than any that ships: a sentence has a few of them.
MOST_CHARACTERS: Final = 60
# A letter in front, and no braces, which name figures in the sentences for merchants.
_LABEL: Final = r"[^\W\d_][^{}]*(?<![\s.,:;!?])"


def read_label(node: Node) -> str | None:
    """Return the label in *node*; None where it is absent or invalid."""
    expected = "words such as `tax debt`: a letter first, no braces, no point at the end"
    return node.text(_LABEL, expected, max_length=MOST_CHARACTERS)
