"""`--language`, and what `holdback check` says of language files."""

from __future__ import annotations

import attrs
import pytest
from invocation import invoke

from holdback import load_language, wire
from holdback.lifecycle.deals.statement import statement_of
from holdback.rules.language import Language
from holdback.tools.displays.statements import statement_page
from journey import Journey
from small_folders import country, write

HOSTILE = "<script>alert(1)</script>"
GERMAN = """
format = 1
name = "German"
complete_for = ["NL"]
[texts]
"""


@pytest.fixture(scope="module")
def merchant():
    journey = Journey(merchant_id="m-1")
    journey.ask()
    journey.accept()
    journey.fund()
    journey.pay_down(20)
    journey.remit(journey.entry(5000, id="bounced", settled=False))
    return journey.merchant


@pytest.fixture(scope="module")
def state(merchant, tmp_path_factory):
    file = tmp_path_factory.mktemp("state") / "state.json"
    file.write_bytes(wire.write_merchant(merchant))
    return file


def test_a_notice_in_german():
    """
    A notice is said in the language, frame and figures included.
    """
    facts = ["--fact", "progress=70%", "--fact", "status=Defaulted", "--fact", "performance=50%"]
    facts += ["--fact", "missed_remittances_30d=9", "--fact", "paused=true"]
    facts += ["--fact", "deals_defaulted=2", "--fact", "register_entries=1000"]
    ran = invoke("explain", "DE", "--on", "2026-12-01", *facts, "--notice", "--language", "de")

    assert ran.exit_code == 0
    assert ran.stdout.splitlines()[-4:] == [
        "4. Ihre Zahlungen erreichen 50 % der erwarteten Zahlungen; nötig sind mindestens 90 %.",
        "   Ihr Wert   Zahlungsquote: 50 %",
        "   Vorgabe    Mindest-Zahlungsquote: mindestens 90 %",
        "2 weitere Gründe sind nicht aufgeführt; ohne --notice werden alle ausgegeben.",
    ]


def test_a_record_has_the_texts_of_the_files():
    """
    A record is not said in a language.
    """
    asked = ["explain", "DE", "--on", "2026-12-01", "--fact", "progress=10%", "--format", "record"]
    ran = invoke(*asked, "--language", "de")

    assert ran.exit_code == 2
    assert "a record has the texts of the files" in ran.stderr


def test_an_unknown_language_says_which_there_are(state):
    """
    The error names the languages that there are.
    """
    for command in (
        ["explain", "DE", "--on", "2026-12-01", "--fact", "progress=10%"],
        ["statement", state],
    ):
        ran = invoke(*command, "--language", "fr")
        assert ran.exit_code == 2
        assert "there is no language `fr`; there are en, de" in ran.stderr


def test_a_statement_in_german(state):
    """
    Every line of a statement is German, and amounts and days are written as German writes them.
    """
    lines = invoke("statement", state, "--language", "de").stdout.splitlines()
    english = invoke("statement", state).stdout.splitlines()

    assert lines[0] == "Kontoauszug für m-1 in GBP"
    assert lines[-1] == "Der Kontoauszug geht auf."
    assert "  Nicht verbucht und nicht mitgezählt" in lines
    assert any(line.split()[1:2] == ["Auszahlung"] for line in lines)
    assert any(line.startswith("An Sie ausgezahlt: ") for line in lines)
    assert not {line for line in lines if line and not line.startswith("--")} & {*english} - {""}
    assert max(map(len, lines)) <= 100


def test_a_page_escapes_what_a_language_says(merchant):
    """
    Tags in a language file are shown as text.
    """
    german = load_language("de")
    texts = {source: f"{text}{HOSTILE}" for source, text in german.texts.items()}
    figures = attrs.evolve(german.figures, date="{day}<b>{month}{year}")
    hostile = Language(code="de", name="German", texts=texts, figures=figures)
    page = "\n".join(statement_page(statement_of(merchant), hostile))

    assert HOSTILE not in page
    assert "<b>" not in page
    assert "&lt;script&gt;" in page


def checked(tmp_path, file):
    write(tmp_path, NL=country())
    (tmp_path / "languages").mkdir(exist_ok=True)
    (tmp_path / "languages" / "de.toml").write_text(file, encoding="utf-8")
    return invoke("check", tmp_path)


def test_check_warns_of_texts_without_a_translation(tmp_path):
    """
    It names them, by jurisdiction, and says what is said until then.
    """
    ran = checked(tmp_path, GERMAN)

    assert ran.exit_code == 0
    assert "languages/de.toml: warning: 4 texts have no German, of NL: " in ran.stdout
    assert " and 1 more" in ran.stdout
    assert "until then they are said as the files have them" in ran.stdout


def test_check_warns_of_a_translation_of_what_nobody_says(tmp_path):
    """
    A sentence that changed has lost its translation: the one that is left is named with its line.
    """
    ran = checked(
        tmp_path,
        GERMAN + '"The pace is {performance}; {least} is needed." = "{performance} {least}"\n',
    )

    assert "languages/de.toml:6:1 " in ran.stdout
    assert "no file says `The pace is {performance}; {least} is needed.`" in ran.stdout
    assert ran.exit_code == 0


def test_check_fails_for_an_invalid_language_file(tmp_path):
    """
    A translation with other names than its text is a finding.
    """
    ran = checked(tmp_path, GERMAN + '"Missed: {missed_remittances_30d}." = "Gemist."\n')

    assert ran.exit_code == 1
    assert "`{missed_remittances_30d}` is missing" in ran.stdout


def test_check_refuses_another_file_in_the_folder_of_languages(tmp_path):
    """
    A file that is not named by a language is a finding.
    """
    write(tmp_path, NL=country())
    (tmp_path / "languages").mkdir()
    (tmp_path / "languages" / "deutsch.txt").write_text("", encoding="utf-8")
    ran = invoke("check", tmp_path)

    assert ran.exit_code == 1
    assert "this is not the name of a language file" in ran.stdout
