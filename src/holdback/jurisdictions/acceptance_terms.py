"""What accepting an offer takes in a jurisdiction: a signature, bank details, consents."""

from __future__ import annotations

from typing import Any, Final

from attrs import evolve

from holdback.errors import excerpt
from holdback.frozen_classes import frozen
from holdback.jurisdictions.source_rules import NAME
from holdback.jurisdictions.toml import Node, TomlTable
from holdback.merchant.merchant import SIGNATURES

ACCEPTANCE: Final = ("signature", "bank_details", "consents")
# More names than anybody fills in or agrees to.
MOST_NAMES: Final = 12


@frozen(kw_only=True)
class AcceptanceTerms:
    """
    What accepting an offer takes.

    `signature` is when the merchant has to have signed, one of `SIGNATURES`; None where no
    signature is needed. `bank_details` are the fields that complete bank details have; without any,
    all bank details are complete. `consents` are the names of those that an offer needs.
    """

    signature: str | None = None
    bank_details: tuple[str, ...] = ()
    consents: tuple[str, ...] = ()


def read_acceptance_terms(table: TomlTable, inherited: AcceptanceTerms) -> AcceptanceTerms:
    """Return what *table* states, completed by what is *inherited*; errors are added to it."""
    stated: dict[str, Any] = {
        "signature": table["signature"].one_of(SIGNATURES, "time of a signature"),
        "bank_details": _names(table["bank_details"], "sort_code"),
        "consents": _names(table["consents"], "terms"),
    }
    return evolve(inherited, **{key: stated[key] for key in ACCEPTANCE if not table[key].absent})


def _names(node: Node, example: str) -> tuple[str, ...]:
    """Return the valid names in *node*, an array, in their order; one is like *example*."""
    if isinstance(node.value, list) and len(node.value) > MOST_NAMES:
        node.add_error("too_large", f"expected at most {MOST_NAMES} names", key=True)
        return ()
    names: list[str] = []
    for element in node.elements():
        name = read_name(element, example)
        if name in names:
            element.add_error("duplicate", f"`{excerpt(name)}` is listed twice", "once is enough")
        elif name is not None:
            names.append(name)
    return tuple(names)


def read_name(node: Node, example: str) -> str | None:
    """Return the name in *node*; None when it is absent or invalid."""
    expected = f"a name such as `{example}`: small letters, digits and underscores"
    return node.text(NAME, expected)
