"""Tools for the tests of a host: `given`, and Hypothesis strategies.

`given` needs holdback alone. The strategies need the extra `testing`, and are imported with
`from holdback.testing import strategies`.
"""

from __future__ import annotations

from holdback.testing.given import Story, given
from holdback.testing.then import Then

__all__ = ["Story", "Then", "given"]
