"""What `holdback check` finds in files that can be read: where, what, and what would help."""

from __future__ import annotations

from datetime import date

import pytest
from lint_findings import added, found, only

from every_case import for_every
from small_folders import (
    FIGURES,
    changed,
    child,
    country,
    parameter,
    rule,
    without_example,
)

BOTH = "add an example on each side, one unit apart"
LICENCE = '[facts.licensed]\ntype = "flag"\ndescription = "The licence."\n'


def test_a_folder_without_any():
    """
    Valid files with good examples have no findings.
    """
    assert found(NL=country()) == []
    assert found(date(2027, 6, 30), NL=country(more=FIGURES), NL_ZH=child(), BE=country("BE")) == []


@for_every(
    ("require", "word"),
    [
        ("progress >= 50%", "true"),
        ("progress >= 10% or months_trading >= 1", "true"),
        ("progress < 50%", "false"),
        ("months_trading >= 5 and months_trading < 5", "false"),
        ("months_trading >= 0", "true"),
        ("missed_remittances_30d <= 30", "true"),
    ],
)
def test_a_rule_that_always_says_the_same(require, word):
    """
    Rules are evaluated only for deals above the floor (decisions/rule-language).
    """
    text = added(rule("same", "NL-R-03", require, since="2026-06-01"))
    (error,) = [each for each in found(NL=text) if "every deal" in each.message]

    assert error.message == f"the rule `same` is {word} of every deal that is assessed"
    assert error.hint == "it decides nothing; below 50% paid down no deal is assessed"
    assert error.place == "NL/renewal.toml:30:11 $.rules[2].require"


@for_every(
    "require",
    [
        "progress >= 50.0001%",
        "progress < 100%",
        "missed_remittances_30d < 30",
        "months_trading >= 1",
        "balance <= average_monthly_takings",
        "balance <= average_monthly_takings or progress >= 50%",  # nothing is said of two facts
    ],
)
def test_a_rule_that_distinguishes_deals_is_not_a_finding(require):
    """
    A rule that some deals meet and others do not is not a finding.
    """
    text = added(rule("same", "NL-R-03", require, since="2026-06-01"))

    assert not [each for each in found(NL=text) if "every deal" in each.message]


def test_a_rule_that_says_the_same_later_on():
    """
    Every slice is checked: a parameter may move a rule to the end of a range.
    """
    text = added(
        parameter("most", "count", ("2025-01-01", 29), ("2026-05-01", 30))
        + rule("same", "NL-R-03", "missed_remittances_30d <= most", since="2026-01-01")
    )

    (error,) = [each for each in found(NL=text) if "every deal" in each.message]
    assert error.message == "the rule `same` is true of every deal that is assessed"


def test_a_rule_of_a_product_that_always_says_the_same():
    """
    A product may be asked for without a deal, so there is no floor.
    """
    text = changed(
        country(), "products.toml", '"identity_verified", reason', '"months_trading >= 0", reason'
    )
    (error,) = [each for each in found(NL=text) if "every" in each.message]
    fine = changed(
        country(), "products.toml", '"identity_verified", reason', '"progress >= 50%", reason'
    )

    assert error.place == "NL/products.toml:15:50 $.products[0].rules[0].require"
    assert error.message == "the rule `identity` is true of every application"
    assert error.hint == "it decides nothing"
    assert not [each for each in found(NL=fine) if "every" in each.message]


@for_every(
    ("require", "fact"),
    [
        ("progress >= 50%", "`progress`"),
        ("identity_verified and missed_remittances_30d <= 3", "`missed_remittances_30d`"),
        ("balance <= average_monthly_takings", "`balance`"),
        ('not (status == "Defaulted" or months_trading < 3)', "`status`"),
        ("progress >= 50% or performance >= 80%", "`progress` and `performance`"),
    ],
)
def test_a_rule_of_a_product_that_only_a_deal_can_satisfy(require, fact):
    """
    Deal facts are unknown in an initial application; `check` reports a product rule that is then
    never true, because nobody would be accepted.
    """
    files = country()
    written = files["products.toml"].replace(
        'require = "identity_verified", reason', f"require = '{require}', reason"
    )
    (error,) = [
        each
        for each in found(NL={**files, "products.toml": written})
        if "initial application" in each.message
    ]

    assert error.place == "NL/products.toml:15:50 $.products[0].rules[0].require"
    assert error.message == (
        f"the rule `identity` is never true in an initial application, where {fact} is unknown: "
        "the product is then never accepted"
    )
    assert "`renewal.toml`" in error.hint
    assert "`deals_defaulted`" in error.hint


def test_a_rule_of_a_product_on_it_is_never_true_in_an_initial_application():
    """
    "`holdback check` reports a product's rule that can then never be true."
    """
    fact = '[facts.site_visited]\ntype = "flag"\ndescription = "A visit."\nof = "deal"\n'
    files = country(more=fact)
    files["products.toml"] = files["products.toml"].replace(
        'require = "identity_verified", reason', 'require = "site_visited", reason'
    )
    messages = [finding.message for finding in found(NL=files)]

    assert any(
        "never true in an initial application, where `site_visited` is unknown" in message
        for message in messages
    ), messages


@for_every(
    ("require", "when"),
    [
        ("identity_verified", None),
        ("takings_trend >= 90%", None),  # takings may be recorded before there is a deal
        ("deals_defaulted == 0", None),
        ("progress >= 50% or identity_verified", None),
        ("performance >= 80% or deals_completed == 0", None),
        ("performance >= 80%", "deals_completed > 0"),
        ("months_trading >= 3", 'status == "Repaid"'),
        ("not (progress < 50% and months_trading < 3)", None),
    ],
)
def test_a_rule_of_a_product_that_a_newcomer_can_satisfy(require, when):
    """
    A rule that reads the facts of a deal is not reported where a newcomer can meet it without them.
    """
    files = country()
    limited = "" if when is None else f"when = '{when}', "
    written = files["products.toml"].replace(
        'require = "identity_verified", reason', f"{limited}require = '{require}', reason"
    )

    findings = found(NL={**files, "products.toml": written})
    assert not [each for each in findings if "initial application" in each.message]


def test_a_rule_that_is_never_in_force():
    """
    A rule of a product that is not offered on the rule's days is never in force.
    """
    text = changed(
        country(),
        "products.toml",
        'reason = "Not',
        'from = 2024-01-01, until = 2025-01-01, reason = "Not',
    )
    (error,) = [each for each in found(NL=text) if "in force" in each.message]

    assert error.place == "NL/products.toml:15:10 $.products[0].rules[0].id"
    assert error.message == "the rule `identity` is never in force"
    assert error.hint == "a rule without a day between `from` and `until` decides nothing"


def test_the_floor_alone_is_enough():
    """
    Reaching the floor alone must never make a deal eligible (decisions/rule-language).
    """
    text = changed(
        country(), "renewal.toml", '"performance >= minimum_performance"', '"performance >= 0%"'
    )
    text = changed(text, "renewal.toml", "at least {minimum_performance}", "more")
    errors = [each for each in found(NL=text) if "floor" in each.message]

    assert [(each.place, each.message, each.hint) for each in errors] == [
        (
            "NL/renewal.toml:10:1 $.rules",
            (
                "from 2025-01-01 on, no rule can decline a deal at the 50% floor for anything but "
                "`progress`"
            ),
            "add a rule that can decline a deal that is half paid down",
        )
    ]


def test_the_floor_alone_is_enough_until_a_later_start():
    """
    Where a rule that can decline begins later, the finding says from which day until which.
    """
    late = changed(
        country(),
        "renewal.toml",
        "from = 2025-01-01\n\n[[rules]]",
        "from = 2026-01-01\n\n"
        + rule("early", "NL-R-03", "performance >= 0%", since="2025-01-01")
        + "[[rules]]",
    )
    late = changed(
        late, "renewal.toml", "from = 2025-01-01\n\n[typical]", "from = 2025-03-01\n\n[typical]"
    )
    (error,) = [each for each in found(NL=late) if "floor for anything" in each.message]

    assert error.message == (
        "from 2025-01-01 until 2026-01-01, no rule can decline a deal at the 50% floor for "
        "anything but `progress`"
    )
    assert error.hint == "let `on-pace`, which can from 2026-01-01 on, begin on 2025-01-01"


@for_every(
    ("old", "new", "place", "message"),
    [
        (
            '"chosen"',
            '"chosn"',
            "NL/products.toml:11:35 $.products[0].split_percentage.calculator",
            (
                "no calculator `split_percentage/chosn` is registered; for split_percentage "
                "there are "
                "`chosen`, `affordability`, `table`"
            ),
        ),
        (
            "months = 6 }",
            "months = 0 }",
            "NL/products.toml:13:8 $.products[0].term",
            "expected at least one month, and at most 1200",
        ),
        (
            "months = 6 }",
            "months = 6, days = 3 }",
            "NL/products.toml:13:44 $.products[0].term.days",
            "`fixed` has no setting `days`; it has `months`",
        ),
        (
            'rate = "1.2" }',
            'rate = "0.9" }',
            "NL/products.toml:12:15 $.products[0].factor_rate",
            "a factor rate is at least 1 and at most 100",
        ),
        (
            '"EUR 500.00"',
            "500",
            "NL/products.toml:10:34 $.products[0].limits.minimum",
            'expected an amount in quotes such as `"EUR 1000"`',
        ),
        (
            'minimum = "EUR 500.00"',
            'minimum = "EUR 5000.00"',
            "NL/products.toml:10:10 $.products[0].limits",
            "`minimum` is above `maximum`",
        ),
    ],
)
def test_an_invalid_calculator_is_reported_once(old, new, place, message):
    """
    An invalid calculator or setting is one finding; a child does not repeat its parent's.
    """
    text = changed(country(), "products.toml", old, new)

    assert [(each.place, each.message) for each in found(NL=text)] == [(place, message)]
    assert len(found(NL=text, NL_ZH=child(), NL_DH=child("NL-DH"))) == 1


@pytest.mark.parametrize(("on", "due"), [(date(2027, 6, 30), False), (date(2027, 7, 1), True)])
def test_a_passed_review(on, due):
    """
    A `review_by` that has passed on the given day is a finding.
    """
    expected = (
        "NL/jurisdiction.toml:11:13 $.review_by",
        "the review was due by 2027-06-30",
        "ask risk-nl to review the files and move `review_by`",
        "2027-06-30",
    )

    assert found(NL=country()) == []
    if due:
        assert only(on, NL=country()) == expected
    else:
        assert found(on, NL=country()) == []


def test_a_code_of_two_jurisdictions():
    """
    A code that two jurisdictions use is a finding.
    """
    text = country()
    text["renewal.toml"] = text["renewal.toml"].replace("NL-R-02", "NL-ZH-R-02")
    mine = child(renewal=rule("few-missed", "NL-ZH-R-02", "missed_remittances_30d <= 1"))
    (error,) = [each for each in found(NL=text, NL_ZH=mine) if "code" in each.message]

    assert error.place == "NL-ZH/renewal.toml:5:8 $.rules[0].code"
    assert error.message == "`NL-ZH-R-02` is the code of a rule of `NL`"
    assert error.hint == "a code is never used again, in any jurisdiction"


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("few-missd", True),
        ("few-misssed", True),
        ("few-missed", False),
        ("few-mixed", False),
        ("older", False),
    ],
)
def test_an_id_that_is_nearly_an_inherited_one(name, near):
    """
    A child's id that is nearly an inherited one adds a rule instead of replacing it
    (decisions/jurisdiction-folders).
    """
    mine = child(renewal=rule(name, "NL-ZH-R-02", "missed_remittances_30d <= 1"))
    errors = [each for each in found(NL=country(), NL_ZH=mine) if "inherited" in each.message]

    assert len(errors) == near
    if near:
        assert errors[0].place == "NL-ZH/renewal.toml:4:6 $.rules[0].id"
        assert errors[0].message == f"`{name}` is new here, and `few-missed` is inherited"
        assert errors[0].hint == (
            "to replace that rule, name this one `few-missed`; else give it another id"
        )


def test_a_sentence_that_may_say_unknown():
    """
    A reason names only what the rule reads (decisions/rule-language).
    """
    text = added(
        rule(
            "older",
            "NL-R-03",
            "months_trading >= 6 and deals_defaulted < 1",
            reason="Trading for {months_trading} months.",
            since="2026-06-01",
        )
    )
    (error,) = [each for each in found(NL=text) if "is unknown" in each.message]

    assert error.place == "NL/renewal.toml:31:23 $.rules[2].reason"
    assert error.source[error.column - 1 :][: error.width] == "{months_trading}"
    assert error.message == (
        "a merchant may read that `months_trading` is unknown: the rule can be false without it"
    )
    assert error.hint == "make two rules of it, each with a sentence of its own"


@pytest.mark.parametrize(
    ("require", "reason"),
    [
        (
            "months_trading >= 6 or deals_completed > 1",
            "{months_trading} months, {deals_completed}.",
        ),
        ("months_trading >= 6 and deals_defaulted < 1", "No."),
        ("months_trading >= 6 and months_trading < 90", "{months_trading} months."),
    ],
)
def test_a_sentence_that_never_does(require, reason):
    """
    Where the rule is false, what it names is known.
    """
    text = added(rule("older", "NL-R-03", require, reason=reason, since="2026-06-01"))

    assert not [each for each in found(NL=text) if "is unknown" in each.message]


def test_each_finding_once_and_in_the_order_of_the_lines():
    """
    Every finding of every file is reported at once.
    """
    text = without_example(country(more=LICENCE), "just on pace")
    text = without_example(text, "four missed")
    errors = found(date(2030, 1, 1), NL=text, BE=country("BE"))
    places = [(each.file, each.line) for each in errors]

    assert places == [
        ("BE/jurisdiction.toml", 11),
        ("NL/jurisdiction.toml", 11),
        ("NL/jurisdiction.toml", 12),
        ("NL/renewal.toml", 18),
        ("NL/renewal.toml", 21),
    ]
    assert len(set(errors)) == len(errors)
