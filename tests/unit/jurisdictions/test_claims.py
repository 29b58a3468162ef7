"""`[[claims]]` in files: what they may say, on which days they hold, and what a child does."""

from __future__ import annotations

from datetime import date

from every_case import for_every
from holdback.jurisdictions.timeline import Period
from holdback.tools.lint.lint import findings
from small_folders import changed, child, country, errors_in, loaded, parameter, rule, said

RENEWAL, PRODUCTS = "renewal.toml", "products.toml"
DEFAULTED = '[[claims]]\nnever = "deals_defaulted > 0"\n'
ON_PACE = '[[claims]]\nname = "on pace"\nalways = "performance >= minimum_performance"\n'
TIGHTEN = '[[claims]]\noverlay = "tighten"\n'


def stating(text, *, file=RENEWAL, files=None):
    """Return the country NL with the claims *text* at the end of a file."""
    files = files or country()
    return {**files, file: f"{files[file]}\n{text}"}


def claims_of(code="NL", **folders):
    """Return the claims of *code* among *folders*."""
    return loaded(**folders)[code].claims


def errors(text, *, file=RENEWAL):
    """Return the errors of the country NL with the claims *text*, as place, message and hint."""
    return [
        (error.place.removeprefix(f"NL/{file}:").partition(" ")[2], error.message, error.hint)
        for error in errors_in(stating(text, file=file), "NL")
    ]


def test_what_a_claim_holds():
    """
    Exactly one of `never`, `always` and `overlay`; the other keys are optional.
    """
    text = (
        '[[claims]]\nname = "nobody who defaulted"\nreason = "The funder asks for it."\n'
        'never = "deals_defaulted > 0"\nfrom = 2025-06-01\nuntil = 2026-01-01\n'
    )
    (claim,) = claims_of(NL=stating(text))

    assert (claim.kind, claim.text, claim.name) == (
        "never",
        "deals_defaulted > 0",
        "nobody who defaulted",
    )
    assert claim.reason == "The funder asks for it."
    assert claim.period == Period(date(2025, 6, 1), date(2026, 1, 1))
    assert (claim.jurisdiction, claim.product, claim.file) == ("NL", None, "NL/renewal.toml")
    assert country()[RENEWAL].count("\n") + 2 == claim.line


def test_what_is_left_out():
    """
    Without a period a claim holds as long as there are rules; it is named by what it says.
    """
    never, always = claims_of(NL=stating(DEFAULTED + '[[claims]]\nalways = "progress >= 50%"\n'))

    assert never.name == "never deals_defaulted > 0"
    assert always.name == "always progress >= 50%"
    assert (never.reason, never.period) == (None, Period(date.min))


def test_a_claim_of_a_product():
    """
    In `products.toml` a claim names its product, and is checked while that product is offered.
    """
    text = DEFAULTED.replace("]]\n", ']]\nproduct = "flex"\n')
    (claim,) = claims_of(NL=stating(text, file=PRODUCTS))
    assert (claim.product, claim.file) == ("flex", "NL/products.toml")

    assert errors(DEFAULTED, file=PRODUCTS) == [("$.claims[0]", "`product` is missing", None)]
    assert errors(text.replace("flex", "flax"), file=PRODUCTS) == [
        ("$.claims[0].product", "unknown product `flax`", "did you mean `flex`?")
    ]
    assert errors(text) == [
        (
            "$.claims[0].product",
            "unknown key `product`",
            "the keys here are `never`, `always`, `overlay`, `name`, `reason`, `from`, `until`",
        )
    ]


ONE_OF = "expected one of `never`, `always` and `overlay`"
TWO = 'as `never = "deals_defaulted > 0"`; two claims are two `[[claims]]`'


@for_every(
    ("text", "path", "message", "hint"),
    [
        ('name = "a"', "", ONE_OF, TWO),
        ('never = "paused"\nalways = "progress >= 50%"', "", ONE_OF, TWO),
        ('nevr = "paused"', ".nevr", "unknown key `nevr`", "did you mean `never`?"),
        ("never = true", ".never", ("expected an expression in quotes, such as "
         '`"progress >= 60%"`, not a flag'), None),
        ('never = "paused >"', ".never", "expected a value", None),
        ('never = "progress"', ".never", "expected a flag, not a percentage",
         "compare it with something, as `progress >= 50%`"),
        ('never = "pausd"', ".never", "`pausd` is not a fact and not a parameter",
         "did you mean `paused`?"),
        ('overlay = "widen"', ".overlay", "unknown overlay `widen`",
         "expected one of `tighten`, `loosen`"),
        ('overlay = "tighten"', ".overlay", "there is no parent whose rules these could tighten",
         "a jurisdiction with a `parent` has something to tighten"),
        ('never = "paused"\nname = ""', ".name", "this is empty", "fill it in"),
        ('never = "paused"\nuntil = 2026-01-01\nfrom = 2026-01-01', ".until",
         "a period from 2026-01-01 until 2026-01-01 has no day", "`until` is the first day after"),
        ('never = "paused"\n[[claims]]\nnever = "paused"', "", ("there is a claim `never paused` "
         "on these days already"), "give it another `name`, or leave it out"),
    ],
)  # fmt: skip
def test_a_claim_that_is_wrong(text, path, message, hint):
    """
    Unknown keys, wrong types and bad expressions give teaching errors, each at its place.
    """
    ((where, *error),) = errors(f"[[claims]]\n{text}\n")

    assert where.removeprefix("$.claims[0]").removeprefix("$.claims[1]") == path
    assert error == [message, hint]


def test_a_list_of_something_else():
    """
    Claims are tables in an array.
    """
    files = changed(country(), RENEWAL, "format = 1\n", "format = 1\nclaims = [1]\n")
    assert [error.message for error in errors_in(files, "NL")] == [
        "expected a table, not a whole number"
    ]


def test_two_versions_of_a_claim():
    """
    A claim may change: its versions have the same name and follow each other.
    """
    earlier = ON_PACE + "until = 2026-01-01\n"
    later = ON_PACE.replace("minimum_performance", "80%") + "from = 2026-01-01\n"
    before, after = claims_of(NL=stating(earlier + later))

    assert (before.name, before.text) == ("on pace", "performance >= minimum_performance")
    assert (after.name, after.text) == ("on pace", "performance >= 80%")


def test_it_is_checked_on_every_date():
    """
    A claim is checked in every slice in which it holds, as rules are.
    """
    late = parameter("trend", "percent", ("2026-01-01", '"80%"'))
    ruled = rule("trend", "NL-R-03", "takings_trend >= trend", since="2026-01-01")
    files = changed(country(), RENEWAL, "format = 1\n", f"format = 1\n\n{late}")
    files = changed(files, RENEWAL, "[typical]", f"{ruled}[typical]")
    claim = '[[claims]]\nalways = "takings_trend >= trend"\n'

    (error,) = errors_in(stating(claim, files=files), "NL")
    assert error.message == "the parameter `trend` has no value on 2025-01-01"
    assert errors_in(stating(claim + "from = 2026-01-01\n", files=files), "NL") == ()
    # It holds from a day within a slice, too: nothing changes on that day.
    (claim,) = claims_of(NL=stating(claim + "from = 2026-05-05\n", files=files))
    jurisdiction = loaded(NL=stating(DEFAULTED + "from = 2026-05-05\n"))["NL"]
    assert date(2026, 5, 5) not in jurisdiction.changes
    (held,) = jurisdiction.policy.claims_in(Period(date(2026, 1, 1)))
    assert held.text == "deals_defaulted > 0"
    assert jurisdiction.policy.claims_in(Period(date(2026, 1, 1), date(2026, 5, 5))) == []


def test_errors_come_at_once():
    """
    Errors in claims come with all others.
    """
    files = stating('[[claims]]\nnever = "pausd"\n')
    files = changed(files, RENEWAL, "missed_remittances_30d <= 3", "mised <= 3")
    assert [error.message for error in errors_in(files, "NL")] == [
        "`mised` is not a fact and not a parameter",
        "`pausd` is not a fact and not a parameter",
    ]


def test_a_child_inherits_claims():
    """
    A claim of the parent holds in the child too; that it tightens holds of one folder alone.
    """
    parent = stating(DEFAULTED)
    middle = child(renewal=TIGHTEN)
    youngest = child("NL-AM", "NL-ZH")
    inherited = claims_of("NL-AM", NL=parent, NL_ZH=middle, NL_AM=youngest)

    assert [(claim.jurisdiction, claim.kind) for claim in inherited] == [("NL", "never")]
    own = claims_of("NL-ZH", NL=parent, NL_ZH=middle)
    assert [claim.kind for claim in own] == ["never", "overlay"]


def test_a_child_replaces_claims():
    """
    The child's claim of the same name replaces the inherited one, on its days and about its
    product.
    """
    own = ON_PACE.replace("minimum_performance", "72%") + "from = 2026-02-01\n"
    both = loaded(NL=stating(ON_PACE), NL_ZH=child(renewal=own))["NL-ZH"]

    def held(day):
        return [
            claim.jurisdiction for claim in both.policy.claims_in(Period(day, day.replace(day=28)))
        ]

    assert held(date(2026, 1, 1)) == ["NL"]
    assert held(date(2026, 2, 1)) == ["NL-ZH"]
    assert [claim.jurisdiction for claim in both.claims] == ["NL", "NL-ZH"]
    product = own.replace("]]\n", ']]\nproduct = "flex"\n')
    other = loaded(NL=stating(ON_PACE), NL_ZH=child(products=product))["NL-ZH"]
    assert len(other.policy.claims_in(Period(date(2026, 2, 1)))) == 2


def test_a_child_switches_a_claim_off():
    """
    `switch_off` drops an inherited claim by its name, with a reason, and changes no rulebook.
    """
    off = 'switch_off = [{{ claim = "{}", reason = "no", from = 2026-05-05 }}]\n'
    more = off.format("never deals_defaulted > 0")
    dropped = loaded(NL=stating(DEFAULTED), NL_ZH=child(more=more))["NL-ZH"]

    assert dropped.policy.claims_in(Period(date(2026, 5, 5))) == []
    assert len(dropped.policy.claims_in(Period(date(2026, 5, 4)))) == 1
    assert date(2026, 5, 5) not in dropped.changes
    wrong = said("NL-ZH", NL=stating(DEFAULTED), NL_ZH=child(more=off.format("defaulted")))
    assert wrong == [
        "NL-ZH/jurisdiction.toml:7:15 $.switch_off[0]: there is no claim `defaulted` to inherit"
    ]


@for_every(
    ("dates", "useless"),
    [
        ("", False),
        (", until = 2026-01-01", False),
        (", from = 2026-05-05", False),
        # The claim of the parent ends before.
        (", from = 2026-06-01", True),
    ],
)
def test_a_switch_off_of_a_claim_without_effect(dates, useless):
    """
    `holdback check` reports a switch-off on whose days the claim is not inherited.
    """
    name = "never deals_defaulted > 0"
    more = f'switch_off = [{{ claim = "{name}", reason = "no"{dates} }}]\n'
    ended = stating(f"{DEFAULTED}until = 2026-06-01\n")
    messages = [error.message for error in findings(loaded(NL=ended, NL_ZH=child(more=more)))]

    reason = f"on its days the claim `{name}` is not inherited, or this folder replaces it"
    told = [message for message in messages if "switch-off" in message]
    assert told == useless * [f"this switch-off has no effect: {reason}"]


def test_an_inherited_claim_that_cannot_be_read():
    """
    A claim that no longer makes sense in a child is an error of the child, which can correct it.
    """
    off = 'switch_off = [{ parameter = "minimum_performance", reason = "no" }]\n'
    own = rule("on-pace", "NL-ZH-R-01", "performance >= 90%")
    (error,) = said("NL-ZH", NL=stating(ON_PACE), NL_ZH=child(more=off, renewal=own))

    assert error.startswith("NL-ZH/jurisdiction.toml")
    assert "the inherited claim `on pace` (NL/renewal.toml:" in error
    assert error.endswith(
        "the parameter `minimum_performance` has no value on 2025-01-01; state a claim of this "
        "name here, or switch it off, as `{ claim, reason }`"
    )
    replaced = own + ON_PACE.replace("minimum_performance", "90%")
    assert said("NL-ZH", NL=stating(ON_PACE), NL_ZH=child(more=off, renewal=replaced)) == []


def test_no_digest_covers_claims():
    """
    In no digest: they decide nothing.
    """
    plain, stated = (loaded(NL=files)["NL"] for files in (country(), stating(DEFAULTED + ON_PACE)))
    assert [rulebook.digest for rulebook in plain.slices] == [
        rulebook.digest for rulebook in stated.slices
    ]
    assert plain.changes == stated.changes
