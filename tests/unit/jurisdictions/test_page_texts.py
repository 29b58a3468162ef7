"""The texts for a policy page in `jurisdiction.toml`, which nothing decides by."""

from __future__ import annotations

from datetime import date

from every_case import for_every
from holdback.jurisdictions.keys import DATA, KEPT, SAID
from holdback.tools.policy.policy_document import NOT_STATED, data_texts, people_texts
from holdback.tools.workbench.overview import overview
from small_folders import child, country, errors_in, loaded

ON = date(2026, 7, 1)
TEXTS = "".join(f'{name} = "the {name} here"\n' for name in SAID)
FACT = '[facts.licence_valid]\ntype = "flag"\ndescription = "A licence."\n'


def data(*names, basis="a duty"):
    return "".join(
        f'[data.{name}]\nlegal_basis = "{basis}"\nobtained_from = "whose {name} it is"\n'
        for name in names
    )


def said(jurisdiction):
    """The texts of the page: of people by title, and legal basis and origin by kind of data."""
    kinds = data_texts(jurisdiction, jurisdiction.rulebook(ON))
    people = {title: text for _, title, text in people_texts(jurisdiction)}
    return people, {it.name: (it.legal_basis, it.obtained_from) for it in kinds}


def test_what_is_not_stated():
    """
    What no file says, the page prints as "not stated".
    """
    people, kinds = said(loaded(NL=country())["NL"])

    assert people == {row.title: NOT_STATED for row in SAID.values()}
    assert {*KEPT, "identity", "consumer credit"} <= kinds.keys()
    assert {*kinds.values()} == {(NOT_STATED, NOT_STATED)}


def test_a_child_has_those_of_its_parent():
    """
    A child has its parent's texts, and replaces single ones, or what is said of a kind of data,
    whole.
    """
    own = 'complaints_to = "the branch"\n[data.takings]\nobtained_from = "the till"\n'
    family = loaded(NL=country(more=TEXTS + data("identity", "takings")), NL_ZH=child(more=own))
    people, kinds = said(family["NL-ZH"])

    assert people == {
        row.title: "the branch" if name == "complaints_to" else f"the {name} here"
        for name, row in SAID.items()
    }
    assert kinds["identity"] == ("a duty", "whose identity it is")
    assert kinds["takings"] == (NOT_STATED, "the till")


def test_no_digest_of_rules_covers_them():
    """
    They decide nothing: no digest of rules covers them, and no rulebook has them.
    """
    more = TEXTS + data(*KEPT, "business")
    silent, speaking = (loaded(NL=country(more=text))["NL"] for text in ("", more))

    assert silent.rulebook(ON) == speaking.rulebook(ON)
    assert silent.rulebook(ON).rules_digest == speaking.rulebook(ON).rules_digest
    assert not any(hasattr(speaking.rulebook(ON), name) for name in SAID)
    assert silent.changes == speaking.changes


def test_the_overview_names_those_that_are_stated():
    """
    `holdback show` and `diff` have the texts that a file states, with their places.
    """
    shown = overview(loaded(NL=country(more='complaints_to = "the branch"\n'))["NL"], ON)
    lines = {line["name"]: line["value"] for line in shown["settings"]}

    assert {name: lines[name] for name in SAID if name in lines} == {"complaints_to": "the branch"}


@for_every(
    ("more", "code", "message", "hint"),
    [
        (data("identitiy"), "unknown_name", "no data is called `identitiy` here", "identity"),
        (data("weather"), "unknown_name", "no data is called `weather` here", "deals or profile"),
        (FACT + data("licence"), "unknown_name", "no data is called `licence` here", None),
        ("[data.deals]\nbasis = 'a duty'\n", "unknown_field", "`basis`", "legal_basis"),
        ("complaints_to = 3\n", "wrong_type", "text", None),
    ],
)
def test_a_wrong_text_is_an_error(more, code, message, hint):
    """
    A kind of data is a check by its name, `deals` or `profile`.
    """
    (error,) = errors_in(country(more=more), "NL")

    assert error.code == code
    assert message in error.message
    assert hint is None or hint in error.hint


def test_every_kind_of_data_has_a_name():
    """
    A declared fact that no check gives is a check by its own name, and so a kind of data.
    """
    more = FACT + data("licence_valid", "identity", "business", "consumer_credit", "takings", *KEPT)
    _, kinds = said(loaded(NL=country(more=more))["NL"])

    assert {basis for basis, _ in kinds.values()} == {"a duty"}
    assert len(kinds) == len(KEPT) + 5
    assert [*DATA.rows] == ["legal_basis", "obtained_from"]
