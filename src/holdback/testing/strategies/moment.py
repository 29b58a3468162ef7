"""A merchant at an instant, as strategies for likely inputs see it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Final

from attrs import field
from pendulum import DateTime

from holdback.engine import Engine
from holdback.exact.exact_json import Json
from holdback.frozen_classes import frozen
from holdback.jurisdictions.jurisdiction import Jurisdictions
from holdback.merchant.instants import local_date
from holdback.merchant.merchant import Merchant
from holdback.rulebooks.rulebook import Rulebook
from holdback.testing import payloads
from holdback.testing.strategies.json_inputs import Input
from holdback.testing.strategies.rules import evidence_names

# An id that was never issued.
UNKNOWN_ID: Final = "00000000-0000-0000-0000-000000000000"


@frozen(kw_only=True)
class Moment:
    """A merchant at an instant, and its engine."""

    engine: Engine
    merchant: Merchant
    at: DateTime
    rulebook: Rulebook = field(init=False, repr=False)

    @rulebook.default
    def _in_force(self) -> Rulebook:
        jurisdictions, code = self.engine.jurisdictions, self.merchant.jurisdiction
        seen = self.merchant.last_seen_at
        at = self.at if seen is None or self.at >= seen else seen
        return jurisdictions.resolve(code, on=local_date(at, jurisdictions.zone(code)))

    @property
    def day(self) -> date:
        """The local day of the jurisdiction."""
        return self.rulebook.on

    def bank_details(self, *, account: int = 0) -> dict[str, str]:
        """Return complete bank details of one of two accounts."""
        return payloads.bank_details(self.rulebook.bank_details, account=account)

    @property
    def consents(self) -> tuple[str, ...]:
        """The consents that an offer or a check of the jurisdiction needs."""
        of_checks = (terms.consent for terms in self.rulebook.checks.values())
        named = (*self.rulebook.consents, *(name for name in of_checks if name is not None))
        return tuple(dict.fromkeys(named))

    def good_evidence(self, *, renewal: bool) -> list[Input]:
        """
        Return the evidence of accepted products and eligible deals, with a credit check of today.

        It comes from the examples in the files of the jurisdiction and of its parent.
        """
        accepted = [*self._examples("decision", "Accepted"), payloads.evidence(self.day)]
        eligible = self._examples("outcome", "eligible") if renewal else []
        mixed = [{**accepted[0], **deal} for deal in eligible]
        names = evidence_names(self.rulebook, renewal=renewal)
        today = {"credit_checked_on": self.day.isoformat()}
        distinct: list[Input] = []
        for facts in (*mixed, *accepted):
            evidence = {name: v for name, v in {**facts, **today}.items() if name in names}
            if evidence not in distinct:
                distinct.append(evidence)
        return distinct

    def _examples(self, field: str, expected: str) -> list[Mapping[str, Json]]:
        """Return the facts of the examples whose *field* is *expected*."""
        jurisdictions, code = self.engine.jurisdictions, self.merchant.jurisdiction
        if not isinstance(jurisdictions, Jurisdictions):
            return []  # the rulebooks of a host come without examples
        return [
            example.given
            for source in dict.fromkeys((code, code.partition("-")[0]))
            if source in jurisdictions.codes
            for example in jurisdictions.examples(source)
            if example.expect.get(field) == expected
        ]
