"""Engines and rulebooks that ship, facts and evidence for a rulebook, assessments and errors."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from functools import lru_cache
from typing import Final

from hypothesis import strategies as st
from hypothesis.vendor.pretty import RepresentationPrinter, for_type_by_name

from holdback.eligibility.assessment import FLOOR, Assessment, assess
from holdback.eligibility.facts import BUILT_IN_FACTS, EVIDENCE, EVIDENCE_FACTS, INITIAL_EVIDENCE
from holdback.eligibility.reasons import Reason
from holdback.engine import Engine
from holdback.errors import ERROR_CODES as CODES_OF_ERRORS
from holdback.errors import REFUSALS as CODES
from holdback.errors import (
    ConfigurationError,
    ErrorDetail,
    HistoryError,
    HoldbackError,
    InvalidDocument,
    Refusal,
    RuleError,
    StateError,
)
from holdback.exact.exact_json import Json
from holdback.jurisdictions import load_jurisdictions
from holdback.jurisdictions.jurisdiction import Jurisdictions
from holdback.rulebooks.rulebook import Rulebook
from holdback.rules.types import Fact, Kind
from holdback.testing.strategies.values import RECORDS, TEXTS, WORDS, few, maybe

# Years after the last change of a jurisdiction's rules in which days are drawn.
_LATER_YEARS: Final = 5
# Days since a credit check, at most.
_CHECKED_DAYS: Final = 400


@lru_cache(maxsize=1)
def shipped_engine() -> Engine:
    """Return the engine with the jurisdictions that ship, made when it is first drawn."""
    return Engine.for_trial()


def _shipped(codes: Iterable[str]) -> Jurisdictions:
    loaded = load_jurisdictions()
    return Jurisdictions([loaded[code] for code in codes])


def _by_repr(value: object, printer: RepresentationPrinter, _: object) -> None:
    printer.text(repr(value))


# With a failure Hypothesis shows all fields of an attrs class, even those that its `repr` leaves
# out. The files and rules of these classes are too long to show.
for _kind in (Engine, Jurisdictions, Rulebook, Assessment):
    for_type_by_name(_kind.__module__, _kind.__qualname__, _by_repr)

ENGINES: Final = st.builds(shipped_engine)
JURISDICTIONS: Final[st.SearchStrategy[Jurisdictions]] = st.deferred(
    lambda: st.lists(
        st.sampled_from(shipped_engine().jurisdictions.codes), min_size=1, unique=True
    ).map(_shipped)
)


def days_of(jurisdictions: Jurisdictions, code: str) -> st.SearchStrategy[date]:
    """Return days on which the jurisdiction has rules, most often the days of a change."""
    changes = jurisdictions[code].changes
    last = date(changes[-1].year + _LATER_YEARS, 12, 31)
    return st.sampled_from(changes) | st.dates(changes[0], last)


def rulebooks(jurisdictions: Jurisdictions | None = None) -> st.SearchStrategy[Rulebook]:
    """
    Return a strategy for rulebooks on drawn days, of *jurisdictions* or of those that ship.

    >>> from hypothesis import find
    >>> from holdback import load_jurisdictions
    >>> find(rulebooks(load_jurisdictions()), lambda rulebook: rulebook.code == "GB").code
    'GB'
    """

    def resolved(place: tuple[str, date]) -> Rulebook:
        code, on = place
        return source().resolve(code, on=on)

    def source() -> Jurisdictions:
        return load_jurisdictions() if jurisdictions is None else jurisdictions

    def days(code: str) -> st.SearchStrategy[tuple[str, date]]:
        return st.tuples(st.just(code), days_of(source(), code))

    codes = st.deferred(lambda: st.sampled_from(source().codes))
    return codes.flatmap(days).map(resolved)


def _thresholds(fact: Fact, rulebook: Rulebook) -> list[int]:
    """Return the numbers around every parameter of the fact's type, and around the floor."""
    numbers = [p.number for p in rulebook.parameters.values() if p.type == fact.type]
    numbers += [FLOOR] if fact.name == "progress" else []
    near = {number + step for number in numbers for step in (-1, 0, 1)}
    return sorted(number for number in near if fact.low <= number <= fact.high)


def _fact_values(fact: Fact, rulebook: Rulebook) -> st.SearchStrategy[Json]:
    drawn = st.integers(fact.low, fact.high)
    if fact.type.kind is Kind.DATE:
        today = rulebook.on.toordinal()
        drawn = st.integers(today - _CHECKED_DAYS, today)
    near = _thresholds(fact, rulebook)
    return ((st.sampled_from(near) | drawn) if near else drawn).map(fact.type.plain)


def named_facts(names: Iterable[str], rulebook: Rulebook) -> st.SearchStrategy[dict[str, Json]]:
    """Return values of the facts with these *names*, each absent, null or in its range."""
    facts = [fact for name in names if (fact := rulebook.catalogue.fact(name)) is not None]
    return st.fixed_dictionaries(
        {}, optional={fact.name: st.none() | _fact_values(fact, rulebook) for fact in facts}
    )


def facts(rulebook: Rulebook) -> st.SearchStrategy[dict[str, Json]]:
    """
    Return a strategy for facts that `rulebook.assess` takes, as JSON.

    A fact is absent, null or in its range, and often near a threshold of the rulebook.

    >>> from datetime import date
    >>> from hypothesis import find
    >>> from holdback import load_jurisdictions
    >>> rulebook = load_jurisdictions().resolve("GB", on=date(2026, 7, 1))
    >>> find(facts(rulebook), lambda facts: rulebook.assess(facts).outcome == "not_assessed")
    {'progress': '49.9999%'}
    """
    return named_facts((fact.name for fact in rulebook.catalogue.facts), rulebook)


def evidence(rulebook: Rulebook, *, renewal: bool = False) -> st.SearchStrategy[dict[str, Json]]:
    """
    Return a strategy for evidence of a request for offers, initial or *renewal*, as JSON.

    >>> from datetime import date
    >>> from hypothesis import find
    >>> from holdback import load_jurisdictions
    >>> rulebook = load_jurisdictions().resolve("GB", on=date(2026, 7, 1))
    >>> find(evidence(rulebook), lambda evidence: evidence.get("identity_verified"))
    {'identity_verified': True}
    """
    return named_facts(evidence_names(rulebook, renewal=renewal), rulebook)


def evidence_names(rulebook: Rulebook, *, renewal: bool) -> tuple[str, ...]:
    """Return the names of facts that may be evidence, those that the jurisdiction declares too."""
    own = rulebook.catalogue.facts[BUILT_IN_FACTS:]
    added = (fact.name for fact in own if fact.origin == EVIDENCE)
    return (*(EVIDENCE_FACTS if renewal else INITIAL_EVIDENCE), *added)


def assessments() -> st.SearchStrategy[Assessment]:
    """Return assessments of drawn facts by the rulebooks that ship, some with approved rules."""

    def of(rulebook: Rulebook) -> st.SearchStrategy[Assessment]:
        rules = rulebook.renewal
        return st.builds(
            lambda given, above, lifted: assess(
                rules, rulebook.catalogue.prepare({**given, **above}), rulebook.on, lifted=lifted
            ),
            facts(rulebook),
            st.sampled_from([{}, {"progress": "75%"}]),
            st.sampled_from([0, 2 ** len(rules.rules) - 1]),
        )

    return rulebooks().flatmap(of)


_NUMBERS: Final = st.dictionaries(WORDS, TEXTS, max_size=2)
REASONS: Final = st.builds(
    Reason,
    code=WORDS,
    rule=WORDS,
    text=TEXTS,
    facts=RECORDS,
    file=maybe(WORDS),
    line=maybe(st.integers(1, 1000)),
    measured=_NUMBERS,
    threshold=_NUMBERS,
)

ERROR_DETAILS: Final = st.builds(
    ErrorDetail,
    code=st.sampled_from(sorted(CODES_OF_ERRORS)),
    message=WORDS,
    path=maybe(st.sampled_from(["$.application.currency", "$.rules[2].require", '$["as of"]'])),
    hint=maybe(WORDS),
)
_LISTED: Final = st.lists(ERROR_DETAILS, min_size=1, max_size=3)
INVALID_DOCUMENTS: Final = _LISTED.map(InvalidDocument)
STATE_ERRORS: Final = _LISTED.map(StateError)
CONFIGURATION_ERRORS: Final = _LISTED.map(ConfigurationError)
HISTORY_ERRORS: Final = _LISTED.map(HistoryError)
REFUSALS: Final = st.builds(
    Refusal, st.sampled_from(sorted(CODES)), WORDS, errors=few(ERROR_DETAILS)
)


@st.composite
def rule_errors(draw: st.DrawFn) -> RuleError:
    """Draw an error of an expression, with the place in it."""
    source = draw(WORDS)
    start = draw(st.integers(0, len(source) - 1))
    return RuleError(
        draw(WORDS),
        source=source,
        start=start,
        end=draw(st.integers(start + 1, len(source))),
        stage=draw(st.sampled_from(["text", "syntax", "types"])),
        hint=draw(maybe(WORDS)),
    )


ERRORS: Final[st.SearchStrategy[HoldbackError]] = st.one_of(
    INVALID_DOCUMENTS,
    STATE_ERRORS,
    CONFIGURATION_ERRORS,
    HISTORY_ERRORS,
    REFUSALS,
    rule_errors(),
)
