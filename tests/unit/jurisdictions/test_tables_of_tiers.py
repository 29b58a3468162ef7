"""`[[tables]]`: each row is a rule, dated and overlaid like one; errors are at the cells."""

from __future__ import annotations

from datetime import date

import pytest

from holdback.tools.lint.lint import findings
from holdback.tools.mutants.mutation import verdicts
from holdback.tools.workbench.history import histories
from holdback.tools.workbench.overview import overview
from small_folders import child, country, errors_in, loaded, parameter, read, rule, said
from small_tables import COLUMNS, ROWS, land, priced, table

TODAY = date(2026, 3, 1)


def rows_of(rulebook, product=None):
    return [rule for rule in rulebook.rulesets[product].rules if rule.id.startswith("size-")]


def changed(column, text, *, row=0):
    """Return the error of a table of which one cell is another *text*, with what it marks."""
    rows = [list(cells) for cells in ROWS]
    rows[row][COLUMNS.index(column)] = text
    (error,) = errors_in(land(table(rows)), "NL")
    return error


def marked(error):
    return error.source[error.column - 1 : error.column - 1 + error.width]


def test_each_row_is_a_rule():
    """ "Each row becomes an ordinary rule", after the rules, with a code and a reason."""
    rulebook = read(land(table()), "NL").slices[-1]
    assert [rule.id for rule in rulebook.renewal.rules][:2] == ["on-pace", "few-missed"]
    assert [(rule.id, rule.code, rule.when, rule.require) for rule in rows_of(rulebook)] == [
        ("size-small", "NL-R-10-SMALL", "funded_amount < EUR 100000", "performance >= 70%"),
        (
            "size-middle",
            "NL-R-10-MIDDLE",
            'funded_amount >= EUR 100000 and funded_amount <= EUR 500000 and status == "Funded"',
            "performance >= 80%",
        ),
        (
            "size-over",
            "NL-R-10-OVER",
            "funded_amount >= EUR 100000 and funded_amount <= EUR 500000",
            'not status in ["Repaid", "Settled"]',
        ),
        ("size-large", "NL-R-10-LARGE", None, "funded_amount <= EUR 500000"),
    ]
    assert [(rule.otherwise, rule.reason) for rule in rows_of(rulebook)] == [
        ("decline", "The pace is {performance}."),
        ("refer", "The pace is {performance}."),
        ("decline", "It is {status}."),
        ("refer", "It is {funded_amount}."),
    ]


def test_the_digest_is_that_of_the_rules():
    """Nothing below the reader knows of tables: the same rules have the same digest."""
    by_table = read(land(table()), "NL").slices[-1]
    written = "".join(
        f'\n[[rules]]\nid = "{rule.id}"\ncode = "{rule.code}"\nrequire = \'{rule.require}\'\n'
        + (f"when = '{rule.when}'\n" if rule.when else "")
        + f'otherwise = "{rule.otherwise}"\nreason = "{rule.reason}"\nsource = "policy"\n'
        "from = 2025-01-01\n"
        for rule in rows_of(by_table)
    )
    files = land()
    files["renewal.toml"] = files["renewal.toml"].replace("\n[typical]", f"{written}\n[typical]")
    assert read(files, "NL").slices[-1].digest == by_table.digest


@pytest.mark.parametrize(
    ("cell", "expression"),
    [
        ("3", "missed_remittances_30d == 3"),
        ("not 3", "missed_remittances_30d != 3"),
        ("3 or 4 or 5", "missed_remittances_30d in [3, 4, 5]"),
        (">  3", "missed_remittances_30d > 3"),
        (">= 3 and < 9", "missed_remittances_30d >= 3 and missed_remittances_30d < 9"),
        ("3 to 9", "missed_remittances_30d >= 3 and missed_remittances_30d <= 9"),
        ("3 to below 9", "missed_remittances_30d >= 3 and missed_remittances_30d < 9"),
        ("at_most", "missed_remittances_30d == at_most"),
        ("< at_most", "missed_remittances_30d < at_most"),
    ],
)
def test_what_a_cell_can_say(cell, expression):
    columns = ["row", "missed_remittances_30d", "require paused"]
    files = land(
        table([["one", cell, "false"]], columns, reason='"No."'),
        parameter("at_most", "count", ("2025-01-01", 4)),
    )
    (rule,) = rows_of(read(files, "NL").slices[-1])
    assert (rule.when, rule.require) == (expression, "not paused")


def test_a_cell_may_be_a_number_a_flag_or_a_date_without_quotes():
    columns = ["row", "missed_remittances_30d", "credit_checked_on", "require paused"]
    text = table([["one", 3, "DAY", False]], columns, reason='"No."').replace('"DAY"', "2026-01-01")
    (rule,) = rows_of(read(land(text), "NL").slices[-1])
    assert rule.when == "missed_remittances_30d == 3 and credit_checked_on == 2026-01-01"


def test_a_row_has_a_code_and_a_source_of_its_own():
    columns = ["row", "paused", "answer", "code", "source"]
    rows = [["one", "true", "decline", "NL-R-77", "minutes"], ["two", "false", "pass", "-", ""]]
    (rule,) = rows_of(read(land(table(rows, columns, reason='"No."')), "NL").slices[-1])
    assert (rule.code, rule.source, rule.require) == ("NL-R-77", "minutes", "not paused")


# -- errors


@pytest.mark.parametrize(
    ("column", "row", "cell", "mark", "said"),
    [
        ("funded_amount", 0, "< EUR 100.000", "EUR 100.000", "more than one reading"),
        ("funded_amount", 3, "> 5 days", '"> 5 days"', "a number of days"),
        ("funded_amount", 0, "< balance", '"< balance"', "`balance` is a fact"),
        ("funded_amount", 1, "EUR 5 and EUR 6", '"EUR 5 and EUR 6"', "is not one value"),
        ("funded_amount", 0, "< EUR 5 + EUR 6", '"< EUR 5 + EUR 6"', "is not one value"),
        ("funded_amount", 0, "> EUR 5 and EUR 6", '"> EUR 5 and EUR 6"', "cannot read `EUR 6`"),
        ("status", 1, "Fundet", '"Fundet"', "not in the declared set"),
        ("require performance", 0, "at least 70%", "least", "should end here"),
        ("require performance", 0, "> 70%", '"> 70%"', "not exact"),
        ("require performance", 0, ">= most", "most", "`most` is not a fact"),
        ("answer", 0, "pass", '"pass"', "requires something"),
        ("answer", 0, "reject", '"reject"', "unknown answer"),
        ("reason", 3, "It is {status}.", "{status}", "not among the facts"),
        ("row", 1, "small", '"small"', "already"),
        ("row", 0, "Small", '"Small"', "a name such as"),
        ("row", 0, f"s{'o' * 59}", f'"s{"o" * 59}"', "60 characters"),
    ],
)
def test_an_error_is_at_its_cell(column, row, cell, mark, said):
    error = changed(column, cell, row=row)
    assert marked(error) == mark
    assert said in error.message


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (["row", "size", "answer"], "`size` is not a fact"),
        (["row", "require size", "paused"], "`size` is not a fact"),
        (["paused", "answer"], "no column `row`"),
        (["row", "paused"], "no column says what comes of a deal"),
        (["row", "require paused"], "no column says which deals a row takes"),
        (["row", "paused", "paused", "answer"], "already"),
        (["row", *["paused"] * 16], "expected at most 16 columns"),
    ],
)
def test_columns_that_cannot_be_read(columns, said):
    errors = errors_in(land(table([["one"] * len(columns)], columns)), "NL")
    assert said in errors[0].message


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], "expected at least one row"),
        ([["one", "true"]], "the row has 2 cells, and there are 3 columns"),
        ([["one", "true", ""]], "the row has no `answer`"),
        ([["one", "-", "decline"]], "every deal has the answer `decline`"),
        ([["one", "yes", "decline"]], "expected `true`, `false` or `-`"),
        ([["one", 1.5, "decline"]], "expected text"),
        ([["one", "true", "decline"]] * 61, "expected at most 60 rows"),
        (["one"], "expected an array"),
    ],
)
def test_rows_that_cannot_be_read(rows, said):
    columns = ["row", "paused", "answer"]
    errors = errors_in(land(table(rows, columns, reason='"No."')), "NL")
    assert said in errors[0].message


def test_a_row_needs_a_reason():
    columns = ["row", "paused", "answer"]
    (error,) = errors_in(land(table([["one", "true", "refer"]], columns, reason="")), "NL")
    assert error.message == "the row has no reason"


def test_two_tables_of_one_id_are_not_in_force_together():
    later = table(since="2026-01-01")
    errors = errors_in(land(table(), later), "NL")
    assert "there is a table `size` on these days already" in [error.message for error in errors]
    assert errors_in(land(table(until="2026-01-01"), later), "NL") == ()


# -- dates and children


def test_a_table_is_dated_like_a_rule():
    later = table([["all", "-", "-", ">= 90%", "", ""]], since="2026-01-01")
    folder = loaded(NL=land(table(until="2026-01-01"), later))
    ids = {
        day: [rule.id for rule in rows_of(folder.resolve("NL", on=day))]
        for day in (date(2025, 12, 31), TODAY)
    }
    assert ids[date(2025, 12, 31)] == ["size-small", "size-middle", "size-over", "size-large"]
    assert ids[TODAY] == ["size-all"]


def test_a_child_replaces_a_row_or_the_table():
    """A row is replaced by its id, like any rule; a table of the same id replaces all rows."""
    row = (
        '[[rules]]\nid = "size-small"\ncode = "NL-ZH-R-1"\nrequire = "performance >= 75%"\n'
        'reason = "No."\nsource = "policy"\nfrom = 2026-01-01\n'
    )
    own = table([["all", "-", "-", ">= 90%", "", ""]], code="NL-UT-R-9", since="2026-01-01")
    folder = loaded(
        NL=land(table()), NL_ZH=child(renewal=row), NL_UT=child("NL-UT", renewal=own.strip())
    )
    rules = rows_of(folder.resolve("NL-ZH", on=TODAY))
    assert [rule.code for rule in rules] == [
        "NL-ZH-R-1", "NL-R-10-MIDDLE", "NL-R-10-OVER", "NL-R-10-LARGE"
    ]  # fmt: skip
    assert [rule.id for rule in rows_of(folder.resolve("NL-UT", on=TODAY))] == ["size-all"]
    before = rows_of(folder.resolve("NL-UT", on=date(2025, 6, 1)))
    assert before[0].id == "size-small"


def test_a_child_drops_a_row():
    more = '[[switch_off]]\nrule = "size-large"\nreason = "All sizes are fine here."\n'
    folder = loaded(NL=land(table()), NL_ZH=child(more=more))
    ids = [rule.id for rule in rows_of(folder.resolve("NL-ZH", on=TODAY))]
    assert ids == ["size-small", "size-middle", "size-over"]


def test_a_table_that_asks_nothing_replaces_one_of_the_parent():
    own = table([["all", "true", "pass"]], ["row", "paused", "answer"], code="NL-ZH-R-9")
    folder = loaded(NL=land(table()), NL_ZH=child(renewal=own.strip()))
    assert rows_of(folder.resolve("NL-ZH", on=TODAY)) == []


def test_a_table_of_products_is_of_those_that_it_names():
    columns, rows = ["row", "months_trading", "answer"], [["new", "< 6", "decline"]]
    above = table(rows, columns, reason='"No."', products='["flex"]')
    files = country()
    files["products.toml"] = files["products.toml"] + above
    rulebook = read(files, "NL").slices[-1]
    (rule,) = rows_of(rulebook, "flex")
    assert rule.require == "months_trading >= 6"
    assert rows_of(rulebook) == []
    files["products.toml"] = files["products.toml"].replace('["flex"]', '["fleks"]')
    assert "unknown product `fleks`" in errors_in(files, "NL")[0].message


def test_a_row_has_a_history_and_a_place():
    folder = loaded(NL=land(table()))
    (history,) = histories(folder, folder["NL"], "size-small")
    assert [version.code for version in history.versions] == ["NL-R-10-SMALL"]
    assert history.versions[0].lines[0].first == history.versions[0].lines[0].last
    shown = overview(folder["NL"], TODAY)
    (listed,) = shown["tables"]
    assert listed["columns"] == COLUMNS
    assert listed["codes"][-2:] == ["NL-R-10-LARGE", ""]
    assert {rule.get("table") for rule in shown["rules"]} == {None, "size"}


# -- a child without the table of its parent

NOT_HERE = 'switch_off = [{ table = "size", reason = "One tier here.", from = 2026-01-01 }]\n'


def test_a_child_switches_off_a_whole_table():
    """A table is switched off as a rule is: on the days given, with a reason, rows and all."""
    folder = loaded(NL=land(table()), NL_ZH=child(more=NOT_HERE))
    before, after = (
        folder.resolve("NL-ZH", on=day) for day in (date(2025, 12, 31), date(2026, 1, 1))
    )
    assert (len(rows_of(before)), rows_of(after)) == (4, [])
    shown = overview(folder["NL-ZH"], TODAY)
    assert shown["tables"] == []
    assert [(line["kind"], line["name"]) for line in shown["switched_off"]] == [("table", "size")]


def test_a_row_of_its_own_stays_in_force():
    row = pace_row("size-small", "NL-ZH-R-1")
    folder = loaded(NL=land(table()), NL_ZH=child(more=NOT_HERE, renewal=row))
    (kept,) = rows_of(folder.resolve("NL-ZH", on=TODAY))
    assert kept.code == "NL-ZH-R-1"


def pace_row(name, code):
    return rule(name, code, "performance >= 60%", since="2026-01-01")


def test_a_table_that_is_not_inherited_cannot_be_switched_off():
    assert said("NL-ZH", NL=country(), NL_ZH=child(more=NOT_HERE))[0].endswith(
        "`NL` has no table `size`"
    )


def test_a_switch_off_of_a_table_needs_an_example():
    """As a rule does: a deal for which one of its rows would be a reason."""
    files = child(more=NOT_HERE)
    messages = [error.message for error in findings(loaded(NL=land(table()), NL_ZH=files))]
    assert "no example shows that the table `size` is switched off" in messages
    slow = 'given = { performance = "81%", funded_amount = "EUR 600000", status = "Funded" }'
    files["renewal.toml"] = (
        f'format = 1\n[[examples]]\nname = "large"\non = 2026-03-01\n{slow}\n'
        'expect = { outcome = "eligible" }\n'
    )
    jurisdictions = loaded(NL=land(table()), NL_ZH=files)
    messages = [error.message for error in findings(jurisdictions)]
    assert "no example shows that the table `size` is switched off" not in messages
    states = {it.mutant.name: it.state for it in verdicts(jurisdictions["NL-ZH"], jurisdictions)}
    assert states["table size not switched off"] == "noticed"


def test_a_table_that_is_switched_off_while_a_product_reads_it():
    more = 'switch_off = [{ table = "pricing", reason = "Not here." }]\n'
    (error,) = said("NL-ZH", NL=priced(), NL_ZH=child(more=more))
    assert "the inherited product `flex` has no table `pricing`" in error


@pytest.mark.parametrize(
    ("files", "state", "words"),
    [
        (child(more=NOT_HERE), "switched off", "One tier here."),
        (
            child(
                renewal=table(
                    [["all", "-", "-", ">= 90%", "", ""]], code="NL-ZH-R-9", since="2026-01-01"
                ).strip()
            ),
            "replaced",
            "by the table `size` of NL-ZH, which has no such row",
        ),
    ],
)
def test_the_history_of_a_row_says_what_became_of_its_table(files, state, words):
    folder = loaded(NL=land(table()), NL_ZH=files)
    (found,) = histories(folder, folder["NL-ZH"], "size-small")
    first, last = found.versions
    assert (first.state, first.until) == ("in force", date(2026, 1, 1))
    assert (last.state, last.words, last.jurisdiction) == (state, words, "NL-ZH")
    (parents,) = histories(folder, folder["NL"], "size-small")
    ((code, stretches),) = parents.children
    assert (code, [it.relation for it in stretches]) == ("NL-ZH", ["inherited", state])
