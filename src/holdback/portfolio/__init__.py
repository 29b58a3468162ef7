"""
The renewal rules over a whole portfolio, in a dataframe of any engine.

A frame of pandas, Polars, PyArrow, DuckDB or PySpark with a column for each fact goes in, and a
frame of the same kind comes out. Each row gets the outcome that `Rulebook.assess` gives to that
deal alone: both come from the same checked rules, on whole numbers.
"""

try:
    from holdback.jurisdictions.folder_copy import copy_jurisdictions
    from holdback.portfolio.answer_table import AnswerTable
    from holdback.portfolio.assessment import assess, prepare
    from holdback.portfolio.cohort_outcomes import cohorts
    from holdback.portfolio.column_findings import ColumnFinding, Findings
    from holdback.portfolio.column_mapping import ColumnMapping
    from holdback.portfolio.comparison import Comparison, compare, migration
    from holdback.portfolio.frame_check import check_frame, findings
    from holdback.portfolio.html_report import to_html
    from holdback.portfolio.mapped_frame import read
    from holdback.portfolio.mapping_suggestion import suggest
    from holdback.portfolio.near_thresholds import near
    from holdback.portfolio.outcome_codes import OUTCOMES, codes, needed
    from holdback.portfolio.pace_projection import project
    from holdback.portfolio.quotes import quote
    from holdback.portfolio.row_explanation import explain
    from holdback.portfolio.rule_funnel import funnel
    from holdback.portfolio.sample_deals import sample
    from holdback.portfolio.sql_query import sql
    from holdback.portfolio.summary import Summary, summarise
    from holdback.portfolio.suspects import SuspectColumns
    from holdback.portfolio.threshold_sweep import sweep
    from holdback.portfolio.workbook import to_excel
except ModuleNotFoundError as missing:
    package = str(missing.name).partition(".")[0]
    if package not in ("narwhals", "numpy"):
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
    "sample",
    "sql",
    "suggest",
    "summarise",
    "sweep",
    "to_excel",
    "to_html",
]
