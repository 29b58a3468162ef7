"""`[checks.NAME]`: how old a result may be, which facts a check gives, and its age as a fact."""

from __future__ import annotations

import pickle
from datetime import date

from every_case import for_every
from holdback import load_jurisdictions
from holdback.eligibility.facts import BUILT_IN_FACTS, CHECKS, MOST_DAYS
from holdback.rulebooks.rulebook import CheckTerms
from holdback.rules import Kind
from holdback.tools.mutants.mutation import verdicts
from holdback.tools.workbench.differences import differences
from holdback.tools.workbench.overview import overview
from small_folders import changed, child, country, errors_in, loaded, read, rule, said

NOW = date(2026, 7, 1)

LICENSED = """
[facts.licensed]
type = "flag"
description = "Whether the shop has a licence."
"""
ADDRESS = LICENSED.replace("licensed", "local")
REGISTER = """
[checks.register]
facts = ["local", "licensed"]
consent = "register_search"
"""


def aged(name, *entries, more=""):
    """A check as written, with its greatest ages: pairs of a day and the value."""
    written = (f'{{ from = {day}, value = {value}, source = "law" }}' for day, value in entries)
    limits = f"max_age_days = [{', '.join(written)}]\n" if entries else ""
    return f"\n[checks.{name}]\n{limits}{more}"


def with_checks(*parts):
    """The files of a country with more in its `jurisdiction.toml`, behind everything else."""
    return country(more="".join(parts))


def checks_of(files, on=NOW):
    return read(files, "NL").rulebook(on).checks


def test_without_a_word_of_them_the_checks_are_as_they_always_were():
    """
    Every check of a jurisdiction is there, built-in ones first; a declared fact that no check
    names is a check by its own name, and results do not age.
    """
    assert dict(checks_of(country())) == {
        name: CheckTerms(name=name, facts=facts) for name, facts in CHECKS.items()
    }
    own = CheckTerms(name="licensed", facts=("licensed",))
    assert list(checks_of(with_checks(LICENSED)).values())[len(CHECKS) :] == [own]


def test_a_jurisdiction_groups_its_own_facts():
    """
    The facts of one check come together; other declared facts stay checks of their own.
    """
    other = LICENSED.replace("licensed", "another")
    checks = checks_of(with_checks(LICENSED, ADDRESS, other, REGISTER))

    assert list(checks) == [*CHECKS, "another", "register"]
    assert checks["register"] == CheckTerms(
        name="register", facts=("local", "licensed"), consent="register_search"
    )


@for_every(
    ("on", "days"),
    [("2025-01-01", None), ("2026-03-01", 365), ("2026-06-30", 365), ("2026-07-01", 90)],
)
def test_the_greatest_age_changes_by_date(on, days):
    """
    Before its first entry results do not age: a limit may begin after the first rule.
    """
    files = with_checks(aged("identity", ("2026-03-01", 365), ("2026-07-01", 90)))

    assert checks_of(files, date.fromisoformat(on))["identity"].max_age_days == days


def test_a_limit_may_end():
    """
    From the `until` of the last entry on results do not age any more.
    """
    limit = aged("identity", ("2026-03-01", 365)).replace("value", "until = 2026-05-01, value")

    assert checks_of(with_checks(limit), date(2026, 4, 30))["identity"].max_age_days == 365
    assert checks_of(with_checks(limit), date(2026, 5, 1))["identity"].max_age_days is None


def test_a_check_that_a_file_names_has_its_age_as_a_fact():
    """
    "`NAME_age_days`: kind days, 0 to a hundred years, not rounded, derived", after declared facts.
    """
    facts = read(with_checks(LICENSED, aged("identity")), "NL").rulebook(NOW).catalogue.facts
    licensed, age = facts[BUILT_IN_FACTS:]

    assert (licensed.name, age.name) == ("licensed", "identity_age_days")
    assert (age.type.kind, age.low, age.high) == (Kind.DAYS, 0, MOST_DAYS)
    assert (age.rounded_down, age.origin) == (False, "derived")
    assert len(read(country(), "NL").rulebook(NOW).catalogue.facts) == BUILT_IN_FACTS


def test_a_rule_reads_the_age_of_a_check():
    """
    An age is a fact like others: a rule may be stricter than the greatest age.
    """
    fresh = rule("fresh", "NL-R-09", "identity_age_days <= 30 days")
    files = changed(
        with_checks(aged("identity")), "renewal.toml", "[typical]", f"{fresh}\n[typical]"
    )
    files = changed(
        files, "renewal.toml", 'progress = "64%"', 'progress = "64%"\nidentity_age_days = 3'
    )
    book = read(files, "NL").rulebook(NOW)
    good = {"progress": "64%", "performance": "97%", "missed_remittances_30d": 0}

    assert book.assess({**good, "identity_age_days": 30}).outcome == "eligible"
    assert book.assess({**good, "identity_age_days": 31}).outcome == "ineligible"
    assert book.assess(good).needs == ("identity_age_days",)


def test_the_age_of_a_check_that_no_file_names_is_pointed_out():
    """
    The error says what to write, not that the name is unknown.
    """
    fresh = rule("fresh", "NL-R-09", "identity_age_days <= 30 days")
    (error,) = errors_in(
        changed(country(), "renewal.toml", "[typical]", f"{fresh}\n[typical]"), "NL"
    )

    assert error.message == "the age `identity_age_days` is not a fact yet"
    assert error.hint == "write `[checks.identity]` in `jurisdiction.toml`"


# -- children


def test_a_child_overlays_its_parent_by_check():
    """
    A check that both name is the child's, whole; the others are inherited, with their ages.
    """
    parent = with_checks(
        LICENSED,
        ADDRESS,
        REGISTER,
        aged("identity", ("2025-01-01", 730), more='consent = "kyc"\n'),
        aged("business", ("2025-01-01", 365)),
    )
    own = aged("identity", ("2026-01-01", 100)) + aged("consumer_credit", ("2026-01-01", 90))
    family = loaded(NL=parent, NL_ZH=child(more=own), NL_DH=child("NL-DH"))
    checks = family.resolve("NL-ZH", on=NOW).checks

    assert (checks["identity"].max_age_days, checks["identity"].consent) == (100, None)
    assert (checks["business"].max_age_days, checks["consumer_credit"].max_age_days) == (365, 90)
    assert checks["register"] == family.resolve("NL", on=NOW).checks["register"]
    assert family.resolve("NL-DH", on=NOW).checks == family.resolve("NL", on=NOW).checks
    names = [fact.name for fact in family.resolve("NL-ZH", on=NOW).catalogue.facts]
    assert names[BUILT_IN_FACTS:] == [
        "licensed",
        "local",
        "business_age_days",
        "identity_age_days",
        "register_age_days",
        "consumer_credit_age_days",
    ]


def test_a_child_groups_the_facts_of_its_parent():
    """
    Declared facts are one set, here or in a parent's file.
    """
    family = loaded(NL=with_checks(LICENSED, ADDRESS), NL_ZH=child(more=REGISTER))

    assert family.resolve("NL-ZH", on=NOW).checks["register"].facts == ("local", "licensed")
    assert "register" not in family.resolve("NL", on=NOW).checks


# -- mistakes


def own(facts, name="register"):
    return f"\n[checks.{name}]\nfacts = {facts}\n"


@for_every(
    ("written", "line", "message", "hint"),
    [
        ("[checks.identiy]", 0, "there is no check `identiy`", "did you mean `identity`?"),
        ("[checks.register]", 0, "there is no check `register`", 'facts = ["licence_valid"]'),
        ("[checks.Register]", 0, "`Register` cannot be a name", "a name is like"),
        (f"[checks.{'a' * 52}]", 0, f"`{'a' * 52}` cannot be a name", "a name is like"),
        ("checks = 3", 0, "expected a table, not a whole number", None),
        ("checks.identity = 3", 0, "expected a table, not a whole number", None),
        ("[checks.identity]\nmax_age = 3", 1, "unknown key `max_age`", "`max_age_days`"),
        ("[checks.identity]\nmax_age_days = 730", 1, "expected an array, not a whole", "= 730, "),
        ("[checks.identity]\nmax_age_days = []", 1, "expected at least one entry", None),
        (aged("identity", ("2025-01-01", -1)).strip(), 1, "expected 0 to 36600", None),
        (aged("identity", ("2025-01-01", 36_601)).strip(), 1, "expected 0 to 36600", None),
        ('[checks.identity]\nconsent = "Kyc!"', 1, "expected a name such as `credit_", None),
        ("[checks.identity]\nconsent = true", 1, "expected a name such as", None),
        (
            '[checks.consumer_credit]\nfacts = ["credit_score"]',
            1,
            "the check `consumer_credit` always gives `credit_score` and `credit_checked_on`",
            "leave `facts` out here",
        ),
        (own("[]").strip(), 1, "expected at least one fact", 'as `["licence_valid"]`'),
        (own('"licensed"').strip(), 1, "expected an array, not text", None),
        (own('["licenced"]').strip(), 1, "no fact `licenced` is declared", "mean `licensed`?"),
        (own('["balance"]').strip(), 1, "no fact `balance` is declared", "`[facts]` declares"),
        (
            own('["credit_score"]').strip(),
            1,
            "`credit_score` belongs to the check `consumer_credit`",
            "leave it out",
        ),
        (
            own('["licensed", "licensed"]').strip(),
            0,
            "the check `register` gives `licensed` already",
            "one check gives a fact, once",
        ),
        (
            (own('["licensed"]') + own('["licensed"]', "trade")).strip(),
            3,
            "the check `register` gives `licensed` already",
            "one check gives a fact, once",
        ),
    ],
)  # fmt: skip
def test_an_invalid_check_is_one_error(written, line, message, hint):
    """
    The error says what is wrong, on the line where it is written, and what to do.
    """
    # The keys of tables come behind the others, so the check is written last.
    files = country(more=f"{written}\n" if written.startswith("checks") else "")
    if not written.startswith("checks"):
        files = with_checks(LICENSED, f"{written}\n")
    (error,) = errors_in(files, "NL")
    first = files["jurisdiction.toml"].splitlines().index(written.splitlines()[0]) + 1

    assert error.message.startswith(message)
    assert (error.file, error.line) == ("NL/jurisdiction.toml", first + line)
    assert hint is None or hint in error.hint


def test_all_mistakes_are_reported_at_once():
    """
    An author who corrects one reads of all others, too; a rule that reads the age of an invalid
    check may be right.
    """
    written = (LICENSED, "[checks.identiy]\n", own("[]"), aged("business", ("2025-01-01", -1)))
    fresh = rule("fresh", "NL-R-09", "business_age_days <= 30 days")
    files = changed(with_checks(*written), "renewal.toml", "[typical]", f"{fresh}\n[typical]")

    assert [error.message for error in errors_in(files, "NL")] == [
        "there is no check `identiy`",
        "expected at least one fact",
        "expected 0 to 36600",
    ]


@for_every(
    ("fact", "message"),
    [
        ("identity_age_days", "`identity_age_days` is the age of the check `identity`"),
        ("takings", "`takings` is a check, and a fact that it does not give"),
        ("register", "`register` is a check, and a fact that it does not give"),
    ],
)
def test_one_name_means_one_thing(fact, message):
    """
    A declared fact has no name of a check that does not give it, and none of an age: in the file
    where the second of the two is written.
    """
    declared = LICENSED.replace("licensed", fact)
    named = aged("identity") + own('["licensed"]')
    (error,) = errors_in(with_checks(LICENSED, declared, named), "NL")
    assert (error.message, error.hint) == (message, "give one of them another name")

    assert any(
        message in line
        for line in said("NL-ZH", NL=with_checks(LICENSED, named), NL_ZH=child(more=declared))
    )
    if fact != "takings":
        assert any(
            message in line
            for line in said("NL-ZH", NL=with_checks(LICENSED, declared), NL_ZH=child(more=named))
        )


def test_a_check_may_have_the_name_of_its_fact():
    """
    A single fact that ages is a check by its own name.
    """
    files = with_checks(LICENSED, own('["licensed"]', "licensed"))

    assert checks_of(files)["licensed"].facts == ("licensed",)


def test_an_age_shares_no_name_with_a_parameter():
    """
    Facts and parameters share no name, in one folder or two.
    """
    limit = (
        '[parameters.identity_age_days]\ntype = "days"\n'
        'timeline = [{ from = 2025-01-01, value = "3 days", source = "law" }]\n'
    )
    named = with_checks(aged("identity"))
    (error,) = errors_in(changed(named, "renewal.toml", "[typical]", f"{limit}\n[typical]"), "NL")
    assert "identity_age_days" in error.message

    parent = changed(country(), "renewal.toml", "[typical]", f"{limit}\n[typical]")
    lines = said("NL-ZH", NL=parent, NL_ZH=child(more=aged("identity")))
    assert any("`identity_age_days` is a parameter of `NL`" in line for line in lines)


def test_ages_count_among_the_declared_facts():
    """
    At most 31 facts, declared ones and ages together (decisions/portfolios).
    """
    declared = [LICENSED.replace("licensed", f"fact_{place:02}") for place in range(29)]
    two = aged("identity") + aged("business")
    (error,) = errors_in(with_checks(*declared, two, aged("takings")), "NL")

    assert len(read(with_checks(*declared, two), "NL").rulebook(NOW).catalogue.facts) == (
        BUILT_IN_FACTS + 31
    )
    assert error.message == (
        "there are more than 31 facts: 29 are declared, and 3 are ages of checks"
    )


# -- digests, comparison, tools


def test_a_greatest_age_changes_the_digest_from_its_first_day_on():
    """
    "max_age_days yes, only where stated": the days before keep their digests.
    """
    before, after = (
        read(country(), "NL"),
        read(with_checks(aged("identity", ("2026-03-01", 365))), "NL"),
    )

    for day in (date(2025, 1, 1), date(2026, 2, 28)):
        assert before.rulebook(day).rules_digest == after.rulebook(day).rules_digest
    for day in (date(2026, 3, 1), NOW):
        assert before.rulebook(day).rules_digest != after.rulebook(day).rules_digest
        assert before.rulebook(day).digest != after.rulebook(day).digest


def test_a_name_a_group_and_a_consent_change_no_digest():
    """
    They decide no answer for given facts; rulebooks that differ in them are unequal all the same.
    """
    plain = with_checks(LICENSED, ADDRESS)
    books = [
        read(files, "NL").rulebook(NOW)
        for files in (
            plain,
            with_checks(LICENSED, ADDRESS, REGISTER),
            with_checks(LICENSED, ADDRESS, REGISTER.replace("register_search", "another")),
        )
    ]

    assert len({book.digest for book in books}) == 1
    assert len(set(books)) == 3
    assert pickle.loads(pickle.dumps(books[1])) == books[1]


def test_checks_are_shown_and_compared():
    """
    `holdback show` lists the checks that a file names, `holdback diff` what changed of them.
    """
    plain = with_checks(LICENSED, ADDRESS)
    named = with_checks(LICENSED, ADDRESS, REGISTER, aged("identity", ("2026-03-01", 365)))
    before, after = (overview(read(files, "NL"), NOW) for files in (plain, named))

    assert before["checks"] == []
    assert {entry["name"]: entry["value"] for entry in after["checks"]} == {
        "identity": "gives identity_verified; at most 365 days old",
        "register": "gives local, licensed; needs the consent register_search",
    }
    assert {entry["name"]: entry.get("source") for entry in after["checks"]} == {
        "identity": "law",
        "register": None,
    }
    assert [(found.state, found.kind, found.name) for found in differences(before, after)] == [
        ("added", "check", "identity"),
        ("added", "check", "register"),
    ]


def test_an_example_notices_a_mistake_in_a_greatest_age():
    """
    An example of settings expects the greatest ages by check.
    """
    bare = with_checks(aged("identity", ("2025-01-01", 365)))
    held = changed(
        bare,
        "jurisdiction.toml",
        "recently_active_days = 90 }",
        "recently_active_days = 90, max_age_days = { identity = 365 } }",
    )
    for files, state in ((bare, "survived"), (held, "noticed")):
        family = loaded(NL=files)
        became = {
            verdict.mutant.name: verdict.state
            for verdict in verdicts(family["NL"], family)
            if verdict.mutant.name.startswith("checks")
        }
        assert became == {
            "checks.identity.max_age_days from 2025-01-01: 365 to 366": state,
            "checks.identity.max_age_days from 2025-01-01: 365 to 364": state,
        }


@for_every(
    ("expected", "message"),
    [
        ("{ identiy = 365 }", "unknown key `identiy`"),
        ("{ identity = 36601 }", "expected 0 to 36600"),
        ("365", "expected a table, not a whole number"),
    ],
)
def test_an_example_expects_ages_of_checks_that_there_are(expected, message):
    """
    An example is read with as much care as what it is about.
    """
    files = changed(
        with_checks(aged("identity", ("2025-01-01", 365))),
        "jurisdiction.toml",
        "recently_active_days = 90 }",
        f"recently_active_days = 90, max_age_days = {expected} }}",
    )

    assert [error.message for error in errors_in(files, "NL")] == [message]


def test_what_ships_has_every_check():
    """
    Every rulebook has the built-in checks.
    """
    for rulebook in load_jurisdictions().rulebooks():
        assert list(rulebook.checks)[: len(CHECKS)] == list(CHECKS), rulebook.code
        assert all(check.name == name for name, check in rulebook.checks.items())
