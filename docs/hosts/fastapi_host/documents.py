"""
The stored documents of a merchant: its state and its profile.

The profile has the personal data, apart from everything that decides (decisions/wire). Both are
sealed with the first of the keys in HOLDBACK_SEAL_KEYS, where there are some: hexadecimal digits,
with commas between the keys (decisions/documents).
"""

import os
import secrets

from attrs import evolve, frozen

from holdback import Merchant, Profile, wire

SALT_BYTES = 16
SEAL_KEYS = tuple(
    bytes.fromhex(key) for key in os.environ.get("HOLDBACK_SEAL_KEYS", "").split(",") if key
)


@frozen(kw_only=True)
class Documents:
    """
    A merchant and its profile from the database; the profile is None if it was not asked for.

    `stored_profile` is whether the profile is stored already.
    """

    merchant: Merchant
    profile: Profile | None
    stored_profile: bool = False

    def for_initial_application(self):
        """Return the same with a new profile in the place of one that was erased."""
        if self.profile is None or not self.profile.is_erased:
            return self
        return evolve(self, profile=_new_profile(), stored_profile=False)

    def after(self, outcome):
        """Return what to store after `outcome`, without a profile where the stored one stays."""
        if self.stored_profile and outcome.profile is self.profile:
            outcome = evolve(outcome, profile=None)
        stored = wire.write_stored(outcome)
        return evolve(stored, state=_sealed(stored.state), profile=_sealed(stored.profile))


def new_documents(partner, merchant_id):
    """Return a merchant of a partner, with its profile."""
    merchant = Merchant.new(
        partner=partner.name, merchant_id=merchant_id, jurisdiction=partner.jurisdiction
    )
    return Documents(merchant=merchant, profile=_new_profile())


def read_documents(stored):
    """
    Return the documents in a row: `state` and `profile`.

    Raises:
        StateError: a document cannot be read.
    """
    merchant, profile = wire.read_stored(_unsealed(stored.state), _unsealed(stored.profile))
    return Documents(merchant=merchant, profile=profile, stored_profile=profile is not None)


def _sealed(document):
    return document if document is None or not SEAL_KEYS else wire.seal(document, SEAL_KEYS[0])


def _unsealed(document):
    return document if document is None or not SEAL_KEYS else wire.unseal(document, *SEAL_KEYS)


def _new_profile():
    """Return an empty profile with a salt of its own, which is kept nowhere else."""
    return Profile.new(salt=secrets.token_bytes(SALT_BYTES))
