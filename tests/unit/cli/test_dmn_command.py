"""`holdback dmn`: rules as DMN, and decision tables of other people's files as tables of tiers."""

from __future__ import annotations

import pytest
from invocation import invoke

from small_folders import child, write
from small_tables import COLUMNS, ROWS, land, table

HEAD = '<definitions xmlns="https://www.omg.org/spec/DMN/20180521/MODEL/" name="d" namespace="n">'
# As an editor of DMN writes it, with labels, and without anything of holdback.
TIERS = """
<decision id="tiers" name="Loan tiers">
  <decisionTable{policy}>
    <input label="Amount"><inputExpression typeRef="number"><text>{fact}</text></inputExpression></input>
    <output name="{output}" typeRef="boolean"/>
    <rule><inputEntry><text>{first}</text></inputEntry><outputEntry><text>{asked}</text></outputEntry></rule>
    <rule><inputEntry><text>&gt;= 1000</text></inputEntry><outputEntry><text>true</text></outputEntry></rule>
  </decisionTable>
</decision>"""  # noqa: E501  # as an editor writes it
USUAL = {
    "policy": "", "fact": "funded_amount", "output": "require performance", "first": "&lt; 1000",
    "asked": "performance &gt;= 75",
}  # fmt: skip


@pytest.fixture
def root(tmp_path):
    return write(tmp_path / "rules", NL=land(table()), NL_ZH=child())


@pytest.fixture
def given(root, tmp_path):
    """A function from the text of a file to what the command says of it."""

    def given(text):
        file = tmp_path / "given.dmn"
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return invoke("dmn", "NL", "--from", file, "--jurisdictions", root)

    return given


def tiers(more="", **changes):
    return f"{HEAD}{TIERS.format(**{**USUAL, **changes})}{more}</definitions>"


def test_rules_of_a_day_go_out_and_their_tables_come_back(root, tmp_path):
    file = tmp_path / "nl.dmn"
    ran = invoke("dmn", "NL", "--on", "2026-07-01", "--to", file, "--jurisdictions", root)
    assert (ran.exit_code, ran.output) == (0, "")
    document = file.read_text(encoding="utf-8")
    printed = invoke("dmn", "NL", "--on", "2026-07-01", "--jurisdictions", root)
    assert printed.output == document
    assert "<text>performance &gt;= minimum_performance</text>" in document
    assert invoke("dmn", "NL", "--on", "2025-07-01", "--jurisdictions", root).output != document
    ran = invoke("dmn", "NL", "--from", file, "--jurisdictions", root)
    assert ran.exit_code == 0
    assert ran.stdout.startswith('[[tables]]\nid = "size"\ncode = "NL-R-10"\n')
    path = root / "NL" / "renewal.toml"
    before = path.read_text(encoding="utf-8")
    path.write_text(before.replace(table(), f"\n{ran.stdout}"), encoding="utf-8")
    again = invoke("dmn", "NL", "--on", "2026-07-01", "--jurisdictions", root)
    assert again.output == document.replace("<text />", "<text>-</text>")
    assert ": `NL_R_01`, an expression\n" in ran.stderr
    assert "NL_R_10" not in ran.stderr  # the rule of a row comes back with its table


def test_a_row_that_a_child_drops_is_not_in_its_table(tmp_path):
    dropped = 'switch_off = [{ rule = "size-over", reason = "not here", from = 2025-01-01 }]\n'
    root = write(tmp_path / "rules", NL=land(table()), NL_ZH=child(more=dropped))
    ran = invoke("dmn", "NL-ZH", "--on", "2026-07-01", "--jurisdictions", root)
    assert ran.exit_code == 0, ran.output
    assert "<text>middle</text>" in ran.output
    assert "<text>over</text>" not in ran.output
    assert "NL-R-10-OVER" not in ran.output


def test_a_table_of_an_editor_comes_in(given):
    """What the file does not say is left to its author."""
    ran = given(tiers())
    assert (ran.exit_code, ran.stderr) == (0, "")
    assert (
        ran.stdout
        == """\
[[tables]]
# Add what the file does not say: code, source, from
id = "loan-tiers"
columns = ["row", "funded_amount", "require performance"]
rows = [
  ["r1",  "< EUR 1000",    ">= 75%"],
  ["r2",  ">= EUR 1000",   "-"],
]
"""
    )


@pytest.mark.parametrize(
    ("change", "line", "said"),
    [
        ({"policy": ' hitPolicy="FIRST"'}, 3, "its hit policy is FIRST, not UNIQUE or ANY"),
        ({"policy": ' hitPolicy="COLLECT" aggregation="SUM"'}, 3, "its hit policy is COLLECT"),
        ({"fact": "funded amount"}, 4, "did you mean `funded_amount`?"),
        ({"fact": "funded_amount * 2"}, 4, "calculate it in a rule"),
        ({"output": "rate"}, 5, "the output `rate` is nothing that a row has"),
        ({"output": "require pace"}, 5, "is not a fact"),
        ({"first": "&lt; 10, &gt; 20"}, 6, "a cell cannot say `< 10, > 20`"),
        ({"first": "null"}, 6, "a cell cannot ask for an unknown fact"),
        ({"first": "&lt; balance"}, 6, "a cell compares with a value, and `balance` is a fact"),
        ({"first": "&lt; minimum_amount"}, 6, "`minimum_amount` is not a parameter"),
        ({"first": '"small"'}, 6, "is not a value of `funded_amount`, which is money (EUR)"),
        ({"first": "&lt; 1000.001"}, 6, "in the column `funded_amount`"),
        ({"asked": "performance = 75"}, 6, "not exact"),
        ({"asked": "balance &gt;= 75"}, 6, "a cell cannot say `balance >= 75` in the column"),
        ({"asked": "performance &gt;= 0.75"}, 6, "may be a share of 1"),
        ({"asked": "false"}, 6, "`require performance` is never true"),
        ({"asked": "if performance &gt; 75 then true else false"}, 6, "a cell cannot say"),
    ],
)
def test_what_does_not_fit_is_said_with_its_place(given, change, line, said):
    """ "What does not fit said": where, and what to do; a table with an error is not printed."""
    ran = given(tiers(**change))
    assert (ran.exit_code, ran.stdout) == (1, "")
    assert f"given.dmn:{line}: the table `Loan tiers`: " in ran.stderr
    assert said in ran.stderr


def test_every_error_is_said_at_once(root, tmp_path):
    file = tmp_path / "nl.dmn"
    invoke("dmn", "NL", "--on", "2026-07-01", "--to", file, "--jurisdictions", root)
    text = file.read_text(encoding="utf-8")
    for old, new in (
        ('hitPolicy="ANY"', 'hitPolicy="FIRST"'),
        ('<text>"Funded"<', '<text>"Fundedd"<'),
        ("performance &gt;= 80<", "performance &gt;= 8O<"),
        ('"refer"', '"refers"'),
    ):
        assert old in text
        text = text.replace(old, new)
    file.write_text(text, encoding="utf-8")
    ran = invoke("dmn", "NL", "--from", file, "--jurisdictions", root)
    assert ran.exit_code == 1
    for said in ("is FIRST", "did you mean `Funded`?", "`performance >= 8O`", "`refers` is not an"):
        assert said in ran.stderr


def test_another_language_than_feel_is_said(given):
    """ "Nothing guessed": JUEL and Groovy look like FEEL."""
    for old in ("<inputExpression ", "<outputEntry><text>performance"):
        tag = old.split("><")[0].strip("< ")
        new = old.replace(f"<{tag}", f'<{tag} expressionLanguage="juel"', 1)
        ran = given(tiers().replace(old, new, 1))
        assert (ran.exit_code, "an expression is in juel, not in FEEL" in ran.stderr) == (1, True)
    assert given(
        tiers().replace("<inputExpression", '<inputExpression expressionLanguage="feel"')
    ).stdout


def test_what_is_no_table_is_said(given):
    more = '<businessKnowledgeModel name="rate"/><decision name="limit"><context/></decision>'
    ran = given(tiers(more))
    assert ran.exit_code == 0
    assert "line 9: `rate`, a function\n" in ran.stderr
    assert "line 9: `limit`, an expression\n" in ran.stderr
    assert given(f"{HEAD}</definitions>").exit_code == 1


BOMB = '<!DOCTYPE d [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
SECRETS = '<!DOCTYPE d [<!ENTITY s SYSTEM "file:///etc/hostname">]>'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (BOMB + tiers(first="&b;"), "the file has a document type"),
        (SECRETS + tiers(first="&s;"), "the file has a document type"),
        (tiers(first="&s;"), "undefined entity"),
        ("<a>" * 200, "more than 100 elements in each other"),
        (b"<a>" + b" " * 2_000_000, "at most 2000000 bytes"),
        (tiers().encode("utf-16")[:-7], "the file is not XML"),
        (b'<?xml version="1.0" encoding="shift-jis"?><a/>', "encoding"),
        (b'<?xml version="1.0" encoding="nonsense"?><a/>', "encoding"),
        (tiers().replace("tiers", "\u00e9").encode("latin-1"), "the file is not XML"),
        (b"\x00\xff", "the file is not XML"),
        (b"", "the file is not XML"),
        ("row,progress\n", "the file is not XML"),
        ("<html/>", "the file is not DMN: its first element is `html`"),
        (tiers().replace("omg.org", "omg.example"), "the file is not DMN"),
    ],
)
def test_hostile_files_are_refused_plainly(given, text, said):
    """No entity is read, no file is opened, nothing grows."""
    ran = given(text)
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert said in ran.stderr


def test_utf16_and_long_cells_are_read(given):
    assert given(tiers().encode("utf-16")).exit_code == 0
    ran = given(tiers(first='"' + "a" * 5_000))
    assert "a cell has at most" in ran.stderr


def test_a_file_in_a_folder_that_does_not_exist(root, tmp_path):
    """
    It says what is wrong and what to do, as other commands that write files do.
    """
    for command in (("dmn", "NL", "--on", "2026-07-01"), ("table", "NL", "size")):
        target = tmp_path / "nowhere" / "NL.out"
        ran = invoke(*command, "--to", target, "--jurisdictions", root)
        assert (ran.exit_code, target.parent.exists()) == (2, False)
        said = f"there is no folder {target.parent} to write NL.out into; make it first, or give"
        assert said in " ".join(ran.output.split())


def test_misuse_says_what_to_do(root, tmp_path):
    assert "give --on DATE" in invoke("dmn", "NL", "--jurisdictions", root).output
    ran = invoke("dmn", "NLL", "--on", "2026-07-01", "--jurisdictions", root)
    assert (ran.exit_code, "did you mean `NL`" in ran.output) == (2, True)
    named = root / "NL" / "renewal.toml"
    rows = [[cell.replace("EUR 100000", "time") for cell in row] for row in ROWS]
    entry = '{ from = 2025-01-01, value = "EUR 1", source = "p" }'
    text = f'parameters.time = {{ type = "money", timeline = [{entry}] }}\n'
    files = land(table(rows, COLUMNS))
    named.write_text(text + files["renewal.toml"], encoding="utf-8")
    ran = invoke("dmn", "NL", "--on", "2026-07-01", "--jurisdictions", root)
    assert (ran.exit_code, "`time` cannot be names in FEEL" in ran.output) == (2, True)
    for option in ("--to", "--from"):
        (tmp_path / "size.dmn").write_text("", encoding="utf-8")
        ran = invoke("table", "NL", "size", option, tmp_path / "size.dmn", "--jurisdictions", root)
        assert "holdback dmn NL" in ran.output
