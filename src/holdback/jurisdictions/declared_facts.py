"""
What the host knows in a jurisdiction: facts that it declares, and the checks that give them.

`[facts.NAME]` in `jurisdiction.toml` declares what only the host knows there, such as a licence or
an entry in a register. These facts are typed and checked like the built-in ones, and their values
arrive as evidence. A child inherits those of its parent.

`[checks.NAME]` says what holds of a check. A check gives some facts together, at one instant. Those
that `eligibility.facts.CHECKS` names are the same everywhere; a jurisdiction groups the facts that
it declares into checks of its own. A check that a file names has its age as a fact,
`NAME_age_days`. A child overlays its parent by check.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Final

from attrs import define, field

from holdback.eligibility.facts import CHECKS, DERIVED, EVIDENCE, MOST_DAYS, catalogue
from holdback.errors import did_you_mean, excerpt
from holdback.exact.money import Currency
from holdback.frozen_classes import frozen
from holdback.jurisdictions.keys import CHECK, DATA, DECLARED_FACT, KEPT, dated_form
from holdback.jurisdictions.quantity import read_quantity
from holdback.jurisdictions.source_rules import invalid_name
from holdback.jurisdictions.timeline import Timeline, read_timeline
from holdback.jurisdictions.toml import Node, TomlTable
from holdback.rulebooks.rulebook import CheckTerms, age_name
from holdback.rules import Catalogue, Fact, Kind, Type
from holdback.rules.check import MAX_MAGNITUDE
from holdback.rules.types import draft_label

# INVARIANT: a catalogue has at most 61 facts, 30 built in and these, inherited ones included: the
# masks of a portfolio have a bit for each, below their other bits (decisions/portfolios).
MAX_FACTS: Final = 31
MIN_OPTIONS: Final = 2
MAX_OPTIONS: Final = 200
_OPTION: Final = r"[A-Za-z0-9][A-Za-z0-9 ._/-]{0,59}"


def read_facts(
    node: Node, currency: Currency, inherited: Iterable[Fact], built_in: Catalogue | None = None
) -> tuple[Fact, ...]:
    """
    Return the valid facts in *node*, a table by name, which come after those *inherited*.

    None has the name of one of *built_in*, those that rules may read where it is left out.
    """
    of_holdback = {fact.name for fact in (built_in or catalogue(currency)).facts}
    inherited_names = {fact.name for fact in inherited}
    entries = node.entries()
    if len(entries.keys() | inherited_names) > MAX_FACTS:
        hint = f"{len(inherited_names)} of them are inherited" if inherited_names else None
        node.add_error("too_large", f"there are more than {MAX_FACTS} facts", hint, key=True)
        return ()
    facts = []
    # Sorted, so that the order of keys in a file never reaches the digest.
    for name, entry in sorted(entries.items()):
        invalid = invalid_name(name, "licence_valid")
        if invalid is not None:
            entry.add_error(*invalid, key=True)
        elif name in of_holdback:
            entry.add_error(
                "duplicate",
                f"`{name}` is a built-in fact",
                "rules can read it without a declaration",
                key=True,
            )
        elif name in inherited_names:
            entry.add_error(
                "duplicate", f"the parent has a fact `{name}` already", "it is inherited", key=True
            )
        else:
            facts.append(_fact(name, entry, currency))
    return tuple(fact for fact in facts if fact is not None)


def _fact(name: str, node: Node, currency: Currency) -> Fact | None:
    table = DECLARED_FACT.table(node)
    label, description, word = (
        DECLARED_FACT.value(table, key) for key in ("label", "description", "type")
    )
    if word is None:
        return None
    kind = Kind(word)
    moves = _moves(table, kind)
    options = _options(table, kind)
    if options is None:
        return None
    type_ = Type(kind, currency if kind is Kind.MONEY else None, options)
    if kind is Kind.FLAG or kind is Kind.TEXT:
        _reject_range(table, kind)
        low, high = 0, max(1, len(options) - 1)
    else:
        ends = _range(table, type_)
        if ends is None:
            return None
        low, high = ends
    if description is None:
        return None
    return Fact(
        name=name,
        type=type_,
        low=low,
        high=high,
        description=description,
        origin=EVIDENCE,
        label=label,
        moves=moves,
        of=DECLARED_FACT.value(table, "of"),
    )


def _moves(table: TomlTable, kind: Kind) -> str | None:
    """Return the direction in which a merchant can move the fact; a text has none."""
    if kind is not Kind.TEXT or table["moves"].absent:
        moves: str | None = DECLARED_FACT.value(table, "moves")
        return moves
    table["moves"].add_error(
        "not_allowed",
        "a text has no order, so it moves neither up nor down",
        "leave `moves` out",
        key=True,
    )
    return None


def _options(table: TomlTable, kind: Kind) -> tuple[str, ...] | None:
    """Return the options of a text; none for another kind; None when they are invalid."""
    node = table["options"]
    if kind is not Kind.TEXT:
        if not node.absent:
            node.add_error(
                "not_allowed", f"a {kind.value} has no options", "they are for `text`", key=True
            )
        return ()
    if node.absent:
        table.node.add_error(
            "missing", "`options` is missing", 'as `options = ["A", "B"]`', key=True
        )
        return None
    elements = node.elements()
    texts = [element.text(_OPTION, "a short text of letters and digits") for element in elements]
    options = tuple(text for text in texts if text is not None)
    if len(options) < len(elements) or not isinstance(node.value, list):
        return None
    if not MIN_OPTIONS <= len(set(options)) == len(options) <= MAX_OPTIONS:
        node.add_error("wrong_value", f"expected {MIN_OPTIONS} to {MAX_OPTIONS} options, each once")
        return None
    return options


def _reject_range(table: TomlTable, kind: Kind) -> None:
    for key in ("minimum", "maximum"):
        if not table[key].absent:
            table[key].add_error("not_allowed", f"a {kind.value} has no `{key}`", key=True)


def _range(table: TomlTable, type_: Type) -> tuple[int, int] | None:
    """Return the range of a number or a date, both ends included."""
    for key in ("minimum", "maximum"):
        if table[key].absent:
            table.node.add_error(
                "missing", f"`{key}` is missing", "rules are checked against the range", key=True
            )
    low = read_quantity(table["minimum"], type_)
    high = read_quantity(table["maximum"], type_)
    if low is None or high is None:
        return None
    if low >= high:
        table["maximum"].add_error("contradiction", "expected more than the minimum")
        return None
    # Generated code computes in 64-bit integers: see `rules.check` for the bound.
    if max(abs(low), abs(high)) > MAX_MAGNITUDE:
        table["maximum"].add_error(
            "out_of_range",
            "the range is too large to calculate exactly: more than 2**62 in the smallest unit "
            f"of {type_}",
        )
        return None
    return low, high


_GIVEN_BY: Final = {fact: check for check, facts in CHECKS.items() for fact in facts}


@frozen(kw_only=True)
class SourceCheck:
    """A check as a file names it; `node` is its table there."""

    name: str
    facts: tuple[str, ...]
    max_age: Timeline[int] | None
    consent: str | None
    node: Node = field(eq=False, repr=False)

    @property
    def age_fact(self) -> Fact:
        """The age of its newest result, as a fact."""
        return Fact(
            name=age_name(self.name),
            type=Type(Kind.DAYS),
            low=0,
            high=MOST_DAYS,
            description=f"Days since the newest result of the check `{self.name}`.",
            origin=DERIVED,
            label=f"age of the {draft_label(self.name)} check",
        )

    def terms(self, on: date, *, of_deal: bool) -> CheckTerms:
        """Return the check with the greatest age of the day *on*."""
        return CheckTerms(
            name=self.name,
            facts=self.facts,
            max_age_days=None if self.max_age is None else self.max_age.value_on(on),
            consent=self.consent,
            of_deal=of_deal,
        )


@frozen(kw_only=True)
class SourceData:
    """What a file says of a kind of data: a check, or what the service keeps besides."""

    legal_basis: str | None
    obtained_from: str | None
    node: Node = field(eq=False, repr=False)


def read_data(
    node: Node, checks: Mapping[str, SourceCheck], declared: Iterable[str]
) -> dict[str, SourceData]:
    """
    Return what is said of kinds of data in *node*, a table by name.

    A kind is one of the built-in checks, of *checks*, of the *declared* facts that no check gives,
    or of `KEPT`.
    """
    grouped = {fact for check in checks.values() for fact in check.facts}
    alone = [name for name in declared if name not in grouped]
    kinds = [*CHECKS, *checks, *alone, *KEPT]
    said = {}
    for name, entry in node.entries().items():
        if name not in kinds:
            hint = did_you_mean(name, kinds) or f"it is a check, or {' or '.join(KEPT)}"
            message = f"no data is called `{excerpt(name)}` here"
            entry.add_error("unknown_name", message, hint, key=True)
        said[name] = SourceData(**DATA.read(DATA.table(entry)), node=entry)
    return said


def age_facts(checks: Mapping[str, SourceCheck], declared: Sequence[Fact]) -> Iterator[Fact]:
    """Return the ages of *checks*, except where a *declared* fact has the name, an error."""
    names = {fact.name for fact in declared}
    return (check.age_fact for check in checks.values() if age_name(check.name) not in names)


def checks_on(
    checks: Mapping[str, SourceCheck], declared: Sequence[Fact], on: date
) -> dict[str, CheckTerms]:
    """
    Return every check of a jurisdiction on the day *on*: those built in, then its own.

    *checks* are those that its files name, and *declared* the facts that they declare. A declared
    fact that no check has is a check by its own name. Own checks come in the order of their facts.
    """
    own = {fact: check.name for check in checks.values() for fact in check.facts}
    every = {**CHECKS, **{name: check.facts for name, check in checks.items()}}
    names = [*CHECKS, *dict.fromkeys(own.get(fact.name, fact.name) for fact in declared)]
    # The facts of one check are all about a deal, or none is.
    of_deal = {own.get(fact.name, fact.name) for fact in declared if fact.of is not None}
    return {
        name: checks[name].terms(on, of_deal=name in of_deal)
        if name in checks
        else CheckTerms(name=name, facts=every.get(name, (name,)), of_deal=name in of_deal)
        for name in names
    }


@define(kw_only=True)
class ChecksReader:
    """
    Reads the checks of a jurisdiction which declares the facts *declared* and inherits *inherited*.

    *fact_nodes* are the facts that its own file declares, valid or not.
    """

    declared: Sequence[Fact]
    inherited: Mapping[str, SourceCheck]
    fact_nodes: Mapping[str, Node]

    def read(self, node: Node) -> dict[str, SourceCheck]:
        """Return the valid checks in *node*, a table by name, over those inherited."""
        own = {}
        # Sorted, so that the order of keys in a file never reaches the digest.
        for name, entry in sorted(node.entries().items()):
            check = self._check(name, entry)
            if check is not None:
                own[name] = check
        checks = {**self.inherited, **own}
        self._report_facts_given_twice(checks, own)
        self._report_names_used_twice(checks, own)
        if len(checks) + len(self.declared) > MAX_FACTS:
            node.add_error(
                "too_large",
                f"there are more than {MAX_FACTS} facts: {len(self.declared)} are declared, and "
                f"{len(checks)} are ages of checks",
                key=True,
            )
        return checks

    def _check(self, name: str, node: Node) -> SourceCheck | None:
        table = CHECK.table(node)
        before = len(node.document.errors)
        facts = self._facts_of(name, node, table["facts"])
        max_age = None
        if not table["max_age_days"].absent:
            read = dated_form(CHECK.rows["max_age_days"]).reader
            max_age = read_timeline(table["max_age_days"], read)
        consent = CHECK.value(table, "consent")
        if len({fact.of for fact in self.declared if fact.name in facts}) > 1:
            table["facts"].add_error(
                "contradiction",
                "some of these facts are about a deal (`of`), and others are not",
                "a result is about one thing: give them to two checks",
            )
        if len(node.document.errors) > before or not isinstance(node.value, dict):
            return None
        return SourceCheck(name=name, facts=facts, max_age=max_age, consent=consent, node=node)

    def _facts_of(self, name: str, node: Node, facts: Node) -> tuple[str, ...]:
        """Return the facts that the check *name* gives; it is its own if it lists any *facts*."""
        if name in CHECKS:
            if not facts.absent:
                listed = " and ".join(f"`{fact}`" for fact in CHECKS[name])
                message = f"the check `{name}` always gives {listed}"
                facts.add_error("not_allowed", message, "leave `facts` out here", key=True)
            return CHECKS[name]
        invalid = invalid_name(age_name(name), age_name("licence"))
        if invalid is not None:
            node.add_error(invalid[0], f"`{excerpt(name)}` cannot be a name", invalid[2], key=True)
        elif facts.absent and isinstance(node.value, dict):
            hint = did_you_mean(name, [*CHECKS, *self.inherited])
            node.add_error(
                "unknown_name",
                f"there is no check `{name}`",
                hint or 'a check of your own lists what it gives: `facts = ["licence_valid"]`',
                key=True,
            )
        elif facts.value == []:
            facts.add_error("missing", "expected at least one fact", 'as `["licence_valid"]`')
        names = (self._declared_fact(element) for element in facts.elements())
        return tuple(fact for fact in names if fact is not None)

    def _declared_fact(self, node: Node) -> str | None:
        """Return the declared fact that *node* names; None when there is no such fact."""
        name = node.text()
        names = [fact.name for fact in self.declared]
        if name is None or name in names or name in self.fact_nodes:
            return name
        if name in _GIVEN_BY:
            check = _GIVEN_BY[name]
            node.add_error(
                "not_allowed", f"`{name}` belongs to the check `{check}`", "leave it out"
            )
        else:
            hint = did_you_mean(name, names) or "a check gives facts that `[facts]` declares"
            node.add_error("unknown_name", f"no fact `{excerpt(name)}` is declared", hint)
        return None

    def _report_facts_given_twice(
        self, checks: Mapping[str, SourceCheck], own: Mapping[str, SourceCheck]
    ) -> None:
        """Add an error for every fact that two of *checks* give; one of them is an *own* one."""
        inherited = [check for name, check in checks.items() if name not in own]
        given_by = {fact: check.name for check in inherited for fact in check.facts}
        for check in own.values():
            for fact in check.facts:
                if fact in given_by:
                    check.node.add_error(
                        "duplicate",
                        f"the check `{given_by[fact]}` gives `{fact}` already",
                        "one check gives a fact, once",
                        key=True,
                    )
                given_by[fact] = check.name

    def _report_names_used_twice(
        self, checks: Mapping[str, SourceCheck], own: Mapping[str, SourceCheck]
    ) -> None:
        """Add an error for every declared fact that has the name of a check, or of an age."""
        grouped = {fact for check in checks.values() for fact in check.facts}
        ages = {age_name(name): name for name in checks}
        for fact in self.declared:
            name, check = fact.name, ages.get(fact.name)
            if check is not None:
                message = f"`{name}` is the age of the check `{check}`"
            elif name not in grouped and (name in checks or name in CHECKS):
                check, message = name, f"`{name}` is a check, and a fact that it does not give"
            else:
                continue
            # An inherited fact is right by itself: it is the own check that has its name.
            node = self.fact_nodes[name] if name in self.fact_nodes else own[check].node
            node.add_error("duplicate", message, "give one of them another name", key=True)
