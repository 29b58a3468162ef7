"""The rulebook of one jurisdiction on one day: its rules, its products and its settings.

A rulebook never changes. `replace` and `without` return proposals: other rulebooks, which say what
they propose and have digests of their own. An engine takes any `Rulebooks`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Protocol, Self

import pendulum
from attrs import NOTHING, evolve, field

from holdback.eligibility.assessment import Assessment, assess
from holdback.eligibility.facts import DEAL
from holdback.eligibility.ruleset import Rule, RuleSet
from holdback.exact.exact_json import Json
from holdback.exact.exact_numbers import RoundingMode
from holdback.exact.money import Currency
from holdback.frozen_classes import Seal, frozen, frozen_record, sealing
from holdback.merchant.application import PEOPLE
from holdback.rulebooks.digest import Versions, rulebook_digest
from holdback.rulebooks.product_terms import ProductTerms, undigested
from holdback.rules.language import Language
from holdback.rules.types import Catalogue, Facts, Parameter
from holdback.rules.values import FactValue
from holdback.tool_named import shown_by, tool_named

if TYPE_CHECKING:  # few jurisdictions have one
    from holdback.rulebooks.regime import Regime

# The name of the funding rules next to the keys of products, of which none can be this.
FUNDING: Final = "[[funding]]"
_AGE: Final = "_age_days"
# Whom the built-in checks are about; one that a jurisdiction adds is about both.
_ABOUT: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "identity": ("applicants",),
        "business": ("company",),
        "consumer_credit": ("applicants",),
        "takings": ("company",),
    }
)
# The settings that the digest covers; the greatest ages of checks belong to them as well.
SETTINGS_IN_DIGEST: Final = (
    "code",
    "rounding",
    "timezone",
    "automated_decisioning",
    "offers_valid_hours",
    "recently_active_days",
)
# What the digest covers, and of what a rulebook is a proposal.
_seal, _check_seal = sealing(
    *SETTINGS_IN_DIGEST,
    "digest",
    "currency",
    "zone",
    "checks",
    "parameters",
    "catalogue",
    "renewal",
    "products",
    "funding",
    "proposed_from",
)


@frozen(kw_only=True)
class CheckTerms:
    """
    A check on a day, with the facts that it gives.

    A result that is older than `max_age_days` is unknown; None where results do not age. `consent`
    is the one that the merchant must have given before the check is made, if there is one.
    `of_deal` says that its results are about one deal as well.
    """

    name: str
    facts: tuple[str, ...]
    max_age_days: int | None = None
    consent: str | None = None
    of_deal: bool = False

    @property
    def about(self) -> tuple[str, ...]:
        """What its results are about: sections of the profile, and a deal (decisions/evidence)."""
        return (*_ABOUT.get(self.name, PEOPLE), *((DEAL,) if self.of_deal else ()))


def age_name(check: str) -> str:
    """
    Return the name of the fact that is the age of *check*.

    >>> age_name("identity")
    'identity_age_days'
    """
    return f"{check}{_AGE}"


def check_with_age(name: str) -> str | None:
    """
    Return the check whose age the fact *name* would be; None if it has no such name.

    >>> check_with_age("identity_age_days"), check_with_age("progress")
    ('identity', None)
    """
    return name.removesuffix(_AGE) if name.endswith(_AGE) else None


def age_limits(checks: Mapping[str, CheckTerms]) -> dict[str, Json]:
    """
    Return what a digest covers of *checks*, as a setting; nothing where no result ages.

    Facts are part of it: they decide together whether they are too old.
    """
    limits = {
        name: {"max_age_days": check.max_age_days, "facts": list(check.facts)}
        for name, check in checks.items()
        if check.max_age_days is not None
    }
    return {"checks": limits} if limits else {}


@frozen(kw_only=True)
class Rulebook:
    """
    One jurisdiction's rules, parameters and products on the day `on`; it never changes.

    Everything in it holds from the day `since` until the next change. `digest` identifies its
    meaning: two rulebooks with the same digest, whose settings outside it are the same, give the
    same answers and the same prices.

    `approval_days` is how long a person's approval of a referral holds, and `acceptance_days` how
    long an accepted application waits for its funding; `funding` are the rules by which it is paid
    out. `signature` is when the merchant has to have
    signed, `"before_submission"` or `"before_funding"`; None where no signature is needed.
    `cooling_off_days` is for how many days after its funding a deal can be unwound; 0 is never.
    `late_remittances` is what becomes of a remittance on a deal that has ended: `"transfer"` to the
    merchant's active deal, or `"refund"`.
    `bank_details` are the fields of complete bank details, and `consents` those that an offer
    needs. `checks` are all checks of the jurisdiction by name. `disclosures` are the regimes of the
    jurisdiction, one from each change date of theirs on. `proposed_from` is the rulebook of the
    files that a proposal began with; None for a rulebook of the files.
    """

    # Two rulebooks are equal when jurisdiction, day and digest are, and what decides an operation
    # without being in the digest, such as for how long a profile is kept. Of the rest the digest
    # covers what can change an answer or a price.
    code: str
    on: date
    digest: str
    since: date = field(eq=False, repr=False)
    name: str = field(eq=False, repr=False)
    currency: Currency = field(eq=False, repr=False)
    rounding: RoundingMode = field(eq=False, repr=False)
    timezone: str = field(eq=False, repr=False)
    zone: pendulum.Timezone | pendulum.FixedTimezone = field(eq=False, repr=False)
    owner: str = field(eq=False, repr=False)
    review_by: date = field(eq=False, repr=False)
    automated_decisioning: bool = field(eq=False, repr=False)
    offers_valid_hours: int = field(eq=False, repr=False)
    recently_active_days: int = field(eq=False, repr=False)
    retain_profile_days: int = field(repr=False)
    approval_days: int = field(repr=False)
    acceptance_days: int = field(repr=False)
    cooling_off_days: int = field(repr=False)
    late_remittances: str = field(repr=False)
    signature: str | None = field(repr=False)
    bank_details: tuple[str, ...] = field(repr=False)
    consents: tuple[str, ...] = field(repr=False)
    checks: Mapping[str, CheckTerms] = field(converter=frozen_record, repr=False)
    parameters: Mapping[str, Parameter] = field(converter=frozen_record, eq=False, repr=False)
    catalogue: Catalogue = field(eq=False, repr=False)
    renewal: RuleSet = field(eq=False, repr=False)
    products: tuple[ProductTerms, ...] = field(eq=undigested, repr=False)
    funding: RuleSet = field(eq=False, repr=False)
    disclosures: tuple[Regime, ...] = field(default=(), hash=False, repr=False)
    proposed_from: Rulebook | None = field(default=None, eq=False, repr=False)
    _seal: Seal = field(eq=False, repr=False)

    @_seal.default
    def _sealed(self) -> Seal:
        return _seal(self)

    def __attrs_post_init__(self) -> None:
        _check_seal(
            self,
            "use `rulebook.replace(minimum_performance=...)` for another value of a parameter and "
            "`rulebook.without(...)` to leave rules out, or change a copy of the files",
        )

    def __repr__(self) -> str:
        return shown_by("rulebooks.rulebook_repr", self)

    def _repr_html_(self) -> str:
        return shown_by("rulebooks.rulebook_html", self)

    @property
    def rulesets(self) -> Mapping[str | None, RuleSet]:
        """Its rules for renewals (None), those of products by key, and those of `FUNDING`."""
        rulesets: dict[str | None, RuleSet] = {None: self.renewal}
        rulesets |= {terms.key: terms.rules for terms in self.products}
        return rulesets | {FUNDING: self.funding}

    @property
    def all_rules(self) -> Iterator[Rule]:
        """All its rules: those for renewals, of products, and for fundings."""
        return (rule for ruleset in self.rulesets.values() for rule in ruleset.rules)

    @property
    def rules_digest(self) -> str:
        """The digest of what its files mean, without the versions of calculators."""
        return self.renewal.rules_digest

    @property
    def versions(self) -> Versions:
        """The versions of what prices its offers, which the digest covers."""
        return self.renewal.versions

    @property
    def proposal(self) -> tuple[str, ...]:
        """What is proposed instead of the files, in sentences; empty for a rulebook of the files.

        >>> from holdback import load_jurisdictions
        >>> rulebook = load_jurisdictions().resolve("GB", on=date(2026, 7, 1))
        >>> rulebook.replace(minimum_performance="85%").without("GB-R-04").proposal
        ('minimum_performance is 85% instead of 80%', 'without GB-R-04')
        """
        return self.renewal.proposal

    def replace(self, /, **parameters: FactValue) -> Rulebook:
        """
        Return the proposal of this rulebook with other values of *parameters*.

        A value is written as in a file, `"85%"`, `"GBP 2500.00"`, `30` or `"30 days"`, or is the
        Python value of its type: a date, `Money`, a flag, an integer. All rules that read it are
        checked again. The proposal has a digest of its own and says in `proposal` what it changes.
        With the values of the files it is the rulebook of the files again.

        Raises:
            InvalidDocument: with every parameter that is unknown, or that no rule reads; every
                value of the wrong type, or without its unit; every rule that is wrong with it.
        """
        proposed: Rulebook = tool_named("proposals.replaced")(self, parameters)
        return proposed

    def without(self, *codes: str) -> Rulebook:
        """
        Return the proposal of this rulebook without the rules with these *codes*.

        They are rules for renewals or fundings, or rules of a product. The proposal has a digest of
        its own and says in `proposal` what it leaves out.

        Raises:
            InvalidDocument: with every code that no rule has; or no rule would be left that
                declines for anything but the progress.
        """
        proposed: Rulebook = tool_named("proposals.without")(self, codes)
        return proposed

    def altered(self, **changes: Any) -> Rulebook:
        """
        Return this rulebook with *changes*, and with an empty digest unless they have one.

        It is for questions about rules that nobody decides by, such as those of a mutant; nothing
        is checked. `replace` and `without` return what an analyst may ask about.
        """
        same: dict[str, Any] = {"digest": "", **changes, "seal": NOTHING}
        return evolve(self, **same)

    def with_versions(self, versions: Mapping[str, int]) -> Rulebook:
        """
        Return this rulebook as priced by the calculators of a host, whose *versions* are given.

        Calculators that it does not name are ignored, and one that is built in may be replaced.
        """
        own = {name: versions.get(name, version) for name, version in self.versions.items()}
        if own == self.versions:
            return self
        base = self.proposed_from
        digest = rulebook_digest(self.rules_digest, own)
        identity: dict[str, Any] = {
            "digest": digest,
            "rules_digest": self.rules_digest,
            "versions": own,
        }
        return self.altered(
            digest=digest,
            renewal=self.renewal.altered(**identity),
            products=tuple(
                evolve(terms, rules=terms.rules.altered(**identity)) for terms in self.products
            ),
            funding=self.funding.altered(**identity),
            proposed_from=None if base is None else base.with_versions(versions),
        )

    def in_language(self, language: Language) -> Rulebook:
        """
        Return this rulebook with its sentences for merchants in *language*.

        Its answers, codes and digests are the same. A text without a translation is said as it is
        written.

        >>> from holdback import load_jurisdictions, load_language
        >>> rulebook = load_jurisdictions().resolve("DE", on=date(2026, 12, 1))
        >>> german = rulebook.in_language(load_language("de"))
        >>> german.assess({"progress": "49.5%"}).reasons[0].text.partition(";")[0]
        'Der Vertrag ist zu 49,5 % zurückgezahlt'
        """
        return self.altered(
            digest=self.digest,
            renewal=evolve(self.renewal, language=language),
            products=tuple(
                evolve(terms, rules=evolve(terms.rules, language=language))
                for terms in self.products
            ),
            funding=evolve(self.funding, language=language),
        )

    def say(self, reason: Mapping[str, Json]) -> str:
        """
        Return the sentence of a recorded *reason* in the language of this rulebook.

        The reason has its `code` and `text`, as records, events and replies have them, and this is
        the rulebook by which it was given, `in_language`. A text that this rulebook would not have
        given is returned unchanged.

        >>> from holdback import load_jurisdictions, load_language
        >>> rulebook = load_jurisdictions().resolve("DE", on=date(2026, 12, 1))
        >>> (reason,) = rulebook.assess({"progress": "49.5%"}).plain()["reasons"]
        >>> reason["text"]
        'The deal is 49,5 % paid down; at least 50 % is needed before a renewal is assessed.'
        >>> rulebook.in_language(load_language("de")).say(reason).partition(";")[0]
        'Der Vertrag ist zu 49,5 % zurückgezahlt'
        """
        said: str = tool_named("displays.recorded_reasons.said_again")(self, reason)
        return said

    def product(self, key: str | None) -> ProductTerms | None:
        """Return the terms of the product *key*; None where it is not offered."""
        return next((terms for terms in self.products if terms.key == key), None)

    def assess(self, facts: Mapping[str, FactValue]) -> Assessment:
        """
        Return the assessment of a deal with *facts* by name; an absent fact is unknown.

        The facts are those of the day `on`.

        Raises:
            InvalidDocument: with every fact that is unknown by name, of the wrong type or out of
                range.
        """
        return assess(self.renewal, self.catalogue.prepare(facts), self.on)

    def assess_prepared(self, facts: Facts) -> Assessment:
        """Return the assessment of a deal with prepared *facts*."""
        return assess(self.renewal, facts, self.on)


class Rulebooks(Protocol):
    """
    What an engine needs to know of the rules: the rulebook of a jurisdiction on a day.

    `holdback.Jurisdictions` is one, read from folders.
    """

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of the jurisdictions that there are, in order."""

    @property
    def reads_on_demand(self) -> bool:
        """Whether a rulebook is read only when it is asked for."""

    def resolve(self, code: str, *, on: date) -> Rulebook:
        """
        Return the rulebook of the jurisdiction *code* on the day *on*.

        Raises:
            ConfigurationError: when there is no such jurisdiction, or it has no rules on that day.
        """

    def rulebooks(self) -> Iterator[Rulebook]:
        """Yield every rulebook of every jurisdiction, one for each change date."""

    def with_versions(self, versions: Mapping[str, int]) -> Self:
        """Return them as priced by calculators of a host; see `Rulebook.with_versions`."""

    def currency(self, code: str) -> Currency:
        """
        Return the currency of the jurisdiction *code*.

        Raises:
            ConfigurationError: when there is no such jurisdiction.
        """

    def zone(self, code: str) -> pendulum.Timezone | pendulum.FixedTimezone:
        """
        Return the time zone of the jurisdiction *code*.

        Raises:
            ConfigurationError: when there is no such jurisdiction.
        """
