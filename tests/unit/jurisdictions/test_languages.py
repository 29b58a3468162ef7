"""Sentences for merchants in another language: the same answers, said completely and well."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from own_texts import COMPOSED, not_literal, own_texts

from every_case import for_every
from holdback import InvalidDocument, load_jurisdictions, load_language
from holdback.eligibility.reasons import (
    SERVICE_REASONS,
    missing_facts,
    reasons,
    service_reason,
)
from holdback.jurisdictions.folder import load_valid_and_errors
from holdback.jurisdictions.language_file import read_language_file
from holdback.jurisdictions.language_folder import own_texts as shipped_texts
from holdback.merchant.statement import STATEMENT_KINDS
from holdback.rules.language import ENGLISH, Language
from holdback.rules.number_format import NumberFormat, plain_format
from holdback.rules.types import Kind, Type
from holdback.tools.displays.recorded_reasons import read_shown
from holdback.tools.displays.statements import kind_text
from holdback.tools.lint.translations import texts_of
from small_folders import country, write

GERMAN = load_language("de")
NOTICES = Path(__file__).parent / "german_notices.txt"
CATALOGUE = 'format = 1\nname = "German"\n[texts]\n'
CODES = ("CA-QC", "DE", "JP")


def read(body, code="de"):
    errors = []
    if isinstance(body, str):
        body = body.encode()
    return read_language_file(code, "x/languages/de.toml", body, errors), errors


def examples(code):
    """Yield each example of rules, with its rules in English and in German."""
    jurisdiction = load_jurisdictions()[code]
    spoken = {}
    for example in jurisdiction.examples:
        if not example.of_rules:
            continue
        rulebook = jurisdiction.rulebook(example.on)
        if example.product not in rulebook.rulesets:
            continue
        if example.on not in spoken:
            spoken[example.on] = rulebook, rulebook.in_language(GERMAN)
        rulebook, german = spoken[example.on]
        yield example, rulebook, german


# -- Completeness


def test_all_that_holdback_says_has_a_german_text():
    """
    The file that ships translates every own sentence and label, and nothing else.
    """
    texts, languages = shipped_texts()

    assert languages == {"de"}
    assert texts == own_texts()


def test_a_composed_text_is_known():
    """
    What is said is a literal, or composed of what the tables of `own_texts` list.
    """
    assert not_literal() <= COMPOSED


def test_all_that_the_german_files_say_has_a_german_text():
    """
    The file next to the jurisdictions is complete for Germany.
    """
    assert texts_of(load_jurisdictions()["DE"]) <= GERMAN.texts.keys()


def test_a_kind_of_movement_fits_into_its_column():
    """
    A kind of movement has 17 letters in a terminal.
    """
    assert [kind for kind in STATEMENT_KINDS if len(kind_text(kind, GERMAN)) > 17] == []


# -- The same answers


@for_every("code", CODES)
def test_a_language_changes_no_answer(code):
    """
    Outcome, codes, facts, needs, trace and digest are equal in both languages.
    """
    for example, rulebook, german in examples(code):
        facts = rulebook.catalogue.prepare(example.given)
        assert german.digest == rulebook.digest
        assert german == rulebook
        assert german.renewal.rules is rulebook.renewal.rules
        if example.product is None:
            one, other = rulebook.assess(example.given), german.assess(example.given)
            plain, spoken = one.record(), other.record()
            for reason in (*plain["reasons"], *spoken["reasons"]):
                del reason["text"]
            assert plain == spoken
        one = rulebook.rulesets[example.product].answer(facts)
        other = german.rulesets[example.product].answer(facts)
        assert (one.false, one.unknown) == (other.false, other.unknown)


@for_every("code", CODES)
def test_a_recorded_reason_is_said_later(code):
    """
    A recorded reason is said in German from its code and text: as the rules would have said it.
    """
    count = 0
    for example, rulebook, german in examples(code):
        facts = rulebook.catalogue.prepare(example.given)
        one = rulebook.rulesets[example.product].answer(facts)
        other = german.rulesets[example.product].answer(facts)
        given = list(reasons(one, one.false))
        wanted = list(reasons(other, other.false))
        if example.product is None:
            given += rulebook.assess(example.given).reasons
            wanted += german.assess(example.given).reasons
        for recorded, reason in zip(given, wanted, strict=True):
            count += 1
            again = {"code": recorded.code, "text": recorded.text}
            assert german.say(again) == reason.text
            assert rulebook.say(again) == recorded.text
    assert count > 20


def test_a_recorded_reason_of_the_service_is_said_later():
    """
    The figures in a recorded sentence are written as German writes them.
    """
    british = load_jurisdictions().resolve("GB", on=date(2026, 12, 1)).in_language(GERMAN)
    text = "The most that can be offered is £1,234.50; the least is £5,000.00."

    assert british.say({"code": "LIMIT", "text": text}) == (
        "Höchstens können 1.234,50 £ angeboten werden; der Mindestbetrag beträgt 5.000,00 £."
    )
    assert british.say({"code": "PERSON", "text": SERVICE_REASONS["PERSON"]}).startswith("Ihr")


def test_a_text_of_other_rules_is_not_translated():
    """
    A text that the rulebook would not have given is returned unchanged.
    """
    german = load_jurisdictions().resolve("DE", on=date(2026, 12, 1)).in_language(GERMAN)

    for code in ("DE-R-04", "FLOOR", "elsewhere"):
        assert (
            german.say({"code": code, "text": "Another sentence: 5%."}) == "Another sentence: 5%."
        )


def test_what_was_not_known_is_said_later():
    """
    The text of a rule that was unknown names the facts as German does.
    """
    rulebook = load_jurisdictions().resolve("DE", on=date(2026, 12, 1))
    answers = rulebook.renewal.answer(rulebook.catalogue.prepare({"progress": "70%"}))
    rule = next(rule for rule in answers.selected(answers.unknown) if rule.code == "DE-R-06")
    recorded = {"code": rule.code, "text": missing_facts(answers, rule)}

    assert recorded["text"] == "not known: performance"
    assert rulebook.in_language(GERMAN).say(recorded) == "nicht bekannt: Zahlungsquote"


@for_every("format_", [GERMAN.figures_with(None, load_jurisdictions()["DE"].currency), None])
def test_a_figure_is_read_back(format_):
    """
    The number that was written is read, and nothing else is.
    """
    currency = load_jurisdictions()["DE"].currency
    format_ = format_ or plain_format(currency)
    types = [Type(Kind.MONEY, currency), *map(Type, (Kind.PERCENT, Kind.RATIO, Kind.COUNT))]
    for type_ in types:
        for number in (0, 1, 5, 99, 100, 123450, 10**9, -123450):
            assert read_shown(format_, type_, format_.show(type_, number)) == number
        assert read_shown(format_, type_, "x1") is None
        assert read_shown(format_, type_, "") is None
    day = Type(Kind.DATE)
    assert read_shown(format_, day, format_.show(day, 739000)) == 739000
    assert read_shown(format_, day, "99.99.2026") is None
    assert read_shown(format_, day, "2026-13-41") is None


# -- German as a bank writes it


def notices():
    """Yield a notice for each kind of reason of Germany, and each of the service's own."""
    told = set()
    for example, rulebook, german in examples("DE"):
        answers = german.rulesets[example.product].answer(rulebook.catalogue.prepare(example.given))
        given = list(reasons(answers, answers.false))
        if example.product is None:
            given += german.assess(example.given).reasons
        for reason in given:
            if reason.code not in told:
                told.add(reason.code)
                yield from _notice(german, reason)
    figures = {"most": "1.234,50 €", "least": "5.000,00 €", "settlement": "2.000,00 €"}
    for code in sorted(SERVICE_REASONS.keys() - {"FLOOR"}):
        yield f"{code}: {service_reason(german.renewal, code, figures).text}"


def _notice(rulebook, reason):
    yield f"{reason.code}: {reason.text}"
    for title, values in (("measured", reason.measured), ("threshold", reason.threshold)):
        for name, value in values.items():
            named = GERMAN.say("{name} {figure}", name=rulebook.renewal.label(name), figure=value)
            yield f"   {GERMAN.say(title)}  {named}"


def test_german_notices():
    """
    One notice for each kind of reason, read by a person. Lines are added, and none is changed.
    """
    said = list(notices())
    held = NOTICES.read_text(encoding="utf-8").splitlines()

    assert [line for line in held if line not in said] == []
    assert [line for line in said if line not in held] == []


def test_german_figures_in_a_jurisdiction_of_another_country():
    """
    Numbers are written as the language writes them, and the currency's sign is the jurisdiction's.
    """
    british = load_jurisdictions().resolve("GB", on=date(2026, 12, 1)).in_language(GERMAN)
    money = Type(Kind.MONEY, british.currency)

    assert british.renewal.show(money, 123450) == "1.234,50 £"
    assert british.renewal.show(money, -123450) == "-1.234,50 £"
    assert british.renewal.show(Type(Kind.DAYS), 1) == "1 Tag"
    assert british.renewal.show(Type(Kind.DAYS), 14) == "14 Tage"
    assert british.renewal.show(Type(Kind.FLAG), 1) == "ja"
    assert british.renewal.show(Type(Kind.DATE), date(2026, 11, 15).toordinal()) == "15.11.2026"


def test_what_would_help_in_german():
    """
    The ways are whole German sentences, which begin with a capital letter.
    """
    german = load_jurisdictions().resolve("DE", on=date(2026, 12, 1)).in_language(GERMAN)
    typical = dict(load_jurisdictions()["DE"].typical["renewal"])
    one = german.assess({**typical, "performance": "71%"}).what_would_help()
    several = german.assess({**typical, "performance": "71%", "paused": True, "progress": "51%"})

    assert one.words == (
        "Es würde genügen, wenn Folgendes gilt: Die Zahlungsquote beträgt mindestens 90 % der "
        "erwarteten Zahlungen (derzeit 71 %)."
    )
    assert several.what_would_help().words.splitlines() == [
        "Es würde genügen, wenn alles Folgende gilt:",
        "- Der Rückzahlungsstand beträgt mindestens 62,5 % (derzeit 51 %)",
        "- Die Zahlungsquote beträgt mindestens 90 % der erwarteten Zahlungen (derzeit 71 %)",
        "- Die Rückzahlung ist nicht ausgesetzt",
    ]


def test_a_label_without_its_article_stands_alone():
    """
    An English article is not put before a word of another language.
    """
    language = Language(code="de", name="German", texts={"turnover": "Umsatz"})

    assert language.phrase("the turnover", "turnover") == "Umsatz"
    assert language.phrase("the Restbetrag", "Restbetrag") == "Restbetrag"
    assert ENGLISH.phrase("the turnover", "turnover") == "the turnover"


# -- Language files


HOSTILE = {
    "not UTF-8": b'format = 1\nname = "\xff"\n',
    "lacks a name": CATALOGUE + '"least {a}" = "mindestens"',
    "has another name": CATALOGUE + '"least {a}" = "mindestens {a} {b}"',
    "has a brace": CATALOGUE + '"least {a}" = "mindestens {a} {"',
    "has a brace and no name": CATALOGUE + '"least" = "mindestens {}"',
    "reads an attribute": CATALOGUE + '"least {a}" = "mindestens {a.__class__}"',
    "has a control character": CATALOGUE + '"least" = "min\\u001b[31m"',
    "reverses the text": CATALOGUE + '"least" = "min\u202e"',
    "has two lines": CATALOGUE + '"least" = "a\\nb"',
    "is empty": CATALOGUE + '"least" = ""',
    "is a number": CATALOGUE + '"least" = 5',
    "is said twice": CATALOGUE + '"least" = "a"\n"least" = "b"',
    "is of a newer version": 'format = 2\nname = "German"\n[texts]\n',
    "has an unknown key": 'format = 1\nname = "German"\ntext = 1\n[texts]\n',
    "shows another number": CATALOGUE + '[figures]\ndecimal = ","\ngroup = "."\n'
    'money = "{amount} {currency}0"\npercent = "{number} %"\ndate = "{day}.{month}.{year}"\n',
    "lacks the currency": CATALOGUE + '[figures]\ndecimal = ","\ngroup = "."\n'
    'money = "{amount}"\npercent = "{number} %"\ndate = "{day}.{month}.{year}"\n',
    "is too long": CATALOGUE + f'"least" = "{"a" * 3000}"',
}


@for_every("body", HOSTILE.values())
def test_a_hostile_language_file_is_refused(body):
    """
    An invalid language file is refused with an error that names its file and line.
    """
    file, errors = read(body)

    assert file is None
    assert errors
    assert {error.file for error in errors} == {"x/languages/de.toml"}
    assert all("\x1b" not in error.message for error in errors)


def test_the_error_of_a_translation_teaches():
    """
    The error says which name is wrong, where, and which were expected.
    """
    _, (error,) = read(CATALOGUE + '"least {a} of {b}" = "mindestens {A} von {c}"')

    assert error.message == "`{b}` is missing; `{c}` is not in the source"
    assert error.hint == "a translation has `{a}` and `{b}`, as its source"
    assert error.line == 4


def test_an_unknown_language():
    """
    The error says which languages there are.
    """
    for code in ("xx", "../de", "DE", ""):
        with pytest.raises(InvalidDocument, match="there is no language") as raised:
            load_language(code)
        assert raised.value.errors[0].hint.startswith("there are en, de; ")


def test_a_lender_says_it_in_other_words(tmp_path):
    """
    The file in a folder goes over the one that ships, and may be of a language of its own.
    """
    write(tmp_path, NL=country())
    folder = tmp_path / "languages"
    folder.mkdir()
    (folder / "de.toml").write_text(CATALOGUE + '"at least {limit}" = "ab {limit}"', "utf-8")
    (folder / "nl.toml").write_text(
        'format = 1\nname = "Dutch"\n[texts]\n"at least {limit}" = "minstens {limit}"', "utf-8"
    )

    german, dutch = load_language("de", tmp_path), load_language("nl", tmp_path)
    assert german.say("at least {limit}", limit="5") == "ab 5"
    assert german.say("at most {limit}", limit="5") == "höchstens 5"
    assert dutch.say("at least {limit}", limit="5") == "minstens 5"
    assert dutch.say("at most {limit}", limit="5") == "at most 5"
    assert load_valid_and_errors(tmp_path, "x")[1] == ()


def test_figures_of_a_language_without_its_own():
    """
    Without figures a language writes them as the jurisdiction does.
    """
    own = NumberFormat(
        decimal=".", group=",", money="£{amount}", percent="{number}%", date="{day}/{month}/{year}"
    )
    currency = load_jurisdictions()["GB"].currency

    assert ENGLISH.figures_with(own, currency) is own
    assert ENGLISH.day(date(2026, 1, 2)) == "2026-01-02"
