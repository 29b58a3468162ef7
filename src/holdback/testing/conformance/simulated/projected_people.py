"""
Who a merchant is, and what was found out and decided about whom, as its events tell it.

Applicants and companies are known by their digests. It shares no code with the lifecycle.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from attrs import define, field

from holdback.eligibility.facts import CHECKS
from holdback.merchant.application import PEOPLE
from holdback.testing.conformance.invariants import expect

# What each check finds; takings may come from the history instead.
_FOUND: Final = {check: names for check, names in CHECKS.items() if check != "takings"}


@define
class ProjectedPeople:
    """
    The people of a merchant, the results of checks about them, and what was decided.

    `records` are all results, by check, instant and whom they are about. `decided` is what was
    decided last about each product and base deal. `sections` are the digests of the accepted
    profile as it was corrected, and `contents` what the requests say that a digest names.
    `consents` are those that applicants gave, and `new_consents` those that the last event added.
    """

    records: dict[tuple[str, datetime, str], dict[str, Any]] = field(factory=dict)
    decided: dict[tuple[str, str | None], dict[str, Any]] = field(factory=dict)
    sections: dict[str, str] = field(factory=dict)
    contents: dict[str, Any] = field(factory=dict)
    consents: dict[str | None, set[str]] = field(factory=dict)
    new_consents: set[str] = field(factory=set)

    def record(self, event: Mapping[str, Any]) -> None:
        """Keep the results of an event: one at an instant about the same people is the same."""
        for record in event["records"]:
            about = json.dumps(record.get("about"), sort_keys=True)
            name = (record["check"], datetime.fromisoformat(record["made_at"]), about)
            message = f"the check {name[0]} of {name[1]} was recorded with another result"
            same = self.records.setdefault(name, record["facts"]) == record["facts"]
            expect(same, "newest-evidence", message)

    def consent(self, applicants: str | None, given: Iterable[str]) -> None:
        """Keep all consents *given* by *applicants*, and which of them they gave just now."""
        now = set(given)
        self.new_consents = now - self.consents.get(applicants, set())
        self.consents[applicants] = now

    def decide(self, decision: dict[str, Any]) -> None:
        """Keep what a person decided."""
        self.decided[decision["product"], decision.get("base_deal_id")] = decision

    def decisions_about(self, product: str) -> Iterator[dict[str, Any]]:
        """Yield what was decided last about a *product*, for each base deal."""
        return (decision for (key, _), decision in self.decided.items() if key == product)

    def declined(self, product: str, at: datetime) -> bool:
        """Return whether a person declined the *product* and that still holds, for everybody."""
        return any(
            decision["decision"] == "decline" and at < datetime.fromisoformat(decision["until"])
            for decision in self.decisions_about(product)
        )

    def says(self, name: str, content: Any) -> bool:
        """Return whether the accepted profile may say *content*: a digest names one content."""
        return self.means(self.sections.get(name, ""), content)

    def means(self, digest: str, content: Any) -> bool:
        """Return whether *digest* may name this *content*, as it did in earlier requests."""
        same: bool = self.contents.setdefault(digest, content) == content
        return same

    def check_offers(self, event: Mapping[str, Any]) -> None:
        """Expect of offers that they were decided by what is known about those who asked."""
        offer_set = event["offer_set"]
        sections = self.sections if offer_set["renewal"] else offer_set["sections"]
        if not offer_set["renewal"]:
            self.consent(sections["applicants"], event.get("consents", ()))
        people = {name: sections[name] for name in PEOPLE if name in sections}
        for check, names in _FOUND.items():
            newest = self._newest(check, people)
            for name in names:
                fact = offer_set["facts"].get(name)
                expected = newest.get(name, [None])[0]
                message = f"{name} is {fact}, and the newest result about them says {expected}"
                expect(fact in {None, expected}, "about-whom", message)
        for decided in event["decisions"]:
            if decided.get("lifted"):
                self._check_approval(decided["product"], offer_set, people)

    def _newest(self, check: str, people: Mapping[str, str]) -> dict[str, Any]:
        """Return the facts of the newest result of *check* about *people*, if there is one."""
        about_them = {
            made_at: facts
            for (name, made_at, about), facts in self.records.items()
            if name == check and (json.loads(about) or {}).items() <= people.items()
        }
        return about_them[max(about_them)] if about_them else {}

    def _check_approval(
        self, product: str, offer_set: Mapping[str, Any], people: Mapping[str, str]
    ) -> None:
        decision = self.decided.get((product, offer_set.get("base_deal_id")))
        approved = (
            decision is not None
            and decision["decision"] == "approve"
            and people.items() <= decision["sections"].items()
        )
        expect(approved, "about-whom", "rules were lifted that nobody approved for those who asked")
