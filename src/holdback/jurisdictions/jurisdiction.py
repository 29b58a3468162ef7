"""A jurisdiction over time with its examples, and the collection of those that were loaded."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

import pendulum
from attrs import evolve, field

from holdback.errors import ConfigurationError, did_you_mean, excerpt
from holdback.exact.exact_json import Json
from holdback.exact.money import Currency
from holdback.frozen_classes import FrozenMapping, frozen, frozen_record
from holdback.rulebooks.rulebook import Rulebook
from holdback.rules import Facts
from holdback.tool_named import shown_by, tool_named

if TYPE_CHECKING:  # they read files, and no file is read with the package
    from holdback.jurisdictions.jurisdiction_file import JurisdictionDetails
    from holdback.jurisdictions.overlay import Policy
    from holdback.jurisdictions.stated_claims import StatedClaim
    from holdback.rulebooks.regime import Regime


def _figures(figures: Mapping[str, Json] | None) -> Mapping[str, Json] | None:
    return None if figures is None else frozen_record(figures)


@frozen(kw_only=True)
class Example:
    """
    What must come out on a day for the facts `given`: of the renewal rules, or of a `product`.

    That of the funding rules has the `product` `FUNDING`, and that of a law on disclosures
    `regime.DISCLOSURES`.

    With `settlement`, the figures of a deal, it is about the discount for repaying that deal early.

    `given` is complete: the typical facts, changed as the example says, less those that it leaves
    out. `settles` is the balance of a deal in minor units; with it, the product is requested to
    renew that deal. An example of settings has no facts: it says which values hold on the day. One
    of disclosures has figures of an offer, and says whether they have to be disclosed.
    """

    name: str
    on: date
    product: str | None
    given: Mapping[str, Json] = field(converter=frozen_record)
    settles: int | None = None
    settlement: Mapping[str, Json] | None = field(default=None, converter=_figures)
    expect: Mapping[str, Json] = field(converter=frozen_record)
    file: str
    line: int | None

    @property
    def of_settings(self) -> bool:
        """Whether it is about the settings of the jurisdiction."""
        return not {"outcome", "decision", "discount", "funding", "due"} & self.expect.keys()

    @property
    def of_disclosures(self) -> bool:
        """Whether it is about the law on disclosures."""
        return "due" in self.expect

    @property
    def of_rules(self) -> bool:
        """Whether rules answer it: those for renewals, or those of a product."""
        return not (self.of_settings or self.of_disclosures or self.settlement is not None)


@frozen(kw_only=True)
class EquivalentMutant:
    """
    A mutant that a file lists as equivalent: its name, and why it changes no answer.

    `holdback test --mutate` prints the name, and accepts a listed mutant that survives.
    """

    mutant: str
    reason: str
    file: str
    line: int | None


@frozen(kw_only=True)
class Jurisdiction:
    """
    A jurisdiction over time: its rulebook from each change date on, and its examples.

    `slices` are the rulebooks in the order of their dates, all resolved when the folder is read.
    `changes` are the dates from which they hold. `details` is what `jurisdiction.toml` says, and
    `policy` has the rules and products as written, here and in the parents' folders. `typical` are
    the typical facts of each file, under `"renewal"` and `"products"`. `claims` are those that hold
    on some day, inherited ones first; `policy.claims_in(period)` returns those of a period.
    """

    code: str
    name: str
    currency: Currency
    zone: pendulum.Timezone | pendulum.FixedTimezone = field(eq=False, repr=False)
    slices: tuple[Rulebook, ...] = field(repr=False)
    examples: tuple[Example, ...] = field(repr=False)
    equivalent_mutants: tuple[EquivalentMutant, ...] = field(default=(), repr=False)
    details: JurisdictionDetails = field(eq=False, repr=False)
    policy: Policy = field(eq=False, repr=False)
    typical: Mapping[str, Mapping[str, Json]] = field(
        factory=FrozenMapping, converter=frozen_record, eq=False, repr=False
    )
    claims: tuple[StatedClaim, ...] = field(default=(), eq=False, repr=False)
    changes: tuple[date, ...] = field(init=False, eq=False)

    def __attrs_post_init__(self) -> None:
        # INVARIANT: an engine decides by jurisdictions, and so never by a proposal.
        for rulebook in self.slices:
            if rulebook.proposal:
                raise ConfigurationError.of(
                    "not_allowed",
                    f"the rulebook of {self.code} from {rulebook.since} is a proposal: "
                    + "; ".join(rulebook.proposal),
                    path="$.slices",
                    hint="change the files of the jurisdiction, and load them",
                )

    @changes.default
    def _change_dates(self) -> tuple[date, ...]:
        return tuple(rulebook.on for rulebook in self.slices)

    @property
    def disclosures(self) -> tuple[Regime, ...]:
        """The law on disclosures, a regime from each of its own change dates on."""
        return self.slices[-1].disclosures

    def rulebook_for(self, example: Example) -> Rulebook:
        """
        Return the rulebook by which *example* is answered, that of its day.

        A law on disclosures may be older than the first rule, and every rulebook has all of it.
        """
        return self.slices[0] if example.of_disclosures else self.rulebook(example.on)

    def rulebook(self, on: date) -> Rulebook:
        """
        Return the rulebook on the day *on*.

        Raises:
            ConfigurationError: when *on* is not a date, or is before the first rule.
        """
        if not isinstance(on, date) or isinstance(on, datetime):
            raise ConfigurationError.of(
                "wrong_type", "expected a date such as 2026-07-01, without a time", path="$.on"
            )
        place = bisect_right(self.changes, on) - 1
        if place < 0:
            raise ConfigurationError.of(
                "out_of_range", f"{self.code} has no rules before {self.changes[0]}", path="$.on"
            )
        rulebook = self.slices[place]
        return rulebook if rulebook.on == on else evolve(rulebook, on=on)

    def typical_deal(self, product: str | None) -> Facts:
        """Return the typical facts for renewals, or for a *product*, prepared."""
        part = "renewal" if product is None else "products"
        return self.policy.catalogue.prepare(self.typical.get(part, {}))

    def plot(self, on: date | None = None, *, width: int | None = None) -> Any:
        """
        Return the picture of what changes when, an Altair chart, with the day *on* marked.

        It needs the extra `notebook`.
        """
        return tool_named("displays.rulebooks.jurisdiction_picture")(self, on, width)

    def __repr__(self) -> str:
        days = ", ".join(str(day) for day in self.changes)
        return f"<Jurisdiction {self.code} {self.name}: {self.currency}, rules from {days}>"

    def _repr_html_(self) -> str:
        return shown_by("rulebooks.jurisdiction_html", self)

    def with_versions(self, versions: Mapping[str, int]) -> Jurisdiction:
        """Return it as priced by calculators of a host; see `Rulebook.with_versions`."""
        slices = tuple(rulebook.with_versions(versions) for rulebook in self.slices)
        return self if slices == self.slices else evolve(self, slices=slices)


class ReadOnDemand(Mapping[str, Jurisdiction]):
    """
    Jurisdictions by code, each read when it is first asked for.

    *read* returns the jurisdiction of a code and those that had to be read for it, given all that
    were read before.

    It has no lock. Threads that ask for the same jurisdiction at once may all read it, and get the
    same object: the one that was stored first.
    """

    def __init__(
        self,
        codes: Iterable[str],
        read: Callable[[str, Mapping[str, Jurisdiction]], Mapping[str, Jurisdiction]],
    ) -> None:
        self._codes = tuple(sorted(codes))
        self._read = read
        self._held: dict[str, Jurisdiction] = {}

    def __getitem__(self, code: str) -> Jurisdiction:
        if code not in self:
            raise KeyError(code)
        if code not in self._held:
            for read_code, jurisdiction in self._read(code, dict(self._held)).items():
                self._held.setdefault(read_code, jurisdiction)
        return self._held[code]

    def __contains__(self, code: object) -> bool:
        return code in self._codes

    def __iter__(self) -> Iterator[str]:
        return iter(self._codes)

    def __len__(self) -> int:
        return len(self._codes)

    def __hash__(self) -> int:
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy may go to a machine that has other files, or none.
        return FrozenMapping, (dict(self),)


def _by_code(
    jurisdictions: Iterable[Jurisdiction] | ReadOnDemand,
) -> Mapping[str, Jurisdiction]:
    if isinstance(jurisdictions, ReadOnDemand):
        return jurisdictions
    in_order = sorted(jurisdictions, key=lambda jurisdiction: jurisdiction.code)
    return FrozenMapping({jurisdiction.code: jurisdiction for jurisdiction in in_order})


@frozen(repr=False)
class Jurisdictions:
    """
    The jurisdictions of one folder, by code.

    >>> from holdback import load_jurisdictions
    >>> load_jurisdictions().resolve("GB", on=date(2026, 7, 1)).currency.code
    'GBP'
    """

    _by_code: Mapping[str, Jurisdiction] = field(converter=_by_code)

    @property
    def reads_on_demand(self) -> bool:
        """Whether they are not in memory yet: those that ship are read when they are asked for."""
        return isinstance(self._by_code, ReadOnDemand)

    @property
    def codes(self) -> tuple[str, ...]:
        """Their codes, in order."""
        return tuple(self._by_code)

    def __iter__(self) -> Iterator[Jurisdiction]:
        return iter(self._by_code.values())

    def __len__(self) -> int:
        return len(self._by_code)

    def __repr__(self) -> str:
        return f"Jurisdictions({', '.join(self.codes)})"

    def _repr_html_(self) -> str:
        return shown_by("rulebooks.jurisdictions_html", self._by_code.values())

    def __getitem__(self, code: str) -> Jurisdiction:
        """
        Return the jurisdiction *code*.

        Raises:
            ConfigurationError: when there is no such jurisdiction.
        """
        try:
            return self._by_code[code]
        except (KeyError, TypeError):
            if code in self.codes:
                raise  # a mistake in the reader, not in the code
            raise self._unknown(code) from None

    def _unknown(self, code: object) -> ConfigurationError:
        listed = ", ".join(f"`{known_code}`" for known_code in self.codes) or "none"
        text = excerpt(str(code))
        states = (state for state in self.codes if state.endswith(f"-{text.upper()}"))
        near = did_you_mean(next(states, text.upper()), self.codes)
        hint = near or f"there are {listed}"
        return ConfigurationError.of(
            "unknown_name", f"unknown jurisdiction `{text}`", path="$.jurisdiction", hint=hint
        )

    def resolve(self, code: str, *, on: date) -> Rulebook:
        """
        Return the rulebook of the jurisdiction *code* on the day *on*.

        Raises:
            ConfigurationError: when there is no such jurisdiction, or it has no rules on that day.
        """
        return self[code].rulebook(on)

    def rulebooks(self) -> Iterator[Rulebook]:
        """Yield every rulebook of every jurisdiction, one for each change date."""
        return (rulebook for read in self._by_code.values() for rulebook in read.slices)

    def with_versions(self, versions: Mapping[str, int]) -> Jurisdictions:
        """Return them as priced by calculators of a host; see `Rulebook.with_versions`."""
        if not versions:
            return self
        return Jurisdictions(jurisdiction.with_versions(versions) for jurisdiction in self)

    def examples(self, code: str) -> tuple[Example, ...]:
        """Return the examples of the jurisdiction *code*, in the order of its files."""
        return self[code].examples

    def currency(self, code: str) -> Currency:
        """Return the currency of the jurisdiction *code*."""
        return self[code].currency

    def zone(self, code: str) -> pendulum.Timezone | pendulum.FixedTimezone:
        """Return the time zone of the jurisdiction *code*."""
        return self[code].zone
