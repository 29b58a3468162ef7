"""Facts that a jurisdiction declares: typed and checked like the built-in ones."""

from __future__ import annotations

from datetime import date

import pytest

from every_case import for_every
from holdback import InvalidDocument
from holdback.eligibility.facts import BUILT_IN_FACTS
from holdback.rules import Kind
from small_folders import changed, child, country, loaded, rule, said

NOW = date(2026, 7, 1)
KINDS = {
    "flag": ("", "licensed", True, "yes"),
    "count": ("minimum = 0\nmaximum = 9", "licensed >= 3", 3, "3"),
    "percent": ('minimum = "0%"\nmaximum = "50%"', "licensed >= 12.5%", "12.5%", "12.5%"),
    "ratio": ('minimum = "0.5"\nmaximum = "2.0"', "licensed >= 1.5", "1.5", "1.5"),
    "money": (
        'minimum = "EUR -100.00"\nmaximum = "EUR 100"',
        "licensed >= EUR 20.00",
        "EUR 20.00",
        "EUR 20.00",
    ),
    "days": (
        'minimum = "0 days"\nmaximum = "400 days"',
        "licensed >= 21 days",
        "21 days",
        "21 days",
    ),
    "date": (
        "minimum = 2020-01-01\nmaximum = 2030-12-31",
        "licensed >= 2026-03-01",
        date(2026, 3, 1),
        "2026-03-01",
    ),
    "text": ('options = ["A", "B 1", "c/d_e.f-g"]', 'licensed in ["A", "B 1"]', "B 1", "B 1"),
}


def fact(kind, ends="", name="licensed"):
    return f'[facts.{name}]\ntype = "{kind}"\ndescription = "The licence."\n{ends}\n'


def with_fact(kind="count", require=None, *, ends=None, files=None):
    """The country NL with a fact that its rule `few-missed` reads."""
    found, asked, *_ = KINDS[kind]
    text = country(more=fact(kind, found if ends is None else ends)) if files is None else files
    text = changed(text, "renewal.toml", '"missed_remittances_30d <= 3"', f"'{require or asked}'")
    text = changed(
        text, "renewal.toml", "Missed: {missed_remittances_30d}.", "Licence: {licensed}."
    )
    return {**text, "renewal.toml": text["renewal.toml"].partition("[typical]")[0]}


GOOD = {"progress": "60%", "performance": "90%"}


@for_every("kind", KINDS)
def test_every_kind(kind):
    """
    `[facts.name]` has type, unit, range and description, and is checked like a built-in fact.
    """
    _, _, value, shown = KINDS[kind]
    book = loaded(NL=with_fact(kind)).resolve("NL", on=NOW)
    (added,) = book.catalogue.facts[BUILT_IN_FACTS:]

    assert (added.name, added.type.kind, added.origin) == ("licensed", Kind(kind), "evidence")
    assert added.description == "The licence."
    assert book.assess({**GOOD, "licensed": value}).outcome == "eligible"
    assert book.renewal.figure("licensed", book.catalogue.prepare({"licensed": value})) == shown
    unknown = book.assess(GOOD)
    assert (unknown.outcome, unknown.needs) == ("undetermined", ("licensed",))


@for_every(
    ("kind", "below", "above"),
    [
        ("count", -1, 10),
        ("percent", "-0.0001%", "50.0001%"),
        ("ratio", "0.499999", "2.000001"),
        ("money", "EUR -100.01", "EUR 100.01"),
        ("days", "-1 days", "401 days"),
        ("date", date(2019, 12, 31), date(2031, 1, 1)),
    ],
)
def test_the_range_has_both_ends(kind, below, above):
    """
    Both ends belong to the range of a declared fact.
    """
    book = loaded(NL=with_fact(kind)).resolve("NL", on=NOW)
    (added,) = book.catalogue.facts[BUILT_IN_FACTS:]
    low, high = (added.type.plain(end) for end in (added.low, added.high))

    assert book.catalogue.prepare({"licensed": low})[-1] == added.low
    assert book.catalogue.prepare({"licensed": high})[-1] == added.high
    for outside in (below, above):
        with pytest.raises(InvalidDocument, match=r"\$\.licensed: expected"):
            book.catalogue.prepare({"licensed": outside})


def test_a_text_outside_its_options_is_unknown():
    """
    A text that is not among the options is unknown (decisions/rule-language).
    """
    book = loaded(NL=with_fact("text")).resolve("NL", on=NOW)

    assert book.assess({**GOOD, "licensed": "c/d_e.f-g"}).outcome == "referred"
    assert book.assess({**GOOD, "licensed": "D"}).needs == ("licensed",)
    with pytest.raises(InvalidDocument):
        book.assess({**GOOD, "licensed": 1})


def test_a_literal_out_of_range():
    """
    A constant outside the declared range of a fact is an error with a hint
    (decisions/rule-language).
    """
    (line,) = said("NL", NL=with_fact("count", "licensed >= 10"))

    assert line.endswith("`10` is out of range; `licensed` is 0 to 9")


FAULTS = [
    ("count", "minimum = 0", "`maximum` is missing"),
    ("count", "maximum = 0", "`minimum` is missing"),
    ("count", "minimum = 0\n~maximun = 3", "unknown key `maximun`; did you mean `maximum`?"),
    ("count", "minimum = 3\nmaximum = ~3", "expected more than the minimum"),
    ("count", "minimum = 4\nmaximum = ~3", "expected more than the minimum"),
    ("count", 'minimum = ~"0"\nmaximum = 3', "expected a whole number"),
    ("count", "minimum = ~0.5\nmaximum = 3", "expected a whole number"),
    ("count", '~options = ["A", "B"]\nminimum = 0\nmaximum = 3', "a count has no options"),
    ("percent", 'minimum = ~0\nmaximum = "50%"', "expected percent in quotes, with its unit"),
    ("percent", 'minimum = "0%"\nmaximum = ~"0.00001%"', "at most 4 decimals"),
    (
        "percent",
        'minimum = "0%"\nmaximum = ~"900000000000000%"',
        "the range is too large to calculate exactly",
    ),
    ("money", 'minimum = "EUR 0"\nmaximum = ~"USD 5"', "expected an amount in EUR, not in USD"),
    ("money", 'minimum = "EUR 0"\nmaximum = ~5', "expected money (EUR) in quotes, with its unit"),
    ("days", 'minimum = "0 days"\nmaximum = ~"3"', "expected days such as `21 days`"),
    (
        "date",
        'minimum = ~"2026-01-01"\nmaximum = 2026-12-31',
        "expected a date such as `2026-07-01`",
    ),
    ("date", "minimum = 2026-01-01\nmaximum = ~2026-12-31T00:00:00", "expected a date such as"),
    ("flag", "~minimum = 0", "a flag has no `minimum`"),
    ("flag", "~maximum = 1", "a flag has no `maximum`"),
    ("flag", '~options = ["A", "B"]', "a flag has no options"),
    ("text", "", "`options` is missing"),
    ("text", 'options = ~["A"]', "expected 2 to 200 options, each once"),
    ("text", 'options = ~["A", "A"]', "expected 2 to 200 options, each once"),
    ("text", 'options = ~["A", "B", "A"]', "expected 2 to 200 options, each once"),
    ("text", 'options = ["A", ~" B"]', "expected a short text of letters and digits"),
    ("text", 'options = ["A", ~"\\""]', "expected a short text of letters and digits"),
    (
        "text",
        'options = ["A", ~7]',
        "expected a short text of letters and digits, not a whole number",
    ),
    ("text", 'options = ~"A"', "expected an array, not text"),
    ("text", 'options = ["A", "B"]\n~minimum = 0', "a text has no `minimum`"),
    ("number", "", "unknown type `number`"),
    ("flags", "", "unknown type `flags`"),
]


@for_every(("kind", "ends", "message"), FAULTS)
def test_an_invalid_declaration_has_its_place_and_message(kind, ends, message):
    """
    An invalid declaration is an error with file, line and column.
    """
    line = next(
        each
        for each in said("NL", NL=country(more=fact(kind, ends.replace("~", ""))))
        if "facts.licensed" in each and message in each
    )
    place, _, rest = line.partition(" ")

    assert rest.partition(": ")[2].startswith(message)
    if "~" in ends:
        before = ends.partition("~")[0]
        number = 15 + before.count("\n")
        assert place == f"NL/jurisdiction.toml:{number}:{len(before.rpartition(chr(10))[2]) + 1}"


@for_every(
    ("name", "message", "hint"),
    [
        ("progress", "`progress` is a built-in fact", "rules can read it without a declaration"),
        (
            "credit_score",
            "`credit_score` is a built-in fact",
            "rules can read it without a declaration",
        ),
        ("not", "`not` cannot be a name", "a name is like `licence_valid`"),
        ("Licence", "`Licence` cannot be a name", "a name is like `licence_valid`"),
        ('"a b"', "`a b` cannot be a name", "a name is like `licence_valid`"),
        ('""', "`` cannot be a name", "a name is like `licence_valid`"),
    ],
)
def test_a_name_that_is_taken_or_none(name, message, hint):
    """
    A declared fact needs a valid name that no other fact has.
    """
    found = said("NL", NL=country(more=fact("flag", name=name)))

    assert len(found) == 1
    assert message in found[0]
    assert hint in found[0]


def test_a_parameter_of_the_same_name():
    """
    A parameter with the name of a fact is an error.
    """
    found = said("NL", NL=country(more=fact("flag", name="minimum_performance")))

    assert found[0] == (
        "NL/renewal.toml:3:1 $.parameters.minimum_performance: `minimum_performance` is the name "
        "of a fact; "
        "facts and parameters share no name"
    )


def test_the_facts_of_a_parent_count():
    """
    At most 61 facts, the bits of a mask below those for the jurisdiction and the date: 30 built-in
    and 31 declared ones, those of the parents included (decisions/portfolios).
    """

    def facts(letter, number):
        return "".join(fact("flag", name=f"{letter}{n}") for n in range(number))

    parent = country(more=facts("p", 25))
    fits = {"NL": parent, "NL_ZH": child(more=facts("c", 6))}
    too_many = {"NL": parent, "NL_ZH": child(more=facts("c", 7))}

    assert len(loaded(**fits)["NL-ZH"].policy.catalogue.facts) == 61
    assert said("NL-ZH", **too_many) == [
        (
            "NL-ZH/jurisdiction.toml:7:1 $.facts: there are more than 31 facts; 25 of them are "
            "inherited"
        )
    ]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("facts = 3\n", "facts: expected a table, not a whole number"),
        ("[facts]\nlicensed = true\n", "facts.licensed: expected a table, not a flag"),
        ('[facts.licensed]\ntype = "flag"\n', "facts.licensed: `description` is missing"),
        ('[facts.licensed]\ntype = "flag"\ndescription = ""\n', "description: this is empty"),
        (
            "".join(fact("flag", name=f"f{n}") for n in range(39)),
            "facts: there are more than 31 facts",
        ),
    ],
)
def test_what_is_no_fact(more, message):
    """
    Every error of every file is reported at once.
    """
    assert any(message in line for line in said("NL", NL=country(more=more)))


def test_at_most_thirty_one():
    """
    A jurisdiction may declare 31 facts.
    """
    more = "".join(fact("flag", name=f"f{number}") for number in range(31))
    book = loaded(NL=country(more=more)).resolve("NL", on=NOW)

    assert len(book.catalogue.facts) == BUILT_IN_FACTS + 31


def test_a_child_has_its_parents_facts_and_its_own():
    """
    A child has its parent's declared facts and its own.
    """
    mine = child(more=fact("flag", name="local"), renewal=rule("local", "NL-ZH-R-01", "local"))
    family = loaded(NL=with_fact(), NL_ZH=mine)
    names = [fact.name for fact in family.resolve("NL-ZH", on=NOW).catalogue.facts]

    assert names[BUILT_IN_FACTS:] == ["licensed", "local"]
    assert family.resolve("NL", on=NOW).catalogue.fact("local") is None
    found = family.resolve("NL-ZH", on=NOW).assess({**GOOD, "licensed": 3})
    assert (found.outcome, found.needs) == ("undetermined", ("local",))
    (line,) = said("NL-ZH", NL=with_fact(), NL_ZH=child(more=fact("flag")))
    assert line.endswith("the parent has a fact `licensed` already; it is inherited")


@for_every(
    ("ends", "moves"),
    [
        ("minimum = 0\nmaximum = 9", None),
        ('minimum = 0\nmaximum = 9\nmoves = "up"', "up"),
        ('minimum = 0\nmaximum = 9\nmoves = "down"', "down"),
    ],
)
def test_a_fact_may_say_in_which_direction_it_moves(ends, moves):
    """
    A declared fact is movable up, down or not.
    """
    book = loaded(NL=with_fact(ends=ends)).resolve("NL", on=NOW)

    assert book.catalogue.fact("licensed").moves == moves


@for_every(
    ("files", "message"),
    [
        (
            with_fact("text", 'licensed == "A"', ends='options = ["A", "B"]\nmoves = "up"'),
            "a text has no order, so it moves neither up nor down; leave `moves` out",
        ),
        (
            with_fact(ends='minimum = 0\nmaximum = 9\nmoves = "upp"'),
            "unknown direction `upp`; did you mean `up`?",
        ),
        (
            with_fact(ends="minimum = 0\nmaximum = 9\nmoves = true"),
            "moves: expected text, not a flag",
        ),
    ],
)
def test_a_direction_is_up_or_down(files, message):
    """
    Every error says what is wrong, and what to do.
    """
    assert any(message in line for line in said("NL", NL=files))


def test_examples_may_give_them_and_leave_them_out():
    """
    The examples' values of declared facts are checked too.
    """
    text = with_fact()
    text["renewal.toml"] += (
        '[typical]\nprogress = "60%"\nperformance = "90%"\nlicensed = 3\n\n[[examples]]\nname '
        '= "x"\n'
        'on = 2026-02-01\nwithout = ["licensed"]\n'
        'expect = { outcome = "undetermined", needs = ["licensed"] }\n'
    )
    (shown,) = [each for each in loaded(NL=text).examples("NL") if each.name == "x"]
    (line,) = said("NL", NL=changed(text, "renewal.toml", "licensed = 3\n", "licensed = 10\n"))

    assert "licensed" not in shown.given
    assert line.endswith("typical.licensed: expected 0 to 9")


@pytest.mark.parametrize(
    ("ends", "same"),
    [
        ("minimum = 0\nmaximum = 9", True),
        ("maximum = 9\nminimum = 0 # as before", True),
        ('minimum = 0\nmaximum = 9\nmoves = "up"', True),
        ("minimum = 0\nmaximum = 8", False),
        ("minimum = 1\nmaximum = 9", False),
    ],
)
def test_the_digest_has_the_facts_meaning(ends, same):
    """
    The type and range of a fact are part of the digest; its description and the direction in which
    a merchant can move it are not (decisions/jurisdiction-folders).
    """
    before = loaded(NL=with_fact()).resolve("NL", on=NOW).digest
    text = with_fact(ends=ends)
    text = changed(text, "jurisdiction.toml", "The licence.", "Its licence.")

    assert (loaded(NL=text).resolve("NL", on=NOW).digest == before) is same


def test_the_digest_has_its_kind_and_options():
    """
    The digest covers the kind and the options of the facts that rules read.
    """
    texts = [
        with_fact("text", 'licensed == "A"', ends=f"options = {options}")
        for options in ('["A", "B"]', '["A", "B", "C"]', '["B", "A"]')
    ]
    digests = {loaded(NL=text).resolve("NL", on=NOW).digest for text in texts}

    assert len(digests) == 3


def test_the_digest_has_a_fact_that_only_a_calculator_reads():
    """
    The digest covers a fact that the calculator `banded` reads (decisions/jurisdiction-folders).
    """

    def digest(kind, ends):
        text = changed(
            country(more=fact(kind, ends)),
            "products.toml",
            '{ calculator = "flat", rate = "1.2" }',
            (
                '{ calculator = "banded", on = "licensed", bands = [{ up_to = 3, rate = "1.3" }, { '
                'rate = "1.2" }] }'
            ),
        )
        return loaded(NL=text).resolve("NL", on=NOW).digest

    ends = "minimum = 0\nmaximum = 9"
    assert digest("count", ends) == digest("count", f"{ends} # a note")
    assert digest("count", ends) != digest("days", ends)
    assert digest("count", ends) != digest("count", "minimum = 0\nmaximum = 8")


def test_a_fact_that_no_rule_reads_changes_nothing():
    """
    A declared fact that no rule reads does not change the digest.
    """
    plain = loaded(NL=country()).resolve("NL", on=NOW).digest

    assert loaded(NL=country(more=fact("flag"))).resolve("NL", on=NOW).digest == plain
