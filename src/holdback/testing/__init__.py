"""For tests of a host: strategies, and given, when, then. It comes with the extra `testing`.

`given` needs nothing but holdback. The strategies need Hypothesis and are asked for by name, with
`from holdback.testing import strategies`.
"""

from __future__ import annotations

from holdback.testing.given import Story, Then, given

__all__ = ["Story", "Then", "given"]
