"""The profile of one merchant: its personal data, apart from everything that decides.

State and events name a section of the profile by a digest, and the profile has the content. The
digest is keyed with a random salt that the profile alone holds, so once the profile is erased,
nobody can tell from a digest what the section said (decisions/documents).
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Mapping
from typing import Any, Final

from attrs import evolve, field

from holdback.errors import Refusal, StateError
from holdback.exact.exact_json import Json, Opaque, canonical
from holdback.frozen_classes import FrozenMapping, frozen, frozen_record
from holdback.merchant.acceptance import BankDetails
from holdback.merchant.application import PEOPLE

# A salt of this size cannot be guessed.
SALT_BYTES: Final = 16
# 128 bits: enough that two sections of one merchant never share a digest.
_DIGEST_BYTES: Final = 16


def _salt(_: object, __: object, salt: Any) -> None:
    if salt is not None and (type(salt) is not bytes or len(salt) < SALT_BYTES):
        raise ValueError(f"expected a salt of at least {SALT_BYTES} random bytes")


def _frozen_sections(sections: Mapping[str, Opaque]) -> Mapping[str, Opaque]:
    return frozen_record(sections)


@frozen(kw_only=True)
class Profile:
    """
    The personal data of one merchant and of its open applications.

    `sections` holds the content by digest. `salt` is random: the host draws it once for each
    merchant, and it is kept nowhere else. An erased profile has neither: its salt is None.

    >>> profile = Profile.new(salt=bytes(range(16)))
    >>> digest = profile.digest(Opaque('{"name": "Nine Lives"}'))
    >>> digest in profile.sections
    False

    Raises:
        ValueError: the salt has fewer than 16 bytes.
    """

    salt: bytes | None = field(repr=False, validator=_salt)
    sections: Mapping[str, Opaque] = field(
        factory=FrozenMapping, converter=_frozen_sections, repr=False
    )

    @classmethod
    def new(cls, *, salt: bytes) -> Profile:
        """Return the empty profile of a new merchant; draw the *salt* with `secrets`."""
        return cls(salt=salt)

    def erased(self) -> Profile:
        """Return this profile without salt and sections."""
        return Profile(salt=None)

    @property
    def is_erased(self) -> bool:
        """Whether the salt is gone, so that nothing can be added or compared."""
        return self.salt is None

    def digest(self, content: Json) -> str:
        """
        Return the digest by which state and events name *content*.

        Raises:
            Refusal: `profile_erased`.
        """
        if self.salt is None:
            raise Refusal("profile_erased", "the merchant's profile was erased")
        text = content.canonical() if isinstance(content, Opaque) else canonical(content)
        return hmac.digest(self.salt, text, "sha256").hex()[: 2 * _DIGEST_BYTES]

    def people_of(self, given: object) -> dict[str, str]:
        """
        Return the digests of the applicants and of the company that *given* has, by name.

        Raises:
            Refusal: `profile_erased`.
        """
        contents = {name: getattr(given, name, None) for name in PEOPLE}
        return {name: self.digest(part) for name, part in contents.items() if part is not None}

    def with_sections(self, contents: Iterable[Opaque]) -> Profile:
        """Return this profile with *contents* added."""
        added = {self.digest(content): content for content in contents}
        return evolve(self, sections={**self.sections, **added}) if added else self

    def keeping(self, digests: Iterable[str]) -> Profile:
        """Return this profile without the sections that *digests* do not name."""
        kept = frozenset(digests)
        if kept >= self.sections.keys():
            return self
        sections = {name: text for name, text in self.sections.items() if name in kept}
        return evolve(self, sections=sections)

    def section(self, digest: str | None) -> Opaque | None:
        """
        Return the section that *digest* names, None for None.

        Raises:
            StateError: the profile does not have it, so it belongs to another state.
        """
        if digest is None:
            return None
        if digest not in self.sections:
            raise StateError.of(
                "contradiction",
                "the profile lacks a section that the state names",
                path="$.sections",
                hint="read both documents of the merchant in one transaction",
            )
        return self.sections[digest]


def details_section(details: BankDetails) -> Opaque:
    """Return bank details as a section, without the fields that are not given."""
    return Opaque.of(details.given)


def read_details(section: Opaque | None) -> BankDetails | None:
    """Return the bank details in *section*, None for None."""
    return None if section is None else BankDetails.of(section.value)
