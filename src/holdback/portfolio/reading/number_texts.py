"""Numbers in texts that two people read as two numbers."""

from __future__ import annotations

import re
from typing import Final

# "77.125": a point, or thousands. A currency may be in front, and a sign or a unit behind.
TWO_MEANINGS: Final = r"^([A-Z]{3} *)?-?[1-9][0-9]{0,2}\.[0-9]{3}( *%| days?)?$"
_TWO_MEANINGS: Final = re.compile(TWO_MEANINGS)


def has_two_meanings(text: str) -> bool:
    """
    Return whether the point in *text* may be before decimals, and may be between thousands.

    >>> has_two_meanings("1.000"), has_two_meanings("0.125"), has_two_meanings("1.00")
    (True, False, False)
    """
    return _TWO_MEANINGS.search(text) is not None
