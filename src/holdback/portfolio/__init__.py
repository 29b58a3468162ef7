"""
The renewal rules over a whole portfolio, in a dataframe of any engine.

A frame of pandas, Polars, PyArrow, DuckDB or PySpark with a column for each fact goes in, and a
frame of the same kind comes out. Each row gets the outcome that `Rulebook.assess` gives to that
deal alone: both come from the same checked rules, on whole numbers.
"""

try:
    from holdback.jurisdictions.folder import copy_jurisdictions
    from holdback.portfolio.answers.answer_table import AnswerTable
    from holdback.portfolio.answers.html_report import to_html
    from holdback.portfolio.answers.workbook import to_excel
    from holdback.portfolio.assessing.assessed_frames import assess, prepare
    from holdback.portfolio.assessing.outcome_codes import OUTCOMES, codes, needed
    from holdback.portfolio.assessing.quotes import quote
    from holdback.portfolio.assessing.row_explanation import explain
    from holdback.portfolio.files.read_file import read_file
    from holdback.portfolio.reading.column_findings import ColumnFinding, Findings
    from holdback.portfolio.reading.column_mapping import ColumnMapping
    from holdback.portfolio.reading.frame_check import check_frame, findings
    from holdback.portfolio.reading.mapped_frame import read
    from holdback.portfolio.reading.mapping_suggestion import suggest
    from holdback.portfolio.reading.suspects import SuspectColumns
    from holdback.portfolio.sample_deals import sample
    from holdback.portfolio.sql.query import sql
    from holdback.portfolio.studies.cohort_outcomes import cohorts
    from holdback.portfolio.studies.estimate_audits import audits
    from holdback.portfolio.studies.funnel import funnel
    from holdback.portfolio.studies.near_thresholds import near
    from holdback.portfolio.studies.outcome_changes import Comparison, compare, migration
    from holdback.portfolio.studies.pace_projection import project
    from holdback.portfolio.studies.summary import Summary, summarise
    from holdback.portfolio.studies.threshold_sweep import sweep
except ModuleNotFoundError as missing:
    package = str(missing.name).partition(".")[0]
    if package not in ("narwhals", "numpy", "polars", "pyarrow"):
        raise
    raise ModuleNotFoundError(
        f"holdback.portfolio needs {package}: pip install 'holdback[frames]'", name=package
    ) from None

__all__ = [
    "OUTCOMES",
    "AnswerTable",
    "ColumnFinding",
    "ColumnMapping",
    "Comparison",
    "Findings",
    "Summary",
    "SuspectColumns",
    "assess",
    "audits",
    "check_frame",
    "codes",
    "cohorts",
    "compare",
    "copy_jurisdictions",
    "explain",
    "findings",
    "funnel",
    "migration",
    "near",
    "needed",
    "prepare",
    "project",
    "quote",
    "read",
    "read_file",
    "sample",
    "sql",
    "suggest",
    "summarise",
    "sweep",
    "to_excel",
    "to_html",
]
