"""The rules of the suite's jurisdiction: as shipped, and changed in many ways."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final, TypeAlias

from holdback.jurisdictions.folder import bundled_path
from holdback.jurisdictions.jurisdiction import Jurisdictions
from holdback.jurisdictions.reader import DISCLOSURES, FILES, read_jurisdiction

JURISDICTION: Final = "GB"

# A file, a regular expression, and the text that takes the place of what it matches.
_Edits: TypeAlias = tuple[tuple[str, bytes, bytes], ...]

# Deals can be unwound, and what comes in late is not transferred, whether the shipped rules say so
# or not.
_COOLING: Final[_Edits] = (
    (
        "jurisdiction.toml",
        rb"(?:cooling_off_days = \[.*?\n\]\n(.*?))?\n\[figures\]",
        rb"""\1
cooling_off_days = [{ from = 2024-01-01, value = 14, source = "the suite" }]

[figures]""",
    ),
    (
        "jurisdiction.toml",
        rb'(?:late_remittances = "\w+"\n(.*?))?\n\[figures\]',
        rb"""\1
late_remittances = "refund"

[figures]""",
    ),
)

# The first product allows fees, under keys that the shipped rules do not have.
_FEES: Final[_Edits] = (
    (
        "products.toml",
        rb'(key = "flex".*?\n)(?=\n\[\[products.rules\]\])',
        rb"""\1
[[products.fees]]
key = "suite_reversal"
after = "reversal"
amount = "GBP 10.00"
at_most = "GBP 100.00"
source = "the suite"

[[products.fees]]
key = "suite_default"
after = "default"
amount = "GBP 25.00"
at_most = "GBP 25.00"
source = "the suite"

[[products.fees]]
key = "suite_interest"
after = "default"
yearly_rate = "12%"
at_most_share = "10%"
source = "the suite"
""",
    ),
)

# An offer needs a consent.
_CONSENTS: Final[_Edits] = (
    ("jurisdiction.toml", rb"(bank_details = [^\n]*)", rb'\1\nconsents = ["credit_check"]'),
)

# More expensive, shorter and stricter than the shipped rules, so that a host that applies them to
# an offer made under the shipped rules gives another answer.
_CHANGES: Final[_Edits] = (
    ("products.toml", b'multiple = "1.2"', b'multiple = "0.9"'),
    ("products.toml", b'rate = "1.24"', b'rate = "1.3"'),
    ("renewal.toml", b'value = "75%"', b'value = "85%"'),
    ("jurisdiction.toml", b"value = 720", b"value = 240"),
    *_COOLING,
    *_FEES,
    *_CONSENTS,
)

# The law asks for a signed disclosure before a funding. The examples are of the shipped dates.
_DISCLOSURES: Final[_Edits] = (
    (
        DISCLOSURES,
        rb"\nfrom = [^\n]*",
        b"""
from = 2024-01-01
required = [{ from = 2024-01-01, value = "before_funding", source = "the suite" }]
signed = true""",
    ),
    (DISCLOSURES, rb"\[\[examples\]\].*", b""),
)

# Every product asks for a fact that the jurisdiction declares; the examples would not have it, and
# the claims speak of products that are dropped.
GRADE: Final = 4
_GRADED: Final[_Edits] = (
    (
        "jurisdiction.toml",
        rb"\Z",
        b'[facts.grade]\ntype = "count"\nminimum = 0\nmaximum = 9\ndescription = "A grade."\n',
    ),
    ("products.toml", b'require = "identity_verified"', b'require = "grade >= 3"'),
    ("products.toml", rb"(?:\[\[claims\]\]|\[typical\]).*", b""),
)

# What happens to the graded rules while an offer is open and a deal is being repaid.
_AFTERWARDS: Final[Mapping[str, _Edits]] = MappingProxyType(
    {
        "other prices and thresholds": _CHANGES,
        "renamed fact": (
            ("jurisdiction.toml", b"facts.grade", b"facts.mark"),
            ("products.toml", b"grade >= 3", b"mark >= 3"),
        ),
        "narrowed fact": (("jurisdiction.toml", b"maximum = 9", b"maximum = 3"),),
        "retyped fact": (
            ("jurisdiction.toml", b'"count"\nminimum = 0\nmaximum = 9', b'"flag"'),
            ("products.toml", b"grade >= 3", b"grade"),
        ),
        "dropped fact": (
            ("jurisdiction.toml", rb"\[facts.grade\].*", b""),
            ("products.toml", b"grade >= 3", b"identity_verified"),
        ),
        "renamed product": (("products.toml", b'"flex"', b'"advance"'),),
        "narrowed product": (("products.toml", b"GBP 300000", b"GBP 1000"),),
        "retyped product": (
            ("products.toml", b"terminal_split", b"account_split"),
            ("products.toml", b'"takings_multiple"', b'"fixed"'),
            ("products.toml", b', multiple = "1.2", step = "GBP 100"', b""),
        ),
        "dropped product": (
            ("products.toml", rb'\[\[products\]\]\nkey = "flex".*?(?=\[\[products\]\])', b""),
        ),
        "renamed jurisdiction": tuple((name, rb'"GB\b', b'"XX') for name in FILES),
        "narrowed jurisdiction": (("jurisdiction.toml", b"value = 720", b"value = 1"),),
        "retyped jurisdiction": (
            ("jurisdiction.toml", b"Europe/London", b"Pacific/Auckland"),
            *((name, b"GBP", b"EUR") for name in FILES),
        ),
    }
)
# One change more leaves no rules at all.
DROPPED: Final = "dropped jurisdiction"
CHANGES: Final = (*_AFTERWARDS, DROPPED)


@lru_cache(maxsize=2)
def rules(*, changed: bool) -> Jurisdictions:
    """Return the suite's jurisdiction, with the shipped rules or the *changed* ones."""
    return _edited(_CHANGES + _DISCLOSURES if changed else ())


@lru_cache(maxsize=1)
def cooling_rules() -> Jurisdictions:
    """Return the suite's jurisdiction, where deals can be unwound for 14 days."""
    return _edited(_COOLING)


@lru_cache(maxsize=1)
def fee_rules() -> Jurisdictions:
    """Return the suite's jurisdiction, where a product allows fees."""
    return _edited(_FEES)


@lru_cache(maxsize=1)
def consent_rules() -> Jurisdictions:
    """Return the suite's jurisdiction, where an offer needs the consent `credit_check`."""
    return _edited(_CONSENTS)


@lru_cache(maxsize=1)
def graded_rules() -> Jurisdictions:
    """Return the suite's jurisdiction, whose products ask for a grade of their own."""
    return _edited(_GRADED)


@lru_cache(maxsize=len(CHANGES))
def graded_rules_after(change: str) -> Jurisdictions:
    """Return what the graded rules become by one of `CHANGES`."""
    return Jurisdictions(()) if change == DROPPED else _edited(_GRADED + _AFTERWARDS[change])


def _edited(edits: _Edits) -> Jurisdictions:
    folder = bundled_path().joinpath(JURISDICTION)
    names = {*FILES, *(name for name, _, _ in edits)}
    files = {name: folder.joinpath(name).read_bytes() for name in names}
    for name, before, after in edits:
        files[name], count = re.subn(before, after, files[name], flags=re.DOTALL)
        assert count, f"{name} has no {before!r}"
    code = b"".join(re.findall(rb'^code = "(\w+)"', files["jurisdiction.toml"], re.MULTILINE))
    return Jurisdictions([read_jurisdiction(code.decode(), files)])
