"""`holdback portfolio`: files and queries of deals, read exactly in every form."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path

import openpyxl
import polars as pl
import pytest
from click.testing import CliRunner

from holdback import load_jurisdictions
from holdback.cli.commands import holdback
from holdback.portfolio import sample, summarise
from holdback.portfolio.files import deal_files

SHIPPED = Path(__file__).parents[3] / "jurisdictions"


def run(*arguments, code=0):
    """The output and errors of the command, which exits with *code*."""
    result = CliRunner().invoke(holdback, ["portfolio", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result.output


@pytest.fixture(scope="module")
def deals_folder(tmp_path_factory):
    """A folder with the same deals as Parquet and as CSV."""
    folder = tmp_path_factory.mktemp("deals")
    deals = sample(600, 3, backend="polars")
    deals.write_parquet(folder / "deals.parquet")
    deals.write_csv(folder / "deals.csv")
    return folder


@pytest.fixture(scope="module")
def expected(deals_folder):
    return summarise(pl.read_parquet(deals_folder / "deals.parquet"), load_jurisdictions())


def test_the_summary_is_printed_as_tables(deals_folder, expected):
    """
    The summary is printed as tables, or as JSON.
    """
    assert run(deals_folder / "deals.parquet") == f"{expected}\n"
    assert json.loads(run(deals_folder / "deals.parquet", "--format", "json")) == expected.plain()


def test_a_csv_file_says_the_same(deals_folder, expected):
    """
    The texts of a CSV file are read exactly.
    """
    assert run(deals_folder / "deals.csv") == f"{expected}\n"


def test_a_query_and_a_pattern_say_the_same(deals_folder, expected):
    assert run(f"from '{deals_folder}/*.parquet'") == f"{expected}\n"
    assert run(f"select * from '{deals_folder}/deals.parquet';") == f"{expected}\n"
    assert run(deals_folder / "*.parquet") == f"{expected}\n"


def test_batches_add_up(deals_folder, expected, monkeypatch):
    """
    The counts do not depend on where a batch ends.
    """
    monkeypatch.setattr(deal_files, "BATCH", 100)

    assert run(deals_folder / "deals.parquet") == f"{expected}\n"
    assert run(deals_folder / "deals.csv") == f"{expected}\n"


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_the_outcomes_are_written(deals_folder, ending, monkeypatch, tmp_path):
    """
    Every deal in order, with its outcome as texts.
    """
    monkeypatch.setattr(deal_files, "BATCH", 400)
    output = tmp_path / f"answers.{ending}"

    run(deals_folder / "deals.parquet", "--output", output)

    found = pl.read_parquet(output) if ending == "parquet" else pl.read_csv(output)
    deals = pl.read_parquet(deals_folder / "deals.parquet")
    assert found["deal_id"].to_list() == deals["deal_id"].to_list()
    assert found.columns == [*deals.columns, "outcome", "eligible", "codes", "needs"]
    assert set(found["outcome"]) >= {"eligible", "ineligible"}
    assert list(tmp_path.iterdir()) == [output]


def test_what_is_written_of_a_csv_file_is_what_it_says(deals_folder, other, tmp_path):
    """
    The user's own columns come back unchanged, digit for digit.
    """
    answers, changed = tmp_path / "answers.csv", tmp_path / "changed.csv"
    deals = pl.read_csv(deals_folder / "deals.csv", infer_schema=False)

    run(deals_folder / "deals.csv", "--output", answers)
    run(deals_folder / "deals.csv", "--compare", other, "--output", changed)

    found = pl.read_csv(answers, infer_schema=False)
    assert found.select(deals.columns).equals(deals)
    of_them = pl.read_csv(changed, infer_schema=False)
    assert 0 < of_them.height < deals.height
    same = deals.filter(pl.col("deal_id").is_in(of_them["deal_id"].to_list()))
    assert of_them.select(deals.columns).equals(same)


def test_a_csv_file_is_never_read_as_floats(tmp_path, deals_folder):
    """
    As a float, 49.99999999999999999 would be 50.
    """
    deal = pl.read_csv(deals_folder / "deals.csv", infer_schema=False).filter(
        pl.col("jurisdiction") == "GB", pl.col("status") == "Funded", pl.col("progress") != ""
    )
    file = tmp_path / "trap.csv"
    deal.head(1).with_columns(progress=pl.lit("49.99999999999999999")).write_csv(file)

    summary = json.loads(run(file, "--format", "json"))

    assert [each["outcome"] for each in summary["outcomes"]] == ["not_assessed"]


def test_texts_that_are_not_plain_are_read_as_facts_documents_have_them(tmp_path, deals_folder):
    deals = pl.read_csv(deals_folder / "deals.csv", infer_schema=False)
    file = tmp_path / "written.csv"
    deals.with_columns(
        progress=pl.col("progress") + "%",
        identity_verified=pl.col("identity_verified"),
        days_since_funding=pl.col("days_since_funding") + " days",
    ).write_csv(file)

    assert run(file) == run(deals_folder / "deals.csv")


def test_one_jurisdiction_and_one_day_for_all(deals_folder):
    """
    One jurisdiction and one day can be given for all deals.
    """
    of_gb = f"from '{deals_folder}/deals.parquet' where jurisdiction = 'GB'"
    query = f'select * exclude (jurisdiction, "on") {of_gb}'

    told = run(query, "--jurisdiction", "GB", "--on", "2026-07-01")

    assert told == run(f"from '{deals_folder}/deals.parquet' where jurisdiction = 'GB'")


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rules") / "jurisdictions"
    shutil.copytree(SHIPPED, folder)
    file = folder / "GB" / "renewal.toml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace('value = "80%"', 'value = "95%"'), encoding="utf-8")
    return folder


def test_another_folder_shows_who_would_change(deals_folder, other, tmp_path, monkeypatch):
    """
    `--compare` shows the deals whose outcome would differ.
    """
    monkeypatch.setattr(deal_files, "BATCH", 300)
    output = tmp_path / "changed.parquet"

    printed = run(deals_folder / "deals.parquet", "--compare", other, "--output", output)

    changed = pl.read_parquet(output)
    assert printed.startswith(f"{changed.height} of 600 deals change\n")
    assert changed["deal_id"][0] in printed
    assert "GB-R-02  now decides" in printed
    assert set(changed["jurisdiction"]) == {"GB"}
    same = run(deals_folder / "deals.parquet", "--compare", SHIPPED)
    assert same == "None of 600 deals changes.\n"


@pytest.mark.parametrize(
    ("deals", "told"),
    [
        ("deals.parq", "expected a .csv, .xlsx or .parquet file, or a DuckDB query"),
        ("nowhere.parquet", 'No files found that match the pattern "nowhere.parquet"'),
        ("nowhere.xlsx", "there is no file nowhere.xlsx"),
        ("*.xlsx", "an Excel file is read by its name"),
        ("select nothing from nowhere", "Table with name nowhere does not exist"),
        ("select 1 as progress", "jurisdiction: the column is missing"),
        ("drop table deals", "expected a .csv, .xlsx or .parquet file, or a DuckDB query"),
    ],
)
def test_deals_that_cannot_be_read(deals, told):
    """
    A user's mistake never shows a stack trace.
    """
    printed = run(deals, code=2)

    assert told in printed
    assert "Traceback" not in printed


@pytest.mark.parametrize(
    ("good", "fractions", "code"),
    [(0, 100, 1), (2_000, 2_000, 1), (2_000, 1_200, 1), (2_000, 100, 0)],
)
def test_a_last_batch_is_looked_at_as_well(tmp_path, monkeypatch, good, fractions, code):
    """
    Only the few deals of a last batch may look like fractions by chance, and that is listed.
    """
    monkeypatch.setattr(deal_files, "BATCH", 2_000)
    deals = sample(good + fractions, 3, backend="polars").with_row_index()
    late = pl.when(pl.col("index") >= good).then(pl.col("progress") / 100)
    deals = deals.with_columns(progress=late.otherwise(pl.col("progress"))).drop("index")
    deals.write_parquet(tmp_path / "deals.parquet")

    told = run(tmp_path / "deals.parquet", code=code)
    assert "are at most 1.5, as fractions are" in told
    assert 'write `[forms.progress]` and `percentages = "fractions"` into a mapping' in told
    assert ("Look at these" in told) == (code == 0)


@pytest.mark.parametrize("ids", ["deal_id", "Ref"])
def test_a_deal_that_is_there_again_in_another_batch(tmp_path, monkeypatch, ids):
    """
    Ids that repeat stop the command, wherever they are in the file, unless somebody accepts them.
    """
    monkeypatch.setattr(deal_files, "BATCH", 200)
    deals = sample(500, 3, backend="polars")
    again = pl.concat([deals, deals.head(2)]).rename({"deal_id": ids})
    file, mapping = tmp_path / "deals.csv", tmp_path / "map.toml"
    again.write_csv(file)
    mapping.write_text(f'[columns]\ndeal_id = "{ids}"\n', encoding="utf-8")

    told = run(file, "--columns", mapping, code=1)
    assert f"{ids}: 2 rows have the id of a deal that is above already" in told
    told = run(file, "--columns", mapping, "--accept", "duplicate", "--format", "json")
    assert json.loads(told)["deals"] == 502


@pytest.mark.parametrize("start", [0.2, 0.5, 0.8])
def test_a_damaged_excel_file(tmp_path, start):
    """
    A person's mistake, or that of a disk, never shows a stack trace.
    """
    file = tmp_path / "deals.xlsx"
    deals = sample(300, 3, backend="polars")
    book = openpyxl.Workbook()
    for row in (deals.columns, *deals.rows()):
        book.active.append(row)
    book.save(file)
    content = bytearray(file.read_bytes())
    place = int(len(content) * start)
    content[place : place + 200] = b"x" * 200
    file.write_bytes(content)
    assert "deals.xlsx cannot be opened" in run(file, code=2)


@pytest.mark.parametrize(
    ("before", "line"), [('"', 1), ("", 3), ("sep=,\n", 4), ("a title\na note\n", 5)]
)
def test_a_quote_that_is_never_closed(tmp_path, before, line):
    """
    Never a stack trace for a person's mistake, however long the file is, and no name of a person.
    """
    rows = "".join(f"D-{number},Jane\n" for number in range(40_000))
    heads = "deal_id,person\n" if before else "x,person\n"
    for more in ("D-1,Jane\n", rows):
        text = f"{before}{heads}D-0,Jane\n" + ("" if before == '"' else '"') + more
        (tmp_path / "deals.csv").write_text(text)
        told = run(tmp_path / "deals.csv", code=2)
        assert f"line {line} has a quote that is never closed" in told
        assert "Jane" not in told


@pytest.mark.parametrize(
    ("arguments", "suggest", "use"),
    [
        (("--jurisdiction", "GB"), "--jurisdiction GB", "--jurisdiction GB"),
        (
            ("--on", "2026-07-01", "--format", "json"),
            "--on 2026-07-01",
            "--on 2026-07-01 --format json",
        ),
        (
            ("--jurisdiction", "of whom", "--jurisdictions", str(SHIPPED)),
            f"--jurisdiction 'of whom' --jurisdictions {SHIPPED}",
            f"--jurisdiction 'of whom' --jurisdictions {SHIPPED}",
        ),
    ],
)
def test_the_commands_to_use_a_mapping_work(tmp_path, monkeypatch, arguments, suggest, use):
    """
    What to do, with all that was given: each command runs as it is printed.
    """
    monkeypatch.chdir(tmp_path)
    names = dict(zip(arguments[::2], arguments[1::2], strict=True))
    deals = sample(300, 3, backend="polars").filter(pl.col("jurisdiction") == "GB")
    deals = deals.with_columns(pl.col("progress") / 100)
    if names.get("--jurisdiction") == "GB":
        deals = deals.drop("jurisdiction")
    elif "--jurisdiction" in names:
        deals = deals.rename({"jurisdiction": "of whom"})
    deals.write_csv("my deals.csv")

    told = run("my deals.csv", *arguments, code=1)
    first, second = (line.partition("holdback portfolio ")[2] for line in told.splitlines()[-2:])
    assert first == " ".join(f"'my deals.csv' {suggest} --suggest > MAP.toml".split())
    assert second == " ".join(f"'my deals.csv' {use} --columns MAP.toml".split())
    (tmp_path / "MAP.toml").write_text(run(*shlex.split(first)[:-2]))
    assert "eligible" in run(*shlex.split(second))


def test_the_own_mapping_is_not_overwritten(tmp_path):
    """
    Advice destroys nothing.
    """
    deals = sample(300, 3, backend="polars").filter(pl.col("jurisdiction") == "GB")
    deals.with_columns(pl.col("progress") / 100).write_csv(tmp_path / "deals.csv")
    (tmp_path / "MAP.toml").write_text('money = "major units"\n')
    mapping = ("--columns", tmp_path / "MAP.toml")
    told = run(tmp_path / "deals.csv", *mapping, code=1).splitlines()
    assert told[-2].endswith("deals.csv --suggest > NEW_MAP.toml")
    assert told[-1].endswith("deals.csv --columns NEW_MAP.toml")


def test_a_file_is_written_as_a_whole(deals_folder, tmp_path):
    """
    A file is written as a whole, or not at all.
    """
    output = tmp_path / "answers.parquet"
    output.write_bytes(b"from yesterday")

    run(f"select *, 1 as outcome from '{deals_folder}/deals.parquet'", "--output", output, code=2)

    assert output.read_bytes() == b"from yesterday"
    assert list(tmp_path.iterdir()) == [output]
    assert "ends in .parquet or .csv" in run(
        deals_folder / "deals.csv", "--output", "x.txt", code=2
    )


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_refunds_due_recoveries_and_write_offs_are_printed(deals_folder, ending):
    """
    The command prints refunds due, recoveries and write-offs by currency, to the minor unit.
    """
    deals = pl.read_parquet(deals_folder / "deals.parquet").filter(jurisdiction="GB")
    counts = {
        what: (deals.filter(pl.col(name) > 0).height, deals[name].sum(), deals[name].null_count())
        for name, what in (
            ("overpaid", "refunds due"),
            ("recovered", "recoveries"),
            ("written_off", "write-offs"),
        )
    }

    printed = run(deals_folder / f"deals.{ending}").splitlines()

    lines = [line for line in printed if line.startswith("GBP ")]
    shown = {what: f"{deals} GBP {amount} {rest}" for what, (deals, amount, rest) in counts.items()}
    assert [" ".join(line.split()) for line in lines] == [
        f"GBP {what} {text}" for what, text in shown.items()
    ]
    assert counts["recoveries"][0] > 0


def test_the_deals_that_change_are_shown_without_their_ledgers(deals_folder, other):
    """
    Of a deal that changes only what identifies it is shown, and both answers.
    """
    printed = run(deals_folder / "deals.parquet", "--compare", other)

    (head,) = [line for line in printed.splitlines() if line.startswith("deal_id")]
    assert head.split()[:3] == ["deal_id", "jurisdiction", "outcome_before"]


def test_no_deals(deals_folder):
    assert run(f"from '{deals_folder}/deals.parquet' limit 0") == "There are no deals.\n"


def test_fractions_in_one_column_are_read_in_that_one_alone(tmp_path):
    """
    The cure of one column is not that of all: percentages that were read as fractions are noticed.
    """
    deals = sample(400, 3, backend="polars").with_columns(pl.col("progress") / 100)
    deals.write_csv(tmp_path / "deals.csv")
    told = run(tmp_path / "deals.csv", code=1)
    assert 'write `[forms.progress]` and `percentages = "fractions"` into a mapping' in told
    (tmp_path / "all.toml").write_text('percentages = "fractions"\n')
    told = run(tmp_path / "deals.csv", "--columns", tmp_path / "all.toml", code=1)
    assert "percentages are above 1,000" in told
    assert 'write `[forms.performance]` and `percentages = "percent"` into a mapping' in told
    (tmp_path / "one.toml").write_text('[forms.progress]\npercentages = "fractions"\n')
    as_fractions = run(tmp_path / "deals.csv", "--columns", tmp_path / "one.toml")
    sample(400, 3, backend="polars").write_csv(tmp_path / "percent.csv")
    assert as_fractions == run(tmp_path / "percent.csv")


def test_most_values_are_looked_for_in_all_countries(tmp_path):
    """
    Of a column most of which cannot be read, nothing is assessed, with deals of several countries.
    """
    flags = pl.when("identity_verified").then(pl.lit("WAHR")).otherwise(pl.lit("FALSCH"))
    points = pl.col("balance").cast(pl.String).str.replace(r"(\d)(\d{3})\.", "$1,$2.")
    for name, column in (("identity_verified", flags), ("balance", points)):
        deals = sample(800, 3, backend="polars").with_columns(column.alias(name))
        deals.filter(pl.col("balance").str.contains(",") if name == "balance" else True).write_csv(
            tmp_path / "deals.csv"
        )
        told = run(tmp_path / "deals.csv", code=1)
        assert "none is assessed" in told
        assert name in told


@pytest.mark.parametrize("given", ["01.01.2025", "as_of", "2025/01/01"])
def test_a_day_that_a_mapping_says_otherwise_is_refused(tmp_path, given):
    """
    A column that is not there, or a day in another form, is never left out without a word.
    """
    deals = sample(200, 3, backend="polars").rename({"on": "Stichtag"})
    deals.write_csv(tmp_path / "deals.csv")
    (tmp_path / "map.toml").write_text('[columns]\non = "Stichtag"\n')
    told = run(tmp_path / "deals.csv", "--columns", tmp_path / "map.toml", "--on", given, code=2)
    assert ("Stichtag" if given == "as_of" else "expected a date such as 2026-07-01") in told
    on_day = run(tmp_path / "deals.csv", "--columns", tmp_path / "map.toml", "--on", "2026-07-01")
    assert on_day == run(tmp_path / "deals.csv", "--on", "2026-07-01")


def test_a_total_in_a_file_of_numbers_is_not_a_deal(tmp_path):
    """
    The last row of a Parquet file may be a total, too.
    """
    deals = sample(100, 3, backend="polars")
    total = deals.tail(1).select(
        "jurisdiction", "on", pl.lit(deals["balance"].sum()).alias("balance")
    )
    pl.concat([deals, total], how="diagonal_relaxed").write_parquet(tmp_path / "deals.parquet")
    told = run(tmp_path / "deals.parquet", code=1)
    assert "looks like a total: it has 1 of " in told
    assert "drop the row if it is a total" in told
