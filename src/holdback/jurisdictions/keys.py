"""Every key of the files of a jurisdiction, told once: its form, its meaning, and its default.

The readers read by a row, `holdback schema` and the pages describe it, and overlays, histories and
mutants look up what changes by date. A row whose form has
no `read` is read by the module of its subject, because that takes more than the value: the
currency, the parent, or what else is in the folder.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from attrs import evolve, field

from holdback.eligibility.assessment import OUTCOMES
from holdback.eligibility.assessment import REFERRED as REFERRED_OUTCOME
from holdback.eligibility.facts import DEAL, DOWN, MOST_DAYS, UP
from holdback.eligibility.reasons import SERVICE_REASONS
from holdback.eligibility.ruleset import DECLINE, PLACEHOLDER, REFER
from holdback.errors import RuleError, did_you_mean, excerpt, listed
from holdback.exact.bounds import MOST_TERM_DAYS
from holdback.exact.exact_json import Json
from holdback.exact.exact_numbers import ROUNDINGS
from holdback.exact.money import MINOR_UNITS, Currency
from holdback.frozen_classes import frozen
from holdback.jurisdictions.quantity import quantity_schema
from holdback.jurisdictions.toml import MAX_TEXT, Node, TomlTable
from holdback.merchant.fee_terms import FEE_REASONS
from holdback.merchant.merchant import SIGNATURES
from holdback.merchant.product import ACCEPTED, DECLINED, REFERRED
from holdback.rulebooks.product_terms import CALCULATORS, RENEWALS, SETTLE, SETTLEMENT
from holdback.rulebooks.regime import ACTUARIAL, EFFECTIVE, REQUIRED
from holdback.rules import Kind, Tree, Type, parse
from holdback.rules.number_format import NumberFormat

# -- what can be written for a key


@frozen
class ValueForm:
    """
    One value: `schema` is what an editor checks of it, and `read` returns it from its node.

    What is invalid is read as None, with an error. `ends` are those of a whole number.
    """

    schema: Mapping[str, Json]
    read: Callable[[Node], Any] | None = None
    ends: tuple[int, int] | None = None

    @property
    def reader(self) -> Callable[[Node], Any]:
        """What reads it, of a form that can be read by itself."""
        assert self.read is not None, "the module of its subject reads it"
        return self.read


@frozen
class ListOf:
    """An array of values, each of one form."""

    form: KeyForm


@frozen
class ByName:
    """A table of values of one form, by names that the author chooses."""

    form: KeyForm


@frozen
class Dated:
    """A timeline: what the value is from which day on, and where that comes from."""

    form: ValueForm


@frozen
class Key:
    """
    A key: its name, what can be written for it, and what it means, in a sentence for its author.

    A key that is left out has its `default`. One of `jurisdiction.toml` that is `inherited` has the
    value of the parent then. `title` is what a setting is called where changes are drawn, and on a
    policy page.
    """

    name: str
    form: KeyForm
    meaning: str | None = None
    required: bool = field(default=False, kw_only=True)
    default: Any = field(default=None, kw_only=True)
    inherited: bool = field(default=False, kw_only=True)
    title: str | None = field(default=None, kw_only=True)


def dated_form(row: Key) -> ValueForm:
    """Return the form of one value of a key that changes by date."""
    assert isinstance(row.form, Dated), f"`{row.name}` does not change by date"
    return row.form.form


def _by_name(rows: Iterable[Key]) -> Mapping[str, Key]:
    return MappingProxyType({row.name: row for row in rows})


@frozen
class Keys:
    """
    The keys of a table, by name.

    It has exactly one of the keys `one_of`, where there are any.
    """

    rows: Mapping[str, Key] = field(converter=_by_name)
    one_of: tuple[str, ...] = ()

    @property
    def required(self) -> tuple[str, ...]:
        """The names of those that have to be given."""
        return tuple(row.name for row in self.rows.values() if row.required)

    def table(self, node: Node, required: Collection[str] | None = None) -> TomlTable:
        """Return *node* as a table with these keys, of which others may be *required* here."""
        needed = self.required if required is None else required
        return node.table(needed, tuple(name for name in self.rows if name not in needed))

    def read(self, table: TomlTable) -> dict[str, Any]:
        """Return the values in *table* of the keys that can be read by themselves."""
        read = (
            row for row in self.rows.values() if isinstance(row.form, ValueForm) and row.form.read
        )
        return {row.name: self.value(table, row.name) for row in read}

    def value(self, table: TomlTable, name: str) -> Any:
        """Return the value in *table* of the key *name*, one that can be read by itself."""
        row = self.rows[name]
        assert isinstance(row.form, ValueForm), f"the module of its subject reads `{name}`"
        value = row.form.reader(table[name])
        return row.default if value is None else value

    def with_rows(self, *more: Key) -> Keys:
        """Return these keys and *more*."""
        return Keys((*self.rows.values(), *more), self.one_of)


KeyForm: TypeAlias = ValueForm | ListOf | ByName | Dated | Keys


# -- the forms

# The longest id or code: both appear in decision records and in notices to merchants.
MAX_NAME: Final = 60
ID: Final = r"[a-z][a-z0-9]*(-[a-z0-9]+)*"
NAME: Final = r"[a-z][a-z0-9_]{0,59}"
# More names than anybody fills in or agrees to.
MOST_NAMES: Final = 12
# The longest label: a sentence has a few of them.
MOST_CHARACTERS: Final = 60
_LONGEST_EXPRESSION: Final = 1000
_PARENT: Final = "[A-Z]{2}(-[A-Z0-9]{1,3})?"


def _schema(pattern: str | None = None) -> dict[str, Json]:
    """Return the JSON Schema of a text that matches the whole *pattern*."""
    text: dict[str, Json] = {"type": "string", "minLength": 1}
    return text if pattern is None else {**text, "pattern": f"^{pattern}$"}


def _text(
    pattern: str | None = None, expected: str = "text", *, max_length: int = MAX_TEXT
) -> ValueForm:
    read = partial(Node.text, pattern=pattern, expected=expected, max_length=max_length)
    return ValueForm(_schema(pattern), read)


def _name(example: str) -> ValueForm:
    return _text(NAME, f"a name such as `{example}`: small letters, digits and underscores")


def _one_of(words: Iterable[str]) -> ValueForm:
    return ValueForm({"type": "string", "enum": list(words)})


def _words(words: Iterable[str], what: str) -> ValueForm:
    options = tuple(words)
    return evolve(_one_of(options), read=partial(Node.one_of, words=options, what=what))


def _whole(low: int, high: int) -> ValueForm:
    schema: dict[str, Json] = {"type": "integer", "minimum": low, "maximum": high}
    return ValueForm(schema, partial(Node.integer, low=low, high=high), (low, high))


def _quantity(kind: Kind) -> ValueForm:
    """Return the form of a value with a unit: it is read with the currency of its folder."""
    return ValueForm(quantity_schema(Type(kind, _SOME if kind is Kind.MONEY else None)))


def read_expression(node: Node) -> Tree | None:
    """Return the tree of the expression in *node*; None when it is absent or invalid."""
    if node.absent:
        return None
    if not isinstance(node.value, str):
        node.add_type_error('an expression in quotes, such as `"progress >= 60%"`')
        return None
    try:
        return parse(node.value)
    except RuleError as error:
        add_rule_error(node, error)
        return None


def add_rule_error(node: Node, error: RuleError) -> None:
    """Add *error*, about the expression in *node*, at the characters that it names."""
    node.add_error_at_part((error.start, error.end), "invalid_rule", error.message, error.hint)


def _sentence(like: str) -> ValueForm:
    """Return the form of a sentence that can have the figures in braces that *like* has."""
    figures = [match[1] for match in PLACEHOLDER.finditer(like)]
    return ValueForm(_schema(), partial(read_sentence, figures=figures))


def read_sentence(node: Node, figures: Collection[str]) -> str | None:
    """Return the sentence in *node*, whose braces hold some of the *figures*; else None."""
    sentence = node.text()
    if sentence is None or has_stray_brace(node, sentence):
        return None
    wrong = [match for match in PLACEHOLDER.finditer(sentence) if match[1] not in figures]
    for match in wrong:
        message = f"`{{{match[1]}}}` is not a figure of this sentence"
        near = did_you_mean(match[1], figures)
        hint = near or (f"it can have {listed(figures)}" if figures else "it can have none")
        node.add_error_at_part(match.span(), "unknown_name", message, hint)
    return None if wrong else sentence


def has_stray_brace(node: Node, sentence: str) -> bool:
    """Return whether *sentence* has a brace that holds no name, adding an error to its *node*."""
    stray = bool(set("{}") & set(PLACEHOLDER.sub("", sentence)))
    if stray:
        node.add_error(
            "wrong_value", "braces hold the name of a fact or a parameter", "as `{performance}`"
        )
    return stray


def _names(example: str) -> ValueForm:
    """Return the form of an array of names, each once and at most `MOST_NAMES`, like *example*."""
    name = _name(example)
    return ValueForm({"type": "array", "items": name.schema}, partial(_read_names, name=name))


def _read_names(node: Node, name: ValueForm) -> tuple[str, ...]:
    """Return the valid names in *node*, in their order."""
    if isinstance(node.value, list) and len(node.value) > MOST_NAMES:
        node.add_error("too_large", f"expected at most {MOST_NAMES} names", key=True)
        return ()
    names: list[str] = []
    for element in node.elements():
        text = name.reader(element)
        if text in names:
            element.add_error("duplicate", f"`{excerpt(text)}` is listed twice", "once is enough")
        elif text is not None:
            names.append(text)
    return tuple(names)


_SOME: Final = Currency.of("GBP")  # every currency is written in the same form
_ANY: Final = _text()
_FLAG: Final = ValueForm({"type": "boolean"}, Node.flag)
# The days of a period are read together.
_DAY: Final = ValueForm({"type": "string", "format": "date"})
_MONEY: Final = _quantity(Kind.MONEY)
_EXPRESSION: Final = ValueForm(
    {"type": "string", "maxLength": _LONGEST_EXPRESSION}, read_expression
)
_REVIEW: Final = evolve(_DAY, read=Node.day)
_ZONE: Final = ValueForm(
    _schema(),
    _text(
        r"[A-Za-z][A-Za-z0-9_+-]{0,30}(/[A-Za-z0-9_+-]{1,30}){0,2}",
        "a name such as `Europe/London`",
    ).read,
)
# A value that says its own type, or whose type another key says.
_END: Final = ValueForm({"type": ["string", "integer", "number"]})
_VALUE: Final = ValueForm({"type": ["string", "integer", "number", "boolean"]})
# The facts and calculators that there are describe themselves.
FACTS: Final = ValueForm({})
CALCULATOR: Final = ValueForm({})
# A letter in front, and no braces, which name figures in the sentences for merchants.
_LABEL: Final = ValueForm(
    {"type": "string", "pattern": "^[^{}]+$", "maxLength": MOST_CHARACTERS},
    _text(
        r"[^\W\d_][^{}]*(?<![\s.,:;!?])",
        "words such as `tax debt`: a letter first, no braces, no point at the end",
        max_length=MOST_CHARACTERS,
    ).read,
)


# -- keys of several tables


def _needed(name: str, form: KeyForm, meaning: str | None = None) -> Key:
    """Return a key that has to be given."""
    return Key(name, form, meaning, required=True)


def _inherited(*rows: Key) -> tuple[Key, ...]:
    """Return *rows* as keys that a child may leave to its parent."""
    return tuple(evolve(row, inherited=True) for row in rows)


def _keys(*rows: Key, one_of: tuple[str, ...] = ()) -> Keys:
    return Keys(rows, one_of)


_FORMAT: Final = _needed(
    "format", ValueForm({"type": "integer", "enum": [1]}), "The format of the file: 1."
)
_FOR_PEOPLE: Final = _needed("name", _ANY, "For people.")
_DESCRIPTION: Final = _needed("description", _ANY)
_BEGINS: Final = _needed("from", _DAY, "The first day.")
_FROM: Final = evolve(_BEGINS, required=False)
_UNTIL: Final = Key("until", _DAY, "The first day after; left out: still in force.")
_PERIOD: Final = (_FROM, _UNTIL)
_SOURCE: Final = _needed("source", _ANY, "Where it comes from.")
_REASON: Final = _needed(
    "reason", _ANY, "A sentence for the merchant, with facts and parameters in braces."
)
_CODE: Final = (
    "The code: of the jurisdiction, the name of its folder; of a rule, stable and never used again."
)
_CALLED: Final = Key(
    "label",
    _LABEL,
    "The name in sentences, as `tax debt`; left out: drafted from the name in rules.",
)
_ASKED_FOR: Final = _needed("product", _ANY, "The key of the product that is asked for.")
ENTRY: Final = _keys(
    _BEGINS, _UNTIL, _needed("value", _VALUE, "The value from that day on."), _SOURCE
)


# -- `jurisdiction.toml`


def _dated(
    name: str, meaning: str, title: str, *, ends: tuple[int, int], default: int | None = None
) -> Key:
    """Return a setting that changes by date; only one without a *default* has to be stated."""
    return Key(
        name,
        Dated(_whole(*ends)),
        meaning.format(default=default),
        required=default is None,
        default=default,
        title=title,
    )


# Offers and cooling off last for at most a leap year, a profile is kept for at most a hundred
# years, and all others are at most ten. Those with a default decide no outcome and no price
# (decisions/jurisdiction-folders#settings-that-no-digest-covers).
_DATED: Final = (
    _dated(
        "offers_valid_hours",
        "How long offers are valid, in hours.",
        "Time in which an offer is open",
        ends=(1, 24 * 366),
    ),
    _dated(
        "recently_active_days",
        "How long after its repayment a deal may still be renewed, in days.",
        "Time to renew after the repayment",
        ends=(0, 3_660),
    ),
    _dated(
        "retain_profile_days",
        "How long after the end of the last deal a merchant's profile is kept, in days; {default} "
        "where it is left out.",
        "Time for which a profile is kept",
        ends=(0, 36_500),
        default=5 * 365 + 1,  # five years and a leap day
    ),
    _dated(
        "approval_days",
        "How long a person's approval of a referral holds, in days; {default} where it is left "
        "out.",
        "Time for which an approval holds",
        ends=(1, 3_660),
        default=30,
    ),
    _dated(
        "acceptance_days",
        "How long an accepted application waits for its funding, in days; {default} where it is "
        "left out.",
        "Time to fund an accepted application",
        ends=(1, 3_660),
        default=30,
    ),
    _dated(
        "cooling_off_days",
        "For how many days after its funding a deal can be unwound; left out: never.",
        "Cooling-off period",
        ends=(0, 366),
        default=0,
    ),
)
# The settings that change by date, by name.
DATED: Final[Mapping[str, Key]] = _by_name(_DATED)

# A result of a check may have to be of today, or may be as old as a fact of days can say.
MAX_AGE_DAYS: Final = (0, MOST_DAYS)
# What an example of settings expects of checks: how old a result may be on the day, by check.
MAX_AGES: Final = "max_age_days"
_AGE: Final = "How old a result may be, in days: an older one is unknown."
CHECK: Final = _keys(
    Key("max_age_days", Dated(_whole(*MAX_AGE_DAYS)), _AGE),
    Key("facts", ListOf(_name("licence_valid")), "The declared facts that it gives."),
    Key(
        "consent",
        _name("credit_search"),
        "The consent that has to be given before the check is made.",
    ),
)

# What the service keeps of a merchant besides the results of checks.
DEALS: Final = "deals"
PROFILE: Final = "profile"
KEPT: Final = (DEALS, PROFILE)
# What is said of a kind of data. It decides nothing, and is in no digest of rules.
DATA: Final = _keys(
    Key("legal_basis", _ANY, "Why it may be used: `needed for the contract`."),
    Key("obtained_from", _ANY, "From whom it comes: `a credit reference agency`."),
)

# The directions in which a merchant can move a fact. They decide nothing, and are in no digest.
MOVES: Final = (UP, DOWN)
DECLARED_FACT: Final = _keys(
    _needed("type", _words((kind.value for kind in Kind), "type")),
    _DESCRIPTION,
    _CALLED,
    Key("minimum", _END),
    Key("maximum", _END),
    Key("options", ListOf(_ANY)),
    Key(
        "moves",
        _words(MOVES, "direction"),
        "The direction in which a merchant can move the fact; left out: it cannot.",
    ),
    Key(
        "of",
        _words((DEAL,), "subject"),
        "What the fact is about: with `deal`, the deal that is renewed, so that it is unknown for "
        "the next one; left out: the applicants and the company.",
    ),
)

FIGURES: Final = Keys(
    _needed(name, ValueForm({"type": "string"}) if name == "group" else _ANY)
    for name in NumberFormat.KEYS
)

# What can be switched off.
CLAIM: Final = "claim"
TABLE_OF_TIERS: Final = "table"
SWITCHED_OFF: Final = (
    Key("rule", _text(ID, "the id of a rule")),
    Key("parameter", _text(NAME, "the id of a parameter")),
    Key(
        "product",
        _text(NAME, "the id of a product"),
        "The key of a product; beside `rule`: the product in which the rule is dropped.",
    ),
    Key(TABLE_OF_TIERS, _text(ID, "the id of a table"), "The id of a table, with all its rows."),
    Key(CLAIM, _text(None, "the name of a claim"), "The name of a claim."),
)
SWITCH_OFF: Final = _keys(*SWITCHED_OFF, _REASON, *_PERIOD)

_ON: Final = Key("on", _DAY, "The day.")
_EXPECT: Final = "What must come out."
EXPECTED_SETTINGS: Final = _keys(
    *(evolve(row, form=dated_form(row), required=False, default=None) for row in _DATED),
    Key(MAX_AGES, ByName(_whole(*MAX_AGE_DAYS)), _AGE),
)
# How an example says what a setting is.
AS_EXPECTED: Final = "as `offers_valid_hours = 720`"
EXAMPLE_OF_SETTINGS: Final = Keys(
    (_FOR_PEOPLE, _ON, *_PERIOD, _needed("expect", EXPECTED_SETTINGS, _EXPECT))
)
_EXAMPLES: Final = "What must come out, for which facts, on which days."

# What becomes of a remittance on a deal that has ended.
REFUND: Final = "refund"
LATE_REMITTANCES: Final = ("transfer", REFUND)

_SETTINGS: Final = _inherited(
    _needed("currency", _one_of(MINOR_UNITS), "ISO 4217: `GBP`."),
    _needed("rounding", _words(ROUNDINGS, "rounding"), "How amounts round to minor units."),
    _needed("timezone", _ZONE, "Local dates and day counts are in this zone: `Europe/London`."),
    _needed(
        "automated_decisioning",
        _FLAG,
        "Whether an expired, unaccepted set calls for a second consumer credit check.",
    ),
    *_DATED,
    Key(
        "signature",
        _words(SIGNATURES, "time of a signature"),
        "When the merchant has to have signed; left out: no signature is needed.",
    ),
    Key(
        "bank_details",
        _names("sort_code"),
        "The fields of complete bank details; left out: all details are complete.",
    ),
    Key("consents", _names("terms"), "The consents that an offer needs."),
    Key(
        "late_remittances",
        _words(LATE_REMITTANCES, "treatment"),
        "What becomes of a remittance on a deal that has ended: it is refunded where this is "
        "left out.",
        default=REFUND,
    ),
)
_SAID: Final = _inherited(
    *(
        Key(name, _ANY, f"{title}. It is for the policy page.", title=title)
        for name, title in (
            ("referrals_reviewed_by", "Who looks at a referral"),
            ("declines_reviewed_by", "Who looks at a decline again, when the merchant asks"),
            ("complaints_to", "Where a merchant complains"),
            ("complaints_within", "Within which time a complaint is answered"),
            ("complaints_then_to", "To whom a merchant turns after that"),
        )
    ),
)
# What a policy page says, by name. No rulebook has it: nothing decides by it.
SAID: Final[Mapping[str, Key]] = _by_name(_SAID)
JURISDICTION: Final = _keys(
    _FORMAT,
    _needed("code", ValueForm(_schema(_PARENT), Node.text), _CODE),
    _FOR_PEOPLE,
    _needed("owner", _ANY, "Who answers for the rules."),
    _needed("review_by", _REVIEW, "The day by which the owner looks at them again."),
    *_SETTINGS,
    Key(
        "facts",
        ByName(DECLARED_FACT),
        "Facts that only the host knows here: their values come as evidence.",
    ),
    Key(
        "checks",
        ByName(CHECK),
        "What holds of the host's checks here: how old a result may be, which declared facts a "
        "check gives, and the consent that it needs.",
    ),
    *_SAID,
    Key(
        "data",
        ByName(DATA),
        "On which legal basis each kind of data is used, and from whom it comes: by the name of a "
        "check, `deals` or `profile`.",
    ),
    *_inherited(Key("figures", FIGURES, "How figures are written in the sentences for merchants.")),
    Key("examples", ListOf(EXAMPLE_OF_SETTINGS), _EXAMPLES),
    Key(
        "parent",
        _text(_PARENT, "the code of a jurisdiction"),
        "The jurisdiction whose rules, parameters and products this one takes over.",
    ),
    Key(
        "switch_off",
        ListOf(SWITCH_OFF),
        "What this jurisdiction drops of its parent's, each with a reason.",
    ),
)
# Keys that every folder has; a child may leave the other required ones to its parent.
OWN: Final = tuple(name for name in JURISDICTION.required if not JURISDICTION.rows[name].inherited)


# -- what `renewal.toml` and `products.toml` share

PARAMETER: Final = _keys(
    _needed("type", _words((kind.value for kind in Kind if kind is not Kind.TEXT), "type")),
    _CALLED,
    _needed(
        "timeline",
        Dated(_VALUE),
        "Values in the order of their dates, each in force until the next.",
    ),
)
SURVIVOR: Final = _keys(_needed("mutant", _ANY), _REASON)
EXAMPLE: Final = _keys(
    _FOR_PEOPLE,
    _ON,
    *_PERIOD,
    Key("given", FACTS, "What differs from the typical case."),
    Key("without", ListOf(_name("performance")), "The facts that are not known."),
)
_REASONS: Final = (
    Key("codes", ListOf(ValueForm({"type": "string"}))),
    Key("needs", ListOf(_name("performance"))),
)
RULE: Final = _keys(
    _needed(
        "id",
        _text(
            ID, "an id such as `on-pace`: small letters, digits and hyphens", max_length=MAX_NAME
        ),
        "The name of the rule in this file: `on-pace`.",
    ),
    _needed("code", ValueForm(_schema("[A-Z]{2}(-[A-Z0-9]+)+")), _CODE),
    _needed("require", _EXPRESSION, "What must be true: `performance >= 80%`."),
    Key("when", _EXPRESSION, 'Limits the rule to some deals: `status == "Funded"`.'),
    Key(
        "otherwise",
        _words((DECLINE, REFER), "answer"),
        "What a false answer means: decline, or refer to a person.",
        default=DECLINE,
    ),
    _REASON,
    _SOURCE,
    *_PERIOD,
)

# A rule for each offer has no `otherwise`: an offer that it does not allow is left out.
OFFER_RULE: Final = Keys(
    evolve(row, meaning="What must be true of an offer: `apr <= 60%`.")
    if name == "require"
    else row
    for name, row in RULE.rows.items()
    if name != "otherwise"
)

NEVER: Final = "never"
ALWAYS: Final = "always"
OVERLAY: Final = "overlay"
CLAIM_KINDS: Final = (NEVER, ALWAYS, OVERLAY)
TIGHTEN: Final = "tighten"
LOOSEN: Final = "loosen"
RENEWAL_CLAIM: Final = _keys(
    Key(NEVER, _EXPRESSION, "No deal of which this is true is eligible: `deals_defaulted > 0`."),
    Key(ALWAYS, _EXPRESSION, "This is true of every eligible deal: `performance >= 75%`."),
    Key(
        OVERLAY,
        _words((TIGHTEN, LOOSEN), "overlay"),
        "`tighten`: nobody is eligible here who is not under the parent, or referred who is "
        "declined there. `loosen`: rules may be looser than in the parent, which is meant.",
    ),
    evolve(_FOR_PEOPLE, required=False),
    Key("reason", _ANY, "Why it has to be so, for people."),
    *_PERIOD,
    one_of=CLAIM_KINDS,
)
PRODUCT_CLAIM: Final = RENEWAL_CLAIM.with_rows(_ASKED_FOR)


def _shared(example: Keys) -> tuple[Key, ...]:
    """Return the keys that both files have; their examples are like *example*."""
    return (
        _FORMAT,
        Key(
            "parameters",
            ByName(PARAMETER),
            "Named values that change by date; rules read them like facts.",
        ),
        Key("typical", FACTS, "The facts of an ordinary good case; examples say what differs."),
        Key("examples", ListOf(example), _EXAMPLES),
        Key(
            "survivors",
            ListOf(SURVIVOR),
            "Mutants of this file that no deal can tell from it, each with the reason why.",
        ),
    )


_RULES: Final = "In the order of their priority."
_TABLES: Final = "Tables of tiers: each row is a rule, after those above."
# A cell is read with the facts that there are.
TABLE: Final = _keys(
    _needed(
        "id",
        _text(ID, "an id such as `tiers`: small letters, digits and hyphens", max_length=MAX_NAME),
        "The name of the table; with that of a row it is the id of the row's rule.",
    ),
    Key(
        "code",
        RULE.rows["code"].form,
        "The first part of the code of each row that is a rule; its name is the last.",
    ),
    _needed(
        "columns",
        ListOf(_ANY),
        "What each cell of a row is: `row`, a fact, `require` and a fact, `answer`, a price, or "
        "`code`, `reason` and `source` of this row.",
    ),
    _needed("rows", ListOf(ListOf(_VALUE)), "A list of cells for each row."),
    Key("reason", _ANY, "The sentence for the merchant of rows without one of their own."),
    _SOURCE,
    _BEGINS,
    _UNTIL,
)
_CLAIMS: Final = (
    "What is said of every deal, or offer, that could exist; `holdback prove` proves it or shows "
    "one of which it is not true."
)


# -- `renewal.toml`

RENEWAL_RULE: Final = Keys({**RULE.rows, "from": _BEGINS}.values())
EXPECTED_OUTCOME: Final = Keys((_needed("outcome", _words(OUTCOMES, "outcome")), *_REASONS))
RENEWAL_EXAMPLE: Final = EXAMPLE.with_rows(_needed("expect", EXPECTED_OUTCOME, _EXPECT))
RENEWAL: Final = _keys(
    *_shared(RENEWAL_EXAMPLE),
    Key("rules", ListOf(RENEWAL_RULE), _RULES),
    Key("tables", ListOf(TABLE), _TABLES),
    Key("claims", ListOf(RENEWAL_CLAIM), _CLAIMS),
)


# -- `products.toml`

# The fields of an offer that an example may expect; they are those of the wire.
OFFER_KINDS: Final[Mapping[str, Kind]] = MappingProxyType(
    {
        "funded_amount": Kind.MONEY,
        "repayment_amount": Kind.MONEY,
        "split_percentage": Kind.PERCENT,
        "factor_rate": Kind.RATIO,
        "term_length": Kind.RATIO,
        "term_days": Kind.COUNT,
    }
)
OFFER: Final = Keys(Key(name, _quantity(kind)) for name, kind in OFFER_KINDS.items())
LIMITS: Final = _keys(Key("minimum", _MONEY), Key("maximum", _MONEY))
# An example may also expect that a product is not offered on the day.
NOT_OFFERED: Final = "Not offered"
DECISIONS: Final = (ACCEPTED, REFERRED, DECLINED, NOT_OFFERED)
ANSWER: Final = _keys(
    _needed("decision", _words(DECISIONS, "decision")),
    Key("limits", LIMITS),
    Key("offers", ListOf(OFFER)),
    *_REASONS,
)
DISCOUNT: Final = _keys(_needed("discount", _MONEY))
# What becomes of a payout: a person can approve one that is referred.
PAYS_OUT: Final = "pays out"
WAITS: Final = "waits"
FUNDINGS: Final = (PAYS_OUT, REFERRED_OUTCOME, WAITS)
EXPECTED_FUNDING: Final = _keys(_needed("funding", _words(FUNDINGS, "answer")), *_REASONS)
FUNDING_EXAMPLE: Final = EXAMPLE.with_rows(_needed("expect", EXPECTED_FUNDING, _EXPECT))
# An editor does not tell an answer from a discount.
EXPECTED_DECISION: Final = Keys(
    evolve(row, required=False)
    for row in (
        *list(ANSWER.rows.values())[: -len(_REASONS)],
        *DISCOUNT.rows.values(),
        *_REASONS,
    )
)
# What an example says of a deal that is repaid early.
MONEY_OF_A_DEAL: Final = ("balance", "repayment_amount", "funded_amount")
_DAYS_OF_A_DEAL: Final = _whole(0, MOST_TERM_DAYS)
SETTLED_DEAL: Final = _keys(
    *(_needed(name, _MONEY) for name in MONEY_OF_A_DEAL),
    _needed("elapsed_days", _DAYS_OF_A_DEAL),
    _needed("term_days", evolve(_DAYS_OF_A_DEAL, read=_whole(1, MOST_TERM_DAYS).read)),
)
_EARLY: Final = "What is taken off for repaying early; left out: nothing."
PRODUCT_EXAMPLE: Final = EXAMPLE.with_rows(
    _needed("expect", EXPECTED_DECISION, _EXPECT),
    _ASKED_FOR,
    Key(
        "settles",
        _MONEY,
        "The balance of the deal that is renewed; the product is asked for by a renewal then.",
    ),
    Key("settlement", SETTLED_DEAL, _EARLY),
)
FEE: Final = _keys(
    _needed("key", _name("returned_payment"), "The name of the fee: `returned_payment`."),
    _needed(
        "after",
        _words(FEE_REASONS, "reason"),
        "What it is charged after: a `reversal`, once for each, or a `default`.",
    ),
    Key("amount", _MONEY, "What it costs each time."),
    Key("yearly_rate", _quantity(Kind.PERCENT), "Interest a year, on the balance in default."),
    Key("at_most", _MONEY, "What all fees of this key come to at most."),
    Key(
        "at_most_share",
        _quantity(Kind.PERCENT),
        "The same as a share of the repayment amount; the lower of both holds.",
    ),
    _SOURCE,
    *_PERIOD,
)
PRODUCT: Final = _keys(
    _needed(
        "key",
        _text(NAME, "a key such as `flex`: small letters, digits and underscores"),
        "The product's stable name.",
    ),
    _FOR_PEOPLE,
    _DESCRIPTION,
    _needed("repayment_mechanism", _ANY),
    _BEGINS,
    _UNTIL,
    _needed(
        "amounts",
        ListOf(_quantity(Kind.PERCENT)),
        "The offers made, as percentages of the merchant's maximum.",
    ),
    Key("rules", ListOf(RULE), _RULES),
    Key(
        "offer_rules",
        ListOf(OFFER_RULE),
        "What must be true of each offer, in its figures, such as its `apr`; an offer of which it "
        "is not is left out, and a product without another is declined.",
    ),
    *(_needed(kind, CALCULATOR) for kind in CALCULATORS),
    Key(SETTLEMENT, CALCULATOR, _EARLY),
    Key(
        "renewal",
        _words(RENEWALS, "renewal"),
        "Whether a renewal pays off the deal before it, or waits until it is repaid; left out: "
        "it pays it off.",
        default=SETTLE,
    ),
    Key(
        "fees",
        ListOf(FEE),
        "What may be charged above the repayment amount; left out: nothing.",
    ),
)
_OF_PRODUCTS: Final = Key(
    "products",
    _names("flex"),
    "The keys of the products that the rule is of; left out: all that are offered.",
    default=(),
)
SHARED_RULE: Final = RENEWAL_RULE.with_rows(_OF_PRODUCTS)
SHARED_TABLE: Final = TABLE.with_rows(_OF_PRODUCTS)
# The service's own reasons, by their ids: no digest covers how a jurisdiction words them.
OWN_REASONS: Final = Keys(
    Key(code.lower(), _sentence(like), f"Left out: “{like}”")
    for code, like in SERVICE_REASONS.items()
)
PRODUCTS: Final = _keys(
    *_shared(PRODUCT_EXAMPLE),
    Key(
        "reasons",
        OWN_REASONS,
        "What a merchant reads where no rule says why; a child replaces single sentences.",
    ),
    Key("products", ListOf(PRODUCT), "In the order in which they are offered."),
    Key(
        "rules",
        ListOf(SHARED_RULE),
        "Rules of several products, each written once; they come before the products' own.",
    ),
    Key("tables", ListOf(SHARED_TABLE), _TABLES),
    Key(
        "funding",
        ListOf(RENEWAL_RULE),
        "What must be true before an accepted offer is paid out, on what is known then; a person "
        "can approve a rule that refers.",
    ),
    Key("funding_examples", ListOf(FUNDING_EXAMPLE), _EXAMPLES),
    Key("claims", ListOf(PRODUCT_CLAIM), _CLAIMS),
    Key(
        "funding_claims",
        ListOf(RENEWAL_CLAIM),
        "What is said of every payout; `holdback prove` proves it or shows one of which it is not "
        "true.",
    ),
)


# -- `disclosures.toml`

_RULE_ID: Final = RULE.rows["id"].form
# A sentence with figures, facts and texts in braces: those that there are depend on the file.
_WITH_FIGURES: Final = ValueForm(_schema())
_FIGURES_OF_OFFER: Final = ValueForm({"type": "object"})
# How many days a month of takings has: 365 / 12 rounded, or as the regulators' illustrations.
MONTH_DAYS: Final = ("30.4", "30")
_OF_REGIME: Final = (
    evolve(_FROM, meaning="The first day; left out: that of the regime."),
    evolve(_UNTIL, meaning="The first day after; left out: that of the regime."),
)
_SECTION: Final = _needed("source", _ANY, "The section of the law.")
DISCLOSURE_TEXT: Final = _keys(
    _needed("meaning", _ANY, "What the host states here."),
    Key("default", _ANY, "What is said where the host states nothing; left out: it has to."),
)
CONDITION: Final = _keys(
    _needed("id", _RULE_ID, "The name of the condition in this file: `amount`."),
    _needed("require", _EXPRESSION, "What must be true: `amount_financed <= USD 500000.00`."),
    _SECTION,
    *_OF_REGIME,
)
EXEMPTION: Final = _keys(
    _needed("id", _RULE_ID, "The name of the exemption in this file: `few-deals`."),
    _needed("when", _EXPRESSION, "Where nothing is due: `deals_in_state_12m <= 5`."),
    _SECTION,
    *_OF_REGIME,
)
SENTENCE: Final = _keys(
    _needed("text", _WITH_FIGURES, "The sentence, with figures and texts in braces."),
    Key("when", _EXPRESSION, "Where it is said; left out: always."),
)
ITEM: Final = _keys(
    _needed("id", _RULE_ID, "The name of the item in this file: `finance-charge`."),
    _needed("label", _sentence(""), "What the law calls it: `Finance Charge`."),
    Key("value", _WITH_FIGURES, "The figure, in braces: `{finance_charge}`; left out: none."),
    Key("when", _EXPRESSION, "Where it is shown; left out: always."),
    Key("sentences", ListOf(SENTENCE), "The sentences beside it."),
    _SECTION,
    *_OF_REGIME,
)
EXPECTED_DUE: Final = _keys(
    _needed("due", _FLAG, "Whether the disclosure is due."),
    Key(
        "decided_by",
        ListOf(_RULE_ID),
        "The ids of the conditions and exemptions by which it is not due; left out: none.",
    ),
)
DISCLOSURE_EXAMPLE: Final = _keys(
    _FOR_PEOPLE,
    _needed("on", _DAY, "The day."),
    Key("given", _FIGURES_OF_OFFER, "The figures and facts that are known."),
    _needed("expect", EXPECTED_DUE, _EXPECT),
)
DISCLOSURES: Final = _keys(
    _FORMAT,
    _needed("law", _ANY, "The law, by its sections."),
    _needed("title", _WITH_FIGURES, "The title of the disclosure, with texts in braces."),
    _BEGINS,
    _UNTIL,
    Key(
        "rate",
        _words((ACTUARIAL, EFFECTIVE), "method"),
        "How the annual rate is computed: `actuarial` (12 CFR 1026, Appendix J) or `effective` "
        "(Directive 2008/48/EC, Annex I); left out: the law asks for none.",
    ),
    Key(
        "month_days",
        _words(MONTH_DAYS, "length"),
        "How many days a month of takings has: 30.4 where this is left out.",
        default=MONTH_DAYS[0],
    ),
    Key(
        "overstatement_counts",
        _FLAG,
        "Whether a rate that was stated too high is inaccurate as well; left out: it is not.",
    ),
    Key(
        "required",
        Dated(_words(REQUIRED, "time of a disclosure")),
        "When an engine insists that an offer was disclosed; left out: it does not.",
    ),
    Key(
        "signed",
        _FLAG,
        "Whether the merchant signs the disclosure; left out: it is not signed.",
    ),
    Key("facts", ByName(DECLARED_FACT), "What only the host knows, on which exemptions rest."),
    Key("texts", ByName(DISCLOSURE_TEXT), "What the host states in words."),
    Key("conditions", ListOf(CONDITION), "Where the law applies: all of them have to be true."),
    Key("exemptions", ListOf(EXEMPTION), "Where it does not: one that is true is enough."),
    _needed("items", ListOf(ITEM), "The lines of the disclosure, in their order."),
    Key("foot", ListOf(_WITH_FIGURES), "The sentences under the lines."),
    Key("examples", ListOf(DISCLOSURE_EXAMPLE), "Whether it is due, for which figures and facts."),
)
